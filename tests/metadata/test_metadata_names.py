"""Names of nodes, and paths."""

from __future__ import annotations

import pytest

from omnizarr.errors import NodeNameError
from omnizarr.metadata.names import check_name, is_path, normalize_path


@pytest.mark.parametrize("name", ["a", "A-b_c.d", "ü", "with space", "...a", ".hidden", "_x", "c", "0"])
@pytest.mark.parametrize("zarr_format", [2, 3])
def test_names(name: str, zarr_format: int) -> None:
    check_name(name, zarr_format)


@pytest.mark.parametrize(
    ("name", "formats"),
    [
        ("", (2, 3)),
        (".", (2, 3)),
        ("..", (2, 3)),
        ("...", (2, 3)),
        ("a/b", (2, 3)),
        ("a\0", (2, 3)),
        ("__x", (3,)),
        ("zarr.json", (3,)),
        (".zarray", (2,)),
        (".zgroup", (2,)),
        (".zattrs", (2,)),
        (".zmetadata", (2,)),
    ],
)
def test_names_that_are_refused(name: str, formats: tuple[int, ...]) -> None:
    for zarr_format in (2, 3):
        if zarr_format in formats:
            with pytest.raises(NodeNameError):
                check_name(name, zarr_format)
        else:
            check_name(name, zarr_format)


@pytest.mark.parametrize(
    ("path", "normal"),
    [("", ""), ("/", ""), ("a", "a"), ("/a//b/", "a/b"), ("///a", "a"), ("a/__b", "a/__b")],
)
def test_paths(path: str, normal: str) -> None:
    assert normalize_path(path) == normal
    assert normalize_path(normal) == normal
    assert is_path(normal) == bool(normal)


@pytest.mark.parametrize("path", [".", "..", "a/../b", "a/./b", "/..", "a\0b"])
def test_paths_that_are_refused(path: str) -> None:
    with pytest.raises(NodeNameError, match="a part of the path"):
        normalize_path(path)
    assert not is_path(path)
