"""Checksums of numcodecs: four bytes before or after the data.

https://numcodecs.readthedocs.io/en/stable/checksum32.html
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import ClassVar, Self

import deflate
import numcodecs.fletcher32
import numcodecs.jenkins
import numpy as np

from omnizarr.codecs.crc32c import crc32c
from omnizarr.codecs.shared import Checksum, Unconfigured
from omnizarr.jsontypes import JsonObject, Problems, read_int, read_ints, read_object, read_string
from omnizarr.store.base import Buffer

_LOCATIONS = ("start", "end")


@dataclass(frozen=True, slots=True)
class _Placed(Checksum):
    """Those whose place is a choice."""

    location: str = "start"

    @property
    def at_start(self) -> bool:
        return self.location == "start"

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        fields = read_object(configuration, at, problems, optional=("location",))
        location = fields.get("location")
        return (
            cls() if location is None else cls(read_string(location, f"{at}.location", problems, _LOCATIONS))
        )

    def to_json(self) -> JsonObject:
        return {"location": self.location}


@dataclass(frozen=True, slots=True)
class Crc32(_Placed):
    """The CRC-32 of zlib."""

    name: ClassVar[str] = "numcodecs.crc32"

    def checksum(self, data: Buffer) -> int:
        return deflate.crc32(data)


@dataclass(frozen=True, slots=True)
class Crc32c(_Placed):
    """The CRC-32C, by the name and with the place that numcodecs gives it."""

    name: ClassVar[str] = "numcodecs.crc32c"
    location: str = "end"

    def checksum(self, data: Buffer) -> int:
        return crc32c(data)


@dataclass(frozen=True, slots=True)
class Adler32(_Placed):
    """The Adler-32 of zlib."""

    name: ClassVar[str] = "numcodecs.adler32"

    def checksum(self, data: Buffer) -> int:
        return zlib.adler32(data)


@dataclass(frozen=True, slots=True)
class Fletcher32(Unconfigured, Checksum):
    """The Fletcher checksum as HDF5 computes it."""

    name: ClassVar[str] = "numcodecs.fletcher32"
    at_start: ClassVar[bool] = False

    def checksum(self, data: Buffer) -> int:
        encoded = numcodecs.Fletcher32().encode(data)
        return int.from_bytes(memoryview(encoded)[-4:], "little")


@dataclass(frozen=True, slots=True)
class JenkinsLookup3(Checksum):
    """Bob Jenkins' lookup3 as HDF5 computes it; `prefix` is hashed before the data, but not stored."""

    name: ClassVar[str] = "numcodecs.jenkins_lookup3"
    at_start: ClassVar[bool] = False
    initval: int = 0
    prefix: bytes | None = None

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        fields = read_object(configuration, at, problems, optional=("initval", "prefix"))
        initval = read_int(fields.get("initval", 0), f"{at}.initval", problems, 0, 2**32 - 1)
        given = fields.get("prefix")
        if given is None:
            return cls(initval)
        prefix = read_ints(given, f"{at}.prefix", problems, 0)
        if max(prefix, default=0) > 255:
            problems.add(f"{at}.prefix", f"expected bytes of 0 to 255, found {max(prefix)}")
            return cls(initval)
        return cls(initval, bytes(prefix))

    def to_json(self) -> JsonObject:
        return {"initval": self.initval, "prefix": None if self.prefix is None else list(self.prefix)}

    def checksum(self, data: Buffer) -> int:
        body = np.frombuffer(data if self.prefix is None else self.prefix + bytes(data), np.uint8)
        return int(numcodecs.jenkins.jenkins_lookup3(body, self.initval))
