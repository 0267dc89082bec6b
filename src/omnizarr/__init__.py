"""One library for every dialect of Zarr.

>>> import numpy, omnizarr
>>> array = omnizarr.create_array("memory://example", data=numpy.arange(6).reshape(2, 3))
>>> omnizarr.open("memory://example")[1, ::2]
array([3, 5])

Stores are in `omnizarr.store`, errors in `omnizarr.errors`, settings in `omnizarr.config`.
"""

import logging

from omnizarr._version import __version__
from omnizarr.config import config
from omnizarr.errors import OmniZarrError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.consolidate import consolidate_metadata
from omnizarr.hierarchy.copy import copy
from omnizarr.hierarchy.create import (
    array,
    create,
    create_array,
    create_group,
    create_hierarchy,
    from_array,
    group,
)
from omnizarr.hierarchy.creating.filled import (
    empty,
    empty_like,
    full,
    full_like,
    ones,
    ones_like,
    open_like,
    zeros,
    zeros_like,
)
from omnizarr.hierarchy.draw import tree
from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.open import open, open_array, open_consolidated, open_group
from omnizarr.hierarchy.relocate import move
from omnizarr.hierarchy.removal import delete
from omnizarr.hierarchy.repair import repair
from omnizarr.hierarchy.save import load, save, save_array, save_group
from omnizarr.hierarchy.validate import validate
from omnizarr.hierarchy.workers.processes import Processes

__all__ = [
    "Array",
    "Group",
    "OmniZarrError",
    "Processes",
    "__version__",
    "array",
    "config",
    "consolidate_metadata",
    "copy",
    "create",
    "create_array",
    "create_group",
    "create_hierarchy",
    "delete",
    "empty",
    "empty_like",
    "from_array",
    "full",
    "full_like",
    "group",
    "load",
    "move",
    "ones",
    "ones_like",
    "open",
    "open_array",
    "open_consolidated",
    "open_group",
    "open_like",
    "repair",
    "save",
    "save_array",
    "save_group",
    "tree",
    "validate",
    "zeros",
    "zeros_like",
]

logging.getLogger("omnizarr").addHandler(logging.NullHandler())  # what is shown is up to the program
