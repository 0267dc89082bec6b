"""The names of dimensions, variables and groups, and what is wrong with some.

Errors are what netCDF4-python raises too, which has IndexError, RuntimeError and AttributeError for them.

https://docs.unidata.ucar.edu/netcdf-c/current/programming_notes.html#object_name
"""

from __future__ import annotations

from omnizarr.errors import (
    ConversionError,
    MetadataError,
    NodeExistsError,
    NodeNameError,
    NodeNotFoundError,
    OmniZarrError,
    Problem,
)

_DEEPEST = 128
_LONGEST = 256


class MissingError(NodeNotFoundError, IndexError, ValueError):
    """No group, variable or dimension of that name; also an IndexError and a ValueError."""


class NameInUseError(NodeExistsError, RuntimeError):
    """A group, variable or dimension of that name; also a RuntimeError."""


class BadNameError(NodeNameError, RuntimeError):
    """What netCDF does not take as a name; also a RuntimeError."""


class DefinitionError(OmniZarrError, ValueError, RuntimeError):
    """A variable or dataset that cannot be as it is asked for; also a ValueError and a RuntimeError."""


class OutOfRangeError(ConversionError, OverflowError):
    """A number that a type cannot hold; also an OverflowError."""


class AttributeAccessError(OmniZarrError, AttributeError, RuntimeError):
    """An attribute that is not there, or cannot be changed; also an AttributeError and a RuntimeError."""


def check_name(name: str) -> None:
    """Refuse what netCDF does not take as a name.

    Raises
    ------
    BadNameError
        The name is empty or longer than 256 bytes, does not begin with a letter, a digit or an underscore
        (whatever is not ASCII is a letter), holds a slash or control characters, or ends in a space.
        netCDF-C opens no dataset that has such a name.
    """
    first = name[:1]
    if (
        not (first.isalnum() or first == "_" or first > "\x7f")
        or name != name.strip()
        or len(name.encode("utf-8", "surrogateescape")) > _LONGEST
        or any(ord(character) < 32 or character in "/\x7f" for character in name)
    ):
        raise BadNameError(f"netCDF takes no name like {name!r}")


def check_depth(path: str) -> None:
    """Refuse a group that lies within too many others, of which each is a part of the one above.

    Raises
    ------
    MetadataError
        There are more than 128 above it.
    """
    if path.count("/") > _DEEPEST:
        raise MetadataError([Problem(f"{path[:40]}…", f"groups within groups go deeper than {_DEEPEST}")])
