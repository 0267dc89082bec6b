"""Documents and values that ask for much: refused in little time, by what the limits say."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import re
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import omnizarr
from omnizarr.errors import CodecError, MetadataError, StoreError, UnsupportedError, UrlError
from omnizarr.hdmf.pickles import read_pickle
from omnizarr.netcdf import Dataset
from omnizarr.netcdf.cdl.reading.parse import parse_cdl
from omnizarr.store import MemoryStore, SQLiteStore, ZipStore
from omnizarr.store.urls.grammar import parse_url

PAGE = Path(__file__).parent.parent.parent / "docs" / "limits.md"
LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
GROUP = b'{"zarr_format":3,"node_type":"group"}'


def named(name: str, **configuration: Any) -> dict[str, Any]:
    return {"name": name, "configuration": configuration}


def document(**changes: Any) -> dict[str, Any]:
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [4],
        "data_type": "int32",
        "chunk_grid": named("regular", chunk_shape=[2]),
        "chunk_key_encoding": named("default", separator="/"),
        "fill_value": 0,
        "codecs": [LITTLE],
    } | changes


def opened(text: Any, **values: bytes) -> omnizarr.Array:
    data = text if isinstance(text, bytes) else json.dumps(text).encode()
    return omnizarr.open_array(MemoryStore({"zarr.json": data} | values), mode="r")


def opened_v2(dtype: Any) -> omnizarr.Array:
    fields = {"compressor": None, "fill_value": None, "order": "C", "filters": None}
    text = json.dumps({"zarr_format": 2, "shape": [4], "chunks": [2], "dtype": dtype} | fields)
    return omnizarr.open_array(MemoryStore({".zarray": text.encode()}), mode="r")


def within(levels: int, start: str, end: str, core: str) -> bytes:
    """Return a document with its mark, a hole, filled by a text in a text in a text."""
    return (start * levels + core + end * levels).encode()


def array_with(field: str, inner: bytes) -> bytes:
    return json.dumps(document(**{field: "HOLE"})).encode().replace(b'"HOLE"', inner)


SHARD = (
    '{"name":"sharding_indexed","configuration":{"chunk_shape":[1],"index_codecs":["bytes"],"codecs":[',
    "]}}",
    '"bytes"',
)
DEEP: dict[str, Callable[[int], bytes]] = {
    "attributes": lambda n: array_with("attributes", b'{"a":' + within(n, "[", "]", "1") + b"}"),
    "shards": lambda n: array_with("codecs", b"[" + within(n, *SHARD) + b"]"),
    "codecs": lambda n: array_with(
        "codecs",
        b'["bytes",' + within(n, '{"name":"conditional","configuration":{"codecs":[', "]}}", '"gzip"') + b"]",
    ),
    "structures": lambda n: array_with(
        "data_type",
        within(n, '{"name":"struct","configuration":{"fields":[{"name":"a","data_type":', "}]}}", '"int8"'),
    ),
}


@pytest.mark.parametrize("levels", [120, 240, 330, 1000, 10000])
@pytest.mark.parametrize("part", DEEP)
def test_nested_documents(part: str, levels: int) -> None:
    data = DEEP[part](levels * 2 if part == "attributes" else levels)
    with pytest.raises(MetadataError, match="nested too deeply"):
        opened(data)


def test_as_many_levels_as_there_may_be() -> None:
    found = opened(DEEP["attributes"](217)).attrs["a"]
    for _ in range(217):
        [found] = found
    assert found == 1


def test_what_is_too_deep_to_be_read_is_not_written() -> None:
    group = omnizarr.create_group(MemoryStore())
    for levels in (219, 5000):
        value: Any = 1
        for _ in range(levels):
            value = [value]
        with pytest.raises(MetadataError, match="nested too deeply"):
            group.attrs["a"] = value
    assert dict(omnizarr.open_group(group.store).attrs) == {}


@pytest.mark.parametrize(
    ("codec", "empty"),
    [
        ("gzip", gzip.compress(b"")),
        ("numcodecs.bz2", bz2.compress(b"")),
        ("numcodecs.lzma", lzma.compress(b"")),
    ],
    ids=["gzip", "bz2", "lzma"],
)
def test_many_short_streams_in_a_row(codec: str, empty: bytes) -> None:
    """None copies all that come after it: of 20,000 that would be gigabytes."""
    last = {"gzip": gzip, "numcodecs.bz2": bz2, "numcodecs.lzma": lzma}[codec].compress(bytes(range(8)))
    array = opened(document(codecs=[LITTLE, codec]), **{"c/0": empty * 20_000 + last})
    assert array[:2].tobytes() == bytes(range(8))
    with pytest.raises(CodecError):
        opened(document(codecs=[LITTLE, codec]), **{"c/0": empty * 3 + last[:-9]})[...]


def test_brackets_in_texts_are_no_levels() -> None:
    text = "[{" * 500
    assert opened(document(attributes={"a": text})).attrs["a"] == text


def test_a_document_is_no_larger_than_may_be() -> None:
    with (
        omnizarr.config.using(max_document_bytes=100),
        pytest.raises(MetadataError, match="max_document_bytes"),
    ):
        opened(document())


@pytest.mark.parametrize(
    "text",
    [
        b'"\\' * 300_000,
        b'{"a": 1.' + b'"' * 100_000,
        b"9" * 300_000,
        b'{"a": ' + b"9" * 300_000 + b".}",
        b"-" * 300_000,
        b"nan " * 100_000,
    ],
    ids=["quotes", "open texts", "digits", "point", "signs", "words"],
)
def test_damaged_json_is_looked_at_once(text: bytes) -> None:
    """A search that starts again behind each character would take minutes for these."""
    with pytest.raises(MetadataError):
        opened(text)


def test_elements_are_not_larger_than_may_be() -> None:
    longest = named("fixed_length_utf32", length_bytes=2**26)
    fields = [{"name": name, "data_type": longest} for name in "abcdefgh" * 4]
    many = [
        {"name": f"{i}", "data_type": longest} for i in range(32)
    ]  # 2**31 bytes, for numpy fewer than none
    for data_type in (
        "r8000000000",
        named("raw_bytes", length_bytes=2**31 - 1),
        named("struct", fields=many),
    ):
        with pytest.raises(MetadataError, match="67108864"):
            opened(document(data_type=data_type, fill_value=None))
    with pytest.raises(MetadataError, match="taken by another field"):
        opened(document(data_type=named("struct", fields=fields), fill_value=None))
    for dtype in (
        "|S2000000000",
        [["a", "|S9", [2**20, 2**20]]],
        [[f"{i}", "|S67108864"] for i in range(32)],
    ):
        with pytest.raises(UnsupportedError, match="67108864 at most"):
            opened_v2(dtype)


def test_many_fields_take_little_time() -> None:
    assert opened_v2([[f"f{i}", "|i1"] for i in range(5000)]).dtype.itemsize == 5000


def test_runs_of_chunks_are_bounded() -> None:
    for run in ([1, 2**21], [1, 2**62]):
        grid = named("rectilinear", kind="inline", chunk_shapes=[[run]])
        with pytest.raises(MetadataError, match="1048576"):
            opened(document(chunk_grid=grid))


def test_a_grid_of_too_many_axes() -> None:
    grid = named("rectilinear", kind="inline", chunk_shapes=[[4], [4]])
    with pytest.raises(MetadataError, match="chunk_shapes"):
        opened(document(chunk_grid=grid))


def test_shapes_that_nothing_could_hold() -> None:
    grid = named("regular", chunk_shape=[1, 1])
    assert opened(document(shape=[2**62, 2**62], chunk_grid=grid))[2**61, 5] == 0
    with pytest.raises(MetadataError, match="chunk_grid"):
        opened(document(chunk_grid=named("regular", chunk_shape=[2**62])))


def test_shards_have_no_more_inner_chunks_than_may_be() -> None:
    shard = named("sharding_indexed", chunk_shape=[1], codecs=[LITTLE], index_codecs=[LITTLE])
    sharded = document(shape=[2**37], chunk_grid=named("regular", chunk_shape=[2**33]), codecs=[shard])
    with pytest.raises(UnsupportedError, match="max_shard_chunks"):
        opened(sharded)
    with omnizarr.config.using(max_shard_chunks=2**33):
        assert opened(sharded)[0] == 0


def test_what_no_metadata_bound_is_bounded() -> None:
    strings = document(data_type="string", fill_value="", codecs=["vlen-utf8", "gzip"])
    text = "x" * 2**20
    chunk = gzip.compress(struct.pack("<II", 2, len(text)) + text.encode() + struct.pack("<I", 0))
    array = opened(strings, **{"c/0": chunk})
    assert len(array[0]) == 2**20
    with omnizarr.config.using(max_unsized_bytes=2**20), pytest.raises(CodecError, match="at most 1048576"):
        array[0]


def test_archives_inflate_to_no_more_than_may_be(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zarr.json", b" " * 2**22)
    limited = omnizarr.config.using(max_unsized_bytes=2**20)
    refused = pytest.raises(StoreError, match="max_unsized_bytes")
    with ZipStore(path, mode="r") as store, limited, refused:
        store.get("zarr.json")


def directory_of(path: Path, name: bytes, place: int) -> None:
    """Write an archive of one value, whose directory gives it a name and a place."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("zarr.json", GROUP)
    data = path.read_bytes()
    start, end = data.index(b"PK\1\2"), data.index(b"PK\5\6")
    head = bytearray(data[start : start + 46])
    struct.pack_into("<H", head, 28, len(name))
    struct.pack_into("<I", head, 42, place)
    tail = bytearray(data[end:])
    struct.pack_into("<II", tail, 12, len(head) + len(name), start + (7 if place else 0))
    path.write_bytes(data[:start] + bytes(head) + name + bytes(tail))


