"""dask arrays stored: what is written, by which tasks, and what is refused."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import omnizarr
from omnizarr.errors import (
    MetadataError,
    NodeExistsError,
    ReadOnlyError,
    SelectionError,
    StoreError,
    StoreNotFoundError,
)
from omnizarr.integrations.dask import from_array, store, write
from omnizarr.store import CountingStore, DirectoryStore, FaultStore, MemoryStore, ZipStore

da = pytest.importorskip("dask.array")
NUMBERS = np.arange(80).reshape(10, 8)


def target(shape: Any = (10, 8), chunks: Any = (4, 8), dtype: Any = "i8", **arguments: Any) -> Any:
    return omnizarr.create_array(
        arguments.pop("store", None), shape=shape, chunks=chunks, dtype=dtype, **arguments
    )


def blocks(chunks: Any = (4, 8), data: Any = NUMBERS) -> Any:
    return da.from_array(data, chunks=chunks)


# What is written


@pytest.mark.parametrize("chunks", [(4, 8), (8, 8), (10, 8), ((4, 6), 8)])
def test_a_dask_array_is_stored(chunks: Any) -> None:
    array = target()
    assert store(blocks(chunks), array) is None
    assert np.array_equal(array[...], NUMBERS)


def test_whole_chunks_are_written_once_and_never_read() -> None:
    counting = CountingStore(MemoryStore())
    array = target(store=counting)
    counting.reset()
    store(blocks()[:8], array, regions=(slice(8),))
    assert counting.counts == {"set": 2}


def test_several_at_once_share_what_they_have_in_common() -> None:
    calls = []

    def seen(block: Any) -> Any:
        if block.size:
            calls.append(block.shape)
        return block

    common = blocks().map_blocks(seen, dtype="i8", meta=np.empty((0, 0), "i8"))
    for compute in (True, False):
        calls.clear()
        one, other = target(), target()
        later = store([common, common + 1], [one, other], compute=compute)
        if later is not None:
            later.compute()
        assert len(calls) == 3
        assert np.array_equal(one[...], NUMBERS)
        assert np.array_equal(other[...], NUMBERS + 1)


@pytest.mark.parametrize(
    ("region", "shape"),
    [
        ((slice(4, 8), slice(None)), (4, 8)),
        ((slice(None, None, 3), slice(7, None, -2)), (4, 4)),
        ((5,), (8,)),
        ((-1, slice(2, 4)), (2,)),
        ((..., 3), (10,)),
        ((3, 4), ()),
        (slice(2, 3), (1, 8)),
        ((slice(5, 5), ...), (0, 8)),
    ],
)
@pytest.mark.parametrize("align_chunks", [False, True])
def test_regions_mean_what_they_mean_in_numpy(region: Any, shape: Any, align_chunks: bool) -> None:
    data = np.arange(1, 1 + np.prod(shape, dtype=int)).reshape(shape)
    truth = np.zeros((10, 8), "i8")
    truth[region] = data
    array = target(chunks=(4, 3))
    source = da.from_array(data, chunks=3 if align_chunks else -1)
    found = store(source, array, regions=region, align_chunks=align_chunks, return_stored=True)
    assert np.array_equal(array[...], truth)
    assert np.array_equal(found.compute(), data)


def test_regions_of_several() -> None:
    array = target()
    parts = [(slice(0, 4),), (slice(4, 10),)]
    store([blocks()[:4], blocks()[4:]], [array, array], regions=parts)
    assert np.array_equal(array[...], NUMBERS)


@pytest.mark.parametrize(
    ("data", "dtype"),
    [
        (np.array(["a", "", "bb" * 200, "é"], object), "string"),
        (np.array([b"a", b"", b"\0", b"b"], object), "variable_length_bytes"),
        (np.array([(1, 2.0)] * 4, [("a", "i4"), ("b", "f8")]), None),
        (np.array(["2001-01-01"] * 4, "M8[D]"), None),
        (np.arange(4, dtype=">f4"), None),
    ],
)
def test_types(data: Any, dtype: Any) -> None:
    array = target((4,), (2,), data.dtype if dtype is None else dtype)
    again = store(da.from_array(data, chunks=2), array, return_stored=True)
    assert np.array_equal(array[...], data)
    assert np.array_equal(again.compute(), data)


def test_arrays_without_axes_and_empty_ones() -> None:
    number, empty = target((), ()), target((0, 8))
    store([da.asarray(np.int64(7)), da.zeros((0, 8), dtype="i8")], [number, empty])
    assert number[()] == 7


def test_numbers_are_converted_as_in_an_assignment() -> None:
    array = target(dtype="f4")
    store(blocks() + 0.5, array)
    assert np.array_equal(array[...], (NUMBERS + 0.5).astype("f4"))


# Now, later, again


def test_what_is_stored_can_be_had_again() -> None:
    array = target()
    found = store(blocks((8, 8)), array, return_stored=True)
    assert found.chunks == ((8, 2), (8,))
    assert np.array_equal(found.compute(), NUMBERS)
    array[0, 0] = 99
    assert found[0, 0].compute() == 99  # it is read, and not remembered
    assert [type(each) for each in store([blocks()], [array], return_stored=True)] == [da.Array]


def test_the_blocks_of_a_region_are_read_by_themselves() -> None:
    counting = CountingStore(MemoryStore())
    array = target((12, 8), (2, 8), store=counting)
    found = store(blocks((4, 8), NUMBERS[:8]), array, regions=(slice(2, 10),), return_stored=True)
    assert found.chunks == ((4, 4), (8,))
    counting.reset()
    assert np.array_equal(found.compute(), NUMBERS[:8])
    assert sum(counting.counts.values()) == 4


def test_later() -> None:
    array = target()
    later = store(blocks(), array, compute=False)
    assert type(later).__name__ == "Delayed"
    assert not array[...].any()
    assert later.compute() is None
    assert np.array_equal(array[...], NUMBERS)


def test_later_and_again() -> None:
    array = target()
    later = store(blocks(), array, compute=False, return_stored=True)
    assert not array[...].any()
    assert np.array_equal(later.compute(), NUMBERS)
    assert np.array_equal(array[...], NUMBERS)


def test_storing_again_writes_again() -> None:
    array = target()
    one, other = (store(blocks(), array, compute=False, return_stored=True) for _ in range(2))
    assert one.name != other.name


def test_arguments_for_dask() -> None:
    array = target()
    store(blocks(), array, scheduler="sync")
    assert np.array_equal(array[...], NUMBERS)
    with pytest.raises(ValueError, match=r"Expected one of .*synchronous"):
        store(blocks(), array, scheduler="nowhere")


# Places


def test_places_are_opened_and_closed(tmp_path: Path) -> None:
    with ZipStore(tmp_path / "a.zip", mode="w") as archive:
        target(store=archive, name="x")
    found = store(blocks(), f"file://{tmp_path}/a.zip|zip:x", return_stored=True)
    assert np.array_equal(found.compute(), NUMBERS)
    target(store=tmp_path / "b.zarr")
    later = store(blocks(), str(tmp_path / "b.zarr"), compute=False)
    later.compute()
    assert np.array_equal(omnizarr.open_array(tmp_path / "b.zarr")[...], NUMBERS)
    with pytest.raises(StoreNotFoundError):
        store([blocks(), blocks()], [tmp_path / "b.zarr", tmp_path / "nothing.zarr"])


def test_what_is_read_later_needs_an_open_target(tmp_path: Path) -> None:
    target(store=tmp_path / "b.zarr")
    with pytest.raises(ValueError, match="expected arrays, not places"):
        store(blocks(), tmp_path / "b.zarr", compute=False, return_stored=True)


def test_from_array_opens_what_it_is_given(tmp_path: Path) -> None:
    array = target(store=tmp_path / "b.zarr", name="x")
    array[...] = NUMBERS
    for place, path in (
        (array, None),
        (tmp_path / "b.zarr", "x"),
        (omnizarr.open_group(tmp_path / "b.zarr"), "x"),
    ):
        found = from_array(place, {0: -1}, path=path)
        assert found.chunks == ((10,), (8,))
        assert np.array_equal(found.compute(), NUMBERS)
    assert from_array(array).name == array.to_dask().name
    with pytest.raises(omnizarr.errors.NodeTypeError):
        from_array(tmp_path / "b.zarr")


# What is refused


def refused(match: str, *arguments: Any, error: type[Exception] = SelectionError, **options: Any) -> None:
    with pytest.raises(error, match=match):
        store(*arguments, **options)


def test_two_tasks_that_would_write_one_chunk() -> None:
    array = target(name="deep/x")
    match = (
        r"^chunk \(1, 0\) of memory://\w+/deep/x, which holds \[4:8, 0:8\], would be written by two blocks "
        r"of a dask array: 4:7 and 7:10 of its axis 0; rechunk the dask array, give align_chunks=True, or "
    )
    refused(match, blocks(((4, 3, 3), 8)), array)
    assert not array[...].any()


def test_two_tasks_that_would_write_one_shard() -> None:
    array = target(chunks=(2, 2), shards=(4, 8))
    refused(r"shard \(0, 0\) of .* \[0:4, 0:8\], .* 0:2 and 2:4 of its axis 0", blocks((2, 8)), array)
    store(blocks((4, 8)), array)
    assert np.array_equal(array[...], NUMBERS)


def test_regions_count_for_what_tasks_write() -> None:
    array = target()
    refused(
        r"chunk \(0, 0\) .* 0:3 and 3:6 of its axis 0",
        blocks((3, 8), NUMBERS[:6]),
        array,
        regions=(slice(6),),
    )
    store(blocks(((2, 4), 8), NUMBERS[:6]), array, regions=(slice(2, 8),))
    assert np.array_equal(array[2:8], NUMBERS[:6])
    column = blocks((4,), NUMBERS[:, 0])
    refused(r"chunk \(0, 0\) .* 0:4 and 4:8 of its axis 0", column[:8], target(), regions=(1, slice(None)))


def test_two_dask_arrays_that_would_write_one_chunk() -> None:
    array = target()
    parts = [blocks()[:2], blocks()[2:4]]
    places: list[Any] = [(slice(0, 2),), (slice(2, 4),)]
    refused(r"chunk \(0, 0\) .* two dask arrays", parts, [array, array], regions=places)
    again = omnizarr.open_array(array.store)
    refused(r"chunk \(0, 0\) .* two dask arrays", parts, [array, again], regions=places)
    places[1] = (slice(4, 6),)
    store(parts, [array, array], regions=places)
    assert np.array_equal(array[:6], np.concatenate([NUMBERS[:2], NUMBERS[:2] * 0, NUMBERS[2:4]]))


def test_uneven_grids() -> None:
    array = target(chunks=((3, 5, 4), 8))
    refused(r"chunk \(1, 0\) .* \[3:8, 0:8\], .* 0:4 and 4:8", blocks(), array)
    store(blocks(((3, 5, 2), 8)), array)
    assert np.array_equal(array[...], NUMBERS)


@pytest.mark.parametrize("chunks", [(3, 8), ((1, 6, 3), (3, 5)), (1, 1)])
@pytest.mark.parametrize("grid", [(4, 8), ((3, 5, 4), 3)])
def test_aligned_tasks_write_each_chunk_once(chunks: Any, grid: Any) -> None:
    counting = CountingStore(MemoryStore())
    array = target(chunks=grid, store=counting)
    counting.reset()
    store(blocks(chunks), array, align_chunks=True)
    assert sum(counting.counts.values()) == array.nchunks
    assert np.array_equal(array[...], NUMBERS)


@pytest.mark.parametrize("arguments", [{}, {"chunks": (2, 2), "shards": (4, 8)}])
def test_unsafe_chunks_are_changed_one_part_after_another(tmp_path: Path, arguments: Any) -> None:
    data = np.arange(6400).reshape(80, 80)
    for number, kept in enumerate((MemoryStore(), DirectoryStore(tmp_path))):
        array = target((80, 80), store=kept, name=f"x{number}", **{"chunks": (40, 80), **arguments})
        store(blocks((2, 20), data), array, safe_chunks=False, num_workers=8, scheduler="threads")
        assert np.array_equal(array[...], data)


@pytest.mark.parametrize(
    ("region", "message"),
    [
        (None, r"shape \(10, 8\) does not fit .*: it has shape \(4, 8\)"),
        ((slice(3),), r"its region \(slice\(None, 3, None\),\) has shape \(3, 8\)"),
        ((9,), "axis 0 has 4 elements, found index 9"),
        (("x",), "expected a slice or a number for axis 0, found 'x'"),
        ((0, 0, 0), "has 2 axes at most"),
        ((..., ...), "has 2 axes at most"),
    ],
)
def test_what_does_not_fit(region: Any, message: str) -> None:
    refused(message, blocks(), target((4, 8)), regions=region)


def test_what_is_no_dask_array_or_not_as_many() -> None:
    array = target()
    refused("expected dask arrays, found ndarray", [NUMBERS], [array], error=TypeError)
    refused("a target for each of 2 dask arrays, found 1", [blocks()] * 2, [array], error=ValueError)
    refused(
        "a region for each of 1 dask arrays, found 2", [blocks()], [array], regions=[(), ()], error=ValueError
    )
    unknown = blocks()[blocks().sum(axis=1) > 100]
    refused("compute_chunk_sizes", unknown, array)


def test_targets_for_reading_are_refused_before_anything_is_computed(tmp_path: Path) -> None:
    target(store=tmp_path / "a.zarr")
    array = omnizarr.open_array(tmp_path / "a.zarr", mode="r")
    failing = blocks().map_blocks(lambda block: 1 / 0, dtype="i8", meta=np.empty((0, 0), "i8"))
    with pytest.raises(ReadOnlyError):
        store(failing, array)


def test_a_store_that_fails_says_so() -> None:
    def full(operation: str, key: str) -> BaseException | None:
        return StoreError("no space left", key=key) if operation == "set" and "c/1" in key else None

    array = target(store=FaultStore(MemoryStore(), full))
    with pytest.raises(StoreError, match="no space left"):
        store(blocks(), array)


def test_tasks_can_be_sent_to_other_processes(tmp_path: Path) -> None:
    array = target(store=tmp_path / "a.zarr")
    image = pickle.dumps(store(da.zeros((10, 8), chunks=(4, 8), dtype="i8") + 3, array, compute=False))
    pickle.loads(image).compute(scheduler="sync")
    assert (array[...] == 3).all()


# Making the array


def test_an_array_is_made_of_the_blocks(tmp_path: Path) -> None:
    assert write(blocks((4, 3)), tmp_path / "a.zarr", path="x", attributes={"units": "K"}) is None
    array = omnizarr.open_array(tmp_path / "a.zarr", path="x")
    assert (array.chunks, array.shards, array.dtype, dict(array.attrs)) == (
        (4, 3),
        None,
        np.int64,
        {"units": "K"},
    )
    assert np.array_equal(array[...], NUMBERS)


def test_how_an_array_is_made_can_be_said(tmp_path: Path) -> None:
    group = omnizarr.create_group(tmp_path, zarr_format=2)
    found = write(
        blocks(), group, path="two", dtype="f4", fill_value=-1, compressors=None, return_stored=True
    )
    assert np.array_equal(found.compute(), NUMBERS.astype("f4"))
    two = group["two"]
    assert (two.zarr_format, two.fill_value, two.compressors) == (2, -1, ())
    write(blocks(), tmp_path / "b", chunks=(2, 4), shards=(4, 8), zarr_format=3)
    three = omnizarr.open_array(tmp_path / "b")
    assert (three.chunks, three.shards) == ((2, 4), (4, 8))
    write(blocks(((3, 5, 2), 8)), tmp_path / "c", chunks=((3, 5, 2), 8))
    assert omnizarr.open_array(tmp_path / "c").chunks == ((3, 5, 2), 8)
    write(blocks(((3, 5, 2), 8)), tmp_path / "d", chunks=(4, 8), align_chunks=True)
    assert np.array_equal(omnizarr.open_array(tmp_path / "d")[...], NUMBERS)
    text = da.from_array(np.array(["a", "bb"], object), chunks=1)
    write(text, tmp_path / "e", dtype="string")
    assert omnizarr.open_array(tmp_path / "e")[...].tolist() == ["a", "bb"]


def test_empty_arrays_and_those_without_axes_are_made(tmp_path: Path) -> None:
    write(da.zeros((0, 5), chunks=(3, 5)), tmp_path / "a")
    write(da.asarray(np.int64(7)), tmp_path / "b")
    assert omnizarr.open_array(tmp_path / "a").shape == (0, 5)
    assert omnizarr.open_array(tmp_path / "b")[()] == 7


def test_an_archive_is_complete_when_it_is_written(tmp_path: Path) -> None:
    found = (
        write(blocks(), tmp_path / "a.zip", path="x", return_stored=True, scheduler=None) if False else None
    )
    assert found is None
    found = write(blocks(), tmp_path / "a.zip", path="x", return_stored=True)
    assert np.array_equal(found.compute(), NUMBERS)
    later = write(blocks(), tmp_path / "b.zip", compute=False)
    later.compute(scheduler="threads")
    with omnizarr.open_array(tmp_path / "b.zip", mode="r").store as archive:
        assert np.array_equal(omnizarr.open_array(archive)[...], NUMBERS)


@pytest.mark.parametrize(
    ("chunks", "arguments", "error", "message"),
    [
        (((3, 5, 2), 8), {}, SelectionError, r"blocks of the dask array are uneven: .*align_chunks=True"),
        ((4, 8), {"chunks": (3, 8)}, SelectionError, r"chunk \(1, 0\) of file://.*/a.zarr/x, .* 0:4 and 4:8"),
        ((4, 8), {"chunks": (2, 8), "shards": (8, 8)}, SelectionError, r"shard \(0, 0\)"),
        ((4, 8), {"zarr_format": 2, "shards": "auto"}, MetadataError, "Zarr v2 has no shards"),
        ((4, 8), {"compressor": None}, TypeError, "compressor"),
    ],
)
def test_what_cannot_be_made_leaves_nothing(
    tmp_path: Path, chunks: Any, arguments: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        write(blocks(chunks), tmp_path / "a.zarr", path="x", **arguments)
    assert not (tmp_path / "a.zarr").exists()


def test_what_is_there_stays_unless_it_is_to_be_overwritten(tmp_path: Path) -> None:
    write(blocks() * 0, tmp_path / "a.zarr")
    with pytest.raises(NodeExistsError):
        write(blocks(), tmp_path / "a.zarr")
    with pytest.raises(SelectionError):
        write(blocks(), tmp_path / "a.zarr", chunks=(3, 8), overwrite=True)
    assert not omnizarr.open_array(tmp_path / "a.zarr")[...].any()
    write(blocks(), tmp_path / "a.zarr", overwrite=True)
    assert np.array_equal(omnizarr.open_array(tmp_path / "a.zarr")[...], NUMBERS)


@pytest.mark.parametrize("inline_array", [False, True])
def test_an_array_is_not_overwritten_by_what_is_read_from_it(tmp_path: Path, inline_array: bool) -> None:
    write(blocks(), tmp_path / "a.zarr", path="deep/x")
    source = from_array(tmp_path / "a.zarr", path="deep/x", inline_array=inline_array) * 2
    for path in ("deep/x", "deep", None):
        with pytest.raises(
            SelectionError, match=r"is read from file://.*/deep/x, which would be overwritten"
        ):
            write(source, tmp_path / "a.zarr", path=path, overwrite=True)
    write(source, tmp_path / "a.zarr", path="deep/xy", overwrite=True)
    assert np.array_equal(from_array(tmp_path / "a.zarr", path="deep/xy").compute(), NUMBERS * 2)
