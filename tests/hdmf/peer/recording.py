"""An NWB file with what is stored in special ways; it is made alike in every environment."""

import random
import uuid
from datetime import UTC, datetime
from unittest.mock import patch

import numpy as np
from pynwb import NWBFile, TimeSeries
from pynwb.testing.mock.base import mock_TimeSeries
from pynwb.testing.mock.behavior import mock_CompassDirection, mock_Position, mock_PupilTracking
from pynwb.testing.mock.ecephys import (
    mock_ElectricalSeries,
    mock_electrodes,
    mock_ElectrodesTable,
    mock_Units,
)
from pynwb.testing.mock.file import mock_Subject
from pynwb.testing.mock.icephys import mock_IntracellularRecordingsTable
from pynwb.testing.mock.ogen import mock_OptogeneticSeries
from pynwb.testing.mock.ophys import mock_Fluorescence, mock_OnePhotonSeries, mock_TwoPhotonSeries
from pynwb.testing.mock.utils import name_generator_registry


def recording() -> NWBFile:
    """Return the file; names and ids are the same each time."""
    source = random.Random(0)
    ids = patch("hdmf.container.uuid4", lambda: uuid.UUID(int=source.getrandbits(128), version=4))
    with ids, patch.dict(name_generator_registry, clear=True):
        return _made()


def _made() -> NWBFile:
    day = datetime(2020, 1, 1, 12, 30, tzinfo=UTC)
    file = NWBFile("ä description", "i", day, file_create_date=[day], experimenter=["A, B", "C, D"])
    file.keywords = ["one", "two"]
    mock_Subject(nwbfile=file)
    table = mock_ElectrodesTable(nwbfile=file)
    mock_ElectricalSeries(electrodes=mock_electrodes(table=table), nwbfile=file)
    mock_Units(nwbfile=file)
    for made in (mock_CompassDirection, mock_Position, mock_PupilTracking, mock_OptogeneticSeries):
        made(nwbfile=file)
    mock_IntracellularRecordingsTable(nwbfile=file)
    mock_Fluorescence(nwbfile=file)
    for made in (mock_OnePhotonSeries, mock_TwoPhotonSeries):
        made(nwbfile=file, starting_frame=None)  # an attribute of `external_file`, which there is none of
    _numbers(file)
    _intervals(file)
    file.add_scratch(np.array(["ä", "b", ""]), name="texts", description="d")
    file.add_scratch(np.arange(6, dtype="u2").reshape(2, 3), name="numbers", description="d")
    return file


def _numbers(file: NWBFile) -> None:
    for dtype in ("u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f4", "f8"):
        file.add_acquisition(mock_TimeSeries(name=dtype, data=np.array([[0, 1], [100, 127]], dtype)))
    file.add_acquisition(TimeSeries(name="linked", data=file.acquisition["u1"], unit="volts", rate=2.0))


def _intervals(file: NWBFile) -> None:
    series = [file.acquisition[name] for name in ("u1", "f8")]
    file.add_trial_column("tag", "t")
    file.add_trial(start_time=0.0, stop_time=1.0, tag="a", timeseries=series)
    file.add_trial(start_time=1.0, stop_time=2.0, tag="ä", timeseries=series[:1])
    file.add_epoch(1.0, 2.0, ["x", "y"], series)
