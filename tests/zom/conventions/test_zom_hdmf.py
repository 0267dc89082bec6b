"""Models of HDMF's files: what they accept, and what they say of what they refuse."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import omnizarr
from omnizarr.errors import CodecError, MetadataError
from omnizarr.store import MemoryStore
from omnizarr.zom.conventions import convention, hdmf

# Written by hdmf-zarr 0.13.0 with pynwb 4.2.0 (`NWBZarrIO`: electrodes, an electrical series, a series that
# links to another, trials and epochs with references), read by omnizarr: `to_json`, without descriptions and
# without most of the specifications of `core`.
NWB = Path(__file__).parent.parent / "examples" / "nwb-hdmf-zarr.json"

Document = dict[str, Any]


def nwb() -> Document:
    found: Document = json.loads(NWB.read_text())
    return found


def at(document: Document, path: str) -> Document:
    for name in path.split("/") if path else ():
        document = document["members"][name]
    return document


def attributes(document: Document, path: str = "") -> Document:
    found: Document = at(document, path)["attributes"]
    return found


def identity(number: int, kind: str = "TimeSeries") -> Document:
    return {
        "namespace": "core",
        "neurodata_type": kind,
        "object_id": f"00000000-0000-4000-8000-{number:012}",
    }


def array(dtype: Any = "<f8", shape: tuple[int, ...] = (4,), **attrs: Any) -> Document:
    objects = dtype == "|O" or (isinstance(dtype, list) and any(field[1] == "|O" for field in dtype))
    return {
        "zarr_format": 2,
        "attributes": attrs,
        "shape": list(shape),
        "chunks": list(shape),
        "dtype": dtype,
        "compressor": None,
        "fill_value": None,
        "order": "C",
        "filters": [{"id": "json2"}] if objects else None,
        "dimension_separator": ".",
    }


def array3(
    data_type: Any = "float64", shape: tuple[int, ...] = (4,), fill: Any = 0, **attrs: Any
) -> Document:
    codec: Any = {"name": "bytes", "configuration": {"endian": "little"}}
    return {
        "zarr_format": 3,
        "node_type": "array",
        "attributes": attrs,
        "shape": list(shape),
        "data_type": data_type,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(shape)}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": fill,
        "codecs": [{"name": "vlen-utf8"} if data_type == "string" else codec],
    }


def group(version: int = 2, attrs: Document | None = None, /, **members: Document) -> Document:
    kind = {"node_type": "group"} if version == 3 else {}
    return {"zarr_format": version, **kind, "attributes": attrs or {}, "members": members}


LINK = {"name": "data", "source": ".", "path": "/a/data"}


def small(*links: Document) -> Document:
    """Return a file as the storage document has it: links and references say whose they are."""
    target = {"source": ".", "path": "/a", "object_id": identity(1)["object_id"]}
    reference = {"zarr_dtype": "object", "value": {**target, "source_object_id": identity(0)["object_id"]}}
    first = group(2, identity(1), data=array(zarr_dtype="float64"))
    second = group(2, {**identity(2), "series": reference, "zarr_link": [LINK, *links]}, own=array("<i2"))
    return group(2, identity(0, "NWBFile"), a=first, b=second)


def newer() -> Document:
    """Return a file of the newer layout, on Zarr v3."""
    first = group(3, identity(1), data=array3(_DTYPE="float64"))
    links = [{"name": "data", "source": ".", "path": "/a/data"}]
    reference = {"_REFERENCE": {"path": "/a", "source": "."}}
    second = group(
        3,
        {**identity(2), "_LINKS": links, "series": reference},
        refs=array3("string", fill="", _DTYPE="object_reference"),
        scalar=array3("int8", (), _DTYPE="int8"),
        text=array3("string", (1,), "", _DTYPE="str", _SCALAR=True),
    )
    specs = group(3, None, **{"2.8.0": group(3, None, namespace=array3("string", (), ""))})
    root = {**identity(0, "NWBFile"), ".specloc": "specifications"}
    return group(3, root, a=first, b=second, specifications=group(3, None, core=specs))


def faults(document: Document) -> list[str]:
    try:
        hdmf.MODELS[document["zarr_format"]].from_json(document)
    except MetadataError as error:
        return [f"{one.at}: {one.message}" for one in error.problems]
    return []


# --- what is accepted


@pytest.mark.parametrize("make", [nwb, small, newer])
def test_each_layout_is_accepted_and_kept(make: Callable[[], Document]) -> None:
    document = make()
    assert hdmf.MODELS[document["zarr_format"]].from_json(document).to_json() == document


def test_a_file_in_a_store() -> None:
    model = hdmf.FileV2.from_json(nwb())
    root = model.to_store(MemoryStore(), consolidated=True)
    assert hdmf.FileV2.from_node(root) == model
    assert hdmf.FileV2.from_node(omnizarr.open_group(root.store)) == model
    records = omnizarr.open_array(root.store, path="intervals/epochs/timeseries")
    records.store.set("intervals/epochs/timeseries/0", b"")
    with pytest.raises(CodecError):
        records[...]


def test_links_to_other_files_are_not_looked_for() -> None:
    assert faults(small({"name": "far", "source": "../other.nwb.zarr", "path": "/nowhere"})) == []


def test_links_lead_over_links() -> None:
    assert faults(small({"name": "twice", "source": ".", "path": "/b/data"})) == []


def test_members_that_were_not_read_are_not_missed() -> None:
    document = small()
    document["members"]["a"]["members"] = None
    assert faults(document) == []


def test_containers_that_are_no_nwb_have_a_data_type() -> None:
    document = small()
    of_a = attributes(document, "a")
    of_a["data_type"] = of_a.pop("neurodata_type")
    assert faults(document) == []


def test_a_data_type_alone_is_an_attribute_as_any() -> None:
    document = small()
    attributes(document, "a/data")["data_type"] = 3
    assert faults(document) == []


FIELDS: list[Document] = [{"name": "start", "dtype": "int32"}, {"name": "target", "dtype": "object"}]
RECORDS = [["start", "<i4"], ["target", "|O"]]

TYPES: dict[str, tuple[Any, Any, tuple[int, ...]]] = {
    "numpy's name": ("int16", ">i2", (4,)),
    "type string": ("<i2", "<i2", (4,)),
    "int of Python": ("int", "<i8", (4,)),
    "int of the document": ("int", "<i4", (4,)),
    "float of Python": ("float", "<f8", (4,)),
    "double": ("double", "<f8", (4,)),
    "bool": ("bool", "|b1", (4,)),
    "bool of numpy": ("bool_", "|b1", (4,)),
    "text": ("utf-8", "|O", (4,)),
    "str of numpy": ("str_", "<U5", (4,)),
    "fixed bytes": ("bytes", "|S3", (4,)),
    "times": ("isodatetime", "|O", (4,)),
    "scalar": ("scalar", "<f8", (1,)),
    "scalar without dimensions": ("scalar", "<f8", ()),
    "references": ("object", "|O", (4,)),
    "regions": ("region", "|O", (4,)),
    "records": ([FIELDS[0]], [["start", "<i4"]], (4,)),
    "records with references": (FIELDS, RECORDS, (4,)),
    "records with the specification's references": (
        [FIELDS[0], {"name": "target", "dtype": {"target_type": "TimeSeries", "reftype": "object"}}],
        RECORDS,
        (4,),
    ),
    "records as objects": (FIELDS, "|O", (4,)),
    "records in records": ([{"name": "a", "dtype": [FIELDS[0]]}], [["a", [["start", "<i4"]]]], (4,)),
}


@pytest.mark.parametrize(("stated", "dtype", "shape"), TYPES.values(), ids=TYPES)
def test_types_that_agree(stated: Any, dtype: Any, shape: tuple[int, ...]) -> None:
    document = small()
    document["members"]["d"] = array(dtype, shape, zarr_dtype=stated)
    assert faults(document) == []
    assert hdmf.FileV2.from_json(document).to_json() == document


# --- what is refused

OTHER_TYPES: dict[str, tuple[Any, Any, tuple[int, ...], str]] = {
    "other width": (
        "int16",
        "<i4",
        (4,),
        'attributes.zarr_dtype: expected the array\'s type, int32, found "int16"',
    ),
    "other kind": ("float", "<i4", (4,), "attributes.zarr_dtype: expected the array's type, int32"),
    "no references": ("object", "<i4", (4,), "attributes.zarr_dtype: expected the array's type, int32"),
    "unknown": (
        "integer-ish",
        "<i4",
        (4,),
        'attributes.zarr_dtype: expected the name of a type, found "integer-ish"',
    ),
    "scalar of four": (
        "scalar",
        "<f8",
        (4,),
        "shape: expected one element, as the dataset is a scalar, found [4]",
    ),
    "other fields": (
        [FIELDS[0]],
        RECORDS,
        (4,),
        "attributes.zarr_dtype: expected the fields of the array's type",
    ),
    "no records": (
        FIELDS,
        "<f8",
        (4,),
        "attributes.zarr_dtype: expected the fields of the array's type, elements of",
    ),
    "a field's type": (
        [{"name": "start", "dtype": "float64"}, FIELDS[1]],
        RECORDS,
        (4,),
        "attributes.zarr_dtype[0].dtype: expected the array's type, int32",
    ),
    "a number": (5, "<f8", (4,), "attributes.zarr_dtype: expected the name of a type, or a list of fields"),
    "a field without a name": (
        [{"dtype": "int32"}],
        RECORDS,
        (4,),
        "attributes.zarr_dtype[0].name: required",
    ),
    "a field of no type": (
        [{"name": "a", "dtype": 3}],
        RECORDS,
        (4,),
        "attributes.zarr_dtype[0].dtype: expected the",
    ),
}


@pytest.mark.parametrize(("stated", "dtype", "shape", "expected"), OTHER_TYPES.values(), ids=OTHER_TYPES)
def test_types_that_do_not_agree(stated: Any, dtype: Any, shape: tuple[int, ...], expected: str) -> None:
    document = small()
    document["members"]["d"] = array(dtype, shape, zarr_dtype=stated)
    found = faults(document)
    assert len(found) == 1
    assert found[0].startswith(f"/d: {expected}")


def test_types_of_the_newer_layout() -> None:
    document = newer()
    attributes(document, "b/scalar")["_DTYPE"] = "int16"
    assert faults(document) == [
        '/b/scalar: attributes._DTYPE: expected the array\'s type, int8, found "int16"'
    ]


@pytest.mark.parametrize("name", ["namespace", "neurodata_type", "object_id"])
def test_an_identity_is_whole_or_none(name: str) -> None:
    document = small()
    del document["members"]["b"]["attributes"]["series"]
    del attributes(document, "a")[name]
    (found,) = faults(document)
    assert found.startswith(f"/a: attributes.{name}: required, as the node has ")


def test_the_root_is_a_container() -> None:
    assert faults(group()) == [
        "/: attributes.namespace: required, but missing",
        "/: attributes.object_id: required, but missing",
    ]


def test_object_ids_are_ids_and_no_two_are_alike() -> None:
    document = small()
    attributes(document, "b")["object_id"] = "an id"
    assert faults(document)[0].startswith("/b: attributes.object_id: ")
    attributes(document, "b")["object_id"] = identity(1)["object_id"]
    expected = f'expected another than that of /a, found "{identity(1)["object_id"]}"'
    assert faults(document) == [f"/b: attributes.object_id: {expected}"]


OTHER_LINKS: dict[str, tuple[Document, str]] = {
    "dangling": (
        {"name": "x", "source": ".", "path": "/a/gone"},
        '.path: expected a node of this file, found none at "/a/gone"',
    ),
    "in an array": ({"name": "x", "source": ".", "path": "/a/data/x"}, ".path: expected a node of this file"),
    "to itself": ({"name": "x", "source": ".", "path": "/b/x"}, ".path: expected a node of this file"),
    "a member's name": (
        {"name": "own", "source": ".", "path": "/a"},
        '.name: expected another name than that of a member, found "own"',
    ),
    "a link's name": (LINK, '.name: expected another than that of zarr_link[0], found "data"'),
    "a path for a name": ({**LINK, "name": "a/b"}, ".name: expected a name without '/', found \"a/b\""),
    "no path": ({"name": "x", "source": "."}, ".path: required, but missing"),
    "no source": ({"name": "x", "path": "/a"}, ".source: required, but missing"),
    "no id": ({**LINK, "name": "x", "object_id": "1"}, ".object_id: "),
    "another id": (
        {"name": "x", "source": ".", "path": "/a", "object_id": identity(7)["object_id"]},
        f'.object_id: expected that of /a, "{identity(1)["object_id"]}"',
    ),
    "another file's id": (
        {"name": "x", "source": ".", "path": "/a", "source_object_id": identity(7)["object_id"]},
        f'.source_object_id: expected that of the file, "{identity(0)["object_id"]}"',
    ),
}


@pytest.mark.parametrize(("link", "expected"), OTHER_LINKS.values(), ids=OTHER_LINKS)
def test_links_that_are_refused(link: Document, expected: str) -> None:
    found = faults(small(link))
    assert len(found) == 1
    assert found[0].startswith(f"/b: attributes.zarr_link[1]{expected}"), found


def test_links_of_the_newer_layout() -> None:
    document = newer()
    attributes(document, "b")["_LINKS"][0]["path"] = "/a/gone"
    attributes(document, "b")["series"]["_REFERENCE"]["path"] = "/gone"
    assert faults(document) == [
        '/b: attributes._LINKS[0].path: expected a node of this file, found none at "/a/gone"',
        '/b: attributes.series._REFERENCE.path: expected a node of this file, found none at "/gone"',
    ]


HERE = {"source": ".", "path": "/a/data"}

REFERENCES: dict[str, tuple[Any, str]] = {
    "dangling": (
        {"zarr_dtype": "object", "value": {"source": ".", "path": "/gone"}},
        ".value.path: expected a node",
    ),
    "no value": ({"zarr_dtype": "object"}, ".value: required, but missing"),
    "no path": ({"zarr_dtype": "object", "value": {"source": "."}}, ".value.path: required, but missing"),
    "unknown kind": (
        {"zarr_dtype": "int", "value": HERE},
        ".zarr_dtype: expected 'object' or 'region', found \"int\"",
    ),
    "no region": (
        {"zarr_dtype": "region", "value": HERE},
        ".value.region: expected slices or points of the dataset",
    ),
    "short": ({"_REFERENCE": "/a"}, "._REFERENCE: "),
}


@pytest.mark.parametrize(("reference", "expected"), REFERENCES.values(), ids=REFERENCES)
def test_references_that_are_refused(reference: Any, expected: str) -> None:
    document = small()
    attributes(document, "a/data")["target"] = reference
    found = faults(document)
    assert len(found) == 1
    assert found[0].startswith(f"/a/data: attributes.target{expected}"), found


def test_a_region_is_said() -> None:
    document = small()
    attributes(document, "a/data")["target"] = {"zarr_dtype": "region", "value": {**HERE, "region": [[0, 2]]}}
    assert faults(document) == []


def test_specifications_are_where_the_root_says() -> None:
    document = nwb()
    attributes(document)[".specloc"] = "specs"
    assert faults(document) == [
        '/: attributes..specloc: expected the path of a group, found "specs", where none is'
    ]
    document = nwb()
    attributes(document, "general")[".specloc"] = "specifications"
    assert faults(document) == [
        "/general: attributes..specloc: expected .specloc in the attributes of the root only"
    ]


def test_specifications_are_texts_of_versions_of_namespaces() -> None:
    document = nwb()
    version = at(document, "specifications/core/2.11.0")
    version["members"]["nwb.base"]["shape"] = [2]
    version["members"]["nwb.base"]["attributes"] = {}
    version["members"]["extra"] = group()
    version["members"]["number"] = array("<f8", (1,))
    del at(document, "specifications/hdmf-common/1.10.0")["members"]["namespace"]
    at(document, "specifications")["members"]["text"] = array("|O", (1,))
    expected = "expected one element, as a specification is one text"
    assert sorted(faults(document)) == [
        "/specifications/core/2.11.0/extra: expected a specification as one piece of text, found a group",
        "/specifications/core/2.11.0/number: expected a specification as text, found float64",
        f"/specifications/core/2.11.0/nwb.base: shape: {expected}, found [2]",
        "/specifications/hdmf-common/1.10.0/namespace: required, but missing: a version has one",
        "/specifications/text: expected a group for each namespace of specifications, found an array",
    ]


def test_malformed_attributes_are_told_and_not_stumbled_over() -> None:
    for name in ("zarr_link", "_LINKS", "zarr_dtype", "_DTYPE", "object_id", ".specloc", "_REFERENCE_FIELDS"):
        for value in (None, 3, [None], [[]], [{}], {"a": [1]}):
            for path in ("", "a", "a/data"):
                document = small()
                attributes(document, path)[name] = value
                assert faults(document), (name, value, path)


def test_hdmf_is_a_convention_of_both_versions() -> None:
    assert (convention("hdmf", 2), convention("hdmf", 3)) == (hdmf.FileV2, hdmf.FileV3)
