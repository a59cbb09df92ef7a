"""`paper-search judge`: a model judges the papers of a search that is there."""

from typing import Annotated

import typer

from paper_search.cli.console import print_json, run, say, visible
from paper_search.cli.failures import ExitCode
from paper_search.cli.options import (
    BudgetOption,
    Home,
    Json,
    Thread,
    budget_of,
    home_option,
    settings,
)


def judge(  # noqa: PLR0913, PLR0917  # one for each option
    ctx: typer.Context,
    thread: Thread,
    unjudged: Annotated[
        bool, typer.Option("--unjudged", help="Only papers that no model has judged.")
    ] = False,
    budget: BudgetOption = None,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Have the model judge papers of a search.

    Nothing is searched again. The open question stays open; its papers are then in the new order.
    What the model said before of a paper, by the same criteria, costs nothing.
    """
    from paper_search.cli.next_commands import SearchCommands
    from paper_search.cli.progress import ProgressLine
    from paper_search.cli.stored_threads import allow, stored_search

    config = settings(ctx, home)
    allow(config, thread, budget_of(budget))
    workflow = run(stored_search(config, thread, ProgressLine()))
    report = run(workflow.judge(thread, is_all=not unjudged))
    if as_json:
        print_json({"thread_id": thread, **report.model_dump(mode="json")})
    else:
        count = report.papers - sum(report.unjudged.values())
        say(f"{count} of {report.papers} papers are judged; {report.asked} were looked at now")
    if report.summary is not None:
        again = SearchCommands(thread, home_option(ctx, home)).judging()
        say(visible(f"{report.summary}; `{again}` asks again"))
    if report.is_failure:
        raise typer.Exit(ExitCode.FAILED)
