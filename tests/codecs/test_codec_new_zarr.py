"""`cast_value`, `scale_offset` and `n5_default` against the newest zarr-python, live, in both directions."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from new_zarr import interpreter

import omnizarr
from omnizarr.codecs.casting import ROUNDINGS

pytestmark = pytest.mark.slow

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
NUMBERS = ("int8", "uint16", "int32", "int64", "uint64")
FLOATS = ("float16", "float32", "float64")
N5 = {
    "name": "n5_default",
    "configuration": {
        "codecs": [
            {"name": "transpose", "configuration": {"order": [1, 0]}},
            {"name": "bytes", "configuration": {"endian": "big"}},
            {"name": "zstd", "configuration": {"level": 0, "checksum": False}},
        ]
    },
}


def casting(data_type: str, **more: Any) -> dict[str, Any]:
    return {"name": "cast_value", "configuration": {"data_type": data_type, **more}}


def scaling(**configuration: Any) -> dict[str, Any]:
    return {"name": "scale_offset", "configuration": configuration}


def numbers(dtype: str) -> np.ndarray[Any, Any]:
    drawn = np.random.default_rng(4)
    if dtype in FLOATS:
        spread = 10.0 ** drawn.integers(-3, 5, 24)
        return (drawn.normal(size=24) * spread).astype(dtype).reshape(4, 6)
    limits = np.iinfo(dtype)
    found = drawn.integers(limits.min, limits.max, 24, dtype, endpoint=True)
    found[:3] = [limits.min, limits.max, 1]
    return found.reshape(4, 6)


def cases() -> dict[str, tuple[np.ndarray[Any, Any], list[Any], dict[str, Any]]]:
    found: dict[str, Any] = {}
    types = (*NUMBERS, *FLOATS)
    for i, (source, target) in enumerate(itertools.product(types, types)):
        manner = {"rounding": ROUNDINGS[i % 5]}
        if target in NUMBERS:
            manner["out_of_range"] = "wrap" if i % 2 and source in NUMBERS else "clamp"
        else:
            manner["out_of_range"] = "clamp"
        if manner["out_of_range"] == "wrap" and target in FLOATS:
            continue
        values = numbers(source)
        if target == "float16" and source in NUMBERS:
            values //= np.array(max(1, int(values.max()) // 60000), source)
        found[f"cast-{source}-{target}"] = (values, [casting(target, **manner), LITTLE], {})
    nan = {"encode": [["NaN", 255]], "decode": [[255, "NaN"]]}
    values = np.array([[1.5, np.nan, 7, 200.4]] * 2)
    found["nan"] = (values, [casting("uint8", scalar_map=nan), "bytes"], {"fill_value": "NaN"})
    values = np.array([[-3.25, 10.5], [0.0, 99.75]])
    packing = [scaling(offset=-10, scale=4), casting("uint16"), LITTLE]
    found["packed"] = (values, packing, {})
    found["scaled-ints"] = (
        np.arange(24, dtype="i4").reshape(4, 6),
        [scaling(offset=-7, scale=3), LITTLE],
        {},
    )
    found["scaled-floats"] = (numbers("float32"), [scaling(offset=0.1, scale=1.7), LITTLE], {})
    found["n5"] = (numbers("uint16"), [N5], {})
    return found


def document(values: np.ndarray[Any, Any], codecs: list[Any], more: dict[str, Any]) -> bytes:
    chunks = [values.shape[0], values.shape[1] // 2]
    if codecs == [N5]:
        chunks = [3, 4]  # cut at the end of both axes
    return json.dumps(
        {
            "zarr_format": 3,
            "node_type": "array",
            "shape": values.shape,
            "data_type": str(values.dtype),
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunks}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": 0,
            "codecs": [codec if isinstance(codec, dict) else {"name": codec} for codec in codecs],
            "attributes": {},
            **more,
        }
    ).encode()


def test_both_directions(tmp_path: Path) -> None:
    python = interpreter()
    everything = cases()
    for name, (values, codecs, more) in everything.items():
        for side in ("ours", "theirs"):
            (tmp_path / name / side).mkdir(parents=True)
            (tmp_path / name / side / "zarr.json").write_bytes(document(values, codecs, more))
        np.save(tmp_path / name / "values.npy", values)
        omnizarr.open_array(tmp_path / name / "ours", mode="r+")[...] = values
    (tmp_path / "cases.json").write_text(json.dumps(list(everything)))
    script = Path(__file__).parent / "peer" / "new_zarr_chunks.py"
    environment = {**os.environ, "PYTHONPATH": ""}
    done = subprocess.run(
        [python, "-W", "ignore", script, tmp_path],
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    answers, faults = json.loads(done.stdout), []
    for name in everything:
        expected = {"wrote": name != "n5", "read": True}  # zarr-n5 reads only
        found = {verb: not message for verb, message in answers[name].items()}
        if found != expected or not alike(tmp_path / name, wrote=expected["wrote"]):
            faults.append((name, answers[name]))
    assert faults == []


def alike(folder: Path, *, wrote: bool) -> bool:
    """Say whether the same chunks were stored, and the same values are read."""
    ours = omnizarr.open_array(folder / "ours")[...]
    if np.load(folder / "read.npy").tobytes() != ours.tobytes():
        return False
    chunks = {
        path.relative_to(folder / "ours") for path in (folder / "ours" / "c").rglob("*") if path.is_file()
    }
    return not wrote or all(
        (folder / "theirs" / chunk).read_bytes() == (folder / "ours" / chunk).read_bytes() for chunk in chunks
    )
