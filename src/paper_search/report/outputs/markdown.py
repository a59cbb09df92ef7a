"""A report as Markdown, from which all other formats are made, and as HTML.

Text from sources can neither format it nor load anything.
"""

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from html import escape
from typing import Any

from markdown_it import MarkdownIt

from paper_search.exports.text import single_line
from paper_search.models import SourceReport
from paper_search.models.source_report import Purpose, quantity
from paper_search.report.claims.citations import cited_keys
from paper_search.report.document import DEFAULT_STYLE, MARK, MARKS, Report, link_of, references
from paper_search.report.evidence import author_year
from paper_search.report.models import Study
from paper_search.report.outputs.figures import CAPTIONS
from paper_search.report.passages import NOT_STATED, kind_of, quoted_sentences
from paper_search.resources import PackageFiles

REFERENCES = "References"
_ROWS = 40
"""Maximum number of papers in the table."""
_ESCAPED = re.compile(r"([\\`*_\[\]<>|#~$]|&(?=#?\w+;))")
_ADDRESS = re.compile(r"(?:https?|ftp)://[^\s`]+|\bwww\.[^\s`]+", re.IGNORECASE)
_PART = re.compile(rf"(?P<citation>\[\s*@[^\[\]]+\])|(?P<bold>\*\*[^*\n]+\*\*)|(?P<mark>{MARK})")
_MARKER = re.compile(r"\s*(?:(?P<heading>#{1,6})|(?P<bullet>[-*•])|(?P<number>\d{1,2}[.)]))\s+")
_PREFIXES = {"heading": "### ", "bullet": "- ", "number": "1. "}


def render_markdown(
    report: Report, *, style: str = DEFAULT_STYLE, figures: Mapping[str, str] | None = None
) -> str:
    """Return the report as CommonMark with GitHub's tables.

    `style`: see `references`. `figures`: files by name.
    """
    return MarkdownTemplate(report, figures or {}, references(report, style)).text()


def escaped(text: str) -> str:
    """Escape text for Markdown; URLs become code, so that they are not linked."""
    parts: list[str] = []
    position = 0
    line = single_line(text)
    for match in _ADDRESS.finditer(line):
        parts += [_ESCAPED.sub(r"\\\1", line[position : match.start()]), f"`{match.group()}`"]
        position = match.end()
    parts.append(_ESCAPED.sub(r"\\\1", line[position:]))
    return re.sub(r"^(\s*)([-+=]|\d+[.)])(?=[\s=-]|$)", r"\1\\\2", "".join(parts))


