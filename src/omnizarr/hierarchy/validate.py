"""Looking for what is wrong in a hierarchy: documents, names, keys, chunks, shards and checksums."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias, get_args

from omnizarr.config import config
from omnizarr.hierarchy.node import Node
from omnizarr.hierarchy.opening.formats import format_of
from omnizarr.hierarchy.opening.locate import Place, locate, was_opened_for, wishes_of
from omnizarr.hierarchy.opening.within import hierarchies_above, in_hierarchy
from omnizarr.hierarchy.validating.check import Check, Progress
from omnizarr.hierarchy.validating.findings import Finding, Findings, Kind, Report
from omnizarr.hierarchy.validating.formats import formats_at
from omnizarr.hierarchy.workers.base import Workers, workers_of
from omnizarr.metadata.formats.base import Format

__all__ = ["Finding", "Kind", "Level", "Progress", "Report", "validate"]

Level: TypeAlias = Literal["documents", "keys", "data"]
MOST_FINDINGS = 1000


def validate(
    target: Any,
    *,
    path: str | None = None,
    level: Level = "keys",
    zarr_format: int | str | None = None,
    max_findings: int | None = MOST_FINDINGS,
    workers: int | Workers | None = None,
    storage_options: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    tell: Callable[[Finding], None] | None = None,
) -> Report:
    """Return all that is wrong at and below a node, and change nothing.

    Parameters
    ----------
    target
        A path, a URL, a store, an array or a group.
    path
        The node's path within the target.
    level
        `"documents"`: documents, names and consolidated metadata; no chunk is listed. `"keys"`: also what
        each key belongs to. `"data"`: also every stored chunk is decoded, each inner chunk of a shard.
    zarr_format
        Which one, where there are two, or where the node itself is gone; by default all that are there.
    max_findings
        How many findings to keep; the others are counted. None: all, however many.
    workers
        Who decodes chunks: a number of threads, by default as many as pay off; `omnizarr.Processes`; or
        `omnizarr.integrations.distributed.Cluster`.
    storage_options
        Options of the store, for URLs.
    progress
        Is told how many chunks were decoded, and how many there are.
    tell
        Hears of each finding and note as it comes, in no particular order, from any thread.

    Returns
    -------
    Report
        Its `findings` are empty where nothing is wrong.

    Raises
    ------
    NodeNotFoundError
        There is no node.
    StoreError
        The store failed; but a chunk that cannot be read is a finding.
    WorkersError
        The workers cannot reach the store, or were lost.
    """
    if level not in get_args(Level):
        raise ValueError(f"level: expected one of {', '.join(get_args(Level))}, found {level!r}")
    if max_findings is not None and max_findings < 1:
        raise ValueError(f"max_findings: expected at least 1, found {max_findings}")
    crew = workers_of(workers)
    with config.using(cache=""):  # what is stored is checked, not what was kept of it
        where = in_hierarchy(*locate(target, path, "r", storage_options))
    try:
        findings = Findings(max_findings, tell)
        with Check.of(*where, formats_asked(target, where, zarr_format, findings), findings) as check:
            return checked(check, level, crew, progress)
    finally:
        if was_opened_for(target):
            where.store.close()


def formats_asked(
    target: Any, where: Place, zarr_format: int | str | None, findings: Findings
) -> list[Format]:
    """Return the formats to look at: the one that is asked for, that of a node, or all that are there.

    Raises
    ------
    NodeNotFoundError
        There is no node.
    """
    zarr_format = wishes_of(target, zarr_format).zarr_format
    if zarr_format is not None:
        asked = format_of(zarr_format)
        drafts = hierarchies_above(*where) if asked.implicit_groups else iter(())
        return [next((place.format for place in drafts), asked)]
    if isinstance(target, Node) and where.path == target.path:
        return [target.format]
    return formats_at(*where, findings)


def checked(check: Check, level: Level, workers: Workers, progress: Progress | None) -> Report:
    """Carry out a check, and return what it found."""
    if level == "data":
        workers.require(check.store)
    if level == "documents":
        check.check_documents()
    else:
        check.check_keys(data=level == "data")
    if level == "data":
        with workers:
            check.check_values(workers, progress)
    nodes = {place for nodes in check.read for place in (*nodes.metadata, *nodes.broken)}
    chunks = check.chunks if level == "data" else 0
    return check.findings.report(len(nodes), check.listed.count, chunks)
