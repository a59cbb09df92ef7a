"""Evaluate the skills on labelled questions: quality and cost."""

import asyncio
import csv
import gzip
import io
import json
import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from paper_search.bibliography.identifiers import parse_doi
from paper_search.config import AppConfig, LLMConfig
from paper_search.errors import InputError, LLMError
from paper_search.llm.metering import Meter, metered
from paper_search.llm.usage_log import UsageLog
from paper_search.models import ParsedIntent, QueryBuilderInput, RawPaper, ScoredPaper
from paper_search.models.usage import Budget, Spending
from paper_search.skills.known_papers import KnownPaper, parse_known_paper
from paper_search.workflow.assembly import assemble_skills
from paper_search.workflow.judging import JudgingReport
from paper_search.workflow.skills import Skills

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
    def identity(self) -> KnownPaper:
        pmid = f"pmid:{self.paper.pmid}" if self.paper.pmid else ""
        return parse_known_paper(" ".join([self.paper.title, self.paper.doi or "", pmid]))


@dataclass(frozen=True)
class LabelledQuestion:
    """A question and its labelled papers."""

    question: str
    labels: list[Label] = field(default_factory=list)

    def sampled(self, most: int) -> "LabelledQuestion":
        """Return the question with a reproducible sample of at most `most` papers.

        At most half of them are relevant, if there are enough others.
        """
        relevant = [label for label in self.labels if label.is_relevant]
        others = [label for label in self.labels if not label.is_relevant]
        chance = random.Random(self.question)  # noqa: S311  # the same sample every time
        for labels in (relevant, others):
            chance.shuffle(labels)
        sample = relevant[: max(most // 2, most - len(others))]
        return replace(self, labels=[*sample, *others[: most - len(sample)]])


def read_labels(path: Path, question: str | None = None) -> list[LabelledQuestion]:
    """Return the questions in a file, or in a folder with a corpus, queries and judgements.

    Raises:
        InputError: it cannot be read, or a required value is missing.
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
    """Return the label of a row, or None if it is empty."""
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
    """Yield the questions of a folder; papers without a judgement are irrelevant."""
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
"""Papers of a corpus that are sampled as irrelevant to a question."""


RELEVANT_FROM = 0.3
"""Lowest score of a shown paper, as in the organiser."""
WITHOUT_MODEL = "no model"
DEPTH = 10
"""Cut-off of nDCG."""


class WrongPaper(BaseModel):
    """A paper whose result differs from its label."""

    question: str
    title: str
    doi: str | None = None
    is_relevant: bool
    """By its label."""
    score: float | None = None
    """None if it was not found."""
    reason: str = ""


class Evaluation(BaseModel):
    """The results of one variant in one task, over all questions."""

    variant: str
    """The model, or `no model`."""
    task: str
    """`judging`: the labelled papers were given; `search`: they had to be found."""
    questions: int = 0
    papers: int = 0
    """Labelled papers."""
    recall: float | None = None
    """Share of the relevant papers that were shown."""
    precision: float | None = None
    """Share of the shown labelled papers that are relevant."""
    ndcg: float | None = None
    """nDCG@10 of the labelled papers in the order of the result."""
    unjudged: int = 0
    """Papers without grades of the model, whose scores are by their words."""
    unjudged_because: dict[str, int] = Field(default_factory=dict)
    """The same, by reason."""
    spent: Spending = Field(default_factory=Spending)
    wrong: list[WrongPaper] = Field(default_factory=list)
    problem: str = ""
    """Why it ended before its last question."""


def with_model(config: AppConfig, name: str | None) -> AppConfig:
    """Return the settings with one model for all skills, or with none."""
    if name is None:
        return config.model_copy(update={"llm": LLMConfig()})
    own = {f"{skill}_model": "" for skill in ("intent", "strategy", "duplicates", "judge")}
    return config.model_copy(update={"llm": config.llm.model_copy(update={"model": name, **own})})


async def evaluate(  # noqa: PLR0913  # by keyword
    config: AppConfig,
    questions: Sequence[LabelledQuestion],
    model: str | None,
    *,
    sources: list[str] | None,
    budget: Budget | None = None,
    log: UsageLog | None = None,
) -> list[Evaluation]:
    """Evaluate the skills with a model, or without one.

    `sources`: where to find the papers; None to judge them only. `log`: of the calls; None for no
    log.

    Raises:
        ConfigError: the model or a source lacks a setting, or the model a price for the budget.
        UnknownNameError: there is no such source.
    """
    skills = assemble_skills(with_model(config, model), sources or ["library"])
    limit = skills.metering.check_budget(budget)
    evaluations = []
    for task in ("judging", *(["search"] if sources else [])):
        logged = await asyncio.to_thread(log.read) if log else None
        prices = skills.metering.prices
        meter = Meter(step=task, budget=limit, log=log, logged=logged, prices=prices)
        with metered(meter):
            outcomes = await _evaluated(skills, questions, task)
        variant = {"variant": model or WITHOUT_MODEL, "spent": Spending().plus(meter.of_step)}
        evaluations.append(outcomes.model_copy(update=variant))
    return evaluations


async def _evaluated(
    skills: Skills, questions: Sequence[LabelledQuestion], task: str
) -> Evaluation:
    outcomes: list[Evaluation] = []
    reasons = Counter[str]()
    evaluation = Evaluation(variant="", task=task)
    for question in questions:
        run = _judge if task == "judging" else _searched
        try:
            outcomes.append(await run(skills, question))
        except LLMError as error:
            evaluation.problem = str(error)
            break
        evaluation.papers += len(question.labels)
        reasons.update(outcomes[-1].unjudged_because)
    return evaluation.model_copy(
        update={
            "questions": len(outcomes),
            "recall": mean([outcome.recall for outcome in outcomes]),
            "precision": mean([outcome.precision for outcome in outcomes]),
            "ndcg": mean([outcome.ndcg for outcome in outcomes]),
            "unjudged": sum(outcome.unjudged for outcome in outcomes),
            "unjudged_because": dict(reasons),
            "wrong": [wrong for outcome in outcomes for wrong in outcome.wrong],
        }
    )


async def _judge(skills: Skills, question: LabelledQuestion) -> Evaluation:
    """Judge the labelled papers that have a title: others cannot be shown to a model."""
    intent = await skills.intent_parser.parse(question.question)
    labels = [label for label in question.labels if label.paper.title]
    ordered = await _in_order(skills, [label.paper for label in labels], intent)
    label_of = {label.paper.id: label for label in labels}
    return _outcome(
        question.question, [(label_of[scored.paper.id], scored) for scored in ordered], []
    )


async def _searched(skills: Skills, question: LabelledQuestion) -> Evaluation:
    intent = await skills.intent_parser.parse(question.question)
    strategy = await skills.query_builder.build(QueryBuilderInput(intent=intent))
    strategy = (await skills.scope(strategy, intent, is_asking=False)).revised(strategy)
    papers = (await skills.search(strategy)).papers
    works = (await skills.deduplicate(papers, [])).works
    ordered = await _in_order(skills, works, intent)
    places = [_place(label, ordered) for label in question.labels]
    hits = sorted((place, n) for n, place in enumerate(places) if place is not None)
    pairs = [(question.labels[n], ordered[place]) for place, n in hits]
    missing = [label for n, label in enumerate(question.labels) if places[n] is None]
    return _outcome(question.question, pairs, missing)


def _place(label: Label, ordered: Sequence[ScoredPaper]) -> int | None:
    known = label.identity
    return next((n for n, one in enumerate(ordered) if known.is_described_by(one.paper)), None)


async def _in_order(
    skills: Skills, papers: list[RawPaper], intent: ParsedIntent
) -> list[ScoredPaper]:
    order = (set[tuple[str, str]](), intent.question or intent.topic)
    return await skills.judge(papers, intent, [], None, order)


def _outcome(
    question: str, pairs: Sequence[tuple[Label, ScoredPaper]], missing: Iterable[Label]
) -> Evaluation:
    labels = [label for label, paper in pairs if paper.relevance_score >= RELEVANT_FROM]
    absent = [label for label in missing if label.is_relevant]
    relevant = sum(label.is_relevant for label, _ in pairs) + len(absent)
    hits = sum(label.is_relevant for label in labels)
    wrong = [
        _wrong(question, label, paper)
        for label, paper in pairs
        if label.is_relevant != (paper.relevance_score >= RELEVANT_FROM)
    ]
    reasons = JudgingReport.of([paper for _, paper in pairs]).unjudged
    return Evaluation(
        variant="",
        task="",
        recall=share(hits, relevant),
        precision=share(hits, len(labels)),
        ndcg=ndcg([label.is_relevant for label, _ in pairs], relevant),
        unjudged=sum(reasons.values()),
        unjudged_because=reasons,
        wrong=[*wrong, *(_wrong(question, label, None) for label in absent)],
    )


def _wrong(question: str, label: Label, scored: ScoredPaper | None) -> WrongPaper:
    return WrongPaper(
        question=question,
        title=label.paper.title or label.paper.doi or "",
        doi=label.paper.doi,
        is_relevant=label.is_relevant,
        score=scored.relevance_score if scored else None,
        reason=scored.relevance_reason if scored else "not found",
    )


def ndcg(is_relevant: Sequence[bool], relevant: int) -> float:
    """Return the normalised discounted cumulative gain of an order, from 0 to 1.

    Järvelin and Kekäläinen 2002, with gains of 0 and 1.
    """
    gain = sum(_discounted(rank) for rank, hit in enumerate(is_relevant[:DEPTH]) if hit)
    best = sum(_discounted(rank) for rank in range(min(relevant, DEPTH)))
    return gain / best if best else 0.0


def share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def mean(values: Sequence[float | None]) -> float | None:
    numbers = [value for value in values if value is not None]
    return sum(numbers) / len(numbers) if numbers else None


def _discounted(rank: int) -> float:
    return 1 / math.log2(rank + 2)
