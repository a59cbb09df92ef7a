"""Whose a thread is, with whom it is shared, and what each of them may do with it."""

from collections.abc import Collection
from enum import Enum

from pydantic import BaseModel, Field


class Role(str, Enum):
    """What somebody is to a thread."""

    OWNER = "owner"
    REVIEWER = "reviewer"
    """Screens under the name of their account, and sees no decisions until all reviewers are
    done."""
    READER = "reader"


class Right(str, Enum):
    """What somebody wants to do with a thread."""

    READ = "read"
    SCREEN = "screen"
    """As a reviewer, apart from the others."""
    DECIDE = "decide"
    """Answer its questions, decide for the thread, share it, delete it."""


RIGHTS = {
    Role.OWNER: frozenset(Right),
    Role.REVIEWER: frozenset({Right.READ, Right.SCREEN}),
    Role.READER: frozenset({Right.READ}),
}


class Ownership(BaseModel):
    """Who began a thread, and with whom it is shared."""

    begun_by: str | None = None
    """The account that began it over a server; None if it was begun elsewhere."""
    shared_with: dict[str, Role] = Field(default_factory=dict)
    """By account."""

    def owner(self, accounts: Collection[str]) -> str | None:
        """Return whose the thread is: who began it, else the first account, if there is one."""
        return self.begun_by if self.begun_by in accounts else next(iter(accounts), None)

    def role_of(self, person: str, accounts: Collection[str]) -> Role | None:
        """Return what an account is to the thread; without accounts, all are one owner."""
        if not accounts or person == self.owner(accounts):
            return Role.OWNER
        return self.shared_with.get(person) if person in accounts else None
