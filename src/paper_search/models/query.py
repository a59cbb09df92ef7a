"""The intent of a question, and the strategy of its search."""

import re
from collections.abc import Iterable, Sequence
from enum import Enum
from operator import not_

from pydantic import BaseModel, Field

from paper_search.models.feedback import SNOWBALL, MarkedPaper, Seed, UserFeedback
from paper_search.models.source_report import SourceReport, quantity

FEWEST_CRITERIA, MOST_CRITERIA = 2, 6
LONGEST_CRITERION = 300
"""In characters."""


class CriterionKind(str, Enum):
    """Whether meeting a criterion includes or excludes a paper."""

    INCLUSION = "inclusion"
    EXCLUSION = "exclusion"


class Criterion(BaseModel):
    """One condition on a paper, as a person would write it."""

    text: str = Field(min_length=1, max_length=LONGEST_CRITERION, pattern=r"\S")
    kind: CriterionKind = CriterionKind.INCLUSION
    weight: int = Field(default=1, ge=1, le=3)
    """1: counts, 2: counts much, 3: decides."""

    def __str__(self) -> str:
        sign = {CriterionKind.INCLUSION: "", CriterionKind.EXCLUSION: "not: "}[self.kind]
        return f"{sign}{self.text}" + (f" (weight {self.weight})" if self.weight > 1 else "")


HIGHEST_GRADE = 3


class Grade(BaseModel):
    """How far one paper meets one criterion, with the words that show it."""

    criterion: Criterion
    grade: int = Field(ge=0, le=HIGHEST_GRADE)
    """0: not at all, 1: touches it, 2: mostly, 3: fully."""
    snippet: str = ""
    """Words of the title or the abstract, unchanged; empty with a grade of 0."""

    def __str__(self) -> str:
        text = f': "{self.snippet}"' if self.snippet else ""
        return f"{self.grade}/{HIGHEST_GRADE} {self.criterion}{text}"


PUBLICATION_TYPES = (
    "article", "article-journal", "book", "chapter", "dataset", "entry", "paper-conference",
    "patent", "report", "software", "standard", "thesis",
)  # fmt: skip
"""The types of CSL that sources give; `article` is a preprint."""

_TITLE_WORDS: dict[str, tuple[str, ...]] = {
    "review": ("review", "survey", "overview", "meta-analysis", "state of the art"),
    "editorial": ("editorial", "commentary", "letter to the editor", "erratum", "corrigendum"),
    "thesis": ("thesis", "dissertation"),
}
"""Words of titles that show a type of work. Other CSL types do not show in titles; a type of a
person's own, such as "case report", is its own word."""


class IntentType(str, Enum):
    """What the person wants papers for."""

    SURVEY = "survey"
    METHOD = "method"
    DATASET = "dataset"
    BASELINE = "baseline"


MOST_RESULTS = 10_000
"""The largest limits on records of a query and papers of a result."""


class SearchConstraints(BaseModel):
    """Limits on what is wanted; None means no limit. Years are inclusive."""

    year_from: int | None = None
    year_to: int | None = None
    language: str | None = None  # ISO 639-1
    max_results: int = 100
    """Records of a query."""
    max_papers: int | None = Field(default=None, exclude_if=not_)
    """Papers that the result shows; the others are set aside."""
    publication_types: list[str] = Field(default_factory=list, exclude_if=not_)
    """CSL types (`PUBLICATION_TYPES`); empty for any. Records without a type are let through."""
    excluded_types: list[str] = Field(default_factory=list, exclude_if=not_)
    """Types that are not wanted, such as `review`; records without a type are let through."""
    conditions: list[str] = Field(default_factory=list, exclude_if=not_)
    """Boolean queries that every record must meet, each by itself, such as `NOT "honey bees"`."""

    @property
    def every_condition(self) -> list[str]:
        kinds = (_TITLE_WORDS.get(kind, _own_words(kind)) for kind in self.excluded_types)
        titles = (" OR ".join(f'title:"{name}"' for name in names) for names in kinds if names)
        return [*self.conditions, *(f"NOT ({names})" for names in titles)]

    @property
    def by_absence(self) -> dict[str, str]:
        """Return the limits for people, by the words for no such limit, for which it is empty."""
        first, last = self.year_from, self.year_to
        years = f"year {first}" if first == last else f"years {first or ''}-{last or ''}"
        types, others = map(kinds_in_words, (self.publication_types, self.excluded_types))
        most = quantity(self.max_papers or 0, "paper")
        return {
            "any year": years if first or last else "",
            "any language": f"language {self.language}" if self.language else "",
            "any type": f"types {', '.join(types)}" if types else "",
            "no type excluded": f"not {', '.join(others)}" if others else "",
            "all papers shown": f"at most {most} shown" if self.max_papers else "",
        }

    @property
    def in_words(self) -> list[str]:
        """Return the limits for people, except the number of records of a query."""
        return [*filter(None, self.by_absence.values()), *self.conditions]

    def allows_type(self, publication_type: str | None) -> bool:
        if publication_type is None:
            return True
        is_wanted = not self.publication_types or publication_type in self.publication_types
        return is_wanted and publication_type not in self.excluded_types


