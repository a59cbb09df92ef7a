"""Answers that real services once gave, as they lie in a folder with an `index.json`."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paper_search.http.body import HttpAnswer
from paper_search.models import SearchConstraints
from paper_search.query import parse
from paper_search.sources.adapter import Adapter, Request

FETCH = Request("https://example.org/efetch.fcgi", {"id": "1"})
_KINDS = {".json": "application/json", ".xml": "application/xml", ".html": "text/html"}


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """One body with what is known about it."""

    path: Path
    status: int
    url: str
    tags: tuple[str, ...] = ()

    @property
    def content(self) -> bytes:
        """The body."""
        return self.path.read_bytes()

    @property
    def content_type(self) -> str:
        """The media type: of the header if it was recorded, else by the name of the file."""
        meta = json.loads(_meta_path(self.path).read_text(encoding="utf-8"))
        headers = (meta.get("response") or {}).get("headers") or {}
        told = next((v for name, v in headers.items() if name.lower() == "content-type"), "")
        told = told[0] if isinstance(told, list) and told else told
        kind = str(told).partition(";")[0].strip().lower()
        return kind or _KINDS.get(self.path.suffix, "text/plain")

    @property
    def answer(self) -> HttpAnswer:
        """The answer as an adapter gets it, if its status is one of success."""
        return HttpAnswer(self.status, self.content_type, self.content, 1, url=self.url)

    def __str__(self) -> str:
        return self.path.stem


def recorded_answers(folder: Path, service: str) -> list[RecordedAnswer]:
    """Return all recorded answers of a service, by name.

    `folder` has an `index.json`, and a folder for every service.
    """
    index: list[dict[str, Any]] = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    return [
        RecordedAnswer(
            folder / entry["path"],
            int(entry.get("status") or 200),
            str(entry.get("url") or ""),
            tuple(entry.get("tags") or ()),
        )
        for entry in sorted(index, key=lambda entry: str(entry["path"]))
        if entry["service"] == service and (folder / entry["path"]).is_file()
    ]


def _meta_path(path: Path) -> Path:
    return path.with_name(f"{path.stem}.meta.json")


def request_of(adapter: Adapter) -> Request:
    """Return a request of a service for its first page."""
    limits = SearchConstraints()
    return adapter.first(adapter.translate(parse("graph"), limits), limits, 100)
