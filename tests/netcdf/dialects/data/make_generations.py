"""Writes datasets with an old netCDF4, and what that one reads in them.

Runs under the old library, in a virtual environment of its own; see README.md.
"""

import ctypes
import json
import lzma
import math
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

NUMBERS = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8")


def types(d, np):
    d.createDimension("x", 4)
    for code in NUMBERS:
        d.createVariable("v_" + code, code, ("x",))[:] = np.arange(4).astype(code)
        d.createVariable("unwritten_" + code, code, ("x",))
        d.createVariable("fill_" + code, code, ("x",), fill_value=np.array(9, code))[1:2] = 1
        d.createVariable("off_" + code, code, ("x",), fill_value=False)[:] = 1
        if code[1] != "1":
            d.createVariable("big_" + code, code, ("x",), endian="big")[:] = 258
    d.createVariable("c", "S1", ("x",))[:] = np.array(list("abcd"), "S1")
    d.createVariable("nan", "f8", ("x",), fill_value=np.nan)[:2] = 1


def strings(d, np):
    d.createDimension("x", 4)
    d.createVariable("s", str, ("x",))[:] = np.array(["a", "", "bc", "d" * 100], object)
    d.setncattr_string("one", "text")
    d.setncattr_string("many", ["a", "bc"])
    v = d.createVariable("short", str, ("x",))
    v.setncattr("_nczarr_maxstrlen", np.int32(6))
    v[:] = np.array(["abcdef", "x", "", "y"], object)


def unicode(d, np):
    d.unicode = "äöü€"
    d.createGroup("ä").title = "ö"


def scalars(d, np):
    for code in NUMBERS:
        d.createVariable("s_" + code, code)[...] = 5
    d.createVariable("c", "S1")[...] = b"q"


def attributes(d, np):
    for code in NUMBERS:
        setattr(d, "one_" + code, np.array(3, code))
        setattr(d, "many_" + code, np.array([1, 2], code))
    d.text = "text"
    d.object = '{"a": 1, "b": [1,2]}'
    d.array = "[1,2]"
    d.floats = np.array([1.5, 0.1, 1e300])
    d.big = np.array([2**63, 2**64 - 1], "u8")
    d.small = np.int64(-(2**63))
    d.createDimension("x", 1)
    v = d.createVariable("v", "f4", ("x",))
    v.units = "m"
    v.tenth = np.float32(0.1)
    v[:] = 1


def empty_attributes(d, np):
    d.empty_text = ""
    for code in NUMBERS:
        setattr(d, "none_" + code, np.zeros(0, code))


def not_finite(d, np):
    d.nans = np.array([1.5, np.nan, np.inf, -np.inf])


def chunks(d, np):
    d.createDimension("y", 20)
    d.createDimension("x", 21)
    values = np.add.outer(np.arange(20), np.arange(21))
    for code in ("i1", "i2", "f8"):
        d.createVariable("cut_" + code, code, ("y", "x"), chunksizes=(7, 8))[:] = values
        d.createVariable("whole_" + code, code, ("y", "x"), contiguous=True)[:] = values


def groups(d, np):
    d.createDimension("x", 2)
    d.title = "root"
    g = d.createGroup("a").createGroup("b")
    g.title = "inner"
    g.createDimension("x", 3)
    g.createDimension("y", 2)
    g.createVariable("v", "i2", ("y", "x"))[:] = [[1, 2, 3], [4, 5, 6]]
    d["a"].createVariable("w", "i2", ("x", "x"))[:] = [[1, 2], [3, 4]]
    d.createGroup("empty")


def unlimited(d, np):
    d.createDimension("t", None)
    d.createDimension("x", 2)
    d.createVariable("v", "i4", ("t", "x"))[:3] = [[1, 2], [3, 4], [5, 6]]


SCRIPTS = (types, strings, unicode, scalars, attributes, empty_attributes, not_finite)
SCRIPTS += (chunks, groups, unlimited)


def write(name, url):
    import netCDF4
    import numpy as np

    warnings.simplefilter("ignore")
    with netCDF4.Dataset(url, "w") as d:
        globals()[name](d, np)


def describe(url):
    import netCDF4

    warnings.simplefilter("ignore")
    packages = Path(netCDF4.__file__).parents[1]
    [path] = (*packages.glob("netCDF4.libs/libnetcdf*"), *packages.glob("netcdf4.libs/libnetcdf*"))
    library = ctypes.CDLL(str(path))
    with netCDF4.Dataset(url) as d:
        d.set_auto_maskandscale(False)
        d.set_auto_chartostring(False)
        print(json.dumps(describe_group(d, library)))


def describe_group(g, library):
    return {
        "dimensions": {d.name: [len(d), d.isunlimited()] for d in g.dimensions.values()},
        "attributes": describe_attributes(g, -1, library),
        "variables": {name: describe_variable(v, library) for name, v in g.variables.items()},
        "groups": {name: describe_group(inner, library) for name, inner in g.groups.items()},
    }


def describe_variable(v, library):
    return {
        "type": "string" if v.dtype is str else v.dtype.newbyteorder("=").str,
        "dimensions": [d.group().path.rstrip("/") + "/" + d.name for d in v.get_dims()],
        "shape": list(v.shape),
        "endian": v.endian() if v.dtype is not str and v.dtype.itemsize > 1 else "",
        "attributes": describe_attributes(v, v._varid, library),
        "values": plain(v[...]),
    }


def describe_attributes(owner, varid, library):
    found = {}
    for name in owner.ncattrs():
        number = ctypes.c_int()
        code = library.nc_inq_atttype(owner._grpid, varid, name.encode(), ctypes.byref(number))
        assert code == 0, code
        found[name] = [number.value, plain(owner.getncattr(name))]
    return found


def plain(value):
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, bytes):
        return value.decode("latin-1")
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def main(target):
    expected, keys = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for script in SCRIPTS:
            name = script.__name__
            place = f"{folder}/{name}"
            url = f"file://{place}#mode=nczarr,file"
            done = run("--write", name, url)
            if done.returncode == 0:
                done = run("--describe", url)
                expected[name] = json.loads(done.stdout) if done.returncode == 0 else None
                keys[name] = contents(place)
    with lzma.open(target, "wt") as file:
        json.dump({"expected": expected, "keys": keys}, file, indent=1)


def run(*arguments):
    done = subprocess.run([sys.executable, __file__, *arguments], capture_output=True, text=True)
    if done.returncode:
        print(*arguments[:2], "ends with", done.returncode, done.stderr.strip()[-200:])
    return done


def contents(place):
    """Return the bytes of every file as text, a character a byte."""
    files = sorted(path for path in Path(place).rglob("*") if path.is_file())
    return {path.relative_to(place).as_posix(): path.read_bytes().decode("latin-1") for path in files}


if __name__ == "__main__":
    if sys.argv[1] == "--write":
        write(*sys.argv[2:])
    elif sys.argv[1] == "--describe":
        describe(sys.argv[2])
    else:
        main(sys.argv[1])
