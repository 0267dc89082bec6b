"""What CDL texts describe, in a form that can be compared; real ncgen and ncdump beside our reader."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from omnizarr.errors import MetadataError
from omnizarr.netcdf.cdl.reading.parse import ParsedCDL, parse_cdl

NCGEN = shutil.which("ncgen")
NCDUMP = shutil.which("ncdump")
needs_ncgen = pytest.mark.skipif(
    NCGEN is None or NCDUMP is None, reason="ncgen is not installed (Debian: netcdf-bin)"
)


def parsed(body: str) -> ParsedCDL:
    """Return what stands in the braces of a dataset."""
    return parse_cdl(f"netcdf a {{ {body} }}")


def values(body: str, path: str = "/a") -> Any:
    """Return the values of a variable."""
    return parsed(body).values[path].array().tolist()


def attribute(text: str) -> tuple[str, Any]:
    """Return the type and the value of a global attribute."""
    [found] = parsed(text).model.root.attributes
    return found.type.name, found.value


def problems(body: str) -> list[str]:
    """Return what is wrong with what stands in the braces of a dataset, from the second line on."""
    return problems_of(f"netcdf a {{\n{body}\n}}")


def problems_of(text: str) -> list[str]:
    """Return what is wrong with a text."""
    with pytest.raises(MetadataError) as caught:
        parse_cdl(text)
    return list(map(str, caught.value.problems))


def described(found: ParsedCDL) -> dict[str, Any]:
    """Return all that a dataset holds; what is not given is not there."""
    result: dict[str, Any] = {}
    for path, group in found.model.root.walk():
        at = path.rstrip("/")
        result[f"{at}/ types"] = set(group.types)  # ncgen sorts them
        result[f"{at}/ dimensions"] = group.dimensions
        result[f"{at}/ attributes"] = {a.name: (a.type, repr(a.value)) for a in group.attributes}
        for variable in group.variables:
            name = f"{at}/{variable.name}"
            result[name] = variable.type, variable.dimensions
            result[f"{name} attributes"] = {a.name: (a.type, repr(a.value)) for a in variable.attributes}
            if name in found.values:
                result[f"{name} values"] = repr(found.values[name].array().tolist())
    return result


def made_by_ncgen(text: str, scratch: Path) -> ParsedCDL:
    """Return what ncdump shows of what ncgen makes of a text."""
    target = scratch / "peer.nc"
    done = subprocess.run(
        [str(NCGEN), "-4", "-o", str(target)], input=text.encode(), capture_output=True, timeout=60
    )
    assert done.returncode == 0, done.stderr.decode()
    shown = subprocess.run([str(NCDUMP), str(target)], capture_output=True, check=True, timeout=60)
    return parse_cdl(shown.stdout.decode("utf-8", "surrogateescape"))


def assert_as_ncgen(text: str, scratch: Path) -> None:
    """Compare what we read with what ncgen makes of it."""
    ours, theirs = described(parse_cdl(text)), described(made_by_ncgen(text, scratch))
    for name, value in ours.items():
        assert theirs[name] == value, name
    assert set(theirs) - set(ours) <= {name for name in theirs if name.endswith(" values")}
