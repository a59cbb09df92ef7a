"""Requests of several lines: frames such as PICO, criteria, references and prose."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any

from paper_search.models import ParsedIntent, SearchConstraints
from paper_search.skills.intent.forms import ParsedQuestion, forms, with_notes
from paper_search.skills.intent.reader import parse_identifiers, says_something, tells_of_study

_BULLET = re.compile(r"[\s>*_`#|•●▪◦‣·☐→-]*+(?:\[ ?\]\s++)?")
_NUMBER = re.compile(r"(?:\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]|\[\d{1,2}\])\s+")
_CODE = re.compile(rf"[IE]C\d{{1,2}}:?\s+|{_NUMBER.pattern}")
_AFTER = re.compile(r"[\s*_|:=–-]*")
_CELLS = re.compile(r"[|\t]")
_ITEMS = re.compile(r";\s|(?<=[a-z0-9)])\.\s(?=[A-Z])|(?<!\S)(?:\d{1,2}\.|\(\w\))\s")
_PARTS = re.compile(r"[.?!]['’”\"*]*\s|[\"“”]|(?<=\d\d\d\d)\)\s")
_SMALL_WORD = re.compile(r"\b[a-z]{2,}")
_FRAME = re.compile(
    r"\s*(?:p\s?[=:]|\[P\]|(?:topics?|keywords?|journal|venue|authors?|years?|lang(?:uages?)?):)",
    re.IGNORECASE,
)
"""Start of a one-line frame: "p= elderly i= vitamin d"; "journal: Cell topic: autophagy"."""
_EMPTY = re.compile(
    r"(?:n/?a|none|any|no|not applicable|no (?:limits?|restrictions?)|all|-*)\W*", re.IGNORECASE
)
_FEWEST_WEAK = 3
"""Ambiguous labels ("P", "Outcome -") count only if there are so many different ones."""
_LETTERS = {"letter": "about", "letter ranked": "ranked", "letter aside": "aside"}
_SECTIONS = {"included", "excluded", "sources"}
"""Roles that the lines below a heading, or the items of a list, inherit."""
_LIMITS = {"language": "language: ", "years": "published ", "kinds": ""}
"""Beginnings of questions with the meaning of these labels."""
_KINDS = {"publication_types", "excluded_types"}
_LONGEST_SHOWN, _MOST_SHOWN = 80, 10


@dataclass(frozen=True)
class Document:
    """The topic of a request of several lines, and its other lines by role.

    Lines with the role `ranked` only affect ranking; those with the role `aside` are not searched.
    """

    request: str = ""
    lines: Mapping[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class _Line:
    text: str
    role: str
    value: str
    """The text after the label."""
    label: str
    is_listed: bool
    is_below_gap: bool

    @property
    def is_weak(self) -> bool:
        """Whether its label, one letter or a word before a dash, may be ordinary text."""
        return self.role in _LETTERS or self.label.rstrip().endswith(("-", "–"))


def parse_document(text: str) -> Document | None:
    """Split a request into its lines; None if no line has a label."""
    lines, sentences, before = defaultdict[str, list[str]](list), list[str](), ""
    every = list(_lines(text))
    if len(every) == 1 and tells_of_study(text):
        return None
    weak = {line.label for line in every if line.is_weak}
    if len(weak) < _FEWEST_WEAK:
        every = [replace(one, role="", value=one.text) if one.is_weak else one for one in every]
    if not any(line.role for line in every):
        return None
    for line, role, value in _with_roles(every):
        is_new = line.is_listed or line.is_below_gap or line.text != value
        if role == "about" and before == role and not is_new:
            sentences[-1] += f" {value}"
        elif role == "about":
            sentences.append(value)
        elif role in {"included", "excluded"}:
            lines[role] += filter(None, map(str.strip, _ITEMS.split(value)))
        else:
            lines[role].append(value if role == "ranked" else line.text)
        before = role
    if not says_something(_join(sentences)):
        sentences = [*lines.pop("included", []), *sentences]
    titles = list(filter(None, map(_title_of, lines["reference"])))
    request = _join(sentences)
    if says_something(request):
        lines["ranked"] += titles
    else:
        request = _join([*titles, *sentences])
    names = (name for line in lines["reference"] for name in parse_identifiers(line)[1])
    return Document(" ".join([request, *names]), lines) if request else None


def _join(sentences: Sequence[str]) -> str:
    return " ".join(
        one if one.endswith((".", "?", "!", ";")) or one is sentences[-1] else f"{one}."
        for one in sentences
    )


def _title_of(reference: str) -> str:
    """Return the part with the most lower-case words; empty if no part has two."""
    count, title = max((len(_SMALL_WORD.findall(part)), part) for part in _PARTS.split(reference))
    return title.strip(" ,.'*") if count > 1 else ""


def _with_roles(lines: Sequence[_Line]) -> Iterator[tuple[_Line, str, str]]:
    """Yield each line with its role and its text."""
    section, is_below_heading, is_open = "", False, False
    for line in lines:
        role, value = _LETTERS.get(line.role, line.role), line.value
        if role in _SECTIONS:
            section, is_open = role, not value
        elif role not in _LIMITS:
            is_own = not role and is_open and (is_below_heading or not line.is_below_gap)
            section = section if line.is_listed or is_own else ""
            role, value = (section, line.text) if section else (role or "about", value)
        is_below_heading = line.role in _SECTIONS and not value
        if not _EMPTY.fullmatch(value):
            yield line, "aside" if role == "sources" else role, value
        elif value:
            yield line, "aside", value


def _lines(text: str) -> Iterator[_Line]:
    parts: list[tuple[str, bool, bool]] = []
    is_below_gap = True
    for cell in _cells(text):
        bullet = _BULLET.match(cell)
        start = bullet.end() if bullet else 0
        number = _NUMBER.match(cell, start)
        if bare := cell[number.end() if number else start :].strip():
            parts.append((bare, bool(start or number), is_below_gap))
        is_below_gap = not bare
    for (bare, is_listed, is_below), after in zip_longest(parts, parts[1:]):
        role, value, label = _split_label(bare)
        if not role and after and after[1] and not is_listed and _is_label(bare):
            role, value, label = _split_label(f"{bare}:")  # above a list, no colon is needed
        yield _Line(bare, role, value, label, is_listed, is_below)


def _cells(text: str) -> Iterator[str]:
    """Yield the lines of a text, and the cells of a table after the labels of their columns."""
    for kind, pattern in forms("line_break"):
        if kind != "frame" or _FRAME.match(text):
            text = pattern.sub(r"\n\g<0>", text)
    header: list[str] = []
    width = 0
    for line in text.replace("**", "").replace(":*", ":").splitlines():
        row = [cell.strip() for cell in _CELLS.split(line.strip(" ").strip("|"))]
        cells = [cell for cell in row if any(map(str.isalnum, cell))]
        if len(cells) > 1 and all(map(_is_label, cells)):
            header, width = cells, len(row)
        elif header and cells and len(row) <= width + 1:  # the first column may have no head
            row += [""] * (width - len(row))
            label = "".join(f"{cell}: " for cell in row[: -len(header)] if cell)
            values = zip(header, row[-len(header) :], strict=True)
            yield from (f"{name}: {label}{value}" for name, value in values if value)
        else:
            header = header if not cells and line.strip() else []
            if len(cells) == 1 and "|" in line and _is_label(cells[0]):
                cells.append("-")  # an empty cell beside a label
            yield ": ".join(cell.rstrip(": ") for cell in cells) if cells[1:] else "".join(cells)


def _split_label(text: str) -> tuple[str, str, str]:
    """Return the role that a label gives to a text, the rest, and the label."""
    for role, pattern in forms("line"):
        if label := pattern.match(text):
            sign = _AFTER.match(text, label.end())
            start = sign.end() if sign else label.end()
            number = _CODE.match(text, start)
            return role, text[number.end() if number else start :].strip(" {},"), label[0]
    return "", text, ""


def _is_label(text: str) -> bool:
    role, rest, _ = _split_label(f"{text}:")
    return bool(role) and not rest


def with_document(
    intent: ParsedIntent, document: Document, parse: Callable[[str], ParsedQuestion]
) -> ParsedIntent:
    lines, limits = document.lines, intent.constraints
    unread: dict[str, list[str]] = defaultdict(list)
    for role in (*_LIMITS, "included", "excluded"):
        for line in lines.get(role, ()):
            if own := _fit(limits, _limits_of(role, line, parse)):
                limits = limits.model_copy(update=own)
            else:
                unread[role].append(line)
    others = {
        "inclusion criteria are for screening, not search words: {}": unread["included"],
        "exclusion criteria are for screening, not search words: {}": unread["excluded"],
        "only the titles of references are used: {}; to find papers like one, write 'papers like'"
        " and its DOI or title": lines.get("reference"),
        "not searched: {}": lines.get("aside"),
    }
    question = intent.question
    if ranked := lines.get("ranked"):
        question = _join([*filter(None, [question.rstrip(". ")]), *ranked])
    return with_notes(
        intent.model_copy(update={"constraints": limits, "question": question}),
        *(f"not acted on: {line!r}" for role in _LIMITS for line in unread[role]),
        *(what.format(_list_of(texts)) for what, texts in others.items() if texts),
    )


def _fit(limits: SearchConstraints, own: dict[str, Any]) -> dict[str, Any]:
    """Return the limits to add to others; empty if they contradict each other."""
    added = {
        name: list(dict.fromkeys([*getattr(limits, name), *value])) if name in _KINDS else value
        for name, value in own.items()
    }
    if most := own.get("max_papers"):
        added["max_results"] = most
    years = limits.model_copy(update=added)
    is_empty = years.year_from and years.year_to and years.year_from > years.year_to
    is_other = any(getattr(limits, name) not in {None, own[name]} for name in own.keys() - _KINDS)
    return {} if is_empty or is_other else added


def _limits_of(role: str, line: str, parse: Callable[[str], ParsedQuestion]) -> dict[str, Any]:
    """Return the limits that a line states; empty if it says anything else."""
    if role == "excluded":
        reading = parse(f"no {line}")
        kinds = reading.constraints.excluded_types
        if kinds and not reading.excluded and not reading.question.strip(" .,;"):
            return {"excluded_types": kinds}
    kind, value, _ = _split_label(line)
    text = _LIMITS[kind] + value if kind in _LIMITS else line
    reading = parse(text)
    own = reading.own_limits
    if reading.question.strip(" .,;") or reading.excluded or reading.notes:
        return {}
    if role != "excluded":
        return own
    last = reading.constraints.year_to
    if own.keys() == {"year_to"} and last is not None:
        return {"year_from": last + 1}  # "before 1990" is excluded
    return {}


def _list_of(lines: Sequence[str]) -> str:
    shown = [
        repr(line if len(line) <= _LONGEST_SHOWN else f"{line[:_LONGEST_SHOWN]}…")
        for line in lines[:_MOST_SHOWN]
    ]
    more = f" and {len(lines) - _MOST_SHOWN} more" if len(lines) > _MOST_SHOWN else ""
    return "; ".join(shown) + more
