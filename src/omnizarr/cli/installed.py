"""What is installed beside omnizarr: its requirements by extras, and the versions that are there."""

from __future__ import annotations

import platform
import re
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version

from omnizarr._version import __version__

# What only those need who work on omnizarr itself.
_FOR_WORK = ("test", "bench", "docs", "fuzz", "all")
_REQUIREMENT = re.compile(
    r"([\w.-]+)(?:\[[^\]]*\])?\s*(?:>=\s*([\w.]+))?[^;]*(?:;.*extra == ['\"](\w+)['\"])?"
)


@dataclass(frozen=True, slots=True)
class Package:
    """A requirement.

    Attributes
    ----------
    found
        The version that is installed, or None.
    least
        The oldest that will do.
    extra
        Whose requirement it is; None for what omnizarr itself needs.
    """

    name: str
    found: str | None
    least: str | None
    extra: str | None

    @property
    def is_too_old(self) -> bool:
        """Whether it is there, and older than it may be."""
        return self.found is not None and self.least is not None and _before(self.found, self.least)


def packages() -> list[Package]:
    """Return all requirements, those of extras for users included; none where omnizarr is not installed."""
    try:
        listed = requires("omnizarr") or []
    except PackageNotFoundError:
        return []
    found = []
    for text in listed:
        match = _REQUIREMENT.match(text)
        if match is None or match[3] in _FOR_WORK or match[1] == "omnizarr":
            continue
        found.append(Package(match[1], _version(match[1]), match[2], match[3]))
    return found


def platform_facts() -> dict[str, str]:
    """Return what Python and the machine are."""
    return {
        "omnizarr": __version__,
        "python": f"{platform.python_version()} ({platform.python_implementation()})",
        "platform": platform.platform(),
        "executable": sys.executable,
    }


def version_text() -> str:
    """Return what `--version` shows: omnizarr's on the first line, the versions of its libraries below."""
    facts = platform_facts()
    by_name = {package.name.lower(): package for package in packages()}
    there = {package.name: package.found for package in by_name.values() if package.found}
    missing = sorted(package.name for package in by_name.values() if package.found is None)
    rows = {"python": facts["python"], **dict(sorted(there.items(), key=lambda item: item[0].lower()))}
    width = max(map(len, rows)) + 2
    lines = [f"omnizarr {facts['omnizarr']}"]
    lines += [f"{name:<{width}}{found}" for name, found in rows.items()]
    lines += [f"{'platform':<{width}}{facts['platform']}"]
    lines += [f"not installed: {', '.join(missing)}"] if missing else []
    return "\n".join(lines)


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _before(one: str, other: str) -> bool:
    first, second = _numbers(one), _numbers(other)
    longest = max(len(first), len(second))
    return _padded(first, longest) < _padded(second, longest)


def _numbers(text: str) -> tuple[int, ...]:
    release = re.match(r"\d+(\.\d+)*", text)
    return tuple(map(int, release[0].split("."))) if release else ()


def _padded(numbers: tuple[int, ...], length: int) -> tuple[int, ...]:
    return numbers + (0,) * (length - len(numbers))
