"""Builders, written in both layouts."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("hdmf")

from hdmf.build import DatasetBuilder, GroupBuilder, LinkBuilder, ReferenceBuilder
from hdmf.data_utils import DataChunkIterator
from hdmf.spec import DtypeSpec, RefSpec

import omnizarr
from omnizarr.errors import ConversionError, OmniZarrError
from omnizarr.hdmf.backend.data_io import ZarrDataIO
from omnizarr.hdmf.backend.io import ZarrIO
from omnizarr.hdmf.objects import read_values
from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.linking.links import links
from omnizarr.hierarchy.linking.reference import Reference, RegionReference
from omnizarr.hierarchy.linking.region import Slices
from omnizarr.hierarchy.linking.resolve import resolve


@pytest.fixture(params=[2, 3])
def zarr_format(request: pytest.FixtureRequest) -> int:
    number: int = request.param
    return number


def root_of(*children: Any, **attributes: Any) -> GroupBuilder:
    root = GroupBuilder("root", attributes={"object_id": "the-root", **attributes})
    for child in children:
        (root.set_dataset if isinstance(child, DatasetBuilder) else root.set_group)(child)
    return root


def written(path: Any, root: GroupBuilder, zarr_format: int = 2, mode: str = "w", **options: Any) -> Group:
    with ZarrIO(path, mode, zarr_format=zarr_format) as io:
        io.write_builder(root, **options)
    return omnizarr.open_group(path, mode="r")


def one_dataset(tmp_path: Path, zarr_format: int, data: Any, dtype: Any = None, **options: Any) -> Any:
    builder = DatasetBuilder("d", data, dtype=dtype, **options)
    return written(tmp_path / "f.zarr", root_of(builder), zarr_format)["d"]


NUMBERS = {
    "float": "float32",
    "float32": "float32",
    "double": "float64",
    "float64": "float64",
    "long": "int64",
    "int64": "int64",
    "int": "int32",
    "int32": "int32",
    "int16": "int16",
    "int8": "int8",
    "uint32": "uint32",
    "uint16": "uint16",
    "uint8": "uint8",
    "uint64": "uint64",
    "bool": "bool",
}


@pytest.mark.parametrize("word", NUMBERS)
def test_numbers_have_the_type_that_the_specification_names(
    tmp_path: Path, zarr_format: int, word: str
) -> None:
    array = one_dataset(tmp_path, zarr_format, [[0, 1], [1, 1]], word)
    assert array.dtype == NUMBERS[word]
    assert array.attrs["zarr_dtype" if zarr_format == 2 else "_DTYPE"] == NUMBERS[word]
    assert array[:].tolist() == [[0, 1], [1, 1]]


@pytest.mark.parametrize("word", ["text", "utf", "utf8", "utf-8"])
def test_text(tmp_path: Path, zarr_format: int, word: str) -> None:
    array = one_dataset(tmp_path, zarr_format, ["a", "", "ü€😀"], word)
    assert read_values(array).tolist() == ["a", "", "ü€😀"]


@pytest.mark.parametrize("word", ["ascii", "bytes"])
def test_ascii(tmp_path: Path, zarr_format: int, word: str) -> None:
    array = one_dataset(tmp_path, zarr_format, [["a", b"bc"], ["", "d"]], word)
    assert read_values(array).tolist() == [[b"a", b"bc"], [b"", b"d"]]


def test_times(tmp_path: Path, zarr_format: int) -> None:
    when = datetime(2018, 9, 28, 14, 43, 54, 123000, tzinfo=UTC)
    array = one_dataset(tmp_path, zarr_format, [when, date(2020, 1, 2), "2018-09-28"], "isodatetime")
    texts = [b"2018-09-28T14:43:54.123000+00:00", b"2020-01-02", b"2018-09-28"]
    assert read_values(array).tolist() == texts


@pytest.mark.parametrize(
    ("value", "dtype"),
    [(7, None), (2.5, "float32"), (np.uint8(3), None), (True, "bool"), ("text", "utf8"), (b"bytes", "ascii")],
)
def test_scalars(tmp_path: Path, zarr_format: int, value: Any, dtype: Any) -> None:
    array = one_dataset(tmp_path, zarr_format, value, dtype)
    assert array.shape == ((1,) if zarr_format == 2 else ())
    assert np.asarray(read_values(array)).reshape(()).item() == value
    assert zarr_format == 3 or array.attrs["zarr_dtype"] == "scalar"


@pytest.mark.parametrize(
    ("data", "dtype", "kind"), [([], "float32", "f"), ([], "utf8", "O"), ([], None, "f"), ([], "object", "O")]
)
def test_empty_datasets(tmp_path: Path, zarr_format: int, data: Any, dtype: Any, kind: str) -> None:
    array = one_dataset(tmp_path, zarr_format, data, dtype)
    assert array.shape == (0,)
    assert zarr_format == 3 or array.dtype.kind == kind
    assert len(read_values(array)) == 0


def test_types_are_found_in_the_data_where_none_is_stated(tmp_path: Path, zarr_format: int) -> None:
    data = {"i": [1, 2], "f": np.ones(2, "f4"), "s": ["a", "b"], "b": [b"a"], "o": np.array(["x"], object)}
    root = root_of(*(DatasetBuilder(name, values) for name, values in data.items()))
    group = written(tmp_path / "f.zarr", root, zarr_format)
    assert group["i"].dtype == "int64"
    assert group["f"].dtype == "float32"
    assert [read_values(group[name]).tolist() for name in "sbo"] == [["a", "b"], [b"a"], ["x"]]


def test_records(tmp_path: Path, zarr_format: int) -> None:
    dtype = [
        DtypeSpec("number", "how many", "uint16"),
        DtypeSpec("name", "whose", "text"),
        DtypeSpec("to", "which", RefSpec("Thing", "object")),
    ]
    target = GroupBuilder("thing", attributes={"object_id": "the-thing"})
    rows = [(1, "one", ReferenceBuilder(target)), (2, "second", ReferenceBuilder(target))]
    builder = DatasetBuilder("d", rows, dtype=dtype)
    array = written(tmp_path / "f.zarr", root_of(target, builder), zarr_format)["d"]
    found = read_values(array)
    assert found["number"].tolist() == [1, 2]
    assert found["name"].tolist() == ["one", "second"]
    assert [resolve(reference, array).path for reference in found["to"]] == ["thing", "thing"]
    if zarr_format == 2:
        assert found["to"][0] == Reference("/thing", ".", "the-thing", "the-root")


def test_records_of_numbers(tmp_path: Path, zarr_format: int) -> None:
    dtype = [{"name": "x", "dtype": "float32"}, {"name": "n", "dtype": "uint8"}]
    values = np.array([(1.5, 2), (2.5, 3)], [("x", "f4"), ("n", "u1")])
    array = one_dataset(tmp_path, zarr_format, values, dtype)
    np.testing.assert_array_equal(array[:], values)
    assert array.dtype == values.dtype


def test_one_record(tmp_path: Path) -> None:
    dtype = [{"name": "x", "dtype": "float32"}, {"name": "n", "dtype": "uint8"}]
    value = np.array((1.5, 2), [("x", "f4"), ("n", "u1")])
    written(tmp_path / "f.zarr", root_of(DatasetBuilder("d", value, dtype=dtype)))
    with ZarrIO(tmp_path / "f.zarr", "r") as io:
        found = io.read_builder()["d"].data
    assert (found["x"], found["n"]) == (1.5, 2)


def test_references(tmp_path: Path, zarr_format: int) -> None:
    one, two = (GroupBuilder(name, attributes={"object_id": name * 3}) for name in "ab")
    group = written(
        tmp_path / "f.zarr",
        root_of(
            one,
            two,
            DatasetBuilder("list", [ReferenceBuilder(two), ReferenceBuilder(one)], dtype="object"),
            DatasetBuilder("single", ReferenceBuilder(one), dtype="object"),
            to=ReferenceBuilder(two),
            all=[ReferenceBuilder(one), ReferenceBuilder(two)],
        ),
        zarr_format,
    )
    assert [resolve(value, group).path for value in read_values(group["list"])] == ["b", "a"]
    assert resolve(np.asarray(read_values(group["single"])).reshape(-1)[0], group).path == "a"
    reference = Reference("/b", ".", "bbb", "the-root").to_json(zarr_format)
    stored = {"zarr_dtype": "object", "value": reference} if zarr_format == 2 else {"_REFERENCE": reference}
    assert group.attrs["to"] == stored
    assert len(group.attrs["all"]) == 2


def test_regions(tmp_path: Path, zarr_format: int) -> None:
    region = RegionReference("/d", region=Slices(((1, 3, 1),)))
    root = root_of(DatasetBuilder("d", [5, 6, 7, 8]), DatasetBuilder("r", [region, region]), part=region)
    group = written(tmp_path / "f.zarr", root, zarr_format)
    array, selection = resolve(read_values(group["r"])[1], group)
    assert array[selection].tolist() == [6, 7]
    if zarr_format == 2:
        assert group["r"].attrs["zarr_dtype"] == "region"
        assert group.attrs["part"]["zarr_dtype"] == "region"


def test_attributes_of_every_kind(tmp_path: Path, zarr_format: int) -> None:
    attributes = {
        "text": "ü",
        "bytes": b"abc",
        "int": 5,
        "bool": np.bool_(True),
        "uint8": np.uint8(200),
        "float32": np.float32(0.1),
        "nan": float("nan"),
        "list": [1, 2],
        "texts": np.array(["a", "b"]),
        "uints": np.array([[1, 2], [3, 4]], "uint16"),
        "time": datetime(2020, 1, 1, tzinfo=UTC),
    }
    written(tmp_path / "f.zarr", root_of(**attributes), zarr_format)
    with ZarrIO(tmp_path / "f.zarr", "r") as io:
        found = io.read_builder().attributes
    assert found["text"] == "ü"
    assert found["bytes"] == "abc"
    assert type(found["uint8"]) is np.uint8
    assert type(found["float32"]) is np.float32
    assert found["float32"] == np.float32(0.1)
    assert np.isnan(found["nan"])
    assert found["uints"].dtype == "uint16"
    assert found["uints"].tolist() == [[1, 2], [3, 4]]
    assert found["time"] == "2020-01-01T00:00:00+00:00"
    assert found["bool"] is True
    assert list(found["texts"]) == ["a", "b"]


def test_an_attribute_without_a_form_is_named(tmp_path: Path) -> None:
    root = root_of(GroupBuilder("g", attributes={"bad": 1 + 2j}))
    with pytest.raises(ConversionError, match=r"/g: attribute 'bad'"):
        written(tmp_path / "f.zarr", root)


def test_a_dataset_without_a_form_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConversionError, match=r"/d: .*text"):
        written(tmp_path / "f.zarr", root_of(DatasetBuilder("d", ["a", 5], dtype="text")))
    with pytest.raises(OmniZarrError):
        omnizarr.open_group(tmp_path / "f.zarr", mode="r")


def test_names_of_dimensions(tmp_path: Path, zarr_format: int) -> None:
    array = one_dataset(tmp_path, zarr_format, np.zeros((2, 3)), dimension_labels=("time", "channel"))
    if zarr_format == 2:
        assert array.attrs["_ARRAY_DIMENSIONS"] == ["time", "channel"]
    else:
        assert array.dimension_names == ("time", "channel")


def test_links(tmp_path: Path, zarr_format: int) -> None:
    data = DatasetBuilder("d", [1, 2])
    home = GroupBuilder("home", datasets={"d": data}, attributes={"object_id": "h"})
    away = GroupBuilder("away", links={"d": LinkBuilder(data), "h": LinkBuilder(home, "h")})
    group = written(tmp_path / "f.zarr", root_of(home, away), zarr_format)
    found = links(group["away"])
    assert found["h"].reference == Reference("/home", ".", "h", "the-root")
    assert resolve(found["d"], group["away"])[:].tolist() == [1, 2]
    assert list(group["away"].keys()) == []


def test_how_data_are_stored_is_as_asked(tmp_path: Path) -> None:
    data = ZarrDataIO(
        np.arange(100, dtype="i4").reshape(10, 10),
        chunks=(5, 10),
        compressor={"id": "zlib", "level": 3},
        filters=[{"id": "delta", "dtype": "<i4"}],
        fillvalue=7,
    )
    array = one_dataset(tmp_path, 2, data)
    assert array.chunks == (5, 10)
    assert array.fill_value == 7
    assert [codec.name for codec in array.metadata.codecs][-2:] == ["numcodecs.delta", "numcodecs.zlib"]
    assert array[9, 9] == 99
    assert data.dataset is not None


def test_shards(tmp_path: Path) -> None:
    array = one_dataset(tmp_path, 3, ZarrDataIO(np.zeros((8, 8)), chunks=(2, 2), shards=(4, 8)))
    assert (array.chunks, array.shards) == ((2, 2), (4, 8))


def test_a_dataset_to_be_filled_later(tmp_path: Path) -> None:
    data = ZarrDataIO(shape=(5,), dtype=np.dtype("i2"))
    with ZarrIO(tmp_path / "f.zarr", "w") as io:
        io.write_builder(root_of(DatasetBuilder("d", data)))
        assert data.dataset is not None
        data.dataset[:] = [1, 2, 3, 4, 5]
    assert omnizarr.open_group(tmp_path / "f.zarr", mode="r")["d"][:].tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("exhaust", [True, False])
def test_iterators(tmp_path: Path, zarr_format: int, exhaust: bool) -> None:
    sources = [DataChunkIterator(data=iter(np.arange(20).reshape(10, 2)), maxshape=(None, 2)) for _ in "ab"]
    root = root_of(*(DatasetBuilder(name, source) for name, source in zip("ab", sources, strict=True)))
    group = written(tmp_path / "f.zarr", root, zarr_format, exhaust_dci=exhaust, number_of_jobs=2)
    for name in "ab":
        np.testing.assert_array_equal(group[name][:], np.arange(20).reshape(10, 2))


def test_text_from_an_iterator(tmp_path: Path) -> None:
    source = DataChunkIterator(data=iter(["a", "bcd", "e"]), maxshape=(None,), buffer_size=2)
    assert one_dataset(tmp_path, 2, source)[:].tolist() == ["a", "bcd", "e"]


def test_appending_keeps_what_is_there(tmp_path: Path, zarr_format: int) -> None:
    path = tmp_path / "f.zarr"
    written(path, root_of(GroupBuilder("g", datasets={"old": DatasetBuilder("old", [1])}), x=1), zarr_format)
    new = [DatasetBuilder("old", [9]), DatasetBuilder("new", [2])]
    group = GroupBuilder("g", datasets={one.name: one for one in new}, attributes={"added": "yes"})
    group.set_link(LinkBuilder(new[0], "also"))
    found = written(path, root_of(group, GroupBuilder("h"), x=2), zarr_format, mode="r+")
    assert found["g/old"][:].tolist() == [1]
    assert found["g/new"][:].tolist() == [2]
    assert found["g"].attrs["added"] == "yes"
    assert links(found["g"])["also"].reference.path == "/g/old"
    assert found.attrs["x"] == 2
    assert "h" in found


def test_a_writer_that_dies_leaves_the_old_file(tmp_path: Path, zarr_format: int) -> None:
    path = tmp_path / "f.zarr"
    written(path, root_of(GroupBuilder("g", attributes={"a": 1}), x=1), zarr_format)

    def rows() -> Any:
        yield [1, 2]
        raise RuntimeError("the source broke")

    source = DataChunkIterator(data=rows(), maxshape=(None, 2), dtype=np.dtype("i8"))
    group = GroupBuilder(
        "g", datasets={"n": DatasetBuilder("n", [1]), "s": DatasetBuilder("s", source)}, attributes={"a": 2}
    )
    with pytest.raises(RuntimeError, match="the source broke"):
        written(path, root_of(group, x=2), zarr_format, mode="r+")
    found = omnizarr.open_group(path, mode="r", use_consolidated=False)
    assert (found.attrs["x"], found["g"].attrs["a"]) == (1, 1)
    assert [name for name, _ in found.members(max_depth=None)] == ["g"]
    done = GroupBuilder("g", datasets={"n": DatasetBuilder("n", [1]), "s": DatasetBuilder("s", [2])})
    found = written(path, root_of(done), zarr_format, mode="r+")
    assert found["g/s"][:].tolist() == [2]


def test_a_new_file_whose_writer_dies_does_not_open(tmp_path: Path, zarr_format: int) -> None:
    def rows() -> Any:
        yield 1
        raise RuntimeError("the source broke")

    source = DataChunkIterator(data=rows(), maxshape=(None,), dtype=np.dtype("i8"))
    with pytest.raises(RuntimeError):
        written(tmp_path / "f.zarr", root_of(DatasetBuilder("s", source)), zarr_format)
    with pytest.raises(OmniZarrError):
        omnizarr.open_group(tmp_path / "f.zarr", mode="r")
