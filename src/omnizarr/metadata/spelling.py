"""Writing a document in the words in which it was read."""

from __future__ import annotations

from collections.abc import Callable, Collection

from omnizarr.jsontypes import Json, JsonObject


def respelled(
    document: JsonObject,
    spelling: JsonObject,
    same: Callable[[str, Json], bool],
    idle: Collection[str] = (),
) -> JsonObject:
    """Return a document with the names and values of `spelling` wherever they still mean the same.

    Parameters
    ----------
    document
        The document as it is written when nothing else is known. It is used up.
    same
        Says whether a field's value in `spelling` means what the document says.
    idle
        Fields that say nothing where they are empty, and that some writers write.
    """
    result: JsonObject = {}
    for name, value in spelling.items():
        if name in document:
            written = document.pop(name)
            keep = name != "attributes" and (written == value or same(name, value))
            result[name] = value if keep else written
        elif name in idle and not value:
            result[name] = value
    result.update(document)
    return result
