"""Lines of a pasted strategy, separated from line numbers, hit counts and headings."""

import csv
import re
from dataclasses import dataclass, field
from itertools import pairwise

from paper_search.query.ast import FIELDS
from paper_search.query.footers import NAMED, SUM, is_footer

LABEL = re.compile(r"\d{1,3}[a-z]?", re.IGNORECASE)
_LABELLED = re.compile(
    r"""\s* (?:[•·▪‣◦*-]\s+)?
             (?: [(\[]? (?:no\.?\s*|line\s+|search\s+)? (?P<sign>\#\s?|[SL])?
                (?P<number>\d{1,3}[a-z]?) (?P<dot>[.)\]:]|(?=\s|$))
             | (?P<letter>[A-Z])[.)](?=\s) )\s*""",
    re.VERBOSE,
)
_COUNT_IN_FRONT = re.compile(
    r"\s*(?P<sign>[#S])\s*(?P<number>\d{1,3})(?P<dot>)(?P<letter>(?!))?\s+(?:\d[\d,]*|\(\d[\d,]*\))\s+(?=[\w#(\"']+.*\S)(?!(?i:and|or|not)\b)"
)
_OPERATOR = r"(?:and|or|not|adj\d*|near/\d+)\b"
_STARTS_ON = re.compile(rf"{_OPERATOR}(?!\s?/\s?\d)", re.IGNORECASE)
_ENDS_ON = re.compile(rf"(?:\b{_OPERATOR}|[(,])\s*$", re.IGNORECASE)
_PREAMBLE = re.compile(
    r"\s*(?:databases?|search (?:strategy|name)"
    r"|date (?:of )?(?:search\w*|run)|searched|interface|host"
    r"|pids|comment|last saved)\b(?!\s*=).*",
    re.IGNORECASE,
)
_HEADER = frozenset({
    "id", "set", "no", "line", "query", "search", "searches", "result", "results", "hit", "hits",
    "history", "type", "limiter", "limiters", "expanders", "action", "actions", "annotation",
    "annotations", "items", "found", "recent", "queries", "searched", "for", "databases", "sort",
    "by", "filters", "details", "time", "last", "run", "via", "number", "terms", "date",
    "add", "to", "builder", "options",
})  # fmt: skip
_QUERY_COLUMN = re.compile(r"query|searche?s?|searched for|search (?:query|terms)", re.IGNORECASE)
_LIMIT_COLUMN = re.compile(r"limiters.*|filters|databases?|search options", re.IGNORECASE)
_NUMBER = r"\d{1,3}(?:[,. ]?\d{3}){0,3}"
_COUNT = re.compile(
    rf"""(?: (?:\t\s{{0,9}}|\s{{2,9}}|(?<=[/.\])"'}}])\ ) {_NUMBER}\s?(?:results?|hits|records)?
           | \s{{0,9}}[(\[]\s?(?:n\s?=\s?|(?:document\s)?results:\s?)?
             {_NUMBER}\s?(?:results?|hits|records|articles)?\s?[)\]]
           | \s?(?:total\ references\s?=|\b(?:results?|hits):)\s?[\d,]{{1,12}}
           | (?<=:ti,ab,kw)\ {_NUMBER} | (?<=:ti,ab)\ {_NUMBER} )$""",
    re.IGNORECASE | re.VERBOSE,
)
_BARE_COUNT = re.compile(r"\s(?P<count>\d[\d,]{0,11})$")
_ONLY_COUNT = re.compile(rf"\s*{_NUMBER}\s*")
_COMBINED = re.compile(
    r"\W*(?:[#SL]?\d{1,3}[a-z]?\b|[A-Z]\b|and|or|not|to|[\s()\[\]{}/,.#-])+\W*", re.IGNORECASE
)
_JOINING = re.compile(r"\b(?:and|or|not)\b", re.IGNORECASE)
_NAME = re.compile(r"[#SL]?(\d{1,3}[a-z]?|\b[A-Z]\b)", re.IGNORECASE)
NAMES_LINES = re.compile(
    r"(?:^|[\s({\[])(?:\#\s?\d|[SL]\d+\b|(?:or|and)\s?/\s?\d|limit \d|remove duplicates from \d"
    r"|\d{1,3} (?:and|or|not)\b|(?:and|or|not) \(?\d{1,3}(?=\s|\)|$))",
    re.IGNORECASE,
)
STRAY = "of row"
_WORD = re.compile(r"\w+")
_HEADING = re.compile(
    r"^[ \t]*(?:(?:(?:#+|//) +|[*_=-]{2,}[ \t]*)(?P<comment>[A-Za-z].*?)[*_=-]*(?=[ \t]*$)"
    r"|(?P<label>(?![A-Z]{2})[A-Z](?:[\w ,/&()-]{0,40}?[ \t]*:|[ \t]+[–-]))"
    r"(?=[ \t]*$|[ \t]+[(\"']))"
    r"(?=\s*(?!(?i:and|or|not)\b)\S)",
    re.MULTILINE,
)
_TITLED = re.compile(r"[A-Za-z][A-Za-z ]{2,30}:\s+")
_MARKED = re.compile(
    r"[\[\]\"“”*$?#/={}]|\b(?:AND|OR|NOT|adj\d*|NEAR|NEXT)\b|\.[a-z]{2}\b|\.\(\w|\d{4}|\w\(|:[a-z]{2}\b|^\s*\("
    r"|^\s*[#S]?\d+[a-z]?\s+(?i:and|or|not)\b"
)


