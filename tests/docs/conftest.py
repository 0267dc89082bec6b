"""Where the code of pages runs: a folder of its own, and with S3 a server that answers so."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from guide_pages import own_registrations, text_of


@pytest.fixture(autouse=True)
def registries() -> Iterator[None]:
    """Have what a page registers be known on that page alone."""
    with own_registrations():
        yield


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("COLUMNS", "110")
    return tmp_path


@pytest.fixture
def s3(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a page says `s3://bucket`, have that be a real S3 server on this machine, by the environment."""
    if "s3://bucket" in text_of(request.getfixturevalue("page")):
        address, key, secret = request.getfixturevalue("s3_server")
        monkeypatch.setenv("AWS_ENDPOINT_URL", address)
        monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", key)
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", secret)


@pytest.fixture
def s3_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str, str]]:
    servers = pytest.importorskip("object_servers")
    pytest.importorskip("obstore")
    with servers.s3_front(tmp_path_factory.mktemp("s3")) as front:
        yield f"http://127.0.0.1:{front.port}", servers.KEY, servers.SECRET
