"""The instructions of pickles that plain values need.

https://docs.python.org/3/library/pickletools.html
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from omnizarr.errors import CodecError
from omnizarr.hdmf.pickle_machine import Machine, Maker, refusal


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
    machine = Machine(data, makers)
    try:
        return machine.run(_STEPS)
    except CodecError:
        raise
    except (ValueError, TypeError, LookupError, OverflowError, struct.error) as error:
        message = f"no pickle of plain values, at byte {machine.at} of {len(data)}: {type(error).__name__}"
        raise CodecError(message, codec="pickle") from error


_Step: TypeAlias = Callable[[Machine], None]
_STEPS: dict[int, _Step] = {}


def _on(code: str) -> Callable[[_Step], _Step]:
    def register(step: _Step) -> _Step:
        _STEPS[ord(code)] = step
        return step

    return register


def _pushing(code: str, read: Callable[[Machine], Any]) -> None:
    def step(machine: Machine) -> None:
        value = read(machine)  # which may put another stack in its place
        machine.stack.append(value)

    _STEPS[ord(code)] = step


def _text(machine: Machine, size: int) -> str:
    return machine.take(machine.number(size)).decode("utf-8", "surrogatepass")


def _whole(machine: Machine, size: int) -> int:
    return int.from_bytes(machine.take(size), "little", signed=True)


def _written_int(machine: Machine) -> int | bool:
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
_pushing("j", lambda m: m.memo[m.number(4)])


@_on("h")
def _again(machine: Machine) -> None:
    # Most of a long pickle are these: 100,000 references are read in 0.6 s, and in 1.2 by the general way.
    at = machine.at
    machine.at = at + 1
    machine.stack.append(machine.memo[machine.data[at]])


@_on("\x94")
def _memoize(machine: Machine) -> None:
    memo = machine.memo
    memo[len(memo)] = machine.stack[-1]


@_on("\x80")
def _protocol(machine: Machine) -> None:
    version = machine.number(1)
    if version > 5:
        raise refusal(f"it is of protocol {version}, where 5 is the highest")


@_on("\x95")
def _frame(machine: Machine) -> None:
    if machine.number(8) > len(machine.data) - machine.at:
        raise CodecError(f"truncated: found {len(machine.data)} bytes", codec="pickle")


@_on("(")
def _mark(machine: Machine) -> None:
    machine.marks.append(machine.stack)
    machine.stack = []


@_on("0")
def _pop(machine: Machine) -> None:
    if machine.stack:
        machine.stack.pop()
    else:
        machine.after_mark()


@_on("1")
def _pop_mark(machine: Machine) -> None:
    machine.after_mark()


@_on("d")
def _object(machine: Machine) -> None:
    items = machine.after_mark()
    machine.stack.append({})
    machine.put_items(items)


def _tuple(size: int) -> _Step:
    def step(machine: Machine) -> None:
        if len(machine.stack) < size:
            raise IndexError("the stack is empty")
        machine.stack[-size:] = [tuple(machine.stack[-size:])]

    return step


def _keep(read: Callable[[Machine], int]) -> _Step:
    def step(machine: Machine) -> None:
        machine.memo[read(machine)] = machine.stack[-1]

    return step


_STEPS |= {
    ord("\x85"): _tuple(1),
    ord("\x86"): _tuple(2),
    ord("\x87"): _tuple(3),
    ord("p"): _keep(lambda m: int(m.line())),
    ord("q"): _keep(lambda m: m.number(1)),
    ord("r"): _keep(lambda m: m.number(4)),
    ord("a"): lambda m: m.extend([m.stack.pop()]),
    ord("e"): lambda m: m.extend(m.after_mark()),
    ord("s"): lambda m: m.put_items([m.stack.pop(-2), m.stack.pop()]),
    ord("u"): lambda m: m.put_items(m.after_mark()),
    ord("c"): lambda m: m.named(f"{m.line().decode()}.{m.line().decode()}"),
    ord("R"): Machine.make,
    ord("\x81"): Machine.make,
    ord("b"): Machine.build,
}


@_on("\x93")
def _named_on_stack(machine: Machine) -> None:
    name, module = machine.stack.pop(), machine.stack.pop()
    if type(name) is not str or type(module) is not str:
        raise refusal("it has a name that is no string")
    machine.named(f"{module}.{name}")


@_on("i")
def _instance(machine: Machine) -> None:
    raise refusal(f"it names {machine.line().decode()}.{machine.line().decode()}")
