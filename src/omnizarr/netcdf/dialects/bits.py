"""Data types that count bits, `<i16` for two bytes, as the table of the 2018 proposal has them."""

from __future__ import annotations

import re

from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.paths import prefix_of
from omnizarr.metadata.formats.v2_node import ARRAY
from omnizarr.store.base import ByteRange
from omnizarr.store.layers.wrap import WrappedStore

# Sizes that numpy does not have in bytes; where there is one, `i8` is a byte too.
_BITS = re.compile(rb'"[<>|](?:[iu](?:16|32|64)|f(?:32|64))"')
_TYPE = re.compile(rb'"([<>|])(?:([iu])(8|16|32|64)|(f)(32|64))"')


class InBytes(WrappedStore):
    """A store that counts bytes in the types of arrays where what it wraps counts bits."""

    def get(self, key: str, part: ByteRange | None = None) -> bytes | None:
        data = super().get(key, part)
        return _TYPE.sub(_counted, data) if data is not None and key.endswith(f"/{ARRAY}") else data


def in_bytes(root: Group) -> Group:
    """Return a group as one whose arrays' types count bytes."""
    keys = (key for key in root.store.list_prefix(prefix_of(root.path)) if key.endswith(f"/{ARRAY}"))
    if not any(_BITS.search(root.store.get(key) or b"") for key in keys):
        return root
    return Group(InBytes(root.store), root.format, root.path, root.metadata)


def _counted(found: re.Match[bytes]) -> bytes:
    order, integer, bits, floating, more = found.groups()
    return b'"%s%s%d"' % (order, integer or floating, int(bits or more) // 8)
