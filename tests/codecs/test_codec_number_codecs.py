"""pcodec and zfp, where they are installed; codecs of strangers in numcodecs' registry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numcodecs
import numpy as np
import pytest

from omnizarr.codecs import number_codecs
from omnizarr.codecs.chain import Chain
from omnizarr.errors import CodecError

ChainOf = Callable[..., Chain]
WAVES = (np.sin(np.arange(200)) * 100).reshape(10, 20)
CODECS = [
    {"name": "numcodecs.pcodec", "configuration": {"level": 8}},
    {"name": "numcodecs.zfpy", "configuration": {"mode": 4, "tolerance": 0.001}},
]


@pytest.fixture(params=CODECS, ids=lambda codec: codec["name"])
def codec(request: pytest.FixtureRequest) -> Any:
    package = "pcodec" if request.param == CODECS[0] else "imagecodecs"
    if find_spec(package) is None:
        pytest.skip(f"the package {package} is not installed")
    return request.param


# What zfpy 1.0.1 makes of np.arange(8, dtype="f4").reshape(2, 4) / 3.
ZFPY = [
    (
        {"mode": 4, "tolerance": -1},
        "7a667005360000100000008805728949640299402690096402994026900964029940661038963b0101a1980200000000",
    ),
    ({"mode": 4, "tolerance": 0.01}, "7a667005360000100000c0ca037148341a8d46a3d168341a0100000000000000"),
    ({"mode": 3, "precision": 12}, "7a667005360000100000b080037148341a8d46a3d1080000"),
    ({"mode": 2, "rate": 6}, "7a667005360000100000f005037148341a8d46a3d168341a"),
]


@pytest.mark.skipif(find_spec("imagecodecs") is None, reason="imagecodecs is not installed (extra zfp)")
@pytest.mark.parametrize(("configuration", "stored"), ZFPY)
def test_zfpy(configuration: Any, stored: str, chain_of: ChainOf) -> None:
    array = np.arange(8, dtype="f4").reshape(2, 4) / 3
    chain = chain_of(array, {"name": "numcodecs.zfpy", "configuration": configuration})
    assert bytes(chain.encode(array)).hex() == stored
    np.testing.assert_allclose(chain.decode(bytes.fromhex(stored)), array, atol=0.01)


@pytest.mark.skipif(find_spec("imagecodecs") is None, reason="imagecodecs is not installed (extra zfp)")
def test_zfp_without_the_header_of_zfpy(chain_of: ChainOf) -> None:
    array = np.arange(8, dtype="f4").reshape(2, 4) / 3
    bodies = [
        ({"mode": "reversible"}, "05728949640299402690096402994026900964029940661038963b0101a19802"),
        ({"mode": "fixed_accuracy", "tolerance": 0.01}, "037148341a8d46a3d168341a01000000"),
        ({"mode": "fixed_precision", "precision": 12}, "037148341a8d46a3d108000000000000"),
        ({"mode": "fixed_rate", "rate": 6}, "037148341a8d46a3d168341a00000000"),
    ]
    for configuration, stored in bodies:
        chain = chain_of(array, {"name": "zfp", "configuration": configuration})
        found = bytes(chain.encode(array))
        assert found[: len(stored) // 2].hex() == stored
        assert not any(found[len(stored) // 2 :])
        np.testing.assert_allclose(chain.decode(bytes.fromhex(stored)), array, atol=0.01)


def test_a_package_that_is_not_there(
    monkeypatch: pytest.MonkeyPatch, problems_of: Callable[..., list[str]]
) -> None:
    monkeypatch.setattr(number_codecs, "find_spec", lambda name: None)
    (found,) = problems_of(WAVES, CODECS[0])
    assert "codec numcodecs.pcodec needs the package pcodec, which belongs to the extra 'pcodec'" in found
    assert "pip install 'omnizarr[pcodec]'" in found


def test_faults_of_zfpy(problems_of: Callable[..., list[str]]) -> None:
    codec = {"name": "numcodecs.zfpy", "configuration": {"mode": 1, "rate": "8", "x": 1}}
    found = [text.split(": ")[0] for text in problems_of(WAVES, codec)]
    assert found == [f"codecs[0].configuration.{name}" for name in ("x", "mode", "rate")]
    (one,) = problems_of(np.zeros(3, "i2"), CODECS[1])
    assert "expected numbers of 4 or 8 bytes, found int16" in one


@pytest.mark.skipif(find_spec("pcodec") is None, reason="pcodec is not installed (extra pcodec)")
def test_numcodecs(chain_of: ChainOf) -> None:
    codec: Any = CODECS[0]
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
