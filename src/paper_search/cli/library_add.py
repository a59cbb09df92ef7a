"""`paper-search library add`: files into the person's own corpus."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paper_search.cli.options import Home, Json

if TYPE_CHECKING:
    from paper_search.library import ImportSummary


def add(
    ctx: typer.Context,
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="BibTeX, RIS, CSL-JSON, JSON lines or our own JSON export; also gzipped.",
        ),
    ],
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Import files into the library; importing the same again adds nothing.

    Records that cannot be used are listed with their line, the others go in. If nothing of a file
    could be imported, the exit code is 1.
    """
    from paper_search.cli.console import print_json, say, visible
    from paper_search.cli.failures import ExitCode, explanation
    from paper_search.cli.import_progress import import_progress
    from paper_search.cli.settings import settings
    from paper_search.errors import InputError
    from paper_search.library import Library
    from paper_search.library.source import library_path

    documents: list[dict[str, Any]] = []
    with Library.open(library_path(settings(ctx, home).home)) as library:
        for file in files:
            try:
                with import_progress(file) as on_progress:
                    summary = library.import_file(file, on_progress=on_progress)
            except InputError as error:
                say(visible(f"{file}: {explanation(error)}"))
                documents.append({"file": str(file), "imported": 0, "error": str(error)})
                continue
            documents.append(_document(summary))
            _tell(summary, is_quiet=as_json)
    if as_json:
        print_json(documents)
    if not all(each["imported"] for each in documents):
        raise typer.Exit(ExitCode.FAILED)


def _tell(summary: "ImportSummary", *, is_quiet: bool) -> None:
    """List what was rejected on stderr, and unless quiet, the counts on stdout."""
    from paper_search.cli.console import say, visible

    for each in summary.rejected:
        say(visible(f"{summary.path}:{each.line}: {each.reason}"))
    if unlisted := summary.rejected_count - len(summary.rejected):
        say(f"and {unlisted} more that could not be used")
    if not is_quiet:
        counts = summary.changes
        line = (
            f"{summary.path}: {counts.added} added, {counts.updated} updated, "
            f"{counts.unchanged} unchanged, {summary.rejected_count} rejected"
        )
        typer.echo(visible(line))


def _document(summary: "ImportSummary") -> dict[str, Any]:
    return {
        "file": str(summary.path),
        "imported": summary.read_count,
        "added": summary.changes.added,
        "updated": summary.changes.updated,
        "unchanged": summary.changes.unchanged,
        "rejected": summary.rejected_count,
        "rejections": [{"line": each.line, "reason": each.reason} for each in summary.rejected],
    }