def kinds_in_words(kinds: Iterable[str]) -> list[str]:
    """Return the types in plain words: CSL's `article` is a preprint."""
    return ["preprint" if kind == "article" else kind for kind in kinds]


def _own_words(kind: str) -> tuple[str, ...]:
    words = " ".join(re.findall(r"[\w-]+", kind))
    return (words,) if words and kind not in PUBLICATION_TYPES else ()


class StrategyLine(BaseModel):
    """One line of a strategy that the person gave."""

    label: str
    """The name that other lines use."""
    text: str
    """As it was written."""
    boolean_query: str
    """Its meaning in the language of `paper_search.query`."""


class ParsedIntent(BaseModel):
    """What a research question asks for."""

    topic: str
    concepts: list[str]
    """Key phrases; every one of them matters."""
    intent_type: IntentType
    constraints: SearchConstraints = Field(default_factory=SearchConstraints)
    question: str = Field(default="", exclude_if=not_)
    """The question without its limits, for sources that rank; empty for the topic."""
    alternatives: dict[str, list[str]] = Field(default_factory=dict, exclude_if=not_)
    """Alternatives to a concept (an "or" in the question)."""
    excluded: list[str] = Field(default_factory=list, exclude_if=not_)
    """Words and phrases that no paper may have."""
    authors: list[str] = Field(default_factory=list, exclude_if=not_)
    """Family or full names, of whom every paper must have one."""
    venues: list[str] = Field(default_factory=list, exclude_if=not_)  # one is enough
    boolean_query: str | None = Field(default=None, exclude_if=not_)
    """The question itself, if it is a boolean query or a strategy: it is sent unchanged."""
    lines: list[StrategyLine] = Field(default_factory=list, exclude_if=not_)
    """The lines of the question, if it is a strategy; `boolean_query` means the last one."""
    criteria: list[Criterion] = Field(default_factory=list, exclude_if=not_)
    """Criteria by which a model judges papers; empty: none judges, or it uses the words above."""
    identifiers: list[str] = Field(default_factory=list, exclude_if=not_)
    """Works that the question names, such as `doi:10.1000/1`, `arxiv:2101.00001` or `pmid:1`."""
    seeds: list[MarkedPaper] = Field(default_factory=list, exclude_if=not_)
    """Papers to find similar ones to: they count as marked relevant."""
    lookups: list[SourceReport] = Field(default_factory=list, exclude_if=not_)
    """Requests to sources to find the seeds."""
    notes: list[str] = Field(default_factory=list, exclude_if=not_)
    """Notes for the person on how the question was read."""

    def with_criteria(self, criteria: Sequence[Criterion]) -> "ParsedIntent":
        plain = [Criterion.model_validate(criterion.model_dump()) for criterion in criteria]
        return self.model_copy(update={"criteria": plain})


class SynonymMap(BaseModel):
    keyword: str
    synonyms: list[str]
    reasons: dict[str, str] = Field(default_factory=dict, exclude_if=not_)
    """Short reasons for synonyms; none for those that a person wrote."""

    def __str__(self) -> str:
        """Group the synonyms by reason: "cars = car (singular); automobile, auto"."""
        by_reason: dict[str, list[str]] = {}
        for name in self.synonyms:
            by_reason.setdefault(self.reasons.get(name, ""), []).append(name)
        parts = (
            f"{', '.join(names)}" + (f" ({reason})" if reason else "")
            for reason, names in by_reason.items()
        )
        return f"{self.keyword} = {'; '.join(parts) or '-'}"


class SearchQuery(BaseModel):
    """One boolean query, in the language of `paper_search.query`."""

    keywords: list[str]
    synonym_map: list[SynonymMap] = Field(default_factory=list)
    boolean_query: str