@pytest.mark.parametrize(
    ("name", "place"), [(b"", 0), (b"zarr.json", 3)], ids=["no name", "before the start"]
)
def test_directories_of_archives_that_lie(name: bytes, place: int, tmp_path: Path) -> None:
    directory_of(tmp_path / "a.zip", name, place)
    with pytest.raises(StoreError, match="entry"):
        ZipStore(tmp_path / "a.zip", mode="r")


def test_groups_far_below() -> None:
    """Of any depth in Zarr; of 128 levels in netCDF."""
    depth = 2000
    paths = ["a/" * i for i in range(depth + 1)]
    store = MemoryStore({f"{path}zarr.json": GROUP for path in paths})
    root = omnizarr.open_group(store, mode="r")
    assert sum(1 for _ in root.members(max_depth=None)) == depth
    assert str(root.tree()).endswith("…")
    with pytest.raises(MetadataError, match="deeper than 128"):
        Dataset(store)


def test_urls() -> None:
    with pytest.raises(UrlError, match="more than 16 archives"):
        parse_url("zip::" * 10_000 + "s3://a")
    for text in ("s3://bucket/\udcff", "/tmp/a|zip:\udcff"):
        with pytest.raises(UrlError, match="expected letters"):
            parse_url(text)


def test_cdl_of_one_problem_too_many() -> None:
    text = "netcdf a {\nvariables:\n" + "".join(f"  nothing v{i} ;\n" for i in range(30))
    with pytest.raises(MetadataError) as caught:
        parse_cdl(text)
    assert len(caught.value.problems) == 20


