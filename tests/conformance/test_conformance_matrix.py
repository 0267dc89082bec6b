"""Arrays of every pair of features: what others write is read equal here, and what is written here by them.

The cases are made from the tables of `conformance_codecs.py`, `conformance_types.py`, `conformance_cases.py`
and `conformance_v2.py`, without those that `conformance_table.py` lists, which have their own test.
"""

from __future__ import annotations

import peer_ours
import pytest
from conformance_base import Found, Peer, alike
from conformance_cases import case_of
from conformance_chunks import comparable, is_determined, stored
from conformance_matrix import PEERS, cases, fewer
from conformance_table import does

pytestmark = pytest.mark.filterwarnings(
    "ignore::zarr.errors.UnstableSpecificationWarning", "ignore::zarr.errors.ZarrUserWarning"
)


def matrix(peer, zarr_format):
    """Return all cases for a library; those that make up every pair are slow, all levels thrice are not."""
    found = cases(peer, zarr_format)
    quick = set(fewer(found, 3))
    for case in found:
        marks = () if case in quick else (pytest.mark.slow,)
        yield pytest.param(peer, case, id=f"{peer}-v{zarr_format}-{case}", marks=marks)


MATRIX = [param for zarr_format in (2, 3) for peer in PEERS for param in matrix(peer, zarr_format)]


def assert_found(case, found: Found, by_the_other: Found) -> None:
    """Values that cannot be kept exactly are those that the other library reads."""
    expected = by_the_other.values if case.loses else case.expected()
    assert alike(expected, found.values)
    attributes = {key: value for key, value in (found.attributes or {}).items() if key != "_zarrs"}
    assert attributes == case.attributes or found.attributes is None or case.zarr_format == 2
    assert (found.names or None) == (case.names or None)  # that of no axes is as good as none


@pytest.mark.parametrize(("peer", "case"), MATRIX)
def test_each_reads_what_the_other_writes(tmp_path, peer, case):
    library: Peer = PEERS[peer]
    levels, format = dict(case.levels), case.zarr_format
    writes, reads = (does(peer, format, way, levels) for way in ("writes", "reads"))
    peer_ours.write(tmp_path / "ours", case)
    ours = peer_ours.read(tmp_path / "ours", format)
    if reads:
        assert_found(case, library.read(tmp_path / "ours", format), ours)
    if writes:
        library.write(tmp_path / "theirs", case)
        theirs = library.read(tmp_path / "theirs", format) if case.loses else ours
        assert_found(case, peer_ours.read(tmp_path / "theirs", format), theirs)
        if is_determined(case):
            assert comparable(case, tmp_path / "theirs") == comparable(case, tmp_path / "ours")
    assert reads or writes


@pytest.mark.parametrize("peer", ["tensorstore", "zarrista"])
@pytest.mark.parametrize("kind", ["int32", "float64"])
def test_blosc_with_snappy(tmp_path, peer, kind):
    """numcodecs, and so zarr-python, does not have it."""
    pytest.importorskip("imagecodecs", reason="snappy needs imagecodecs")
    case = case_of({"compressor": "blosc snappy", "type": kind})
    PEERS[peer].write(tmp_path / "theirs", case)
    assert any(value[2] >> 5 == 2 and not value[2] & 2 for value in stored(tmp_path / "theirs").values())
    assert alike(case.expected(), peer_ours.read(tmp_path / "theirs", 3).values)
    peer_ours.write(tmp_path / "ours", case)
    assert alike(case.expected(), PEERS[peer].read(tmp_path / "ours", 3).values)


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("peer", PEERS)
def test_of_many_cases_the_stored_bytes_are_compared(peer, zarr_format):
    determined = [case for case in cases(peer, zarr_format) if is_determined(case)]
    assert len(determined) >= 10
    if zarr_format == 3:
        assert {"little", "big", "sharded"} <= {case["serializer"] for case in determined}
