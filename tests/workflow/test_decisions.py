"""Which decisions the two questions take: each bad one is named, and the question stays open."""

from typing import Any

import pytest
from langgraph.types import Command
from pydantic import ValidationError
from tests.answers import reply_to
from tests.workflow.doubles import workflow

from paper_search import models
from paper_search.errors import InvalidDecisionError, StaleDecisionError
from paper_search.testing.skills import FakeSkills, fake_strategy
from paper_search.threads.decisions import check
from paper_search.threads.engine import open_memory
from paper_search.workflow import Checkpoint, CheckpointKind, Decision, DecisionAction
from paper_search.workflow.decisions import (
    ConstraintsEdit,
    answer_model,
    apply_edit,
    past_decision,
)
from paper_search.workflow.session import SearchSession

STRATEGY, RESULT = CheckpointKind.STRATEGY_CONFIRMATION, CheckpointKind.RESULT_REVIEW


def _edit(**changes: Any) -> dict[str, Any]:
    data = fake_strategy("mine").model_dump(mode="json") | changes
    return {"action": "edit", "revised_data": data}


def _query(**changes: Any) -> dict[str, Any]:
    return _edit(queries=[{"keywords": ["k"], "boolean_query": "k"} | changes])


def _feedback(action: str = "edit", **marks: Any) -> dict[str, Any]:
    return {"action": action, "revised_data": marks}


@pytest.mark.parametrize(("query", "count"), [("a OR b", 1), ("a OR c", 0)])
def test_lines_of_a_strategy_stay_with_the_query_that_they_are_of(query, count):
    line = models.StrategyLine(label="1", text="a or b", boolean_query="a OR b")
    queries = [models.SearchQuery(keywords=["a"], boolean_query="a OR b")]
    proposed = models.SearchStrategy(queries=queries, sources=["library"], lines=[line])
    edit = proposed.model_dump() | {"queries": [{"keywords": ["a"], "boolean_query": query}]}
    assert apply_edit(proposed, edit).lines == [line] * count


def _merges(*pairs: str, **last: bool) -> dict[str, Any]:
    """Return an answer that calls pairs one work, written "one other"; `is_same`: the last one."""
    given = [{"one": one, "other": other, "is_same": True} for one, other in map(str.split, pairs)]
    given[-1] |= last
    return _feedback("reject", merge_decisions=given)


NO_DECISION: list[tuple[Any, str]] = [
    ("yes", "'yes' is not a decision"),
    (None, "None is not a decision"),
    ({}, "{} is not a decision"),
    ([], r"\[\] is not a decision"),
    (3, "3 is not a decision"),
    ("x" * 5_000_000, "is not a decision"),
    ({"action": "accept"}, "action"),
    ({"action": None}, "action"),
    ({"action": "approve", "extra": 1}, "extra"),
    ({"action": "approve", "note": 3}, "note"),
    ({"action": "reject", "note": "x" * 20_001}, "note"),
    ({"action": "edit"}, "an edit needs revised_data"),
    ({"action": "edit", "revised_data": "text"}, "revised_data: not an object with the fields"),
    ({"action": "approve", "checkpoint": {"run_id": "t"}}, r"checkpoint\.kind"),
    ({"action": "approve", "checkpoint": "t"}, "checkpoint"),
    ({"decisions": []}, "is not a decision"),
    ([{"type": "ignore", "args": None}], "is not a decision"),
]

