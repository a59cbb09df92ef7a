"""The audit of a search: what was searched, found, removed and decided, in consistent numbers."""

from paper_search.audit.flow import PrismaFlow, RecordRow, Status, flow_of, record_rows
from paper_search.audit.reading import ReviewThread, load_review
from paper_search.audit.writing import (
    Audit,
    audit_of,
    flow_of_thread,
    pictures_of,
    write_audit,
    zip_files,
)

__all__ = [
    "Audit", "PrismaFlow", "RecordRow", "ReviewThread", "Status", "audit_of", "flow_of",
    "flow_of_thread", "load_review", "pictures_of", "record_rows", "write_audit", "zip_files",
]  # fmt: skip
