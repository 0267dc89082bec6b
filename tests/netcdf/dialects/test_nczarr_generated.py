"""Generated datasets of every type, filter, dimension and attribute, from libnetcdf to us and back."""

from __future__ import annotations

import json
import pickle
import shutil
import tempfile
from pathlib import Path
from typing import Any

import netcdf_generated
import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from netcdf_generated import Dimension, Group, Variable, build
from netcdf_peer import assert_same, peer_describes_all, run_peer, url_of, we_describe

from omnizarr import netcdf

NUMBERS = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8")
COMPRESSIONS = ("zlib", "zstd", "bzip2", "blosc_lz", "blosc_lz4", "blosc_lz4hc", "blosc_zlib", "blosc_zstd")
TEXTS = (
    "text",
    "",
    "123",
    "true",
    '{"a": 1, "b": [1,2]}',
    "[1,2]",
    "NaN",
    "ä€😀",
    "[degrees]",
    'a\n"b"\\/',
    "{",
)
DIMENSIONS = ("x", "y", "t", "u")


def numbers(code: str, count: int) -> st.SearchStrategy[Any]:
    """Arrays of a type, extremes among them; floats have few digits, since netCDF-C keeps six in JSON."""
    if code[0] == "f":
        special = (0.5, -1.25, 0.1, 3e30, np.nan, np.inf, -np.inf)
        elements: st.SearchStrategy[Any] = st.sampled_from(special)
    else:
        limits = np.iinfo(code)
        elements = st.integers(int(limits.min), int(limits.max)) | st.sampled_from((int(limits.max), 0))
    return st.lists(elements, min_size=count, max_size=count).map(lambda found: np.array(found, code))


def attribute_values() -> st.SearchStrategy[Any]:
    arrays = st.tuples(st.sampled_from(NUMBERS), st.integers(0, 3)).flatmap(lambda drawn: numbers(*drawn))
    texts = st.sampled_from(TEXTS)
    strings = texts | st.lists(texts, min_size=2, max_size=3)
    return arrays | texts | strings.map(lambda value: ("string", value))


def attributes() -> st.SearchStrategy[dict[str, Any]]:
    names = st.sampled_from(("a", "title", "with space", "é", "valid_range", "_odd", "d.o.t"))
    return st.dictionaries(names, attribute_values(), max_size=3)


@st.composite
def variables(draw: st.DrawFn, name: str, visible: dict[str, int | None]) -> Variable:
    code = draw(st.sampled_from((*NUMBERS, "S1", "str")))
    dimensions = draw(st.lists(st.sampled_from(sorted(visible)), max_size=3)) if visible else []
    # netCDF-C has no variable with one unlimited dimension twice.
    dimensions = [d for i, d in enumerate(dimensions) if visible[d] or d not in dimensions[:i]]
    sizes = [visible[d] or draw(st.integers(0, 3)) for d in dimensions]
    options: dict[str, Any] = {}
    if dimensions:
        options["compression"] = draw(st.none() | st.sampled_from(COMPRESSIONS))
        options["shuffle"] = draw(st.booleans())
        options["fletcher32"] = draw(st.booleans())
        if draw(st.booleans()):
            lengths = [visible[d] or 3 for d in dimensions]
            options["chunksizes"] = [draw(st.integers(1, length)) for length in lengths]
    is_written = draw(st.booleans())
    if code in NUMBERS:
        # What was not written of a big-endian variable, netCDF-C shows with its bytes swapped.
        if code[1] != "1" and is_written and all(visible[d] for d in dimensions):
            options["endian"] = draw(st.sampled_from(("native", "little", "big")))
        options["fill_value"] = draw(st.none() | st.just(False) | st.just(np.array(3, code)[()]))
    values = _values(code, tuple(sizes), draw(st.integers(0, 99))) if is_written else None
    return Variable(name, code, dimensions, options, draw(attributes()), values)


def _values(code: str, shape: tuple[int, ...], seed: int) -> Any:
    count = int(np.prod(shape, dtype=int))
    pool: Any = [b"a", b"Z", b" ", b"~"] if code == "S1" else ["", "a", "ä€", "x" * 30]
    if code in NUMBERS:
        pool = np.array([0, 1, 2, 100, 7, 3]).astype(code)
    chosen = [pool[i] for i in np.random.default_rng(seed).integers(0, len(pool), count)]
    return np.array(chosen, object if code == "str" else code).reshape(shape)


@st.composite
def groups(draw: st.DrawFn, name: str, above: dict[str, int | None], depth: int) -> Group:
    names = draw(st.lists(st.sampled_from(DIMENSIONS), unique=True, max_size=3))
    dimensions = [Dimension(d, None if d in "tu" else draw(st.integers(1, 4))) for d in names]
    visible = above | {d.name: d.size for d in dimensions}
    count = draw(st.integers(0, 3))
    return Group(
        name,
        dimensions,
        draw(attributes()),
        [draw(variables(f"v{i}", visible)) for i in range(count)],
        [draw(groups(f"g{i}", visible, depth - 1)) for i in range(draw(st.integers(0, min(depth, 2))))],
    )


def without_json(group: Group) -> Group:
    """Return a group without the texts that netCDF-C damages: those that are JSON."""
    return Group(
        group.name,
        group.dimensions,
        _without_json(group.attributes),
        [
            Variable(v.name, v.code, v.dimensions, v.options, _without_json(v.attributes), v.values)
            for v in group.variables
        ],
        [without_json(inner) for inner in group.groups],
    )


def _without_json(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if not (isinstance(value, str) and _is_json(value))}


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def exact(theirs: Any) -> Any:
    """Return a description with the default fill values of floats, which netCDF-C keeps in six digits."""
    if isinstance(theirs, dict):
        return {name: exact(value) for name, value in theirs.items()}
    if isinstance(theirs, np.ndarray | np.floating) and theirs.dtype.kind == "f":
        default = theirs.dtype.type(9.969209968386869e36)
        return np.where(theirs == theirs.dtype.type(9.96921e36), default, theirs)
    return theirs


@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck), phases=(Phase.generate,))
@given(st.lists(groups("/", {}, 2), min_size=12, max_size=12))
def test_both_ways(plan: list[Group]) -> None:
    folder = Path(tempfile.mkdtemp())
    try:
        compare(plan, folder)
    finally:
        shutil.rmtree(folder)


def compare(plan: list[Group], folder: Path) -> None:
    for number, group in enumerate(plan):
        with netcdf.Dataset(folder / f"ours{number}", "w") as dataset:
            build(dataset, group)
    (folder / "plan.pickle").write_bytes(pickle.dumps([without_json(group) for group in plan]))
    run_peer(
        f"import sys; sys.path.insert(0, {str(Path(netcdf_generated.__file__).parent)!r})\n"
        "import netcdf_generated; netcdf_generated.main(*sys.argv[1:])",
        *(str(folder / "plan.pickle"), str(folder)),
    )
    ours, theirs = ([folder / f"{whose}{i}" for i in range(len(plan))] for whose in ("ours", "theirs"))
    # netCDF-C does not write all of it: blosc cannot make small chunks smaller, which it takes for an error.
    places = [*ours, *(place for place in theirs if place.exists())]
    assert len(places) > 1.2 * len(plan)
    for place, found in zip(
        places, peer_describes_all([url_of(place) for place in places], folder), strict=True
    ):
        with netcdf.Dataset(place) as dataset:
            assert not dataset.as_dataset().faults
            assert_same(we_describe(dataset), exact(found), place.name)
