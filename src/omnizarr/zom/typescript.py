"""Models as declarations of TypeScript, for programs that write and read the JSON of models.

ZEP 6, "Validating Zarr Object Models".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from omnizarr.jsontypes import shown
from omnizarr.zom.known import untyped_model
from omnizarr.zom.node import NodeSpec
from omnizarr.zom.ts.declare import Declarations
from omnizarr.zom.ts.models import Model, Schemas
from omnizarr.zom.ts.names import RESERVED, names_of

_VERSIONS: Mapping[Any, int] = {2: 2, 3: 3, "2": 2, "3": 3, "v2": 2, "v3": 3}
_HEADER = """\
// Types of the Zarr v{number} object model {name}: of its JSON, as omnizarr reads and writes it (ZEP 6).
// Made by omnizarr from the model: change that, and make them again.
// What types cannot say, such as numbers that must agree, is checked when a model is read.
"""


def typescript(model: Model | int | str, *, name: str | None = None) -> str:
    """Return the types of a model's JSON as a module of TypeScript.

    Arrays and groups that have the fields of the specification are `ArraySpec<TAttributes>` and
    `GroupSpec<TAttributes, TMember>`; models that change some are written in full. What the JSON of every
    model has (`zarr_format`, `node_type`, `attributes`, `members`) is required, and so are fields that have
    no default. Properties that a model does not name are refused in literals, but where the model keeps
    them (`extra="allow"`, as `omnizarr.zom.Attributes` has it).

    Parameters
    ----------
    model
        A class of models; or 2, 3, "v2" or "v3" for the types of all models of a version.
    name
        What the model's type is called, in place of the name of its class.

    Raises
    ------
    TypeError, ValueError
        It is no model and no version, or `name` cannot be the name of a type.
    NameError
        The model names types that are not defined.
    """
    kind = _model(model)
    if name is not None and (not name.isidentifier() or name in RESERVED):
        raise ValueError(f"expected a name that TypeScript allows for a type, found {shown(name)}")
    number, schemas = kind.version.number, Schemas.of(kind)
    names = names_of(schemas, name, number)
    declarations = Declarations(schemas, names)
    declarations.declare(schemas.root)
    return "\n".join([_HEADER.format(number=number, name=names[schemas.root]), *declarations.texts])


def _model(model: Any) -> Model:
    if isinstance(model, type) and issubclass(model, NodeSpec) and hasattr(model, "version"):
        return model
    if isinstance(model, type) or not isinstance(model, int | str):
        raise TypeError(f"expected a class of models, found {shown(model)}")
    if isinstance(model, bool) or model not in _VERSIONS:
        raise ValueError(f"expected a class of models, 2, 3, 'v2' or 'v3', found {shown(model)}")
    return untyped_model(_VERSIONS[model], "group")
