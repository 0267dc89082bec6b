"""Arrays of the registered types, through every part of the engine, and read by other libraries."""

import json
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import tensorstore
import zarrista
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from zarrista.store import FilesystemStore

from omnizarr import create_array, open_array
from omnizarr.errors import ConversionError, MetadataError
from omnizarr.metadata.dtype_bits import bits_of, settle
from omnizarr.metadata.dtype_small import SMALL
from omnizarr.metadata.fill import as_fill
from omnizarr.metadata.small_names import COMPLEX, FLOATS, INTEGERS
from omnizarr.store import MemoryStore

REALS = (*INTEGERS, *FLOATS)
ALL = (*REALS, *COMPLEX)
# What each library refuses to open.
NOT_ZARRISTA = {"float8_e4m3fn", "complex_float8_e4m3fn"}
NOT_TENSORSTORE = {"uint2", "uint4", "float6_e2m3fn", "float6_e3m2fn", "float8_e4m3", *COMPLEX}
ZSTD = {"name": "zstd", "configuration": {"level": 1, "checksum": False}}


def every_value(name: str, length: int | None = None) -> NDArray[Any]:
    """Return every bit pattern of a byte, or many of more bytes; 256 elements."""
    dtype = SMALL[name].dtype
    memory = np.random.default_rng(0).integers(0, 256, 256 * dtype.itemsize, np.uint8)
    memory[:256] = np.arange(256)
    return settle(memory.view(dtype).copy())[:length]


def serializer(name: str, endian: str = "little") -> Any:
    return {"name": "bytes", "configuration": {"endian": endian}}


def same(found: Any, expected: NDArray[Any]) -> bool:
    return bool(found.shape == expected.shape and found.tobytes() == expected.tobytes())


@pytest.mark.parametrize("endian", ["little", "big"])
@pytest.mark.parametrize("name", ALL)
def test_other_libraries_read_ours(name: str, endian: str, tmp_path: Path) -> None:
    values = every_value(name)
    create_array(
        tmp_path,
        shape=(256,),
        chunks=(100,),
        dtype=name,
        serializer=serializer(name, endian),
        compressors=ZSTD,
    )[...] = values
    assert same(open_array(tmp_path)[...], values)
    if name in NOT_ZARRISTA:
        with pytest.raises(Exception, match="not supported"):
            zarrista.Array.open(FilesystemStore(tmp_path), "/")
    else:
        found: Any = zarrista.Array.open(FilesystemStore(tmp_path), "/").retrieve_array_subset(...)
        assert bytes(found.buffer()) == values.tobytes()
    spec = {"driver": "zarr3", "kvstore": f"file://{tmp_path}"}
    if name in NOT_TENSORSTORE:
        with pytest.raises(Exception, match=r"data.type"):
            tensorstore.open(spec).result()
    else:
        assert same(tensorstore.open(spec).result().read().result(), values)


@pytest.mark.parametrize("name", sorted(set(ALL) - NOT_ZARRISTA))
def test_we_read_zarrista(name: str, tmp_path: Path) -> None:
    values = every_value(name)
    fill = [1.0, 1.0] if name in COMPLEX else 1.0 if name in FLOATS else 1
    document: Any = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [300],
        "data_type": name,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [128]}},
        "chunk_key_encoding": {"name": "default"},
        "fill_value": fill,
        "codecs": [serializer(name, "big"), {"name": "gzip", "configuration": {"level": 1}}],
    }
    array: Any = zarrista.Array.from_metadata(document, FilesystemStore(tmp_path), "/")
    array.store_metadata()
    array.store_array_subset(slice(0, 256), zarrista.ArrayBytes(values.tobytes()))
    ours = open_array(tmp_path)
    assert same(ours[:256], values)
    filled = as_fill(complex(*fill) if isinstance(fill, list) else fill, SMALL[name])
    assert ours[256:].tobytes() == 44 * filled.tobytes()


