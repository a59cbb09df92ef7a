"""A process that judges papers on a thread and kills itself at a question of the judge.

Arguments: database URL, file of calls, how many questions go well before (-1: all).
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

from paper_search.models import Criterion, ParsedIntent, RawPaper, SearchStrategy
from paper_search.skills import RelevanceScorer
from paper_search.testing.llm import FakeLLM, LLMCall, data_block, grades_of
from paper_search.testing.skills import FakeSkills
from paper_search.workflow import SearchWorkflow

BATCH = 5
PAPERS = 40


class Judged(FakeSkills):
    """Skills that find forty papers, for a judge with criteria."""

    def __init__(self) -> None:
        super().__init__(records)

    async def parse(self, user_input: str) -> ParsedIntent:
        intent = await super().parse(user_input)
        criteria = [Criterion(text="It is about moss"), Criterion(text="It is about towns")]
        return intent.model_copy(update={"concepts": ["moss"], "topic": "moss"}).with_criteria(
            criteria
        )


def records(strategy: SearchStrategy) -> list[RawPaper]:
    """Return the papers of a round; later rounds find ten more."""
    count = PAPERS + (0 if strategy.queries[0].boolean_query == "round_0" else 10)
    return [RawPaper(id=f"p{n}", title=f"Moss number {n}", source="fake") for n in range(count)]


def judging_workflow(llm: FakeLLM, handler: Any = None, **options: Any) -> SearchWorkflow:
    """Return a workflow whose papers a model judges, one question at a time."""
    skills = Judged()
    scorer = RelevanceScorer(llm, batch_size=BATCH, max_concurrency=1)
    roles = [skills, skills, skills, skills, scorer, skills]
    return SearchWorkflow(*roles, handler, **options)  # type: ignore[arg-type]  # one for all


def titles_asked(llm: FakeLLM) -> list[str]:
    """Return the titles that the judge was asked about, as often as it was."""
    return [record["title"] for call in llm.calls for record in data_block(call)]


async def main(url: str, log: Path, allowed: int) -> None:
    """Drive the thread `t` to its end, or to the kill."""
    asked = 0

    def answer(call: LLMCall) -> Any:
        nonlocal asked
        if asked == allowed:
            os.kill(os.getpid(), signal.SIGKILL)
        asked += 1
        with log.open("a", encoding="utf-8") as file:
            file.writelines(f"{record['title']}\n" for record in data_block(call))
        return grades_of({})(call)

    flow = judging_workflow(FakeLLM(answer), persistence=url)
    if allowed >= 0:
        await flow.run("moss", thread_id="t")
    else:
        await flow.resume("t")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])))
