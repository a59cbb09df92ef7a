"""`paper-search report`: a research report from a question, or from the papers of a search."""

from pathlib import Path
from typing import Annotated

import typer

from paper_search.cli.console import run
from paper_search.cli.failures import UsageMistakeError
from paper_search.cli.options import (
    BudgetOption,
    Force,
    Home,
    Json,
    Token,
    budget_of,
    home_option,
    settings,
)


def report(  # noqa: PLR0913, PLR0917  # one for each option
    ctx: typer.Context,
    question: Annotated[
        str | None,
        typer.Argument(metavar="[QUESTION]", help="The question, in a sentence."),
    ] = None,
    from_thread: Annotated[
        str | None,
        typer.Option("--from", metavar="THREAD", help="Use the papers of this finished search."),
    ] = None,
    thread: Annotated[
        str | None,
        typer.Option("--thread", metavar="THREAD", help="Continue this report, or output it."),
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(
            "--source",
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
    draft: Annotated[
        bool,
        typer.Option("--draft", help="With --thread: write the text that you are asked about."),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Skip all reviews.")] = False,
    approve: Annotated[bool, typer.Option("--approve", help="Approve what is shown.")] = False,
    edit: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Answer with the JSON in FILE ('-': stdin): a plan or a draft."
        ),
    ] = None,
    note: Annotated[str | None, typer.Option(metavar="WORDS", help="Request changes.")] = None,
    reject: Annotated[
        str | None, typer.Option(metavar="NOTE", help="Reject with a reason.")
    ] = None,
    skip: Annotated[bool, typer.Option("--skip", help="Continue without a decision.")] = False,
    token: Token = None,
    format_name: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="markdown, html, latex, json or docx; else by the name of --output.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write the report to this file."),
    ] = None,
    references: Annotated[
        str,
        typer.Option(metavar="STYLE", help="References: plain, or the path of a .csl file."),
    ] = "plain",
    budget: BudgetOption = None,
    figures: Annotated[
        bool | None,
        typer.Option(
            "--figures/--no-figures",
            help="Include figures; beside FILE for LaTeX and Markdown. By default in HTML and "
            "Word, if matplotlib is installed.",
        ),
    ] = None,
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
    from paper_search.cli.answers import Answer, read_document
    from paper_search.cli.outputs import ReportOutput
    from paper_search.cli.report_drive import begin_report, parameters_of, preview, resume_report

    target = ReportOutput.chosen(
        format_name, output, references, has_figures=figures, is_forced=force, is_json=as_json
    )
    answer = Answer(approve, read_document(edit), reject, note, token, skip)
    answer.check_for_report()
    config, root = settings(ctx, home), home_option(ctx, home)
    if thread is not None:
        if question or from_thread:
            raise UsageMistakeError("--thread continues a report; leave out QUESTION and --from")
        if draft:
            target.deliver(run(preview(config.persistence_url, thread)), {"thread_id": thread})
            return
        resume_report(config, root, target, answer, thread, is_asking=not yes)
        return
    if draft or not answer.is_empty:
        raise UsageMistakeError("an answer and --draft need --thread THREAD")
    parameters = parameters_of(
        named_settings or [],
        sources=source or None,
        depth=depth,
        style_guide=style,
        target_length=words,
        max_iterations=max_iterations,
        max_pages=pages,
        budget=budget_of(budget),
    )
    begin_report(
        *(config, root, target),
        question=question,
        from_thread=from_thread,
        is_asking=not yes,
        parameters=parameters,
    )
