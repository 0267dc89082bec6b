"""Arrays of others changed here, and ours changed by others: a region, the attributes, the shape."""

from __future__ import annotations

import json

import numpy as np
import peer_ours
import peer_tensorstore
import peer_zarr_python
import peer_zarrista
import pytest
import zarr
import zarrista
from conformance_base import alike
from conformance_matrix import PEERS, make_case
from conformance_table import does
from zarrista.store import FilesystemStore

import omnizarr

pytestmark = pytest.mark.filterwarnings(
    "ignore::zarr.errors.UnstableSpecificationWarning", "ignore::zarr.errors.ZarrUserWarning"
)
REGION = (slice(3, 30), slice(5, 20))
LARGER, SMALLER = (41, 30), (19, 13)
ATTRIBUTES = {"changed": [1, {"two": None}]}


def rewrite_ours(place, zarr_format, values, shape):
    array = omnizarr.open_array(str(place), mode="r+", zarr_format=zarr_format)
    array[REGION] = values
    array.attrs.update(ATTRIBUTES)
    array.resize(shape)


def rewrite_zarr_python(place, zarr_format, values, shape):
    array = zarr.open_array(str(place), mode="r+", zarr_format=zarr_format)
    array[REGION] = values
    array.attrs.update(ATTRIBUTES)
    array.resize(shape)


def rewrite_tensorstore(place, zarr_format, values, shape):
    """It changes no attributes."""
    array = peer_tensorstore.open_at(place, zarr_format)
    array[REGION].write(values).result()
    array.resize(exclusive_max=shape).result()


def rewrite_zarrista(place, zarr_format, values, shape):
    array = zarrista.Array.open(FilesystemStore(place))
    array[REGION] = peer_zarrista.encoded(values)
    array = array.with_attrs({**array.attrs, **ATTRIBUTES}).with_shape(list(shape))
    array.store_metadata()


REWRITE = {
    peer_zarr_python.name: rewrite_zarr_python,
    peer_tensorstore.name: rewrite_tensorstore,
    peer_zarrista.name: rewrite_zarrista,
}
V3 = [
    {},
    {
        "type": "float64",
        "fill": "odd",
        "filter": "transpose",
        "serializer": "big",
        "compressor": "blosc zstd",
    },
    {"type": "uint8", "fill": "other", "serializer": "sharded", "names": "names", "attributes": "nested"},
    {"serializer": "sharded, index at the start", "keys": "v2 .", "written": "part", "fill": "other"},
    {"serializer": "sharded, gzip and crc32c within", "type": "bool", "written": "part"},
    {"serializer": "sharded twice", "written": "none", "fill": "odd"},
    {"serializer": "sharded, big index without a checksum", "written": "part", "type": "int16"},
    {"type": "string", "compressor": "zstd", "attributes": "nested", "fill": "other"},
    {"type": "string", "serializer": "sharded", "written": "part"},
    {"type": "numpy.datetime64 ns", "fill": "odd", "compressor": "gzip then crc32c"},
    {"type": "bfloat16", "compressor": "crc32c", "names": "nulls"},
    {"filter": "numcodecs.delta", "compressor": "numcodecs.zlib", "type": "uint16"},
]
V2 = [
    {},
    {"type": ">f8", "order": "F", "keys": "/", "compressor": "blosc lz4", "fill": "odd"},
    {"type": "<u4", "compressor": "zlib", "attributes": "nested", "written": "part", "fill": "other"},
    {"type": "vlen-utf8", "compressor": "zstd", "fill": "other"},
    {"type": "<i2", "filter": "delta", "compressor": "lzma", "attributes": "nested"},
    {"type": "structure", "compressor": "bz2", "written": "none", "fill": "other"},
]
CASES = [
    pytest.param(peer, case, id=f"{peer}-v{case.zarr_format}-{case}")
    for peer in PEERS
    for zarr_format, levels in ((3, V3), (2, V2))
    for case in (make_case(zarr_format, level) for level in levels)
    if all(does(peer, zarr_format, way, dict(case.levels)) for way in ("writes", "reads"))
]


def rewritten(case, shape):
    """Return the values that are written, and what there is then."""
    lengths = tuple(part.stop - part.start for part in REGION)
    values = case.kind.data((lengths[0] * lengths[1],))[::-1].reshape(lengths)
    before = case.expected()
    before[REGION] = values
    after = case.kind.full(shape, case["fill"])
    both = tuple(slice(0, min(pair)) for pair in zip(shape, before.shape, strict=True))
    after[both] = before[both]
    return values, after


def attributes_of(place, zarr_format):
    name = "zarr.json" if zarr_format == 3 else ".zattrs"
    document = json.loads((place / name).read_text())
    found = document.get("attributes", {}) if zarr_format == 3 else document
    return {key: value for key, value in found.items() if key != "_zarrs"}


@pytest.mark.parametrize("shape", [LARGER, SMALLER], ids=["larger", "smaller"])
@pytest.mark.parametrize(("peer", "case"), CASES)
def test_theirs_changed_here(tmp_path, peer, case, shape):
    PEERS[peer].write(tmp_path, case)
    kept = attributes_of(tmp_path, 3) if case.zarr_format == 3 else {}
    values, expected = rewritten(case, shape)
    rewrite_ours(tmp_path, case.zarr_format, values, shape)
    found = PEERS[peer].read(tmp_path, case.zarr_format)
    assert alike(expected, found.values)
    assert (found.names or None) == case.names
    assert attributes_of(tmp_path, case.zarr_format).items() >= (kept | ATTRIBUTES).items()


@pytest.mark.parametrize("shape", [LARGER, SMALLER], ids=["larger", "smaller"])
@pytest.mark.parametrize(("peer", "case"), CASES)
def test_ours_changed_there(tmp_path, peer, case, shape):
    peer_ours.write(tmp_path, case)
    values, expected = rewritten(case, shape)
    REWRITE[peer](tmp_path, case.zarr_format, values, shape)
    found = peer_ours.read(tmp_path, case.zarr_format)
    assert alike(expected, found.values)
    assert found.names == case.names
    if peer != peer_tensorstore.name:
        assert found.attributes.items() >= (case.attributes | ATTRIBUTES).items()


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_chunks_outside_are_gone_for_others_too(tmp_path, zarr_format):
    """What is cut off here does not come back when another library makes the array longer."""
    case = make_case(zarr_format, {"fill": "other"})
    peer_ours.write(tmp_path, case)
    array = omnizarr.open_array(str(tmp_path), mode="r+")
    array.resize((20, 21))
    zarr.open_array(str(tmp_path), mode="r+").resize((37, 21))
    expected = case.expected()
    expected[20:] = case.kind.fill("other")[1]
    found = omnizarr.open_array(str(tmp_path), mode="r")[...]
    np.testing.assert_array_equal(found[32:], expected[32:])
    np.testing.assert_array_equal(found[:20], expected[:20])
