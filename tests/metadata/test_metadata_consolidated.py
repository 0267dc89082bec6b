"""Consolidated metadata of Zarr v2, and what is stale in those of both formats."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from omnizarr.errors import MetadataError
from omnizarr.geometry.grid import RegularGrid
from omnizarr.jsontypes import Problems
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.chunk_keys import ChunkKeys
from omnizarr.metadata.consolidated import stale
from omnizarr.metadata.dtype import PLAIN
from omnizarr.metadata.extension import Extension
from omnizarr.metadata.formats.v2 import V2
from omnizarr.metadata.group import GroupMetadata, NodeMetadata

ARRAY = {
    "zarr_format": 2,
    "shape": [4],
    "chunks": [2],
    "dtype": "<i4",
    "compressor": None,
    "fill_value": None,
    "order": "C",
    "filters": None,
}
GROUP = {"zarr_format": 2}
ZMETADATA: dict[str, Any] = {
    "zarr_consolidated_format": 1,
    "metadata": {
        ".zattrs": {"title": "t"},
        ".zgroup": GROUP,
        "g/.zgroup": GROUP,
        "g/x/.zarray": ARRAY,
        "g/x/.zattrs": {"n": 1},
        "y/.zarray": ARRAY,
    },
}


def read(document: Any, root: Any = GROUP, attributes: Any = None) -> GroupMetadata:
    documents = {".zgroup": json.dumps(root).encode(), ".zmetadata": json.dumps(document).encode()}
    if attributes is not None:
        documents[".zattrs"] = json.dumps(attributes).encode()
    problems = Problems()
    node = V2().read("", documents, problems)
    problems.check()
    assert isinstance(node, GroupMetadata)
    return node


def written(node: NodeMetadata) -> dict[str, Any]:
    return {key: json.loads(data) for key, data in V2().write("", node).items()}


def test_read_and_repeated() -> None:
    node = read(ZMETADATA, attributes={"title": "t"})
    assert node.consolidated is not None
    assert list(node.consolidated) == ["g", "g/x", "y"]
    assert node.consolidated["g/x"].attributes == {"n": 1}
    assert written(node) == {".zattrs": {"title": "t"}, ".zmetadata": ZMETADATA, ".zgroup": GROUP}
    assert list(written(node))[-1] == ".zgroup"


def test_what_belongs_to_no_node_is_kept() -> None:
    document = {
        **ZMETADATA,
        "note": 1,
        "metadata": ZMETADATA["metadata"] | {"g/.nczgroup": {}, "z/.zattrs": {}},
    }
    node = read(document, attributes={"title": "t"})
    assert node.consolidated is not None
    assert list(node.consolidated) == ["g", "g/x", "y"]
    assert written(node)[".zmetadata"] == document


def test_new_ones_replace_them() -> None:
    node = read(ZMETADATA | {"note": 1}).with_consolidated({"h": GroupMetadata(attributes={"a": 1})})
    assert written(node)[".zmetadata"] == {
        "zarr_consolidated_format": 1,
        "metadata": {".zgroup": GROUP, "h/.zgroup": GROUP, "h/.zattrs": {"a": 1}},
    }
    assert ".zmetadata" not in written(node.with_consolidated(None))


def test_attributes_of_the_group_change_in_both() -> None:
    node = read(ZMETADATA, attributes={"title": "t"}).with_attributes({"title": "u"})
    assert written(node)[".zattrs"] == {"title": "u"}
    assert written(node)[".zmetadata"]["metadata"][".zattrs"] == {"title": "u"}


@pytest.mark.parametrize(
    ("document", "at"),
    [
        ([], ".zmetadata"),
        ({"metadata": {}}, ".zmetadata.zarr_consolidated_format"),
        ({"metadata": {}, "zarr_consolidated_format": 2}, ".zmetadata.zarr_consolidated_format"),
        ({"zarr_consolidated_format": 1}, ".zmetadata.metadata"),
        ({"metadata": [], "zarr_consolidated_format": 1}, ".zmetadata.metadata"),
        (
            {"metadata": {"x/.zarray": ARRAY | {"order": "K"}}, "zarr_consolidated_format": 1},
            '.zmetadata.metadata["x/.zarray"].order',
        ),
        ({"metadata": {"../x/.zgroup": GROUP}, "zarr_consolidated_format": 1}, '.zmetadata.metadata["../x"]'),
    ],
)
def test_faults(document: Any, at: str) -> None:
    with pytest.raises(MetadataError) as caught:
        read(document)
    assert at in [problem.at for problem in caught.value.problems]


def test_arrays_have_none() -> None:
    problems = Problems()
    documents = {".zarray": json.dumps(ARRAY).encode(), ".zmetadata": b"nonsense"}
    assert isinstance(V2().read("", documents, problems), ArrayMetadata)
    problems.check()


NODE = ArrayMetadata(
    shape=(4,),
    data_type=PLAIN["float32"],
    grid=RegularGrid((2,)),
    chunk_keys=ChunkKeys(),
    codecs=(Extension("bytes", {"endian": "little"}),),
    fill_value=np.float32(np.nan),
    attributes={"a": float("nan")},
)


def test_nothing_is_stale() -> None:
    same = replace(NODE, fill_value=np.float32(np.nan), attributes={"a": float("nan")})
    group = GroupMetadata(attributes={"a": 1})
    assert stale({"x": NODE, "g": group}, {"x": same, "g": group.with_consolidated({})}) == []


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"shape": (5,)}, "shape"),
        ({"data_type": PLAIN["float64"]}, "data_type"),
        ({"grid": RegularGrid((3,))}, "grid"),
        ({"chunk_keys": ChunkKeys("v2", ".")}, "chunk_keys"),
        ({"codecs": ()}, "codecs"),
        ({"fill_value": np.float32(0)}, "fill_value"),
        ({"dimension_names": ("x",)}, "dimension_names"),
        ({"attributes": {"a": 1}}, "attributes"),
        ({"extra": {"b": {"must_understand": False}}}, "extra"),
    ],
)
def test_every_difference_is_named(change: dict[str, Any], name: str) -> None:
    (found,) = stale({"x": NODE}, {"x": replace(NODE, **change)})
    assert found == ("x", f"the consolidated metadata differ from the node's own: {name}")


def test_nodes_that_came_and_went() -> None:
    group = GroupMetadata()
    found = dict(stale({"a": NODE, "b": group, "c": group}, {"b": NODE, "c": group, "d": group}))
    assert list(found) == ["a", "b", "d"]
    assert "no such node" in found["a"]
    assert "kind of node" in found["b"]
    assert "missing" in found["d"]
    assert "attributes" in dict(stale({"c": group}, {"c": GroupMetadata(attributes={"x": 1})}))["c"]
