"""Google Scholar's dialect and results, for all services that provide them.

Scholar supports words, "phrases", OR, -word, intitle:, author: and source:. A space is AND, which
binds less tightly than OR. Years are parameters, and it stems instead of truncating. The fields of
a result are those of SerpApi: https://serpapi.com/google-scholar-organic-results
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from paper_search.bibliography.identifiers import parse_arxiv_id, parse_doi
from paper_search.bibliography.languages import language_code
from paper_search.bibliography.names import author_named
from paper_search.bibliography.text import clean
from paper_search.http.errors import utc_now
from paper_search.models import Author, SearchConstraints
from paper_search.query import Node, Phrase, Term
from paper_search.sources.adapter import Adapter, Request, Translated
from paper_search.sources.dialect import Dialect, Expression
from paper_search.sources.record import Entry, Field, Table, first, values_at
from paper_search.sources.values import YEAR_IN_TEXT, address, mapping, quoted, year

MAX_LENGTH = 256
"""Characters that Scholar reportedly reads of a query."""
SOURCE = "serpapi_scholar"
KIND_MARK = re.compile(r"^(?:\[(?:PDF|HTML|BOOK|CITATION|B|C|DOC|PS)\]\s*)+", re.IGNORECASE)
_DASH = re.compile(r"(?<!\s)\s+[-–—]\s+")
_HOST = re.compile(r"(?:[\w-]+\.)+[a-zA-Z]{2,}(?:/\S*)?")
_ELLIPSIS = re.compile(r"(?:(?<!\s)\s+)?(?:…|\.\.\.)\s*$")


class GoogleDialect(Dialect):
    """Words, "phrases", (one OR other), -unwanted; `prefixes`: operators by field."""

    service: ClassVar[str] = "Google"
    has_year_parameters: ClassVar[bool] = True
    years_note: ClassVar[str] = "a year inside a group is ignored: {} accepts one range of years"
    shortest_stem: ClassVar[int | None] = None
    excludes_groups: ClassVar[bool] = False
    prefixes: ClassVar[Mapping[str, str]] = {}

    def leaf(self, leaf: Term | Phrase) -> Expression:
        words = (leaf.text,) if isinstance(leaf, Term) else leaf.words
        if any(word.endswith("*") for word in words) or getattr(leaf, "is_prefix", False):
            self.note(f"'*' is removed: {self.service} stems words itself")
        text = " ".join(word.rstrip("*") for word in words).lstrip("-")
        is_exact = leaf.field is None or leaf.field in self.prefixes
        if not is_exact:
            self.note(f"{leaf.field}: is searched anywhere: {self.service} has no such field")
        is_bare = isinstance(leaf, Term) and text.replace("-", "").isalnum() and text != "OR"
        return Expression(
            self.prefixes.get(leaf.field or "", "") + (text if is_bare else quoted(text)), is_exact
        )

    def whole(self, texts: Sequence[str]) -> str:
        return " ".join(texts)

    def both(self, texts: Sequence[str]) -> str:
        return f"({' '.join(texts)})"

    def without(self, text: str, unwanted: Sequence[str]) -> str:
        return " ".join((text, *(f"-{one}" for one in unwanted)))


class ScholarDialect(GoogleDialect):
    service: ClassVar[str] = "Scholar"
    prefixes: ClassVar[Mapping[str, str]] = {
        "title": "intitle:",
        "author": "author:",
        "venue": "source:",
    }

    def translate_within(self, tree: Node, filters: SearchConstraints) -> Translated:
        translation = super().translate_within(tree, filters)
        if len(translation.text) <= MAX_LENGTH:
            return translation
        note = f"{len(translation.text)} characters: Scholar reportedly accepts {MAX_LENGTH}"
        return replace(translation, notes=(*translation.notes, note))


class GoogleScholar(Adapter):
    truncates: ClassVar[bool] = False
    most_words: ClassVar[int | None] = 8
    """Scholar requires nearly all of them."""

    ranks_text: ClassVar[bool] = True
    page_size = 20
    most_results = 1000
    """Scholar's limit for one query."""

    dialect = ScholarDialect
    size_param = "num"

    def translate_work(self, kind: str, value: str) -> Translated | None:
        """Return the identifier itself, which Scholar finds in full texts."""
        del kind
        return Translated(quoted(value))

    def size(self, query: Translated, limit: int) -> int:
        del query
        return min(limit, self.page_size)

    def first(self, query: Translated, filters: SearchConstraints, limit: int) -> Request:
        code = language_code(filters.language)
        optional = {
            "as_ylo": query.year_from,
            "as_yhi": query.year_to,
            "lr": f"lang_{code}" if code else None,
        }
        limits = {name: value for name, value in optional.items() if value is not None}
        return super().first(query, filters, limit).turned(**limits)


