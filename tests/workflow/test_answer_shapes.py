"""Every client's shape × every verb × every way to get the content wrong, at both questions."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.workflow.doubles import workflow

from paper_search.errors import InvalidDecisionError
from paper_search.testing.skills import fake_strategy
from paper_search.threads.decisions import check
from paper_search.workflow import Checkpoint, DecisionAction
from paper_search.workflow.decisions import answer_model

VERBS = ["approve", "edit", "reject"]
Shape = Callable[[str, Any], Any]
"""Makes a client's answer of a verb and its content: data of an edit, else words."""


def own(verb: str, content: Any) -> Any:
    name = "revised_data" if verb == "edit" else "note"
    return {"action": verb, name: content}


def inbox(verb: str, content: Any) -> Any:
    if verb == "edit":
        return [{"type": "edit", "args": {"action": "review", "args": content}}]
    return [{"type": {"approve": "accept", "reject": "response"}[verb], "args": content}]


def chat(verb: str, content: Any) -> Any:
    if verb == "edit":
        return {"decisions": [{"type": "edit", "edited_action": {"name": "x", "args": content}}]}
    return {"decisions": [{"type": verb, "message": content}]}


SHAPES: dict[str, Shape] = {
    "own": own,
    "own in a list": lambda verb, content: [own(verb, content)],
    "JSON text": lambda verb, content: json.dumps(own(verb, content)),
    "agent-inbox": inbox,
    "agent-inbox, without its list": lambda verb, content: inbox(verb, content)[0],
    "agent-inbox, as JSON text": lambda verb, content: json.dumps(inbox(verb, content)),
    "agent-chat-ui": chat,
    "MCP": lambda verb, content: {"action": "accept", "content": own(verb, content)},
}
STRATEGY = fake_strategy("mine").model_dump(mode="json")
GOOD = {
    "strategy_confirmation": STRATEGY,
    "result_review": {"marked_relevant": ["always"], "free_text_feedback": "more"},
}
WRONG: dict[str, list[tuple[Any, str]]] = {
    "strategy_confirmation": [
        ({}, "changes nothing"),
        (STRATEGY | {"queries": "text"}, "queries"),
        (STRATEGY | {"queries": [{"boolean_query": "(a"}]}, r"queries\.0.*boolean_query"),
        (STRATEGY | {"queries": [{}]}, r"queries\.0\.boolean_query"),
        (STRATEGY | {"sources": [1]}, r"sources\.0"),
        (STRATEGY | {"extra": 1}, "extra"),
        (STRATEGY | {"filters": {"year_from": 2020, "year_to": 2010}}, "year_from 2020 is after"),
        (STRATEGY | {"filters": {"max_results": 0}}, r"filters\.max_results"),
    ],
    "result_review": [
        ({"marked_relevant": 3}, "marked_relevant"),
        ({"marked_relevant": [1]}, r"marked_relevant\.0"),
        ({"marked_relevant": ["unknown"]}, "no such papers"),
        ({"marked_relevant": ["always"], "marked_irrelevant": ["always"]}, "both relevant and"),
        ({"free_text_feedback": 7}, "free_text_feedback"),
        ({"marked": []}, "marked"),
        ({"merge_decisions": [{"one": "always"}]}, r"merge_decisions\.0\.other"),
    ],
}


@pytest.fixture(scope="module")
def questions() -> dict[str, Checkpoint]:
    """The two questions of a thread."""
    import asyncio

    async def asked() -> list[Any]:
        flow = workflow()
        return [await flow.start("q", thread_id="t"), await flow.answer("t", "approve")]

    return {criterion.kind.value: criterion for criterion in asyncio.run(asked())}


@pytest.mark.parametrize("kind", list(GOOD))
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_every_shape_carries_every_verb_to_both_questions(shape, verb, kind, questions):
    """HUM-01."""
    content = GOOD[kind] if verb == "edit" else None if verb == "approve" else "because"
    decision = check(shape(verb, content), answer_model(questions[kind], frozenset({"always"})))
    assert decision.action is DecisionAction(verb)
    if verb == "edit":
        given = decision.revised_data.model_dump(mode="json", exclude_unset=True)
        assert given == content
    if verb == "reject":
        assert decision.note == "because"


@pytest.mark.parametrize("kind", list(WRONG))
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_wrong_edit_in_any_shape_names_the_field(shape, kind, questions):
    """HUM-02 HUM-04 HUM-05 HUM-16."""
    for content, field in WRONG[kind]:
        with pytest.raises(InvalidDecisionError, match=f"question stays open.*{field}"):
            check(shape("edit", content), answer_model(questions[kind], frozenset({"always"})))


UNUSABLE = [None, 7, True, 1.5, [], {}, "", "yes", ["yes"], {"x": 1}, [[]], [None]]
"""Contents of which few say anything, whatever the verb."""
INBOX = {name for name in SHAPES if name.startswith("agent-inbox")}


def usable(name: str, verb: str, kind: str) -> list[Any]:
    """Return which of those contents make a decision, by the contract of each client."""
    if verb == "edit":
        return [{}] if kind == "result_review" else []  # feedback may say nothing
    if verb == "approve" and name in {*INBOX, "agent-chat-ui"}:
        return UNUSABLE  # these clients send along what was shown, which is not read
    return ["", "yes"] if name in INBOX else [None, "", "yes"]


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(("name", "shape"), SHAPES.items(), ids=SHAPES)
@pytest.mark.parametrize("kind", list(GOOD))
def test_a_content_makes_a_decision_only_where_the_shape_has_a_use_for_it(
    name, shape, verb, kind, questions
):
    """HUM-03: no other error than a refusal comes out."""
    taken = []
    for content in UNUSABLE:
        try:
            decision = check(
                shape(verb, content), answer_model(questions[kind], frozenset({"always"}))
            )
        except InvalidDecisionError as error:
            assert "question stays open" in str(error)  # noqa: PT017  # `taken` says which
        else:
            is_read = verb == "reject" or name not in {*INBOX, "agent-chat-ui"}
            note = content if is_read and isinstance(content, str) else None
            assert (decision.action, decision.note) == (DecisionAction(verb), note)
            taken.append(content)
    assert repr(taken) == repr(usable(name, verb, kind)), "1 is True, but its repr is not"
