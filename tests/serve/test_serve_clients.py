"""Clients of other makes, and our own, against a server that listens: they find what is stored."""

from __future__ import annotations

import fcntl
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
import xarray as xr
import zarr
from serving import Live

import omnizarr
from omnizarr.errors import StoreError
from omnizarr.serve.app import make_app
from omnizarr.serve.options import ServeOptions
from omnizarr.serve.roots import Root
from omnizarr.serve.tokens import new_token
from omnizarr.store import CountingStore, MemoryStore, ZipStore

TOKEN = new_token()
BEARER = {"Authorization": f"Bearer {TOKEN}"}
OPTIONS = {"default_headers": BEARER}
DATA = np.arange(60 * 50, dtype="i4").reshape(60, 50)


def filled(store: Any, zarr_format: int) -> None:
    """Make a hierarchy that is not consolidated, with chunks that are missing, and a sharded array in v3."""
    root = omnizarr.open_group(store, mode="w", zarr_format=zarr_format, attributes={"title": "t"})
    root.create_array("a/plain", data=DATA, chunks=(16, 16))
    part = root.create_array("a/part", shape=(60, 50), chunks=(30, 50), dtype="f8", fill_value=-1.0)
    part[:30] = DATA[:30]
    root.create_array("a/b/text", data=np.array(["one", "two", "drei"], dtype="T"))
    if zarr_format == 3:
        root.create_array("a/sharded", data=DATA, chunks=(10, 10), shards=(60, 50), compressors=None)


@pytest.fixture(scope="module")
def stores() -> dict[str, CountingStore]:
    made = {name: CountingStore(MemoryStore()) for name in ("v2", "v3", "out")}
    filled(made["v2"], 2)
    filled(made["v3"], 3)
    return made


@pytest.fixture(scope="module")
def live(stores: dict[str, CountingStore]) -> Iterator[Live]:
    roots = [Root(name, name, store) for name, store in stores.items()]
    server = Live(make_app(roots, ServeOptions(token=TOKEN, writable=True, penalty=0)))
    yield server
    server.close()


# omnizarr


@pytest.mark.parametrize("version", ["v2", "v3"])
def test_omnizarr_walks_and_reads_without_consolidated_metadata(live: Live, version: str) -> None:
    pytest.importorskip("obstore", reason="the extra 'cloud' is not installed")
    root = omnizarr.open(f"{live.url}data/{version}", mode="r", storage_options=OPTIONS)
    names = {"a", "a/plain", "a/part", "a/b", "a/b/text"} | ({"a/sharded"} if version == "v3" else set())
    assert set(dict(root.members(max_depth=None))) == names
    np.testing.assert_array_equal(root["a/plain"][:], DATA)
    assert root["a/part"][40:].min() == root["a/part"][40:].max() == -1
    assert root["a/b/text"][:].tolist() == ["one", "two", "drei"]


def test_omnizarr_lists_prefixes_and_sizes(live: Live, stores: dict[str, CountingStore]) -> None:
    pytest.importorskip("obstore", reason="the extra 'cloud' is not installed")
    store = omnizarr.open(f"{live.url}data/v3", mode="r", storage_options=OPTIONS).store
    inner = stores["v3"].inner
    assert dict(store.list_sizes()) == dict(inner.list_sizes())
    assert sorted(store.list_prefix("a/b/")) == sorted(inner.list_prefix("a/b/"))
    for prefix in ("", "a/", "a/plain/", "a/plain/c/", "none/"):
        assert store.list_dir(prefix) == inner.list_dir(prefix)


def test_a_hierarchy_is_copied_from_a_server(live: Live, tmp_path: Path) -> None:
    pytest.importorskip("obstore", reason="the extra 'cloud' is not installed")
    source = omnizarr.open(f"{live.url}data/v3", mode="r", storage_options=OPTIONS)
    omnizarr.copy(source, tmp_path / "copy")
    copied = omnizarr.open(tmp_path / "copy", mode="r")
    for name in ("a/plain", "a/part", "a/sharded"):
        np.testing.assert_array_equal(copied[name][:], source[name][:])


def test_of_a_shard_only_what_is_wanted_is_read(live: Live, stores: dict[str, CountingStore]) -> None:
    pytest.importorskip("obstore", reason="the extra 'cloud' is not installed")
    array = omnizarr.open(f"{live.url}data/v3", mode="r", storage_options=OPTIONS)["a/sharded"]
    np.testing.assert_array_equal(array[12:18, 33:37], DATA[12:18, 33:37])


