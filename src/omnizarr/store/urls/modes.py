"""The modes that stores are opened in, and the types of what opens them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, MutableMapping
from typing import Literal, TypeAlias

from omnizarr.store.base import Store

Mode: TypeAlias = Literal["r", "r+", "a", "w", "w-"]
StoreLike: TypeAlias = str | os.PathLike[str] | Store | MutableMapping[str, bytes]
Options: TypeAlias = Mapping[str, object]
Opener: TypeAlias = Callable[[str, Mode, Options], Store]

MODES = ("r", "r+", "a", "w", "w-")
MUST_EXIST = ("r", "r+")
