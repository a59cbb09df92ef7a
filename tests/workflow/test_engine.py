"""SearchWorkflow: REQ-8 to REQ-20 and PROP-4 to PROP-11 of the seeds, and the thread API."""

import asyncio
import logging
from typing import Any
from unittest.mock import AsyncMock

import pytest
from pydantic import ValidationError
from tests.answers import reply_to
from tests.workflow.doubles import STEPS, FailingSkills, edit, mark_last, reject, workflow

from paper_search import errors, models
from paper_search.config import AppConfig, LLMConfig, SearchSourceConfig
from paper_search.testing.skills import FakeSkills, ScriptedHandler, fake_strategy
from paper_search.workflow import (
    Checkpoint,
    CheckpointKind,
    Decision,
    DecisionAction,
    SearchWorkflow,
    ThreadCatalog,
    WorkflowState,
)
from paper_search.workflow.engine import _accumulate_relevant, _coerce_feedback, _merge_accumulated

STRATEGY, RESULT = CheckpointKind.STRATEGY_CONFIRMATION, CheckpointKind.RESULT_REVIEW


class BlockingHandler:
    """Waits until the test lets it answer."""

    def __init__(self) -> None:
        self.is_asked = asyncio.Event()
        self.may_answer = asyncio.Event()

    async def handle(self, checkpoint: Checkpoint) -> Decision:  # noqa: ARG002  # the protocol
        self.is_asked.set()
        await self.may_answer.wait()
        return Decision(action=DecisionAction.APPROVE)


# --- the pipeline ---------------------------------------------------------------------------------


async def test_full_pipeline_no_handler():
    """REQ-8 REQ-9 REQ-11 REQ-13: every skill once and in order, nobody asked."""
    skills = FakeSkills()
    result = await workflow(skills).run("graph networks")
    assert skills.calls == STEPS
    assert isinstance(result, models.PaperCollection)
    assert [paper.id for paper in result.papers] == ["always", "only-round_0"]
    assert result.metadata.query == "graph networks"
    assert result.ended_by is models.EndReason.NOT_REVIEWED


async def test_full_pipeline_with_approve():
    """REQ-10 REQ-12 PROP-4: who approves everything gets what nobody asked gets, to the letter."""
    skills, handler = FakeSkills(), ScriptedHandler(otherwise="approve")
    approved = await workflow(skills, handler).run("q")
    unasked = await workflow().run("q")
    assert approved == unasked
    differing = {"ended_by": True, "reports": {"__all__": {"asked_at", "allowed_by"}}}
    assert approved.model_dump(exclude=differing) == unasked.model_dump(exclude=differing)
    assert skills.calls == STEPS
    assert handler.kinds == [STRATEGY, RESULT]
    assert approved.ended_by is models.EndReason.APPROVED


async def test_strategy_checkpoint_edit():
    """REQ-10: what is searched is the strategy as edited."""
    skills, edited = FakeSkills(), fake_strategy("mine", sources=["fake", "other"])
    handler = ScriptedHandler([edit(edited.model_dump()), "approve"])
    result = await workflow(skills, handler).run("q")
    assert skills.searched == [edited]
    assert result.metadata.search_strategy == edited
    assert handler.kinds == [STRATEGY, RESULT]


async def test_strategy_checkpoint_reject():
    """REQ-10: a rejected strategy is not searched, and uses up an iteration."""
    skills = FakeSkills()
    handler = ScriptedHandler([reject("too broad"), "approve", "approve"])
    await workflow(skills, handler).run("q")
    assert skills.calls == ["parse", "build", *STEPS[1:]]
    assert [request.iteration for request in handler.asked] == [0, 1, 1]
    assert skills.requests[1].user_feedback == models.UserFeedback(free_text_feedback="too broad")


async def test_strategy_checkpoint_disabled():
    """REQ-11."""
    handler = ScriptedHandler(otherwise="approve")
    await workflow(handler=handler, enable_strategy_checkpoint=False).run("q")
    assert handler.kinds == [RESULT]


