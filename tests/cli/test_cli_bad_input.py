"""Bad input: one clear line, exit status 2, nothing lost, no traceback."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from click.testing import CliRunner

from omnizarr.cli import cli
from omnizarr.cli.main import COMMANDS as NAMES
from omnizarr.cli.main import told
from omnizarr.hierarchy.copying import plan as copy_plan
from omnizarr.hierarchy.copying.journal import JOURNAL
from omnizarr.hierarchy.create import create_array
from omnizarr.store.directories.directory import DirectoryStore


def refused(*arguments: Any) -> str:
    """Run a command that must fail; return its one line."""
    result = CliRunner().invoke(cli, [str(argument) for argument in arguments])
    assert result.exit_code == 2, result.output
    lines = result.stderr.splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("omnizarr: ")
    assert "Traceback" not in result.output
    return lines[0]


def process(*arguments: Any, **options: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "omnizarr", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


@pytest.fixture
def array(tmp_path: Path) -> Path:
    zarr.create_array(tmp_path / "a", data=np.arange(1000.0), chunks=(100,), compressors=None)
    return tmp_path / "a"


COMMANDS = ["info", "tree", "keys", "dump", "validate", "consolidate"]


@pytest.mark.parametrize("command", COMMANDS)
def test_missing_path(command: str, tmp_path: Path) -> None:
    assert "nothing" in refused(command, tmp_path / "absent") or "absent" in refused(
        command, tmp_path / "absent"
    )
    assert list(tmp_path.iterdir()) == []


def test_missing_source(tmp_path: Path) -> None:
    assert "absent" in refused("copy", tmp_path / "absent", tmp_path / "b")
    assert "absent.nc" in refused("copy", tmp_path / "absent.nc", tmp_path / "b")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["info", "tree", "dump", "validate", "consolidate"])
def test_foreign_file_and_directory(command: str, tmp_path: Path) -> None:
    (tmp_path / "file.txt").write_text("no dataset")
    refused(command, tmp_path / "file.txt")
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "readme").write_text("no dataset")
    assert "readme" in refused(command, tmp_path / "d")
    assert (tmp_path / "d" / "readme").read_text() == "no dataset"


def test_foreign_source_of_a_copy(tmp_path: Path) -> None:
    for name, data in [
        ("a.nc", b"no netCDF at all"),
        ("b.nc", b""),
        ("c.dat", b"\x89HDF\r\n\x1a\n" + bytes(100)),
    ]:
        (tmp_path / name).write_bytes(data)
        assert name in refused("copy", tmp_path / name, tmp_path / "out")
        assert not (tmp_path / "out").exists()
    assert "file.txt" in refused("copy", _written(tmp_path / "file.txt"), tmp_path / "out")


def _written(path: Path) -> Path:
    path.write_text("no dataset")
    return path


@pytest.mark.parametrize("kind", ["NETCDF4", "NETCDF3_CLASSIC"])
def test_truncated_netcdf_file(kind: str, tmp_path: Path) -> None:
    netcdf4 = pytest.importorskip("netCDF4")
    with netcdf4.Dataset(tmp_path / "whole.nc", "w", format=kind) as made:
        made.createDimension("x", 20000)
        made.createVariable("v", "f8", ("x",))[:] = np.random.default_rng(0).normal(size=20000)
    data = (tmp_path / "whole.nc").read_bytes()
    (tmp_path / "cut.nc").write_bytes(data[: len(data) // 2])
    assert "cut.nc" in refused("copy", tmp_path / "cut.nc", tmp_path / "out")
    assert (tmp_path / "cut.nc").read_bytes() == data[: len(data) // 2]


def test_broken_documents(array: Path) -> None:
    (array / "zarr.json").write_text('{"zarr_format": 3, "node_type": "array", "shape": [-1]}')
    line = refused("info", array)
    assert "problems" in line and "shape[0]" in line and "codecs: required" in line
    (array / "zarr.json").write_text("{")
    assert "zarr.json" in refused("tree", array) or "JSON" in refused("tree", array)


def test_an_option_that_fits_no_array_is_told_once(tmp_path: Path) -> None:
    root = zarr.create_group(tmp_path / "many")
    for name in "abcde":
        root.create_array(name, shape=(4,), dtype="i4")
    line = refused("copy", tmp_path / "many", tmp_path / "out", "--codec", "nope")
    assert line.count("nope") == 1 and "and 2 more: " in line


def test_an_unfinished_copy_says_so(array: Path, tmp_path: Path) -> None:
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / JOURNAL).write_bytes(b"{}")
    for command in ("info", "tree", "validate", "dump"):
        assert "the same copy run again completes it" in refused(command, tmp_path / "half")


def test_dump_of_an_array_says_what_shows_it(array: Path) -> None:
    assert "'omnizarr info' describes it" in refused("dump", array)


def test_usage_errors(array: Path, tmp_path: Path) -> None:
    assert "No such command" in refused("frobnicate")
    assert "No such option" in refused("info", array, "--frob")
    assert "Missing argument" in refused("info")
    assert "found nothing" in refused("info", "")
    assert "found nothing" in refused("copy", array, "")
    out = tmp_path / "b"
    assert "expected a size" in refused("copy", array, out, "--memory", "lots")
    assert "expected lengths" in refused("copy", array, out, "--chunks", "ten")
    assert "expected JSON" in refused("copy", array, out, "--codec", "{zstd")
    assert "one value for all" in refused("copy", array, out, "--chunks", "10", "--chunks", "a=10")
    assert "no array 'b'" in refused("copy", array, out, "--chunks", "b=10")
    assert "unknown codec 'nope'" in refused("copy", array, out, "--codec", "nope")
    assert "memory" in refused("copy", array, out, "--memory", "10B", "--codec", "zstd")
    assert not out.exists()


def test_target_that_exists(array: Path, tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "precious").write_text("keep me")
    line = refused("copy", array, tmp_path / "b")
    assert "precious" in line and "--overwrite replaces it" in line
    assert "source" in refused("copy", array, array, "--overwrite")
    assert "source" in refused("copy", array, array / "inside", "--overwrite")
    assert "source" in refused("copy", array, tmp_path, "--overwrite")
    assert (tmp_path / "b" / "precious").read_text() == "keep me"
    np.testing.assert_array_equal(zarr.open_array(array, mode="r")[...], np.arange(1000.0))


def test_chunk_of_the_wrong_size(array: Path, tmp_path: Path) -> None:
    (array / "c" / "3").write_bytes(b"short")
    for options in ((), ("--codec", "zstd"), ("--zarr-format", "2")):
        line = refused("copy", array, tmp_path / f"b{len(options)}{options[-1:]}", *options)
        assert "c/3" in line and "800 bytes" in line
    assert (array / "c" / "3").read_bytes() == b"short"


def test_unreadable_and_unwritable_places(
    array: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root may do anything, so the system's refusal is put in its mouth."""
    real = os.open

    def refuse(path: Any, flags: int, *args: Any, **options: Any) -> int:
        if "forbidden" in str(path) or (str(path).endswith("c/2") and not flags & os.O_CREAT):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, flags, *args, **options)

    monkeypatch.setattr(os, "open", refuse)
    line = refused("copy", array, tmp_path / "forbidden")
    assert "ermission denied" in line
    line = refused("copy", array, tmp_path / "b")
    assert "ermission denied" in line and "c/2" in line


