"""What a dialect cannot hold of a dataset."""

from __future__ import annotations

import pytest

from omnizarr.netcdf.dialects.base import Dialect
from omnizarr.netcdf.dialects.detect import DIALECTS, dialect_for
from omnizarr.netcdf.dialects.losses import losses_in
from omnizarr.netcdf.filters.known import Shuffle, Szip, Zlib
from omnizarr.netcdf.model.nodes import (
    FILL_VALUE,
    AttributeModel,
    DatasetModel,
    DimensionModel,
    GroupModel,
    VariableModel,
)
from omnizarr.netcdf.model.types import (
    ATOMIC_TYPES,
    BYTE,
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    SHORT,
    STRING,
    UBYTE,
    Compound,
    Enum,
    Field,
)

WRITTEN = [dialect for dialect in DIALECTS if isinstance(dialect, Dialect)]
EVERY = pytest.mark.parametrize("dialect", WRITTEN, ids=lambda d: f"{d.name}-{d.zarr_format}")
X = DimensionModel("x", 3)


def _losses(dialect: Dialect, **content: object) -> list[str]:
    root = GroupModel(name="/", **{"dimensions": (X,), **content})  # type: ignore[arg-type]
    return list(map(str, losses_in(dialect, DatasetModel(root=root))))


def _on(name: str, zarr_format: int, **content: object) -> list[str]:
    return _losses(dialect_for(name, zarr_format), **content)


def _variable(name: str = "v", **content: object) -> VariableModel:
    given = {"type": INT, "dimensions": ("/x",), "chunks": (3,), **content}
    return VariableModel(name=name, **given)  # type: ignore[arg-type]


@EVERY
def test_nothing_is_lost_of_what_all_dialects_know(dialect: Dialect) -> None:
    named = dialect.zarr_format == 3 or dialect.name != "plain"
    attributes = (AttributeModel("units", CHAR, "m"), AttributeModel("n", INT, (1, 2)))
    floats = (AttributeModel(FILL_VALUE, FLOAT, (-9.5,)),)
    variables = (
        _variable(attributes=attributes, filters=(Shuffle(), Zlib(4)), endian="big"),
        _variable("nan", type=DOUBLE, attributes=(AttributeModel(FILL_VALUE, DOUBLE, (float("nan"),)),)),
        _variable("f", type=FLOAT, attributes=floats),
        _variable("i", attributes=(AttributeModel(FILL_VALUE, INT, (-1,)),)),
        _variable("default", attributes=(AttributeModel(FILL_VALUE, INT, (INT.default_fill,)),)),
        _variable("s", type=STRING, dimensions=("/x",)),
        _variable("b", type=BYTE, no_fill=True),
        VariableModel(name="scalar", type=DOUBLE),
    )
    losses = _losses(dialect, attributes=attributes, variables=variables)
    assert [loss for loss in losses if named or "dimension" not in loss] == []


@EVERY
def test_dialects_with_notes_lose_no_type_and_no_dimension(dialect: Dialect) -> None:
    if dialect.name in ("plain", "xarray"):
        return
    attributes = tuple(
        AttributeModel(
            kind.name,
            kind,
            "a" if kind is CHAR else ("a",) if kind is STRING else (kind.dtype.type(1).item(),),
        )
        for kind in ATOMIC_TYPES
    )
    dimensions = (X, DimensionModel("t", 0, True), DimensionModel("unused", 7))
    inner = GroupModel(
        name="g", dimensions=(X,), variables=(_variable(dimensions=("/x", "/g/x"), chunks=(3, 3)),)
    )
    variables = tuple(
        _variable(kind.name, type=kind, dimensions=("/t", "/x"), chunks=(1, 3)) for kind in ATOMIC_TYPES
    )
    assert (
        _losses(dialect, dimensions=dimensions, attributes=attributes, variables=variables, groups=(inner,))
        == []
    )


@pytest.mark.parametrize("name", ["xarray", "plain"])
@pytest.mark.parametrize("zarr_format", [2, 3])
def test_pure_zarr_has_no_unlimited_dimensions_and_no_types(name: str, zarr_format: int) -> None:
    dimensions = (X, DimensionModel("t", 2, True), DimensionModel("unused", 7))
    attributes = (AttributeModel("n", SHORT, (1,)), AttributeModel("s", STRING, ("a",)))
    variable = _variable("c", type=CHAR, dimensions=("/t", "/x"), chunks=(1, 3), attributes=attributes)
    losses = _on(name, zarr_format, dimensions=dimensions, variables=(variable,))
    types = [
        "/c: the type short of the attribute 'n', which becomes int",
        "/c: the type string of the attribute 's', which becomes char",
    ]
    assert losses[-2:] == types
    assert ("/c: the type char, which becomes string" in losses) == (name == "plain")
    if (name, zarr_format) == ("plain", 2):
        assert "/c: its dimensions /t, /x, which become /_Anonymous_Dim_2, /_Anonymous_Dim_3" in losses
    else:
        assert losses[:2] == [
            "/: that the dimension t is unlimited",
            "/: the dimension unused, as one of this group",
        ]


def test_dimensions_of_one_name_are_told_apart_in_xarrays_convention() -> None:
    inner = GroupModel(
        name="g",
        dimensions=(DimensionModel("x", 4),),
        variables=(_variable(dimensions=("/x", "/g/x"), chunks=(3, 4)),),
    )
    losses = _on("xarray", 2, groups=(inner,))
    assert "/g/v: its dimensions /x, /g/x, which become /g/x, /g/x_4" in losses


@EVERY
def test_filters_without_a_codec_lose_the_variable_or_are_told(dialect: Dialect) -> None:
    losses = _losses(dialect, variables=(_variable(filters=(Szip(),)), _variable("kept")))
    assert all("/kept" not in loss or "dimension" in loss for loss in losses)
    assert losses == [] or losses[0].startswith("/v: ") or dialect.name == "plain"


def test_bytes_that_are_no_text_are_told() -> None:
    bad = AttributeModel("a", CHAR, b"\xe9".decode("utf-8", "surrogateescape"))
    assert _on("nczarr", 2, attributes=(bad,)) == ["/: the value of the attribute 'a', which becomes 'é'"]


def test_what_netcdf_c_cannot_open_is_told() -> None:
    cloud = Enum("/cloud_t", UBYTE, (("clear", 0),))
    pair = Compound("/pair_t", (Field("a", INT), Field("s", STRING)))
    variables = (_variable("e", type=cloud), _variable("p", type=pair, max_string_length=5))
    losses = _on("nczarr", 2, types=(cloud, pair), variables=variables)
    assert losses == ["/p: a variable of the type pair_t"]
    assert _on("proposal2018", 2, types=(cloud, pair), variables=variables) == []
    assert "/e: the type cloud_t, which becomes ubyte" in _on(
        "xarray", 2, types=(cloud, pair), variables=variables
    )


@EVERY
def test_a_fill_value_longer_than_strings_makes_room(dialect: Dialect) -> None:
    fill = AttributeModel(FILL_VALUE, STRING, ("ä" * 100,))
    texts = _variable("s", type=STRING, attributes=(fill,), max_string_length=5)
    assert [loss for loss in _losses(dialect, variables=(texts,)) if "dimension" not in loss] == []
