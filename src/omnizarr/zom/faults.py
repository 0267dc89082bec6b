"""What is wrong with a model: pydantic's errors and ours, told together, each with the path of its node.

An error of pydantic remembers the models that it was found by, from the root to its node (`chain`), so that
of a union of models only the errors of the one that comes nearest are told.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from omnizarr.errors import MetadataError, Problem
from omnizarr.hierarchy.paths import joined
from omnizarr.hierarchy.validate import Finding
from omnizarr.jsontypes import Problems, shown
from omnizarr.zom.plain import within

_PART = re.compile(r"\[(\d+)\]|([^.\[\]]+)")
_CHAIN, _LENGTH = "models, from the root on", "length of the place"  # in no message, in braces
_OURS, _UNSUPPORTED, _KIND = "zarr", "zarr_unsupported", "zarr_kind"
_MISSING = ("missing", "missing_argument", "missing_keyword_only_argument")
_EXPECTED = {
    "string_type": "expected a string",
    "union_tag_not_found": "expected an array or a group",
    "dict_type": "expected an object",
    "mapping_type": "expected an object",
    "model_type": "expected an object",
    "tuple_type": "expected a list",
    "string_pattern_mismatch": "expected text that matches {pattern}",
    "too_short": "expected {min_length} items at least",
    "too_long": "expected {max_length} items at most",
}
_MEMBERS = "members"

Location = tuple[int | str, ...]


class Violation(NamedTuple):
    """One thing by which a model breaks a convention.

    Attributes
    ----------
    at
        The place within the node: `attributes.units`, `shape[0]`.
    message
        What was found there, and what was expected.
    path
        The path of the node below the one that was looked at; empty for that node itself.
    """

    at: str
    message: str
    path: str = ""


# --- making errors


def faults_of(error: ValidationError, title: str, at: Location = ()) -> list[InitErrorDetails]:
    """Return errors of a model's fields and members such that they can be raised again, with others."""
    return [_again(one, title, at) for one in _nearest(error.errors(include_url=False))]


def _nearest(errors: list[ErrorDetails]) -> list[ErrorDetails]:
    """Return errors without those of members that one model of a union found, where another comes nearer.

    This is done in each group: of all branches together there are twice as many for each level.
    """
    branches: dict[Any, list[ErrorDetails]] = {}
    for one in errors:
        if _model_of(one):
            branches.setdefault(one["loc"][1], []).append(one)
    best = {name: _best(found) for name, found in branches.items()}
    return [one for one in errors if not _model_of(one) or _model_of(one) == best[one["loc"][1]]]


def _model_of(one: ErrorDetails) -> str:
    """Return which model of a member has found an error; empty for what the group itself says."""
    chain: tuple[str, ...] = one.get("ctx", {}).get(_CHAIN, ())
    return chain[0] if chain and one["loc"][:1] == (_MEMBERS,) and len(one["loc"]) > 1 else ""


def _best(errors: list[ErrorDetails]) -> str:
    counts = Counter(map(_model_of, errors))
    others = {_model_of(one) for one in errors if one["type"] == _KIND and not one["ctx"][_LENGTH]}
    return min(counts, key=lambda model: (model in others, counts[model]))


def _again(one: ErrorDetails, title: str, at: Location) -> InitErrorDetails:
    chain = (title, *one.get("ctx", {}).get(_CHAIN, ()))
    message = _message(one)
    location = (*at, *_without_tags(one))
    return InitErrorDetails(
        type=_error(one["type"], message, chain, location), loc=location, input=one["input"]
    )


def _without_tags(one: ErrorDetails) -> Location:
    """Return where an error is without pydantic's names of the branches of unions of models.

    An error that a member has raised knows where it is in there.
    """
    location = one["loc"]
    length = one.get("ctx", {}).get(_LENGTH)
    if length is None or location[:1] != (_MEMBERS,) or len(location) < length + 2:
        return location
    return (*location[:2], *location[len(location) - length :])


def _message(one: ErrorDetails) -> str:
    """Return an error in the words of this library: what was expected, and what was found."""
    if one["type"].startswith(_OURS) or _CHAIN in one.get("ctx", {}):
        return one["msg"]
    if one["type"] in _MISSING:
        return "required, but missing"
    if one["type"] == "extra_forbidden":
        return "unknown name"
    if one["type"] in ("value_error", "assertion_error"):
        return one["msg"].partition(", ")[2]
    message = one["msg"][:1].lower() + one["msg"][1:]
    template = _EXPECTED.get(one["type"])
    expected = message.replace("input should be", "expected")
    if template is not None:
        expected = template.format_map(one.get("ctx", {}))
    return f"{expected}, found {shown(one['input'])}"


