"""The sources that a report may cite, by id and by citation key."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from paper_search.bibliography.names import author_named, name_text, split_name
from paper_search.bibliography.text import normalised_title
from paper_search.exports.text import citation_keys, web_address
from paper_search.models import BibliographicRecord, Paper
from paper_search.report.models import Grade, SearchResult
from paper_search.skills.untrusted import is_suspicious, shown_to_model, visible
from paper_search.skills.words import tokens
from paper_search.sources.enrichment import says_open

_BREAK = re.compile(
    r"[.!?]['\"”’)\]*_]*(?=;?\s+[\"“'‘(\[*_]*[A-Z0-9À-Þ])|[。！？]|\n\s*\n|(?<=[:;])\n"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|et al|vs|cf|Fig|Figs|Eq|Eqs|Dr|Prof|St|approx|resp|ca|No|Vol|pp|Mr|Mrs"
    r"|Ref|Refs|Sec|al)|\b[A-Z])\.$"
)
LONGEST = 600
"""Characters of a sentence; longer texts are tables or lists."""


@dataclass(frozen=True)
class Sentence:
    text: str
    start: int
    end: int

    @property
    def stems(self) -> frozenset[str]:
        return frozenset(tokens(self.text))


def sentences(text: str) -> list[Sentence]:
    """Split a text into sentences, unchanged and in order."""
    results: list[Sentence] = []
    start = 0
    for match in _BREAK.finditer(text):
        if match.group().startswith(".") and _ABBREVIATION.search(text[start : match.start() + 1]):
            continue
        _add(results, text, start, match.end())
        # Some databases join the parts of an abstract with a semicolon after the full stop.
        start = match.end() + text.startswith(";", match.end())
    _add(results, text, start, len(text))
    return results


def _add(results: list[Sentence], text: str, start: int, end: int) -> None:
    part = text[start:end]
    stripped = part.strip()
    if any(character.isalnum() for character in stripped):
        begin = start + len(part) - len(part.lstrip())
        results.append(Sentence(stripped, begin, begin + len(stripped)))


_STRONG_SOURCES, _MODERATE_SOURCES = 3, 2
MAX_TEXT_CHARS = 60_000
"""Characters that are read of one source."""
SNIPPET_CHARS = 500
UNNAMED = "Unnamed authors"
"""Replaces names that cannot be names of authors."""
_LONGEST_NAME = 80
_NAME = re.compile(r"[^\W\d_](?:[^\W\d_]|[\u0300-\u036f .,'’ʼ·&()/‐‑–-])*")

_BIBLIOGRAPHIC = sorted(
    {name for name, field in BibliographicRecord.model_fields.items() if field.default is None}
    - {"abstract", "bibtex"}
)


def result_of(paper: Paper, query_id: str) -> SearchResult:
    """Return a paper as a source of a report, with a stable id."""
    text = shown_to_model(paper.abstract, MAX_TEXT_CHARS) or ""
    fields = {name: getattr(paper, name) for name in _BIBLIOGRAPHIC}
    names = list(dict.fromkeys([paper.source, *(sighting.source for sighting in paper.sightings)]))
    metadata = {name: value for name, value in fields.items() if value is not None}
    metadata |= {
        "source_type": "academic",
        "authors": [name_text(author) for author in paper.authors],
        "citations": paper.known_citation_count,
        "paper_id": paper.id,
        "found_by": names,
        "is_judged": paper.is_judged,
        "decided_by": _decided_by(paper),
        "relevance_reason": paper.relevance_reason,
        "is_suspicious": is_suspicious(
            paper.title, paper.abstract, paper.venue, *(author.name for author in paper.authors)
        ),
        "has_abstract": bool(text),
        "text_is": "abstract" if text else None,
        "open_text_url": open_text_url(paper),
    }
    return SearchResult(
        result_id=result_id_of(paper.id),
        query_id=query_id,
        source_url=web_address(paper) or (f"https://doi.org/{paper.doi}" if paper.doi else ""),
        title=" ".join(visible(paper.title).split()),
        snippet=text[:SNIPPET_CHARS],
        full_content=text or None,
        relevance_score=paper.relevance_score,
        metadata=metadata,
    )


def _decided_by(paper: Paper) -> str:
    screened = paper.screening
    if screened is not None and screened.decision and screened.decided_by:
        return f"{screened.decided_by} ({screened.decision})"
    if not paper.is_judged:
        return "nobody"
    return f"{'a model' if paper.grades else 'its words'} ({paper.relevance_score:.2f})"


def open_text_url(paper: Paper) -> str | None:
    """Return the URL of a full text that a service states to be open to everybody, or None.

    URLs from the user's library, or from a service that makes no such statement, do not count.
    """
    given_by = paper.field_sources.get("full_text_url", paper.id).partition(":")[0]
    return paper.full_text_url if says_open(given_by) else None


def result_id_of(name: str) -> str:
    return "r" + hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:10]


def paper_of(result: SearchResult) -> Paper:
    fields: dict[str, Any] = {
        name: result.metadata[name] for name in _BIBLIOGRAPHIC if name in result.metadata
    }
    if result.source_url and not fields.get("url"):
        fields["url"] = result.source_url
    return Paper(
        id=result.result_id,
        title=result.title,
        source=str(result.metadata.get("source_type", "web")),
        authors=[author_named(name, is_inverted=True) for name in result.authors],
        relevance_score=result.relevance_score,
        **fields,
    )


class Evidence:
    """All collected sources, including retracted ones; their order determines the keys."""

    def __init__(self, results: Sequence[SearchResult]) -> None:
        self.results = list(results)
        self.by_id = {source.result_id: source for source in results}
        keys = citation_keys([paper_of(source) for source in results])
        self.by_key = dict(zip(keys, self.results, strict=True))
        self._key_of = {source.result_id: key for key, source in self.by_key.items()}

    def key_of(self, result_id: str) -> str:
        return self._key_of[result_id]

    @property
    def usable(self) -> list[SearchResult]:
        return [source for source in self.results if not source.is_retracted]

    @cached_property
    def sentences(self) -> dict[str, list[Sentence]]:
        """Sentences of each usable source, without those that look like instructions to a model."""
        return {
            source.result_id: [
                sentence for sentence in sentences(source.text) if not is_suspicious(sentence.text)
            ]
            for source in self.usable
        }

    @cached_property
    def families(self) -> set[str]:
        return {name for source in self.results for name in family_names(source)}

    def by_author_year(self, family: str, year: str) -> list[str]:
        name, when = normalised_title(family), int(year[:4])
        return [
            key
            for key, source in self.by_key.items()
            if source.year == when and name in family_names(source)
        ]


def family_names(result: SearchResult) -> set[str]:
    """Return the normalised family names of the authors, with and without particles."""
    names: set[str] = set()
    for author in result.authors:
        split = split_name(author, is_inverted=True)
        parts = [part for part in split.family.split() if len(part) > 1]
        names |= {normalised_title(name) for name in (split.family, split.full_family, *parts)}
    return names - {""}


def author_year(result: SearchResult) -> str:
    """Return the in-text citation of a source: "Smith et al., 2020"."""
    names = [
        _name_in_text(split_name(author, is_inverted=True).full_family or author)
        for author in result.authors
    ]
    host = result.title if len(result.title) <= 40 else result.title[:37] + "..."  # noqa: PLR2004  # a line's worth
    many = f"{names[0]} et al." if len(names) > 2 else ""  # noqa: PLR2004  # two are both named
    return f"{many or ' and '.join(names) or host}, {result.year or 'n.d.'}"


def _name_in_text(name: str) -> str:
    """Return a name that is safe in a report's own text, where it is not quoted.

    Words with digits are removed: numbers in a report must come from a source's text.
    """
    plain_name = " ".join(word for word in name.split() if not any(map(str.isdigit, word)))
    if len(plain_name) > _LONGEST_NAME or not _NAME.fullmatch(plain_name) or is_suspicious(name):
        return UNNAMED
    return plain_name


def grade_of(sources: int, *, is_title: bool) -> Grade:
    """Return the grade of a finding by number of independent sources; from titles, it is weak."""
    if is_title or sources < _MODERATE_SOURCES:
        return "weak"
    return "strong" if sources >= _STRONG_SOURCES else "moderate"


_LONGEST_AUTHORS = 3


def reference(result: SearchResult) -> str:
    doi = result.metadata.get("doi")
    where = f"https://doi.org/{doi}" if doi else result.source_url
    return f"{plain_reference(result)}. {where}" if where else plain_reference(result)


def plain_reference(result: SearchResult) -> str:
    names = result.authors
    between = "; " if any("," in name for name in names) else ", "
    others = " et al." if len(names) > _LONGEST_AUTHORS else ""
    first_authors = between.join(names[:_LONGEST_AUTHORS]) + others
    year = result.year if result.year is not None else "n.d."
    venue = result.metadata.get("venue")
    head = f"{first_authors} ({year})" if first_authors else f"({year})"
    parts = [head, result.title.rstrip("."), str(venue) if venue else ""]
    return ". ".join(part for part in parts if part)
