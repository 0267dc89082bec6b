"""What the names in pickles of HDMF's arrays stand for: numpy's arrays, types and scalars, and references.

https://numpy.org/doc/stable/reference/generated/numpy.ndarray.__reduce__.html

None of numpy's own functions is called with what a pickle says: `ndarray.__setstate__` takes any bytes for
pointers where the type is given the right flags. Stand-ins gather the parts, of which arrays are made here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omnizarr.hdmf.pickle_machine import Budget, Maker, refusal

_CODE = re.compile(r"[|<>=]?([biufcSUVO])([0-9]{0,9})")
_DEEPEST = 16
_LEAVES = frozenset({str, bytes, int, float, bool, type(None)})
_LAST_LETTER = 0x10FFFF
_ITEM, _POINTER = 64, 8
"""Bytes that a value, and a place for one, are taken for."""


class HeldType:
    """A numpy type on its way: named, then told its byte order and its fields."""

    __slots__ = ("code", "dtype", "names")

    def __init__(self, arguments: tuple[Any, ...]) -> None:
        code = arguments[0] if arguments else None
        found = _CODE.fullmatch(code) if isinstance(code, str) else None
        if found is None:
            raise refusal("it has a type of numpy that is none of HDMF's")
        self.code = found[1] + ("" if found[1] == "O" else found[2])
        self.dtype: np.dtype[Any] | None = None
        self.names: tuple[str, ...] | None = None
        """The fields of records with objects in them, which are no memory."""

    def build(self, state: Any) -> None:
        """Take the byte order, and the fields; flags and alignment are numpy's own affair."""
        if type(state) is not tuple or len(state) < 6:
            raise refusal("it has a type of numpy without its parts")
        _, order, inner, names, fields, size = state[:6]
        if inner is not None:
            base, shape = inner
            self.dtype = np.dtype((_memory_type(base), shape))
        elif names is None:
            self.dtype = np.dtype(order + self.code) if order in ("<", ">", "|", "=") else np.dtype(self.code)
        else:
            self._build_fields(names, fields, size)

    def _build_fields(self, names: Any, fields: Any, size: Any) -> None:
        if type(names) is not tuple or not all(type(name) is str for name in names):
            raise refusal("it has records whose fields are not named")
        parts = [fields[name] for name in names]
        if any(_has_objects(part[0]) for part in parts):
            self.names, self.dtype = names, np.dtype(object)
            return
        formats = [_memory_type(part[0]) for part in parts]
        offsets = [part[1] for part in parts]
        made = {"names": list(names), "formats": formats, "offsets": offsets, "itemsize": size}
        self.dtype = np.dtype(made)  # type: ignore[call-overload]


class HeldArray:
    """An array on its way: made empty, then told its shape, its type and its elements."""

    __slots__ = ("_budget", "array")

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self.array: NDArray[Any] | None = None

    def build(self, state: Any) -> None:
        """Take the elements: bytes, or a list where they are objects."""
        if type(state) is not tuple or len(state) not in (4, 5):
            raise refusal("it has an array without its parts")
        shape, dtype, fortran, data = state[-4:]
        self.fill(data, dtype, shape, "F" if fortran else "C")

    def fill(self, data: Any, dtype: Any, shape: Any, order: Any) -> None:
        """Make the array, of as many elements as there are."""
        shape = _checked_shape(shape)
        self._budget.spend(_ITEM + len(data))
        if _has_objects(dtype):
            # Numpy lists objects in C order, whatever the order of memory.
            self.array = self._of_objects(data, dtype.names, prod(shape)).reshape(shape)
        else:
            flat = self._of_memory(data, _memory_type(dtype), prod(shape))
            self.array = flat.reshape(shape, order="F" if order == "F" else "C")

    def _of_objects(self, data: Any, names: tuple[str, ...] | None, count: int) -> NDArray[Any]:
        if type(data) is not list or len(data) != count:
            raise refusal(f"it has an array of {count} elements with others")
        self._budget.spend(_POINTER * count)
        flat = np.empty(count, object)
        for i, item in enumerate(data):
            flat[i] = self._element(item, names)
        return flat

    def _of_memory(self, data: Any, dtype: np.dtype[Any], count: int) -> NDArray[Any]:
        if type(data) is not bytes or dtype.itemsize == 0 or len(data) != count * dtype.itemsize:
            raise refusal(f"it has an array of {dtype.itemsize} bytes an element with other bytes")
        found = np.frombuffer(data, dtype)
        if not _is_text(found):
            raise refusal("it has text with what are no letters")
        return found

    def _element(self, item: Any, names: tuple[str, ...] | None) -> Any:
        if names is not None and (type(item) is not tuple or len(item) != len(names)):
            raise refusal("it has records with more fields, or fewer, than their type")
        return plain(item, self._budget)


