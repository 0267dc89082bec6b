"""libnetcdf as an independent reader and writer, in a process of its own: odd datasets can end it."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from omnizarr import netcdf
from omnizarr.netcdf.model.nodes import AttributeModel

_DESCRIBE = """
import ctypes, glob, os, pickle, sys, warnings
import netCDF4
import numpy as np

[path] = glob.glob(os.path.join(os.path.dirname(netCDF4.__path__[0]), "netcdf4.libs", "libnetcdf-*"))
library = ctypes.CDLL(path)

def attributes(owner, varid):
    found = {}
    for name in owner.ncattrs():
        number = ctypes.c_int()
        code = library.nc_inq_atttype(owner._grpid, varid, name.encode(), ctypes.byref(number))
        assert code == 0, code
        value = owner.getncattr(name)
        found[name] = (number.value, value if isinstance(value, (str, list)) else np.asarray(value).ravel())
    return found

def variable(v):
    return {
        "type": "string" if v.dtype is str else v.dtype.newbyteorder("=").str,
        "dimensions": [f"{d.group().path.rstrip('/')}/{d.name}" for d in v.get_dims()],
        "shape": v.shape,
        "chunks": list(v.chunking() or []),
        "filters": v.filters(),
        "endian": v.endian() if v.dtype is not str and v.dtype.itemsize > 1 else "",
        # netCDF-C swaps the bytes of the fill value of big-endian variables.
        "fill": None if v.dtype is str or v.endian() == "big" else v.get_fill_value(),
        "attributes": attributes(v, v._varid),
        "values": np.asarray(v[...]),
    }

def group(g):
    return {
        "dimensions": {d.name: (len(d), d.isunlimited()) for d in g.dimensions.values()},
        "attributes": attributes(g, -1),
        "variables": {name: variable(v) for name, v in g.variables.items()},
        "groups": {name: group(inner) for name, inner in g.groups.items()},
    }

found = []
for place in sys.argv[1:-1]:
    with netCDF4.Dataset(place) as dataset:
        dataset.set_auto_maskandscale(False)
        dataset.set_auto_chartostring(False)
        found.append(group(dataset))
with open(sys.argv[-1], "wb") as file:
    pickle.dump(found, file)
"""


def run_peer(code: str, *arguments: str) -> None:
    """Run Python code in another process; an AssertionError with its last words where it fails."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, f"exit status {done.returncode}: {done.stderr[-2000:]}"


def url_of(path: Path, mode: str = "nczarr") -> str:
    """Return the URL by which libnetcdf knows a directory."""
    return f"file://{path}#mode={mode},file"


def peer_describes(place: str, scratch: Path) -> dict[str, Any]:
    """Return all that libnetcdf finds in a dataset."""
    [found] = peer_describes_all([place], scratch)
    return found


def peer_describes_all(places: list[str], scratch: Path) -> list[dict[str, Any]]:
    """Return all that libnetcdf finds in each of several datasets."""
    result = scratch / "described.pickle"
    run_peer(_DESCRIBE, *places, str(result))
    return list(pickle.loads(result.read_bytes()))


def we_describe(dataset: netcdf.Group) -> dict[str, Any]:
    """Return all that we find in a group."""
    return {
        "dimensions": {d.name: (len(d), d.isunlimited()) for d in dataset.dimensions.values()},
        "attributes": _attributes(dataset.as_model().attributes, dataset),
        "variables": {name: _variable(v) for name, v in dataset.variables.items()},
        "groups": {name: we_describe(inner) for name, inner in dataset.groups.items()},
    }


def _variable(v: netcdf.Variable) -> dict[str, Any]:
    v.set_auto_maskandscale(False)
    v.set_auto_chartostring(False)
    return {
        "type": "string" if v.dtype is str else np.dtype(v.dtype).newbyteorder("=").str,
        "dimensions": list(v.as_model().dimensions),
        "shape": v.shape,
        "chunks": list(v.chunking()),
        "filters": v.filters(),
        "endian": v.endian() if v.dtype is not str and np.dtype(v.dtype).itemsize > 1 else "",
        "fill": None if v.dtype is str or v.endian() == "big" else v.get_fill_value(),
        "attributes": _attributes(v.as_model().attributes, v),
        "values": np.asarray(v[...]),
    }


def _attributes(models: tuple[AttributeModel, ...], owner: Any) -> dict[str, Any]:
    found = {}
    for model in models:
        value = owner.getncattr(model.name)
        shown = value if isinstance(value, str | list) else np.asarray(value).ravel()
        found[model.name] = (model.type.number, shown)
    return found


def assert_same(ours: Any, theirs: Any, at: str = "") -> None:
    """Compare two descriptions to the last value; the place of a difference is named."""
    if isinstance(ours, dict):
        assert isinstance(theirs, dict), at
        assert list(ours) == list(theirs), f"{at}: {list(ours)} and {list(theirs)}"
        for name in ours:
            assert_same(ours[name], theirs[name], f"{at}/{name}")
    elif isinstance(ours, np.ndarray | np.generic) or isinstance(theirs, np.ndarray | np.generic):
        a, b = np.asarray(ours), np.asarray(theirs)
        assert a.shape == b.shape, f"{at}: {a.shape} and {b.shape}"
        assert a.dtype.newbyteorder("=") == b.dtype.newbyteorder("="), f"{at}: {a.dtype} and {b.dtype}"
        nan = a.dtype.kind in "fc"
        assert np.array_equal(a, b, equal_nan=nan), f"{at}: {a.tolist()} and {b.tolist()}"
    elif isinstance(ours, tuple):
        assert len(ours) == len(theirs), at
        for i, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            assert_same(a, b, f"{at}[{i}]")
    else:
        assert ours == theirs, f"{at}: {ours!r} and {theirs!r}"
