"""Which records are one work: clusters with their evidence, doubts, and what a person decided."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from pydantic import BaseModel, Field


class MergeReason(str, Enum):
    """Why two records were made one."""

    RECORD = "record"
    """One source gave the same record twice."""
    IDENTIFIER = "identifier"
    """An identifier names both."""
    CONTENT = "content"
    """Title, authors, year, venue and abstract agree well enough."""
    VERSION = "version"
    """Two versions of one work: preprint and publication, conference paper and article."""
    MODEL = "model"
    PERSON = "person"


class PairEvidence(BaseModel):
    """What is known about two records being one work."""

    one: str
    """Id of a record; the two are in the order of their content."""
    other: str
    reason: MergeReason
    confidence: float = Field(ge=0.0, le=1.0)
    """Probability that the two are one work; 1.0 where a person said so."""
    identifiers: list[str] = Field(default_factory=list)
    """Identifiers that agree, as `kind:value`."""
    title_similarity: float | None = None
    """0 to 1; None: a title is missing."""
    author_overlap: float | None = None
    """Part of the shorter list of names that is in the other too, 0 to 1; None: one is missing."""
    abstract_overlap: float | None = None
    """As `author_overlap`, over the words at the start of the abstracts."""
    fields: dict[str, str] = Field(default_factory=dict)
    """Field to level of agreement, of the fields that both records have."""

    @property
    def summary(self) -> str:
        """One line for a person."""
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
    """What a person said about two records, by their ids; it holds in all later rounds."""

    one: str
    other: str
    is_same: bool


@dataclass(frozen=True, slots=True)
class Cluster:
    """The records of one publication.

    Attributes:
        members: positions of the records in the list that was given, ascending.
        ids: ids of the members, in the same order.
        merges: the pairs that made them one, in the order in which they did: one fewer than
            members.
        confidence: that of the weakest merge; 1.0 where there is none.
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
        uncertain: pairs of different works that may be one, to be asked about, the likeliest
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
