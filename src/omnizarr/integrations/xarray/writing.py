"""`write`: datasets and trees into any store, with the meanings of xarray's `to_zarr`."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

import xarray as xr

from omnizarr.config import config
from omnizarr.errors import ConversionError, NodeNotFoundError, NodeTypeError, StoreNotFoundError
from omnizarr.hierarchy.consolidate import consolidate_metadata, is_consolidated
from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.open import open_group
from omnizarr.hierarchy.opening.locate import was_opened_for, wishes_of
from omnizarr.hierarchy.paths import normal_path
from omnizarr.integrations.xarray.coders import Writer, for_zarr
from omnizarr.integrations.xarray.finishing import finish
from omnizarr.integrations.xarray.netcdf_storing import NetCDFWriting
from omnizarr.integrations.xarray.options import Region, WriteOptions, chosen_mode
from omnizarr.integrations.xarray.planning import PlannedGroup, plan_group
from omnizarr.integrations.xarray.reading import Reading, StoredGroup, read_groups
from omnizarr.integrations.xarray.storing import attributes_of, prepare
from omnizarr.netcdf.dialects.detect import Pure, detect
from omnizarr.netcdf.dialects.modes import asked_of

# What xarray calls the variable of an array without a name; `open_dataarray` knows it.
_UNNAMED = "__xarray_dataarray_variable__"
Datasets = dict[str, tuple[xr.Dataset, Mapping[Hashable, Any]]]


def write(
    data: xr.Dataset | xr.DataArray | xr.DataTree,
    target: Any,
    *,
    group: str | None = None,
    dialect: str | None = None,
    zarr_format: int | str | None = None,
    mode: str | None = None,
    append_dim: Hashable | None = None,
    region: Region = None,
    encoding: Mapping[Any, Any] | None = None,
    compute: bool = True,
    consolidated: bool | None = None,
    safe_chunks: bool = True,
    align_chunks: bool = False,
    storage_options: Mapping[str, Any] | None = None,
    write_empty_chunks: bool | None = None,
    write_inherited_coords: bool = False,
) -> Any:
    """Store a dataset, an array or a tree.

    All is checked before anything is stored.

    Parameters
    ----------
    target
        A path, a URL (docs/urls.md), a store, a mapping, or a group.
    group
        The path of the group to write to; of a tree, of its root.
    dialect
        `"xarray"` for xarray's convention, `"nczarr"` for what netCDF-C reads; by default what a URL says,
        that of the dataset which is changed, or else xarray's.
    zarr_format
        2 or 3; by default that of what is there, else what the dialect prefers.
    mode
        `"w-"` makes the group, and fails where there is one; `"w"` replaces it; `"a"` adds variables and
        writes over those that are there; `"a-"` as `"a"`, but leaves those without the dimension that grows;
        `"r+"` writes over what is there, and makes nothing. By default `"a"` with `append_dim`, `"r+"` with
        `region`, else `"w-"`.
    append_dim
        The dimension at whose end the dataset is added.
    region
        Where to write, by dimension; `"auto"` finds the place by the coordinates.
    encoding
        How variables are stored, by name; of a tree, by the path of the group first.
    compute
        False: arrays are made, values in memory are written, and dask's are left to the delayed that is returned.
    consolidated
        Whether metadata are consolidated; None: unless the mode is `"r+"`. Those that are there
        are brought up to date in any case.
    safe_chunks
        Refuse dask chunks of which two would write one stored chunk or shard.
    align_chunks
        Rechunk such arrays instead.
    storage_options
        Options of the store, for URLs.
    write_empty_chunks
        Whether chunks that hold only the fill value are stored.
    write_inherited_coords
        Of a tree: whether groups repeat the coordinates that they inherit.

    Returns
    -------
    None, or with `compute=False` a `dask.delayed.Delayed`.

    Raises
    ------
    NodeExistsError
        There is a group, and `mode` is `"w-"`; also FileExistsError.
    NodeNotFoundError, StoreNotFoundError
        There is none, and `mode` is `"r+"`; also FileNotFoundError.
    ConversionError
        What is there is in another dialect than the one that is asked for.
    ValueError, TypeError, KeyError
        The data do not fit what is there, or cannot be stored so.
    """  # noqa: E501
    asked = asked_of(target)
    options = WriteOptions(
        target=asked.place,
        group=normal_path(group),
        mode=chosen_mode(mode, append_dim, region),
        dialect=dialect or asked.dialect or "",
        zarr_format=zarr_format or asked.zarr_format or wishes_of(target).zarr_format,
        append_dim=append_dim,
        region=region,
        consolidated=asked.consolidated or consolidated,
        safe_chunks=safe_chunks,
        align_chunks=align_chunks,
        storage_options=storage_options,
        write_empty_chunks=write_empty_chunks,
    )
    options = replace(options, dialect=_dialect(options))
    if options.dialect not in ("xarray", "zarr", "nczarr"):
        raise ValueError(f"dialect: expected 'xarray' or 'nczarr', found {options.dialect!r}")
    datasets = datasets_of(data, encoding or {}, inherits=write_inherited_coords)
    if options.dialect == "nczarr":
        return NetCDFWriting(options, datasets).run(compute=compute)
    return _Writing(options, datasets).run(compute=compute)


def _dialect(options: WriteOptions) -> str:
    """Return the dialect to write in: the one that is asked for, or that of the dataset which is changed.

    Raises
    ------
    ConversionError
        The dataset has netCDF's notes, which writing in another dialect would make wrong.
    """
    asked = options.dialect
    if asked == "nczarr" or not (options.keeps or options.group):
        return asked or "xarray"
    try:
        root = open_group(
            options.target, mode="r", storage_options=options.storage_options, use_consolidated=False
        )
    except (NodeNotFoundError, NodeTypeError, StoreNotFoundError):
        return asked or "xarray"
    found = detect(root)
    if isinstance(found, Pure):
        return asked or "xarray"
    if asked:
        raise ConversionError(f"dialect: expected that of {root.store_path}, {found.name!r}, found {asked!r}")
    return "nczarr"


def datasets_of(data: Any, encoding: Mapping[Any, Any], *, inherits: bool) -> Datasets:
    """Return the datasets by the path of their group, each with its encoding."""
    if isinstance(data, xr.DataTree):
        unknown = sorted(set(encoding) - set(data.groups))
        if unknown:
            raise ValueError(f"encoding: unexpected encoding group name(s) provided: {unknown}")
        return {
            normal_path("" if key == "." else key): (
                node.to_dataset(inherit=inherits or node is data),
                encoding.get(node.path, {}),
            )
            for key, node in data.subtree_with_keys
        }
    if isinstance(data, xr.DataArray):
        data = data.to_dataset(name=data.name or _UNNAMED)
    if not isinstance(data, xr.Dataset):
        raise TypeError(f"expected a Dataset, DataArray or DataTree, found {type(data).__name__}")
    return {"": (data, encoding)}


class _Writing:
    """One call of `write`, in xarray's convention."""

    def __init__(self, options: WriteOptions, datasets: Datasets) -> None:
        self.options = options
        self.there = self._existing() if options.keeps else None
        self.stored = self._stored()
        root = self.there
        self.zarr_format = root.zarr_format if root is not None else options.zarr_format or self._usual()
        self.groups = [self._planned(path, *given) for path, given in datasets.items()]
        self.prepared = prepare(self.groups, self.zarr_format, options)

    def run(self, *, compute: bool) -> Any:
        """Store everything."""
        writer = Writer()
        top = self._made()
        for group in self.groups:
            node = top if not group.path else top.require_group(group.path)
            if self.options.mode != "r+":
                node.attrs.put(attributes_of(group.attributes))
            arrays = [(each, each.make(node)) for each in self.prepared[group.path]]
            for each, array in arrays:
                each.write(array, writer)
        self._consolidate(top)
        owned = top.store if was_opened_for(self.options.target) else None
        return finish(writer, owned, compute=compute)

    def _existing(self) -> Group | None:
        options = self.options
        try:
            return open_group(
                options.target,
                mode="r+",
                path=options.group,
                zarr_format=options.zarr_format,
                storage_options=options.storage_options,
                use_consolidated=False,
            )
        except (NodeNotFoundError, StoreNotFoundError):
            if options.mode == "r+":
                raise
            return None

    def _stored(self) -> dict[str, StoredGroup]:
        if self.there is None:
            return {}
        _, found = read_groups(Reading(target=self.there, mode="r+", is_deep=True, dialect="zarr"))
        return found

    def _usual(self) -> int | str:
        """Return the format of the group above, or what the settings say."""
        path = self.options.group
        while path and self.options.mode != "w":
            path = path.rpartition("/")[0]
            try:
                above = open_group(
                    self.options.target,
                    mode="r",
                    path=path,
                    storage_options=self.options.storage_options,
                    use_consolidated=False,
                )
            except (NodeNotFoundError, StoreNotFoundError):
                continue
            return above.zarr_format
        return config.settings.zarr_format

    def _planned(self, path: str, dataset: xr.Dataset, encoding: Mapping[Hashable, Any]) -> PlannedGroup:
        return plan_group(path, dataset, encoding, self.stored.get(f"/{path}"), self.options, for_zarr)

    def _made(self) -> Group:
        if self.there is not None:
            return self.there
        options = self.options
        if options.mode == "w":
            self._load()
        return open_group(
            options.target,
            mode="w-" if options.mode != "w" else "w",
            path=options.group,
            zarr_format=self.zarr_format,
            storage_options=options.storage_options,
        )

    def _load(self) -> None:
        """Take values into memory that may lie where something is about to be replaced."""
        for group in self.prepared.values():
            for each in group:
                if each.variable.chunks is None:
                    each.variable.load()

    def _consolidate(self, top: Group) -> None:
        options = self.options
        path = top.path[: len(top.path) - len(options.group)].rstrip("/") if options.group else top.path
        if options.mode == "r+" or self.zarr_format not in (2, 3):
            return
        root = open_group(top.store, path=path, mode="r", use_consolidated=False)
        if options.consolidated is not False or is_consolidated(root):
            consolidate_metadata(top.store, path, self.zarr_format)
