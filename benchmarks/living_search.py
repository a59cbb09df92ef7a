"""A review that is kept up to date, over simulated services.

    python benchmarks/living_search.py [--topics N] [--url URL]

Each topic is searched as of 2026-06-30, every work of the result is decided on and the result
approved. Then the simulator shows what came in later, and the search is updated; beside it, the
same question is searched afresh on a thread of its own. Columns: works that the update asks about;
those among them that were decided on before; works added since that the fresh search shows, and how
many of these the update asks about; works added since that the update asks about and the fresh
search does not show; requests of both.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import tempfile
from pathlib import Path
from typing import Any

import httpx
from find_world import SERVICES, WITHOUT_KEY, Task, numbers, redirect, simulator, topics, works

from paper_search.config import AppConfig
from paper_search.models import PaperCollection
from paper_search.review import update_review
from paper_search.workflow import Checkpoint, SearchWorkflow

UNTIL = "2026-06-30"


def control(url: str, **settings: Any) -> int:
    """Set the simulator, and return how many requests its log has."""
    httpx.post(f"{url}/_world/control", json=settings, timeout=600).raise_for_status()
    return len(httpx.get(f"{url}/_world/log", timeout=600).json()["log"])


async def approve(
    workflow: SearchWorkflow, question: Checkpoint | PaperCollection, **revised: Any
) -> Checkpoint | PaperCollection:
    """Approve what is asked."""
    assert isinstance(question, Checkpoint), question
    reference = question.reference.model_dump(mode="json")
    answer = {"action": "approve", "checkpoint": reference, "token": question.token}
    answer |= {"revised_data": revised} if revised else {}
    return await workflow.answer(question.reference.run_id, answer)


async def undecided(workflow: SearchWorkflow, thread: str) -> list[tuple[str, set[int]]]:
    """Return the papers that wait for a decision: their ids and the works that they stand for."""
    async with workflow.hold(thread) as session:
        queue = (await session.screening()).queue(learns=False)
    return [(paper.id, numbers(paper)) for paper in queue]


async def measure(task: Task, url: str, added: dict[int, str]) -> list[int]:
    """Return the figures of one topic, in the order of the columns."""
    with tempfile.TemporaryDirectory() as home:
        config = AppConfig(home=Path(home), http_cache=False)
        workflow = SearchWorkflow.from_config(
            config, sources=SERVICES, persistence=config.persistence_url
        )
        control(url, until=UNTIL, clear=True)
        await approve(workflow, await workflow.start(task.question, thread_id="review"))
        seen = await undecided(workflow, "review")
        relevant = [name for name, found in seen if found & task.relevant]
        question = await workflow.pending("review")
        assert question is not None
        rest = [name for name, _ in seen if name not in set(relevant)]
        await approve(workflow, question, marked_relevant=relevant, marked_irrelevant=rest)

        control(url, until="", clear=True)
        await approve(workflow, await update_review(workflow, "review"))
        requests = control(url)
        asked = await undecided(workflow, "review")

        control(url, clear=True)
        await approve(workflow, await workflow.start(task.question, thread_id="afresh"))
        fresh_requests = control(url)
        fresh = await undecided(workflow, "afresh")

    decided: set[int] = set().union(*(found for _, found in seen))

    def news(papers: list[tuple[str, set[int]]]) -> set[int]:
        found: set[int] = set().union(*(numbers for _, numbers in papers))
        return {number for number in found if added[number] > UNTIL}

    again = sum(bool(found & decided) for _, found in asked)
    wanted, got = news(fresh), news(asked)
    both = len(wanted & got)
    return [len(asked), again, len(wanted), both, len(got - wanted), requests, fresh_requests]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--topics", type=int, default=10)
    parser.add_argument("--url", default="")
    arguments = parser.parse_args()
    SERVICES[:] = WITHOUT_KEY
    with contextlib.nullcontext(arguments.url) if arguments.url else simulator() as url:
        redirect(url)
        control(url, until="")
        tasks = topics(url, arguments.topics)
        added = {work["n"]: work["added"] for work in works(url)}
        heads = ["topic", "asked about", "asked again", "new afresh", "of these in the update"]
        print("|", " | ".join([*heads, "new beyond", "requests", "afresh"]), "|")
        print("|---" * 8 + "|")
        rows = []
        for task in tasks:
            rows.append(asyncio.run(measure(task, url, added)))
            print("|", " | ".join([task.question, *map(str, rows[-1])]), "|", flush=True)
        print(
            "|", " | ".join(["all", *(str(sum(column)) for column in zip(*rows, strict=True))]), "|"
        )


if __name__ == "__main__":
    main()
