"""What `write` is asked for, with the meanings of xarray's `to_zarr`."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Region: TypeAlias = "Mapping[Hashable, slice | Literal['auto']] | Literal['auto'] | None"
MODES = ("w", "w-", "a", "a-", "r+")


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteOptions:
    """What is to be written, how, and where; see `write`."""

    target: Any = field(repr=False)
    group: str = ""
    mode: str = "w-"
    dialect: str = "xarray"
    zarr_format: int | str | None = None
    append_dim: Hashable | None = None
    region: Region = None
    consolidated: bool | None = None
    safe_chunks: bool = True
    align_chunks: bool = False
    storage_options: Mapping[str, Any] | None = field(default=None, repr=False)
    write_empty_chunks: bool | None = None

    @property
    def keeps(self) -> bool:
        """Whether what is there stays, but for what is written."""
        return self.mode in ("a", "a-", "r+")


def chosen_mode(mode: str | None, append_dim: Hashable | None, region: Region) -> str:
    """Return a mode, or the one that the other arguments mean.

    Raises
    ------
    ValueError
        There is no such mode, or it contradicts the other arguments.
    """
    if mode is None:
        mode = "a" if append_dim is not None else "r+" if region is not None else "w-"
    if mode not in MODES:
        raise ValueError(f"mode: expected one of {', '.join(map(repr, MODES))}, found {mode!r}")
    if append_dim is not None and mode not in ("a", "a-"):
        raise ValueError(f"append_dim: expected mode 'a' or 'a-' with it, found {mode!r}")
    if region is not None and mode not in ("a", "a-", "r+"):
        raise ValueError(f"region: expected mode 'a', 'a-' or 'r+' with it, found {mode!r}")
    return mode
