"""zarr-python beside us: what one makes, the other opens with the same metadata and values."""

import json

import numcodecs
import numpy as np
import pytest
import zarr

import omnizarr

pytestmark = pytest.mark.filterwarnings("ignore::zarr.errors.UnstableSpecificationWarning")

KINDS = [
    "?",
    "i1",
    "u8",
    ">i4",
    "f2",
    "f8",
    "c8",
    "M8[ns]",
    "m8[10us]",
    "U5",
    "S3",
    "str",
]


@pytest.fixture(params=[2, 3])
def zarr_format(request):
    return request.param


def example(kind, shape=(7, 5)):
    size = int(np.prod(shape))
    if kind == "str":
        return np.array([chr(97 + i % 26) * (i % 4) for i in range(size)], dtype=object).reshape(shape)
    if kind in ("U5", "S3"):
        return np.array([str(i) for i in range(size)], kind).reshape(shape)
    return np.arange(size).astype(kind).reshape(shape)


def documents(place):
    found = {}
    for path in place.rglob("*"):
        if path.name in ("zarr.json", ".zarray", ".zattrs", ".zgroup"):
            found[str(path.relative_to(place))] = json.loads(path.read_text())
    return found


def without_defaults(value):
    """Drop what says nothing when it is empty: attributes, configurations, lists of extensions."""
    if isinstance(value, list):
        return [without_defaults(item) for item in value]
    if not isinstance(value, dict):
        return value
    empty = ("attributes", "storage_transformers", "configuration")
    plain = {name: without_defaults(item) for name, item in value.items() if item or name not in empty}
    return {name: item for name, item in plain.items() if item or not name.endswith(".zattrs")}


@pytest.mark.parametrize("kind", KINDS)
def test_zarr_python_opens_ours(tmp_path, zarr_format, kind):
    data = example(kind)
    array = omnizarr.create_array(
        tmp_path,
        name="g/x",
        data=data,
        dtype=str if kind == "str" else None,
        chunks=(3, 2),
        zarr_format=zarr_format,
        attributes={"units": "m", "n": [1, None]},
    )
    theirs = zarr.open_group(str(tmp_path), mode="r", zarr_format=zarr_format)["g/x"]
    assert theirs.shape == array.shape and theirs.chunks == array.chunks
    assert dict(theirs.attrs) == dict(array.attrs)
    assert np.array_equal(np.asarray(theirs[:]).astype(data.dtype), data)


@pytest.mark.parametrize("kind", KINDS)
def test_we_open_zarr_pythons(tmp_path, zarr_format, kind):
    data = example(kind)
    theirs = zarr.create_array(
        str(tmp_path),
        name="g/x",
        shape=data.shape,
        dtype=str if kind == "str" else data.dtype,
        chunks=(3, 2),
        zarr_format=zarr_format,
        attributes={"units": "m", "n": [1, None]},
    )
    theirs[:] = data
    array = omnizarr.open(tmp_path, mode="r")["g/x"]
    assert array.zarr_format == zarr_format and array.chunks == (3, 2)
    assert dict(array.attrs) == {"units": "m", "n": [1, None]}
    assert np.array_equal(array[:].astype(data.dtype), data)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shards", [None, (6, 4)])
def test_the_documents_are_the_same(tmp_path, zarr_format, kind, shards):
    if zarr_format == 2 and shards:
        return
    data = example(kind)
    asked = {"shape": data.shape, "dtype": str if kind == "str" else data.dtype, "chunks": (3, 2)}
    asked |= {"zarr_format": zarr_format, "attributes": {"a": 1}, "shards": shards, "name": "g/x"}
    omnizarr.create_array(tmp_path / "ours", **asked)
    zarr.create_array(str(tmp_path / "theirs"), **asked)
    ours, theirs = (without_defaults(documents(tmp_path / name)) for name in ("ours", "theirs"))
    assert ours == theirs


@pytest.mark.parametrize(
    "asked",
    [
        {"compressors": None, "filters": None},
        {"compressors": numcodecs.Zlib(3)},
        {"compressors": numcodecs.Blosc("zstd", 2, 2), "filters": [numcodecs.Delta("f8")]},
        {"fill_value": np.nan, "chunk_key_encoding": {"name": "v2", "separator": "/"}},
        {"fill_value": None},
    ],
)
def test_the_documents_of_v2_options_are_the_same(tmp_path, asked):
    asked = {"shape": (8,), "dtype": "f8", "chunks": (4,), "zarr_format": 2, **asked}
    omnizarr.create_array(tmp_path / "ours", **asked)
    zarr.create_array(str(tmp_path / "theirs"), **asked)
    ours, theirs = (without_defaults(documents(tmp_path / name)) for name in ("ours", "theirs"))
    assert ours == theirs


def test_groups_are_the_same(tmp_path, zarr_format):
    omnizarr.create_group(tmp_path / "ours", path="a/b", zarr_format=zarr_format, attributes={"x": 1})
    zarr.create_group(str(tmp_path / "theirs"), path="a/b", zarr_format=zarr_format, attributes={"x": 1})
    ours, theirs = (without_defaults(documents(tmp_path / name)) for name in ("ours", "theirs"))
    assert ours == theirs


def test_changes_are_seen_by_both(tmp_path, zarr_format):
    ours = omnizarr.create_group(tmp_path, zarr_format=zarr_format)
    theirs = zarr.open_group(str(tmp_path), mode="r+", zarr_format=zarr_format)
    theirs.create_group("g").attrs["by"] = "them"
    ours["g"].attrs["too"] = "us"
    theirs.create_array("g/x", shape=(4,), dtype="i4", chunks=(2,))[:] = 5
    ours["g/x"].resize((6,))
    ours["g/x"].attrs["n"] = 1
    ours["g/x"][5] = 9
    assert dict(theirs["g"].attrs) == {"by": "them", "too": "us"}
    assert theirs["g/x"][:].tolist() == [5, 5, 5, 5, 0, 9] and theirs["g/x"].attrs["n"] == 1
    del theirs["g/x"]
    assert list(ours["g"].keys()) == [] and list(ours.keys()) == ["g"]


def test_members_are_the_same(tmp_path, zarr_format):
    ours = omnizarr.create_group(tmp_path, zarr_format=zarr_format)
    for name in ("a/b/c", "a/d", "e"):
        ours.create_array(name, shape=(2,))
    theirs = zarr.open_group(str(tmp_path), mode="r", zarr_format=zarr_format)
    for depth in (0, 1, 2, None):
        found = {path: type(node).__name__ for path, node in ours.members(max_depth=depth)}
        assert found == {path: type(node).__name__ for path, node in theirs.members(max_depth=depth)}
        assert ours.nmembers(max_depth=depth) == theirs.nmembers(max_depth=depth)
    assert sorted(ours) == sorted(theirs) and len(ours) == len(theirs)
    assert sorted(ours.array_keys()) == sorted(theirs.array_keys())
    assert sorted(ours.group_keys()) == sorted(theirs.group_keys())
