"""The owner of a thread, the accounts that it is shared with, and their rights."""

from collections.abc import Collection
from enum import Enum

from pydantic import BaseModel, Field


class Role(str, Enum):
    OWNER = "owner"
    REVIEWER = "reviewer"
    """Screens under the name of the account; sees no decisions until all reviewers are done."""
    READER = "reader"


class Right(str, Enum):
    READ = "read"
    SCREEN = "screen"
    """As an independent reviewer."""
    DECIDE = "decide"
    """Answer its questions, decide for the thread, share it, delete it."""


RIGHTS = {
    Role.OWNER: frozenset(Right),
    Role.REVIEWER: frozenset({Right.READ, Right.SCREEN}),
    Role.READER: frozenset({Right.READ}),
}


class Ownership(BaseModel):
    begun_by: str | None = None
    """The account that began it through a server; None if it was begun elsewhere."""
    shared_with: dict[str, Role] = Field(default_factory=dict)
    """By account."""

    def owner(self, accounts: Collection[str]) -> str | None:
        """Return the account that began the thread, else the first account, if there is one."""
        return self.begun_by if self.begun_by in accounts else next(iter(accounts), None)

    def role_of(self, person: str, accounts: Collection[str]) -> Role | None:
        """Return the role of an account in the thread; without accounts, everybody is the owner."""
        if not accounts or person == self.owner(accounts):
            return Role.OWNER
        return self.shared_with.get(person) if person in accounts else None
