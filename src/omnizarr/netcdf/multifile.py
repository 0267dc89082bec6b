"""Several datasets as one, joined along a dimension; times in one unit."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from glob import glob
from os import PathLike, fspath
from typing import Any, NoReturn

import numpy as np

from omnizarr.errors import OmniZarrError
from omnizarr.netcdf.dataset import Dataset
from omnizarr.netcdf.dimension import Dimension
from omnizarr.netcdf.joined import JoinedVariable
from omnizarr.netcdf.model.names import MissingError
from omnizarr.netcdf.times import steps_of
from omnizarr.netcdf.values.selection import normalized
from omnizarr.netcdf.variable import Variable


class JoinError(OmniZarrError, OSError):
    """Datasets that cannot be joined; also an OSError, as in netCDF4-python."""


class MFDataset(Dataset):
    """Several datasets, read as if they were one.

    Variables that start with the dimension along which datasets are joined have the records of all; other
    variables, attributes, groups and dimensions are the master's. Nothing is read before it is asked for.

    Parameters
    ----------
    files
        Paths, URLs, stores or dictionaries in the order of their records, or a path with wildcards, whose
        matches are taken in the order of their names.
    check
        Whether to compare the variables that are joined: dimensions, shapes and types.
    aggdim
        The dimension to join along; the unlimited one of the master where it is None.
    exclude
        Variables that are not joined.
    master_file
        One of the files; the first where it is None.
    storage_options
        Options of the stores, for URLs.

    Raises
    ------
    JoinError
        There are no files, no such dimension or no variables along it; with `check`, they do not fit. Also
        an OSError.
    """

    _own = Dataset._own | {"_datasets"}
    _datasets: tuple[Dataset, ...]

    def __init__(
        self,
        files: Any,
        check: bool = False,
        aggdim: str | None = None,
        exclude: Collection[str] = (),
        master_file: Any = None,
        *,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        listed = _listed(files)
        if master_file is not None and master_file not in listed:
            raise ValueError(f"master_file: {master_file!r} is not among the files")
        master = listed.index(master_file) if master_file is not None else 0
        super().__init__(listed[master], storage_options=storage_options)
        self._datasets = (self,)
        try:
            others = [
                self if at == master else Dataset(file, storage_options=storage_options)
                for at, file in enumerate(listed)
            ]
            self._datasets = tuple(others)
            self._join(_dimension_of(self, aggdim), exclude, check)
        except BaseException:
            self.close()
            raise

    def _join(self, name: str, exclude: Collection[str], check: bool) -> None:
        joined = [
            v for key, v in self.variables.items() if v.dimensions[:1] == (name,) and key not in exclude
        ]
        if not joined:
            raise JoinError(f"{self.filepath()}: no variables along the dimension {name!r} to join")
        parts = {v.name: [_part(dataset, v, check) for dataset in self._datasets] for v in joined}
        total = sum(len(_own_dimension(dataset, name)) for dataset in self._datasets)
        dimension = self.dimensions[name]
        self.dimensions[name] = _resized(dimension, total)
        for variable in joined:
            self.variables[variable.name] = JoinedVariable(self, variable, parts[variable.name])  # type: ignore[assignment]

    @property
    def file_format(self) -> Any:
        """The formats of the datasets."""
        return self._of_each("file_format")

    @property
    def data_model(self) -> Any:
        """The data models of the datasets."""
        return self._of_each("data_model")

    @property
    def disk_format(self) -> Any:
        """How each of the datasets is kept."""
        return self._of_each("disk_format")

    def _of_each(self, name: str) -> list[str]:
        described = getattr(Dataset, name)
        return [described.__get__(dataset) for dataset in self._datasets]

    def isopen(self) -> bool:
        """Say whether none of the datasets was closed yet."""
        return all(dataset is self or dataset.isopen() for dataset in self._datasets) and super().isopen()

    def close(self) -> Any:
        """Close all datasets."""
        for dataset in self._datasets:
            if dataset is not self:
                dataset.close()
        return super().close()

    def __reduce__(self) -> NoReturn:
        raise TypeError("an MFDataset cannot be pickled; pickle the names of its files")


class MFTime(JoinedVariable):
    """The times of a joined variable, with the same unit and calendar throughout.

    Parameters
    ----------
    time
        A variable of an `MFDataset`.
    units
        The unit, `days since 1979-01-01`; that of the master where it is None.
    calendar
        A calendar for all datasets; where it is None, all must have the same.

    Raises
    ------
    ValueError
        There is no calendar in one of the datasets, or there are several.
    """

    def __init__(self, time: JoinedVariable, units: str | None = None, calendar: str | None = None) -> None:
        super().__init__(time._group, time._master, time._parts)
        self.calendar = _calendar_of(time._parts) if calendar is None else calendar
        self.units = units or time.units
        steps = [steps_of(part.units, self.units, self.calendar) for part in time._parts]
        whole = all(scale == 1 and offset.denominator == 1 for scale, offset in steps)
        lengths = [part.shape[0] for part in time._parts]
        self._scales = None if whole else np.repeat([float(scale) for scale, _ in steps], lengths)
        self._offsets = np.repeat([int(o) if whole else float(o) for _, o in steps], lengths)

    def __getitem__(self, key: Any) -> Any:
        """Read times in the one unit; whole numbers stay whole where that can be."""
        values = super().__getitem__(key)
        records, *_ = normalized(key, self.ndim)
        offsets = _beside(self._offsets[records], values)
        if self._scales is not None:
            return values * _beside(self._scales[records], values) + offsets
        moved = values + offsets
        kept = moved.astype(self.dtype) if np.result_type(values) == self.dtype else moved
        return kept if np.ma.all(kept == moved) else moved


def _beside(steps: Any, values: Any) -> Any:
    """Return what belongs to each record in a shape that goes with the values of these records."""
    return steps.reshape((-1, *(1,) * (np.ndim(values) - 1))) if np.ndim(steps) else steps


def _listed(files: Any) -> list[Any]:
    found = files
    if isinstance(files, str | PathLike):
        found = _matching(fspath(files))
    elif isinstance(files, Mapping) or not isinstance(files, Sequence):
        found = list(files) if not isinstance(files, Mapping) else [files]
    if not found:
        raise JoinError(f"no files to join: {files!r} is empty, or matches nothing")
    return list(found)


def _matching(pattern: str) -> list[str]:
    place, _, fragment = pattern.partition("#")
    scheme, is_url, rest = place.partition("://")
    if is_url and scheme != "file":
        raise ValueError(f"files: expected a list of URLs, found {pattern!r}; wildcards are for local paths")
    found = sorted(glob(rest if is_url else place))  # noqa: PTH207 - absolute patterns, and as netCDF4 has it
    return [f"file://{path}#{fragment}" if fragment else path for path in found]


def _dimension_of(master: Dataset, name: str | None) -> str:
    dimensions = [
        d for d in master.dimensions.values() if (d.isunlimited() if name is None else d.name == name)
    ]
    if not dimensions:
        what = "unlimited dimension" if name is None else f"dimension {name!r}"
        raise JoinError(f"{master.filepath()}: no {what} to join along")
    # Of several unlimited ones netCDF4-python takes the last.
    return dimensions[-1].name


def _own_dimension(dataset: Dataset, name: str) -> Dimension:
    if name not in dataset.dimensions:
        raise MissingError(f"there is no dimension {name!r} to join along", store=dataset.filepath())
    return dataset.dimensions[name]


def _resized(dimension: Dimension, size: int) -> Dimension:
    model = replace(dimension._model, size=size, unlimited=True)
    return Dimension._of(dimension.group(), model)


def _part(dataset: Dataset, master: Variable, check: bool) -> Variable:
    found = dataset.variables.get(master.name)
    if found is None:
        if check:
            raise JoinError(f"{dataset.filepath()}: there is no variable {master.name!r}")
        raise MissingError(f"there is no variable {master.name!r}", store=dataset.filepath())
    if check:
        for what in ("dimensions", "ndim", "dtype"):
            _compare(dataset, master, what, getattr(master, what), getattr(found, what))
        _compare(dataset, master, "shape", master.shape[1:], found.shape[1:])
    return found


def _compare(dataset: Dataset, master: Variable, what: str, expected: Any, found: Any) -> None:
    if expected != found:
        place = f"{dataset.filepath()}: variable {master.name!r}"
        raise JoinError(f"{place}: expected {what} {expected} as in the master, found {found}")


def _calendar_of(parts: Sequence[Variable]) -> str:
    found = {str(part.calendar) if "calendar" in part.ncattrs() else None for part in parts}
    if None in found:
        raise ValueError("a dataset has no calendar attribute for its times; give calendar=")
    if len(found) > 1:
        names = ", ".join(sorted(map(str, found)))
        raise ValueError(f"the datasets have several calendars ({names}); give calendar=")
    return str(found.pop())
