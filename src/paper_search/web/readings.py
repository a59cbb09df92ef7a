"""Threads cached by checkpoint, since 5,000 papers are slow to read."""

import json
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import chain
from typing import Any

from paper_search.models import EndReason, Paper, PaperCollection
from paper_search.skills.words import STOP_WORDS, tokens
from paper_search.threads.catalog import ThreadStatus
from paper_search.workflow.checkpoints import Checkpoint, CheckpointKind, ResultPayload
from paper_search.workflow.listing import ThreadCatalog, ThreadInfo
from paper_search.workflow.state import WorkflowState

PAGE = 50
"""Papers on one page."""
FACET_SHOWN = 12
"""Values offered for a facet, the most frequent ones."""
UNDECIDED = "undecided"
SORTS: Mapping[str, Callable[[Paper], tuple[object, ...]]] = {
    "newest": lambda paper: (-(paper.year or 0), paper.title),
    "oldest": lambda paper: (paper.year or 9_999, paper.title),
    "citations": lambda paper: (-(paper.known_citation_count or -1), paper.title),
    "title": lambda paper: (paper.title.casefold(),),
}
"""Besides `best`, the order of the result."""
FACETS = ("venue", "source", "tag", "label", "decision")
_CONDITIONS = (*FACETS, "year")
PARTS = ("result", "aside", "earlier", "unjudged", "new")


@dataclass(frozen=True)
class Choice:
    """Filters and order of the list of papers; an empty field is no filter."""

    text: str = ""
    year_from: int | None = None
    year_to: int | None = None
    venue: str = ""
    source: str = ""
    tag: str = ""
    label: str = ""
    decision: str = ""
    part: str = "result"
    sort: str = "best"
    page: int = 1

    @classmethod
    def parse(cls, query: Mapping[str, str]) -> "Choice":
        """Return the choice in the parameters of a URL, ignoring invalid values."""
        part, sort = query.get("part", "result"), query.get("sort", "best")
        return cls(
            text=query.get("text", "").strip(),
            year_from=number_of(query.get("year_from")),
            year_to=number_of(query.get("year_to")),
            **{name: query.get(name, "") for name in FACETS},
            part=part if part in PARTS else "result",
            sort=sort if sort in SORTS else "best",
            page=max(1, number_of(query.get("page")) or 1),
        )

    @property
    def is_filtered(self) -> bool:
        has_choice = any(getattr(self, name) for name in (*FACETS, "text"))
        return has_choice or self.year_from is not None or self.year_to is not None


@dataclass(frozen=True)
class Selection:
    """One page of the papers that match a choice."""

    papers: list[Paper]
    total: int
    first: int
    """Number of the first paper on the page, from 1."""
    pages: int
    facets: dict[str, list[tuple[str, int]]]
    """Values of each facet, with the number of papers that each would leave."""
    years: dict[int, int]


_Values = Mapping[str, Mapping[str, Sequence[Any]]]
"""Values of a paper for a condition, by name of the condition and id of the paper."""


