"""Rows of the table of what other libraries do not do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from conformance_codecs import AFTER, SERIAL

WAYS = ("writes", "reads")


@dataclass(frozen=True, slots=True)
class Row:
    """A library and levels of the matrix that it does not do as we do.

    Attributes
    ----------
    peer, zarr_format, levels
        Who, and with which arrays: those that have all these levels, or one of those given for a factor.
    outcome
        It refuses them, reads or writes other values, or ends the process.
    why
        What the error says (a regular expression), or what is different.
    ways
        Whether arrays like this are ones that it `writes`, or ones of ours that it `reads`.
    """

    peer: str
    zarr_format: int
    levels: Mapping[str, str | Sequence[str]]
    outcome: Literal["refuses", "differs", "aborts"]
    why: str
    ways: tuple[str, ...] = WAYS

    def __str__(self) -> str:
        levels = "-".join(self.example.values())
        return f"{self.peer}-v{self.zarr_format}-{levels}-{'-'.join(self.ways)}"

    @property
    def example(self) -> dict[str, str]:
        """The first level of each factor."""
        return {name: level if isinstance(level, str) else level[0] for name, level in self.levels.items()}

    def holds_for(self, levels: Mapping[str, str]) -> bool:
        """Whether an array of these levels is meant."""
        return all(
            name in levels and (levels[name] == level if isinstance(level, str) else levels[name] in level)
            for name, level in self.levels.items()
        )


def refuses(
    peer: str, zarr_format: int, factor: str, levels: Sequence[str], why: str, ways: tuple[str, ...] = WAYS
) -> list[Row]:
    """Return a row for each level of one factor."""
    return [Row(peer, zarr_format, {factor: level}, "refuses", why, ways) for level in levels]


ML_TYPES = (
    *("float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz"),
    *("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "bfloat16"),
    *("int2", "int4", "uint2", "uint4", "complex_float16", "complex_bfloat16", "complex_float8_e4m3"),
)
NUMCODECS_FILTERS = ("delta", "fixedscaleoffset", "quantize", "bitround", "astype")
NUMCODECS_BYTES = ("zlib", "gzip", "bz2", "lzma", "lz4", "zstd", "blosc", "shuffle")
CHECKSUMS = ("crc32", "crc32c", "adler32", "fletcher32", "jenkins_lookup3")


SHARDED = tuple(name for name in SERIAL if name.startswith("sharded"))
VARIABLE = ("string", "bytes", "variable_length_bytes")
COMPRESSED = tuple(name for name in AFTER if name not in ("uncompressed", "blosc snappy"))


def numcodecs(*names: str) -> list[str]:
    """Return the names that codecs of numcodecs have in Zarr v3."""
    return [f"numcodecs.{name}" for name in names]
