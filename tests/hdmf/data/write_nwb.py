"""Writes the fixture `nwb.zarr.zip` of this folder with hdmf-zarr 0.13.0 (pynwb 4.2.0, zarr 2.18.7).

    NUMCODECS_ALLOW_UNSAFE_PICKLE_DECODE=1 python write_nwb.py FOLDER

The folder's files go into the archive as they are.
"""

import sys
from datetime import UTC, datetime

import numpy as np
from hdmf_zarr.nwb import NWBZarrIO
from pynwb import NWBFile, TimeSeries
from pynwb.ecephys import ElectricalSeries

recording = NWBFile(
    session_description="d",
    identifier="i",
    session_start_time=datetime(2020, 1, 1, tzinfo=UTC),
    experimenter=["A, B"],
    session_id="s",
)
device = recording.create_device(name="probe", description="d")
group = recording.create_electrode_group(name="shank0", description="d", location="CA1", device=device)
for number in range(3):
    recording.add_electrode(
        group=group,
        location="CA1",
        group_name="shank0",
        x=float(number),
        y=0.0,
        z=0.0,
        imp=1.0,
        filtering="none",
    )
electrodes = recording.create_electrode_table_region([0, 2], "two")
raw = ElectricalSeries(name="raw", data=np.zeros((10, 2), "int16"), electrodes=electrodes, rate=1000.0)
recording.add_acquisition(raw)
series = TimeSeries(name="ts", data=np.arange(10.0), unit="V", timestamps=np.arange(10.0))
recording.add_acquisition(series)
recording.add_acquisition(TimeSeries(name="linked", data=series, unit="V", timestamps=series))
recording.add_trial_column("tag", "t")
recording.add_trial(start_time=0.0, stop_time=1.0, tag="a", timeseries=[series])
recording.add_epoch(1.0, 2.0, ["x"], [series])
with NWBZarrIO(sys.argv[1], mode="w") as io:
    io.write(recording, cache_spec=False)
