"""Google Scholar's language, and records of its results, whoever passes them on.

Scholar knows words, "phrases", OR, -word, intitle:, author: and source:; AND is a space, OR binds
tighter than it, years are parameters of their own, and nothing is truncated: it stems. The fields
of a result are those of SerpApi: https://serpapi.com/google-scholar-organic-results
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar

from paper_search.bibliography.identifiers import parse_arxiv_id, parse_doi
from paper_search.bibliography.names import author_named
from paper_search.bibliography.text import clean
from paper_search.errors import InputError
from paper_search.http.retry import utc_now
from paper_search.models import Author, RankedQuery, SearchConstraints
from paper_search.query import And, Near, Node, Not, Or, Phrase, Term, YearRange, render
from paper_search.sources.adapter import Adapter, Translated, translated_as_far_as_known
from paper_search.sources.ranked_text import all_words, content_words, telling_words
from paper_search.sources.record import Entry, Table, every, first
from paper_search.sources.values import YEAR_IN_TEXT, address, mapping, quoted

MAX_LENGTH = 256
"""Characters that Scholar is said to read of a query."""
_MOST_WORDS = 8
"""Words of a question that are asked: Scholar looks for nearly all of them."""
_PREFIXES = {"title": "intitle:", "author": "author:", "venue": "source:"}
SOURCE = "serpapi_scholar"
KIND_MARK = re.compile(r"^(?:\[(?:PDF|HTML|BOOK|CITATION|B|C|DOC|PS)\]\s*)+", re.IGNORECASE)
_DASH = re.compile(r"(?<!\s)\s+[-–—]\s+")
_HOST = re.compile(r"(?:[\w-]+\.)+[a-zA-Z]{2,}(?:/\S*)?")
_ELLIPSIS = re.compile(r"(?:(?<!\s)\s+)?(?:…|\.\.\.)\s*$")


def translate(tree: Node, filters: SearchConstraints) -> Translated:
    """Return the query in Scholar's language, limited to the years of tree and filters together.

    What Scholar cannot say is widened, never narrowed, so that nothing wanted is lost.

    Raises:
        InputError: nothing is left to ask: the query only excludes.
    """
    return translated_as_far_as_known(
        tree,
        lambda part: _translated(part, filters),
        service="Google Scholar",
        shortest_stem=None,
    )


def _translated(tree: Node, filters: SearchConstraints) -> Translated:
    translation = _Translation()
    text = translation.of(tree)
    if not translation.is_asking:
        raise InputError(f"the query {render(tree)!r} only excludes: add what to search for")
    notes = translation.notes
    if len(text) > MAX_LENGTH:
        notes.append(f"{len(text)} characters: Scholar reportedly accepts {MAX_LENGTH}")
    firsts = [year for year in (filters.year_from, translation.year_from) if year is not None]
    lasts = [year for year in (filters.year_to, translation.year_to) if year is not None]
    return Translated(
        text,
        tuple(dict.fromkeys(notes)),
        translation.remainder,
        year_from=max(firsts, default=None),
        year_to=min(lasts, default=None),
    )


class GoogleScholar(Adapter):
    """Google Scholar's language, whichever service asks it."""

    truncates: ClassVar[bool] = False

    def translate(self, tree: Node, filters: SearchConstraints) -> Translated:
        """Return the query in Scholar's language; years go into parameters of their own."""
        return translate(tree, filters)

    def translate_ranked(
        self, query: RankedQuery, filters: SearchConstraints
    ) -> tuple[Translated, ...]:
        """Return the most telling words of the question, then one fewer."""
        tries = telling_words(content_words(query.text), _MOST_WORDS)
        return tuple(translate(all_words(words, query, filters), filters) for words in tries)

    def translate_work(self, kind: str, value: str) -> Translated | None:
        """Return the identifier itself: Scholar looks for it in the texts."""
        del kind
        return Translated(quoted(value))


