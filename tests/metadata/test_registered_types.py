"""The registered data types: names, fill values, numpy's types."""

import json
import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from omnizarr.errors import ConversionError, MetadataError, UnsupportedError
from omnizarr.jsontypes import Problems
from omnizarr.metadata.dtype import PLAIN, DataType
from omnizarr.metadata.dtype_bits import bits_of
from omnizarr.metadata.dtype_numpy import from_numpy
from omnizarr.metadata.dtype_small import SMALL
from omnizarr.metadata.dtype_v2 import write_dtype
from omnizarr.metadata.dtype_v3 import DATA_TYPES, read_data_type, register_data_type, write_data_type
from omnizarr.metadata.fill import as_fill, default_fill, read_fill, same_fill, write_fill
from omnizarr.metadata.formats.v3 import read_node, write_node
from omnizarr.metadata.small_names import COMPLEX, FLOATS, INTEGERS

REALS = (*INTEGERS, *FLOATS)
BYTES = [name for name in REALS if SMALL[name].dtype.itemsize == 1]
# What `NaN` is; None where there is none.
NANS = {
    "bfloat16": 0x7FC0,
    "float4_e2m1fn": None,
    "float6_e2m3fn": None,
    "float6_e3m2fn": None,
    "float8_e3m4": 0x78,
    "float8_e4m3": 0x7C,
    "float8_e4m3b11fnuz": 0x80,
    "float8_e4m3fn": 0x7F,
    "float8_e4m3fnuz": 0x80,
    "float8_e5m2": 0x7E,
    "float8_e5m2fnuz": 0x80,
    "float8_e8m0fnu": 0xFF,
}
INFINITE = ("bfloat16", "float8_e3m4", "float8_e4m3", "float8_e5m2")


def of_bits(kind: DataType, bits: int) -> Any:
    return np.array([bits], f"u{kind.dtype.itemsize}").view(kind.dtype)[0]


def bits(value: Any) -> int:
    return int.from_bytes(value.tobytes(), "little")


def read(value: Any, kind: DataType) -> Any:
    problems = Problems()
    found = read_fill(value, kind, "fill_value", problems)
    problems.check()
    return found


def refused(value: Any, kind: DataType) -> str:
    problems = Problems()
    read_fill(value, kind, "fill_value", problems)
    (problem,) = problems.found
    assert problem.at == "fill_value"
    return problem.message


@pytest.mark.parametrize("name", [*REALS, *COMPLEX])
def test_names(name: str) -> None:
    for spelled in (name, {"name": name}, {"name": name, "configuration": {}}):
        problems = Problems()
        kind = read_data_type(spelled, "data_type", problems)
        assert not problems
        assert (kind.name, kind) == (name, SMALL[name])
    assert write_data_type(kind) == name
    assert from_numpy(name) == from_numpy(kind.dtype) == kind
    assert from_numpy(kind.dtype).scalars is not None
    problems = Problems()
    read_data_type({"name": name, "configuration": {"x": 1}}, "data_type", problems)
    assert [problem.at for problem in problems.found] == ["data_type.configuration.x"]
    assert kind.byte_order == ("little" if "16" in name else "none")
    assert kind.with_byte_order("big") == kind


def test_other_names_of_complex_numbers() -> None:
    for name, usual in (("complex_float32", "complex64"), ("complex_float64", "complex128")):
        assert read_data_type(name, "", Problems()) is PLAIN[usual]
        assert from_numpy(name) is PLAIN[usual]


@pytest.mark.parametrize(
    ("document", "name", "dtype"),
    [
        (
            {"name": "datetime64", "configuration": {"unit": "s", "scale_factor": 1}},
            "numpy.datetime64",
            "M8[s]",
        ),
        (
            {"name": "timedelta64", "configuration": {"unit": "ms", "scale_factor": 5}},
            "numpy.timedelta64",
            "m8[5ms]",
        ),
        ({"name": "fixed-length-ascii", "configuration": {"length_bits": 24}}, "null_terminated_bytes", "S3"),
        ({"name": "fixed-length-bytes", "configuration": {"length_bits": 24}}, "raw_bytes", "V3"),
        ({"name": "fixed-length-ucs4", "configuration": {"length_bits": 64}}, "fixed_length_utf32", "U2"),
    ],
)
def test_names_as_they_were_first_proposed(document: Any, name: str, dtype: str) -> None:
    problems = Problems()
    kind = read_data_type(document, "data_type", problems)
    assert (kind.name, kind.dtype) == (name, np.dtype(dtype))
    assert not problems
    assert read_data_type(write_data_type(kind), "", problems) == kind


