"""Full texts: what became of the works that were included by title and abstract."""

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Literal

from pydantic import BaseModel, Field

from paper_search.models import PaperCollection, ScreeningDecision
from paper_search.threads.records import storable
from paper_search.workflow.records import SearchRecords

_PART = "full_texts"


class TextStatus(str, Enum):
    """Where a full text stands."""

    SOUGHT = "sought"
    """Nobody has looked for it yet."""
    NOT_RETRIEVED = "not retrieved"
    RETRIEVED = "retrieved"
    """It is there, and nobody has decided on it."""
    INCLUDED = "included"
    EXCLUDED = "excluded"


class FullText(BaseModel):
    """The full text of one work, and the decision on it."""

    paper_id: str
    digest: str = ""
    """SHA-256 of the PDF, under which the home keeps it; empty: there is none."""
    origin: str = ""
    """The address that it came from, or the name of the file that was attached."""
    source: str = ""
    """The service that named the address; empty: the record itself, or it is no address."""
    problem: str = ""
    """Why it was not retrieved; empty: it was, or nobody has looked for it."""
    is_given_up: bool = False
    """A person entered that it is not retrieved; it is not sought again."""
    retrieved_at: str = ""
    """UTC, ISO 8601; the same of a search for it that found nothing."""
    retrieved_by: str = ""
    decision: Literal["include", "exclude"] | None = None
    reason: str = ""
    decided_at: str = ""
    decided_by: str = ""
    verdicts: dict[str, dict[str, str]] = Field(default_factory=dict)
    """By reviewer: decision, reason and time, of people who decided apart, once all were done."""

    @property
    def status(self) -> TextStatus:
        if self.decision is not None:
            return TextStatus.INCLUDED if self.decision == "include" else TextStatus.EXCLUDED
        without = TextStatus.NOT_RETRIEVED if self.problem else TextStatus.SOUGHT
        return TextStatus.RETRIEVED if self.digest else without

    @property
    def summary(self) -> str:
        """Return what a table says of it: `excluded: wrong population`."""
        why = self.reason if self.decision else self.problem
        return f"{self.status.value}: {why}" if why else self.status.value


class FullTextFlow(BaseModel):
    """How many works there are at each place of the second stage.

    `sought = waiting + not_retrieved + unassessed + assessed`; `assessed = excluded + included`.
    """

    sought: int
    """Works included by title and abstract."""
    waiting: int
    """Nobody has looked for their text yet."""
    not_retrieved: int
    unassessed: int
    """Their text is there, and nobody has decided on it."""
    assessed: int
    excluded: int
    exclusion_reasons: dict[str, int] = Field(default_factory=dict)
    included: int


async def full_texts(records: SearchRecords) -> dict[str, FullText]:
    """Return the full texts that somebody looked for, by the id of the work as merged now.

    Of those of works that were merged, one counts: with the latest decision, else with a file.
    """
    rows = await records.rows(_PART)
    works = await records.works_of(list(rows))
    texts = [FullText.model_validate(row) for row in rows.values()]
    texts.sort(key=lambda text: (text.decided_at, bool(text.digest), text.retrieved_at))
    return {works.get(text.paper_id, text.paper_id): text for text in texts}


async def put_full_text(records: SearchRecords, text: FullText) -> None:
    """Store a full text, in the place of all of the works that are one with its own now."""
    rows = await records.rows(_PART)
    works = await records.works_of([*rows, text.paper_id])
    work = works.get(text.paper_id, text.paper_id)
    replaced = dict.fromkeys(i for i in rows if works.get(i, i) == work)
    await records.put(_PART, {**replaced, text.paper_id: storable(text.model_dump(mode="json"))})


def with_full_texts(collection: PaperCollection, texts: Mapping[str, FullText]) -> PaperCollection:
    """Return the collection with the state of each full text, and the address that it came from."""
    papers = list(collection.papers)
    for place, paper in enumerate(papers):
        if (text := texts.get(paper.id)) is not None:
            screening = (paper.screening or ScreeningDecision()).model_copy(
                update={"full_text": text.summary}
            )
            update: dict[str, Any] = {"screening": screening}
            if text.origin.startswith(("https://", "http://")):  # it answered; the record's may not
                update["full_text_url"] = text.origin
            papers[place] = paper.model_copy(update=update)
    return collection.model_copy(update={"papers": papers}) if texts else collection


def count_full_texts(ids: Sequence[str], texts: Mapping[str, FullText]) -> FullTextFlow | None:
    """Return where the texts of included works stand; None if nobody has looked for any."""
    if not texts:
        return None
    own = [texts.get(i, FullText(paper_id=i)) for i in ids]
    count = Counter(text.status for text in own)
    reasons = Counter(text.reason for text in own if text.status is TextStatus.EXCLUDED)
    return FullTextFlow(
        sought=len(own),
        waiting=count[TextStatus.SOUGHT],
        not_retrieved=count[TextStatus.NOT_RETRIEVED],
        unassessed=count[TextStatus.RETRIEVED],
        assessed=count[TextStatus.EXCLUDED] + count[TextStatus.INCLUDED],
        excluded=count[TextStatus.EXCLUDED],
        exclusion_reasons=dict(reasons.most_common()),
        included=count[TextStatus.INCLUDED],
    )
