"""Variables as arrays of Zarr v2 and v3 without netCDF's annotations: text as Zarr has it, true scalars."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Literal, TypeAlias

from omnizarr.jsontypes import Json, JsonObject
from omnizarr.metadata import chunk_keys
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.netcdf.dialects.attributes import decode_attribute, encode_attribute
from omnizarr.netcdf.dialects.pure import ANONYMOUS
from omnizarr.netcdf.dialects.stored import v3_array
from omnizarr.netcdf.dialects.writing import new_array, stored_itemsize
from omnizarr.netcdf.model.nodes import AttributeModel, VariableModel
from omnizarr.netcdf.model.types import CHAR, DOUBLE, FLOAT, STRING

# How strings are stored: of any length, or in as many bytes each as the variable says.
Strings: TypeAlias = Literal["variable", "fixed"]


def pure_array(
    variable: VariableModel,
    shape: tuple[int, ...],
    attributes: Mapping[str, Json],
    zarr_format: int,
    strings: Strings,
) -> ArrayMetadata:
    """Return the array of a new variable; on v3 with the names of its dimensions, where they have some.

    Raises
    ------
    ConversionError
        Zarr cannot hold the variable: it has a filter or a type that Zarr lacks.
    """
    array = new_array(variable, shape, attributes, text_changes(variable, strings))
    if zarr_format == 2:
        return array
    names = tuple(None if name.startswith(ANONYMOUS) else name for name in axis_names(variable))
    named = names if any(names) else None
    return replace(v3_array(variable, array), chunk_keys=chunk_keys.DEFAULT, dimension_names=named)


def axis_names(variable: VariableModel) -> tuple[str, ...]:
    """Return the names of a variable's dimensions, without the groups that these are in."""
    return tuple(path.rpartition("/")[2] for path in variable.dimensions)


def pure_attributes(attributes: Iterable[AttributeModel], *, bare: bool = False) -> JsonObject:
    """Return attributes as JSON that says their values, and their types as far as JSON can.

    Parameters
    ----------
    bare
        Whether NaN and infinities are tokens that JSON does not have, as zarr-python reads and writes them,
        rather than texts.
    """
    return {attribute.name: _encoded(attribute, bare) for attribute in attributes}


def _encoded(attribute: AttributeModel, bare: bool) -> Json:
    value, _ = encode_attribute(attribute)
    if isinstance(attribute.value, str):
        # JSON in place of a text only where it is read as that text again.
        is_kept = decode_attribute(attribute.name, value).value == attribute.value
        return value if is_kept else attribute.value
    if bare and attribute.type in (FLOAT, DOUBLE):
        return [_as_token(item) for item in value] if isinstance(value, list) else _as_token(value)
    return value


def _as_token(value: Json) -> Json:
    return float(value) if isinstance(value, str) else value


def text_changes(variable: VariableModel, strings: Strings) -> JsonObject:
    """Return the fields of `.zarray` that Zarr has otherwise than netCDF-C: those of scalars and of text."""
    changes: JsonObject = {} if variable.dimensions else {"shape": [], "chunks": []}
    if variable.type is STRING and strings == "variable":
        codecs: list[Json] = [entry.to_json(stored_itemsize(variable)) for entry in variable.filters]
        changes["compressor"] = codecs.pop() if codecs else None
        changes |= {"dtype": "|O", "filters": [{"id": "vlen-utf8"}, *codecs], "fill_value": _text(variable)}
    elif variable.type in (CHAR, STRING):
        changes |= {"dtype": f"|S{stored_itemsize(variable)}", "fill_value": _base64(variable)}
    return changes


def _text(variable: VariableModel) -> Json:
    return None if variable.fill_value is None else str(variable.fill_value)


def _base64(variable: VariableModel) -> Json:
    """Return the fill value as Zarr v2 has it for bytes, which netCDF-C does not understand."""
    fill = variable.fill_value
    data = fill.encode("utf-8", "surrogateescape") if isinstance(fill, str) else fill
    return b64encode(data).decode() if isinstance(data, bytes) else None
