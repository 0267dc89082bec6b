"""The netCDF-4 file that the demo makes: a little of everything that a file can hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

_DAYS, _LEVELS, _ROWS, _COLUMNS = 24, 5, 90, 180


def make_sample(path: Path) -> None:
    """Write a netCDF-4 file: groups, an unlimited dimension, packed values, text, scalars, filters."""
    import netCDF4  # an extra, which the demo asks for

    with netCDF4.Dataset(path, "w") as file:
        file.set_fill_on()
        _describe(file)
        _coordinates(file)
        _fields(file)
        _stations(file.createGroup("stations"))
        _numbers(file.createGroup("numbers"))


def _describe(file: Any) -> None:
    file.title = "omnizarr demo"
    file.Conventions = "CF-1.10"
    file.history = 'made by "omnizarr demo"\nfor three readers'
    file.valid_range = np.array([-40, 60], "i2")
    file.setncattr_string("sources", ["model", "ships", "buoys: ä, ö, 水"])


def _coordinates(file: Any) -> None:
    for name, size in (("time", None), ("level", _LEVELS), ("lat", _ROWS), ("lon", _COLUMNS)):
        file.createDimension(name, size)
    time = file.createVariable("time", "f8", ("time",), zlib=True)
    time.units = "hours since 2024-01-01"
    time[:] = np.arange(_DAYS) * 6.0
    for name, first, last, size in (("lat", -89.0, 89.0, _ROWS), ("lon", 1.0, 359.0, _COLUMNS)):
        axis = file.createVariable(name, "f4", (name,))
        axis.units = "degrees_north" if name == "lat" else "degrees_east"
        axis[:] = np.linspace(first, last, size)
    file.createVariable("level", "i4", ("level",))[:] = [1000, 850, 500, 250, 100]


def _fields(file: Any) -> None:
    rng = np.random.default_rng(20240101)
    shape = (_DAYS, _LEVELS, _ROWS, _COLUMNS)
    smooth = np.cumsum(rng.normal(size=shape), axis=-1)
    heat = file.createVariable(
        "temperature",
        "i2",
        ("time", "level", "lat", "lon"),
        zlib=True,
        complevel=4,
        shuffle=True,
        chunksizes=(1, _LEVELS, _ROWS, _COLUMNS // 2),
        fill_value=-32768,
    )
    heat.setncatts({"units": "K", "scale_factor": np.float32(0.01), "add_offset": np.float32(273.15)})
    heat.set_auto_maskandscale(False)
    heat[:] = np.clip(smooth * 50, -20000, 20000).astype("i2")
    heat[3, 1, :10] = -32768
    wind = file.createVariable(
        "wind", "f4", ("time", "lat", "lon"), compression="zstd", complevel=3, shuffle=True
    )
    wind.setncatts({"units": "m s-1", "missing_value": np.float32(1e20)})
    wind[:] = smooth[:, 0].astype("f4")
    big = file.createVariable("pressure", ">f8", ("lat", "lon"), endian="big", fletcher32=True)
    big[:] = 1e5 + smooth[0, 0]


def _stations(group: Any) -> None:
    names = ["Hohenpeissenberg", "Mauna Loa", "Cape Grim", "", "水沢"]
    group.createDimension("station", len(names))
    group.createDimension("letter", 4)
    text = group.createVariable("name", str, ("station",))
    text[:] = np.array(names, object)
    code = group.createVariable("code", "S1", ("station", "letter"))
    code[:] = np.array([list(word) for word in ("HOHP", "MLO ", "CGO ", "----", "MIZU")], "S1")
    group.createVariable("version", "i4").assignValue(7)
    group.note = "strings, characters and a scalar"


def _numbers(group: Any) -> None:
    group.createDimension("n", 6)
    for code in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"):
        limits = np.finfo(code) if code.startswith("f") else np.iinfo(code)
        values = group.createVariable(f"of_{code}", code, ("n",))
        values[:] = np.array([limits.min, limits.max, 0, 1, 2, 3], code)
        values.extreme = np.array([limits.max], code)[0]
    odd = group.createGroup("odd").createVariable("values", "f8", ("n",))
    odd[:] = [np.nan, np.inf, -np.inf, -0.0, 5e-324, 1e308]
