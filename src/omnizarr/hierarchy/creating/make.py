"""Making an array: its metadata are planned and checked, then stored, then its data are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Unpack

import numpy as np

from omnizarr.errors import MetadataError, Problem
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.creating.codec_arguments import object_type
from omnizarr.hierarchy.creating.data import fill_from
from omnizarr.hierarchy.creating.place import place
from omnizarr.hierarchy.creating.plan_array import ArrayArguments, plan_array
from omnizarr.metadata.formats.base import Format
from omnizarr.store.base import Store


class MakeArguments(ArrayArguments, total=False):
    """What a user may say about a new array and its making.

    Attributes
    ----------
    data
        An array-like to be written; gives the shape and the data type unless they are given.
    write_data
        Whether `data` is written; otherwise it only gives the shape and the data type.
    overwrite
        Delete what is there first.
    write_empty_chunks
        Whether chunks that hold only the fill value are stored, by this handle.
    config
        zarr-python's way to say so: a mapping with `write_empty_chunks`, `read_missing_chunks` and `order`.
    """

    data: Any
    write_data: bool
    overwrite: bool
    write_empty_chunks: bool | None
    config: Any


_NAMES = frozenset(ArrayArguments.__annotations__)
_ALL_NAMES = _NAMES | frozenset(MakeArguments.__annotations__)
_OLDER_NAMES = {
    "compressor": "compressors",
    "chunk_shape": "chunks",
    "dimension_separator": "chunk_key_encoding",
}


def by_present_names(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments for a new array, those under zarr-python's older names by the present ones.

    Raises
    ------
    TypeError
        There is no such argument.
    """
    given = {_OLDER_NAMES.get(name, name): value for name, value in arguments.items()}
    if not given.keys() <= _ALL_NAMES:
        raise TypeError(f"no such argument: {', '.join(sorted(given.keys() - _ALL_NAMES))}")
    return given


def make_array(
    store: Store,
    format: Format,
    path: str,
    *,
    parent: str | None = None,
    data: Any = None,
    write_data: bool = True,
    overwrite: bool = False,
    write_empty_chunks: bool | None = None,
    config: Any = None,
    **arguments: Unpack[ArrayArguments],
) -> Array:
    """Make an array and return its handle; see `MakeArguments`.

    The codecs are checked before anything is stored. Where the format keeps a node in one document and
    `parent` is known to be a group, this is one write.
    """
    if not arguments.keys() <= _NAMES:
        raise TypeError(f"no such argument: {', '.join(sorted(arguments.keys() - _NAMES))}")
    missing_chunks = None
    if config is not None:
        options = _options(config)
        if "read_missing_chunks" in options:
            missing_chunks = "fill" if options["read_missing_chunks"] else "raise"
        write_empty_chunks = options.get("write_empty_chunks", write_empty_chunks)
        arguments.setdefault("order", options.get("order"))
    values = data if data is None or hasattr(data, "shape") else np.asarray(data)
    if values is not None:
        _take_from(values, arguments)
    if "shape" not in arguments:
        raise TypeError("expected a shape or data, found neither")
    array = Array(store, format, path, plan_array(format.zarr_format, **arguments))
    array.write_empty_chunks = write_empty_chunks
    array.missing_chunks = missing_chunks
    place(store, format, path, array.metadata, overwrite=overwrite, parent=parent)
    if values is not None and write_data:
        fill_from(array, values)
    return array


def _options(config: Any) -> Mapping[str, Any]:
    if is_dataclass(config) and not isinstance(config, type):
        config = {field.name: getattr(config, field.name) for field in fields(config)}
    unknown = set(config) - {"write_empty_chunks", "order", "read_missing_chunks"}
    if unknown:
        raise TypeError(f"config: expected 'order' and 'write_empty_chunks', found {sorted(unknown)}")
    return config  # type: ignore[no-any-return]


def _take_from(values: Any, arguments: ArrayArguments) -> None:
    if arguments.get("shape") is None:
        arguments["shape"] = tuple(values.shape)
    if arguments.get("dtype") is None:
        known = object_type(arguments.get("filters")) is not None
        arguments["dtype"] = values.dtype if known else type_of(values)


def type_of(values: Any) -> Any:
    """Return what says the data type of an array-like: numpy's objects are looked at.

    Raises
    ------
    MetadataError
        The objects are neither all strings nor all bytes.
    """
    if isinstance(values, Array):
        return values.metadata.data_type
    if values.dtype.kind != "O":
        return values.dtype
    kinds = set(map(type, np.asarray(values).flat))
    for kind in (str, bytes):
        if kinds and all(issubclass(found, kind) for found in kinds):
            return kind
    found = ", ".join(sorted(kind.__name__ for kind in kinds)) or "nothing"
    message = f"expected strings, bytes, or a dtype or object codec that says what they are; found {found}"
    raise MetadataError([Problem("data", message)])
