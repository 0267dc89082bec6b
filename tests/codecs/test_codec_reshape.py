"""The `reshape` codec; zarrista reads it, and writes the same bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from codec_peers import by_zarrista, zarrista_encodes, zarrista_is_there
from hypothesis import strategies as st

import omnizarr
from omnizarr.codecs.chain import Chain
from omnizarr.metadata.extension import Extension
from omnizarr.testing.codec import CodecContract

ChainOf = Callable[..., Chain]
LITTLE = Extension("bytes", {"endian": "little"})


def reshape(*shape: Any) -> Extension:
    return Extension("reshape", {"shape": list(shape)})


class TestReshape(CodecContract):
    codecs = (reshape([0], -1, 1), Extension("transpose", {"order": [1, 0, 2]}), LITTLE)

    def shapes(self) -> st.SearchStrategy[tuple[int, ...]]:
        return st.tuples(st.integers(1, 6), st.integers(1, 6), st.integers(1, 6))


class TestFlat(CodecContract):
    codecs = (reshape(-1), LITTLE)


@pytest.mark.parametrize(
    ("shape", "given", "expected"),
    [
        ((100, 50, 64, 3), ([0, 1], [2], 3), (5000, 64, 3)),
        ((4, 6), (2, 2, [1]), (2, 2, 6)),
        ((4, 6), (-1, [1], 1), (4, 6, 1)),
        ((4, 6), (8, 3), (8, 3)),
        ((2, 3, 4), ([0], -1), (2, 12)),
        ((2, 3, 4), ([0, 1, 2],), (24,)),
        ((), (1, 1), (1, 1)),
        ((5,), ([0], []), (5, 1)),
        ((1,), (), ()),
    ],
)
def test_shapes(shape: tuple[int, ...], given: Any, expected: Any, chain_of: ChainOf) -> None:
    array = np.arange(np.prod(shape, dtype=int), dtype="i4").reshape(shape)
    chain = chain_of(array, reshape(*given), LITTLE)
    assert chain.serialized.shape == expected
    assert bytes(chain.encode(array)) == array.tobytes()
    assert (chain.decode(chain.encode(array)) == array).all()


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ((5, 5), r"expected 24 elements"),
        ((5, -1), r"expected 24 elements"),
        (([0], [2]), r"expected axes 0 to 1, found 2"),
        (([1], -1), r"axis 0 does not hold the elements of axes [1]"),
        ((2, [0], -1), r"axis 1 does not hold the elements of axes [0]"),
        (([1], [0]), r"expected axes in rising order, found [1, 0]"),
        (([0], [0]), r"expected axes in rising order, found [0, 0]"),
        ((-1, -1), r"expected -1 once at most"),
        ((0, 24), r"shape[0]: "),
        (("4", 6), r"shape[0]: "),
        ((-2,), r"shape[0]: "),
    ],
)
def test_faults(given: Any, problem: str, problems_of: Callable[..., list[str]]) -> None:
    (found,) = problems_of(np.zeros((4, 6), "i4"), reshape(*given), LITTLE)
    assert problem in found


def test_shards_after_another_shape() -> None:
    """Missing inner chunks are fill value; a part of an array is read of what has another shape."""
    sharding = {
        "chunk_shape": [6],
        "codecs": [LITTLE.to_json()],
        "index_codecs": [LITTLE.to_json(), {"name": "crc32c"}],
    }
    array = omnizarr.create_array(
        {},
        shape=(8, 6),
        chunks=(4, 6),
        dtype="f4",
        filters=[reshape(-1).to_json()],
        serializer={"name": "sharding_indexed", "configuration": sharding},
        compressors=None,
        fill_value=np.nan,
    )
    array[1:3, 2:4] = 7
    expected = np.full((8, 6), np.nan, "f4")
    expected[1:3, 2:4] = 7
    np.testing.assert_array_equal(array[:], expected)
    np.testing.assert_array_equal(array[2:5, 3], expected[2:5, 3])


@zarrista_is_there
@pytest.mark.parametrize("given", [([0, 1], [2]), (2, -1), (-1,), ([0], 2, -1)])
def test_zarrista(given: Any, chain_of: ChainOf) -> None:
    array = np.arange(1, 25, dtype="i4").reshape(2, 3, 4)
    codecs = [reshape(*given).to_json(), Extension("bytes", {"endian": "big"}).to_json()]
    data = bytes(chain_of(array, *codecs).encode(array))
    assert zarrista_encodes(array, codecs) == data
    assert by_zarrista(array, codecs, data) == array.tobytes()
