"""`paper-search show`: one search or report in full."""

import asyncio
from typing import Annotated

import typer

from paper_search.cli.options import All, Home, Json, MinScore, Thread


def show(  # noqa: PLR0913, PLR0917  # one for each option
    ctx: typer.Context,
    thread: Thread,
    details: Annotated[
        bool,
        typer.Option("--details", help="Each query to each source, with all notes and errors."),
    ] = False,
    is_all: All = False,
    min_score: MinScore = None,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Show the status of a thread: its open question, its rounds, its sources and its papers.

    --all and --min-score list every paper that they let through, of a search.

    Of a report: its plan or draft where that is the question, and what happened on the way.
    """
    from paper_search.cli.console import data, print_json
    from paper_search.cli.continuation import ReportContinuation, SearchContinuation
    from paper_search.cli.reading import thread_detail
    from paper_search.cli.report_review import show_report
    from paper_search.cli.settings import given_home, settings
    from paper_search.cli.views import show_thread
    from paper_search.report_workflow.catalog import ReportDetail

    detail = asyncio.run(thread_detail(settings(ctx, home).persistence_url, thread))
    is_listing = is_all or min_score is not None
    if not isinstance(detail, ReportDetail) and detail.collection is not None:
        listed = detail.collection.listed(is_all=is_all, min_score=min_score)
        detail = detail.model_copy(update={"collection": listed})
    if as_json:
        print_json(detail.model_dump(mode="json"))
        return
    home_option = given_home(ctx, home)
    if isinstance(detail, ReportDetail):
        show_report(data(), detail)
        if detail.open_review is not None:
            for line in ReportContinuation(thread, home_option).lines(detail.open_review):
                typer.echo(line)
        return
    show_thread(data(), detail, home=home_option, has_details=details, is_all=is_listing)
    if detail.open_checkpoint is not None:
        for line in SearchContinuation(thread, home_option).lines(detail.open_checkpoint):
            typer.echo(line)
