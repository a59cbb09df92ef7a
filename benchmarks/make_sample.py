"""Build the sample that ships from the shared data: bibliographic facts of real works, no prose.

The facts (title, authors, year, venue, identifier, citation count) come from conference
proceedings lists (OpenReview, IJCAI, IEEE robotics), the ACL Anthology, Crossref and DBLP exports
of information systems journals, a citation set on diabetes, arXiv records that name the journal
article, and recorded answers of Crossref, OpenAlex and Semantic Scholar.

Usage: python benchmarks/make_sample.py [DATA_DIRECTORY]
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from paper_search.bibliography.identifiers import parse_doi, stable_id
from paper_search.bibliography.text import normalised_title, plain
from paper_search.models import Author, RawPaper

HERE = Path(__file__).parent
DATA = HERE / "../../shared/data"
TARGET = HERE / "../src/paper_search/library/sample/records.jsonl.gz"
MOST_AUTHORS = 12
SOURCE = "sample"

CENTRE = re.compile(
    r"molecul|drug|protein|chemi[cs]|\bgraph (neural|convol|attention|transf)|\bGNNs?\b",
    re.IGNORECASE,
)
"""The field of the example question; every record that matches is taken."""
QUOTAS = {
    "machine learning": 620, "language": 480, "robotics": 260, "information systems": 520,
    "medicine": 360, "physics": 480, "recorded": 500,
}  # fmt: skip
OPENREVIEW = {
    "acmmm/acmmm2024": "ACM Multimedia 2024", "aistats/aistats2025": "AISTATS 2025",
    "ai4x/ai4x2025": "AI4X 2025", "colm/colm2024": "COLM 2024", "colm/colm2025": "COLM 2025",
    "corl/corl2021": "CoRL 2021", "corl/corl2022": "CoRL 2022", "corl/corl2023": "CoRL 2023",
    "corl/corl2024": "CoRL 2024", "www/www2024": "WWW 2024", "www/www2025": "WWW 2025",
}  # fmt: skip
ANTHOLOGY = re.compile(r"(20\d\d)\.(acl|naacl|coling)-(main|long|short|1)\.(\d+)")
PHYSICAL_REVIEW = re.compile(r"10\.1103/(PhysRev(Lett|[A-EX]))\.(\d+)\.\w+")
JOURNALS = {
    "Lett": "Physical Review Letters", "X": "Physical Review X",
    **{letter: f"Physical Review {letter}" for letter in "ABCDE"},
}  # fmt: skip


def main() -> None:
    data = Path(sys.argv[1]) if len(sys.argv) > 1 else DATA
    chosen = sorted(chosen_of(data), key=lambda paper: paper.id)
    lines = [
        json.dumps(
            paper.model_dump(mode="json", exclude_defaults=True),
            ensure_ascii=False, sort_keys=True, separators=(",", ":"),
        )
        for paper in chosen
    ]  # fmt: skip
    TARGET.write_bytes(gzip.compress("\n".join([*lines, ""]).encode(), 9, mtime=0))
    print(f"{len(chosen)} records, {TARGET.stat().st_size / 1000:.0f} kB")
    decades = Counter(f"{(paper.year or 0) // 10}0s" for paper in chosen)
    print("by decade:", dict(sorted(decades.items())))
    print("with citations:", sum(paper.citation_count > 0 for paper in chosen))


def chosen_of(data: Path) -> Iterator[RawPaper]:
    """Yield the records of all groups, each work once, in a choice that repeats itself."""
    seen: set[str] = set()
    groups = {
        "recorded": recorded(data / "recorded"),
        "machine learning": proceedings(data, ("www", "aistats", "ai4x", "colm", "acmmm", "ijcai")),
        "language": proceedings(data, ("acl", "naacl", "coling")),
        "robotics": proceedings(data, ("corl", "icra", "iros")),
        "information systems": information_systems(data / "dedup_exp_mis_baseline/records.jsonl"),
        "medicine": diabetes(data / "dedup_asysd_testset/records.jsonl.gz"),
        "physics": physics(data / "dedup_arxiv_100k/records.jsonl.gz"),
    }
    for name, papers in groups.items():
        ranked = sorted(papers, key=lambda paper: (not is_central(paper), digest(paper)))
        taken = central = 0
        for paper in ranked:
            keys = {paper.id, normalised_title(paper.title)}
            if keys & seen or taken >= QUOTAS[name]:
                continue
            seen |= keys
            taken += 1
            central += is_central(paper)
            yield paper
        print(f"{name}: {taken}, of the example question's field {central}")


def is_central(paper: RawPaper) -> bool:
    return bool(CENTRE.search(paper.title))


def digest(paper: RawPaper) -> str:
    return hashlib.blake2b(paper.id.encode(), digest_size=8).hexdigest()


def made(title: str, names: Iterable[str], year: Any, venue: str, **fields: Any) -> RawPaper | None:
    """Return the record if it has all that a record of the sample must have."""
    title = plain(title or "").rstrip(".")
    distinct = dict.fromkeys(plain(name).strip(" ,") for name in names if name)
    authors = [Author(name=name) for name in distinct if name][:MOST_AUTHORS]
    fields = {key: value for key, value in fields.items() if value}
    is_formula = re.search(r"[\\^_${}]", title)
    if is_formula or not (len(title) > 8 and authors and venue and str(year).isdigit()):
        return None
    if not (fields.get("doi") or fields.get("url")):
        return None
    paper = RawPaper(
        id="", title=title, authors=authors, year=int(year), venue=plain(venue), source=SOURCE,
        **fields,
    )  # fmt: skip
    return paper.model_copy(update={"id": stable_id(paper)})


def proceedings(data: Path, wanted: tuple[str, ...]) -> Iterator[RawPaper]:
    with gzip.open(data / "ir_scholargym_local/corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            given = json.loads(line)
            place, _, number = given["_id"].partition(".json#")
            if not number or place.split("/")[0] not in wanted:
                continue
            paper = of_proceedings(given, place, number)
            if paper is not None:
                yield paper


def of_proceedings(given: dict[str, Any], place: str, number: str) -> RawPaper | None:
    names = re.split(r"\s*;\s*", given["authors"])
    facts = (given["title"], names, given["year"])
    conference, year = place.split("/", maxsplit=1)[0], given["year"]
    kind = {"publication_type": "paper-conference"}
    if place in OPENREVIEW:
        url = f"https://openreview.net/forum?id={number}"
        return made(*facts, OPENREVIEW[place], url=url, **kind)
    if conference == "ijcai" and number.startswith("paper"):
        doi = f"10.24963/ijcai.{year}/{number.removeprefix('paper')}"
        return made(*facts, f"IJCAI {year}", doi=doi, **kind)
    if conference in {"icra", "iros"} and number.isdigit():
        url = f"https://ieeexplore.ieee.org/document/{number}"
        return made(*facts, f"{conference.upper()} {year}", url=url, **kind)
    if ANTHOLOGY.fullmatch(number):
        venue = f"{conference.upper()} {year}"
        return made(*facts, venue, url=f"https://aclanthology.org/{number}/", **kind)
    return None


def information_systems(path: Path) -> Iterator[RawPaper]:
    for line in path.read_text("utf-8").splitlines():
        given = json.loads(line)
        paper = made(
            given.get("title", ""), re.split(r"\s+and\s+", given.get("author", "")),
            given.get("year"), given.get("journal", ""), doi=parse_doi(given.get("doi")),
            volume=given.get("volume"), issue=given.get("number"),
            publication_type="article-journal",
        )  # fmt: skip
        if paper is not None and all("," in author.name for author in paper.authors):
            yield paper


def diabetes(path: Path) -> Iterator[RawPaper]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            given = json.loads(line)
            # The names run together: "Adeli K.Lewis G. F."
            names = re.split(r"(?<=\.)(?=\w)", given["author"])
            paper = made(
                given["title"], names, given["year"], given.get("journal", ""),
                doi=parse_doi(given.get("doi")), volume=given.get("volume"),
                issue=given.get("number"), pages=given.get("pages"),
                publication_type="article-journal",
            )  # fmt: skip
            if paper is not None and all(name.name.endswith(".") for name in paper.authors):
                yield paper


def physics(path: Path) -> Iterator[RawPaper]:
    """Yield articles of the Physical Review whose volume confirms the year that arXiv gives."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            given = json.loads(line)
            found = PHYSICAL_REVIEW.fullmatch(given.get("doi") or "")
            if found is None or year_of_volume(found[2], int(found[3])) != int(given["year"]):
                continue
            paper = made(
                given["title"], given["author"].split(" and "), given["year"], JOURNALS[found[2]],
                doi=parse_doi(given["doi"]), volume=found[3], publication_type="article-journal",
            )  # fmt: skip
            if paper is not None:
                yield paper


