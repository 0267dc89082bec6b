"""`omnizarr serve` as a user runs it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import numpy as np
import pytest
from click.testing import CliRunner

import omnizarr
from omnizarr.cli.main import cli
from omnizarr.cli.serve import _EXTRA

TOKEN = "a-token-that-a-user-chose"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = omnizarr.open_group(tmp_path / "a.zarr", mode="w")
    root.create_array("x", data=np.arange(4))
    return tmp_path


@contextmanager
def running(
    folder: Path, *arguments: str, **environment: str
) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """Run the command on any free port; yield the process and the lines that it wrote."""
    command = [sys.executable, "-m", "omnizarr", "serve", *arguments, "--port", "0"]
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONUNBUFFERED": "1", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    lines = []
    try:
        for line in process.stdout:
            lines.append(line.rstrip())
            if "Ctrl-C" in line:
                break
        yield process, lines
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def address(lines: list[str], what: str) -> str:
    return next(line.split()[1] for line in lines if line.startswith(what))


def test_it_serves_until_ctrl_c(folder: Path) -> None:
    with running(folder, "a.zarr", "--writable", "--verbose") as (process, lines):
        data = address(lines, "data")
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/data/a\.zarr", data)
        assert httpx.get(f"{data}/zarr.json").json()["node_type"] == "group"
        assert httpx.put(f"{data}/v", content=b"1").status_code == 201
        page = httpx.get(address(lines, "page"))
        assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert httpx.get(f"{data}/zarr.json", headers={"Host": "evil.example"}).status_code == 421
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=20)
    assert process.returncode == 0
    assert "GET /data/a.zarr/zarr.json 200" in rest and rest.endswith("stopped\n")
    assert (folder / "a.zarr" / "v").read_bytes() == b"1"


def test_where_others_can_reach_it_a_token_is_made_and_told_once(folder: Path) -> None:
    with running(folder, "n=a.zarr", "--host", "0.0.0.0", "-v") as (process, lines):
        page = address(lines, "page")
        token = page.partition("?token=")[2]
        assert len(token) >= 43
        port = re.findall(r":(\d+)/", page)[0]
        data = f"http://127.0.0.1:{port}/data/n/zarr.json"
        assert httpx.get(data).status_code == 401
        assert httpx.get(data, headers={"Authorization": f"Bearer {token}"}).status_code == 200
        assert httpx.get(data, params={"token": token}).status_code == 200
        process.send_signal(signal.SIGTERM)
        rest, _ = process.communicate(timeout=20)
    assert sum(token in line for line in lines) == 1
    assert token not in rest and "/data/n/zarr.json 401" in rest


def test_a_token_comes_from_the_environment(folder: Path) -> None:
    with running(folder, "a.zarr", OMNIZARR_SERVE_TOKEN=TOKEN) as (_, lines):
        data = f"{address(lines, 'data')}/zarr.json"
        assert httpx.get(data).status_code == 401
        assert httpx.get(data, headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200


def test_a_port_that_is_taken_is_told_in_a_line(folder: Path) -> None:
    with running(folder, "a.zarr") as (_, lines):
        port = re.findall(r":(\d+)/", address(lines, "page"))[0]
        result = CliRunner().invoke(cli, ["serve", str(folder / "a.zarr"), "--port", port])
    assert result.exit_code == 2
    assert f"cannot listen at 127.0.0.1 port {port}: Address already in use" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Missing argument"),
        (["{}/none"], "no such directory"),
        (["{}/a.zarr", "--token", "short"], "at least 16"),
        (["{}/a.zarr", "--token", "", "--host", "0.0.0.0"], "needs a token"),
        (["{}/a.zarr", "--cors", "elsewhere.example"], "expected https://HOST or *"),
        (["{}/a.zarr", "--cors", "https://elsewhere.example/path"], "expected https://HOST or *"),
        (["{}/a.zarr", "--public-url", "example.org"], "expected https://HOST/PATH"),
        (["{}/a.zarr", "--port", "70000"], "65535"),
        (["{}/a.zarr", "--host", "192.0.2.1", "--port", "0"], "cannot listen at 192.0.2.1"),
        (["n={}/a.zarr", "n={}/a.zarr"], "found 'n' twice"),
    ],
)
def test_what_cannot_be_served_is_told_in_a_line(folder: Path, arguments: list[str], said: str) -> None:
    result = CliRunner().invoke(cli, ["serve", *(argument.format(folder) for argument in arguments)])
    assert result.exit_code == 2
    assert said in result.stderr
    assert "short" not in result.stderr.replace("at least", "")


def test_without_the_extra_it_says_what_to_install(folder: Path) -> None:
    program = (
        "import sys\n"
        "sys.modules['starlette'] = sys.modules['uvicorn'] = None\n"
        "from omnizarr.cli.main import cli\n"
        f"cli.main(['serve', {str(folder / 'a.zarr')!r}])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (2, f"omnizarr: {_EXTRA}\n")


def test_help_does_not_need_the_extra() -> None:
    result = CliRunner().invoke(cli, ["serve", "--help"])
    assert result.exit_code == 0
    assert "OMNIZARR_SERVE_TOKEN" in result.output
