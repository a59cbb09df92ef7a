"""Output of papers and reports, to stdout or a file."""

from __future__ import annotations

import asyncio
import json
from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import typer

from paper_search.cli.console import (
    ExitCode,
    UsageMistakeError,
    is_terminal,
    print_json,
    print_text,
    run,
    say,
    stdout_console,
    visible,
)
from paper_search.errors import UnknownNameError

if TYPE_CHECKING:
    from paper_search.config import AppConfig
    from paper_search.models import Paper, PaperCollection
    from paper_search.report.document import Report
    from paper_search.report.outputs.figures import Format

TABLE = "table"
TITLES_SHOWN = 10
"""Titles printed when papers go to a file."""
SET_ASIDE = "set aside"
OF_EARLIER = "undecided of earlier rounds"
REPORT_SUFFIXES = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".tex": "latex",
    ".json": "json",
    ".docx": "docx",
}


@dataclass(frozen=True)
class OutputTarget(ABC):
    """A format, and stdout or a file; checked before any work is done."""

    format_name: str
    output: Path | None
    is_forced: bool
    is_json: bool

    plain_formats: ClassVar[frozenset[str]]
    """Default formats for people and for machines, which need no --format."""

    def check(self, *beside: Path) -> None:
        """Refuse options that conflict, and files that cannot be written."""
        if self.is_json and self.output is None and self.format_name != "json":
            raise UsageMistakeError(
                f"--json and --format {self.format_name} both write to stdout; "
                "give --output FILE for one"
            )
        if self.is_forced and self.output is None:
            raise UsageMistakeError("--force needs --output FILE")
        for path in [self.output, *beside] if self.output is not None else []:
            _refuse_directory(path)
            if not self.is_forced and (path.exists() or path.is_symlink()):
                raise UsageMistakeError(
                    f"{str(path)!r} already exists and was not changed; "
                    "give another name, or --force to overwrite it"
                )
            if not path.absolute().parent.is_dir():
                raise UsageMistakeError(
                    f"the directory {str(path.parent)!r} does not exist; create it first"
                )

    @abstractmethod
    def deliver(self, result: Any, about: dict[str, Any]) -> None:
        """Write the result; `about` holds further fields for --json."""

    @property
    def options(self) -> list[str]:
        """Options that request the same output."""
        words = [] if self.output is None else ["--output", str(self.output.absolute())]
        if self.output is not None or self.format_name not in self.plain_formats:
            words = ["--format", self.format_name, *words]
        return words + ["--force"] * self.is_forced + ["--json"] * self.is_json

    @property
    def _file(self) -> dict[str, str]:
        return {} if self.output is None else {"output": str(self.output.absolute())}

    def _write(self, content: str | bytes, path: Path) -> Path:
        from paper_search.exports.files import write_export

        return write_export(content, path, overwrite=self.is_forced)


def _refuse_directory(path: Path) -> None:
    if path.is_dir():
        raise UsageMistakeError(f"{str(path)!r} is a directory; name a file in it")


@dataclass(frozen=True)
class PaperOutput(OutputTarget):
    plain_formats = frozenset({TABLE, "json"})

    @classmethod
    def of_options(
        cls, format_name: str | None, output: Path | None, *, is_forced: bool, is_json: bool
    ) -> PaperOutput:
        if format_name is None and output is not None:
            from paper_search.exports import format_for_suffix

            _refuse_directory(output)
            format_name = format_for_suffix(output)
        name = format_name or ("json" if is_json else TABLE)
        if name != TABLE:
            _require_exporter(name)
        elif output is not None:
            raise UsageMistakeError("a table is for the terminal; give another format for a file")
        target = cls(name, output, is_forced=is_forced, is_json=is_json)
        target.check()
        return target

    def deliver(self, collection: PaperCollection, about: dict[str, Any]) -> None:
        if self.output is not None:
            from paper_search.models.source_report import quantity

            path = self._write(self._render(collection), self.output)
            if not self.is_json:
                _say_titles(collection)
            say(f"wrote {quantity(len(collection.papers), 'paper')} to {visible(path)}")
        if self.is_json:
            print_json({**about, **self._file, **collection.model_dump(mode="json")})
        elif self.output is None and self.format_name == TABLE:
            if collection.papers:
                from paper_search.cli.tables import paper_table

                stdout_console().print(paper_table(collection.papers))
        elif self.output is None:
            document = self._render(collection)
            if isinstance(document, bytes) and is_terminal():
                raise UsageMistakeError(
                    f"{self.format_name} is binary; give --output FILE, or redirect to a file"
                )
            print_text(document)

    def _render(self, collection: PaperCollection) -> str | bytes:
        from paper_search.exports import get_exporter

        document = get_exporter(self.format_name)(collection)
        if isinstance(document, bytes) or document.endswith("\n"):
            return document
        return document + "\n"


