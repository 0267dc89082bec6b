"""Writes an NWB file with many types by hdmf-zarr.

python write_mocks.py FOLDER
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from hdmf_zarr.nwb import NWBZarrIO
from recording import recording

with NWBZarrIO(sys.argv[1], mode="w") as io:
    io.write(recording())