def test_pickled_text_of_no_letters() -> None:
    data = np.array(["ab"]).dumps(protocol=2)
    assert read_pickle(data).tolist() == ["ab"]
    wrong = data.replace(b"a\x00\x00\x00b", b"a\x00\x00\x7fb")
    assert wrong != data
    with pytest.raises(CodecError, match="no letters"):
        read_pickle(wrong)


def test_half_a_letter_in_an_attribute() -> None:
    text = '{"zarr_format": 3, "node_type": "group", "attributes": {"a": "x\\ud800y"}}'
    with Dataset(MemoryStore({"zarr.json": text.encode()}), "r") as dataset:
        assert str(dataset.getncattr("a")).startswith("x")
        assert 'a = "x\udced\udca0\udc80y"' in (dataset.tocdl() or "")  # its bytes


def test_a_damaged_database_whose_message_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    store = SQLiteStore(path, wal=False)
    store.set("zarr.json", GROUP)
    store.close()
    data = path.read_bytes()
    path.write_bytes(data.replace(b"CREATE TABLE", b"CREATE \xaa\xffLE", 1))
    with pytest.raises(StoreError):
        SQLiteStore(path, read_only=True)


def test_the_page_lists_every_setting() -> None:
    listed = set(re.findall(r"^\| `(max_\w+)` \| ([^|]+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    limits = {name for name in omnizarr.config.settings.__dataclass_fields__ if name.startswith("max_")}
    assert {name for name, _ in listed} == limits
    for name, default in listed:
        base, _, power = default.partition("^")
        assert (
            int(base) ** int(power.split()[0]) == omnizarr.config.settings.__dataclass_fields__[name].default
        )
