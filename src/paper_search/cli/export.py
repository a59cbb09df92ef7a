"""`paper-search export`: the papers or the report of a thread, in a format or a file."""

import asyncio

import typer

from paper_search.cli.options import All, Force, Format, Home, Json, MinScore, Output, Thread


def export(  # noqa: PLR0913, PLR0917  # one for each option
    ctx: typer.Context,
    thread: Thread,
    format_name: Format = None,
    output: Output = None,
    force: Force = False,
    is_all: All = False,
    min_score: MinScore = None,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Write the papers of a thread to stdout or to a file; --force overwrites a file.

    An unfinished search gives the papers of its latest round. A finished report is written as
    markdown, html, latex, json or docx; `report --thread` can also format its references.
    """
    from paper_search.cli.console import say
    from paper_search.cli.delivery import Delivery
    from paper_search.cli.reading import thread_detail
    from paper_search.cli.report_delivery import ReportDelivery, export_report
    from paper_search.cli.settings import settings
    from paper_search.errors import ExportError
    from paper_search.report_workflow.catalog import ReportDetail

    detail = asyncio.run(thread_detail(settings(ctx, home).persistence_url, thread))
    if isinstance(detail, ReportDetail):
        wanted = ReportDelivery.chosen(format_name, output, is_forced=force, is_json=as_json)
        export_report(detail, wanted)
        return
    delivery = Delivery.chosen(format_name, output, is_forced=force, is_json=as_json)
    if detail.collection is None:
        raise ExportError(
            f"thread {thread!r} has no papers yet: it is {detail.status.value}; resume it first"
        )
    if detail.status.value != "done":
        say(f"unfinished search ({detail.status.value}): these are the papers so far")
    about = {"thread_id": thread, "status": detail.status.value}
    delivery.deliver(detail.collection.listed(is_all=is_all, min_score=min_score), about)
