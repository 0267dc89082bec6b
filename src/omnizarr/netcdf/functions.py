"""The functions and constants of netCDF4-python's module that need no dataset."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from omnizarr._version import __version__ as _omnizarr_version
from omnizarr.codecs.szip import is_available as _has_szip
from omnizarr.errors import ConversionError
from omnizarr.netcdf.values.text import chars_to_text, text_to_chars

default_encoding = "utf-8"
unicode_error = "replace"
is_native_little = sys.byteorder == "little"
is_native_big = sys.byteorder == "big"

# The release of netCDF4-python whose behaviour this has, and of netCDF-C whose NCZarr.
PYTHON_VERSION = "1.7.5"
LIBRARY_VERSION = "4.10.1"

NC_DISKLESS = 8
NC_PERSIST = 16384

# What netCDF4-python calls `__has_…__`: 1 for what there is. Files of HDF5 and of classic formats are
# converted, not written in place; nothing is parallel in MPI's sense.
SUPPORT: dict[str, int] = {
    "blosc_support": 1,
    "bzip2_support": 1,
    "cdf5_format": 0,
    "nc_create_mem": 1,
    "nc_inq_format_extended": 1,
    "nc_inq_path": 1,
    "nc_open_mem": 1,
    "nc_rc_set": 1,
    "ncfilter": 1,
    "parallel4_support": 0,
    "parallel_support": 0,
    "pnetcdf_support": 0,
    "quantization_support": 1,
    "rename_grp": 1,
    "set_alignment": 1,
    "szip_support": int(_has_szip()),
    "zstandard_support": 1,
}


@dataclass(slots=True)
class _Settings:
    """What scripts set for HDF5, and read again; Zarr has no use for it."""

    chunk_cache: tuple[int, int, float] = (67108864, 1000, 0.75)
    alignment: tuple[int, int] = (0, 0)
    table: dict[str, str] = field(default_factory=dict)


_settings = _Settings()


class SettingError(ConversionError, RuntimeError):
    """A setting that cannot be; also a RuntimeError, as in netCDF4-python."""


def stringtochar(a: NDArray[Any], encoding: str | None = None, n_strlen: int | None = None) -> NDArray[Any]:
    """Return strings as characters along a new last axis, padded with NUL.

    Parameters
    ----------
    a
        An array of `S` or `U`.
    encoding
        Of the characters: ASCII for `S` and UTF-8 for `U` where it is None. `"none"` or `"bytes"` for
        bytes as they are.
    n_strlen
        The length of the new axis; the bytes of an element in memory where it is None.

    Raises
    ------
    ValueError
        The array holds no strings, or one is longer than the axis: nothing is ever cut.
    """
    _check_strings(a)
    width = a.dtype.itemsize if n_strlen is None else n_strlen
    if encoding is None:
        encoding = "ascii" if a.dtype.kind == "S" else "utf-8"
    if a.dtype.kind == "U" and not a.ndim:
        a = a.reshape(1)  # as netCDF4-python has it
    return text_to_chars(a, width, encoding)


def chartostring(b: NDArray[Any], encoding: str | None = None) -> NDArray[Any]:
    """Return characters as strings of one axis less.

    Parameters
    ----------
    b
        An array of `S1` or `U1`.
    encoding
        Of the characters: ASCII for `S1` where it is None. `"none"` or `"bytes"` for bytes as they are.

    Raises
    ------
    ValueError
        The array holds no characters, or the encoding has no such bytes.
    """
    _check_strings(b)
    return chars_to_text(b, "ascii" if encoding is None else encoding)


def stringtoarr(string: str | bytes, NUMCHARS: int, dtype: str = "S") -> NDArray[Any]:  # noqa: N803
    """Return a string as an array of `NUMCHARS` characters, padded with NUL.

    Parameters
    ----------
    dtype
        `"S"` or `"U"`.

    Raises
    ------
    ValueError
        The string is longer, or there is no such dtype.
    """
    if dtype not in ("S", "U"):
        raise ConversionError(f"dtype: expected 'S' or 'U', found {dtype!r}")
    if len(string) > NUMCHARS:
        raise ConversionError(f"a string of {len(string)} characters does not fit into {NUMCHARS}")
    found = np.zeros(NUMCHARS, f"{dtype}1")
    text = string.decode("latin-1") if isinstance(string, bytes) and dtype == "U" else string
    found[: len(text)] = [text[at : at + 1] for at in range(len(text))]
    return found


def dtype_is_complex(dtype: Any) -> bool:
    """Say whether a dtype is complex, given as netCDF4-python names it: `"c8"`, `"c16"` or a dtype."""
    return bool(dtype in ("c8", "c16"))


def getlibversion() -> str:
    """Return what reads and writes here, and the release of netCDF-C that it agrees with."""
    return f"{LIBRARY_VERSION} as omnizarr {_omnizarr_version} has it"


def get_chunk_cache() -> tuple[int, int, float]:
    """Return what `set_chunk_cache` was told: bytes, chunks and preemption."""
    return _settings.chunk_cache


def set_chunk_cache(
    size: int | None = None, nelems: int | None = None, preemption: float | None = None
) -> None:
    """Keep settings of HDF5's cache for `get_chunk_cache`; Zarr's chunks need none.

    Raises
    ------
    RuntimeError
        The preemption is not between 0 and 1, or a number is negative.
    """
    given = (size, nelems, preemption)
    bytes_, chunks, share = (
        new if new is not None else old for new, old in zip(given, _settings.chunk_cache, strict=True)
    )
    if bytes_ < 0 or chunks < 0 or not 0 <= share <= 1:
        raise SettingError(f"chunk cache: expected sizes and a share from 0 to 1, found {given}")
    _settings.chunk_cache = (int(bytes_), int(chunks), float(share))


def get_alignment() -> tuple[int, int]:
    """Return what `set_alignment` was told: the threshold and the alignment."""
    return _settings.alignment


def set_alignment(threshold: int, alignment: int) -> None:
    """Keep the alignment of objects in HDF5 files for `get_alignment`; Zarr has none."""
    _settings.alignment = (int(threshold), int(alignment))


def rc_get(key: str) -> str | None:
    """Return what `rc_set` was told for a key; None where it was told nothing."""
    return _settings.table.get(key)


def rc_set(key: str, value: str) -> None:
    """Keep a setting of netCDF-C for `rc_get`; what stores need is said by `storage_options`."""
    _settings.table[key] = str(value)


def _check_strings(values: NDArray[Any]) -> None:
    if values.dtype.kind not in "SU":
        raise ConversionError(f"expected strings ('S' or 'U'), found {values.dtype}")
