"""Reading lists of values: element by element by their type, plain numbers many at once.

https://docs.unidata.ucar.edu/nug/current/_c_d_l.html
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import prod
from typing import TypeAlias

import numpy as np

from omnizarr.errors import ConversionError
from omnizarr.netcdf.cdl.reading.characters import Row, end_of, rows_of
from omnizarr.netcdf.cdl.reading.constants import (
    Character,
    Constant,
    Fill,
    Number,
    Text,
    constant,
    decoded,
    unescaped,
)
from omnizarr.netcdf.cdl.reading.convert import converted, described
from omnizarr.netcdf.cdl.reading.numbers import plain_numbers
from omnizarr.netcdf.cdl.reading.tokens import Tokens, Unexpected
from omnizarr.netcdf.cdl.reading.values import AnyArray, filler
from omnizarr.netcdf.cdl.words import FILL
from omnizarr.netcdf.model.items import Item, from_numpy, to_numpy
from omnizarr.netcdf.model.types import BYTE, CHAR, STRING, UBYTE, AtomicType, Compound, Field, NcType, Vlen

Elements: TypeAlias = "AnyArray | list[Item]"

# An element that is a word or a text without comments around it, up to what ends it.
_ELEMENT = re.compile(
    r'\s*+(?:"((?:[^"\\]++|\\.)*+)"|([A-Za-z0-9_.+-]++))\s*+(?=[,;}])', re.DOTALL | re.ASCII
)
_MOST_KNOWN = 4096
_MOST_BYTES = 2**30


class Lists:
    """Reads values from tokens; each method stops before the `;` or `}` that ends its list."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self._fillers: dict[int, tuple[NcType, Item]] = {}

    def elements(self, kind: NcType, fill: Item | None) -> Elements:
        """Read the values of a type; `_` is the fill value, where there is one."""
        if isinstance(kind, AtomicType) and kind.is_numeric:
            numbers = plain_numbers(kind, self.tokens.text, self.tokens.position, fill)
            if numbers is not None:
                self.tokens.seek(numbers.stop)
                return numbers.values
        return self._nested(kind, fill) if isinstance(kind, Vlen | Compound) else self._words(kind, fill)

    def array(self, kind: NcType, elements: Elements, at: int) -> AnyArray:
        """Return elements as an array."""
        if isinstance(elements, np.ndarray):
            return elements
        if len(elements) * kind.size > _MOST_BYTES:
            raise Unexpected(at, f"{len(elements)} values of type {kind} take more than a gigabyte of memory")
        try:
            return to_numpy(kind, elements)
        except ConversionError as error:
            raise Unexpected(at, str(error)) from error

    def texts(self, fill: bytes | None) -> list[bytes]:
        """Read texts and characters; characters in a row make one text."""
        found: list[bytes] = []
        joins = False
        self._plain_texts(found)
        while not self._at_end(bool(found)):
            item = constant(self.tokens.take())
            is_character = isinstance(item, Character | Number)
            if is_character and joins:
                found[-1] += _bytes_of(item, fill)
            else:
                found.append(_bytes_of(item, fill))
            joins = is_character
        return found

    def rows(self, shape: Sequence[int], fill: bytes) -> tuple[Row, ...]:
        """Read the characters of an array of a fixed shape."""
        at = self.tokens.peek().at
        found = rows_of(self.texts(fill), shape[-1] if len(shape) > 1 else None, prod(shape))
        if end_of(found) > prod(shape):
            raise Unexpected(at, f"expected at most {prod(shape)} characters, found {end_of(found)}")
        return found

    def constants(self) -> list[Constant]:
        """Read constants, whatever they are."""
        found: list[Constant] = []
        while not self._at_end(bool(found)):
            found.append(constant(self.tokens.take()))
        return found

    def filler(self, kind: NcType) -> Item:
        """Return what a list that leaves out a value of a type means."""
        if id(kind) not in self._fillers:
            self._fillers[id(kind)] = kind, filler(kind)
        return self._fillers[id(kind)][1]

    def _at_end(self, started: bool) -> bool:
        """Say whether the list ends here; else take the comma in front of the next element."""
        token = self.tokens.peek()
        if token.text in (";", "}"):
            return True
        if started:
            self.tokens.expect(",", " or the end of the list")
        return False

    def _plain_texts(self, found: list[bytes]) -> None:
        """Read texts as long as there is nothing else; 14 MB of them take 1.1 s, by tokens 6 s."""
        text, position = self.tokens.text, self.tokens.position
        while (element := _ELEMENT.match(text, position)) is not None and element[1] is not None:
            found.append(unescaped(element[1]))
            position = element.end()
            if text[position] != ",":
                break
            position += 1
        # What follows is read by tokens, which want to see the comma.
        self.tokens.seek(position - 1 if found and text[position - 1] == "," else position)

    # --- elements of one token

    def _words(self, kind: NcType, fill: Item | None) -> list[Item]:
        """Read elements of one token each; a word that was met before is not read again."""
        text, position = self.tokens.text, self.tokens.position
        found: list[Item] = []
        known: dict[str, Item] = {}
        while True:
            element = _ELEMENT.match(text, position)
            item = _known(kind, element, known) if element else None
            if element is not None and item is not None:
                found.append(item)
                position = element.end()
                if text[position] == ",":
                    position += 1
                    continue
                self.tokens.seek(position)
                return found
            self.tokens.seek(position)
            if not found and self._at_end(False):
                return found
            item = converted(kind, constant(self.tokens.take()), fill)
            found.append(item)
            if element is not None and element[2] and len(known) < _MOST_KNOWN:
                known[element[2]] = item
            if self._at_end(True):
                return found
            position = self.tokens.position

    # --- elements in braces

    def _nested(self, kind: Vlen | Compound, fill: Item | None) -> list[Item]:
        found: list[Item] = []
        while not self._at_end(bool(found)):
            found.append(self._structured(kind, fill))
        return found

    def _structured(self, kind: Vlen | Compound, fill: Item | None) -> Item:
        if self._takes_fill():
            return converted(kind, Fill(self.tokens.position), fill)
        self.tokens.expect("{", f" in front of a value of type {kind}")
        item = self._sequence(kind) if isinstance(kind, Vlen) else self._record(kind)
        self.tokens.expect("}", f" behind a value of type {kind}")
        return item

    def _sequence(self, kind: Vlen) -> Item:
        if kind.base is CHAR:
            return tuple(bytes([byte]) for byte in b"".join(self.texts(None)))
        return _items(kind.base, self.elements(kind.base, self.filler(kind.base)))

    def _record(self, kind: Compound) -> Item:
        found: list[Item] = []
        for field, default in zip(kind.fields, _listed(self.filler(kind)), strict=True):
            found.append(default if self._at_end(bool(found)) else self._field(field, default))
        if not self._at_end(False):
            token = self.tokens.peek()
            raise Unexpected(token.at, f"expected the end of {len(found)} fields of {kind}, found {token}")
        return tuple(found)

    def _field(self, field: Field, default: Item) -> Item:
        if not field.shape:
            if isinstance(field.type, Vlen | Compound):
                return self._structured(field.type, default)
            return converted(field.type, constant(self.tokens.take()), default)
        if self._takes_fill():
            return default
        self.tokens.expect("{", f" in front of the values of field {field.name!r}")
        found = self._field_values(field, prod(field.shape))
        self.tokens.expect("}", f" behind the values of field {field.name!r}")
        return (*found, *_listed(default)[len(found) :])

    def _field_values(self, field: Field, count: int) -> tuple[Item, ...]:
        if field.type is CHAR:
            data = bytearray()
            for start, text in self.rows(field.shape, b"\0"):
                data = data.ljust(start, b"\0") + text
            return tuple(bytes([byte]) for byte in data)
        at = self.tokens.position
        found = _items(field.type, self.elements(field.type, self.filler(field.type)))
        if len(found) > count:
            raise Unexpected(
                at, f"expected at most {count} values of field {field.name!r}, found {len(found)}"
            )
        return found

    def _takes_fill(self) -> bool:
        token = self.tokens.peek()
        found = token.kind == "name" and token.text == FILL
        if found:
            self.tokens.take()
        return found


def _known(kind: NcType, element: re.Match[str], known: dict[str, Item]) -> Item | None:
    """Return an element that needs no looking at; None where it does."""
    word: str | None = element[2]
    if word is not None:
        return known.get(word)
    if kind is not STRING:
        return None
    data = unescaped(element[1])
    return None if b"\0" in data else decoded(data)


def _bytes_of(item: Constant, fill: bytes | None) -> bytes:
    match item:
        case Text(value=data):
            return data
        case Character(value=byte):
            return bytes([byte])
        case Number(type=kind, value=int(value)) if kind in (BYTE, UBYTE):
            return bytes([value & 0xFF])
        case Fill() if fill is not None:
            return fill
        case _:
            raise Unexpected(item.at, f"expected text for type char, found {described(item)}")


def _items(kind: NcType, elements: Elements) -> tuple[Item, ...]:
    return from_numpy(kind, elements) if isinstance(elements, np.ndarray) else tuple(elements)


def _listed(item: Item) -> tuple[Item, ...]:
    return item if isinstance(item, tuple) else (item,)
