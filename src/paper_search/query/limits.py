"""Entry dates, and the limits that databases print in words: languages, years, types, age groups.

An entry date is the day on which a database added a record. In a tree it is a term of the field
`entered`: `2019`, `2019-07`, `2019-07-01`, or a span of these with a slash, either end of which
may be open: `2019-01-01/2019-06-30`, `2019-01-01/`.
"""

import calendar
import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta

from paper_search.bibliography.languages import language_name
from paper_search.query.ast import (
    Node,
    Not,
    Or,
    Phrase,
    Refusal,
    Term,
    YearRange,
    is_wrapped,
    join,
    leaf_of,
    words_of,
)

_WRITTEN = re.compile(r"(\d{4})(?:[-/.]?(\d{1,2})(?:[-/.]?(\d{1,2}))?)?[*$]?")
_DAY_FIRST = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})")
_ENTRY_SPAN = re.compile(r"(\d{4}(?:-\d\d){0,2})?/(\d{4}(?:-\d\d){0,2})?|\d{4}(?:-\d\d){0,2}")
FIRST_YEAR = 1000
"""A span that begins in or before this year has no lower bound."""
FAR_FUTURE = 2099
"""A span that ends in or after this year has no upper bound."""


def iso_date(text: str) -> str | None:
    """Return a day, month or year as `2019-07-01`, `2019-07` or `2019`; None if invalid."""
    plain = text.strip(' "')
    if match_of_date := _DAY_FIRST.fullmatch(plain):
        parts = match_of_date.groups()[::-1]
    elif match_of_date := _WRITTEN.fullmatch(plain):
        parts = match_of_date.groups()
    else:
        return None
    numbers = [int(part) for part in parts if part]
    try:
        date(*[*numbers, 1, 1][:3])
    except ValueError:
        return None
    return "-".join([f"{numbers[0]:04}", *(f"{number:02}" for number in numbers[1:])])


def entry_span(first: str | None, last: str | None) -> Term:
    """Return the leaf for records added between two dates, both inclusive."""
    if last is not None and int(last[:4]) >= FAR_FUTURE:
        last = None
    if first is not None and int(first[:4]) <= FIRST_YEAR and first != last:
        first = None
    if first is None and last is None:
        first = str(FIRST_YEAR)
        return Term(f"{first}/", "entered")
    begin = day_after(first, 0) if first else ""
    end = last_day(last) if last else ""
    return Term(begin if begin == end else f"{begin}/{end}", "entered")


def year_range(first: int | None, last: int | None) -> YearRange | None:
    first = None if first == FIRST_YEAR else first
    last = None if last is not None and last >= FAR_FUTURE else last
    return None if first and last and first > last else YearRange(first, last)


def day_after(day: str, days: int = 1) -> str:
    """Return the date some days after a day, or after the first day of a month or year."""
    start = date(*[*(int(part) for part in day.split("-")), 1, 1][:3])
    return (start + timedelta(days=days)).isoformat()


def last_day(day: str) -> str:
    parts = [int(part) for part in day.split("-")]
    year, month = parts[0], parts[1] if len(parts) > 1 else 12
    last = parts[2] if len(parts) > 2 else calendar.monthrange(year, month)[1]  # noqa: PLR2004  # a day
    return f"{year:04}-{month:02}-{last:02}"


def is_span(text: str) -> bool:
    return text != "/" and _ENTRY_SPAN.fullmatch(text) is not None


def bounds(text: str) -> tuple[str | None, str | None]:
    first, slash, last = text.partition("/")
    return (first or None, last or None) if slash else (first, first)


def whole_days(span: str) -> tuple[str, str]:
    """Return the first and last day of a span; open ends get the years 1000 and 2099."""
    first, last = bounds(span)
    begin = day_after(first or f"{FIRST_YEAR}-01-01", 0)
    return begin, last_day(last) if last else f"{FAR_FUTURE}-12-31"


def is_entered(day: str, span: str) -> bool:
    first, last = bounds(span)
    return bool(day) and (not first or day >= first) and (not last or day[: len(last)] <= last)


Conditions = tuple[list[Node], list[tuple[int, str]]]
"""The conditions of a list of limits, and offsets and texts of remarks on ignored limits."""

