"""A model's grades, validated; their score, and their row in a cache."""

import hashlib
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, Protocol, assert_never

from pydantic import (
    BaseModel,
    BeforeValidator,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic.json_schema import SkipJsonSchema

from paper_search.bibliography.text import WORD
from paper_search.llm.provider import LLMProvider
from paper_search.models import Criterion, CriterionKind, Grade, PaperTag
from paper_search.models.query import HIGHEST_GRADE
from paper_search.skills.judging.question import PromptPaper
from paper_search.skills.phrases import key_phrases
from paper_search.skills.untrusted import visible
from paper_search.skills.variants import variants
from paper_search.skills.words import STOP_WORDS, tokens

_PENALTY = {1: 0.5, 2: 0.75, 3: 1.0}
"""Share of the score that a fully met exclusion criterion removes, by weight."""
_NO_GRADE = -1
_ENDLESS = 1e9
_LONGEST_SNIPPET = _LONGEST_REASON = 300

Text = Annotated[str, BeforeValidator(lambda v: v.strip() if isinstance(v, str) else "")]


def _number(value: Any) -> float | None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value < _ENDLESS else None


class GradeAnswer(BaseModel):
    """The grade for one criterion."""  # a model reads this, and those below

    criterion: int = Field(description="number of the criterion")
    grade: int = Field(default_factory=lambda: _NO_GRADE, description="0, 1, 2 or 3")
    snippet: Text = Field(default="", description="copied from the paper")

    @field_validator("grade", mode="before")
    @classmethod
    def _of_the_scale(cls, value: Any) -> int:
        if isinstance(value, str) and value.strip().isdecimal():
            value = int(value[:9])
        number = _number(value)
        return _NO_GRADE if number is None or number % 1 else int(number)


class PaperAnswer(BaseModel):
    """The grades of one paper."""

    paper_id: Text
    grades: list[GradeAnswer] = Field(default_factory=list)
    tags: list[PaperTag] = Field(default_factory=list)
    # Instead of grades, for compatibility with the first interface.
    relevance_score: SkipJsonSchema[Annotated[float | None, BeforeValidator(_number)]] = None
    relevance_reason: SkipJsonSchema[Text] = ""

    @property
    def beyond_scale(self) -> float:
        """The highest grade above 3, or score above 1; 0 if there is none."""
        grades = [grade.grade for grade in self.grades if grade.grade > HIGHEST_GRADE]
        score = self.relevance_score or 0.0
        return max([*grades, score if score > 1 else 0.0])

    @field_validator("grades", mode="before")
    @classmethod
    def _readable(cls, value: Any) -> Any:
        entries = value if isinstance(value, list) else []
        return [entry for entry in entries if _numbers_a_criterion(entry)]

    @field_validator("tags", mode="before")
    @classmethod
    def _drop_unknown(cls, value: Any) -> list[PaperTag]:
        entries = value if isinstance(value, list) else [value]
        by_name = {tag.value: tag for tag in PaperTag}
        names = (tag.strip().lower() for tag in entries if isinstance(tag, str))
        return list(dict.fromkeys(by_name[name] for name in names if name in by_name))


class BatchAnswer(BaseModel):
    """One entry for every paper of the question."""

    results: list[PaperAnswer]

    @model_validator(mode="before")
    @classmethod
    def _bare_list(cls, value: Any) -> Any:
        return {"results": value} if isinstance(value, list) else value

    @field_validator("results", mode="before")
    @classmethod
    def _with_ids(cls, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        return [entry for entry in value if isinstance(entry, dict) and "paper_id" in entry]


class Judgement(BaseModel):
    grades: list[Grade] = Field(default_factory=list)
    tags: list[PaperTag] = Field(default_factory=list)
    stated_score: float | None = Field(default=None, ge=0, le=1)
    stated_reason: str = ""

    @property
    def score(self) -> float:
        return score_of(self.grades) if self.stated_score is None else self.stated_score

    @property
    def reason(self) -> str:
        if self.stated_score is None:
            return "; ".join(map(str, self.grades))
        return self.stated_reason


def judgements_in(
    answer: BatchAnswer, papers: Sequence[PromptPaper], criteria: Sequence[Criterion]
) -> list[Judgement | str]:
    counts = Counter(result.paper_id for result in answer.results)
    by_id = {result.paper_id: result for result in answer.results}
    judgements: list[Judgement | str] = []
    for paper in papers:
        if paper.paper_id not in by_id:
            judgements.append("no answer for it")
        elif counts[paper.paper_id] > 1:
            judgements.append("it was answered twice")
        else:
            judgements.append(_judgement(by_id[paper.paper_id], paper, criteria))
    return judgements


def _judgement(
    answer: PaperAnswer, paper: PromptPaper, criteria: Sequence[Criterion]
) -> Judgement | str:
    score = answer.relevance_score
    if score is not None and score <= 1 and not answer.grades:
        reason = " ".join(visible(answer.relevance_reason).split())[:_LONGEST_REASON]
        return Judgement(stated_score=score, stated_reason=reason, tags=answer.tags)
    grades = []
    for number, criterion in enumerate(criteria, start=1):
        answers = [grade for grade in answer.grades if grade.criterion == number]
        if len(answers) != 1 or answers[0].grade not in range(HIGHEST_GRADE + 1):
            return f"criterion {number} has no grade from 0 to {HIGHEST_GRADE}"
        [only] = answers
        grade, snippet = only.grade, ""
        if grade:
            quote = locate_snippet(only.snippet, [paper.title, paper.abstract, *paper.keywords])
            if quote is None:
                return f"criterion {number}: the snippet is not in its title, abstract or keywords"
            snippet = quote[:_LONGEST_SNIPPET]
            if grade == HIGHEST_GRADE and not _speaks_of(criterion.text, snippet):
                grade -= 1
        grades.append(Grade(criterion=criterion, grade=grade, snippet=snippet))
    return Judgement(grades=grades, tags=answer.tags)


def _speaks_of(criterion: str, snippet: str) -> bool:
    """Whether a snippet has a word of a criterion or of a variant; if not, it is weak evidence."""
    words = _words_of(criterion)
    return not words or not words.isdisjoint(tokens(snippet))


@lru_cache(maxsize=64)
def _words_of(criterion: str) -> frozenset[str]:
    names = [criterion, *(name for phrase in key_phrases(criterion) for name in variants(phrase))]
    content = (word for name in names for word in WORD.findall(name))
    return frozenset(
        stem for word in content if word.casefold() not in STOP_WORDS for stem in tokens(word)
    )


def _numbers_a_criterion(entry: Any) -> bool:
    number = entry.get("criterion") if isinstance(entry, dict) else None
    return re.fullmatch(r"[0-9]{1,9}(\.0)?", str(number)) is not None


def score_of(grades: Sequence[Grade]) -> float:
    """Return the score: the weighted mean of inclusions (1 without any), reduced by exclusions."""
    met, whole, remaining = 0.0, 0.0, 1.0
    for grade in grades:
        share, weight = grade.grade / HIGHEST_GRADE, grade.criterion.weight
        match grade.criterion.kind:
            case CriterionKind.EXCLUSION:
                remaining *= 1 - _PENALTY[weight] * share
            case CriterionKind.INCLUSION:
                met += weight * share
                whole += weight
            case unknown:
                assert_never(unknown)
    return round(remaining * (met / whole if whole else 1.0), 4)


_FEWEST_CHARS = 8
_FEWEST_UNSPACED = 2
"""The same in scripts that are not ASCII."""
_ALIKE = str.maketrans("‘’‚‛“”„‟«»`´‐‑‒–—―−", "'''''''''''''------")
_AROUND = " '\".,;:…-"


_ELLIPSIS = re.compile(r"[\[(]?(?:\.{3,}|…)[\])]?")


def locate_snippet(snippet: str, texts: Iterable[str | None]) -> str | None:
    """Return the snippet in the spelling of the first text that contains it; None if none does.

    Case, whitespace, kinds of quotation marks and dashes, and surrounding punctuation are ignored.
    A very short snippet must be the whole text. With ellipses, every part must be found.
    """
    present = list(filter(None, texts))
    if (whole := _locate(snippet, present)) is not None:
        return whole
    parts = [part for part in _ELLIPSIS.split(snippet) if part.strip(_AROUND)]
    quotes = [quote for part in parts if (quote := _locate(part, present)) is not None]
    return " … ".join(quotes) if quotes and len(quotes) == len(parts) else None


def _locate(snippet: str, texts: Sequence[str]) -> str | None:
    words = _plain(snippet)[0].strip(_AROUND)
    if not words:
        return None
    is_long = len(words) >= (_FEWEST_CHARS if words.isascii() else _FEWEST_UNSPACED)
    for text in texts:
        plain, places = _plain(text)
        if not is_long and words != plain.strip(_AROUND):
            continue
        start = plain.find(words)
        if start >= 0:
            return text[places[start] : places[start + len(words) - 1] + 1]
    return None


def _plain(text: str) -> tuple[str, list[int]]:
    """Return a normalised text, and the offset in `text` of each of its characters."""
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        for letter in unicodedata.normalize("NFKC", character).casefold().translate(_ALIKE):
            plain = " " if letter.isspace() else letter
            if plain == " " and characters[-1:] == [" "]:
                continue
            characters.append(plain)
            places.append(place)
    return "".join(characters), places


class JudgementCache(Protocol):
    """Stored judgements, shared by all threads."""

    async def get(self, keys: Sequence[str]) -> Mapping[str, Mapping[str, Any]]: ...

    async def put(self, rows: Mapping[str, dict[str, Any]]) -> None:
        """Store rows durably before returning."""
        ...


def key_of(
    paper: PromptPaper, question: str, criteria: Sequence[Criterion], model: str, prompt: str
) -> str:
    """Return the cache key of a judgement, without weights and the paper's id.

    Scores are computed from grades, and ids differ by source.
    """
    conditions = [(criterion.kind.value, criterion.text) for criterion in criteria]
    content = vars(paper) | {"paper_id": ""}
    parts = json.dumps([content, question, conditions, model, prompt], ensure_ascii=True)
    return hashlib.sha256(parts.encode()).hexdigest()


def model_name(llm: LLMProvider) -> str:
    parts = (getattr(llm, name, None) for name in ("model", "base_url", "temperature"))
    return "|".join([type(llm).__qualname__, *map(str, parts)])


def to_row(judgement: Judgement) -> dict[str, Any]:
    """Return a row without the criteria, which may reveal the question."""
    row = judgement.model_dump(mode="json", exclude={"grades"})
    return row | {"grades": [[grade.grade, grade.snippet] for grade in judgement.grades]}


def from_row(row: Mapping[str, Any] | None, criteria: Sequence[Criterion]) -> Judgement | None:
    if row is None:
        return None
    try:
        graded_criteria = criteria if row.get("stated_score") is None else []
        grades = [
            {"criterion": criterion, "grade": grade, "snippet": snippet}
            for criterion, (grade, snippet) in zip(graded_criteria, row["grades"], strict=True)
        ]
        return Judgement.model_validate({**row, "grades": grades})
    except (ValidationError, KeyError, TypeError, ValueError):
        return None
