"""Writes hierarchies of the draft of 2020 with zarr-python 2.18, and what it reads of them as JSON.

    ZARR_V3_EXPERIMENTAL_API=1 ZARR_V3_SHARDING=1 python write_2020.py FOLDER

In FOLDER: `directory/`, `archive.zip`, `keys.json` (a dictionary of keys, in hexadecimal), all three alike;
`root/`, whose root is an array; and `values.json`. `write_all` is the content.
"""

import json
import sys
import types
from pathlib import Path
from zipfile import ZIP_DEFLATED

import numcodecs
import numpy as np
import zarr
from zarr._storage.v3 import DirectoryStoreV3, KVStoreV3, ZipStoreV3
from zarr._storage.v3_storage_transformers import ShardingStorageTransformer

# zarr-python looks for a storage transformer of its tests, which need pytest, before it reads its own.
_tests = types.ModuleType("zarr.tests.test_storage_v3")
_tests.DummyStorageTransfomer = types.SimpleNamespace(extension_uri="")
sys.modules[_tests.__name__] = _tests

CORE = ["bool", "i1", "u1", *(f"{o}{k}{n}" for o in "<>" for k in "iuf" for n in (2, 4, 8))]
EXTENDED = ["<c8", ">c16", "<M8[ns]", ">m8[s]", "|S5", "<U3", ">U2", "|V3"]
COMPRESSORS = {
    "gzip": numcodecs.GZip(1),
    "zlib": numcodecs.Zlib(1),
    "blosc": numcodecs.Blosc("zstd", 3, numcodecs.Blosc.BITSHUFFLE),
    "blosc_auto": numcodecs.Blosc("lz4", 5, numcodecs.Blosc.AUTOSHUFFLE),
    "zstd": numcodecs.Zstd(3),
    "lz4": numcodecs.LZ4(2),
    "bz2": numcodecs.BZ2(1),
    "lzma": numcodecs.LZMA(preset=1),
    "none": None,
}
FILLS = {"nan": np.nan, "inf": np.inf, "minus_inf": -np.inf, "number": 1.5}


def sample(dtype, shape):
    """Return elements that differ, and do not depend on anything."""
    dtype, count = np.dtype(dtype), int(np.prod(shape, dtype=int))
    if dtype.kind in "SU":
        return np.array([str(7 * i % 91) for i in range(count)], dtype).reshape(shape)
    if dtype.kind == "b":
        return (np.arange(count) % 3 == 0).reshape(shape)
    if dtype.kind in "iufcmM":
        values = np.arange(count).astype("i8") * 3 % 101
        return values.astype(dtype.newbyteorder("=")).astype(dtype).reshape(shape)
    raw = np.frombuffer(bytes(i * 5 % 256 for i in range(count * dtype.itemsize)), "u1")
    return raw.view(dtype).reshape(shape)


def array(store, path, shape, chunks, dtype, data=Ellipsis, where=..., shards=None, **options):
    """Make an array and store elements in a part of it; all of it unless told otherwise."""
    transformers = [] if shards is None else [ShardingStorageTransformer("indexed", chunks_per_shard=shards)]
    made = zarr.create(
        shape, chunks=chunks, dtype=dtype, store=store, path=path, zarr_version=3,
        storage_transformers=transformers, **options,
    )  # fmt: skip
    made[where] = sample(dtype, made[where].shape) if data is Ellipsis else data
    return made