@dataclass(slots=True)
class Line:
    """A line of a strategy, which may span several rows of the text.

    Attributes:
        label: the name by which other lines refer to it.
        text: the query, without its label and hit count.
        row, column: the beginning, counted from 1.
        wraps: offset in `text`, row and column of each continuation.
    """

    label: str
    text: str
    row: int
    column: int
    wraps: list[tuple[int, int, int]] = field(default_factory=list)

    def continue_with(self, text: str, row: int, column: int, *, sign: str = " ") -> None:
        self.wraps.append((len(self.text) + 1, row, column))
        self.text += f"{sign}{text}"

    def place(self, offset: int) -> tuple[int, int]:
        starts = [(0, self.row, self.column), *self.wraps]
        start, row, column = next(wrap for wrap in reversed(starts) if wrap[0] <= offset)
        return row, column + offset - start


@dataclass(frozen=True, slots=True)
class Lines:
    """The queries and the headings of a text; `is_numbered` if the text numbers its lines."""

    lines: list[Line]
    is_numbered: bool
    headings: list[str]

    @property
    def is_combined(self) -> bool:
        labels = {line.label.upper() for line in self.lines}
        return any(
            is_combined(line.text, labels) and _JOINING.search(line.text) for line in self.lines
        )

    @property
    def is_strategy(self) -> bool:
        names = any(NAMES_LINES.search(line.text) for line in self.lines)
        return len(self.lines) > 1 and (names or self.is_combined)


def lines_of(text: str) -> Lines:
    """Split a text into lines, oldest first, numbered from 1 if it has no numbers."""
    text, headings = without_headings(text)
    rows = [
        (row, line)
        for row, raw in enumerate(text.split("\n"), start=1)
        if (line := raw.rstrip()).strip() and not _is_noise(line)
    ]
    table = _table_of(text)
    labels = [None if is_footer(line) else _match_label(line) for _, line in rows]
    steps = [
        after - before
        for before, after in pairwise(order(f["number"])[0] for f in labels if f and f["number"])
    ]
    near = sum(-1 <= step <= 1 for step in steps)
    is_numbered = bool(steps) and near * 2 >= len(steps) and (len(steps) + 1) * 3 >= len(rows)
    if table:
        lines, is_numbered = table, True
        numbers = [order(line.label)[0] for line in table]
        steps = [after - before for before, after in pairwise(numbers)]
    else:
        lines = _numbered_lines(rows, labels, headings) if is_numbered else _number_rows(rows)
    if is_numbered and steps.count(-1) * 2 > len(steps):
        lines.reverse()
    names = {line.label.upper() for line in lines}
    ends = [_BARE_COUNT.search(one.text) for one in lines]
    has_counts = len(lines) > 1 and all(ends)  # a number after every line: a column of hit counts
    for one in lines:
        one.text = _without_count(one.text, names, has_counts=has_counts)
    return Lines([one for one in lines if one.text], is_numbered, headings)


def without_headings(text: str) -> tuple[str, list[str]]:
    """Blank out rows that name the rows below them: `Population:`, `# Population`."""
    headings = [
        row
        for row in _HEADING.finditer(text)
        if (row["label"] or "").rstrip(" :").lower() not in {*FIELDS, "year", "search"}
        and not (_MARKED.search(row["comment"] or row["label"]) or is_footer(row[0]))
        and not (text[row.end() :].lstrip(" \t").startswith("\n") and _is_noise(row[0]))
    ]
    for row in headings:
        text = text[: row.start()] + " " * len(row[0]) + text[row.end() :]
    return text, [row[0].strip() for row in headings]


