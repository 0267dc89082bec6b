"""The values of HDMF's datasets: in files that hdmf-zarr wrote, there and back in both layouts, at fault."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import omnizarr
from omnizarr.errors import ConversionError, MetadataError
from omnizarr.hdmf.dtypes import (
    ASCII,
    ISODATETIME,
    REFERENCES,
    REGIONS,
    UTF8,
    ElementType,
    element_type,
    of_numpy,
)
from omnizarr.hdmf.layout import element_of, is_scalar
from omnizarr.hdmf.objects import create_values, read_values, write_values
from omnizarr.hdmf.specs import read_specs, spec_versions
from omnizarr.hierarchy.linking.reference import Reference, RegionReference
from omnizarr.hierarchy.linking.region import Slices
from omnizarr.store import CountingStore, MemoryStore

DATA = Path(__file__).parent / "data"
KINDS = ("pickled", "json")
TYPED = (
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float32",
    "float64",
    "bool",
)
FORMATS = [(2, False), (2, True), (3, False)]

HERE = Reference("/a/b", object_id="6f1ba2c8-8a1e-4cf5-8e9c-6d2d3a3b1f00")
THERE = Reference("/a/c", source="../other.zarr")
FIELDS = element_type(
    [
        {"name": "start", "dtype": "int"},
        {"name": "target", "dtype": {"reftype": "object", "target_type": "TimeSeries"}},
        {"name": "text", "dtype": "text"},
    ]
)


def fixture(kind: str) -> omnizarr.Group:
    return omnizarr.open_group(DATA / f"{kind}.zarr.zip")


def array_of(root: omnizarr.Group, path: str) -> omnizarr.Array:
    found = root[path]
    assert isinstance(found, omnizarr.Array)
    return found


def values_of(kind: str, path: str) -> Any:
    return read_values(array_of(fixture(kind), path))


def new(zarr_format: int) -> omnizarr.Group:
    return omnizarr.create_group(MemoryStore(), zarr_format=zarr_format)


# --- files that hdmf-zarr wrote


@pytest.mark.parametrize("name", TYPED)
def test_numbers_that_hdmf_zarr_wrote(name: str) -> None:
    found = values_of("pickled", name)
    assert found.dtype == np.dtype(name)
    assert np.array_equal(found, np.array([0, 1, 100]).astype(name))


@pytest.mark.parametrize("kind", KINDS)
def test_text_that_hdmf_zarr_wrote(kind: str) -> None:
    assert values_of(kind, "texts").tolist() == ["a", "é", ""]
    assert values_of(kind, "asciis").tolist() == [b"a", b"bc"]
    assert values_of(kind, "text").tolist() == ["one"]
    assert values_of(kind, "date").tolist() == ["2020-01-01T00:00:00+00:00"]
    assert values_of(kind, "number").tolist() == [7]


@pytest.mark.parametrize("kind", KINDS)
def test_scalars_that_hdmf_zarr_wrote(kind: str) -> None:
    root = fixture(kind)
    scalars = {name for name, array in root.arrays() if is_scalar(array.metadata)}
    assert scalars == {"text", "date", "number"}


@pytest.mark.parametrize("kind", KINDS)
def test_references_that_hdmf_zarr_wrote(kind: str) -> None:
    found = values_of(kind, "references")
    assert [one.path for one in found] == ["/groups/first", "/groups/second", "/groups/data"]
    root = fixture(kind)
    assert [one.object_id for one in found] == [
        *(root[f"groups/{name}"].attrs["object_id"] for name in ("first", "second")),
        None,
    ]
    assert {one.source_object_id for one in found} == {root.attrs["object_id"]}
    assert [one.path for one in values_of(kind, "reference")] == ["/groups/second"]


def test_records_with_references_that_hdmf_zarr_wrote() -> None:
    found = values_of("pickled", "records")
    assert found.dtype == [("idx_start", "i4"), ("count", "f8"), ("target", "O")]
    assert [one.path for one in found["target"]] == ["/groups/first", "/groups/second"]
    assert found["count"].tolist() == [2.5, 4.5]
    described = values_of("pickled", "described")
    assert described["text"].tolist() == ["x", "yé"]
    assert described["target"][1].path == "/groups/data"


def test_records_in_json_that_hdmf_zarr_itself_cannot_read() -> None:
    found, same = values_of("json", "records"), values_of("pickled", "records")
    assert found.tolist() == same.tolist()
    assert values_of("json", "described").tolist() == values_of("pickled", "described").tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_plain_records_that_hdmf_zarr_wrote(kind: str) -> None:
    found = values_of(kind, "plain")
    assert found.dtype == [("a", "i4"), ("b", "f8")]
    assert found.tolist() == [(1, 2.5), (3, 4.5)]


@pytest.mark.parametrize("kind", KINDS)
def test_every_array_of_a_file_opens_and_is_read(kind: str) -> None:
    arrays = [node for _, node in fixture(kind).members(max_depth=None) if isinstance(node, omnizarr.Array)]
    assert len(arrays) == 22
    for array in arrays:
        assert read_values(array).shape == array.shape


def test_specifications_that_hdmf_zarr_wrote() -> None:
    root = fixture("table")
    assert spec_versions(root) == {"hdmf-common": ["1.10.0"], "hdmf-experimental": ["0.6.0"]}
    sources = read_specs(root)["hdmf-common"]["1.10.0"]
    assert sorted(sources) == ["base", "namespace", "resources", "sparse", "table"]
    assert sources["namespace"].startswith('{"namespaces":[{')


# --- there and back

CASES: dict[str, tuple[Any, ElementType | None]] = {
    "references": ([HERE, THERE, None], REFERENCES),
    "text": (["a", "é", ""], UTF8),
    "ascii": ([b"a", b""], ASCII),
    "times": (["2020-01-01"], ISODATETIME),
    "records": (
        [(1, 2.5), (3, 4.5)],
        element_type([{"name": "a", "dtype": "int"}, {"name": "b", "dtype": "double"}]),
    ),
    "records with objects": ([(1, HERE, "x"), (2, None, "yé"), (3, THERE, "")], FIELDS),
    "none": ([], FIELDS),
    "booleans": (np.array([True, False]), None),
    **{name: (np.arange(6).reshape(2, 3).astype(name), None) for name in TYPED},
}


def without_ids(value: Any) -> Any:
    """Return a value as Zarr v3 keeps it: references in elements are paths."""
    if isinstance(value, Reference) and not value.is_external:
        return Reference(value.path)
    return tuple(map(without_ids, value)) if isinstance(value, tuple) else value


@pytest.mark.parametrize(("zarr_format", "pickled"), FORMATS)
@pytest.mark.parametrize("name", CASES)
def test_values_come_back(name: str, zarr_format: int, pickled: bool) -> None:
    values, element = CASES[name]
    root = new(zarr_format)
    create_values(root, "x", values, element, pickled=pickled, attributes={"unit": "V"})
    array = array_of(omnizarr.open_group(root.store), "x")
    found = read_values(array)
    expected = values.tolist() if isinstance(values, np.ndarray) else values
    if element == ISODATETIME:
        expected = [b"2020-01-01"]
    assert found.tolist() == (expected if zarr_format == 2 else [*map(without_ids, expected)])
    assert array.attrs["unit"] == "V"
    if element != ISODATETIME:
        assert element_of(array.metadata) == (element or of_numpy(values.dtype))


@pytest.mark.parametrize(("zarr_format", "pickled"), FORMATS)
@pytest.mark.parametrize("value", [7, 2.5, True, "é", b"x", HERE, (1, THERE, "x")], ids=repr)
def test_scalars_come_back(value: Any, zarr_format: int, pickled: bool) -> None:
    root = new(zarr_format)
    element = {Reference: REFERENCES, tuple: FIELDS}.get(type(value)) or element_type(type(value))
    array = create_values(root, "x", value, element, scalar=True, pickled=pickled)
    assert is_scalar(array.metadata)
    assert array.shape == ((1,) if zarr_format == 2 else ())
    expected = value if zarr_format == 2 else without_ids(value)
    assert read_values(array).reshape(-1).tolist() == [expected]


@pytest.mark.parametrize(("zarr_format", "pickled"), FORMATS)
def test_references_to_regions(zarr_format: int, pickled: bool) -> None:
    one = RegionReference("/data", region=Slices(((0, 2, 1),)))
    array = create_values(new(zarr_format), "x", [one], REGIONS, pickled=pickled)
    assert element_of(array.metadata) == REGIONS
    assert read_values(array).tolist() == [one]


@pytest.mark.parametrize(("zarr_format", "pickled"), FORMATS)
def test_parts_are_read_and_written_by_chunk(zarr_format: int, pickled: bool) -> None:
    store = CountingStore(MemoryStore())
    root = omnizarr.create_group(store, zarr_format=zarr_format)
    values = [(i, Reference(f"/node/{i}"), f"text {i}") for i in range(10)]
    array = create_values(root, "x", values, FIELDS, pickled=pickled, chunks=(4,))
    store.reset()
    assert read_values(array, slice(5, 7)).tolist() == values[5:7]
    assert store.counts["get"] == 1
    assert read_values(array, -1).item() == values[9]
    write_values(array, [(0, None, "new")], slice(5, 6))
    assert read_values(array).tolist() == [*values[:5], (0, None, "new"), *values[6:]]


EMPTY: dict[str, tuple[ElementType, Any, Any]] = {
    "references": (REFERENCES, HERE, None),
    "text": (UTF8, "x", ""),
    "ascii": (ASCII, b"x", b""),
    "records": (FIELDS, (1, HERE, "x"), (0, None, "")),
}


@pytest.mark.parametrize(("zarr_format", "pickled"), FORMATS)
@pytest.mark.parametrize("name", EMPTY)
def test_absent_chunks_hold_nothing(name: str, zarr_format: int, pickled: bool) -> None:
    element, value, empty = EMPTY[name]
    root = new(zarr_format)
    array = create_values(root, "x", [value], element, pickled=pickled)
    root.store.delete("x/c/0" if zarr_format == 3 else "x/0")
    assert read_values(array).tolist() == [empty]
    one = read_values(array, 0)
    assert (one.item() if element == FIELDS else one) == empty


# --- faults


def test_each_broken_reference_is_told_with_its_place() -> None:
    root = new(2)
    array = create_values(root, "x", [HERE, HERE, HERE], REFERENCES)
    array[1:] = np.array([{"source": "."}, 7], object)
    with pytest.raises(MetadataError) as caught:
        read_values(array)
    assert [problem.at for problem in caught.value.problems] == ["[1].path", "[2]"]
    assert read_values(array, slice(0, 1)).tolist() == [HERE]


def test_broken_records_are_told_with_their_places() -> None:
    array = create_values(new(2), "x", [(1, HERE, "x"), (1, HERE, "x")], FIELDS)
    items = np.empty(2, object)
    items[0], items[1] = [1, {"path": 5}, "x"], [1, 2]
    array[...] = items
    with pytest.raises(MetadataError) as caught:
        read_values(array)
    assert [problem.at for problem in caught.value.problems] == ["[0].target.path", "[1]"]


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_what_is_of_another_type_is_not_written(zarr_format: int) -> None:
    root = new(zarr_format)
    with pytest.raises(ConversionError, match="expected a reference, found 7"):
        create_values(root, "a", [7], REFERENCES)
    with pytest.raises(ConversionError, match="expected text, found 7"):
        create_values(root, "b", [7], UTF8)


def test_text_too_long_for_a_field_is_refused_and_not_cut() -> None:
    array = create_values(new(3), "x", [(1, HERE, "short")], FIELDS)
    with pytest.raises(ConversionError, match="field 'text': expected 5 characters at most, found 6"):
        write_values(array, [(1, HERE, "longer")])
    assert read_values(array)["text"].tolist() == ["short"]


def test_a_type_that_is_none_is_told() -> None:
    array = omnizarr.create_array(
        MemoryStore(), shape=(1,), dtype="i4", attributes={"zarr_dtype": "nothing"}, zarr_format=2
    )
    with pytest.raises(ConversionError, match='expected the name of a type, found "nothing"'):
        read_values(array)
