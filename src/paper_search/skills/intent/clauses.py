"""Parts of a question in which every word says what papers are wanted, none what about."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from paper_search.bibliography.languages import language_code
from paper_search.skills.intent.forms import (
    CUT,
    NUMBERS,
    QUOTED,
    ParsedQuestion,
    Span,
    form,
    forms,
)
from paper_search.skills.words import word_table

_MOST_RESULTS = 1900
_STUDIES = {"review", "dataset", "case report", "editorial"}
"""Surveys and data sets are types of an intent, the others no types of CSL."""
_LANGUAGES = ("language", "tongue", "tongue of", "labelled")
_WISHES = ("order", "access", "citing", "least", "reach")
_STAY = {"kind", "study", "design", *_LANGUAGES}
"""What is ranked by unless it is acted on."""
_WORD_START = re.compile(r"(?<![^\s\ue000])\S")
_GAP = re.compile(r"[\s/&+:.-]*")
_WORD = re.compile(r"[^\W\d_]+(?:['’][a-z]+)?(?![\w’']|-\w)")
_GLUE = word_table("function") - {"about", "on", "re", "without", "no", "not", "neither", "nor"}


class _Item(NamedTuple):
    kind: str
    name: str
    start: int
    end: int


@dataclass(frozen=True)
class _Run:
    """Items one behind the other in a text: a whole clause, its start or its end."""

    text: str
    items: Sequence[_Item]
    shape: str

    @property
    def start(self) -> int:
        return self.items[0].start

    @property
    def end(self) -> int:
        return self.items[-1].end

    @property
    def about(self) -> re.Match[str] | None:
        """What says that the subject of the papers follows."""
        return form("around_clause", "about").match(self.text, self.end)

    def of(self, *kinds: str) -> list[_Item]:
        return [item for item in self.items if item.kind in kinds]

    def outline(self, *, is_behind: bool) -> str:
        """Return the run as the table `meaning` has it.

        Example: ", whole only:only language:english $"
        """
        items = (f"{item.kind}:{item.name}".replace(" ", "_") for item in self.items)
        before, after = self.text[: self.start].rstrip(), self.text[self.end :].lstrip()
        outer = before[-1:] or "^", after[:1] or "$"
        said, about = "said " * is_behind, "about " if self.about else ""
        return f"{said}{outer[0]} {self.shape} {' '.join(items)} {about}{outer[1]}"


def kind_at(text: str, start: int) -> tuple[str, int] | None:
    """Return the kind of publication named at an offset, if any, and where its name ends."""
    matches = ((kind, pattern.match(text, start)) for kind, pattern in forms("kind"))
    return next(((kind, match.end()) for kind, match in matches if match), None)


def read_clauses(reading: ParsedQuestion) -> None:
    """Read what those clauses ask for of which every word is in the table `clause`.

    Such is a whole clause, its start up to what papers are about, or its end. A clause with a word
    that is not in the table is a subject. What a run says is in the table `meaning`.
    """
    text, end_before = reading.question, -1
    cuts: list[Span] = []
    for start, end in _spans(text):
        for run in _runs(text, start, end):
            is_behind = bool(cuts) and not text[end_before : run.start].strip(" ,;()")
            is_beside = text[run.end :].lstrip(" ,;").startswith(CUT)
            is_beside = is_beside or text[: run.start].rstrip(" ,;").endswith(CUT)
            is_behind = is_behind or (is_beside and {it.kind for it in run.items} == {"language"})
            handled = _handled(run, reading, is_behind=is_behind)
            if handled is not None:
                end_before = run.end
                cuts += _cuts(run, handled)
    reading.cut(*cuts)


def _cuts(run: _Run, handled: Sequence[_Item]) -> Iterator[Span]:
    """Yield all of a run but what is ranked by: what a study is, and a language of whom."""
    ends = [*(item.start for item in run.items[1:]), run.end]
    for item, end in zip(run.items, ends, strict=True):
        if item.kind not in _STAY or item in handled:
            yield item.start, end


def _spans(text: str) -> Iterator[Span]:
    blanked = QUOTED.sub(lambda quoted: "_" * len(quoted[0]), text)
    stops = form("around_clause", "stop").finditer(blanked)
    edges = [0, *(edge for stop in stops for edge in stop.span()), len(text)]
    return zip(edges[::2], edges[1::2], strict=True)


def _runs(text: str, start: int, end: int) -> Iterator[_Run]:
    """Yield what is all of a clause, or its end, or leads to a subject in it."""
    place, asks = start, form("around_clause", "asking")
    for begin in (start, *(word.start() for word in _WORD_START.finditer(text, start + 1, end))):
        if begin < place or not (items := _items(text, begin, end)):
            continue
        is_first, place = not text[start:begin].strip(), items[-1].end
        if text[place:end].strip():
            while items and not is_first and not asks.match(text, items[0].start):
                items = items[1:]
            if run := _start(text, items):
                yield run
        elif is_first:
            yield _Run(text, items, "whole")
        else:
            while items and items[0].kind == "glue" and items[0].name not in {"that", "which"}:
                items = items[1:]
            if items:
                yield _Run(text, items, "end")


def _start(text: str, items: Sequence[_Item]) -> _Run | None:
    """Return a run up to where its subject begins; None: it may be a subject itself."""
    for length in range(len(items), 0, -1):
        run = _Run(text, items[:length], "start")
        last = run.items[-1].kind
        if last in {"thing", "design", "kind", "study", "citing"} or (last != "glue" and run.about):
            is_joined = form("around_clause", "joint").match(text, run.end)
            return None if is_joined else run
    return None


def _items(text: str, start: int, end: int) -> list[_Item]:
    items: list[_Item] = []
    place = start
    while (gap := _GAP.match(text, place, end)) and gap.end() < end:
        item = _item_at(text, gap.end())
        if item is None or item.end > end:
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


def _handled(run: _Run, reading: ParsedQuestion, *, is_behind: bool) -> list[_Item] | None:
    """Return the items that are acted on or named in a note; None: the run says nothing."""
    handled: list[_Item] = []
    is_rest = False
    for what, pattern in forms("meaning"):
        if pattern.search(run.outline(is_behind=is_behind or bool(handled))):
            if what == "none":
                break
            is_rest = is_rest or what == "rest"
            handled += _act(what, run, reading, handled)
    return handled if handled or is_rest else None


def _act(
    what: str, run: _Run, reading: ParsedQuestion, handled: Sequence[_Item]
) -> Sequence[_Item]:
    """Add to the reading what a run asks for; return the items that say so."""
    languages = [item for item in run.of(*_LANGUAGES) if item not in handled]
    match what:
        case "count":
            return _count(run, reading)
        case "wish" | "mention":
            wishes = _wishes(run, reading)
            return wishes if what == "wish" else []
        case "language" | "choice" if languages:
            return _language(run, reading, is_sure=what == "language")
        case "kind":
            kinds = reading.constraints.publication_types
            kinds[:] = dict.fromkeys([*kinds, *(item.name for item in run.of("kind"))])
            return run.of("kind")
        case "note":
            return _note(run, run.of(*_LANGUAGES, "kind", "order"), reading)
        case "mention language" | "mention kind" if not handled:
            _note(run, languages or run.of("kind"), reading)
    return []


def _note(run: _Run, items: list[_Item], reading: ParsedQuestion) -> list[_Item]:
    wording = " ".join(run.text[run.start : run.end].replace(CUT, "").split())
    in_one = f"for one language, write 'papers in {items[0].name.capitalize()}'"
    is_language = items[0].kind in _LANGUAGES
    reading.leave(repr(wording), *((in_one, "language") if is_language else ()))
    return items


def _count(run: _Run, reading: ParsedQuestion) -> list[_Item]:
    numbers, limits = run.of("number"), reading.constraints
    name = " ".join(numbers[-1].name.split())
    count = int(name) if name.isdecimal() else NUMBERS.get(name, 0)
    if limits.max_papers is not None or not 0 < count <= _MOST_RESULTS:
        return []
    limits.max_papers = limits.max_results = count
    return numbers


def _language(run: _Run, reading: ParsedQuestion, *, is_sure: bool) -> list[_Item]:
    """Take the language as a limit, or note that a choice of two is none."""
    items, limits = run.of(*_LANGUAGES), reading.constraints
    codes = {language_code(item.name) for item in items}
    if not is_sure or len(codes) > 1 or limits.language not in {None, *codes}:
        limits.language = None
        return _note(run, items, reading)
    [limits.language] = codes
    return items


def _wishes(run: _Run, reading: ParsedQuestion) -> list[_Item]:
    """Note what no search can meet."""
    wishes = run.of(*_WISHES)
    last = run.of(*_WISHES, "ranking", "number" if run.of("least") else "")[-1]
    reading.leave(run.text[wishes[0].start : last.end].replace(CUT, "").strip())
    return wishes
