"""`engine="omnizarr"`: how xarray opens any dialect at any place.

https://docs.xarray.dev/en/stable/internals/how-to-add-new-backend.html
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypedDict, Unpack

import xarray as xr
from xarray.backends import AbstractDataStore, BackendEntrypoint, StoreBackendEntrypoint
from xarray.core import indexing

from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.opening.locate import was_opened_for
from omnizarr.integrations.xarray.lazy import LazyArray
from omnizarr.integrations.xarray.reading import Reading, StoredGroup, StoredVariable, read_groups
from omnizarr.store.urls.grammar import is_plain, parse_url, shown_place

_SUFFIXES = (".zarr", ".nczarr", ".zarr.zip")
_MODES = frozenset({"zarr", "nczarr", "xarray", "noxarray"})
_DOCUMENTS = (".zgroup", ".zmetadata", "zarr.json", ".nczarr", ".nczgroup", ".zarray")


class OmnizarrDataStore(AbstractDataStore):
    """A group, as xarray's decoding asks for it."""

    __slots__ = ("_group", "_source", "owned")

    def __init__(self, group: StoredGroup, source: str | None, owned: Group | None = None) -> None:
        self._group = group
        self._source = source
        self.owned = owned

    def get_variables(self) -> Mapping[str, xr.Variable]:
        """Return the variables, which are read when values are asked for."""
        return {name: variable_of(stored) for name, stored in self._group.variables.items()}

    def get_attrs(self) -> Mapping[str, Any]:
        """Return the attributes of the group."""
        return self._group.attributes

    def get_dimensions(self) -> Mapping[str, int]:
        """Return the lengths of the dimensions."""
        sizes: dict[str, int] = {}
        for stored in self._group.variables.values():
            sizes.update(zip(stored.dims, stored.array.shape, strict=False))
        return sizes

    def get_encoding(self) -> dict[str, Any]:
        """Return which dimensions may grow, and where the group is, without credentials."""
        unlimited = {"unlimited_dims": set(self._group.unlimited)} if self._group.unlimited else {}
        return unlimited | ({} if self._source is None else {"source": self._source})

    def close(self) -> None:
        """Close the store, where it was opened for this dataset."""
        if self.owned is not None:
            self.owned.store.close()


def variable_of(stored: StoredVariable) -> xr.Variable:
    """Return a stored variable as xarray has it, not yet decoded."""
    values = LazyArray(stored.array, stored.kind, is_scalar=not stored.dims and bool(stored.array.shape))
    data = indexing.LazilyIndexedArray(values)
    return xr.Variable(stored.dims, data, dict(stored.attributes), dict(stored.encoding))


class OpenOptions(TypedDict, total=False):
    """What may be asked for on opening.

    Attributes
    ----------
    mask_and_scale, decode_times, concat_characters, decode_coords, use_cftime, decode_timedelta
        As xarray has them.
    group
        The path of the group.
    mode, storage_options, zarr_format
        As `omnizarr.open_group` takes them.
    consolidated
        None: use consolidated metadata where there are any; True: there must be some.
    dialect
        Read as this dialect of `omnizarr.netcdf`, instead of the one that is found.
    use_zarr_fill_value_as_mask
        Whether an array's fill value masks; None: in xarray's convention on Zarr v2, as there.
    """

    mask_and_scale: bool | Mapping[str, bool]
    decode_times: Any
    concat_characters: bool | Mapping[str, bool]
    decode_coords: bool | str
    use_cftime: Any
    decode_timedelta: Any
    group: str | None
    mode: str
    storage_options: Mapping[str, Any] | None
    consolidated: bool | str | None
    zarr_format: int | str | None
    dialect: str | None
    use_zarr_fill_value_as_mask: bool | None


_DECODING = frozenset(
    {
        *("mask_and_scale", "decode_times", "concat_characters", "decode_coords"),
        *("use_cftime", "decode_timedelta"),
    }
)


