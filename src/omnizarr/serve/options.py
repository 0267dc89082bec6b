"""What a server allows, and how long it waits."""

from __future__ import annotations

from dataclasses import dataclass, field

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """What a server allows, and how long it waits; the same for all its roots.

    Attributes
    ----------
    writable
        Whether PUT and DELETE are there.
    token
        What a client has to show; None for no token at all.
    hosts
        Names that a request may have asked for, without ports; empty for any. Where a page of the web has
        its own name lead to this machine, its requests still ask for that name.
    origins
        Origins whose pages may read; `"*"` for any.
    public_url
        The address that users see where there is a proxy in front.
    max_body, max_bodies
        Bytes of one value that is sent, and of all that are being received at the same time.
    body_seconds, slowest_body
        A body has to be there after that many seconds, and a second more for each `slowest_body` bytes.
    threads
        Requests that are at work on stores at the same time; others wait, without a thread.
    penalty
        Seconds that the answer to a wrong token takes.
    max_picture
        Bytes of chunks that may be decoded for one picture of the page.
    pictures
        Pictures that are read at the same time; others wait, without a thread.
    max_pictures
        Bytes of all pictures that clients have not yet taken.
    """

    writable: bool = False
    token: str | None = field(default=None, repr=False)
    hosts: tuple[str, ...] = LOOPBACK_NAMES
    origins: tuple[str, ...] = ()
    public_url: str | None = None
    max_body: int = 2**29
    max_bodies: int = 2**30
    body_seconds: float = 30.0
    slowest_body: int = 2**14
    threads: int = 16
    penalty: float = 0.5
    max_picture: int = 2**28
    pictures: int = 4
    max_pictures: int = 2**29