def test_read_only_store(array: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = DirectoryStore(tmp_path, read_only=True)
    monkeypatch.setattr("omnizarr.cli.copy.target_of", lambda *_: (target, "b"))
    assert "reading" in refused("copy", array, tmp_path / "b")
    assert not (tmp_path / "b").exists()


def test_full_disk(array: Path, tmp_path: Path) -> None:
    """A limit on the size of files stands for a disk without room."""

    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (700, 700))

    with process("copy", array, tmp_path / "b", preexec_fn=limited) as child:
        out, error = child.communicate(timeout=60)
    assert child.returncode == 2, out + error
    assert len(error.splitlines()) == 1 and "Traceback" not in error
    assert "large" in error or "space" in error
    assert not (tmp_path / "b" / "zarr.json").exists()
    np.testing.assert_array_equal(zarr.open_array(array, mode="r")[...], np.arange(1000.0))
    with process("copy", array, tmp_path / "b") as child:
        assert child.wait(timeout=60) == 0
    np.testing.assert_array_equal(zarr.open_array(tmp_path / "b", mode="r")[...], np.arange(1000.0))


def test_killed_copy_runs_again(tmp_path: Path) -> None:
    values = np.arange(3000 * 64.0).reshape(3000, 64)
    create_array(tmp_path / "a", data=values, chunks=(1, 64), compressors=None)
    target = tmp_path / "b"
    with process("copy", tmp_path / "a", target) as child:
        deadline = time.monotonic() + 30
        while not (target / "c").is_dir() or len(list((target / "c").iterdir())) < 20:
            assert time.monotonic() < deadline and child.poll() is None
            time.sleep(0.001)
        child.send_signal(signal.SIGKILL)
        child.communicate()
    assert child.returncode == -signal.SIGKILL
    assert (target / JOURNAL).exists() and not (target / "zarr.json").exists()
    assert "omnizarr: " in refused("info", target)
    assert "never completed" in refused("validate", target)
    result = CliRunner().invoke(cli, ["copy", str(tmp_path / "a"), str(target)])
    assert result.exit_code == 0, result.output
    assert "an interrupted copy was continued" in result.stdout
    np.testing.assert_array_equal(zarr.open_array(target, mode="r")[...], values)
    assert not (target / JOURNAL).exists()
    assert CliRunner().invoke(cli, ["validate", str(target), "--data"]).output == "no problems\n"


