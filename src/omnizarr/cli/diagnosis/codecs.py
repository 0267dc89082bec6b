"""Whether each codec gives back what it was given: one small chunk through every one of the registry."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from omnizarr.cli.diagnosis.findings import Finding, one_line
from omnizarr.codecs.base import ChunkSpec
from omnizarr.codecs.chain import build_chain
from omnizarr.codecs.registry import CODECS
from omnizarr.jsontypes import JsonObject, Problems
from omnizarr.metadata.extension import Extension

ABOUT = "codecs"
_LITTLE: tuple[str, JsonObject] = ("bytes", {"endian": "little"})
# Known by name, to be refused.
_REFUSED = {"pickle"}
_BIG: JsonObject = {"name": "bytes", "configuration": {"endian": "big"}}
_SHARDS: JsonObject = {
    "chunk_shape": [8, 8],
    "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "zstd"}],
    "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}],
}


@dataclass(frozen=True, slots=True)
class _Trial:
    """A chain around a codec, and the chunk that goes through it; within `loss` of it comes out."""

    chain: tuple[tuple[str, JsonObject], ...]
    dtype: str = "<f4"
    loss: float = 0


def codecs() -> Iterator[Finding]:
    """Yield whether each codec works; those of extras that are not installed are named together."""
    absent = []
    works = []
    names = sorted(set(CODECS) - _REFUSED)
    for name in names:
        finding = _tried(name)
        if finding.level == "note":
            absent.append(finding)
        elif finding.level == "ok":
            works.append(name)
        else:
            yield finding
    yield Finding(
        ABOUT,
        "",
        "ok",
        f"{len(works)} of {len(names)} work: {', '.join(works)}",
        values={"working": [*works]},
    )
    yield from absent


def _tried(name: str) -> Finding:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wrong = _difference(_trial(name))
    except Exception as error:  # whatever it is, it is what was to be found out
        text = one_line(error)
        if "pip install" in text:
            return Finding(ABOUT, name, "note", text)
        return Finding(ABOUT, name, "broken", f"{type(error).__name__}: {text}")
    return Finding(ABOUT, name, "broken" if wrong else "ok", wrong or "works")


def _difference(trial: _Trial) -> str:
    problems = Problems()
    array = _sample(trial.dtype)
    codecs = [Extension(name, configuration) for name, configuration in trial.chain]
    fill: Any = None if array.dtype.hasobject else 0
    chain = build_chain(codecs, ChunkSpec(array.shape, array.dtype, fill), "codecs", problems)
    problems.check()
    assert chain is not None
    found = chain.decode(bytes(chain.encode(array)))
    return "" if _is_near(array, found, trial.loss) else "what was decoded is not what was encoded"


def _is_near(array: NDArray[Any], found: NDArray[Any], loss: float) -> bool:
    if array.dtype.hasobject:
        return [str(value) for value in array.flat] == [str(value) for value in found.flat]
    return bool(np.allclose(array.astype("f8"), found.astype("f8"), rtol=0, atol=loss))


def _sample(dtype: str) -> NDArray[Any]:
    numbers = (np.arange(256) % 64).reshape(16, 16)
    if dtype not in _OBJECTS:
        return numbers % 2 == 0 if dtype == "?" else numbers.astype(dtype)
    out = np.empty(256, object)
    out[:] = [_OBJECTS[dtype](int(number)) for number in numbers.flat]
    return out.reshape(16, 16)


_OBJECTS: dict[str, Callable[[int], Any]] = {
    "text": lambda number: f"text {number}",
    "bytes": lambda number: bytes(number),
    "arrays": lambda number: np.arange(number, dtype="<i4"),
}


def _trial(name: str) -> _Trial:
    """Return what a codec is tried with: unless it needs more, behind the one of plain bytes."""
    return _TRIALS.get(name) or _Trial((_LITTLE, (name, {})))


_TRIALS: dict[str, _Trial] = {
    "bytes": _Trial((_LITTLE,)),
    "transpose": _Trial((("transpose", {"order": [1, 0]}), _LITTLE)),
    "gzip": _Trial((_LITTLE, ("gzip", {"level": 1}))),
    "zstd": _Trial((_LITTLE, ("zstd", {"level": 1, "checksum": True}))),
    "blosc": _Trial((_LITTLE, ("blosc", {"cname": "zstd", "shuffle": "bitshuffle", "typesize": 4}))),
    "packbits": _Trial((("packbits", {}),), "?"),
    "bitround": _Trial((("bitround", {"keepbits": 8}), _LITTLE), loss=0.2),
    "reshape": _Trial((("reshape", {"shape": [256]}), _LITTLE)),
    "cast_value": _Trial((("cast_value", {"data_type": "uint8"}), _LITTLE)),
    "scale_offset": _Trial((("scale_offset", {"offset": 1, "scale": 2}), _LITTLE)),
    "zfp": _Trial((("zfp", {"mode": "reversible"}),)),
    "n5_default": _Trial(
        (("n5_default", {"codecs": [{"name": "transpose", "configuration": {"order": [1, 0]}}, _BIG]}),)
    ),
    "conditional": _Trial((_LITTLE, ("conditional", {"codecs": [{"name": "zstd"}]}))),
    "sharding_indexed": _Trial((("sharding_indexed", _SHARDS),)),
    "vlen-utf8": _Trial((("vlen-utf8", {}),), "text"),
    "vlen-bytes": _Trial((("vlen-bytes", {}),), "bytes"),
    "vlen-array": _Trial((("vlen-array", {"dtype": "<i4"}),), "arrays"),
    "json2": _Trial((("json2", {}),), "text"),
    "msgpack2": _Trial((("msgpack2", {}),), "text"),
    "categorize": _Trial((("categorize", {"labels": [f"text {number}" for number in range(64)]}),), "text"),
    "numcodecs.pcodec": _Trial((("numcodecs.pcodec", {}),)),
    "numcodecs.zfpy": _Trial((("numcodecs.zfpy", {"mode": 4, "tolerance": 0.01}),), loss=0.01),
    "numcodecs.szip": _Trial((_LITTLE, ("numcodecs.szip", {"mask": 32, "pixels-per-block": 4}))),
    "numcodecs.delta": _Trial((("numcodecs.delta", {"dtype": "<f4"}), _LITTLE)),
    "numcodecs.fixedscaleoffset": _Trial(
        (("numcodecs.fixedscaleoffset", {"offset": 0, "scale": 2, "dtype": "<f4", "astype": "u1"}), _LITTLE)
    ),
    "numcodecs.quantize": _Trial((("numcodecs.quantize", {"digits": 1, "dtype": "<f4"}), _LITTLE), loss=0.1),
    "numcodecs.bitround": _Trial((("numcodecs.bitround", {"keepbits": 8}), _LITTLE), loss=0.2),
    "numcodecs.astype": _Trial(
        (("numcodecs.astype", {"encode_dtype": "<f8", "decode_dtype": "<f4"}), _LITTLE)
    ),
    "numcodecs.packbits": _Trial((("numcodecs.packbits", {}), ("bytes", {})), "?"),
}
