"""Reading values of an object store: parts, states of a value, and what failed.

A server may ignore ranges and conditions. What comes back is therefore compared with what was asked
for; where a server answers with the whole value, the part is cut out of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from omnizarr.errors import StoreError, StoreNotFoundError
from omnizarr.store.base import ByteRange, Facts, From, Last, Span
from omnizarr.store.objects.forks import require_threads
from omnizarr.store.objects.places import Place
from omnizarr.store.objects.web import check_answer, described, ignores_ranges, status_of
from omnizarr.store.ranges import bounds

# Farther than any object reaches, and within the numbers that every server can read.
_FAR = 2**50
# What is held at most of a value whose server gives no parts of it.
_LARGEST_WHOLE = 2**30
# What S3, Azure and GCS say where it is not the key that is absent.
_NO_BUCKET = ("NoSuchBucket", "ContainerNotFound", "The specified bucket does not exist")


class State(NamedTuple):
    """What tells one value of a key from the next one."""

    e_tag: str | None
    version: str | None
    size: int
    modified: object


class Absent(Exception):
    """There is no such key; never seen outside the object store."""


class Piece(NamedTuple):
    """Bytes of a value, where they start in it, and the state that it was in."""

    data: Any
    start: int
    state: State


def refused(place: Place, action: str, key: str | None, error: Exception) -> StoreError:
    """Return the error for a request that failed; it says what the server said, and no credentials."""
    said = str(error).partition("\n\nDebug source")[0]
    said = re.sub(r"//[^/@\s]+@", "//", said)
    said = re.sub(r"\?[^\s\"']+", "", said)
    body = re.search(r"<Code>(\w+)</Code>", said)
    said = said.partition("<")[0].strip().rstrip(":") + (f" ({body[1]})" if body else "")
    return StoreError(f"cannot {action}: {' '.join(said.split())}", store=place.name, key=key)


@contextmanager
def failures(place: Place, action: str, key: str | None, *, absent: bool = True) -> Iterator[None]:
    """Turn what obstore raises into `StoreError`s, but for failed conditions.

    Where the key may be `absent`, that raises `Absent`; an absent bucket is an error all the same.
    """
    require_threads(place)
    exceptions = _exceptions()
    try:
        yield
    except (StoreError, exceptions.AlreadyExistsError, exceptions.PreconditionError):
        raise
    except (exceptions.BaseError, ValueError, OSError) as error:
        if any(said in str(error) for said in _NO_BUCKET):
            raise StoreNotFoundError("there is no such bucket", store=place.name) from None
        if absent and isinstance(error, FileNotFoundError) and status_of(error) in (None, 404):
            raise Absent(key) from None  # for obstore 405 is that, too
        raise refused(place, action, key, error) from None
    except BaseException as error:
        if type(error).__module__ != "pyo3_runtime":
            raise
        # obstore comes to an end so where an option cannot stand in a request
        message = f"cannot {action}: obstore cannot make this request: {error}"
        raise StoreError(message, store=place.name, key=key) from None


def fetch(place: Place, key: str, part: ByteRange | None = None, held: State | None = None) -> Piece | None:
    """Return a part of a value, or None where there is no such key.

    Parameters
    ----------
    held
        The state that the value has to be in.

    Raises
    ------
    StoreError
        The request failed, or the value is in another state by now.
    """
    piece = fetch_at_least(place, key, part, held)
    return None if piece is None else _cut_out(piece, part)


def fetch_at_least(place: Place, key: str, part: ByteRange | None, held: State | None) -> Piece | None:
    """Return what `fetch` does, or the whole value where the server gives no parts."""
    exceptions = _exceptions()
    try:
        with failures(place, "read", key):
            piece = _answer(place, key, part, held)
    except Absent:
        if held is None:
            return None
        raise replaced(place, key) from None
    except exceptions.PreconditionError:
        raise replaced(place, key) from None
    if held is not None and not same(held, piece.state):
        raise replaced(place, key)
    return piece


def replaced(place: Place, key: str) -> StoreError:
    """Return the error for a value that was replaced while parts of it were read."""
    return StoreError("the value was replaced while parts of it were read", store=place.name, key=key)


def same(one: State, other: State) -> bool:
    """Say whether two states are of one value."""
    if one.e_tag is not None or other.e_tag is not None:
        return one.e_tag == other.e_tag
    return one == other


def facts_of_state(state: State) -> Facts:
    """Return what tells a value from the next one, as stores tell it."""
    return Facts(state.size, state.version or state.e_tag or f"{state.size} {state.modified}")


def _answer(place: Place, key: str, part: ByteRange | None, held: State | None) -> Piece:
    if part is None:
        return _request(place, key, None, held)
    if not isinstance(part, From) and part.length == 0:
        return Piece(b"", 0, state_of(head(place, key)))
    try:
        return _request(place, key, part, held)
    except _exceptions().BaseError as error:
        said = str(error)
        if status_of(error) == 416 or "Range started at" in said:
            return _beyond(place, key, part, held)
        if isinstance(part, Last) and "suffix" in said.lower():
            return _request(place, key, From(bounds(part, head(place, key)["size"])[0]), held)
        if ignores_ranges(error):
            if isinstance(part, Last) and (found := _ending(place, key, part, held)) is not None:
                return found
            return _request(place, key, None, held, most=_LARGEST_WHOLE)
        raise


def _ending(place: Place, key: str, part: Last, held: State | None) -> Piece | None:
    """Return the end of a value by its size; None where a server ignores all ranges, and not just such."""
    try:
        state = _request(place, key, Span(0, 1), held).state
    except _exceptions().BaseError as error:
        if ignores_ranges(error) or status_of(error) == 416:
            return None
        raise
    start, stop = bounds(part, state.size)
    return _request(place, key, Span(start, stop - start), held or state)


def _beyond(place: Place, key: str, part: ByteRange, held: State | None) -> Piece:
    """Return a part where a server says that the value does not reach so far."""
    state = state_of(head(place, key))
    start, stop = bounds(part, state.size)
    if start == stop:
        return Piece(b"", start, state)
    return _request(place, key, None, held, most=_LARGEST_WHOLE)


def _cut_out(piece: Piece, part: ByteRange | None) -> Piece:
    """Return a part where all of the value came, and otherwise what came."""
    start, stop = bounds(part, piece.state.size)
    if len(piece.data) <= stop - start:
        return piece
    return Piece(memoryview(piece.data)[start:stop], start, piece.state)


def _request(
    place: Place, key: str, part: ByteRange | None, held: State | None, most: int | None = None
) -> Piece:
    import obstore

    options: dict[str, Any] = {}
    if part is not None:
        options["range"] = _range(part)
    if held is not None and held.version is not None:
        options["version"] = held.version
    elif held is not None and held.e_tag is not None and not held.e_tag.startswith("W/"):
        options["if_match"] = held.e_tag  # which a weak one never matches; `fetch` compares them
    result = obstore.get(place.client, place.at(key), options=options)  # type: ignore[arg-type]
    check_answer(place, key, result)
    start, stop = result.range
    state = state_of(result.meta)
    if most is not None and state.size > most:
        message = f"cannot read: the server gives no parts, and the value has {state.size} bytes"
        raise StoreError(f"{message}, more than {most}", store=place.name, key=key)
    data = result.bytes()
    if len(data) != stop - start or (part is None and len(data) != state.size):
        message = f"cannot read: expected {stop - start} bytes, found {len(data)}"
        raise StoreError(message, store=place.name, key=key)
    return Piece(data, start, state)


def _range(part: ByteRange) -> Any:
    match part:
        case Span(start, length):
            start = min(start, _FAR)
            return (start, min(start + length, 2 * _FAR))
        case From(start):
            return {"offset": min(start, _FAR)}
        case Last(length):
            return {"suffix": min(length, _FAR)}


def head(place: Place, key: str) -> Any:
    """Return what the service says of a value; called within `failures`."""
    import obstore

    return described(place, key) if place.kind == "http" else obstore.head(place.client, place.at(key))


def state_of(meta: Any) -> State:
    """Return the state that obstore's description of a value tells."""
    return State(meta["e_tag"], meta["version"], meta["size"], meta["last_modified"])


def read_into(piece: Piece, out: memoryview, start: int) -> int:
    """Copy what was read from `start` on into `out`; return how many bytes the value has from there."""
    count = min(len(piece.data), len(out))
    out[:count] = memoryview(piece.data)[:count]
    return max(piece.state.size - start, 0)


def _exceptions() -> Any:
    from obstore import exceptions

    return exceptions