class ResultIndex:
    def __init__(self, collection: PaperCollection) -> None:
        self.collection = collection
        self._every = collection.every_paper
        self._by_id = {paper.id: paper for paper in self._every}
        self.rank = {paper.id: number for number, paper in enumerate(self._every, start=1)}
        self._text = {paper.id: _searchable(paper) for paper in self._every}
        spellings: dict[str, str] = {}
        for venue, _ in Counter(paper.venue for paper in self._every if paper.venue).most_common():
            spellings.setdefault(venue.casefold(), venue)
        venues = {p.id: spellings[p.venue.casefold()] if p.venue else "" for p in self._every}
        self._fixed: _Values = {
            "venue": {name: (venue,) if venue else () for name, venue in venues.items()},
            "source": {paper.id: sources_of(paper) for paper in self._every},
            "tag": {paper.id: [tag.value for tag in paper.tags] for paper in self._every},
            "year": {paper.id: (paper.year,) if paper.year else () for paper in self._every},
        }

    def paper(self, paper_id: str) -> Paper | None:
        return self._by_id.get(paper_id)

    def counts(self, new_ids: Collection[str]) -> dict[str, int]:
        return {part: len(self._part(part, new_ids)) for part in PARTS}

    def select(
        self,
        choice: Choice,
        decisions: Mapping[str, str],
        new_ids: Collection[str] = (),
        labels: Mapping[str, Sequence[str]] | None = None,
    ) -> Selection:
        """Return the page of papers that match a choice.

        `decisions`: `included`, `excluded` or `maybe`, by paper id. `new_ids`: papers that no
        earlier round found. `labels`: by paper id; default: those in the result.
        """
        pool = self._part(choice.part, new_ids)
        for word in choice.text.casefold().split():
            pool = [paper for paper in pool if word in self._text[paper.id]]
        values = {
            **self._fixed,
            "decision": {paper.id: (decisions.get(paper.id, UNDECIDED),) for paper in pool},
            "label": {paper.id: (labels or {}).get(paper.id, paper.labels) for paper in pool},
        }
        matches, near = _matches(pool, choice, values)
        counters = {
            name: Counter(
                chain.from_iterable(values[name][p.id] for p in (*matches, *near.get(name, ())))
            )
            for name in _CONDITIONS
        }
        if choice.sort in SORTS:
            matches = sorted(matches, key=SORTS[choice.sort])
        pages = max(1, -(-len(matches) // PAGE))
        start = (min(choice.page, pages) - 1) * PAGE
        facets = {name: _commonest(counters[name]) for name in FACETS}
        years = dict(sorted(counters["year"].items()))
        return Selection(
            matches[start : start + PAGE], len(matches), start + 1, pages, facets, years
        )

    def _part(self, part: str, new_ids: Collection[str]) -> list[Paper]:
        if part == "aside":
            return self.collection.set_aside
        if part == "earlier":
            return self.collection.earlier
        if part == "unjudged":
            every = (*self.collection.papers, *self.collection.set_aside)
            return [paper for paper in every if not paper.is_judged]
        if part == "new":
            ids = set(new_ids)
            return [paper for paper in self._every if paper.id in ids]
        return self.collection.papers


def _matches(
    pool: list[Paper], choice: Choice, values: _Values
) -> tuple[list[Paper], dict[str, list[Paper]]]:
    """Return the papers that meet all conditions and, by condition, those that miss only it.

    The latter count for the values of that facet: choosing another value would show them.
    """
    conditions = {name: getattr(choice, name) for name in FACETS if getattr(choice, name)}
    is_dated = choice.year_from is not None or choice.year_to is not None
    if not conditions and not is_dated:
        return pool, {}
    matches: list[Paper] = []
    near: dict[str, list[Paper]] = {name: [] for name in _CONDITIONS}
    for paper in pool:
        missed = [n for n, value in conditions.items() if value not in values[n][paper.id]]
        missed += [] if _is_dated(paper, choice) else ["year"]
        if not missed:
            matches.append(paper)
        elif len(missed) == 1:
            near[missed[0]].append(paper)
    return matches, near


def sources_of(paper: Paper) -> list[str]:
    return list(dict.fromkeys([sighting.source for sighting in paper.sightings] or [paper.source]))


def _commonest(counter: Counter[Any]) -> list[tuple[Any, int]]:
    return nsmallest(FACET_SHOWN, counter.items(), key=lambda item: (-item[1], item[0]))


def _is_dated(paper: Paper, choice: Choice) -> bool:
    if choice.year_from is None and choice.year_to is None:
        return True
    first, last = choice.year_from or 0, choice.year_to or 9_999
    return paper.year is not None and first <= paper.year <= last


def _searchable(paper: Paper) -> str:
    names = " ".join(author.name for author in paper.authors)
    parts = (paper.title, names, paper.venue, paper.abstract, " ".join(paper.keywords), paper.doi)
    return "\n".join(part for part in parts if part).casefold()


def number_of(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 5 else None  # noqa: PLR2004  # a year, or a page


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
    result: ResultIndex | None
    """The papers of the latest result."""

    @property
    def thread_id(self) -> str:
        return self.info.thread_id

    @property
    def waits_with_result(self) -> bool:
        return self.question is not None and self.question.kind is CheckpointKind.RESULT_REVIEW

    @property
    def waits_with_strategy(self) -> bool:
        return self.question is not None and not self.waits_with_result

    @property
    def question_name(self) -> str:
        """JSON by which a form names the open question; empty without one."""
        if self.question is None:
            return ""
        reference = self.question.reference.model_dump(mode="json")
        return json.dumps({"checkpoint": reference, "token": self.question.token})

    @property
    def can_be_screened(self) -> bool:
        is_done = self.info.status is ThreadStatus.DONE
        return self.result is not None and (is_done or self.waits_with_result)

    @property
    def is_approved(self) -> bool:
        """Whether a person approved the result; only then are full texts assessed."""
        is_done = self.info.status is ThreadStatus.DONE
        return is_done and self.info.ended_by == EndReason.APPROVED

    @property
    def words(self) -> list[str]:
        intent = self.state.intent
        texts = [*intent.concepts, *(c.text for c in intent.criteria)] if intent else []
        text = " ".join(texts) or self.state.question
        return [word for word in dict.fromkeys(tokens(text)) if word not in STOP_WORDS]


class Readings:
    def __init__(self) -> None:
        self._kept: OrderedDict[str, Reading] = OrderedDict()

    async def of(self, catalog: ThreadCatalog, thread_id: str) -> Reading:
        info = await catalog.info(thread_id)
        session = catalog.session(thread_id)
        checkpoint = (await session.snapshot()).config["configurable"]["checkpoint_id"]
        version = f"{checkpoint}.{info.status.value}"
        cached = self.at(thread_id, version)
        if cached is not None:
            return cached
        question = await session.open_question()
        asking = question.question if question else None
        collection: PaperCollection | None = None
        if asking is not None and isinstance(asking.payload, ResultPayload):
            collection = asking.payload.collection
        elif info.status is not ThreadStatus.RUNNING:
            collection = await session.result()
        state = await session.state()
        reading = Reading(
            version, info, state, asking, ResultIndex(collection) if collection else None
        )
        self._kept[thread_id] = reading
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return reading

    def at(self, thread_id: str, version: str) -> Reading | None:
        """Return the reading of this version, if it is still in memory."""
        cached = self._kept.get(thread_id)
        if cached is None or cached.version != version:
            return None
        self._kept.move_to_end(thread_id)
        return cached