def year_of_volume(journal: str, volume: int) -> int:
    if journal == "X":
        return 2010 + volume
    return 1958 + volume // 2 if journal == "Lett" else 1970 + (volume - 1) // 2


def recorded(directory: Path) -> Iterator[RawPaper]:
    """Yield the works in recorded answers, those with the most citations first."""
    found: dict[str, RawPaper] = {}
    for path in sorted(directory.glob("*/*.json")):
        if path.name.endswith(".meta.json") or path.parent.name not in READERS:
            continue
        try:
            body = json.loads(path.read_text("utf-8"))
        except ValueError:
            continue
        for given in objects(body):
            paper = READERS[path.parent.name](given)
            if paper is not None and is_newer(paper, found.get(paper.id)):
                found[paper.id] = paper
    yield from found.values()


def is_newer(paper: RawPaper, other: RawPaper | None) -> bool:
    return other is None or paper.citation_count > other.citation_count


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Yield all objects inside a JSON value that have a title."""
    if isinstance(value, dict):
        if value.get("title"):
            yield value
        for each in value.values():
            yield from objects(each)
    elif isinstance(value, list):
        for each in value:
            yield from objects(each)


def of_crossref(given: dict[str, Any]) -> RawPaper | None:
    kinds = {"journal-article": "article-journal", "proceedings-article": "paper-conference",
             "book-chapter": "chapter", "posted-content": "article"}  # fmt: skip
    names = given.get("author")
    if given.get("type") not in kinds or not given.get("container-title") or not names:
        return None
    dates = (given.get("issued") or {}).get("date-parts") or [[None]]
    return made(
        str(given["title"][0]), [crossref_name(each) for each in names], dates[0][0],
        str(given["container-title"][0]), doi=parse_doi(given.get("DOI")),
        citation_count=given.get("is-referenced-by-count"), volume=given.get("volume"),
        issue=given.get("issue"), pages=given.get("page"), publication_type=kinds[given["type"]],
    )  # fmt: skip


def crossref_name(given: dict[str, Any]) -> str:
    family = given.get("family") or given.get("name") or ""
    return f"{family}, {given['given']}" if given.get("given") and family else str(family)


def of_openalex(given: dict[str, Any]) -> RawPaper | None:
    place = ((given.get("primary_location") or {}).get("source") or {}).get("display_name")
    names = [each["author"]["display_name"] for each in given.get("authorships") or []]
    return made(
        str(given["title"]), names, given.get("publication_year"), place or "",
        doi=parse_doi(given.get("doi")), citation_count=given.get("cited_by_count"),
    )  # fmt: skip


def of_semantic_scholar(given: dict[str, Any]) -> RawPaper | None:
    names = [
        each.get("name") or "" for each in given.get("authors") or [] if isinstance(each, dict)
    ]
    identifiers = given.get("externalIds") or {}
    return made(
        str(given["title"]), names, given.get("year"), given.get("venue") or "",
        doi=parse_doi(identifiers.get("DOI")), citation_count=given.get("citationCount"),
        url=given.get("url") if identifiers else None,
    )  # fmt: skip


READERS = {
    "crossref": of_crossref,
    "openalex": of_openalex,
    "semantic_scholar": of_semantic_scholar,
}

if __name__ == "__main__":
    main()
