"""Grades as a model returns them, and what is wrong with them."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, Field, field_validator, model_validator

from paper_search.models import Criterion, CriterionKind, Grade, PaperTag
from paper_search.models.criteria import HIGHEST_GRADE
from paper_search.skills.judging.question import Shown

_PENALTY = {1: 0.5, 2: 0.75, 3: 1.0}
"""Share of the score that a criterion for exclusion takes away where it is fully met, by weight."""
_NO_GRADE = -1
_LONGEST_SNIPPET = 300


class GradeAnswer(BaseModel):
    """The grade for one criterion; one that is none of 0 to 3 is `_NO_GRADE`."""

    criterion: int = Field(description="number of the criterion")
    grade: int = Field(default=_NO_GRADE, description="0, 1, 2 or 3")
    snippet: str = Field(default="", description="copied from title or abstract")

    @field_validator("grade", mode="before")
    @classmethod
    def _of_the_scale(cls, value: Any) -> int:
        if isinstance(value, str) and value.strip().isdecimal():
            value = int(value[:9])
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return int(value) if is_number and value in range(HIGHEST_GRADE + 1) else _NO_GRADE

    @field_validator("snippet", mode="before")
    @classmethod
    def _of_text(cls, value: Any) -> str:
        return value if isinstance(value, str) else ""


class PaperAnswer(BaseModel):
    """The grades of one paper."""

    paper: str
    title: str = Field(default="", description="the first five words of its title")
    grades: list[GradeAnswer] = Field(default_factory=list)
    tags: list[PaperTag] = Field(default_factory=list)

    @field_validator("paper", "title", mode="before")
    @classmethod
    def _of_text(cls, value: Any) -> str:
        return value if isinstance(value, str) else ""

    @field_validator("grades", mode="before")
    @classmethod
    def _readable(cls, value: Any) -> Any:
        given = value if isinstance(value, list) else []
        return [entry for entry in given if _numbers_a_criterion(entry)]

    @field_validator("tags", mode="before")
    @classmethod
    def _known(cls, value: Any) -> list[PaperTag]:
        given = value if isinstance(value, list) else [value]
        known = {tag.value: tag for tag in PaperTag}
        names = (tag.strip().lower() for tag in given if isinstance(tag, str))
        return list(dict.fromkeys(known[name] for name in names if name in known))


class BatchAnswer(BaseModel):
    """The grades of one batch."""

    results: list[PaperAnswer]

    @model_validator(mode="before")
    @classmethod
    def _bare_list(cls, value: Any) -> Any:
        return {"results": value} if isinstance(value, list) else value

    @field_validator("results", mode="before")
    @classmethod
    def _named(cls, value: Any) -> Any:
        """Leave out what names no paper: it is missing then, and asked for again."""
        if not isinstance(value, list):
            return value
        return [entry for entry in value if isinstance(entry, dict) and "paper" in entry]


class Judgement(BaseModel):
    """What a model said of one paper, checked."""

    grades: list[Grade]
    tags: list[PaperTag] = Field(default_factory=list)
    is_suspect: bool = False
    """It was graded well where the grades of others hung on its company, or by words that say
    nothing of the subject."""
    is_confirmed: bool = False
    """A reading without what says nothing of the subject gave no lower score."""


def read(
    answer: BatchAnswer, shown: Mapping[str, Shown], criteria: Sequence[Criterion]
) -> tuple[dict[str, Judgement], dict[str, str]]:
    """Return by alias the judgements that hold, and what is wrong where there is none.

    Args:
        answer: of the model.
        shown: by alias, what it was asked about; what it answers besides is ignored.
        criteria: in the order of their numbers.
    """
    counts = Counter(result.paper for result in answer.results)
    given = {result.paper: result for result in answer.results}
    judged: dict[str, Judgement] = {}
    wrong: dict[str, str] = {}
    for alias, paper in shown.items():
        if alias not in given:
            wrong[alias] = "no answer for it"
        elif counts[alias] > 1:
            wrong[alias] = "it was answered twice"
        elif not begins_alike(given[alias].title, paper.title):
            wrong[alias] = "the title in the answer is not its title"
        else:
            found = _judgement(given[alias], paper, criteria)
            if isinstance(found, str):
                wrong[alias] = found
            else:
                judged[alias] = found
    return judged, wrong


def _judgement(given: PaperAnswer, paper: Shown, criteria: Sequence[Criterion]) -> Judgement | str:
    """Return the judgement, or what is wrong with it."""
    grades = []
    for number, criterion in enumerate(criteria, start=1):
        named = [grade for grade in given.grades if grade.criterion == number]
        if len(named) != 1 or named[0].grade == _NO_GRADE:
            return f"criterion {number} has no grade from 0 to {HIGHEST_GRADE}"
        [answer] = named
        snippet = ""
        if answer.grade:
            found = found_snippet(answer.snippet, [paper.title, paper.abstract])
            if found is None:
                return f"criterion {number}: the snippet is not in its title or abstract"
            snippet = found[:_LONGEST_SNIPPET]
        grades.append(Grade(criterion=criterion, grade=answer.grade, snippet=snippet))
    return Judgement(grades=grades, tags=given.tags)


def _numbers_a_criterion(given: Any) -> bool:
    number = given.get("criterion") if isinstance(given, dict) else None
    return isinstance(number, int) and not isinstance(number, bool)


def score_of(grades: Sequence[Grade]) -> float:
    """Return the score in [0, 1]: the weighted mean of the inclusions, less what is excluded.

    Of no inclusions the mean is 1.
    """
    met, whole, kept = 0.0, 0.0, 1.0
    for given in grades:
        share, weight = given.grade / HIGHEST_GRADE, given.criterion.weight
        if given.criterion.kind is CriterionKind.EXCLUSION:
            kept *= 1 - _PENALTY[weight] * share
        else:
            met += weight * share
            whole += weight
    return round(kept * (met / whole if whole else 1.0), 4)


_FEWEST_CHARS = 8
_FEWEST_UNSPACED = 2
"""Characters of a snippet in a script that needs fewer of them."""
_ALIKE = str.maketrans("‘’‚‛“”„‟«»`´‐‑‒–—―−", "'''''''''''''------")
_AROUND = " '\".,;:…-"


def found_snippet(snippet: str, texts: Iterable[str | None]) -> str | None:
    """Return the snippet as the first of the texts that has it spells it; None: none has it.

    Case, blanks and the kinds of quotation marks and dashes do not matter, and what is around
    the snippet is cut off. One that is too short to show anything counts only if it is the text.
    """
    wanted = _plain(snippet)[0].strip(_AROUND)
    if not wanted:
        return None
    for text in filter(None, texts):
        plain, places = _plain(text)
        if not _is_enough(wanted) and wanted != plain.strip(_AROUND):
            continue
        start = plain.find(wanted)
        if start >= 0:
            return text[places[start] : places[start + len(wanted) - 1] + 1]
    return None


def begins_alike(given: str, title: str) -> bool:
    """Return whether the given words are those that the title begins with."""
    said, known = _letters(given), _letters(title)
    if not known:
        return True
    shorter = min(len(said), len(known))
    return shorter >= min(_FEWEST_CHARS, len(known)) and said[:shorter] == known[:shorter]


def _is_enough(wanted: str) -> bool:
    return len(wanted) >= (_FEWEST_CHARS if wanted.isascii() else _FEWEST_UNSPACED)


def _plain(text: str) -> tuple[str, list[int]]:
    """Return the text for comparison, and where in `text` each of its characters comes from."""
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        for letter in unicodedata.normalize("NFKC", character).casefold().translate(_ALIKE):
            shown = " " if letter.isspace() else letter
            if shown == " " and characters[-1:] == [" "]:
                continue
            characters.append(shown)
            places.append(place)
    return "".join(characters), places


def _letters(text: str) -> str:
    return "".join(letter for letter in _plain(text)[0] if letter.isalnum())
