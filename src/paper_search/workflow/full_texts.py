"""The full texts of works that were included by title and abstract, and decisions on them."""

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
    SOUGHT = "sought"
    """Nobody has looked for it yet."""
    NOT_RETRIEVED = "not retrieved"
    RETRIEVED = "retrieved"
    """It is available, and nobody has decided on it."""
    INCLUDED = "included"
    EXCLUDED = "excluded"


class FullText(BaseModel):
    paper_id: str
    digest: str = ""
    """SHA-256 of the PDF, under which the home keeps it; empty if there is none."""
    origin: str = ""
    """The URL that it came from, or the name of the file that was attached."""
    source: str = ""
    """The service that returned the URL; empty if the record had it, or for a file."""
    problem: str = ""
    """Why it was not retrieved; empty if it was, or if nobody has looked for it."""
    is_given_up: bool = False
    """Whether a person recorded it as not retrieved, so that it is not sought again."""
    retrieved_at: str = ""
    """UTC, ISO 8601; also of a search for it that found nothing."""
    retrieved_by: str = ""
    decision: Literal["include", "exclude"] | None = None
    reason: str = ""
    decided_at: str = ""
    decided_by: str = ""
    verdicts: dict[str, dict[str, str]] = Field(default_factory=dict)
    """Decision, reason and time by reviewer, once all independent reviewers were done."""

    @property
    def status(self) -> TextStatus:
        if self.decision is not None:
            return TextStatus.INCLUDED if self.decision == "include" else TextStatus.EXCLUDED
        without = TextStatus.NOT_RETRIEVED if self.problem else TextStatus.SOUGHT
        return TextStatus.RETRIEVED if self.digest else without

    @property
    def summary(self) -> str:
        """Return the status with its reason: `excluded: wrong population`."""
        why = self.reason if self.decision else self.problem
        return f"{self.status.value}: {why}" if why else self.status.value


class FullTextFlow(BaseModel):
    """Works by status in the full-text stage.

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
    """Return the full texts that somebody looked for, by the id of the work they belong to now.

    Of several texts of one work, that with the latest decision counts, else one with a file.
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
    """Add the status of the full texts, and the URLs that they came from, to the papers."""
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
    """Count the full texts of included works by status; None if nobody has looked for any."""
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
