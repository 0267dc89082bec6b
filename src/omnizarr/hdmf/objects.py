"""The values of HDMF's datasets: text, references and records, whatever they are stored as.

https://hdmf-zarr.readthedocs.io/en/stable/storage.html#storing-object-references-in-datasets
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, Unpack

import numpy as np
from numpy.typing import NDArray

from omnizarr.errors import ConversionError
from omnizarr.hdmf.dtypes import ElementType, Numbers, Records, References, Text, numpy_dtype, of_numpy
from omnizarr.hdmf.layout import element_of, layout_of
from omnizarr.hdmf.pickles import with_pickles
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.creating.make import MakeArguments
from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.linking.reference import Reference, element_text, read_element, read_reference
from omnizarr.jsontypes import Problems, as_json, shown

_STORED_TEXT = {"string": False, "bytes": True, "variable_length_bytes": True}


def read_values(array: Array, selection: Any = ...) -> Any:
    """Return elements of a dataset as what they mean.

    Parameters
    ----------
    selection
        As in `array[selection]`; only the chunks that hold it are read.

    Returns
    -------
    ndarray
        Numbers as they are stored; text as `str`, or `bytes` for `ascii`; references as `Reference`, None
        where there is none; records as a structured array, whose text and references are objects. A single
        value for a selection of one.

    Raises
    ------
    MetadataError
        Elements are no references or records; each is told with its place.
    ConversionError
        The type that the dataset states is not known.
    CodecError
        A chunk is damaged, or is a pickle of something else.
    """
    element = element_of(array.metadata)
    found = with_pickles(array)[selection]
    if _is_stored(element, array):
        return found
    is_one = not isinstance(found, np.ndarray)
    items = _one(found) if is_one else found
    problems = Problems()
    made = _read_all(items, element, problems)
    problems.check(store=array.store.name, path=array.path)
    return made[()] if is_one else made


def write_values(array: Array, values: Any, selection: Any = ...) -> None:
    """Store elements of a dataset, given as `read_values` returns them.

    Raises
    ------
    ConversionError
        A value is not of the dataset's type, or text is too long for a field (Zarr v3).
    """
    element = element_of(array.metadata)
    stored = _stored(values, element, array)
    with_pickles(array)[selection] = stored


def create_values(
    group: Group,
    name: str,
    values: Any,
    element: ElementType | None = None,
    *,
    scalar: bool = False,
    pickled: bool = False,
    **arguments: Unpack[MakeArguments],
) -> Array:
    """Make a dataset that holds values, in the layout of the group's format.

    Parameters
    ----------
    values
        As `read_values` returns them; one value, or an array of one, for a scalar.
    element
        Their type; that of numpy's array where it is None.
    pickled
        Whether objects are pickled, as hdmf-zarr 0.13.0 needs it of records with references (Zarr v2).
    **arguments
        For `Group.create_array`, with attributes beside those that say what the dataset holds.

    Raises
    ------
    ConversionError
        A value is not of the type, or the layout has no form for it.
    """
    layout = layout_of(group.zarr_format)
    items = as_array(values, element)
    element = of_numpy(items.dtype) if element is None else element
    if scalar:
        items = items.reshape(layout.scalar_shape)
    storage = layout.storage(element, pickled=pickled, widths=widths_of(items, element))
    stated = layout.type_attributes(element, scalar=scalar)
    attributes = {**(arguments.pop("attributes", None) or {}), **stated}
    given = {"shape": items.shape, **storage.arguments(), **arguments, "attributes": attributes}
    array = group.create_array(name, **given)
    write_values(array, items)
    return array


# --- reading

_Read: TypeAlias = Callable[[Any, str, Problems], Any]


def _is_stored(element: ElementType, array: Array) -> bool:
    """Say whether elements are stored as what they are, so that none has to be looked at."""
    if isinstance(element, Text):
        return _STORED_TEXT.get(array.metadata.data_type.name) == element.is_bytes
    if isinstance(element, Records) and not element.is_plain:
        return False
    return array.dtype.kind != "O" and not isinstance(element, References)


def _one(item: Any) -> NDArray[Any]:
    made = np.empty((), object)
    made[()] = item
    return made


def _read_all(items: NDArray[Any], element: ElementType, problems: Problems) -> NDArray[Any]:
    read = _reader(element)
    made = np.zeros(items.shape, numpy_dtype(element))
    for place in np.ndindex(items.shape):
        at = f"[{', '.join(map(str, place))}]"
        value = read(items[place], at, problems)
        if not problems:
            made[place] = value
    return made


def _reader(element: ElementType) -> _Read:
    match element:
        case Numbers(dtype):
            return lambda value, at, problems: _read_number(value, dtype, at, problems)
        case Text():
            return _read_bytes if element.is_bytes else _read_text
        case References():
            return _read_reference
        case Records(fields):
            readers = [(name, _reader(one)) for name, one in fields]
            return lambda value, at, problems: _read_record(value, readers, at, problems)


def _read_number(value: Any, dtype: np.dtype[Any], at: str, problems: Problems) -> Any:
    if value is None:
        return dtype.type(0)
    if isinstance(value, bool | int | float | complex | np.generic):
        return value
    problems.add(at, f"expected a number, found {shown(value)}")
    return dtype.type(0)


def _read_text(value: Any, at: str, problems: Problems) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, str):
        return str(value)
    if value is None or (type(value) is int and value == 0):  # the fill value
        return ""
    return read_reference(value, at, problems) if isinstance(value, dict) else value


def _read_bytes(value: Any, at: str, problems: Problems) -> Any:
    found = value if isinstance(value, bytes) else _read_text(value, at, problems)
    return found.encode() if isinstance(found, str) else found


def _read_reference(value: Any, at: str, problems: Problems) -> Reference | None:
    if type(value) is int and value == 0:  # the fill value
        return None
    return read_element(value, at, problems)


def _read_record(
    value: Any, readers: list[tuple[str, _Read]], at: str, problems: Problems
) -> tuple[Any, ...]:
    if value is None or (type(value) is int and value == 0):  # the fill value
        value = (None,) * len(readers)
    items = value.item() if isinstance(value, np.void) else value
    if not isinstance(items, list | tuple) or len(items) != len(readers):
        problems.add(at, f"expected a record of {len(readers)} fields, found {shown(value)}")
        return ()
    parts = zip(readers, items, strict=True)
    return tuple(read(item, f"{at}.{name}", problems) for (name, read), item in parts)


# --- writing


def as_array(values: Any, element: ElementType | None) -> NDArray[Any]:
    """Return values as an array; lists in it are records only where the type is one of records."""
    if isinstance(element, Records) and getattr(values, "dtype", None) != numpy_dtype(element):
        return _records(values, numpy_dtype(element))
    if isinstance(values, np.ndarray):
        return values
    if isinstance(values, Reference):
        return _one(values)
    return np.asarray(values, None if element is None else numpy_dtype(element))


def _records(values: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    if isinstance(values, tuple | np.void):
        return np.array(tuple(values), dtype)  # type: ignore[arg-type]
    if isinstance(values, np.ndarray):
        flat = [tuple(value) for value in values.reshape(-1)]
        return np.array(flat, dtype).reshape(values.shape)
    return np.array([tuple(value) for value in values], dtype)


def _stored(values: Any, element: ElementType, array: Array) -> NDArray[Any]:
    """Return values as the array holds them."""
    items = as_array(values, element)
    if isinstance(element, Numbers) or (isinstance(element, Records) and element.is_plain):
        return items if array.dtype.kind != "O" else _each(items, _plain)
    is_v2 = array.zarr_format == 2
    write = _writer(element, is_v2, is_json=array.serializer.name != "vlen-bytes")
    made = _each(items, write)
    if array.dtype.names is None:
        return made
    _check_widths(items, element, array.dtype)
    return np.array(made.tolist(), array.dtype)


def _each(items: NDArray[Any], write: Callable[[Any], Any]) -> NDArray[Any]:
    made = np.empty(items.shape, object)
    for place in np.ndindex(items.shape):
        made[place] = write(items[place])
    return made


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _writer(element: ElementType, is_v2: bool, is_json: bool) -> Callable[[Any], Any]:
    match element:
        case Numbers():
            return _plain
        case Text():
            return _write_bytes if element.is_bytes and not is_json else _write_text
        case References():
            return lambda value: _write_reference(value, is_v2)
        case Records(fields):
            writers = [_writer(one, is_v2, is_json=True) for _, one in fields]
            return lambda value: tuple(write(part) for write, part in zip(writers, value, strict=True))


def _write_text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, str):
        return str(value)
    raise ConversionError(f"expected text, found {shown(value)}")


def _write_bytes(value: Any) -> bytes:
    return bytes(value) if isinstance(value, bytes) else _write_text(value).encode()


def _write_reference(value: Any, is_v2: bool) -> Any:
    if value is None:
        return None if is_v2 else ""
    if not isinstance(value, Reference):
        raise ConversionError(f"expected a reference, found {shown(value)}")
    return as_json(value.to_json(2)) if is_v2 else element_text(value)


def widths_of(items: NDArray[Any], element: ElementType) -> dict[str, int]:
    """Return the longest text of each field of text or references, in characters."""
    if not isinstance(element, Records) or items.dtype.names is None:
        return {}
    writers = {
        name: _writer(one, is_v2=False, is_json=True)
        for name, one in element.fields
        if isinstance(one, Text | References)
    }
    return {
        name: max((len(write(value)) for value in items[name].flat), default=1)
        for name, write in writers.items()
    }


def _check_widths(items: NDArray[Any], element: ElementType, dtype: np.dtype[Any]) -> None:
    for name, width in widths_of(items, element).items():
        room = dtype[name].itemsize // 4
        if width > room:
            raise ConversionError(f"field {name!r}: expected {room} characters at most, found {width}")
