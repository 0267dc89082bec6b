"""Arrays that others wrote, read through the whole stack, and ours read by them."""

import itertools
import json
import struct

import google_crc32c
import numcodecs
import numpy as np
import pytest
import tensorstore
import zarr

import omnizarr
from omnizarr.errors import CodecError, ConversionError, MetadataError, UnsupportedError
from omnizarr.store import MemoryStore

pytestmark = pytest.mark.filterwarnings(
    "ignore::zarr.errors.UnstableSpecificationWarning", "ignore::zarr.errors.ZarrUserWarning"
)

DTYPES = [
    *("?", "i1", ">i2", "<i8", "u1", ">u4", "<f2", ">f4", "<f8", "<c8", ">c16"),
    *("S1", "S7", "<U5", ">U5", "V3", "<M8[ns]", ">M8[25us]", "<M8[Y]", ">m8[h]", "<m8[as]"),
    [("a", "<i4"), ("b", "<f8")],
    [("a", "S3"), ("b", "<U2"), ("c", "?")],
    [("a", [("x", "<i2"), ("y", "<f4")]), ("z", "u1")],
    [("t", "<M8[ns]"), ("v", "u1")],
]


def some(dtype, shape=(7, 5), seed=0):
    """Return values of any bits that the type may have."""
    dtype = np.dtype(dtype)
    rng = np.random.default_rng(seed)
    if dtype.names is not None:
        result = np.zeros(shape, dtype)
        for name in dtype.names:
            result[name] = some(dtype[name].base, shape + dtype[name].shape, seed + 1)
        return result
    if dtype.kind in "USb":
        return np.asarray(rng.integers(0, 2 if dtype.kind == "b" else 1000, shape)).astype(dtype)
    if dtype.kind in "fcmM":
        return np.asarray(rng.integers(-1000, 1000, shape)).astype(dtype)
    return np.frombuffer(rng.bytes(int(np.prod(shape)) * dtype.itemsize), dtype).reshape(shape)


def fields_of(dtype):
    return [dtype[name] for name in dtype.names or ()]


def documents_of(array):
    return {"zarr_format": 2, "compressor": None, "filters": None, "order": "C", "fill_value": None} | array


def v2_array(path, stored=(), /, **document):
    """Write a v2 array by hand, and open it."""
    path.mkdir(parents=True, exist_ok=True)
    (path / ".zarray").write_text(json.dumps(documents_of(document)))
    for key, value in dict(stored).items():
        (path / key).write_bytes(value)
    return omnizarr.open_array(path, mode="r+")


@pytest.mark.parametrize("zarr_format, order", [(2, "C"), (2, "F"), (3, "C")])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_type_of_zarr_python(tmp_path, dtype, zarr_format, order):
    for shape, chunks in (((7, 5), (3, 2)), ((), ()), ((0, 4), (1, 4))):
        data = some(dtype, shape)
        options = {"shape": shape, "chunks": chunks, "dtype": data.dtype, "zarr_format": zarr_format}
        if zarr_format == 2:
            options["order"] = order
        # Uncompressed: numcodecs does not take structures with times from it.
        place = tmp_path / f"theirs{len(shape)}{shape[:1]}"
        theirs = zarr.create_array(place, compressors=None, **options)
        theirs[...] = data
        ours = omnizarr.open_array(place, mode="r")
        expected = data.dtype if zarr_format == 2 else data.dtype.newbyteorder("=")
        assert ours.dtype == expected and np.asarray(ours[...]).astype(data.dtype).tobytes() == data.tobytes()
        assert np.asarray(ours.fill_value).tobytes() == np.asarray(theirs.fill_value).tobytes()
        made = omnizarr.create_array(tmp_path / "ours", overwrite=True, **options)
        made[...] = data
        if data.dtype.kind == "V" and (zarr_format == 3 or any(kind.names for kind in fields_of(data.dtype))):
            continue  # zarr-python has other names for them, and reads no nested structures
        found = np.asarray(zarr.open_array(tmp_path / "ours", mode="r")[...])
        assert found.astype(data.dtype).tobytes() == data.tobytes()


