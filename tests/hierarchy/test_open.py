"""Opening: modes, formats, few operations, and errors that say what is wrong."""

import json
import os
import tempfile
from pathlib import Path

import h5py
import numpy as np
import pytest

import omnizarr
from omnizarr import Array, Group
from omnizarr.errors import (
    MetadataError,
    NodeExistsError,
    NodeNotFoundError,
    NodeTypeError,
    OmniZarrError,
    ReadOnlyError,
    StoreError,
    StoreNotFoundError,
    UnsupportedError,
)
from omnizarr.store import CountingStore, DirectoryStore, FaultStore, MemoryStore

OPENERS = [omnizarr.open, omnizarr.open_array, omnizarr.open_group]


@pytest.fixture(params=[2, 3])
def zarr_format(request):
    return request.param


@pytest.fixture
def place(tmp_path, zarr_format):
    group = omnizarr.create_group(tmp_path / "x", zarr_format=zarr_format, attributes={"n": 1})
    group.create_array("a/b", data=np.arange(4))
    return tmp_path / "x"


def names(place):
    return sorted(path.name for path in place.iterdir())


def count(place, function):
    store = CountingStore(DirectoryStore(place))
    function(store)
    return dict(store.counts)


def test_operations(place, zarr_format):
    v3 = zarr_format == 3
    path = {"path": "a/b", "mode": "r"}
    # v3: one document. v2: v3's in vain, .zarray, .zattrs.
    assert count(place, lambda s: omnizarr.open(s, **path)) == {"get": 1 if v3 else 3}
    assert count(place, lambda s: omnizarr.open_array(s, **path)) == {"get": 1 if v3 else 3}
    assert count(place, lambda s: omnizarr.open_array(s, zarr_format=zarr_format, **path)) == {
        "get": 1 if v3 else 2
    }
    # v2: v3's in vain, .zarray in vain, .zgroup, .zattrs, .zmetadata.
    assert count(place, lambda s: omnizarr.open_group(s)) == {"get": 1 if v3 else 5}
    assert count(
        place, lambda s: omnizarr.open_group(s, zarr_format=zarr_format, use_consolidated=False)
    ) == {"get": 1 if v3 else 3}


def test_what_is_there_is_opened(place, zarr_format):
    for target in (place, str(place), place.as_uri(), DirectoryStore(place)):
        assert isinstance(omnizarr.open(target), Group)
        assert isinstance(omnizarr.open(target, path="a/b", mode="r"), Array)
        assert omnizarr.open_array(target, path="/a/b")[2] == 2
        assert omnizarr.open_group(target).attrs["n"] == 1
    assert omnizarr.open(place / "a" / "b")[3] == 3
    group = omnizarr.open(place)
    assert group.zarr_format == zarr_format
    assert omnizarr.open(group, path="a/b", mode="r") == group["a/b"]
    assert omnizarr.open(group["a"], path="b").read_only is False


def test_a_dictionary_is_a_store():
    values = {}
    omnizarr.open(values, mode="w", shape=(3,), dtype="i2")[:] = 5
    assert "zarr.json" in values and omnizarr.open(values, mode="r")[1] == 5


def test_nothing_given_is_memory():
    assert isinstance(omnizarr.open(), Group)
    assert omnizarr.open(shape=(2,)).shape == (2,)
    assert isinstance(omnizarr.open_group().store, MemoryStore)


@pytest.mark.parametrize("mode", ["r", "r+"])
@pytest.mark.parametrize("opener", OPENERS)
def test_nothing_there(tmp_path, opener, mode):
    with pytest.raises(StoreNotFoundError, match="missing"):
        opener(tmp_path / "missing", mode=mode)
    with pytest.raises(FileNotFoundError):
        opener(tmp_path / "missing", mode=mode)
    with pytest.raises(NodeNotFoundError, match="there is nothing"):
        opener(tmp_path, mode=mode)
    (tmp_path / "readme.txt").write_text("hello")
    (tmp_path / "data").mkdir()
    with pytest.raises(NodeNotFoundError, match=r"found 'readme.txt', 'data/'"):
        opener(tmp_path, mode=mode)
    assert names(tmp_path) == ["data", "readme.txt"]


