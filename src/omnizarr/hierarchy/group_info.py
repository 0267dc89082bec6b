"""What a group is, for people."""

from __future__ import annotations

from omnizarr.hierarchy.arrays.info import ArrayInfo


class GroupInfo(ArrayInfo):
    """Names and values of a group, in the order in which they are shown."""

    __slots__ = ()
