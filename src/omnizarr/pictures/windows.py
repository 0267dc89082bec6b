"""The largest window whose chunks may be decoded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from omnizarr.engine.layout import Layout
from omnizarr.pictures.asked import Asked, Window, thinned
from omnizarr.pictures.cost import PictureTooLarge, cost_of

# Shares of the axes are tried until they are known to one part in a billion.
_ROUNDS = 30


def check_cost(layout: Layout, asked: Asked, max_bytes: int) -> None:
    """Refuse what is asked for where more than `max_bytes` would be decoded.

    Raises
    ------
    PictureTooLarge
        It is more; the error says which window would do.
    """
    needed = cost_of(layout, asked.selection)
    if needed > max_bytes:
        found = largest_window(layout, asked, max_bytes)
        raise PictureTooLarge(needed, max_bytes, found)


def largest_window(layout: Layout, asked: Asked, max_bytes: int) -> dict[int, Window]:
    """Return the largest window within what is asked for, around its middle, by axis; {} where none would do.

    All shown axes are cut by the same share.
    """

    def fits(share: float) -> bool:
        found = _share(asked, share)
        limits = dict(zip(asked.numbers, asked.most, strict=True))
        taken = _with_windows(asked.selection, found, limits)
        return cost_of(layout, taken) <= max_bytes

    low, high = 0.0, 1.0
    if not fits(low):
        return {}
    if fits(high):
        return _share(asked, high)
    for _ in range(_ROUNDS):
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return _share(asked, low)


def _share(asked: Asked, share: float) -> dict[int, Window]:
    found = {}
    for number in asked.numbers:
        start, stop = asked.selection[number].start, asked.selection[number].stop
        length = min(stop - start, max(1, int((stop - start) * share)))
        first = start + (stop - start - length) // 2
        found[number] = (first, first + length)
    return found


def _with_windows(
    selection: Sequence[slice], windows: Mapping[int, Window], limits: Mapping[int, int]
) -> list[slice]:
    return [
        thinned(*windows[number], limits[number]) if number in windows else taken
        for number, taken in enumerate(selection)
    ]
