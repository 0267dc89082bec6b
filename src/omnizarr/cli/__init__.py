"""The command `omnizarr`."""

from omnizarr.cli.main import cli, main

__all__ = ["cli", "main"]
