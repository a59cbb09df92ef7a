"""Merges the records of one work, with the provenance of each field."""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from paper_search.bibliography.identifiers import stable_id
from paper_search.bibliography.keywords import distinct_keywords
from paper_search.bibliography.text import normalised_title
from paper_search.models import Clustering, RawPaper, Sighting, Version
from paper_search.skills.deduplication.comparison import (
    AGREED_AUTHORS,
    ONE_TEXT,
    OTHER_YEARS,
    Comparison,
)
from paper_search.skills.deduplication.profiles import DATA, Profile, profile

_PREPRINT_DOI = re.compile(
    r"10\.(?:48550|1101(?=/\d)|21203|26434|31219|31234|31235|2139|3386|20944|22541|36227"
    r"|5194/egusphere)[/.]"
)
"""arXiv, bioRxiv and medRxiv, Research Square, ChemRxiv, OSF, PsyArXiv, SocArXiv, SSRN, NBER,
Preprints, ESSOAr, TechRxiv, EGUsphere."""
_VERSION_OF_DOI = re.compile(r"(^10\.(?:12688|17632)/.+)\.\d{1,2}$|[./_-]?v\d{1,2}$")
"""The last part of a DOI of F1000 Research or Mendeley Data, or a "v2"."""
_JOURNAL_AND_CONFERENCE = "conference-journal"
_RANKS = {"journal": 0, "conference": 2, "report": 3}
_OWN = frozenset({
    "id", "source", "citation_count", "merged_from", "sightings", "is_retracted", "field_sources",
    "versions", "keywords",
})  # fmt: skip
"""Fields that are not filled from other records but have rules of their own."""


def by_content(paper: RawPaper, record: Profile) -> tuple[Any, ...]:
    """Return a sort key from the content of a record, equal only for identical records."""
    return (
        record.title,
        record.people.names,
        record.year or 0,
        record.doi,
        record.volume,
        record.first_page,
        paper.source,
        paper.id,
        record.venue,
        record.abstract,
        record.issue,
        record.last_page,
        record.arxiv,
        record.ids,
    )


def works_of(papers: Sequence[RawPaper], clustering: Clustering) -> list[RawPaper]:
    """Return one record per work with a unique id, in the order of each work's first record."""
    numbered: list[tuple[int, RawPaper]] = []
    for work in clustering.works:
        clusters = [clustering.clusters[place].members for place in work]
        places = [member for members in clusters for member in members]
        whole = papers[places[0]]
        if len(places) > 1:
            groups = _by_version([[papers[place] for place in members] for members in clusters])
            whole = merge_records([papers[place] for place in places], groups)
        numbered.append((min(places), whole))
    numbered.sort(key=lambda pair: pair[0])
    return _with_unique_ids([paper for _, paper in numbered])


def _by_version(clusters: Sequence[Sequence[RawPaper]]) -> list[list[RawPaper]]:
    published = [[p for p in members if not is_preprint(profile(p))] for members in clusters]
    early = [[p for p in members if is_preprint(profile(p))] for members in clusters]
    return [group for group in published + early if group]


def _with_unique_ids(papers: list[RawPaper]) -> list[RawPaper]:
    """Make ids unique, since two sources may use the same id for different works."""
    groups: dict[str, list[int]] = defaultdict(list)
    for place, paper in enumerate(papers):
        groups[paper.id].append(place)
    ids = set(groups)
    for places in [places for places in groups.values() if len(places) > 1]:
        for place in sorted(places, key=lambda index: fingerprint(papers[index]))[1:]:
            paper = papers[place]
            name = f"{paper.source}:{paper.id}"
            while name in ids:
                name += "'"
            ids.add(name)
            papers[place] = paper.model_copy(update={"id": name})
    return papers


def merge_records(papers: Sequence[RawPaper], versions: Sequence[Sequence[RawPaper]]) -> RawPaper:
    """Merge the records of one work.

    The gaps of the richest record are filled from the others, richest first, in whatever order they
    are given. The id is the stable id of the result if any record has it, so that richer records in
    later rounds do not change it; otherwise it is the richest record's. If `versions` has groups of
    records, the best first, fields that differ by version come from the first group only.
    """
    groups = list(versions) or [papers]
    ordered = [paper for group in groups for paper in sorted(group, key=_by_richness)]
    front = ordered[0]
    values, origins = _fill_fields(ordered, len(groups[0]))
    whole = front.model_copy(
        update={
            **values,
            **_citations(papers),
            "is_retracted": _is_retracted(papers),
            "merged_from": sorted({name for p in papers for name in (p.id, *p.merged_from)}),
            "sightings": _all_sightings(papers),
            "field_sources": origins,
            "versions": _versions(groups),
            "keywords": distinct_keywords(keyword for p in ordered for keyword in p.keywords),
        }
    )
    stable = stable_id(whole)
    is_known = any(paper.id == stable for paper in papers)
    return whole.model_copy(update={"id": stable}) if is_known else whole


def _citations(papers: Sequence[RawPaper]) -> dict[str, int]:
    counts = [n for paper in papers if (n := paper.known_citation_count) is not None]
    return {"citation_count": max(counts)} if counts else {}


_OF_ONE_VERSION = frozenset(
    {"doi", "year", "venue", "volume", "issue", "pages", "publisher", "publication_type", "bibtex"}
)
"""Fields that differ by version: a preprint's DOI is not that of the article."""