def test_structures_of_zarr_python_are_little(tmp_path):
    """It writes `bytes` without `endian` for them."""
    data = np.array([(1, 2.5), (3, -1)], [("a", "<i4"), ("b", "<f8")])
    zarr.create_array(tmp_path, data=data, zarr_format=3)
    document = json.loads((tmp_path / "zarr.json").read_text())
    assert document["codecs"][0] == {"name": "bytes"}
    array = omnizarr.open_array(tmp_path, mode="r+")
    assert array[...].tolist() == data.tolist()
    array[0] = (7, 0.5)
    assert zarr.open_array(tmp_path)[...].tolist() == [(7, 0.5), (3, -1)]
    array.attrs["n"] = 1
    assert json.loads((tmp_path / "zarr.json").read_text())["codecs"] == document["codecs"]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("fields", [[["z", "<f4", [2, 2]]], [["z", [["q", ">i2", [3]]], [2]], ["w", "<c16"]]])
def test_structures_with_arrays(tmp_path, fields, order):
    dtype = np.dtype([tuple(f) if len(f) == 2 else (f[0], _type(f[1]), tuple(f[2])) for f in fields])
    data = some(dtype, (4, 3))
    array = v2_array(
        tmp_path,
        {"0.0": np.asarray(data, order=order).tobytes(order)},
        shape=[4, 3],
        chunks=[4, 3],
        dtype=fields,
        order=order,
    )
    assert array.dtype == dtype and array[...].tobytes() == data.tobytes()
    array[1:3, 2] = data[0, :2]
    data = data.copy()
    data[1:3, 2] = data[0, :2]
    assert (tmp_path / "0.0").read_bytes() == data.tobytes(order)


def test_arrays_in_structures_are_for_v2_alone(tmp_path):
    data = np.zeros(2, [("a", [("b", "<i2", (2,))])])
    with pytest.raises(ConversionError, match="Zarr v3 has no fields that are arrays"):
        omnizarr.create_array(tmp_path / "a", data=data, zarr_format=3)
    assert not (tmp_path / "a" / "zarr.json").exists()
    with pytest.raises(MetadataError, match=r"dtype: expected a type of single elements, found arrays"):
        omnizarr.create_array(tmp_path / "b", shape=3, dtype=np.dtype(("i4", (2,))))


def _type(kind):
    return kind if isinstance(kind, str) else [(n, t, tuple(s)) for n, t, s in kind]


COMPRESSORS = [
    None,
    numcodecs.Zlib(3),
    numcodecs.GZip(2),
    numcodecs.BZ2(1),
    numcodecs.LZMA(preset=1),
    numcodecs.LZ4(),
    numcodecs.Zstd(3, checksum=True),
    numcodecs.Blosc("lz4", shuffle=-1),
    numcodecs.Blosc("zstd", shuffle=2),
]
FILTERS = {
    "i": ["Delta", "AsType"],
    "u": ["Delta"],
    "f": ["Delta", "FixedScaleOffset", "Quantize", "AsType"],
    "b": ["PackBits"],
}
CHECKSUMS = [
    numcodecs.CRC32(),
    numcodecs.CRC32(location="end"),
    numcodecs.CRC32C(),
    numcodecs.Adler32(),
    numcodecs.Fletcher32(),
    numcodecs.JenkinsLookup3(),
]


def filter_of(name, dtype):
    options = {
        "FixedScaleOffset": {"offset": 3, "scale": 10, "astype": ">i4"},
        "Quantize": {"digits": 1},
        "AsType": {"encode_dtype": "<f8"},
    }.get(name, {})
    named = "decode_dtype" if name == "AsType" else "dtype"
    return getattr(numcodecs, name)(**options, **({} if name == "PackBits" else {named: dtype}))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["<i4", ">i4", "<f4", ">f8", "<u2", "|b1"])