class MarkdownTemplate:
    """Writes a report; subclasses write citations and tables for other dialects of Markdown.

    `figures`: files by name; `references`: lines by key.
    """

    def __init__(
        self, report: Report, figures: Mapping[str, str], references: Mapping[str, str]
    ) -> None:
        self.report = report
        self._figures = figures
        self._references = references

    def text(self) -> str:
        parts = [self.heading(self.report.title, "title")[1:], *self.body()]
        if self._references:
            lines = [self._reference(key, line) for key, line in self._references.items()]
            parts += [self.heading(REFERENCES), "\n".join(lines)]
        return "\n\n".join(parts).rstrip() + "\n"

    def body(self) -> Iterator[str]:
        report = self.report
        yield self._notice(_status(report))
        sections = [("Abstract", "abstract", report.abstract)] if report.abstract else []
        sections += [(part.title, part.section_id, part.content) for part in report.sections]
        sections += [("Conclusion", "conclusion", report.conclusion)] if report.conclusion else []
        if report.is_table:
            sections = [] if report.studies else sections
        elif report.headline is not None:
            yield self._notice([report.headline.text])
        yield from self._evidence()
        for title, place, content in sections:
            yield self.heading(title, f"{place}.title")
            yield from self._blocks(report.with_marks(place, content))
        yield from self._searches()

    def escaped(self, text: str) -> str:
        return escaped(text)

    def heading(self, title: str, place: str = "") -> str:
        mark = self.report.with_marks(place, title)[len(title) :]
        return f"## {self.escaped(title)}{self._line(mark)}"

    def citation(self, keys: Sequence[str]) -> str:
        return f"({'; '.join(map(self.source, keys))})"

    def source(self, key: str) -> str:
        by_key = self.report.evidence.by_key
        return escaped(author_year(by_key[key]) if key in by_key else f"?{key}")

    def study(self, name: str, key: str) -> str:
        del key
        return self.escaped(name)

    def table(
        self, caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], widths: list[float]
    ) -> str:
        """Return a table; `widths`: each column's share of the line."""
        lines = self.rows(head, rows, ["---"] * len(widths))
        return f"**{self.escaped(caption)}**\n\n{lines}"

    @staticmethod
    def rows(head: Sequence[str], rows: Sequence[Sequence[str]], dashes: Sequence[str]) -> str:
        first, *others = (f"| {' | '.join(cells)} |" for cells in (head, *rows))
        return "\n".join([first, f"|{'|'.join(dashes)}|", *others])

    def _reference(self, key: str, line: str) -> str:
        address = link_of(self.report.evidence.by_key[key])
        if not address:
            return f"- {escaped(line)}"
        return f"- {escaped(line.replace(address, '').rstrip(' .'))}. <{address}>"

    def _notice(self, lines: Sequence[str]) -> str:
        return "\n>\n".join(f"> {self._line(line)}" for line in lines)

    def _blocks(self, text: str) -> Iterator[str]:
        """Yield the blocks of a text; only lists and headings are formatted."""
        kind, lines = "", list[str]()
        for line in [*text.splitlines(), ""]:
            marker = _MARKER.match(line)
            before, kind = kind, (marker.lastgroup or "") if marker else ""
            is_more = bool(line.strip()) and kind == before and kind != "heading"
            if lines and not is_more:
                yield ("\n" if before else " ").join(lines)
                lines = []
            if line.strip():
                words = self._line(line[marker.end() :] if marker else line.strip())
                lines.append(_PREFIXES.get(kind, "") + words)

    def _line(self, line: str) -> str:
        parts, position = [], 0
        for match in _PART.finditer(line):
            words = match.group()
            parts.append(self._plain(line[position : match.start()]))
            match match.lastgroup:
                case "bold":
                    parts.append(f"**{self.escaped(words.strip('*'))}**")
                case "citation":
                    parts.append(self.citation(cited_keys(words)))
                case _:
                    parts.append(rf"*\[{self.escaped(words.strip('[]'))}\]*")
            position = match.end()
        return "".join([*parts, self._plain(line[position:])])

    def _plain(self, text: str) -> str:
        """Escape text within a line, keeping blanks at its ends."""
        head = " " if text[:1].isspace() else ""
        tail = " " if text[-1:].isspace() and text.strip() else ""
        return f"{head}{self.escaped(text)}{tail}"

    def _evidence(self) -> Iterator[str]:
        report = self.report
        if not report.studies:
            return
        is_read = any(study.says != NOT_STATED for study in report.studies)
        head = ["Study", "Year", "What it is", "Decided by", "In its words"]
        widths = [0.15, 0.07, 0.17, 0.14, 0.47]
        if is_read:
            head.insert(4, "Says, as the model reads it")
            widths = [0.15, 0.07, 0.16, 0.12, 0.12, 0.38]
        caption = "What each paper says on the question, word for word"
        if (retracted := len(report.sources) - len(report.evidence.usable)) > 0:
            caption += f"; {quantity(retracted, 'retracted paper')} left out"
        if (others := len(report.studies) - _ROWS) > 0:
            caption += f"; the JSON has {quantity(others, 'more paper')}"
        rows = [self._study_row(study, is_read=is_read) for study in report.studies[:_ROWS]]
        yield self.heading("Evidence")
        yield self.table(caption, head, rows, widths)

    def _study_row(self, study: Study, *, is_read: bool) -> list[str]:
        source = self.report.evidence.by_id[study.result_id]
        cells = [str(source.year or "n.d."), kind_of(source)]
        cells.append(str(source.metadata.get("decided_by") or NOT_STATED))
        cells += [study.says] if is_read else []
        cells.append(quoted_sentences(study, source))
        key = self.report.evidence.key_of(study.result_id)
        return [self.study(author_year(source).rpartition(", ")[0], key), *map(self.escaped, cells)]

    def _searches(self) -> Iterator[str]:
        report, rows = self.report, self.report.journal
        if rows or self._figures:
            yield self.heading("Searches")
        if rows:
            yield self._line(_search_summary(report))
            cells = [list(map(self.escaped, _journal_row(row))) for row in rows]
            head = ["Where", "What", "When", "Allowed by", "Hits", "Kept"]
            widths = [0.15, 0.4, 0.17, 0.12, 0.09, 0.07]
            yield self.table("All queries and pages requested", head, cells, widths)
        for name in filter(self._figures.__contains__, ("flow", "years")):
            yield f"![{self.escaped(CAPTIONS[name])}]({self._figures[name]})"


def _search_summary(report: Report) -> str:
    pages = sum(row.purpose is Purpose.PAGE for row in report.journal)
    searches = f"{quantity(len(report.searches), 'search', 'searches')}"
    count, used = len(report.cited), len(report.sources)
    gave = f"; the best after merging and judging are {quantity(used, 'source')}, of which"
    if thread := report.provenance.get("from_thread"):
        found = report.provenance["search_queries"][0]["found"]
        first = f" the first {used:,} were used (max_sources), and" if found > used else ""
        gave = f" {'was' if len(report.searches) == 1 else 'were'} taken over from the search "
        gave += f"{thread}, whose result has {quantity(found, 'paper')}, of which{first}"
    return (
        f"{searches}{gave} {count:,} {'is' if count == 1 else 'are'} "
        f"{report.place_of_sources}." + (f" {quantity(pages, 'page')} asked for." if pages else "")
    )


def _journal_row(row: SourceReport) -> list[str]:
    note = f" ({row.status.value.replace('_', ' ')})" if row.status.is_failure else ""
    unknown = "" if row.purpose is Purpose.PAGE else "not said"
    hits = unknown if row.hits is None else f"{row.hits:,}"
    where, count = f"{row.source}{note}", f"{row.kept:,}"
    return [where, row.query or "", row.day, row.allowed_by or "not known", hits, count]