def test_omnizarr_raises_where_the_token_is_wrong(live: Live) -> None:
    pytest.importorskip("obstore", reason="the extra 'cloud' is not installed")
    wrong = {"default_headers": {"Authorization": "Bearer wrong"}, "retry_config": {"max_retries": 0}}
    with pytest.raises(StoreError, match="401"):
        omnizarr.open(f"{live.url}data/v3", mode="r", storage_options=wrong)


# zarr-python, xarray


@pytest.mark.parametrize("version", ["v2", "v3"])
def test_zarr_python_reads(live: Live, version: str) -> None:
    pytest.importorskip("aiohttp", reason="fsspec reads HTTP by it")
    options = {"client_kwargs": {"headers": BEARER}}
    group = zarr.open_group(f"{live.url}data/{version}", mode="r", storage_options=options)
    assert group.attrs["title"] == "t"
    np.testing.assert_array_equal(group["a/plain"][:], DATA)
    assert group["a/part"][30:].max() == -1
    if version == "v3":
        np.testing.assert_array_equal(group["a/sharded"][12:18, 33:37], DATA[12:18, 33:37])


def test_xarray_reads(tmp_path: Path) -> None:
    pytest.importorskip("obstore", reason="the extra 'cloud' is not installed")
    dataset = xr.Dataset({"t": (("y", "x"), DATA)}, coords={"x": np.arange(50.0)})
    dataset.to_zarr(tmp_path / "d.zarr", consolidated=False, zarr_format=2)
    live = Live(make_app([Root("d", "", omnizarr.open(tmp_path / "d.zarr", mode="r").store)]))
    try:
        with xr.open_dataset(f"{live.url}data/d", engine="omnizarr") as found:
            xr.testing.assert_identical(found.load(), dataset)
    finally:
        live.close()


def test_an_archive_is_served_as_a_hierarchy(tmp_path: Path) -> None:
    with ZipStore(tmp_path / "d.zip", mode="a") as store:
        filled(store, 3)
    with ZipStore(tmp_path / "d.zip", mode="r") as store:
        live = Live(make_app([Root("d", "", store)]))
        try:
            found = httpx.get(f"{live.url}data/d/a/plain/zarr.json")
            assert found.json()["shape"] == [60, 50]
            index = httpx.get(f"{live.url}data/d/a/sharded/c/0/0", headers={"Range": "bytes=-16"})
            assert (index.status_code, len(index.content)) == (206, 16)
        finally:
            live.close()


def test_a_store_on_a_network_is_served_and_its_failures_are_not_404(tmp_path: Path) -> None:
    pytest.importorskip("obstore", reason="the extra 'cloud' is not installed")
    store = MemoryStore()
    filled(store, 3)
    behind = Live(make_app([Root("d", "", store)]))
    brief = {"retry_config": {"max_retries": 0}}
    remote = omnizarr.open(f"{behind.url}data/d", mode="r", storage_options=brief).store
    before = Live(make_app([Root("d", "", remote)]))
    try:
        with httpx.Client(base_url=f"{before.url}data/d/") as client:
            shard = client.get("a/sharded/c/0/0", headers={"Range": "bytes=100-199"})
            assert (shard.status_code, shard.content) == (206, store.get("a/sharded/c/0/0")[100:200])
            headed = client.head("a/sharded/c/0/0")
            assert headed.headers["etag"] == shard.headers["etag"]
            assert client.get("none").status_code == 404
            keys = [entry["key"] for entry in client.get("a/b/?recursive=1").json()["keys"]]
            assert keys == sorted(store.list_prefix("a/b/"))
            behind.close()
            for answer in (client.get("a/zarr.json"), client.head("a/zarr.json"), client.get("a/")):
                assert answer.status_code == 502
                assert "127.0.0.1" not in answer.text
    finally:
        before.close()


# Writing


