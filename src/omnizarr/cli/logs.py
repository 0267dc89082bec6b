"""What is logged, shown on standard error."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

LEVELS = ("warning", "info", "debug")
"""From quiet to talkative."""


@contextmanager
def logging_to_stderr(level: str) -> Iterator[None]:
    """Show what omnizarr logs from a level on, until the end of the block."""
    logger = logging.getLogger("omnizarr")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s.%(msecs)03d %(name)s: %(message)s", "%H:%M:%S"))
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(level.upper())
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
