"""What libnetcdf writes, we read to the last attribute type, and can change in place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from netcdf_peer import assert_same, peer_describes, run_peer, url_of, we_describe

from omnizarr import netcdf
from omnizarr.netcdf.opened.places import dimensions_of

_HEAD = """
import sys, warnings, netCDF4
import numpy as np
warnings.simplefilter('ignore')
d = netCDF4.Dataset(sys.argv[1], 'w')
"""

TYPES = """
d.createDimension('x', 4)
d.createDimension('t', None)
for code in ('i1', 'u1', 'i2', 'u2', 'i4', 'u4', 'i8', 'u8', 'f4', 'f8'):
    setattr(d, 'a_' + code, np.array([1, 2], code))
    setattr(d, 'b_' + code, np.array(3, code))
    setattr(d, 'e_' + code, np.zeros(0, code))
    v = d.createVariable('v_' + code, code, ('t', 'x'), zlib=True, fletcher32=True)
    v[1:3] = np.arange(8).reshape(2, 4)
    v.attribute = np.array(7, code)
    d.createVariable('s_' + code, code)[...] = 5
    d.createVariable('unwritten_' + code, code, ('x',))
    d.createVariable('fill_' + code, code, ('x',), fill_value=np.array(9, code))[1:2] = 1
    d.createVariable('off_' + code, code, ('x',), fill_value=False)[:] = 1
    if code[1] != '1':
        d.createVariable('big_' + code, code, ('x',), endian='big')[:] = 258
d.createVariable('c', 'S1', ('x',))[:] = np.array(list('abcd'), 'S1')
d.createVariable('s', str, ('x',))[:] = np.array(['a', '', 'äö', 'd' * 100], object)
d.createVariable('s_filled', str, ('x',), fill_value='none')
d.createVariable('s_shuffled', str, ('x',), zlib=True)[:] = np.array(['abcdefghijkl', '', 'b', 'c'], object)
d.createVariable('nan', 'f8', ('x',), fill_value=np.nan)
"""

ATTRIBUTES = """
d.text = 'text'
d.empty = ''
d.unicode = 'äöü€'
d.json = '{"a": 1, "b": [1,2]}'
d.setncattr_string('string', 'one')
d.setncattr_string('strings', ['one', 'two'])
d.floats = np.array([1.5, np.nan, np.inf, -np.inf])
d.big = np.array([2**63, 2**64 - 1], 'u8')
d.small = np.int64(-2**63)
"""

FILTERS = """
d.createDimension('y', 60)
d.createDimension('x', 67)
for name in ('zlib', 'zstd', 'bzip2', 'blosc_lz', 'blosc_lz4', 'blosc_zlib', 'blosc_zstd'):
    for code in ('i1', 'i2', 'f8'):
        v = d.createVariable(name + code, code, ('y', 'x'), name, chunksizes=(32, 40), fletcher32=True)
        v[:] = np.add.outer(np.arange(60), np.arange(67)) // 16
"""

GROUPS = """
d.createDimension('x', 2)
d.createDimension('t', None)
g = d.createGroup('a').createGroup('b')
g.createDimension('x', 3)
g.createVariable('v', 'i2', ('t', 'x'))[4] = [1, 2, 3]
d['a'].createVariable('w', 'i2', ('x', 't'))[:] = [[1, 2, 3, 4, 5]] * 2
d.createGroup('empty')
"""

WRITERS = {"types": TYPES, "attributes": ATTRIBUTES, "filters": FILTERS, "groups": GROUPS}


@pytest.fixture(scope="module", params=WRITERS)
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("theirs") / "theirs.zarr"
    run_peer(_HEAD + WRITERS[request.param] + "\nd.close()\n", url_of(place))
    return place


def test_we_read_it_in_full(written: Path, tmp_path: Path) -> None:
    with netcdf.Dataset(written) as dataset:
        assert dataset.disk_format == "NCZARR"
        ours = we_describe(dataset)
    assert_same(ours, _exact(peer_describes(url_of(written), tmp_path)))


def _exact(theirs: dict[str, Any]) -> dict[str, Any]:
    """Return a description with the default fill values that netCDF-C writes in six digits."""
    for variable in theirs["variables"].values():
        for name in ("values", "fill"):
            value = variable[name]
            if getattr(value, "dtype", np.dtype("i1")).kind == "f":
                rounded = np.isclose(value, 9.96921e36, rtol=1e-6)
                variable[name] = np.where(rounded, value.dtype.type(9.969209968386869e36), value)
    return theirs


def test_a_copy_is_the_same_to_libnetcdf(written: Path, tmp_path: Path) -> None:
    place = tmp_path / "ours.zarr"
    with netcdf.Dataset(written) as theirs, netcdf.Dataset(place, "w") as ours:
        _copy(theirs, ours)
    with netcdf.Dataset(place) as dataset:
        assert_same(we_describe(dataset), peer_describes(url_of(place), tmp_path))


def _copy(source: netcdf.Group, target: netcdf.Group) -> None:
    for name in source.ncattrs():
        target._set_attribute(source._attributes[name])
    for dimension in source.dimensions.values():
        target.createDimension(dimension.name, None if dimension.isunlimited() else dimension.size)
    for variable in source.variables.values():
        variable.set_auto_maskandscale(False)
        dimensions = dimensions_of(target, variable.dimensions)
        made = target._define(variable.as_model(), dimensions)
        made.set_auto_maskandscale(False)
        made[...] = variable[...]
    for name, group in source.groups.items():
        _copy(group, target.createGroup(name))


@pytest.mark.parametrize("mode", ["a", "r+"])
def test_changing_it_in_place_loses_nothing(mode: str, tmp_path: Path) -> None:
    place = tmp_path / "theirs.zarr"
    run_peer(_HEAD + TYPES + "\nd.close()\n", url_of(place))
    with netcdf.Dataset(place, mode) as dataset:
        before = {name: np.asarray(v[...]) for name, v in dataset.variables.items()}
        dataset.added = "later"
        dataset["v_i4"][3] = 9
        dataset["v_i4"].units = "m"
        dataset.createVariable("new", "f4", ("t",))[:] = 1.5
    with netcdf.Dataset(place) as dataset:
        ours = we_describe(dataset)
        assert dataset.dimensions["t"].size == 4
        for name, values in before.items():
            after = ours["variables"][name]["values"]
            kept = after[: len(values)] if values.ndim else after
            assert np.array_equal(kept, values, equal_nan=values.dtype.kind == "f"), name
    theirs = _exact(peer_describes(url_of(place), tmp_path))
    assert_same(ours, theirs)
