"""Special attributes: how a variable is stored, told as `ncdump -s` tells it.

https://docs.unidata.ucar.edu/nug/current/_c_d_l.html
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from omnizarr.errors import OmniZarrError
from omnizarr.netcdf.cdl.reading.scope import Special, VariableDraft
from omnizarr.netcdf.cdl.reading.tokens import Unexpected
from omnizarr.netcdf.defining.definition import chunks_of
from omnizarr.netcdf.filters.known import Filter, Fletcher32, Shuffle, Zlib
from omnizarr.netcdf.filters.text import read_codecs_attribute, read_filter_attribute
from omnizarr.netcdf.model.nodes import DimensionModel, VariableModel

_TRUTHS = {"true": True, "1": True, 1: True, "false": False, "0": False, 0: False}
_STORAGES = ("contiguous", "compact", "chunked")


def with_storage(model: VariableModel, draft: VariableDraft) -> VariableModel:
    """Return a variable with its chunks, filters and byte order, as its special attributes say.

    Without chunks where they say nothing of them: what is usual depends on what the dataset is kept in.

    Raises
    ------
    Unexpected
        One of them has a value that it cannot have.
    """
    reader = _Reader(draft)
    storage = reader.choice("_Storage", _STORAGES)
    sizes = reader.numbers("_ChunkSizes")
    filters = reader.filters() if draft.dimensions else ()
    contiguous = storage in ("contiguous", "compact") and sizes is None and not filters
    return replace(
        model,
        no_fill=bool(reader.truth("_NoFill")),
        endian=reader.choice("_Endianness", ("little", "big")) or model.endian,
        filters=filters,
        chunks=reader.chunks(sizes, contiguous) if sizes or storage else None,
        contiguous=contiguous and bool(draft.dimensions),
    )


class _Reader:
    """Reads the special attributes of one variable."""

    def __init__(self, draft: VariableDraft) -> None:
        self.draft = draft

    def chunks(self, sizes: tuple[int, ...] | None, contiguous: bool) -> tuple[int, ...] | None:
        # ncgen defines variables before unlimited dimensions have a size.
        dimensions = [
            DimensionModel(d.name, 0 if d.unlimited else d.size, d.unlimited) for d in self.draft.dimensions
        ]
        try:
            return chunks_of(self.draft.type, dimensions, sizes, contiguous)
        except ValueError as error:
            special = self.draft.special.get("_ChunkSizes" if sizes else "_Storage")
            raise Unexpected(special.at if special else self.draft.at, str(error)) from error

    def filters(self) -> tuple[Filter, ...]:
        codecs = self.listed("_Codecs", read_codecs_attribute)
        if codecs:
            return codecs
        level = self.number("_DeflateLevel")
        found: list[Filter] = [Shuffle()] if self.truth("_Shuffle") else []
        found += self.listed("_Filter", read_filter_attribute)
        if level is not None and not any(isinstance(entry, Zlib) for entry in found):
            found.append(Zlib(level))
        if self.truth("_Fletcher32"):
            found.append(Fletcher32())
        return tuple(dict.fromkeys(found))

    def listed(self, name: str, read: Callable[[str], tuple[Filter, ...]]) -> tuple[Filter, ...]:
        text = self.text(name)
        try:
            return read(text) if text else ()
        except OmniZarrError as error:
            raise Unexpected(self.draft.special[name].at, str(error)) from error

    # --- values

    def value(self, name: str) -> Any:
        special = self.draft.special.get(name)
        if special is None:
            return None
        if len(special.values) != 1:
            raise Unexpected(special.at, f"expected one value for {name}, found {len(special.values)}")
        return special.values[0]

    def text(self, name: str) -> str | None:
        value = self.value(name)
        if value is not None and not isinstance(value, str):
            raise self.wrong(name, "a text", value)
        return value

    def choice(self, name: str, known: tuple[str, ...]) -> Any:
        value = self.value(name)
        if value is not None and value not in known:
            raise self.wrong(name, " or ".join(map(repr, known)), value)
        return value

    def truth(self, name: str) -> bool | None:
        value = self.value(name)
        if value is not None and value not in _TRUTHS:
            raise self.wrong(name, "'true' or 'false'", value)
        return None if value is None else _TRUTHS[value]

    def number(self, name: str) -> int | None:
        value = self.value(name)
        if value is not None and not (isinstance(value, int) and 0 <= value <= 9):
            raise self.wrong(name, "a level from 0 to 9", value)
        return value

    def numbers(self, name: str) -> tuple[int, ...] | None:
        special = self.draft.special.get(name)
        if special is None:
            return None
        if not all(isinstance(value, int) and value > 0 for value in special.values):
            raise self.wrong(name, "a size for each dimension", special.values)
        return special.values

    def wrong(self, name: str, expected: str, found: object) -> Unexpected:
        special: Special = self.draft.special[name]
        return Unexpected(special.at, f"{name}: expected {expected}, found {found!r}")
