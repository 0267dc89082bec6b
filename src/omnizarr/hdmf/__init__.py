"""HDMF and NWB on Zarr."""
