"""The text of a model's JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import orjson

from omnizarr.errors import MetadataError, Problem
from omnizarr.jsontypes import Problems, has_long_numbers, shown
from omnizarr.zom.plain import within


class _Repeated(dict[str, Any]):
    """An object in which names stand more than once."""

    __slots__ = ("names",)

    names: list[str]


def parsed(document: str | bytes | Mapping[str, Any]) -> Any:
    """Return the value of a JSON text; what is parsed already is returned as it is.

    Raises
    ------
    MetadataError
        It is no JSON, or nested beyond what Python can parse, or a name is there twice in one object.
    """
    if isinstance(document, memoryview):
        document = bytes(document)
    if isinstance(document, str | bytes | bytearray):
        return _parsed_text(document.removeprefix("\ufeff") if isinstance(document, str) else document)
    return document


def _parsed_text(text: str | bytes | bytearray) -> Any:
    try:
        return _by_orjson(text.encode() if isinstance(text, str) else text)
    except (ValueError, TypeError):
        return _by_json(text)


def _by_orjson(data: bytes | bytearray) -> Any:
    """Return the value of most texts, a third of the time sooner; raise ValueError or TypeError for others.

    orjson does not tell where a name is there twice, but then it has read fewer strings than there are.
    """
    if b"\\" in data or has_long_numbers(data):
        raise ValueError("quotes may be escaped, or numbers inexact")
    value = orjson.loads(data)
    if orjson.dumps(value).count(b'"') != data.count(b'"'):
        raise ValueError("a name is there more than once")
    return value


def _by_json(text: str | bytes | bytearray) -> Any:
    repeated: list[_Repeated] = []

    def read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) == len(pairs):
            return found
        repeated.append(_repeated(pairs))
        return repeated[-1]

    try:
        value = json.loads(text, object_pairs_hook=read_object)
    except RecursionError:
        raise MetadataError([Problem("", "the document is nested too deeply")]) from None
    except ValueError as error:
        raise MetadataError([Problem("", f"expected JSON: {error}")]) from None
    if repeated:
        problems = Problems()
        _find_repeated(value, problems)
        problems.check()
    return value


def _repeated(pairs: list[tuple[str, Any]]) -> _Repeated:
    seen: set[str] = set()
    repeated = _Repeated(pairs)
    repeated.names = [name for name, _ in pairs if name in seen or seen.add(name)]  # type: ignore[func-returns-value]
    return repeated


def _find_repeated(value: Any, problems: Problems) -> None:
    waiting = [(value, "")]
    while waiting:
        item, at = waiting.pop()
        if isinstance(item, _Repeated):
            for name in item.names:
                problems.add(at, f"the name {shown(name)} is there more than once")
        if isinstance(item, dict):
            waiting += [(inner, within(at, name)) for name, inner in item.items()]
        elif isinstance(item, list):
            waiting += [(inner, f"{at}[{number}]") for number, inner in enumerate(item)]