def push_papers(  # noqa: PLR0913  # what is pushed, where, and how it is printed
    config: AppConfig,
    reference: str,
    papers: list[Paper],
    whole: PaperCollection,
    about: dict[str, Any],
    *,
    is_json: bool,
) -> None:
    from paper_search.review.zotero_push import push

    ids = {paper.id for paper in papers}
    others = [paper for paper in whole.every_paper if paper.id not in ids]
    if not config.zotero.api_key:
        say("if Zotero opens a window to ask for permission to write, answer there")
    summary = run(push(config, reference, about["thread_id"], papers, others))
    if is_json:
        print_json({**about, **asdict(summary), **summary.counts})
    else:
        counts = ", ".join(f"{count} {name}" for name, count in summary.counts.items() if count)
        typer.echo(visible(f"{summary.collection} in Zotero: {counts or 'nothing to do'}"))
    if summary.counts["left"]:
        say("left: items in the trash of Zotero, or without our line in their Extra field")
    for key, reason in summary.refusals.items():
        say(visible(f"Zotero refused {key}: {reason}"))
    if summary.refusals:
        raise typer.Exit(ExitCode.FAILED)


def decision_line(
    whole: PaperCollection, part: PaperCollection, decision: str | None, *, is_json: bool = False
) -> str:
    """Return which papers of a whole result are in a part of it, and which are left out.

    `decision`: value of --decision; None means included and undecided. `is_json`: the part's lists
    of papers set aside and of earlier rounds are written as well.
    """
    beside = {SET_ASIDE: part.set_aside, OF_EARLIER: part.earlier} if is_json else {}
    ids = {paper.id for papers in (part.papers, *beside.values()) for paper in papers}
    places = {"": whole.papers, SET_ASIDE: whole.set_aside, OF_EARLIER: whole.earlier}
    others = Counter(
        where if where and paper.decision == "undecided" else paper.decision
        for where, papers in places.items()
        for paper in papers
        if paper.id not in ids
    )
    kinds = {None: "included and undecided papers", "all": "all papers"}
    words = kinds.get(decision, f"{decision} papers only")
    counts = _in_words(Counter(paper.decision for paper in part.papers)) or "none"
    if lists := _in_words(Counter({kind: len(papers) for kind, papers in beside.items()})):
        counts += f"; in separate lists: {lists}"
    if not others:
        return f"{words} ({counts})"
    has_lists = SET_ASIDE in others or OF_EARLIER in others
    choice = "--decision and --all choose" if has_lists else "--decision chooses"
    return f"{words} ({counts}); left out: {_in_words(others)}; {choice} others"


def _in_words(counts: Counter[str]) -> str:
    kinds = ("included", "undecided", "excluded", SET_ASIDE, OF_EARLIER)
    return ", ".join(f"{counts[kind]} {kind}" for kind in kinds if counts[kind])


def _say_titles(collection: PaperCollection) -> None:
    """Print the first titles, so that nobody needs to open the file to judge the result."""
    for number, paper in enumerate(collection.papers[:TITLES_SHOWN], start=1):
        year = f" ({paper.year})" if paper.year else ""
        say(visible(f"{number:>3}. {paper.title}{year}"))
    if (rest := len(collection.papers) - TITLES_SHOWN) > 0:
        say(f"     and {rest} more")


def _require_exporter(name: str) -> None:
    from paper_search.exports import exporter_names
    from paper_search.exports.registry import STYLE_SUFFIX

    if name.lower().endswith(STYLE_SUFFIX):
        from paper_search.exports.json_formats import check_style

        check_style(name)
        return
    names = exporter_names()
    if name not in names:
        raise UnknownNameError("export format", name, [TABLE, *names])