NO_STRATEGY: list[tuple[Any, str]] = [
    (_feedback(marked_relevant=["always"]), r"revised_data\.marked_relevant"),
    (_edit(queries="k"), r"revised_data\.queries"),
    (_edit(queries=[{"keywords": [], "boolean_query": "k"}] * 51), r"revised_data\.queries"),
    (_edit(sources=[1]), r"revised_data\.sources\.0"),
    (_edit(ranked=[{"text": " "}]), r"revised_data\.ranked\.0\.text"),
    (_edit(filters={"conditions": ["(b"]}), r"revised_data\.filters\.conditions"),
    (_edit(ranked=[{"text": "a", "weight": 1}]), r"revised_data\.ranked\.0\.weight"),
    (_edit(surplus=1), r"revised_data\.surplus"),
    (_edit(filters={"year_from": "last year"}), r"revised_data\.filters\.year_from"),
    (_edit(filters={"year_from": 10**9}), r"revised_data\.filters\.year_from"),
    (_edit(filters={"max_results": 0}), r"revised_data\.filters\.max_results"),
    (_edit(filters={"year_from": 2021, "year_to": 2020}), "2021 is after year_to 2020"),
    (_edit(filters={"language": "klingon"}), "language: unknown 'klingon'; write a code"),
    (_edit(filters={"publication_types": ["novel"]}), "unknown novel; known: article, "),
    (_query(boolean_query="a AND"), r"revised_data\.queries\.0: boolean_query: column"),
    (_query(boolean_query="cancer[tiab] AND rome[ad]"), r"queries\.0: boolean_query: column \d\d"),
    (_query(boolean_query=""), r"revised_data\.queries\.0"),
    (_edit(criteria=[{"text": "one"}]), r"revised_data\.criteria: .*at least 2"),
    (_edit(criteria=[{"text": "x", "kind": "exclusion"}] * 2), "all are exclusions"),
    (_edit(criteria=[{"text": "x", "weight": 4}, {"text": "y"}]), r"criteria\.0\.weight"),
    (_query(synonym_map=[{"keyword": "k"}]), r"queries\.0\.synonym_map\.0\.synonyms"),
    ({"action": "approve", "revised_data": fake_strategy("x").model_dump()}, "revised_data"),
    (_feedback("approve"), "approving takes no revised_data"),
    (_feedback("reject", marked_relevant=["invented"]), "invented"),
]


@pytest.mark.parametrize(
    ("words", "kinds"),
    [
        (["Preprints", "preprint"], ["article"]),
        (["reviews", "Conference papers"], ["review", "paper-conference"]),
        (["dissertation", "case report"], ["thesis", "case report"]),
        (["Articles", "standards"], ["article-journal", "standard"]),
        (["PhD theses", "Meta-analyses", "data sets"], ["thesis", "review", "dataset"]),
    ],
)
def test_kinds_that_a_person_excludes_are_those_that_sources_name(words, kinds):
    assert ConstraintsEdit(excluded_types=words).excluded_types == kinds


NO_FEEDBACK: list[tuple[Any, str]] = [
    (_feedback(marked_relevant=3), r"revised_data\.marked_relevant"),
    (_feedback(marked_relevent=["always"]), r"revised_data\.marked_relevent"),
    (_feedback(free_text_feedback=["x"]), r"revised_data\.free_text_feedback"),
    (_feedback(marked_relevant=["invented"]), "invented"),
    (_feedback(marked_irrelevant=["invented"]), "invented"),
    (_feedback("approve", marked_relevant=["invented"]), "invented"),
    (_feedback("reject", marked_relevant=["invented"]), "invented"),
    (_feedback(marked_relevant=[str(i) for i in range(100_000)]), "no such papers"),
    (
        _feedback(marked_relevant=["always"], marked_irrelevant=["always"]),
        "both relevant and irrelevant: always",
    ),
    (_edit(), r"revised_data\.queries"),
    (_merges("always always"), "names one record twice: always"),
    (_merges("always y"), "no such records in this result: y"),
    (_merges("z y"), "no such records in this result: y, z"),
    (
        _merges("always only-round_0", "only-round_0 always", is_same=False),
        "decided both as one work and as two: always, only-round_0",
    ),
    (
        _feedback(marked_relevant=["always", 1], free_text_feedback=7),
        r"relevant\.1: Input should be a valid string; revised_data\.free_text_feedback: Input",
    ),
]


def _nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


async def _asked(flow: Any, kind: CheckpointKind) -> Checkpoint:
    checkpoint = await flow.start("q", thread_id="t")
    return checkpoint if kind is STRATEGY else await reply_to(flow, "t", "approve")


