"""`paper-search resume`: a thread that waits or stopped, taken further."""

from pathlib import Path
from typing import Annotated

import typer

from paper_search.cli.console import run
from paper_search.cli.options import (
    BudgetOption,
    Force,
    Format,
    Home,
    Json,
    Keep,
    Output,
    Thread,
    Token,
    budget_of,
    home_option,
    settings,
)


def resume(  # noqa: PLR0913, PLR0917  # one for each option
    ctx: typer.Context,
    thread: Thread,
    approve: Annotated[bool, typer.Option("--approve", help="Approve what is shown.")] = False,
    edit: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Answer with the JSON in FILE ('-': stdin): a strategy, feedback, or a decision.",
        ),
    ] = None,
    reject: Annotated[
        str | None, typer.Option(metavar="NOTE", help="Reject with a reason.")
    ] = None,
    relevant: Annotated[
        str | None,
        typer.Option(metavar="IDS", help="Mark papers as relevant: ids or numbers, with commas."),
    ] = None,
    irrelevant: Annotated[
        str | None,
        typer.Option(metavar="IDS", help="Mark papers as irrelevant: ids or numbers, with commas."),
    ] = None,
    reason: Annotated[
        str | None,
        typer.Option(metavar="WORDS", help="Why the papers are irrelevant; it is exported."),
    ] = None,
    same: Annotated[
        str | None,
        typer.Option(metavar="PAIRS", help='Pairs of "same work?" that are one work: numbers.'),
    ] = None,
    different: Annotated[
        str | None,
        typer.Option(metavar="PAIRS", help='Pairs of "same work?" that are two works: numbers.'),
    ] = None,
    split: Annotated[
        str | None,
        typer.Option(metavar="IDS", help="Split merged papers: ids or numbers."),
    ] = None,
    wait: Annotated[
        bool,
        typer.Option("--wait", help="Wait for slow sources: the rest joins this result."),
    ] = False,
    note: Annotated[
        str | None, typer.Option(metavar="WORDS", help="Say what the next round should look for.")
    ] = None,
    token: Token = None,
    budget: BudgetOption = None,
    keep: Keep = False,
    format_name: Format = None,
    output: Output = None,
    force: Force = False,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Answer the question of a thread, or continue one that stopped.

    With a decision, it runs to the next question or the end. Without one, you are asked at a
    terminal; without a terminal, the open question is shown and the exit code is 3. Marks or a
    note without --approve start another round. The commands that are printed name their question
    by --token; without it, an answer that may be for an earlier question is refused.

    A report continues as with `report --thread`: --approve, --edit, --note and --reject answer
    its question; --format and --output choose the output.
    """
    from paper_search.cli.answers import Answer, read_document
    from paper_search.cli.drive import SearchDrive
    from paper_search.cli.next_commands import SearchCommands
    from paper_search.cli.outputs import PaperOutput, ReportOutput
    from paper_search.cli.progress import ProgressLine
    from paper_search.cli.report_drive import resume_report
    from paper_search.cli.stored_threads import allow, is_report, stored_search, take_up

    config, root = settings(ctx, home, keep=keep), home_option(ctx, home)
    limit = budget_of(budget)
    answer = Answer(
        approve=approve,
        edit=read_document(edit),
        reject=reject,
        note=note,
        token=token,
        relevant=relevant,
        irrelevant=irrelevant,
        reason=reason,
        same=same,
        different=different,
        split=split,
        wait=wait,
    )
    if run(is_report(config.persistence_url, thread)):
        answer.check_for_report()
        target = ReportOutput.chosen(format_name, output, is_forced=force, is_json=as_json)
        allow(config, thread, limit)
        resume_report(config, root, target, answer, thread)
        return
    answer.check_for_search()
    papers = PaperOutput.chosen(format_name, output, is_forced=force, is_json=as_json)
    progress = ProgressLine()
    workflow = run(stored_search(config, thread, progress))
    allow(config, thread, limit)
    commands = SearchCommands(thread, root, (*papers.options, *["--keep"] * keep))
    drive = SearchDrive(config, workflow, progress, papers, commands)
    drive.run(take_up(config, workflow, thread, answer), is_asking=answer.is_empty)
