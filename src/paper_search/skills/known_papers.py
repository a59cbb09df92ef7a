"""Papers that a person already knows: their records, and whether a search found them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rapidfuzz import fuzz

from paper_search.bibliography.identifiers import names_of
from paper_search.bibliography.text import normalised_title
from paper_search.models import (
    BibliographicRecord,
    KnownPapersReport,
    Purpose,
    RankedQuery,
    RawPaper,
    SearchConstraints,
    SearchQuery,
    SearchStrategy,
    SourceReport,
)
from paper_search.models.source_report import LOCAL
from paper_search.skills.intent.forms import without_cuts
from paper_search.skills.intent.reader import parse_identifiers
from paper_search.skills.strategy.trees import leaf, query_text

if TYPE_CHECKING:
    from paper_search.skills.searcher import Searcher

_ALIKE = 95.0
_FEW = 10
_SHORTEST_ALIKE = 20
"""Shorter titles must be identical to match."""


@dataclass(frozen=True, slots=True)
class KnownPaper:
    identifiers: Sequence[str]
    title: str

    def is_described_by(self, record: BibliographicRecord) -> bool:
        """Whether a record describes this paper or a version of it."""
        if is_named(record, self.identifiers):
            return True
        theirs = normalised_title(record.title)
        if not self.title or not theirs:
            return False
        is_long = min(len(self.title), len(theirs)) >= _SHORTEST_ALIKE
        return self.title == theirs or (is_long and fuzz.ratio(self.title, theirs) >= _ALIKE)


def parse_known_paper(text: str) -> KnownPaper:
    rest, identifiers = parse_identifiers(text)
    return KnownPaper(identifiers, normalised_title(without_cuts(rest)))


SEARCH_S = 8.0


async def find_papers(
    searcher: Searcher, text: str, identifiers: Sequence[str]
) -> tuple[list[RawPaper], list[SourceReport]]:
    """Find papers by their identifiers or, without any, one by its title; also return reports.

    A library is asked first, then all other sources at once for what is missing.
    """
    wanted, missing = parse_known_paper(text), list(identifiers)
    papers: list[RawPaper] = []
    local = [name for name in searcher.source_names if name in LOCAL]
    others = [name for name in searcher.source_names if name not in LOCAL]
    title = leaf(text, "title")
    is_titled = title is not None and not identifiers
    query = SearchQuery(keywords=[text], boolean_query=query_text(title) if title else "")
    rows: list[SourceReport] = []
    for names in filter(None, (local, others)):
        strategy = SearchStrategy(
            queries=[query] if is_titled else [],
            ranked=[RankedQuery(text=text)] if is_titled else [],
            works=missing,
            sources=names,
            filters=SearchConstraints(max_results=max(_FEW, len(missing))),
        )
        answer = await searcher.within_seconds(SEARCH_S).report(strategy)
        rows += (row.without_records(Purpose.LOOKUP) for row in answer.sources)
        for paper in answer.papers:
            is_by_title = is_titled and not papers and wanted.is_described_by(paper)
            if is_by_title or is_named(paper, missing):
                papers.append(paper)
                missing = [name for name in missing if not is_named(paper, [name])]
        if papers and not missing:
            break
    return papers, rows


async def has_name(searcher: Searcher, kind: str, name: str) -> bool | None:
    """Return whether the library has the name; None if it does not and others may have it."""
    local = [source for source in searcher.source_names if source in LOCAL]
    tree = leaf(name, kind)
    if not local or tree is None:
        return None
    strategy = SearchStrategy(
        queries=[SearchQuery(keywords=[name], boolean_query=query_text(tree))],
        sources=local,
        filters=SearchConstraints(max_results=1),
    )
    if await searcher.within_seconds(SEARCH_S).search(strategy):
        return True
    return None if len(local) < len(searcher.source_names) else False


def is_named(record: BibliographicRecord, identifiers: Collection[str]) -> bool:
    """Whether the record or a version of it has one of the identifiers (`doi:10.1/1`)."""
    dois = [version.doi.lower() for version in record.versions if version.doi]
    versions = {name for doi in dois for name in (f"doi:{doi}", *parse_identifiers(doi)[1])}
    return not (names_of(record) | versions).isdisjoint(map(str.lower, identifiers))


def check_known_papers(
    known_papers: Iterable[str],
    records: Sequence[BibliographicRecord],
    is_shown: Sequence[bool],
    before: Collection[str],
) -> KnownPapersReport:
    """Return which known papers were found (`before` by earlier rounds), and which are shown."""
    report = KnownPapersReport()
    for text in dict.fromkeys(known_papers):
        paper = parse_known_paper(text)
        places = [n for n, record in enumerate(records) if paper.is_described_by(record)]
        if any(is_shown[place] for place in places):
            report.in_result.append(text)
        elif places or text in before:
            report.not_in_result.append(text)
        else:
            report.missing.append(text)
    return report
