"""The special attributes, which tell how a dataset is stored and are no attributes of it.

https://docs.unidata.ucar.edu/nug/current/_c_d_l.html#cdl_special_attributes
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from math import prod
from typing import Literal, TypeAlias

from omnizarr.netcdf.cdl.text import quoted
from omnizarr.netcdf.filters.forms import to_hdf5
from omnizarr.netcdf.filters.known import Fletcher32, Shuffle, Zlib
from omnizarr.netcdf.filters.text import write_codecs_attribute, write_filter_attribute
from omnizarr.netcdf.model.nodes import VariableModel
from omnizarr.netcdf.model.types import AtomicType

Kind: TypeAlias = Literal["classic", "64-bit offset", "cdf5", "netCDF-4", "netCDF-4 classic model"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Storage:
    """How a dataset is stored, as far as the model does not tell.

    Attributes
    ----------
    kind
        What `ncdump -k` calls it.
    properties
        `_NCProperties`: the library that created it.
    superblock
        The version of HDF5's superblock, or of NCZarr's; None for classic files.
    is_netcdf4
        Whether the netCDF library made it, and not for the classic model; None for classic files.
    is_zarr
        Whether codecs, and not HDF5's filters, encode the chunks.
    compact
        The absolute paths of variables whose values are kept with their metadata.
    """

    kind: Kind = "netCDF-4"
    properties: str | None = None
    superblock: int | None = 2
    is_netcdf4: bool | None = True
    is_zarr: bool = True
    compact: Set[str] = frozenset()

    @property
    def is_classic_model(self) -> bool:
        """Whether there are no groups, and none of the types that netCDF-4 brought."""
        return self.kind != "netCDF-4"

    def of_dataset(self) -> Iterator[tuple[str, str]]:
        """Yield the names and values of the special attributes of the dataset."""
        if self.properties is not None:
            yield "_NCProperties", _quoted(self.properties)
        if self.superblock is not None:
            yield "_SuperblockVersion", str(self.superblock)
        if self.is_netcdf4 is not None:
            yield "_IsNetcdf4", str(int(self.is_netcdf4))
        yield "_Format", _quoted(self.kind)

    def of_variable(
        self, variable: VariableModel, path: str, shape: tuple[int, ...], *, all_filters: bool = False
    ) -> Iterator[tuple[str, str]]:
        """Yield the names and values of a variable's special attributes; classic files have none.

        Parameters
        ----------
        all_filters
            Whether all filters are in `_Filter`, and all codecs in `_Codecs`.
        """
        if self.superblock is None:
            return
        yield from self._chunks(variable, path)
        yield from self._filters(variable, shape, all_filters)
        kind = variable.type
        if isinstance(kind, AtomicType) and kind.is_numeric and kind.size > 1:
            yield "_Endianness", _quoted(variable.endian)
        if variable.no_fill:
            yield "_NoFill", _quoted("true")

    def _chunks(self, variable: VariableModel, path: str) -> Iterator[tuple[str, str]]:
        if path in self.compact:
            yield "_Storage", _quoted("compact")
        elif variable.contiguous or not (variable.dimensions or self.is_zarr):
            yield "_Storage", _quoted("contiguous")
        else:
            yield "_Storage", _quoted("chunked")
            if variable.chunks:
                yield "_ChunkSizes", ", ".join(map(str, variable.chunks))

    def _filters(
        self, variable: VariableModel, shape: tuple[int, ...], all_filters: bool
    ) -> Iterator[tuple[str, str]]:
        filters, itemsize = variable.filters, _itemsize(variable)
        if not all_filters:
            yield from _own_attributes(variable)
        text = _filter_text(variable, itemsize, shape, all_filters)
        if text:
            yield "_Filter", _quoted(text)
        others = any(to_hdf5(entry, itemsize) is None for entry in filters)
        if self.is_zarr and filters and (all_filters or others):
            yield "_Codecs", _quoted(write_codecs_attribute(filters, itemsize))


def _own_attributes(variable: VariableModel) -> Iterator[tuple[str, str]]:
    """Yield what three filters have attributes of their own for, in `ncdump`'s order."""
    if any(isinstance(entry, Fletcher32) for entry in variable.filters):
        yield "_Fletcher32", _quoted("true")
    if any(isinstance(entry, Shuffle) for entry in variable.filters):
        yield "_Shuffle", _quoted("true")
    for entry in variable.filters:
        if isinstance(entry, Zlib):
            yield "_DeflateLevel", str(entry.level)


def _filter_text(variable: VariableModel, itemsize: int, shape: tuple[int, ...], all_filters: bool) -> str:
    chunk_bytes = prod(variable.chunks or shape) * itemsize
    if not all_filters:
        return write_filter_attribute(variable.filters, itemsize, chunk_bytes)
    known = (to_hdf5(entry, itemsize, chunk_bytes) for entry in variable.filters)
    return "|".join(",".join(map(str, (form[0], *form[1]))) for form in known if form is not None)


def _itemsize(variable: VariableModel) -> int:
    # HDF5 shuffles the 16 bytes of a reference to a string.
    return variable.type.size if variable.type.is_fixed else 16


def _quoted(text: str) -> str:
    return quoted(text.encode("utf-8", "surrogateescape"))