@pytest.mark.parametrize(
    "feedback",
    [
        models.UserFeedback(free_text_feedback="older ones"),
        models.UserFeedback(marked_relevant=["always"], free_text_feedback="like this one"),
    ],
)
async def test_a_result_that_is_edited_or_rejected_begins_a_round_with_the_strategy(feedback):
    """REQ-12 REQ-14."""
    skills, note = FakeSkills(), feedback.free_text_feedback
    answer = edit(feedback.model_dump()) if feedback.marked_relevant else reject(note)
    await workflow(skills, ScriptedHandler(["approve", answer, "approve", "approve"])).run("q")
    assert skills.calls == [*STEPS, *STEPS[1:]]
    assert skills.requests[1].user_feedback == feedback


async def test_max_iterations_reached():
    """REQ-15 PROP-5 HUM-15: ten rejections, three rounds, the last collection."""
    skills = FakeSkills()
    handler = ScriptedHandler(["approve", "reject"] * 10)
    result = await workflow(skills, handler, max_iterations=3).run("q")
    assert skills.calls.count("search") == 3
    assert [paper.id for paper in result.papers] == ["always", "only-round_2"]
    assert result.ended_by is models.EndReason.LIMIT_REACHED


async def test_iteration_feeds_previous_strategies():
    """REQ-14 REQ-20: all earlier strategies and notes, oldest first, strategies as they ran."""
    skills, edited = FakeSkills(), fake_strategy("mine")
    answers = [edit(edited.model_dump()), reject("a"), "approve", reject("b")]
    await workflow(skills, ScriptedHandler([*answers, "approve", "approve"])).run("q")
    assert [request.earlier_feedback for request in skills.requests] == [[], [], ["a"]]
    assert [request.previous_strategies for request in skills.requests] == [
        [],
        [edited],
        [edited, fake_strategy("round_1")],
    ]


async def test_accumulated_papers_merge():
    """REQ-16: what was ever marked reaches the builder, and the result, once, also if lost."""
    skills, both = FakeSkills(), edit({"marked_relevant": ["always", "only-round_0"]})
    handler = ScriptedHandler(["approve", both, "approve", mark_last, "approve", "approve"])
    result = await workflow(skills, handler).run("q")
    lost = ["only-round_0", "only-round_1"]
    assert [paper.id for paper in result.papers] == ["always", "only-round_2", *lost]
    accumulated = handler.asked[3].payload.accumulated_papers
    assert [paper.id for paper in accumulated] == ["always", "only-round_0"]
    marked = [
        (paper.id, paper.title, paper.is_relevant) for paper in skills.requests[2].marked_papers
    ]
    assert marked == [
        ("always", "Found every time", True),
        ("only-round_0", "Found by round_0", True),
        ("only-round_1", "Found by round_1", True),
    ]


async def test_empty_results():
    """REQ-19 PROP-9: nothing found is a valid result, and the person is asked about it."""
    skills = FakeSkills(records=lambda _strategy: [])
    handler = ScriptedHandler(otherwise="approve")
    result = await workflow(skills, handler).run("q")
    assert result.papers == []
    assert skills.calls == STEPS
    assert handler.kinds == [STRATEGY, RESULT]
    assert models.PaperCollection.model_validate(result.model_dump()) == result


def test_feedback_is_read_from_a_mapping_or_a_note():
    """REQ-17."""
    feedback = models.UserFeedback(marked_relevant=["a"], marked_irrelevant=["b"])
    assert _coerce_feedback(edit(feedback.model_dump())) == feedback
    assert _coerce_feedback(reject("why")) == models.UserFeedback(free_text_feedback="why")


@pytest.mark.parametrize("data", [None, "text", 3, ["a"], {"marked_relevant": 3}])
def test_what_is_no_feedback_is_coerced_to_the_note(data):
    """REQ-17."""
    assert _coerce_feedback(edit(data, "note")) == models.UserFeedback(free_text_feedback="note")
    assert _coerce_feedback(edit(data)) == models.UserFeedback(free_text_feedback="")


# --- the boundaries -------------------------------------------------------------------------------


def _raw(identifier, **fields: Any):
    return models.RawPaper(id=identifier, title=f"Title {identifier}", source="s", **fields)


