"""Templates of the page, with every value escaped, and their filters."""

import functools
import hashlib
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any, TypeVar

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from paper_search.bibliography.publication_types import type_name
from paper_search.bibliography.text import WORD
from paper_search.errors import how_to_install
from paper_search.models import SourceHits, SourceReport
from paper_search.models.query import kinds_in_words
from paper_search.models.source_report import quantity
from paper_search.sources.base import service_of
from paper_search.steps import Outcome
from paper_search.workflow.graph import WORKFLOW
from paper_search.workflow.strategy_facts import CITATIONS

RowT = TypeVar("RowT", SourceHits, SourceReport)
_STEPS = {step.id: step.title for step in WORKFLOW.steps if Outcome.APPROVE not in step.next}
"""Without those that only ask."""
_NAMES = {
    "doi": "DOI",
    "library": "Your library",
    "sample": "Sample library",
    "snowball": "Citations of papers found",
}
"""Display names other than those of services; in all others, underscores become spaces."""
_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))
_LEAST_WORD = 3
"""Fewest letters of a word to highlight."""


def render_template(name: str, **values: Any) -> str:
    return _environment().get_template(name).render(**values)


@functools.cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("paper_search.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        ago=ago,
        counted=quantity,
        highlight=highlight,
        hits=hits_in_words,
        kinds=kinds_in_words,
        link=link,
        number="{:,}".format,
        words=words,
    )
    environment.globals.update(
        steps=_STEPS, asset=asset, how_to_install=how_to_install, citations=CITATIONS
    )
    environment.tests["written_in"] = is_written_in
    return environment


def is_written_in(term: str, text: str) -> bool:
    """Whether a term of a query occurs in a text, word for word."""
    words, inner = (f" {' '.join(WORD.findall(one.casefold()))} " for one in (text, term))
    return bool(inner.strip()) and inner in words


def ago(moment: str | None) -> str:
    """Return how long ago something was; `moment` is ISO 8601 with its zone."""
    if not moment:
        return "unknown"
    seconds = (datetime.now(UTC) - datetime.fromisoformat(moment)).total_seconds()
    for length, unit in _UNITS:
        if seconds >= length:
            return f"{quantity(int(seconds // length), unit)} ago"
    return "just now"


def words(name: object) -> str:
    """Return the display name of an identifier: `Europe PMC` for `europe_pmc`."""
    if (service := service_of(str(name))) is not None:
        return service.title
    is_file = "." in str(name)
    return _NAMES.get(str(name)) or (str(name) if is_file else type_name(str(name)))


def with_title(row: RowT) -> RowT:
    return row.model_copy(update={"source": words(row.source)})


def hits_in_words(hits: SourceHits) -> str:
    return str(with_title(hits))


def link(url: str | None) -> str | None:
    """Return the URL if it is one of the web, else None, so that no other scheme is linked."""
    return url if url and re.match(r"https?://[^\s]+\Z", url) else None


def highlight(text: str | None, words: Iterable[str], snippets: Iterable[str] = ()) -> Markup:
    """Return text as HTML with snippets and words marked, words with any ending."""
    plain = text or ""
    stems = sorted({re.escape(stem(word)) for word in words if len(word) >= _LEAST_WORD})
    quotes = {quote for snippet in snippets if snippet for quote in snippet.split(" … ")}
    whole = sorted(map(re.escape, quotes), key=len, reverse=True)
    patterns = [*whole, *([rf"\b(?:{'|'.join(stems)})\w*"] if stems else [])]
    if not patterns:
        return escape(plain)
    # Escaped as a whole, with control characters as marks: escaping many short texts is slow.
    pattern = re.compile("|".join(patterns), re.IGNORECASE)
    framed = pattern.sub("\x02\\g<0>\x03", plain.translate({2: None, 3: None}))
    return Markup(str(escape(framed)).replace("\x02", "<mark>").replace("\x03", "</mark>"))  # noqa: S704  # escaped


def stem(word: str) -> str:
    """Remove the most common English endings, to match other forms of a word."""
    return re.sub(r"(?:ies|es|s|ing|ed|ion)$", "", word) if len(word) > _LEAST_WORD + 3 else word


@functools.cache
def static(name: str) -> bytes | None:
    folder = files("paper_search.web") / "static"
    by_name = {file.name: file for file in folder.iterdir()}
    return by_name[name].read_bytes() if name in by_name else None


def asset(name: str) -> str:
    """Return the path of a static file, which changes with its content."""
    digest = hashlib.sha256(static(name) or b"").hexdigest()[:12]
    return f"/review/static/{name}?v={digest}"
