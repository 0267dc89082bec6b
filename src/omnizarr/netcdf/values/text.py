"""Characters along an axis as strings of one axis less, and back."""

from __future__ import annotations

import numpy as np

from omnizarr.errors import ConversionError
from omnizarr.netcdf.values.storage import AnyArray


def chars_to_text(values: AnyArray, encoding: str = "utf-8") -> AnyArray:
    """Return characters as strings, of one axis less; what stands behind the text is cut off.

    Parameters
    ----------
    encoding
        `"none"` or `"bytes"` for byte strings.
    """
    width = values.shape[-1]
    if width == 0:
        return np.zeros(values.shape[:-1], "S1" if encoding in ("none", "bytes") else "U1")
    joined = np.ascontiguousarray(np.ma.getdata(values)).view(f"S{width}")[..., 0]
    return joined if encoding in ("none", "bytes") else np.char.decode(joined, encoding)


def text_to_chars(values: AnyArray, width: int, encoding: str = "utf-8") -> AnyArray:
    """Return strings as characters along a new last axis, padded with NUL.

    Raises
    ------
    ConversionError
        A text is longer than the axis.
    """
    encoding = "utf-8" if encoding in ("none", "bytes") else encoding
    texts = [
        text if isinstance(text, bytes) else str(text).encode(encoding) for text in values.ravel().tolist()
    ]
    longest = max(map(len, texts), default=0)
    if longest > width:
        raise ConversionError(f"a text of {longest} bytes does not fit into {width} characters")
    data = np.array(texts, f"S{max(1, width)}").reshape((*values.shape, 1))
    return data.view("S1")[..., :width]
