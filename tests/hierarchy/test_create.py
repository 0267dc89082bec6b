"""Making arrays: what is asked for is what is stored."""

import json

import h5py
import numcodecs
import numpy as np
import pytest
import zarr
from zarr.core.buffer import cpu

import omnizarr
from omnizarr.codecs.gzip import Gzip
from omnizarr.errors import MetadataError, NodeExistsError, NodeTypeError, UnsupportedError
from omnizarr.store import CountingStore, DirectoryStore, MemoryStore


@pytest.fixture(params=[2, 3])
def zarr_format(request):
    return request.param


def document(values):
    return json.loads(values.get("zarr.json") or values[".zarray"])


def made(zarr_format, **arguments):
    values = {}
    omnizarr.create_array(values, zarr_format=zarr_format, **{"shape": (8,), "dtype": "i4", **arguments})
    return document(values)


def test_store_operations(zarr_format):
    store = CountingStore(MemoryStore())
    omnizarr.create_array(store, shape=(4,), zarr_format=zarr_format)
    # That nothing of another format, and in v2 no group, is there is asked once.
    others = {2: {"exists": 2}, 3: {"exists": 2}}[zarr_format]
    assert store.counts == {"set_if_absent": 1, **others}


@pytest.mark.parametrize(
    ("given", "level"),
    [
        ({"name": "gzip", "configuration": {"level": 3}}, 3),
        ({"id": "gzip", "level": 4}, 4),
        (numcodecs.GZip(5), 5),
        (Gzip(6), 6),
        ([Gzip(7)], 7),
        (zarr.codecs.GzipCodec(level=8), 8),
    ],
)
def test_codecs_are_given_in_many_ways(zarr_format, given, level):
    found = made(zarr_format, compressors=given)
    if zarr_format == 3:
        assert found["codecs"][1] == {"name": "gzip", "configuration": {"level": level}}
    else:
        assert found["compressor"] == {"id": "gzip", "level": level}


def test_no_codecs(zarr_format):
    found = made(zarr_format, compressors=None, filters=None)
    if zarr_format == 3:
        assert found["codecs"] == [{"name": "bytes", "configuration": {"endian": "little"}}]
    else:
        assert found["compressor"] is None and found["filters"] is None
    assert made(zarr_format, compressors=()) == found


def test_filters_of_v2():
    found = made(2, filters=[numcodecs.Delta("i4"), numcodecs.Shuffle(4)], compressors=numcodecs.Zlib(2))
    assert [codec["id"] for codec in found["filters"]] == ["delta", "shuffle"]
    assert found["compressor"] == {"id": "zlib", "level": 2}


def test_every_option_of_a_codec_is_written(zarr_format):
    found = made(zarr_format, compressors={"name": "blosc", "configuration": {"cname": "lz4"}}, dtype="i8")
    options = found["codecs"][1]["configuration"] if zarr_format == 3 else found["compressor"]
    assert {"cname", "clevel", "shuffle", "blocksize"} <= options.keys()
    assert zarr_format == 2 or options["typesize"] == 8


def test_order(zarr_format):
    values = {}
    data = np.arange(12).reshape(3, 4)
    array = omnizarr.create_array(values, data=data, order="F", zarr_format=zarr_format, compressors=None)
    chunk = values["c/0/0"] if zarr_format == 3 else values["0.0"]
    assert np.frombuffer(chunk, data.dtype).tolist() == data.ravel("F").tolist()
    assert (array[:] == data).all()
    assert (zarr.open_array(zarr_memory(values), mode="r")[:] == data).all()


def zarr_memory(values):
    buffers = {key: cpu.Buffer.from_bytes(bytes(value)) for key, value in values.items()}
    return zarr.storage.MemoryStore(buffers)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, {2: "0.0", 3: "c/0/0"}),
        ("/", {2: "0/0", 3: "c/0/0"}),
        (".", {2: "0.0", 3: "c.0.0"}),
        ({"name": "v2", "separator": "/"}, {2: "0/0", 3: "0/0"}),
        ({"name": "v2", "configuration": {"separator": "."}}, {2: "0.0", 3: "0.0"}),
        (("v2", "/"), {2: "0/0", 3: "0/0"}),
    ],
)
def test_chunk_keys(zarr_format, given, expected):
    values = {}
    omnizarr.create_array(values, data=np.ones((2, 2)), chunk_key_encoding=given, zarr_format=zarr_format)
    assert expected[zarr_format] in values


