"""Threads as they stood at one checkpoint, kept until the next: 5,000 papers are slow to read."""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import dataclass

from paper_search.models import PaperCollection
from paper_search.skills.words import STOP_WORDS, tokens
from paper_search.threads.catalog import ThreadStatus
from paper_search.web.result_index import ResultIndex
from paper_search.workflow.catalog import ThreadCatalog, ThreadInfo
from paper_search.workflow.checkpoints import Checkpoint, CheckpointKind, ResultPayload
from paper_search.workflow.state import WorkflowState

KEPT = 8
"""Threads whose papers stay in memory."""


@dataclass(frozen=True)
class Reading:
    """One thread at one checkpoint."""

    version: str
    """Changes with every step and every decision."""
    info: ThreadInfo
    state: WorkflowState
    question: Checkpoint | None
    """What waits for a person."""
    result: ResultIndex | None
    """The papers of the latest result, or None."""

    @property
    def thread_id(self) -> str:
        return self.info.thread_id

    @property
    def waits_with_result(self) -> bool:
        """Whether a person is asked about the result."""
        return self.question is not None and self.question.kind is CheckpointKind.RESULT_REVIEW

    @property
    def waits_with_strategy(self) -> bool:
        """Whether a person is asked about the strategy."""
        return self.question is not None and not self.waits_with_result

    @property
    def asked(self) -> str:
        """Return what a form sends to name the question, as JSON; empty: there is none."""
        if self.question is None:
            return ""
        named = self.question.reference.model_dump(mode="json")
        return json.dumps({"checkpoint": named, "token": self.question.token})

    @property
    def can_be_screened(self) -> bool:
        """Whether marks on single papers are taken."""
        is_done = self.info.status is ThreadStatus.DONE
        return self.result is not None and (is_done or self.waits_with_result)

    @property
    def words(self) -> list[str]:
        """The words of the question that are worth finding in a text."""
        intent = self.state.intent
        asked = " ".join(intent.concepts) if intent else self.state.question
        return [word for word in dict.fromkeys(tokens(asked)) if word not in STOP_WORDS]


class Readings:
    """Reads threads, each checkpoint once."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Reading] = OrderedDict()

    async def of(self, catalog: ThreadCatalog, thread_id: str) -> Reading:
        """Return a thread as it stands now.

        Raises:
            ThreadNotFoundError: there is no such thread, or it is no search.
        """
        info = await catalog.info(thread_id)
        session = catalog.session(thread_id)
        checkpoint = (await session.snapshot()).config["configurable"]["checkpoint_id"]
        version = f"{checkpoint}.{info.status.value}"
        known = self.at(thread_id, version)
        if known is not None:
            return known
        question = await session.open_question()
        asked = question.question if question else None
        collection: PaperCollection | None = None
        if asked is not None and isinstance(asked.payload, ResultPayload):
            collection = asked.payload.collection
        elif info.status is not ThreadStatus.RUNNING:
            collection = await session.result()
        state = await session.state()
        reading = Reading(
            version, info, state, asked, ResultIndex(collection) if collection else None
        )
        self._kept[thread_id] = reading
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return reading

    def at(self, thread_id: str, version: str) -> Reading | None:
        """Return a thread as it stood at a version, if that is still in memory."""
        known = self._kept.get(thread_id)
        if known is None or known.version != version:
            return None
        self._kept.move_to_end(thread_id)
        return known
