"""Clauses of a question that say what kind of papers are wanted, not what they are about."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile, pairwise
from typing import NamedTuple

from paper_search.bibliography.languages import language_code
from paper_search.skills.intent.forms import (
    CUT,
    QUOTED,
    ParsedQuestion,
    Span,
    form,
    forms,
    number_of,
)
from paper_search.skills.words import word_table

_MOST_RESULTS = 1900
_STUDIES = {"review", "dataset", "case report", "editorial"}
"""Surveys and data sets are intent types; the others have no CSL type."""
_LANGUAGES = ("language", "tongue", "tongue of", "labelled")
_WISHES = ("order", "access", "citing", "least", "reach", "origin")
_STAY = {"kind", "study", "design", *_LANGUAGES}
"""Kinds that stay in the text used for ranking unless they are acted on."""
_HEADS = {"thing", "design", "kind", "study", "citing", "asker", "piece", "topic"}
"""Kinds that a topic may follow without "on" or "about"."""
_WORD_START = re.compile(r"(?<![^\s\ue000])\S")
_GAP = re.compile(r"[\s/&+:,.-]*")
_SIGNS = " ,;:.?!()[]–—-"
_WORD = re.compile(r"[^\W\d_]+(?:['’][a-z]+)?(?![\w’']|-\w)")
_GLUE = word_table("function") - {"about", "on", "re", "without", "no", "not", "neither", "nor"}


class _Item(NamedTuple):
    kind: str
    name: str
    start: int
    end: int


@dataclass(frozen=True)
class _Run:
    """Consecutive items; `shape` is `whole`, `start` or `end`, for their part of the clause."""

    text: str
    shape: str
    items: Sequence[_Item]

    @property
    def wording(self) -> str:
        return self.text[self.items[0].start : self.items[-1].end]

    @property
    def is_about(self) -> bool:
        about = form("around_clause", "about").match(self.text, self.items[-1].end)
        return about is not None or self.items[-1].kind == "topic"

    def of(self, *kinds: str) -> list[_Item]:
        return [item for item in self.items if item.kind in kinds]

    def outline(self, *, is_behind: bool) -> str:
        """Return the run in the notation of `meaning`: ", whole only:only language:english $"."""
        before = self.text[: self.items[0].start].rstrip()[-1:] or "^"
        after = self.text[self.items[-1].end :].lstrip()[:1] or "$"
        said, about = "said " * is_behind, "about " * self.is_about
        return f"{said}{before} {self.shape} {' '.join(map(_label, self.items))} {about}{after}"


def _label(item: _Item) -> str:
    return f"{item.kind}:{item.name}".replace(" ", "_")


def kind_at(text: str, start: int) -> tuple[str, int] | None:
    """Return the kind of publication named at an offset, if any, and the end of its name."""
    matches = ((kind, pattern.match(text, start)) for kind, pattern in forms("kind"))
    return next(((kind, match.end()) for kind, match in matches if match), None)


def read_clauses(reading: ParsedQuestion) -> None:
    """Read clauses, starts of clauses before a topic, and ends that use only the table `clause`.

    The table `meaning` interprets them. Kinds of studies, and languages that are not limits, stay
    in the text used for ranking.
    """
    text, end = reading.question, 0
    cuts: list[Span] = []
    for run in _runs(text):
        first, last = run.items[0].start, run.items[-1].end
        is_behind = bool(cuts) and not text[end:first].strip(" ,;()")
        around = f"{text[:first].rstrip(' ,;')[-1:]}{text[last:].lstrip(' ,;')[:1]}"
        bare = ("language", "kind") if run.shape == "whole" else ("language",)  # no "of the books"
        is_bare = CUT in around and run.of(*bare) == run.items
        if handled := _act(run, reading, is_behind=is_behind or is_bare):
            end = last
            ends = [*(item.start for item in run.items[1:]), end]
            cuts += (
                (item.start, behind)
                for item, behind in zip(run.items, ends, strict=True)
                if item.kind not in _STAY or item in handled
            )
    reading.cut(*cuts)


def limits_left(text: str) -> Iterator[tuple[str, str]]:
    """Yield the clauses that look like limits, after their kinds in the table `left`."""
    for start, end in pairwise([*(start for start, _ in _spans(text)), len(text)]):
        names, place = [] if start else ["first"], start
        for word in _WORD_START.finditer(text, start, end):
            if word.start() >= place:
                item = _item_at(text, word.start())
                names.append(_label(item) if item else "-")
                place = item.end if item else word.end()
        outline = f"{' '.join(names)} "
        if kind := next((kind for kind, form in forms("left") if form.search(outline)), None):
            yield kind, " ".join(text[start:end].replace(CUT, " ").split()).strip(_SIGNS)


def _spans(text: str) -> Iterator[Span]:
    blanked = text
    for whole in (QUOTED, form("around_clause", "list")):
        blanked = whole.sub(lambda part: "_" * len(part[0]), blanked)
    stops = form("around_clause", "stop").finditer(blanked)
    edges = [0, *(edge for stop in stops for edge in stop.span()), len(text)]
    return zip(edges[::2], edges[1::2], strict=True)


def _runs(text: str) -> Iterator[_Run]:
    """Yield whole clauses, and the starts and ends of others."""
    for start, end in _spans(text):
        items = _items(text, start, end)
        place = items[-1].end if items else start
        if items and not text[place:end].strip():
            yield _Run(text, "whole", items)
            continue
        heads = (_Run(text, "start", items[:length]) for length in range(len(items), 0, -1))
        head = next(filter(_leads_to_subject, heads), None)
        if head and not form("around_clause", "joint").match(text, head.items[-1].end):
            yield head
        for word in _WORD_START.finditer(text, place, end):
            if word.start() >= place and (items := _items(text, word.start(), end)):
                place = items[-1].end
                items = list(dropwhile(_is_glue, items))
                if items and not text[place:end].strip():
                    yield _Run(text, "end", items)


def _is_glue(item: _Item) -> bool:
    return item.kind == "glue" and item.name not in {"that", "which"}


def _leads_to_subject(run: _Run) -> bool:
    last = run.items[-1].kind
    return last in _HEADS or (last != "glue" and run.is_about)


def _items(text: str, start: int, end: int) -> list[_Item]:
    items: list[_Item] = []
    place = start
    while (gap := _GAP.match(text, place, end)) and gap.end() < end:
        item = _item_at(text, gap.end())
        if item is None:
            break
        items.append(item)
        place = item.end
    return items


def _item_at(text: str, start: int) -> _Item | None:
    if text[start] == CUT:
        return _Item("cut", "", start, start + 1)
    items: list[_Item] = []
    if kind := kind_at(text, start):
        items.append(_Item("study" if kind[0] in _STUDIES else "kind", kind[0], start, kind[1]))
    for name, pattern in forms("clause"):
        match = pattern.match(text, start)
        if match:
            value = next(filter(None, match.groups()), match[0])
            items.append(_Item(name, value.lower(), start, match.end()))
    word = _WORD.match(text, start)
    if word and word[0].lower() in _GLUE:
        items.append(_Item("glue", word[0].lower(), start, word.end()))
    return max(items, key=lambda item: item.end, default=None)


def _act(run: _Run, reading: ParsedQuestion, *, is_behind: bool) -> list[_Item]:
    handled: list[_Item] = []
    for what, pattern in forms("meaning"):
        # "children's books" in "children's books in English" may be the topic
        may_be_subject = run.shape == "end" and run.items[0].kind == "kind"
        is_said = is_behind or (bool(handled) and not may_be_subject)
        if pattern.search(run.outline(is_behind=is_said)):
            if what == "none":
                break
            handled += _items_of(what, run, reading)
    return handled


def _items_of(what: str, run: _Run, reading: ParsedQuestion) -> Sequence[_Item]:
    languages, kinds = run.of(*_LANGUAGES), run.of("kind")
    match what:
        case "rest":
            return run.items
        case "count":
            return _count(run.of("number"), reading)
        case "wish":
            wishes = run.items if run.of("negation") else run.of(*_WISHES)
            last = max((*wishes, *run.of("ranking", "number")), key=lambda item: item.end)
            return _note(run.text[wishes[0].start : last.end], wishes, reading)
        case "language":
            return _language(run, languages, reading) if languages else []
        case "kind":
            types = reading.constraints.publication_types
            types[:] = dict.fromkeys([*types, *(item.name for item in kinds)])
            return kinds
    return _note(run.wording, [*languages, *kinds, *run.of("order")], reading)


def _count(numbers: list[_Item], reading: ParsedQuestion) -> list[_Item]:
    count, limits = number_of(numbers[-1].name), reading.constraints
    if not 0 < count <= _MOST_RESULTS:
        return []
    limits.max_papers = limits.max_results = limits.max_papers or count
    return numbers


def _note(wording: str, items: Sequence[_Item], reading: ParsedQuestion) -> Sequence[_Item]:
    in_one = f"for one language, write 'papers in {items[0].name.capitalize()}'"
    is_language = items[0].kind in _LANGUAGES
    what = repr(" ".join(wording.replace(CUT, "").split()))
    reading.leave(what, *((in_one, "language") if is_language else ()))
    return items


def _language(run: _Run, items: list[_Item], reading: ParsedQuestion) -> Sequence[_Item]:
    """Limit the language, or note that a choice of languages is not a limit."""
    codes, limits = {language_code(item.name) for item in items}, reading.constraints
    if len(codes) > 1 or limits.language not in {None, *codes}:
        limits.language = None
        return _note(run.wording, items, reading)
    [limits.language] = codes
    return items