def test_shards():
    found = made(3, shape=(100, 100), chunks=(10, 5), shards=(50, 20), filters=None)
    assert found["chunk_grid"]["configuration"]["chunk_shape"] == [50, 20]
    (codec,) = found["codecs"]
    assert codec["name"] == "sharding_indexed" and codec["configuration"]["chunk_shape"] == [10, 5]
    start = made(3, shape=(100, 100), chunks=10, shards={"shape": (50, 20), "index_location": "start"})
    assert start["codecs"][0]["configuration"]["index_location"] == "start"
    array = omnizarr.create_array(shape=(4000, 4000), dtype="f8", shards="auto")
    assert all(s % c == 0 for s, c in zip(array.shards, array.chunks, strict=True))
    array[:10, :10] = 3
    assert array[5, 5] == 3 and array[11, 11] == 0


def test_rectilinear_chunks():
    array = omnizarr.create_array(data=np.arange(50).reshape(5, 10), chunks=[[2, 3], 4])
    assert array[3].tolist() == list(range(30, 40))
    assert array.metadata.grid.chunk_shapes == ((2, 3), 4)
    with pytest.raises(MetadataError, match="Zarr v2 has chunks of one shape"):
        omnizarr.create_array(shape=(5, 10), chunks=[[2, 3], 4], zarr_format=2)


@pytest.mark.parametrize(
    ("dtype", "values"),
    [
        ("?", [True, False]),
        ("<u2", [1, 65535]),
        (">i4", [-5, 7]),
        ("f2", [0.5, np.inf]),
        ("c16", [1 + 2j, 0]),
        ("M8[ms]", ["2020-01-01", "NaT"]),
        ("m8[s]", [5, 6]),
        ("S3", [b"abc", b""]),
        ("U2", ["äb", ""]),
        ("V2", [b"\1\2", b"\0\0"]),
        ([("a", "i2"), ("b", "f8")], [(1, 2.5), (3, np.nan)]),
    ],
)
def test_data_types(zarr_format, dtype, values):
    data = np.array(values, dtype)
    array = omnizarr.create_array(data=data, zarr_format=zarr_format)
    found = omnizarr.open_array(array.store)[:]
    assert found.dtype == (data.dtype if zarr_format == 2 else data.dtype.newbyteorder("="))
    assert found.tobytes() == data.astype(found.dtype).tobytes()


@pytest.mark.parametrize("dtype", [str, "string", np.dtypes.StringDType(), None])
def test_strings(zarr_format, dtype):
    data = np.array(["", "ä", "long" * 100], dtype=object)
    array = omnizarr.create_array(data=data, dtype=dtype, zarr_format=zarr_format)
    assert omnizarr.open_array(array.store)[:].tolist() == data.tolist()
    assert array.metadata.data_type.name == "string"


def test_objects(zarr_format):
    data = np.array([b"", b"\xff"], dtype=object)
    array = omnizarr.create_array(data=data, zarr_format=zarr_format)
    assert array[:].tolist() == [b"", b"\xff"]
    with pytest.raises(MetadataError, match="found dict, str"):
        omnizarr.create_array(data=np.array(["x", {}], dtype=object), zarr_format=zarr_format)


def test_object_codecs_of_v2():
    data = np.array([{"a": 1}, [2]], dtype=object)
    array = omnizarr.create_array(data=data, filters=[numcodecs.JSON()], zarr_format=2)
    assert array[:].tolist() == [{"a": 1}, [2]]
    found = made(2, dtype=object, filters=[numcodecs.VLenUTF8()])
    assert found["dtype"] == "|O" and found["filters"] == [{"id": "vlen-utf8"}]


def test_fill_values(zarr_format):
    assert omnizarr.create_array(shape=2, dtype="f4", zarr_format=zarr_format).fill_value == 0
    assert omnizarr.create_array(shape=2, fill_value=np.nan, zarr_format=zarr_format)[:].tolist() != [0, 0]
    undefined = omnizarr.create_array(shape=2, dtype="i4", fill_value=None, zarr_format=zarr_format)
    assert undefined.fill_value == (None if zarr_format == 2 else 0)
    with pytest.raises(MetadataError, match="fill_value: 'x' does not fit the data type int8"):
        omnizarr.create_array(shape=2, dtype="i1", fill_value="x", zarr_format=zarr_format)


