"""What the steps of a search hand on: limits of the run, edits of a person, counts, progress."""

from typing import Any

import pytest
from tests.answers import reply_to
from tests.workflow.doubles import Builder, at_result, edit, reject, workflow

from paper_search.errors import UnknownNameError
from paper_search.models import (
    Criterion,
    ParsedIntent,
    Purpose,
    RawPaper,
    ScoredPaper,
    SearchReport,
    SearchStrategy,
    SourceReport,
    SourceStatus,
)
from paper_search.review.arrivals import update_review
from paper_search.testing.skills import FakeSkills, ScriptedHandler, fake_strategy
from paper_search.workflow import CheckpointKind
from paper_search.workflow.graph import WORKFLOW
from paper_search.workflow.rounds import is_without_news
from paper_search.workflow.session import SearchSession
from paper_search.workflow.state import ReviewUpdate, WorkflowState

BY_MODEL = ["written by the model", "It is on moss", "It is a trial"]


class Judging(FakeSkills):
    """Reads the same criteria out of every question, and remembers what it is to judge by."""

    def __init__(self) -> None:
        super().__init__()
        self.judged_by: list[list[str]] = []
        self.limits: list[Any] = []

    async def parse(self, user_input: str) -> ParsedIntent:
        criteria = [Criterion(text=text) for text in BY_MODEL]
        return (await super().parse(user_input)).with_criteria(criteria)

    async def score(self, papers: list[RawPaper], intent: ParsedIntent) -> list[ScoredPaper]:
        self.judged_by.append([criterion.text for criterion in intent.criteria])
        self.limits.append(intent.constraints)
        return await super().score(papers, intent)


async def test_a_step_begins_with_its_iteration_and_with_how_much_there_is_to_do():
    told: list[tuple[str, dict[str, Any]]] = []
    papers = {"round_0": "ab", "round_1": "bcd"}

    def found(strategy: SearchStrategy) -> list[RawPaper]:
        names = papers[strategy.queries[0].boolean_query]
        return [RawPaper(id=name, title=f"Title {name}", source="s") for name in names]

    handler = ScriptedHandler(["approve", reject("more"), "approve", "approve"])
    flow = workflow(FakeSkills(found), handler, progress_reporter=lambda *e: told.append(e))
    await flow.run("q")
    begun = [details for _, details in told if "step" in details]
    assert [one.pop("title") for one in begun] == [WORKFLOW[one["step"]].title for one in begun]
    assert begun[0] == {"step": "parse_intent", "iteration": 0}
    assert begun[6:] == [
        {"step": "build_strategy", "iteration": 1},
        {"step": "search", "iteration": 1, "queries": 1, "sources": 1},
        {"step": "deduplicate", "iteration": 1, "records": 3},
        {"step": "score", "iteration": 1, "works": 3},
        {"step": "organize", "iteration": 1, "works": 3},
    ]


async def test_a_number_that_a_person_took_off_stays_off_in_later_rounds():
    strategy = fake_strategy("x")
    free = strategy.filters.model_copy(update={"max_results": 30, "max_papers": None})
    edited = strategy.model_copy(update={"filters": free})
    handler = ScriptedHandler([edit(edited), reject("more"), "approve", "approve"])
    await workflow(FakeSkills(), handler, max_results=1).run("q")
    first, second = (handler.asked[place].payload.strategy.filters for place in (0, 2))
    assert first.max_papers == 1
    assert second.max_papers is None


@pytest.mark.parametrize(
    ("changes", "judged_by"),
    [
        ({}, BY_MODEL),
        (
            {"criteria": [{"text": "a"}, {"text": "b", "kind": "exclusion", "weight": 2}]},
            ["a", "b"],
        ),
    ],
)
async def test_papers_are_judged_by_criteria_and_limits_as_a_person_edited_them(changes, judged_by):
    skills = Judging()
    edited = fake_strategy("round_0").model_dump(mode="json", exclude={"seeds"}) | changes
    edited["filters"]["excluded_types"] = ["review"]
    handler = ScriptedHandler([edit(edited), reject("more"), "approve", "approve"])
    await workflow(skills, handler).run("q")
    assert skills.judged_by == [judged_by, judged_by]
    assert skills.limits[0].excluded_types == ["review"]
    shown = [request.payload.intent.criteria for request in handler.asked[::2]]
    assert [[criterion.text for criterion in criteria] for criteria in shown] == [
        BY_MODEL,
        judged_by,
    ]


