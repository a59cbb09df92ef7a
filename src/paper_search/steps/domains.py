"""Domains: the values that a setting can have, to go through them all."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class BoundedInt:
    """Every whole number from `lo` to `hi`, both included."""

    lo: int
    hi: int

    def __post_init__(self) -> None:
        if self.lo > self.hi:
            raise ValueError(f"no number is at least {self.lo} and at most {self.hi}")

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.lo, self.hi + 1))


@dataclass(frozen=True)
class ChoiceSet:
    """Each of some values."""

    choices: tuple[Hashable, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "choices", tuple(self.choices))

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.choices)


@dataclass(frozen=True)
class Constant:
    """One value."""

    value: Hashable

    def __iter__(self) -> Iterator[Hashable]:
        return iter((self.value,))


Domain = BoundedInt | ChoiceSet | Constant