def without_number(text: str) -> tuple[str, str]:
    """Blank out the line number, hit count and column names around a query from a search history.

    Return the query and the number; an unchanged text and an empty number if it has none. A number
    without a sign before or after it counts only if it is 1 or precedes a tab.
    """
    rows = text.split("\n")
    places = [place for place, row in enumerate(rows) if row.strip() and not _is_noise(row)]
    label = _match_label(rows[places[0]]) if len(places) == 1 else None
    if label is None or not label["number"] or not label[0][-1].isspace():
        return text, ""
    is_sure = label["dot"] or label["sign"] or label[0].endswith("\t")
    if not is_sure and label["number"] != "1":
        return text, ""
    row = rows[places[0]]
    query = _without_count(row[label.end() :], set(), has_counts=False)
    blank = [" " * len(other) for other in rows]
    blank[places[0]] = " " * label.end() + query
    return "\n".join(blank), label[0].strip()


def _table_of(text: str) -> list[Line]:
    """Return the lines of a history with a header row; empty if the text is not one."""
    for sign in "\t,":
        raws = _records_of(text, sign)
        try:
            cells = [  # between tabs, quotes belong to the query
                (row, raw.split(sign) if sign == "\t" else next(csv.reader([raw], strict=True)))
                for row, raw in raws
            ]
        except csv.Error:  # such as a carriage return within a line
            continue
        if not cells:
            continue
        names = [name.strip() for name in cells[0][1]]
        columns = [n for n, name in enumerate(names) if n and _QUERY_COLUMN.fullmatch(name)]
        is_head = columns and _HEADER.issuperset(_WORD.findall(" ".join(names).lower()))
        if not is_head or any(len(row) != len(names) for _, row in cells[1:]):
            continue
        extra = [n for n, name in enumerate(names) if _LIMIT_COLUMN.fullmatch(name)]
        return [_table_line(row, values, names, columns[0], extra) for row, values in cells[1:]]
    return []


def _records_of(text: str, sign: str) -> list[tuple[int, str]]:
    """Return the records of a table; cells may have several rows."""
    records: list[tuple[int, str]] = []
    for row, raw in enumerate(text.split("\n"), start=1):
        is_part = records[1:] and records[-1][1].count(sign) < records[0][1].count(sign)
        if is_part and raw.strip():
            start, whole = records[-1]
            is_open = whole.count("(") > whole.count(")") or _ENDS_ON.search(whole)
            link = " " if is_open or _STARTS_ON.match(raw.strip()) else "; "
            records[-1] = (start, f"{whole}{link}{raw}")
        elif raw.count(sign) > 1 - (sign == "\t"):
            records.append((row, raw))
    return records


def _table_line(row: int, cells: list[str], names: list[str], query: int, extra: list[int]) -> Line:
    label = re.sub(r"\W|(?<!\w)S(?=\d)", "", cells[0])
    text = cells[query].strip()
    text = text[1:-1].replace('""', '"') if '""' in text else text
    line = Line(label, text, row, sum(len(cell) + 1 for cell in cells[:query]) + 1)
    for column in extra:
        if value := cells[column].strip():
            line.continue_with(value if is_footer(value) else f"{names[column]}: {value}", row, 1)
    return line


def is_combined(text: str, labels: set[str]) -> bool:
    """Whether a line only combines other lines: `1 and (2a or 3)`, `#1 OR #2`, `or/1-5`."""
    if not _COMBINED.fullmatch(text):
        return False
    return any(name.upper() in labels or name.isdigit() for name in _NAME.findall(text))


def order(label: str) -> tuple[int, str]:
    """Return the sort key of a label: 2, 2a, 10."""
    return int("".join(filter(str.isdecimal, label)) or 0), label


def _is_noise(line: str) -> bool:
    words = _WORD.findall(line.lower())
    is_known = _HEADER.issuperset(words) or SUM.match(line) is not None
    return not words or is_known or _PREAMBLE.match(line) is not None


def _match_label(line: str) -> re.Match[str] | None:
    """Return the label of a line; None if it refers to another line or is part of the text."""
    label = _LABELLED.match(line)
    if label is None or label["letter"] or (label["dot"] and label["dot"] not in ")]"):
        return label
    if label["sign"] and (count := _COUNT_IN_FRONT.match(line)):
        return count
    rest = line[label.end() :]
    if rest and (_STARTS_ON.match(rest) or not (label["dot"] or line[label.end() - 1].isspace())):
        return None
    return label


