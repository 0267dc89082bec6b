"""Names, aliases and what users may give as a codec."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import EntryPoint, EntryPoints
from typing import Any

import numcodecs
import pytest
import zarr.codecs

from omnizarr import plugins
from omnizarr.codecs.crc32c import Crc32c
from omnizarr.codecs.gzip import Gzip, Zlib
from omnizarr.codecs.registry import CODECS, REGISTRY, codec_class, parse_codec, register
from omnizarr.metadata.extension import Extension


@pytest.fixture
def restored() -> Iterator[None]:
    """Put the registry back as it was."""
    before = dict(CODECS)
    REGISTRY._entries, REGISTRY._plugins = None, {}
    yield
    CODECS.clear()
    CODECS.update(before)
    REGISTRY._entries, REGISTRY._plugins = None, {}


def test_every_name_has_its_class() -> None:
    for name in CODECS:
        found = codec_class(name)
        assert found is not None
        assert found.name == name


def test_every_codec_of_numcodecs_is_known() -> None:
    names = set(numcodecs.registry.codec_registry) - {"msgpack2"}
    assert {name for name in names if codec_class(f"numcodecs.{name}") is None} == set()


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("endian", "bytes"),
        ("numcodecs.vlen-utf8", "vlen-utf8"),
        ("numcodecs.json2", "json2"),
        ("http://purl.org/zarr/spec/codec/gzip", "gzip"),
        ("https://purl.org/zarr/spec/codec/gzip/1.0", "gzip"),
        ("https://purl.org/zarr/spec/codecs/blosc/1.0", "blosc"),
    ],
)
def test_aliases(name: str, meant: str) -> None:
    assert codec_class(name) is codec_class(meant) is not None


def test_unknown_names() -> None:
    for name in ("", "nope", "numcodecs.nope", "numcodecs.", "https://purl.org/zarr/spec/codec"):
        assert codec_class(name) is None


def test_register(restored: None) -> None:
    class Mine(Crc32c):
        name = "mine"

    register("mine", Mine)
    assert codec_class("mine") is Mine


def test_entry_points(restored: None, monkeypatch: pytest.MonkeyPatch) -> None:
    group = "omnizarr.codecs"
    found = EntryPoints(
        [
            EntryPoint("theirs", "omnizarr.codecs.crc32c:Crc32c", group),
            EntryPoint("broken", "omnizarr.no_such_module:Codec", group),
        ]
    )
    nothing = EntryPoints([])
    monkeypatch.setattr(plugins, "entry_points", lambda group: found if group == REGISTRY.group else nothing)
    assert codec_class("theirs") is Crc32c
    with pytest.warns(UserWarning, match="broken, which is omnizarr.no_such_module:Codec, failed to load"):
        assert codec_class("broken") is None
    assert codec_class("broken") is None


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("crc32c", Extension("crc32c")),
        (Extension("crc32c"), Extension("crc32c")),
        ({"name": "zstd", "configuration": {"level": 1}}, Extension("zstd", {"level": 1})),
        ({"name": "hint", "must_understand": False}, Extension("hint", {}, False)),
        (
            {"name": "transpose", "configuration": {"order": (1, 0)}},
            Extension("transpose", {"order": [1, 0]}),
        ),
        ({"id": "zlib", "level": 3}, Extension("numcodecs.zlib", {"level": 3})),
        (numcodecs.GZip(3), Extension("gzip", {"level": 3})),
        (numcodecs.Zstd(3), Extension("zstd", {"level": 3, "checksum": False})),
        (numcodecs.Zlib(3), Extension("numcodecs.zlib", {"level": 3})),
        (numcodecs.Delta("<i4"), Extension("numcodecs.delta", {"dtype": "<i4", "astype": "<i4"})),
        (numcodecs.VLenUTF8(), Extension("vlen-utf8")),
        (Gzip(2), Extension("gzip", {"level": 2})),
        (Zlib(2), Extension("numcodecs.zlib", {"level": 2})),
        (zarr.codecs.GzipCodec(level=2), Extension("gzip", {"level": 2})),
        (zarr.codecs.BytesCodec(endian="big"), Extension("bytes", {"endian": "big"})),
    ],
    ids=repr,
)
def test_parse_codec(given: Any, meant: Extension) -> None:
    assert parse_codec(given) == meant


@pytest.mark.parametrize(("number", "name"), [(0, "noshuffle"), (1, "shuffle"), (2, "bitshuffle")])
def test_parse_blosc(number: int, name: str) -> None:
    found = parse_codec(numcodecs.Blosc("lz4", 4, number, 64))
    assert found.name == "blosc"
    assert found.configuration["shuffle"] == name
    assert found.configuration["cname"] == "lz4"


@pytest.mark.parametrize("given", [None, 3, {}, {"name": 3}, {"name": "a", "config": {}}, object()])
def test_no_codecs(given: Any) -> None:
    with pytest.raises(TypeError, match="expected a codec"):
        parse_codec(given)
