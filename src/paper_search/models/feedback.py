"""A person's feedback on a result, and records that may be one work."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from operator import not_
from typing import Self

from pydantic import BaseModel, Field


class MergeReason(str, Enum):
    """Why two records were merged."""

    RECORD = "record"
    """One source returned the same record twice."""
    IDENTIFIER = "identifier"
    """They share an identifier."""
    CONTENT = "content"
    """Title, authors, year, venue and abstract agree well enough."""
    VERSION = "version"
    """Two versions of one work: preprint and publication, conference paper and article."""
    MODEL = "model"
    PERSON = "person"


class PairEvidence(BaseModel):
    """The evidence that two records are one work."""

    one: str
    """Id of a record; the two are ordered by their content."""
    other: str
    reason: MergeReason
    confidence: float = Field(ge=0.0, le=1.0)
    """Probability that the two are one work; 1.0 if a person decided so."""
    identifiers: list[str] = Field(default_factory=list)
    """Identifiers that agree, as `kind:value`."""
    title_similarity: float | None = None
    """0 to 1; None if a title is missing."""
    author_overlap: float | None = None
    """Share of the shorter list of names that is also in the other, 0 to 1, if both are known."""
    abstract_overlap: float | None = None
    """As `author_overlap`, over the words at the start of the abstracts."""
    fields: dict[str, str] = Field(default_factory=dict)
    """Levels of agreement of the fields that both records have."""

    @property
    def summary(self) -> str:
        parts = [f"same {identifier}" for identifier in self.identifiers]
        shares = (
            ("title", self.title_similarity),
            ("authors", self.author_overlap),
            ("abstract", self.abstract_overlap),
        )
        parts += [f"{name} {share:.0%} alike" for name, share in shares if share is not None]
        names = ("year", "venue", "volume", "pages", "doi")
        parts += [f"{name} {self.fields[name]}" for name in names if name in self.fields]
        return "; ".join(parts)


class MergeDecision(BaseModel):
    """A person's decision on two records, by their ids; it holds in all later rounds."""

    one: str
    other: str
    is_same: bool


@dataclass(frozen=True, slots=True)
class Cluster:
    """The records of one publication.

    Attributes:
        members: positions of the records in the input, ascending.
        ids: ids of the members, in the same order.
        merges: the pairs by which they were merged, in that order: one fewer than members.
        confidence: that of the weakest merge; 1.0 if there is none.
    """

    members: list[int]
    ids: list[str]
    merges: list[PairEvidence]
    confidence: float


@dataclass(frozen=True, slots=True)
class Clustering:
    """All records, each in exactly one cluster, and each cluster in exactly one work.

    Attributes:
        clusters: by the position of their first member.
        works: positions in `clusters`: the versions of each work, the best one first.
        versions: the links that make clusters versions of one work.
        uncertain: pairs of different works that may be one, for a person to decide, the likeliest
            first.
    """

    clusters: list[Cluster]
    works: list[list[int]]
    versions: list[PairEvidence]
    uncertain: list[PairEvidence]

    def works_by_members(self) -> list[list[int]]:
        """Return the positions of the records of each work."""
        return [
            sorted(member for position in work for member in self.clusters[position].members)
            for work in self.works
        ]


SNOWBALL = "snowball"
"""The source without queries: it follows the citations from and to the seeds of a strategy."""

MAX_SEEDS = 20
"""Works whose citations are followed in one round."""


class UserFeedback(BaseModel):
    """Marks by paper id, and notes."""

    marked_relevant: list[str] = Field(default_factory=list)
    marked_irrelevant: list[str] = Field(default_factory=list)
    free_text_feedback: str | None = None
    merge_decisions: list[MergeDecision] = Field(default_factory=list)
    """Which records are one work and which are not, from now on."""
    unmarked: list[str] = Field(default_factory=list, exclude_if=not_)
    """Papers whose mark, from this screening or an earlier round, is taken back."""
    reasons: dict[str, str] = Field(default_factory=dict, exclude_if=not_)
    """Reasons for marks, by paper id."""
    wait_for_sources: bool = Field(default=False, exclude_if=not_)
    """Wait for the sources that ran out of time, and add their records to this result instead of
    starting another round."""


class Seed(BaseModel):
    """A work to find others from: those that it cites, and those that cite it."""

    title: str = ""
    doi: str | None = None
    openalex_id: str | None = None
    s2_id: str | None = None
    pmid: str | None = None
    arxiv_id: str | None = None

    @classmethod
    def of(cls, record: BaseModel) -> Self:
        return cls.model_validate(record.model_dump(include=set(cls.model_fields)))

    @property
    def is_followable(self) -> bool:
        return any((self.doi, self.openalex_id, self.s2_id, self.pmid, self.arxiv_id))


class MarkedPaper(BaseModel):
    """A paper that a person marked, with text to learn from."""

    id: str
    title: str
    abstract: str | None = None
    """Abstract and keywords."""
    is_relevant: bool
    seed: Seed | None = None
    """Its identifiers, to find others from it; None if they are not known."""


def seed_of_identifier(identifier: str) -> Seed | None:
    """Return the seed for `doi:...`, `arxiv:...` or `pmid:...`; None for other identifiers."""
    kind, _, value = identifier.partition(":")
    fields = {"doi": "doi", "arxiv": "arxiv_id", "pmid": "pmid"}
    return Seed.model_validate({fields[kind]: value}) if kind in fields and value else None


def relevant_seeds(papers: Sequence[MarkedPaper]) -> list[Seed]:
    """Return the papers marked relevant that can be seeds, the latest first."""
    followable = [
        paper.seed
        for paper in reversed(papers)
        if paper.is_relevant and paper.seed is not None and paper.seed.is_followable
    ]
    return followable[:MAX_SEEDS]


class KnownPapersReport(BaseModel):
    """The status of papers that a good search must find, each in the person's own words."""

    in_result: list[str] = Field(default_factory=list)
    not_in_result: list[str] = Field(default_factory=list)
    """Found by a source, but judged not relevant enough or beyond the limit."""
    missing: list[str] = Field(default_factory=list)
    """Found by no source in any round."""

    @property
    def total(self) -> int:
        return len(self.in_result) + len(self.not_in_result) + len(self.missing)

    @property
    def summary(self) -> str:
        """Return the report as a sentence: `7 of 8 known papers found; missing: ...`."""
        count = self.total - len(self.missing)
        parts = [f"{count} of {self.total} known papers found"]
        if self.missing:
            parts.append(f"missing: {', '.join(self.missing)}")
        if self.not_in_result:
            parts.append(f"found, but not in the result: {', '.join(self.not_in_result)}")
        return "; ".join(parts)
