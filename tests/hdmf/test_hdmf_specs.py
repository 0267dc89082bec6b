"""The specifications that HDMF files hold: written, read, by version, and what is at fault."""

import json
from collections.abc import Callable
from random import Random
from threading import Barrier

import numpy as np
import pytest

import omnizarr
from omnizarr.errors import MetadataError, NodeTypeError
from omnizarr.hdmf.specs import (
    latest,
    read_spec,
    read_specs,
    spec_group,
    spec_versions,
    version_order,
    write_specs,
)
from omnizarr.store import CountingStore, FaultStore, MemoryStore
from omnizarr.store.base import Buffer

SPECS = {
    "core": {"2.9.0": {"namespace": '{"a": 1}'}, "2.10.0": {"namespace": '{"a": "é"}', "nwb.base": "{}"}},
    "lab": {"": {"namespace": "[]"}},
}
HELD = {**SPECS, "lab": {"unversioned": SPECS["lab"][""]}}


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_specifications_come_back(zarr_format: int) -> None:
    root = omnizarr.create_group(MemoryStore(), zarr_format=zarr_format)
    assert read_specs(root) == {}
    write_specs(root, SPECS)
    root = omnizarr.open_group(root.store, mode="r+")
    assert read_specs(root) == HELD
    assert root.attrs[".specloc"] == "specifications"
    assert spec_versions(root) == {"core": ["2.9.0", "2.10.0"], "lab": ["unversioned"]}
    assert read_spec(root, "core") == HELD["core"]["2.10.0"]
    assert read_spec(root, "core", "2.9.0") == HELD["core"]["2.9.0"]


def test_they_are_stored_as_hdmf_zarr_has_them() -> None:
    root = omnizarr.create_group(MemoryStore(), zarr_format=2)
    write_specs(root, SPECS)
    place = "specifications/core/2.9.0/namespace"
    document = json.loads(bytes(root.store.get(f"{place}/.zarray") or b""))
    assert (document["shape"], document["dtype"], document["compressor"]) == ([1], "|O", None)
    assert document["filters"][0]["id"] == "json2"
    assert json.loads(bytes(root.store.get(f"{place}/0") or b""))[0] == '{"a": 1}'
    assert json.loads(bytes(root.store.get(f"{place}/.zattrs") or b"")) == {"zarr_dtype": "scalar"}


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_only_what_has_changed_is_written_again(zarr_format: int) -> None:
    store = CountingStore(MemoryStore())
    root = omnizarr.create_group(store, zarr_format=zarr_format)
    write_specs(root, SPECS)
    before = {key: bytes(store.get(key) or b"") for key in store.list_prefix()}
    store.reset()
    write_specs(root, SPECS)
    assert store.counts["set"] == store.counts["update"] == 0
    assert {key: bytes(store.get(key) or b"") for key in store.list_prefix()} == before
    write_specs(root, {"core": {"2.10.0": {"namespace": "new"}, "2.11.0": {"namespace": "x"}}})
    assert spec_versions(root)["core"] == ["2.9.0", "2.10.0", "2.11.0"]
    assert read_spec(root, "core", "2.10.0") == {"namespace": "new", "nwb.base": "{}"}


def test_versions_are_sorted_by_number() -> None:
    ordered = [
        "unversioned",
        "1",
        "2.0-beta",
        "2.0",
        "2.0+local",
        "2.9.0",
        "2.10.0-alpha.9",
        "2.10.0-alpha.10",
    ]
    ordered += ["2.10.0rc1", "2.10", "2.10.0.post1", "2.10.1", "v3"]
    mixed = list(ordered)
    Random(0).shuffle(mixed)
    assert sorted(mixed, key=version_order) == ordered
    assert latest(["2.9.0", "2.10.0"]) == "2.10.0"


@pytest.mark.parametrize("where", ["cache/specs", "/cache/specs", "reference"])
def test_they_are_where_the_root_says(where: str) -> None:
    root = omnizarr.create_group(MemoryStore(), zarr_format=2)
    root.create_group("cache/specs/lab")
    stated = {"zarr_dtype": "object", "value": {"source": ".", "path": "/cache/specs"}}
    root.attrs[".specloc"] = stated if where == "reference" else where
    write_specs(root, SPECS)
    assert read_specs(root) == HELD
    assert "specifications" not in root


