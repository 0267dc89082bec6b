"""netCDF-C's map interface, over all kinds of stores."""

from __future__ import annotations

import ctypes
import itertools
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from object_servers import KEY, SECRET, s3_front

from omnizarr import errors, netcdf
from omnizarr.errors import (
    EmptyKeyError,
    MapAccessError,
    MapArgumentError,
    MapError,
    NoObjectError,
    ObjectExistsError,
    StoreError,
)
from omnizarr.netcdf import ZMap
from omnizarr.store import DirectoryStore, FaultStore, MemoryStore, ReadOnlyStore

_numbers = itertools.count()
Opened = Callable[..., ZMap]


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, object]]:
    with s3_front(tmp_path_factory.mktemp("zmap")) as front:
        yield {
            "endpoint": f"http://127.0.0.1:{front.port}", "allow_http": True, "region": "us-east-1",
            "access_key_id": KEY, "secret_access_key": SECRET,
        }  # fmt: skip


@pytest.fixture(params=["directory", "path", "url", "zip", "zip url", "memory", "mapping", "s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, object]:
    """Where a dataset may be, as the arguments that name it."""
    if request.param == "s3":
        options = request.getfixturevalue("s3")
        return {"target": f"s3://bucket/z{next(_numbers)}", "storage_options": options}
    return {
        "target": {
            "directory": DirectoryStore(tmp_path / "d"),
            "path": tmp_path / "p",
            "url": f"file://{tmp_path}/u#mode=nczarr,file",
            "zip": tmp_path / "z.zip",
            "zip url": f"file://{tmp_path}/z#mode=nczarr,zip",
            "memory": MemoryStore(),
            "mapping": {},
        }[request.param]
    }


def test_a_dataset_from_its_making_to_its_end(place: dict[str, object]) -> None:
    with pytest.raises(NoObjectError):
        ZMap.open(**place)
    with ZMap.create(**place) as made:
        assert made.search("/") == []
        made.write("/.zgroup", b'{"zarr_format": 2}')
        made.write("/v/.zarray", b"{}")
        made.write("/v/0.0", bytes(range(100)))
        made.write("/g/.zgroup", b"")
        made.write("/v/0.0", bytearray(range(50)))
    with ZMap.open(**place) as found:
        assert found.search() == found.search("/") == [".zgroup", "g", "v"]
        assert found.search("/v") == found.search("/v/") == [".zarray", "0.0"]
        assert found.search("/none") == found.search("/v/0.0") == []
        assert [found.exists(key) for key in ("/.zgroup", "/v/0.0", "/v", "/x", "/", "v/0.0")] == [
            True, True, False, False, False, True,
        ]  # fmt: skip
        assert (found.len("/v/0.0"), found.len("/g/.zgroup")) == (50, 0)
        assert found.read("/v/0.0") == bytes(range(50))
        assert found.read("/v/0.0", 10, 5) == bytes(range(10, 15))
        assert found.read("/v/0.0", 48) == bytes([48, 49])
        assert (
            found.read("/v/0.0", 50) == found.read("/v/0.0", 50, 0) == found.read("/g/.zgroup", 0, 0) == b""
        )
        assert found.read("/g/.zgroup") == b""
        for key in ("/v", "/x", "/", "/v/0.0/1"):
            for ask in (found.len, found.read, lambda key: found.read(key, 1, 1)):
                with pytest.raises(EmptyKeyError, match="no content"):
                    ask(key)
        for part in ((0, 51), (49, 2), (51, 0), (51, None), (2**40, 1), (-1, 1), (0, -1)):
            with pytest.raises(MapArgumentError):
                found.read("/v/0.0", *part)
        with pytest.raises(MapAccessError):
            found.write("/v/0.0", b"")
        with pytest.raises(MapAccessError):
            found.close(delete=True)
    with pytest.raises(ObjectExistsError):
        ZMap.create(**place)
    with ZMap.open(mode="r+", **place) as changed:
        changed.write("/v/0.0", b"new")
        assert changed.read("/v/0.0") == b"new"
    with ZMap.create(clobber=True, **place) as again:
        assert again.search("/") == []
        again.write("/.zgroup", b"{}")
    ZMap.truncate(**place)
    ZMap.truncate(**place)
    with pytest.raises(NoObjectError):
        ZMap.open(**place)
    last = ZMap.create(**place)
    last.write("/.zgroup", b"{}")
    last.close(delete=True)
    last.close(delete=True)
    with pytest.raises(NoObjectError):
        ZMap.open(**place)


@pytest.mark.parametrize("key", ["", "//", "/a//b", "/../a", "/a/", "/a\n", None, 5, b"/a", "/.x.partial"])
def test_what_is_no_key_is_an_argument_that_makes_no_sense(key: str) -> None:
    found = ZMap.create({})
    for ask in (found.exists, found.len, found.read, lambda key: found.write(key, b"")):
        with pytest.raises(MapArgumentError):
            ask(key)
    with pytest.raises(MapArgumentError):
        found.write("/", b"")


def test_a_closed_map_does_nothing_more() -> None:
    store = MemoryStore({".zgroup": b"{}"})
    found = ZMap.open(store)
    found.close()
    for ask in (found.exists, found.len, found.read, found.search):
        with pytest.raises(MapArgumentError, match="closed"):
            ask("/.zgroup")
    with pytest.raises(MapArgumentError, match="mode"):
        ZMap.open(store, "w")
    assert store.get(".zgroup") == b"{}"


def test_a_dataset_below_a_store_and_an_array(tmp_path: Path) -> None:
    with netcdf.Dataset(tmp_path / "a.zarr", "w") as dataset:
        group = dataset.createGroup("g")
        group.createDimension("x", 3)
        group.createVariable("v", "i4", ("x",))[:] = [1, 2, 3]
    with ZMap.open(tmp_path / "a.zarr") as found:
        assert found.search("/") == [".zattrs", ".zgroup", "g"]
        assert found.search("/g/v") == [".zarray", ".zattrs", "0"]
        assert np.frombuffer(found.read("/g/v/0"), "<i4").tolist() == [1, 2, 3]
        assert repr(found) == f"<ZMap of {(tmp_path / 'a.zarr').as_uri()}>"


def test_the_top_folder_of_an_archive_is_not_in_the_keys(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "run.zip", "w") as archive:  # as netCDF-C writes it
        for name, value in (("run/", b""), ("run/.zgroup", b"{}"), ("run/v/.zarray", b"{}")):
            archive.writestr(name, value)
    with ZMap.open(f"file://{tmp_path}/run.zip#mode=nczarr,zip") as found:
        assert found.search("/") == [".zgroup", "v"]
        assert found.read("/v/.zarray") == b"{}"


def test_a_value_in_the_way_exists_and_should_not(tmp_path: Path) -> None:
    with ZMap.create(tmp_path / "d") as found:
        found.write("/a/b", b"")
        for key in ("/a", "/a/b/c"):
            with pytest.raises(ObjectExistsError):
                found.write(key, b"")


def test_what_fails_otherwise_is_neither_absent_nor_empty() -> None:
    fault = FaultStore(
        MemoryStore({"k": b"1"}), lambda operation, key: StoreError("down") if key == "k" else None
    )
    found = ZMap.open(fault)
    for ask in (found.exists, found.len, found.read):
        with pytest.raises(StoreError, match="down"):
            ask("/k")


def test_what_may_not_be_written_cannot_be_created() -> None:
    for ask in (ZMap.create, ZMap.truncate):
        with pytest.raises(MapAccessError):
            ask(ReadOnlyStore(MemoryStore()))


def test_codes_are_those_of_netcdf_c() -> None:
    netcdf4 = pytest.importorskip("netCDF4", reason="netCDF4 has netCDF-C's texts")
    library = next(Path(netcdf4.__file__).parents[1].glob("netcdf4.libs/libnetcdf*"), None)
    if library is None:
        pytest.skip("netCDF4 is not from a wheel that brings libnetcdf along")
    text = ctypes.CDLL(str(library)).nc_strerror
    text.restype = ctypes.c_char_p
    said = {
        EmptyKeyError: b"NetCDF: Attempt to read empty NCZarr map key",
        ObjectExistsError: b"NetCDF: Some object exists when it should not",
        NoObjectError: b"NetCDF: Some object not found",
        MapAccessError: b"NetCDF: Access failure",
        MapArgumentError: b"NetCDF: Invalid argument",
    }
    for kind, words in said.items():
        assert text(kind.code) == words
        assert issubclass(kind, MapError)
    assert {kind.code_name for kind in said} == {
        "NC_EEMPTY", "NC_EOBJECT", "NC_ENOOBJECT", "NC_EACCESS", "NC_EINVAL",
    }  # fmt: skip
    assert errors.EmptyKeyError.code == -139
