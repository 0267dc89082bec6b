"""`omnizarr validate`: looking for problems in a hierarchy."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib import import_module
from typing import TypeAlias

import click

from omnizarr.cli.output import write_json
from omnizarr.cli.places import json_option, place_argument, store_at
from omnizarr.cli.progress import progress_bar
from omnizarr.errors import MetadataError
from omnizarr.hierarchy.discover import is_node
from omnizarr.hierarchy.documents import fetch_metadata
from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.opening.diagnose import absent
from omnizarr.hierarchy.validate import Finding, validate
from omnizarr.metadata.formats import FORMATS
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.group import GroupMetadata
from omnizarr.netcdf.validate import DatasetFinding, is_dataset, is_sidecar, validate_dataset
from omnizarr.store.base import Store

Checker: TypeAlias = Callable[[Store, str, list[Format]], Iterable[Finding]]


@click.command("validate")
@place_argument
@click.option("--data", is_flag=True, help="Also decode every chunk.")
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="MODEL",
    help="Also check whether it is as a model has it: xarray, nczarr, hdmf, ome, package.module:Model, "
    "path/to/file.py:Model, or the file of a JSON Schema. Can be given several times.",
)
@json_option
def command(place: str, data: bool, models: tuple[str, ...], as_json: bool) -> int:
    """Look for problems in the hierarchy at PLACE, and exit with status 1 where there are any.

    Checked are: every document, with the place of each fault in it; whether consolidated metadata are up
    to date; keys that belong to nothing; copies that were never completed; with --data, every chunk. In a
    netCDF dataset also: what it says of its groups, dimensions, types and attributes. With --model, all this
    and whether the hierarchy is of that model.
    """
    by_models = _checker(models)
    with store_at(place) as (store, path), progress_bar("chunks", in_bytes=False) as advance:
        formats = _formats(store, path)
        found = [validate(store, format, path, data=data, progress=advance) for format in formats]
        findings: list[Finding | DatasetFinding] = [*_together(found)]
        findings = _with_datasets(store, path, formats, findings)
        findings = list(dict.fromkeys([*findings, *by_models(store, path, formats)]))
    if as_json:
        write_json([finding.to_json() for finding in findings])
    else:
        for finding in findings:
            click.echo(f"{finding.kind}: {' '.join(str(finding).splitlines())}")
        if not findings:
            click.echo("no problems")
    return 1 if findings else 0


def _checker(models: tuple[str, ...]) -> Checker:
    """Return what checks by models; to import those takes as long as to validate a small hierarchy."""
    if not models:
        return lambda store, path, formats: []
    checker: Checker = import_module("omnizarr.cli.by_model").checker(models)
    return checker


def _formats(store: Store, path: str) -> list[Format]:
    """Return the formats that the node is in: usually one, two where both have a document there."""
    found = [format for format in FORMATS.values() if is_node(store, format, path)]
    if not found:
        raise absent(store, None, path)
    return found


def _with_datasets(
    store: Store, path: str, formats: list[Format], findings: list[Finding | DatasetFinding]
) -> list[Finding | DatasetFinding]:
    """Add what netCDF finds: its own documents are no strangers, broken ones are told of once."""
    broken = {finding.path for finding in findings if finding.kind == "metadata"}
    for format in formats:
        with suppress(MetadataError):  # the root's own documents are broken, which was told
            node = fetch_metadata(store, format, path)
            if not isinstance(node, GroupMetadata):
                continue
            root = Group(store, format, path, node.with_consolidated(None))
            if is_dataset(root):
                findings = [f for f in findings if not (isinstance(f, Finding) and is_sidecar(f.at))]
                told = validate_dataset(root)
                findings += [f for f in told if f.kind != "unreadable" or f.path not in broken]
    return findings


def _together(found: list[list[Finding]]) -> list[Finding]:
    """Return the findings of all formats; a key that one of them knows is no stranger to the others."""
    strange = set.intersection(*({f.at for f in findings if f.kind == "key"} for findings in found))
    seen: dict[Finding, None] = {}
    for finding in (finding for findings in found for finding in findings):
        if finding.kind != "key" or finding.at in strange:
            seen[finding] = None
    return list(seen)
