"""The types of fields that several models have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NotRequired, TypeAlias, TypeVar, get_args

import numpy as np
from pydantic import (
    BeforeValidator,
    ConfigDict,
    GetCoreSchemaHandler,
    StrictInt,
    StrictStr,
    WithJsonSchema,
    with_config,
)
from pydantic_core import CoreSchema
from typing_extensions import TypedDict

from omnizarr.metadata.dtype_numpy import from_numpy
from omnizarr.metadata.dtype_v2 import write_dtype
from omnizarr.metadata.dtype_v3 import write_data_type

T = TypeVar("T")


class _AsTuple:
    """Checks a sequence as a tuple: what is frozen should not change, and and of lists pydantic asks more."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return handler(tuple[get_args(source)[0], ...])  # type: ignore[misc]


Items: TypeAlias = Annotated[Sequence[T], _AsTuple()]
"""Several things in order: any sequence when it is given, a tuple once it is checked."""

Lengths: TypeAlias = Items[StrictInt]
"""A length for each axis."""

Names: TypeAlias = Items[StrictStr | None]
"""A name or None for each axis."""


_EXTENSION_NAME = "^(?:[a-z][a-z0-9_.-]+|[A-Za-z][A-Za-z0-9+.-]*:[^ ]+)$"

ExtensionName: TypeAlias = Annotated[str, WithJsonSchema({"type": "string", "pattern": _EXTENSION_NAME})]
"""The name of an extension: a registered one, or a URI."""


@with_config(ConfigDict(extra="forbid"))
class NamedConfig(TypedDict):
    """An extension of Zarr v3: a name, a configuration, and whether a reader must understand it."""

    name: ExtensionName
    configuration: NotRequired[dict[str, Any]]
    must_understand: NotRequired[bool]


Extension: TypeAlias = ExtensionName | NamedConfig
"""An extension as its document has it: an object, or a name alone."""


def of_numpy_v2(value: Any) -> Any:
    """Return numpy's types as Zarr v2 writes them, also by names that v2 has not, such as `uint8`."""
    if isinstance(value, str) and value[:1] in "<>|":
        return value
    try:
        return write_dtype(from_numpy(value)) if isinstance(value, np.dtype | type | str) else value
    except (TypeError, ValueError):
        return value


def of_numpy_v3(value: Any) -> Any:
    """Return numpy's types as Zarr v3 writes them."""
    return write_data_type(from_numpy(value)) if isinstance(value, np.dtype | type) else value


DataTypeV2: TypeAlias = Annotated[str | Sequence[Any], BeforeValidator(of_numpy_v2)]
"""A data type of Zarr v2: a string such as `<f4`, or a list of fields; numpy's types become that."""

DataTypeV3: TypeAlias = Annotated[Extension, BeforeValidator(of_numpy_v3)]
"""A data type of Zarr v3: a name or an object; numpy's types become that."""
