"""Types of TypeScript, and how they are written.

https://www.typescriptlang.org/docs/handbook/2/everyday-types.html
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

_WIDTH = 100
_BREAK = "\n"
_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")


@dataclass(frozen=True, slots=True)
class Word:
    """A type that is one word: `string`, a literal, the name of another type."""

    text: str


@dataclass(frozen=True, slots=True)
class Applied:
    """A generic type with its arguments."""

    name: str
    arguments: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class Union:
    """Any of several types."""

    options: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class Both:
    """All of several types at once."""

    parts: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class Items:
    """An array of any length."""

    item: Type


@dataclass(frozen=True, slots=True)
class Fixed:
    """A tuple: `required` items, then some that may be missing, then any number of `rest`."""

    items: tuple[Type, ...]
    required: int
    rest: Type | None = None


@dataclass(frozen=True, slots=True)
class Field:
    """A property of an object."""

    name: str
    type: Type
    optional: bool = False
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Index:
    """The other properties of an object: those with names of type `key`."""

    key: str
    type: Type


@dataclass(frozen=True, slots=True)
class Object:
    """An object: the properties that are named, and the others."""

    fields: tuple[Field, ...] = ()
    others: tuple[Index, ...] = ()


Type: TypeAlias = Word | Applied | Union | Both | Items | Fixed | Object

UNKNOWN, NEVER, NULL, BOOLEAN = Word("unknown"), Word("never"), Word("null"), Word("boolean")
_NEITHER = {Word("true"), Word("false")}


def union_of(options: Iterable[Type]) -> Type:
    """Return the type of what is of any of several types, as short as it can be said."""
    flat: dict[Type, None] = {}
    for option in options:
        flat.update(dict.fromkeys(option.options if isinstance(option, Union) else (option,)))
    flat.pop(NEVER, None)
    if UNKNOWN in flat:
        return UNKNOWN
    if flat.keys() >= _NEITHER:
        flat = {BOOLEAN if one == Word("true") else one: None for one in flat if one != Word("false")}
    if NULL in flat:  # it reads best at the end
        flat[flat.pop(NULL) or NULL] = None
    return Union(tuple(flat)) if len(flat) > 1 else next(iter(flat), NEVER)


def both_of(parts: Iterable[Type]) -> Type:
    """Return the type of what is of all of several types, as short as it can be said."""
    flat: dict[Type, None] = {}
    for part in parts:
        flat.update(dict.fromkeys(part.parts if isinstance(part, Both) else (part,)))
    flat.pop(UNKNOWN, None)
    if NEVER in flat:
        return NEVER
    return Both(tuple(flat)) if len(flat) > 1 else next(iter(flat), UNKNOWN)


def quoted(text: str) -> str:
    """Return a string as TypeScript writes it."""
    return json.dumps(text, ensure_ascii=not text.isprintable())


def comment(text: str, indent: str = "") -> str:
    """Return lines of text as a comment for those who use what stands below; nothing, where there is none."""
    lines = [line.rstrip() for line in text.replace("*/", "*\\/").strip().splitlines()]
    if not lines:
        return ""
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */\n"
    body = "".join(f"{indent} * {line}".rstrip() + "\n" for line in lines)
    return f"{indent}/**\n{body}{indent} */\n"


def written(kind: Type, indent: str = "", used: int = 0) -> str:
    """Return a type as text; what is too long for a line stands on several.

    Parameters
    ----------
    indent
        What the lines after the first begin with.
    used
        How much of the first line is taken already.
    """
    if not _has_comments(kind):
        line = _on_one_line(kind)
        if len(line) + max(used, len(indent)) <= _WIDTH:
            return line
    inner = indent + "  "
    match kind:
        case Union(options):
            return _broken("|", options, inner)
        case Both(parts):
            return _broken("&", parts, inner)
        case Applied(name, arguments):
            return f"{name}<\n{_lines([('', one, '') for one in arguments], inner)}{indent}>"
        case Items(item):
            return _as_item(written(item, indent, used + 1), item)
        case Fixed():
            return f"[\n{_lines(_elements(kind), inner)}{indent}]"
        case Object():
            return "{\n" + properties(kind, inner) + indent + "}"
    return _on_one_line(kind)


def properties(kind: Object, indent: str) -> str:
    """Return the properties of an object, each on lines of its own."""
    lines = [
        comment(field.comment, indent) + _property(_label(field), field.type, indent) for field in kind.fields
    ]
    lines += [_property(f"[name: {other.key}]", other.type, indent) for other in kind.others]
    return "".join(lines)


def _property(label: str, kind: Type, indent: str) -> str:
    text = written(kind, indent, len(indent + label) + 3)
    return f"{indent}{label}:{'' if text.startswith(_BREAK) else ' '}{text};\n"


def _on_one_line(kind: Type) -> str:
    match kind:
        case Word(text):
            return text
        case Applied(name, arguments):
            return f"{name}<{', '.join(map(_on_one_line, arguments))}>"
        case Union(options):
            return " | ".join(map(_on_one_line, options))
        case Both(parts):
            return " & ".join(_in_parentheses(_on_one_line(part), part) for part in parts)
        case Items(item):
            return _as_item(_on_one_line(item), item)
        case Fixed():
            elements = (before + _on_one_line(one) + after for before, one, after in _elements(kind))
            return f"[{', '.join(elements)}]"
        case Object(fields, others):
            inner = [f"{_label(field)}: {_on_one_line(field.type)}" for field in fields]
            inner += [f"[name: {other.key}]: {_on_one_line(other.type)}" for other in others]
            return f"{{ {'; '.join(inner)} }}" if inner else "{}"


def _elements(kind: Fixed) -> list[tuple[str, Type, str]]:
    """Return the elements of a tuple with what stands before and after each."""
    found = [("", item, "") for item in kind.items[: kind.required]]
    for item in kind.items[kind.required :]:
        found.append(("(", item, ")?") if _is_compound(item) else ("", item, "?"))
    return found if kind.rest is None else [*found, ("...", Items(kind.rest), "")]


def _label(field: Field) -> str:
    name = field.name if _IDENTIFIER.fullmatch(field.name) else quoted(field.name)
    return name + "?" * field.optional


def _lines(parts: Sequence[tuple[str, Type, str]], indent: str) -> str:
    """Return types on lines of their own, each with what stands before and after it."""
    texts = (before + written(kind, indent, len(indent + before)) + after for before, kind, after in parts)
    return ",\n".join(text[1:] if text.startswith(_BREAK) else indent + text for text in texts) + "\n"


def _broken(mark: str, kinds: Sequence[Type], indent: str) -> str:
    return "".join(
        f"\n{indent}{mark} " + _in_parentheses(written(kind, indent + "  ", len(indent) + 2), kind, mark)
        for kind in kinds
    )


def _in_parentheses(text: str, kind: Type, mark: str = "&") -> str:
    return f"({text})" if mark == "&" and isinstance(kind, Union) else text


def _as_item(text: str, kind: Type) -> str:
    return f"({text})[]" if _is_compound(kind) else f"{text}[]"


def _is_compound(kind: Type) -> bool:
    return isinstance(kind, Union | Both)


def _has_comments(kind: Type) -> bool:
    match kind:
        case Object(fields, others):
            return any(field.comment or _has_comments(field.type) for field in fields) or any(
                _has_comments(other.type) for other in others
            )
        case Union(several) | Both(several) | Applied(_, several) | Fixed(several):
            return any(map(_has_comments, several))
        case Items(item):
            return _has_comments(item)
    return False
