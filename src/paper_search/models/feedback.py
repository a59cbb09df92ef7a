"""What a person said about a result."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, Field

from paper_search.models.duplicates import MergeDecision

SNOWBALL = "snowball"
"""The source that asks no query: it follows what the seeds of a strategy cite, and are cited by."""

MAX_SEEDS = 20
"""Works that are followed in one round."""


class UserFeedback(BaseModel):
    """Marks by paper id, and words."""

    marked_relevant: list[str] = Field(default_factory=list)
    marked_irrelevant: list[str] = Field(default_factory=list)
    free_text_feedback: str | None = None
    merge_decisions: list[MergeDecision] = Field(default_factory=list)
    """Which records are one work and which are not; it holds from now on."""
    unmarked: list[str] = Field(default_factory=list, exclude_if=lambda ids: not ids)
    """Papers whose mark, of this round's screening or of an earlier round, is taken back."""
    reasons: dict[str, str] = Field(default_factory=dict, exclude_if=lambda reasons: not reasons)
    """Why, by the id of a marked paper."""
    wait_for_sources: bool = Field(default=False, exclude_if=lambda is_waiting: not is_waiting)
    """Take the rest of the sources that ran out of time into this result, in place of another
    round."""


class Seed(BaseModel):
    """A work that others are found from: what it cites, and what cites it."""

    title: str = ""
    doi: str | None = None
    openalex_id: str | None = None
    s2_id: str | None = None
    pmid: str | None = None
    arxiv_id: str | None = None

    @property
    def is_followable(self) -> bool:
        return any((self.doi, self.openalex_id, self.s2_id, self.pmid, self.arxiv_id))


class MarkedPaper(BaseModel):
    """A paper that a person marked, with the text that a skill can learn from."""

    id: str
    title: str
    abstract: str | None = None
    """What it can be learned from beside its title: abstract, and keywords."""
    is_relevant: bool
    seed: Seed | None = None
    """Its identifiers, to find others from it; None: not known."""


def seed_of_identifier(identifier: str) -> Seed | None:
    """Return the seed for `doi:...`, `arxiv:...` or `pmid:...`; None: it is of another kind."""
    kind, _, value = identifier.partition(":")
    fields = {"doi": "doi", "arxiv": "arxiv_id", "pmid": "pmid"}
    return Seed.model_validate({fields[kind]: value}) if kind in fields and value else None


def relevant_seeds(papers: Sequence[MarkedPaper]) -> list[Seed]:
    """Return the papers marked relevant that others can be found from, the latest first."""
    followable = [
        paper.seed
        for paper in reversed(papers)
        if paper.is_relevant and paper.seed is not None and paper.seed.is_followable
    ]
    return followable[:MAX_SEEDS]


class KnownPapersReport(BaseModel):
    """What became of papers that a good search must find, each in the person's own words."""

    in_result: list[str] = Field(default_factory=list)
    """Found, and in the result."""
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
