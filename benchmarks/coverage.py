"""How well the estimate of what is missing holds, against the truth of the simulated services.

    PYTHONPATH=../shared/world/redirect WORLD_URL=http://127.0.0.1:8765 \
        python benchmarks/coverage.py --size WORKS [--questions N]

The simulator (`../shared/world/serve.py --size WORKS`) has to run, at the same size. Each question
is searched as `find --source web --yes` does it, without a model. Truth: works of the simulator
that the scorer puts above the line, with their abstracts, and that no service returned. A row for
each kind of answer: questions, such works found and missing, the estimate, and in how many
questions it is a lower bound.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paper_search.config import AppConfig
from paper_search.models import Coverage, RawPaper
from paper_search.persistence import open_persistence
from paper_search.service_settings import WEB_SOURCES
from paper_search.skills import IntentParser, RelevanceScorer
from paper_search.workflow import SearchWorkflow
from paper_search.workflow.records import SearchRecords

SHARED = Path(__file__).parents[1] / "../shared"
WORLD, COLLECTION = SHARED / "world", SHARED / "data/ir_scholargym_local"
LINE, SEED = 0.3, 1


@dataclass(frozen=True)
class Outcome:
    """One question: works above the line, found and missing, and what the page said."""

    found: int
    missing: int
    said: Coverage | None


def kind(said: Coverage | None) -> str:
    """Return which row of the table an answer belongs to."""
    if said is None:
        return "nothing"
    if said.missing_at_least:
        return "at least 1 or 2" if said.missing_at_least in {1, 2} else "at least 3 or more"
    return "none missing; some late" if said.found_late else "none missing; none late"


async def measure(question: str, works: Sequence[RawPaper], work_of: Any) -> Outcome:
    """Search for a question and compare with all works of the world."""
    with tempfile.TemporaryDirectory() as home:
        async with open_persistence("memory:") as place:
            config = AppConfig(home=Path(home))
            workflow = SearchWorkflow.from_config(
                config, sources=list(WEB_SOURCES), persistence=place
            )
            result = await workflow.run(question, thread_id="t")
            namespace = SearchRecords(place.store, "t").namespace("records")
            stored = await place.store.asearch(namespace, limit=100_000)
    numbers = {work_of(name) for item in stored for name in _names(item.value)}
    returned = numbers - {None}
    intent = await IntentParser(None).parse(question)
    scored = await RelevanceScorer(None).score(list(works), intent)
    good = {int(judgement.paper.id) for judgement in scored if judgement.relevance_score >= LINE}
    return Outcome(len(good & returned), len(good - returned), result.coverage)


def _names(record: dict[str, Any]) -> list[str]:
    fields = ("doi", "arxiv_id", "openalex_id", "url", "full_text_url", "id")
    names = [str(record[field]) for field in fields if record.get(field)]
    return [*names, f"PMID:{record['pmid']}"] if record.get("pmid") else names


def table(outcomes: Sequence[Outcome]) -> str:
    """Return a row for each kind of answer."""
    lines = []
    for name in sorted({kind(outcome.said) for outcome in outcomes}):
        these = [outcome for outcome in outcomes if kind(outcome.said) == name]
        bounds = [outcome.said.missing_at_least if outcome.said else 0 for outcome in these]
        holds = sum(bound <= o.missing for bound, o in zip(bounds, these, strict=True))
        found, missing = sum(o.found for o in these), sum(o.missing for o in these)
        lines.append(f"| {name} | {len(these)} | {found} | {missing} | {sum(bounds)} | {holds} |")
    head = "| the page says | questions | found | missing | estimate | lower bound holds |"
    return "\n".join([head, "|---" * 6 + "|", *lines])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--size", type=int, default=30_000)
    parser.add_argument("--questions", type=int, default=40)
    given = parser.parse_args()
    sys.path.append(str(WORLD))
    from corpus import World, work_of  # noqa: PLC0415  # type: ignore[import-not-found]  # there if the world is

    world = World(COLLECTION / "corpus.jsonl.gz", given.size)
    works = [
        RawPaper(id=str(w.n), title=w.title, abstract=w.abstract or None, year=w.year, source="w")
        for w in world.works
    ]
    lines = (COLLECTION / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    answers = (COLLECTION / "qrels.tsv").read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in answers)
    answered = {row[0] for row in rows if row[1] in world.by_gold}
    asked = [q["text"] for line in lines if (q := json.loads(line))["_id"] in answered]
    chosen = random.Random(SEED).sample(asked, given.questions)  # noqa: S311  # a sample
    outcomes = [asyncio.run(measure(question, works, work_of)) for question in chosen]
    print(table(outcomes))  # the result


if __name__ == "__main__":
    main()
