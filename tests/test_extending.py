"""Plug-ins: the examples of the guide as a distribution, and codecs that others have for zarr-python."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

GUIDE = (Path(__file__).parent.parent / "docs" / "extending.md").read_text()

SCRIPT = """
import json, sys
import numpy as np
import omnizarr
from omnizarr.store import DirectoryStore
document = {
    "zarr_format": 3, "node_type": "array", "shape": [5, 4], "data_type": "example.percent", "fill_value": 7,
    "chunk_grid": {"name": "example.parts", "configuration": {"parts": 2}},
    "chunk_key_encoding": "example.flat",
    "codecs": ["bytes", {"name": "example.xor", "configuration": {"key": 255}}],
}
assert not any(name.startswith("example_") for name in sys.modules)
folder = sys.argv[1]
DirectoryStore(folder).set("zarr.json", json.dumps(document).encode())
array = omnizarr.open_array(f"scratch://{sys.argv[2]}", mode="r+")
array[3:, 2:] = 9
keys = sorted(DirectoryStore(folder).list_prefix(""))
stored = bytes(DirectoryStore(folder).get("1.1")).hex()
read = omnizarr.open_array(f"scratch://{sys.argv[2]}", mode="r")
try:
    read[0, 0] = 1
    refused = False
except Exception:
    refused = True
print(json.dumps({
    "keys": keys, "stored": stored, "values": read[:].tolist(), "chunks": read.chunks, "refused": refused,
    "data_type": read.metadata.data_type.name, "dtype": str(read.dtype),
}))
"""

FOREIGN = """
from dataclasses import dataclass
import numpy as np
from zarr.abc.codec import ArrayArrayCodec, ArrayBytesCodec, BytesBytesCodec
from zarr.core.common import parse_named_configuration


class Named:
    @classmethod
    def from_dict(cls, data):
        _, configuration = parse_named_configuration(data, require_configuration=False)
        return cls(**(configuration or {}))

    def to_dict(self):
        return {"name": self.codec_name, "configuration": dict(self.__dict__)}

    def compute_encoded_size(self, size, spec):
        return size


@dataclass(frozen=True)
class Add(Named, ArrayArrayCodec):
    codec_name = "theirs.add"
    number: int
    is_fixed_size = True

    def resolve_metadata(self, spec):
        from dataclasses import replace
        return replace(spec, fill_value=spec.fill_value + spec.dtype.to_native_dtype().type(self.number))

    async def _encode_single(self, chunk, spec):
        return type(chunk).from_numpy_array(chunk.as_numpy_array() + np.int32(self.number))

    async def _decode_single(self, chunk, spec):
        import asyncio
        await asyncio.sleep(0)
        return type(chunk).from_numpy_array(chunk.as_numpy_array() - np.int32(self.number))


@dataclass(frozen=True)
class Text(Named, ArrayBytesCodec):
    codec_name = "theirs.text"
    is_fixed_size = False

    async def _encode_single(self, chunk, spec):
        text = ",".join(str(n) for n in chunk.as_numpy_array().reshape(-1).tolist())
        return spec.prototype.buffer.from_bytes(text.encode())

    async def _decode_single(self, chunk, spec):
        numbers = [int(n) for n in chunk.to_bytes().decode().split(",")]
        return spec.prototype.nd_buffer.from_numpy_array(
            np.array(numbers, spec.dtype.to_native_dtype()).reshape(spec.shape))


@dataclass(frozen=True)
class Backwards(Named, BytesBytesCodec):
    codec_name = "theirs.backwards"
    is_fixed_size = True

    def _encode_sync(self, chunk, spec):
        return spec.prototype.buffer.from_bytes(chunk.to_bytes()[::-1])

    _decode_sync = _encode_sync

    async def _encode_single(self, chunk, spec):
        return self._encode_sync(chunk, spec)

    _decode_single = _encode_single
"""

FOREIGN_SCRIPT = """
import asyncio, json, sys, warnings
import omnizarr
assert "zarr" not in sys.modules
folder = sys.argv[1]
def make(serializer, name, compressors):
    return omnizarr.create_array(
        f"{folder}/{name}", shape=(3, 4), chunks=(3, 2), dtype="i4", fill_value=2, serializer=serializer,
        filters=[{"name": "theirs.add", "configuration": {"number": 5}}], compressors=compressors)
text = make({"name": "theirs.text"}, "text", [{"name": "theirs.backwards"}])
text[:, :2] = [[1, 2], [3, 4], [5, 6]]
async def inside():
    return omnizarr.open_array(f"{folder}/text")[:].tolist()
