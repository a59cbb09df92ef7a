"""What a person approved on a thread: kept outside of the state, which a client can write."""

import hashlib
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel
from pydantic_core import to_json

from paper_search.errors import UnapprovedStrategyError
from paper_search.threads.records import RecordStore

NOBODY = "nobody was asked"
"""Who allowed what needs no approval."""
_TERMS = "terms"
_PROPOSED = "proposed-"

ProposalT = TypeVar("ProposalT", bound=BaseModel)


class Approvals(Generic[ProposalT]):
    """The proposals of one thread that a person approved.

    A subclass says what is proposed, and under which key its approval counts.
    """

    part: ClassVar[str]
    field: ClassVar[str]
    """What is proposed: the name of the digest in a row."""
    noun: ClassVar[str]

    def __init__(self, records: RecordStore) -> None:
        self._records = records

    def _key(self, number: int) -> str:
        return str(number)

    def _decided_on(self, proposal: ProposalT) -> Any:
        """Return what of a proposal is as it was decided; the rest may change afterwards."""
        return proposal

    async def begin(self, *, is_asking: bool) -> None:
        """Note whether proposals need an approval; those of an earlier run do not count.

        A run that asks goes on asking until it has ended, whatever a client writes into its state.
        """
        terms = await self._row(_TERMS) or {}
        goes_on = bool(terms.get("is_asking")) and not terms.get("is_ended")
        await self.revoke(0)
        await self._save(_TERMS, {"is_asking": is_asking or goes_on})

    async def end(self) -> None:
        """Note that the run has ended: the next one on the thread may ask nobody."""
        terms = await self._row(_TERMS)
        if terms is not None:
            await self._save(_TERMS, {**terms, "is_ended": True})

    async def propose(self, proposal: ProposalT, number: int) -> None:
        await self._save(f"{_PROPOSED}{number}", {self.field: self._digest(proposal)})

    async def approve(self, proposal: ProposalT, number: int, by: str | None = None) -> None:
        """Note that a person approved what a question showed, and who.

        It does not count if it is not what was shown: a client can change the state in the same
        breath in which it answers.
        """
        proposed = await self._row(f"{_PROPOSED}{number}")
        if proposed is None or proposed[self.field] == self._digest(proposal):
            await self.write(proposal, number, by)

    async def write(self, proposal: ProposalT, number: int, by: str | None = None) -> None:
        await self._save(self._key(number), {self.field: self._digest(proposal), "by": by})

    async def revoke(self, number: int) -> None:
        earlier = {self._key(earlier_number) for earlier_number in range(number)}
        keys = [key for key in await self._records.keys(self.part) if not _is_about_asking(key)]
        await self._records.put(self.part, {key: None for key in keys if key not in earlier})

    async def require(self, proposal: ProposalT, number: int) -> str:
        """Return who approved a proposal, or that it needs no approval."""
        terms = await self._row(_TERMS)
        if terms is not None and not terms["is_asking"]:
            return NOBODY
        approval = await self._row(self._key(number))
        if approval is None or approval[self.field] != self._digest(proposal):
            raise UnapprovedStrategyError(
                f"{self.noun} {self._records.thread_id!r} would continue with a {self.field} that "
                f"no person approved: answer the question about the {self.field}; steps cannot be "
                "skipped. `paper-search fork` goes back to the question"
            )
        return approval.get("by") or "a person"

    async def _row(self, key: str) -> dict[str, Any] | None:
        return (await self._records.get(self.part, [key])).get(key)

    async def _save(self, key: str, row: dict[str, Any]) -> None:
        await self._records.put(self.part, {key: row}, current={})  # nearly all are new

    def _digest(self, proposal: ProposalT) -> str:
        return hashlib.sha256(to_json(self._decided_on(proposal))).hexdigest()


def _is_about_asking(key: str) -> bool:
    return key == _TERMS or key.startswith(_PROPOSED)
