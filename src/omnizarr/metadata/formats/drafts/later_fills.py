"""Fill values as the drafts after 2019 spell them, in the spelling of Zarr v2.

Draft of late 2022, "fill_value": `"+Infinity"`, and the bits of a value, `"0x7fc00000"` or `"0b00000001"`.
"""

from __future__ import annotations

import re

import numpy as np

from omnizarr.jsontypes import Json, Problems, shown
from omnizarr.metadata.dtype_v2 import loose_dtype

_BITS = re.compile(r"0x([0-9a-fA-F]+)|0b([01]+)")
_OF_BITS = "biufmMV"  # of text such a string is the text itself


def read_later_fill(value: Json, code: Json, at: str, problems: Problems) -> Json:
    """Return a fill value as Zarr v2 spells it; null stays, though the draft of 2022 does not permit it.

    Parameters
    ----------
    code
        The data type, as Zarr v2 has it.
    """
    if isinstance(value, list) and isinstance(code, str) and code[1:2] == "c":
        part = f"{code[0]}f{int(code[2:]) // 2}"
        return [read_later_fill(item, part, f"{at}[{i}]", problems) for i, item in enumerate(value)]
    if value == "+Infinity":
        return "Infinity"
    dtype = loose_dtype(code)
    found = _BITS.fullmatch(value) if isinstance(value, str) else None
    if found is None or dtype is None or dtype.kind not in _OF_BITS:
        return value
    bits = int(found[1], 16) if found[1] else int(found[2], 2)
    if bits >= 1 << 8 * dtype.itemsize:
        problems.add(at, f"expected {8 * dtype.itemsize} bits, found {shown(value)}")
        return None
    return _of_bits(bits, dtype)


def _of_bits(bits: int, dtype: np.dtype[np.generic]) -> Json:
    if dtype.kind == "f":
        return f"0x{bits:x}"
    data = bits.to_bytes(dtype.itemsize, "big")
    if dtype.kind == "V":
        return list(data)
    if dtype.kind == "b":
        return bits if bits > 1 else bool(bits)
    return int.from_bytes(data, "big", signed=dtype.kind != "u")
