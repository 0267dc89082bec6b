"""NWB files that are zip archives on a web server."""

from __future__ import annotations

import zipfile
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

pynwb = pytest.importorskip("pynwb")
pytest.importorskip("obstore")
object_servers = pytest.importorskip("object_servers")

VALUES = np.arange(40_000, dtype=np.float64).reshape(-1, 4)


def test_an_nwb_file_in_an_archive_on_a_web_server(tmp_path: Path) -> None:
    from omnizarr.hdmf import NWBZarrIO

    nwb = pynwb.NWBFile("a", "b", datetime(2020, 1, 1, tzinfo=UTC))
    nwb.add_acquisition(pynwb.TimeSeries(name="series", data=VALUES, unit="m", rate=1.0))
    with NWBZarrIO(str(tmp_path / "a.nwb.zarr"), "w") as io:
        io.write(nwb)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for path in sorted((tmp_path / "a.nwb.zarr").rglob("*")):
            archive.write(path, path.relative_to(tmp_path))
    front = object_servers.Front("http", tmp_path)
    try:
        with NWBZarrIO(f"http://127.0.0.1:{front.port}/a.zip", "r") as io:
            series = io.read().acquisition["series"]
            opening = len(front.asked)
            assert opening <= 12
            np.testing.assert_array_equal(series.data[:], VALUES)
            assert len(front.asked) > opening
    finally:
        front.close()
