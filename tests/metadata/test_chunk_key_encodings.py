"""Chunk key encodings: keys, and coordinates from keys."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omnizarr.errors import MetadataError, UnsupportedError
from omnizarr.jsontypes import Problems
from omnizarr.metadata.chunk_keys import (
    CHUNK_KEY_ENCODINGS,
    V2,
    ChunkKeyEncoding,
    ChunkKeys,
    read_chunk_keys,
    register_chunk_key_encoding,
)


def keys_of(name: str, ndim: int | None = None, **configuration: Any) -> ChunkKeyEncoding:
    problems = Problems()
    found = read_chunk_keys({"name": name, "configuration": configuration}, "keys", problems, ndim)
    problems.check()
    return found


def template(text: str, separator: str | None = None, ndim: int | None = None) -> ChunkKeyEncoding:
    return keys_of("template", ndim, format=text, **({} if separator is None else {"separator": separator}))


KEYS = [
    (keys_of("suffix", suffix=".tiff", base_encoding={"name": "default"}), (1, 2), "c/1/2.tiff"),
    (keys_of("suffix", suffix=".shard.zip", base_encoding={"name": "v2"}), (1, 2), "1.2.shard.zip"),
    (keys_of("suffix", suffix=".x"), (), "c.x"),
    (keys_of("zarrs.default_suffix", suffix=".x"), (1,), "c/1.x"),
    (keys_of("prefix", prefix="x/", base_encoding="v2"), (0, 0, 0), "x/0.0.0"),
    (keys_of("prefix", prefix="x", base_encoding="fanout"), (1,), "xd0/1/c"),
    (keys_of("fanout", max_children=101), (), "c"),
    (keys_of("fanout", max_children=101), (123,), "d0/1/23/c"),
    (keys_of("fanout", max_children=101), (1234, 5, 67890), "d0/12/34/d1/5/d2/6/78/90/c"),
    (keys_of("fanout"), (1000, 999), "d0/1/0/d1/999/c"),
    (keys_of("fanout", max_children=3), (5,), "d0/1/0/1/c"),
    (template("c/{*}", "/"), (11, 22, 33), "c/11/22/33"),
    (template("{*}", "."), (11, 22, 33), "11.22.33"),
    (template("{*}.suffix", "_"), (11, 22, 33), "11_22_33.suffix"),
    (template("{2}/{0}/{1}", "."), (11, 22, 33), "33/11/22"),
    (template("{-1}/{*}", "/"), (11, 22, 33), "33/11/22"),
    (template("{*:04}", "/"), (11, 22, 33), "0011/0022/0033"),
    (template("{*:02}", "/"), (111, 2, 33), "111/02/33"),
    (template("a1{{{0}}}1/{-1:03}é"), (7, 1234), "a1{7}1/1234é"),
    (template("{0}1_1{1}"), (11, 1), "111_11"),
    (keys_of("generic", format="{0}-{1}"), (1, 2), "1-2"),
    (keys_of("template", template="{0}"), (1,), "1"),
]


@pytest.mark.parametrize(("keys", "coords", "key"), KEYS, ids=[key for _, _, key in KEYS])
def test_keys(keys: ChunkKeyEncoding, coords: tuple[int, ...], key: str) -> None:
    assert keys.key(coords) == key
    assert keys.coords(key, len(coords)) == coords
    assert keys.coords(key, len(coords) + 1) is None
    for other in (f"{key}x", f"x{key}", key[:-1], "", "/", "c", key.replace("1", "01", 1), "9" * 5000):
        if other != key:
            assert (
                keys.coords(other, len(coords)) is None or keys.key(keys.coords(other, len(coords))) == other
            )  # type: ignore
    assert read_chunk_keys(keys.to_json(), "", Problems(), len(coords)) == keys
    assert hash(keys) == hash(read_chunk_keys(keys.to_json(), "", Problems(), len(coords)))


ANY = st.one_of(
    st.sampled_from([ChunkKeys(), V2, ChunkKeys("default", "."), ChunkKeys("v2", "/")]),
    st.builds(lambda n: keys_of("fanout", max_children=n), st.integers(3, 2000)),
    st.sampled_from(
        [
            template("{*}", "_"),
            template("{0:03}/{*:02}x", "/"),
            template("{-1}.{*}", "-"),
            keys_of(
                "prefix", prefix="p/", base_encoding={"name": "suffix", "configuration": {"suffix": ".x"}}
            ),
        ]
    ),
)


@given(ANY, st.lists(st.integers(0, 2**62), min_size=2, max_size=5).map(tuple), st.data())
def test_coordinates_come_back_and_no_two_chunks_share_a_key(keys: Any, coords: Any, data: Any) -> None:
    key = keys.key(coords)
    assert keys.coords(key, len(coords)) == coords
    other = data.draw(st.tuples(*[st.integers(0, 2000)] * len(coords)))
    assert (keys.key(other) == key) == (other == coords)


@given(ANY, st.text("0123456789cd/._x-p", max_size=12), st.integers(0, 4))
def test_no_other_key_is_taken_for_a_chunk(keys: Any, key: str, ndim: int) -> None:
    found = keys.coords(key, ndim)
    assert found is None or keys.key(found) == key


REFUSED = [
    ("prefix", {"prefix": "", "base_encoding": "v2"}, "prefix: expected text that is not empty"),
    ("prefix", {"prefix": "/x", "base_encoding": "v2"}, "without empty parts"),
    ("prefix", {"prefix": "a//", "base_encoding": "v2"}, 'without "//"'),
    ("prefix", {"prefix": "a/../", "base_encoding": "v2"}, r'without "\.\."'),
    ("prefix", {"prefix": "./", "base_encoding": "v2"}, "parts of dots"),
    ("prefix", {"prefix": "a\\", "base_encoding": "v2"}, "without"),
    ("prefix", {"prefix": "a\0", "base_encoding": "v2"}, "without"),
    ("prefix", {"prefix": "zarr.json/", "base_encoding": "v2"}, "without"),
    ("prefix", {"prefix": "a"}, "base_encoding: required"),
    ("prefix", {"prefix": "a", "base_encoding": "spiral"}, "base_encoding: the chunk key encoding .spiral."),
    ("suffix", {}, "suffix: required"),
    ("suffix", {"suffix": "/"}, "without empty parts"),
    ("suffix", {"suffix": "x", "base_encoding": "v2", "base-encoding": "v2"}, "said already"),
    ("fanout", {"max_children": 2}, "max_children: expected 3 to"),
    ("fanout", {"max_children": 4.5}, "max_children: expected 3 to"),
    ("template", {}, "format: required"),
    ("template", {"format": "x", "template": "y"}, "format: said twice"),
    ("template", {"format": "abc"}, "one term at least"),
    ("template", {"format": "{*}"}, "separator: required"),
    ("template", {"format": "{*}/{*}", "separator": "/"}, "once only"),
    ("template", {"format": "{0}/{0}"}, "two terms are of the same"),
    ("template", {"format": "{0}/{-2}"}, "two terms are of the same"),
    ("template", {"format": "{0}/{2}"}, "none of the 2 dimensions"),
    ("template", {"format": "{0}"}, "1 of 2 dimensions have a term"),
    ("template", {"format": "{0}/{1}/{*}", "separator": "/"}, "none of 2 dimensions left"),
    ("template", {"format": "{0}{1}"}, "two chunks may have one key"),
    ("template", {"format": "{0}12{1}"}, "two chunks may have one key"),
    ("template", {"format": "{*}", "separator": ""}, "two chunks may have one key"),
    ("template", {"format": "{0}/{1"}, "neither doubled"),
    ("template", {"format": "{0}/{1:5}"}, "neither doubled"),
    ("template", {"format": "{0}/{1:0100}"}, "64 at most"),
    ("template", {"format": "/{0}/{1}"}, "without empty parts"),
    ("template", {"format": "{0}/../{1}"}, "without"),
    ("template", {"format": "{0}/{1}/"}, "without empty parts"),
]


@pytest.mark.parametrize(("name", "configuration", "message"), REFUSED)
def test_faults(name: str, configuration: dict[str, Any], message: str) -> None:
    with pytest.raises(MetadataError, match=message):
        keys_of(name, 2, **configuration)


def test_a_template_without_coordinates() -> None:
    for text in ("{0}", "{*}"):
        with pytest.raises(MetadataError, match="0 dimensions"):
            template(text, "/", ndim=0)
    with pytest.raises(MetadataError, match="1 of 2 dimensions"):
        template("{0}").key((1, 2))
    assert template("{0}").coords("1", 2) is None


def test_encodings_within_one_another_are_bounded() -> None:
    nested: Any = "v2"
    for _ in range(500):
        nested = {"name": "suffix", "configuration": {"suffix": "x", "base_encoding": nested}}
    problems = Problems()
    read_chunk_keys(nested, "keys", problems)
    assert "more than 8 encodings within one another" in problems.found[0].message


def test_encodings_can_be_registered() -> None:
    def reader(
        name: str, configuration: Any, at: str, problems: Problems, ndim: int | None
    ) -> ChunkKeyEncoding:
        return V2

    register_chunk_key_encoding("test.other", reader)
    try:
        assert keys_of("test.other") is V2
    finally:
        del CHUNK_KEY_ENCODINGS.known["test.other"]
    with pytest.raises(UnsupportedError, match=r"test\.other"):
        keys_of("test.other")
