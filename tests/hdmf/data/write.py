"""Writes the fixtures `*.zarr.zip` of this folder; see README.md."""

import os
import sys
import zipfile
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import numcodecs
import numpy as np
from hdmf.build import DatasetBuilder, GroupBuilder, ReferenceBuilder
from hdmf.common import DynamicTable, VectorData, get_manager
from hdmf.spec import RefSpec
from hdmf_zarr.backend import ZarrIO

TYPED = (
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float32",
    "float64",
    "bool",
)


def identity(name):
    return {"namespace": "hdmf-common", "data_type": "Data", "object_id": str(uuid5(NAMESPACE_URL, name))}


def content():
    first = GroupBuilder("first", attributes=identity("first"))
    second = GroupBuilder("second", attributes=identity("second"))
    data = DatasetBuilder("data", np.arange(6).reshape(2, 3), dtype="int64")
    far = GroupBuilder("groups", groups=[first, second], datasets=[data])
    to = [ReferenceBuilder(one) for one in (first, second, data)]
    records = [(1, 2.5, to[0]), (3, 4.5, to[1])]
    reference = RefSpec("Data", "object")
    fields = [
        {"name": "idx_start", "dtype": "int32"},
        {"name": "count", "dtype": "float64"},
        {"name": "target", "dtype": reference},
    ]
    texts = [{"name": "number", "dtype": "int32"}, {"name": "text", "dtype": "text"}, fields[2]]
    plain = np.array([(1, 2.5), (3, 4.5)], [("a", "i4"), ("b", "f8")])
    datasets = [
        *(DatasetBuilder(name, np.array([0, 1, 100]).astype(name), dtype=name) for name in TYPED),
        DatasetBuilder("texts", ["a", "é", ""], dtype="text"),
        DatasetBuilder("asciis", [b"a", b"bc"], dtype="ascii"),
        DatasetBuilder("text", "one", dtype="text"),
        DatasetBuilder("number", 7, dtype="int"),
        DatasetBuilder("date", "2020-01-01T00:00:00+00:00", dtype="isodatetime"),
        DatasetBuilder("references", to, dtype="object"),
        DatasetBuilder("reference", to[1:2], dtype="object"),
        DatasetBuilder("records", records, dtype=fields),
        DatasetBuilder("described", [(1, "x", to[0]), (2, "yé", to[2])], dtype=texts),
        DatasetBuilder(
            "plain", plain, dtype=[{"name": "a", "dtype": "int32"}, {"name": "b", "dtype": "float64"}]
        ),
    ]
    return GroupBuilder("root", groups=[far], datasets=datasets, attributes=identity("root"))


def packed(folder):
    with zipfile.ZipFile(f"{folder}.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file():
                file.write(path, path.relative_to(folder).as_posix())


def write(folder, codec):
    with ZarrIO(folder, mode="w", manager=get_manager(), object_codec_class=codec) as io:
        io.write_builder(content())
    packed(folder)


def write_table(folder):
    table = DynamicTable(name="root", description="d", columns=[VectorData("x", "d", data=[1, 2])])
    with ZarrIO(folder, mode="w", manager=get_manager()) as io:
        io.write(table, cache_spec=True)
    packed(folder)


os.chdir(sys.argv[1])
write("pickled.zarr", numcodecs.Pickle)
write("json.zarr", numcodecs.JSON)
write_table("table.zarr")
