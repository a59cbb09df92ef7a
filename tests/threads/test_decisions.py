"""Every client's way to answer, in one shape."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from paper_search.threads.decisions import decode, excerpt, form_of

FEEDBACK = {"marked_relevant": ["a"]}
OWN = {"action": "edit", "revised_data": FEEDBACK, "note": "n"}

SHAPES = {
    "own approve": ({"action": "approve"}, {"action": "approve"}),
    "own edit": (OWN, OWN),
    "own reject": ({"action": "reject", "note": "n"}, {"action": "reject", "note": "n"}),
    "text approve": ("approve", {"action": "approve", "note": None}),
    "text in capitals with spaces": ("  Approve \n", {"action": "approve", "note": None}),
    "text reject": ("reject", {"action": "reject", "note": None}),
    "text with a note": (
        "reject: only trials: since 2020",
        {"action": "reject", "note": "only trials: since 2020"},
    ),
    "JSON text": (json.dumps(OWN), OWN),
    "JSON text of a list": ('[{"type": "accept", "args": null}]', {"action": "approve"}),
    "inbox accept": ([{"type": "accept", "args": None}], {"action": "approve"}),
    "inbox accept, not in a list": ({"type": "accept", "args": None}, {"action": "approve"}),
    "inbox approve": ([{"type": "approve"}], {"action": "approve"}),
    "inbox edit": (
        [{"type": "edit", "args": {"action": "review", "args": FEEDBACK}}],
        {"action": "edit", "revised_data": FEEDBACK},
    ),
    "inbox edit with the fields at once": (
        [{"type": "edit", "args": FEEDBACK}],
        {"action": "edit", "revised_data": FEEDBACK},
    ),
    "inbox response": ([{"type": "response", "args": "why"}], {"action": "reject", "note": "why"}),
    "inbox list of our own": ([OWN], OWN),
    "inbox list of text": (["approve"], {"action": "approve", "note": None}),
    "chat approve": ({"decisions": [{"type": "approve"}]}, {"action": "approve"}),
    "chat reject": (
        {"decisions": [{"type": "reject", "message": "why"}]},
        {"action": "reject", "note": "why"},
    ),
    "chat reject alone": ({"decisions": [{"type": "reject"}]}, {"action": "reject", "note": None}),
    "chat edit": (
        {"decisions": [{"type": "edit", "edited_action": {"name": "x", "args": FEEDBACK}}]},
        {"action": "edit", "revised_data": FEEDBACK},
    ),
    "MCP accept": ({"action": "accept", "content": OWN}, OWN),
    "MCP accept of text": (
        {"action": "accept", "content": "approve"},
        {"action": "approve", "note": None},
    ),
}


@pytest.mark.parametrize(("given_", "expected"), SHAPES.values(), ids=SHAPES)
def test_every_shape_means_one_decision(given_, expected):
    """HUM-01."""
    assert decode(given_) == expected


NONSENSE = {
    "nothing": None,
    "an empty object": {},
    "an empty list": [],
    "an empty text": "",
    "blank text": "  ",
    "a number": 7,
    "a truth": True,
    "yes": "yes",
    "a word that begins like one": "approved",
    "two answers": ["approve", "approve"],
    "two chat decisions": {"decisions": [{"type": "approve"}, {"type": "approve"}]},
    "no chat decision": {"decisions": []},
    "an unknown chat verb": {"decisions": [{"type": "ignore"}]},
    "an unknown inbox verb": [{"type": "ignore", "args": None}],
    "an inbox response without words": [{"type": "response", "args": None}],
    "an inbox response of nothing": [{"type": "response", "args": " "}],
    "a list in a list": [["approve"]],
    "broken JSON": '{"action": "approve"',
    "JSON of nonsense": "[1, 2]",
    "deep JSON": "[" * 100_000,
    "deep objects in JSON": '{"action": "accept", "content": ' * 3000 + "1" + "}" * 3000,
    "five megabytes": "x" * 5_000_000,
}


@pytest.mark.parametrize("answer", NONSENSE.values(), ids=NONSENSE)
def test_what_is_no_decision_is_refused_in_few_words_that_say_what_is_one(answer):
    """HUM-03 HUM-06."""
    with pytest.raises(ValueError, match="approve") as caught:
        decode(answer)
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize(
    "answer",
    [
        "reject: \ud800",
        {"action": "reject", "note": "\ud800"},
        r'{"action": "edit", "revised_data": {"queries": ["\ud800"]}}',
        [{"type": "edit", "args": {"max_results": 10**20}}],
        {"decisions": [{"type": "edit", "edited_action": {"name": "x", "args": {"\udfff": 1}}}]},
    ],
)
def test_what_no_thread_can_store_is_refused(answer):
    with pytest.raises(ValueError, match="accepted: text in UTF-8, numbers of at most 64 bits"):
        decode(answer)


def test_nesting_without_an_end_is_refused():
    """HUM-06."""
    answer = "yes"
    for _ in range(10_000):
        answer = {"action": "accept", "content": answer}
    with pytest.raises(ValueError, match="approve"):
        decode(answer)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda children: (
        st.lists(children, max_size=3)
        | st.dictionaries(
            st.sampled_from(["action", "type", "args", "decisions", "content", "x"]), children
        )
    ),
    max_leaves=8,
)


@given(JSON)
def test_any_json_is_decoded_or_refused_and_nothing_else(answer):
    """HUM-03."""
    try:
        decoded = decode(answer)
    except ValueError:
        return
    assert "action" in decoded


def test_of_an_answer_that_is_no_text_the_audit_has_the_kind():
    assert excerpt({"action": "approve"}) == '{"action": "approve"}'
    assert excerpt(object()) == "object"


def test_a_form_has_the_title_that_is_given_or_that_of_its_model():
    class Answer(BaseModel):
        action: str

    assert form_of(Answer, "Is this it?")["title"] == "Is this it?"
    assert form_of(Answer)["title"] == "Answer"