def test_every_v2_codec(tmp_path, dtype, order):
    data = np.arange(35).reshape(7, 5).astype(dtype)
    size = data.dtype.itemsize
    filters = [[filter_of(name, dtype)] for name in FILTERS[data.dtype.kind]]
    filters += [[check] for check in CHECKSUMS] if data.dtype.kind != "b" else []
    filters += [[*filters[0], numcodecs.Shuffle(size)]] if data.dtype.kind != "b" else []
    chains = [([], compressor) for compressor in COMPRESSORS]
    chains += [(chain, compressor) for chain in filters for compressor in (None, numcodecs.Zlib(1))]
    options = {"shape": (7, 5), "chunks": (3, 2), "dtype": dtype, "order": order, "zarr_format": 2}
    for number, (chain, compressor) in enumerate(chains):
        codecs = {"filters": chain or None, "compressors": compressor}
        theirs = zarr.create_array(tmp_path / f"{number}a", **options, **codecs)
        theirs[...] = data
        ours = omnizarr.create_array(tmp_path / f"{number}b", **options, **codecs)
        ours[...] = data
        expected = theirs[...].tolist()
        assert omnizarr.open_array(tmp_path / f"{number}a")[...].tolist() == expected, codecs
        assert zarr.open_array(tmp_path / f"{number}b")[...].tolist() == expected, codecs


OBJECTS = {
    "vlen-utf8": (numcodecs.VLenUTF8(), ["a", "", "héllo", "x\0y", "日本", "z"]),
    "vlen-bytes": (numcodecs.VLenBytes(), [b"a", b"", b"\0", b"xyz", b"q", b"\xff"]),
    "json2": (numcodecs.JSON(), ["a", 1, None, {"k": [1, 2]}, [1, [2]], 2.5]),
    "msgpack2": (numcodecs.MsgPack(), ["a", 1, None, {"k": [1, 2]}, b"b", 2.5]),
    "categorize": (numcodecs.Categorize(["x", "y"], dtype=object), ["x", "y", "x", "x", "y", "y"]),
    "vlen-array": (numcodecs.VLenArray(">f8"), [np.arange(n, dtype=">f8") for n in (3, 0, 1, 2, 5, 1)]),
}


def alike(one, other):
    pairs = zip(one.flat, other.flat, strict=True)
    return all(
        np.array_equal(a, b) if isinstance(a, np.ndarray) else (a, type(a)) == (b, type(b)) for a, b in pairs
    )


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("name", OBJECTS)
def test_objects_as_numcodecs_writes_them(tmp_path, name, order):
    codec, items = OBJECTS[name]
    data = np.empty((2, 3), object)
    for place, item in zip(np.ndindex(2, 3), items, strict=True):
        data[place] = item
    encoded = codec.encode(np.asfortranarray(data) if order == "F" else data)
    options = {"shape": [2, 3], "chunks": [2, 3], "dtype": "|O", "order": order}
    array = v2_array(tmp_path, {"0.0": bytes(encoded)}, filters=[codec.get_config()], **options)
    assert alike(array[...], data)
    (tmp_path / "0.0").unlink()
    array[...] = data
    assert (tmp_path / "0.0").read_bytes() == bytes(encoded)
    made = omnizarr.create_array(
        tmp_path / "made", shape=(2, 3), filters=[codec], dtype=object, order=order, zarr_format=2
    )
    made[...] = data
    again = omnizarr.open_array(tmp_path / "made")[...]
    assert alike(again, data)


@pytest.mark.parametrize(
    "dtype, codec, expected",
    [
        ("<f8", None, 0.0),
        ("<U3", None, ""),
        ("|S3", None, b""),
        ("<M8[D]", None, np.datetime64("NaT")),
        ("|O", "vlen-utf8", ""),
        ("|O", "vlen-bytes", b""),
        ("|O", "json2", None),
    ],
)
def test_undefined_fill_values(tmp_path, dtype, codec, expected):
    filters = None if codec is None else [{"id": codec}]
    array = v2_array(tmp_path, shape=[4], chunks=[2], dtype=dtype, filters=filters)
    assert array.fill_value is None and array[0] is not array
    np.testing.assert_array_equal(array[...], np.full(4, expected, array.dtype))
    assert not list(tmp_path.glob("[0-9]"))


