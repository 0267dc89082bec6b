"""What is served: places by names, and what of them is refused."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

import omnizarr
from omnizarr.errors import NodeNotFoundError, OmniZarrError, ReadOnlyError, StoreError, UrlError
from omnizarr.serve import roots as roots_module
from omnizarr.serve.roots import Root, close_roots, open_roots
from omnizarr.store import DirectoryStore, MemoryStore, ZipStore


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("a.zarr", "b/a.zarr", "b/year=2020.zarr", "odd name (1).zarr"):
        omnizarr.open_group(tmp_path / name, mode="w", attributes={"is": name})
    with ZipStore(tmp_path / "z.zip", mode="a") as store:
        omnizarr.open_group(store, mode="w").create_array("deep/x", data=np.arange(3))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(*places: str) -> list[str]:
    roots = open_roots(places)
    close_roots(roots)
    return [root.name for root in roots]


def test_a_name_is_said_or_the_last_part_of_the_place(folder: Path) -> None:
    assert names("a.zarr", "b/a.zarr/", f"{folder}/a.zarr", "n=a.zarr", (folder / "b").as_uri()) == [
        "a.zarr",
        "a.zarr-2",
        "a.zarr-3",
        "n",
        "b",
    ]
    assert names("a.zarr", "a.zarr=b/a.zarr") == ["a.zarr-2", "a.zarr"]
    assert names("odd name (1).zarr", "z.zip|zip:deep", ".") == ["odd-name-1-.zarr", "deep", folder.name]


def test_a_path_with_an_equals_sign_is_a_path(folder: Path) -> None:
    assert names("b/year=2020.zarr") == ["year-2020.zarr"]
    (folder / "k=v").mkdir()
    assert names("k=v") == ["k-v"]


def test_a_name_is_said_once(folder: Path) -> None:
    with pytest.raises(UrlError, match="found 'n' twice"):
        open_roots(["n=a.zarr", "n=b/a.zarr"])


def test_what_cannot_be_opened_closes_the_others(folder: Path) -> None:
    with pytest.raises(StoreError, match="no such directory"):
        open_roots(["a.zarr", "none.zarr"])


def test_roots_are_opened_for_reading_unless_they_are_to_be_written(folder: Path) -> None:
    (root,) = open_roots(["a.zarr"])
    with pytest.raises(ReadOnlyError):
        root.store.set("v", b"1")
    (root,) = open_roots(["a.zarr"], writable=True)
    root.store.set("v", b"1")
    assert (folder / "a.zarr" / "v").read_bytes() == b"1"
    with pytest.raises(OmniZarrError):
        open_roots(["none.zarr"], writable=True)


def test_a_place_within_an_archive_is_a_root_of_its_own(folder: Path) -> None:
    (root,) = open_roots(["z.zip|zip:deep"])
    assert "x/zarr.json" in list(root.store.list_prefix())
    assert root.store.get("zarr.json") is not None
    assert root.node()["x"][:].tolist() == [0, 1, 2]
    close_roots([root])


def test_a_netcdf_file_is_told_apart(folder: Path) -> None:
    (folder / "f.nc").write_bytes(b"CDF\x01" + bytes(100))
    with pytest.raises(StoreError, match=r"found a netCDF file; omnizarr copy converts it"):
        open_roots(["f.nc"])


def test_a_part_of_a_draft_is_refused(folder: Path) -> None:
    group = omnizarr.open_group(folder / "draft", mode="w", zarr_format="3-2019")
    group.create_group("part")
    assert len(open_roots(["draft"])) == 1
    with pytest.raises(UrlError, match="within a hierarchy"):
        open_roots(["draft/part"])


def test_credentials_are_never_shown(folder: Path) -> None:
    (root,) = open_roots(["n=https://user:secret@127.0.0.1:1/x?signature=secret#mode=zarr"])
    assert "secret" not in f"{root!r} {root.url} {root.name}"


# The node


def test_the_node_is_opened_once_and_again_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryStore()
    group = omnizarr.open_group(store, mode="w")
    root = Root("n", "n", store)
    first = root.node()
    group.attrs["new"] = 1
    assert root.node() is first
    assert root.node(again=True).attrs["new"] == 1
    second = root.node()
    root.forget()
    assert root.node() is not second
    monkeypatch.setattr(roots_module, "_FRESH", -1.0)
    assert root.node() is not root.node()


def test_a_store_without_a_node_is_served_all_the_same(folder: Path) -> None:
    (root,) = open_roots(["b"])
    with pytest.raises(NodeNotFoundError):
        root.node()
    assert root.store.get("a.zarr/zarr.json") is not None


def test_what_a_url_asks_for_holds_for_the_node(folder: Path) -> None:
    store = DirectoryStore(folder / "both")
    omnizarr.open_group(store, mode="w", zarr_format=3, attributes={"v": 3})
    store.set(".zgroup", b'{"zarr_format": 2}')
    (root,) = open_roots(["both|zarr2:"])
    assert root.node().zarr_format == 2
    assert (root.name, root.store.get("zarr.json") is not None) == ("both", True)


@pytest.fixture
def web(folder: Path) -> Iterator[str]:
    """Serve the files of a folder, an archive among them, as plain web servers do."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = folder / "z.zip"
            if self.path != "/archive":
                self.send_error(404)
                return
            value, found = path.read_bytes(), self.headers.get("Range", "")
            first, _, last = found.removeprefix("bytes=").partition("-")
            start = int(first) if first else max(len(value) - int(last or len(value)), 0)
            stop = min(int(last) + 1, len(value)) if first and last else len(value)
            self.send_response(206 if found else 200)
            if found:
                self.send_header("Content-Range", f"bytes {start}-{stop - 1}/{len(value)}")
            self.send_header("Content-Length", str(stop - start))
            self.send_header("ETag", '"1"')
            self.send_header("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")
            self.end_headers()
            self.wfile.write(value[start:stop])

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join(10)


def test_an_archive_on_a_server_is_found_to_be_one(web: str) -> None:
    pytest.importorskip("obstore", reason="the extra 'cloud' is not installed")
    (root,) = open_roots([f"{web}/archive"])
    assert root.node()["deep/x"][:].tolist() == [0, 1, 2]
    close_roots([root])
