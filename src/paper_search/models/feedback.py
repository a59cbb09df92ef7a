"""What a person said about a result."""

from pydantic import BaseModel, Field

from paper_search.models.duplicates import MergeDecision


class UserFeedback(BaseModel):
    """Marks by paper id, and words."""

    marked_relevant: list[str] = Field(default_factory=list)
    marked_irrelevant: list[str] = Field(default_factory=list)
    free_text_feedback: str | None = None
    merge_decisions: list[MergeDecision] = Field(default_factory=list)
    """Which records are one work and which are not; it holds from now on."""
    unmarked: list[str] = Field(default_factory=list, exclude_if=lambda ids: not ids)
    """Papers whose mark of this round's screening is taken back."""


class MarkedPaper(BaseModel):
    """A paper that a person marked, with the text that a skill can learn from."""

    id: str
    title: str
    abstract: str | None = None
    is_relevant: bool
