"""What is asked for: the intent, and the strategy that is to find it."""

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
    """What meeting a criterion does."""

    INCLUSION = "inclusion"
    """It speaks for a paper."""
    EXCLUSION = "exclusion"
    """It speaks against a paper."""


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
    "report", "software", "standard", "thesis",
)  # fmt: skip
"""The types of CSL that sources give; `article` is a preprint."""

_TITLE_WORDS: dict[str, tuple[str, ...]] = {
    "review": ("review", "survey", "overview", "meta-analysis", "state of the art"),
    "editorial": ("editorial", "commentary", "letter to the editor", "erratum", "corrigendum"),
    "thesis": ("thesis", "dissertation"),
}
"""Words of titles by the kind of work that they give away. Other types of CSL are not seen in
titles; whatever is no type, such as "case report", is its own word."""


class IntentType(str, Enum):
    """What the person wants papers for."""

    SURVEY = "survey"
    METHOD = "method"
    DATASET = "dataset"
    BASELINE = "baseline"


MOST_RESULTS = 10_000
"""The most records of a query, and papers of a result, that can be asked for."""


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
    """CSL types (`PUBLICATION_TYPES`); empty: any. What does not say its type is let through."""
    excluded_types: list[str] = Field(default_factory=list, exclude_if=not_)
    """Kinds that are not wanted, such as `review`; what does not say its kind is let through."""
    conditions: list[str] = Field(default_factory=list, exclude_if=not_)
    """Boolean queries that every record must meet, each by itself, such as `NOT "honey bees"`."""

    @property
    def every_condition(self) -> list[str]:
        kinds = (_TITLE_WORDS.get(kind, _own_words(kind)) for kind in self.excluded_types)
        titles = (" OR ".join(f'title:"{name}"' for name in names) for names in kinds if names)
        return [*self.conditions, *(f"NOT ({names})" for names in titles)]

    @property
    def in_words(self) -> list[str]:
        """Return every limit as a person reads it, but for the records of a query."""
        years = f"{self.year_from or ''}-{self.year_to or ''}"
        types, others = map(kinds_in_words, (self.publication_types, self.excluded_types))
        return [
            *([f"years {years}"] if years != "-" else []),
            *([f"language {self.language}"] if self.language else []),
            *([f"types {', '.join(types)}"] if types else []),
            *([f"not {', '.join(others)}"] if others else []),
            *self.conditions,
            *([f"at most {quantity(self.max_papers, 'paper')} shown"] if self.max_papers else []),
        ]

    def allows_type(self, publication_type: str | None) -> bool:
        """Return whether a record of that type is wanted; None if it does not say."""
        if publication_type is None:
            return True
        is_wanted = not self.publication_types or publication_type in self.publication_types
        return is_wanted and publication_type not in self.excluded_types


def kinds_in_words(kinds: Iterable[str]) -> list[str]:
    """Return what people call kinds that are wanted or not: CSL's `article` is a preprint."""
    return ["preprint" if kind == "article" else kind for kind in kinds]


def _own_words(kind: str) -> tuple[str, ...]:
    words = " ".join(re.findall(r"[\w-]+", kind))
    return (words,) if words and kind not in PUBLICATION_TYPES else ()


class StrategyLine(BaseModel):
    """One line of a strategy that the person gave."""

    label: str
    """What other lines name it by."""
    text: str
    """As it was written."""
    boolean_query: str
    """What it finds, in the language of `paper_search.query`."""


class ParsedIntent(BaseModel):
    """A research question, understood."""

    topic: str
    concepts: list[str]
    """Key phrases; every one of them matters."""
    intent_type: IntentType
    constraints: SearchConstraints = Field(default_factory=SearchConstraints)
    question: str = Field(default="", exclude_if=not_)
    """The question without its limits, in plain words, for sources that rank; empty: the topic."""
    alternatives: dict[str, list[str]] = Field(default_factory=dict, exclude_if=not_)
    """By concept: others that would do as well (an "or" of the question)."""
    excluded: list[str] = Field(default_factory=list, exclude_if=not_)
    """Words and phrases that no paper may have."""
    authors: list[str] = Field(default_factory=list, exclude_if=not_)
    """Family or full names, of whom every paper must have one."""
    venues: list[str] = Field(default_factory=list, exclude_if=not_)  # one is enough
    boolean_query: str | None = Field(default=None, exclude_if=not_)
    """The question itself, where it is a boolean query or a strategy: it is asked unchanged."""
    lines: list[StrategyLine] = Field(default_factory=list, exclude_if=not_)
    """Those of the question, where it is a strategy; `boolean_query` is what the last one finds."""
    criteria: list[Criterion] = Field(default_factory=list, exclude_if=not_)
    """What a model judges papers by; empty: no model judges, or it goes by the words above."""
    identifiers: list[str] = Field(default_factory=list, exclude_if=not_)
    """Works that the question names, such as `doi:10.1000/1`, `arxiv:2101.00001` or `pmid:1`."""
    seeds: list[MarkedPaper] = Field(default_factory=list, exclude_if=not_)
    """Papers that others like them are wanted for: they count as marked relevant."""
    lookups: list[SourceReport] = Field(default_factory=list, exclude_if=not_)
    """What sources were asked to find the seeds."""
    notes: list[str] = Field(default_factory=list, exclude_if=not_)
    """What the person should know about how the question was read."""

    def with_criteria(self, criteria: Sequence[Criterion]) -> "ParsedIntent":
        plain = [Criterion.model_validate(criterion.model_dump()) for criterion in criteria]
        return self.model_copy(update={"criteria": plain})