@dataclass(frozen=True)
class ReportOutput(OutputTarget):
    references: str = "plain"
    has_figures: bool = False

    plain_formats = frozenset({"markdown", "json"})

    @classmethod
    def of_options(  # noqa: PLR0913  # one for each option
        cls,
        format_name: str | None,
        output: Path | None,
        references: str = "plain",
        *,
        has_figures: bool | None = None,
        is_forced: bool,
        is_json: bool,
    ) -> ReportOutput:
        """Return the target; by default, HTML and Word have figures if they can be drawn."""
        if format_name is None and output is not None:
            _refuse_directory(output)
            suffix = output.suffix.lower()
            if suffix not in REPORT_SUFFIXES:
                name = output.suffix or output.name
                raise UnknownNameError("report format for a file", name, [*REPORT_SUFFIXES])
            format_name = REPORT_SUFFIXES[suffix]
        name = format_name or ("json" if is_json else "markdown")
        if name not in REPORT_SUFFIXES.values():
            formats = sorted(set(REPORT_SUFFIXES.values()))
            raise UnknownNameError("report format", name, formats)
        if name == "docx" and output is None:
            raise UsageMistakeError("a Word document needs --output FILE")
        if has_figures and output is None and name != "html":
            raise UsageMistakeError("--figures needs --output FILE or --format html")
        if references != "plain" and name in {"markdown", "html"}:
            from paper_search.exports.json_formats import check_style

            check_style(references)
        if has_figures is None:
            from paper_search.report.outputs.figures import is_available

            has_figures = name in {"docx", "html"} and is_available()
        beside = [output.with_suffix(".bib")] if output and name == "latex" else []
        target = cls(name, output, is_forced, is_json, references, has_figures)
        target.check(*beside)
        return target

    @property
    def options(self) -> list[str]:
        references = [] if self.references == "plain" else ["--references", self.references]
        figures = "--figures" if self.has_figures else "--no-figures"
        return [*super().options, *references, *([figures] if self.output is not None else [])]

    def deliver(self, report: Report, about: dict[str, Any]) -> None:
        if self.is_json:
            from paper_search.report.document import render_json

            print_json({**about, **self._file, **json.loads(render_json(report))})
        if self.output is not None:
            self._say_written(self._render(report), self.output)
        elif not self.is_json:
            print_text(self._render(report))
        if self.output is not None and self.format_name == "latex":
            from paper_search.report.outputs.pandoc import render_bibtex

            self._say_written(render_bibtex(report), self.output.with_suffix(".bib"))

    def _render(self, report: Report) -> str | bytes:
        from paper_search.report.document import render_json
        from paper_search.report.outputs import markdown, pandoc

        match self.format_name:
            case "docx":
                csl = Path(self.references).absolute() if self.references[-4:] == ".csl" else None
                pictures = self._draw(report, "png")
                return asyncio.run(pandoc.render_docx(report, csl=csl, figures=pictures))
            case "html":
                pictures = self._draw(report, "svg")
                return markdown.render_html(report, style=self.references, figures=pictures)
            case "latex":
                stem = self.output.stem if self.output else "references"
                files = self._beside(report, "pdf")
                return asyncio.run(pandoc.render_latex(report, bibliography=stem, figures=files))
            case "json":
                return render_json(report)
            case _:
                files = self._beside(report, "svg")
                return markdown.render_markdown(report, style=self.references, figures=files)

    def _draw(self, report: Report, kind: Format) -> dict[str, bytes]:
        from paper_search.report.outputs.figures import figures

        return figures(report, kind) if self.has_figures else {}

    def _beside(self, report: Report, kind: Format) -> dict[str, str]:
        if self.output is None:
            return {}
        names = {}
        for name, content in self._draw(report, kind).items():
            path = self.output.with_name(f"{self.output.stem}-{name}.{kind}")
            self._say_written(content, path)
            names[name] = path.name
        return names

    def _say_written(self, content: str | bytes, path: Path) -> None:
        say(f"wrote {visible(self._write(content, path))}")
