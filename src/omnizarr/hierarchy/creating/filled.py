"""Arrays of one value, and arrays like others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.create import create_array
from omnizarr.hierarchy.creating.like import likeness
from omnizarr.hierarchy.creating.plan_array import FillChoice
from omnizarr.hierarchy.open import open_array


def empty(shape: int | Sequence[int], *, store: Any = None, **arguments: Any) -> Array:
    """Make an array that holds its default fill value; other parameters as in `create_array`."""
    return create_array(store, shape=shape, **arguments)


def zeros(shape: int | Sequence[int], *, store: Any = None, **arguments: Any) -> Array:
    """Make an array that holds zeros; other parameters as in `create_array`."""
    return full(shape, FillChoice.ZERO, store=store, **arguments)


def ones(shape: int | Sequence[int], *, store: Any = None, **arguments: Any) -> Array:
    """Make an array that holds ones; other parameters as in `create_array`."""
    return full(shape, 1, store=store, **arguments)


def full(shape: int | Sequence[int], fill_value: Any, *, store: Any = None, **arguments: Any) -> Array:
    """Make an array that holds one value; other parameters as in `create_array`."""
    return create_array(store, shape=shape, fill_value=fill_value, **arguments)


def empty_like(a: Any, *, store: Any = None, **arguments: Any) -> Array:
    """Make an array of another one's shape, type and chunks, and fill value where it has one."""
    return create_array(store, **{**likeness(a), **arguments})


def zeros_like(a: Any, *, store: Any = None, **arguments: Any) -> Array:
    """Make an array of another one's shape, type and chunks that holds zeros."""
    return full_like(a, FillChoice.ZERO, store=store, **arguments)


def ones_like(a: Any, *, store: Any = None, **arguments: Any) -> Array:
    """Make an array of another one's shape, type and chunks that holds ones."""
    return full_like(a, 1, store=store, **arguments)


def full_like(a: Any, fill_value: Any, *, store: Any = None, **arguments: Any) -> Array:
    """Make an array of another one's shape, type and chunks that holds one value."""
    return empty_like(a, store=store, fill_value=fill_value, **arguments)


def open_like(a: Any, store: Any, **arguments: Any) -> Array:
    """Open an array; made with another one's shape, type and chunks if it is missing."""
    return open_array(store, **{**likeness(a), **arguments})
