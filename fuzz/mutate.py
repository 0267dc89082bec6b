"""Inputs made of others: JSON is changed as JSON, everything else byte by byte."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

_BETWEEN = b"\xff"
_ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 3, 2**31, 2**62, 2**63, 2**64, -(2**63), 10**30, 1e308, 0.5, -0.0),
    *(float("nan"), float("inf"), "", "NaN", "0x7fc00000", "a", "/", "..", "a/../b", "\0", "\ud800", "é" * 9),
    *(
        [],
        {},
        [[]],
        [None],
        [0],
        [2**40],
        [1, [2, 2**40]],
        {"name": "bytes"},
        {"name": "gzip", "configuration": {}},
    ),
    *(
        "int32",
        "float64",
        "string",
        "bytes",
        "r16",
        "|O",
        "<M8[ns]",
        "<V12",
        "bfloat16",
        "int4",
        "bool",
        "|S0",
    ),
    {"name": "struct", "configuration": {"fields": [{"name": "a", "data_type": "int8"}]}},
    {"must_understand": False},
)
_BYTES = (
    b"\0",
    b"\xff",
    b"\x7f",
    b"\x80",
    b"\xff\xff\xff\xff",
    b"\0\0\0\0",
    b"\xff\xff\xff\x7f",
    b"[",
    b"{",
    b'"',
)


def mutated(data: bytes, random: Random) -> bytes:
    """Return a change of an input."""
    parts = data.split(_BETWEEN)
    number = random.randrange(len(parts))
    try:
        document = json.loads(parts[number])
    except (ValueError, RecursionError):
        return _changed_bytes(data, random)
    if not isinstance(document, dict | list) or random.random() < 0.1:
        return _changed_bytes(data, random)
    for _ in range(random.choice((1, 1, 2, 3))):
        document = _changed(document, random)
    parts[number] = json.dumps(document).encode()
    return _BETWEEN.join(parts)


def _changed(document: Any, random: Random) -> Any:
    places = list(_places(document))
    if not places:
        return _odd(document, random)
    holder, key = random.choice(places)
    value = holder[key]
    change = random.choice((_odd, _odd, _odd, _near, _wrapped))
    kind = random.random()
    if kind < 0.1:
        del holder[key]
    elif kind < 0.2 and isinstance(holder, dict):
        holder[random.choice(("", "name", "surprise", "a/b", key * 2))] = holder.pop(key)
    elif kind < 0.25 and isinstance(holder, list):
        holder.extend(deepcopy(value) for _ in range(random.choice((1, 2, 40))))
    elif kind < 0.4:
        other, name = random.choice(places)
        holder[key] = deepcopy(other[name])
    else:
        holder[key] = change(value, random)
    return document


def _odd(value: Any, random: Random) -> Any:
    return deepcopy(random.choice(_ODD))


def _near(value: Any, random: Random) -> Any:
    if isinstance(value, str):
        cut = random.randrange(len(value) + 1)
        return value[:cut] + random.choice(("", "0", "-", "x", "1.5", "é", "\0", value)) + value[cut + 1 :]
    if isinstance(value, int | float):
        return random.choice((value + 1, value - 1, -value, value * 2**20, float(value), str(value)))
    return [value]


def _wrapped(value: Any, random: Random) -> Any:
    return random.choice(
        ([value], {"name": value}, {"name": value, "configuration": {}}, [value, deepcopy(value)])
    )


def _places(document: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every place of a value below: what holds it, and its name or index there."""
    left = [document]
    while left:
        holder = left.pop()
        if not isinstance(holder, dict | list):
            continue
        for key in list(holder) if isinstance(holder, dict) else range(len(holder)):
            yield holder, key
            left.append(holder[key])


def _changed_bytes(data: bytes, random: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 4))):
        at = random.randrange(len(changed) + 1)
        length = random.choice((1, 1, 2, 4, 8, 30))
        kind = random.randrange(6)
        if kind == 0 and at < len(changed):
            changed[at] ^= 1 << random.randrange(8)
        elif kind == 1:
            changed[at : at + length] = random.randbytes(length)
        elif kind == 2:
            del changed[at : at + length]
        elif kind == 3:
            changed[at:at] = changed[at : at + length] * random.choice((1, 2, 50))
        elif kind == 4:
            other = random.randrange(len(changed) + 1)
            changed[at:at] = changed[other : other + length]
        else:
            token = random.choice(_BYTES)
            changed[at : at + len(token)] = token
    return bytes(changed)
