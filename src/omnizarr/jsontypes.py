"""JSON at the edge: parsing, writing, and narrowing to typed values.

A document is parsed once. The `read_*` functions narrow one value each; a value that does not fit
is added to `Problems` with its location, and a harmless value of the right type is returned, so that
a reader can go on and report everything that is wrong at once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from math import isfinite
from typing import Any, TypeAlias

import orjson

from omnizarr.config import config
from omnizarr.errors import MetadataError, Problem, UnsupportedError

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
JsonObject: TypeAlias = "dict[str, Json]"

# orjson reads integers beyond 64 bits as floats; such documents go to the exact parser. Looking for 19 digits
# in a row takes 0.5 µs for a document of 350 bytes with a table, 6 µs with a regular expression.
_DIGITS_AS_0 = bytes(ord("0") if chr(code).isdigit() and code < 128 else ord(" ") for code in range(256))
_LONG_NUMBER = b"0" * 19
_DECODER = json.JSONDecoder()

# What C programs print and JSON has no name for; strings are matched first so that they stay as they are.
# Nothing is looked at twice: a text without its last quote goes to the end, numbers begin where digits do.
_LOOSE = re.compile(
    r'"(?:[^"\\]++|\\.)*+"?'
    r"|(?<![0-9])(?P<point>-?[0-9]++\.)(?![0-9])"
    r"|(?P<word>[-+]?\b(?:nan|inf(?:inity)?)\b)",
    re.IGNORECASE | re.DOTALL,
)

# Those who read a document go down it by several calls a level, and Python has room for 1000.
_DEEPEST = 220
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def parse_json(data: bytes | bytearray | memoryview) -> Json:
    """Parse a JSON document.

    Tolerated, because they are found in the wild: bare NaN and Infinity, numbers such as `0.`, a byte
    order mark, and junk after the document.

    Raises
    ------
    ValueError
        The bytes are not JSON, or not UTF-8; they are more than `config.max_document_bytes`, or nested in
        more than 220 levels.
    """
    if isinstance(data, memoryview):
        data = bytes(data)
    if len(data) > config.settings.max_document_bytes:
        limit = config.settings.max_document_bytes
        raise ValueError(f"the document has {len(data)} bytes, max_document_bytes are {limit}")
    value = _parsed(data)
    if data.count(b"[") + data.count(b"{") > _DEEPEST and _is_deep(data, value):
        raise ValueError(f"the document is nested too deeply: expected {_DEEPEST} levels at most")
    return value


def has_long_numbers(data: bytes | bytearray) -> bool:
    """Say whether a document may have integers that orjson does not read as they are."""
    return _LONG_NUMBER in data.translate(_DIGITS_AS_0)


def _parsed(data: bytes | bytearray) -> Json:
    if not has_long_numbers(data):
        try:
            return orjson.loads(data)  # type: ignore[no-any-return]
        except orjson.JSONDecodeError:
            pass
    text = bytes(data).decode("utf-8").lstrip("\ufeff \t\r\n")
    try:
        return _first_value(text)
    except ValueError:
        mended = _LOOSE.sub(_mended, text)
        if mended == text:
            raise
        return _first_value(mended)


def _first_value(text: str) -> Json:
    try:
        value, _ = _DECODER.raw_decode(text)
    except RecursionError:
        raise ValueError("the document is nested too deeply") from None
    return value  # type: ignore[no-any-return]


def _is_deep(data: bytes | bytearray, value: Json) -> bool:
    """Say whether a value has more levels than may be; most show by their brackets that they have not.

    To take pairs of brackets away level by level takes a thirtieth of the time that walking the value takes.
    """
    brackets = bytes(data).translate(None, _NO_BRACKETS)
    for _ in range(_DEEPEST // 2):
        if not brackets:
            return False
        inner = brackets.replace(b"[]", b"").replace(b"{}", b"")
        if len(inner) == len(brackets):
            break  # some are in texts
        brackets = inner
    return _has_more_levels(value)


def _has_more_levels(value: Json) -> bool:
    level: list[Json] = [value]
    for _ in range(_DEEPEST + 1):
        held = [item for item in level if isinstance(item, dict | list | tuple)]
        if not held:
            return False
        level = [item for each in held for item in (each.values() if isinstance(each, dict) else each)]
    return True


def _mended(found: re.Match[str]) -> str:
    if found["point"]:
        return f"{found['point']}0"
    if not found["word"]:
        return found[0]
    word = found["word"].lower()
    if word.endswith("nan"):
        return "NaN"
    return "-Infinity" if word.startswith("-") else "Infinity"


def dump_json(value: Json) -> bytes:
    """Write a JSON document, indented by two; NaN and infinities are kept as bare tokens.

    Numpy scalars and arrays and tuples are written as what they hold; other values raise TypeError.

    Raises
    ------
    MetadataError
        There are more levels than `parse_json` reads.
    """
    try:
        data = _dumped(value)
    except RecursionError:
        raise _too_deep() from None
    if data.count(b"[") + data.count(b"{") > _DEEPEST and _is_deep(data, value):
        raise _too_deep()
    return data


def _too_deep() -> MetadataError:
    return MetadataError([Problem("", f"nested too deeply: expected {_DEEPEST} levels at most")])


def _dumped(value: Json) -> bytes:
    try:
        data = orjson.dumps(value, option=orjson.OPT_INDENT_2)
    except (TypeError, orjson.JSONEncodeError):
        return _dump_exactly(value)
    # orjson turns NaN and infinities into null; only a document that has a null can have had one. To look at
    # its values takes a tenth of the time that Python's own writer takes.
    return _dump_exactly(value) if b"null" in data and _has_non_finite(value) else data


def _has_non_finite(value: Json) -> bool:
    if isinstance(value, dict):
        return any(map(_has_non_finite, value.values()))
    if isinstance(value, list | tuple):
        return any(map(_has_non_finite, value))
    return isinstance(value, float) and not isfinite(value)


def _dump_exactly(value: Json) -> bytes:
    text = json.dumps(value, indent=2, ensure_ascii=False, default=as_json)
    try:
        return text.encode()
    except UnicodeEncodeError:  # a lone surrogate, which only an escape can spell
        return json.dumps(value, indent=2, default=as_json).encode()


class Problems:
    """A list of faults, each with its location."""

    __slots__ = ("found",)

    def __init__(self) -> None:
        self.found: list[Problem] = []

    def add(self, at: str, message: str, *, unsupported: bool = False) -> None:
        """Add one fault; `unsupported` where the document is legal, but needs an extension not known here."""
        self.found.append(Problem(at, message, unsupported))

    def include(self, at: str, inner: Problems) -> None:
        """Add the faults of a part of the document that lies at `at`."""
        self.found += [Problem(inside(at, p.at), p.message, p.unsupported) for p in inner.found]

    def __bool__(self) -> bool:
        return bool(self.found)

    def check(self, *, store: str = "", path: str | None = None) -> None:
        """Raise with every fault, if there is any.

        Raises
        ------
        UnsupportedError
            Each fault is an extension that is not known here.
        MetadataError
            The document breaks its specification.
        """
        if self.found:
            kind = UnsupportedError if all(p.unsupported for p in self.found) else MetadataError
            raise kind(self.found, store=store, path=path)


def shown(value: object, limit: int = 60) -> str:
    """Return a value as an error message shows it: JSON where it is JSON, cut where it is long."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = repr(value)
    except RecursionError:
        text = f"{type(value).__name__}, nested too deeply"
    return text if len(text) <= limit else text[: limit - 1] + "…"


