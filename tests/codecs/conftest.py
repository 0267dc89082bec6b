"""Chains made in one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from omnizarr.codecs.base import ChunkSpec
from omnizarr.codecs.chain import Chain, build_chain
from omnizarr.codecs.registry import parse_codec
from omnizarr.jsontypes import Problems

ChainOf = Callable[..., Chain]


@pytest.fixture
def chain_of() -> ChainOf:
    """Build a chain of codecs given in any form, for arrays like one."""

    def build(array: np.ndarray[Any, Any], *codecs: Any, fill_value: Any = 0, zarr2: bool = False) -> Chain:
        problems = Problems()
        spec = ChunkSpec(array.shape, array.dtype, fill_value)
        found = [parse_codec(codec) for codec in codecs]
        chain = build_chain(found, spec, "codecs", problems, bytes_as_in_dtype=zarr2)
        problems.check()
        assert chain is not None
        return chain

    return build


@pytest.fixture
def problems_of() -> Callable[..., list[str]]:
    """Return the faults of codecs given in any form, for arrays like one."""

    def build(array: np.ndarray[Any, Any], *codecs: Any, zarr2: bool = False) -> list[str]:
        problems = Problems()
        spec = ChunkSpec(array.shape, array.dtype, 0)
        found = [parse_codec(codec) for codec in codecs]
        chain = build_chain(found, spec, "codecs", problems, bytes_as_in_dtype=zarr2)
        assert (chain is None) == bool(problems)
        return [str(problem) for problem in problems.found]

    return build