def _status(report: Report) -> list[str]:
    when = day(report.metadata.get("completed_at"))
    by = "with" if report.metadata.get("is_by_model") else "without"
    facts = [f"Status: {report.status}"]
    facts += [f"written {by} a language model"] if report.metadata.get("version", 1) else []
    facts[-1] += " and edited by a person" if report.metadata.get("is_by_person") else ""
    facts[-1] += f" on {when}" if when else ""
    lines = [f"{'; '.join(filter(None, [*facts, _decision(report)]))}."]
    if report.reason:
        lines.append(f"Not a finished report: {report.reason}.")
    lines += [_support(report)] if any(report.support.values()) else []
    return lines + [f"{caveat.rstrip('.')}." for caveat in report.caveats]


def _support(report: Report) -> str:
    counts = {name: number for name, number in report.support.items() if number}
    results = [
        f"{number:,} {words}" for name, words in MARKS.items() if (number := counts.get(name))
    ]
    if "supported" in counts:
        results.insert(0, f"{counts['supported']:,} supported by words of the cited source")
    by = {sentence.checked_by for sentence in report.sentences if sentence.status in counts}
    checkers = " and ".join(name for name in ("code", "model") if name in by)
    how = f", checked by {checkers.replace('model', 'a model')}" if checkers else ""
    total = quantity(sum(counts.values()), "statement")
    return f"Of {total}{how}: {', '.join(results)}."


def _decision(report: Report) -> str:
    version = report.metadata.get("version")
    if (approval := report.approval) is not None:
        return f"version {version} approved by {approval.by} on {day(approval.at)}"
    end = str(report.provenance.get("ended_by") or "").replace("_", " ")
    return f"version {version}, {end}" if end and version else end


def day(at: Any) -> str:
    """Format an ISO time as "3 May 2026"; anything else as an empty string."""
    try:
        moment = datetime.fromisoformat(str(at))
    except ValueError:
        return ""
    return f"{moment.day} {moment:%B %Y}"


POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'"
)
_DRAWING = "data:image/svg+xml;base64,"
_LINK = re.compile(rf"https?://|#|{re.escape(_DRAWING)}", re.IGNORECASE)


def render_html(
    report: Report, *, style: str = DEFAULT_STYLE, figures: Mapping[str, bytes] | None = None
) -> str:
    """Return the report as a standalone page for screen and print.

    `style`: see `references`. `figures`: SVGs by name, embedded as images so that no script runs.
    """
    images = {name: embedded(content) for name, content in (figures or {}).items()}
    by_key = references(report, style)
    return html_page(
        report.title, _LinkedTemplate(report, images, by_key).text(), reference_keys=list(by_key)
    )


def html_page(
    title: str, markdown: str, *, reference_keys: Sequence[str] = (), is_wide: bool = False
) -> str:
    """Return Markdown as a standalone page; HTML in it is escaped, and nothing is loaded.

    `reference_keys`: keys of the references, which are the last list. `is_wide`: for tables with
    many columns.
    """
    css = PackageFiles("paper_search.report.outputs").read("page.css").decode("utf-8")
    main = '<main class="wide">' if is_wide else "<main>"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">\n'
        '<meta name="referrer" content="no-referrer">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(' '.join(title.split()))}</title>\n<style>{css}</style>\n</head>\n<body>\n"
        f"{main}\n{_html(markdown, reference_keys)}</main>\n</body>\n</html>\n"
    )


def embedded(svg: bytes) -> str:
    return _DRAWING + base64.b64encode(svg).decode("ascii")


class _LinkedTemplate(MarkdownTemplate):
    def source(self, key: str) -> str:
        return self._linked(super().source(key), key)

    def study(self, name: str, key: str) -> str:
        return self._linked(escaped(name), key)

    def _linked(self, text: str, key: str) -> str:
        return f"[{text}](#ref-{key})" if key in self.report.cited else text


def _html(text: str, keys: Sequence[str]) -> str:
    """Convert Markdown to HTML, with anchors for the references, which are the last list."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    # Else %00 is shown as a NUL, and %E2%80%AE turns the rest of the URL around.
    parser.normalizeLinkText = lambda link: link  # type: ignore[method-assign]  # as below
    parser.validateLink = lambda url: _LINK.match(url) is not None  # type: ignore[method-assign]  # the documented way
    tokens = parser.parse(text)
    items = [token for token in tokens if token.type == "list_item_open"]
    for token, key in zip(items[len(items) - len(keys) :], keys, strict=True):
        token.attrSet("id", f"ref-{key}")
    for token in tokens:
        if token.type == "th_open":
            token.attrSet("scope", "col")
        for child in token.children or []:
            if child.type == "link_open" and str(child.attrGet("href")).startswith("http"):
                child.attrSet("rel", "noopener noreferrer nofollow")
    return str(parser.renderer.render(tokens, parser.options, {}))
