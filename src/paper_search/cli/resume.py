"""`paper-search resume`: a thread that waits or stopped, taken further."""

from pathlib import Path
from typing import Annotated

import typer

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
    given_home,
    settings,
)
from paper_search.cli.running import run


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
    """Resume a thread: answer its question, or continue where it stopped.

    With a decision, it runs to the next question or the end. Without one, you are asked at a
    terminal; without a terminal, the open question is shown and the exit code is 3. Marks or a
    note without --approve start another round. The commands that are printed name their question
    by --token; without it, an answer that may be for an earlier question is refused.

    A report continues as with `report --thread`: --approve, --edit, --note and --reject answer
    its question; --format and --output choose the output.
    """
    from paper_search.cli.answer import Answer
    from paper_search.cli.continuation import SearchContinuation
    from paper_search.cli.delivery import Delivery
    from paper_search.cli.progress import ProgressLine
    from paper_search.cli.report_delivery import ReportDelivery
    from paper_search.cli.report_drive import ReportAnswer, refuse_marks, resume_report
    from paper_search.cli.restoration import allow, is_report, restored, taken_up
    from paper_search.cli.search_drive import SearchDrive

    config = settings(ctx, home, keep=keep)
    allowed = budget_of(budget)
    works = (same, different, split)
    if run(is_report(config.persistence_url, thread)):
        refuse_marks(relevant, irrelevant, reason, *works, "--wait" if wait else None)
        allow(config, thread, allowed)
        resume_report(
            config,
            given_home(ctx, home),
            ReportDelivery.chosen(format_name, output, is_forced=force, is_json=as_json),
            ReportAnswer.chosen(approve, edit, note, reject, skip=False, token=token),
            thread,
        )
        return
    answer = Answer.chosen(
        approve, edit, reject, relevant, irrelevant, note, works, token, reason, wait=wait
    )
    delivery = Delivery.chosen(format_name, output, is_forced=force, is_json=as_json)
    progress = ProgressLine()
    workflow = run(restored(config, thread, progress))
    allow(config, thread, allowed)
    continuation = SearchContinuation(
        thread, given_home(ctx, home), (*delivery.options, *(["--keep"] if keep else []))
    )
    drive = SearchDrive(config, workflow, progress, delivery, continuation)
    drive.run(taken_up(config, workflow, thread, answer), is_asking=answer is None)
