import asyncio
import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel
from tests.examples import examples

from paper_search.errors import LLMError, LLMResponseError
from paper_search.llm import ask
from paper_search.llm.chat import redacted
from paper_search.llm.structured import json_object
from paper_search.testing.llm import FakeLLM


class Pair(BaseModel):
    a: int
    b: list[str] = []


async def test_a_good_answer_costs_one_call():
    llm = FakeLLM({"a": 1})
    assert await ask(llm, Pair, "s", "u") == Pair(a=1)
    assert llm.call_count == 1
    assert llm.calls[0].schema == Pair.model_json_schema()


async def test_the_model_sees_its_mistake_and_its_answer():
    """LLM-05"""
    llm = FakeLLM([{"a": "x"}, {"a": 2}])
    assert await ask(llm, Pair, "s", "u") == Pair(a=2)
    assert "a: Input should be a valid integer" in llm.calls[1].user_message
    assert '{"a": "x"}' in llm.calls[1].user_message


async def test_half_of_a_surrogate_pair_is_replaced_because_it_cannot_be_stored():
    llm = FakeLLM([{"a": "\ud800"}, {"a": 1, "b": ["x\udfff", "🙂"]}])
    assert await ask(llm, Pair, "s", "u") == Pair(a=1, b=["x\ufffd", "🙂"])
    assert llm.calls[1].user_message.encode()


async def test_no_text_of_an_answer_turns_a_line_around_or_is_invisible():
    """INJ-02"""
    llm = FakeLLM(
        {"a": 1, "b": ["bees\u202e AND\0\x1b\x9b31m \u200bants\U000e0041", "می\u200cخواهم\n"]}
    )
    assert (await ask(llm, Pair, "s", "u")).b == ["bees AND31m ants", "می\u200cخواهم\n"]


async def test_there_is_one_repair_and_no_more():
    """LLM-01"""
    llm = FakeLLM({"a": None})
    with pytest.raises(LLMResponseError, match="a: Input should be"):
        await ask(llm, Pair, "s", "u")
    assert llm.call_count == 2


async def test_none_is_no_answer():
    """LLM-06"""
    llm = FakeLLM(lambda _: None)
    with pytest.raises(LLMResponseError):
        await ask(llm, Pair, "s", "u")


async def test_a_provider_that_hangs_is_given_up():
    """LLM-13"""
    llm = FakeLLM({"a": 1}, delay_s=30)
    llm.deadline_s = 0.05
    with pytest.raises(LLMError, match=r"within 0\.05 s"):
        await ask(llm, Pair, "s", "u")


async def test_cancelling_is_not_taken_for_a_timeout():
    task = asyncio.create_task(ask(FakeLLM({"a": 1}, delay_s=30), Pair, "s", "u"))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize(
    "text", ["", "no json", '{"a": {"b": 1}', 'Here: {"a": {"b": 1}', '[{"a": 1}]', "{not json}"]
)
def test_text_without_a_whole_object_is_refused(text):
    with pytest.raises(LLMResponseError):
        json_object(text)


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', 'So: {"b": [{"a": {"c": 1}, "a": {}}]}.'])
def test_an_object_that_gives_a_name_two_values_is_refused(text):
    with pytest.raises(LLMResponseError):
        json_object(text)
    assert json_object('{"a": [1], "a": [1]}') == {"a": [1]}


@pytest.mark.parametrize(
    "text",
    [
        'Perhaps {"grade": 3}. No: {"grade": 1}',
        '```json\n{"grade": 3}\n```\nCorrected:\n```json\n{"grade": 1}\n```',
        '{"results": []}\n{"results": [{"grade": 1}]}',
    ],
)
def test_answers_that_differ_are_none(text):
    """The first may be a draft, the last an example."""
    with pytest.raises(LLMResponseError, match="several answers"):
        json_object(text)
    assert json_object('{"grade": 1}, that is\n{"grade": 1.0}') == {"grade": 1}


def test_a_model_that_was_cut_off_while_thinking_gave_no_answer():
    with pytest.raises(LLMResponseError):
        json_object('<think>Is it {"score": 0}')


@pytest.mark.parametrize(
    "text",
    ['{"a": 1} I hope this {helps}', '<thinking>{"a": 2}?</thinking>{"a": 1} Bye {', 'A: {"a": 1}'],
)
def test_an_object_is_found_between_sentences_and_behind_thoughts(text):
    assert json_object(text) == {"a": 1}


@given(st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=8), max_size=4))
@examples(50)
def test_every_object_survives_a_fence(value):
    import json

    assert json_object(f"Here you are:\n```json\n{json.dumps(value)}\n```") == value


@given(st.text(max_size=200))
@examples(100)
def test_no_text_breaks_the_reader(text):
    with contextlib.suppress(LLMResponseError):
        assert isinstance(json_object(text), dict)


@pytest.mark.parametrize(
    "text",
    [
        '<think>{"a": 0}? {"b" is no</think>{"a": 1}',
        '<reasoning>{"a": 0}</reasoning>{"a": 1}',
        '[THINK]{"a": 0}[/THINK]{"a": 1}',
        'Hm, {"a": 0}.\n</think>\n```json\n{"a": 1}\n```',
    ],
)
def test_thoughts_before_the_answer_do_not_count(text):
    assert json_object(text) == {"a": 1}
    assert json_object('{"a": "</think>{}"}') == {"a": "</think>{}"}


def test_a_very_short_key_does_not_blank_out_the_message():
    assert redacted("a key is a key", "a") == "a key is a key"
    assert redacted("abcd and sk-12345678", "abcd") == "[redacted] and [redacted]"


def test_a_key_is_redacted_as_urls_and_json_write_it():
    assert redacted(r'at /v1/a%2Fb%22c with "a/b\"c"', 'a/b"c') == (
        'at /v1/[redacted] with "[redacted]"'
    )
