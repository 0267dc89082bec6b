"""Puts this folder on the path: `netcdf_peer` is for the tests of every room."""
