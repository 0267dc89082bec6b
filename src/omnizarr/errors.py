"""Every error of omnizarr.

The tree::

    OmniZarrError
    ├── StoreError                  a store failed (also OSError)
    │   ├── KeyNameError            a key that no store may hold (also ValueError)
    │   ├── ReadOnlyError           a write to something opened for reading (also PermissionError)
    │   ├── StoreNotFoundError      nothing where the store should be (also FileNotFoundError)
    │   └── UrlError                a URL of which a part is not what it should be (also ValueError)
    ├── MetadataError               a document that breaks its specification (also ValueError)
    │   └── UnsupportedError        a legal document that needs an extension this library does not know
    ├── CodecError                  bytes that a codec could not encode or decode (also ValueError)
    │   └── ChecksumError           a checksum that does not match
    ├── NodeError                   a place in a hierarchy
    │   ├── NodeNotFoundError       no array or group there (also KeyError and FileNotFoundError)
    │   ├── NodeExistsError         something is there already (also FileExistsError)
    │   ├── NodeTypeError           an array where a group was asked for, or the reverse (also TypeError)
    │   └── NodeNameError           a name that no node may have (also ValueError)
    ├── SelectionError              a selection or value that does not fit (also IndexError, ValueError)
    ├── MapError                    netCDF's map of keys refused something; `code` is netCDF's number for it
    │   ├── EmptyKeyError           NC_EEMPTY: a key without content (also KeyError)
    │   ├── ObjectExistsError       NC_EOBJECT: there, and should not be (also FileExistsError)
    │   ├── NoObjectError           NC_ENOOBJECT: not there, and should be (also FileNotFoundError)
    │   ├── MapAccessError          NC_EACCESS: not allowed (also PermissionError)
    │   └── MapArgumentError        NC_EINVAL: an argument that makes no sense (also ValueError)
    ├── MissingChunkError           a chunk that is absent where that was made an error (also KeyError)
    ├── WorkersError                workers that are lost, or cannot do their work (also RuntimeError)
    └── ConversionError             something that cannot be carried over without loss (also ValueError)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, Self


class OmniZarrError(Exception):
    """Base of every error that omnizarr raises on purpose."""

    def __str__(self) -> str:
        return self.args[0] if self.args else self.__class__.__name__

    def __reduce__(self) -> tuple[Any, ...]:
        # Errors cross processes; Python would call `__init__` with the finished message for its argument.
        return _rebuilt, (type(self), self.args, vars(self))


class StoreError(OmniZarrError, OSError):
    """A store could not do what it was asked to; names the store and the key.

    `errno` is that of the operating system where it was the one that refused.
    """

    def __init__(
        self, message: str, *, store: str = "", key: str | None = None, errno: int | None = None
    ) -> None:
        super().__init__(_placed(message, store=store, key=key))
        self.store = store
        self.key = key
        self.errno = errno


class KeyNameError(StoreError, ValueError):
    """A key that no store may hold."""


class ReadOnlyError(StoreError, PermissionError):
    """A write to something that was opened for reading."""


class StoreNotFoundError(StoreError, FileNotFoundError):
    """Nothing where the store should be."""


class UrlError(StoreError, ValueError):
    """A URL of which a part is not what it should be; the message says which part."""


class Problem(NamedTuple):
    """One fault of a document; `unsupported` where it is legal, but asks for what is not known here."""

    at: str
    message: str
    unsupported: bool = False

    def __str__(self) -> str:
        return f"{self.at}: {self.message}" if self.at else self.message


class MetadataError(OmniZarrError, ValueError):
    """A document that breaks its specification; `problems` lists every fault with its location."""

    def __init__(self, problems: Sequence[Problem], *, store: str = "", path: str | None = None) -> None:
        head = "; ".join(map(str, problems)) if len(problems) == 1 else _bullets(problems)
        super().__init__(_placed(head, store=store, path=path))
        self.problems = tuple(problems)
        self.store = store
        self.path = path


class UnsupportedError(MetadataError):
    """A document that asks for an extension this library does not know; the extension is named."""


class CodecError(OmniZarrError, ValueError):
    """Bytes that a codec could not encode or decode; names the codec, the key and the node."""

    def __init__(self, message: str, *, codec: str, key: str | None = None, path: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.codec = codec
        self.key = key
        self.path = path

    def __str__(self) -> str:
        return _placed(f"codec {self.codec}: {self.message}", key=self.key, path=self.path)

    def located(self, key: str, path: str) -> Self:
        """Return this error with the chunk's key and the node's path filled in."""
        self.key = self.key or key
        self.path = path
        return self


class ChecksumError(CodecError):
    """A checksum that does not match its bytes."""


class NodeError(OmniZarrError):
    """Something about a place in a hierarchy; names the store and the path."""

    def __init__(self, message: str, *, store: str = "", path: str | None = None) -> None:
        super().__init__(_placed(message, store=store, path=path))
        self.store = store
        self.path = path


class NodeNotFoundError(NodeError, KeyError, FileNotFoundError):
    """No array or group there."""


class NodeExistsError(NodeError, FileExistsError):
    """Something is there already."""


class NodeTypeError(NodeError, TypeError):
    """An array where a group was asked for, or the reverse."""


class NodeNameError(NodeError, ValueError):
    """A name that no node may have."""


class SelectionError(OmniZarrError, IndexError, ValueError):
    """A selection that does not fit the array, or a value that does not fit the selection."""


class MapError(OmniZarrError):
    """netCDF's map of keys refused something; names the store and the key as the map has it.

    Attributes
    ----------
    code, code_name
        The number and name that `netcdf.h` has for it.
    """

    code: ClassVar[int]
    code_name: ClassVar[str]

    def __init__(self, message: str, *, store: str = "", key: str | None = None) -> None:
        super().__init__(_placed(message, store=store, key=key))
        self.store = store
        self.key = key


class EmptyKeyError(MapError, KeyError):
    """A key without content."""

    code = -139
    code_name = "NC_EEMPTY"


class ObjectExistsError(MapError, FileExistsError):
    """Something is there that should not be."""

    code = -140
    code_name = "NC_EOBJECT"


class NoObjectError(MapError, FileNotFoundError):
    """Something is not there that should be."""

    code = -141
    code_name = "NC_ENOOBJECT"


class MapAccessError(MapError, PermissionError):
    """Something that is not allowed."""

    code = -77
    code_name = "NC_EACCESS"


class MapArgumentError(MapError, ValueError):
    """An argument that makes no sense."""

    code = -36
    code_name = "NC_EINVAL"


class MissingChunkError(OmniZarrError, KeyError):
    """A chunk that is absent where absence was made an error; names the node and the key."""


class WorkersError(OmniZarrError, RuntimeError):
    """Workers in other processes that were lost, that never came, or that cannot reach a store."""


class ConversionError(OmniZarrError, ValueError):
    """Something that cannot be carried over without loss."""


def _rebuilt(kind: type[OmniZarrError], args: tuple[Any, ...], state: dict[str, Any]) -> OmniZarrError:
    # By name: with two built-in bases `kind.__new__` is the first one's, and that may be too small.
    base: type[Exception] = OSError if issubclass(kind, OSError) else Exception
    error = base.__new__(kind, *args)
    error.args = args
    vars(error).update(state)
    return error


def _placed(message: str, *, store: str = "", key: str | None = None, path: str | None = None) -> str:
    places = [f"store {store}"] if store else []
    places += [f"node '/{path.strip('/')}'"] if path is not None else []
    places += [f"key {key!r}"] if key is not None else []
    return f"{message} ({', '.join(places)})" if places else message


def _bullets(problems: Sequence[Problem]) -> str:
    return f"{len(problems)} problems:\n" + "\n".join(f"  - {problem}" for problem in problems)
