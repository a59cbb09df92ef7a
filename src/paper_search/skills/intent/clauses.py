"""Parts of a question in which every word says what papers are wanted, none what about."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
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
_KINDS_OF_STUDY = {"review", "dataset", "case report", "editorial"}
"""Surveys and data sets are types of an intent, the others no types of CSL."""
_WEAK = {"glue", "ranking", "only", "quality", "thing", "most", "ask", "cut", "reach"}
"""What a clause has besides a limit that was cut out of it."""
_WISHES = ("order", "access", "least", "citing")
_THINGS = ("thing", "design", "kind")
_LANGUAGES = ("language", "tongue", "tongue of")
_STOPS = re.compile(
    r"[,;!?()\[\]–—]|(?<!\blanguage)(?<!\btype)(?<!\bmax)(?<!\blimit):|(?<!\bmax)\.(?=\W|$)|(?<=\s)-(?=\s)",
    re.IGNORECASE,
)
_WORD_START = re.compile(r"(?<![^\s\ue000])\S")
_GAP = re.compile(r"[\s/&+:.-]*")
_WORD = re.compile(r"[^\W\d_]+(?:['’][a-z]+)?(?![\w’']|-\w)")
_GLUE = word_table("function") - {"about", "on", "re", "without", "no", "not", "neither", "nor"}
_MOST_WORDS = 15
"""At the end of a clause, among which a limit may begin."""


class _Item(NamedTuple):
    kind: str
    name: str
    start: int
    end: int


@dataclass(frozen=True)
class _Run:
    """Items one behind the other in a text: a whole clause, its start or its end."""

    text: str
    items: tuple[_Item, ...]
    shape: str

    def of(self, *kinds: str) -> list[_Item]:
        return [item for item in self.items if item.kind in kinds]

    @property
    def start(self) -> int:
        return self.items[0].start

    @property
    def end(self) -> int:
        return self.items[-1].end

    @property
    def around(self) -> tuple[str, str]:
        """The characters before and behind it."""
        return self.text[: self.start].rstrip()[-1:], self.text[self.end :].lstrip()[:1]

    @property
    def about(self) -> re.Match[str] | None:
        """What says that the subject of the papers follows."""
        return form("around_clause", "about").match(self.text, self.end)

    @property
    def cut_end(self) -> int:
        """Its end, or that of an "abt" behind it, which would be read as part of the subject."""
        return self.about.end("odd") if self.about and self.about["odd"] else self.end


def kind_at(text: str, start: int) -> tuple[str, int] | None:
    """Return the kind of publication named at an offset, if any, and where its name ends."""
    for kind, pattern in forms("kind"):
        match = pattern.match(text, start)
        if match:
            return kind, match.end()
    return None


def read_clauses(reading: ParsedQuestion) -> None:
    """Read what those clauses ask for of which every word is in the table `clause`.

    Such is a whole clause, its start up to what papers are about, or its end. A clause with a word
    that is not in the table is a subject. Kinds of study that no search can be limited to stay in
    the text.
    """
    text, end_before = reading.question, -1
    cuts: list[Span] = []
    for start, end in _spans(text):
        for run in _runs(text, start, end):
            is_behind = bool(cuts) and not text[end_before : run.start].strip(" ,;()")
            handled = _handled(run, reading, is_behind=is_behind)
            if handled or _is_rest(run, is_behind=is_behind):
                end_before = run.cut_end
                cuts += _cuts(run, handled)
    reading.cut(*cuts)


def _cuts(run: _Run, handled: Sequence[_Item]) -> Iterator[Span]:
    """Yield all of a run but what is ranked by: what a study is, and a language of whom."""
    start = place = run.start
    for item in run.items:
        if item.kind in {"kind", "design", *_LANGUAGES} and item not in handled:
            if start < place:
                yield start, item.start
            start = item.end
        place = item.end
    if start < run.cut_end:
        yield start, run.cut_end


def _spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    blanked = QUOTED.sub(lambda quoted: f'"{"_" * (len(quoted[0]) - 2)}"', text)
    for stop in _STOPS.finditer(blanked):
        yield start, stop.start()
        start = stop.end()
    yield start, len(text)


def _runs(text: str, start: int, end: int) -> Iterator[_Run]:
    run = _Run(text, tuple(_items(text, start, end)), "whole")
    if run.items and not text[run.end : end].strip():
        yield run
        return
    place = start
    asking, joint = form("around_clause", "asking"), form("around_clause", "joint")
    for begin in (start, *(m.end() for m in asking.finditer(text, start, end))):
        run = _start(_Run(text, tuple(_items(text, begin, end)), "start"))
        if run.items and not joint.match(text, run.end):
            yield run
            place = run.end
            break
    for word in [*_WORD_START.finditer(text, place + 1, end)][-_MOST_WORDS:]:
        items = tuple(_items(text, word.start(), end))
        if items and not text[items[-1].end : end].strip():
            while items and items[0].kind == "glue" and items[0].name not in {"that", "which"}:
                items = items[1:]
            if items:
                yield _Run(text, items, "end")
            return


def _start(run: _Run) -> _Run:
    """Return a run up to where its subject begins, or without items: it may be a subject itself."""
    for length in range(len(run.items), 0, -1):
        part = replace(run, items=run.items[:length])
        last = part.items[-1].kind
        if last in {*_THINGS, "citing"} or (last != "glue" and part.about):
            return part
    return replace(run, items=())


def _items(text: str, start: int, end: int) -> Iterator[_Item]:
    place = start
    while (place := _GAP.match(text, place, end).end()) < end:  # type: ignore[union-attr]  # matches anything
        item = _item_at(text, place)
        if item is None or item.end > end:
            return
        yield item
        place = item.end


def _item_at(text: str, start: int) -> _Item | None:
    if text[start] == CUT:
        return _Item("cut", "", start, start + 1)
    kind = kind_at(text, start)
    items = [_Item("kind", kind[0], start, kind[1])] if kind else []
    for name, pattern in forms("clause"):
        match = pattern.match(text, start)
        if match:
            value = next(filter(None, match.groups()), match[0])
            items.append(_Item(name, value.lower(), start, match.end()))
    word = _WORD.match(text, start)
    if word and word[0].lower() in _GLUE:
        items.append(_Item("glue", word[0].lower(), start, word.end()))
    return max(items, key=lambda item: item.end, default=None)


def _is_rest(run: _Run, *, is_behind: bool) -> bool:
    """Return whether it only goes with a limit that was cut out of it or stands before it."""
    if run.shape == "end" or not all(item.kind in _WEAK for item in run.items):
        return False
    is_whole = run.shape == "whole"
    is_left = len(run.items) > 1 and bool(run.of("cut")) and (is_whole or run.about)
    return bool(is_left) or run.cut_end > run.end or (is_behind and is_whole)


def _handled(run: _Run, reading: ParsedQuestion, *, is_behind: bool) -> list[_Item]:
    """Return the items that are acted on or named in a note; add to the result what they ask."""
    if run.of("rate"):
        return []
    if run.of("negation", "hedge") and not run.of("access", "reach", "number"):
        items = [*run.of(*_LANGUAGES), *(run.of("kind", "order") if run.of("hedge") else [])]
        return _note(run, items, reading) if run.shape == "whole" else []
    handled = [*_count(run, reading), *_wishes(run, reading)]
    handled += _language(run, reading, is_said=bool(handled) or is_behind)
    return [*handled, *_kinds(run, reading, is_said=bool(handled) or is_behind)]


def _note(run: _Run, items: list[_Item], reading: ParsedQuestion) -> list[_Item]:
    if items:
        wording = " ".join(run.text[run.start : run.end].replace(CUT, "").split())
        in_one = f"for one language, write 'papers in {items[0].name.capitalize()}'"
        reading.leave(repr(wording), in_one if items[0].kind in _LANGUAGES else "")
    return items


def _count(run: _Run, reading: ParsedQuestion) -> list[_Item]:
    numbers, limits = run.of("number"), reading.constraints
    if not numbers or limits.max_papers is not None or run.of("least"):
        return []
    name = " ".join(numbers[-1].name.split())
    count = int(name) if name.isdecimal() else NUMBERS.get(name, 0)
    is_said = bool(run.of("most", "only"))
    is_counted = any(item.start > numbers[0].end for item in run.of(*_THINGS, "order"))
    is_plural = run.about or run.around[1] == CUT or run.text[run.end - 1] == "s"
    is_sure = {
        "start": is_counted and is_plural,
        "whole": is_counted or is_said,
        "end": is_counted and is_said,
    }[run.shape]
    if not 0 < count <= _MOST_RESULTS or not is_sure:
        return []
    limits.max_papers = limits.max_results = count
    return numbers


def _language(run: _Run, reading: ParsedQuestion, *, is_said: bool) -> list[_Item]:
    items, (before, after) = run.of(*_LANGUAGES), run.around
    if not items:
        return []
    names = list(dict.fromkeys(item.name for item in items))
    is_in = bool(run.of("tongue"))
    is_bracketed = before == "(" and run.shape == "whole"
    papers = [item for item in run.of(*_THINGS, "cut") if item.start < items[0].start]
    is_label = any(
        item.name.startswith("language") and item.end < items[0].start for item in run.of("glue")
    )
    is_sure = (
        bool(run.of("only"))
        or is_label
        or (is_in and bool(papers))
        or (bool(run.of("tongue of")) and bool(run.of("thing", "kind")))
        or (is_said and run.shape == "whole" and not is_bracketed)
        or {
            "start": is_in or (names == ["english"] and run.about is not None),
            "whole": is_bracketed != is_in and (before or after in {*":;-–—"}),
            "end": False,
        }[run.shape]
    )
    is_choice = len(names) > 1 and (
        is_sure or any(i.name in {"or", "fine", "read"} for i in run.items)
    )
    is_title = is_bracketed and is_in and not is_sure
    if is_choice or is_title or reading.constraints.language:
        reading.constraints.language = None
        return _note(run, items, reading)
    if is_sure:
        reading.constraints.language = language_code(names[0])
        return items
    if run.shape == "start":
        _note(run, items, reading)
    return []


def _wishes(run: _Run, reading: ParsedQuestion) -> list[_Item]:
    """Note what no search can meet; open access at the end of a subject may be part of it."""
    is_counted = bool(run.of("number") and run.of(*_THINGS))
    wishes = [item for item in run.of(*_WISHES) if item.kind != "least" or is_counted]
    reach = run.of("reach")
    if run.shape == "whole" and (
        len(reach) > 1 or (reach and run.of("only", "negation", "access"))
    ):
        wishes = sorted([*wishes, *reach], key=lambda item: item.start)
    if wishes:
        last = run.of(*_WISHES, "ranking", "reach", "number" if run.of("least") else "")[-1]
        wording = run.text[wishes[0].start : last.end].replace(CUT, "").strip()
        reading.leave(wording)
    is_sure = run.shape != "end" or run.of("order", "only", "least") or run.items[0].kind == "glue"
    return wishes if is_sure else []


def _kinds(run: _Run, reading: ParsedQuestion, *, is_said: bool) -> list[_Item]:
    items, (before, after) = run.of("kind"), run.around
    names = list(dict.fromkeys(item.name for item in items))
    if not items or _KINDS_OF_STUDY & {*names}:
        return []
    is_sure = {
        "start": run.about or after == CUT,
        "whole": is_said or run.about or run.of("only", "ask"),
        "end": is_said or run.of("only"),
    }[run.shape]
    if is_sure:
        kinds = reading.constraints.publication_types
        kinds += [name for name in names if name not in kinds]
        return items
    if run.shape == "whole" and before and not after:
        _note(run, items, reading)
    return []
