"""A reader of pickles that makes plain values alone: it imports nothing, and calls what it is given.

https://docs.python.org/3/library/pickletools.html

Python's own reader imports whatever a pickle names, and takes memory for whatever a pickle announces. This
one knows the instructions that plain values need. A name becomes one of the `makers` it was given, or the
pickle is refused. It takes some 70 times the memory of the pickle at most; makers, which a few bytes can ask
for a large value many times, pay for what they make from a budget.
"""

from __future__ import annotations

import pickletools
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

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


class Builds(Protocol):
    """A value that is given its state after it was made."""

    def build(self, state: Any) -> None:
        """Take the state."""


@dataclass(frozen=True, slots=True, eq=False)
class Maker:
    """What a name in a pickle stands for: called with arguments that the pickle gives, it makes a value."""

    name: str
    make: Callable[[tuple[Any, ...]], Any]


def refusal(why: str) -> CodecError:
    """Return the error of a pickle that is not read."""
    return CodecError(f"refused, as {why}", codec="pickle")


def run(data: bytes, makers: Mapping[str, Maker]) -> Any:
    """Return what a pickle holds.

    Parameters
    ----------
    makers
        What the names mean that it may have, as `module.name`.

    Raises
    ------
    CodecError
        It names something else, which the message tells; it has an instruction that plain values do not
        need; it is no pickle; or a maker refuses its arguments.
    """
    machine = _Machine(data, makers)
    try:
        return machine.run()
    except CodecError:
        raise
    except (ValueError, TypeError, LookupError, OverflowError, struct.error) as error:
        message = f"no pickle of plain values, at byte {machine.at} of {len(data)}: {type(error).__name__}"
        raise CodecError(message, codec="pickle") from error


class _Machine:
    """A stack, the stacks that marks have put aside, and what is to be used again."""

    __slots__ = ("at", "data", "makers", "marks", "memo", "stack")

    def __init__(self, data: bytes, makers: Mapping[str, Maker]) -> None:
        self.data = data
        self.at = 0
        self.makers = makers
        self.memo: dict[int, Any] = {}
        self.stack: list[Any] = []
        self.marks: list[list[Any]] = []

    def run(self) -> Any:
        data, steps = self.data, _STEPS
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
        start = self.at
        if size > len(self.data) - start:
            raise CodecError(f"truncated: found {len(self.data)} bytes", codec="pickle")
        self.at = start + size
        return self.data[start : self.at]

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "little")

    def line(self) -> bytes:
        end = self.data.index(b"\n", self.at)
        found = self.data[self.at : end]
        self.at = end + 1
        return found

    # --- the stack

    def after_mark(self) -> list[Any]:
        items = self.stack
        self.stack = self.marks.pop()
        return items

    def named(self, name: str) -> None:
        maker = self.makers.get(name)
        if maker is None:
            raise refusal(f"it names {name[:200]!r}")
        self.stack.append(maker)

    def make(self) -> None:
        arguments, maker = self.stack.pop(), self.stack.pop()
        if type(maker) is not Maker or type(arguments) is not tuple:
            raise refusal(f"it calls a value of type {type(maker).__name__}")
        self.stack.append(maker.make(arguments))

    def put_items(self, items: list[Any]) -> None:
        target = self.stack[-1]
        keys = items[::2]
        if type(target) is not dict or len(items) % 2 or not all(type(key) is str for key in keys):
            raise refusal("it has an object whose keys are no strings")
        target.update(zip(keys, items[1::2], strict=True))

    def extend(self, items: list[Any]) -> None:
        target = self.stack[-1]
        if type(target) is not list:
            raise refusal(f"it appends to a value of type {type(target).__name__}")
        target.extend(items)

    def build(self) -> None:
        state = self.stack.pop()
        build = getattr(type(self.stack[-1]), "build", None)
        if build is None:
            raise refusal(f"it changes a value of type {type(self.stack[-1]).__name__}")
        build(self.stack[-1], state)


def _name_of(code: int) -> str:
    known = pickletools.code2op.get(chr(code))  # type: ignore[attr-defined]
    return known.name if known is not None else f"0x{code:02x}"


_STOP = ord(".")
_Step = Callable[[_Machine], None]
_STEPS: dict[int, _Step] = {}


def _on(code: str) -> Callable[[_Step], _Step]:
    def register(step: _Step) -> _Step:
        _STEPS[ord(code)] = step
        return step

    return register


def _pushing(code: str, read: Callable[[_Machine], Any]) -> None:
    def step(machine: _Machine) -> None:
        value = read(machine)  # which may put another stack in its place
        machine.stack.append(value)

    _STEPS[ord(code)] = step


