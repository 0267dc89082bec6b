"""What an array is, for people: a table in text and in HTML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from omnizarr.hierarchy.array import Array


@dataclass(frozen=True, slots=True)
class ArrayInfo:
    """Names and values, in the order in which they are shown."""

    items: Mapping[str, Any]

    def __repr__(self) -> str:
        width = max(map(len, self.items))
        return "\n".join(f"{name:<{width}} : {value}" for name, value in self.items.items())

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(name)}</th><td>{escape(str(value))}</td></tr>"
            for name, value in self.items.items()
        )
        return f"<table>{rows}</table>"


def describe(array: Array, complete: bool = False) -> ArrayInfo:
    """Return what an array is; `complete` adds what has to be counted in the store."""
    items: dict[str, Any] = {
        "Type": "Array",
        "Zarr format": array.zarr_format,
        "Data type": f"{array.metadata.data_type.name} ({array.dtype})",
        "Fill value": array.fill_value,
        "Shape": array.shape,
        "Chunk shape": array.chunks,
        "Shard shape": array.shards,
        "Dimension names": array.dimension_names,
        "Codecs": ", ".join(codec.name for codec in array.metadata.codecs),
        "Read-only": array.read_only,
        "Store": array.store_path,
        "Bytes": f"{array.nbytes} ({human_bytes(array.nbytes)})",
    }
    if complete:
        stored = array.nbytes_stored()
        items["Bytes stored"] = f"{stored} ({human_bytes(stored)})"
        items["Storage ratio"] = f"{array.nbytes / stored:.1f}" if stored else "-"
        items["Chunks stored"] = f"{array.nchunks_initialized} of {array.nchunks}"
    return ArrayInfo({name: value for name, value in items.items() if value is not None})


def repr_html(array: Array) -> str:
    """Return what a notebook shows for an array."""
    return describe(array)._repr_html_()


def human_bytes(count: float) -> str:
    """Return a number of bytes with a binary unit."""
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if count < 1024 or unit == "TiB":
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    raise AssertionError("unreachable")
