"""What every codec must do: tests to inherit.

A subclass, collected by pytest, names the codecs of a chain and what arrays they take::

    class TestGzip(CodecContract):
        codecs = (Extension("bytes", {"endian": "little"}), Extension("gzip", {"level": 1}))
        checksummed = True
"""

from __future__ import annotations

import pickle
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from omnizarr.codecs.base import AnyArray, ChunkSpec
from omnizarr.codecs.chain import Chain, build_chain
from omnizarr.errors import CodecError
from omnizarr.jsontypes import Problems
from omnizarr.metadata.extension import Extension
from omnizarr.store.base import Buffer

BOUNDED = settings(
    max_examples=25,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.differing_executors, HealthCheck.too_slow],
)


def same(one: AnyArray, other: AnyArray) -> bool:
    """Say whether two arrays are alike in shape, type and every bit; objects by `==` and type."""
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if not one.dtype.hasobject:
        return one.tobytes() == other.tobytes()
    pairs = zip(one.reshape(-1).tolist(), other.reshape(-1).tolist(), strict=True)
    return all(type(a) is type(b) and _equal(a, b) for a, b in pairs)


def _equal(one: Any, other: Any) -> bool:
    return np.array_equal(one, other) if isinstance(one, np.ndarray) else bool(one == other)


