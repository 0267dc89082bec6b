"""Fuzzing of every parser: `make fuzz`, or `python -m fuzz --help`."""