class PassingOnSkills(FakeSkills):
    """Skills that give what they are told, whatever they get, and remember what they got."""

    def __init__(self, found, merged, scored, papers) -> None:
        super().__init__()
        self.found, self.merged, self.scored, self.papers = found, merged, scored, papers
        self.got = {}

    async def search(self, strategy):
        await super().search(strategy)
        return self.found

    async def deduplicate(self, papers):
        self.got["deduplicate"] = papers
        return self.merged

    async def score(self, papers, intent):  # noqa: ARG002  # the interface
        self.got["score"] = papers
        return self.scored

    async def organize(self, papers, strategy, original_query):
        self.got["organize"] = papers
        return models.PaperCollection(
            metadata=models.SearchMetadata(
                query=original_query, search_strategy=strategy, total_found=7
            ),
            papers=self.papers,
            facets=models.Facets(by_year={2020: 1}, key_themes=["x"]),
        )


async def test_what_a_skill_gives_reaches_the_next_one_unchanged():
    """PROP-6: also from test doubles whose papers have nothing to do with each other."""
    skills = PassingOnSkills(
        found=[_raw("a", abstract="ünï", raw_data={"k": [1, {"x": None}]}), _raw("b", snippet="s")],
        merged=[_raw("c", merged_from=["a", "b"])],
        scored=[
            models.ScoredPaper(
                paper=_raw("d", year=1999), relevance_score=0.25, relevance_reason="r"
            ),
            models.ScoredPaper(
                paper=_raw("c", abstract="added"), relevance_score=1, relevance_reason="", tags=[]
            ),
        ],
        papers=[models.Paper(id="e", title="Own", source="o", authors=[], relevance_score=0.5)],
    )
    result = await workflow(skills, ScriptedHandler(otherwise="approve")).run("q")
    assert skills.got["deduplicate"] == skills.found
    assert skills.got["score"] == skills.merged
    assert skills.got["organize"] == skills.scored
    assert result.papers == skills.papers
    assert result.metadata.total_found == 7
    assert result.facets == models.Facets(by_year={2020: 1}, key_themes=["x"])


async def test_mocks_with_every_attribute_work_as_skills():
    """REQ-8: a searcher is asked by the one method that it must have."""
    mock = AsyncMock()
    mock.search.return_value = [_raw("m")]
    result = await workflow(searcher=mock).run("q")
    assert [paper.id for paper in result.papers] == ["m"]
    assert mock.method_calls == [("search", (fake_strategy("round_0"),), {})]


async def test_accumulated_papers_of_an_organizer_that_makes_more_of_them_survive():
    """REQ-16: also when the paper that it was made from is known."""
    own = models.Paper(id="a", title="Retitled", source="o", authors=[], relevance_score=0.9)
    scored = [models.ScoredPaper(paper=_raw("a"), relevance_score=0.5, relevance_reason="")]
    skills = PassingOnSkills([_raw("a")], [_raw("a")], scored, [own])

    def mark_and_lose(_checkpoint):
        skills.papers = []
        return edit({"marked_relevant": ["a"]})

    handler = ScriptedHandler(["approve", mark_and_lose, "approve", "approve"])
    result = await workflow(skills, handler).run("q")
    assert result.papers == [
        own.model_copy(update={"screening": models.ScreeningDecision(decision="include")})
    ]
    assert handler.asked[3].payload.accumulated_papers == [own]


# --- the private functions that the seeds name ----------------------------------------------------


def _collection(*ids: str):
    return models.PaperCollection(
        metadata=models.SearchMetadata(
            query="q", search_strategy=fake_strategy("x"), total_found=0
        ),
        papers=[
            models.Paper(id=identity, title=identity, source="s", authors=[]) for identity in ids
        ],
        facets=models.Facets(),
    )


def test_merging_nothing_returns_the_same_object():
    collection = _collection("a", "b")
    assert _merge_accumulated(collection, []) is collection
    assert _merge_accumulated(collection, [collection.papers[0]]) is collection


