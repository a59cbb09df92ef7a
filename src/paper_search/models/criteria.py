"""What papers are judged by."""

from __future__ import annotations

from enum import Enum

from pydantic import BaseModel, Field

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
