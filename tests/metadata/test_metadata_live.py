"""Documents that zarr-python writes are read, and written again as they were."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import pytest

from omnizarr.jsontypes import Problems
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.convert import to_v2, to_v3
from omnizarr.metadata.formats import format_of
from omnizarr.metadata.group import GroupMetadata, NodeMetadata

zarr = pytest.importorskip("zarr")

DTYPES: list[Any] = [
    *("bool", "int8", ">i2", "<i4", "int64", "uint8", ">u2", "uint32", "uint64"),
    *("f2", ">f4", "f8", "c8", ">c16", "S5", "U3", ">U4", "V4", "M8[ns]", ">M8[10s]", "m8[D]", "M8"),
    [("a", "i4"), ("b", "f8")],
    [("a", ">i2"), ("b", [("c", "S3"), ("d", ">f4")])],
    str,
]
FILLS: list[tuple[Any, Any]] = [
    ("f4", np.nan),
    ("f8", -np.inf),
    ("f4", 0.1),
    ("f2", 65504),
    ("c8", 1 - 2j),
    ("c16", complex("nan+infj")),
    ("S5", b"ab"),
    ("U3", "hé"),
    ("M8[ns]", np.datetime64(5, "ns")),
    ("i8", -(2**63)),
    ("u8", 2**64 - 1),
    ("i1", -128),
    ("bool", True),
    (str, "text"),
    ([("a", "i4"), ("b", "f8")], (1, 2.5)),
]


@pytest.fixture(autouse=True)
def quiet() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def stored(store: Any) -> dict[str, bytes]:
    """Return what zarr-python stored."""
    return {key: value.to_bytes() for key, value in store._store_dict.items()}


def read(zarr_format: int, documents: dict[str, bytes], path: str = "") -> NodeMetadata:
    problems = Problems()
    node = format_of(zarr_format).read(path, documents, problems)
    problems.check()
    assert node is not None
    return node


def assert_repeated(zarr_format: int, documents: dict[str, bytes], path: str = "") -> NodeMetadata:
    """Read a node, and check that it is written as it was; return it."""
    node = read(zarr_format, documents, path)
    written = format_of(zarr_format).write(path, node)
    for key, data in written.items():
        assert json.loads(data) == json.loads(documents[key])
    keys = {*format_of(zarr_format).document_keys(path), f"{path}/.zmetadata".lstrip("/")}
    assert written.keys() == documents.keys() & keys
    return node


def create(zarr_format: int, **options: Any) -> tuple[Any, ArrayMetadata]:
    store = zarr.storage.MemoryStore()
    array = zarr.create_array(store, shape=(7, 5), chunks=(3, 2), zarr_format=zarr_format, **options)
    node = assert_repeated(zarr_format, stored(store))
    assert isinstance(node, ArrayMetadata)
    return array, node


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_data_type(zarr_format: int, dtype: Any) -> None:
    _, node = create(zarr_format, dtype=dtype)
    assert node.shape == (7, 5)
    if dtype is not str:
        expected = np.dtype(dtype) if zarr_format == 2 else np.dtype(dtype).newbyteorder("=")
        assert node.data_type.dtype == expected


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize(("dtype", "fill"), FILLS, ids=str)
def test_every_fill_value(zarr_format: int, dtype: Any, fill: Any) -> None:
    array, node = create(zarr_format, dtype=dtype, fill_value=fill)
    if dtype is str:
        assert node.fill_value == fill
    else:
        expected = np.array(array.fill_value, node.data_type.dtype)
        assert np.array(node.fill_value, node.data_type.dtype).tobytes() == expected.tobytes()


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_variable_length_bytes(zarr_format: int) -> None:
    _, node = create(zarr_format, dtype=zarr.dtype.VariableLengthBytes(), fill_value=b"hi")
    assert node.fill_value == b"hi"
    assert node.data_type.name == ("bytes" if zarr_format == 2 else "variable_length_bytes")


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("filters", [None, [], "delta"])
@pytest.mark.parametrize("compressor", [None, "zlib", "blosc"])
def test_v2_chains(order: str, filters: Any, compressor: str | None) -> None:
    numcodecs = pytest.importorskip("numcodecs")
    made = {"zlib": numcodecs.Zlib(3), "blosc": numcodecs.Blosc("zstd", 2, shuffle=2), None: None}[compressor]
    given = (numcodecs.Delta("<i4"),) if filters == "delta" else filters
    create(2, dtype="<i4", order=order, filters=given, compressors=made)


def test_v3_sharded_named_and_with_other_keys() -> None:
    store = zarr.storage.MemoryStore()
    zarr.create_array(
        store,
        shape=(8, 8),
        chunks=(2, 2),
        shards=(4, 4),
        dtype="u2",
        dimension_names=["x", None],
        attributes={"a": [1, {"b": None}]},
        chunk_key_encoding={"name": "v2", "separator": "/"},
    )
    node = assert_repeated(3, stored(store))
    assert isinstance(node, ArrayMetadata)
    assert node.dimension_names == ("x", None)
    assert node.codecs[0].name == "sharding_indexed"
    assert node.chunk_keys.key((1, 2)) == "1/2"


def make_hierarchy(zarr_format: int) -> Any:
    store = zarr.storage.MemoryStore()
    root = zarr.create_group(store, zarr_format=zarr_format, attributes={"title": "t"})
    inner = root.create_group("g", attributes={"n": 1})
    inner.create_array("x", shape=(4,), chunks=(2,), dtype="f4", fill_value=np.nan)
    inner.create_group("empty")
    root.create_array("y", shape=(), dtype="i2")
    zarr.consolidate_metadata(store)
    return store


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_consolidated(zarr_format: int) -> None:
    documents = stored(make_hierarchy(zarr_format))
    node = assert_repeated(zarr_format, documents)
    assert isinstance(node, GroupMetadata)
    assert node.consolidated is not None
    assert sorted(node.consolidated) == ["g", "g/empty", "g/x", "y"]
    for path, below in node.consolidated.items():
        own = read(zarr_format, documents, path)
        if isinstance(own, GroupMetadata):
            assert isinstance(below, GroupMetadata)
            assert below.with_consolidated(None) == own.with_consolidated(None)
        else:
            assert repr(below) == repr(own)  # NaN is not equal to itself


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_zarr_python_reads_what_is_consolidated_here(zarr_format: int) -> None:
    store = make_hierarchy(zarr_format)
    documents = stored(store)
    format = format_of(zarr_format)
    root = read(zarr_format, documents)
    assert isinstance(root, GroupMetadata)
    nodes = {path: read(zarr_format, documents, path) for path in ("g", "g/empty", "g/x", "y")}
    written = format.write("", root.with_consolidated(None).with_consolidated(nodes))
    fresh = {key: zarr.core.buffer.cpu.Buffer.from_bytes(data) for key, data in (documents | written).items()}
    group = zarr.open_consolidated(zarr.storage.MemoryStore(fresh), zarr_format=zarr_format)
    assert sorted(name for name, _ in group.members(max_depth=None)) == ["g", "g/empty", "g/x", "y"]
    assert group["g/x"].shape == (4,)
    assert dict(group["g"].attrs) == {"n": 1}


def reopened(zarr_format: int, node: NodeMetadata, chunks: dict[str, bytes]) -> Any:
    documents = format_of(zarr_format).write("", node)
    buffers = {
        key: zarr.core.buffer.cpu.Buffer.from_bytes(data) for key, data in (documents | chunks).items()
    }
    return zarr.open_array(zarr.storage.MemoryStore(buffers), mode="r", zarr_format=zarr_format)


def chunks_of(documents: dict[str, bytes], source: ArrayMetadata, target: ArrayMetadata) -> dict[str, bytes]:
    """Return the chunks under the keys that they have in the target."""
    found = {source.chunk_keys.coords(key, source.ndim): data for key, data in documents.items()}
    return {target.chunk_keys.key(coords): data for coords, data in found.items() if coords is not None}


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["<i4", ">i4", "u1", ">f8", "U3", "M8[s]"])
@pytest.mark.parametrize("codecs", ["plain", "blosc", "shuffle"])
def test_v2_chunks_are_v3_chunks(dtype: str, order: str, codecs: str) -> None:
    """The chunk bytes of v2 are read by zarr-python under the v3 document made of the v2 one."""
    numcodecs = pytest.importorskip("numcodecs")
    filters = (numcodecs.Shuffle(np.dtype(dtype).itemsize),) if codecs == "shuffle" else None
    compressor = {"blosc": numcodecs.Blosc("lz4"), "shuffle": numcodecs.Zlib(1)}.get(codecs)
    store = zarr.storage.MemoryStore()
    options = {"filters": filters, "compressors": compressor, "order": order}
    array = zarr.create_array(store, shape=(7, 5), chunks=(3, 2), dtype=dtype, zarr_format=2, **options)
    values = np.arange(35).reshape(7, 5).astype(dtype)
    array[:] = values
    documents = stored(store)
    source = read(2, documents)
    target, losses, same_bytes = to_v3(source)
    assert losses == ()
    assert same_bytes
    assert isinstance(source, ArrayMetadata)
    assert isinstance(target, ArrayMetadata)
    chunks = chunks_of(documents, source, target)
    assert len(chunks) == 9
    assert (reopened(3, target, chunks)[:] == values).all()


@pytest.mark.parametrize("order", ["C", "F"])
def test_v2_filters_of_arrays_come_before_bytes_in_v3(order: str) -> None:
    numcodecs = pytest.importorskip("numcodecs")
    store = zarr.storage.MemoryStore()
    filters = (
        numcodecs.FixedScaleOffset(offset=0, scale=10, dtype="<f8", astype="<i4"),
        numcodecs.Delta("<i4", "<i2"),
    )
    options = {"filters": filters, "compressors": numcodecs.Zlib(1), "order": order}
    array = zarr.create_array(store, shape=(7, 5), chunks=(3, 2), dtype="<f8", zarr_format=2, **options)
    values = np.arange(35).reshape(7, 5) / 10
    array[:] = values
    documents = stored(store)
    source = read(2, documents)
    target, losses, same_bytes = to_v3(source)
    assert (losses, same_bytes) == ((), True)
    assert isinstance(source, ArrayMetadata)
    assert isinstance(target, ArrayMetadata)
    names = [codec.name for codec in target.codecs if codec.name != "transpose"]
    assert names == ["numcodecs.fixedscaleoffset", "numcodecs.delta", "bytes", "numcodecs.zlib"]
    opened = reopened(3, target, chunks_of(documents, source, target))
    np.testing.assert_allclose(opened[:], values)


def test_big_endian_filters_become_native_and_bytes_big() -> None:
    """zarr-python would misread this chain: its delta takes big-endian memory for little."""
    numcodecs = pytest.importorskip("numcodecs")
    store = zarr.storage.MemoryStore()
    filters = (numcodecs.Delta(">i4"),)
    array = zarr.create_array(
        store, shape=(8,), chunks=(8,), dtype=">i4", zarr_format=2, filters=filters, compressors=None
    )
    values = np.array([3, 1, 4, 1, 5, 9, 2, 6])
    array[:] = values
    target = to_v3(read(2, stored(store))).metadata
    assert isinstance(target, ArrayMetadata)
    assert target.data_type.dtype == np.dtype("=i4")
    delta, serializer = target.codecs
    assert delta.configuration["dtype"] == "<i4"
    assert serializer.configuration == {"endian": "big"}
    flat = np.frombuffer(stored(store)["0"], ">i4").astype("<i4")
    assert (numcodecs.Delta(delta.configuration["dtype"]).decode(flat) == values).all()


@pytest.mark.parametrize("endian", ["little", "big"])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("compressor", ["zstd", "gzip", "blosc", "crc32c"])
def test_v3_chunks_are_v2_chunks(endian: str, transposed: bool, compressor: str) -> None:
    store = zarr.storage.MemoryStore()
    filters = [{"name": "transpose", "configuration": {"order": [1, 0]}}] if transposed else []
    options = {"zstd": {"level": 3, "checksum": False}, "gzip": {"level": 2}, "crc32c": None}
    blosc = {"cname": "zstd", "clevel": 3, "shuffle": "shuffle", "typesize": 4, "blocksize": 0}
    made: dict[str, Any] = {"name": compressor}
    configuration = blosc if compressor == "blosc" else options[compressor]
    if configuration:
        made["configuration"] = configuration
    array = zarr.create_array(
        store,
        shape=(7, 5),
        chunks=(3, 2),
        dtype="f4",
        filters=filters,
        serializer={"name": "bytes", "configuration": {"endian": endian}},
        compressors=[made],
        dimension_names=["y", "x"],
    )
    values = np.arange(35, dtype="f4").reshape(7, 5)
    array[:] = values
    documents = stored(store)
    source = read(3, documents)
    target, losses, same_bytes = to_v2(source)
    assert losses == ()
    assert same_bytes
    assert isinstance(source, ArrayMetadata)
    assert isinstance(target, ArrayMetadata)
    assert target.attributes["_ARRAY_DIMENSIONS"] == ["y", "x"]
    chunks = chunks_of(documents, source, target)
    assert len(chunks) == 9
    opened = reopened(2, target, chunks)
    assert opened.dtype == np.dtype("f4").newbyteorder("<" if endian == "little" else ">")
    assert (opened[:] == values).all()
    back, losses, _ = to_v3(target)
    assert losses == ()
    assert isinstance(back, ArrayMetadata)
    assert back.dimension_names == ("y", "x")
    assert [codec.name for codec in back.codecs] == [codec.name for codec in source.codecs]
