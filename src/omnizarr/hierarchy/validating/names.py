"""Names that are reserved, or that some file systems cannot tell apart.

https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#node-names
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable

from omnizarr.errors import NodeNameError
from omnizarr.hierarchy.paths import ancestors_of, check_new_path, parent_of
from omnizarr.hierarchy.validating.findings import Findings
from omnizarr.store.directories.cases import folded
from omnizarr.store.keys import legal_pattern

_ON_WINDOWS = legal_pattern(windows=True)


def check_names(top: str, places: Iterable[str], zarr_format: int | str, findings: Findings) -> None:
    """Look at the names of all nodes below a place, and of the groups that are implied by them."""
    siblings: dict[tuple[str, str], set[str]] = defaultdict(set)
    for place in {part for whole in places for part in (whole, *ancestors_of(whole))}:
        if len(place) <= len(top):
            continue
        name = place.rpartition("/")[2]
        siblings[parent_of(place), folded(name)].add(name)
        _check_name(place, name, zarr_format, findings)
    for (parent, _), names in siblings.items():
        first, *others = sorted(names)
        for name in others:
            findings.add("name", f"{parent}/{name}".lstrip("/"), "", _clash(name, first))


def _check_name(place: str, name: str, zarr_format: int | str, findings: Findings) -> None:
    try:
        check_new_path(name, zarr_format)
    except NodeNameError as error:
        findings.add("name", place, "", str(error))
    if _ON_WINDOWS.fullmatch(name) is None:
        findings.note("name", place, "", "no file system of Windows holds this name")


def _clash(name: str, other: str) -> str:
    if unicodedata.normalize("NFC", name) == unicodedata.normalize("NFC", other):
        return f"the same name as {other!r}, in another Unicode normal form: {name!a}, {other!a}"
    return f"a file system that does not tell upper from lower case takes it for {other!r}"