def test_only_marked_papers_of_the_collection_are_accumulated_and_each_once():
    """REQ-16 PROP-11."""
    state = WorkflowState()
    feedback = models.UserFeedback(marked_relevant=["b", "nowhere"])
    for _ in range(2):
        _accumulate_relevant(state, _collection("a", "b"), feedback)
    assert [paper.id for paper in state.accumulated_papers] == ["b"]
    state.add_accumulated(_collection("c", "c").papers)
    assert [paper.id for paper in state.accumulated_papers] == ["b", "c"]


def test_recording_an_iteration_counts_it_and_keeps_the_feedback():
    """REQ-20 PROP-10."""
    state, feedback = WorkflowState(), models.UserFeedback(free_text_feedback="f")
    assert state.latest_feedback is None
    state.record_iteration(fake_strategy("a"), 3)
    state.record_iteration(fake_strategy("b"), 0, feedback)
    assert state.current_iteration == 2
    assert [entry.iteration for entry in state.history] == [0, 1]
    assert state.previous_strategies == [fake_strategy("a"), fake_strategy("b")]
    assert state.latest_feedback == feedback
    assert state.earlier_feedback == []
    state.record_iteration(fake_strategy("c"), 0)
    assert state.earlier_feedback == ["f"]


# --- failures -------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", STEPS)
async def test_a_step_that_fails_is_repeated_and_no_other(method):
    skills = FailingSkills(method, RuntimeError("gone"))
    flow = workflow(skills, ScriptedHandler(otherwise="approve"))
    with pytest.raises(RuntimeError, match="gone"):
        await flow.run("q", thread_id="t")
    skills.is_broken = False
    result = await flow.resume("t")
    assert skills.calls == STEPS
    assert result == await workflow().run("q")


@pytest.mark.parametrize("nonsense", [None, 3, "yes", {"action": "maybe"}, ["approve", "approve"]])
async def test_a_handler_that_gives_no_decision_is_told_so(nonsense):
    """HUM-03: nothing is stored, the question stays open."""

    class Odd:
        async def handle(self, checkpoint):  # noqa: ARG002  # the protocol
            return nonsense

    flow = workflow(handler=Odd())
    with pytest.raises(errors.InvalidDecisionError):
        await flow.run("q", thread_id="t")
    assert (await flow.pending("t")).kind is STRATEGY
    assert (await reply_to(flow, "t", "approve")).kind is RESULT


async def test_a_handlers_edit_that_is_no_strategy_is_the_validation_error_of_the_seeds():
    """The error has no values in it, which do not belong into a log; the question stays open."""
    flow = workflow(
        handler=ScriptedHandler([edit({"queries": [], "sources": 7, "notes": ["secret words"]})])
    )
    with pytest.raises(ValidationError, match="sources") as error:
        await flow.run("q", thread_id="t")
    assert isinstance(error.value.__cause__, errors.InvalidDecisionError)
    assert "secret words" not in f"{error.value} {error.value.errors()}"
    assert (await flow.pending("t")).kind is STRATEGY


async def test_a_handler_that_marks_unknown_papers_is_taken_as_far_as_it_can_be(caplog):
    """REQ-17 HUM-04: at both checkpoints; unknown ids are reported and never stored."""
    marks = {"marked_relevant": ["always", "invented"], "marked_irrelevant": ["nowhere"]}
    given = models.UserFeedback.model_validate(marks)
    script = [reject("n", marks), "approve", edit(given), "approve", "approve"]
    skills = FakeSkills()
    result = await workflow(skills, ScriptedHandler(script)).run("q")
    assert skills.requests[1].user_feedback == models.UserFeedback(free_text_feedback="n")
    assert skills.requests[2].user_feedback == models.UserFeedback(marked_relevant=["always"])
    assert "invented" in caplog.text
    assert len(result.papers) == 2
    assert given == models.UserFeedback.model_validate(marks), "it is the handler's own"


async def test_a_progress_reporter_that_raises_is_only_logged(caplog):
    def reporter(_phase, _details):
        raise ValueError("the screen is full")

    with caplog.at_level(logging.ERROR):
        result = await workflow(progress_reporter=reporter).run("q")
    assert len(result.papers) == 2
    assert "the screen is full" in caplog.text


