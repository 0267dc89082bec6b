"""Pickles of arrays of objects as hdmf-zarr 0.13.0 needs them, written without its classes.

https://docs.python.org/3/library/pickletools.html

Protocol 4, and numpy's functions by the names that all its versions know.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from omnizarr.errors import CodecError

_START = b"\x80\x04"
_ARRAY = b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\n"
_TYPE = b"cnumpy\ndtype\n"
_REFERENCE = b"chdmf_zarr.utils\nZarrReference\n)\x81"
_REDUCE, _BUILD, _STOP = b"R", b"b", b"."


def pickled(array: NDArray[Any]) -> bytes:
    """Return the pickle of an array of objects, or of records with objects in them.

    The objects are text, bytes, numbers, tuples, lists and dictionaries; those with a `path` are references.

    Raises
    ------
    CodecError
        There is something else in it.
    """
    writer = _Writer()
    writer.put(_START)
    writer.save(array)
    writer.put(_STOP)
    return b"".join(writer.parts)


class _Writer:
    """The parts of a pickle, and the text that is in it already."""

    __slots__ = ("memo", "parts", "put")

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.put: Callable[[bytes], None] = self.parts.append
        self.memo: dict[str, int] = {}

    def save(self, value: Any) -> None:
        save = _SAVE.get(type(value))
        if save is None and isinstance(value, np.dtype):
            save = _Writer.type
        if save is None and isinstance(value, np.generic):
            self.save(value.item())
        elif save is None:
            raise CodecError(f"cannot write a value of type {type(value).__name__}", codec="pickle")
        else:
            save(self, value)

    def array(self, value: NDArray[Any]) -> None:
        self.put(_ARRAY)
        self.save((0,))
        self.save(b"b")
        self.put(b"\x87" + _REDUCE)
        items = value.reshape(-1).tolist() if value.dtype.hasobject else value.tobytes()
        self.save((1, value.shape, value.dtype, False, items))
        self.put(_BUILD)

    def type(self, value: np.dtype[Any]) -> None:
        parts: Any = value.__reduce__()
        _, arguments, state = parts
        self.put(_TYPE)
        self.save(arguments)
        self.put(_REDUCE)
        self.save(state)
        self.put(_BUILD)

    def text(self, value: str) -> None:
        number = self.memo.get(value)
        if number is not None:
            self.put(b"h" + bytes((number,)) if number < 256 else b"j" + struct.pack("<I", number))
            return
        number = self.memo[value] = len(self.memo)
        data = value.encode("utf-8", "surrogatepass")
        self.put(b"X" + struct.pack("<I", len(data)) + data)
        self.put(b"q" + bytes((number,)) if number < 256 else b"r" + struct.pack("<I", number))

    def bytes(self, value: bytes) -> None:
        self.put(b"B" + struct.pack("<I", len(value)) + value)

    def whole(self, value: int) -> None:
        if -(2**31) <= value < 2**31:
            self.put(b"J" + struct.pack("<i", value))
            return
        data = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
        self.put(b"\x8b" + struct.pack("<I", len(data)) + data)

    def tuple(self, value: tuple[Any, ...]) -> None:
        self.put(b"(")
        for item in value:
            self.save(item)
        self.put(b"t")

    def list(self, value: list[Any]) -> None:
        self.put(b"](")
        for item in value:
            self.save(item)
        self.put(b"e")

    def object(self, value: dict[str, Any]) -> None:
        self.put((_REFERENCE if "path" in value else b"}") + b"(")
        for name, item in value.items():
            self.text(name)
            self.save(item)
        self.put(b"u")


_SAVE: dict[type, Callable[[_Writer, Any], None]] = {
    type(None): lambda writer, _: writer.put(b"N"),
    bool: lambda writer, value: writer.put(b"\x88" if value else b"\x89"),
    int: _Writer.whole,
    float: lambda writer, value: writer.put(b"G" + struct.pack(">d", value)),
    str: _Writer.text,
    bytes: _Writer.bytes,
    tuple: _Writer.tuple,
    list: _Writer.list,
    dict: _Writer.object,
    np.ndarray: _Writer.array,
}
