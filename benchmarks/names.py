"""How often an export changes the family name or the initials of an author.

The names are those of the data sets in ../shared/data that give family and given names apart:
reference files (RIS, MEDLINE), author lists of de-duplication sets ("Family, Given and ..."), and
recorded answers of Crossref. Reference files are imported, exported as RIS, and read as text
again; what Crossref gives is read by its adapter and exported as CSL-JSON.
"""

from __future__ import annotations

import gzip
import json
import re
import tempfile
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from paper_search.exports.json_formats import export_csl_json
from paper_search.exports.ris import export_ris
from paper_search.library.importers import Imported, parse_file
from paper_search.models import Paper, RawPaper, ScoredPaper
from paper_search.sources import crossref
from paper_search.testing.exporters import collection_of

DATA = Path(__file__).parents[1] / "../shared/data"
_RIS_NAME = re.compile(r"^\s{0,2}(?:AU|A1)\s{1,3}-\s*([^,]+,[^,]*\w[^,]*?)\s*$")
_MEDLINE_NAME = re.compile(r"^FAU *- ([^,]+,[^,]+)$")
_JUNIOR = re.compile(r",? [JS]r\b\.?")
"""Wherever a source writes it."""
_MOST_INITIALS = 4
"""Capitals that are initials: "JA" are two."""

Name = tuple[str, str]


def main() -> None:
    """Print a table: records, those with a changed name, authors, changed ones."""
    print("| names of | records | changed | % | authors | changed |")
    print("|---|--:|--:|--:|--:|--:|")
    sets = [*_reference_files(), *_author_lists()]
    for title, records in sets:
        _row(title, [(_pairs(names), _through_ris(names)) for names in records])
    _row("Crossref, recorded", list(_crossref()))


def _row(title: str, records: list[tuple[list[Name], list[Name]]]) -> None:
    changed = [[a for a, b in zip(old, new, strict=False) if a != b] for old, new in records]
    changed = [
        bad or (["lost"] if len(old) != len(new) else [])  # type: ignore[list-item]  # counted only
        for bad, (old, new) in zip(changed, records, strict=True)
    ]
    bad, authors = sum(map(bool, changed)), sum(len(old) for old, _ in records)
    share = 100 * bad / max(1, len(records))
    print(
        f"| {title} | {len(records)} | {bad} | {share:.2f} | {authors} | {sum(map(len, changed))} |"
    )


def _reference_files() -> Iterator[tuple[str, list[list[str]]]]:
    found: list[list[str]] = []
    for path in sorted(DATA.glob("import_*/**/*")):
        if path.suffix not in {".ris", ".nbib", ".txt"}:
            continue
        for block in re.split(r"\nER  -|\n\s*\n", path.read_text("utf-8", "replace")):
            lines = block.splitlines()
            matches = (_RIS_NAME.match(line) or _MEDLINE_NAME.match(line) for line in lines)
            if names := [match[1] for match in matches if match]:
                found.append(names)
    yield "reference files", found


def _author_lists() -> Iterator[tuple[str, list[list[str]]]]:
    for path in sorted(DATA.glob("dedup_*/records.jsonl*")):
        content = path.read_bytes()
        text = gzip.decompress(content) if path.suffix == ".gz" else content
        lists = [json.loads(line).get("author", "").split(" and ") for line in text.splitlines()]
        whole = [names for names in lists if all(name.count(",") == 1 for name in names)]
        if len(whole) > 100:  # sets that write "Given Family" say nothing
            yield path.parent.name, whole[:20_000]


def _through_ris(names: list[str]) -> list[Name]:
    lines = "".join(f"AU  - {name}\n" for name in names)
    with tempfile.NamedTemporaryFile("w", suffix=".ris", encoding="utf-8") as file:
        file.write(f"TY  - JOUR\nTI  - A title\n{lines}ER  - \n")
        file.flush()
        (entry,) = parse_file(file.name)
    assert isinstance(entry, Imported)
    text = export_ris(collection_of(_paper(entry.record)))
    return _pairs([line[6:] for line in text.splitlines() if line.startswith("AU")])


def _crossref() -> Iterator[tuple[list[Name], list[Name]]]:
    for path in sorted(DATA.glob("recorded/crossref/*.json")):
        if path.name.endswith(".meta.json"):
            continue
        body = json.loads(path.read_text("utf-8"))
        message = body.get("message", body) if isinstance(body, dict) else {}
        items = message.get("items", [message]) if isinstance(message, dict) else []
        for item in items:
            people = [one for one in item.get("author", []) if one.get("family")]
            record = crossref.read_item(item)
            if record is None or len(people) != len(record.authors):
                continue
            (csl,) = json.loads(export_csl_json(collection_of(_paper(record))))
            yield (
                [(_letters(one["family"]), _initials(one.get("given", ""))) for one in people],
                [
                    (
                        _letters(one.get("non-dropping-particle", "") + one.get("family", "")),
                        _initials(one.get("given", "")),
                    )
                    for one in csl.get("author", [])
                ],
            )


def _paper(record: RawPaper) -> Paper:
    return Paper.from_scored(ScoredPaper(paper=record, relevance_score=0.5, relevance_reason=""))


def _pairs(names: list[str]) -> list[Name]:
    parts = [_JUNIOR.sub("", name).partition(",") for name in names]
    return [(_letters(family), _initials(given)) for family, _, given in parts]


def _letters(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text).lower()
    return "".join(letter for letter in folded if letter.isalnum())


def _initials(given: str) -> str:
    words = re.findall(r"[^\W\d_]+", unicodedata.normalize("NFC", given))
    short = (word if word.isupper() and len(word) <= _MOST_INITIALS else word[0] for word in words)
    return "".join(short).lower()


if __name__ == "__main__":
    main()