_CUT = re.compile(
    r"\"[^\"]*\"|\((?:[^()\"]|\"[^\"]*\")*\)"
    r"|(?P<cut>[;\n]|,(?=\s)|\s(?:and|AND)\s(?!(?:[A-Za-z]{3,9} )?\d{4}))"
)
_WRAP = re.compile(
    r"(?:[-–:]|\b(?:and|between|from|or|to))[ \t]*\n|\n(?=[ \t]*(?:[-–][ \t]*\d|(?:and|or|to)\b))",
    re.IGNORECASE,
)
"""The end of a row within a limit: "2010 to", "2010 -"."""
_OR = re.compile(r"\sor\s|,", re.IGNORECASE)
_NAMED = re.compile(r"(?P<name>[A-Za-z][A-Za-z ()/]*?)\s*[:=]\s*(?P<value>\S.*)", re.DOTALL)
_KINDS = {
    "language": "language languages la lg",
    "type": "publication_type publication_types document_type document_types article_type pt type"
    " doctype article_types",
    "year": "published_date date_published date_of_publication publication_date publication_year"
    " publication_years date timespan yr py dp year_of_publication year years",
    "entered": "ed ez da entry_date date_entered em cinahl_entry_date date_of_entry dc up dt",
}
_KIND_OF = {
    name.replace("_", " "): kind for kind, names in _KINDS.items() for name in names.split()
}
_DATE = (
    r"(?:\d{1,2}[-/.]\d{1,2}[-/.]\d{4}|\d{4}-\d{2}-\d{2}|\d{4}/\d{1,2}/\d{1,2}|\d{8}|\d{6}"
    r"|(?:[A-Za-z]{3,9} (?:\d{1,2},? )?)?\d{4})"
)
_SPAN = re.compile(
    rf"(?:from|between|since|after)? ?(?P<first>{_DATE})? ?(?P<to>-|–|/|:|to|and|until|before)? ?"
    rf"(?P<last>{_DATE}|current|present|now)?(?: ?\((?:publication date|inclusive)\))?"
    r"(?:\.yr\.?)?",
    re.IGNORECASE,
)
_BOUND = re.compile(r"\b(?:after|before)\b", re.IGNORECASE)
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)|(?<!\d)\d{4}(?=\d{2}(?:\d{2})?(?!\d))")
_LANGUAGE = re.compile(r"(?P<name>[a-z]+)(?:\s+language|\.lg\.)?")
_NOTHING = re.compile(
    r"abstracts?|(?:linked |free )?full text|(?:has )?abstract available|journals?|no dups?"
    r"|(?:ovid|linked) full text available|(?:publication type: ?)?peer[- ]reviewed(?: journals?)?"
    r"|(?:source type: ?)?scholarly.*|references available"
    r"|(?:timespan: ?)?all (?:years|dates)|research article"
    r"|exclude medline records|\w+ ?= ?.?all.?(?: years)?|embase|medline|pubmed-not-medline"
    r"|evidence-based practice",
    re.IGNORECASE,
)
_AGES = re.compile(r"all (adult|child|infant)\b[^,;]*")
_FILTERS = {
    "human": "humans", "humans": "humans", "animal": "animals", "animals": "animals",
    "male": "male", "female": "female", "adult": "alladult", "child": "allchild",
    "infant": "allinfant", "aged": "aged", "adolescent": "adolescent",
    "core clinical journals": "jsubsetaim", "systematic reviews": "systematic",
}  # fmt: skip
_EXCLUDED = re.compile(r"(?:\[excluding\]\s*|not\s+|exclude\s*[-–]?\s*)(?=\S)", re.IGNORECASE)
_CLINICAL_REVIEWS = re.compile(r"reviews \((?:maximizes|best) [\w ]+\)?")
TYPES = {
    "article": "journal article", "ar": "journal article", "re": "review",
    "review article": "review", "review articles": "review", "reviews": "review",
    "proceedings paper": "congress", "conference abstract": "congress",
    "conference paper": "congress", "cp": "congress", "all clinical trials": "clinical trial",
    "randomised controlled trial": "randomized controlled trial", "case report": "case reports",
    "controlled clinical trials": "controlled clinical trial", "no": "note", "le": "letter",
    "ed": "editorial", "bk": "book", "ch": "book chapter", "er": "erratum", "sh": "short survey",
    "cr": "conference review", "literature review": "review", "systematic reviews":
    "systematic review", "clinical trials": "clinical trial", "meta analysis": "meta-analysis",
    "guidelines": "guideline", "letters": "letter", "editorials": "editorial",
    "academic journal": "journal article", "case studies": "case reports",
}  # fmt: skip
"""PubMed's publication types by their names in other databases."""
_KNOWN_TYPES = frozenset({
    *TYPES.values(), "comment", "practice guideline", "clinical study", "news", "preprint",
    "observational study", "comparative study", "multicenter study", "validation study",
    "pragmatic clinical trial", "dissertation", "clinical trial protocol", "twin study",
    "consensus statement", "evaluation study", "article in press", "data paper",
    "conference review", "book review", "early access", "editorial material",
    "meeting abstract", "retracted publication",
})  # fmt: skip

_TYPE_OF = {re.sub(r"\W", "", name): name for name in _KNOWN_TYPES}


def conditions_of(text: str, start: int, refuse: Refusal) -> Conditions:
    """Parse limits joined by semicolons, commas or AND; listed languages are alternatives."""
    groups: dict[object, list[Node]] = {}
    notes: list[tuple[int, str]] = []
    whole = _WRAP.sub(lambda wrap: wrap[0].replace("\n", " "), text)
    for offset, piece in _pieces(whole, start):
        if _NOTHING.fullmatch(piece.strip('" ')):
            notes.append((offset, f"the limit {piece!r} is left out: the search is wider"))
            continue
        node = condition_of(piece, offset, refuse)
        if _BOUND.search(piece):
            notes.append((offset, f"{piece!r} is read as including that year"))
        name = node.field if isinstance(node, Term | Phrase) else None
        key = name if name in {"type", "language"} and "," in text else object()
        groups.setdefault(key, []).append(node)
    return [join(Or, group) for group in groups.values()], notes


