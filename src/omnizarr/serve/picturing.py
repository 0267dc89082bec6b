"""Pictures in binary: the length of a header, the header as JSON, the values, a byte of mask for each."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from omnizarr.jsontypes import Json, JsonObject
from omnizarr.pictures.asked import axis_number, shown_axes
from omnizarr.pictures.cost import PictureTooLarge
from omnizarr.pictures.cut import Axis, Picture, cut
from omnizarr.pictures.subject import Subject
from omnizarr.pictures.times import as_iso, is_time
from omnizarr.serve.asking import Cut
from omnizarr.serve.describing import fields_of
from omnizarr.serve.opened import Opened
from omnizarr.serve.parcels import Body
from omnizarr.serve.spelling import EXACT, brief, json_bytes, number

# Texts are looked at as a table.
_MOST_TEXTS = 128
# As many as a line or a table has.
_MOST_DATES = 4096
# In memory some times over, until they are sent.
MOST_POINTS = 2**22
_PLAIN = {"i1", "u1", "i2", "u2", "i4", "u4", "f4", "f8"}


def picture_body(opened: Opened, path: str, asked: Cut, max_bytes: int) -> Body:
    """Return the picture of an array, as what comes one after the other.

    Where too much would have to be decoded it is one of a window, and the header says so (`narrowed`).

    Raises
    ------
    SelectionError
        There is no such axis, place or field, or there are no elements.
    PictureTooLarge
        Not even a window can be shown.
    """
    subject = opened.subject(path)
    if asked.field is None and subject.array.dtype.names is not None:
        asked = replace(asked, field=subject.array.dtype.names[0])
    if subject.array.dtype.kind in "OSUV" and subject.array.metadata.data_type.scalars is None:
        asked = replace(asked, most=(min(asked.most[0], _MOST_TEXTS), min(asked.most[1], _MOST_TEXTS)))
    picture, narrowed = _cut(subject, _thinned(subject, asked), max_bytes)
    sent = _sent(picture)
    header: JsonObject = {
        "axes": [_axis(axis, subject) for axis in picture.axes],
        "at": _places(opened, path, subject, picture, asked, max_bytes),
        "count": picture.values.size,
        "dtype": sent.dtype,
        "source": str(picture.values.dtype),
        "bytes": len(sent.values),
        "masked": sent.mask is not None,
        "dates": _dates(subject, picture),
        "units": _brief(picture.units),
        "long_name": _brief(picture.long_name),
        "note": _brief("; ".join(filter(None, (picture.note, sent.note)))),
        "narrowed": narrowed,
        "fields": fields_of(subject.array),
    }
    head = json_bytes(header)
    head += b" " * (-(len(head) + 4) % 8)  # so that the values are where an array of any type may start
    return [struct.pack("<I", len(head)), head, sent.values, sent.mask or b""]


def _cut(subject: Subject, asked: Cut, max_bytes: int) -> tuple[Picture, str | None]:
    def taken(window: Any) -> Picture:
        return cut(
            subject,
            asked.axes,
            asked.at,
            window=window,
            most=asked.most,
            max_bytes=max_bytes,
            field=asked.field,
        )

    try:
        return taken(asked.window), None
    except PictureTooLarge as error:
        if not error.window:
            raise
        said = "Too much would have to be read for all of it, so that a part from the middle is shown."
        return taken(error.window), said


def _thinned(subject: Subject, asked: Cut) -> Cut:
    """Return what is asked for with no more points than are sent."""
    numbers = shown_axes(subject, asked.axes)
    if len(numbers) < 2:
        return asked
    lengths = {axis_number(subject, key): stop - start for key, (start, stop) in asked.window.items()}
    sizes = [
        min(most, lengths.get(number, subject.array.shape[number]))
        for most, number in zip(asked.most, numbers, strict=True)
    ]
    if math.prod(sizes) <= MOST_POINTS:
        return asked
    share = math.sqrt(MOST_POINTS / math.prod(sizes))
    return replace(asked, most=(int(sizes[0] * share), int(sizes[1] * share)))


def _axis(axis: Axis, subject: Subject) -> JsonObject:
    return {
        "name": brief(axis.name),
        "number": axis.number,
        "start": number(axis.start),
        "step": number(axis.step),
        "count": axis.count,
        "size": number(subject.array.shape[axis.number]),
        "coordinates": None if axis.coordinates is None else _coordinates(axis.coordinates),
        "units": _brief(axis.units),
        "long_name": _brief(axis.long_name),
    }


def _brief(text: str | None) -> str | None:
    return brief(text) if text else None


def _coordinates(values: NDArray[Any]) -> list[Json]:
    """Return coordinates: floats by their shortest digits, null for what is not finite."""
    if values.dtype.kind == "f":
        digits = (float(str(value)) if value.dtype.itemsize < 8 else float(value) for value in values)
        return [value if np.isfinite(value) else None for value in digits]
    if values.dtype.kind in "iu":
        return [number(value) for value in values.tolist()]
    return [str(value)[:200] for value in values.tolist()]


def _places(
    opened: Opened, path: str, subject: Subject, picture: Picture, asked: Cut, max_bytes: int
) -> list[Json]:
    """Return where the axes that are not shown are cut, with the coordinates there."""
    places = {key if isinstance(key, int) else subject.names.index(key): at for key, at in asked.at.items()}
    shown = {axis.number for axis in picture.axes}
    found: list[Json] = []
    for axis in range(subject.array.ndim):
        if axis in shown:
            continue
        index = places.get(axis, 0)
        coordinate = opened.coordinate(path, axis, index, max_bytes)
        said = None if coordinate is None else _coordinates(coordinate.values)[0]
        found.append(
            {
                "axis": axis,
                "name": brief(subject.label(axis)),
                "index": number(index),
                "coordinate": said,
                "units": None if coordinate is None else _brief(coordinate.units),
            }
        )
    return found


# Values


@dataclass(frozen=True, slots=True)
class _Sent:
    """Values as they are sent; `dtype` is numpy's name of their type, or `text`."""

    dtype: str
    values: bytes | memoryview
    mask: bytes | memoryview | None
    note: str | None = None