def write_all(store):
    """Write a hierarchy with all that the draft has."""
    root = zarr.open_group(store, mode="w", zarr_version=3)
    root.attrs.update(title="draft", numbers=[1, 2.5, None])
    root.create_group("explicit/inner").attrs["depth"] = 2
    array(store, "implied/deep/er/x", (3,), (2,), "<i4", compressor=None).attrs["units"] = "m"
    for number, dtype in enumerate([*CORE, *EXTENDED]):
        array(store, f"types/t{number:02}", (5,), (2,), dtype, fill_value=None, compressor=None)
    for name, compressor in COMPRESSORS.items():
        array(store, f"compressors/{name}", (7, 5), (3, 2), "<i4", compressor=compressor)
    for name, fill in FILLS.items():
        array(store, f"fills/{name}", (6,), (2,), "<f8", where=slice(0, 2), fill_value=fill, compressor=None)
    for order in "CF":
        array(store, f"orders/{order}", (4, 5, 3), (2, 3, 2), "<i2", order=order)
    array(store, "separators/dot", (5, 4), (2, 2), "<u2", dimension_separator=".")
    array(store, "separators/slash", (5, 4), (2, 2), "<u2", dimension_separator="/")
    array(store, "scalars/number", (), (), "<f8", data=2.5, compressor=None)
    array(store, "scalars/missing", (), (), "<i4", data=7, compressor=None, fill_value=7)
    del store["data/root/scalars/missing/c0"]
    delta = [numcodecs.Delta("<i4"), numcodecs.Shuffle(4)]
    array(store, "filters/delta", (9,), (4,), "<i4", filters=delta, compressor=numcodecs.Zlib(1))
    scaled = [numcodecs.FixedScaleOffset(offset=0, scale=10, dtype="<f4", astype="i2")]
    array(store, "filters/scaled", (6,), (4,), "<f4", filters=scaled, compressor=None)
    text = np.array(["", "one", "zwölf", "три"], object)
    array(store, "objects/text", (4,), (3,), object, text, object_codec=numcodecs.VLenUTF8(), fill_value="")
    blobs = np.array([b"", b"\0\1", b"xyz"], object)
    array(store, "objects/bytes", (3,), (2,), object, blobs, object_codec=numcodecs.VLenBytes())
    record = np.dtype([("a", "<i4"), ("b", "<f8"), ("c", "S3")])
    records = np.array([(1, 2.5, b"x"), (-1, np.inf, b"yz"), (7, 0.0, b"")], record)
    array(store, "structs/plain", (3,), (2,), record, records, compressor=None)
    array(store, "structs/filled", (3,), (2,), record, records[:1], where=slice(0, 1), fill_value=records[1])
    shard = {"shards": (2, 2), "compressor": None}
    array(store, "shards/plain", (9, 8), (2, 2), "<i4", **shard)
    array(
        store,
        "shards/partial",
        (9, 8),
        (2, 2),
        "<i4",
        where=(slice(0, 3), slice(3, 5)),
        fill_value=-1,
        **shard,
    )
    array(
        store, "shards/packed", (9, 8), (2, 3), ">f4", order="F", shards=(3, 2), compressor=numcodecs.GZip(1)
    )
    array(store, "shards/dots", (7,), (2,), "<i8", shards=2, dimension_separator=".")
    array(store, "shards/scalar", (), (), "<i2", data=5, shards=(), compressor=None)
    array(store, "empty", (0, 3), (1, 2), "<i4")
    array(
        store, "never", (3, 3), (2, 2), "<i4", data=np.zeros((3, 3)), fill_value=0, write_empty_chunks=False
    )


def plain(values):
    """Return an array as JSON: what it is, and its bytes in C order, or its objects."""
    values = np.asarray(values)
    if values.dtype.kind == "O":
        objects = [one if isinstance(one, str) else one.hex() for one in values.flat]
        return {"dtype": "|O", "shape": values.shape, "objects": objects}
    dtype = values.dtype.descr if values.dtype.names else values.dtype.str
    return {"dtype": dtype, "shape": values.shape, "bytes": values.tobytes().hex()}


def read_all(store):
    """Return what zarr-python reads: the attributes of groups and arrays, and the values of arrays."""
    found = {}

    def visit(path, node):
        attributes = {name: value for name, value in node.attrs.asdict().items() if name != "filters"}
        found[path] = {"attributes": attributes}
        if isinstance(node, zarr.Array):
            found[path]["values"] = plain(node[...])

    root = zarr.open_group(store, mode="r", zarr_version=3)
    visit("", root)
    root.visititems(visit)
    return found


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    keys = {}
    for store in (DirectoryStoreV3(folder / "directory"), KVStoreV3(keys)):
        write_all(store)
        zarr.consolidate_metadata(store, path="")
    with ZipStoreV3(folder / "archive.zip", mode="w", compression=ZIP_DEFLATED) as archive:
        archive.update({key: bytes(value) for key, value in sorted(keys.items())})
    (folder / "keys.json").write_text(json.dumps({key: bytes(value).hex() for key, value in keys.items()}))
    (folder / "values.json").write_text(json.dumps(read_all(KVStoreV3(keys))))
    array(DirectoryStoreV3(folder / "root"), "", (3, 4), (2, 2), "<i4", compressor=None).attrs["at"] = "root"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
