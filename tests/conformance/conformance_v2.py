"""Cases of the v2 matrix: an array's document, its values, and which of them are written."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from conformance_case import BaseCase
from conformance_layouts import LAYOUTS
from conformance_types import KINDS, Kind

ATTRIBUTES: dict[str, dict[str, Any]] = {
    "none": {},
    "nested": {"text": "é", "list": [1, None, {"deep": [True]}]},
}


def _of(name: str, dtype: str) -> Kind:
    kind = KINDS[name]
    return Kind(dtype, np.dtype(dtype), kind.fills, kind.values)


def _number(dtype: str) -> Kind:
    return _of(np.dtype(dtype).name, dtype)


def _renamed(name: str, document: Any, dtype: Any, write: Callable[[Any], Any]) -> Kind:
    kind = KINDS[name]
    return Kind(document, np.dtype(dtype), tuple((write(v), v) for _, v in kind.fills), kind.values)


def _base64(value: Any) -> str:
    raw = value if isinstance(value, bytes) else value.tobytes()
    return base64.b64encode(raw).decode()


def _ticks(value: Any) -> int:
    return int(value.view("i8"))


def _objects(values: list[Any], fill: Any) -> Kind:
    return Kind("|O", np.dtype(object), ((fill, fill),) * 3, tuple(values))


_STRUCT = [["a", "<i4"], ["b", "<f8"]]

V2_KINDS: dict[str, Kind] = {
    **{
        dtype: _number(dtype)
        for dtype in (
            *("<i4", "|b1", "|i1", "<i2", ">i4", "<i8", "|u1", ">u2", "<u4", "<u8"),
            *("<f2", "<f4", ">f8", "<c8", ">c16"),
        )
    },
    "|S3": _renamed("null_terminated_bytes", "|S3", "S3", lambda v: _base64(v.ljust(3, b"\0"))),
    "<U3": _of("fixed_length_utf32", "<U3"),
    ">U3": _of("fixed_length_utf32", ">U3"),
    "|V2": _renamed("raw_bytes", "|V2", "V2", _base64),
    "<M8[ns]": _renamed("numpy.datetime64 ns", "<M8[ns]", "<M8[ns]", _ticks),
    ">M8[10s]": _renamed("numpy.datetime64 10s", ">M8[10s]", ">M8[10s]", _ticks),
    "<m8[D]": _renamed("numpy.timedelta64", "<m8[D]", "<m8[D]", _ticks),
    "structure": _renamed("struct", _STRUCT, [("a", "<i4"), ("b", "<f8")], _base64),
    "vlen-utf8": Kind("|O", np.dtype(object), KINDS["string"].fills, KINDS["string"].values),
    "vlen-bytes": Kind("|O", np.dtype(object), KINDS["bytes"].fills, KINDS["bytes"].values),
    "json2": _objects(["a", 1, None, {"k": [1, 2]}, [1, [2]], 2.5], None),
    "msgpack2": _objects(["a", 1, None, {"k": [1, 2]}, 2.5], None),
}
_OBJECT_CODECS = {name: {"id": name} for name in ("vlen-utf8", "vlen-bytes", "json2", "msgpack2")}
_INTEGERS = tuple(name for name, kind in V2_KINDS.items() if kind.dtype.kind in "iu")
_FLOATS = ("<f4", ">f8")


@dataclass(frozen=True, slots=True)
class Filter:
    """Filters; `takes` are the data types they encode, None for all of fixed size."""

    documents: Callable[[Kind], list[dict[str, Any]]]
    takes: tuple[str, ...] | None = None
    loses: bool = False


def _any(**config: Any) -> Filter:
    return Filter(lambda kind: [config])


V2_FILTERS: dict[str, Filter] = {
    "no filter": Filter(lambda kind: [], tuple(V2_KINDS)),
    "delta": Filter(lambda kind: [{"id": "delta", "dtype": kind.document}], _INTEGERS),
    "delta as other integers": Filter(
        lambda kind: [{"id": "delta", "dtype": kind.document, "astype": "<i8"}], ("<i2", ">i4", "|u1")
    ),
    "fixedscaleoffset": Filter(
        lambda kind: [
            {"id": "fixedscaleoffset", "offset": 3, "scale": 10, "dtype": kind.document, "astype": ">i4"}
        ],
        _FLOATS,
        loses=True,
    ),
    "quantize": Filter(
        lambda kind: [{"id": "quantize", "digits": 1, "dtype": kind.document}], _FLOATS, loses=True
    ),
    "bitround": Filter(lambda kind: [{"id": "bitround", "keepbits": 5}], ("<f4",), loses=True),
    "astype": Filter(
        lambda kind: [{"id": "astype", "encode_dtype": "<f8", "decode_dtype": kind.document}],
        ("<i2", ">i4", "|u1", "<f4"),
    ),
    "packbits": Filter(lambda kind: [{"id": "packbits"}], ("|b1",)),
    "shuffle": Filter(lambda kind: [{"id": "shuffle", "elementsize": kind.dtype.itemsize}]),
    "delta then shuffle": Filter(
        lambda kind: [
            {"id": "delta", "dtype": kind.document},
            {"id": "shuffle", "elementsize": kind.dtype.itemsize},
        ],
        _INTEGERS,
    ),
    "crc32": _any(id="crc32"),
    "crc32 at the end": _any(id="crc32", location="end"),
    "crc32c": _any(id="crc32c"),
    "adler32": _any(id="adler32"),
    "fletcher32": _any(id="fletcher32"),
    "jenkins_lookup3": _any(id="jenkins_lookup3"),
}


def _blosc(cname: str, shuffle: int) -> dict[str, Any]:
    return {"id": "blosc", "cname": cname, "clevel": 5, "shuffle": shuffle, "blocksize": 0}


V2_COMPRESSORS: dict[str, dict[str, Any] | None] = {
    "uncompressed": None,
    "zlib": {"id": "zlib", "level": 1},
    "gzip": {"id": "gzip", "level": 1},
    "bz2": {"id": "bz2", "level": 1},
    "lzma": {"id": "lzma", "format": 1, "check": -1, "preset": 1, "filters": None},
    "lz4": {"id": "lz4", "acceleration": 1},
    "zstd": {"id": "zstd", "level": 3},
    "zstd with a checksum": {"id": "zstd", "level": 1, "checksum": True},
    **{f"blosc {cname}": _blosc(cname, 1) for cname in ("lz4", "lz4hc", "blosclz", "zstd", "zlib")},
    "blosc without shuffle": _blosc("lz4", 0),
    "blosc bitshuffle": _blosc("zstd", 2),
    "blosc, shuffle by the item size": _blosc("lz4", -1),
}
V2_FILLS = ("zero", "other", "odd", "undefined")

V2_FACTORS: dict[str, tuple[str, ...]] = {
    "type": tuple(V2_KINDS),
    "fill": V2_FILLS,
    "order": ("C", "F"),
    "layout": tuple(name for name, layout in LAYOUTS.items() if layout.is_regular),
    "keys": (".", "/"),
    "filter": tuple(V2_FILTERS),
    "compressor": tuple(V2_COMPRESSORS),
    "written": ("all", "part", "none"),
    "attributes": tuple(ATTRIBUTES),
}
V2_BASE = {name: levels[0] for name, levels in V2_FACTORS.items()}


@dataclass(frozen=True, slots=True)
class V2Case(BaseCase):
    """An array of the matrix: a level of each of `V2_FACTORS`."""

    zarr_format = 2
    names = None
    base = V2_BASE
    kinds = V2_KINDS
    attribute_tables = ATTRIBUTES

    @property
    def loses(self) -> bool:
        """Whether values may come back as others."""
        return V2_FILTERS[self["filter"]].loses

    @property
    def fill(self) -> tuple[Any, Any]:
        """The fill value, as JSON and as a value."""
        return (None, None) if self["fill"] == "undefined" else self.kind.fill(self["fill"])

    def filters(self) -> list[dict[str, Any]] | None:
        """Return `filters`."""
        codec = _OBJECT_CODECS.get(self["type"])
        return [*([codec] if codec else []), *V2_FILTERS[self["filter"]].documents(self.kind)] or None

    def document(self) -> dict[str, Any]:
        """Return the array's document; its attributes are another one."""
        return {
            "zarr_format": 2,
            "shape": list(self.layout.shape),
            "chunks": list(self.layout.chunks),
            "dtype": self.kind.document,
            "compressor": V2_COMPRESSORS[self["compressor"]],
            "fill_value": self.fill[0],
            "order": self["order"],
            "filters": self.filters(),
            "dimension_separator": self["keys"],
        }

    def full(self) -> np.ndarray[Any, Any]:
        """Return the array as it is where nothing was written."""
        values = np.zeros(self.layout.shape, self.kind.dtype)
        if self["fill"] != "undefined":
            values[...] = self.fill[1]
        return values


def v2_possible(levels: Mapping[str, str]) -> bool:
    """Whether there are such arrays, and what they hold is determined; levels that are missing may be any."""
    kind, name = levels.get("type"), levels.get("filter")
    if kind is not None and name is not None:
        takes = V2_FILTERS[name].takes
        if not (kind in takes if takes is not None else V2_KINDS[kind].dtype.kind != "O"):
            return False
    if levels.get("fill") == "odd" and name is not None and V2_FILTERS[name].loses:
        return False
    return levels.get("fill") != "undefined" or levels.get("written", "all") == "all"


def v2_case_of(levels: Mapping[str, str]) -> V2Case:
    """Return the case of these levels, all others as in the plainest array that can have them."""
    kinds = [levels["type"]] if "type" in levels else list(V2_KINDS)
    for kind in kinds:
        if v2_possible(V2_BASE | levels | {"type": kind}):
            return V2Case(tuple((V2_BASE | levels | {"type": kind}).items()))
    raise ValueError(f"no array has {levels}")
