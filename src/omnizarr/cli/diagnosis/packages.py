"""Libraries by extras, and plug-ins of other packages."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from omnizarr.cli.diagnosis.findings import Finding, one_line
from omnizarr.cli.installed import Package, packages, platform_facts
from omnizarr.plugins import package_of

ABOUT = "installed"
GROUPS = (
    "omnizarr.codecs",
    "omnizarr.stores",
    "omnizarr.data_types",
    "omnizarr.chunk_grids",
    "omnizarr.chunk_key_encodings",
)

# The modules of packages whose names do not tell; what metadata say may be in small letters.
_MODULES = {"netcdf4": "netCDF4"}


def libraries() -> Iterator[Finding]:
    """Yield what omnizarr itself needs, and what each extra does."""
    facts = platform_facts()
    text = f"{facts['omnizarr']}, Python {facts['python']}, {facts['platform']}"
    yield Finding(ABOUT, "omnizarr", "ok", text, values=facts)
    listed = packages()
    if not listed:
        yield Finding(ABOUT, "extras", "note", "not known, as omnizarr runs without being installed")
    for extra in dict.fromkeys(package.extra for package in listed):
        yield _of_extra(extra, [package for package in listed if package.extra == extra])


def _of_extra(extra: str | None, needed: list[Package]) -> Finding:
    name = "needed" if extra is None else f"extra {extra}"
    install = 'pip install "omnizarr"' if extra is None else f'pip install "omnizarr[{extra}]"'
    old = [f"{one.name} {one.found}, expected {one.least} or later" for one in needed if one.is_too_old]
    missing = [one.name for one in needed if one.found is None]
    values = {one.name: one.found for one in needed}
    if old:
        return Finding(ABOUT, name, "warning", f"too old: {'; '.join(old)}", f"{install} --upgrade", values)
    if broken := list(filter(None, map(_fault, needed))):
        advice = f"{install} --force-reinstall"
        return Finding(ABOUT, name, "broken", f"does not load: {'; '.join(broken)}", advice, values)
    if not missing:
        told = ", ".join(f"{one.name} {one.found}" for one in needed)
        return Finding(ABOUT, name, "ok", told, values=values)
    if extra is None:
        return Finding(ABOUT, name, "broken", f"missing: {', '.join(missing)}", install, values)
    if len(missing) == len(needed):
        return Finding(ABOUT, name, "note", "not installed", install, values)
    return Finding(ABOUT, name, "note", f"missing: {', '.join(missing)}", install, values)


def _fault(package: Package) -> str:
    """Return what is wrong with a package that is there and cannot be imported."""
    if package.found is None:
        return ""
    module = _MODULES.get(package.name.lower()) or package.name.replace("-", "_")
    try:
        import_module(module)
    except Exception as error:  # whatever it is, it is what was to be found out
        return f"{package.name} {package.found}: {type(error).__name__}: {one_line(error)}"
    return ""


def plugins() -> Iterator[Finding]:
    """Yield what other packages extend omnizarr by, loaded for it."""
    for group in GROUPS:
        for entry in entry_points(group=group):
            yield _of_plugin(group, entry)


def _of_plugin(group: str, entry: EntryPoint) -> Finding:
    name, package = f"{group}: {entry.name}", package_of(entry)
    try:
        entry.load()
    except Exception as error:  # a broken plug-in is what was to be found out
        text = f"{entry.value} of {package} failed to load: {type(error).__name__}: {one_line(error)}"
        return Finding("plug-ins", name, "broken", text, f"upgrade or remove {package}")
    return Finding("plug-ins", name, "ok", f"{entry.value} of {package}")
