"""Cross-references of BibTeX entries: fields that a chapter inherits from its volume."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

_VOLUMES = {
    "book", "mvbook", "proceedings", "mvproceedings", "collection", "mvcollection", "periodical",
    "reference", "mvreference",
}  # fmt: skip
_NEVER = {"crossref", "xref", "xdata", "title", "subtitle", "author", "bibtex", "ids", "keywords",
          "abstract", "doi", "url", "eprint", "pages", "key"}  # fmt: skip
"""What belongs to the volume alone, or to the entry alone."""


@dataclass(slots=True)
class Volumes:
    """The fields of volumes by key: few beside the entries that point at them."""

    _known: dict[str, dict[str, str]] = field(default_factory=dict)

    def note(self, kind: str, key: str, fields: Mapping[str, str]) -> None:
        """Remember an entry that others may point at."""
        if kind in _VOLUMES and key:
            self._known[key.lower()] = dict(fields)

    def knows(self, key: str) -> bool:
        """Return whether the volume has been seen."""
        return key.lower() in self._known

    def inherited(self, fields: Mapping[str, str]) -> dict[str, str]:
        """Return the fields with those of the volume that the entry lacks.

        The volume's title is the entry's `booktitle` (BibLaTeX manual 3.22, appendix B).
        """
        parent = self._known.get(fields.get("crossref", "").lower())
        if parent is None:
            return dict(fields)
        passed = {name: value for name, value in parent.items() if name not in _NEVER}
        if "title" in parent:
            passed["booktitle"] = parent.get("booktitle") or parent["title"]
        return passed | {name: value for name, value in fields.items() if value}
