import asyncio

import pytest
from langchain_core.messages import AIMessage

from paper_search.errors import ConfigError, LLMFailure, ModelCallLimitError
from paper_search.llm.metering import CallResult, Meter, Metering, load_prices
from paper_search.llm.usage_log import CallBegun, UsageLog, logged_threads
from paper_search.models.usage import Budget, StepSpending, Tokens

MODEL = "openai:gpt-4o-mini"


async def spend(meter: Meter, asked: int, answered: int, most: int = 100) -> None:
    async with meter.call(MODEL, asked, most) as call:
        await asyncio.sleep(0)
        done(call, asked, answered)


def done(call: CallResult, asked: int, answered: int) -> None:
    call.input_tokens, call.output_tokens, call.failure = asked, answered, None


async def test_calls_that_run_at_once_never_pass_the_budget_together():
    meter = Meter(step="score", budget=Budget(tokens=1000))
    running = [spend(meter, 100, 20, most=300) for _ in range(20)]
    done = await asyncio.gather(*running, return_exceptions=True)
    assert {type(item) for item in done} == {type(None), ModelCallLimitError}
    # Each reserves 400 and needs 120: the seventh has 280 left, which might not do.
    assert "another call, which may need 400 tokens: 280 tokens left" in str(done[-1])
    assert meter.of_step.calls == 6
    assert meter.of_step.tokens == 720


async def test_a_call_that_is_cut_off_counts_as_one_and_holds_up_no_other():
    meter = Meter(step="score", budget=Budget(calls=2))

    async def hang() -> None:
        async with meter.call(MODEL, 50, 100):
            await asyncio.sleep(60)

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(hang(), 0.01)
    await spend(meter, 10, 5)
    with pytest.raises(ModelCallLimitError) as caught:
        await spend(meter, 10, 5)
    assert caught.value.reason is LLMFailure.BUDGET
    spent = meter.of_step
    assert (spent.calls, spent.failed, spent.input_tokens, spent.output_tokens) == (2, 1, 60, 5)


async def test_an_answer_that_is_lost_counts_for_the_budget_as_the_longest_and_not_as_spent(
    tmp_path,
):
    """It may be charged, so that the budget would not be a limit."""
    log = UsageLog(tmp_path, "t")
    meter = Meter(step="score", log=log, budget=Budget(tokens=1000))
    async with meter.call(MODEL, 100, 400) as call:
        call.fail(TimeoutError(), LLMFailure.TIMEOUT)
    begun = {"id": "cut off", "step": "s", "iteration": 0, "model": MODEL}
    log.append(CallBegun(**begun, input_tokens=50, money=0.0))
    again = Meter(step="judge", log=log, logged=log.read(), budget=Budget(tokens=1000))
    for one, left in ((meter, 500), (again, 450)):
        with pytest.raises(ModelCallLimitError, match=f"{left} tokens left"):
            await spend(one, 100, 20, most=401)
    assert (meter.of_step.tokens, log.read().spent.tokens) == (100, 150)
    money = Meter(step="judge", logged=log.read(), budget=Budget(money=0.0003))
    with pytest.raises(ModelCallLimitError, match="does not cover"):
        await spend(money, 100, 20)


async def test_a_call_during_which_the_process_died_counts_for_the_budget_as_the_longest(tmp_path):
    log = UsageLog(tmp_path, "t")
    async with Meter(step="score", log=log).call(MODEL, 100, 400):
        killed = log.path.read_bytes()
    log.path.write_bytes(killed)
    again = Meter(step="score", logged=log.read(), budget=Budget(tokens=1000))
    with pytest.raises(ModelCallLimitError, match="500 tokens left"):
        await spend(again, 100, 20, most=401)