BAD = {STRATEGY: [*NO_DECISION, *NO_STRATEGY], RESULT: [*NO_DECISION, *NO_FEEDBACK]}


@pytest.mark.parametrize("kind", CheckpointKind)
async def test_every_bad_answer_is_named_and_a_good_one_still_works(kind):
    """HUM-02 HUM-03 HUM-04 HUM-05 HUM-06: through the workflow."""
    skills = FakeSkills()
    flow = workflow(skills)
    asked = await _asked(flow, kind)
    calls = list(skills.calls)
    for answer, named in BAD[kind]:
        with pytest.raises(InvalidDecisionError, match=named) as caught:
            await reply_to(flow, "t", answer)
        assert len(str(caught.value)) < 2_000
        assert await flow.pending("t") == asked
    assert skills.calls == calls
    assert isinstance(await reply_to(flow, "t", "approve"), Checkpoint | models.PaperCollection)


@pytest.mark.parametrize("kind", CheckpointKind)
@pytest.mark.parametrize("field", ["revised_data", "note", "checkpoint", "action"])
async def test_nesting_without_an_end_is_refused(kind, field):
    """HUM-06."""
    flow = workflow()
    asked = await _asked(flow, kind)
    with pytest.raises(InvalidDecisionError):
        await reply_to(flow, "t", {"action": "edit", field: _nested(10_000)})
    assert await flow.pending("t") == asked


GOOD: list[tuple[Any, str]] = [
    ("approve", "round_0"),
    ("Approve: fine", "round_0"),
    (Decision(action=DecisionAction.APPROVE), "round_0"),
    (Decision(action=DecisionAction.EDIT, revised_data=fake_strategy("mine")), "mine"),
    (_edit(), "mine"),
    (_edit(filters={}), "mine"),
    (_query(boolean_query='"a b" OR c'), '"a b" OR c'),
    (_query(boolean_query="cancer[tiab]"), "cancer[tiab]"),
    (_query(boolean_query="TS=(a NEAR/3 b)"), "TS=(a NEAR/3 b)"),
]


@pytest.mark.parametrize(("answer", "searched"), GOOD)
async def test_every_way_to_accept_a_strategy_searches_it(answer, searched):
    """HUM-01: what is approved is exactly what runs."""
    skills = FakeSkills()
    flow = workflow(skills)
    await _asked(flow, STRATEGY)
    assert (await reply_to(flow, "t", answer)).kind is RESULT
    assert [row.queries[0].boolean_query for row in skills.searched] == [searched]


REJECTIONS: list[tuple[Any, models.UserFeedback]] = [
    ("reject", models.UserFeedback(free_text_feedback="")),
    ("reject: trials only", models.UserFeedback(free_text_feedback="trials only")),
    ({"action": "reject", "note": "n"}, models.UserFeedback(free_text_feedback="n")),
    (
        {"action": "reject", "note": "n", "revised_data": {"free_text_feedback": "f"}},
        models.UserFeedback(free_text_feedback="f"),
    ),
    (
        {"action": "reject", "note": "n", "revised_data": {"free_text_feedback": ""}},
        models.UserFeedback(free_text_feedback="n"),
    ),
]


MARKS = {"marked_relevant": ["always"], "marked_irrelevant": ["only-round_0"]}
MARKINGS: list[Any] = [
    _feedback(**MARKS),
    Decision(action=DecisionAction.EDIT, revised_data=models.UserFeedback(**MARKS)),
]
TOLD = [(kind, *row) for kind in CheckpointKind for row in REJECTIONS]
TOLD += [(RESULT, answer, models.UserFeedback(**MARKS)) for answer in MARKINGS]


@pytest.mark.parametrize(("kind", "answer", "feedback"), TOLD)
async def test_every_way_to_reject_or_to_mark_papers_reaches_the_builder(kind, answer, feedback):
    """HUM-01."""
    skills = FakeSkills()
    flow = workflow(skills)
    await _asked(flow, kind)
    assert (await reply_to(flow, "t", answer)).kind is STRATEGY
    assert skills.requests[1].user_feedback == feedback