def test_groups_above_are_made(tmp_path, zarr_format):
    omnizarr.create_array(tmp_path, name="a/b/c", shape=1, zarr_format=zarr_format, attributes={"n": 1})
    assert [path for path, _ in omnizarr.open_group(tmp_path).members(None)] == ["a", "a/b", "a/b/c"]
    with pytest.raises(NodeTypeError, match=r"an array can hold no other nodes.*'/a/b/c'"):
        omnizarr.create_array(tmp_path, name="a/b/c/d/e", shape=1)
    # A new node takes the format of the group that it is made in, unless told otherwise.
    assert omnizarr.create_array(tmp_path, name="a/new", shape=1).zarr_format == zarr_format
    assert omnizarr.create_group(tmp_path, path="x/y").zarr_format == zarr_format


def test_overwrite(tmp_path, zarr_format):
    array = omnizarr.create_array(tmp_path, data=np.arange(9), chunks=2, zarr_format=zarr_format)
    with pytest.raises(NodeExistsError, match="an array is there already; overwrite=True"):
        omnizarr.create_array(tmp_path, shape=3, zarr_format=zarr_format)
    assert array[8] == 8
    again = omnizarr.create_array(tmp_path, shape=9, dtype="i8", zarr_format=zarr_format, overwrite=True)
    assert again[:].tolist() == [0] * 9


def test_nothing_is_stored_when_an_argument_is_wrong(tmp_path, zarr_format):
    store = DirectoryStore(tmp_path / "x")
    faulty = [
        (
            {"compressors": {"name": "gzip", "configuration": {"level": 12}}},
            MetadataError,
            r"level: expected 0",
        ),
        ({"compressors": {"name": "frob"}}, UnsupportedError, "unknown codec 'frob'"),
        ({"compressors": 42}, TypeError, "expected a codec"),
        (
            {"filters": [{"name": "transpose", "configuration": {"order": [0, 1]}}]},
            MetadataError,
            "transpose",
        ),
        ({"chunks": (2, 2)}, ValueError, "chunks: expected at most 1"),
        ({"chunks": 0}, ValueError, r"chunks\[0\]: expected at least 1"),
        ({"chunks": "large"}, ValueError, "expected 'auto'"),
        ({"chunks": 2.5}, TypeError, "expected a whole number"),
        ({"chunks": [[3, 3]]}, ValueError, "cover 6 of 8"),
        ({"shards": 3, "chunks": 2}, (ValueError, MetadataError), "shards"),
        ({"shape": -1}, ValueError, "shape: expected lengths of at least 0"),
        ({"shape": "ab"}, TypeError, "shape: expected whole numbers"),
        ({"dtype": "nonsense"}, MetadataError, "nonsense"),
        ({"dtype": object}, MetadataError, "object does not say"),
        ({"attributes": {"a": object()}}, TypeError, "attribute 'a'"),
        ({"order": "K"}, ValueError, "order: expected 'C' or 'F'"),
        ({"dimension_names": ["a", "b"]}, MetadataError, "dimension_names"),
        ({"dimension_names": [3]}, MetadataError, "dimension_names"),
        ({"chunk_key_encoding": "v9"}, MetadataError, "v9"),
        ({"nonsense": 1}, TypeError, "nonsense"),
        ({"config": {"nonsense": 1}}, TypeError, "nonsense"),
    ]
    for arguments, error, message in faulty:
        with pytest.raises(error, match=message):
            omnizarr.create_array(store, zarr_format=zarr_format, **{"shape": 8, "dtype": "i4", **arguments})
    with pytest.raises(TypeError, match="expected a shape or data"):
        omnizarr.create_array(store)
    assert list(store.list_prefix()) == []


def test_write_empty_chunks(zarr_format):
    for asked in ({"write_empty_chunks": True}, {"config": {"write_empty_chunks": True}}):
        values = {}
        omnizarr.create_array(values, data=np.zeros(4), chunks=2, zarr_format=zarr_format, **asked)
        assert len(values) == 3
    values = {}
    omnizarr.create_array(values, data=np.zeros(4), chunks=2, zarr_format=zarr_format)
    assert len(values) == 1


def test_data_that_is_not_written():
    array = omnizarr.create_array(data=np.ones(3), write_data=False)
    assert array.shape == (3,) and array[:].tolist() == [0, 0, 0]


@pytest.mark.parametrize("kind", ["numpy", "list", "dask", "zarr", "omnizarr", "h5py"])
def test_from_array(kind, zarr_format, tmp_path):
    data = np.arange(60, dtype="i2").reshape(6, 10)
    given, chunks = source(kind, data, tmp_path)
    array = omnizarr.from_array(data=given, zarr_format=zarr_format)
    assert (array[:] == data).all()
    if kind not in ("numpy", "list"):
        assert array.chunks == chunks and array.dtype == "i2"
    again = omnizarr.from_array(data=given, chunks=(5, 5), compressors=None, zarr_format=zarr_format)
    assert again.chunks == (5, 5) and again.compressors == () and (again[:] == data).all()