class RankedQuery(BaseModel):
    """Plain text for sources that rank records with any of its words."""

    text: str
    """The question in a person's words."""
    terms: dict[str, float] = Field(default_factory=dict, exclude_if=not_)
    """Further words with weights, where a word of the text has 1, and unwanted words less than 0.
    For sources that take weights; the others get only the text."""
    long_forms: list[str] = Field(default_factory=list, exclude_if=not_)
    """The long forms of abbreviations in the text, by which a library ranks as well."""
    depth: int | None = Field(default=None, ge=1, le=2**31, exclude_if=lambda depth: depth is None)
    """Records that a library may return, if more than the limit of results: marks can then lift
    lower ones. None for that limit."""
    like: list[str] = Field(default_factory=list, exclude_if=not_)
    """Ids of papers marked relevant, for a library that also ranks by vectors."""
    unlike: list[str] = Field(default_factory=list, exclude_if=not_)
    """Ids of papers marked irrelevant."""


class SearchStrategy(BaseModel):
    """The queries, sources and limits of one round."""

    queries: list[SearchQuery]
    sources: list[str]
    filters: SearchConstraints = Field(default_factory=SearchConstraints)
    ranked: list[RankedQuery] = Field(default_factory=list, exclude_if=not_)
    """Queries for sources that rank plain text, in addition to the boolean ones."""
    seeds: list[Seed] = Field(default_factory=list, exclude_if=not_)
    """Works whose citations the source `snowball` follows; other sources ignore them."""
    lines: list[StrategyLine] = Field(default_factory=list, exclude_if=not_)
    """The lines that the person gave, for their hits; the last one is the first query."""
    works: list[str] = Field(default_factory=list, exclude_if=not_)
    """Identifiers in the question, such as `doi:10.1000/1`: a library returns these works first."""
    native: dict[str, str] = Field(default_factory=dict, exclude_if=not_)
    """A query in the syntax of a source, by source; it is sent unchanged instead of the queries."""
    endings: dict[str, list[str]] = Field(default_factory=dict, exclude_if=not_)
    """Observed words for truncated ones (`comput*`), for sources without `*`."""
    reason: str = Field(default="", exclude_if=not_)
    """Why it differs from the previous round, in a sentence."""
    notes: list[str] = Field(default_factory=list, exclude_if=not_)
    """What was left out or changed of a proposal of a model or a person."""

    def plain(self) -> list[RankedQuery]:
        """Return the ranked queries, without the mere numbers of `works`, which are looked up."""
        numbers = " ".join(name.partition(":")[2] for name in self.works)
        return [query for query in self.ranked if query.terms or query.text != numbers]

    def within(self, ceiling: int) -> "SearchStrategy":
        """Return the strategy with at most `ceiling` results, and a note if it had more."""
        depths = [query.depth for query in self.ranked if query.depth is not None]
        if max(self.filters.max_results, *depths, 0) <= ceiling:
            return self
        note = f"at most {ceiling:,} results per source are requested (MAX_RESULTS_CEILING)"
        notes = self.notes if self.filters.max_results <= ceiling else [*self.notes, note]
        most = min(self.filters.max_results, ceiling)
        ranked = [
            query.model_copy(update={"depth": query.depth and min(query.depth, ceiling)})
            for query in self.ranked
        ]
        filters = self.filters.model_copy(update={"max_results": most})
        update = {"filters": filters, "ranked": ranked, "notes": list(dict.fromkeys(notes))}
        return self.model_copy(update=update)

    def for_source(self, *, ranks_text: bool) -> "SearchStrategy":
        return self if ranks_text else self.model_copy(update={"ranked": []})

    def asks(self, source: str) -> bool:
        if source == SNOWBALL and self.seeds:
            return True
        return bool(self.queries or self.ranked or self.works or source in self.native)


class QueryBuilderInput(BaseModel):
    """The input for building a strategy."""

    intent: ParsedIntent
    previous_strategies: list[SearchStrategy] = Field(default_factory=list)
    user_feedback: UserFeedback | None = None
    earlier_feedback: list[str] = Field(default_factory=list)
    """The person's notes of earlier rounds, oldest first."""
    graded: list[Seed] = Field(default_factory=list)
    """Papers that a model graded best, as seeds after those that a person marked."""
    marked_papers: list[MarkedPaper] = Field(default_factory=list)
    """All papers marked so far, in full: ids alone would say nothing to a model or a rule."""
