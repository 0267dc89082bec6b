"""The chunk key encoding `template`: coordinates put into a text.

https://github.com/zarr-developers/zarr-extensions/tree/main/chunk-key-encodings/template
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import ClassVar

from omnizarr.errors import MetadataError, Problem
from omnizarr.jsontypes import Json, JsonObject, Problems, inside, read_object, read_string, shown
from omnizarr.metadata.chunk_keys import DEFAULT, ChunkKeyEncoding
from omnizarr.metadata.chunk_keys_affixed import check_text

_TOKEN = re.compile(r"\{\{|\}\}|\{(\*|-?[0-9]{1,4})(?::0([1-9][0-9]{0,8}))?\}|[^{}]+|[{}]")
_WIDEST = 64


@dataclass(frozen=True, slots=True)
class Term:
    """A coordinate, or those that no other term has (`index` is None), with zeros up to a width."""

    index: int | None
    width: int = 0

    def text(self, number: int) -> str:
        """Return a coordinate as it stands in a key."""
        return str(number).zfill(self.width)


@dataclass(frozen=True, slots=True)
class Template:
    """Keys made of literal text and terms: `{0}`, `{-1}`, `{1:05}`, `{*}`; braces in text are doubled."""

    name: ClassVar[str] = "template"
    format: str
    parts: tuple[str | Term, ...]
    separator: str | None = None

    def key(self, coords: tuple[int, ...]) -> str:
        """Return the key of a chunk, relative to the array.

        Raises
        ------
        MetadataError
            The template is not for as many dimensions.
        """
        places = self._places(len(coords))
        return "".join(
            part if isinstance(part, str) else self._joined(part, [coords[axis] for axis in next(places)])
            for part in self.parts
        )

    def coords(self, key: str, ndim: int) -> tuple[int, ...] | None:
        """Return the coordinates that a key stands for, or None where it is no chunk's key."""
        found = None if self.fault(ndim) else _pattern(self, ndim).fullmatch(key)
        if found is None:
            return None
        axes = [axis for place in self._places(ndim) for axis in place]
        numbers = dict(zip(axes, map(int, found.groups()), strict=True))
        coords = tuple(numbers[axis] for axis in range(ndim))
        return coords if self.key(coords) == key else None

    def to_json(self) -> Json:
        """Return the object of a v3 document."""
        rest: JsonObject = {} if self.separator is None else {"separator": self.separator}
        return {"name": self.name, "configuration": {"format": self.format, **rest}}

    def fault(self, ndim: int) -> str | None:
        """Return what keeps the template from making keys for `ndim` dimensions."""
        terms = [part.index for part in self.parts if isinstance(part, Term)]
        axes = [index if index >= 0 else ndim + index for index in terms if index is not None]
        if any(not 0 <= axis < ndim for axis in axes):
            return f"a term is of none of the {ndim} dimensions"
        if len(set(axes)) < len(axes):
            return f"two terms are of the same of {ndim} dimensions"
        if None not in terms and len(axes) < ndim:
            return f"{len(axes)} of {ndim} dimensions have a term, and there is no {{*}}"
        if None in terms and len(axes) == ndim:
            return f"there is none of {ndim} dimensions left for {{*}}"
        return None

    def _places(self, ndim: int) -> Iterator[list[int]]:
        fault = self.fault(ndim)
        if fault is not None:
            raise MetadataError([Problem("chunk_key_encoding", f"{shown(self.format)}: {fault}")])
        terms = [part.index for part in self.parts if isinstance(part, Term)]
        named = [index % ndim for index in terms if index is not None]
        rest = [axis for axis in range(ndim) if axis not in named]
        return iter([rest if index is None else [index % ndim] for index in terms])

    def _joined(self, term: Term, numbers: list[int]) -> str:
        return (self.separator or "").join([term.text(number) for number in numbers])


@lru_cache(64)
def _pattern(template: Template, ndim: int) -> re.Pattern[str]:
    places = template._places(ndim)
    between = re.escape(template.separator or "")
    return re.compile(
        "".join(
            re.escape(part)
            if isinstance(part, str)
            else between.join([f"([0-9]{{{part.width or 1},{max(part.width, 19)}}})"] * len(next(places)))
            for part in template.parts
        )
    )


def read_template(
    name: str, configuration: JsonObject, at: str, problems: Problems, ndim: int | None
) -> ChunkKeyEncoding:
    """Read `template`; its text is called `format`, and in some documents `template`."""
    texts = ("format", "template")
    fields = read_object(configuration, at, problems, optional=(*texts, "separator"))
    given = [text for text in texts if text in fields]
    if len(given) != 1:
        problems.add(inside(at, "format"), "required, but missing" if not given else "said twice")
        return DEFAULT
    place = inside(at, given[0])
    before = len(problems.found)
    text = read_string(fields[given[0]], place, problems)
    separator = None
    if "separator" in fields:
        separator = read_string(fields["separator"], inside(at, "separator"), problems)
    template = Template(text, tuple(_parts(text, place, problems)), separator)
    if len(problems.found) == before:
        _check(template, at, place, problems, ndim)
    return template if len(problems.found) == before else DEFAULT


def _parts(text: str, at: str, problems: Problems) -> list[str | Term]:
    parts: list[str | Term] = []
    for found in _TOKEN.finditer(text):
        token, index, width = found[0], found[1], int(found[2] or 0)
        if index is not None:
            parts.append(Term(None if index == "*" else int(index), width))
            if width > _WIDEST:
                problems.add(at, f"numbers of {width} digits, {_WIDEST} at most", unsupported=True)
        elif token in ("{", "}"):
            problems.add(at, f"{shown(text)} has a {token} that is neither doubled nor part of a term")
        else:
            literal = token[0] if token in ("{{", "}}") else token
            parts[-1:] = (
                [parts[-1] + literal] if parts and isinstance(parts[-1], str) else [*parts[-1:], literal]
            )
    return parts


def _check(template: Template, at: str, place: str, problems: Problems, ndim: int | None) -> None:
    terms = [part.index for part in template.parts if isinstance(part, Term)]
    if not terms:
        problems.add(place, f"expected one term at least, such as {{0}}, found {shown(template.format)}")
        return
    if terms.count(None) > 1:
        problems.add(place, "{*} may stand once only")
    if None in terms and template.separator is None:
        problems.add(inside(at, "separator"), "required by {*}, but missing")
    for text in _between_numbers(template, terms):
        if not text or text.isdigit():
            message = f"between two numbers stands {shown(text)}, so that two chunks may have one key"
            problems.add(place, message, unsupported=True)
    fault = None if ndim is None else template.fault(ndim)
    if fault is not None:
        problems.add(place, fault)
    elif ndim and not problems:
        check_text(template.format, template.key((0,) * ndim), place, problems)


def _between_numbers(template: Template, terms: list[int | None]) -> Iterator[str]:
    """Yield what stands between numbers that follow one another."""
    if None in terms and template.separator is not None:
        yield template.separator
    for first, second in pairwise(template.parts):
        if isinstance(first, Term) and isinstance(second, Term):
            yield ""
    for before, text, after in zip(template.parts, template.parts[1:], template.parts[2:], strict=False):
        if isinstance(before, Term) and isinstance(text, str) and isinstance(after, Term):
            yield text
