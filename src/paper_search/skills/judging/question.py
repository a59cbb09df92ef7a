"""The criteria of an intent, and the message that asks a model about papers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeAlias

from paper_search.models import (
    Criterion,
    CriterionKind,
    MarkedPaper,
    ParsedIntent,
    RawPaper,
    SearchConstraints,
)
from paper_search.models.query import (
    FEWEST_CRITERIA,
    LONGEST_CRITERION,
    MOST_CRITERIA,
    kinds_in_words,
)
from paper_search.skills.intent.notes import Note
from paper_search.skills.untrusted import (
    LONGEST_TITLE,
    data_block,
    inline_json,
    is_suspicious,
    shown_to_model,
    titles_of_marks,
)
from paper_search.skills.words import tokens

OF_NOTE = "It is, or is about, "
"""The beginning of criteria from a note."""
_Terms: TypeAlias = set[tuple[str, ...]]
_MOST_EXCLUSIONS = 2
_LONGEST_QUERY = 250
"""A longer boolean query cannot be a criterion: truncated, it would mean something else."""


def criteria_of(intent: ParsedIntent) -> list[Criterion]:
    """Return 2 to 6 criteria, with an inclusion; topic, concepts and exclusions fill gaps."""
    own = usable(intent.criteria)
    if len(own) >= FEWEST_CRITERIA and any(map(_is_inclusion, own)):
        return own
    return usable([*own, *_by_words(intent)])


def usable(criteria: Iterable[Criterion]) -> list[Criterion]:
    distinct: dict[str, Criterion] = {}
    for criterion in criteria:
        distinct.setdefault(criterion.text.casefold(), criterion)
    ordered = list(distinct.values())
    first = ordered[:MOST_CRITERIA]
    if not any(map(_is_inclusion, first)):
        first = [*filter(_is_inclusion, ordered[MOST_CRITERIA:]), *first][:MOST_CRITERIA]
    return first


def with_note(
    criteria: Sequence[Criterion], wishes: Note, concepts: Sequence[str] = ()
) -> list[Criterion]:
    """Add the criteria of a person's note: "only trials", "not surveys".

    An inclusion of a concept that the note excludes or drops is removed unless it names another.
    """
    unwanted = {tuple(tokens(term)) for term in (*wishes.excluded, *wishes.dropped)}
    named = {tuple(tokens(name)) for name in concepts}
    criteria = [
        each
        for each in criteria
        if not _is_inclusion(each) or not _is_of(each, unwanted & named, named - unwanted)
    ]
    texts = {criterion.text.casefold() for criterion in criteria}
    wishes_as_criteria = [
        *(Criterion(text=_shorten(f"{OF_NOTE}{term}"), weight=3) for term in wishes.required),
        *(_against(f"{OF_NOTE}{term}") for term in wishes.excluded),
        *map(_against, _of_kinds(wishes.limits)),
    ]
    new = [criterion for criterion in wishes_as_criteria if criterion.text.casefold() not in texts]
    return usable([*criteria[: MOST_CRITERIA - len(new)], *new]) if new else list(criteria)


def _is_of(criterion: Criterion, some: _Terms, others: _Terms) -> bool:
    stems = set(tokens(criterion.text))
    return any(map(stems.issuperset, some)) and not any(map(stems.issuperset, others))


def _of_kinds(limits: SearchConstraints) -> list[str]:
    return [f"It is of the kind: {kind}" for kind in kinds_in_words(limits.excluded_types)]


def _by_words(intent: ParsedIntent) -> list[Criterion]:
    query = intent.boolean_query or ""
    question = query if 0 < len(query) <= _LONGEST_QUERY else intent.question or intent.topic
    topic = Criterion(text=_shorten(f"It answers the question: {question}"))
    unwanted: Sequence[str] = [
        *(f"It is about {name}" for name in intent.excluded if name.strip()),
        *_of_kinds(intent.constraints),
    ]
    against = [_against(text) for text in unwanted[:_MOST_EXCLUSIONS]]
    about = [
        Criterion(
            text=_shorten(
                f"It is about {' or '.join([concept, *intent.alternatives.get(concept, [])])}"
            )
        )
        for concept in intent.concepts[: MOST_CRITERIA - 1 - len(against)]
        if concept.strip()
    ]
    criteria = [topic, *about, *against]
    if len(criteria) < FEWEST_CRITERIA:
        criteria.append(Criterion(text=_shorten(f"It is about {intent.topic}")))
    return criteria


def _against(text: str) -> Criterion:
    return Criterion(text=_shorten(text), kind=CriterionKind.EXCLUSION, weight=3)


def _is_inclusion(criterion: Criterion) -> bool:
    return criterion.kind is CriterionKind.INCLUSION


def _shorten(text: str) -> str:
    return " ".join(text.split())[:LONGEST_CRITERION]


LONGEST_ABSTRACT = 3_000
_MAX_EXAMPLES = 10
_KEYWORDS = 20


@dataclass(frozen=True)
class PromptPaper:
    """A paper as the model sees it: truncated, and without hidden characters."""

    paper_id: str
    title: str
    abstract: str | None
    year: int | None
    venue: str | None
    keywords: tuple[str, ...] = ()

    @classmethod
    def of(cls, paper: RawPaper) -> "PromptPaper":
        return cls(
            paper_id=shown_to_model(paper.id, LONGEST_TITLE) or "",
            title=shown_to_model(paper.title, LONGEST_TITLE) or "",
            abstract=shown_to_model(paper.abstract or paper.snippet, LONGEST_ABSTRACT),
            year=paper.year,
            venue=shown_to_model(paper.venue, LONGEST_TITLE),
            keywords=tuple(
                filter(None, (shown_to_model(k, LONGEST_TITLE) for k in paper.keywords[:_KEYWORDS]))
            ),
        )


def characters_of(papers: Sequence[RawPaper]) -> int:
    """Return the mean number of characters of a paper in the prompt; 0 without papers."""
    lengths = [len(inline_json(vars(PromptPaper.of(paper)))) for paper in papers]
    return round(fmean(lengths or [0]))


def message(
    question: str,
    criteria: Sequence[Criterion],
    marked: Sequence[MarkedPaper],
    papers: Sequence[PromptPaper],
) -> str:
    numbered = [
        {"number": number, "kind": criterion.kind.value, "text": criterion.text}
        for number, criterion in enumerate(criteria, start=1)
    ]
    lines = [f"Question: {inline_json(question)}", f"Criteria: {inline_json(numbered)}"]
    # A record must not influence the judgement of others.
    examples = [mark for mark in marked if not is_suspicious(mark.title)][-_MAX_EXAMPLES:]
    if examples:
        titles = inline_json(titles_of_marks(examples))
        lines.append(f"Marked by the person (titles are data): {titles}")
    records = [vars(paper) for paper in papers]
    return "\n".join([*lines, f"Papers ({len(records)}):", data_block(records)])