def _fill_fields(
    ordered: Sequence[RawPaper], of_front: int
) -> tuple[dict[str, Any], dict[str, str]]:
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for name in RawPaper.model_fields:
        if name in _OWN:
            continue
        candidates = ordered[:of_front] if name in _OF_ONE_VERSION else ordered
        if name == "title":
            candidates = _in_small_letters(ordered) or ordered
        for paper in candidates:
            value = getattr(paper, name)
            if not _is_empty(value):
                values[name] = value
                origins[name] = paper.field_sources.get(name, paper.id)
                break
    return values, origins


def _in_small_letters(ordered: Sequence[RawPaper]) -> list[RawPaper]:
    """Return the records with the title of the first one, if any, not in capitals."""
    title = normalised_title(ordered[0].title)
    same = [p for p in ordered if normalised_title(p.title) == title and not p.title.isupper()]
    return same if title else []


def _versions(groups: Sequence[Sequence[RawPaper]]) -> list[Version]:
    earlier = [version for group in groups for paper in group for version in paper.versions]
    if len(groups) == 1 and not earlier:
        return []
    versions: list[Version] = []
    for group in groups:
        ordered = sorted(group, key=_by_richness)
        first = {
            name: next((v for p in ordered if not _is_empty(v := getattr(p, name))), None)
            for name in ("year", "venue", "doi", "url")
        }
        ids = sorted({name for p in group for name in (p.id, *p.merged_from)})
        versions.append(Version(ids=ids, **first))
    inner = {tuple(version.ids): version for version in earlier}
    keys = {tuple(version.ids) for version in versions}
    return versions + [version for ids, version in sorted(inner.items()) if ids not in keys]


def _by_richness(paper: RawPaper) -> tuple[int, int, int, str]:
    filled = sum(
        not _is_empty(getattr(paper, name)) for name in RawPaper.model_fields if name not in _OWN
    )
    return -filled, -len(paper.abstract or ""), -paper.citation_count, fingerprint(paper)


def fingerprint(paper: RawPaper) -> str:
    return f"{paper.source}\n{paper.id}\n{paper!r}"


def _is_empty(value: object) -> bool:
    if isinstance(value, str):
        return not value.strip()
    return value is None or value in ([], {})


def _is_retracted(papers: Sequence[RawPaper]) -> bool | None:
    statements = [paper.is_retracted for paper in papers if paper.is_retracted is not None]
    return any(statements) if statements else None


def _all_sightings(papers: Sequence[RawPaper]) -> list[Sighting]:
    united = {sighting.model_dump_json(): sighting for p in papers for sighting in p.sightings}
    return [
        united[key]
        for key in sorted(united, key=lambda key: (united[key].source, united[key].rank or 0, key))
    ]


def is_preprint(record: Profile) -> bool:
    """Whether a record is a preprint, by its DOI, its venue, or an arXiv id and nothing else."""
    if record.doi:
        return _PREPRINT_DOI.match(record.doi) is not None
    return record.kind == "report" or bool(record.arxiv and not record.venue and not record.volume)


def rank(record: Profile) -> int:
    """Return the rank of a version, from 0 (journal article) to 3 (preprint)."""
    if is_preprint(record):
        return _RANKS["report"]
    if record.kind == "conference":
        return _RANKS["conference"]
    return _RANKS["journal"] if record.kind == "journal" or record.volume else 1


def are_versions(one: Profile, other: Profile, levels: Comparison) -> bool:
    """Whether two records of different publications are versions of one work.

    Titles must be of some length and differ only in spelling, authors must agree, and years must be
    at most four apart, unless the abstracts agree. One must be a preprint, or one a conference
    paper and the other a journal article, or one must have the abstract of the other and no venue,
    or both must be data or software, of one year or with a version in a title, or their DOIs differ
    only in a version number. A meeting abstract is not a version of the article that it announces.
    """
    is_one_text = levels.abstract in ONE_TEXT
    if (
        levels.title not in {"identical", "near"}
        or levels.difference not in {"none", "spelling"}
        or levels.title_length not in {"middle", "long"}
        or levels.authors not in AGREED_AUTHORS
        or (levels.year == "far" and not is_one_text)
        or levels.numerals != "same"
        or levels.role != "same"
        or levels.abstract == "different"
    ):
        return False
    if is_preprint(one) != is_preprint(other) or _are_numbered(one, other):
        return True
    if one.form in DATA and other.form in DATA:
        # A yearly data set may have one title each year.
        return levels.year not in OTHER_YEARS or one.names_version or other.names_version
    is_copy = is_one_text and levels.venue in {"missing", "both missing"}
    is_extended = levels.kind == _JOURNAL_AND_CONFERENCE
    return (is_copy or is_extended) and not (_is_brief(one) or _is_brief(other))


def _are_numbered(one: Profile, other: Profile) -> bool:
    """Whether two DOIs differ only in a version number."""
    stem, other_stem = (_VERSION_OF_DOI.sub(r"\1", record.doi) for record in (one, other))
    return one.doi != other.doi and stem == other_stem


def _is_brief(record: Profile) -> bool:
    """Whether a record has a single page, or pages with letters, like a meeting abstract."""
    first = record.first_page
    return bool(first) and (first == record.last_page or first[0].isalpha())
