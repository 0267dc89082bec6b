"""Which draft a hierarchy is of: the one place that picks a format from a bootstrap document.

Draft of June 2019, "Bootstrap metadata"; the drafts after it have that document too, with other fields.
"""

from __future__ import annotations

from omnizarr.jsontypes import JsonObject, Problems
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.formats.drafts.bootstrap import KEY, bootstrap_document, read_bootstrap
from omnizarr.metadata.formats.drafts.draft2019 import Draft2019
from omnizarr.metadata.formats.drafts.later import is_later, later_draft

__all__ = ["KEY", "draft_at", "draft_of"]


def draft_at(data: bytes | None, problems: Problems) -> Format | None:
    """Return the format that the value of `zarr.json` declares, or None where it is of no draft.

    Faults of the document, and extensions of it that have to be understood and are not, go to `problems`.
    """
    document = None if data is None else bootstrap_document(data)
    return None if document is None else draft_of(document, problems)


def draft_of(document: JsonObject, problems: Problems) -> Format:
    """Return the format that a parsed bootstrap document declares; faults go to `problems`."""
    if is_later(document):
        return later_draft(document, problems)
    return Draft2019(read_bootstrap(document, problems))
