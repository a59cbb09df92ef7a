# ruff: noqa: INP001  # a script, not a package
"""Write the tables of names that ship: subject headings, terms of topics, nouns with plurals.

    .venv/bin/python scripts/vocabulary.py FOLDER

FOLDER holds `vocab_mesh/mesh.tsv.gz`, `vocab_openalex_topics/topics.tsv.gz` and the collections
that `word_rarities.py` counts.

Headings: Medical Subject Headings (MeSH) of the National Library of Medicine, 2020/2021. Changed:
entry terms in inverted order are turned round ("failure, heart"), those that differ only by
number, hyphen or spelling are left out, as are short ones, ones that several headings have,
common words, and names of chemicals with a word that few records have (brands); at most
`MOST_NAMES` are kept, those of common words first. A heading's names that mean other things, such
as kinds ("capybaras" under "rodentia"), stand in groups of their own, which were made by eye for
the headings of common words, as were a few more names; both are taken over from the table that
ships.

Terms: what stands between function words and signs in the names and descriptions of OpenAlex's
4,516 topics (CC0), two or three words, by their stems.

Nouns: words that stand in at least `FEWEST` records, as their plurals do, neither much rarer than
the other; where both stand in entry terms, in one record, or rarer words in none.
"""

from __future__ import annotations

import gzip
import re
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from word_rarities import FEWEST, FIELDS, texts_of

from paper_search.bibliography.words import is_known, rarity
from paper_search.skills.phrases import Phrase
from paper_search.skills.variants import plural
from paper_search.skills.words import tokens, word_table

SKILLS = Path(__file__).parents[1] / "src/paper_search/skills"
HEADINGS, PLURALS = SKILLS / "mesh.txt.gz", SKILLS / "plurals.txt.gz"
TOPICS = SKILLS / "topics.txt.gz"
OF_DESCRIPTIONS = {
    *("topic", "topics", "paper", "papers", "cluster", "research", "range", "field", "fields"),
    *("aspects", "cover", "covers", "covering", "explores", "focus"),
    *("problem", "problems", "task", "tasks"),
}
"""Words of the descriptions themselves, and those that phrases lose at their end."""
MOST_NAMES = 7
SHORTEST = 4
COMMON = 2.6
"""The rarity below which a single word is too common to be the name of one thing."""
SHARE = 0.05
"""Of the records with a word, at least how many have its plural, and the other way round."""
MOST_WORDS, LONGEST = 6, 60
NAME = re.compile(r"[a-z0-9][a-z0-9' -]*")
OTHERS = {"boys", "girls"}
"""Entry terms of "men" and "women" that mean other people."""
SKIPPED = {"V", "Z"}
"""Branches of the tree: kinds of publications, and places."""
HEADER = """\
# Medical Subject Headings (MeSH), National Library of Medicine, 2020/2021, changed: see
# scripts/vocabulary.py. A line a heading: the heading, what else means the same, then behind "||"
# its other names, those that mean the same together.
"""


def main(folder: Path) -> None:
    """Write both tables."""
    rows = [line for line in _lines(folder / "vocab_mesh/mesh.tsv.gz") if _is_kept(line)]
    terms = [
        (name, [name, *(term for term in every.split("|") if branch != {"D"} or _is_usual(term))])
        for (_, name, numbers, every) in rows
        for branch in [_branches(numbers)]
    ]
    groups = _groups()
    lines = (_in_groups(line, groups) for line in _headings(terms))
    _write(HEADINGS, HEADER + "".join(f"|{line}|\n" for line in lines))
    words = {word for _, every in terms for term in every for word in term.split()}
    nouns = _nouns(folder, words) - {"cary"}  # a name of persons, not one of "caries"
    _write(PLURALS, "\n".join(sorted(nouns)) + "\n")
    lines = _lines(folder / "vocab_openalex_topics/topics.tsv.gz")
    terms = {term for _, name, *_, text in lines for term in _terms(f"{name}. {text}")}
    _write(TOPICS, "\n" + "\n".join(sorted(terms)) + "\n")


