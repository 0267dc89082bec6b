"""`omnizarr keys` and `info` on every kind of place."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from object_servers import KEY, SECRET, Front
from redis_servers import RedisServer
from test_store_objects import options, rclone, s3, shared_front  # noqa: F401

import omnizarr
from omnizarr.cli import cli
from omnizarr.store import SQLiteStore, ZipStore, open_store

_KEYS = ["a/c/0", "a/c/1", "a/zarr.json", "zarr.json"]


def said(*arguments: str) -> str:
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def check(place: str, keys: list[str] = _KEYS) -> None:
    """Try both commands on a group with one array."""
    assert sorted(entry["key"] for entry in json.loads(said("keys", "--json", place))) == keys
    facts = json.loads(said("info", "--json", place))
    assert (facts["kind"], facts["zarr_format"], facts["arrays"]) == ("group", 3, 1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("urls")
    stores = [
        open_store(made / "d", mode="a"),
        ZipStore(made / "z.zip", mode="w"),
        SQLiteStore(made / "s.sqlite"),
        open_store("memory://cli-urls", mode="a"),
    ]
    for store in stores:
        with store:
            group = omnizarr.create_group(store, zarr_format=3)
            group.create_array("a", data=np.arange(4, dtype="i4"), chunks=(2,))
    with ZipStore(made / "outer.zip", mode="w") as outer:
        outer.set("z.zip", (made / "z.zip").read_bytes())
    shutil.copytree(made / "d", made / "c")
    omnizarr.consolidate_metadata(made / "c")
    return made


@pytest.mark.parametrize(
    "place",
    [
        "{}/d",
        "{}/d#mode=zarr,v3",
        "{}/d|zarr3:",
        "file://{}/d",
        "{}/z.zip",
        "file://{}/z.zip|zip:|zarr3:",
        "zip://{}/z.zip",
        "{}/outer.zip|zip:z.zip|zip:",
        "{}/s.sqlite",
        "sqlite://{}/s.sqlite",
        "memory://cli-urls",
    ],
)
def test_places_on_this_machine(place: str, folder: Path) -> None:
    check(place.format(folder))


def test_lmdb(folder: Path) -> None:
    pytest.importorskip("lmdb")
    with open_store(f"lmdb://{folder}/l", mode="a") as store:
        omnizarr.copy(folder / "d", store)
    check(f"{folder}/l")
    check(f"lmdb://{folder}/l")


def test_redis(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("redis")
    try:
        server = RedisServer(tmp_path)
    except OSError as error:
        pytest.skip(str(error))
    try:
        place = f"redis://127.0.0.1:{server.port}/0/d"
        omnizarr.copy(folder / "d", place)
        check(place)
        check(f"unix://{server.socket}?db=0&prefix=d")
    finally:
        server.close()


def test_file_systems_of_fsspec(folder: Path) -> None:
    pytest.importorskip("fsspec")
    check(f"local://{folder}/d")


@pytest.fixture
def web(folder: Path) -> Iterator[Front]:
    pytest.importorskip("obstore")
    front = Front("http", folder)
    yield front
    front.close()


def test_the_web(folder: Path, web: Front) -> None:
    host = f"http://127.0.0.1:{web.port}"
    check(f"{host}/z.zip")
    check(f"{host}/outer.zip?token=S3cr3t|zip:z.zip|zip:")
    tree = said("tree", f"{host}/c#mode=zarr,consolidated")
    assert "a (4,)" in tree
    result = CliRunner().invoke(cli, ["info", f"{host}/d?token=S3cr3t#mode=zarr,consolidated"])
    assert result.exit_code == 2
    assert "no consolidated metadata" in result.stderr and "S3cr3t" not in result.output
    result = CliRunner().invoke(cli, ["keys", f"{host}/d?token=S3cr3t"])
    assert result.exit_code == 2 and "list" in result.stderr and "S3cr3t" not in result.output


def test_s3(folder: Path, s3: Front) -> None:  # noqa: F811
    there = options(s3.port)
    with open_store("s3://bucket/cli-urls", mode="a", storage_options=there) as store:
        omnizarr.copy(folder / "d", store)
    with open_store("s3://bucket/cli-archives", mode="a", storage_options=there) as store:
        store.set("z.zip", (folder / "z.zip").read_bytes())
    keys = f"#mode=zarr,s3&aws.access_key_id={KEY}&aws.secret_access_key={SECRET}&aws.region=us-east-1"
    check(f"s3://127.0.0.1:{s3.port}/bucket/cli-urls{keys}")
    check(f"http://127.0.0.1:{s3.port}/bucket/cli-urls{keys}")
    check(f"http://127.0.0.1:{s3.port}/bucket/cli-archives/z.zip{keys}")


@pytest.mark.parametrize("command", ["keys", "info", "tree"])
@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("{}/d|zip:|gzip:S3cr3t", "part 3, 'gzip:': expected one of auto:, zarr:, zarr2:, zarr3:, zip:"),
        ("ftp-of-old://user:S3cr3t@h/x", "unknown scheme ftp-of-old://"),
        ("s3://b/k?sig=S3cr3t", "the query: expected none"),
        ("file://{}/d#mode=zarr,v2,v3", "expected one of the modes v2 and v3"),
    ],
)
def test_what_is_wrong_is_one_line(command: str, place: str, message: str, folder: Path) -> None:
    result = CliRunner().invoke(cli, [command, place.format(folder)])
    assert result.exit_code == 2 and message in result.stderr
    assert len(result.stderr.splitlines()) == 1 and "S3cr3t" not in result.output