class OmnizarrBackendEntrypoint(BackendEntrypoint):
    """xarray's way in: `xarray.open_dataset(place, engine="omnizarr")`."""

    description = "Open every dialect of Zarr (v2, v3, NCZarr, plain) at any place with omnizarr"
    supports_groups = True
    open_dataset_parameters = ("filename_or_obj", "drop_variables", *OpenOptions.__annotations__)

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """Say whether a place is one of ours, by its name, and on this machine by what lies there."""
        if isinstance(filename_or_obj, Group):
            return True
        if not isinstance(filename_or_obj, str | os.PathLike):
            return False
        return _looks_like_zarr(os.fspath(filename_or_obj))

    def open_dataset(
        self,
        filename_or_obj: Any,
        *,
        drop_variables: str | Iterable[str] | None = None,
        **options: Unpack[OpenOptions],
    ) -> xr.Dataset:
        """Open one group.

        Parameters
        ----------
        filename_or_obj
            A path, a URL (docs/urls.md), a store, a mapping, or a group of omnizarr.
        drop_variables
            Names of variables that are left out, and not looked at.
        **options
            See `OpenOptions`.

        Raises
        ------
        NodeNotFoundError, StoreNotFoundError
            There is nothing to open; also FileNotFoundError.
        MetadataError
            Documents of a node are broken.
        """
        [dataset] = _opened(filename_or_obj, drop_variables, options, is_deep=False).values()
        return dataset

    def open_groups_as_dict(
        self,
        filename_or_obj: Any,
        *,
        drop_variables: str | Iterable[str] | None = None,
        **options: Unpack[OpenOptions],
    ) -> dict[str, xr.Dataset]:
        """Open a group and all below, by path from it; parameters and errors as in `open_dataset`."""
        return _opened(filename_or_obj, drop_variables, options, is_deep=True)

    def open_datatree(
        self,
        filename_or_obj: Any,
        *,
        drop_variables: str | Iterable[str] | None = None,
        **options: Unpack[OpenOptions],
    ) -> xr.DataTree:
        """Open a group and all below as a tree; parameters and errors as in `open_dataset`."""
        datasets = _opened(filename_or_obj, drop_variables, options, is_deep=True)
        tree = xr.DataTree.from_dict(datasets)
        tree.set_close(datasets["/"].close)
        return tree


def _opened(
    target: Any, dropped: str | Iterable[str] | None, options: OpenOptions, *, is_deep: bool
) -> dict[str, xr.Dataset]:
    if unknown := options.keys() - OpenOptions.__annotations__.keys():
        raise TypeError(f"no such option of opening: {', '.join(sorted(unknown))}")
    names = frozenset([dropped] if isinstance(dropped, str) else dropped or ())
    reading = Reading(
        target=target,
        path=options.get("group") or "",
        mode=options.get("mode", "r"),
        zarr_format=options.get("zarr_format"),
        consolidated=options.get("consolidated"),
        storage_options=options.get("storage_options"),
        is_deep=is_deep,
        masks=options.get("use_zarr_fill_value_as_mask"),
        dropped=names,
        dialect=options.get("dialect"),
    )
    decoding: dict[str, Any] = {name: value for name, value in options.items() if name in _DECODING}
    decode: Any = partial(StoreBackendEntrypoint().open_dataset, drop_variables=names, **decoding)
    root, groups = read_groups(reading)
    owned = root if was_opened_for(target) else None
    source = shown_place(target) if isinstance(target, str | os.PathLike) else None
    try:
        return {
            path: decode(OmnizarrDataStore(group, source, owned if path == "/" else None))
            for path, group in groups.items()
        }
    except BaseException:
        if owned is not None:
            owned.store.close()
        raise


def _looks_like_zarr(place: str) -> bool:
    if not is_plain(place):
        try:
            url = parse_url(place)
        except ValueError:
            return False
        if url.fragment.modes & _MODES or url.steps:
            return True
        place = url.place
    if place.rstrip("/").lower().endswith(_SUFFIXES):
        return True
    path = Path(place)
    return path.is_dir() and any((path / name).is_file() for name in _DOCUMENTS)
