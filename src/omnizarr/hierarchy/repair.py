"""Removing what belongs to nothing, and writing stale consolidated metadata anew; nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from omnizarr.config import config
from omnizarr.hierarchy.opening.locate import locate, was_opened_for
from omnizarr.hierarchy.opening.unwritable import guarded
from omnizarr.hierarchy.opening.within import in_hierarchy
from omnizarr.hierarchy.validate import MOST_FINDINGS, Level, Progress, checked, formats_asked
from omnizarr.hierarchy.validating.check import Check
from omnizarr.hierarchy.validating.findings import REPAIRABLE, Finding, Findings, Report
from omnizarr.hierarchy.validating.plan import Refresh, RepairPlan
from omnizarr.hierarchy.workers.base import Workers, workers_of

__all__ = ["Repair", "RepairPlan", "repair"]


@dataclass(frozen=True, slots=True)
class Repair:
    """What a repair found, and what it did.

    Attributes
    ----------
    report
        What was wrong before it.
    agreed
        Whether it was carried out.
    removed
        How many keys, and files of writers that were killed, were removed.
    left
        How many findings remain, those that no repair takes away included.
    refreshed, refused
        Groups whose consolidated metadata were written anew, and those that are left as they are.
    """

    report: Report
    agreed: bool
    removed: int
    left: int
    refreshed: tuple[Refresh, ...]
    refused: tuple[Refresh, ...]


def repair(
    target: Any,
    *,
    path: str | None = None,
    level: Level = "keys",
    zarr_format: int | str | None = None,
    keep: Sequence[str] = (),
    dry_run: bool = False,
    agree: Callable[[RepairPlan], bool] | None = None,
    max_findings: int | None = MOST_FINDINGS,
    workers: int | Workers | None = None,
    storage_options: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    tell: Callable[[Finding], None] | None = None,
) -> Repair:
    """Check a hierarchy, remove the keys that belong to nothing, and refresh consolidated metadata.

    Removed are findings of the kinds `orphan`, `outside` and `partial`, written anew those of the kind
    `consolidated`. All that could be data of a node stays: what lies below a node that cannot be read,
    below a group without a document, or where consolidated metadata still have the document. Nobody should
    write to the hierarchy meanwhile; what becomes part of a node before it is removed stays.

    Parameters that are not listed are those of `omnizarr.validate`.

    Parameters
    ----------
    keep
        Patterns, as shells have them, of keys that stay: `"notes/*"`.
    dry_run
        Change nothing.
    agree
        Is shown what would be done, and says whether to do it.

    Raises
    ------
    NodeNotFoundError
        There is no node.
    ReadOnlyError
        The store was opened for reading; not with `dry_run`.
    ConversionError
        The format is read and never written; not with `dry_run`.
    StoreError
        The store failed; what was not done is done by the next repair.
    """
    with config.using(cache=""):  # what is stored, not what was kept of it
        crew = workers_of(workers)
    where = in_hierarchy(*locate(target, path, "r" if dry_run else "r+", storage_options))
    try:
        if not dry_run:
            where.store.require_writable()
        findings = Findings(max_findings, tell)
        formats = formats_asked(target, where, zarr_format, findings)
        for format in () if dry_run else formats:
            guarded(where.store, format).require_writable()
        with Check.of(*where, formats, findings) as check:
            report = checked(check, "keys" if level == "documents" else level, crew, progress)
            plan = RepairPlan(check, keep)
            agreed = (agree is None or agree(plan)) and not dry_run
            return _repaired(check, plan, report, agreed, progress)
    finally:
        if was_opened_for(target):
            where.store.close()


def _repaired(
    check: Check, plan: RepairPlan, report: Report, agreed: bool, progress: Progress | None
) -> Repair:
    refreshes = plan.refreshes()
    refused = tuple(one for one in refreshes if one.refusal)
    if not agreed:
        return Repair(report, False, 0, sum(report.counts.values()), (), refused)
    removed = plan.run(progress)
    others = sum(count for kind, count in report.counts.items() if kind not in REPAIRABLE)
    left = others + len(check.removable) + len(check.drafts) - removed + len(refused)
    return Repair(report, True, removed, left, tuple(one for one in refreshes if not one.refusal), refused)
