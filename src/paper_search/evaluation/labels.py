"""Labelled papers: from a table, JSON lines, or a collection of questions and judgements."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from paper_search.bibliography.identifiers import parse_doi
from paper_search.errors import InputError
from paper_search.models import RawPaper
from paper_search.skills.known_papers import KnownPaper, parse_known_paper

_LABELS = ("label", "included", "label_included", "relevant", "decision")
_YES = frozenset({"1", "1.0", "yes", "y", "true", "relevant", "included", "include"})
_NO = frozenset({"0", "0.0", "-1", "no", "n", "false", "irrelevant", "excluded", "exclude"})
_CORPUS, _QUERIES, _JUDGEMENTS = "corpus.jsonl", "queries.jsonl", "qrels.tsv"
_HOW = (
    "give a CSV file with the columns question, doi or title, and label (1 or 0); abstract and "
    "year are read as well"
)


@dataclass(frozen=True)
class Label:
    paper: RawPaper
    is_relevant: bool

    @property
    def known(self) -> KnownPaper:
        pmid = f"pmid:{self.paper.pmid}" if self.paper.pmid else ""
        return parse_known_paper(" ".join([self.paper.title, self.paper.doi or "", pmid]))


@dataclass(frozen=True)
class LabelledQuestion:
    """A question and the papers that were labelled for it."""

    question: str
    labels: list[Label] = field(default_factory=list)

    def sampled(self, most: int) -> LabelledQuestion:
        """Return the question with so many papers at most, always the same ones.

        Relevant papers take at most half of the places, as far as there are others.
        """
        relevant = [label for label in self.labels if label.is_relevant]
        others = [label for label in self.labels if not label.is_relevant]
        chance = random.Random(self.question)  # noqa: S311  # the same sample every time
        for labels in (relevant, others):
            chance.shuffle(labels)
        sample = relevant[: max(most // 2, most - len(others))]
        return replace(self, labels=[*sample, *others[: most - len(sample)]])


def read_labels(path: Path, question: str | None = None) -> list[LabelledQuestion]:
    """Return the questions of a file, or of a folder with a corpus, queries and judgements.

    Raises:
        InputError: it cannot be read, or a line lacks what is needed.
    """
    try:
        if path.is_dir():
            return list(_of_folder(path))
        rows = list(_rows(path))
    except OSError as error:
        raise InputError(f"cannot read {str(path)!r}: {error.strerror or error}") from None
    except (UnicodeDecodeError, json.JSONDecodeError, csv.Error) as error:
        raise InputError(f"{str(path)!r} cannot be read: {error}; {_HOW}") from None
    questions: dict[str, LabelledQuestion] = {}
    for number, row in enumerate(rows, start=2):
        label = _label(row, path, number)
        topic = (row.get("question") or question or "").strip()
        if label is None:
            continue
        if not topic:
            raise InputError(f"{str(path)!r} has no column question: give --question")
        questions.setdefault(topic, LabelledQuestion(topic)).labels.append(label)
    if not any(label.is_relevant for question in questions.values() for label in question.labels):
        raise InputError(f"{str(path)!r} has no paper labelled relevant; {_HOW}")
    return list(questions.values())


def _rows(path: Path) -> Iterator[Mapping[str, str]]:
    name = path.name.lower()
    if name.endswith((".jsonl", ".jsonl.gz")):
        for record in _lines(path):
            yield {key.lower(): str(value or "") for key, value in record.items()}
        return
    text = path.read_text(encoding="utf-8-sig")
    separator = "\t" if name.endswith(".tsv") else ","
    for row in csv.DictReader(io.StringIO(text), delimiter=separator):
        yield {(key or "").strip().lower(): (value or "").strip() for key, value in row.items()}


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    for line in filter(str.strip, text.split("\n")):
        record = json.loads(line)
        if isinstance(record, dict):
            yield record


def _label(row: Mapping[str, str], path: Path, number: int) -> Label | None:
    """Return the label of a row; None: it was left empty."""
    column = next((name for name in _LABELS if name in row), None)
    if column is None:
        raise InputError(f"{str(path)!r} has no column {', '.join(_LABELS)}; {_HOW}")
    value = row[column].lower()
    if not value:
        return None
    if value not in _YES | _NO:
        raise InputError(f"{str(path)!r}, line {number}: the label {value[:20]!r} is not 1 or 0")
    if not row.get("title") and not row.get("doi"):
        raise InputError(f"{str(path)!r}, line {number}: there is neither a title nor a DOI")
    year = row.get("year", "")
    paper = RawPaper(
        id=f"label-{number}",
        title=row.get("title", ""),
        abstract=row.get("abstract") or None,
        doi=parse_doi(row.get("doi")),
        pmid=row.get("pmid") or None,
        year=int(year) if year.isdecimal() else None,
        source="labels",
    )
    return Label(paper, value in _YES)


def _of_folder(path: Path) -> Iterator[LabelledQuestion]:
    """Yield the questions of a folder; what was not judged for one is irrelevant to it."""
    packed = path / f"{_CORPUS}.gz"
    corpus = {
        str(record["_id"]): RawPaper(
            id=str(record["_id"]),
            title=str(record.get("title") or ""),
            abstract=str(record.get("text") or "") or None,
            source="labels",
        )
        for record in _lines(packed if packed.is_file() else path / _CORPUS)
    }
    relevant: dict[str, set[str]] = {}
    for line in (path / _JUDGEMENTS).read_text(encoding="utf-8").splitlines():
        query, document, *grade = line.split("\t")
        if document in corpus and grade != ["0"]:
            relevant.setdefault(query, set()).add(document)
    titled = [key for key, paper in corpus.items() if paper.title]
    for record in _lines(path / _QUERIES):
        relevant_ids = relevant.get(str(record["_id"]), set())
        if relevant_ids:
            chance = random.Random(str(record["_id"]))  # noqa: S311  # the same sample every time
            others = chance.sample(titled, min(len(titled), _OTHERS))
            labels = [Label(corpus[key], is_relevant=True) for key in sorted(relevant_ids)]
            labels += [
                Label(corpus[key], is_relevant=False) for key in others if key not in relevant_ids
            ]
            yield LabelledQuestion(str(record["text"]), labels)


_OTHERS = 200
"""Papers of a corpus that are taken to be irrelevant to one question."""
