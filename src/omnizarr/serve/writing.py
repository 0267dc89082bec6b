"""PUT and DELETE: one value, replaced or removed, on conditions that hold while it is.

https://www.rfc-editor.org/rfc/rfc9110#section-9.3.4
"""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from omnizarr.serve.addresses import Address
from omnizarr.serve.conditions import Conditions
from omnizarr.serve.limits import Bodies
from omnizarr.serve.threads import Threads
from omnizarr.serve.values import hold
from omnizarr.store.base import Buffer, Store


async def put(request: Request, address: Address, threads: Threads, bodies: Bodies) -> Response:
    """Store the body: 201 where there was no value, 204 where there was."""
    _require_key(address)
    conditions = _conditions(request)
    async with bodies.receiving(request) as body:
        was_there = await threads.run(store, address, conditions, body)
    return Response(status_code=204 if was_there else 201)


async def delete(request: Request, address: Address, threads: Threads) -> Response:
    """Remove the value."""
    _require_key(address)
    await threads.run(remove, address, _conditions(request))
    return Response(status_code=204)


def store(address: Address, conditions: Conditions, value: Buffer) -> bool:
    """Store a value; say whether there was one.

    Raises
    ------
    HTTPException
        412 where the value that is there is not what the conditions ask for.
    """
    root, key = address
    try:
        if not conditions.ask_anything:
            was_there = root.store.exists(key)
            root.store.set(key, value)
            return was_there
        if conditions.ask_for_none:
            if not root.store.set_if_absent(key, value):
                raise _exists()
            return False
        return _replace(root.store, key, conditions, value)
    finally:
        root.forget()


def remove(address: Address, conditions: Conditions) -> None:
    """Remove a value.

    Raises
    ------
    HTTPException
        404 where there is none, 412 as in `store`.
    """
    root, key = address
    try:
        if conditions.ask_anything:
            if not _replace(root.store, key, conditions, None):
                raise _absent()
        elif root.store.exists(key):
            root.store.delete(key)
        else:
            raise _absent()
    finally:
        root.forget()


def _replace(store: Store, key: str, conditions: Conditions, value: Buffer | None) -> bool:
    """Replace the value that the conditions are about, told by its bytes; say whether there was one."""
    there = _read(store, key, conditions)

    def change(old: bytes | None) -> Buffer | None:
        if old != there:
            raise HTTPException(412, "the value was replaced meanwhile")
        return value

    store.update(key, change)
    return there is not None


def _read(store: Store, key: str, conditions: Conditions) -> bytes | None:
    """Return the value that is there, which is what the conditions ask for."""
    value = hold(store, key)
    if value is None:
        conditions.require(None, there=False)
        return None
    try:
        etag = value.described.etag
        conditions.require(etag)
        if conditions.know(etag):
            raise _exists()
        return bytes(value.reader.get())
    finally:
        value.close()


def _conditions(request: Request) -> Conditions:
    """Return what a request asks of the value that it replaces or removes."""
    conditions = Conditions.of(request.headers)
    if conditions.match is None and "If-Unmodified-Since" in request.headers:
        # Of two values in one second one would be lost.
        raise HTTPException(412, "If-Unmodified-Since is too coarse to write by; expected If-Match")
    return conditions


def _exists() -> HTTPException:
    return HTTPException(412, "there is a value that If-None-Match excludes")


def _absent() -> HTTPException:
    return HTTPException(404, "there is no such key")


def _require_key(address: Address) -> None:
    if address.is_prefix:
        raise HTTPException(400, "expected a key, found a prefix: what ends in '/' has no value")
