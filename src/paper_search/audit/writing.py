"""An audit as files: tables, documents, pictures, and a manifest of their hashes."""

import asyncio
import hashlib
import io
import json
import os
import secrets
import shutil
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from paper_search.audit.checklists import TITLE, reporting
from paper_search.audit.flow import PrismaFlow, RecordRow, Status, flow_of, record_rows
from paper_search.audit.logs import (
    DECISION_COLUMNS,
    SEARCH_COLUMNS,
    Row,
    decision_log,
    search_log,
    strategy_log,
)
from paper_search.audit.pictures import pictures
from paper_search.audit.reading import ReviewThread, load_review
from paper_search.audit.sections import as_markdown, sections_of
from paper_search.errors import ExportError, InputError
from paper_search.exports.csv_table import csv_text
from paper_search.persistence import Persistence
from paper_search.report.outputs.figures import is_available
from paper_search.report.outputs.markdown import embedded, html_page
from paper_search.report.outputs.pandoc import has_pandoc, markdown_docx

RECORD_COLUMNS = (
    *("id", "status", "kept_as", "why", "source", "query", "position", "round", "found_at"),
    *("title", "authors", "year", "venue", "doi", "score"),
    *("decided_by", "decided_at", "full_text", "note", "labels"),
)
MANIFEST = "manifest-sha256.txt"
"""In the format of `sha256sum`, which can check it."""


@dataclass(frozen=True)
class Audit:
    thread: ReviewThread
    records: list[RecordRow]
    flow: PrismaFlow
    files: dict[str, bytes]
    """By path in the directory, including the manifest."""


async def audit_of(persistence: Persistence, thread_id: str, *, has_pictures: bool = True) -> Audit:
    """Return the audit of a search; the same thread gives the same bytes.

    `has_pictures`: include pictures and a Word document, which takes seconds; they are left out
    without matplotlib and pandoc (the extras `figures` and `docx`).
    """
    thread = await load_review(persistence, thread_id)
    is_drawing = has_pictures and is_available()
    audit = await asyncio.to_thread(_audit_without_manifest, thread, is_drawing=is_drawing)
    files = audit.files
    if has_pictures and has_pandoc():
        files["reporting.docx"] = await markdown_docx(TITLE, files["reporting.md"].decode())
    return replace(audit, files={**files, MANIFEST: _manifest(files)})


def _audit_without_manifest(thread: ReviewThread, *, is_drawing: bool) -> Audit:
    records = record_rows(thread)
    flow = flow_of(thread, records)
    logs = {"search": search_log(thread, records), "decisions": decision_log(thread)}
    strategies = strategy_log(thread)
    sections = sections_of(thread, flow, records, logs, strategies)
    title = f"Audit of the search {thread.info.thread_id}"
    svg = pictures(thread, records, flow, "svg") if is_drawing else {}
    png = pictures(thread, records, flow, "png") if is_drawing else {}
    paths = {name: f"pictures/{name}.svg" for name in svg}
    drawings = {name: embedded(picture) for name, picture in svg.items()}
    page = html_page(title, as_markdown(title, sections, drawings), is_wide=True)
    files = {
        "report.md": as_markdown(title, sections, paths).encode(),
        "report.html": page.encode(),
        "reporting.md": as_markdown(TITLE, reporting(thread, flow), {}).encode(),
        "prisma_flow.json": _json(flow.model_dump(mode="json")),
        "reviewers.json": _json(thread.agreement.model_dump(mode="json")),
        "search_log.csv": _table(SEARCH_COLUMNS, logs["search"]),
        "decisions.csv": _table(DECISION_COLUMNS, logs["decisions"]),
        "records.csv": _table(RECORD_COLUMNS, [_record_row(record) for record in records]),
        "strategies.json": _json(strategies),
        "versions.json": _json(_versions(thread)),
        **{paths[name]: picture for name, picture in svg.items()},
        **{f"pictures/{name}.png": picture for name, picture in png.items()},
    }
    return Audit(thread, records, flow, files)


