"""What the page asks for: `/api/roots`, `/api/members`, `/api/find`, `/api/node`, `/api/picture`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from omnizarr._version import __version__
from omnizarr.errors import (
    CodecError,
    MetadataError,
    MissingChunkError,
    NodeError,
    NodeNameError,
    NodeNotFoundError,
    NodeTypeError,
    OmniZarrError,
    SelectionError,
)
from omnizarr.hierarchy.array import Array
from omnizarr.jsontypes import Json, JsonObject
from omnizarr.pictures.cost import PictureTooLarge
from omnizarr.serve.asking import Asked, AskedWrongly
from omnizarr.serve.describing import describe
from omnizarr.serve.faults import answer, message_of, status_of
from omnizarr.serve.members import find, page_of
from omnizarr.serve.opened import Opened
from omnizarr.serve.options import ServeOptions
from omnizarr.serve.parcels import Body, Parcels
from omnizarr.serve.picturing import picture_body
from omnizarr.serve.roots import Root
from omnizarr.serve.spelling import brief, json_bytes
from omnizarr.serve.threads import Threads

T = TypeVar("T")
log = logging.getLogger("omnizarr.serve")

_STATUS: tuple[tuple[type[Exception], int], ...] = (
    (PictureTooLarge, 413),
    (NodeNotFoundError, 404),
    (NodeTypeError, 400),
    (NodeNameError, 400),
    (SelectionError, 400),
    (MetadataError, 422),
    (CodecError, 422),
    (MissingChunkError, 422),
    (NodeError, 422),
)
_PICTURE = "application/vnd.omnizarr.picture"
_CUT = ("axes", "at", "window", "most", "field")


def routes(roots: Mapping[str, Root], options: ServeOptions) -> list[Route]:
    """Return the routes of the page's questions; each is answered in a thread."""
    api = Api({name: Opened(root) for name, root in roots.items()}, options.max_picture)
    threads, parcels = Threads(options.threads), Parcels(options.max_pictures)
    known: dict[str, tuple[Callable[[Asked], Response], tuple[str, ...]]] = {
        "roots": (api.roots, ()),
        "members": (api.members, ("root", "path", "after", "limit")),
        "find": (api.find, ("root", "text", "limit")),
        "node": (api.node, ("root", "path")),
    }
    # Pictures take memory: few are read at the same time, and those that wait keep nobody else from answers.
    pictures = _answering(
        Threads(options.pictures),
        api.picture,
        ("root", "path", *_CUT),
        lambda body: parcels.answer(body, _PICTURE, _FRESH),
    )
    return [
        *(
            Route(f"/api/{name}", _answering(threads, work, parameters, lambda response: response))
            for name, (work, parameters) in known.items()
        ),
        Route("/api/picture", pictures),
    ]


@dataclass(frozen=True, slots=True)
class Api:
    """The answers; `max_bytes` is how much may be decoded for one picture."""

    opened: Mapping[str, Opened]
    max_bytes: int

    def roots(self, asked: Asked) -> Response:
        """Return the names, addresses and kinds of all roots, also of those that cannot be opened."""
        return _json({"roots": [_root(opened) for opened in self.opened.values()], "version": __version__})

    def members(self, asked: Asked) -> Response:
        """Return a page of the children of a group."""
        return _json(page_of(self._root(asked).group(asked.path()), asked.text("after"), asked.limit()))

    def find(self, asked: Asked) -> Response:
        """Return nodes by a part of their names."""
        return _json(find(self._root(asked).node(""), asked.needed("text"), asked.limit()))

    def node(self, asked: Asked) -> Response:
        """Return what a node is."""
        return _json(describe(self._root(asked), asked.path()))

    def picture(self, asked: Asked) -> Body:
        """Return a picture of an array, as what comes one after the other."""
        return picture_body(self._root(asked), asked.path(), asked.cut(), self.max_bytes)

    def _root(self, asked: Asked) -> Opened:
        name = asked.needed("root")
        if name not in self.opened:
            raise AskedWrongly(f"root: there is no {name[:100]!r}", 404)
        return self.opened[name]


# What is stored may change at any time.
_FRESH = {"Cache-Control": "no-store"}


def _json(content: JsonObject) -> Response:
    return Response(json_bytes(content), headers=_FRESH, media_type="application/json")


def _root(opened: Opened) -> Json:
    said: JsonObject = {"name": opened.root.name, "url": opened.root.url}
    try:
        return {**said, "kind": "array" if isinstance(opened.node(""), Array) else "group"}
    except OmniZarrError as error:
        return {**said, "kind": "broken", "problem": _told(error)[1]}


def _answering(
    threads: Threads,
    work: Callable[[Asked], T],
    parameters: tuple[str, ...],
    respond: Callable[[T], Response],
) -> Callable[[Request], object]:
    async def endpoint(request: Request) -> Response:
        try:
            asked = Asked(request.query_params.multi_items(), parameters)
            return respond(await threads.answer(request, work, asked))
        except AskedWrongly as error:
            return answer(error.status, str(error))
        except OmniZarrError as error:
            status, message = _told(error)
            if status >= 500:
                log.error("%s: %s", request.url.path, error)
            return answer(status, message)

    return endpoint


def _told(error: OmniZarrError) -> tuple[int, str]:
    """Return the status of a failure and what the page says of it; of stores that fail, the log says more."""
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), None)
    if status is None:
        return status_of(error)
    message = brief(message_of(error))
    return status, f"a chunk cannot be decoded: {message}" if isinstance(error, CodecError) else message