def read_object(
    value: Json,
    at: str,
    problems: Problems,
    *,
    required: Collection[str] = (),
    optional: Collection[str] | None = (),
) -> JsonObject:
    """Narrow to an object with the names given; `optional=None` allows any other name."""
    if not isinstance(value, dict):
        problems.add(at, f"expected an object, found {shown(value)}")
        return {}
    for name in required:
        if name not in value:
            problems.add(inside(at, name), "required, but missing")
    if optional is not None:
        for name in value:
            if name not in required and name not in optional:
                problems.add(inside(at, name), "unknown name")
    return value


def read_int(
    value: Json, at: str, problems: Problems, low: int | None = None, high: int | None = None
) -> int:
    """Narrow to an integer, of `low` at least and `high` at most."""
    if type(value) is int and (low is None or value >= low) and (high is None or value <= high):
        return value
    problems.add(at, f"expected {_range(low, high)}, found {shown(value)}")
    return low or 0


def read_bool(value: Json, at: str, problems: Problems) -> bool:
    """Narrow to a boolean."""
    if isinstance(value, bool):
        return value
    problems.add(at, f"expected true or false, found {shown(value)}")
    return False


def read_string(value: Json, at: str, problems: Problems, choices: Collection[str] | None = None) -> str:
    """Narrow to a string, one of `choices` where they are given."""
    if isinstance(value, str) and (choices is None or value in choices):
        return value
    expected = "a string" if choices is None else "one of " + ", ".join(map(shown, choices))
    problems.add(at, f"expected {expected}, found {shown(value)}")
    return next(iter(choices)) if choices else ""


