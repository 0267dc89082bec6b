"""Every type that pynwb can mock: written, read, appended to, exported to HDF5 and back, and validated.

What is read is compared with what was made by pynwb's own comparison of containers, and the builders with
those that were written, to the last attribute and to the types of numbers, which the comparison of containers
lets pass.
"""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Iterator
from datetime import UTC, date, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pynwb = pytest.importorskip("pynwb")

from hdmf.build import Builder, GroupBuilder, LinkBuilder, ReferenceBuilder  # noqa: E402
from hdmf.query import ReferenceResolver  # noqa: E402
from pynwb import NWBHDF5IO, NWBFile, TimeSeries  # noqa: E402
from pynwb.testing import TestCase, mock  # noqa: E402
from pynwb.testing.mock.base import mock_TimeSeries  # noqa: E402
from pynwb.testing.mock.ecephys import mock_ElectricalSeries, mock_ElectrodesTable  # noqa: E402
from pynwb.testing.mock.file import mock_NWBFile  # noqa: E402
from pynwb.testing.mock.ophys import mock_OnePhotonSeries  # noqa: E402

import omnizarr  # noqa: E402
from omnizarr.hdmf import NWBZarrIO  # noqa: E402
from omnizarr.hdmf.backend.pointing import path_of  # noqa: E402
from omnizarr.hierarchy.linking.links import links  # noqa: E402
from omnizarr.store import MemoryStore  # noqa: E402


def found_mocks() -> dict[str, Any]:
    modules = [import_module(f"{mock.__name__}.{one.name}") for one in pkgutil.iter_modules(mock.__path__)]
    functions = [pair for module in modules for pair in inspect.getmembers(module, inspect.isfunction)]
    own = {name: one for name, one in functions if name.startswith("mock_")}
    return {name: own[name] for name in sorted(own) if name != "mock_NWBFile"}


MOCKS = found_mocks()
NUMBERS = ("u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f4", "f8")
NAMES = [name for name in MOCKS if name != "mock_ElectrodeTable"]  # the old name of mock_ElectrodesTable


def placed(name: str, file: NWBFile) -> Any:
    """Put what a mock makes into a file, on the table of electrodes that is there already."""
    function, given = MOCKS[name], {}
    wanted = inspect.signature(function).parameters
    if file.electrodes is not None:
        if function is mock_ElectrodesTable:
            return file.electrodes
        if "table" in wanted:
            given["table"] = file.electrodes
        if "electrodes" in wanted:
            given["electrodes"] = MOCKS["mock_electrodes"](table=file.electrodes)
    if "starting_frame" in wanted:  # an attribute of `external_file`, which no mock has: no file keeps it
        given["starting_frame"] = None
    made = function(nwbfile=file, **given)
    if name == "mock_electrodes":
        mock_ElectricalSeries(electrodes=made, nwbfile=file)
    return made


def whole(names: list[str] | None = None) -> tuple[NWBFile, list[Any]]:
    """Return a file with all mocks, and with numbers of each kind."""
    file = mock_NWBFile(file_create_date=date_of(2), keywords=["ä", "b"], related_publications=("doi",))
    made = [placed(name, file) for name in NAMES if names is None or name in names]
    return file, made + [numbers(dtype, file) for dtype in NUMBERS]


def numbers(dtype: str, file: NWBFile) -> Any:
    data = np.array([[0, 1], [100, 127]], dtype)
    if dtype == "u2":
        fields = {"binning": np.uint8(3), "power": 1.5, "intensity": 2.5, "starting_frame": None}
        return mock_OnePhotonSeries(data=data[None], nwbfile=file, **fields)
    series = mock_TimeSeries(data=data, control=np.array([1, 2], "u1"), control_description=["a", "b"])
    file.add_acquisition(series)
    return series


def date_of(day: int) -> Any:
    return datetime(2020, 1, day, tzinfo=UTC)


def same(found: NWBFile, made: list[Any]) -> None:
    for one in made:
        TestCase().assertContainerEqual(found.objects[one.object_id], one, ignore_hdmf_attrs=True)


# --- builders, to the last attribute


def nodes(builder: GroupBuilder, path: str = "") -> Iterator[tuple[str, Any]]:
    yield path, builder
    for name, child in (*builder.groups.items(), *builder.datasets.items(), *builder.links.items()):
        if isinstance(child, GroupBuilder):
            yield from nodes(child, f"{path}/{name}")
        else:
            yield f"{path}/{name}", child


def plain(value: Any) -> Any:
    """Return a value with its shape and the type of its numbers; what points, as the path it points at."""
    if isinstance(value, Builder | ReferenceBuilder | date):
        return row(value)
    if not isinstance(value, ReferenceResolver | list | tuple) and getattr(value, "shape", ()) != ():
        value = value[()] if isinstance(value, np.ndarray) else value[:]
    if isinstance(value, ReferenceResolver) or has_rows(value):
        return [row(one) for one in value]
    values = np.asarray(value)
    if values.dtype.kind in "OUS":
        return values.shape, [row(one) for one in values.ravel().tolist()]
    return values.dtype.name, values.shape, repr(values.tolist())  # not a number is none of its equals


def row(value: Any) -> Any:
    if isinstance(value, ReferenceBuilder | LinkBuilder):
        value = value.builder
    if isinstance(value, Builder):
        return "at " + path_of(value)
    if isinstance(value, tuple | list | np.void):
        return [row(part) for part in value]
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, np.generic):
        return value.item()
    return value.decode() if isinstance(value, bytes) else value


