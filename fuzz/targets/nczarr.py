"""netCDF in Zarr: the notes of every generation of NCZarr, and attributes of xarray's convention."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from fuzz.hierarchies import bounded, joined, stored
from omnizarr.errors import OmniZarrError
from omnizarr.netcdf import Dataset
from omnizarr.netcdf.cdl.generate import generate
from omnizarr.netcdf.cdl.reading.parse import parse_cdl
from omnizarr.store import MemoryStore

_KEYS = (
    ".zgroup",
    ".zattrs",
    "v/.zarray",
    "v/.zattrs",
    ".nczgroup",
    "v/.nczarray",
    ".nczattr",
    "v/0",
    "zarr.json",
    "v/zarr.json",
)
_CDL = """netcdf a {
types: byte enum mood { good = 0, bad = 1 } ; compound pair { int x ; float y(2) ; } ; int(*) many ;
dimensions: t = UNLIMITED ; x = 3 ;
variables: float heat(t, x) ; heat:units = "K" ; mood how(x) ; string s(x) ; pair p(x) ; char c(x) ;
  :title = "t" ; :n = 1s, 2s ;
data: heat = 1, 2, 3 ; how = good, bad, good ; s = "a", "b", "c" ; c = "abc" ; p = {1, {1, 2}} ;
group: g { variables: int64 z(x) ; }
}"""
_ZARRAY: dict[str, Any] = {
    "zarr_format": 2,
    "shape": [3],
    "chunks": [3],
    "dtype": "<f4",
    "compressor": None,
    "fill_value": None,
    "order": "C",
    "filters": None,
}


def seeds() -> Iterator[bytes]:
    """Yield datasets of every dialect, as one object of keys and documents, and older ones by hand."""
    for dialect, zarr_format in (("nczarr", 2), ("nczarr", 3), ("xarray", 2), ("xarray", 3), ("plain", 2)):
        store = MemoryStore()
        with suppress(OmniZarrError):
            generate(parse_cdl(_CDL), store, dialect=dialect, zarr_format=zarr_format)
        documents = {key: store.get(key) or b"" for key in store.list_prefix("")}
        yield json.dumps(
            {key: json.loads(value) for key, value in documents.items() if value[:1] == b"{"}
        ).encode()
    notes = {"dims": {"x": 3}, "vars": ["v"], "groups": []}
    of_array = {"dimrefs": ["/x"], "storage": "chunked"}
    types = {"types": {"_ARRAY_DIMENSIONS": "|J0"}}
    attributes = {"_nczarr_group": notes, "_nczarr_superblock": {"version": "2.0.0"}}
    group, dimensions = {"zarr_format": 2}, {"_ARRAY_DIMENSIONS": ["x"]}
    yield joined(group, attributes, _ZARRAY, {"_nczarr_array": of_array, "_nczarr_attr": types} | dimensions)
    yield joined(group, {}, _ZARRAY, {}, notes, of_array, types, bytes(12))
    old = group | {"_NCZARR_GROUP": notes, "_NCZARR_SUPERBLOCK": {"version": "2.0.0"}}
    yield joined(old, {"_NCZARR_ATTR": types}, _ZARRAY | {"_NCZARR_ARRAY": of_array}, dimensions)


def run(data: bytes) -> None:
    """Open a dataset, and write it as CDL."""
    with bounded(), suppress(OmniZarrError):
        dataset = Dataset(MemoryStore(_values(data)), "r")
        with suppress(OmniZarrError):
            dataset.tocdl()
        if all(variable.size <= 1000 for variable in dataset.variables.values()):
            with suppress(OmniZarrError):
                dataset.tocdl(data=True)


def _values(data: bytes) -> dict[str, bytes]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return stored(data, _KEYS)
    if not isinstance(found, dict):
        return {}
    names = (key for key in found if key and "/" not in (key[0], key[-1]) and key.isprintable())
    return {key: json.dumps(found[key]).encode() for key in names}
