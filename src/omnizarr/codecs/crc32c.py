"""The `crc32c` codec: a checksum of four bytes after the data.

https://zarr-specs.readthedocs.io/en/latest/v3/codecs/crc32c/index.html
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import google_crc32c
import numpy as np

from omnizarr.codecs.shared import Checksum, Unconfigured
from omnizarr.store.base import Buffer


@dataclass(frozen=True, slots=True)
class Crc32c(Unconfigured, Checksum):
    """Append the CRC-32C of the data, little-endian; check it when decoding."""

    name: ClassVar[str] = "crc32c"
    at_start: ClassVar[bool] = False

    def checksum(self, data: Buffer) -> int:
        return crc32c(data)


def crc32c(data: Buffer) -> int:
    """Return the CRC-32C of bytes."""
    if isinstance(data, bytes):
        return google_crc32c.value(data)  # type: ignore[no-any-return]
    # The package refuses memoryviews, but reads arrays without copying.
    return google_crc32c.value(np.frombuffer(data, np.uint8)) if len(data) else 0