@pytest.mark.parametrize(
    "question", ["", "   ", "\n\t", "x" * 10_001, "half \ud800", 'moss AND "wall']
)
async def test_a_question_that_cannot_be_used_is_refused_before_anything_happens(question):
    skills = FakeSkills()
    for call in (workflow(skills).run, workflow(skills).start):
        with pytest.raises(errors.QuestionError):
            await call(question)
    assert skills.calls == []


async def test_a_strategy_of_a_database_may_be_longer_than_a_question():
    words = " OR ".join(f"moss{number}[tiab]" for number in range(1_000))
    strategy = f"1. {words}\n2. lichen[tiab]\n3. #1 AND #2"
    assert (await workflow().run(strategy)).metadata.query == strategy
    with pytest.raises(errors.QuestionError, match="1 to 10,000 are allowed"):
        await workflow().run(strategy.replace("[tiab]", ""))


@pytest.mark.parametrize("name", ["", " ", "a b", "a/b", "../x", "é", "x" * 129, "-a", "a\n", "\0"])
async def test_a_thread_id_that_cannot_name_one_is_refused_by_every_call(name):
    """HUM-11."""
    flow = workflow()
    calls = [
        flow.run("q", thread_id=name),
        flow.start("q", thread_id=name),
        flow.answer(name, "approve"),
        flow.proceed(name),
        flow.resume(name),
        flow.pending(name),
    ]
    for call in calls:
        with pytest.raises(errors.InputError, match="is not a valid thread id"):
            await call


@pytest.mark.parametrize("limits", [{"max_iterations": -1}, {"max_results": 0}])
def test_limits_out_of_range_are_refused_when_the_workflow_is_made(limits):
    with pytest.raises(errors.ConfigError, match=next(iter(limits))):
        workflow(**limits)


async def test_a_search_of_no_rounds_ends_with_an_empty_collection_and_asks_nobody():
    skills, handler = FakeSkills(), ScriptedHandler(otherwise="approve")
    collection = await workflow(skills, handler, max_iterations=0).run("q")
    assert (collection.papers, collection.metadata.total_found) == ([], 0)
    assert (handler.kinds, skills.calls) == ([], [])


# --- threads --------------------------------------------------------------------------------------


async def test_without_a_name_every_search_is_a_thread_of_its_own():
    flow = workflow()
    names = {(await flow.start("q")).run_id for _ in range(3)}
    assert len(names) == 3


async def test_an_unknown_thread_is_an_error_and_never_a_new_run():
    """HUM-11."""
    skills = FakeSkills()
    flow = workflow(skills)
    calls = [flow.pending, flow.proceed, flow.resume, lambda t: flow.answer(t, "approve")]
    for call in [*calls, lambda t: flow.resume(t, "approve")]:
        for name in ("None", "unknown"):
            with pytest.raises(errors.ThreadNotFoundError, match=name):
                await call(name)
    assert skills.calls == []
    assert await ThreadCatalog(flow._memory).threads() == []


async def test_a_finished_thread_cannot_be_resumed():
    """HUM-11."""
    skills = FakeSkills()
    flow = workflow(skills)
    await flow.run("q", thread_id="t")
    for call in (flow.proceed, flow.resume, lambda t: flow.answer(t, "approve")):
        with pytest.raises(errors.ThreadFinishedError):
            await call("t")
    assert skills.calls == STEPS


async def test_a_new_search_on_an_existing_thread_is_refused():
    """HUM-12: waiting or done, its question and its result stay."""
    skills = FakeSkills()
    flow = workflow(skills)
    waiting = await flow.start("first", thread_id="t")
    for call in (flow.start, flow.run):
        with pytest.raises(errors.ThreadExistsError):
            await call("second", thread_id="t")
    assert await flow.pending("t") == waiting
    assert skills.calls == ["parse", "build"]