NOTES = ["אבג \u202e right to left", "🧪" * 100, "a\x00b\x1b[31m", "x" * 20_000, "\n\n"]


@pytest.mark.parametrize("note", NOTES)
async def test_any_text_in_a_note_is_kept_as_it_is(note, url):
    """HUM-17."""
    skills = FakeSkills()
    flow = workflow(skills, persistence=url)
    await flow.start("q", thread_id="t")
    await reply_to(flow, "t", {"action": "reject", "note": note})
    assert skills.requests[1].user_feedback.free_text_feedback == note


async def test_half_a_character_in_a_note_does_not_poison_the_thread(url):
    """HUM-17: JSON may carry one."""
    flow = workflow(persistence=url)
    await flow.start("q", thread_id="t")
    try:
        await reply_to(flow, "t", {"action": "reject", "note": "half \ud83d"})
    except InvalidDecisionError:
        await reply_to(flow, "t", "reject")
    assert (await flow.pending("t")).iteration == 1


# --- which checkpoint is meant --------------------------------------------------------------------


def _ref(**changes: Any) -> dict[str, Any]:
    return {"run_id": "t", "kind": "strategy_confirmation", "iteration": 0} | changes


@pytest.mark.parametrize(
    "field", [{"run_id": "other"}, {"kind": "result_review"}, {"iteration": 1}]
)
async def test_an_answer_to_another_checkpoint_changes_nothing(field):
    """HUM-07 HUM-10."""
    skills = FakeSkills()
    flow = workflow(skills)
    asked = await flow.start("q", thread_id="t")
    with pytest.raises(
        StaleDecisionError, match="the open question is strategy confirmation of round 1"
    ):
        await reply_to(flow, "t", {"action": "approve", "checkpoint": _ref(**field)})
    assert await flow.pending("t") == asked
    assert skills.calls == ["parse", "build"]
    again = await reply_to(flow, "t", {"action": "approve", "checkpoint": _ref()})
    assert again.kind is RESULT


# --- the raw graph, as Studio and the server drive it ---------------------------------------------


class RawGraph:
    """The graph without SearchWorkflow around it."""

    def __init__(self, graph: Any, persistence: Any, skills: FakeSkills) -> None:
        self._graph, self._persistence, self.skills = graph, persistence, skills
        self._config = {"configurable": {"thread_id": "t"}}

    @classmethod
    async def at(cls, kind: CheckpointKind) -> "RawGraph":
        skills, persistence = FakeSkills(), await open_memory()
        raw = cls(SearchSession.graph(persistence, skills.skills), persistence, skills)
        await raw._graph.ainvoke({"question": "q"}, raw._config)
        if kind is RESULT:
            await raw.answer("approve")
        return raw

    async def answer(self, value: Any) -> Any:
        (interrupt,) = (await self.snapshot()).interrupts
        return await self._graph.ainvoke(Command(resume={interrupt.id: value}), self._config)

    async def snapshot(self) -> Any:
        return await self._graph.aget_state(self._config)

    async def stored(self) -> list[Any]:
        """Return what counts of the thread: LangGraph notes the error too, which does no harm."""
        saved = await self._persistence.checkpointer.aget_tuple(self._config)
        writes = [write for write in saved.pending_writes if write[1] != "__error__"]
        return [saved.checkpoint["id"], writes]


