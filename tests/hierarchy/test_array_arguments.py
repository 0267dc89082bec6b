"""Arguments as users of zarr-python give them, and changes of shape that go wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import omnizarr
from omnizarr.errors import MissingChunkError, SelectionError


def test_older_names_of_arguments(tmp_path: Path) -> None:
    older = {"compressor": None, "dimension_separator": "/", "zarr_format": 2}
    made = [
        omnizarr.create((4, 4), chunk_shape=(2, 2), dtype="i4", store=tmp_path / "a", path="x", **older),
        omnizarr.open(tmp_path / "b", mode="w", shape=(4, 4), chunks=2, dtype="i4", **older),
        omnizarr.open_array(tmp_path / "c", shape=(4, 4), chunks=2, dtype="i4", **older),
    ]
    for array in made:
        array[...] = 1
        assert array.compressors == () and array.chunks == (2, 2)
        assert array.store.exists((array.path + "/" if array.path else "") + "1/1")
    group = omnizarr.create_group({})
    assert group.create_array("x", shape=2, compressor=None).compressors == ()


def test_an_unknown_argument_is_named_whether_or_not_something_is_there(tmp_path: Path) -> None:
    omnizarr.create_group(tmp_path / "there")
    for place in ("there", "absent"):
        for call in (omnizarr.open, omnizarr.open_array):
            with pytest.raises(TypeError, match="no such argument: readonly"):
                call(tmp_path / place, readonly=True)
    assert not (tmp_path / "absent").exists()


def test_the_configuration_says_what_missing_chunks_mean() -> None:
    array = omnizarr.create_array({}, shape=4, dtype="i4", config={"read_missing_chunks": False})
    with pytest.raises(MissingChunkError):
        array[0]


def test_codecs_of_zarr_python_take_what_they_leave_open_from_the_array() -> None:
    codecs = pytest.importorskip("zarr").codecs
    array = omnizarr.create_array({}, shape=4, dtype="f8", compressors=codecs.BloscCodec(cname="lz4"))
    (blosc,) = array.metadata.codecs[1:]
    assert (blosc.configuration["typesize"], blosc.configuration["shuffle"]) == (8, "shuffle")
    given = codecs.BloscCodec(cname="lz4", typesize=2, shuffle="bitshuffle")
    (blosc,) = omnizarr.create_array({}, shape=4, dtype="f8", compressors=given).metadata.codecs[1:]
    assert (blosc.configuration["typesize"], blosc.configuration["shuffle"]) == (2, "bitshuffle")


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_the_order_in_a_chunk(zarr_format: int) -> None:
    for order in ("C", "F"):
        array = omnizarr.create_array({}, shape=(2, 3), dtype="i4", order=order, zarr_format=zarr_format)
        assert array.order == order
    assert omnizarr.create_array({}, shape=4, order="F", zarr_format=zarr_format).order in "CF"


@pytest.mark.parametrize("data", [["x"], [[1]], 5, [float("nan")], [2**40]])
def test_what_cannot_be_appended_changes_nothing(data: object) -> None:
    array = omnizarr.create_array({}, data=np.arange(3, dtype="i4"))
    before = dict(array.store.mapping())
    with pytest.raises((ValueError, OverflowError)):
        array.append(data)
    with pytest.raises(SelectionError, match="axis 1"):
        array.append([1], axis=1)
    assert dict(array.store.mapping()) == before and array.shape == (3,)


def test_lengths_are_whole_numbers() -> None:
    array = omnizarr.create_array({}, data=np.arange(3))
    array.resize(np.int64(2))
    array.resize([4])
    assert array[:].tolist() == [0, 1, 0, 0]
    for wrong in (2.5, "4", (1.0,), None):
        with pytest.raises(SelectionError, match="whole numbers"):
            array.resize(wrong)  # type: ignore[arg-type]


def test_a_handle_that_saw_an_older_shape_cuts_off_all_there_is(tmp_path: Path) -> None:
    array = omnizarr.create_array(tmp_path, data=np.arange(2), chunks=(4,))
    stale = omnizarr.open_array(tmp_path)
    array.append(np.arange(2, 10))
    stale.resize(3)
    stale.resize(10)
    assert stale[:].tolist() == [0, 1, 2, 0, 0, 0, 0, 0, 0, 0]
    assert stale.nchunks_initialized == 1


def test_likes_take_their_model_by_zarr_pythons_name() -> None:
    model = omnizarr.create_array({}, data=np.arange(6).reshape(2, 3), chunks=(1, 2))
    assert omnizarr.zeros_like(a=model)[...].tolist() == [[0] * 3] * 2
    assert omnizarr.full_like(a=model, fill_value=4).chunks == (1, 2)