def test_values_are_written_by_a_client(live: Live, stores: dict[str, CountingStore]) -> None:
    source = stores["v3"].inner
    with httpx.Client(base_url=f"{live.url}data/", headers=BEARER) as client:
        for key in source.list_prefix():
            value = source.get(key)
            assert client.put(f"out/{key}", content=value, headers={"If-None-Match": "*"}).status_code == 201
        document = client.get("out/zarr.json")
        changed = document.json() | {"attributes": {"title": "changed"}}
        tag = {"If-Match": document.headers["etag"]}
        assert client.put("out/zarr.json", content=json.dumps(changed), headers=tag).status_code == 204
        assert client.put("out/zarr.json", content=json.dumps(changed), headers=tag).status_code == 412
    group = omnizarr.open(stores["out"].inner, mode="r")
    assert group.attrs["title"] == "changed"
    np.testing.assert_array_equal(group["a/sharded"][:], DATA)


# zarrita.js


@pytest.fixture(scope="session")
def zarrita() -> Path:
    """Find zarrita.js; it is fetched once from npm."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("node and npm are not there, by which zarrita.js runs")
    folder = Path(sys.prefix) / "node-zarrita"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        found = folder / "node_modules" / "zarrita" / "package.json"
        if not found.exists():
            options = ["--no-save", "--no-audit", "--no-fund", "--prefix", str(folder)]
            command = ["npm", "install", *options, "zarrita@0.7"]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=120)
            except subprocess.TimeoutExpired:
                pytest.skip("npm did not answer within two minutes, and so there is no zarrita.js")
            if done.returncode or not found.exists():
                why = next((line for line in done.stderr.splitlines() if "error" in line), "it says nothing")
                pytest.skip(f"npm cannot fetch zarrita.js: {why}")
    return folder


Found = list[dict[str, Any]]
Read = Callable[[list[dict[str, Any]]], Found]


@pytest.fixture(scope="module")
def read(zarrita: Path, live: Live) -> Read:
    """Return what zarrita.js finds."""

    def read(reads: list[dict[str, Any]]) -> Found:
        script = (Path(__file__).parent / "zarrita_reads.mjs").read_text()
        asked = [{**item, "url": f"{live.url}data/{item['format']}"} for item in reads]
        # What comes by standard input finds packages from where it runs.
        command = ["node", "--input-type=module", "-", json.dumps({"headers": BEARER, "reads": asked})]
        done = subprocess.run(command, input=script, capture_output=True, text=True, timeout=120, cwd=zarrita)
        assert done.returncode == 0, done.stderr
        found: Found = json.loads(done.stdout)
        return found

    return read


def test_zarrita_reads_what_is_stored(read: Read, stores: dict[str, CountingStore]) -> None:
    part = [[5, 25], [10, 40]]
    cases: list[tuple[str, str, Any, np.ndarray]] = [
        ("v2", "/a/plain", None, DATA),
        ("v2", "/a/plain", part, DATA[5:25, 10:40]),
        ("v2", "/a/part", [[20, 40], None], np.where(np.arange(20, 40)[:, None] < 30, DATA[20:40], -1)),
        ("v3", "/a/plain", None, DATA),
        ("v3", "/a/plain", [7, None], DATA[7]),
        ("v3", "/a/part", [[20, 40], [0, 5]], np.where(np.arange(20, 40)[:, None] < 30, DATA[20:40, :5], -1)),
        ("v3", "/a/sharded", None, DATA),
        ("v3", "/a/sharded", [[12, 18], [33, 37]], DATA[12:18, 33:37]),
    ]
    stores["v3"].reset()
    found = read([{"format": version, "path": path, "selection": at} for version, path, at, _ in cases])
    for (version, path, at, expected), item in zip(cases, found, strict=True):
        assert item.get("error") is None, (version, path, at, item)
        assert item["shape"] == list(expected.shape), (version, path, at)
        assert np.array_equal(np.array(item["data"]), expected.ravel()), (version, path, at)


@pytest.mark.parametrize("suffix", [True, False])
def test_zarrita_reads_parts_of_shards(
    read: Read,
    stores: dict[str, CountingStore],
    suffix: bool,
) -> None:
    stores["v3"].reset()
    selection = [[12, 18], [33, 37]]
    (found,) = read([{"format": "v3", "path": "/a/sharded", "selection": selection, "suffix": suffix}])
    assert found["data"] == DATA[12:18, 33:37].ravel().tolist()
    assert stores["v3"].bytes_read < DATA.nbytes / 4


def test_zarrita_is_told_of_what_is_not_there(
    read: Read,
) -> None:
    found = read([{"format": "v3", "path": "/a/none"}, {"format": "v2", "path": "/a/none"}])
    assert all("error" in item for item in found)