@pytest.mark.parametrize("name", sorted(set(ALL) - NOT_TENSORSTORE))
def test_we_read_tensorstore(name: str, tmp_path: Path) -> None:
    values = every_value(name)
    theirs = tensorstore.open(
        {"driver": "zarr3", "kvstore": f"file://{tmp_path}"},
        create=True,
        dtype=getattr(tensorstore, name),
        shape=[300],
    ).result()
    assert open_array(tmp_path).fill_value.tobytes() == bytes(theirs.dtype.numpy_dtype.itemsize)
    theirs[:256] = values
    assert same(open_array(tmp_path)[:256], values)


CHAINS: list[dict[str, Any]] = [
    {},
    {"compressors": None},
    {
        "compressors": [
            {"name": "blosc", "configuration": {"cname": "lz4", "clevel": 1, "shuffle": "bitshuffle"}}
        ]
    },
    {"compressors": [{"name": "gzip", "configuration": {"level": 1}}, {"name": "crc32c"}]},
    {"filters": [{"name": "transpose", "configuration": {"order": [1, 0]}}], "compressors": None},
    {"shards": (6, 8), "compressors": ZSTD},
    {
        "shards": (6, 8),
        "compressors": None,
        "filters": [{"name": "transpose", "configuration": {"order": [1, 0]}}],
    },
]


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(ALL), st.sampled_from(CHAINS), st.sampled_from(["little", "big"]), st.data())
def test_arrays_behave_as_numpy_does(name: str, chain: dict[str, Any], endian: str, data: Any) -> None:
    array = create_array(
        MemoryStore(), shape=(9, 10), chunks=(3, 4), dtype=name, serializer=serializer(name, endian), **chain
    )
    assert array.dtype == SMALL[name].dtype
    expected = np.zeros((9, 10), array.dtype)
    assert same(array[...], expected)
    pool = every_value(name)
    axis = st.slices(10) | st.integers(0, 8)
    for _ in range(3):
        selection = data.draw(st.tuples(st.slices(9) | st.integers(0, 8), axis))
        shape = expected[selection].shape
        count = int(np.prod(shape))
        start = data.draw(st.integers(0, 255 - 90))
        values = pool[start : start + count].reshape(shape) if shape else pool[start]
        array[selection] = values
        expected[selection] = values
        assert same(array[selection], expected[selection])
    assert same(array[...], expected)
    rows, columns = data.draw(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 9)), min_size=1)), [0]
    points = tuple(np.array(rows).T)
    assert same(array.vindex[points], expected[points])
    assert same(array.oindex[[0, 8], columns], expected[[0, 8]][:, columns])
    array.resize((4, 12))
    grown = np.zeros((4, 12), array.dtype)
    grown[:, :10] = expected[:4]
    assert same(array[...], grown)
    array.resize((9, 10))
    assert same(array[4:], np.zeros((5, 10), array.dtype))


@pytest.mark.parametrize("name", REALS)
def test_numbers_are_converted_as_numpy_converts_them(name: str) -> None:
    array = create_array(MemoryStore(), shape=(4,), chunks=(3,), dtype=name, fill_value=1)
    assert array[...].astype(float).tolist() == [1, 1, 1, 1]
    numbers = np.array([1.0, 2.0, 1.0, 2.0]) if name != "int2" else np.array([1.0, -2.0, 1.0, -2.0])
    for given_values in (numbers, numbers.tolist(), numbers.astype("f4"), numbers.astype("i8")):
        array[...] = 1
        array[...] = given_values
        assert array.astype(float)[...].tolist() == numbers.tolist()
    array[1:] = 1
    assert array[1:].astype(float).tolist() == [1, 1, 1]
    assert list(array.store.list_prefix("c/")) == []


@pytest.mark.parametrize("name", COMPLEX)
def test_complex_numbers_are_converted(name: str) -> None:
    array = create_array(MemoryStore(), shape=(4,), chunks=(3,), dtype=name, fill_value=1 + 2j)
    assert array.astype(complex)[...].tolist() == [1 + 2j] * 4
    numbers = np.array([1 + 1j, 2 + 0.5j, 1 + 2j, 0.5 + 2j])
    for given_values in (numbers, numbers.tolist(), numbers.astype("c8")):
        array[...] = 1 + 2j
        assert list(array.store.list_prefix("c/")) == []
        array[...] = given_values
        assert array.astype("c8")[...].tolist() == numbers.tolist()
    array[1] = 2 + 2j
    assert array.astype(complex)[1] == 2 + 2j
    if array.dtype.names:
        array[0] = (2.0, 0.5)
        array[2:] = [(1, 2), (0.5, 1)]
        assert array.astype(complex)[...].tolist() == [2 + 0.5j, 2 + 2j, 1 + 2j, 0.5 + 1j]
        array["imag"] = np.array([2.0, 1.0, 2.0, 1.0])
        assert array["imag"].astype(float).tolist() == [2, 1, 2, 1]
    pairs = array[...]
    array[...] = pairs[::-1]
    assert same(array[...], pairs[::-1].copy())


