"""Where the records of the sample come from: readers of the shared data, field by field.

They yield bibliographic facts alone: title, authors, year, venue, numbers, identifiers, citation
counts, and what the sources say of the subject (headings, keywords, a journal's categories).
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from sample_journals import article_of

from paper_search.bibliography.identifiers import parse_doi, stable_id
from paper_search.bibliography.keywords import distinct_keywords
from paper_search.bibliography.text import plain
from paper_search.http.body import parse_xml
from paper_search.library.importers.files import Imported, parse_file
from paper_search.models import Author, RawPaper
from paper_search.sources.crossref import read_item
from paper_search.sources.doaj import article_of as doaj_article
from paper_search.sources.openalex_record import read_work
from paper_search.sources.pubmed_record import citation_of
from paper_search.sources.semantic_scholar import read_paper

MOST_AUTHORS, MOST_KEYWORDS = 12, 10
SOURCE = "sample"
CENTURIES = range(1800, 2027)

_CHECK_TAGS = {
    "humans", "human", "male", "female", "adult", "aged", "aged, 80 and over", "middle aged",
    "young adult", "adolescent", "child", "child, preschool", "infant", "animals", "animal",
    "article", "nonhuman", "priority journal", "controlled study", "review", "mice", "rats",
}  # fmt: skip
"""Headings that MEDLINE and Embase give to nearly everything."""
_OPENREVIEW = {
    "acmmm/acmmm2024": ("ACM Multimedia 2024", "multimedia"),
    "aistats/aistats2025": ("AISTATS 2025", "artificial intelligence and statistics"),
    "ai4x/ai4x2025": ("AI4X 2025", "artificial intelligence for science"),
    **{f"colm/colm{year}": (f"COLM {year}", "language models") for year in (2024, 2025)},
    **{f"corl/corl{year}": (f"CoRL {year}", "robot learning") for year in range(2021, 2025)},
    **{f"www/www{year}": (f"WWW {year}", "world wide web") for year in (2024, 2025)},
}
"""Conferences whose papers have an address at OpenReview, and what they are about by their name."""
_ANTHOLOGY = re.compile(r"(20\d\d)\.(acl|naacl|coling)-(main|long|short|1)\.(\d+)")
_CAPITALS = re.compile(r"[A-Z0-9 ,;:()/&'.-]{4,}")
_SMALL = re.compile(r"\b(?:And|Of|The|In|For|On|A|An)\b")


def made(paper: RawPaper, keywords: Iterable[str] = ()) -> RawPaper | None:
    """Return the facts of a record, if it has all that one of the sample must have.

    Args:
        paper: what a reader gave.
        keywords: what its source says of the subject beside the keywords of the record.
    """
    title = plain(paper.title).rstrip(".")
    names = dict.fromkeys(plain(author.name).strip(" ,") for author in paper.authors)
    authors = [Author(name=name) for name in names if name][:MOST_AUTHORS]
    venue = plain(paper.venue or "")
    is_formula = re.search(r"[\\^_${}]", title)
    is_named = len(title) > 8 and len(title.split()) > 2 and "\ufffd" not in title + venue
    if is_formula or not is_named or not (authors and venue and paper.year in CENTURIES):
        return None
    if not (paper.doi or paper.url) or paper.language not in {None, "en"}:
        return None
    given = [
        *keywords,
        *(keyword for keyword in paper.keywords if keyword.lower() not in _CHECK_TAGS),
    ]
    facts = RawPaper(
        id="", title=title, authors=authors, year=paper.year, venue=venue, source=SOURCE,
        doi=paper.doi, url=None if paper.doi else paper.url, volume=paper.volume,
        issue=paper.issue, pages=paper.pages, citation_count=paper.citation_count,
        publication_type=paper.publication_type,
        keywords=distinct_keywords(given)[:MOST_KEYWORDS],
    )  # fmt: skip
    return facts.model_copy(update={"id": stable_id(facts)})


def _usual(venue: str) -> str:
    """Return a venue's name as it is usually written, not all in capitals."""
    if not _CAPITALS.fullmatch(venue):
        return venue
    title = venue.title().replace("'S", "'s").replace("Plos", "PLOS").replace("Bmc", "BMC")
    return title[:1] + _SMALL.sub(lambda found: found[0].lower(), title)[1:]


def _given(title: str, names: Iterable[str], year: Any, **fields: Any) -> RawPaper:
    return RawPaper(
        id="", title=title or "", authors=[Author(name=name) for name in names if name],
        year=int(year) if str(year).isdigit() else None, source=SOURCE, **fields,
    )  # fmt: skip


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open() as lines:
        yield from map(json.loads, lines)


def proceedings(data: Path, wanted: tuple[str, ...]) -> Iterator[RawPaper | None]:
    """Yield papers of conferences, from their lists of proceedings and the ACL Anthology."""
    for given in _lines(data / "ir_scholargym_local/corpus.jsonl.gz"):
        place, _, number = given["_id"].partition(".json#")
        if number and place.split("/")[0] in wanted:
            yield _of_proceedings(given, place, number)