class Lazy:
    """What dask's arrays look like: sizes of chunks along each axis, and slices that are computed later."""

    def __init__(self, values, chunks):
        self._values = values
        self.shape, self.dtype, self.chunks = values.shape, values.dtype, chunks

    def __getitem__(self, place):
        return Lazy(self._values[place], ())

    def __array__(self, dtype=None, copy=None):
        return self._values


def source(kind, data, tmp_path):
    if kind == "dask":
        return Lazy(data, ((4, 2), (3, 3, 3, 1))), (4, 3)
    if kind == "zarr":
        return zarr.create_array({}, data=data, chunks=(4, 3)), (4, 3)
    if kind == "omnizarr":
        return omnizarr.create_array(data=data, chunks=(4, 3)), (4, 3)
    if kind == "h5py":
        file = h5py.File.in_memory()
        return file.create_dataset("x", data=data, chunks=(4, 3)), (4, 3)
    return (data if kind == "numpy" else data.tolist()), None


def test_from_array_keeps_what_the_other_has():
    first = omnizarr.create_array(
        data=np.arange(64.0),
        chunks=4,
        shards=16,
        compressors=Gzip(3),
        dimension_names=["x"],
        fill_value=-1,
    )
    again = omnizarr.from_array(data=first)
    assert again.metadata == first.metadata and again[:].tolist() == first[:].tolist()
    second = omnizarr.from_array(data=first, zarr_format=2)
    assert second.chunks == (4,) and second.fill_value == -1 and second[:].tolist() == first[:].tolist()


def test_uneven_dask_chunks_stay_as_they_are():
    array = omnizarr.from_array(data=Lazy(np.arange(10), ((2, 5, 3),)))
    assert array.chunks == ((2, 5, 3),) and array[:].tolist() == list(range(10))
    empty = omnizarr.from_array(data=Lazy(np.zeros((0, 4)), ((0,), (2, 2))))
    assert empty.shape == (0, 4)


def test_likes(zarr_format):
    first = omnizarr.create_array(data=np.arange(8.0), chunks=4, zarr_format=zarr_format, fill_value=7)
    assert omnizarr.empty_like(first).chunks == (4,) and omnizarr.empty_like(first).fill_value == 7
    assert omnizarr.zeros_like(first)[:].tolist() == [0] * 8
    assert omnizarr.ones_like(np.zeros(2, "u1"))[:].tolist() == [1, 1]
    assert omnizarr.full_like(first, 3, dtype="i2").dtype == "i2"
    assert omnizarr.zeros(3)[:].tolist() == [0, 0, 0] and omnizarr.ones((1, 2), dtype="?")[0, 1]
    assert omnizarr.full(2, 5)[:].tolist() == [5, 5] and omnizarr.empty(4, dtype=str).shape == (4,)
    store = MemoryStore()
    assert omnizarr.open_like(first, store) == omnizarr.open_like(first, store)
    assert omnizarr.open_array(store).shape == (8,)


def test_older_names():
    array = omnizarr.create(
        (4, 4), chunks=2, dtype="i4", compressor=None, zarr_format=2, dimension_separator="/"
    )
    array[:] = 1
    assert array.store.exists("0/0") and array.compressors == ()
    assert omnizarr.array([1, 2, 3]).dtype == "i8"
    assert omnizarr.group(attributes={"a": 1}).attrs["a"] == 1


def test_hierarchies(zarr_format):
    array = omnizarr.create_array(shape=(2,), zarr_format=zarr_format).metadata
    group = omnizarr.create_group(zarr_format=zarr_format, attributes={"n": 1}).metadata
    store = MemoryStore()
    made = dict(
        omnizarr.create_hierarchy(store=store, nodes={"a/x": array, "": group}, zarr_format=zarr_format)
    )
    assert set(made) == {"", "a/x"} and omnizarr.open_group(store).attrs["n"] == 1
    assert omnizarr.open_array(store, path="a/x").shape == (2,)
    with pytest.raises(NodeTypeError, match="an array can hold no other nodes"):
        dict(omnizarr.create_hierarchy(store={}, nodes={"": array, "x": array}, zarr_format=zarr_format))