def _text(machine: _Machine, size: int) -> str:
    return machine.take(machine.number(size)).decode("utf-8", "surrogatepass")


def _whole(machine: _Machine, size: int) -> int:
    return int.from_bytes(machine.take(size), "little", signed=True)


def _written_int(machine: _Machine) -> int | bool:
    line = machine.line()
    return line == b"01" if line in (b"00", b"01") else int(line)


_pushing("N", lambda m: None)
_pushing("\x88", lambda m: True)
_pushing("\x89", lambda m: False)
_pushing("I", _written_int)
_pushing("J", lambda m: _whole(m, 4))
_pushing("K", lambda m: m.number(1))
_pushing("M", lambda m: m.number(2))
_pushing("L", lambda m: int(m.line().rstrip(b"L")))
_pushing("\x8a", lambda m: _whole(m, m.number(1)))
_pushing("\x8b", lambda m: _whole(m, m.number(4)))
_pushing("F", lambda m: float(m.line()))
_pushing("G", lambda m: struct.unpack(">d", m.take(8))[0])
_pushing("V", lambda m: m.line().decode("raw-unicode-escape"))
_pushing("\x8c", lambda m: _text(m, 1))
_pushing("X", lambda m: _text(m, 4))
_pushing("\x8d", lambda m: _text(m, 8))
_pushing("C", lambda m: m.take(m.number(1)))
_pushing("B", lambda m: m.take(m.number(4)))
_pushing("\x8e", lambda m: m.take(m.number(8)))
_pushing("\x96", lambda m: m.take(m.number(8)))
_pushing("]", lambda m: [])
_pushing("}", lambda m: {})
_pushing(")", lambda m: ())
_pushing("l", lambda m: m.after_mark())
_pushing("t", lambda m: tuple(m.after_mark()))
_pushing("2", lambda m: m.stack[-1])
_pushing("g", lambda m: m.memo[int(m.line())])
_pushing("h", lambda m: m.memo[m.number(1)])
_pushing("j", lambda m: m.memo[m.number(4)])


@_on("\x80")
def _protocol(machine: _Machine) -> None:
    version = machine.number(1)
    if version > 5:
        raise refusal(f"it is of protocol {version}, where 5 is the highest")


@_on("\x95")
def _frame(machine: _Machine) -> None:
    if machine.number(8) > len(machine.data) - machine.at:
        raise CodecError(f"truncated: found {len(machine.data)} bytes", codec="pickle")


@_on("(")
def _mark(machine: _Machine) -> None:
    machine.marks.append(machine.stack)
    machine.stack = []


@_on("0")
def _pop(machine: _Machine) -> None:
    if machine.stack:
        machine.stack.pop()
    else:
        machine.after_mark()


@_on("1")
def _pop_mark(machine: _Machine) -> None:
    machine.after_mark()


@_on("d")
def _object(machine: _Machine) -> None:
    items = machine.after_mark()
    machine.stack.append({})
    machine.put_items(items)


def _tuple(size: int) -> _Step:
    def step(machine: _Machine) -> None:
        if len(machine.stack) < size:
            raise IndexError("the stack is empty")
        machine.stack[-size:] = [tuple(machine.stack[-size:])]

    return step


def _keep(read: Callable[[_Machine], int]) -> _Step:
    def step(machine: _Machine) -> None:
        machine.memo[read(machine)] = machine.stack[-1]

    return step


_STEPS |= {
    ord("\x85"): _tuple(1),
    ord("\x86"): _tuple(2),
    ord("\x87"): _tuple(3),
    ord("p"): _keep(lambda m: int(m.line())),
    ord("q"): _keep(lambda m: m.number(1)),
    ord("r"): _keep(lambda m: m.number(4)),
    ord("\x94"): _keep(lambda m: len(m.memo)),
    ord("a"): lambda m: m.extend([m.stack.pop()]),
    ord("e"): lambda m: m.extend(m.after_mark()),
    ord("s"): lambda m: m.put_items([m.stack.pop(-2), m.stack.pop()]),
    ord("u"): lambda m: m.put_items(m.after_mark()),
    ord("c"): lambda m: m.named(f"{m.line().decode()}.{m.line().decode()}"),
    ord("R"): _Machine.make,
    ord("\x81"): _Machine.make,
    ord("b"): _Machine.build,
}


@_on("\x93")
def _named_on_stack(machine: _Machine) -> None:
    name, module = machine.stack.pop(), machine.stack.pop()
    if type(name) is not str or type(module) is not str:
        raise refusal("it has a name that is no string")
    machine.named(f"{module}.{name}")


@_on("i")
def _instance(machine: _Machine) -> None:
    raise refusal(f"it names {machine.line().decode()}.{machine.line().decode()}")