def together(first: Problems, second: Problems) -> Problems:
    """Return all problems; of fields that the first are about, no others."""
    told = {_field((problem.at,)) for problem in first.found}
    second.found = first.found + [one for one in second.found if _field((one.at,)) not in told]
    return second


def refusal(
    title: str,
    document: Any,
    problems: Problems,
    violations: Iterable[Violation] = (),
    faults: Sequence[InitErrorDetails] = (),
) -> ValidationError:
    """Return the error that tells everything; of two about one field, what the specification says."""
    told = {_field((problem.at,)) for problem in problems.found} - {_MEMBERS}
    rest = [fault for fault in faults if _field(fault["loc"]) not in told]
    ours = [
        _ours(_UNSUPPORTED if one.unsupported else _OURS, one.message, as_location(one.at), title, document)
        for one in problems.found
    ]
    ours += [_ours(_OURS, one.message, _location(one), title, document) for one in violations]
    return ValidationError.from_exception_data(title, [*ours, *rest])


def other_kind(title: str, document: Any, message: str) -> ValidationError:
    """Return the error that says that something is no node of this kind or version at all."""
    return ValidationError.from_exception_data(title, [_ours(_KIND, message, (), title, document)])


def _ours(kind: str, message: str, location: Location, title: str, document: Any) -> InitErrorDetails:
    return InitErrorDetails(type=_error(kind, message, (title,), location), loc=location, input=document)


def _error(kind: str, message: str, chain: tuple[str, ...], location: Location) -> PydanticCustomError:
    context = {_CHAIN: chain, _LENGTH: len(location)}
    return PydanticCustomError(cast("Any", kind), cast("Any", message), context)


def as_location(at: str) -> Location:
    """Return a place such as `codecs[1].configuration` as pydantic has it.

    Where there are names with brackets or without a letter in it, the place is one part, to be told as it is.
    """
    found = tuple(int(number) if number else name for number, name in _PART.findall(at))
    return found if _as_place(found) == at else (at,)


def _field(location: Location) -> str:
    """Return the field that a location is in."""
    return re.split(r"[.\[]", str(location[0]), maxsplit=1)[0] if location else ""


def _location(violation: Violation) -> Location:
    below = [part for name in violation.path.split("/") if name for part in (_MEMBERS, name)]
    return (*below, *as_location(violation.at))


# --- telling them


def findings(error: ValidationError, document: Any, path: str = "") -> list[Finding]:
    """Return what is wrong with a document, each with the path of its node."""
    return list(dict.fromkeys(_finding(one, document, path) for one in error.errors(include_url=False)))


def raised(
    error: ValidationError, document: Any, *, store: str = "", path: str | None = None
) -> MetadataError:
    """Return the error of this library that tells what is wrong with a document."""
    unsupported = {one["type"] for one in error.errors(include_url=False)} == {_UNSUPPORTED}
    problems = [
        Problem(f"/{one.path}" + (f": {one.at}" if one.at else ""), one.message, unsupported)
        for one in findings(error, document, path or "")
    ]
    return MetadataError(problems, store=store)


def _finding(one: ErrorDetails, document: Any, path: str) -> Finding:
    location, current = list(one["loc"]), document
    if location[-1:] == ["[key]"]:  # pydantic's place of a key that is at fault
        location, one = location[:-2], {**one, "type": "string_type"}
    while location[:1] == [_MEMBERS] and len(location) > 1:
        name = str(location[1])
        path = joined(path, name)
        current = _part(_part(current, _MEMBERS), name)
        del location[:2]
    if not one["type"].startswith(_OURS):
        location = _without_labels(location, current, missing=one["type"] in _MISSING)
    return Finding("model", path, _as_place(location), _message(one))


def _without_labels(location: list[int | str], current: Any, missing: bool) -> list[int | str]:
    """Return a location without pydantic's names of the branches of unions."""
    found: list[int | str] = []
    for number, part in enumerate(location):
        if number == 0 or _has(current, part) or (missing and number == len(location) - 1):
            found.append(part)
            current = _part(current, part)
    return found


def _has(value: Any, part: int | str) -> bool:
    if isinstance(value, Mapping):
        return part in value
    if isinstance(value, list | tuple) and isinstance(part, int):
        return part < len(value)
    return isinstance(part, str) and hasattr(value, part)


def _part(value: Any, part: int | str) -> Any:
    if not _has(value, part):
        return None
    return (
        getattr(value, str(part))
        if not isinstance(value, Mapping | list | tuple)
        else cast("Any", value)[part]
    )


def _as_place(location: Sequence[int | str]) -> str:
    at = ""
    for part in location:
        at = f"{at}[{part}]" if isinstance(part, int) else within(at, part)
    return at
