"""Run by the newest zarr-python: writes arrays of given metadata, and reads those of others.

The first argument is a folder with `cases.json`, a list of names; each is a folder with `values.npy`, and the
arrays `ours` and `theirs`, of which the second has metadata only. What it reads of `ours` becomes `read.npy`;
why it cannot read or write is printed.
"""

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import zarr

warnings.simplefilter("ignore")
folder = Path(sys.argv[1])
found = {}
for name in json.loads((folder / "cases.json").read_text()):
    answers = found[name] = {}
    values = np.load(folder / name / "values.npy")
    try:
        zarr.open_array(str(folder / name / "theirs"), mode="r+")[...] = values
        answers["wrote"] = ""
    except Exception as error:
        answers["wrote"] = f"{type(error).__name__}: {error}"
    try:
        np.save(folder / name / "read.npy", zarr.open_array(str(folder / name / "ours"), mode="r")[...])
        answers["read"] = ""
    except Exception as error:
        answers["read"] = f"{type(error).__name__}: {error}"
print(json.dumps(found))
