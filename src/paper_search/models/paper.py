"""Papers: as sources return them, as they are judged, and as a person sees them."""

import functools
import operator
import uuid
from datetime import UTC, datetime
from enum import Enum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_serializer, model_validator

from paper_search.models.feedback import KnownPapersReport
from paper_search.models.query import Grade, SearchStrategy
from paper_search.models.source_report import SourceReport

PaperDecision = Literal["included", "excluded", "undecided"]
"""A person's decision on a paper while screening."""
DECISIONS: tuple[PaperDecision, ...] = ("included", "undecided", "excluded")
Score = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]


NOT_NEEDED = "not among the first papers, which a model judges"
"""Why a model did not judge a paper that ranks low."""


class PaperTag(str, Enum):
    """The kind of contribution of a paper."""

    METHOD = "method"
    REVIEW = "review"
    EMPIRICAL = "empirical"
    THEORETICAL = "theoretical"
    DATASET = "dataset"


class EndReason(str, Enum):
    APPROVED = "approved"
    LIMIT_REACHED = "limit_reached"
    NOT_REVIEWED = "not_reviewed"


_NONE = object()


def _is_absent(value: object) -> bool:
    return value is None


class Author(BaseModel):
    """One author, named as the source names them.

    The parts come from the source, or from splitting its one string
    (`paper_search.bibliography.names`); without any, only `name` is known.
    """

    name: str
    author_id: str | None = None
    family: str | None = Field(default=None, exclude_if=_is_absent)
    """Family name; the only name of a person who has one."""
    given: str | None = Field(default=None, exclude_if=_is_absent)
    """Given names or initials."""
    particle: str | None = Field(default=None, exclude_if=_is_absent)
    """Such as "van der", before the family name."""
    suffix: str | None = Field(default=None, exclude_if=_is_absent)
    """Such as "Jr." or "III"."""
    literal: str | None = Field(default=None, exclude_if=_is_absent)
    """A name that must not be split, such as that of an organisation."""

    def __str__(self) -> str:
        """Return the name with the given names first, however the source wrote it."""
        parts = (self.given, self.particle, self.family, self.suffix)
        return " ".join(filter(None, parts)) if self.family else self.name


class Sighting(BaseModel):
    """The provenance of a record: where and when it was found."""

    source: str
    query: str | None = None
    rank: int | None = None
    """Place in that source's answer, from 1."""
    seen_at: str | None = None
    """UTC, ISO 8601."""
    by_meaning: bool = Field(default=False, exclude_if=operator.not_)
    """Whether vectors influenced the rank."""


class Version(BaseModel):
    """One version of a work: a preprint, a conference paper, an article in a journal."""

    ids: list[str]
    year: int | None = None
    venue: str | None = None
    doi: str | None = None
    url: str | None = None


class BibliographicRecord(BaseModel):
    """The fields that raw records and papers share."""

    model_config = ConfigDict(extra="ignore")

    doi: str | None = None
    title: str
    authors: list[Author] = Field(default_factory=list)
    abstract: str | None = None
    keywords: list[str] = Field(default_factory=list)
    """Keywords and subject categories in words, as its sources give them."""
    year: int | None = None
    venue: str | None = None
    source: str
    citation_count: int = 0
    """0 also if no source says, which `known_citation_count` distinguishes."""
    full_text_url: str | None = None
    bibtex: str | None = None

    arxiv_id: str | None = None
    pmid: str | None = None
    pmcid: str | None = None
    openalex_id: str | None = None
    s2_id: str | None = None
    isbn: str | None = None
    issn: str | None = None
    """Of the journal or series: `1234-567X`."""
    url: str | None = None
    """Landing page."""
    volume: str | None = None
    issue: str | None = None
    pages: str | None = None
    publisher: str | None = None
    language: str | None = None
    """ISO 639-1."""
    publication_type: str | None = None
    """CSL type: article-journal, paper-conference, chapter, book, thesis, report, article ..."""
    is_retracted: bool | None = None
    merged_from: list[str] = Field(default_factory=list)
    """Ids of all records merged into this one, including its own; empty if none were."""
    field_sources: dict[str, str] = Field(default_factory=dict)
    """The id of the merged record that each field comes from; empty if none were merged."""
    versions: list[Version] = Field(default_factory=list)
    """All versions of the work if there are several, that of this record first."""
    sightings: list[Sighting] = Field(default_factory=list)

    @model_validator(mode="before")
    @classmethod
    def _leave_unknown_count_out(cls, data: Any) -> Any:
        if isinstance(data, dict) and data.get("citation_count", 0) is None:
            return {name: value for name, value in data.items() if name != "citation_count"}
        return data

    @field_serializer("citation_count")
    def _count_or_null(self, count: int) -> int | None:
        return count if self.known_citation_count is not None else None

    @property
    def known_citation_count(self) -> int | None:
        """The citation count of a source; None if none gives one."""
        return self.citation_count if "citation_count" in self.model_fields_set else None

    def set_fields(self) -> dict[str, Any]:
        """Return the fields that are not at their default as JSON, with a known count of 0."""
        # Three times as fast as `exclude_defaults`, which creates every default to compare with.
        values = self.model_dump(mode="json", exclude_none=True)
        defaults = _defaults(type(self))
        fields = {
            name: value for name, value in values.items() if value != defaults.get(name, _NONE)
        }
        fields.pop("citation_count", None)
        count = self.known_citation_count
        return fields if count is None else fields | {"citation_count": count}

    @property
    def text(self) -> str | None:
        """Return abstract and keywords, if there are any."""
        return _join_text(self.abstract, self.keywords)


