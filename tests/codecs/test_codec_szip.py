"""szip, byte for byte as HDF5 has it."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from conftest import ChainOf
from omnizarr.codecs import szip
from omnizarr.errors import CodecError, MetadataError

h5py = pytest.importorskip("h5py", reason="needs h5py")
pytest.importorskip("imagecodecs", reason="needs imagecodecs")

CASES = [
    (code, coding, pixels, chunks)
    for code in ("i1", "u1", "<i2", ">i2", "<i4", ">i4", "<f4", "<f8", ">f8", "<i8")
    for coding, pixels in (("ec", 8), ("nn", 8), ("nn", 16), ("ec", 32))
    for chunks in ((7, 13), (3, 700), (2000, 3))
]


@pytest.fixture(scope="module")
def chunks(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Any, Any, bytes, np.ndarray[Any, Any]]]:
    """Chunks that HDF5 has encoded: the case, the filter's parameters, the bytes and the values."""
    rng = np.random.default_rng(1)
    found = []
    with h5py.File(tmp_path_factory.mktemp("szip") / "szip.h5", "w") as file:
        for number, case in enumerate(CASES):
            code, coding, pixels, shape = case
            values = rng.integers(0, 9, size=shape).cumsum(-1).astype(code)
            dataset = file.create_dataset(
                str(number), data=values, chunks=shape, compression="szip", compression_opts=(coding, pixels)
            )
            _, _, parameters, _ = dataset.id.get_create_plist().get_filter(0)
            skipped, data = dataset.id.read_direct_chunk((0, 0))
            if not skipped:
                found.append((case, parameters, data, values))
    return found


def test_as_hdf5(chunks: Any, chain_of: ChainOf) -> None:
    assert len(chunks) > len(CASES) * 0.8
    for (code, coding, pixels, shape), parameters, data, values in chunks:
        codec = {"id": "szip", "mask": 32 if coding == "nn" else 4, "pixels-per-block": pixels}
        exact = {"mask": parameters[0], "bits-per-pixel": parameters[2], "pixels-per-scanline": parameters[3]}
        assert szip.pixels_per_scanline(shape[-1], values.size, pixels) == parameters[3]
        for configuration in (codec, codec | exact):
            chain = chain_of(values, "bytes", configuration, zarr2=True)
            assert bytes(chain.encode(values)) == data, code
            assert np.array_equal(chain.decode(data), values)


def test_another_scanline_is_found_out(chain_of: ChainOf) -> None:
    values = np.arange(60, dtype="<i4").reshape(6, 10) ** 2
    exact = {"id": "szip", "mask": 32, "pixels-per-block": 8, "pixels-per-scanline": 37}
    data = chain_of(values, "bytes", exact, zarr2=True).encode(values)
    guessing = chain_of(values, "bytes", {"id": "szip", "mask": 32, "pixels-per-block": 8}, zarr2=True)
    with pytest.raises(CodecError, match="szip"):
        guessing.decode(data)


def test_where_it_ends_matters(chain_of: ChainOf) -> None:
    values = np.random.default_rng(1).integers(0, 255, 500).astype("u1")
    exact = {"id": "szip", "mask": 32, "pixels-per-block": 8, "pixels-per-scanline": 100}
    chain = chain_of(values, "bytes", exact, zarr2=True)
    data = bytes(chain.encode(values))
    assert np.array_equal(chain.decode(data), values)
    for end in (0, 3, 4, 5, 100, len(data) - 20):
        with pytest.raises(CodecError):
            chain.decode(data[:end])


def test_size_in_the_header_is_bounded(chain_of: ChainOf) -> None:
    values = np.arange(60, dtype="<i4")
    chain = chain_of(values, "bytes", {"id": "szip"}, zarr2=True)
    data = bytes(chain.encode(values))
    with pytest.raises(CodecError):
        chain.decode((2**32 - 1).to_bytes(4, "little") + data[4:])


@pytest.mark.parametrize(
    ("configuration", "where"),
    [
        ({"mask": 0}, "mask"),
        ({"mask": 36}, "mask"),
        ({"pixels-per-block": 7}, "pixels-per-block"),
        ({"pixels-per-block": 64}, "pixels-per-block"),
        ({"pixels-per-scanline": -1}, "pixels-per-scanline"),
        ({"bits-per-pixel": 65}, "bits-per-pixel"),
    ],
)
def test_faults(configuration: dict[str, int], where: str, chain_of: ChainOf) -> None:
    with pytest.raises(MetadataError, match=where):
        chain_of(np.zeros(8, "<i4"), "bytes", {"id": "szip", **configuration})


def test_elements_of_an_odd_size(chain_of: ChainOf) -> None:
    values = np.zeros(16, "S5")
    with pytest.raises(CodecError, match="S5"):
        chain_of(values, "bytes", {"id": "szip"}, zarr2=True).encode(values)


def test_without_the_package(monkeypatch: pytest.MonkeyPatch, chain_of: ChainOf) -> None:
    monkeypatch.setitem(sys.modules, "imagecodecs", None)
    szip._library.cache_clear()
    values = np.zeros(16, "<i4")
    with pytest.raises(CodecError, match=r"pip install 'omnizarr\[szip\]'"):
        chain_of(values, "bytes", {"id": "szip"}, zarr2=True).encode(values)
    assert not szip.is_available()
