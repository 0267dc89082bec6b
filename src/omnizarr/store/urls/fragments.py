"""What the fragment of a URL says: netCDF-C's modes, and options of the store.

https://docs.unidata.ucar.edu/netcdf-c/current/nczarr_head.html
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote, unquote

from omnizarr.errors import ConversionError, UrlError

PURE = ("zarr", "xarray", "noxarray")
FORMATS = {"v2": 2, "v3": 3}
NETWORK_MODES = ("s3", "gs3", "zoh")
STORAGE = ("file", "zip", *NETWORK_MODES)
MODES = frozenset(("nczarr", *PURE, *FORMATS, *STORAGE, "consolidated", "bytes"))
_CONTRADICTIONS = (("v2", "v3"), ("xarray", "noxarray"), ("file", "zip"))


@dataclass(frozen=True, slots=True, repr=False)
class Fragment:
    """What a fragment says.

    Attributes
    ----------
    modes
        The words of all `mode=`, and those of them that stand alone.
    options
        Everything else, as name and values; it may hold credentials, so that it is never shown.
    """

    modes: frozenset[str] = frozenset()
    options: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def zarr_format(self) -> int | None:
        """The format that `v2` or `v3` asks for."""
        return next((number for word, number in FORMATS.items() if word in self.modes), None)

    def text(self, modes: Iterable[str]) -> str:
        """Return a fragment that says these modes, and the same options."""
        said = [("mode", tuple(modes))] if modes else []
        return "&".join(_item(name, values) for name, values in (*said, *self.options))

    def __repr__(self) -> str:
        hidden = ", ".join(f"{name}=…" for name, _ in self.options)
        return f"Fragment({', '.join(sorted(self.modes))}{'; ' * bool(hidden)}{hidden})"


NOTHING = Fragment()


def split_fragment(url: str) -> tuple[str, dict[str, list[str]]]:
    """Return a URL without its fragment, and what the fragment says.

    Values are separated by commas, and given more than once they add up. A bare word says just itself.

    >>> split_fragment("file:///data#mode=nczarr,file&mode=zip&noxarray")
    ('file:///data', {'mode': ['nczarr', 'file', 'zip'], 'noxarray': []})
    """
    place, _, fragment = url.partition("#")
    said: dict[str, list[str]] = {}
    for item in filter(None, fragment.split("&")):
        name, _, values = item.partition("=")
        said.setdefault(unquote(name), []).extend(unquote(value) for value in values.split(",") if value)
    return place, said


def says_a_mode(text: str) -> bool:
    """Say whether a text is the fragment of a path, rather than a part of its name."""
    _, said = split_fragment("#" + text)
    return "mode" in said or any(not values and name in MODES for name, values in said.items())


def parse_fragment(text: str, place: str) -> Fragment:
    """Return what a fragment says; `place` is named in errors.

    Raises
    ------
    UrlError
        The modes contradict each other, or one of them is unknown.
    ConversionError
        `mode=bytes`: it is a netCDF file.
    """
    if not text:
        return NOTHING
    _, said = split_fragment("#" + text)
    words = {name for name, values in said.items() if not values and name in MODES}
    modes = frozenset(said.get("mode", ())) | words
    _check(modes, place)
    kept = {name: tuple(values) for name, values in said.items() if name not in {"mode", *words}}
    return Fragment(modes, tuple(kept.items()))


def _check(modes: frozenset[str], place: str) -> None:
    unknown = sorted(modes - MODES)
    if unknown:
        known = ", ".join(sorted(MODES))
        raise UrlError(f"expected modes among {known}, found {', '.join(unknown)}", store=place)
    for one, other in _CONTRADICTIONS:
        if {one, other} <= modes:
            raise UrlError(f"expected one of the modes {one} and {other}, found both", store=place)
    if "bytes" in modes:
        message = (
            "mode=bytes names a netCDF file; 'omnizarr copy' makes Zarr of a file that is on this machine"
        )
        raise ConversionError(f"{place}: {message}")


def _item(name: str, values: tuple[str, ...]) -> str:
    return f"{quote(name)}={','.join(map(quote, values))}" if values else quote(name)
