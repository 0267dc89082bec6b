"""Lets HDMF's containers extend the datasets of open files.

HDMF appends to whatever derives from `HDMFDataset`, but extends lists, arrays and h5py's datasets only, by a
function that has no place to add others to. The indices of ragged columns become wider by another one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import hdmf.container
import hdmf.data_utils
from hdmf.common import VectorIndex

from omnizarr.hdmf.backend.datasets import StoredDataset

Extend = Callable[[Any, Any], Any]
_EXTEND = "extend_data"
_WIDEN = "_VectorIndex__adjust_precision"


def teach_hdmf() -> None:
    """Let HDMF extend `StoredDataset`s, beside what it extends already; called once."""
    for module in (hdmf.data_utils, hdmf.container):
        if hasattr(module, _EXTEND):
            setattr(module, _EXTEND, _extending(getattr(module, _EXTEND)))
    if hasattr(VectorIndex, _WIDEN):
        setattr(VectorIndex, _WIDEN, _widening(getattr(VectorIndex, _WIDEN)))


def _extending(extend: Extend) -> Extend:
    @wraps(extend)
    def extend_data(data: Any, arg: Any) -> Any:
        if not isinstance(data, StoredDataset):
            return extend(data, arg)
        data.extend(arg)
        return data

    return extend_data


def _widening(widen: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
    @wraps(widen)
    def adjust_precision(index: Any, uint: Any) -> None:
        if isinstance(index.data, StoredDataset):
            index.data.widen(uint)
        else:
            widen(index, uint)

    return adjust_precision
