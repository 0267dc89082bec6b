"""The JSON of a model with everything below it, in one go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from omnizarr.zom.fields import HEAD, IDLE, aliases
from omnizarr.zom.plain import NOTHING_SPECIAL

if TYPE_CHECKING:
    from omnizarr.zom.node import NodeSpec

_MEMBERS = "members"


def text_of(node: NodeSpec[Any]) -> bytes | None:
    """Return the JSON text of a model that holds JSON alone; None where it may hold anything else.

    Of 2,201 nodes it takes 8 ms; 26 where each value is looked at. NaN would be written as null, so nulls
    are counted.
    """
    nulls = [0]
    try:
        text = orjson.dumps(_shallow(node, nulls), option=NOTHING_SPECIAL)
    except TypeError:
        return None
    return text if text.count(b"null") == nulls[0] else None


def _shallow(node: NodeSpec[Any], nulls: list[int]) -> dict[str, Any]:
    """Return a model's document that shares its values with it; raise TypeError where that is not so easy."""
    fields = vars(node)
    # By pydantic's own attribute: to ask for `_unseen` takes a quarter of the time.
    if aliases(type(node)) or (node.__pydantic_private__ or {}).get("_unseen"):
        raise TypeError("fields have other names in JSON")
    document = {name: fields[name] for name in HEAD if name in fields} | fields | (node.model_extra or {})
    for name in [name for name, value in document.items() if value is None]:
        if name in IDLE:
            del document[name]
        else:
            nulls[0] += 1
    if (members := fields.get(_MEMBERS)) is not None:
        del document[_MEMBERS]  # it stands last
        document[_MEMBERS] = {name: _shallow(member, nulls) for name, member in members.items()}
    return document
