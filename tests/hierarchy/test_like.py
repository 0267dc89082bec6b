"""What a new array takes over from another one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import omnizarr


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"order": "F"},
        {"compressors": None},
        {"filters": [{"id": "delta", "dtype": "<i2"}]},
        {"filters": [{"id": "delta", "dtype": "<i2"}], "compressors": None, "order": "F"},
        {"dtype": str},
    ],
    ids=str,
)
def test_codecs_of_zarr_v2_arrays_are_kept(arguments: dict[str, Any]) -> None:
    source = omnizarr.create_array(
        None, **{"shape": (4, 6), "chunks": (2, 3), "dtype": "i2", "zarr_format": 2, **arguments}
    )
    values = np.arange(24).reshape(4, 6)
    source[:] = values.astype(str).astype(object) if arguments.get("dtype") is str else values
    made = omnizarr.from_array(None, data=source)
    assert made.metadata.codecs == source.metadata.codecs
    assert made.metadata.grid == source.metadata.grid
    np.testing.assert_array_equal(made[:], source[:])


def test_other_codecs_take_the_place_of_an_array_of_zarr_v2() -> None:
    source = omnizarr.create_array(None, shape=4, dtype="i2", zarr_format=2, filters=[{"id": "zlib"}])
    made = omnizarr.from_array(None, data=source, filters=None, compressors={"id": "gzip", "level": 2})
    assert [codec.name for codec in made.metadata.codecs] == ["bytes", "numcodecs.gzip"]
