"""A reader of pickles that makes plain values alone: it imports nothing, and calls what it is given.

https://docs.python.org/3/library/pickletools.html

Python's own reader imports whatever a pickle names, and takes memory for whatever a pickle announces. This
one knows the instructions that plain values need. A name becomes one of the `makers` it was given, or the
pickle is refused. It takes some 70 times the memory of the pickle at most; makers, which a few bytes can ask
for a large value many times, pay for what they make from a budget.
"""

from __future__ import annotations

import pickletools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from omnizarr.errors import CodecError


class Budget:
    """How much may still be made, in bytes."""

    __slots__ = ("left",)

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, size: int) -> None:
        """Take `size` bytes.

        Raises
        ------
        CodecError
            There are not as many left.
        """
        self.left -= size
        if self.left < 0:
            raise refusal("it makes far more than it holds")


@dataclass(frozen=True, slots=True, eq=False)
class Maker:
    """What a name in a pickle stands for: called with arguments that the pickle gives, it makes a value."""

    name: str
    make: Callable[[tuple[Any, ...]], Any]


def refusal(why: str) -> CodecError:
    """Return the error of a pickle that is not read."""
    return CodecError(f"refused, as {why}", codec="pickle")


class Machine:
    """A stack, the stacks that marks have put aside, and what is to be used again."""

    __slots__ = ("at", "data", "makers", "marks", "memo", "stack")

    def __init__(self, data: bytes, makers: Mapping[str, Maker]) -> None:
        self.data = data
        self.at = 0
        self.makers = makers
        self.memo: dict[int, Any] = {}
        self.stack: list[Any] = []
        self.marks: list[list[Any]] = []

    def run(self, steps: Mapping[int, Callable[[Machine], None]]) -> Any:
        """Return what is on the stack at the end; `steps` are the instructions by their bytes."""
        data = self.data
        while self.at < len(data):
            code = data[self.at]
            self.at += 1
            if code == _STOP:
                return self.stack.pop()
            step = steps.get(code)
            if step is None:
                raise refusal(f"it has the instruction {_name_of(code)}")
            step(self)
        raise CodecError(f"truncated: found {len(data)} bytes", codec="pickle")

    # --- the bytes

    def take(self, size: int) -> bytes:
        """Return the next bytes."""
        start = self.at
        if size > len(self.data) - start:
            raise CodecError(f"truncated: found {len(self.data)} bytes", codec="pickle")
        self.at = start + size
        return self.data[start : self.at]

    def number(self, size: int) -> int:
        """Return the next bytes as a number."""
        return int.from_bytes(self.take(size), "little")

    def line(self) -> bytes:
        """Return the bytes up to the end of the line."""
        end = self.data.index(b"\n", self.at)
        found = self.data[self.at : end]
        self.at = end + 1
        return found

    # --- the stack

    def after_mark(self) -> list[Any]:
        """Return what was put on the stack since the last mark, and take up the one before."""
        items = self.stack
        self.stack = self.marks.pop()
        return items

    def named(self, name: str) -> None:
        """Put the maker of a name on the stack."""
        maker = self.makers.get(name)
        if maker is None:
            raise refusal(f"it names {name[:200]!r}")
        self.stack.append(maker)

    def make(self) -> None:
        """Call the maker below the arguments."""
        arguments, maker = self.stack.pop(), self.stack.pop()
        if type(maker) is not Maker or type(arguments) is not tuple:
            raise refusal(f"it calls a value of type {type(maker).__name__}")
        self.stack.append(maker.make(arguments))

    def put_items(self, items: list[Any]) -> None:
        """Add names and values to the object on the stack."""
        target = self.stack[-1]
        keys = items[::2]
        if type(target) is not dict or len(items) % 2 or not {*map(type, keys)} <= {str}:
            raise refusal("it has an object whose keys are no strings")
        target.update(zip(keys, items[1::2], strict=True))

    def extend(self, items: list[Any]) -> None:
        """Add items to the list on the stack."""
        target = self.stack[-1]
        if type(target) is not list:
            raise refusal(f"it appends to a value of type {type(target).__name__}")
        target.extend(items)

    def build(self) -> None:
        """Give the value below the state that state."""
        state = self.stack.pop()
        build = getattr(type(self.stack[-1]), "build", None)
        if build is None:
            raise refusal(f"it changes a value of type {type(self.stack[-1]).__name__}")
        build(self.stack[-1], state)


_STOP = ord(".")


def _name_of(code: int) -> str:
    known = pickletools.code2op.get(chr(code))  # type: ignore[attr-defined]
    return known.name if known is not None else f"0x{code:02x}"
