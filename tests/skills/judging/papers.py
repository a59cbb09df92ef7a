"""Papers and an intent for the tests of the judge."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from paper_search import models
from paper_search.skills import RelevanceScorer
from paper_search.testing.llm import FakeLLM, LLMCall, criteria_in, data_block, grading_of

INTENT = models.ParsedIntent(
    topic="toxicity of drugs by graph neural networks",
    concepts=["graph neural network", "drug", "toxicity"],
    intent_type=models.IntentType.METHOD,
    criteria=[
        models.Criterion(text="It predicts the toxicity of drugs"),
        models.Criterion(text="It is a review", kind=models.CriterionKind.EXCLUSION),
    ],
)


def paper(name: str, title: str = "T", abstract: str | None = None, **rest: Any) -> models.RawPaper:
    return models.RawPaper(id=name, title=title, abstract=abstract, source="s", **rest)


def some(count: int) -> list[models.RawPaper]:
    return [paper(f"p{number}", title_of(number)) for number in range(count)]


def title_of(number: int) -> str:
    return f"Toxicity of drug number {number}"


async def judged(
    llm: FakeLLM, papers: list[models.RawPaper], *marked: models.MarkedPaper, **options: Any
) -> list[models.ScoredPaper]:
    """Score one paper a question and one question at a time, unless the options say otherwise."""
    sizes = {"batch_size": 1, "max_concurrency": 1} | {
        name: options.pop(name) for name in ("batch_size", "max_concurrency") if name in options
    }
    return await RelevanceScorer(llm, **sizes).score(papers, INTENT, marked, **options)


def answering(entry: Callable[[dict[str, Any], dict[str, Any]], Any]) -> FakeLLM:
    """Return a judge that gives every paper the best grades, its entry changed by a function.

    The function gets the entry and the record; what is None is left out of the answer.
    """

    def answer(call: LLMCall) -> dict[str, Any]:
        criteria = criteria_in(call.user_message)
        made = [entry(grading_of(item, criteria, 3), item) for item in data_block(call)]
        return {"results": [instance for instance in made if instance is not None]}

    return FakeLLM(answer)


def sizes(llm: FakeLLM) -> list[int]:
    """Return how many papers each question was about."""
    return [len(data_block(call)) for call in llm.calls]


def shown_titles(call: LLMCall) -> list[str]:
    return [record["title"] for record in data_block(call)]


def plain(value: Any) -> Any:
    """Return a copy that a test may change."""
    return json.loads(json.dumps(value))


class Shelf:
    """Keeps judgements in memory, and when each was put there."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[str, Any]] = {}
        self.puts: list[int] = []

    async def get(self, keys: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
        return {key: self.rows[key] for key in keys if key in self.rows}

    async def put(self, rows: Mapping[str, dict[str, Any]]) -> None:
        self.puts.append(len(rows))
        self.rows.update(rows)
