"""Models, checked by a JSON Schema.

https://json-schema.org/draft/2020-12/json-schema-core
"""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from omnizarr.errors import MetadataError, Problem
from omnizarr.hierarchy.validate import Finding
from omnizarr.jsontypes import Json, JsonObject, shown
from omnizarr.zom.schema.faults import SchemaFault, as_place, told
from omnizarr.zom.version import DEEPEST

T = TypeVar("T")

_VERSIONS = frozenset(("zarr_format", "zarr_version"))
_DEEPEST = 4 * DEEPEST  # a group is two objects, its own and that of its members; attributes go on

# Of 100 groups within one another each takes a dozen calls, which is more than Python allows by default.
_CALLS = 25_000
_STACK = 256 * 2**20
_LIMIT = threading.Lock()


def check_by_schema(document: Json, schema: Json) -> list[Finding]:
    """Return everything by which the JSON of a model breaks a JSON Schema, with the paths of nodes.

    Where a value fits none of several alternatives, what is told is by what it misses the nearest.

    Parameters
    ----------
    document
        A model as JSON.
    schema
        A JSON Schema, of the draft that its `$schema` names, or of 2020-12. What it refers to has to be in
        it: nothing is ever fetched.

    Raises
    ------
    MetadataError
        The schema is none, or refers to something that is not in it.
    ImportError
        The package jsonschema is not installed.
    """
    too_deep = f"more than {_DEEPEST} lists and objects within one another"
    if is_deeper(schema, _DEEPEST):
        raise _refused(too_deep)
    if is_deeper(document, _DEEPEST):
        return [Finding("model", "", "", too_deep)]
    faults = _on_deep_stack(lambda: _faults(document, schema))
    return [Finding("model", fault.path, fault.at, fault.message) for fault in faults]


def _faults(document: Json, schema: Json) -> list[SchemaFault]:
    try:
        from jsonschema.exceptions import SchemaError
        from referencing import Registry
        from referencing.exceptions import Unresolvable
    except ImportError as error:
        raise ImportError('a JSON Schema is checked by jsonschema: pip install "omnizarr[schema]"') from error
    kind = _validator_of(schema)
    try:
        kind.check_schema(schema)
        # An empty registry has the drafts themselves, and no way to anything else.
        return told(kind(schema, registry=Registry()).iter_errors(document))
    except SchemaError as error:
        raise _refused("; ".join(_placed(fault) for fault in told([error]))) from error
    except Unresolvable as error:
        raise _refused(f"what it refers to is not in it, and is not fetched: {shown(error.ref)}") from error
    except RecursionError:
        raise _refused("it refers to itself without end") from None
    except (re.error, ValueError) as error:
        raise _refused(str(error)) from error


def _validator_of(schema: Json) -> Any:
    """Return the class of jsonschema that checks by the draft a schema is of."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import validator_for

    if not isinstance(schema, dict | bool):
        raise _refused(f"expected an object, found {shown(schema)}")
    if isinstance(schema, dict) and not _VERSIONS.isdisjoint(schema):
        # To a schema these are names without a meaning, and everything would be as it says.
        raise _refused("expected one, found the JSON of a node or a model; diff compares with models")
    if isinstance(schema, bool) or "$schema" not in schema:
        return Draft202012Validator
    named = schema["$schema"]
    unknown: Any = None
    found = validator_for({"$schema": named}, default=unknown) if isinstance(named, str) else None
    if found is None:
        raise _refused(f"$schema: expected a draft of JSON Schema, 2020-12 at best, found {shown(named)}")
    return found


def is_deeper(value: Json, limit: int) -> bool:
    """Say whether more lists and objects lie within one another in a value than `limit`."""
    level: list[Json] = [value]
    for _ in range(limit + 1):
        level = [inner for outer in level if isinstance(outer, dict | list) for inner in _parts(outer)]
    return bool(level)


def _parts(outer: JsonObject | list[Json]) -> Iterable[Json]:
    return outer.values() if isinstance(outer, dict) else outer


def _placed(fault: SchemaFault) -> str:
    place = as_place(fault.location)
    return f"{place}: {fault.message}" if place else fault.message


def _refused(message: str) -> MetadataError:
    return MetadataError([Problem("JSON Schema", message)])


def _on_deep_stack(work: Callable[[], T]) -> T:
    """Return what a function returns that is run on a stack of its own, on which it may go deep."""
    done: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:
            failed.append(error)

    # Both settings are of the whole process: nobody else may change them in between.
    with _LIMIT:
        calls, stack = sys.getrecursionlimit(), threading.stack_size(_STACK)
        sys.setrecursionlimit(max(calls, _CALLS))
        try:
            thread = threading.Thread(target=run, daemon=True)
            thread.start()
            threading.stack_size(stack)
            thread.join()
        finally:
            threading.stack_size(stack)
            sys.setrecursionlimit(calls)
    if failed:
        raise failed[0]
    return done[0]
