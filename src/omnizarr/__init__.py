"""One library for every dialect of Zarr."""

from omnizarr._version import __version__

__all__ = ["__version__"]
