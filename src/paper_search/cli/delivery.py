"""Where the papers of a search go: a table or an export, on stdout or in a file."""

from __future__ import annotations

import io
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from paper_search.cli.console import (
    PIPE_WIDTH,
    data,
    is_terminal,
    print_json,
    print_text,
    say,
    shortened,
    visible,
)
from paper_search.cli.failures import UsageMistakeError
from paper_search.errors import ExportError, PaperSearchError

if TYPE_CHECKING:
    from paper_search.models import PaperCollection

TABLE = "table"
TITLES_SHOWN = 10
"""Of papers that go to a file."""


@dataclass(frozen=True)
class Destination:
    """How a person wants to have a result; checked before any work is done."""

    format_name: str
    output: Path | None
    is_forced: bool
    is_json: bool

    plain_formats: ClassVar[frozenset[str]]
    """Those that need not be named again: for a person to read, and for machines."""
    refusal: ClassVar[type[PaperSearchError]] = ExportError
    """What is raised where a file cannot be written."""

    def check(self, *beside: Path) -> None:
        """Check that the options go together and that the file can be written.

        Args:
            beside: files that are written, too.

        Raises:
            UsageMistakeError: the options contradict each other.
            PaperSearchError: a file exists and may not be overwritten, or cannot be there.
        """
        if self.is_json and self.output is None and self.format_name != "json":
            raise UsageMistakeError(
                f"--json and --format {self.format_name} both write to stdout; "
                "give --output FILE for one"
            )
        if self.is_forced and self.output is None:
            raise UsageMistakeError("--force needs --output FILE")
        for path in [self.output, *beside] if self.output is not None else []:
            self._check_file(path)

    @property
    def options(self) -> list[str]:
        """Return the options that ask for the same again."""
        words = [] if self.output is None else ["--output", str(self.output.absolute())]
        if self.output is not None or self.format_name not in self.plain_formats:
            words = ["--format", self.format_name, *words]
        flags = {"--force": self.is_forced, "--json": self.is_json}
        return words + [flag for flag, is_given in flags.items() if is_given]

    def _check_file(self, path: Path) -> None:
        if path.is_dir():
            raise self.refusal(f"{str(path)!r} is a directory; give the name of a file in it")
        if not self.is_forced and (path.exists() or path.is_symlink()):
            raise self.refusal(
                f"{str(path)!r} exists already and stays as it is; "
                "give another name, or --force to overwrite it"
            )
        if not path.absolute().parent.is_dir():
            raise self.refusal(
                f"the directory {str(path.parent)!r} does not exist; create it first"
            )


@dataclass(frozen=True)
class Delivery(Destination):
    """How a person wants to have the papers; checked before any work is done."""

    plain_formats = frozenset({TABLE, "json"})

    @classmethod
    def chosen(
        cls, format_name: str | None, output: Path | None, *, is_forced: bool, is_json: bool
    ) -> Delivery:
        """Return the delivery that the options describe.

        Raises:
            UnknownNameError: no format of that name, or for a file of that name.
            UsageMistakeError: the options contradict each other.
            ExportError: the file exists and may not be overwritten, or cannot be there.
        """
        name = format_name or _default_format(output, is_json=is_json)
        if name != TABLE:
            _require_exporter(name)
        delivery = cls(name, output, is_forced=is_forced, is_json=is_json)
        delivery.check()
        return delivery

    def deliver(self, collection: PaperCollection, about: dict[str, Any]) -> None:
        """Hand over the papers; `about` is what JSON for machines says besides.

        Raises:
            ExportError: the file cannot be written.
        """
        if self.output is not None:
            from paper_search.exports.files import write_bytes, write_export

            rendered = self._rendered(collection)
            written = (
                write_export(rendered, self.output, overwrite=self.is_forced)
                if isinstance(rendered, str)
                else write_bytes(rendered, self.output, overwrite=self.is_forced)
            )
            if not self.is_json:
                _say_titles(collection)
            say(f"wrote {len(collection.papers)} papers to {visible(written)}")
        if self.is_json:
            file = {"output": str(self.output.absolute())} if self.output is not None else {}
            print_json({**about, **file, **collection.model_dump(mode="json")})
        elif self.output is None and self.format_name == TABLE and collection.papers:
            from paper_search.cli.tables import paper_table

            data().print(paper_table(collection.papers))
        elif self.output is None and self.format_name != TABLE:
            rendered = self._rendered(collection)
            if isinstance(rendered, bytes) and is_terminal():
                raise UsageMistakeError(
                    f"{self.format_name} is no text; give --output FILE, or redirect to a file"
                )
            print_text(rendered)

    def _rendered(self, collection: PaperCollection) -> str | bytes:
        if self.format_name != TABLE:
            from paper_search.exports import get_exporter

            rendered = get_exporter(self.format_name)(collection)
            if isinstance(rendered, bytes) or rendered.endswith("\n"):
                return rendered
            return rendered + "\n"
        from rich.console import Console

        from paper_search.cli.tables import paper_table

        sheet = Console(file=io.StringIO(), width=PIPE_WIDTH, record=True)
        sheet.print(paper_table(collection.papers))
        return sheet.export_text()


def decision_line(collection: PaperCollection, decision: str | None) -> str:
    """Return which papers an export holds by what a person decided, and which it leaves out.

    Args:
        collection: the whole result, with what was set aside.
        decision: as `--decision` has it; None: included and undecided.
    """
    shown = Counter(paper.decision for paper in collection.papers)
    aside = Counter(paper.decision for paper in collection.set_aside)
    counts = [
        f"{shown['included'] + aside['included']} included",
        f"{shown['undecided']} undecided",
        f"{shown['excluded'] + aside['excluded']} excluded",
    ]
    words = {None: "included and undecided papers", "all": "all papers"}.get(
        decision, f"{decision} papers only"
    )
    left_out = "; --decision chooses others" if decision is None else ""
    return f"{words} ({', '.join(counts)}){left_out}"


def _say_titles(collection: PaperCollection) -> None:
    """Say what is in a file, so that nobody has to open it to see whether it is any good."""
    for number, paper in enumerate(collection.papers[:TITLES_SHOWN], start=1):
        year = f" ({paper.year})" if paper.year else ""
        say(shortened(visible(f"{number:>3}. {paper.title}{year}")))
    if (rest := len(collection.papers) - TITLES_SHOWN) > 0:
        say(f"     and {rest} more")


def _default_format(output: Path | None, *, is_json: bool) -> str:
    if output is None:
        return "json" if is_json else TABLE
    from paper_search.exports import format_for_suffix

    return format_for_suffix(output)


def _require_exporter(name: str) -> None:
    from paper_search.errors import UnknownNameError
    from paper_search.exports import known_exporters
    from paper_search.exports.registry import STYLE_SUFFIX

    if name.lower().endswith(STYLE_SUFFIX):
        from paper_search.exports.references import check_style

        check_style(name)
        return
    known = known_exporters()
    if name not in known:
        raise UnknownNameError("export format", name, [TABLE, *known])
