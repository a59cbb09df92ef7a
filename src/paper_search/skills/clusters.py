"""Which records are one work: identifiers, addresses, and titles that cannot mislead."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from urllib.parse import urlsplit

from paper_search.bibliography.identifiers import family_name, parse_arxiv_id, parse_doi
from paper_search.bibliography.text import normalised_title
from paper_search.models import RawPaper
from paper_search.skills.word_lists import terms_in

_PREPRINT_DOI = re.compile(
    r"10\.(?:48550|1101|21203|26434|31219|31234|31235|2139|20944|22541|36227|5194/egusphere)[/.]"
)
_LONG_TITLE_WORDS = 4
_SHORTEST_SHARED_TITLE = 2
_GENERIC = terms_in(
    """
    introduction | editorial | preface | foreword | index | contents | table of contents |
    erratum | corrigendum | correction | retraction | letter to the editor | letters to the
    editor | letter | reply | book review | book reviews | response | discussion |
    conclusion | conclusions | abstract | abstracts | news | commentary | comment | obituary
    | in memoriam | acknowledgements | acknowledgments | front matter | summary | back
    matter | author index | subject index | guest editorial | editor's note | from the
    editor | errata | introduction to the special issue | special issue | keynote | panel |
    program committee | references | appendix | guest editors' introduction | masthead |
    announcement | announcements | editorial board | reviewers | list of reviewers | meeting
    abstracts | poster abstracts | case report | author's reply | authors' reply |
    publisher's note | cover | back cover | front cover | issue information | untitled |
    notes | message from the chair | message from the editor | 序言 | 前言 | 编者按 | 目录 | 引言
    """
)
_IDENTIFIERS = ("pmid", "pmcid", "openalex_id", "s2_id")


class Clusters:
    """Disjoint sets of record numbers that refuse to join two different published DOIs."""

    def __init__(self, papers: Sequence[RawPaper]) -> None:
        self._parent = list(range(len(papers)))
        self._dois = [_published_doi(paper) for paper in papers]

    def root(self, number: int) -> int:
        """Return the number that stands for the set of `number`."""
        while self._parent[number] != number:
            self._parent[number] = self._parent[self._parent[number]]
            number = self._parent[number]
        return number

    def join(self, one: int, other: int, *, is_certain: bool = False) -> bool:
        """Make one set of two and return whether they are one now.

        Unless `is_certain`, two sets whose published DOIs differ stay apart.
        """
        first, second = sorted((self.root(one), self.root(other)))
        if first == second:
            return True
        dois = self._dois[first] | self._dois[second]
        if len(dois) > 1 and not is_certain:
            return False
        self._parent[second] = first
        self._dois[first] = dois
        return True

    def sets(self) -> list[list[int]]:
        """Return all sets, by their smallest number."""
        members: dict[int, list[int]] = defaultdict(list)
        for number in range(len(self._parent)):
            members[self.root(number)].append(number)
        return list(members.values())


def cluster(papers: Sequence[RawPaper]) -> Clusters:
    """Return the sets of records of one work.

    The result depends on the order of `papers` only where a set would hold two published DOIs:
    give them in an order of their content.
    """
    clusters = Clusters(papers)
    for key, numbers in _groups((each, key) for each, p in enumerate(papers) for key in _keys(p)):
        for number in numbers[1:]:
            clusters.join(numbers[0], number, is_certain=key[0] != "url")
    titles = _groups((number, (normalised_title(p.title),)) for number, p in enumerate(papers))
    for (title,), numbers in titles:
        if title and len(numbers) > 1:
            _join_same_title(papers, numbers, clusters)
    return clusters


def _groups(
    keyed: Iterable[tuple[int, tuple[str, ...]]],
) -> list[tuple[tuple[str, ...], list[int]]]:
    found: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, key in keyed:
        found[key].append(number)
    return sorted(found.items())


def _keys(paper: RawPaper) -> Iterator[tuple[str, ...]]:
    yield "record", paper.source, paper.id
    doi = parse_doi(paper.doi)
    arxiv = parse_arxiv_id(paper.arxiv_id) or (parse_arxiv_id(doi) if doi else None)
    if doi:
        yield "doi", doi
    if arxiv:
        yield "arxiv", arxiv
    for name in _IDENTIFIERS:
        value = getattr(paper, name)
        if value and value.strip():
            yield name, value.strip().casefold()
    for address in dict.fromkeys((paper.full_text_url, paper.url)):
        if address and (key := _address_key(address)):
            yield "url", key


def _address_key(address: str) -> str | None:
    """Return what two spellings of an address share; None for a bare home page."""
    try:
        parts = urlsplit(address.strip())
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:
        return None
    path = parts.path.rstrip("/")
    if not host or (len(path) <= 1 and not parts.query):
        return None
    return f"{host}{path}?{parts.query}" if parts.query else f"{host}{path}"


def _published_doi(paper: RawPaper) -> frozenset[str]:
    doi = parse_doi(paper.doi)
    return frozenset() if doi is None or _PREPRINT_DOI.match(doi) else frozenset({doi})


def first_author(paper: RawPaper) -> str:
    """Return the first author's family name as two sources would both write it, or ""."""
    return normalised_title(family_name(paper.authors[0].name)) if paper.authors else ""


def _join_same_title(papers: Sequence[RawPaper], numbers: list[int], clusters: Clusters) -> None:
    """Join records of one title whose year and first author agree, or are missing harmlessly.

    Records that lack one of them join only where they fit a single work.
    """
    full: dict[tuple[str, ...], list[int]] = defaultdict(list)
    partial: list[int] = []
    is_generic = normalised_title(papers[numbers[0]].title) in _generic_titles()
    for number in numbers:
        paper, author = papers[number], first_author(papers[number])
        if paper.year is not None and author:
            venue = normalised_title(paper.venue or "") if is_generic else ""
            full[str(paper.year), author, venue].append(number)
        else:
            partial.append(number)
    for same in full.values():
        for number in same[1:]:
            clusters.join(same[0], number)
    if partial and not is_generic:
        _join_partial(papers, partial, full, clusters)


def _join_partial(
    papers: Sequence[RawPaper],
    partial: list[int],
    full: dict[tuple[str, ...], list[int]],
    clusters: Clusters,
) -> None:
    words = len(re.findall(r"\w+", papers[partial[0]].title))
    is_long = words >= _LONG_TITLE_WORDS or len(normalised_title(papers[partial[0]].title)) > 24  # noqa: PLR2004  # letters of a long title in a script without spaces
    for number in partial:
        fitting = [key for key in full if _fits(papers[number], key)]
        if is_long and len(fitting) == 1:
            clusters.join(full[fitting[0]][0], number)
    if full:
        return
    years = {papers[number].year for number in partial} - {None}
    authors = {first_author(papers[number]) for number in partial} - {""}
    agree = len(years) <= 1 and len(authors) <= 1
    same_gaps = len({(papers[n].year, first_author(papers[n])) for n in partial}) == 1
    if agree and (is_long or (same_gaps and words >= _SHORTEST_SHARED_TITLE)):
        for number in partial[1:]:
            clusters.join(partial[0], number)


@cache
def _generic_titles() -> frozenset[str]:
    """Return the titles that many different works carry."""
    return frozenset(normalised_title(title) for title in _GENERIC)


def _fits(paper: RawPaper, key: tuple[str, ...]) -> bool:
    year, author = paper.year, first_author(paper)
    return (year is None or str(year) == key[0]) and (not author or author == key[1])
