"""Datasets for the tests of CDL: as models, and as files that netCDF4 writes."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np

from omnizarr.netcdf.model.nodes import AttributeModel, DimensionModel, GroupModel, VariableModel
from omnizarr.netcdf.model.types import BY_NAME, CHAR, DOUBLE, FLOAT, INT, STRING, AtomicType

Data = Mapping[str, Any]
NUMBERS = [name for name, kind in BY_NAME.items() if kind.is_numeric]


def attribute(name: str, kind: AtomicType, *values: Any) -> AttributeModel:
    return AttributeModel(name, kind, values[0] if kind is CHAR else values)


def write_file(
    path: Path, root: GroupModel, data: Data, kind: str = "NETCDF4", library: Any = netCDF4
) -> None:
    """Write a dataset by netCDF4, or by a library that has its names."""
    with library.Dataset(path, "w", format=kind) as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # netCDF4 warns where a dtype says big-endian
        _write_group(file, root, "/", data)


def _write_group(target: Any, group: GroupModel, path: str, data: Data) -> None:
    for dimension in group.dimensions:
        target.createDimension(dimension.name, None if dimension.unlimited else dimension.size)
    _write_attributes(target, group.attributes)
    for variable in group.variables:
        fill = next((a.values[0] for a in variable.attributes if a.name == "_FillValue"), None)
        dtype = str if variable.type is STRING else variable.type.code
        names = tuple(dimension.rpartition("/")[2] for dimension in variable.dimensions)
        made = target.createVariable(variable.name, dtype, names, fill_value=fill)
        made.set_auto_mask(False)
        made.set_auto_scale(False)
        made.set_auto_chartostring(False)
        _write_attributes(made, [a for a in variable.attributes if a.name != "_FillValue"])
        values = np.asarray(data[f"{path}{variable.name}"])
        if values.size:
            made[tuple(slice(0, n) for n in values.shape) or ...] = values
    for inner in group.groups:
        _write_group(target.createGroup(inner.name), inner, f"{path}{inner.name}/", data)


def _write_attributes(target: Any, attributes: Any) -> None:
    for item in attributes:
        if item.type is STRING:
            target.setncattr_string(item.name, list(item.values) if len(item.values) > 1 else item.values[0])
        elif item.type is CHAR:
            target.setncattr(item.name, item.value)
        else:
            target.setncattr(item.name, np.array(item.values, item.type.code))


def rich() -> tuple[GroupModel, dict[str, Any]]:
    """A dataset with everything that CDL spells in a way of its own."""
    data: dict[str, Any] = {}
    variables, attributes = [], []
    for name in NUMBERS:
        kind = BY_NAME[name]
        attributes += [attribute(f"a_{name}", kind, 1, 2, 100), attribute(f"s_{name}", kind, 7)]
        variables.append(VariableModel(name=f"v_{name}", type=kind, dimensions=("/x",)))
        data[f"/v_{name}"] = np.array([1, 2, kind.default_fill, 3], kind.code)
        filled = (attribute("_FillValue", kind, 99),)
        variables.append(
            VariableModel(name=f"f_{name}", type=kind, dimensions=("/t", "/x"), attributes=filled)
        )
        data[f"/f_{name}"] = np.array([[0, 1, 2, 3], [99] * 4, [8, 9, 10, 99]], kind.code)
    odd = (1.5, 1e10, 1e-10, np.nan, np.inf, -np.inf, 1 / 3, 123456789.0, 0.0, -0.0, 1e5, 1e7, 1234567.0)
    attributes += [
        attribute("odd_f", FLOAT, *odd),
        attribute("odd_d", DOUBLE, *odd, 1e15, 1e16, 1e300, 5e-324),
        attribute("text", CHAR, "a \"q\" \\ 'single'\n next\tTab \x01\x7f \\n"),
        attribute("empty", CHAR, ""),
        attribute("none", INT),
        attribute("strings", STRING, "a", "b\nc", "é"),
        attribute("string", STRING, "é1"),
        attribute("odd name", INT, 1),
    ]
    special = np.array([1 / 3, np.nan, np.inf, -np.inf])
    text = np.array([list(b"ab   "), list(b"h\n'\"\\"), [0, 97, 0, 0, 0]], "u1").view("S1")
    units = (attribute("units", CHAR, "m"),)
    more: list[tuple[VariableModel, Any]] = [
        (VariableModel(name="dbl", type=DOUBLE, dimensions=("/x",)), special),
        (VariableModel(name="flt", type=FLOAT, dimensions=("/x",)), special.astype("f4")),
        (
            VariableModel(
                name="nanfill",
                type=FLOAT,
                dimensions=("/x",),
                attributes=(attribute("_FillValue", FLOAT, float("nan")),),
            ),
            special.astype("f4"),
        ),
        (VariableModel(name="scalar", type=DOUBLE, attributes=units), np.array(2.5)),
        (
            VariableModel(name="str", type=STRING, dimensions=("/x",)),
            np.array(['aé\n"', "", "x" * 90, "é" * 40], object),
        ),
        (VariableModel(name="str0", type=STRING), np.array("s", object)),
        (VariableModel(name="ch", type=CHAR, dimensions=("/t", "/name len")), text),
        (VariableModel(name="ch0", type=CHAR), np.array(b"c")),
        (
            VariableModel(name="ch1", type=CHAR, dimensions=("/name len",)),
            np.frombuffer("aé\x01\x7f".encode(), "S1"),
        ),
        (VariableModel(name="two", type=INT, dimensions=("/t", "/u", "/x")), np.arange(24).reshape(3, 2, 4)),
        (
            VariableModel(name="three", type=INT, dimensions=("/t", "/x", "/u")),
            np.arange(24).reshape(3, 4, 2),
        ),
        (
            VariableModel(name="nested", type=INT, dimensions=("/t", "/u", "/u")),
            np.arange(12).reshape(3, 2, 2),
        ),
        (VariableModel(name="chu", type=CHAR, dimensions=("/t", "/u")), np.array([[b"a", b"b"]] * 3)),
        (VariableModel(name="zero", type=INT, dimensions=("/z",)), np.zeros(0, "i4")),
        (VariableModel(name="1d", type=INT, dimensions=("/1d",)), np.arange(3)),
        (VariableModel(name="t", type=DOUBLE, dimensions=("/t",)), np.arange(3) * 1e-7),
        (VariableModel(name="data", type=DOUBLE, dimensions=("/t",), attributes=units), np.full(3, 0.1)),
        (
            VariableModel(
                name="cfmt",
                type=DOUBLE,
                dimensions=("/x",),
                attributes=(attribute("C_format", CHAR, "%8.3f"),),
            ),
            np.arange(4) / 3,
        ),
        (VariableModel(name="big", type=FLOAT, dimensions=("/big",)), np.arange(60) * 1.37e3),
        (
            VariableModel(name="bigger", type=FLOAT, dimensions=("/x", "/big")),
            (np.arange(240) * 1.37e-3).reshape(4, 60).astype("f4"),
        ),
    ]
    for variable, values in more:
        variables.append(variable)
        data[f"/{variable.name}"] = values
    deep = GroupModel(
        name="h",
        variables=(
            VariableModel(name="deep", type=FLOAT, dimensions=("/g one/x", "/big")),
            VariableModel(name="x", type=FLOAT, dimensions=("/g one/x",)),
        ),
    )
    data["/g one/h/deep"] = np.full((2, 60), 3.14159, "f4")
    data["/g one/h/x"] = np.full(2, 3.14159, "f4")
    group = GroupModel(
        name="g one",
        dimensions=(DimensionModel("x", 2), DimensionModel("y", 3)),
        attributes=units,
        variables=(VariableModel(name="gv", type=INT, dimensions=("/g one/x", "/t")),),
        groups=(deep,),
    )
    data["/g one/gv"] = np.ones((2, 3), "i4")
    root = GroupModel(
        name="/",
        dimensions=(
            DimensionModel("x", 4),
            DimensionModel("t", 3, True),
            DimensionModel("name len", 5),
            DimensionModel("u", 2, True),
            DimensionModel("z", 0, True),
            DimensionModel("1d", 3),
            DimensionModel("big", 60),
        ),
        attributes=tuple(attributes),
        variables=tuple(variables),
        groups=(group, GroupModel(name="empty")),
    )
    return root, data