async def test_reasoning_that_no_answer_shows_is_part_of_the_estimate(tmp_path):
    log = UsageLog(tmp_path, "t")
    for hidden in (900, 600):
        async with Meter(step="parse_intent", log=log).call(MODEL, 400, 4096) as call:
            usage = {"input_tokens": 300, "output_tokens": hidden + 4, "total_tokens": 0}
            call.answer(AIMessage(content="{} " * 3, usage_metadata=usage))
    costs = [(name, Tokens(10, 600, 50)) for name in (MODEL, "openai:gpt-4o")]
    one, other = (Metering(tmp_path).estimate([cost], log.read()) for cost in costs)
    assert (one.output_tokens, other.output_tokens) == (50 + 10 * 750, 50)


async def test_what_was_spent_before_a_crash_counts_after_it(tmp_path):
    log = UsageLog(tmp_path, "a/b")
    meter = Meter(step="score", iteration=1, log=log)
    await spend(meter, 100, 10)
    async with meter.call(MODEL, 70, 100):
        killed = log.path.read_bytes()  # as it is if the process dies here
    log.path.write_bytes(killed + b'{"event": "end", "id": "cut o')

    again = Meter(step="score", iteration=1, log=log, logged=log.read(), budget=Budget(calls=3))
    assert (again.of_step.calls, again.of_step.failed) == (2, 1)
    assert again.of_step.input_tokens == 170
    await spend(again, 100, 10)
    with pytest.raises(ModelCallLimitError):
        await spend(again, 100, 10)
    assert logged_threads(tmp_path) == ["a/b"]


async def test_on_a_machine_without_the_log_the_state_says_what_was_spent(tmp_path):
    meter = Meter(
        step="score",
        log=UsageLog(tmp_path, "t"),
        before=[StepSpending(step="build_strategy", calls=5)],
        budget=Budget(calls=6),
    )
    await spend(meter, 1, 1)
    with pytest.raises(ModelCallLimitError, match="6 calls"):
        await spend(meter, 1, 1)


@pytest.mark.parametrize(("counted", "asked"), [(196, 490), (224, 560), (300, 600), (450, 900)])
async def test_questions_are_estimated_as_their_server_counted_those_before(
    tmp_path, counted, asked
):
    """A server that counts few tokens does not count the form of the answer."""
    log = UsageLog(tmp_path, "t")
    async with Meter(step="parse_intent", log=log).call(MODEL, 400, 100, 120) as call:
        done(call, counted, 20)
    log.append(CallBegun(id="cut off", step="s", iteration=0, model=MODEL, input_tokens=900))
    costs = [(name, Tokens(2, 600, 50, 75)) for name in (MODEL, "openai:gpt-4o")]
    one, other = (Metering(tmp_path).estimate([cost], log.read()) for cost in costs)
    assert (one.input_tokens, one.output_tokens) == (asked, 50)
    assert other.input_tokens == 600


def test_versions_of_a_model_cost_what_the_model_does():
    prices = load_prices()
    mini = prices.of("openai:gpt-4o-mini")
    assert mini == prices.of("openai:gpt-4o-mini-2024-07-18")
    assert mini != prices.of("openai:gpt-4o")
    assert prices.of("mistralai:mistral-small-latest") == prices.of("mistralai:mistral-small")
    assert prices.of("openai:gpt-4o-mega") is None


def test_a_file_of_ones_own_corrects_the_prices_and_their_date(tmp_path):
    own = tmp_path / "prices.json"
    own.write_text('{"date": "2030-01-31", "models": {"openai:gpt-4o": [1, 2]}}')
    prices = load_prices(own)
    assert prices.of("openai:gpt-4o").of(1_000_000, 500_000) == 2.0
    assert prices.of(MODEL) == load_prices().of(MODEL)
    assert prices.date == "2030-01-31"


def test_a_table_of_prices_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"cannot read '.*absent\.json': No such file"):
        load_prices(tmp_path / "absent.json")


@pytest.mark.parametrize("text", ["", "[]", '{"models": {}}', '{"date": "soon", "models": {}}'])
def test_a_file_that_is_no_table_of_prices_says_what_to_write(tmp_path, text):
    own = tmp_path / "prices.json"
    own.write_text(text)
    with pytest.raises(ConfigError, match=r"LLM_PRICES.*per million tokens"):
        load_prices(own)