def test_a_fill_value_that_is_a_list(tmp_path):
    array = v2_array(
        tmp_path, shape=[3], chunks=[2], dtype="|O", filters=[{"id": "json2"}], fill_value=[1, 2]
    )
    assert array[...].tolist() == [[1, 2]] * 3
    array[0] = "x"
    assert array[...].tolist() == ["x", [1, 2], [1, 2]]


def test_every_fault_of_a_v2_array_with_its_place(tmp_path):
    with pytest.raises(MetadataError) as caught:
        v2_array(
            tmp_path,
            shape=["x"],
            chunks=[2],
            dtype="<i4",
            order="F",
            filters=[{"id": "shuffle", "elementsize": -1}, {"id": "nope"}, 5],
            compressor={"id": "zlib", "level": 12},
        )
    assert [str(problem) for problem in caught.value.problems] == [
        '.zarray.shape[0]: expected an integer of at least 0, found "x"',
        ".zarray.filters[2]: expected an object, found 5",
        ".zarray.filters[0].elementsize: expected an integer of at least 0, found -1",
        ".zarray.filters[1]: unknown codec 'numcodecs.nope'",
        ".zarray.compressor.level: expected -1 to 9, found 12",
    ]
    with pytest.raises(UnsupportedError, match=r"\.zarray\.compressor: unknown codec 'numcodecs\.nope'"):
        v2_array(tmp_path, shape=[2], chunks=[2], dtype="<i4", compressor={"id": "nope"})


# --- sharding

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
BIG = {"name": "bytes", "configuration": {"endian": "big"}}
GZIP = {"name": "gzip", "configuration": {"level": 1}}


def v3_store(codecs, shape=(8, 6), chunk=(8, 6), dtype="int32", **changes):
    document = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": shape,
        "data_type": dtype,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunk}},
        "chunk_key_encoding": {"name": "default"},
        "fill_value": 7,
        "codecs": codecs,
    }
    store = MemoryStore()
    store.set("zarr.json", json.dumps(document | changes).encode())
    return store


def sharding(chunk, codecs, location="end", index=(LITTLE, {"name": "crc32c"})):
    configuration = {
        "chunk_shape": chunk,
        "codecs": codecs,
        "index_codecs": index,
        "index_location": location,
    }
    return {"name": "sharding_indexed", "configuration": configuration}


def transpose(*order):
    return {"name": "transpose", "configuration": {"order": order}}


SHARDED = {
    "start": [sharding([4, 3], [LITTLE, GZIP], "start")],
    "big index without a checksum": [sharding([4, 3], [LITTLE], index=[BIG])],
    "turned index": [sharding([4, 3], [LITTLE], index=[transpose(2, 1, 0), LITTLE, {"name": "crc32c"}])],
    "nested": [sharding([4, 6], [sharding([2, 3], [LITTLE, GZIP], "start")])],
    "nested twice": [sharding([8, 6], [sharding([4, 6], [sharding([2, 3], [LITTLE])], "start")], "start")],
    "turned within": [sharding([4, 3], [transpose(1, 0), LITTLE, GZIP])],
    "turned before": [transpose(1, 0), sharding([3, 4], [LITTLE, GZIP])],
    "checked after": [sharding([4, 3], [LITTLE]), {"name": "crc32c"}],
    "compressed after": [sharding([4, 3], [LITTLE, GZIP], "start"), GZIP],
    "all of it": [
        transpose(1, 0),
        sharding([6, 4], [transpose(1, 0), sharding([2, 3], [LITTLE]), {"name": "crc32c"}], "start"),
        {"name": "crc32c"},
    ],
}


@pytest.mark.parametrize("name", SHARDED)
def test_shards_of_every_shape(tmp_path, name):
    rng = np.random.default_rng(5)
    array = omnizarr.open_array(v3_store(SHARDED[name], shape=[16, 11]), mode="r+")
    expected = np.full((16, 11), 7, "i4")
    for turn in range(15):
        place = tuple(slice(*sorted(rng.integers(0, n + 1, 2).tolist())) for n in (16, 11))
        expected[place] = array[place] = 7 if turn % 3 == 0 else turn
        np.testing.assert_array_equal(array[...], expected)
        place = tuple(slice(*sorted(rng.integers(0, n + 1, 2).tolist()), 2) for n in (16, 11))
        np.testing.assert_array_equal(array[place], expected[place])
    for key, value in array.store.mapping().items():
        (tmp_path / key).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / key).write_bytes(value)
    if SHARDED[name][0]["name"] == "sharding_indexed":
        np.testing.assert_array_equal(zarr.open_array(tmp_path, mode="r")[...], expected)
    if len(SHARDED[name]) == 1 or name == "turned before":
        spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": str(tmp_path)}}
        np.testing.assert_array_equal(tensorstore.open(spec).result().read().result(), expected)


