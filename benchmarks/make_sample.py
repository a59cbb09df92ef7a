"""Build the sample that ships from the shared data: bibliographic facts of real works, no prose.

Every record has the field of its journal or conference as its first keyword, and what its source
says of the subject behind it. What is taken of a field is chosen by a digest, so that it repeats
itself: half of it from a few themes, so that questions about them find more than one paper.

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
from itertools import chain
from pathlib import Path

from sample_sources import (
    articles,
    diabetes,
    files,
    information_systems,
    proceedings,
    pubmed,
    recorded,
)

from paper_search.bibliography.keywords import distinct_keywords
from paper_search.bibliography.text import normalised_title
from paper_search.models import RawPaper

HERE = Path(__file__).parent
DATA = HERE / "../../shared/data"
TARGET = HERE / "../src/paper_search/library/sample/records.jsonl.gz"
QUOTA = 220
"""Records of a field at most."""
QUOTAS = {"machine learning": 300, "veterinary medicine": 120, "sciences": 260}
"""Of some more, of the source that has but one breed of dogs less."""

MOLECULES = re.compile(r"molecul|drug|protein|chemi[cs]|material|polymer", re.IGNORECASE)
"""What the example question of the README is about: first of all that are of a theme."""
THEMES = {
    "machine learning": rf"{MOLECULES.pattern}|\bgraph (neural|convol|attention|transf)|\bGNNs?\b",
    "natural language processing": r"translat|summari[sz]|question answer|dialogue|sentiment"
    r"|sign language|hate|bias",
    "robotics": r"grasp|SLAM|legged|quadruped|underwater|surgical|soft robot|swarm|humanoid",
    "information systems": r"privacy|adoption|outsourc|trust|enterprise system|open source|health",
    "medicine": r"insulin|obes|diabet|cardi|cancer|asthma|GLP|atheroscl",
    "veterinary medicine": r"heart|mitral|syringomyelia|retina|renal|epilep|ear|tumou?r|eye",
    "biology": r"neuron|population|gene|protein|epidemi|evolution|cell|membrane|ecolog",
    "physics": r"entangle|superconduct|Bose-Einstein|topological|graphene|turbulen|neutrino"
    r"|granular",
    "astronomy": r"galax|planet|solar|asteroid|black hole|stell?ar|star|gamma-ray|comet",
    "chemistry and materials": r"density functional|water|molecular dynamics|catal|crystal|polymer"
    r"|colloid|nanopart|liquid",
    "mathematics": r"knot|manifold|graph|prime|polynomial|group|Lie|Riemann|matri|category",
    "statistics": r"Bayes|Monte Carlo|regression|random walk|estimat|Markov|high-dimension",
    "earth and environment": r"earthquake|seismi|climate|ocean|storm|ionospher|rain|wind|volcan",
    "economics and social science": r"market|citation|game|scien|network|price|trad|election"
    r"|stock|financ|econom|wealth|income|opinion|social|voter|rumou?r|cooperat",
    "psychology and education": r"anxi|phobi|depress|stress|school|learn|panic|child",
    "engineering and communications": r"MIMO|compress|sensor|power|control|channel|antenna"
    r"|cellular",
    "theory of computing": r"automata|complexity|approximation|proof|type|graph|quantum|logic",
}
"""What half of a field is about, if it has as many, by words of the title."""
VETERINARY = "import_asysd/testthat__zotero_export.ris"
PSYCHOLOGY = ("import_srdedupe/fixtures__real__mini_pubmed.nbib",
              "import_asreview/demo_data__proquest.ris",
              "import_asreview/demo_data__ovid_psycinfo.ris",
              "import_srdedupe/fixtures__real__mini_wos.ciw")  # fmt: skip
MEDICINE = ("import_asreview/demo_data___baseline.ris", "import_asreview/demo_data__scopus.ris",
            "import_asreview/demo_data__pubmed_zotero.ris")  # fmt: skip
MIXED = ("sciences", "well cited")
"""Groups of works of several fields: of these no field is named, only what the sources say."""


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
    print("with more than one keyword:", sum(len(paper.keywords) > 1 for paper in chosen))


def groups_of(data: Path) -> dict[str, Iterator[RawPaper | None]]:
    """Return the records by field, those of few first: a work goes to the first that has it."""
    machine_learning = ("www", "aistats", "ai4x", "colm", "acmmm", "ijcai")
    by_doi = ("earth and environment", "economics and social science", "theory of computing",
              "biology", "chemistry and materials", "astronomy", "statistics",
              "engineering and communications", "mathematics", "physics")  # fmt: skip
    return {
        "psychology and education": files(data, *PSYCHOLOGY),
        "medicine": chain(files(data, *MEDICINE), diabetes(data)),
        "veterinary medicine": files(data, VETERINARY),
        "well cited": recorded(data, "semantic_scholar", "openalex", "crossref"),
        "sciences": chain(pubmed(data), recorded(data, "openalex", "doaj", "crossref")),
        **{field: articles(data, field) for field in by_doi},
        "economics and social science": chain(
            articles(data, "economics and social science"), of_society(data)
        ),
        "machine learning": proceedings(data, machine_learning),
        "natural language processing": proceedings(data, ("acl", "naacl", "coling")),
        "robotics": proceedings(data, ("corl", "icra", "iros")),
        "information systems": information_systems(data),
    }


def of_society(data: Path) -> Iterator[RawPaper]:
    """Yield what physicists write on markets and society."""
    themes = re.compile(THEMES["economics and social science"], re.IGNORECASE)
    for paper in articles(data, "complex systems"):
        if paper is not None and themes.search(paper.title):
            yield paper


def chosen_of(data: Path) -> Iterator[RawPaper]:
    """Yield the records of all fields, each work once."""
    seen: set[str] = set()
    for field, papers in groups_of(data).items():
        taken = 0
        for paper in ranked(field, papers):
            keys = {paper.id, normalised_title(paper.title)}
            if keys & seen or taken >= QUOTAS.get(field, QUOTA):
                continue
            seen |= keys
            taken += 1
            named = [] if field in MIXED else [field]
            keywords = distinct_keywords([*named, *paper.keywords])
            yield paper.model_copy(update={"keywords": keywords})
        print(f"{field}: {taken}")


def ranked(field: str, papers: Iterable[RawPaper | None]) -> list[RawPaper]:
    """Return the records, best first: of the themes to half of the quota, then by chance.

    Of recorded answers, those that are cited most, or that say most of their subject, are first.
    """
    known = {paper.id: paper for paper in papers if paper is not None}
    by_chance = sorted(known.values(), key=digest)
    if field == "well cited":
        return sorted(by_chance, key=lambda paper: -paper.citation_count)
    if field == "sciences":
        return sorted(by_chance, key=lambda paper: -len(paper.keywords))
    themes = re.compile(THEMES[field], re.IGNORECASE)
    first = [paper for paper in by_chance if themes.search(paper.title)]
    first.sort(key=lambda paper: MOLECULES.search(paper.title) is None)
    share = QUOTAS.get(field, QUOTA) // 2
    ids = {paper.id for paper in first[:share]}
    return first[:share] + [paper for paper in by_chance if paper.id not in ids]


def digest(paper: RawPaper) -> str:
    return hashlib.blake2b(paper.id.encode(), digest_size=8).hexdigest()


if __name__ == "__main__":
    main()
