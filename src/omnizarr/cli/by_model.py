"""Checking a hierarchy by the models that a user names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import click

from omnizarr.cli.models import model_named
from omnizarr.errors import MetadataError
from omnizarr.hierarchy.group import AnyNode
from omnizarr.hierarchy.opening.read import find_node
from omnizarr.hierarchy.validate import Finding
from omnizarr.jsontypes import shown
from omnizarr.metadata.formats.base import Format
from omnizarr.store.base import Store
from omnizarr.zom.conventions import CONVENTIONS
from omnizarr.zom.text import parsed
from omnizarr.zom.validation import Model, validate


def checker(models: Sequence[str]) -> Callable[[Store, str, list[Format]], Iterator[Finding]]:
    """Return what checks the hierarchy at a place by the models that a user names.

    Raises
    ------
    click.UsageError
        There is no such model.
    """
    return partial(_by_models, [_model_to_check(text) for text in models])


def _by_models(models: list[Model], store: Store, path: str, formats: list[Format]) -> Iterator[Finding]:
    """Yield by what a hierarchy is not as models have it; by the documents of nodes, consolidated or not."""
    roots = {format.zarr_format: _root(store, path, format) for format in formats}
    nodes = {number: node for number, node in roots.items() if node is not None}
    for model in models:
        number = model.version.number if isinstance(model, type) else None
        for node in [nodes[number]] if number in nodes else nodes.values():
            yield from validate(node, model)


def _root(store: Store, path: str, format: Format) -> AnyNode | None:
    with suppress(MetadataError):  # its own documents are broken, which was told
        return find_node(store, path, format.zarr_format, use_consolidated=False)
    return None


def _model_to_check(text: str) -> Model:
    """Return the model that a user names: a convention, a class, or the file of a JSON Schema."""
    if text in CONVENTIONS:
        return text
    path = Path(text)
    if path.suffix.lower() != ".json" and not path.is_file():
        return model_named(text, also="the file of a JSON Schema")
    if path.suffix.lower() == ".py":
        raise click.UsageError(f"--model {text}: expected {text}:Model, a class in that file")
    try:
        schema = parsed(path.read_bytes())
    except MetadataError as error:
        raise click.UsageError(f"--model {text}: {error}") from error
    if not isinstance(schema, dict):
        raise click.UsageError(f"--model {text}: expected a JSON Schema, an object, found {shown(schema)}")
    return schema