def _lines(path: Path) -> Iterator[list[str]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        next(lines)
        yield from (line.rstrip("\n").split("\t") for line in lines)


def _is_kept(line: list[str]) -> bool:
    return not _branches(line[2]) <= SKIPPED


def _branches(numbers: str) -> set[str]:
    return {number[0] for number in numbers.split("|") if number}


def _is_usual(term: str) -> bool:
    return all(is_known(token) for token in tokens(term))


def _headings(terms: list[tuple[str, list[str]]]) -> Iterator[list[str]]:
    """Yield headings with their names."""
    own = {tuple(tokens(_natural(heading))) for heading, _ in terms}
    names = {heading: _distinct(heading, every) for heading, every in terms}
    owners = Counter(key for found in names.values() for key in found)
    for heading, _ in terms:
        natural = tuple(tokens(_natural(heading)))
        kept = [
            name
            for key, name in names[heading].items()
            if key == natural or (key not in own and owners[key] == 1 and _is_telling(name))
            if name not in OTHERS
        ]
        ranked = sorted(kept, key=lambda name: (_natural(heading) != name, _rarest(name)))
        if NAME.fullmatch(heading.replace(",", "")):
            yield [heading, *(name for name in ranked[:MOST_NAMES] if name != heading)]


def _groups() -> dict[str, list[list[str]]]:
    """Return the groups of names of the table that ships, by their headings."""
    table = gzip.decompress(HEADINGS.read_bytes()).decode("ascii")
    lines = (line.strip("|").split("||") for line in table.splitlines() if line[:1] == "|")
    return {groups[0].split("|")[0]: [group.split("|") for group in groups] for groups in lines}


def _in_groups(line: list[str], groups: dict[str, list[list[str]]]) -> str:
    """Return a heading and its names in their groups; new names are in that of the heading."""
    own, *others = groups.get(line[0], [[]])
    known = {name for group in (own, *others) for name in group}
    first = [*own, *(name for name in line if name not in known)]
    return "||".join(map("|".join, (first, *others)))


def _distinct(heading: str, every: list[str]) -> dict[tuple[str, ...], str]:
    """Return the names in natural order by their stems, those that were not inverted first."""
    found: dict[tuple[str, ...], str] = {}
    for term in [heading, *sorted(every, key=lambda term: ", " in term)]:
        name = _natural(term)
        is_short = len(name.split()) <= MOST_WORDS and len(name) <= LONGEST
        if NAME.fullmatch(name) and is_short and term.count(", ") <= 1:
            found.setdefault(tuple(tokens(name)), name)
    return found


def _natural(term: str) -> str:
    """Return "heart failure" for "failure, heart"."""
    last, _, first = term.removesuffix(" as topic").partition(", ")
    return f"{first} {last}" if first else last


def _is_telling(name: str) -> bool:
    return " " in name or (len(name) >= SHORTEST and _rarest(name) >= COMMON)


def _rarest(name: str) -> float:
    return max(map(rarity, tokens(name)), default=0.0)


def _terms(text: str) -> Iterator[str]:
    """Yield the terms of two or three words of a text, as stems."""
    ends = word_table("function") | OF_DESCRIPTIONS
    for part in re.split(r"[,;.:()\"/]", text.lower()):
        for is_end, words in groupby(part.split(), ends.__contains__):
            run = " ".join(words)
            is_term = not is_end and run.count(" ") in {1, 2} and NAME.fullmatch(run)
            if is_term and not Phrase(run, 0, 0).is_empty and len(tokens(run)) > 1:
                yield " ".join(tokens(run))


def _nouns(folder: Path, mesh: set[str]) -> set[str]:
    counts: Counter[str] = Counter()
    for names in FIELDS.values():
        for collection in names:
            for text in texts_of(folder, collection):
                counts.update(set(re.findall(r"[a-z]+", text.lower())))
    both = {word: sorted((counts[word], counts[plural(word)])) for word in {*counts, *mesh}}
    even = {word for word, (fewer, more) in both.items() if fewer >= max(1, SHARE * more)}
    attested = {word for word in even if both[word][0] >= FEWEST}
    words = {word for word in mesh if word.isascii() and word.isalpha() and plural(word) in mesh}
    return attested | {word for word in words if word in even or both[word][1] < FEWEST}


def _write(path: Path, text: str) -> None:
    path.write_bytes(gzip.compress(text.encode("ascii"), mtime=0))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