def test_lengths_in_bits_are_whole_bytes() -> None:
    problems = Problems()
    read_data_type({"name": "fixed-length-bytes", "configuration": {"length_bits": 9}}, "t", problems)
    assert "t.configuration.length_bits: expected a multiple of 8, found 9" in str(problems.found[0])


@pytest.mark.parametrize("name", BYTES)
def test_every_value_of_a_byte_comes_back_to_the_bit(name: str) -> None:
    kind = SMALL[name]
    for pattern in range(1 << bits_of(kind.dtype)):
        value = of_bits(kind, pattern)
        written = write_fill(value, kind)
        found = read(json.loads(json.dumps(written)), kind)
        assert same_fill(found, value), (pattern, written)
        assert type(found) is kind.dtype.type
        assert same_fill(as_fill(value, kind), value)
        if isinstance(written, str) and written.startswith("0x"):
            assert len(written) == 4


def test_every_value_of_bfloat16_comes_back_to_the_bit() -> None:
    kind = SMALL["bfloat16"]
    for pattern in [*range(0, 1 << 16, 7), *range(0x7F70, 0x7FFF), *range(0xFF70, 0x10000)]:
        value = of_bits(kind, pattern)
        assert bits(read(write_fill(value, kind), kind)) == pattern
    assert write_fill(of_bits(kind, 0x7FC1), kind) == "0x7fc1"


@pytest.mark.parametrize("name", FLOATS)
def test_names_and_bits_of_floats(name: str) -> None:
    kind = SMALL[name]
    nan = NANS[name]
    if nan is None:
        assert "NaN" not in refused("NaN", kind).split(", found")[0]
    else:
        assert bits(read("NaN", kind)) == nan == bits(as_fill(math.nan, kind))
        assert write_fill(of_bits(kind, nan), kind) == "NaN"
    for text, sign in (("Infinity", 1), ("-Infinity", -1)):
        if name in INFINITE:
            assert float(read(text, kind)) == sign * math.inf == float(as_fill(sign * math.inf, kind))
            assert write_fill(read(text, kind), kind) == text
        else:
            assert name in refused(text, kind)
            with pytest.raises(ValueError, match=name):
                as_fill(sign * math.inf, kind)
    high = (1 << bits_of(kind.dtype)) - 1
    assert bits(read(hex(high), kind)) == high
    assert bits(read("0x0", kind)) == 0
    assert f'"0x{high:x}"' in refused(hex(high + 1), kind)
    for wrong in ("0x", "0b1", "nan", "1", None, True, [1], {}):
        refused(wrong, kind)


@pytest.mark.parametrize("name", FLOATS)
def test_numbers_round_to_what_the_type_holds(name: str) -> None:
    kind = SMALL[name]
    largest = float(ml_dtypes.finfo(kind.dtype).max)
    assert float(read(largest, kind)) == largest
    assert float(read(1, kind)) == 1.0 == float(as_fill(True, kind))
    for beyond in (2 * largest, 10**400, -(10**400)):
        assert f"a number{'' if 'e8m0' not in name else ' of at least 0'} that {name} can hold" in refused(
            beyond, kind
        )
    with pytest.raises(ValueError, match="can hold"):
        as_fill(3 * largest, kind)


def test_the_type_without_zero() -> None:
    kind = SMALL["float8_e8m0fnu"]
    for value in (default_fill(kind), read(0.0, kind), as_fill(0, kind)):
        assert (bits(value), write_fill(value, kind)) == (0, 2.0**-127)
    assert "of at least 0" in refused(-1.0, kind)


@pytest.mark.parametrize("name", INTEGERS)
def test_integers(name: str) -> None:
    kind = SMALL[name]
    low, high = (
        (0, 2 ** bits_of(kind.dtype) - 1)
        if name[0] == "u"
        else (-(2 ** (n := bits_of(kind.dtype) - 1)), 2**n - 1)
    )
    for number in range(low, high + 1):
        assert write_fill(read(number, kind), kind) == number == write_fill(as_fill(number, kind), kind)
        assert type(write_fill(read(float(number), kind), kind)) is int
    for wrong in (low - 1, high + 1, 0.5, "1", None, True):
        assert f"an integer from {low} to {high}" in refused(wrong, kind)
    for wrong in (low - 1, high + 1, 0.5):
        with pytest.raises(ValueError, match=f"from {low} to {high}"):
            as_fill(wrong, kind)


