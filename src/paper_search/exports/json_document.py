"""JSON: the whole collection, to be read again without loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paper_search.models import PaperCollection


def export_json(collection: PaperCollection, indent: int | None = 2) -> str:
    """Return the collection as JSON that `PaperCollection.model_validate_json` reads back.

    Letters of all scripts stand for themselves; `indent` None puts it all on one line.
    """
    return collection.model_dump_json(indent=indent)