def shard(chunks, order, location, gap):
    """Return a shard with these chunks in this order, and bytes that belong to nothing between them."""
    start = 16 * len(chunks) + 4 if location == "start" else 0
    index, body = [(2**64 - 1, 2**64 - 1)] * len(chunks), b""
    for i in order:
        body += gap
        index[i] = (start + len(body), len(chunks[i]))
        body += chunks[i]
    encoded = b"".join(struct.pack("<QQ", *entry) for entry in index)
    encoded += struct.pack("<I", google_crc32c.value(encoded))
    return encoded + body + gap if start else body + gap + encoded


@pytest.mark.parametrize("location", ["start", "end"])
@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 1, 0, 2], [2, 0], []])
@pytest.mark.parametrize("gap", [b"", b"between chunks"])
def test_shards_written_by_hand(location, order, gap):
    blocks = [np.full((4, 3), i, "<i4") for i in range(4)]
    expected = np.full((8, 6), 7, "i4")
    for i, (row, column) in enumerate(itertools.product((0, 4), (0, 3))):
        expected[row : row + 4, column : column + 3] = i if i in order else 7
    store = v3_store([sharding([4, 3], [LITTLE], location)])
    store.set("c/0/0", shard([block.tobytes() for block in blocks], order, location, gap))
    array = omnizarr.open_array(store, mode="r+")
    np.testing.assert_array_equal(array[...], expected)
    np.testing.assert_array_equal(array[3:5, 2:4], expected[3:5, 2:4])
    assert array[5, 5] == expected[5, 5]
    expected[0, 0] = array[0, 0] = 99
    np.testing.assert_array_equal(omnizarr.open_array(store)[...], expected)


@pytest.mark.parametrize("damage", [lambda d: b"", lambda d: d[:-3], lambda d: d[8:], lambda d: d[:40]])
def test_damaged_shards(damage):
    blocks = [bytes(48)] * 4
    store = v3_store([sharding([4, 3], [LITTLE])])
    store.set("c/0/0", damage(shard(blocks, [0, 1, 2, 3], "end", b"")))
    array = omnizarr.open_array(store, mode="r+")
    before = store.get("c/0/0")
    for attempt in (lambda: array[...], lambda: array.__setitem__((0, 0), 1)):
        with pytest.raises(CodecError, match=r"codec .*node '/', key 'c/0/0'"):
            attempt()
    assert store.get("c/0/0") == before


def test_every_fault_of_a_v3_array_with_its_place():
    gzip12 = {"name": "gzip", "configuration": {"level": 12}}
    codecs = [sharding([3, 3], [LITTLE, gzip12], index=[LITTLE, gzip12]), gzip12]
    with pytest.raises(MetadataError) as caught:
        omnizarr.open_array(v3_store(codecs, shape=[-1, 6], attributes=[], storage_transformers=["x"]))
    level = "configuration.level: expected 0 to 9, found 12"
    assert [str(problem) for problem in caught.value.problems] == [
        "shape[0]: expected an integer of at least 0, found -1",
        'storage_transformers[0]: expected a name of a-z, 0-9, -, _ and . or a URI, found "x"',
        "attributes: expected an object, found []",
        f"codecs[1].{level}",
        "codecs[0].configuration.chunk_shape[0]: expected a divisor of the shard's 8, found 3",
        f"codecs[0].configuration.codecs[1].{level}",
        f"codecs[0].configuration.index_codecs[1].{level}",
    ]
    with pytest.raises(MetadataError, match=r"^codecs: expected one codec at least, [^;]*$"):
        omnizarr.open_array(v3_store([]))
