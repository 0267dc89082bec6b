"""Models beside those of pydantic-zarr: both load what the other writes, where it does not get it wrong."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pydantic_zarr.v2 as peer_v2
import pydantic_zarr.v3 as peer_v3
import pytest
from pydantic import ValidationError

from omnizarr import zom
from omnizarr.errors import MetadataError
from omnizarr.zom.schema.check import check_by_schema

PEERS: dict[int, Any] = {2: peer_v2, 3: peer_v3}
VERSIONS: dict[int, Any] = {2: zom.v2, 3: zom.v3}

ARRAY_2: dict[str, Any] = {
    "zarr_format": 2,
    "attributes": {"units": "K"},
    "shape": [4, 6],
    "chunks": [2, 3],
    "dtype": "<f4",
    "compressor": None,
    "fill_value": 0,
    "order": "C",
    "filters": None,
    "dimension_separator": "/",
}
ARRAY_3: dict[str, Any] = {
    "zarr_format": 3,
    "node_type": "array",
    "attributes": {"units": "K"},
    "shape": [4, 6],
    "data_type": "float32",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 3]}},
    "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
    "fill_value": 0,
    "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
}
ARRAYS = {2: ARRAY_2, 3: ARRAY_3}
SHARDS = {
    "name": "sharding_indexed",
    "configuration": {
        "chunk_shape": [1, 3],
        "codecs": [{"name": "bytes", "configuration": {"endian": "big"}}, {"name": "crc32c"}],
        "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "index_location": "end",
    },
}
VARIANTS: dict[int, list[dict[str, Any]]] = {
    2: [
        {},
        {"compressor": {"id": "zlib", "level": 1}, "filters": [{"id": "delta", "dtype": "<f4"}]},
        {"dtype": "|u1", "order": "F", "dimension_separator": "."},
        {"fill_value": "NaN"},
        {"dtype": "<M8[s]", "fill_value": "NaT"},
        {"dtype": "|S3", "fill_value": ""},
        {"fill_value": None, "attributes": {"a": [1, {"b": None}]}},
        {"shape": [], "chunks": []},
    ],
    3: [
        {},
        {"codecs": [*ARRAY_3["codecs"], {"name": "zstd", "configuration": {"level": 3, "checksum": False}}]},
        {"codecs": [SHARDS], "dimension_names": ["x", None]},
        {"data_type": "complex64", "fill_value": [0, "NaN"]},
        {"data_type": "bool", "fill_value": True, "codecs": [{"name": "bytes"}]},
        {"data_type": {"name": "numpy.datetime64", "configuration": {"unit": "s", "scale_factor": 1}}},
        {"data_type": "string", "fill_value": "", "codecs": [{"name": "vlen-utf8"}]},
        {"chunk_key_encoding": {"name": "v2", "configuration": {"separator": "."}}},
        {"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [1, 1]}}, "fill_value": "NaN"},
    ],
}


def array(number: int, **fields: Any) -> dict[str, Any]:
    return {**deepcopy(ARRAYS[number]), **fields}


def group(number: int, members: Any, **attributes: Any) -> dict[str, Any]:
    head = {"zarr_format": 2} if number == 2 else {"zarr_format": 3, "node_type": "group"}
    return {**head, "attributes": attributes, "members": members}


def hierarchies(number: int) -> list[dict[str, Any]]:
    arrays = {f"a{i}": array(number, **fields) for i, fields in enumerate(VARIANTS[number])}
    return [
        group(number, {}),
        group(number, None, title="not read"),
        group(number, arrays, title="é"),
        group(number, {"g": group(number, {"h": group(number, arrays, deep=[1, None])})}),
    ]


CASES = [(number, i) for number in (2, 3) for i in range(4)]


def as_text(value: Any) -> Any:
    """Return a value as it is after a way through JSON."""
    return json.loads(json.dumps(value))


@pytest.mark.parametrize(("number", "which"), CASES)
def test_what_we_write_loads_there(number: int, which: int) -> None:
    model = VERSIONS[number].GroupSpec.from_json(hierarchies(number)[which])
    theirs = PEERS[number].GroupSpec.model_validate(as_text(model.to_json()))
    assert (theirs.members is None) == (model.members is None)
    assert dict(theirs.attributes) == model.attributes


@pytest.mark.parametrize(("number", "which"), CASES)
def test_what_they_write_loads_here_and_is_the_same(number: int, which: int) -> None:
    document = hierarchies(number)[which]
    theirs = PEERS[number].GroupSpec.model_validate(document)
    ours = VERSIONS[number].GroupSpec.from_json(document)
    assert VERSIONS[number].GroupSpec.from_json(theirs.model_dump()) == ours
    assert VERSIONS[number].GroupSpec.from_json(theirs.model_dump_json()) == ours


@pytest.mark.parametrize(("number", "which"), CASES)
def test_what_they_write_is_valid_by_our_schema(number: int, which: int) -> None:
    theirs = PEERS[number].GroupSpec.model_validate(hierarchies(number)[which])
    assert check_by_schema(as_text(theirs.model_dump()), zom.json_schema(number)) == []


def takes(number: int, document: Any) -> bool:
    kind = PEERS[number].ArraySpec if "shape" in document else PEERS[number].GroupSpec
    try:
        kind.model_validate(document)
    except (ValidationError, ValueError):
        return False
    return True


@pytest.mark.parametrize(
    ("number", "fields"),
    [
        (2, {"fill_value": "hello", "dtype": "<i4"}),
        (2, {"shape": [-4, 6]}),
        (3, {"fill_value": "hello", "data_type": "int32"}),
        (3, {"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}}}),
        (3, {"shape": [-4, 6]}),
    ],
)
def test_what_they_wrongly_accept_is_refused_here(number: int, fields: dict[str, Any]) -> None:
    document = array(number, **fields)
    assert takes(number, document)
    with pytest.raises(MetadataError):
        VERSIONS[number].ArraySpec.from_json(document)


@pytest.mark.parametrize("name", ["__x", "zarr.json"])
def test_names_that_they_wrongly_accept_are_refused_here(name: str) -> None:
    document = group(3, {name: array(3)})
    assert takes(3, document)
    with pytest.raises(MetadataError, match="a node's name"):
        zom.v3.GroupSpec.from_json(document)


@pytest.mark.parametrize(
    "fields",
    [
        {"chunk_key_encoding": "default"},
        {
            "chunk_grid": {
                "name": "rectilinear",
                "configuration": {"kind": "inline", "chunk_shapes": [2, [3, 3]]},
            }
        },
    ],
)
def test_what_they_wrongly_refuse_is_accepted_here(fields: dict[str, Any]) -> None:
    document = array(3, **fields)
    assert not takes(3, document)
    assert zom.v3.ArraySpec.from_json(document).to_json() == document
