"""Settings: threads, limits and defaults, from the environment, from code, or for one block.

``omnizarr.config`` is the one `Config`; environment variables are read when it is made. What is wrong with
them is told when settings are used, so that importing omnizarr never fails.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace
from typing import Any

_LEAST = {
    "threads": 0,
    "requests": 1,
    "cache_bytes": 0,
    "max_chunk_bytes": 1,
    "max_unsized_bytes": 1,
    "max_document_bytes": 1,
    "max_shard_chunks": 1,
}
_TRUTHS = {
    "1": True,
    "true": True,
    "yes": True,
    "on": True,
    "0": False,
    "false": False,
    "no": False,
    "off": False,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The values of all settings.

    Attributes
    ----------
    threads
        Threads for work on the processor; `OMNIZARR_THREADS`, by default the cores of this process.
    requests
        Requests in flight to a remote store; `OMNIZARR_REQUESTS`.
    cache
        Where what is read of stores on a network is kept: `"memory"`, a directory, or `""` for nowhere. For
        places that are opened by URL for reading only, and ask for nothing else; `OMNIZARR_CACHE`.
    cache_bytes
        Bytes that one such cache may hold, where it is not told otherwise; `OMNIZARR_CACHE_BYTES`.
    max_chunk_bytes
        The largest decoded chunk that is accepted; `OMNIZARR_MAX_CHUNK_BYTES`.
    max_unsized_bytes
        What a chunk may be decoded to where its metadata do not tell, as with strings;
        `OMNIZARR_MAX_UNSIZED_BYTES`.
    max_document_bytes
        The largest JSON document that is read; `OMNIZARR_MAX_DOCUMENT_BYTES`.
    max_shard_chunks
        The inner chunks that a shard may have; `OMNIZARR_MAX_SHARD_CHUNKS`.
    missing_chunks
        `"fill"`: a chunk that is absent reads as the fill value; `"raise"`: it is an error;
        `OMNIZARR_MISSING_CHUNKS`.
    write_empty_chunks
        Whether chunks that are all fill value are stored; `OMNIZARR_WRITE_EMPTY_CHUNKS`.
    zarr_format
        The format of new nodes where none is asked for; `OMNIZARR_ZARR_FORMAT`.
    """

    threads: int = 0
    requests: int = 32
    cache: str = ""
    cache_bytes: int = 256 * 2**20
    max_chunk_bytes: int = 2**40
    max_unsized_bytes: int = 2**32
    max_document_bytes: int = 2**30
    max_shard_chunks: int = 2**24
    missing_chunks: str = "fill"
    write_empty_chunks: bool = False
    zarr_format: int = 3

    def __post_init__(self) -> None:
        for field in fields(self):
            value: Any = getattr(self, field.name)
            kind: type = type(field.default)
            if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
                raise ValueError(f"{field.name}: expected {kind.__name__}, found {value!r}")
        for name, least in _LEAST.items():
            if getattr(self, name) < least:
                raise ValueError(f"{name}: expected at least {least}, found {getattr(self, name)!r}")
        if self.threads == 0:
            object.__setattr__(self, "threads", _cores())
        if self.missing_chunks not in ("fill", "raise"):
            raise ValueError(f"missing_chunks: expected 'fill' or 'raise', found {self.missing_chunks!r}")
        if self.zarr_format not in (2, 3):
            raise ValueError(f"zarr_format: expected 2 or 3, found {self.zarr_format!r}")


PREFIX = "OMNIZARR_"


def variable_of(name: str) -> str:
    """Return the environment variable of a setting."""
    return f"{PREFIX}{name.upper()}"


class Config:
    """The settings in force.

    >>> import omnizarr
    >>> with omnizarr.config.set(threads=1):
    ...     omnizarr.config.threads
    1
    >>> with omnizarr.config.using(missing_chunks="raise"):
    ...     omnizarr.config.missing_chunks
    'raise'
    """

    def __init__(self) -> None:
        self._wrong = ""
        self._first: Settings | None = None
        try:
            self._first = _from_environment()
        except ValueError as error:
            self._wrong = str(error)
        self._everywhere = self._first
        self._here: ContextVar[Settings | None] = ContextVar("omnizarr.settings", default=None)

    @property
    def settings(self) -> Settings:
        """All settings as one value.

        Raises
        ------
        ValueError
            A variable of the environment has a value that none of them may have.
        """
        return self._here.get() or self._everywhere or self._refuse()

    def _refuse(self) -> Settings:
        raise ValueError(self._wrong)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.settings, name)

    def origins(self) -> dict[str, str]:
        """Return for each setting where its value comes from.

        `"default"`; the name of an environment variable; `"set"` in this process; `"using"` in this block.
        """
        return {field.name: self._origin(field.name) for field in fields(Settings)}

    def _origin(self, name: str) -> str:
        everywhere = self._everywhere or self._refuse()
        if getattr(self.settings, name) != getattr(everywhere, name):
            return "using"
        if getattr(everywhere, name) != getattr(self._first, name):
            return "set"
        return variable_of(name) if variable_of(name) in os.environ else "default"

    def set(self, **values: Any) -> AbstractContextManager[None]:
        """Change settings for the whole process; as a `with` block, until its end."""
        before = self._everywhere or self._refuse()
        self._everywhere = replace(before, **values)
        return self._restoring(before)

    @contextmanager
    def _restoring(self, before: Settings) -> Iterator[None]:
        try:
            yield
        finally:
            self._everywhere = before

    @contextmanager
    def using(self, **values: Any) -> Iterator[Settings]:
        """Change settings for one block in this thread or task."""
        token = self._here.set(replace(self.settings, **values))
        try:
            yield self.settings
        finally:
            self._here.reset(token)

    def __repr__(self) -> str:
        return f"Config({self._wrong or self.settings})"


def _from_environment() -> Settings:
    values: dict[str, Any] = {}
    for field in fields(Settings):
        text = os.environ.get(variable_of(field.name))
        if text is not None:
            values[field.name] = _parsed(field.name, text, type(field.default))
    try:
        return Settings(**values)
    except ValueError as error:
        name, rest = str(error).split(":", 1)
        raise ValueError(f"{variable_of(name)}:{rest}") from None


def _parsed(name: str, text: str, kind: type) -> Any:
    try:
        return _TRUTHS[text.lower()] if kind is bool else kind(text)
    except (ValueError, KeyError):
        raise ValueError(f"{variable_of(name)}: expected {kind.__name__}, found {text!r}") from None


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every platform
        return os.cpu_count() or 1


config = Config()
