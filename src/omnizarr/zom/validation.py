"""Checking hierarchies, models and JSON against a model: every violation, each with the path of its node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any, NamedTuple, TypeAlias

from pydantic import ValidationError

from omnizarr.errors import ConversionError, MetadataError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import AnyNode, Group
from omnizarr.hierarchy.paths import joined
from omnizarr.hierarchy.validate import Finding
from omnizarr.jsontypes import as_json, shown
from omnizarr.zom.faults import findings
from omnizarr.zom.known import KnownDocument
from omnizarr.zom.node import NodeSpec
from omnizarr.zom.reading import read_model
from omnizarr.zom.schema.check import check_by_schema
from omnizarr.zom.text import parsed
from omnizarr.zom.version import Version

Target: TypeAlias = Array | Group | NodeSpec[Any] | str | bytes | Mapping[str, Any]
Model: TypeAlias = type[NodeSpec[Any]] | str | Mapping[str, Any]


def validate(target: Target, model: Model) -> list[Finding]:
    """Return everything by which a hierarchy is not as a model has it; nothing where it is.

    Values are not looked at. Of a hierarchy in a store the documents are read once, from consolidated
    metadata where it was opened by such; nodes whose documents are broken are told of and left out, and the
    others are checked.

    Parameters
    ----------
    target
        An open array or group, a model, or the JSON of a model, as text or parsed.
    model
        A model; the name of a convention, whose model for the version of the target it is; or a JSON
        Schema, parsed, of the JSON that a model has.

    Returns
    -------
    list of Finding
        Of kind `"model"`; `"metadata"` where documents in the store break the specification itself. The paths
        of nodes are those in their store.

    Raises
    ------
    ValueError
        There is no convention of that name.
    MetadataError
        It is no JSON Schema.
    TypeError
        The target or the model is nothing of this kind.
    """
    _check_model(model)
    try:
        subject = _subject(target, model)
    except MetadataError as error:
        return [Finding("model", "", problem.at, problem.message) for problem in error.problems]
    told = _findings(subject.document, model, subject.version)
    broken = {finding.path for finding in subject.broken}
    found = list(subject.broken)
    for finding in told:
        path = joined(subject.path, finding.path)
        if path not in broken or _is_there(subject.document, finding.path):  # that it is missing was told
            found.append(replace(finding, path=path))
    return list(dict.fromkeys(found))


def _is_there(document: Any, path: str) -> bool:
    for name in path.split("/") if path else ():
        members = document.get("members")
        if not members or name not in members:
            return False
        document = members[name]
    return True


def _check_model(model: object) -> None:
    if isinstance(model, str | Mapping):
        return
    if not (isinstance(model, type) and issubclass(model, NodeSpec) and hasattr(model, "version")):
        expected = "an ArraySpec or GroupSpec class, the name of a convention or a JSON Schema"
        raise TypeError(f"model: expected {expected}, found {shown(model)}")


class _Subject(NamedTuple):
    """What is checked: a document, of which version it says it is, and what was broken in the store."""

    document: Any
    version: object
    path: str = ""
    broken: tuple[Finding, ...] = ()


def _subject(target: Target, model: Model) -> _Subject:
    if isinstance(target, Array | Group):
        return _read(target, model)
    if isinstance(target, NodeSpec):
        return _Subject(target.to_json(), target.version.number)
    if not isinstance(target, str | bytes | bytearray | Mapping):
        raise TypeError(f"expected an array, a group, a model or JSON, found {type(target).__name__}")
    document = parsed(target)
    if not isinstance(document, Mapping):
        return _Subject(document, None)
    return _Subject(document, document.get("zarr_format", document.get("zarr_version")))


def _read(node: AnyNode, model: Model) -> _Subject:
    """Read a hierarchy; of one that is of another version than its model, only the root."""
    broken: list[Finding] = []

    def tell(path: str, error: MetadataError) -> None:
        place = joined(node.path, path)
        broken.extend(Finding("metadata", place, fault.at, fault.message) for fault in error.problems)

    version = Version(3 if node.zarr_format == 3 else 2)
    is_other = isinstance(model, type) and model.version != version
    document = read_model(node, version, 0 if is_other else None, KnownDocument, tell)
    return _Subject(document, version.number, node.path, tuple(broken))


def _findings(document: Any, model: Model, version: object) -> list[Finding]:
    if isinstance(model, Mapping):
        return _by_schema(document, model)
    if isinstance(model, str):
        if not isinstance(document, Mapping):
            return [Finding("model", "", "", f"expected an object, found {shown(document)}")]
        if version not in (2, 3):
            return [Finding("model", "", "zarr_format", f"expected 2 or 3, found {shown(version)}")]
        try:
            model = _convention(model, 3 if version == 3 else 2)
        except ConversionError as error:  # the convention is none of this version's
            return [Finding("model", "", "", str(error))]
    try:
        model.model_validate(document)
    except ValidationError as error:
        return findings(error, document)
    return []


def _convention(name: str, zarr_format: int) -> type[NodeSpec[Any]]:
    """Return the model of a convention; as importing them takes 60 ms, it is done when one is asked for."""
    found: type[NodeSpec[Any]] = import_module("omnizarr.zom.conventions").convention(name, zarr_format)
    return found


def _by_schema(document: Any, schema: Mapping[str, Any]) -> list[Finding]:
    try:
        document = as_json(document)
    except TypeError as error:  # what was not made by JSON's parser
        return [Finding("model", "", "", str(error))]
    except RecursionError:
        return [Finding("model", "", "", "nested too deeply")]
    return check_by_schema(document, dict(schema))
