"""Prints as JSON all that hdmf-zarr reads of a file: builders by path, and what the containers hold.

    python read_all.py FOLDER [CHECKED]

With CHECKED, the containers are compared with those of that file, by hdmf's own comparison.
"""

import json
import sys
from datetime import date

import numpy as np
from hdmf.build import Builder, GroupBuilder, LinkBuilder, ReferenceBuilder
from hdmf.query import ReferenceResolver
from hdmf_zarr.nwb import NWBZarrIO
from pynwb.testing import TestCase


def path_of(builder):
    while isinstance(builder, (ReferenceBuilder, LinkBuilder)):
        builder = builder.builder
    names = []
    while builder is not None:
        names.append(builder.name)
        builder = builder.parent
    return "/".join(reversed(names))


def plain(value):
    """Return a value as JSON, with the type of its numbers; what points, as a path."""
    if isinstance(value, Builder):
        return "at " + path_of(value)
    if isinstance(value, (date, bytes)):
        return str(value)
    if isinstance(value, (ReferenceResolver, list, tuple)):
        return [plain(value[index]) for index in range(len(value))]
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    values = np.asarray(value[()] if hasattr(value, "chunks") else value)
    if values.dtype.names is not None:
        return [values.dtype.str, [plain(list(one)) for one in values.reshape(-1).tolist()]]
    if values.dtype.kind == "O":
        return [list(values.shape), [one if isinstance(one, str) else plain(one) for one in values.flat]]
    return [values.dtype.name, repr(values.tolist())]


def contents(builder, path, found):
    for name, value in builder.attributes.items():
        found[f"{path}@{name}"] = plain(value)
    if not isinstance(builder, GroupBuilder):
        found[path] = plain(builder.data)
        return
    for name, link in builder.links.items():
        found[f"{path}/{name}"] = "link " + path_of(link)
    for name, child in (*builder.groups.items(), *builder.datasets.items()):
        contents(child, f"{path}/{name}", found)


found = {}
with NWBZarrIO(sys.argv[1], mode="r") as io:
    contents(io.read_builder(), "", found)
    file = io.read()
    for checked in sys.argv[2:]:
        with NWBZarrIO(checked, mode="r") as other:
            TestCase().assertContainerEqual(file, other.read(), ignore_hdmf_attrs=True)
    found["objects"] = {key: type(one).__name__ for key, one in file.objects.items()}
print(json.dumps(found, sort_keys=True))
