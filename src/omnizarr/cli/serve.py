"""`omnizarr serve`: stores over HTTP, and a page to look at them."""

from __future__ import annotations

import logging
from contextlib import nullcontext, suppress
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import click

from omnizarr.cli.parameters import Size
from omnizarr.cli.places import PlaceType

_EXTRA = "omnizarr serve needs starlette and uvicorn: pip install 'omnizarr[serve]'"
_GENERATE = "auto"


@click.command("serve")
@click.argument("places", metavar="[NAME=]PLACE...", type=PlaceType(), nargs=-1, required=True)
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen; others need a token.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Where to listen; 0 is any free port.",
)
@click.option("--writable", is_flag=True, help="Let clients store and delete values.")
@click.option(
    "--token",
    envvar="OMNIZARR_SERVE_TOKEN",
    show_envvar=True,
    help=f"What clients have to show; '{_GENERATE}' makes one.",
)
@click.option("--open", "in_browser", is_flag=True, help="Open the page in the browser.")
@click.option(
    "--cors", "origins", metavar="ORIGIN", multiple=True, help="Let pages of this origin read; * for any."
)
@click.option(
    "--allow-host", "hosts", metavar="HOST", multiple=True, help="Another name that requests may ask for."
)
@click.option("--public-url", metavar="URL", help="The address that users see, where a proxy is in front.")
@click.option("--follow-symlinks", is_flag=True, help="Follow symbolic links that lead out of a directory.")
@click.option("--hidden", is_flag=True, help="Serve hidden files too, and not just those of Zarr.")
@click.option(
    "--max-body", type=Size(), default="512MiB", show_default=True, help="The largest value to be stored."
)
@click.option("-v", "--verbose", is_flag=True, help="Tell of each request.")
def command(places: tuple[str, ...], follow_symlinks: bool, hidden: bool, **given: Any) -> None:
    """Serve the stores at each PLACE over HTTP, and a page that shows them, until Ctrl-C.

    Values are at /data/NAME/KEY, as any Zarr client reads them; NAME is the last part of the place unless it
    is said. The server is for reading, and for this machine alone, unless options say otherwise.
    """
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise ImportError(_EXTRA) from error
    from omnizarr.serve.roots import close_roots, open_roots

    asked = Asked(**given)
    _check(asked)
    roots = open_roots(places, writable=asked.writable, follow_links=follow_symlinks, hidden=hidden)
    try:
        _run(roots, asked)
    finally:
        close_roots(roots)


class Asked(NamedTuple):
    """What the options say."""

    host: str
    port: int
    writable: bool
    token: str | None
    in_browser: bool
    origins: tuple[str, ...]
    hosts: tuple[str, ...]
    public_url: str | None
    max_body: int
    verbose: bool


def _check(asked: Asked) -> None:
    for origin in asked.origins:
        parts = urlsplit(origin)
        if origin != "*" and (not parts.scheme or not parts.netloc or parts.path.strip("/")):
            raise click.BadParameter(f"expected https://HOST or *, found {origin!r}", param_hint="--cors")
    if asked.public_url is not None:
        parts = urlsplit(asked.public_url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            message = f"expected https://HOST/PATH, found {asked.public_url!r}"
            raise click.BadParameter(message, param_hint="--public-url")


def _run(roots: list[Any], asked: Asked) -> None:
    from omnizarr.serve.app import make_app
    from omnizarr.serve.running import Listener, allow_files, is_loopback, server_of

    token = _token(asked, needed=not is_loopback(asked.host))
    try:
        listener = Listener.at(asked.host, asked.port)
    except OSError as error:
        message = f"cannot listen at {asked.host} port {asked.port}: {error.strerror or error}"
        raise click.ClickException(message) from error
    allow_files()
    app = make_app(roots, _options(asked, token))
    _log(asked.verbose)
    _show(roots, listener, asked, token)
    _serve(server_of(app), listener, asked, token)


def _serve(server: Any, listener: Any, asked: Asked, token: str | None) -> None:
    """Serve until Ctrl-C, which is how it is meant to end."""
    from omnizarr.serve.browser import opened_in_browser
    from omnizarr.serve.running import page_url

    url = page_url(listener.url, token)
    browser = opened_in_browser(url, secret=token is not None) if asked.in_browser else nullcontext()
    with browser, listener.socket, suppress(KeyboardInterrupt):
        server.run(sockets=[listener.socket])
    click.echo("stopped", err=True)


def _token(asked: Asked, *, needed: bool) -> str | None:
    from omnizarr.serve.tokens import check_token, new_token

    if asked.token == _GENERATE or (asked.token is None and needed):
        return new_token()
    if not asked.token:
        if needed:
            raise click.UsageError(f"--host {asked.host} needs a token, and the one given is empty")
        return None
    try:
        return check_token(asked.token)
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def _options(asked: Asked, token: str | None) -> Any:
    from omnizarr.serve.guard import host_of
    from omnizarr.serve.options import LOOPBACK_NAMES, ServeOptions
    from omnizarr.serve.running import is_loopback

    public = () if asked.public_url is None else (urlsplit(asked.public_url).netloc,)
    named = tuple(map(host_of, (*asked.hosts, *public)))
    if is_loopback(asked.host):
        hosts = (*LOOPBACK_NAMES, asked.host, *named)
    else:
        hosts = (*LOOPBACK_NAMES, *named) if asked.hosts else ()
    return ServeOptions(
        writable=asked.writable,
        token=token,
        hosts=hosts,
        origins=asked.origins,
        public_url=asked.public_url,
        max_body=asked.max_body,
    )


def _show(roots: list[Any], listener: Any, asked: Asked, token: str | None) -> None:
    """Tell the addresses; the one with the token once, and here alone."""
    from omnizarr.serve.running import data_url, page_url

    base = asked.public_url or listener.url
    click.echo(f"page  {page_url(listener.url, token)}")
    for root in roots:
        click.echo(f"data  {data_url(base, root)}  ({root.url})")
    if token is not None:
        click.echo("      clients show the token as 'Authorization: Bearer TOKEN'")
    what = "for reading and writing" if asked.writable else "for reading"
    click.echo(f"{what}; Ctrl-C stops the server", err=True)


def _log(verbose: bool) -> None:
    log = logging.getLogger("omnizarr.serve")
    log.setLevel(logging.INFO if verbose else logging.WARNING)
    if not log.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        log.addHandler(handler)
        log.propagate = False