async def flow_of_thread(persistence: Persistence, thread_id: str) -> PrismaFlow:
    thread = await load_review(persistence, thread_id)
    return flow_of(thread, record_rows(thread))


async def pictures_of(persistence: Persistence, thread_id: str) -> dict[str, bytes]:
    """Return the pictures of a search as SVG, by name; ConfigError without matplotlib."""
    thread = await load_review(persistence, thread_id)

    def draw() -> dict[str, bytes]:
        records = record_rows(thread)
        return pictures(thread, records, flow_of(thread, records))

    return await asyncio.to_thread(draw)


async def write_audit(persistence: Persistence, thread_id: str, directory: Path) -> Audit:
    """Write the audit of a search to a new directory, completely or not at all."""
    check_directory(directory)
    audit = await audit_of(persistence, thread_id)
    await asyncio.to_thread(_write, audit.files, directory)
    return audit


def zip_files(files: Mapping[str, bytes], folder: str) -> bytes:
    """Return files as a ZIP; the same files give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(f"{folder}/{name}")  # its time is always 1980
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            archive.writestr(entry, files[name])
    return buffer.getvalue()


def _write(files: Mapping[str, bytes], directory: Path) -> None:
    draft = directory.absolute().parent / f".{secrets.token_hex(8)}.tmp"
    try:
        draft.mkdir()
        for name, content in files.items():
            path = draft / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        check_directory(directory)
        draft.rename(directory)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ExportError(f"cannot write the audit to {str(directory)!r}: {reason}") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def check_directory(directory: Path) -> None:
    """Raise InputError if the directory exists, or its parent does not."""
    if os.path.lexists(directory):
        raise InputError(
            f"{str(directory)!r} already exists and was not changed; "
            "an audit is written to a new directory: give another name"
        )
    if not directory.absolute().parent.is_dir():
        raise InputError(f"the directory {str(directory.parent)!r} does not exist; create it first")


def _record_row(row: RecordRow) -> Row:
    record, arrival = row.record, row.arrival
    paper = row.work.paper if row.work else None
    is_decided = row.status in {Status.INCLUDED, Status.EXCLUDED}
    decision = paper.screening if paper and is_decided else None
    return {
        "id": (record.id if record else arrival.id) or "",
        "status": row.status.value,
        "kept_as": row.kept_as,
        "why": row.why,
        "source": arrival.source,
        "query": arrival.query or "",
        "position": arrival.position or "",
        "round": row.round.iteration + 1 if row.round else "",
        "found_at": row.round.searched_at if row.round else "",
        "title": (record.title if record else arrival.title) or "",
        "authors": "; ".join(author.name for author in record.authors) if record else "",
        "year": (record.year or "") if record else "",
        "venue": (record.venue or "") if record else "",
        "doi": (record.doi or "") if record else "",
        "score": round(paper.relevance_score, 4) if paper and paper.is_judged else "",
        "decided_by": (decision.decided_by or "") if decision else "",
        "decided_at": (decision.decided_at or "") if decision else "",
        "full_text": (decision.full_text or "") if decision else "",
        "note": (paper.note or "") if paper else "",
        "labels": "; ".join(paper.labels) if paper else "",
    }


def _versions(thread: ReviewThread) -> dict[str, Any]:
    return {
        "thread": thread.info.thread_id,
        "state_schema": thread.state.schema_version,
        "rounds": [
            {"round": round_.iteration + 1, **round_.model_dump(exclude={"arrivals", "iteration"})}
            for round_ in thread.rounds
        ],
    }


def _table(columns: Sequence[str], rows: Sequence[Row]) -> bytes:
    return csv_text([columns, *([row[name] for name in columns] for row in rows)]).encode()


def _json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()


def _manifest(files: Mapping[str, bytes]) -> bytes:
    lines = [f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in files.items()]
    return "".join(sorted(lines, key=lambda line: line[66:])).encode()