@pytest.mark.parametrize("stated", ["nowhere", 7, {"value": 1}, {"zarr_dtype": "object", "value": {}}, ["x"]])
def test_a_place_that_is_none_is_told(stated: object) -> None:
    root = omnizarr.create_group(MemoryStore(), zarr_format=2, attributes={".specloc": stated})
    with pytest.raises(MetadataError, match=r"attributes\.\.specloc"):
        spec_group(root)


def test_what_is_not_held() -> None:
    root = omnizarr.create_group(MemoryStore())
    with pytest.raises(KeyError, match="core"):
        read_spec(root, "core")
    write_specs(root, SPECS)
    root.create_group("specifications/empty")
    for namespace, version in [
        ("other", None),
        ("empty", None),
        ("core", "1.0"),
        ("core", "2.9.0/namespace"),
    ]:
        with pytest.raises(KeyError, match=namespace):
            read_spec(root, namespace, version)


def test_texts_that_other_writers_have_as_bytes_or_as_json() -> None:
    root = omnizarr.create_group(MemoryStore(), zarr_format=2)
    place = root.create_group("specifications/core/1.0")
    place.create_array("bytes", data=np.array([b'{"a": 1}'], object), dtype="bytes")
    place.create_array("fixed", data=np.array("{}", "U2"))
    parsed = place.create_array("parsed", shape=(1,), dtype=object, filters=[{"name": "json2"}])
    item = np.empty(1, object)
    item[0] = {"a": 1}
    parsed[...] = item
    found = read_spec(root, "core")
    assert {name: json.loads(text) for name, text in found.items()} == {
        "bytes": {"a": 1}, "fixed": {}, "parsed": {"a": 1}
    }  # fmt: skip
    place.create_array("numbers", data=np.arange(2))
    with pytest.raises(
        MetadataError, match=r"expected a specification as one text, found 2 elements.*numbers"
    ):
        read_spec(root, "core")


class ManyAtOnce(MemoryStore):
    """A store that answers the first requests to store something only when there are two."""

    requests = 4

    def __init__(self) -> None:
        super().__init__()
        self.two = Barrier(2, timeout=5)

    def set(self, key: str, value: Buffer) -> None:
        if key.startswith("specifications/core"):
            self.two.wait()
        super().set(key, value)


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_texts_are_stored_at_once_where_the_store_takes_many_requests(zarr_format: int) -> None:
    root = omnizarr.create_group(ManyAtOnce(), zarr_format=zarr_format)
    texts = {f"source{i}": f'"{i}"' for i in range(8)}
    write_specs(root, {"core": {"1.0": texts}})
    assert read_specs(root) == {"core": {"1.0": texts}}


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_what_a_writer_that_died_has_left_is_not_taken_for_specifications(zarr_format: int) -> None:
    store = MemoryStore()
    failing = FaultStore(store, fail_at("specifications/core/2.10.0/nwb.base"))
    root = omnizarr.create_group(failing, zarr_format=zarr_format)
    with pytest.raises(OSError, match="no more"):
        write_specs(root, SPECS)
    root = omnizarr.open_group(store, mode="r+")
    assert read_specs(root) == {}
    nodes = write_specs(root, {"core": {"2.10.0": {"namespace": "{}"}}})
    assert sorted(nodes) == [
        "specifications",
        "specifications/core",
        "specifications/core/2.10.0",
        "specifications/core/2.10.0/namespace",
    ]
    assert read_specs(root) == {"core": {"2.10.0": {"namespace": "{}"}}}


def fail_at(place: str) -> Callable[[str, str], None]:
    def check(operation: str, key: str) -> None:
        if key.startswith(place) and operation == "set_if_absent":
            raise OSError("no more")

    return check


def test_an_array_in_the_place_of_specifications_is_told_and_stays() -> None:
    root = omnizarr.create_group(MemoryStore(), zarr_format=2)
    root.create_array("specifications", data=np.arange(3))
    with pytest.raises(NodeTypeError, match="expected a group of specifications, found an array"):
        write_specs(root, SPECS)
    assert root["specifications"][:].tolist() == [0, 1, 2]


def test_what_is_new_is_told() -> None:
    root = omnizarr.create_group(MemoryStore(), zarr_format=2)
    assert write_specs(root, SPECS).keys() == {path for path, _ in root.members(None)}
    assert write_specs(root, SPECS) == {}
    added = write_specs(root, {"core": {"2.11.0": {"namespace": "x"}}})
    assert list(added) == ["specifications/core/2.11.0", "specifications/core/2.11.0/namespace"]
