"""What every store must do with values, parts of values and keys."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from omnizarr.errors import KeyNameError
from omnizarr.store.base import ByteRange, From, Last, Span, Store
from omnizarr.store.readers import facts_of

BAD_KEYS = (
    "",
    "/",
    "/a",
    "a/",
    "a//b",
    ".",
    "..",
    "../a",
    "a/../b",
    "a/./b",
    "a/..",
    "a\0b",
    "a\nb",
    "a\x7f",
    "a\n",
    "\ud800",
    ".a.partial",
    "a/.b.partial",
    ".a.partial/b",
    "x" * 16384,
    None,
    5,
    b"a",
)
BAD_PREFIXES = ("a", "/", "a//", "../", "./", "a/b", "\0/", None)
UNICODE_KEYS = ("é", "温度/c/0", "a b/ü", "😀/zarr.json", "-_~!$&'()+,;=@[]{}^`%20#", "..a", "...", "a.")
VALUE = bytes(range(100))
RANGES: tuple[tuple[ByteRange, bytes], ...] = (
    (Span(0, 100), VALUE),
    (Span(10, 5), VALUE[10:15]),
    (Span(10, 0), b""),
    (Span(95, 50), VALUE[95:]),
    (Span(100, 5), b""),
    (Span(1000, 5), b""),
    (Span(2**63, 2**63), b""),
    (Span(3, 2**62), VALUE[3:]),
    (From(0), VALUE),
    (From(97), VALUE[97:]),
    (From(100), b""),
    (From(2**64), b""),
    (Last(0), b""),
    (Last(7), VALUE[-7:]),
    (Last(100), VALUE),
    (Last(2**64), VALUE),
)
NEGATIVE_RANGES = (Span(-1, 5), Span(5, -1), From(-1), Last(-1))


class ValueContract:
    """The part of `StoreContract` about values, parts of values and keys."""

    def test_a_value_comes_back(self, store: Store) -> None:
        store.set("a/b", VALUE)
        assert store.get("a/b") == VALUE
        assert type(store.get("a/b")) is bytes
        assert store.size("a/b") == 100
        assert store.exists("a/b")

    def test_a_missing_key_is_none(self, store: Store) -> None:
        store.set("a/b", VALUE)
        out = memoryview(bytearray(4))
        for key in ("a", "b", "a/c", "a/b/c", "ab"):
            assert store.get(key) is None
            assert store.get(key, Last(3)) is None
            assert store.get_into(key, out) is None
            assert store.get_ranges(key, [(0, 1)]) is None
            assert store.size(key) is None
            assert not store.exists(key)

    def test_a_value_is_replaced(self, store: Store) -> None:
        for value in (VALUE, b"short", b"", VALUE * 2):
            store.set("k", value)
            assert store.get("k") == value

    def test_facts_tell_a_value_from_the_next(self, store: Store) -> None:
        assert store.facts("a/k") is None
        store.set("a/k", b"first")
        first = store.facts("a/k")
        assert first is not None
        assert first.size == 5
        assert store.facts("a/k") == first
        with store.reading("a/k") as reader:
            assert reader is not None
            held = facts_of(reader)
            assert held is None or (held.size, held.state) == (first.size, first.state)
        store.set("a/k", b"other")
        assert store.facts("a/k") != first
        store.delete("a/k")
        assert store.facts("a/k") is None

    def test_an_empty_value_is_a_value(self, store: Store) -> None:
        store.set("empty", b"")
        assert store.get("empty") == b""
        assert store.size("empty") == 0
        assert store.exists("empty")
        assert store.get("empty", Last(3)) == b""
        assert store.get_into("empty", memoryview(bytearray(3))) == 0
        assert list(store.list_prefix()) == ["empty"]

    def test_what_was_set_is_a_copy(self, store: Store) -> None:
        value = bytearray(VALUE)
        store.set("k", value)
        value[:] = bytes(100)
        assert store.get("k") == VALUE

    def test_buffers_of_other_items_are_bytes(self, store: Store) -> None:
        rows = memoryview(VALUE).cast("i", (5, 5))
        for buffer in (memoryview(VALUE).cast("i"), rows, memoryview(VALUE)[::3], rows[:0]):
            expected = buffer.tobytes()
            store.set("k", buffer)
            assert store.get("k") == expected
            store.update("k", partial(_replaced, buffer))
            assert store.get("k") == expected
            store.delete("k")
            assert store.set_if_absent("k", buffer)
            assert store.get("k") == expected

    def test_a_large_value(self, store: Store) -> None:
        size = 100 * 2**20
        value = VALUE * (size // len(VALUE)) + b"end"
        store.set("large", value)
        assert store.size("large") == len(value)
        assert store.get("large") == value
        assert store.get("large", Last(3)) == b"end"
        assert store.get("large", Span(len(VALUE) * 10**6 + 5, 3)) == VALUE[5:8]

    @pytest.mark.parametrize("size", [2**16 - 1, 2**16, 2**16 + 1, 2**16 + 2, 2**20, 2**20 + 1])
    def test_values_about_the_sizes_of_buffers(self, store: Store, size: int) -> None:
        value = bytes(size - 1) + b"!"
        store.set("k", value)
        assert store.get("k") == value
        assert store.get("k", Span(0, size)) == value
        assert store.get("k", From(1)) == value[1:]

    def test_unicode_keys(self, store: Store) -> None:
        for key in UNICODE_KEYS:
            store.set(key, key.encode())
        assert sorted(store.list_prefix()) == sorted(UNICODE_KEYS)
        assert [store.get(key) for key in UNICODE_KEYS] == [key.encode() for key in UNICODE_KEYS]

    def test_names_of_255_bytes(self, store: Store) -> None:
        keys = ["x" * 255, "é" * 127, "d" * 255 + "/" + "y" * 255]
        for key in keys:
            store.set(key, b"1")
            store.update(key, lambda old: (old or b"") + b"2")
        assert sorted(store.list_prefix()) == sorted(keys)
        assert {store.get(key) for key in keys} == {b"12"}

    # Parts of values

    @pytest.mark.parametrize(("part", "expected"), RANGES)
    def test_ranges(self, store: Store, part: ByteRange, expected: bytes) -> None:
        store.set("k", VALUE)
        assert store.get("k", part) == expected

    @pytest.mark.parametrize("part", NEGATIVE_RANGES)
    def test_negative_ranges_are_refused(self, store: Store, part: ByteRange) -> None:
        store.set("k", VALUE)
        for key in ("k", "missing"):
            with pytest.raises(ValueError, match="-1"):
                store.get(key, part)

    @pytest.mark.parametrize("start", [0, 40, 99, 100, 1000, 2**64])
    @pytest.mark.parametrize("length", [0, 1, 59, 60, 61, 99, 100, 101, 300])
    def test_get_into(self, store: Store, start: int, length: int) -> None:
        store.set("k", VALUE)
        held = bytearray(b"\xff" * (length + 2))
        found = store.get_into("k", memoryview(held)[1:-1], start)
        there = VALUE[start : start + length]
        assert found is not None
        if len(VALUE) - start > length:
            assert found > length
        else:
            assert found == max(len(VALUE) - start, 0)
        assert bytes(held) == b"\xff" + there + b"\xff" * (length - len(there) + 1)

    def test_get_into_refuses_a_negative_start(self, store: Store) -> None:
        store.set("k", VALUE)
        with pytest.raises(ValueError, match="-1"):
            store.get_into("k", memoryview(bytearray(3)), -1)

    def test_get_ranges(self, store: Store) -> None:
        store.set("k", VALUE)
        spans = [(5, 3), (0, 100), (98, 10), (200, 1), (7, 0), (5, 3), (3, 2**62), (2**64, 9)]
        parts = [VALUE[start : start + length] for start, length in spans]
        assert store.get_ranges("k", spans) == parts
        assert store.get_ranges("k", []) == []

    @pytest.mark.parametrize("span", [(-1, 3), (3, -1)])
    def test_get_ranges_refuses_negative_numbers(self, store: Store, span: tuple[int, int]) -> None:
        store.set("k", VALUE)
        with pytest.raises(ValueError, match="-1"):
            store.get_ranges("k", [(0, 1), span])

    # Readers

    def test_a_reader_reads_as_the_store_does(self, store: Store) -> None:
        store.set("k", VALUE)
        with store.reading("k") as reader:
            assert reader is not None
            assert reader.get() == VALUE
            for part in (Span(3, 4), From(90), Last(5), Span(99, 5), Span(200, 1), Last(1000)):
                assert reader.get(part) == store.get("k", part)
            assert reader.get_ranges([(5, 3), (98, 10)]) == [VALUE[5:8], VALUE[98:]]
            held = bytearray(4)
            assert reader.get_into(memoryview(held), 2) > 4
            assert held == VALUE[2:6]
            with pytest.raises(ValueError, match="-1"):
                reader.get_into(memoryview(held), -1)
            with pytest.raises(ValueError, match="-1"):
                reader.get_ranges([(-1, 2)])
            with pytest.raises(ValueError, match="-1"):
                reader.get(Span(0, -1))

    def test_a_reader_holds_on_to_its_value(self, store: Store) -> None:
        store.set("k", b"before")
        with store.reading("k") as reader:
            assert reader is not None
            assert reader.get(Span(0, 3)) == b"bef"
            store.set("k", b"later and longer")
            assert reader.get(Span(3, 3)) == b"ore"
            store.delete("k")
            assert reader.get_ranges([(0, 2), (4, 9)]) == [b"be", b"re"]
            assert reader.get() == b"before"

    def test_there_is_no_reader_of_nothing(self, store: Store) -> None:
        with store.reading("missing") as reader:
            assert reader is None
        store.set("a/b", b"1")
        with store.reading("a") as reader:
            assert reader is None

    def test_what_goes_wrong_elsewhere_while_reading_is_not_the_stores(self, store: Store) -> None:
        store.set("k", VALUE)
        with pytest.raises(TimeoutError, match="elsewhere"), store.reading("k"):
            raise TimeoutError("elsewhere")

    # Keys

    @pytest.mark.parametrize("key", BAD_KEYS, ids=lambda key: repr(key)[:20])
    def test_bad_keys_are_refused(self, store: Store, key: str) -> None:
        operations: tuple[Callable[[], object], ...] = (
            lambda: store.get(key),
            lambda: store.get_into(key, memoryview(bytearray(1))),
            lambda: store.get_ranges(key, [(0, 1)]),
            lambda: store.size(key),
            lambda: store.exists(key),
            lambda: store.set(key, b""),
            lambda: store.set_if_absent(key, b""),
            lambda: store.update(key, lambda old: b""),
            lambda: store.delete(key),
        )
        for operation in operations:
            with pytest.raises(KeyNameError):
                operation()
        assert list(store.list_prefix()) == []

    @pytest.mark.parametrize("prefix", BAD_PREFIXES)
    def test_bad_prefixes_are_refused(self, store: Store, prefix: str) -> None:
        for operation in (store.list_prefix, store.list_dir, store.delete_prefix):
            with pytest.raises(KeyNameError):
                operation(prefix)


def _replaced(new: memoryview, old: bytes | None) -> memoryview:
    return new
