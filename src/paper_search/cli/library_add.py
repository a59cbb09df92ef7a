"""`paper-search library add`: files into the person's own corpus."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paper_search.cli.options import Home, Json

if TYPE_CHECKING:
    from paper_search.library import ImportSummary, Library


def add(  # noqa: PLR0913, PLR0917  # one for each option
    ctx: typer.Context,
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="BibTeX, RIS, MEDLINE, Web of Science, EndNote, CSL-JSON, JSON lines (ours, "
            "OpenAlex, arXiv), CSV, Excel; also gzipped; whole folders; '-' for standard input.",
        ),
    ],
    format_name: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="bibtex, ris, medline, web-of-science, endnote, endnote-xml, csl-json, "
            "json-lines, json, csv or xlsx; else by name and content.",
        ),
    ] = None,
    with_vectors: Annotated[
        bool,
        typer.Option(
            "--embed/--no-embed",
            help="Create vectors for new records, if PAPER_SEARCH_EMBEDDINGS names a model.",
        ),
    ] = True,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Import files into the library. Duplicates are skipped.

    Unreadable records are listed with their line; the others are imported. In a folder, files
    of other kinds are skipped. If nothing in a file could be imported, the exit code is 1.
    """
    from paper_search.cli.console import print_json, say, visible
    from paper_search.cli.failures import ExitCode, explanation
    from paper_search.cli.import_files import given_files
    from paper_search.cli.import_progress import import_progress
    from paper_search.cli.settings import settings
    from paper_search.errors import InputError, UnknownFormatError
    from paper_search.library import Library
    from paper_search.library.embedders import create_embedder
    from paper_search.library.source import library_path

    config = settings(ctx, home)
    embedder = create_embedder(config.embeddings) if with_vectors else None
    documents, passed_over = list[dict[str, Any]](), 0
    with (
        Library.open(library_path(config.home), embedder=embedder) as library,
        given_files(files) as given,
    ):
        for file in given:
            try:
                with import_progress(file.label) as on_progress:
                    summary = library.import_file(
                        file.path, format_name=format_name, on_progress=on_progress
                    )
            except InputError as error:
                if file.is_found and isinstance(error, UnknownFormatError):
                    passed_over += 1
                    continue
                say(visible(file.said(f"{file.path}: {explanation(error)}")))
                reason = file.said(str(error))
                documents.append({"file": file.label, "imported": 0, "error": reason})
                continue
            documents.append(_document(summary, file.label))
            _tell(summary, file.label, is_quiet=as_json)
        _embed(library, is_wanted=embedder is not None)
    if passed_over:
        say(f"{passed_over} files of other kinds were skipped")
    if as_json:
        print_json(documents)
    if not documents or not all(each["imported"] for each in documents):
        raise typer.Exit(ExitCode.FAILED)


def _embed(library: "Library", *, is_wanted: bool) -> None:
    """Make the missing vectors if they are wanted; that it fails is told, and the import stands."""
    if not is_wanted:
        return
    from paper_search.cli.console import say, visible
    from paper_search.cli.failures import explanation
    from paper_search.cli.import_progress import import_progress
    from paper_search.cli.library_embed import told
    from paper_search.errors import EmbeddingError, LibraryError

    try:
        with import_progress("vectors", verb="making") as on_progress:
            made = library.embed(on_progress=on_progress)
    except (EmbeddingError, LibraryError) as error:
        say(
            visible(
                f"vectors are missing: {explanation(error)}; the records are in the library, and "
                "found by their words; `paper-search library embed` tries again"
            )
        )
    else:
        say(told(made))


def _tell(summary: "ImportSummary", label: str, *, is_quiet: bool) -> None:
    """List what was rejected on stderr, and unless quiet, the counts on stdout."""
    from paper_search.cli.console import say, visible

    for each in summary.rejected:
        say(visible(f"{label}:{each.line}: {each.reason}"))
    if unlisted := summary.rejected_count - len(summary.rejected):
        say(f"and {unlisted} more that were rejected")
    if not is_quiet:
        counts = summary.changes
        line = (
            f"{label}: {counts.added} added, {counts.updated} updated, "
            f"{counts.unchanged} unchanged, {summary.rejected_count} rejected"
        )
        typer.echo(visible(line))


def _document(summary: "ImportSummary", label: str) -> dict[str, Any]:
    return {
        "file": label,
        "imported": summary.read_count,
        "added": summary.changes.added,
        "updated": summary.changes.updated,
        "unchanged": summary.changes.unchanged,
        "rejected": summary.rejected_count,
        "rejections": [{"line": each.line, "reason": each.reason} for each in summary.rejected],
    }
