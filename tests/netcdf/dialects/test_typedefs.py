"""Definitions of the user's types, in any order and in any state."""

from __future__ import annotations

from typing import Any

import pytest

from omnizarr.netcdf.dialects.typedefs import TypeReader, types_to_json
from omnizarr.netcdf.model.types import BYTE, CHAR, INT, UINT64, Compound, Enum, Field, Opaque, Vlen

ENUM = Enum("/e", BYTE, (("A", -1), ("B", 3)))
BITS = Enum("/g/bits", UINT64, (("all", 2**64 - 1),))
OPAQUE = Opaque("/o", 11)
VLEN = Vlen("/v", OPAQUE)
RECORD = Compound(
    "/g/r", (Field("a", INT), Field("n", CHAR, (2, 3)), Field("v", VLEN, (4,)), Field("e", BITS))
)
TYPES = (RECORD, VLEN, BITS, OPAQUE, ENUM)


def definitions() -> dict[str, Any]:
    groups = {"": (VLEN, OPAQUE, ENUM), "/g": (RECORD, BITS)}
    return {f"{path}/{name}": d for path, kinds in groups.items() for name, d in types_to_json(kinds).items()}


def test_definitions_are_as_they_are_documented() -> None:
    assert types_to_json((ENUM, OPAQUE, VLEN, RECORD)) == {
        "e": {"class": "enum", "base": "byte", "members": {"A": -1, "B": 3}},
        "o": {"class": "opaque", "size": 11},
        "v": {"class": "vlen", "base": "/o"},
        "r": {
            "class": "compound",
            "fields": [
                {"name": "a", "type": "int"},
                {"name": "n", "type": "char", "shape": [2, 3]},
                {"name": "v", "type": "/v", "shape": [4]},
                {"name": "e", "type": "/g/bits"},
            ],
        },
    }


def test_types_are_read_in_any_order() -> None:
    for order in (TYPES, TYPES[::-1]):
        every = definitions()
        reader = TypeReader({kind.path: every[kind.path] for kind in order})
        assert set(reader.read().values()) == set(TYPES) and not reader.faults


def test_a_name_alone_is_looked_for_here_and_above() -> None:
    every = definitions()
    every["/g/w"] = {"class": "vlen", "base": "o"}
    every["/g/u"] = {"class": "vlen", "base": "bits"}
    found = TypeReader(every).read()
    assert found["/g/w"] == Vlen("/g/w", OPAQUE) and found["/g/u"] == Vlen("/g/u", BITS)


@pytest.mark.parametrize(
    ("definition", "fault", "message"),
    [
        ({"class": "vlen", "base": "/none"}, "dangling-type", 'there is no type "/none"'),
        ({"class": "vlen", "base": "none"}, "dangling-type", "there is no type"),
        ({"class": "vlen"}, "type-mismatch", "expected the name of a type"),
        ({"class": "vlen", "base": "/bad"}, "type-mismatch", "a part of itself"),
        ({"class": "enum", "base": "float", "members": {"A": 1}}, "type-mismatch", "integer type as base"),
        ({"class": "enum", "base": "byte", "members": {}}, "type-mismatch", "expected members"),
        ({"class": "enum", "base": "byte", "members": {"A": 200}}, "type-mismatch", "members of type byte"),
        ({"class": "enum", "base": "byte", "members": {"A": True}}, "type-mismatch", "members of type byte"),
        ({"class": "opaque", "size": 0}, "type-mismatch", "positive integer"),
        ({"class": "opaque", "size": 2**31}, "type-mismatch", "positive integer"),
        ({"class": "compound", "fields": []}, "type-mismatch", "expected fields"),
        ({"class": "compound", "fields": [{"name": "a"}]}, "type-mismatch", "the name of a type"),
        ({"class": "compound", "fields": [{"name": "", "type": "int"}]}, "type-mismatch", "with a name"),
        (
            {"class": "compound", "fields": [{"name": "a", "type": "int"}] * 2},
            "type-mismatch",
            "each field once",
        ),
        (
            {"class": "compound", "fields": [{"name": "a", "type": "int", "shape": [2**30, 2**30]}]},
            "type-mismatch",
            "bytes",
        ),
        ({"class": "what"}, "type-mismatch", "expected a definition"),
        (5, "type-mismatch", "expected a definition"),
    ],
)
def test_what_is_wrong_with_one_leaves_the_others(definition: Any, fault: str, message: str) -> None:
    reader = TypeReader({"/bad": definition, **definitions(), "/on_it": {"class": "vlen", "base": "/bad"}})
    assert set(reader.read().values()) == set(TYPES)
    [first, second] = reader.faults
    assert (first.name, first.path) == (fault, "/bad") and message in first.message
    assert (second.name, second.path) == ("dangling-type", "/on_it")


def test_types_nest_within_bounds() -> None:
    chain = {f"/v{at}": {"class": "vlen", "base": f"/v{at + 1}"} for at in range(2000)}
    chain["/v2000"] = {"class": "vlen", "base": "int"}
    for order in (chain, dict(reversed(chain.items()))):
        reader = TypeReader(order)
        assert len(reader.read()) <= 64 and reader.faults