class CodecContract:
    """Tests of one chain of codecs.

    Attributes
    ----------
    codecs
        The chain.
    dtype, fill_value
        Of the arrays.
    zarr2
        Whether the chain follows Zarr v2's rules.
    checksummed
        Whether any damage is found: then what decodes is right.
    """

    codecs: ClassVar[tuple[Extension, ...]]
    dtype: ClassVar[str] = "<i4"
    fill_value: ClassVar[Any] = 0
    zarr2: ClassVar[bool] = False
    checksummed: ClassVar[bool] = False

    def arrays(self, shape: tuple[int, ...]) -> st.SearchStrategy[AnyArray]:
        """Return what arrays of a shape to try."""
        return arrays(np.dtype(self.dtype), shape)

    def shapes(self) -> st.SearchStrategy[tuple[int, ...]]:
        """Return what shapes to try."""
        return array_shapes(min_dims=0, max_dims=3, max_side=6)

    def sample(self, shape: tuple[int, ...] = (8, 6)) -> AnyArray:
        """Return one array, of numbers that a compressor makes smaller."""
        return (np.arange(np.prod(shape)) % 7).reshape(shape).astype(self.dtype)

    def expected(self, array: AnyArray) -> AnyArray:
        """Return what is decoded from an encoded array; codecs that lose something override this."""
        return array

    def chain(self, shape: tuple[int, ...]) -> Chain:
        """Return the codecs bound to a shape."""
        return self._built(self.codecs, shape)

    def _built(self, codecs: tuple[Extension, ...], shape: tuple[int, ...]) -> Chain:
        problems = Problems()
        spec = ChunkSpec(shape, np.dtype(self.dtype), self.fill_value)
        chain = build_chain(codecs, spec, "codecs", problems, bytes_as_in_dtype=self.zarr2)
        problems.check()
        assert chain is not None
        return chain

    @given(data=st.data())
    @BOUNDED
    def test_round_trip(self, data: st.DataObject) -> None:
        shape = data.draw(self.shapes())
        array = data.draw(self.arrays(shape))
        chain = self.chain(shape)
        before = array.copy()
        encoded = bytes(chain.encode(array))
        assert same(array, before)
        assert bytes(chain.encode(array)) == encoded
        assert chain.encoded_size in (None, len(encoded))
        assert not chain.is_raw or encoded == array.tobytes()
        self._check_decoding(chain, encoded, self.expected(array))

    def _check_decoding(self, chain: Chain, encoded: bytes, expected: AnyArray) -> None:
        forms: tuple[Buffer, ...] = (encoded, bytearray(encoded), memoryview(encoded))
        for form in forms:
            assert same(chain.decode(form), expected)
            out = np.empty_like(expected)
            assert chain.decode(form, out) is out
            assert same(out, expected)

    def test_arrays_in_other_orders(self) -> None:
        array = self.sample()
        chain = self.chain(array.shape)
        wide = np.repeat(array, 2, axis=1)[:, ::2]
        fixed = array.copy()
        fixed.flags.writeable = False
        for form in (np.asfortranarray(array), array[::-1][::-1], wide, fixed):
            assert bytes(chain.encode(form)) == bytes(chain.encode(array))

    def test_wrong_shape(self) -> None:
        with pytest.raises(CodecError, match="shape"):
            self.chain((8, 6)).encode(self.sample((6, 8)))

    def test_configuration_survives(self) -> None:
        array = self.sample()
        chain = self.chain(array.shape)
        again = self._built(chain.extensions, array.shape)
        assert again.extensions == chain.extensions
        assert bytes(again.encode(array)) == bytes(chain.encode(array))

    def test_pickled(self) -> None:
        array = self.sample()
        chain = self.chain(array.shape)
        assert same(pickle.loads(pickle.dumps(chain)).decode(chain.encode(array)), self.expected(array))

    def test_unknown_name_in_configuration(self) -> None:
        for i, codec in enumerate(self.codecs):
            changed = Extension(codec.name, {**codec.configuration, "surely": 1})
            codecs = (*self.codecs[:i], changed, *self.codecs[i + 1 :])
            problems = Problems()
            spec = ChunkSpec((8, 6), np.dtype(self.dtype), self.fill_value)
            assert build_chain(codecs, spec, "codecs", problems, bytes_as_in_dtype=self.zarr2) is None
            assert [p.at.startswith(f"codecs[{i}].configuration") for p in problems.found] == [True]

    def test_another_shape(self) -> None:
        array = self.sample((8, 12))
        chain = self.chain((8, 6)).for_shape((8, 12))
        assert same(chain.decode(chain.encode(array)), self.expected(array))

    def test_wrong_amount(self) -> None:
        larger, smaller = self.sample((16, 6)), self.sample((8, 6))
        with pytest.raises(CodecError):
            self.chain(smaller.shape).decode(self.chain(larger.shape).encode(larger))
        with pytest.raises(CodecError):
            self.chain(larger.shape).decode(self.chain(smaller.shape).encode(smaller))

    def test_no_bytes(self) -> None:
        with pytest.raises(CodecError):
            self.chain((8, 6)).decode(b"")

    def test_truncated(self) -> None:
        array = self.sample()
        encoded = bytes(self.chain(array.shape).encode(array))
        for end in range(0, len(encoded), max(1, len(encoded) // 50)):
            self._check_damaged(array, encoded[:end], whole=True)

    def test_trailing_bytes(self) -> None:
        array = self.sample()
        encoded = bytes(self.chain(array.shape).encode(array))
        for rest in (b"\0", b"x", b"\0" * 8, bytes(range(256)), encoded):
            self._check_damaged(array, encoded + rest, whole=True)

    def test_flipped_bits(self) -> None:
        array = self.sample()
        for damaged in _flipped(bytes(self.chain(array.shape).encode(array)), 200):
            self._check_damaged(array, damaged, whole=self.checksummed)

    @given(st.binary(max_size=300))
    @BOUNDED
    def test_any_bytes(self, data: bytes) -> None:
        self._check_damaged(self.sample(), data, whole=False)

    def _check_damaged(self, array: AnyArray, data: bytes, whole: bool) -> None:
        """Decode to an error that names a codec, or to an array; to the right one where `whole`."""
        out = np.empty_like(array)
        for destination in (None, out):
            try:
                found = self.chain(array.shape).decode(data, destination)
            except CodecError as error:
                assert error.codec
                assert error.message
                continue
            assert found.shape == array.shape
            assert found.dtype == array.dtype
            if whole:
                assert same(found, self.expected(array))

    def test_many_threads(self) -> None:
        array = self.sample((16, 6))
        chain = self.chain(array.shape)
        encoded, expected = bytes(chain.encode(array)), self.expected(array)

        def work(_: int) -> bool:
            return bytes(chain.encode(array)) == encoded and same(chain.decode(encoded), expected)

        with ThreadPoolExecutor(4) as pool:
            assert all(pool.map(work, range(64)))


def _flipped(data: bytes, count: int) -> Iterator[bytes]:
    """Yield copies of bytes, each with one or more bits changed."""
    chosen = random.Random(1)
    for i in range(count):
        damaged = bytearray(data)
        for _ in range(1 if i < count // 2 else 5):
            damaged[chosen.randrange(len(damaged))] ^= 1 << chosen.randrange(8)
        if damaged != data:
            yield bytes(damaged)