class RawPaper(BibliographicRecord):
    """A record as one source returned it.

    Sources set a stable `id`, so that a work that is found again has the same one; the default is
    a new UUID.
    """

    id: str = Field(default_factory=lambda: str(uuid.uuid4()))
    snippet: str | None = None
    raw_data: dict[str, Any] = Field(default_factory=dict)

    @property
    def text(self) -> str | None:
        """See `BibliographicRecord`; a snippet replaces a missing abstract."""
        return _join_text(self.abstract or self.snippet, self.keywords)


@functools.cache
def _defaults(model: type[BibliographicRecord]) -> dict[str, Any]:
    """Return the defaults of a record's fields, except the new id."""
    return {
        name: info.get_default(call_default_factory=True)
        for name, info in model.model_fields.items()
        if name != "id" and not info.is_required()
    }


def _join_text(abstract: str | None, keywords: list[str]) -> str | None:
    return "\n".join(filter(None, [abstract, "; ".join(keywords)])) or None


class ScoredPaper(BaseModel):
    """A record with the verdict on its relevance to one intent."""

    paper: RawPaper
    relevance_score: Score
    relevance_reason: str
    tags: list[PaperTag] = Field(default_factory=list)
    is_judged: bool = True
    """If false, the score is provisional, and the paper is never filtered out."""
    unjudged_because: str | None = Field(default=None, exclude_if=_is_absent)
    """Why it is not judged, in a few words."""
    grades: list[Grade] = Field(default_factory=list, exclude_if=operator.not_)
    """A model's grade for each criterion; the score is computed from them."""
    place: int | None = Field(default=None, exclude_if=_is_absent)
    """Place in the order of the result, from 1; None if the score decides."""
    whole_concepts: int | None = Field(default=None, exclude_if=_is_absent)
    """The number of concepts that its title and abstract contain in full, if counted."""
    blocks: int | None = Field(default=None, exclude_if=_is_absent)
    """The number of blocks of the question, where a long concept counts by its parts."""


class ScreeningDecision(BaseModel):
    """Whether a paper belongs in a review, and who decided so.

    Two are equal if their content is: author and time differ from run to run.
    """

    decision: str | None = None
    """`include` or `exclude`; None if nobody decided."""
    decided_by: str | None = None
    decided_at: str | None = None
    """UTC, ISO 8601."""
    reason: str | None = None
    """Why it was included or excluded."""
    full_text: str | None = Field(default=None, exclude_if=_is_absent)
    """The status of its full text, such as `excluded: wrong population`; None if not sought."""

    @property
    def outcome(self) -> PaperDecision:
        return {"include": "included", "exclude": "excluded"}.get(self.decision or "", "undecided")  # type: ignore[return-value]  # the values are those of the type

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ScreeningDecision):
            return NotImplemented
        own = self.decision, self.reason, self.full_text
        return own == (other.decision, other.reason, other.full_text)

    __hash__ = None  # type: ignore[assignment]  # mutable, like every pydantic model


