"""Protocol extensions as the drafts' documents declare them: by URI, each to be understood or not.

Extensions that this library understands are in one mapping; `register_extension` adds to it.
Draft of June 2019, "Bootstrap metadata".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from omnizarr.jsontypes import Json, JsonObject, Problems, inside, read_bool, read_list, read_string, shown
from omnizarr.metadata.formats.drafts.uris import CONSOLIDATED, same_extension

CheckConfiguration: TypeAlias = Callable[[JsonObject, str, Problems], None]

_FIELDS = frozenset(("extension", "must_understand", "configuration"))


@dataclass(frozen=True, slots=True)
class Declared:
    """A protocol extension that a document declares."""

    uri: str
    must_understand: bool
    configuration: JsonObject = field(default_factory=dict)

    def to_json(self) -> Json:
        """Return the entry of a document."""
        document: JsonObject = {"extension": self.uri, "must_understand": self.must_understand}
        if self.configuration:
            document["configuration"] = self.configuration
        return document


def _check_consolidated(configuration: JsonObject, at: str, problems: Problems) -> None:
    key = read_string(configuration.get("key"), inside(at, "key"), problems)
    if not problems and (not key.startswith("meta/") or key.startswith("meta/root")):
        message = f"expected a key below meta/ and outside of meta/root, found {shown(key)}"
        problems.add(inside(at, "key"), message)


_KNOWN: dict[str, CheckConfiguration] = {CONSOLIDATED: _check_consolidated}


def register_extension(
    uri: str, check: CheckConfiguration = lambda configuration, at, problems: None
) -> None:
    """Make a protocol extension known: documents that declare it open, though it must be understood.

    Parameters
    ----------
    uri
        The extension's URI.
    check
        Adds what is wrong with a configuration to the problems that it is given.
    """
    _KNOWN[uri] = check


def read_declared(value: Json, at: str, problems: Problems) -> tuple[Declared, ...]:
    """Read a list of declared extensions; one that must be understood and is not known is a problem."""
    return tuple(
        _read_entry(item, f"{at}[{i}]", problems) for i, item in enumerate(read_list(value, at, problems))
    )


def _read_entry(value: Json, at: str, problems: Problems) -> Declared:
    if not isinstance(value, dict):
        problems.add(at, f"expected an object, found {shown(value)}")
        return Declared("", False)
    for name in ("extension", "must_understand"):
        if name not in value:
            problems.add(inside(at, name), "required, but missing")
    for name in value.keys() - _FIELDS:
        problems.add(inside(at, name), "unknown name")
    uri = read_string(value.get("extension", ""), inside(at, "extension"), problems)
    must = read_bool(value.get("must_understand", False), inside(at, "must_understand"), problems)
    configuration = value.get("configuration", {})
    if not isinstance(configuration, dict):
        problems.add(inside(at, "configuration"), f"expected an object, found {shown(configuration)}")
        configuration = {}
    check = next((check for known, check in _KNOWN.items() if same_extension(known, uri)), None)
    if check is not None:
        check(configuration, inside(at, "configuration"), problems)
    elif must and uri:
        problems.add(at, f"the extension {uri} must be understood, and is not known here", unsupported=True)
    return Declared(uri, must, configuration)


def declares(extensions: tuple[Declared, ...], uri: str) -> Declared | None:
    """Return the declaration of an extension, or None."""
    return next((one for one in extensions if same_extension(one.uri, uri)), None)