def _dates(subject: Subject, picture: Picture) -> list[Json] | None:
    """Return values that are times as texts, empty where missing; None where they are none, or very many."""
    values, units = picture.values, picture.units
    if units is None or not is_time(units) or values.dtype.kind not in "iuf" or values.size > _MOST_DATES:
        return None
    found = as_iso(values, units, subject.text("calendar"))
    return None if found is None else found.reshape(-1).tolist()


def _sent(picture: Picture) -> _Sent:
    values = np.ma.getdata(picture.values)
    mask = np.ma.getmaskarray(picture.values)
    masked = _bytes(mask.view("u1")) if mask.any() else None
    if values.dtype.kind in "OSU":
        texts: list[Json] = [
            "" if hidden else str(text) for text, hidden in zip(values.flat, mask.flat, strict=True)
        ]
        data = json_bytes(texts)
        return _Sent("text", data, masked)
    values, note = _plain(np.where(mask, np.zeros((), values.dtype), values) if masked else values)
    return _Sent(values.dtype.name, _bytes(_little(values)), masked, note)


def _plain(values: NDArray[Any]) -> tuple[NDArray[Any], str | None]:
    """Return numbers in a type that JavaScript has, and what has to be said about it."""
    kind = values.dtype.newbyteorder("=").str[1:]
    if values.dtype.kind == "b":
        return values.astype("u1"), None
    if kind in _PLAIN:
        return values, None
    if kind in ("i8", "u8"):
        exact = not values.size or (int(values.min()) >= -EXACT and int(values.max()) <= EXACT)
        if exact:
            return values.astype("f8"), None
        return (
            values,
            "some integers are beyond 2^53: they are told exactly, and coloured as the nearest number",
        )
    if values.dtype.kind == "f" and values.dtype.itemsize > 8:
        return values.astype("f8"), "rounded to 64 bits"
    return values.astype("f4"), None


def _bytes(values: NDArray[Any]) -> memoryview:
    """Return what an array holds, without copying it where it is one piece of memory."""
    return np.ascontiguousarray(values).reshape(-1).view("u1").data


def _little(values: NDArray[Any]) -> NDArray[Any]:
    return np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
