"""The store and the codec that the guide for library authors shows pass the suites that it names."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest
from guide_pages import own_registrations, run_page, section, text_of

from omnizarr.codecs.registry import register

pytest.importorskip("hypothesis")
PAGE = "docs/guides/library-authors.md"


def _module() -> ModuleType:
    """Return the page's code as a module, which pickles can name."""
    text = text_of(PAGE)
    made = ModuleType("guide_for_library_authors")
    sys.modules[made.__name__] = made
    parts = ("Take what users have", "Stores", "Codecs", "Contract suites")
    run_page(PAGE, "\n".join(section(text, part) for part in parts), vars(made))
    return made


with own_registrations():
    _found = _module()
TestXor = _found.TestXor
TestLogged = _found.TestLogged


@pytest.fixture(autouse=True)
def registered(registries: None) -> None:
    register(_found.Xor.name, _found.Xor)
