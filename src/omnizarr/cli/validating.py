"""What `omnizarr validate` does by its options, and how it tells what it found."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from importlib import import_module
from itertools import chain
from typing import Any, Self, TypeAlias

import click

from omnizarr.cli.asking import is_agreed
from omnizarr.cli.output import write_json, write_text
from omnizarr.cli.progress import progress_bar
from omnizarr.cli.sizes import counted
from omnizarr.cli.working import told_by, workers_for
from omnizarr.errors import MetadataError
from omnizarr.hierarchy.documents import fetch_metadata
from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.opening.locate import Place
from omnizarr.hierarchy.repair import Repair, RepairPlan, repair
from omnizarr.hierarchy.validate import Finding, Level, Report, validate
from omnizarr.hierarchy.validating.findings import Findings
from omnizarr.hierarchy.validating.formats import formats_at
from omnizarr.hierarchy.workers.base import Workers
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.group import GroupMetadata
from omnizarr.netcdf.validate import DatasetFinding, is_dataset, validate_dataset
from omnizarr.store.base import Store

AnyFinding: TypeAlias = Finding | DatasetFinding
Checker: TypeAlias = Callable[[Store, str, list[Format]], Iterable[Finding]]
Tell: TypeAlias = Callable[[AnyFinding], None]

# A question shows so many of the keys that it is about.
_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What the options ask for."""

    level: Level
    max_findings: int | None
    workers: Workers
    notes: bool
    repair: bool
    keep: tuple[str, ...]
    yes: bool
    dry_run: bool
    as_json: bool
    json_lines: bool

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Self:
        """Return what options ask for.

        Raises
        ------
        click.UsageError
            They contradict each other.
        """
        given = dict(options)
        data, level = given.pop("data"), given.pop("level")
        if data is not None and level is not None and data != (level == "data"):
            raise click.UsageError(f"--level {level} and --{'' if data else 'no-'}data contradict each other")
        if given["as_json"] and given["json_lines"]:
            raise click.UsageError("--json and --json-lines contradict each other")
        for name in ("keep", "yes", "dry_run"):
            if given[name] and not given["repair"]:
                raise click.UsageError(f"--{name.replace('_', '-')} is for --repair")
        given["workers"] = workers_for(given.pop("scheduler"), given["workers"])
        given["max_findings"] = given["max_findings"] or None
        return cls(level=level or ("data" if data else "keys"), **given)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was found, by the core and by others, and what a repair did."""

    report: Report
    others: list[AnyFinding]
    done: Repair | None

    @property
    def findings(self) -> list[AnyFinding]:
        """All findings; one that two tell of is there once."""
        return list(dict.fromkeys([*self.report.findings, *self.others]))

    @property
    def left(self) -> bool:
        """Whether anything is wrong that was not repaired."""
        if self.done is None or not self.done.agreed:
            return bool(self.findings)
        return bool(self.others) or self.done.left > 0


def checker(models: tuple[str, ...]) -> Checker:
    """Return what checks by models; to import those takes as long as to validate a small hierarchy."""
    if not models:
        return lambda store, path, formats: []
    by_models: Checker = import_module("omnizarr.cli.by_model").checker(models)
    return by_models


def write_line(wishes: Wishes) -> Tell | None:
    """Return what writes a finding as a line of JSON, where that is asked for."""

    def write(finding: AnyFinding) -> None:
        if wishes.notes or not getattr(finding, "note", False):
            click.echo(json.dumps(finding.to_json()))

    return write if wishes.json_lines else None


def carry_out(where: Place, wishes: Wishes, by_models: Checker, tell: Tell | None) -> Outcome:
    """Check a hierarchy, and repair it where that is asked for."""
    with wishes.workers if wishes.level == "data" else nullcontext():
        return _carried_out(where, wishes, by_models, tell)


def _carried_out(where: Place, wishes: Wishes, by_models: Checker, tell: Tell | None) -> Outcome:
    asked: dict[str, Any] = {name: getattr(wishes, name) for name in ("level", "max_findings", "workers")}
    asked |= {"path": where.path, "tell": tell}
    formats = formats_at(*where, Findings())
    done = None
    if wishes.repair:

        def agree(plan: RepairPlan) -> bool:
            return _is_agreed(plan, wishes)

        done = repair(where.store, keep=wishes.keep, dry_run=wishes.dry_run, agree=agree, **asked)
        report = done.report
    else:
        with progress_bar(told_by("chunks", wishes.workers), in_bytes=False) as advance:
            report = validate(where.store, progress=advance, **asked)
    told: list[AnyFinding] = [*_by_netcdf(where, formats, report), *by_models(*where, formats)]
    others = [finding for finding in told if finding not in report.findings]
    if tell is not None:
        for one in (*(one for one in report.findings if one.kind == "more"), *others):
            tell(one)
    return Outcome(report, others, done)


def write_outcome(outcome: Outcome, wishes: Wishes) -> int:
    """Tell what was found and done, and return the exit status."""
    told = [*outcome.findings, *(outcome.report.notes if wishes.notes else ())]
    if wishes.as_json:
        write_json([finding.to_json() for finding in told])
    elif not wishes.json_lines:
        write_text(_lines(told))
        if not outcome.findings:
            click.echo("no problems")
    if outcome.done is not None and outcome.done.agreed:
        _tell_of_repair(outcome.done)
    if outcome.findings:
        click.echo(_summary(outcome), err=True)
    return 1 if outcome.left else 0


def _lines(findings: Iterable[AnyFinding]) -> Iterator[str]:
    """Yield each finding as one line."""
    for finding in findings:
        note = "note: " if getattr(finding, "note", False) else ""
        yield f"{note}{finding.kind}: {' '.join(str(finding).splitlines())}\n"


def _summary(outcome: Outcome) -> str:
    report = outcome.report
    counts = Counter(report.counts) + Counter(finding.kind for finding in outcome.others)
    kinds = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    looked = [counted(report.nodes, "node")]
    looked += [
        counted(number, noun) for number, noun in ((report.keys, "key"), (report.chunks, "chunk")) if number
    ]
    return f"{counted(counts.total(), 'finding')} ({kinds}) in {', '.join(looked)}"


def _by_netcdf(where: Place, formats: list[Format], report: Report) -> list[DatasetFinding]:
    """Return what netCDF finds; broken documents are told of once."""
    broken = {finding.path for finding in report.findings if finding.kind == "metadata"}
    found: list[DatasetFinding] = []
    for format in formats:
        with suppress(MetadataError):  # the root's own documents are broken, which was told
            node = fetch_metadata(where.store, format, where.path)
            if not isinstance(node, GroupMetadata):
                continue
            root = Group(where.store, format, where.path, node.with_consolidated(None))
            if is_dataset(root):
                told = validate_dataset(root)
                found += [f for f in told if f.kind != "unreadable" or f.path not in broken]
    return found


# --- repairs


def _is_agreed(plan: RepairPlan, wishes: Wishes) -> bool:
    """Show what a repair would do, and ask."""
    count = sum(1 for _ in plan.removals()) + len(plan.drafts())
    anew = [one for one in plan.refreshes() if not one.refusal]
    for one in plan.refreshes():
        if one.refusal:
            click.echo(f"consolidated metadata of /{one.group} stay: {one.refusal}", err=True)
    if not count and not anew:
        click.echo("there is nothing to repair", err=True)
        return False
    steps = [f"remove {counted(count, 'key')}"] if count else []
    steps += [f"write the consolidated metadata of /{one.group} anew" for one in anew]
    if wishes.dry_run:
        _show_keys(plan, None)
        click.echo(f"would {' and '.join(steps)}", err=True)
        return False
    if not wishes.yes:
        _show_keys(plan, _SHOWN)
    if is_agreed(f"Repair: {' and '.join(steps)}?", wishes.yes):
        return True
    click.echo("nothing was changed", err=True)
    return False


def _show_keys(plan: RepairPlan, most: int | None) -> None:
    for number, key in enumerate(chain(plan.removals(), plan.drafts())):
        if number == most:
            click.echo("… (--dry-run shows all)", err=True)
            return
        click.echo(f"would remove {key}", err=True)


def _tell_of_repair(done: Repair) -> None:
    if done.removed:
        click.echo(f"removed {counted(done.removed, 'key')}", err=True)
    for one in done.refreshed:
        click.echo(f"wrote the consolidated metadata of /{one.group} anew", err=True)
