from types import SimpleNamespace
from typing import Any

from paper_search.llm.metering import Metering, count_call
from paper_search.steps import Outcome
from paper_search.threads.spending import count_spending


async def call_twice(_: Any) -> tuple[Outcome, dict[str, Any]]:
    for _call in range(2):
        async with count_call("openai:gpt-4o-mini", 10, 20) as call:
            call.input_tokens, call.output_tokens, call.failure = 10, 5, None
    return Outcome.OK, {}


async def test_a_step_that_runs_again_in_a_round_has_one_entry_with_all_of_its_calls():
    step = count_spending(call_twice, iteration=lambda state: state.round, budget=lambda _: None)
    usage: list[Any] = []
    for round_ in (0, 0, 1):
        ctx = SimpleNamespace(
            step_state=SimpleNamespace(usage=usage, round=round_),
            step_id="score",
            services=SimpleNamespace(metering=Metering()),
            thread_id="t",
        )
        _, update = await step(ctx)
        usage = update["usage"]
    assert [(one.iteration, one.calls, one.tokens) for one in usage] == [(0, 4, 60), (1, 2, 30)]