def read_list(value: Json, at: str, problems: Problems, length: int | None = None) -> list[Json]:
    """Narrow to a list, of `length` items where it is given."""
    if isinstance(value, list) and (length is None or len(value) == length):
        return value
    expected = "a list" if length is None else f"a list of {length}"
    problems.add(at, f"expected {expected}, found {shown(value)}")
    return []


def read_ints(
    value: Json, at: str, problems: Problems, low: int | None = None, length: int | None = None
) -> tuple[int, ...]:
    """Narrow to a list of integers, each of `low` at least."""
    items = read_list(value, at, problems, length)
    if all(type(item) is int and (low is None or item >= low) for item in items):
        return tuple(items)  # type: ignore[arg-type]
    return tuple(read_int(item, f"{at}[{i}]", problems, low) for i, item in enumerate(items))


# Looking a type up is twice as quick as `isinstance`, and most of what is in JSON is of these.
_LEAVES = frozenset({str, int, float, bool, type(None)})


def as_json(value: Any) -> Json:
    """Turn numpy scalars and arrays, tuples and mappings into JSON values; others raise TypeError."""
    if type(value) in _LEAVES or isinstance(value, int | float | str):
        return value  # type: ignore[no-any-return]
    try:
        if isinstance(value, dict):
            return {str(key): item if type(item) in _LEAVES else as_json(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [item if type(item) in _LEAVES else as_json(item) for item in value]
    except RecursionError:
        raise _too_deep() from None
    if hasattr(value, "tolist"):
        return as_json(value.tolist())
    raise TypeError(f"expected a JSON value, found {type(value).__name__} {shown(value)}")


def same_json(one: Json, other: Json) -> bool:
    """Say whether two values are the same JSON: NaN is itself, true is not 1, -0.0 not 0.0, but 1 is 1.0."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_json(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_json, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if one == other:
        return one != 0 or str(one)[0] == str(other)[0]  # the sign of a zero is a bit of a fill value
    return one != one and other != other


def hash_json(value: Json) -> int:
    """Return a hash that is equal for values that are the same JSON."""
    if isinstance(value, dict):
        return hash(frozenset((name, hash_json(item)) for name, item in value.items()))
    if isinstance(value, list):
        return hash(tuple(map(hash_json, value)))
    return 0 if value != value else hash(value)  # that of NaN would be of the object


def inside(at: str, name: str) -> str:
    """Return the location of a part: `a` and `b` make `a.b`, `a` and `[1]` make `a[1]`."""
    return f"{at}.{name}" if at and name and name[0] != "[" else at + name


def _range(low: int | None, high: int | None) -> str:
    if low is not None and high is not None:
        return f"{low} to {high}"
    if low is not None:
        return f"an integer of at least {low}"
    return "an integer" if high is None else f"an integer of at most {high}"