@pytest.mark.parametrize("kind", CheckpointKind)
async def test_the_raw_graph_refuses_every_bad_answer_too_and_stores_nothing(kind):
    """HUM-02 HUM-03 HUM-04 HUM-05 HUM-07 HUM-10: no client can poison a thread."""
    raw = await RawGraph.at(kind)
    before, stored = (await raw.snapshot()).interrupts, await raw.stored()
    of_others = [
        ({"action": "approve", "checkpoint": _ref(kind=kind.value, **other)}, "the open question")
        for other in ({"run_id": "other"}, {"iteration": 1})
    ]
    for answer, named in [*BAD[kind], *of_others]:
        if answer in (None, {}):  # LangGraph takes these for "no answer": the question is not told
            continue
        with pytest.raises(ValidationError, match=named):
            await raw.answer(answer)
        assert (await raw.snapshot()).interrupts == before
        assert await raw.stored() == stored
    await raw.answer("approve")
    assert (await raw.snapshot()).interrupts != before


# --- what a refusal says, word for word -----------------------------------------------------------


@pytest.fixture
async def strategy_asked() -> Checkpoint:
    return await _asked(workflow(), STRATEGY)


KNOWN = frozenset({"a", "b"})
REFUSED = "the decision cannot be used, the question stays open: "


def checked(checkpoint: Checkpoint, answer: Any) -> Decision:
    decision: Decision = check(answer, answer_model(checkpoint, KNOWN))
    return decision


def refusal(checkpoint: Checkpoint, answer: Any) -> str:
    with pytest.raises(InvalidDecisionError) as told:
        checked(checkpoint, answer)
    assert str(told.value).startswith(REFUSED)
    return str(told.value).removeprefix(REFUSED)


async def test_of_many_names_ten_are_told_and_long_ones_are_cut():
    asked = await _asked(workflow(), RESULT)
    names = [f"x{number:04}" for number in range(1_010)]
    told = refusal(asked, _feedback(marked_relevant=names[:10]))
    assert told == f"no such papers in this result: {', '.join(names[:10])}"
    told = refusal(asked, _feedback(marked_relevant=names))
    assert told == f"no such papers in this result: {', '.join(names[:10])} and 1,000 more"
    told = refusal(asked, _feedback(unmarked=["word " * 50]))
    assert told.endswith("[...]")
    assert len(told) < 140


async def test_an_unknown_source_is_told_with_those_that_there_are(strategy_asked):
    available = strategy_asked.payload.model_copy(update={"available_sources": ["arxiv", "core"]})
    asked = strategy_asked.model_copy(update={"payload": available})
    assert refusal(asked, _edit(sources=["arxiv", "x"])) == (
        "revised_data.sources: unknown source 'x'; known: arxiv, core"
    )
    assert checked(asked, _edit(sources=["core"])).revised_data.sources == ["core"]
    nothing = strategy_asked.payload.model_copy(update={"available_sources": []})
    asked = strategy_asked.model_copy(update={"payload": nothing})
    assert checked(asked, _edit(sources=["x"])).revised_data.sources == ["x"]


async def test_a_string_for_a_source_is_kept_as_it_is_and_needs_one_that_takes_it(strategy_asked):
    available = strategy_asked.payload.model_copy(update={"available_sources": ["arxiv", "core"]})
    asked = strategy_asked.model_copy(update={"payload": available})
    edit = _edit(sources=["arxiv"], native={"arxiv": 'ti:"x  y"|&'})
    assert checked(asked, edit).revised_data.native == {"arxiv": 'ti:"x  y"|&'}
    assert refusal(asked, _edit(sources=["arxiv"], native={"core": "x"})) == (
        "revised_data.native: 'core' takes no query in its own syntax; sources of this strategy"
        " that do: arxiv"
    )


@pytest.mark.parametrize("kind", [STRATEGY, RESULT])
def test_a_decision_on_a_question_that_is_past_is_read_if_there_is_one(kind):
    assert past_decision(kind, "reject: too old").note == "too old"
    given = Decision(action=DecisionAction.APPROVE)
    assert past_decision(kind, given).action is DecisionAction.APPROVE
    assert past_decision(kind, "perhaps") is None
    assert past_decision(kind, _nested(10_000)) is None
    marks = _feedback("reject", marked_relevant=["gone"])
    assert past_decision(kind, marks).revised_data.marked_relevant == ["gone"]
    assert (past_decision(kind, _edit()) is not None) is (kind is STRATEGY)