def plain(value: Any, budget: Budget, depth: int = 0) -> Any:
    """Return a value with nothing in it but what JSON has, bytes, and tuples; arrays become lists.

    Raises
    ------
    CodecError
        There is something else in it.
    """
    kind = type(value)
    if kind in _LEAVES:
        return value
    budget.spend(_ITEM)
    if depth > _DEEPEST:
        raise refusal("values are nested too deeply")
    if kind is dict:
        return {
            name: item if type(item) in _LEAVES else plain(item, budget, depth + 1)
            for name, item in value.items()
        }
    if kind is list or kind is tuple:
        return kind(plain(item, budget, depth + 1) for item in value)
    if kind is HeldArray and value.array is not None:
        budget.spend(_ITEM * value.array.size)
        return value.array.tolist()
    raise refusal(f"it has an element of type {kind.__name__}")


def makers(budget: Budget) -> dict[str, Maker]:
    """Return what the names mean that pickles of HDMF's arrays may have, in all that numpy calls them."""
    return {name: Maker(name, make) for name, make in _named(budget)}


_Make: TypeAlias = Callable[[tuple[Any, ...]], Any]


def _named(budget: Budget) -> Iterator[tuple[str, _Make]]:
    def scalar(arguments: tuple[Any, ...]) -> Any:
        return _scalar(arguments, budget)

    def from_buffer(arguments: tuple[Any, ...]) -> HeldArray:
        held = HeldArray(budget)
        held.fill(*arguments)
        return held

    def encoded(arguments: tuple[Any, ...]) -> bytes:
        return _encoded(arguments, budget)

    def reconstructed(arguments: tuple[Any, ...]) -> HeldArray:
        if type(arguments[0]) is not Maker or arguments[0].name != "numpy.ndarray":
            raise refusal("it has an array of no known class")
        budget.spend(_ITEM)
        return HeldArray(budget)

    for core in ("numpy.core", "numpy._core"):
        yield f"{core}.multiarray._reconstruct", reconstructed
        yield f"{core}.multiarray.scalar", scalar
        yield f"{core}.numeric._frombuffer", from_buffer
    yield "numpy.ndarray", _uncalled
    yield "numpy.dtype", HeldType
    yield "hdmf_zarr.utils.ZarrReference", _reference
    yield "_codecs.encode", encoded
    for python in ("builtins", "__builtin__"):
        yield f"{python}.bytes", _no_bytes
        yield f"{python}.dict", _uncalled
    for registry in ("copyreg", "copy_reg"):
        yield f"{registry}._reconstructor", lambda arguments: _of_state(arguments, budget)


def _scalar(arguments: tuple[Any, ...], budget: Budget) -> Any:
    """Return a numpy scalar as Python's value of it; a record as a tuple."""
    dtype, value = arguments
    held = HeldArray(budget)
    if isinstance(value, HeldArray):
        held = value
    else:
        held.fill(value if type(value) is bytes else [value], dtype, (), "C")
    return None if held.array is None else held.array.item()


def _encoded(arguments: tuple[Any, ...], budget: Budget) -> bytes:
    """Return bytes, which the protocols before 3 have as text."""
    text, encoding = arguments
    if type(text) is not str or encoding not in ("latin1", "latin-1"):
        raise refusal("it encodes something else than bytes")
    budget.spend(_ITEM + len(text))
    return text.encode("latin-1")


def _reference(arguments: tuple[Any, ...]) -> dict[str, Any]:
    if arguments:
        raise refusal("it has a reference with arguments")
    return {}


def _of_state(arguments: tuple[Any, ...], budget: Budget) -> dict[str, Any]:
    """Return a reference as the protocols before 2 have it: a class, the class of its state, and that."""
    kind, base, state = arguments
    names = [one.name for one in (kind, base) if type(one) is Maker]
    if (
        names[:1] != ["hdmf_zarr.utils.ZarrReference"]
        or not names[1].endswith(".dict")
        or type(state) is not dict
    ):
        raise refusal(f"it makes a value of {' and '.join(names) or 'no class'}")
    budget.spend(_ITEM * (1 + len(state)))
    return dict(state)


def _no_bytes(arguments: tuple[Any, ...]) -> bytes:
    if arguments:
        raise refusal("it makes bytes of something else")
    return b""


def _is_text(array: NDArray[Any]) -> bool:
    """Say whether all text is of letters that Python has; numpy fails where others are looked at."""
    if array.dtype.names is not None:
        return all(_is_text(array[name]) for name in array.dtype.names)
    if array.dtype.kind != "U" or not array.nbytes:
        return True
    letters = np.ascontiguousarray(array).reshape(-1).view(array.dtype.byteorder + "u4")
    return int(letters.max()) <= _LAST_LETTER


def _uncalled(arguments: tuple[Any, ...]) -> Any:
    raise refusal("it calls a class that is named only")


def _has_objects(held: Any) -> bool:
    return _type_of(held).hasobject


def _memory_type(held: Any) -> np.dtype[Any]:
    dtype = _type_of(held)
    if dtype.hasobject:
        raise refusal("it has memory where objects should be")
    return dtype


def _type_of(held: Any) -> np.dtype[Any]:
    if type(held) is not HeldType or held.dtype is None:
        raise refusal("it has an array without a type")
    return held.dtype


def _checked_shape(shape: Any) -> tuple[int, ...]:
    if (
        type(shape) is not tuple
        or len(shape) > 32
        or not all(type(n) is int and 0 <= n < 2**48 for n in shape)
    ):
        raise refusal("it has an array without a shape")
    return shape
