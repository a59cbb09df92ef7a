from __future__ import annotations

import asyncio

import pytest

from paper_search.errors import LLMError
from paper_search.testing.llm import FakeLLM


async def test_answers_come_in_order_and_the_last_one_stays() -> None:
    llm = FakeLLM([{"n": 1}, {"n": 2}])
    assert [(await llm.complete_json("s", "u"))["n"] for _ in range(3)] == [1, 2, 2]
    assert llm.call_count == 3


async def test_a_rule_wins_over_the_script() -> None:
    llm = FakeLLM({"n": 1}, rules={"dogs": {"n": 7}, "cats": lambda call: call.user_message})
    assert await llm.complete_json("s", "about dogs") == {"n": 7}
    assert await llm.complete("s", "about cats") == "about cats"
    assert await llm.complete("s", "other") == '{"n": 1}'


async def test_an_error_is_raised() -> None:
    with pytest.raises(LLMError, match="down"):
        await FakeLLM(LLMError("down")).complete("s", "u")


async def test_text_is_read_as_json_where_json_is_asked_for() -> None:
    assert await FakeLLM('```json\n{"a": 1}\n```').complete_json("s", "u") == {"a": 1}


async def test_it_counts_what_runs_at_once() -> None:
    llm = FakeLLM({}, delay_s=0.01)
    await asyncio.gather(*(llm.complete_json("s", "u") for _ in range(4)))
    assert llm.most_running == 4
    assert llm.running == 0


async def test_without_an_answer_it_says_so() -> None:
    with pytest.raises(AssertionError, match="no answer"):
        await FakeLLM().complete("s", "u")