def _number_rows(rows: list[tuple[int, str]]) -> list[Line]:
    lines: list[Line] = []
    for row, line in rows:
        text = line.lstrip()
        if lines and _is_limit(text, lines[-1]):
            lines[-1].continue_with(text, row, len(line) - len(text) + 1, sign="\n")
        elif lines and (
            _STARTS_ON.match(text) or _ENDS_ON.search(lines[-1].text) or _is_open(lines[-1].text)
        ):
            lines[-1].continue_with(text, row, len(line) - len(text) + 1)
        else:
            lines.append(Line(str(len(lines) + 1), text, row, len(line) - len(text) + 1))
    return lines


def _numbered_lines(
    rows: list[tuple[int, str]], labels: list[re.Match[str] | None], headings: list[str]
) -> list[Line]:
    drafts: list[Line] = []
    for (row, line), label in zip(rows, labels, strict=True):
        if label is not None and not _is_count(label, line, drafts):
            name = label["number"] or label["letter"]
            drafts.append(Line(name, line[label.end() :], row, label.end() + 1))
        elif drafts:
            _add(drafts, headings, row, line)
        else:
            headings.append(line.strip())
    lines = []
    for one, after in zip(drafts, [*drafts[1:], None], strict=True):
        if _is_heading(one.text) and (":" in one.text or _is_part(after, one)):
            headings.append(one.text.strip())
        else:
            lines.append(one)
    return lines


def _add(lines: list[Line], headings: list[str], row: int, line: str) -> None:
    """Add a row without a number to the last line, as a new one, or to the headings."""
    text, last = line.strip(), lines[-1]
    column = len(line) - len(line.lstrip()) + 1
    titled = _TITLED.match(text)
    shift = titled.end() if titled else 0
    if _ONLY_COUNT.fullmatch(text) and last.text:
        return
    if not last.text:
        last.text, last.row, last.column = text, row, column
    elif _is_limit(text, last):
        if not last.wraps:
            last.text = _COUNT.sub("", last.text)
        last.continue_with(text, row, column, sign="\n")
    elif is_combined(text[shift:], {line.label.upper() for line in lines}) or (
        shift and NAMES_LINES.match(text[shift:])
    ):
        lines.append(Line("final", text[shift:], row, column + shift))
    elif _is_heading(last.text) and _MARKED.search(text):
        headings.append(last.text)
        last.text, last.row, last.column = text, row, column
    elif _STARTS_ON.match(text) or _ENDS_ON.search(last.text) or _is_open(last.text):
        last.continue_with(text, row, column)
    elif _MARKED.search(text):
        lines.append(Line(f"{STRAY} {row}", text, row, column))
    else:
        headings.append(text)


def _is_limit(text: str, last: Line) -> bool:
    """Whether a row is a footer of a line, or a limit by its name in a row below one."""
    is_below = any(is_footer(last.text[at:]) for at, *_ in last.wraps)
    return is_footer(text) or (is_below and NAMED.match(text) is not None)


def _is_count(label: re.Match[str], line: str, lines: list[Line]) -> bool:
    """Whether a lone number is the hit count of the previous line, not a new label."""
    if line[label.end() :] or not lines or not lines[-1].text or not label["number"]:
        return False
    return abs(order(label["number"])[0] - order(lines[-1].label)[0]) > 1


def _is_open(text: str) -> bool:
    return text.count("(") > text.count(")") or text.count('"') % 2 == 1


def _is_heading(text: str) -> bool:
    return not _MARKED.search(text) and not is_combined(text, set())


def _is_part(after: Line | None, line: Line) -> bool:
    return after is not None and after.label[:-1] == line.label and after.label[-1].isalpha()


def _without_count(text: str, labels: set[str], *, has_counts: bool) -> str:
    text = text.strip()
    bare = _COUNT.sub("", text).rstrip()
    if bare and bare != text and not _ENDS_ON.search(bare):
        return bare
    count = _BARE_COUNT.search(text)
    rest = text[: count.start()].rstrip() if count else ""
    if count and rest and not _ENDS_ON.search(rest):
        is_line = count["count"].replace(",", "") in labels
        if (is_combined(rest, labels) or has_counts) and not is_line:
            return rest
    return text