class _Translation:
    """One walk over a tree."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.year_from: int | None = None
        self.year_to: int | None = None
        self.is_asking = False
        self._widenings = 0
        self.widened: list[Node] = []

    def of(self, tree: Node) -> str:
        """Return the text for a whole tree; years that all of it is limited to are taken out."""
        parts = tree.children if isinstance(tree, And) else (tree,)
        texts = []
        for part in parts:
            if isinstance(part, YearRange):
                self._limit(part)
                continue
            before = self._widenings
            if text := self._text(part):
                self.is_asking |= not isinstance(part, Not)
                texts.append(text)
            if self._widenings > before:
                self.widened.append(part)
        return " ".join(texts)

    @property
    def remainder(self) -> Node | None:
        """What is asked for more loosely than the tree says."""
        return And(tuple(self.widened)) if len(self.widened) > 1 else next(iter(self.widened), None)

    def _widen(self, note: str) -> None:
        self._widenings += 1
        self.notes.append(note)

    def _limit(self, years: YearRange) -> None:
        if years.first is not None:
            self.year_from = max(years.first, self.year_from or years.first)
        if years.last is not None:
            self.year_to = min(years.last, self.year_to or years.last)

    def _text(self, node: Node) -> str:
        match node:
            case Term() | Phrase():
                return self._leaf(node)
            case And(children):
                return self._group(" ", children)
            case Or(children):
                return self._group(" OR ", children)
            case Not(child):
                return self._excluded(child)
            case Near(left, right):
                self._widen("NEAR is sent as AND: Scholar has no NEAR")
                return self._group(" ", (left, right))
            case YearRange():
                self._widen("a year inside a group is ignored: Scholar accepts one range of years")
                return ""

    def _leaf(self, leaf: Term | Phrase) -> str:
        words = (leaf.text,) if isinstance(leaf, Term) else leaf.words
        if any(word.endswith("*") for word in words) or getattr(leaf, "is_prefix", False):
            self.notes.append("'*' is removed: Scholar stems words itself")
        text = " ".join(word.rstrip("*") for word in words)
        if leaf.field == "abstract":
            self._widen("abstract: is searched anywhere: Scholar has no such field")
        is_bare = isinstance(leaf, Term) and text.replace("-", "").isalnum() and text != "OR"
        return _PREFIXES.get(leaf.field or "", "") + (text if is_bare else f'"{text}"')

    def _group(self, joint: str, children: tuple[Node, ...]) -> str:
        texts = [self._text(child) for child in children]
        if joint == " OR " and ("" in texts or any(isinstance(c, Not) for c in children)):
            self._widen("an OR with a part that Scholar cannot express is dropped")
            return ""
        parts = [text for text in texts if text]
        return f"({joint.join(parts)})" if len(parts) > 1 else "".join(parts)

    def _excluded(self, child: Node) -> str:
        if isinstance(child, Or):
            return " ".join(filter(None, map(self._excluded, child.children)))
        if isinstance(child, Term | Phrase) and child.field != "abstract":
            return f"-{self._leaf(child)}"
        self._widen("NOT of a group is dropped: Scholar excludes words and phrases only")
        return ""


@dataclass(frozen=True, slots=True)
class Summary:
    """What the line under a title says."""

    authors: tuple[str, ...] = ()
    venue: str | None = None
    year: int | None = None


def parse_summary(text: str) -> Summary:
    """Return what "A Author, B Author… - Venue…, 2011 - host" says.

    Each of the three parts may be missing; an ellipsis at the end of a venue stays, since the
    name is cut off there.
    """
    line = clean(text).strip(" -")
    parts = [part for part in _DASH.split(line) if part]
    if not parts:
        return Summary()
    if (
        len(parts) > 1
        and not _year_at_end(parts[-1])
        and (
            len(parts) > 2 or _HOST.fullmatch(parts[-1])  # noqa: PLR2004  # authors - venue - host
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


def _summary(entry: Entry) -> Summary:
    return parse_summary(first(entry, "publication_info.summary") or "")


def _authors(entry: Entry) -> list[Author]:
    """Return all names of the summary, with the ids of those who have a profile."""
    profiles = {
        clean(name): first(item, "author_id")
        for item in every(entry, "publication_info.authors")
        if (name := first(item, "name"))
    }
    names = _summary(entry).authors or tuple(profiles)
    return [author_named(name, profiles.get(name)) for name in names]


def _full_text(entry: Entry) -> Any:
    is_text = (first(entry, "type") or "").lower() in {"pdf", "html"}
    return first(entry, "resources.link|link" if is_text else "resources.link", address)


def doi_in(url: str) -> str | None:
    """Return the DOI that an address is made of, as publishers do (`/doi/abs/10.1000/1`)."""
    doi = parse_doi(url) if "doi" in url.lower() and address(url) else None
    return re.split(r"[?&#]", doi)[0].removesuffix(".pdf") if doi else None


def arxiv_id_in(url: str) -> str | None:
    """Return the arXiv id that an address is made of."""
    return parse_arxiv_id(url) if "arxiv.org" in url and address(url) else None


_LINKS = ("link", "resources.link")
RESULT = Table(
    prefix=SOURCE,
    key="result_id|inline_links.versions.cluster_id|inline_links.cited_by.cites_id",
    fields={
        "title": ("title", lambda title: KIND_MARK.sub("", clean(title))),
        "authors": _authors,
        "year": lambda entry: _summary(entry).year,
        "venue": lambda entry: _summary(entry).venue,
        "doi": ("|".join(_LINKS), doi_in),
        "arxiv_id": ("|".join(_LINKS), arxiv_id_in),
        "snippet": ("snippet", clean),
        "url": "link",
        "full_text_url": _full_text,
        "citation_count": "inline_links.cited_by.total",
        "publication_type": ("type", lambda kind: "book" if kind.lower() == "book" else None),
    },
    details=mapping,
)
"""The same work found again has the same id."""
read_result = RESULT.read
