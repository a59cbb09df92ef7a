"""The process of a report may be killed anywhere, and another one takes the report to its end."""

import json
import re
import signal
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from tests.preforked import workers
from tests.report_workflow.dying import PATHS, SEARCH_STEPS, STEPS, Job

_VOLATILE = re.compile(
    r"(?<=_id\": \")[0-9a-f]{8}(?=\")"
    r"|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)"
)
"""Ids that are drawn, and times."""
Point = tuple[str, int, str]
Case = tuple[str, Point]

ON_THE_WAY: list[Point] = [
    ("planner", 0, "start"),
    ("planner", 1, "end"),
    ("searcher", 0, "start"),
    ("searcher", 0, "end"),
    ("analyst", 0, "start"),
    ("analyst", 0, "end"),
    ("writer", 0, "start"),
    ("writer", 1, "end"),
    ("reviewer", 0, "end"),
    ("reviewer", 1, "start"),
    ("human_review", 0, "start"),
    ("human_review", 1, "start"),
    ("human_review", 1, "end"),
    ("human_review", 3, "end"),
    ("human_review", 5, "end"),
    ("human_review", 7, "end"),
    ("output", 0, "start"),
    ("output", 0, "end"),
    *[("write", after, "end") for after in (0, 3, 7, 11)],
]
"""Who kills, after how many calls, and when. `human_review` is called twice for every question:
the odd ones have an answer."""
TO_FALLBACK: list[Point] = [
    ("human_review", 3, "start"),
    ("human_review", 3, "end"),
    ("fallback", 0, "start"),
    ("fallback", 0, "end"),
]
ASKING = ("confirm_strategy", "review_results", "human_review")
FROM_SEARCH: list[Point] = [
    *[(step, int(step in ASKING), "end") for step in (*SEARCH_STEPS, *STEPS) if step != "fallback"],
    ("parse_intent", 0, "start"),
    ("confirm_strategy", 1, "start"),
    ("review_results", 1, "start"),
    ("human_review", 7, "end"),
    *[("write", after, "end") for after in (2, 9, 13, 17)],
]
CHOSEN: list[Case] = [
    ("approved", ("planner", 0, "end")),
    ("approved", ("searcher", 0, "end")),
    ("approved", ("human_review", 1, "end")),
    ("approved", ("writer", 1, "end")),
    ("approved", ("write", 7, "end")),
    ("approved", ("output", 0, "end")),
    ("rejected", ("fallback", 0, "end")),
]
REJECTED: list[Case] = [("rejected", item) for item in TO_FALLBACK]
CASES: list[Case] = [*(("approved", item) for item in ON_THE_WAY), *REJECTED]
WITHOUT_A_MODEL: list[Case] = [*(("from_search", item) for item in FROM_SEARCH), *REJECTED]


def named(case: Case) -> str:
    path, point = case
    return "-".join(map(str, (path, *point)))


def lines(job: Job) -> list[list[str]]:
    file = Path(job.log)
    return [line.split("\t") for line in file.read_text().splitlines()] if file.exists() else []


def words(done: list[list[str]], kind: str) -> list[str]:
    return [line[1] for line in done if line[0] == kind]


def given(job: Job) -> Any:
    """Return the report without what says when it was and how often a model was asked."""
    report = json.loads(_VOLATILE.sub("*", job.result.read_text()))["report"]
    del report["metadata"]["model_calls"], report["output"]["metadata"]["model_calls"]
    return report


def drive(job: Job) -> int:
    return workers().work("tests.report_workflow.dying", asdict(job))


class Trial:
    """Kills reports, and knows what they would have been.

    Args:
        folder: for those that nobody kills.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._undisturbed: dict[tuple[str, bool], tuple[list[list[str]], Any]] = {}

    def undisturbed(self, job: Job) -> tuple[list[list[str]], Any]:
        """Return what the same report did and gave that nobody killed."""
        kind = (job.path, job.has_model)
        if kind not in self._undisturbed:
            path = self._folder / "-".join(map(str, kind))
            whole = replace(job, url=f"sqlite:///{path}.db", log=str(path))
            assert drive(whole) == 0
            self._undisturbed[kind] = (lines(whole), given(whole))
        return self._undisturbed[kind]

    def check(self, job: Job, point: Point) -> None:
        """Kill a report, go on with it elsewhere, and compare with one that nobody killed."""
        killer, after, moment = point
        dying = replace(job, killer=killer, after=after, moment=moment)
        assert drive(dying) == -signal.SIGKILL
        before = lines(job)
        assert drive(job) == 0
        done = lines(job)
        expected, report = self.undisturbed(job)
        assert given(job) == report
        assert_at_most_one_repeated(before, done[len(before) :], expected)
        assert set(words(done, "query")) == set(words(expected, "query"))
        assert set(words(done, "answer")) == set(words(expected, "answer"))
        metadata = json.loads(job.result.read_text())["report"]["metadata"]
        assert int(metadata["model_calls"]) == len(words(done, "call"))


def assert_at_most_one_repeated(
    before: list[list[str]], after: list[list[str]], expected: list[list[str]]
) -> None:
    """Only the step in flight is done again; no other one is, and none is left out."""
    first, then, steps = (words(item, "step") for item in (before, after, expected))
    repeated = len(first) + len(then) - len(steps)
    assert repeated in {0, 1}
    assert [*first, *then[repeated:]] == steps


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Trial:
    return Trial(tmp_path_factory.mktemp("undisturbed"))


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=named)
def test_a_report_whose_process_was_killed_ends_as_if_it_had_not_been(trial, tmp_path, url, case):
    """PER-01 PER-03 PER-04 LLM-17 LLM-18: only the step in flight is repeated, no decision is
    lost, and no call of a model is forgotten."""
    path, point = case
    trial.check(Job(url, str(tmp_path / "log"), path, has_model=True), point)


@pytest.mark.slow
@pytest.mark.parametrize("case", WITHOUT_A_MODEL, ids=named)
def test_without_a_model_a_kill_at_any_step_changes_nothing(trial, tmp_path, url, case):
    """PER-01 PER-04: search, approve, report, plan again, revise, approve; killed on the way."""
    path, point = case
    trial.check(Job(url, str(tmp_path / "log"), path), point)


@pytest.mark.slow
@pytest.mark.parametrize("case", CHOSEN, ids=named)
def test_a_report_in_postgresql_survives_a_killed_process(trial, tmp_path, postgres_url, case):
    """PER-01 PER-03 PER-04."""
    path, point = case
    trial.check(Job(postgres_url, str(tmp_path / "log"), path, has_model=True), point)


def test_every_step_of_the_graph_is_killed_at_both_ends():
    points = {(killer, moment) for _, (killer, _, moment) in CASES}
    assert points >= {(step, moment) for step in STEPS for moment in ("start", "end")}
    assert {path for path, _ in CASES} | {"from_search"} == set(PATHS)