def test_ctrl_c_is_one_line_and_status_130(
    array: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(copy_plan, "carry_out", interrupt)
    result = CliRunner().invoke(cli, ["copy", str(array), str(tmp_path / "b")])
    assert (result.exit_code, result.stderr.strip()) == (130, "omnizarr: interrupted")


def test_debug_shows_the_traceback(tmp_path: Path) -> None:
    for arguments in (["--debug", "info", "absent"], ["info", "absent", "--debug"]):
        result = CliRunner().invoke(cli, arguments)
        assert result.exit_code == 2
        assert "Traceback" in result.stderr and result.stderr.splitlines()[-1].startswith("omnizarr: ")


def test_unexpected_errors_are_told_in_a_line(array: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("two\nlines")

    monkeypatch.setattr("omnizarr.cli.info._of_array", fail)
    line = refused("info", array)
    assert line == "omnizarr: unexpected RuntimeError: two lines (--debug shows where)"


def test_a_reader_that_goes_away_is_no_error(array: Path) -> None:
    with process("keys", array) as child:
        assert child.stdout is not None and child.stderr is not None
        child.stdout.close()
        error = child.stderr.read()
        assert child.wait(timeout=60) == 141
    assert "Traceback" not in error and "Exception" not in error


def test_every_command_of_the_table_exists() -> None:
    for name in NAMES:
        assert cli.get_command(None, name) is not None  # type: ignore[arg-type]


def test_an_extra_that_is_missing_is_told_without_surprise() -> None:
    line = told(ImportError('a JSON Schema is checked by jsonschema: pip install "omnizarr[schema]"'))
    assert line == 'a JSON Schema is checked by jsonschema: pip install "omnizarr[schema]"'
    assert told(ImportError("no module named x")).startswith("unexpected ImportError")
