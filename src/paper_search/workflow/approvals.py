"""Which strategies a person approved: kept outside of the state, which a client can write."""

from __future__ import annotations

import hashlib

from langgraph.store.base import BaseStore, PutOp
from pydantic_core import to_json

from paper_search.errors import UnapprovedStrategyError
from paper_search.models import SearchStrategy
from paper_search.workflow.records import INDEX, SearchRecords

PART = "approvals"
_TERMS = "terms"
_PROPOSED = "proposed-"


class Approvals:
    """The approvals of one thread.

    Args:
        store: where they are.
        thread_id: whose they are.
    """

    def __init__(self, store: BaseStore, thread_id: str) -> None:
        self._store = store
        self._thread_id = thread_id
        self._namespace = SearchRecords(store, thread_id).namespace(PART)

    async def begin(self, *, is_asking: bool) -> None:
        """Note whether strategies need an approval; those of an earlier search do not count."""
        await self.revoke(0)
        await self._put(_TERMS, {"is_asking": is_asking})

    async def propose(self, strategy: SearchStrategy, iteration: int) -> None:
        """Note which strategy a person is about to be shown."""
        await self._put(f"{_PROPOSED}{iteration}", {"strategy": _digest(strategy)})

    async def approve(self, strategy: SearchStrategy, iteration: int) -> None:
        """Note that a person approved the strategy of an iteration.

        It does not count if it is not the one that was shown: a client can change the state in the
        same breath in which it answers.
        """
        proposed = await self._store.aget(self._namespace, f"{_PROPOSED}{iteration}")
        if proposed is None or proposed.value["strategy"] == _digest(strategy):
            await self.write(strategy, iteration)

    async def write(self, strategy: SearchStrategy, iteration: int) -> None:
        """Note that a person wrote the strategy of an iteration."""
        await self._put(str(iteration), {"strategy": _digest(strategy)})

    async def revoke(self, iteration: int) -> None:
        """Forget the approvals of an iteration and of all after it."""
        items = await self._store.asearch(self._namespace, limit=1000)
        keys = [each.key for each in items if each.key.isdigit() and int(each.key) >= iteration]
        if keys:
            await self._store.abatch([PutOp(self._namespace, key, None) for key in keys])

    async def require(self, strategy: SearchStrategy, iteration: int) -> None:
        """Let a search begin that was approved, or that needs no approval.

        Raises:
            UnapprovedStrategyError: a person has to be asked, and did not approve this strategy.
        """
        terms = await self._store.aget(self._namespace, _TERMS)
        if terms is None and await self._store.aget(INDEX, self._thread_id) is not None:
            return  # a thread that an older program began, which kept no approvals
        if terms is not None and not terms.value["is_asking"]:
            return
        approval = await self._store.aget(self._namespace, str(iteration))
        if approval is None or approval.value["strategy"] != _digest(strategy):
            raise UnapprovedStrategyError(
                f"thread {self._thread_id!r} would search with a strategy that no person approved: "
                "answer the question about the strategy; a step cannot be skipped by jumping over "
                "it. `paper-search fork` goes back to the question"
            )

    async def _put(self, key: str, value: dict[str, object]) -> None:
        await self._store.abatch([PutOp(self._namespace, key, value, index=False)])


def _digest(strategy: SearchStrategy) -> str:
    plain = SearchStrategy.model_validate(strategy.model_dump(mode="json"))
    return hashlib.sha256(to_json(plain)).hexdigest()
