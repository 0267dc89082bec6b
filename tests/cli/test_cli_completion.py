"""What shells may complete, by click's classes and by a real bash."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete
from click.testing import CliRunner

import omnizarr
from omnizarr.cli import cli
from omnizarr.cli import completing as completing_places
from omnizarr.cli.completion import VARIABLE
from omnizarr.cli.main import COMMANDS
from omnizarr.zom.conventions import CONVENTIONS


def completed(*words: str) -> list[str]:
    """Return what the last word may become; `<file>` where the shell's own files are."""
    found = ShellComplete(cli, {}, "omnizarr", VARIABLE).get_completions(list(words[:-1]), words[-1])
    return [f"<{item.type}>" if item.type != "plain" else item.value for item in found]


@pytest.fixture(params=[2, 3])
def hierarchy(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    group = omnizarr.create_group(tmp_path / "a.zarr", zarr_format=request.param)
    group.create_array("time", data=[1, 2, 3])
    group.create_array("temperature", data=[1, 2, 3])
    group.create_group("tables/one")
    group.create_group("two words")
    (tmp_path / "a.zarr" / "thing").mkdir()
    return str(tmp_path / "a.zarr")


def test_commands_and_options() -> None:
    assert completed("") == sorted(COMMANDS)
    assert completed("co") == [name for name in sorted(COMMANDS) if name.startswith("co")]
    assert completed("nothing") == []
    assert "--version" in completed("--")
    assert completed("keys", "--j") == ["--json"]
    assert completed("validate", "--le") == ["--level"]
    assert completed("completion", "z") == ["zsh"]
    assert completed("--log-level", "d") == ["debug"]


@pytest.mark.parametrize(
    "name", ["a b", "a;id", "a$(id)", "a`id`", "a&b", "a|b", "a>b", "a'b", 'a"b', "a*", "~a", "a#b"]
)
def test_names_that_a_shell_would_split_or_run_are_not_completed(name: str, tmp_path: Path) -> None:
    group = omnizarr.create_group(tmp_path / "a.zarr")
    group.create_group(name)
    group.create_group("täglich-1.0")
    assert completed("info", f"{tmp_path}/a.zarr/") == [f"{tmp_path}/a.zarr/täglich-1.0"]


def test_below_a_name_that_a_shell_would_split_files_are_completed(tmp_path: Path) -> None:
    omnizarr.create_group(tmp_path / "my data" / "a.zarr").create_group("x")
    assert completed("info", f"{tmp_path}/my data/a.zarr/") == ["<file>"]


def test_commands_are_not_imported_to_be_named() -> None:
    code = (
        "import sys; from omnizarr.cli import cli; from click.shell_completion import ShellComplete\n"
        "assert ShellComplete(cli, {}, 'omnizarr', 'X').get_completions([], '')\n"
        "print([name for name in ('pydantic', 'h5py', 'rich', 'omnizarr.cli.dump') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_nodes_of_a_hierarchy_on_this_machine(hierarchy: str) -> None:
    assert completed("info", f"{hierarchy}/t") == [
        f"{hierarchy}/tables/",
        f"{hierarchy}/temperature",
        f"{hierarchy}/time",
    ]
    assert completed("info", f"{hierarchy}/te") == [f"{hierarchy}/temperature"]
    assert [place.rstrip("/") for place in completed("tree", f"{hierarchy}/tables/")] == [
        f"{hierarchy}/tables/one"
    ]
    assert completed("info", f"{hierarchy}/zzz") == ["<file>"]
    assert completed("info", f"{hierarchy}/time/") == ["<file>"]
    assert completed("info", hierarchy[:-2]) == ["<file>"]


def test_nodes_in_an_archive(hierarchy: str, tmp_path: Path) -> None:
    archive = f"{tmp_path}/a.zip"
    omnizarr.copy(hierarchy, archive)
    assert completed("info", f"{archive}/t") == [
        f"{archive}/tables/",
        f"{archive}/temperature",
        f"{archive}/time",
    ]
    assert completed("info", f"{archive}/tables/") == [f"{archive}/tables/one/"]


def test_places_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"PK\3\4 and no more")
    (tmp_path / "text").write_bytes(b"text")
    (tmp_path / "plain").mkdir()
    for place in (
        "",
        "x",
        f"{tmp_path}/a.zip/",
        f"{tmp_path}/text/",
        f"{tmp_path}/plain/",
        "/nowhere/at/all",
    ):
        assert completed("info", place) == ["<file>"]
    assert completed("copy", "a", "b\0c/d") == ["<file>"]


@pytest.mark.parametrize("url", ["s3://bucket/a", "https://host/a.zarr/", "file:///tmp/", "a.zip|zip:"])
def test_urls_are_not_asked(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(completing_places, "open_group", None)
    assert completed("info", url) == []


def test_many_entries_are_looked_at_up_to_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    group = omnizarr.create_group(tmp_path / "a.zarr")
    for number in range(20):
        group.create_group(f"g{number:02}")
    monkeypatch.setattr(completing_places, "_MOST", 5)
    assert len(completed("info", f"{tmp_path}/a.zarr/g")) <= 5


def test_models_and_codecs() -> None:
    for words in (("validate", "a", "--model"), ("schema", "json"), ("schema", "typescript")):
        assert set(completed(*words, "")) == {"v2", "v3", *CONVENTIONS}
        assert completed(*words, "xa") == ["xarray"]
        assert completed(*words, "./my") == ["<file>"]
    assert completed("copy", "a", "b", "--codec", "zs") == ["zstd"]
    assert completed("copy", "a", "b", "--codec", "no") == ["none"]


def test_a_command_that_fails_to_load_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(COMMANDS, "broken", "Does not load.")
    environment = {VARIABLE: "bash_complete", "COMP_WORDS": "omnizarr broken --", "COMP_CWORD": "2"}
    result = CliRunner().invoke(cli, [], env=environment)
    assert (result.exit_code, result.output) == (1, "")


@pytest.mark.parametrize("kind", [BashComplete, ZshComplete, FishComplete])
def test_scripts(kind: type[ShellComplete], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", f"/usr/bin/{kind.name}")
    script = CliRunner().invoke(cli, ["completion", kind.name])
    assert script.exit_code == 0
    assert CliRunner().invoke(cli, ["completion"]).stdout == script.stdout
    assert f"{VARIABLE}={kind.name}_complete" in script.stdout
    assert script.stdout.splitlines()[-1].startswith("# To keep this, write it to ~/")
    assert not script.stdout.startswith("\n")
    if kind is ZshComplete:
        assert script.stdout.startswith("#compdef omnizarr\n")


def test_shells_that_are_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    assert CliRunner().invoke(cli, ["completion", "csh"]).exit_code == 2
    monkeypatch.setenv("SHELL", "/usr/bin/csh")
    result = CliRunner().invoke(cli, ["completion"])
    assert (result.exit_code, "found csh" in result.stderr) == (2, True)


def test_a_real_bash(hierarchy: str, tmp_path: Path) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash here")
    version = subprocess.run([bash, "-c", "echo $BASH_VERSION"], capture_output=True, text=True).stdout
    if tuple(map(int, version.split(".")[:2])) < (4, 4):
        pytest.skip(f"bash {version.strip()} is older than completions need, 4.4")
    assert answers(bash, "omnizarr", "cons", folder=tmp_path) == ["consolidate"]
    assert answers(bash, "omnizarr", "info", "a.zarr/te", folder=tmp_path) == ["a.zarr/temperature"]
    assert answers(bash, "omnizarr", "info", "a.zarr/ta", folder=tmp_path) == ["a.zarr/tables/"]
    assert answers(bash, "omnizarr", "info", "s3://bucket/", folder=tmp_path) == []


def answers(bash: str, *words: str, folder: Path) -> list[str]:
    """Return what bash would show for the last word."""
    quoted = " ".join(f"'{word}'" for word in words)
    code = (
        'eval "$(omnizarr completion bash)"\n'
        "compopt() { :; }\n"  # which works only where somebody types
        f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}\n"
        "_omnizarr_completion omnizarr\n"
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    place = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{place}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        [bash, "--norc", "-c", code], capture_output=True, text=True, env=environment, cwd=folder, timeout=60
    )
    assert done.stderr == ""
    return [line for line in done.stdout.splitlines() if line]
