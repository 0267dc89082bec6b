"""The one grammar of places: a path or URL, a fragment, and steps into what is there.

    place    = first *( "|" step )
    first    = path [ "#" fragment ] / scheme "://" place [ "?" query ] [ "#" fragment ]
    step     = name [ ":" path ]

What each part means: docs/urls.md. Steps are those of https://zeps--48.org.readthedocs.build/en/48/draft/ZEP0008.html
and of tensorstore.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from urllib.parse import quote, unquote, urlsplit

from omnizarr.errors import UrlError
from omnizarr.store.urls.fragments import FORMATS, NOTHING, Fragment, parse_fragment, says_a_mode

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)(?:://|::)|(file|memory):", re.IGNORECASE)
_STEP = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)(?::(.*))?", re.DOTALL)
_FORMAT_STEPS: dict[str, int | None] = {"auto": None, "zarr": None, "zarr2": 2, "zarr3": 3}
STEPS = tuple(sorted(("zip", *_FORMAT_STEPS)))
_FIRST_STEP = re.compile(rf"\|(?=(?:{'|'.join(STEPS)}):)", re.IGNORECASE)
# Here what stands before the @ of a host is part of the place.
_CONTAINERS = ("abfs", "abfss")
_MOST_CHAINED = 16


@dataclass(frozen=True, slots=True)
class Step:
    """A step into what the steps before lead to: `zip:path`, or a format and the path of a node."""

    name: str
    path: str = ""

    def __str__(self) -> str:
        return f"{self.name}:{quote(self.path)}"


@dataclass(frozen=True, slots=True, repr=False)
class Url:
    """A place, taken apart.

    Attributes
    ----------
    scheme
        In lower case; `""` for a path of the file system.
    place
        The first part as it was written, without query and fragment.
    query
        It may be a signature, so that it is never shown.
    """

    scheme: str
    place: str
    query: str = ""
    fragment: Fragment = NOTHING
    steps: tuple[Step, ...] = ()

    @property
    def shown(self) -> str:
        """The place without what may be a credential: user, password, query, and fragment."""
        return "|".join((_shown_place(self.place) if self.scheme else self.place, *map(str, self.steps)))

    @property
    def first(self) -> str:
        """The first part, as a URL or path of its own, with what the fragment says of its store."""
        query = f"?{self.query}" if self.query else ""
        storage = [word for word in ("zip", "s3", "gs3", "zoh") if word in self.fragment.modes]
        return self.place + query + self._mark(storage)

    @property
    def path(self) -> str:
        """The paths of the steps after the last archive."""
        return "/".join(filter(None, (step.path for step in self.steps if step.name != "zip")))

    @property
    def zarr_format(self) -> int | None:
        """The format that a step or the fragment asks for."""
        asked = [_FORMAT_STEPS.get(step.name) for step in self.steps[-1:]]
        return next(filter(None, asked), self.fragment.zarr_format)

    @property
    def consolidated(self) -> bool:
        """Whether consolidated metadata are asked for."""
        return "consolidated" in self.fragment.modes

    def with_modes(self, modes: Iterable[str]) -> Url:
        """Return the same place with a fragment of these modes, and its options."""
        return replace(self, fragment=Fragment(frozenset(modes), self.fragment.options))

    def _mark(self, modes: Iterable[str]) -> str:
        said = self.fragment.text(modes)
        return f"#{said}" if said else ""

    def text(self) -> str:
        """Return a text that is parsed as this; with all credentials, and not to be shown."""
        query = f"?{self.query}" if self.query else ""
        return "|".join((self.place + query + self._mark(sorted(self.fragment.modes)), *map(str, self.steps)))

    def __repr__(self) -> str:
        return f"<Url {self.shown}>"


def scheme_of(place: str) -> str | None:
    """Return the scheme of a URL in lower case; None for a path of the file system."""
    found = _SCHEME.match(place)
    return None if found is None else (found[1] or found[2]).lower()


def is_plain(place: str) -> bool:
    """Say whether a text is a path and nothing else, at the first look: it may be one all the same."""
    return ":" not in place and "#" not in place and "|" not in place


def shown_place(target: object) -> str:
    """Return what a user has named as a place, without what may be a credential."""
    text = str(target)
    if not isinstance(target, str) or is_plain(text):
        return text
    try:
        return parse_url(text).shown
    except ValueError:
        return _shown_place(re.split(r"[?#|]", text, maxsplit=1)[0])


def parse_url(text: str) -> Url:
    """Take a path or URL apart; nothing is opened.

    A path may have a fragment and steps too, where they say what is known; `#` and `|` are else parts of
    its name, and so they are where there is a file or directory of the whole name.

    Raises
    ------
    UrlError
        A part is none that there is; the message says which.
    ConversionError
        `mode=bytes`: it is a netCDF file.
    """
    scheme = scheme_of(text)
    if scheme is None:
        return _parse_path(text)
    _check_letters(text)
    first, *steps = text.split("|")
    if scheme == "zip" and "::" in first:
        if first.count("::") > _MOST_CHAINED:
            raise UrlError(f"more than {_MOST_CHAINED} archives within one another", store="zip::…")
        return parse_url("|".join((*_unchained(first), *steps)))
    shown = _shown_place(re.split(r"[?#]", first, maxsplit=1)[0])
    place, _, fragment = first.partition("#")
    place, _, query = place.partition("?")
    _check_host(place, scheme, shown)
    return _with_steps(Url(scheme, place, query), fragment, steps, shown)


def _check_letters(text: str) -> None:
    """Refuse what cannot be encoded: names of files that are no UTF-8 are paths alone."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        shown = _shown_place(re.split(r"[?#|]", text, maxsplit=1)[0])
        found = text[error.start : error.end]
        raise UrlError(f"expected letters, found {found!r}", store=shown) from error


def _unchained(first: str) -> tuple[str, str]:
    """Return fsspec's `zip://inside::outer` as the outer URL and a step."""
    inside, _, outer = first.partition("::")
    return outer, f"zip:{quote(unquote(inside[3:].removeprefix('://')))}"


def _parse_path(text: str) -> Url:
    if ("#" not in text and "|" not in text) or os.path.lexists(text):
        return Url("", text)
    _check_letters(text)
    start = _FIRST_STEP.search(text)
    first, steps = (text, []) if start is None else (text[: start.start()], text[start.end() :].split("|"))
    place, mark, fragment = first.rpartition("#")
    if not mark or not says_a_mode(fragment):
        place, fragment = first, ""
    return _with_steps(Url("", place), fragment, steps, place)


def _with_steps(url: Url, fragment: str, steps: list[str], shown: str) -> Url:
    """Return a URL with what its fragment and its steps say; the fragment may be the last step's."""
    if steps:
        steps[-1], _, more = steps[-1].partition("#")
        fragment = "&".join(filter(None, (fragment, more)))
    parsed = tuple(_parse_step(number, step, shown) for number, step in enumerate(steps, 2))
    for number, step in enumerate(parsed[:-1], 2):
        if step.name in _FORMAT_STEPS:
            raise UrlError(f"part {number}, '{step}': a format is the last part", store=shown)
    found = replace(url, fragment=parse_fragment(fragment, shown), steps=parsed)
    if found.fragment.zarr_format not in (None, found.zarr_format):
        word = next(word for word in FORMATS if word in found.fragment.modes)
        raise UrlError(f"mode={word} and the part '{parsed[-1]}' contradict each other", store=shown)
    return found


def _parse_step(number: int, text: str, shown: str) -> Step:
    found = _STEP.fullmatch(text)
    name = found[1].lower() if found else ""
    if found is None or name not in STEPS:
        known = ", ".join(f"{name}:" for name in STEPS)
        raise UrlError(f"part {number}, {_head(text)!r}: expected one of {known}", store=shown)
    path = found[2] or ""
    if path.startswith("//"):
        raise UrlError(f"part {number}, '{name}:': expected {name}:PATH, found two slashes", store=shown)
    for sign, what in (("?", "query"), ("#", "fragment")):
        if sign in path:
            written = quote(sign)
            raise UrlError(
                f"part {number}, '{name}:': expected no {what} here; a {sign} is written {written}",
                store=shown,
            )
    return Step(name, unquote(path).strip("/"))


def _head(text: str) -> str:
    """Return the name of a step, without what may be a credential: a password may have a `|` in it."""
    if "@" in text:
        return "…"
    name, mark, _ = re.split(r"[?#/@]", text, maxsplit=1)[0].partition(":")
    return name + mark


def _check_host(place: str, scheme: str, shown: str) -> None:
    if not place[len(scheme) :].startswith("://"):
        return
    try:
        _ = urlsplit(place).port
    except ValueError:
        if scheme not in ("file", "memory", "sqlite", "lmdb", "zip"):
            message = "the host: expected HOST or HOST:PORT; signs of a password are percent-encoded"
            raise UrlError(message, store=shown) from None


def _shown_place(place: str) -> str:
    scheme, mark, rest = place.partition("://")
    host, slash, path = rest.partition("/")
    if scheme.lower() not in _CONTAINERS:
        host = host.rpartition("@")[2]
    if mark and re.search(r":(?!\d*$)", host) and not host.startswith("["):
        return f"{scheme}://…"  # a password with a slash in it would be read as a path
    return f"{scheme}{mark}{host}{slash}{path}"