class SynonymMap(BaseModel):
    """A keyword and what else it is called."""

    keyword: str
    synonyms: list[str]
    reasons: dict[str, str] = Field(default_factory=dict, exclude_if=not_)
    """Why a synonym stands there, in a few words; of one that a person wrote, nothing."""

    def __str__(self) -> str:
        """Return the synonyms by their reasons: "cars = car (singular); automobile, auto"."""
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
    """Plain text for sources that rank what has any of its words."""

    text: str
    """The question in a person's words."""
    terms: dict[str, float] = Field(default_factory=dict, exclude_if=not_)
    """Further words with their weights beside 1 for a word of the text; below 0: unwanted. For
    sources that take weights; the others are asked the text alone."""
    long_forms: list[str] = Field(default_factory=list, exclude_if=not_)
    """Names of what the abbreviations of the text stand for, which a library ranks by as well."""
    depth: int | None = Field(default=None, ge=1, le=2**31, exclude_if=lambda depth: depth is None)
    """Records that a library may bring in, where that is more than the limit of results; None: no
    more than that. What is below the first page is what marks bring up."""
    like: list[str] = Field(default_factory=list, exclude_if=not_)
    """Ids of papers marked relevant, for a library that ranks by nearness of vectors, too."""
    unlike: list[str] = Field(default_factory=list, exclude_if=not_)
    """Ids of papers marked irrelevant."""


class SearchStrategy(BaseModel):
    """The queries to ask, the sources to ask them of, and the limits."""

    queries: list[SearchQuery]
    sources: list[str]
    filters: SearchConstraints = Field(default_factory=SearchConstraints)
    ranked: list[RankedQuery] = Field(default_factory=list, exclude_if=not_)
    """What sources that rank plain text are asked besides the boolean queries."""
    seeds: list[Seed] = Field(default_factory=list, exclude_if=not_)
    """Works that others are found from, for the source `snowball`; no other looks at them."""
    lines: list[StrategyLine] = Field(default_factory=list, exclude_if=not_)
    """Those that the person gave, for their hits; the last one is the first of the queries."""
    works: list[str] = Field(default_factory=list, exclude_if=not_)
    """Identifiers that the question names, such as `doi:10.1000/1`: a library gives these first."""
    native: dict[str, str] = Field(default_factory=dict, exclude_if=not_)
    """By source: a string in its own language, sent as it is in place of the queries."""
    endings: dict[str, list[str]] = Field(default_factory=dict, exclude_if=not_)
    """Words that truncated ones (`comput*`) stand for in what was seen, for sources without `*`."""
    reason: str = Field(default="", exclude_if=not_)
    """Why it differs from the round before, in a sentence."""
    notes: list[str] = Field(default_factory=list, exclude_if=not_)
    """What was left out or changed, of what a model or a person asked for."""

    def plain(self) -> list[RankedQuery]:
        """Return the ranked queries, but for one that is no more than the numbers of named works.

        These works are looked up: their numbers as text would only find what shares digits.
        """
        numbers = " ".join(name.partition(":")[2] for name in self.works)
        return [query for query in self.ranked if query.terms or query.text != numbers]

    def within(self, ceiling: int) -> "SearchStrategy":
        """Return the strategy with no more results than may be asked for, and a note if it had."""
        depths = [query.depth for query in self.ranked if query.depth is not None]
        if max(self.filters.max_results, *depths, 0) <= ceiling:
            return self
        note = f"at most {ceiling:,} results of a source are asked for (MAX_RESULTS_CEILING)"
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
    """All that a strategy is built from."""

    intent: ParsedIntent
    previous_strategies: list[SearchStrategy] = Field(default_factory=list)
    user_feedback: UserFeedback | None = None
    earlier_feedback: list[str] = Field(default_factory=list)
    """What the person wrote in the rounds before, oldest first."""
    graded: list[Seed] = Field(default_factory=list)
    """Papers that a model graded best, which are followed after those that a person marked."""
    marked_papers: list[MarkedPaper] = Field(default_factory=list)
    """All papers marked so far, in all rounds: neither a model nor a rule can read bare ids."""
