"""Files that are written here are read by hdmf-zarr 0.13.0 as it reads its own, to the last attribute.

It needs an older zarr and a numcodecs that decodes pickles, so it has an environment of its own, which is
made once (`.venv/hdmf-zarr`, that of the benchmarks too).
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pynwb")

from old_zarr import interpreter
from pynwb.testing import TestCase
from pynwb.testing.mock.base import mock_TimeSeries

from omnizarr.hdmf import NWBZarrIO

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def peer() -> Callable[..., Any]:
    """Run a script in the environment of hdmf-zarr, and return what it prints as JSON."""
    python = interpreter()

    def run(script: str, *arguments: Any) -> Any:
        settings = {**os.environ, "NUMCODECS_ALLOW_UNSAFE_PICKLE_DECODE": "1", "PYTHONPATH": ""}
        command = [python, "-W", "ignore", HERE / "peer" / script, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, env=settings, timeout=120)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout) if done.stdout.strip() else None

    return run


@pytest.fixture(scope="session")
def theirs(peer: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with every mock of pynwb's, written by hdmf-zarr."""
    path = tmp_path_factory.mktemp("peer") / "theirs.nwb.zarr"
    peer("write_mocks.py", path)
    return path


def recording() -> Any:
    spec = importlib.util.spec_from_file_location("peer_recording", HERE / "peer" / "recording.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.recording()


def test_it_reads_our_files_as_its_own(peer: Callable[..., Any], theirs: Path, tmp_path: Path) -> None:
    ours = tmp_path / "ours.nwb.zarr"
    with NWBZarrIO(ours, "w", pickled_references=True) as io:
        io.write(recording())
    expected = peer("read_all.py", theirs)
    assert len(expected) > 900
    assert peer("read_all.py", ours, theirs) == expected


def test_we_read_its_files(theirs: Path) -> None:
    with NWBZarrIO(theirs) as io:
        found, expected = io.read(), recording()
        assert found.objects.keys() == expected.objects.keys()
        for one in expected.objects.values():
            TestCase().assertContainerEqual(found.objects[one.object_id], one, ignore_hdmf_attrs=True)


def test_it_reads_what_we_append_to_its_files(peer: Callable[..., Any], theirs: Path, tmp_path: Path) -> None:
    changed = tmp_path / "changed.nwb.zarr"
    shutil.copytree(theirs, changed)
    before = peer("read_all.py", changed)
    with NWBZarrIO(changed, "r+", pickled_references=True) as io:
        file = io.read()
        file.add_acquisition(mock_TimeSeries(name="new", data=[1.5, 2.5]))
        file.add_trial(start_time=5.0, stop_time=6.0, tag="new", timeseries=[file.acquisition["u2"]])
        io.write(file)
    after = peer("read_all.py", changed)
    differ = {name for name in before if before[name] != after[name]} - {"objects"}
    columns = ("id", "start_time", "stop_time", "tag", "timeseries", "timeseries_index")
    assert differ == {f"/intervals/trials/{name}" for name in columns}
    assert after["/acquisition/new/data"] == ["float64", "[1.5, 2.5]"]
    assert after["/intervals/trials/timeseries"][:3] == before["/intervals/trials/timeseries"]
    assert "/acquisition/u2" in str(after["/intervals/trials/timeseries"][3])
