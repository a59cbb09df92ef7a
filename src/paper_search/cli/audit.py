"""The command `audit`: what a search asked, found, removed and decided, as files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paper_search.cli.console import print_json, run, say, visible
from paper_search.cli.options import Home, Json, Thread, settings

if TYPE_CHECKING:
    from paper_search.audit import Audit


def audit(
    ctx: typer.Context,
    thread: Thread,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="DIR", help="New directory for the files."),
    ],
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Write an audit of a search, as files.

    It is what the search asked, found, removed and decided, with a manifest of SHA-256 hashes. The
    search log has what PRISMA-S asks for, the flow is that of PRISMA 2020, and records.csv has
    every record ever found with its fate. The same thread gives the same bytes.
    """
    from paper_search.audit import write_audit
    from paper_search.audit.pictures import is_available
    from paper_search.persistence import open_persistence

    url = settings(ctx, home).persistence_url

    async def write() -> Audit:
        async with open_persistence(url) as persistence:
            return await write_audit(persistence, thread, output)

    audit_files = run(write())
    flow = audit_files.flow
    if as_json:
        files = sorted(audit_files.files)
        flow_document = flow.model_dump(mode="json")
        print_json({"output": str(output.absolute()), "files": files, "flow": flow_document})
        return
    say(
        f"{flow.identified} records identified, {flow.duplicates} duplicates removed, "
        f"{flow.works} works: {flow.included} included, {flow.excluded} excluded, "
        f"{flow.undecided + flow.not_judged} not decided, "
        f"{flow.set_aside + flow.not_carried_over + flow.pending} not for screening"
    )
    if not is_available():
        say("no pictures: they need matplotlib (pip install 'paper-search[figures]')")
    say(visible(f"wrote {len(audit_files.files)} files to {output}; begin with report.html"))