@pytest.mark.parametrize("name", COMPLEX)
def test_complex_fill_values(name: str) -> None:
    kind = SMALL[name]
    part = kind.dtype["real"] if kind.dtype.names else np.dtype({"complex_float16": "f2"}.get(name, "u2"))
    assert kind.dtype.itemsize == 2 * part.itemsize
    value = read([1, 0.5], kind)
    if "e8m0" not in name:
        assert write_fill(default_fill(kind), kind) == [0.0, 0.0]
    assert write_fill(value, kind) == [1.0, 0.5]
    for given in (1 + 0.5j, (1, 0.5), [1, 0.5], np.complex64(1 + 0.5j), value):
        assert same_fill(as_fill(given, kind), value)
    for pattern in range(1 << 8 if part.itemsize == 1 else 0):
        if pattern >> bits_of(SMALL[name.removeprefix("complex_")].dtype):
            continue
        exact = np.frombuffer(bytes([pattern, 0x01]), kind.dtype)[0]
        assert same_fill(read(write_fill(exact, kind), kind), exact)
    for wrong in (1.0, [1.0], [1, 2, 3], "NaN", None):
        assert "a pair of numbers" in refused(wrong, kind)
    refused([1.0, "x"], kind)


@pytest.mark.parametrize("name", [*REALS, *COMPLEX])
def test_documents_come_back(name: str) -> None:
    document: Any = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [4],
        "data_type": name,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": [1.0, 1.0] if name in COMPLEX else 1,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
    }
    for spelled in (name, {"name": name}, {"name": name, "must_understand": True}):
        problems = Problems()
        node: Any = read_node({**document, "data_type": spelled}, problems)
        problems.check()
        assert write_node(node) == {**document, "data_type": spelled}
        with pytest.raises(ConversionError, match=f"no data type {name}"):
            write_dtype(node.data_type)


def test_structures_of_small_numbers() -> None:
    dtype = np.dtype(
        [("a", ml_dtypes.bfloat16), ("b", ml_dtypes.int4), ("c", ml_dtypes.complex32), ("d", "V2")]
    )
    kind = from_numpy(dtype)
    assert kind.name == "struct"
    names = [field["data_type"] for field in kind.configuration["fields"]]  # type: ignore
    assert names == ["bfloat16", "int4", "complex_float16", "r16"]
    fill = {"a": "0x7fc1", "b": -3, "c": [0.5, "NaN"], "d": [1, 2]}
    assert write_fill(read(fill, kind), kind) == fill
    assert read_data_type(write_data_type(kind), "", Problems()) == kind
    with pytest.raises(ConversionError, match="no data type struct of bfloat16, int4, complex32"):
        write_dtype(kind)


def test_structures_named_real_and_imag() -> None:
    pair = from_numpy([("real", "f4"), ("imag", "f4")])
    assert pair.name == "struct"
    assert write_dtype(pair) == [["real", "<f4"], ["imag", "<f4"]]
    assert from_numpy([("real", ml_dtypes.int4), ("imag", ml_dtypes.int4)]).name == "struct"


def test_types_of_ml_dtypes_that_zarr_has_not() -> None:
    with pytest.raises(UnsupportedError, match="int1"):
        from_numpy(ml_dtypes.int1)


def test_data_types_can_be_registered() -> None:
    def reader(name: str, configuration: Any, at: str, problems: Problems) -> DataType:
        if configuration:
            problems.add(at, "expected nothing")
        return DataType(name, np.dtype("u2"))

    register_data_type("test.word", reader)
    try:
        kind = from_numpy("test.word")
        assert (kind.name, kind.dtype, read(7, kind)) == ("test.word", np.dtype("u2"), 7)
        with pytest.raises(MetadataError, match=r"dtype.configuration: expected nothing"):
            from_numpy({"name": "test.word", "configuration": {"x": 1}})
    finally:
        del DATA_TYPES.known["test.word"]
    with pytest.raises(UnsupportedError, match="test\\.word"):
        from_numpy("test.word")
