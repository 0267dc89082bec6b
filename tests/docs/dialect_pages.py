"""Pages that specify what is stored: their documents are those that omnizarr writes, or reads.

A block of JSON that has a title names a key of `store`, and perhaps a part of that document:

    ```json title="t/zarr.json"
    ```json title="t/zarr.json: attributes._nczarr_array"

Where the Python of a page has made `store`, the block shows what is stored there then; else the document is
given, and `store` has it before the Python below. A block of text titled `keys` lists all keys. All Python
runs, and prints what it shows.

    python tests/docs/dialect_pages.py    # writes into the pages what is stored now
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from guide_pages import ROOT, run_page

from omnizarr.store import MemoryStore, Store

PAGES = sorted((ROOT / "docs" / "dialects").glob("*.md"))
COMMAND = "python tests/docs/dialect_pages.py"
WIDTH = 100
_BLOCK = re.compile(
    r'^```(python|json title="[^"]+"|text title="keys")\n(.*?)^```$', re.MULTILINE | re.DOTALL
)


def as_stored(page: Path) -> str:
    """Return a page whose documents are those that are stored now; run all its code."""
    given = MemoryStore()
    names: dict[str, Any] = {"store": given}
    text = page.read_text(encoding="utf-8")

    def shown(match: re.Match[str]) -> str:
        kind, body = match[1], match[2]
        if kind == "python":
            run_page(f"{page.name}, line {text.count(chr(10), 0, match.start()) + 1}", match[0] + "\n", names)
            return match[0]
        if kind.startswith("text"):
            return (
                f"```{kind}\n" + "".join(f"{key}\n" for key in sorted(names["store"].list_prefix(""))) + "```"
            )
        key, _, part = kind.split('"')[1].partition(": ")
        if names["store"] is given:
            given.set(key, json.dumps(json.loads(body)).encode())
            return match[0]
        return f"```{kind}\n{pretty(part_of(names['store'], key, part))}\n```"

    return _BLOCK.sub(shown, text)


def part_of(store: Store, key: str, part: str) -> Any:
    """Return a document, or a part of it by names between dots."""
    value = store.get(key)
    assert value is not None, f"nothing is stored at {key}"
    found = json.loads(bytes(value))
    for name in part.split(".") if part else ():
        found = found[name]
    return found


def pretty(value: Any, indent: str = "", before: int = 0) -> str:
    """Return JSON in few lines: what fits into one stands in one."""
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or not value or len(indent) + before + len(flat) <= WIDTH - 10:
        return flat
    inner = indent + "  "
    if isinstance(value, list):
        items = [inner + pretty(item, inner) for item in value]
        return "[\n" + ",\n".join(items) + f"\n{indent}]"
    items = []
    for name, item in value.items():
        head = f"{json.dumps(name, ensure_ascii=False)}: "
        items.append(f"{inner}{head}{pretty(item, inner, len(head))}")
    return "{\n" + ",\n".join(items) + f"\n{indent}}}"


def main() -> None:
    for page in PAGES:
        page.write_text(as_stored(page), encoding="utf-8")


if __name__ == "__main__":
    main()
