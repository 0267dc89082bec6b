"""pcodec and zfpy, where they are installed; codecs of strangers in numcodecs' registry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numcodecs
import numpy as np
import pytest

from omnizarr.codecs.chain import Chain
from omnizarr.codecs.registry import codec_class
from omnizarr.errors import CodecError

ChainOf = Callable[..., Chain]
WAVES = (np.sin(np.arange(200)) * 100).reshape(10, 20)
CODECS = [
    {"name": "numcodecs.pcodec", "configuration": {"level": 8}},
    {"name": "numcodecs.zfpy", "configuration": {"mode": 4, "tolerance": 0.001}},
]


@pytest.fixture(params=CODECS, ids=lambda codec: codec["name"])
def codec(request: pytest.FixtureRequest) -> Any:
    if codec_class(request.param["name"]) is None:
        pytest.skip(f"the package of {request.param['name']} is not installed")
    return request.param


def test_numcodecs(codec: Any, chain_of: ChainOf) -> None:
    theirs = numcodecs.get_codec({"id": codec["name"][10:], **codec["configuration"]})
    for chain in (chain_of(WAVES, codec), chain_of(WAVES, "bytes", codec, zarr2=True)):
        data = bytes(chain.encode(WAVES))
        assert data == bytes(theirs.encode(WAVES))
        np.testing.assert_allclose(chain.decode(data), WAVES, atol=0.001)


def test_another_amount(codec: Any, chain_of: ChainOf) -> None:
    chain = chain_of(WAVES, codec)
    for other in (np.repeat(WAVES, 2), WAVES[:3]):
        with pytest.raises(CodecError):
            chain.decode(chain_of(other, codec).encode(other))
    for data in (b"", b"zfp", bytes(40), bytes(chain.encode(WAVES))[3:]):
        with pytest.raises(CodecError):
            chain.decode(data)


def test_truncated(codec: Any, chain_of: ChainOf) -> None:
    chain = chain_of(WAVES, codec)
    data = bytes(chain.encode(WAVES))
    for end in range(0, len(data), 7):
        try:
            found = chain.decode(data[:end])
        except CodecError:
            continue
        assert found.shape == WAVES.shape


class Reverse(numcodecs.abc.Codec):  # type: ignore[misc]
    """Elements in reverse order, which needs to know what they are."""

    codec_id = "reverse-of-tests"

    def encode(self, buf: Any) -> Any:
        return np.asarray(buf).reshape(-1)[::-1]

    def decode(self, buf: Any, out: Any = None) -> Any:
        return np.frombuffer(buf, "<i4")[::-1]


@pytest.fixture
def reverse() -> Iterator[str]:
    numcodecs.register_codec(Reverse)
    yield "numcodecs.reverse-of-tests"
    del numcodecs.registry.codec_registry["reverse-of-tests"]


def test_codecs_of_strangers(reverse: str, chain_of: ChainOf, problems_of: Callable[..., list[str]]) -> None:
    array = np.arange(6, dtype="<i4").reshape(2, 3)
    chain = chain_of(array, "bytes", reverse, zarr2=True)
    assert bytes(chain.encode(array)) == array.reshape(-1)[::-1].tobytes()
    np.testing.assert_array_equal(chain.decode(chain.encode(array)), array)
    with pytest.raises(CodecError):
        chain.decode(bytes(28))
    with pytest.raises(CodecError, match=r"codec numcodecs\.reverse-of-tests: cannot decode"):
        chain.decode(bytes(3))
    wrong = {"name": reverse, "configuration": {"surely": 1}}
    assert problems_of(array, "bytes", wrong, zarr2=True)[0].startswith("codecs[1].configuration: ")