@dataclass(frozen=True, slots=True)
class Summary:
    """The line under a title."""

    authors: tuple[str, ...] = ()
    venue: str | None = None
    year: int | None = None


def parse_summary(text: str) -> Summary:
    """Parse "A Author, B Author… - Venue…, 2011 - host".

    Each of the three parts may be missing; an ellipsis at the end of a truncated venue stays.
    """
    line = clean(text).strip(" -")
    parts = [part for part in _DASH.split(line) if part]
    if not parts:
        return Summary()
    if (
        len(parts) > 1
        and not _year_at_end(parts[-1])
        and (
            len(parts) > 2  # noqa: PLR2004  # authors - venue - host
            or _HOST.fullmatch(parts[-1])
            or _year_at_end(parts[0])
        )
    ):
        parts = parts[:-1]
    is_anonymous = len(parts) == 1 and _year_at_end(parts[0]) is not None
    names, place = ("", parts[0]) if is_anonymous else (parts[0], " - ".join(parts[1:]))
    year = _year_at_end(place)
    venue = place[: place.rindex(str(year))].rstrip(" ,") if year else place
    return Summary(_names(names), venue or None, year)


def _names(text: str) -> tuple[str, ...]:
    names = (_ELLIPSIS.sub("", name).strip() for name in text.split(","))
    return tuple(name for name in names if re.search(r"[^\W\d_]", name))


def _year_at_end(text: str) -> int | None:
    match = next(reversed(list(YEAR_IN_TEXT.finditer(text))), None)
    if match is None or text[match.end() :].strip(" ,."):
        return None
    year = int(match[1])
    return year if year <= utc_now().year + 1 else None


def result_table(prefix: str, key: str, *, summary: str, links: str, **own: Field) -> Table:
    """Return a table for results with the line under the title and the links at these paths."""

    def summary_of(entry: Entry) -> Summary:
        return parse_summary(first(entry, summary) or "")

    def authors(entry: Entry) -> list[Author]:
        profiles = {
            clean(name): first(item, "author_id")
            for item in values_at(entry, "publication_info.authors")
            if (name := first(item, "name"))
        }
        names = summary_of(entry).authors or tuple(profiles)
        return [author_named(name, profiles.get(name)) for name in names]

    fields: dict[str, Field] = {
        "title": ("title", lambda title: KIND_MARK.sub("", clean(title))),
        "authors": authors,
        "year": lambda entry: first(entry, "year", year) or summary_of(entry).year,
        "venue": lambda entry: summary_of(entry).venue,
        "doi": (links, doi_in),
        "arxiv_id": (links, arxiv_id_in),
        "snippet": ("snippet", clean),
        "url": "link",
    }
    return Table(prefix, key, fields | own)


def _full_text(entry: Entry) -> Any:
    is_text = (first(entry, "type") or "").lower() in {"pdf", "html"}
    return first(entry, "resources.link|link" if is_text else "resources.link", address)


def doi_in(url: str) -> str | None:
    """Return the DOI in a publisher's URL (`/doi/abs/10.1000/1`)."""
    doi = parse_doi(url) if "doi" in url.lower() and address(url) else None
    return re.split(r"[?&#]", doi)[0].removesuffix(".pdf") if doi else None


def arxiv_id_in(url: str) -> str | None:
    return parse_arxiv_id(url) if "arxiv.org" in url and address(url) else None


_RESULT = result_table(
    SOURCE,
    "result_id|inline_links.versions.cluster_id|inline_links.cited_by.cites_id",
    summary="publication_info.summary",
    links="link|resources.link",
    full_text_url=_full_text,
    citation_count="inline_links.cited_by.total",
    publication_type=("type", lambda kind: "book" if kind.lower() == "book" else None),
)
read_result = replace(_RESULT, details=mapping).read
