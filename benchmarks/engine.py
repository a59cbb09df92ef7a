"""What the engine costs: time per step against a plain loop, and bytes per thread.

Run: python benchmarks/engine.py
"""

from __future__ import annotations

import asyncio
import functools
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from paper_search.models import Author, QueryBuilderInput, RawPaper, SearchStrategy
from paper_search.persistence import open_persistence
from paper_search.testing.skills import FakeSkills, Records, ScriptedHandler
from paper_search.workflow import Decision, DecisionAction, SearchWorkflow

ROUNDS = 5
REPEATS = 7
STEPS = 1 + 8 * ROUNDS + 1
"""parse_intent, eight steps a round, finish."""
LARGE = 2000
"""Papers a round of the large thread."""
SENTENCE = (
    "adaptive evidence graph neural model of protein response under noisy clinical conditions "
    "with robust estimation across large heterogeneous cohorts and transfer between domains"
)
WORDS = SENTENCE.split()


def abstract(seed: int, words: int = 180) -> str:
    """Return text that compresses no better than an abstract does."""
    picked = ((seed * 2654435761 + i * 40503 + (seed ^ i) * 97) % 9973 for i in range(words))
    return " ".join(f"{WORDS[n % len(WORDS)]}{n % 89}" for n in picked)


def papers_of_round(count: int) -> Callable[[SearchStrategy], Sequence[RawPaper]]:
    """Return what finds papers with abstracts of 180 words; half of them differ in every round."""

    def found(strategy: SearchStrategy) -> Sequence[RawPaper]:
        turn = int(strategy.queries[0].boolean_query.split("_")[1])
        return [paper((turn if i % 2 else 0) * count + i) for i in range(count)]

    return found


@functools.cache
def paper(number: int) -> RawPaper:
    """Return one paper."""
    return RawPaper(
        id=f"doi:10.1000/{number}",
        title=f"On the matter of {abstract(number, 8)}",
        authors=[Author(name=f"Author {number}"), Author(name="Second Author")],
        abstract=abstract(number),
        year=2000 + number % 25,
        venue="Journal of Examples",
        source="bench",
    )


async def plain_loop(skills: FakeSkills) -> None:
    """Run the same skills in a `while` loop."""
    intent = await skills.parse("q")
    strategies: list[SearchStrategy] = []
    while len(strategies) < ROUNDS:
        request = QueryBuilderInput(intent=intent, previous_strategies=list(strategies))
        strategy = await skills.build(request)
        works = await skills.deduplicate(await skills.search(strategy))
        await skills.organize(await skills.score(works, intent), strategy, "q")
        strategies.append(strategy)


def rejecting() -> ScriptedHandler:
    """Return a handler that approves every strategy and rejects every result."""

    def reply(checkpoint: object) -> Decision:
        is_strategy = checkpoint.kind.value == "strategy_confirmation"  # type: ignore[attr-defined]  # a Checkpoint
        action = DecisionAction.APPROVE if is_strategy else DecisionAction.REJECT
        return Decision(action=action, note="" if is_strategy else "again")

    return ScriptedHandler(otherwise=reply)


async def step_cost(url: str, papers: Records | None = None) -> tuple[float, float]:
    """Return milliseconds per step above the plain loop: wall and CPU, medians.

    Args:
        url: where the threads are.
        papers: what every round finds; None: two papers.
    """
    wall, cpu = [], []
    async with open_persistence(url) as persistence:
        skills = FakeSkills(papers)
        workflow = SearchWorkflow(*[skills] * 6, rejecting(), ROUNDS, persistence=persistence)
        for turn in range(REPEATS + 1):
            base = await measured(plain_loop(skills))
            full = await measured(workflow.run("q"))
            if turn:
                wall.append((full[0] - base[0]) / STEPS * 1000)
                cpu.append((full[1] - base[1]) / STEPS * 1000)
    return statistics.median(wall), statistics.median(cpu)


async def measured(work: object) -> tuple[float, float]:
    """Return wall and CPU seconds that an awaitable takes."""
    wall, cpu = time.perf_counter(), time.process_time()
    await work  # type: ignore[misc]  # an awaitable
    return time.perf_counter() - wall, time.process_time() - cpu


def thread_size(folder: Path, *, rounds: int) -> float:
    """Return megabytes on disk of one thread with 1,000 papers a round."""
    path = folder / f"size{rounds}.db"
    workflow = SearchWorkflow(
        *[FakeSkills(papers_of_round(1000))] * 6,
        rejecting(),
        rounds,
        persistence=f"sqlite:///{path}",
    )
    asyncio.run(workflow.run("q"))
    return sum(item.stat().st_size for item in folder.glob(f"size{rounds}.db*")) / 1e6


def main() -> None:
    """Print the tables."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print("| saver | wall ms per step above the plain loop | CPU ms |\n|---|--:|--:|")
        for label, url in (("memory", "memory:"), ("SQLite", f"sqlite:///{folder / 'steps.db'}")):
            wall, cpu = asyncio.run(step_cost(url))
            print(f"| {label} | {wall:.2f} | {cpu:.2f} |")
        large = papers_of_round(LARGE)
        wall, cpu = asyncio.run(step_cost(f"sqlite:///{folder / 'large.db'}", large))
        print(f"| SQLite, {LARGE:,} papers a round | {wall:.2f} | {cpu:.2f} |")
        print("\n| rounds of 1,000 papers | MB on disk |\n|--:|--:|")
        for rounds in (1, ROUNDS):
            print(f"| {rounds} | {thread_size(folder, rounds=rounds):.1f} |")


if __name__ == "__main__":
    main()
