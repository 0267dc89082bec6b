"""Characters along an axis as strings of one axis less, and back."""

from __future__ import annotations

import numpy as np

from omnizarr.errors import ConversionError
from omnizarr.netcdf.values.storage import AnyArray

# What stands for bytes that are no text.
_BYTES = ("none", "None", "bytes")


def is_bytes(encoding: str) -> bool:
    """Say whether an encoding says that characters are bytes, and no text."""
    return encoding in _BYTES


def chars_to_text(values: AnyArray, encoding: str = "utf-8") -> AnyArray:
    """Return characters as strings of one axis less, each with room for all; NUL behind the text is cut off.

    Parameters
    ----------
    encoding
        `"none"` or `"bytes"` for byte strings.
    """
    width = values.shape[-1]
    data = np.ascontiguousarray(np.ma.getdata(values))
    if not values.size:
        return np.zeros(values.shape[:-1], f"{'S' if is_bytes(encoding) else 'U'}{max(1, width)}")
    joined = data.view(f"{data.dtype.kind}{width}")[..., 0]
    if data.dtype.kind == "U":
        return np.char.encode(joined, "utf-8") if is_bytes(encoding) else joined
    return joined if is_bytes(encoding) else np.char.decode(joined, encoding).astype(f"U{width}")


def text_to_chars(values: AnyArray, width: int, encoding: str = "utf-8") -> AnyArray:
    """Return strings as characters along a new last axis, padded with NUL.

    Raises
    ------
    ConversionError
        A text is longer than the axis.
    """
    encoding = "utf-8" if is_bytes(encoding) else encoding
    texts = [
        text if isinstance(text, bytes) else str(text).encode(encoding) for text in values.ravel().tolist()
    ]
    longest = max(map(len, texts), default=0)
    if longest > width:
        raise ConversionError(f"a text of {longest} bytes does not fit into {width} characters")
    data = np.array(texts, f"S{max(1, width)}").reshape((*values.shape, 1))
    return data.view("S1")[..., :width]