def test_no_array_is_made_without_a_shape(tmp_path):
    with pytest.raises(NodeNotFoundError, match="no array: there is nothing"):
        omnizarr.open_array(tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_a_path_below_what_there_is(place):
    with pytest.raises(NodeNotFoundError, match="no array: the group /a holds 'b'"):
        omnizarr.open_array(place, path="a/c", mode="r")
    with pytest.raises(NodeNotFoundError, match="lies inside the array /a/b"):
        omnizarr.open(place, path="a/b/c/d", mode="r")
    with pytest.raises(StoreNotFoundError, match=r"there is an array .* at .*/x/a/b\b"):
        omnizarr.open(place / "a" / "b" / "c" / "d", mode="r")
    with pytest.raises(StoreNotFoundError, match=r"there is a group .* at .*/x/a\b"):
        omnizarr.open(place / "a" / "q", mode="r")


@pytest.mark.parametrize("opener", OPENERS)
def test_a_file_instead_of_a_directory(tmp_path, opener):
    plain, hdf5 = tmp_path / "x.txt", tmp_path / "x.nc"
    plain.write_text("hello")
    with h5py.File(hdf5, "w") as file:
        file["v"] = 1
    for mode in ("r", "r+", "a"):
        with pytest.raises(StoreError, match=r"a file that is no zip archive.*x\.txt"):
            opener(plain, mode=mode)
        with pytest.raises(StoreError, match=r"an HDF5 file.*x\.nc"):
            opener(hdf5, mode=mode)
    with pytest.raises(StoreError, match=r"x\.txt"):
        opener(plain / "inside", mode="r")
    assert plain.read_text() == "hello"


def test_the_other_kind_of_node(place):
    with pytest.raises(NodeTypeError, match="expected an array, found a group"):
        omnizarr.open_array(place)
    with pytest.raises(NodeTypeError, match="expected a group, found an array"):
        omnizarr.open_group(place, path="a/b")
    with pytest.raises(TypeError):
        omnizarr.open_group(place, path="a/b", mode="r")


def test_the_other_format(place, zarr_format):
    other = 5 - zarr_format
    for mode in ("r", "r+"):
        with pytest.raises(
            NodeNotFoundError, match=f"no Zarr {other} group: there is a group of Zarr {zarr_format}"
        ):
            omnizarr.open_group(place, zarr_format=other, mode=mode)
        with pytest.raises(NodeNotFoundError, match=f"there is an array of Zarr {zarr_format}"):
            omnizarr.open_array(place, path="a/b", zarr_format=other, mode=mode)
    before = names(place)
    for make in (
        lambda: omnizarr.open_group(place, zarr_format=other),
        lambda: omnizarr.create_group(place, path="new", zarr_format=other),
        lambda: omnizarr.create_array(place, name="a/new", shape=1, zarr_format=other),
    ):
        with pytest.raises(NodeExistsError, match=f"a node of Zarr {zarr_format} is there"):
            make()
    assert names(place) == before


def test_a_draft_of_v3_is_named(tmp_path):
    (tmp_path / "zarr.json").write_text(
        json.dumps(
            {
                "zarr_format": "http://purl.org/zarr/spec/protocol/core/3.0",
                "metadata_encoding": "application/json",
                "extensions": [],
            }
        )
    )
    with pytest.raises(OmniZarrError, match="a draft of Zarr v3, which zarr_format='3-2019' opens"):
        omnizarr.open(tmp_path, mode="r", zarr_format=3)
    assert omnizarr.open(tmp_path, mode="r").zarr_format == "3-2019"


@pytest.mark.parametrize(
    ("mode", "exists"), [("r", True), ("r+", True), ("a", True), ("w-", False), ("w", False)]
)
def test_modes_with_something_there(place, mode, exists, zarr_format):
    if mode == "w-":
        with pytest.raises(NodeExistsError, match="a group is there already"):
            omnizarr.open_group(place, mode=mode, zarr_format=zarr_format)
        with pytest.raises(FileExistsError):
            omnizarr.open_array(place, mode=mode, shape=1, path="a/b", zarr_format=zarr_format)
        return
    group = omnizarr.open_group(place, mode=mode, zarr_format=zarr_format)
    assert ("a/b" in group) is exists and group.read_only is (mode == "r")
    assert dict(group.attrs) == ({"n": 1} if exists else {})


def test_mode_w_makes_an_array_in_place_of_what_is_there(place):
    made = omnizarr.open_array(place, mode="w", shape=(2,), dtype="u1", path="a")
    assert isinstance(made, Array) and omnizarr.open(place, path="a").shape == (2,)
    assert isinstance(omnizarr.open(place, mode="w"), Group) and len(omnizarr.open_group(place)) == 0


def test_mode_a_makes_what_is_missing(tmp_path):
    assert isinstance(omnizarr.open(tmp_path / "g"), Group)
    assert omnizarr.open_group(tmp_path / "h", attributes={"x": 1}).attrs["x"] == 1
    assert omnizarr.open_array(tmp_path / "a", shape=(3,), dtype="i2").dtype == "i2"
    again = omnizarr.open_array(tmp_path / "a", shape=(9,), dtype="f8")
    assert again.shape == (3,) and again.dtype == "i2"


def test_nothing_is_written_in_mode_r(place):
    group = omnizarr.open(place, mode="r")
    for write in (
        lambda: group.create_group("n"),
        lambda: group.create_array("n", shape=1),
        lambda: group.attrs.update(x=1),
        lambda: group.__delitem__("a"),
        lambda: group.move("a", "z"),
        lambda: group["a/b"].__setitem__(0, 1),
        lambda: group["a/b"].resize((9,)),
        lambda: group["a/b"].attrs.update(x=1),
    ):
        with pytest.raises(ReadOnlyError):
            write()
    assert [path for path, _ in omnizarr.open(place).members(None)] == ["a", "a/b"]


def test_a_store_for_reading_is_opened_for_reading(place):
    store = DirectoryStore(place, read_only=True)
    assert omnizarr.open(store).read_only
    with pytest.raises(ReadOnlyError):
        omnizarr.open(store, mode="r+")


def test_wrong_arguments(place):
    with pytest.raises(ValueError, match="mode: expected one of"):
        omnizarr.open(place, mode="x")
    with pytest.raises(ValueError, match="expected one of 3, 2, '3-2019', '3-2020', '3-2022', found 4"):
        omnizarr.open(place, zarr_format=4)
    with pytest.raises(TypeError):
        omnizarr.open(42)


def test_what_the_operating_system_refuses_names_the_place(place):
    refused = FaultStore(
        DirectoryStore(place), lambda operation, key: StoreError("permission denied", key=key)
    )
    with pytest.raises(StoreError, match=r"permission denied.*key"):
        omnizarr.open(refused)


@pytest.fixture
def as_nobody(zarr_format):
    """A group of root's, seen by a user whom root has given nothing; root is allowed everything."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        group = omnizarr.create_group(place / "x", zarr_format=zarr_format)
        group.create_array("open", shape=(2,))
        group.create_array("secret", shape=(2,))
        (place / "x" / "secret").chmod(0)
        (place / "x" / "open").chmod(0o555)
        place.chmod(0o755)
        user = os.geteuid()
        if user == 0:
            os.seteuid(65534)
        try:
            yield place / "x"
        finally:
            if user == 0:
                os.seteuid(0)
            (place / "x" / "secret").chmod(0o755)
            (place / "x" / "open").chmod(0o755)


def test_permission(as_nobody):
    assert omnizarr.open(as_nobody, path="open", mode="r").shape == (2,)
    for open_it in (
        lambda: omnizarr.open(as_nobody, path="secret", mode="r"),
        lambda: omnizarr.open(as_nobody / "secret", mode="r"),
        lambda: omnizarr.open(as_nobody)["secret"],
        lambda: omnizarr.open(as_nobody).members(None),
    ):
        with pytest.raises(StoreError, match=r"(?i)permission.*secret"):
            open_it()
    with pytest.raises(PermissionError, match=r"(?i)permission.*open"):
        omnizarr.open(as_nobody, path="open")[0] = 1


def edited(place, change):
    document = json.loads(place.read_text())
    change(document)
    place.write_text(json.dumps(document))


def test_every_fault_of_a_document_and_its_codecs_is_listed(tmp_path):
    omnizarr.create_array(tmp_path, shape=(4,), chunks=2, dtype="i4")
    codecs = [
        {"name": "bytes", "configuration": {"endian": "middle"}},
        {"name": "gzip", "configuration": {"level": 12}},
        {"name": "frobnicate"},
    ]
    edited(tmp_path / "zarr.json", lambda d: d.update(shape=[-3], codecs=codecs, surprise=1))
    with pytest.raises(MetadataError) as caught:
        omnizarr.open(tmp_path)
    assert {problem.at for problem in caught.value.problems} == {
        "shape[0]",
        "codecs[0].configuration.endian",
        "codecs[1].configuration.level",
        "codecs[2]",
        "surprise",
    }
    text = str(caught.value)
    assert "codecs[1].configuration.level: expected 0 to 9, found 12" in text and str(tmp_path) in text


def test_an_unsupported_extension_is_named(tmp_path):
    omnizarr.create_array(tmp_path, shape=(4,), dtype="i4")
    edited(tmp_path / "zarr.json", lambda d: d["codecs"].append({"name": "frobnicate"}))
    with pytest.raises(UnsupportedError, match=r"codecs\[2\]: unknown codec 'frobnicate'"):
        omnizarr.open(tmp_path)
    edited(tmp_path / "zarr.json", lambda d: d["codecs"].pop() and d.update(data_type="quaternion"))
    with pytest.raises(UnsupportedError, match="quaternion"):
        omnizarr.open(tmp_path)


def test_v2_faults_are_listed(tmp_path):
    omnizarr.create_array(tmp_path, shape=(4,), dtype="i4", zarr_format=2)
    edited(
        tmp_path / ".zarray",
        lambda d: d.update(chunks=[2, 2], order="K", compressor={"id": "gzip", "level": 12}, shape=[4.5]),
    )
    (tmp_path / ".zattrs").write_text("[]")
    with pytest.raises(MetadataError) as caught:
        omnizarr.open(tmp_path)
    places = " ".join(problem.at for problem in caught.value.problems)
    assert all(name in places for name in (".zarray.chunks", ".zarray.order", ".zarray.shape", ".zattrs"))


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "3", '{"zarr_format": 3}', "\x00\xff"])
def test_documents_that_are_none(tmp_path, text):
    for name in ("zarr.json", ".zarray", ".zgroup"):
        place = tmp_path / name.strip(".")
        place.mkdir()
        (place / name).write_text(text, encoding="latin-1")
        with pytest.raises(MetadataError):
            omnizarr.open(place, mode="r")


def test_an_archive_that_cannot_be_written_is_read(tmp_path):
    path = tmp_path / "x.zip"
    omnizarr.save_array(path, np.arange(3))
    writer = omnizarr.open_array(path)
    assert not writer.read_only
    for reader in (omnizarr.open_array(path), omnizarr.open(path)):
        assert reader.read_only and reader[2] == 2
    with pytest.raises(StoreError, match="another writer has it open"):
        omnizarr.open_array(path, mode="r+")
    writer.store.close()
    again = omnizarr.open_array(path)
    assert not again.read_only
    again.store.close()
