"""Names of types: those that users chose, as TypeScript can have them."""

from __future__ import annotations

import re
from collections.abc import Collection

from omnizarr.zom.ts.models import Model, Schemas

_WORDS = """
    any as asserts async await bigint boolean break case catch class const continue debugger
    default delete do else enum export extends false finally for function global if implements
    import in infer instanceof interface intrinsic is keyof let module namespace never new null
    number object package private protected public readonly return static string super switch
    symbol this throw true try type typeof undefined unique unknown var void while with yield
    TAttributes TMember
"""
RESERVED = frozenset(_WORDS.split())
"""Words that cannot be the names of types, or that the generic types have for their parameters."""


_MODULE = re.compile(r"\b(?:\w+\.)+(?=\w)")

ANY_ATTRIBUTES = "attributes"
"""By what the name of the type of attributes is found of which nothing is known."""


def names_of(schemas: Schemas, root: str | None, number: int) -> dict[str, str]:
    """Return a name for everything that may be declared.

    Those that users chose come first, then those of the version of Zarr with this number.

    Parameters
    ----------
    root
        The name of the model itself, where it is not that of its class.
    """
    reached = list(schemas.reached())
    theirs = [one for one in reached if not _is_ours(schemas.classes.get(one))]
    bases = sorted(schemas.bases, key=lambda one: schemas.bases[one].version.number != number)
    found: dict[str, str] = {schemas.root: root} if root is not None else {}
    for reference in dict.fromkeys([*theirs, *reached, *bases]):
        if reference not in found:
            found[reference] = _free(_as_name(_wanted(schemas, reference)), found.values())
    found[ANY_ATTRIBUTES] = _free("Attributes", found.values())
    for base in bases:
        if node_key(schemas.bases[base]) not in found:
            found[node_key(schemas.bases[base])] = _free("Node", found.values())
    return found


def node_key(model: Model) -> str:
    """Return by what the name of the type of any node is found, of a model's version."""
    return f"node {model.version.number}"


def _wanted(schemas: Schemas, reference: str) -> str:
    kind = schemas.classes.get(reference)
    return kind.__name__ if kind is not None else reference.rpartition("/")[2].rpartition("__")[2]


def _is_ours(kind: type | None) -> bool:
    return kind is not None and kind.__module__.startswith("omnizarr.")


def _free(name: str, taken: Collection[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}{number}"
    return free


def _as_name(text: str) -> str:
    """Return a name of Python as one of TypeScript: `ArraySpec[XAttrs]` as `ArraySpecOfXAttrs`."""
    text = _MODULE.sub("", text)
    for sign, word in (("[", " Of "), (",", " And "), ("|", " Or ")):
        text = text.replace(sign, word)
    first, *others = re.findall(r"\w+", text) or ["Model"]
    name = first + "".join(other[:1].upper() + other[1:] for other in others)
    if not name.isidentifier():
        name = f"_{name}"
    return f"{name}_" if name in RESERVED else name