async def test_a_decision_for_a_thread_that_stopped_between_questions_is_not_used():
    skills = FailingSkills("search", RuntimeError("gone"))
    flow = workflow(skills)
    await flow.start("q", thread_id="t")
    with pytest.raises(RuntimeError, match="gone"):
        await reply_to(flow, "t", "approve")
    for call in (flow.answer, flow.resume):
        with pytest.raises(errors.ThreadNotWaitingError):
            await call("t", "approve")
    skills.is_broken = False
    assert (await flow.proceed("t")).kind is RESULT


async def test_a_thread_that_is_being_driven_is_busy():
    """PER-13: two tasks of one process."""
    handler = BlockingHandler()
    flow = workflow(handler=handler)
    driving = asyncio.create_task(flow.run("q", thread_id="t"))
    await handler.is_asked.wait()
    calls = [flow.proceed, flow.resume, lambda t: flow.answer(t, "approve")]
    for call in [*calls, lambda t: flow.run("q", thread_id=t)]:
        with pytest.raises(errors.ThreadBusyError, match="'t'"):
            await call("t")
    assert (await flow.pending("t")).kind is STRATEGY
    handler.may_answer.set()
    assert (await driving).ended_by is models.EndReason.APPROVED


async def test_two_answers_at_once_count_once():
    """HUM-08."""
    skills = FakeSkills()
    flow = workflow(skills)
    asked = await flow.start("q", thread_id="t")
    approve = {"action": "approve", "checkpoint": asked.reference}
    answers = [flow.answer("t", approve) for _ in range(4)]
    outcomes = await asyncio.gather(*answers, return_exceptions=True)
    assert sum(isinstance(outcome, Checkpoint) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, errors.ThreadBusyError) for outcome in outcomes) == 3
    assert skills.calls == STEPS


# --- from_config ----------------------------------------------------------------------------------


def _config(**fields: Any):
    return AppConfig(llm=LLMConfig(model="m", api_key="k"), **fields)


def _scholar(**fields: Any):
    settings_ = SearchSourceConfig(name="serpapi_scholar", api_key="key", **fields)
    return {"serpapi_scholar": settings_}


def test_from_config_makes_all_skills_and_takes_handler_limits_and_switches():
    """REQ-18."""
    handler = ScriptedHandler()
    flow = SearchWorkflow.from_config(
        _config(sources=_scholar()), handler, max_iterations=3, enable_strategy_checkpoint=False
    )
    classes = ["IntentParser", "QueryBuilder", "Searcher", "Deduplicator", "RelevanceScorer",
               "ResultOrganizer"]  # fmt: skip
    roles = ["_intent_parser", "_query_builder", "_searcher", "_deduplicator", "_relevance_scorer",
             "_result_organizer"]  # fmt: skip
    assert [type(getattr(flow, role)).__name__ for role in roles] == classes
    [(name, source)] = flow._searcher._sources.items()
    assert (name, type(source).__name__) == ("serpapi_scholar", "SerpAPIScholarSource")
    assert (flow._max_iterations, flow._checkpoint_handler) == (3, handler)
    assert flow._enable_strategy_checkpoint is False


@pytest.mark.parametrize("is_named", [False, True], ids=["no sources", "one that is off"])
def test_from_config_has_no_source_that_is_not_enabled(*, is_named):
    """REQ-18: one that is off is on when it is named."""
    config = _config(sources=_scholar(enabled=False) if is_named else {})
    flow = SearchWorkflow.from_config(config)
    assert flow._searcher._sources == {}
    assert flow._checkpoint_handler is None
    if is_named:
        flow = SearchWorkflow.from_config(config, sources=["serpapi_scholar"])
        assert list(flow._searcher._sources) == ["serpapi_scholar"]


def test_from_config_refuses_a_source_that_is_not_installed():
    """REQ-18."""
    with pytest.raises(errors.UnknownNameError, match="nowhere"):
        SearchWorkflow.from_config(AppConfig(), sources=["nowhere"])


def test_from_config_refuses_a_source_without_its_key_and_never_shows_a_key():
    """REQ-18."""
    sources = {"serpapi_scholar": SearchSourceConfig(name="serpapi_scholar")}
    with pytest.raises(errors.ConfigError, match="SERPAPI_API_KEY"):
        SearchWorkflow.from_config(_config(sources=sources))
