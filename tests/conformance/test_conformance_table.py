"""What the table says of other libraries is so: what they refuse they still refuse, and in these words."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import peer_ours
import pytest
from conformance_base import alike
from conformance_matrix import PEERS, factors_of, is_possible, make_case
from conformance_table import TABLE, VERSIONS, does, other_version

pytestmark = pytest.mark.filterwarnings(
    "ignore::zarr.errors.UnstableSpecificationWarning", "ignore::zarr.errors.ZarrUserWarning"
)
ROWS = [pytest.param(row, way, id=f"{row}-{way}") for row in TABLE for way in row.ways]
LIVE = [param for param in ROWS if param.values[0].outcome != "aborts"]
ABORTING = [param for param in ROWS if param.values[0].outcome == "aborts"]


def skip_other_versions(peer):
    found = other_version(peer)
    if found is not None:
        pytest.skip(f"the table is of {peer} {VERSIONS[peer][1]}, not {found}")


def ways_through(row, way, tmp_path):
    """Return what is to be read, and what is read, of an array that goes this way."""
    case = make_case(row.zarr_format, row.example)
    peer = PEERS[row.peer]
    writer, reader = (peer, peer_ours) if way == "writes" else (peer_ours, peer)
    writer.write(tmp_path, case)
    known = case.expected() if not case.loses else writer.read(tmp_path, case.zarr_format).values
    return known, reader.read(tmp_path, case.zarr_format).values


@pytest.mark.parametrize(("row", "way"), LIVE)
def test_what_others_do_not_do(tmp_path, row, way):
    skip_other_versions(row.peer)
    if row.outcome == "differs":
        assert not alike(*ways_through(row, way, tmp_path))
    else:
        with pytest.raises(Exception, match=f"(?s){row.why}"):
            ways_through(row, way, tmp_path)


@pytest.mark.parametrize(("row", "way"), ABORTING)
def test_what_ends_the_process(tmp_path, row, way):
    skip_other_versions(row.peer)
    here = Path(__file__).parent
    code = f"import sys; sys.path.insert(0, {str(here)!r}); import test_conformance_table as t; "
    code += (
        f"t.ways_through(t.TABLE[{TABLE.index(row)}], {way!r}, __import__('pathlib').Path({str(tmp_path)!r}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode != 0
    assert row.why in done.stderr


@pytest.mark.parametrize("row", TABLE, ids=str)
def test_rows_name_levels_that_there_are(row):
    factors = factors_of(row.zarr_format)
    for factor, levels in row.levels.items():
        assert ({levels} if isinstance(levels, str) else set(levels)) <= set(factors[factor])
    assert is_possible(row.zarr_format, dict(make_case(row.zarr_format, row.example).levels))


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_no_level_is_out_of_reach(zarr_format):
    """Each level is one that omnizarr writes and reads, also where no other library does."""
    for factor, levels in factors_of(zarr_format).items():
        for level in levels:
            make_case(zarr_format, {factor: level})


ALONE = [
    pytest.param(zarr_format, factor, level, id=f"v{zarr_format}-{level}")
    for zarr_format in (2, 3)
    for factor, levels in factors_of(zarr_format).items()
    for level in levels
    if not any(
        does(peer, zarr_format, way, dict(make_case(zarr_format, {factor: level}).levels))
        for peer in PEERS
        for way in ("writes", "reads")
    )
]


@pytest.mark.parametrize(("zarr_format", "factor", "level"), ALONE)
def test_what_no_other_library_does_comes_back(tmp_path, zarr_format, factor, level):
    for written in ("all", "part", "none"):
        case = make_case(zarr_format, {factor: level, "written": written})
        peer_ours.write(tmp_path / written, case)
        found = peer_ours.read(tmp_path / written, zarr_format)
        assert case.loses or alike(case.expected(), found.values)
        assert found.values.shape == case.layout.shape