def has_rows(values: Any) -> bool:
    if isinstance(values, np.ndarray):
        return values.dtype.names is not None
    first = values[0] if isinstance(values, list | tuple) and values else None
    return isinstance(first, Builder | ReferenceBuilder | tuple | np.void)


def contents(root: GroupBuilder) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for path, node in nodes(root):
        if path.startswith("/specifications"):
            continue
        if isinstance(node, LinkBuilder):
            found[path] = row(node)
            continue
        for name, value in node.attributes.items():
            if name != ".specloc":
                found[f"{path}@{name}"] = plain(value)
        found[path] = "group" if isinstance(node, GroupBuilder) else plain(node.data)
    return found


def written(file: NWBFile, target: Any, **options: Any) -> dict[str, Any]:
    with NWBZarrIO(target, "w", **options) as io:
        io.write(file, cache_spec=False)
        return contents(io.manager.get_builder(file))


# --- tests


def test_there_are_mocks() -> None:
    assert len(MOCKS) >= 33
    assert {"mock_TimeSeries", "mock_Units", "mock_PlaneSegmentation"} <= MOCKS.keys()


@pytest.mark.filterwarnings("ignore:mock_ElectrodeTable:DeprecationWarning")
@pytest.mark.parametrize("name", MOCKS)
def test_each_type_is_read_as_it_was_made(name: str) -> None:
    for zarr_format in (2, 3):
        file, store = mock_NWBFile(), MemoryStore()
        made = placed(name, file)
        builders = written(file, store, zarr_format=zarr_format)
        with NWBZarrIO(store) as io:
            same(io.read(), [made, file])
            assert contents(io.read_builder()) == builders


@pytest.mark.parametrize("pickled", [False, True])
@pytest.mark.parametrize("zarr_format", [2, 3])
def test_all_types_in_one_file(zarr_format: int, pickled: bool) -> None:
    file, made = whole()
    store = MemoryStore()
    with NWBZarrIO(store, "w", zarr_format=zarr_format, pickled_references=pickled) as io:
        io.write(file)
        builders = contents(io.manager.get_builder(file))
    with NWBZarrIO(store) as io:
        assert pynwb.validate(io=io) == []
        same(io.read(), [*made, file])
        assert contents(io.read_builder()) == builders
    root = omnizarr.open_group(store, mode="r")
    kept = {made[index].data.dtype.name for index in range(-10, 0)}
    stored = {root[f"acquisition/{one.name}/data"].dtype.name for one in made[-10:]}
    assert kept == stored and len(kept) == 10


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize(("mode", "step"), [("r+", 1), ("a", -1)])
def test_types_are_appended(zarr_format: int, mode: str, step: int) -> None:
    names, middle = NAMES[::step], len(NAMES) // 2
    file, made = whole(names[:middle])
    store = MemoryStore()
    with NWBZarrIO(store, "w", zarr_format=zarr_format) as io:
        io.write(file)
    with NWBZarrIO(store, mode) as io:
        found = io.read()
        made += [placed(name, found) for name in names[middle:]]
        io.write(found)
    with NWBZarrIO(store) as io:
        assert pynwb.validate(io=io) == []
        same(io.read(), made)


@pytest.mark.parametrize("link_data", [True, False])
@pytest.mark.parametrize("zarr_format", [2, 3])
def test_exports_from_hdf5_and_back(tmp_path: Path, zarr_format: int, link_data: bool) -> None:
    file, made = whole()
    with NWBHDF5IO(tmp_path / "a.nwb", "w") as io:
        io.write(file)
    with NWBHDF5IO(tmp_path / "a.nwb", "r") as source:
        file_found = contents(source.read_builder())
        with NWBZarrIO(tmp_path / "b.zarr", "w", zarr_format=zarr_format) as io:
            io.export(source, write_args={"link_data": link_data})
    with NWBZarrIO(tmp_path / "b.zarr") as source:
        assert pynwb.validate(io=source) == []
        assert contents(source.read_builder()) == file_found
        same(source.read(), [*made, file])
        with NWBHDF5IO(tmp_path / "c.nwb", "w") as io:
            io.export(source, write_args={"link_data": False})
    with NWBHDF5IO(tmp_path / "c.nwb", "r") as io:
        assert contents(io.read_builder()) == file_found
        same(io.read(), [*made, file])


@pytest.mark.parametrize("link_data", [True, False])
@pytest.mark.parametrize("formats", [(2, 3), (3, 2)])
def test_data_of_all_series_are_linked_or_copied(
    tmp_path: Path, formats: tuple[int, int], link_data: bool
) -> None:
    file, _ = whole()
    written(file, tmp_path / "a.zarr", zarr_format=formats[0])
    with NWBZarrIO(tmp_path / "a.zarr") as source:
        series = [one for one in source.read().acquisition.values() if isinstance(one, TimeSeries)]
        other = mock_NWBFile()
        for one in series:
            other.add_acquisition(TimeSeries(name=one.name, data=one.data, unit="V", rate=1.0))
        with NWBZarrIO(tmp_path / "b.zarr", "w", zarr_format=formats[1]) as io:
            io.write(other, link_data=link_data)
    root = omnizarr.open_group(tmp_path / "b.zarr", mode="r")
    for one in series:
        group = root[f"acquisition/{one.name}"]
        assert ("data" in links(group)) is link_data is not ("data" in group)
    with NWBZarrIO(tmp_path / "b.zarr") as io:
        found = io.read()
        for one in series:
            expected = file.acquisition[one.name].data
            np.testing.assert_array_equal(found.acquisition[one.name].data[()], expected)
            assert found.acquisition[one.name].data.dtype == np.asarray(expected).dtype
