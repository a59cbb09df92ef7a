"""The audit of a search: what was asked, found, removed and decided, in numbers that add up."""

from paper_search.audit.flow import Fate, PrismaFlow, RecordFate, fates, flow_of
from paper_search.audit.reading import ReviewThread, load_review
from paper_search.audit.writing import (
    Audit,
    audit_of,
    flow_of_thread,
    pictures_of,
    write_audit,
    zipped,
)

__all__ = [
    "Audit",
    "Fate",
    "PrismaFlow",
    "RecordFate",
    "ReviewThread",
    "audit_of",
    "fates",
    "flow_of",
    "flow_of_thread",
    "load_review",
    "pictures_of",
    "write_audit",
    "zipped",
]