class Knowing(FakeSkills):
    """Says which sources it can search."""

    def __init__(self, *names: str) -> None:
        super().__init__()
        self.source_names = list(names)


async def test_a_search_that_another_process_goes_on_with_asks_no_other_source(url):
    began = workflow(Knowing("library"), persistence=url, sources=["library"])
    await began.start("glass", thread_id="one")
    elsewhere = Knowing("openalex")
    with pytest.raises(UnknownNameError, match="source 'library'; known: openalex"):
        await reply_to(workflow(elsewhere, persistence=url), "one", "approve")
    assert elsewhere.searched == []
    asked = await began.proceed("one")
    assert asked.kind is CheckpointKind.RESULT_REVIEW


async def test_a_paper_beyond_the_limit_that_was_marked_is_not_counted_as_beyond_it(persistence):
    four = [RawPaper(id=item, title=f"Title {item}", source="s") for item in "abcd"]
    flow = workflow(FakeSkills(lambda _: four), persistence=persistence, max_results=1)
    asked = await at_result(flow)
    assert asked.payload.hidden == 3
    marks = {"marked_relevant": ["c"]}
    result = await reply_to(flow, "t", {"action": "approve", "revised_data": marks})
    assert [paper.id for paper in result.papers] == ["a", "c"]
    state = await SearchSession.on(persistence, "t").state()
    assert (state.result.hidden, state.result.set_aside_ids) == (2, ["b", "d"])


@pytest.mark.parametrize(
    ("query", "status", "is_named"),
    [
        ("moss", SourceStatus.EMPTY, True),
        ("moss", SourceStatus.TIMEOUT, False),
        ("", SourceStatus.EMPTY, False),
    ],
)
async def test_limits_are_named_only_where_sources_say_that_they_have_nothing(
    query, status, is_named
):
    class Fruitless(FakeSkills):
        async def report(self, _: SearchStrategy) -> SearchReport:
            return SearchReport(sources=[SourceReport(source="s", query=query, status=status)])

    skills = Builder(fake_strategy("moss", year_from=2020, max_papers=30))
    fit = (await at_result(workflow(skills, searcher=Fruitless()))).payload.fit
    named = "no paper was found within the limits (years 2020-): remove one for more"
    assert fit == (named if is_named else "")


async def test_limits_are_not_named_where_an_update_brings_what_was_there(persistence):
    flow = workflow(Builder(fake_strategy("moss", year_from=2020)), persistence=persistence)
    await at_result(flow)
    await reply_to(flow, "t", "approve")
    await update_review(flow, "t")
    payload = (await reply_to(flow, "t", "approve")).payload
    assert (payload.collection.papers, payload.fit) == ([], "")


def test_an_update_whose_counts_are_not_all_known_is_not_without_news():
    def row(query: str, hits: int | None, purpose: Purpose) -> SourceReport:
        status = SourceStatus.OK if hits is not None else SourceStatus.RATE_LIMITED
        return SourceReport(source="a", query=query, hits=hits, status=status, purpose=purpose)

    update = ReviewUpdate(iteration=1, at="2026", by="ada", searched_at="2025", is_quiet=True)
    before = [row(query, 5, Purpose.SEARCH) for query in ("x", "y")]
    state = WorkflowState(
        question="q", current_iteration=1, updates=[update], earlier_reports=before
    )
    counts = [row(query, 5, Purpose.COUNT) for query in ("x", "y")]
    assert is_without_news(state, counts)
    assert not is_without_news(state, [counts[0], row("y", None, Purpose.COUNT)])
