"""Models of OME-Zarr: what they accept, and what they say of what they refuse."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from omnizarr.errors import MetadataError
from omnizarr.store import MemoryStore
from omnizarr.zom.conventions import convention, ome
from omnizarr.zom.conventions.ome_metadata import Axis, Dataset, Multiscale
from omnizarr.zom.conventions.ome_plate import Plate

# Written by ome-zarr 0.18.0 (`write_image`, `write_labels`, `write_plate_metadata`, `write_well_metadata`)
# and by ngff-zarr 0.50.0 (`to_ngff_zarr`, without the `metadata` of its method), read by omnizarr: `to_json`.
EXAMPLES = Path(__file__).parent.parent / "examples"
PEERS = ["ome-zarr-image", "ome-zarr-plate", "ngff-zarr"]

Document = dict[str, Any]
Change = Callable[[Document], object]


def array(version: int, shape: tuple[int, ...], dtype: str = "uint8", names: str = "") -> Document:
    """Return the document of an array as OME-Zarr has it."""
    if version == 2:
        return {
            "zarr_format": 2,
            "attributes": {},
            "shape": list(shape),
            "chunks": list(shape),
            "dtype": {"uint8": "|u1", "uint16": "<u2", "float32": "<f4"}[dtype],
            "compressor": None,
            "fill_value": 0,
            "order": "C",
            "filters": None,
            "dimension_separator": "/",
        }
    return {
        "zarr_format": 3,
        "node_type": "array",
        "attributes": {},
        "shape": list(shape),
        "data_type": dtype,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(shape)}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": 0,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "dimension_names": list(names),
    }


def group(version: int, metadata: Document | None = None, **members: Document) -> Document:
    """Return the document of a group with metadata where its version keeps them."""
    if version == 2:
        return {"zarr_format": 2, "attributes": metadata or {}, "members": members}
    attributes = {} if metadata is None else {"ome": {"version": "0.5", **metadata}}
    return {"zarr_format": 3, "node_type": "group", "attributes": attributes, "members": members}


def metadata_of(document: Document) -> Document:
    found: Document = document["attributes"]
    return found["ome"] if document["zarr_format"] == 3 else found


AXES = {
    "t": {"name": "t", "type": "time", "unit": "second"},
    "c": {"name": "c", "type": "channel"},
    "z": {"name": "z", "type": "space"},
    "y": {"name": "y", "type": "space", "unit": "micrometer"},
    "x": {"name": "x", "type": "space", "unit": "micrometer"},
}


def multiscale(names: str, levels: int) -> Document:
    return {
        "name": "image",
        "axes": [copy.deepcopy(AXES[name]) for name in names],
        "datasets": [
            {
                "path": f"s{level}",
                "coordinateTransformations": [
                    {"type": "scale", "scale": [2**level] * len(names)},
                    {"type": "translation", "translation": [0.5] * len(names)},
                ],
            }
            for level in range(levels)
        ],
        "coordinateTransformations": [{"type": "scale", "scale": [1.5] * len(names)}],
        "type": "mean",
        "metadata": {"method": "a function"},
    }


def image(version: int, names: str = "tcyx", dtype: str = "uint8", **metadata: Any) -> Document:
    """Return an image of two levels, 64 and 32 long along each axis."""
    levels = {f"s{level}": array(version, (64 >> level,) * len(names), dtype, names) for level in range(2)}
    return group(version, {"multiscales": [multiscale(names, 2)], **metadata}, **levels)


COLORS = [{"label-value": 0, "rgba": [0, 0, 0, 0]}, {"label-value": 1, "rgba": [255, 0, 0, 128]}]


def with_labels(version: int) -> Document:
    found = image(version, "yx", "float32")
    label = {
        "colors": COLORS,
        "properties": [{"label-value": 1, "area": 12.5}],
        "source": {"image": "../../"},
    }
    cells = image(version, "yx", "uint8", **{"image-label": label})
    nested = group(version, None, nuclei=image(version, "yx", "uint16"))
    found["members"]["labels"] = group(
        version, {"labels": ["cells", "deep/nuclei"]}, cells=cells, deep=nested
    )
    return found


def plate(version: int) -> Document:
    metadata = {
        "plate": {
            "name": "a plate",
            "acquisitions": [{"id": 1, "maximumfieldcount": 2, "starttime": 1343731272000}, {"id": 2}],
            "columns": [{"name": "1"}, {"name": "2"}],
            "rows": [{"name": "A"}, {"name": "B"}],
            "wells": [
                {"path": "A/1", "rowIndex": 0, "columnIndex": 0},
                {"path": "B/2", "rowIndex": 1, "columnIndex": 1},
            ],
            "field_count": 2,
        }
    }
    wells = [
        group(
            version,
            {"well": {"images": [{"path": "0", "acquisition": 1}, {"path": "1", "acquisition": 2}]}},
            **{"0": image(version, "yx"), "1": image(version, "yx")},
        )
        for _ in range(2)
    ]
    rows = {"A": group(version, None, **{"1": wells[0]}), "B": group(version, None, **{"2": wells[1]})}
    return group(version, metadata, **rows)


def collection(version: int, series: list[str] | None = None) -> Document:
    members = {str(number): image(version, "zyx") for number in range(2)}
    if series is not None:
        members["OME"] = group(version, {"series": series})
    return group(version, {"bioformats2raw.layout": 3}, **members)


def faults(document: Document, model: Any = None) -> list[str]:
    """Return what a model says of a document, with places as 0.4 has them."""
    model = model or ome.MODELS[document["zarr_format"]]
    try:
        model.from_json(document)
    except MetadataError as error:
        return [
            re.sub(r"attributes\.ome\b", "attributes", f"{one.at}: {one.message}") for one in error.problems
        ]
    return []


both = pytest.mark.parametrize("version", [2, 3])


# --- what is accepted


@pytest.mark.parametrize("edition", ["v04", "v05"])
@pytest.mark.parametrize("peer", PEERS)
def test_what_other_libraries_write_is_accepted(peer: str, edition: str) -> None:
    document = json.loads((EXAMPLES / f"{peer}-{edition}.json").read_text())
    model = ome.MODELS[document["zarr_format"]].from_json(document)
    assert model.to_json() == document


@both
@pytest.mark.parametrize("names", ["yx", "zyx", "tyx", "cyx", "tcyx", "tczyx"])
def test_images_of_two_to_five_axes(version: int, names: str) -> None:
    assert faults(image(version, names)) == []


@both
@pytest.mark.parametrize(
    "make",
    [with_labels, plate, collection, lambda version: collection(version, ["1", "0"])],
    ids=["labels", "plate", "numbered", "series"],
)
def test_each_kind_of_hierarchy(version: int, make: Callable[[int], Document]) -> None:
    document = make(version)
    assert ome.MODELS[version].from_json(document).to_json() == document


@both
def test_a_plate_of_bioformats2raw_is_a_plate(version: int) -> None:
    document = plate(version)
    metadata_of(document)["bioformats2raw.layout"] = 3
    document["members"]["OME"] = group(version, {"series": ["A/1/0", "B/2/1"]})
    assert faults(document) == []


def _only_recommended(metadata: Document) -> None:
    one = metadata["multiscales"][0]
    for name in ("name", "type", "metadata", "coordinateTransformations"):
        del one[name]
    one["axes"][0] = {"name": "angle"}
    one["axes"][1] = {"name": "y", "type": "space", "unit": "micron"}


@both
def test_what_is_only_recommended_may_be_left_out(version: int) -> None:
    document = image(version, "cyx")
    _only_recommended(metadata_of(document))
    for level in document["members"].values():
        if version == 3:
            level["dimension_names"] = ["angle", "y", "x"]
    assert faults(document) == []


@both
def test_unknown_names_are_kept(version: int) -> None:
    document = image(version, extra={"a": None})
    one = metadata_of(document)["multiscales"][0]
    one["@type"] = "Image"
    one["axes"][0]["note"] = one["datasets"][0]["note"] = one["datasets"][0]["coordinateTransformations"][0][
        "n"
    ] = 1
    assert ome.MODELS[version].from_json(document).to_json() == document


def test_integers_stay_integers() -> None:
    scale = (
        ome.ImageV04.from_json(image(2)).attributes.multiscales[0].datasets[1].coordinateTransformations[0]
    )
    assert [type(number) for number in scale.vector or ()] == [int] * 4


def test_a_level_may_be_as_large_as_the_one_before_and_lie_deeper() -> None:
    document = image(3, "yx")
    deep = group(3, None, s1=array(3, (64, 32), names="yx"))
    document["members"]["deep"] = deep
    del document["members"]["s1"]
    metadata_of(document)["multiscales"][0]["datasets"][1]["path"] = "deep/s1"
    assert faults(document) == []


def test_scales_may_lie_in_arrays() -> None:
    document = image(2, "yx")
    transformations = metadata_of(document)["multiscales"][0]["datasets"][0]["coordinateTransformations"]
    transformations[0] = {"type": "scale", "path": "scales/0"}
    assert faults(document) == []


@both
def test_members_that_were_not_read_are_not_missed(version: int) -> None:
    for make in (with_labels, plate, collection):
        assert faults({**make(version), "members": None}) == []


@both
def test_an_image_outside_of_the_hierarchy_is_not_looked_for(version: int) -> None:
    labels = with_labels(version)["members"]["labels"]
    assert faults(labels["members"]["cells"]) == []
    assert faults(labels) == []


def test_groups_below_the_root_need_not_say_the_version() -> None:
    document = with_labels(3)
    del metadata_of(document["members"]["labels"])["version"]
    assert faults(document) == []


# --- what is refused, of one object


def _axes(*names: str) -> Change:
    return lambda metadata: metadata["multiscales"][0].update(
        axes=[copy.deepcopy(AXES[name]) for name in names]
    )


def _transformations(*given: Document) -> Change:
    return lambda metadata: metadata["multiscales"][0]["datasets"][1].update(
        coordinateTransformations=[*given]
    )


def _multiscale(**changes: Any) -> Change:
    return lambda metadata: metadata["multiscales"][0].update(changes)


def _without(*path: Any) -> Change:
    def change(metadata: Any) -> None:
        for name in path[:-1]:
            metadata = metadata[name]
        del metadata[path[-1]]

    return change


def _axis(number: int, /, **changes: Any) -> Change:
    return lambda metadata: metadata["multiscales"][0]["axes"][number].update(changes)


SCALE = {"type": "scale", "scale": [1, 1, 1, 1]}
TRANSLATION = {"type": "translation", "translation": [0, 0, 0, 0]}
WINDOW = {"start": 0, "end": 10, "min": 0, "max": 255}
_FIRST = "/: attributes.multiscales[0]"
_TRANSFORMED = f"{_FIRST}.datasets[1].coordinateTransformations"

REFUSED_IMAGES: dict[str, tuple[Change, str]] = {
    "no images": (lambda metadata: metadata.update(multiscales=[]), "/: attributes.multiscales: "),
    "null": (lambda metadata: metadata.update(omero=None), "/: attributes.omero: expected a value"),
    "no axes": (_without("multiscales", 0, "axes"), f"{_FIRST}.axes: required, but missing"),
    "one axis": (_axes("x"), f"{_FIRST}.axes: expected 2 to 5 axes, found 1"),
    "six axes": (_axes("t", "c", "c", "z", "y", "x"), f"{_FIRST}.axes: expected 2 to 5 axes, found 6"),
    "one of space": (_axes("t", "c", "x"), f"{_FIRST}.axes: expected 2 or 3 axes of type 'space', found 1"),
    "two times": (_axes("t", "t", "y", "x"), f"{_FIRST}.axes: expected at most one time axis, found 2"),
    "channel and custom": (
        _axis(0, type="custom"),
        f"{_FIRST}.axes: expected at most one channel or custom axis",
    ),
    "space before channel": (
        _axes("t", "y", "x", "c"),
        f"{_FIRST}.axes[3].type: expected a channel or custom axis",
    ),
    "channel before time": (
        _axes("c", "t", "y", "x"),
        f"{_FIRST}.axes[1].type: expected a time axis before any",
    ),
    "name twice": (
        _axis(3, name="y"),
        f'{_FIRST}.axes[3].name: expected another than that of axes[2], found "y"',
    ),
    "no name": (
        _without("multiscales", 0, "axes", 2, "name"),
        f"{_FIRST}.axes[2].name: required, but missing",
    ),
    "a number for a name": (_axis(0, name=0), f"{_FIRST}.axes[0].name: expected a string, found 0"),
    "no datasets": (_multiscale(datasets=[]), f"{_FIRST}.datasets: "),
    "no path": (_without("multiscales", 0, "datasets", 0, "path"), f"{_FIRST}.datasets[0].path: required"),
    "no transformations": (
        _without("multiscales", 0, "datasets", 0, "coordinateTransformations"),
        f"{_FIRST}.datasets[0].coordinateTransformations: required, but missing",
    ),
    "empty": (
        _transformations(),
        f"{_TRANSFORMED}: expected exactly one scale",
    ),
    "two scales": (
        _transformations(SCALE, SCALE),
        f"{_TRANSFORMED}: expected exactly one scale, and after it at most one translation, found",
    ),
    "scale last": (_transformations(TRANSLATION, SCALE), f"{_TRANSFORMED}: "),
    "no scale": (_transformations(TRANSLATION), f"{_TRANSFORMED}: "),
    "identity": (
        _transformations({"type": "identity"}, SCALE),
        f"{_TRANSFORMED}[0]: ",
    ),
    "no vector": (
        _transformations({"type": "scale"}),
        f"{_TRANSFORMED}[0]: expected either 'scale' or 'path', found neither",
    ),
    "short scale": (
        _transformations({"type": "scale", "scale": [1, 1]}),
        f"{_TRANSFORMED}[0].scale: expected a number for each of 4 axes, found 2",
    ),
    "words for numbers": (
        _transformations({"type": "scale", "scale": [1, "1", 1, 1]}),
        f"{_TRANSFORMED}[0].scale[1]: expected a ",
    ),
    "long translation of all": (
        _multiscale(coordinateTransformations=[SCALE, {"type": "translation", "translation": [0] * 5}]),
        f"{_FIRST}.coordinateTransformations[1].translation: expected a number for each of 4 axes, found 5",
    ),
    "only a translation of all": (
        _multiscale(coordinateTransformations=[TRANSLATION]),
        f"{_FIRST}.coordinateTransformations: expected exactly one scale",
    ),
    "a channel without window": (
        lambda metadata: metadata.update(omero={"channels": [{"color": "FF0000"}]}),
        "/: attributes.omero.channels[0].window: required, but missing",
    ),
    "half a window": (
        lambda metadata: metadata.update(
            omero={"channels": [{"color": "0", "window": {**WINDOW, "max": "1"}}]}
        ),
        "/: attributes.omero.channels[0].window.max: expected a ",
    ),
    "a color that is a number": (
        lambda metadata: metadata.update(omero={"channels": [{"color": 255, "window": WINDOW}]}),
        "/: attributes.omero.channels[0].color: expected a string, found 255",
    ),
    "no channels": (lambda metadata: metadata.update(omero={}), "/: attributes.omero.channels: required"),
}


@both
@pytest.mark.parametrize(("change", "expected"), REFUSED_IMAGES.values(), ids=REFUSED_IMAGES)
def test_image_metadata_that_are_refused(version: int, change: Change, expected: str) -> None:
    document = image(version)
    change(metadata_of(document))
    assert any(found.startswith(expected) for found in faults(document)), faults(document)


@both
def test_another_version_is_refused(version: int) -> None:
    document = image(version)
    place = metadata_of(document)["multiscales"][0] if version == 2 else metadata_of(document)
    place["version"] = "0.3"
    assert [one.partition(": expected")[0][-7:] for one in faults(document)] == ["version"]


def test_a_version_of_0_5_is_required() -> None:
    document = image(3)
    del metadata_of(document)["version"]
    assert faults(document) == ["/: attributes.version: required, but missing"]


def test_all_groups_are_of_one_version() -> None:
    document = with_labels(3)
    metadata_of(document["members"]["labels"])["version"] = "0.6"
    assert faults(document) == [
        '/labels: attributes.version: expected "0.5", as the whole hierarchy, found "0.6"',
    ]


REFUSED_LABELS: dict[str, tuple[Document, str]] = {
    "no value": ({"colors": [{"rgba": [0, 0, 0, 0]}]}, "colors[0].label-value: required, but missing"),
    "half a value": ({"colors": [{"label-value": 0.5}]}, "colors[0].label-value: expected a"),
    "three numbers": (
        {"colors": [{"label-value": 1, "rgba": [0, 0, 0]}]},
        "colors[0].rgba[3]: required, but missing",
    ),
    "over 255": (
        {"colors": [{"label-value": 1, "rgba": [0, 0, 0, 256]}]},
        "colors[0].rgba[3]: expected less than",
    ),
    "value twice": (
        {"colors": [COLORS[0], COLORS[0]]},
        "colors[1].label-value: expected another than that of",
    ),
    "no colors": ({"colors": []}, "colors: "),
    "properties of nothing": (
        {"properties": [{"area": 1}]},
        "properties[0].label-value: required, but missing",
    ),
    "source is a path": ({"source": "../../"}, "source: "),
    "source is a number": ({"source": {"image": 3}}, "source.image: expected a string, found 3"),
    "source is no image": (
        {"source": {"image": ".."}},
        "source.image: expected the path of an image, found a group",
    ),
    "source is an array": (
        {"source": {"image": "../../s0"}},
        "source.image: expected the path of an image, found an",
    ),
    "source is missing": (
        {"source": {"image": "../../raw"}},
        "source.image: expected the path of an image, but there",
    ),
}


@both
@pytest.mark.parametrize(("label", "expected"), REFUSED_LABELS.values(), ids=REFUSED_LABELS)
def test_label_metadata_that_are_refused(version: int, label: Document, expected: str) -> None:
    document = with_labels(version)
    metadata_of(document["members"]["labels"]["members"]["cells"])["image-label"] = label
    found = faults(document)
    assert len(found) == 1
    assert found[0].startswith(f"/labels/cells: attributes.image-label.{expected}")


def _plate(at: str, number: int, /, **changes: Any) -> Change:
    return lambda metadata: metadata["plate"][at][number].update(changes)


_WELL = "attributes.plate.wells[1]"

REFUSED_PLATES: dict[str, tuple[Change, str]] = {
    "no rows": (_without("plate", "rows"), "attributes.plate.rows: required, but missing"),
    "no columns": (lambda metadata: metadata["plate"].update(columns=[]), "attributes.plate.columns: "),
    "no wells": (_without("plate", "wells"), "attributes.plate.wells: required, but missing"),
    "row twice": (
        _plate("rows", 1, name="A"),
        "attributes.plate.rows[1].name: expected another than that of rows[0]",
    ),
    "strange name": (_plate("columns", 0, name="1-"), "attributes.plate.columns[0].name: "),
    "well twice": (_plate("wells", 1, path="A/1"), f"{_WELL}.path: expected another than that of wells[0]"),
    "well elsewhere": (
        _plate("wells", 1, path="A/2"),
        f'{_WELL}.path: expected "B/2", of rowIndex and columnIndex',
    ),
    "swapped": (_plate("wells", 1, path="2/B"), f'{_WELL}.path: expected "B/2", of rowIndex and columnIndex'),
    "deep well": (_plate("wells", 1, path="x/B/2"), f"{_WELL}.path: "),
    "row too far": (_plate("wells", 1, rowIndex=2), f"{_WELL}.rowIndex: expected an index below 2, found 2"),
    "row below 0": (_plate("wells", 1, rowIndex=-1), f"{_WELL}.rowIndex: "),
    "no column": (
        _without("plate", "wells", 1, "columnIndex"),
        f"{_WELL}.columnIndex: required, but missing",
    ),
    "acquisition twice": (
        _plate("acquisitions", 1, id=1),
        "attributes.plate.acquisitions[1].id: expected another",
    ),
    "acquisition by name": (_plate("acquisitions", 0, id="1"), "attributes.plate.acquisitions[0].id: "),
    "no fields": (
        _plate("acquisitions", 0, maximumfieldcount=0),
        "attributes.plate.acquisitions[0].maximumfield",
    ),
    "time as text": (
        _plate("acquisitions", 0, starttime="2022-05-13"),
        "attributes.plate.acquisitions[0].starttime",
    ),
    "field count": (
        lambda metadata: metadata["plate"].update(field_count=0),
        "attributes.plate.field_count: ",
    ),
}


@both
@pytest.mark.parametrize(("change", "expected"), REFUSED_PLATES.values(), ids=REFUSED_PLATES)
def test_plate_metadata_that_are_refused(version: int, change: Change, expected: str) -> None:
    document = plate(version)
    change(metadata_of(document))
    assert any(found.startswith(f"/: {expected}") for found in faults(document)), faults(document)


# --- what is refused, of a hierarchy


@both
def test_a_level_that_is_missing_or_a_group(version: int) -> None:
    document = image(version)
    del document["members"]["s0"]
    document["members"]["s1"] = group(version)
    at = "/: attributes.multiscales[0].datasets"
    assert faults(document) == [
        f"{at}[0].path: expected the path of an array, but there is none",
        f"{at}[1].path: expected the path of an array, but a group is there",
    ]


@both
def test_levels_that_do_not_fit(version: int) -> None:
    document = image(version, "zyx")
    document["members"]["s0"] = array(version, (8, 8), names="yx")
    document["members"]["s1"] = array(version, (8, 16, 8), "uint16", "zyx")
    found = faults(document)
    assert "/s0: shape: expected 3 dimensions, one for each axis of the image, found 2" in found
    before = "expected at most 8, as in the level before: the largest comes first; found 16"
    assert f"/s1: shape[1]: {before}" in found
    field = "dtype" if version == 2 else "data_type"
    assert f"/s1: {field}: expected uint8, as in the first level, found uint16" in found


def test_chunks_of_0_4_lie_in_nested_directories() -> None:
    document = image(2)
    document["members"]["s1"]["dimension_separator"] = "."
    assert faults(document) == ['/s1: dimension_separator: expected "/", found "."']


@pytest.mark.parametrize(("names", "shown"), [(None, "none"), (["c", "t", "y", "x"], '["c", "t", "y", "x"]')])
def test_dimensions_of_0_5_are_named_as_the_axes(names: list[str] | None, shown: str) -> None:
    document = image(3)
    document["members"]["s1"]["dimension_names"] = names
    if names is None:
        del document["members"]["s1"]["dimension_names"]
    expected = 'expected the names of the image\'s axes, ["t", "c", "y", "x"]'
    assert faults(document) == [f"/s1: dimension_names: {expected}, found {shown}"]


@both
def test_labels_that_are_listed_must_be_images_of_integers(version: int) -> None:
    document = with_labels(version)
    labels = document["members"]["labels"]
    metadata_of(labels)["labels"] += ["missing", "deep", "../s0", "plain"]
    labels["members"]["plain"] = image(version, "yx", "float32")
    found = faults(document)
    at = "/labels: attributes.labels"
    assert f"{at}[2]: expected the path of an image, but there is none" in found
    assert f"{at}[3]: expected the path of an image, found a group without multiscales" in found
    assert f'{at}[4]: expected a path below the group of labels, found "../s0"' in found
    field = "dtype" if version == 2 else "data_type"
    assert f"/labels/plain/s1: {field}: expected an integer type, as labels have, found float32" in found
    assert len(found) == 5


@both
def test_labels_that_lead_back_to_their_image_end(version: int) -> None:
    document = with_labels(version)
    metadata_of(document["members"]["labels"])["labels"] = [".."]
    assert faults(document) == [
        '/labels: attributes.labels[0]: expected a path below the group of labels, found ".."'
    ]


@both
def test_a_group_of_labels_without_a_list(version: int) -> None:
    document = with_labels(version)
    del metadata_of(document["members"]["labels"])["labels"]
    assert faults(document) == [
        "/labels: attributes.labels: required, but missing: a group of this name in an image lists its labels"
    ]


@both
def test_labels_have_as_many_levels_as_their_image(version: int) -> None:
    document = with_labels(version)
    cells = document["members"]["labels"]["members"]["cells"]
    del metadata_of(cells)["multiscales"][0]["datasets"][1]
    expected = "expected 2 levels, as many as its image has, found 1"
    assert faults(document) == [f"/labels/cells: attributes.multiscales[0].datasets: {expected}"]


@both
def test_image_label_without_an_image(version: int) -> None:
    expected = [
        "/: attributes: expected",
        "/: attributes.multiscales: required beside image-label, but missing",
    ]
    found = faults(group(version, {"image-label": {}}))
    assert [one.startswith(start) for one, start in zip(found, expected, strict=True)] == [True, True]


def test_groups_on_the_way_to_labels_have_no_metadata_in_0_5() -> None:
    document = with_labels(3)
    document["members"]["labels"]["members"]["deep"]["attributes"] = {"ome": {"version": "0.5"}}
    assert faults(document) == [
        "/labels/deep: attributes: expected no metadata: the group only leads to labels"
    ]


@both
def test_wells_and_fields_must_be_there(version: int) -> None:
    document = plate(version)
    del document["members"]["B"]["members"]["2"]
    well = document["members"]["A"]["members"]["1"]
    well["members"]["0"] = array(version, (4, 4), names="yx")
    well["members"]["1"]["attributes"] = {}
    expected = "expected the path of an image, found"
    assert faults(document) == [
        f"/A/1: attributes.well.images[0].path: {expected} an array",
        f"/A/1: attributes.well.images[1].path: {expected} a group without multiscales",
        "/: attributes.plate.wells[1].path: expected the path of a well, but there is none",
    ]


@both
def test_wells_have_metadata_of_their_own(version: int) -> None:
    document = plate(version)
    document["members"]["A"]["members"]["1"]["attributes"] = {}
    well = metadata_of(document["members"]["B"]["members"]["2"])["well"]
    well["images"] = [{"path": "0", "acquisition": 7}, {"path": "0"}]
    assert faults(document) == [
        "/A/1: attributes.well: required, but missing: the plate names this well",
        '/B/2: attributes.well.images[1].path: expected another than that of images[0], found "0"',
    ]
    well["images"][1]["path"] = "1"
    at = "/B/2: attributes.well.images"
    assert faults(document)[1:] == [
        f"{at}[0].acquisition: expected one of the plate's acquisitions, [1, 2], found 7",
        f"{at}[1].acquisition: required where a plate has several acquisitions, but missing",
    ]


@both
def test_faults_deep_in_a_plate_are_told_with_their_paths(version: int) -> None:
    document = plate(version)
    field = document["members"]["A"]["members"]["1"]["members"]["0"]
    metadata_of(field)["multiscales"][0]["axes"][1]["name"] = "y"
    assert faults(document) == [
        '/A/1/0: attributes.multiscales[0].axes[1].name: expected another than that of axes[0], found "y"'
    ]


@both
def test_collections_are_numbered_from_0_or_listed(version: int) -> None:
    document = collection(version)
    document["members"]["3"] = document["members"].pop("1")
    expected = "expected images in groups that are numbered from 0, without gaps; '1' is none"
    assert faults(document) == [f"/: members: {expected}"]
    document = collection(version, ["0", "5", 3])
    assert faults(document) == ["/OME: attributes.series[2]: expected a string, found 3"]
    document = collection(version, ["0", "5"])
    assert faults(document) == [
        "/OME: attributes.series[1]: expected the path of an image, but there is none"
    ]
    document = collection(version)
    metadata_of(document)["bioformats2raw.layout"] = 2
    assert faults(document)[0].startswith("/: attributes.bioformats2raw.layout: expected 3, found 2")


@both
def test_a_collection_without_images(version: int) -> None:
    found = faults(group(version, {"bioformats2raw.layout": 3}))
    assert [one.endswith("'0' is none") for one in found] == [True]


@both
def test_a_group_that_is_none_of_these_is_told(version: int) -> None:
    document = group(version, {"title": "other"})
    (found,) = faults(document)
    number = "0.4" if version == 2 else "0.5"
    kinds = "multiscales, plate, well, labels or bioformats2raw.layout"
    assert found == f"/: attributes: expected metadata of OME-Zarr {number}: {kinds}; found none of them"


def test_metadata_of_0_4_are_none_of_0_5() -> None:
    document = group(3)
    document["attributes"] = metadata_of(image(2))
    assert faults(document) == ["/: attributes: required, but missing"]
    document["attributes"] = {"ome": 5}
    assert faults(document) == ["/: attributes: expected an object, found 5"]


@both
def test_nulls_below_the_root_are_told(version: int) -> None:
    document = with_labels(version)
    metadata_of(document["members"]["labels"])["labels"] = None
    assert [one[:27] for one in faults(document)] == ["/labels: attributes.labels:"]


@both
def test_malformed_metadata_are_told_and_not_stumbled_over(version: int) -> None:
    for value in (None, 3, "a", [], [None], [3], True):
        for name in (
            "multiscales",
            "plate",
            "well",
            "labels",
            "image-label",
            "omero",
            "bioformats2raw.layout",
        ):
            for document in (image(version), plate(version), with_labels(version)):
                metadata_of(document)[name] = value
                assert faults(document) or (name, value) in (("labels", []), ("bioformats2raw.layout", 3))


@pytest.mark.parametrize("value", [None, 3, [], "0.5", {}])
def test_an_ome_that_is_none_is_told(value: Any) -> None:
    document = image(3)
    document["attributes"]["ome"] = value
    assert faults(document)


# --- models for direct use


@both
@pytest.mark.parametrize(
    ("kind", "make", "needed"),
    [
        ("Image", image, "multiscales"),
        (
            "LabelImage",
            lambda version: with_labels(version)["members"]["labels"]["members"]["cells"],
            "image-label",
        ),
        ("Labels", lambda version: with_labels(version)["members"]["labels"], "labels"),
        ("Plate", plate, "plate"),
        ("Well", lambda version: plate(version)["members"]["A"]["members"]["1"], "well"),
        ("Collection", collection, "bioformats2raw.layout"),
    ],
)
def test_models_of_one_kind(version: int, kind: str, make: Callable[[int], Document], needed: str) -> None:
    model = getattr(ome, f"{kind}V0{version + 2}")
    document = make(version)
    assert model.from_json(document).to_json() == document
    other = {**document, "attributes": group(version, {})["attributes"]}
    assert f"/: attributes.{needed}: required, but missing" in faults(other, model)


def test_typed_attributes() -> None:
    found = ome.PlateV05.from_json(plate(3))
    assert [well.path for well in found.attributes.ome.plate.wells] == ["A/1", "B/2"]
    labels = ome.LabelImageV04.from_json(with_labels(2)["members"]["labels"]["members"]["cells"])
    assert [color.value for color in labels.attributes.image_label.colors or ()] == [0, 1]


def test_parts_check_themselves() -> None:
    one: Document = {"coordinateTransformations": [{"type": "scale", "scale": [1, 1]}]}
    with pytest.raises(ValidationError, match="expected 2 or 3 axes of type 'space', found 0"):
        Multiscale(axes=[Axis(name="a"), Axis(name="t", type="time")], datasets=[Dataset(path="0", **one)])
    with pytest.raises(ValidationError, match="expected exactly one scale"):
        Dataset(path="0", coordinateTransformations=[])
    with pytest.raises(ValidationError, match="frozen"):
        Axis(name="x").name = "y"  # type: ignore[misc]
    with pytest.raises(ValidationError, match="rowIndex"):
        Plate.model_validate(
            {"rows": [{"name": "A"}], "columns": [{"name": "1"}], "wells": [{"path": "A/1"}]}
        )


@both
def test_models_from_and_to_stores(version: int) -> None:
    model = ome.MODELS[version].from_json(with_labels(version))
    root = model.to_store(MemoryStore())
    assert ome.MODELS[version].from_node(root) == model
    with pytest.raises(MetadataError, match="s1: shape"):
        broken = with_labels(version)
        broken["members"]["s1"] = array(version, (1,), names="y")
        ome.MODELS[version].from_json(broken)


def test_ome_is_a_convention_of_both_versions() -> None:
    assert (convention("ome", 2), convention("ome", 3)) == (ome.OmeV04, ome.OmeV05)