class Paper(BibliographicRecord):
    """A paper as a person sees it."""

    id: str
    authors: list[Author]
    relevance_score: Score = 0.0
    relevance_reason: str = ""
    tags: list[PaperTag] = Field(default_factory=list)
    is_judged: bool = True
    unjudged_because: str | None = Field(default=None, exclude_if=_is_absent)
    """Why it is not judged, in a few words."""
    grades: list[Grade] = Field(default_factory=list, exclude_if=operator.not_)
    """A model's grade for each criterion; the score is computed from them."""
    note: str | None = Field(default=None, exclude_if=_is_absent)
    """A person's note from screening."""
    labels: list[str] = Field(default_factory=list, exclude_if=operator.not_)
    """A person's labels from screening."""
    screening: ScreeningDecision | None = Field(default=None, exclude_if=_is_absent)
    """None if nobody has screened it."""

    @property
    def decision(self) -> PaperDecision:
        return (self.screening or ScreeningDecision()).outcome

    @property
    def screening_columns(self) -> dict[str, str]:
        """Return the fields of screening for the columns of a review; empty if there is nothing."""
        screening = self.screening or ScreeningDecision()
        fields = {name: getattr(screening, name) for name in ScreeningDecision.model_fields}
        return {name: value or "" for name, value in (fields | {"note": self.note}).items()}

    @classmethod
    def from_scored(cls, scored: ScoredPaper) -> "Paper":
        fields = {**scored.paper.__dict__, **scored.__dict__, "labels": []}
        for name in _OF_RAW:
            del fields[name]
        if scored.paper.known_citation_count is None:
            del fields["citation_count"]
        return _BLANK.model_copy(update=fields)


_OF_RAW = (*sorted(RawPaper.model_fields.keys() - Paper.model_fields.keys()), "paper", "place")
_BLANK = Paper(id="", title="", authors=[], source="")


class Facets(BaseModel):
    """Counts that describe a collection."""

    by_year: dict[int, int] = Field(default_factory=dict)
    by_venue: dict[str, int] = Field(default_factory=dict)
    top_authors: list[str] = Field(default_factory=list)
    key_themes: list[str] = Field(default_factory=list)


class SearchMetadata(BaseModel):
    query: str
    search_strategy: SearchStrategy
    total_found: int
    timestamp: str = Field(default_factory=lambda: datetime.now(UTC).isoformat())


class PaperCollection(BaseModel):
    """The papers of one search, best first.

    Two collections are equal if their content is, however the run went and ended.
    """

    metadata: SearchMetadata
    papers: list[Paper]
    facets: Facets = Field(default_factory=Facets)
    ended_by: EndReason | None = None
    """Set on the final result only."""
    reports: list[SourceReport] = Field(default_factory=list)
    """A row for each query to each source, in all rounds; set on results of a workflow only."""
    silent_sources: list[str] = Field(default_factory=list)
    """Sources without any result in the whole run."""
    known_papers: KnownPapersReport | None = None
    """The status of papers that a good search must find; None if none were named."""
    set_aside: list[Paper] = Field(default_factory=list, exclude_if=operator.not_)
    """Found, but below the line, beyond the limit or marked irrelevant; best first."""
    earlier: list[Paper] = Field(default_factory=list, exclude_if=operator.not_)
    """Undecided papers that only rounds before the last one found, without those of rejected
    rounds."""

    @property
    def every_paper(self) -> list[Paper]:
        return [*self.papers, *self.set_aside, *self.earlier]

    @property
    def order(self) -> str:
        scores = [paper.relevance_score for paper in self.papers]
        if scores == sorted(scores, reverse=True):
            return "highest score first"
        is_graded = any(paper.grades for paper in self.papers)
        return "by rank and grades" if is_graded else "by rank and similarity"

    @property
    def excluded(self) -> int:
        """The number of papers set aside that a person excluded."""
        return sum(paper.decision == "excluded" for paper in self.set_aside)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PaperCollection):
            return NotImplemented
        content = operator.attrgetter("metadata", "papers", "facets")
        return bool(content(self) == content(other))

    __hash__ = None  # type: ignore[assignment]  # mutable, like every pydantic model
