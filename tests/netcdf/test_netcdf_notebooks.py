"""Datasets, groups and variables in notebooks."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np

from omnizarr.netcdf import Dataset, MFDataset
from omnizarr.store import CountingStore, MemoryStore


def words(text: str) -> str:
    assert len(text.encode()) < 100_000
    page = ET.fromstring(text.replace(" open>", ' open="">'))
    return " ".join(part.strip() for part in page.itertext() if part.strip())


def filled(dataset: Dataset) -> Dataset:
    dataset.title = "<b>"
    dataset.createDimension("time", None)
    dataset.createDimension("x", 2)
    variable = dataset.createVariable("v<", "i2", ("time", "x"), fill_value=-1)
    variable.units, variable.long_name = "m&", "way"
    variable[:] = [[1, 2]]
    dataset.createVariable("g/text", str, ("x",))
    return dataset


def test_a_dataset_and_its_parts() -> None:
    store = CountingStore(MemoryStore())
    filled(Dataset(store, "w", dialect="nczarr", zarr_format=3)).close()
    with Dataset(store) as dataset:
        store.reset()
        shown = words(dataset._repr_html_())
        for part in (
            "Dataset /",
            "2 dimensions time 1 (unlimited) x 2",
            "1 variable v< (time: 1, x: 2) int16 way [m&]",
            "3 attributes _FillValue -1 units m& long_name way",
            "1 group g/ 1 variable text (x: 2) str",
            "1 attribute title <b>",
        ):
            assert part in shown
        assert "Group /g" in words(dataset["g"]._repr_html_())  # type: ignore[union-attr]
        assert words(dataset.variables["v<"]._repr_html_()).endswith("units m& long_name way")
        assert sum(store.counts.values()) == 0
    words(dataset._repr_html_())  # also when it is closed


def test_large_datasets_are_cut() -> None:
    with Dataset(MemoryStore(), "w", diskless=False) as dataset:
        dataset.createDimension("x", 1)
        for number in range(130):
            variable = dataset.createVariable(f"v{number}" + "n" * 90, "f4", ("x",))
            variable.setncatts({f"a{n}": "&" * 500 for n in range(3)})
        assert "more" in words(dataset._repr_html_())


def test_joined_files(tmp_path: Path) -> None:
    for number in range(2):
        with Dataset(tmp_path / f"{number}.zarr", "w") as dataset:
            filled(dataset)
    with MFDataset([str(tmp_path / f"{number}.zarr") for number in range(2)], aggdim="time") as joined:
        assert "v< (time: 2, x: 2) int16 way [m&]" in words(joined._repr_html_())
        assert "way" in words(joined.variables["v<"]._repr_html_())
        assert np.asarray(joined.variables["v<"][:]).shape == (2, 2)
