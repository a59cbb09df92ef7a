"""Where a report goes: a format, on stdout or in a file with what belongs beside it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paper_search.cli.console import print_json, print_text, say, visible
from paper_search.cli.delivery import Destination
from paper_search.cli.failures import UsageMistakeError
from paper_search.errors import ExportError, UnknownNameError

if TYPE_CHECKING:
    from paper_search.report.document import Report
    from paper_search.report.outputs.figures import Format
    from paper_search.report_workflow.catalog import ReportDetail

SUFFIXES = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".tex": "latex",
    ".json": "json",
    ".docx": "docx",
}
FORMATS = ("docx", "html", "json", "latex", "markdown")


@dataclass(frozen=True)
class ReportDelivery(Destination):
    """How a person wants to have a report; checked before any work is done."""

    references: str = "plain"
    has_figures: bool = False

    plain_formats = frozenset({"markdown", "json"})
    refusal = UsageMistakeError

    @classmethod
    def chosen(  # noqa: PLR0913  # one for each option
        cls,
        format_name: str | None,
        output: Path | None,
        references: str = "plain",
        *,
        has_figures: bool | None = None,
        is_forced: bool,
        is_json: bool,
    ) -> ReportDelivery:
        """Return the delivery that the options describe.

        Figures that nobody asked for are in documents that can hold them, where they can be drawn.

        Raises:
            UnknownNameError: no format of that name, or for a file of that name.
            UsageMistakeError: the options contradict each other.
        """
        name = format_name or _default(output, is_json=is_json)
        if name not in FORMATS:
            raise UnknownNameError("report format", name, list(FORMATS))
        if name == "docx" and output is None:
            raise UsageMistakeError("a Word document needs --output FILE")
        if has_figures and output is None and name != "html":
            raise UsageMistakeError("--figures needs --output FILE or --format html")
        if has_figures is None:
            has_figures = name in {"docx", "html"} and _can_draw()
        beside = [output.with_suffix(".bib")] if output and name == "latex" else []
        delivery = cls(
            name,
            output,
            is_forced=is_forced,
            is_json=is_json,
            references=references,
            has_figures=has_figures,
        )
        delivery.check(*beside)
        return delivery

    @property
    def options(self) -> list[str]:
        """Return the options that ask for the same again."""
        references = [] if self.references == "plain" else ["--references", self.references]
        figures = "--figures" if self.has_figures else "--no-figures"
        return [*super().options, *references, *([figures] if self.output is not None else [])]

    def deliver(self, report: Report, about: dict[str, Any]) -> None:
        """Hand over the report; `about` is what JSON for machines says besides.

        Raises:
            ExportError: a file cannot be written, or pandoc is missing.
            ConfigError: the style or matplotlib is missing.
        """
        if self.is_json:
            from paper_search.report.document import render_json

            file = {"output": str(self.output.absolute())} if self.output is not None else {}
            print_json({**about, **file, **json.loads(render_json(report))})
        if self.output is None:
            if not self.is_json:
                print_text(self._rendered(report))
            return
        if self.format_name == "docx":
            self._write_document(report, self.output)
        else:
            self._write(self._rendered(report), self.output)
        if self.format_name == "latex":
            from paper_search.report.outputs.pandoc import render_bibtex

            self._write(render_bibtex(report), self.output.with_suffix(".bib"))

    def _rendered(self, report: Report) -> str:
        from paper_search.report.document import render_json
        from paper_search.report.outputs import markdown, page, pandoc

        match self.format_name:
            case "html":
                drawn = self._drawn(report, "svg")
                return page.render_html(report, style=self.references, figures=drawn)
            case "latex":
                stem = self.output.stem if self.output else "references"
                files = self._beside(report, "pdf")
                return asyncio.run(pandoc.render_latex(report, bibliography=stem, figures=files))
            case "json":
                return render_json(report)
            case _:
                files = self._beside(report, "svg")
                return markdown.render_markdown(report, style=self.references, figures=files)

    def _drawn(self, report: Report, kind: Format) -> dict[str, bytes]:
        from paper_search.report.outputs.figures import figures

        return figures(report, kind) if self.has_figures else {}

    def _beside(self, report: Report, kind: Format) -> dict[str, str]:
        """Write the figures beside the file and return their names."""
        if self.output is None:
            return {}
        names = {}
        for name, content in self._drawn(report, kind).items():
            path = self.output.with_name(f"{self.output.stem}-{name}.{kind}")
            self._write(content, path)
            names[name] = path.name
        return names

    def _write(self, content: str | bytes, path: Path) -> None:
        from paper_search.exports.files import write_bytes, write_export

        written = (
            write_export(content, path, overwrite=self.is_forced)
            if isinstance(content, str)
            else write_bytes(content, path, overwrite=self.is_forced)
        )
        say(f"wrote {visible(written)}")

    def _write_document(self, report: Report, path: Path) -> None:
        from paper_search.report.outputs.pandoc import render_docx

        csl = Path(self.references).absolute() if self.references.endswith(".csl") else None
        drawn = self._drawn(report, "png")
        self._write(asyncio.run(render_docx(report, csl=csl, figures=drawn)), path)


def export_report(detail: ReportDetail, delivery: ReportDelivery) -> None:
    """Hand over a report that has ended.

    Raises:
        ExportError: it has not ended, or a file cannot be written.
    """
    if detail.report is None:
        raise ExportError(
            f"report {detail.thread_id!r} has no text yet: it is "
            f"{detail.status.value}; continue it first: paper-search resume {detail.thread_id}"
        )
    delivery.deliver(detail.report, {"thread_id": detail.thread_id})


def _can_draw() -> bool:
    from paper_search.report.outputs.figures import is_available

    return is_available()


def _default(output: Path | None, *, is_json: bool) -> str:
    if output is None:
        return "json" if is_json else "markdown"
    name = SUFFIXES.get(output.suffix.lower())
    if name is None:
        raise UnknownNameError(
            "report format for a file", output.suffix or output.name, [*SUFFIXES]
        )
    return name