@pytest.mark.parametrize("name", [name for name in REALS if bits_of(SMALL[name].dtype) < 8])
@pytest.mark.parametrize(
    "chain", [{"compressors": None}, {"compressors": ZSTD}, {"shards": (256,), "compressors": None}]
)
def test_upper_bits_are_ignored_in_reading_and_zero_in_writing(name: str, chain: dict[str, Any]) -> None:
    width = bits_of(SMALL[name].dtype)
    dirty = np.arange(256, dtype="u1").view(SMALL[name].dtype)
    clean = np.arange(256, dtype="u1") & ((1 << width) - 1)
    bytes_twin = create_array(
        MemoryStore(), shape=(256,), chunks=(64,), dtype="uint8", fill_value=255, **chain
    )
    bytes_twin[...] = np.arange(256)
    document = json.loads(bytes(bytes_twin.store.get("zarr.json") or b""))
    store = bytes_twin.store
    store.set("zarr.json", json.dumps({**document, "data_type": name, "fill_value": 1}).encode())
    array = open_array(store)
    assert array[...].view("u1").tolist() == clean.tolist()
    assert array[200:210:3].view("u1").tolist() == clean[200:210:3].tolist()
    assert array[77].tobytes() == clean[77:78].tobytes()
    array[...] = dirty
    store.set("zarr.json", json.dumps(document).encode())
    assert open_array(store)[...].tolist() == clean.tolist()


def test_small_numbers_in_structures(tmp_path: Path) -> None:
    dtype = np.dtype(
        [
            ("a", ml_dtypes.bfloat16),
            ("b", ml_dtypes.int4),
            ("c", ml_dtypes.complex32),
            ("d", "i2"),
            ("e", "?"),
        ]
    )
    values = np.zeros(6, dtype)
    values["a"], values["b"], values["c"], values["d"] = 1.5, -3, 1 + 2j, 258
    for endian in ("little", "big"):
        array = create_array(
            MemoryStore(),
            shape=(6,),
            chunks=(4,),
            dtype=dtype,
            serializer=serializer("", endian),
            compressors=None,
        )
        array[...] = values
        assert same(array[...], values)
        data = bytes(array.store.get("c/0") or b"")
        assert data[:3] == (b"\xc0\x3f\x0d" if endian == "little" else b"\x3f\xc0\x0d")
        assert data[7:9] == (b"\x02\x01" if endian == "little" else b"\x01\x02")
        dirty = bytearray(data)
        dirty[2], dirty[9] = 0xFD, 7
        array.store.set("c/0", bytes(dirty))
        assert same(array[:1], np.array([(1.5, -3, 1 + 2j, 258, True)], dtype))


def test_a_byte_order_is_asked_for_where_it_counts() -> None:
    for name in ("bfloat16", "complex_float16", "complex_bfloat16"):
        with pytest.raises(MetadataError, match="endian: required"):
            create_array(MemoryStore(), shape=(2,), dtype=name, serializer={"name": "bytes"})
    for name in ("int4", "float8_e5m2", "complex_float8_e5m2", "float4_e2m1fn"):
        array = create_array(
            MemoryStore(), shape=(2,), dtype=name, serializer={"name": "bytes"}, compressors=None
        )
        assert array[...].tobytes() == bytes(2 * array.dtype.itemsize)


@pytest.mark.parametrize("name", ALL)
def test_zarr_v2_refuses_them(name: str) -> None:
    with pytest.raises(ConversionError, match=f"Zarr v2 has no data type {name}"):
        create_array(MemoryStore(), shape=(2,), dtype=name, zarr_format=2, filters=None, compressors=None)
