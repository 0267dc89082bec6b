"""Key rules."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omnizarr.errors import KeyNameError
from omnizarr.store.directories.draft import draft_name, is_draft
from omnizarr.store.keys import MAX_KEY_LENGTH, check_key, check_prefix, is_legal, legal_pattern


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("", "it is empty"),
        ("/a", "starts or ends with '/'"),
        ("a/", "starts or ends with '/'"),
        ("a//b", "is empty"),
        ("a/../b", r"'\.\.' may not be a name"),
        (".", r"'\.' may not be a name"),
        ("a/b\0c", "control character"),
        ("a\ud800", "lone surrogate"),
        ("a/.b.partial", "being written"),
        ("a/.b.PARTIAL", "being written"),
        ("x" * (MAX_KEY_LENGTH + 1), "at most 16383 characters, found 16384"),
        (b"a", "expected a str, found bytes"),
        (None, "expected a str, found NoneType"),
    ],
)
def test_the_error_says_what_is_wrong(key: str, message: str) -> None:
    with pytest.raises(KeyNameError, match=message) as caught:
        check_key(key)
    assert caught.value.key == (key if isinstance(key, str) else repr(key))


def test_prefixes() -> None:
    check_prefix("")
    check_prefix("a/")
    check_prefix("a/b/")
    with pytest.raises(KeyNameError, match="ends in '/'"):
        check_prefix("a")
    with pytest.raises(KeyNameError, match="may not be a name"):
        check_prefix("../")


@settings(max_examples=50, deadline=None)
@given(st.text(alphabet="a./é\0\n\\😀 ", max_size=8))
def test_the_pattern_says_what_the_rules_say(key: str) -> None:
    names = key.split("/")
    legal = all(name not in ("", ".", "..") and not set(name) & {"\0", "\n"} for name in names)
    assert is_legal(key) == legal


@pytest.mark.parametrize(
    "key", ["a\\b", "c:", "C:/x", "a/con", "NUL.txt", "a.", "a /b", "x?", "a/lpt1", "..\\x"]
)
def test_windows_keeps_fewer_names(key: str) -> None:
    assert legal_pattern(windows=False).fullmatch(key)
    assert not legal_pattern(windows=True).fullmatch(key)


@pytest.mark.parametrize("key", ["c/0/0", ".zarray", "a b/x.y", "console", "com10", "é/温度"])
def test_windows_keeps_ordinary_names(key: str) -> None:
    assert legal_pattern(windows=True).fullmatch(key)


@settings(max_examples=50, deadline=None)
@given(st.text(alphabet="ab.é温", min_size=1, max_size=255))
def test_no_key_is_the_draft_of_another(name: str) -> None:
    draft = draft_name(name)
    assert is_draft(draft)
    assert not is_legal(draft)
    assert len(draft.encode()) <= 255 or len(name.encode()) > 255
