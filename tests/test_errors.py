"""The error tree, and what errors say."""

from __future__ import annotations

import inspect
import pickle
import re

import pytest

from omnizarr import errors
from omnizarr.errors import (
    ChecksumError,
    CodecError,
    MetadataError,
    NodeNotFoundError,
    OmniZarrError,
    Problem,
    StoreError,
    UnsupportedError,
)

CLASSES = {
    name: kind
    for name, kind in vars(errors).items()
    if inspect.isclass(kind) and issubclass(kind, OmniZarrError) and kind.__module__ == errors.__name__
}


def test_every_error_is_in_the_tree_that_the_module_draws() -> None:
    drawn = dict(re.findall(r"^ {4}[│ ]*(?:├── |└── )?(\w+Error)\b(.*)$", errors.__doc__ or "", re.MULTILINE))
    assert drawn.keys() == CLASSES.keys()
    for name, words in drawn.items():
        said = re.findall(r"\w+Error", words)
        bases = {base.__name__ for base in CLASSES[name].__mro__}
        assert bases >= set(said), name


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_every_error_has_one_base(name: str) -> None:
    assert issubclass(CLASSES[name], OmniZarrError)
    assert CLASSES[name].__doc__


def test_one_problem_is_said_in_one_line() -> None:
    error = MetadataError([Problem("a.b[1]", "expected 1, found 2")], store="memory", path="x/y")
    assert str(error) == "a.b[1]: expected 1, found 2 (store memory, node '/x/y')"
    assert error.problems == (Problem("a.b[1]", "expected 1, found 2"),)
    assert isinstance(error, ValueError)


def test_many_problems_are_listed() -> None:
    error = UnsupportedError([Problem("a", "one"), Problem("", "two")], path="")
    assert str(error) == "2 problems:\n  - a: one\n  - two (node '/')"


def test_store_errors_name_store_and_key() -> None:
    error = StoreError("no luck", store="file:///x", key="a/c/0")
    assert str(error) == "no luck (store file:///x, key 'a/c/0')"
    assert isinstance(error, OSError)
    assert (error.store, error.key) == ("file:///x", "a/c/0")


def test_codec_errors_learn_their_place() -> None:
    error = ChecksumError("expected 1, found 2", codec="crc32c")
    assert str(error) == "codec crc32c: expected 1, found 2"
    assert str(error.located("c/0/1", "a")) == "codec crc32c: expected 1, found 2 (node '/a', key 'c/0/1')"
    with pytest.raises(CodecError, match="crc32c"):
        raise error


def test_missing_nodes_are_missing_keys_and_files() -> None:
    error = NodeNotFoundError("nothing there", store="memory", path="a")
    assert isinstance(error, KeyError)
    assert isinstance(error, FileNotFoundError)
    assert str(error) == "nothing there (store memory, node '/a')"
    assert str(OmniZarrError()) == "OmniZarrError"


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_every_error_can_be_pickled(name: str) -> None:
    kind = CLASSES[name]
    options = {"codec": "gzip"} if issubclass(kind, CodecError) else {}
    given = [Problem("a", "b")] if issubclass(kind, MetadataError) else "message"
    error = kind(given, **options)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (kind, str(error), vars(error))


@pytest.mark.parametrize(
    "error",
    [
        MetadataError([Problem("a", "b", True)], store="s", path="p"),
        StoreError("x", store="s", key="k"),
        CodecError("x", codec="gzip", key="k", path="p"),
        NodeNotFoundError("x", store="s", path="p"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_cross_processes(error: OmniZarrError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)
