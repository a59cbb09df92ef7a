"""Every way through the paper-search graph, its loops up to their bound, with fake skills."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from paper_search.models import RawPaper, SearchReport, SearchStrategy, SourceReport, SourceStatus
from paper_search.steps import BoundedInt, Constant, Outcome, generate_params, generate_paths
from paper_search.steps.running import run_workflow
from paper_search.steps.toolkit.inputs import Path, input_id
from paper_search.testing.skills import FakeSkills, two_papers
from paper_search.workflow.graph import WORKFLOW

OK, SKIP, FAIL = Outcome.OK, Outcome.SKIP, Outcome.FAIL
EDIT, REJECT, ITERATE = Outcome.EDIT, Outcome.REJECT, Outcome.ITERATE
ASKING = {"confirm_strategy", "review_results"}


def is_possible(path: Path, bound: int) -> bool:
    """Whether the settings of one run can lead this way: a limit ends a loop, and only a limit."""
    if ("parse_intent", FAIL) in path:  # only a search of no rounds ends there
        return False
    scoped = {o for s, o in path if s == "scope_strategy"}
    if len(scoped) > 1 or FAIL in scoped:  # only an update of a search that is done ends there
        return False
    round_number = 0
    for step_id, outcome in path:
        round_number += step_id == "build_strategy"
        goes_back = outcome is REJECT or (outcome is EDIT and step_id == "review_results")
        if step_id in ASKING and goes_back and round_number == bound:
            return False
        if step_id in ASKING and outcome is FAIL and round_number < bound:
            return False
    return True


def possible_paths() -> list[tuple[Path, int]]:
    return [
        (path, bound)
        for bound in (1, 2)
        for path in generate_paths(WORKFLOW, {"build_strategy": bound, "search": bound + 1})
        if is_possible(path, bound)
    ]


POSSIBLE = possible_paths()


def answer_for(step_id: str, outcome: Outcome) -> Callable[[Any], Any]:
    """Return what a person says for a step to give an outcome; at the limit a no is a fail."""

    def answer(question: Any) -> Any:
        if outcome is EDIT and step_id == "confirm_strategy":
            return {"action": "edit", "revised_data": question["payload"]["strategy"]}
        if outcome is ITERATE:
            return {"action": "edit", "revised_data": {"wait_for_sources": True}}
        if outcome is EDIT:
            shown = question["payload"]["collection"]["papers"]
            return {"action": "edit", "revised_data": {"marked_relevant": [shown[0]["id"]]}}
        return {"action": "reject" if outcome is FAIL else outcome.value, "note": "so be it"}

    return answer


def settings_of(path: Path, bound: int) -> dict[str, Any]:
    return {
        "max_iterations": bound,
        "enable_strategy_checkpoint": ("scope_strategy", SKIP) not in path,
        "enable_result_checkpoint": ("organize", SKIP) not in path,
    }


class Slow:
    """Searches a source that is never done."""

    async def search(self, strategy: SearchStrategy) -> list[RawPaper]:
        return two_papers(strategy)

    async def report(self, strategy: SearchStrategy) -> SearchReport:
        status = SourceStatus.PARTIAL
        entry = SourceReport(source="fake", query="q", status=status, kept=2, is_unfinished=True)
        return SearchReport(papers=await self.search(strategy), sources=[entry])


async def walk(path: Path, bound: int) -> Any:
    answers = [answer_for(step_id, outcome) for step_id, outcome in path if step_id in ASKING]
    return await run_workflow(
        WORKFLOW,
        {"question": "q"},
        params=settings_of(path, bound),
        answers=answers,
        services=replace(FakeSkills().skills, searcher=Slow()),
    )


def is_mixed(path: Path) -> bool:
    """Whether one round asks about its result and another does not; settings are fixed."""
    return len({outcome for step_id, outcome in path if step_id == "organize"}) > 1


@pytest.mark.parametrize(
    ("path", "bound"),
    [item for item in POSSIBLE if not is_mixed(item[0])],
    ids=[
        "-".join([str(bound), *(outcome.value for _, outcome in path)])
        for path, bound in POSSIBLE
        if not is_mixed(path)
    ],
)
async def test_the_run_goes_the_way_that_the_answers_say(path, bound):
    run = await walk(path, bound)
    assert run.trace == path
    assert run.result["is_complete"] is True
    visits = sum(step_id == "build_strategy" for step_id, _ in run.trace)
    assert run.result["current_iteration"] == visits


async def test_together_these_ways_take_every_edge_of_the_table():
    taken = {item for path, _ in POSSIBLE if not is_mixed(path) for item in path}
    # Tests of updates and of runs of no rounds take these two.
    elsewhere = {("scope_strategy", FAIL), ("parse_intent", FAIL)}
    assert taken | elsewhere == {(step.id, end) for step in WORKFLOW.steps for end in step.next}


SOME = {
    "max_iterations": BoundedInt(1, 2),
    "preview_papers": Constant(20),
    "max_results": Constant(1),
}


@pytest.mark.parametrize(
    "params", list(generate_params(WORKFLOW, SOME)), ids=lambda params: input_id(WORKFLOW, params)
)
async def test_every_combination_of_settings_comes_to_an_end(params):
    answers = [{"action": "reject", "note": "again"}] * 4
    run = await run_workflow(
        WORKFLOW, {"question": "q"}, params=params, answers=answers, services=FakeSkills().skills
    )
    assert not run.is_waiting