def _pieces(text: str, start: int) -> Iterator[tuple[int, str]]:
    """Yield limits with their offsets; values in a list share the name before the first one."""
    inner = text.strip()
    if is_wrapped(inner):
        start, text = start + text.index("(") + 1, inner[1:-1]
    name, before, sign = "", 0, ";"
    for mark in [*(sign_match for sign_match in _CUT.finditer(text) if sign_match["cut"]), None]:
        end = len(text) if mark is None else mark.start()
        piece = text[before:end].strip().rstrip(".")
        if piece:
            if label := _NAMED.match(piece):
                name = label["name"]
            is_value = name.lower() in _KIND_OF and not label and sign == ","
            yield start + before, f"{name}: {piece}" if is_value else piece
        if mark is not None:
            before, sign = mark.end(), mark["cut"].strip()


def condition_of(text: str, start: int, refuse: Refusal) -> Node:
    """Parse one limit; refuse it if there is no equivalent."""
    piece = text.strip(" .")
    plain = " ".join(_bare(piece).split())
    if excluded := _EXCLUDED.match(plain):
        return Not(condition_of(plain[excluded.end() :], start, refuse))
    label = _NAMED.fullmatch(plain)
    kind = _KIND_OF.get(label["name"].lower()) if label else None
    meaning = _MEANING.get(kind or "", _anything)
    values = _OR.split(_bare(label["value"]) if label and kind else plain)
    nodes = [meaning(_bare(value).lower()) for value in values if _bare(value)]
    conditions = [node for node in nodes if node is not None]
    if not conditions or len(conditions) < len(nodes):
        refuse(start, f"the limit {text.strip()!r} has no counterpart here: leave it out")
    return join(Or, conditions)


def _bare(text: str) -> str:
    plain = text.strip(' "')
    while plain.startswith("(") and plain.endswith(")"):
        plain = plain[1:-1].strip(' "')
    return plain


def _years(text: str) -> Node | None:
    span = _SPAN.fullmatch(text)
    if span is None or not (span["first"] or span["last"]):
        return None
    first, last = (_YEAR.search(span[name] or "") for name in ("first", "last"))
    begin, end = (int(year[0]) if year else None for year in (first, last))
    if begin is not None and not span["to"] and not text.startswith(("from", "since", "after")):
        end = begin
    years = year_range(begin, end)
    return years if years and (years.first or years.last) else None


def _entry_dates(text: str) -> Node | None:
    span = _SPAN.fullmatch(text)
    if span is None or not (span["first"] or span["last"]):
        return None
    first, last = (iso_date(span[name] or "") for name in ("first", "last"))
    if (span["first"] and not first) or not (first or last):
        return None
    return entry_span(first, last if span["to"] else first)


def _language(text: str) -> Node | None:
    language = _LANGUAGE.fullmatch(text)
    name = language_name(language["name"]) if language else None
    return Term(name, "language") if name else None


def _type(text: str) -> Node | None:
    name = TYPES.get(text, text)
    return leaf_of(tuple(name.split()), "type") if name in _KNOWN_TYPES else None


_MEANING: dict[str, Callable[[str], Node | None]] = {
    "year": _years, "entered": _entry_dates, "language": _language, "type": _type,
}  # fmt: skip


def _anything(text: str) -> Node | None:
    if _CLINICAL_REVIEWS.fullmatch(text):
        return Term("systematic", "subset")
    if age := _AGES.fullmatch(text):
        return Term(f"all{age[1]}", "subset")
    if text in _FILTERS:
        return Term(_FILTERS[text], "subset")
    dated = re.match(r"(?:publication|published) (?:date|year)s?\s*:?\s*", text)
    return _years(text[dated.end() :] if dated else text) or _type(text) or _language(text)


def type_of(leaf: Term | Phrase) -> Term | Phrase:
    """Return the leaf with PubMed's name of the publication type."""
    name = " ".join(words_of(leaf)).lower()
    return leaf_of(tuple(TYPES.get(name, name).split()), "type")


def filter_of(leaf: Term | Phrase) -> Term | Phrase:
    """Return the leaf of a language or type by the name of PubMed's filter."""
    name = " ".join(words_of(leaf)).lower()
    if language_name(name) == name:
        return Term(name, "language")
    kind = _TYPE_OF.get(re.sub(r"\W", "", name))
    return leaf_of(tuple(kind.split()), "type") if kind else leaf


def language_of(leaf: Term | Phrase) -> Term | Phrase:
    code = " ".join(words_of(leaf)).lower()
    name = language_name(code) or code
    return leaf if name == code else Term(name, "language")
