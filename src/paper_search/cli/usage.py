"""`paper-search usage`: calls of language models and their cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from paper_search.cli.console import print_json, run, say, stdout_console
from paper_search.cli.options import Home, Json, OptionalThread, settings

if TYPE_CHECKING:
    from rich.table import Table

    from paper_search.cli.tables import Fact
    from paper_search.llm.usage_log import LoggedUsage
    from paper_search.models.usage import Spending, StepSpending


def usage(
    thread: OptionalThread = None,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Show what language models cost.

    Read from the logs of this home (usage/THREAD.jsonl), which contain no questions or answers.
    Prices are those of the table at the time of each call; LLM_PRICES corrects the table.
    """
    from paper_search.cli.stored_threads import check_is_known
    from paper_search.llm.usage_log import UsageLog, logged_threads
    from paper_search.models.usage import total

    config = settings(home)
    directory = config.usage_path
    if thread is not None:
        log = UsageLog(directory, thread)
        if not log.path.is_file():
            run(check_is_known(config.persistence_url, thread))
        logged = log.read()
        if as_json:
            print_json(_as_json(thread, logged))
            return
        if not logged.steps:
            say(f"no language model was called from this home for thread {thread!r}")
        steps = {_of_round(step): step for step in logged.steps}
        if steps:
            rows = {**steps, **logged.by_model, "all": logged.spent}
            stdout_console().print(_table("Step", rows))
        if logged.budget:
            say(f"budget: {logged.budget}")
        return
    every = {name: UsageLog(directory, name).read() for name in logged_threads(directory)}
    if as_json:
        print_json([_as_json(name, logged) for name, logged in every.items()])
        return
    if not every:
        say("no language model was called from this home")
        return
    rows = {name: logged.spent for name, logged in every.items()}
    stdout_console().print(_table("Thread", {**rows, "all": total(rows.values())}))


def _table(of: str, rows: dict[str, Spending]) -> Table:
    from paper_search.cli.tables import grid
    from paper_search.models.usage import money_in_words

    columns = [f"{of}~", "Calls>", "Failed>", "Tokens in>", "Tokens out>", "Cost>"]
    cells = []
    for name, spent in rows.items():
        counts = (spent.calls, spent.failed, spent.input_tokens, spent.output_tokens)
        cells.append([name, *(f"{count:,}" for count in counts), money_in_words(spent.money)])
    return grid(columns, cells)


def _as_json(thread: str, logged: LoggedUsage) -> dict[str, Any]:
    fields, spent = logged.model_dump(mode="json"), logged.spent.model_dump(mode="json")
    return {"thread_id": thread, "spent": spent, "models": fields.pop("by_model"), **fields}


_STEPS = {
    "parse_intent": "question",
    "build_strategy": "strategy",
    "deduplicate": "duplicates",
    "score": "judging",
    "judge": "judging again",
}
"""Display names of steps; other steps are shown by their own names."""


def _of_round(step: StepSpending) -> str:
    return f"{_STEPS.get(step.step, step.step)} of round {step.iteration + 1}"


def usage_facts(usage: Sequence[StepSpending | Mapping[str, Any]]) -> Iterator[Fact]:
    if not usage:
        return
    from paper_search.models.usage import StepSpending, total

    parts = [StepSpending.model_validate(part) for part in usage]
    yield "spent", str(total(parts))
    for part in parts:
        yield "", f"{_of_round(part)}: {part}"
