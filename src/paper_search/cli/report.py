"""`paper-search report`: a new report."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from paper_search.cli.console import ProgressLine, UsageMistakeError, run, with_persistence
from paper_search.cli.options import (
    BudgetOption,
    Figures,
    Force,
    Home,
    Json,
    Output,
    References,
    SkipReviews,
    budget_of,
    home_option,
    settings,
)

if TYPE_CHECKING:
    from paper_search.config import AppConfig


def report(  # noqa: PLR0913, PLR0917  # one for each option
    ctx: typer.Context,
    question: Annotated[
        str | None, typer.Argument(metavar="[QUESTION]", help="The question, in a sentence.")
    ] = None,
    from_thread: Annotated[
        str | None,
        typer.Option("--from", metavar="THREAD", help="Use the papers of this finished search."),
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Search only this source, including web searches such as tavily; repeatable.",
        ),
    ] = None,
    depth: Annotated[
        str | None, typer.Option(metavar="DEPTH", help="quick, standard (default), comprehensive.")
    ] = None,
    style: Annotated[
        str | None, typer.Option(metavar="STYLE", help="academic (default), technical, executive.")
    ] = None,
    words: Annotated[
        int | None, typer.Option(min=100, metavar="N", help="Length in words (2000).")
    ] = None,
    max_iterations: Annotated[
        int | None, typer.Option(min=1, max=20, metavar="N", help="Review at most N drafts (3).")
    ] = None,
    named_settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Any setting of a report, such as writer_model=NAME or max_gap_searches=1; "
            "repeatable. PAPER_SEARCH_REPORT or `config set report` sets them for all.",
        ),
    ] = None,
    pages: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=100,
            metavar="N",
            help="Read at most N web pages and open-access papers; 0: none.",
        ),
    ] = None,
    yes: SkipReviews = False,
    format_name: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="markdown, html, latex, json or docx; else by the name of --output.",
        ),
    ] = None,
    output: Output = None,
    references: References = "plain",
    figures: Figures = None,
    budget: BudgetOption = None,
    force: Force = False,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Write a research report, in steps.

    It is planned, researched, written and reviewed. At a terminal you review the plan and the
    report. Without a terminal, it stops at each question with exit code 3 and prints the command
    that continues, unless --yes. Without a language model the report consists of sentences from the
    sources.
    """
    import uuid

    from paper_search.cli.outputs import ReportOutput
    from paper_search.cli.runner import ReportRunner
    from paper_search.cli.stored_threads import NextCommands
    from paper_search.report_workflow import ReportWorkflow

    target = ReportOutput.chosen(
        format_name, output, references, has_figures=figures, is_forced=force, is_json=as_json
    )
    config, thread_id, progress = settings(ctx, home), str(uuid.uuid4()), ProgressLine()
    parameters = _pairs(named_settings or [])
    options = {
        "sources": source or None,
        "depth": depth,
        "style_guide": style,
        "target_length": words,
        "max_iterations": max_iterations,
        "max_pages": pages,
        "budget": budget_of(budget),
        "from_thread": from_thread,
        "hitl_after_planning": not yes,
        "hitl_before_output": not yes,
    }
    workflow = ReportWorkflow.from_config(
        config,
        progress_reporter=progress,
        persistence=config.persistence_url,
        **(parameters | {name: value for name, value in options.items() if value is not None}),
    )
    begin = workflow.run if yes else workflow.start
    commands = NextCommands(thread_id, home_option(ctx, home), tuple(target.options))
    beginning = begin(question or _question_of_thread(config, from_thread), thread_id=thread_id)
    runner = ReportRunner(config, workflow, progress, target, commands)
    runner.run(beginning, is_asking=not yes)


def _pairs(assignments: list[str]) -> dict[str, Any]:
    """Return the values of `--set` by name; Raises UsageMistakeError: one is not NAME=VALUE."""
    pairs: dict[str, Any] = {}
    for setting in assignments:
        name, _, value = (part.strip() for part in setting.partition("="))
        if not (name and value):
            raise UsageMistakeError(f"--set {setting!r}: give NAME=VALUE, as in depth=quick")
        pairs[name] = value
    return pairs


def _question_of_thread(config: "AppConfig", from_thread: str | None) -> str:
    if from_thread is None:
        raise UsageMistakeError("give a QUESTION, or --from THREAD")
    from paper_search.workflow.session import SearchSession

    url = config.persistence_url
    return run(with_persistence(url, lambda p: SearchSession.on(p, from_thread).state())).question
