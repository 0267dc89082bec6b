"""`omnizarr doctor`: that it looks, that it sees what is broken, and leaves nothing behind."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from object_servers import KEY, SECRET, Front, s3_front

import omnizarr
from omnizarr.cli import cli
from omnizarr.cli.diagnosis import disk as disks
from omnizarr.cli.diagnosis import machine as machines
from omnizarr.cli.diagnosis import packages as listed
from omnizarr.cli.diagnosis import stores as kinds
from omnizarr.cli.diagnosis.codecs import codecs
from omnizarr.cli.diagnosis.findings import Finding
from omnizarr.cli.diagnosis.stores import exercise
from omnizarr.cli.installed import Package, packages
from omnizarr.codecs import registry
from omnizarr.codecs.gzip import Gzip
from omnizarr.store import DirectoryStore, FaultStore, MemoryStore, WrappedStore


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def findings(*arguments: Any) -> dict[tuple[str, str], dict[str, Any]]:
    result = run("doctor", "--json", *arguments)
    assert result.exit_code in (0, 1), result.output
    return {(one["about"], one["name"]): one for one in json.loads(result.stdout)}


@pytest.fixture(autouse=True)
def few_bytes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(disks, "_LARGE", 2**20)
    monkeypatch.setattr(disks, "_SMALL", 5)
    monkeypatch.setattr(disks, "_SYNCS", 2)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


def test_all_that_is_installed_here_works(tmp_path: Path) -> None:
    result = run("doctor")
    assert result.exit_code == 0, result.output
    assert "BROKEN" not in result.stdout
    assert [line for line in result.stdout.splitlines() if line and not line.startswith(" ")] == [
        "installed", "codecs", "stores", "machine", "disk",
    ]  # fmt: skip
    assert list(tmp_path.iterdir()) == []


def test_a_machine_where_nothing_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> str:
        raise FileNotFoundError("No usable temporary directory found")

    monkeypatch.setattr("tempfile.gettempdir", refuse)
    result = run("doctor")
    assert result.exit_code == 0, result.output
    assert "temporary files\n  warning No usable temporary directory found" in result.stdout
    assert "set TMPDIR to a folder" in result.stdout
    assert "cores: " in result.stdout


def test_as_json() -> None:
    found = findings()
    assert found["installed", "omnizarr"]["values"]["omnizarr"] == omnizarr.__version__
    assert found["stores", "zip"]["level"] == "ok"
    assert found["disk", "one large file"]["values"]["write_bytes_per_second"] > 0
    assert found["machine", "cores"]["values"]["requests"] == omnizarr.config.requests
    assert set(found["codecs", ""]["values"]["working"]) == set(registry.CODECS) - {"pickle"}


def test_no_network_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr("socket.socket.connect", refuse)
    monkeypatch.setattr("socket.getaddrinfo", refuse)
    assert run("doctor").exit_code == 0


# What is broken


def test_a_codec_that_loses_something_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(Gzip):
        def decode(self, *arguments: Any, **more: Any) -> Any:
            found = bytearray(super().decode(*arguments, **more))
            found[0] ^= 1
            return bytes(found)

    monkeypatch.setitem(registry.REGISTRY.known, "gzip", Broken)
    found = {finding.name: finding for finding in codecs()}
    assert found["gzip"].level == "broken"
    assert "not what was encoded" in found["gzip"].text
    assert "zstd" in found[""].text
    result = run("doctor")
    assert result.exit_code == 1
    assert "BROKEN  gzip: what was decoded is not what was encoded" in result.stdout


def test_a_codec_whose_library_does_not_load_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.REGISTRY.known, "zstd", "omnizarr.codecs.nowhere:Zstd")
    (found,) = [finding for finding in codecs() if finding.name == "zstd"]
    assert found.level == "broken"
    assert "omnizarr.codecs.nowhere" in found.text


def test_an_extra_that_is_not_installed_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    class Absent(Gzip):
        def encode(self, *arguments: Any, **more: Any) -> Any:
            raise ImportError('gzip needs a library: pip install "omnizarr[gzip]"')

    monkeypatch.setitem(registry.REGISTRY.known, "gzip", Absent)
    (found,) = [finding for finding in codecs() if finding.name == "gzip"]
    assert found.level == "note"
    assert "pip install" in found.text


def test_a_store_that_loses_values_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    class Forgetful(WrappedStore):
        def set_if_absent(self, key: str, value: Any) -> bool:
            return True

    with pytest.raises(AssertionError, match="is not set again"):
        exercise(Forgetful(MemoryStore()), "a/b")
    monkeypatch.setattr(kinds, "_kinds", lambda folder: {"memory": lambda: Forgetful(MemoryStore())})
    (found,) = kinds.stores()
    assert (found.level, found.name) == ("broken", "memory")


def test_plug_ins_that_fail_to_load_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def entries(group: str) -> list[EntryPoint]:
        found = {
            "omnizarr.codecs": [EntryPoint("good", "json:loads", group)],
            "omnizarr.stores": [EntryPoint("bad", "nowhere.at.all:opener", group)],
        }
        return found.get(group, [])

    monkeypatch.setattr(listed, "entry_points", entries)
    good, bad = listed.plugins()
    assert (good.level, bad.level) == ("ok", "broken")
    assert "nowhere" in bad.text
    assert bad.name == "omnizarr.stores: bad"


def test_the_groups_of_plug_ins_are_all_there_are() -> None:
    sources = Path(omnizarr.__file__).parent.rglob("*.py")
    named = {
        line.split('Registry("')[1].split('"')[0]
        for path in sources
        for line in path.read_text(encoding="utf-8").splitlines()
        if 'Registry("omnizarr.' in line
    }
    assert named == set(listed.GROUPS)


@pytest.mark.parametrize(
    ("found", "level", "text"),
    [
        ([None, None], "note", "not installed"),
        (["1.0", None], "note", "missing: csv"),
        (["0.9", "3.0"], "warning", "too old: json 0.9, expected 1.0 or later"),
        (["1.0.0", "2.10"], "ok", "json 1.0.0, csv 2.10"),
    ],
)
def test_extras(found: list[str | None], level: str, text: str) -> None:
    needed = [Package("json", found[0], "1.0", "x"), Package("csv", found[1], "2.9", "x")]
    finding = listed._of_extra("x", needed)
    assert (finding.level, finding.text) == (level, text)
    assert not finding.advice or 'pip install "omnizarr[x]"' in finding.advice


def test_a_package_that_is_there_and_does_not_load_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "netCDF4", None)
    needed = [Package("netcdf4", "1.7", "1.0", "netcdf"), Package("csv", "2", None, "netcdf")]
    finding = listed._of_extra("netcdf", needed)
    assert finding.level == "broken"
    assert finding.text.startswith("does not load: netcdf4 1.7: ModuleNotFoundError")
    assert "csv" not in finding.text
    assert finding.advice == 'pip install "omnizarr[netcdf]" --force-reinstall'


def test_what_omnizarr_needs_itself_must_be_there() -> None:
    finding = listed._of_extra(None, [Package("numpy", None, "2.0", None)])
    assert (finding.level, finding.advice) == ("broken", 'pip install "omnizarr"')


def test_requirements_are_read_with_their_extras() -> None:
    found = {(package.name, package.extra): package for package in packages()}
    assert found["numpy", None].least == "2.0"
    assert found["obstore", "cloud"].least == "0.8"
    assert ("pytest", "test") not in found
    assert not found["numpy", None].is_too_old
    assert Package("a", "1.9rc1", "1.10", None).is_too_old
    assert not Package("a", "2024.6.1", "2024.6", None).is_too_old
    assert not Package("a", None, "1", None).is_too_old


def test_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("resource", reason="this platform has no limits of open files")
    monkeypatch.setattr("resource.getrlimit", lambda _: (256, 4096))
    monkeypatch.setattr("sys.getfilesystemencoding", lambda: "ascii")
    monkeypatch.setattr(machines, "_memory_facts", lambda: (10**8, 10**9))
    found = {finding.name: finding for finding in machines.machine()}
    for name in ("open files", "encoding", "memory"):
        assert found[name].level == "warning"
        assert found[name].advice


def test_names_that_are_no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMNIZARR_TREADS", "3")
    with omnizarr.config.using(requests=7):
        found = {finding.name: finding for finding in machines.settings()}
    assert found["OMNIZARR_TREADS"].level == "warning"
    assert found["requests"].text == "7, by using"
    assert len(found) == 2


def test_a_disk_that_is_slow_or_full(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(disks, "_SLOW", {"write": 1e15, "small files": 1e15, "sync": 0.0})
    found = {finding.name: finding for finding in disks.disk(tmp_path)}
    assert [found[name].level for name in ("one large file", "small files", "sync")] == ["warning"] * 3
    monkeypatch.setattr(disks, "_LARGE", 10**18)
    (only,) = disks.disk(tmp_path)
    assert (only.name, only.level) == ("space", "warning")
    (gone,) = disks.disk(tmp_path / "absent")
    assert gone.level == "broken"
    assert list(tmp_path.iterdir()) == []


# Places


def test_a_path(tmp_path: Path) -> None:
    omnizarr.create_array(tmp_path / "a.zarr", data=np.arange(1000), chunks=10)
    before = sorted(tmp_path.rglob("*"))
    found = findings(tmp_path / "a.zarr", "--write")
    about = f"file://{tmp_path}/a.zarr"
    for name in ("reached", "listed", "read", "node", "write"):
        assert found[about, name]["level"] == "ok", found[about, name]
    assert found[about, "node"]["text"] == "an array of Zarr 3"
    assert found[about, "listed"]["text"].startswith("101 keys in")
    assert sorted(tmp_path.rglob("*")) == before


def test_nothing_is_written_unless_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    omnizarr.create_group(tmp_path / "a.zarr")

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("something was written")

    for name in ("set", "set_if_absent", "update", "delete", "delete_prefix"):
        monkeypatch.setattr(DirectoryStore, name, refuse)
    monkeypatch.setattr(kinds, "stores", lambda: iter(()))
    monkeypatch.setattr("omnizarr.cli.doctor.stores", lambda: iter(()))
    found = findings(tmp_path / "a.zarr")
    assert (f"file://{tmp_path}/a.zarr", "write") not in found


def test_places_that_are_not_there(tmp_path: Path) -> None:
    result = run("doctor", tmp_path / "absent")
    assert result.exit_code == 1
    assert "BROKEN  open:" in result.stdout
    assert list(tmp_path.iterdir()) == []
    assert run("doctor", "--write").exit_code == 2
    assert run("doctor", "").exit_code == 2


def test_a_place_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    from omnizarr.cli.diagnosis import remote
    from omnizarr.hierarchy.opening.locate import Place

    broken = FaultStore(MemoryStore(), lambda operation, key: omnizarr.errors.StoreError("no network"))
    monkeypatch.setattr(remote, "locate", lambda *_: Place(broken, ""))
    (only,) = remote.place("s3://bucket", False)
    assert (only.name, only.level) == ("reached", "broken")


def test_a_store_that_lists_nothing_can_be_read() -> None:
    from omnizarr.cli.diagnosis import remote

    def fault(operation: str, key: str) -> Exception | None:
        return omnizarr.errors.StoreError("tells no names") if operation.startswith("list") else None

    found, key = remote._listed("x", FaultStore(MemoryStore(), fault), "")
    assert (found.level, key) == ("warning", None)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    with s3_front(tmp_path_factory.mktemp("doctor")) as front:
        yield front


def test_a_real_server(server: Front, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.port}")
    monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    omnizarr.create_array("s3://bucket/a.zarr", data=np.arange(10))
    before = sorted(omnizarr.store.open_store("s3://bucket", mode="r").list_prefix())
    found = findings("s3://bucket/a.zarr", "--write")
    mine = {name: one for (about, name), one in found.items() if about.startswith("s3://")}
    assert {name: one["level"] for name, one in mine.items()} == dict.fromkeys(
        ("reached", "listed", "read", "node", "write"), "ok"
    )
    assert sorted(omnizarr.store.open_store("s3://bucket", mode="r").list_prefix()) == before
    assert SECRET not in run("doctor", "s3://bucket/a.zarr").output


def test_findings_as_json_hold_what_they_have() -> None:
    assert Finding("a", "b", "ok", "c").to_json() == {"about": "a", "name": "b", "level": "ok", "text": "c"}