import zarr
from omnizarr.codecs.registry import codec_class
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    broken = [codec_class(name) for name in ("theirs.broken", "theirs.number", "theirs.broken")]
try:
    make({"name": "theirs.text", "configuration": {"wrong": 1}}, "wrong", None)
    problem = ""
except omnizarr.errors.MetadataError as error:
    problem = str(error)
print(json.dumps({
    "stored": open(f"{folder}/text/c/0/0").read(),
    "ours": omnizarr.open_array(f"{folder}/text")[:].tolist(), "inside": asyncio.run(inside()),
    "theirs": zarr.open_array(f"{folder}/text", mode="r")[:].tolist(), "broken": broken,
    "told": [str(warning.message) for warning in told], "problem": problem,
}))
"""


def distribution(folder: Path, name: str, modules: dict[str, str], groups: dict[str, dict[str, str]]) -> None:
    """Write what installing a package leaves in a folder of sys.path."""
    for module, text in modules.items():
        (folder / module).write_text(text)
    info = folder / f"{name.replace('-', '_')}-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n")
    lines = [
        f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in names.items()) for group, names in groups.items()
    ]
    (info / "entry_points.txt").write_text("\n".join(lines))


def run(script: str, path: Path, *arguments: Any) -> Any:
    environment = {**os.environ, "PYTHONPATH": str(path)}
    command = [sys.executable, "-W", "error", "-c", script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every kind of plug-in at once, each as the guide has it."""
    blocks = re.findall(r"```(\w+)\n(.*?)```", GUIDE, re.S)
    modules = {text.split("\n")[0].removeprefix("# "): text for kind, text in blocks if kind == "python"}
    groups = tomllib.loads(next(text for kind, text in blocks if kind == "toml"))["project"]["entry-points"]
    assert len(modules) == len(groups) == 5
    plugins = tmp_path / "plugins"
    plugins.mkdir()
    distribution(plugins, "example-plugins", modules, groups)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    found = run(SCRIPT, plugins, tmp_path / "array", "array")
    assert found["keys"] == ["1.1", "zarr.json"]
    assert bytes.fromhex(found["stored"]) == bytes([9 ^ 255] * 4 + [7 ^ 255] * 2)
    assert found["values"] == [[7] * 4] * 3 + [[7, 7, 9, 9]] * 2
    assert found["chunks"] == [3, 2]
    assert found["refused"]
    assert (found["data_type"], found["dtype"]) == ("example.percent", "uint8")


def test_codecs_for_zarr_python(tmp_path: Path) -> None:
    pytest.importorskip("zarr")
    plugins = tmp_path / "plugins"
    plugins.mkdir()
    names = {
        "theirs.add": "Add",
        "theirs.text": "Text",
        "theirs.backwards": "Backwards",
        "theirs.broken": "No",
    }
    entries = {name: f"their_codecs:{kind}" for name, kind in names.items()}
    groups = {"zarr.codecs": {**entries, "theirs.number": "math:pi"}}
    distribution(plugins, "their-codecs", {"their_codecs.py": FOREIGN}, groups)
    found = run(FOREIGN_SCRIPT, plugins, tmp_path)
    expected = [[1, 2, 2, 2], [3, 4, 2, 2], [5, 6, 2, 2]]
    assert found["stored"] == "6,7,8,9,10,11"[::-1]
    assert found["ours"] == found["inside"] == found["theirs"] == expected
    assert found["broken"] == [None, None, None]
    (told,) = found["told"]
    assert "theirs.broken, which is their_codecs:No, failed to load" in told
    assert "(of their-codecs 1.2)" in told
    assert "codec theirs.text: " in found["problem"]
    assert "wrong" in found["problem"]


def test_codecs_for_numcodecs(tmp_path: Path) -> None:
    module = """
from numcodecs.abc import Codec


class Flip(Codec):
    codec_id = "flip"

    def encode(self, buf):
        return bytes(255 - byte for byte in bytes(buf))

    def decode(self, buf, out=None):
        return self.encode(buf)
"""
    script = """
import json, sys
import omnizarr
array = omnizarr.create_array(
    sys.argv[1], data=__import__("numpy").arange(3, dtype="u1"), compressors=[{"name": "numcodecs.flip"}])
print(json.dumps([open(sys.argv[1] + "/c/0", "rb").read().hex(), array[:].tolist()]))
"""
    plugins = tmp_path / "plugins"
    plugins.mkdir()
    distribution(plugins, "flip", {"flip.py": module}, {"numcodecs.codecs": {"flip": "flip:Flip"}})
    assert run(script, plugins, tmp_path / "array") == ["fffefd", [0, 1, 2]]
