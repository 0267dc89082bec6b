"""Images as terminals take them: escape sequences with a PNG, or sixels."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Bytes: TypeAlias = NDArray[np.uint8]

# The most of base64 that one sequence of kitty's may hold.
_PIECE = 4096
_REGISTERS = 256
_BAND = 6
# Sixels of one row after the other: a character is 63 and six bits.
_NOTHING = 63


def kitty(png: bytes) -> bytes:
    """Return a PNG in kitty's graphics protocol; the terminal is told not to answer.

    https://sw.kovidgoyal.net/kitty/graphics-protocol/
    """
    data = b64encode(png)
    pieces = [data[at : at + _PIECE] for at in range(0, len(data), _PIECE)]
    found = []
    for number, piece in enumerate(pieces):
        control = "a=T,f=100,q=2," if number == 0 else ""
        more = int(number + 1 < len(pieces))
        found.append(f"\x1b_G{control}m={more};".encode() + piece + b"\x1b\\")
    return b"".join(found) + b"\n"


def iterm2(png: bytes) -> bytes:
    """Return a PNG in iTerm2's protocol for inline images.

    https://iterm2.com/documentation-images.html
    """
    control = f"\x1b]1337;File=inline=1;size={len(png)};preserveAspectRatio=1:"
    return control.encode() + b64encode(png) + b"\x07\n"


def sixel(image: Bytes) -> bytes:
    """Return an image of red, green and blue as sixels of 256 colours at most.

    https://vt100.net/docs/vt3xx-gp/chapter14.html
    """
    registers, numbers = _palette(image)
    height, width = numbers.shape
    head = f'\x1bP0;1;0q"1;1;{width};{height}'
    colours = "".join(
        f"#{at};2;{red};{green};{blue}"
        for at, (red, green, blue) in enumerate((registers.astype(int) * 100 + 127) // 255)
    )
    body = "".join(_bands(numbers))
    return f"{head}{colours}{body}\x1b\\\n".encode("ascii")


def _palette(image: Bytes) -> tuple[Bytes, NDArray[np.intp]]:
    """Return colours, and for each pixel which is its own; five bits of each part count."""
    codes = (image >> 3).astype(np.intp) @ np.array([1024, 32, 1])
    found, places, counts = np.unique(codes, return_inverse=True, return_counts=True)
    parts = np.stack([found >> 10, found >> 5 & 31, found & 31], 1)
    boxes = _boxes(parts)
    numbers = np.empty(len(found), np.intp)
    colours = np.empty((len(boxes), 3))
    for number, box in enumerate(boxes):
        numbers[box] = number
        colours[number] = np.average(parts[box], 0, counts[box])
    return (colours * 255 / 31).round().astype(np.uint8), numbers[places].reshape(codes.shape)


def _boxes(parts: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Return colours in groups of near ones: the widest is halved until there are as many as registers."""
    boxes = [(_widths(parts).max(), np.arange(len(parts)))]
    while len(boxes) < _REGISTERS:
        at = max(range(len(boxes)), key=lambda number: boxes[number][0])
        width, box = boxes[at]
        if not width:
            break
        axis = _widths(parts[box]).argmax()
        values = parts[box, axis]
        low = values <= (values.min() + values.max()) // 2
        halves = [box[low], box[~low]]
        boxes[at : at + 1] = [(_widths(parts[half]).max(), half) for half in halves]
    return [box for _, box in boxes]


def _widths(parts: NDArray[np.intp]) -> NDArray[np.intp]:
    return np.asarray(parts.max(0) - parts.min(0))


def _bands(numbers: NDArray[np.intp]) -> Iterator[str]:
    """Yield six rows after six rows, each colour of them over the others."""
    for top in range(0, len(numbers), _BAND):
        band = numbers[top : top + _BAND]
        weights = 1 << np.arange(len(band))
        lines = [
            f"#{colour}" + _run_lengths(_NOTHING + weights @ (band == colour))
            for colour in np.unique(band).tolist()
        ]
        yield "$".join(lines) + "-"


def _run_lengths(codes: NDArray[Any]) -> str:
    """Return characters, those that come more than three times in a row by their number."""
    cuts = np.flatnonzero(np.diff(codes)) + 1
    starts = [0, *cuts.tolist()]
    ends = [*cuts.tolist(), len(codes)]
    found = []
    for start, end in zip(starts, ends, strict=True):
        character, count = chr(int(codes[start])), end - start
        found.append(f"!{count}{character}" if count > 3 else character * count)
    return "".join(found)