def _of_proceedings(given: dict[str, Any], place: str, number: str) -> RawPaper | None:
    conference, year = place.split("/", maxsplit=1)[0], given["year"]

    def paper(venue: str, scope: str, **where: str) -> RawPaper | None:
        names = re.split(r"\s*;\s*", given["authors"])
        fields = {"venue": venue, "publication_type": "paper-conference", **where}
        return made(_given(given["title"], names, year, **fields), [scope])

    if place in _OPENREVIEW:
        return paper(*_OPENREVIEW[place], url=f"https://openreview.net/forum?id={number}")
    if conference == "ijcai" and number.startswith("paper"):
        doi = f"10.24963/ijcai.{year}/{number.removeprefix('paper')}"
        return paper(f"IJCAI {year}", "artificial intelligence", doi=doi)
    if conference in {"icra", "iros"} and number.isdigit():
        scope = "robotics and automation" if conference == "icra" else "intelligent robots"
        url = f"https://ieeexplore.ieee.org/document/{number}"
        return paper(f"{conference.upper()} {year}", scope, url=url)
    if _ANTHOLOGY.fullmatch(number):
        url = f"https://aclanthology.org/{number}/"
        return paper(f"{conference.upper()} {year}", "computational linguistics", url=url)
    return None


def information_systems(data: Path) -> Iterator[RawPaper | None]:
    """Yield articles of journals of information systems, from exports of Crossref and DBLP."""
    for given in _lines(data / "dedup_exp_mis_baseline/records.jsonl"):
        names = re.split(r"\s+and\s+", given.get("author", ""))
        if all("," in name for name in names):
            yield made(
                _given(
                    given.get("title", ""), names, given.get("year"), venue=given.get("journal"),
                    doi=parse_doi(given.get("doi")), volume=given.get("volume"),
                    issue=given.get("number"), publication_type="article-journal",
                )
            )  # fmt: skip


def diabetes(data: Path) -> Iterator[RawPaper | None]:
    """Yield articles of a set of citations on diabetes."""
    for given in _lines(data / "dedup_asysd_testset/records.jsonl.gz"):
        # The names run together: "Adeli K.Lewis G. F."
        names = re.split(r"(?<=\.)(?=\w)", given["author"])
        if all(name.endswith(".") for name in names):
            yield made(
                _given(
                    given["title"], names, given["year"], venue=given.get("journal"),
                    doi=parse_doi(given.get("doi")), volume=given.get("volume"),
                    issue=given.get("number"), pages=given.get("pages"),
                    publication_type="article-journal",
                )
            )  # fmt: skip


def articles(data: Path, field: str) -> Iterator[RawPaper | None]:
    """Yield articles of journals of a field that arXiv names by DOI, if the years agree."""
    for given in _lines(data / "dedup_arxiv_100k/records.jsonl.gz"):
        doi = parse_doi(given.get("doi"))
        found = article_of((given.get("doi") or "").strip())
        if doi is None or found is None or found.field != field:
            continue
        if 0 <= found.year - int(given["year"]) <= 2:
            names = given["author"].split(" and ")
            fields = {"venue": found.venue, "doi": doi, "publication_type": "article-journal"}
            yield made(_given(given["title"], names, found.year, **fields))


def files(data: Path, *names: str) -> Iterator[RawPaper | None]:
    """Yield the records of files of reference managers and databases, with their keywords.

    What Web of Science made of the cited titles, all in capitals, is no keyword of the article.
    """
    for name in names:
        for entry in parse_file(data / name):
            if isinstance(entry, Imported):
                paper = entry.record
                own = [keyword for keyword in paper.keywords if not _CAPITALS.fullmatch(keyword)]
                usual = {"keywords": own, "venue": _usual(paper.venue or "")}
                yield made(paper.model_copy(update=usual))


def pubmed(data: Path) -> Iterator[RawPaper | None]:
    """Yield the articles in recorded answers of PubMed, with their subject headings."""
    for path in sorted((data / "recorded/pubmed").glob("*.xml")):
        try:
            root = parse_xml(path.read_bytes())
        except ValueError:
            continue
        for element in root.iter("PubmedArticle"):
            paper = citation_of(element)
            yield made(paper) if paper else None


def recorded(data: Path, *services: str) -> Iterator[RawPaper | None]:
    """Yield the works in recorded answers of services."""
    for service in services:
        read = _READERS[service]
        for path in sorted((data / "recorded" / service).glob("*.json")):
            if path.name.endswith(".meta.json"):
                continue
            try:
                body = json.loads(path.read_text("utf-8"))
            except ValueError:
                continue
            for given in _objects(body):
                paper = read(given, SOURCE)
                kind = paper.publication_type if paper else None
                if paper and (kind in _WORKS or (kind is None and paper.citation_count)):
                    yield made(paper)


_WORKS = {"article-journal", "paper-conference", "article"}
_READERS: dict[str, Callable[[Any, str], RawPaper | None]] = {
    "openalex": read_work,
    "doaj": doaj_article,
    "crossref": read_item,
    "semantic_scholar": read_paper,
}


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """Yield all objects inside a JSON value that are works."""
    if isinstance(value, dict):
        if value.get("title") or value.get("bibjson"):
            yield value
        for inner in value.values():
            yield from _objects(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _objects(inner)
