"""What is measured: a case is one row of the table, a trial is that row for one library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

Unit: TypeAlias = Literal["ms", "µs"]
SECONDS: dict[Unit, float] = {"ms": 1e-3, "µs": 1e-6}


class WrongResultError(Exception):
    """A library returned or stored something else than the truth."""


def nothing() -> None:
    """Prepare nothing."""


@dataclass(frozen=True, slots=True)
class Trial:
    """`before` is not timed; `check` raises WrongResultError for a wrong result of `run`."""

    run: Callable[[], Any]
    check: Callable[[Any], None]
    before: Callable[[], None] = nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One row.

    Attributes
    ----------
    trial
        Makes the trial of a library, or None where the library has no such thing.
    goal
        How many times as fast as zarr-python a minimal reader in pure Python was.
    calls
        How many operations one `run` makes.
    """

    workload: str
    title: str
    trial: Callable[[Any], Trial | None]
    unit: Unit = "ms"
    goal: float | None = None
    calls: int = 1


def expect_equal(found: Any, truth: Any) -> None:
    """Raise WrongResultError unless two arrays, scalars or mappings are equal, shapes included."""
    same = found == truth if isinstance(truth, dict) else np.array_equal(np.asarray(found), truth)
    if not same:
        raise WrongResultError(f"expected {_short(truth)}, found {_short(found)}")


def _short(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} array of shape {value.shape}"
    text = repr(value)
    return text if len(text) < 100 else f"{text[:97]}..."
