"""A server that listens, until it is stopped."""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass, field

import uvicorn
from starlette.types import ASGIApp

from omnizarr.serve.addresses import MOUNT
from omnizarr.serve.protocol import PatientProtocol
from omnizarr.serve.roots import Root
from omnizarr.serve.tokens import PARAMETER

try:
    import resource
except ImportError:
    resource = None  # type: ignore[assignment]

# The header of a request, at most; and seconds that answers have to end when the server is stopped.
_HEADER_BYTES = 2**15
_LAST_SECONDS = 3
_KEPT_SECONDS = 15
# Programs open one for each chunk that they want at the same time; browsers a few.
CONNECTIONS = 2000
_FILES = 3 * CONNECTIONS


@dataclass(frozen=True, slots=True)
class Listener:
    """A socket that clients can connect to, and the addresses that lead to it."""

    socket: socket.socket = field(repr=False)
    host: str

    @classmethod
    def at(cls, host: str, port: int) -> Listener:
        """Listen; port 0 is any that is free.

        Raises
        ------
        OSError
            The port is taken, or the host is none of this machine's.
        """
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return cls(socket.create_server((host, port), family=family, backlog=128), host)

    @property
    def port(self) -> int:
        """The port."""
        return int(self.socket.getsockname()[1])

    @property
    def url(self) -> str:
        """The address of the page, without a token."""
        address = _address(self.host)
        anywhere = address is not None and address.is_unspecified
        host = socket.gethostname() if anywhere else f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/"


def allow_files() -> None:
    """Let this process have as many open files as connections may need, where the system lets it."""
    if resource is None:  # on Windows, which has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def is_loopback(host: str) -> bool:
    """Say whether only this machine can reach a host."""
    address = _address(host)
    return host.lower() == "localhost" if address is None else address.is_loopback


def page_url(base: str, token: str | None) -> str:
    """Return the address of the page, with the token that lets a browser in."""
    return base if token is None else f"{base}?{PARAMETER}={token}"


def data_url(base: str, root: Root) -> str:
    """Return the address of a root's values."""
    return f"{base.rstrip('/')}{MOUNT}{root.address}"


def server_of(app: ASGIApp, *, connections: int = CONNECTIONS) -> uvicorn.Server:
    """Return the server of an application: `run(sockets=[…])` serves until a signal, or `should_exit`."""
    config = uvicorn.Config(
        app,
        http=PatientProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="error",  # what clients do wrong is answered, and no news
        access_log=False,  # which would show queries
        proxy_headers=False,
        server_header=False,
        limit_concurrency=connections,
        timeout_keep_alive=_KEPT_SECONDS,
        timeout_graceful_shutdown=_LAST_SECONDS,
        h11_max_incomplete_event_size=_HEADER_BYTES,
    )
    return uvicorn.Server(config)


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
