"""zarr-python with the codec pipeline of zarrs, which is chosen when an array is opened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import zarr
import zarrs

from benchmarks.peers.zarr_python import ZarrArrays
from benchmarks.spec import Spec

PIPELINE = {"codec_pipeline.path": "zarrs.ZarrsCodecPipeline"}


class Zarrs(ZarrArrays):
    """Arrays only: hierarchies are zarr-python's, and memory stores are not for the pipeline."""

    name = "zarrs"
    version = zarrs.__version__

    def create(self, folder: Path, spec: Spec) -> Any:
        with zarr.config.set(PIPELINE):
            return super().create(folder, spec)

    def open(self, folder: Path) -> Any:
        with zarr.config.set(PIPELINE):
            return super().open(folder)


LIBRARY = Zarrs()
