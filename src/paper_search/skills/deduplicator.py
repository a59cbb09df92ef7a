"""The skill that makes one record out of several of the same work."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from typing import Any

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, field_validator, model_validator

from paper_search.llm.provider import LLMProvider
from paper_search.llm.structured import ask
from paper_search.models import RawPaper
from paper_search.prompts import load_prompt
from paper_search.skills.clusters import Clusters, cluster, first_author
from paper_search.skills.merging import fingerprint, merged
from paper_search.skills.untrusted import data_block, shown_to_model
from paper_search.skills.words import tokens

_LONGEST_TITLE = 300
_log = logging.getLogger(__name__)


class Deduplicator:
    """Merges records of one work, by what they say; a model may look at what is left single.

    Args:
        llm: None: by algorithm alone.
        enable_llm_pass: whether the model is asked at all.
        llm_max_candidates: with more single records than this, the model is not asked.
    """

    def __init__(
        self,
        llm: LLMProvider | None = None,
        *,
        enable_llm_pass: bool = True,
        llm_max_candidates: int = 60,
    ) -> None:
        self._llm = llm
        self._enable_llm_pass = enable_llm_pass
        self._llm_max_candidates = llm_max_candidates

    async def deduplicate(self, papers: list[RawPaper]) -> list[RawPaper]:
        """Return one record for each work, where the first of its records stood.

        No record is lost: each is in the result, or named in `merged_from` of one that is.
        Which are merged, and the ids, do not depend on the order of `papers`.
        """
        if len(papers) < 2:  # noqa: PLR2004  # one record cannot be a duplicate
            return papers
        places = sorted(range(len(papers)), key=lambda number: fingerprint(papers[number]))
        ordered = [papers[number] for number in places]
        clusters = cluster(ordered)
        if self._llm is not None and self._enable_llm_pass:
            await self._join_by_model(self._llm, ordered, clusters)
        found: list[tuple[int, RawPaper]] = []
        for members in clusters.sets():
            same = [ordered[number] for number in members]
            place = min(places[number] for number in members)
            found.append((place, merged(same) if len(same) > 1 else same[0]))
        return _with_own_ids([paper for _, paper in sorted(found, key=lambda each: each[0])])

    async def _join_by_model(
        self, llm: LLMProvider, papers: Sequence[RawPaper], clusters: Clusters
    ) -> None:
        single = [members[0] for members in clusters.sets() if len(members) == 1]
        if not 2 <= len(single) <= self._llm_max_candidates:  # noqa: PLR2004  # a pair at least
            return
        by_id: dict[str, list[int]] = {}
        for number in single:
            by_id.setdefault(papers[number].id, []).append(number)
        records = [_record(papers[number]) for number in single]
        message = f"Records:\n{data_block(records)}"
        try:
            answer = await ask(llm, GroupsAnswer, load_prompt("deduplicator"), message)
        except Exception as error:  # noqa: BLE001  # frozen: whatever a provider raises, the algorithm's result stands
            _log.warning("the model gave no duplicates: %s", error)
            return
        for group in answer.groups:
            # An id that two records share names neither of them.
            numbers = [by_id[each][0] for each in group if len(by_id.get(each, ())) == 1]
            for number in numbers[1:]:
                if _may_be_one(papers[numbers[0]], papers[number]):
                    clusters.join(numbers[0], number)


class GroupsAnswer(BaseModel):
    """Groups of ids as a model gives them."""

    model_config = ConfigDict(populate_by_name=True)

    groups: list[list[str]] = Field(
        default_factory=list,
        validation_alias=AliasChoices("groups", "duplicate_groups", "duplicates", "clusters"),
    )

    @model_validator(mode="before")
    @classmethod
    def _bare_list(cls, value: Any) -> Any:
        return {"groups": value} if isinstance(value, list) else value

    @field_validator("groups", mode="before")
    @classmethod
    def _lists_of_ids(cls, value: Any) -> Any:
        if not isinstance(value, list):
            return [] if value is None else value
        return [
            next((part for part in group.values() if isinstance(part, list)), [])
            if isinstance(group, dict)
            else group
            for group in value
        ]


def _with_own_ids(papers: list[RawPaper]) -> list[RawPaper]:
    """Return the records with an id each: two sources may number different works alike."""
    seen: set[str] = set()
    renamed: dict[int, str] = {}
    for place in sorted(range(len(papers)), key=lambda number: fingerprint(papers[number])):
        paper = papers[place]
        if paper.id in seen:
            renamed[place] = f"{paper.source}:{paper.id}"
        seen.add(renamed.get(place, paper.id))
    return [
        paper.model_copy(update={"id": renamed[place]}) if place in renamed else paper
        for place, paper in enumerate(papers)
    ]


def _record(paper: RawPaper) -> dict[str, Any]:
    return {
        "id": paper.id,
        "title": shown_to_model(paper.title, _LONGEST_TITLE),
        "authors": [shown_to_model(author.name, 80) for author in paper.authors[:5]],
        "year": paper.year,
        "venue": shown_to_model(paper.venue, 120),
        "doi": paper.doi,
    }


def _may_be_one(one: RawPaper, other: RawPaper) -> bool:
    """Whether anything speaks for what the model says: it may not join strangers.

    Two records whose first authors both are known and differ, and whose titles share no word,
    are not one work, whatever a title may have told the model. "Part I" is not "Part II".
    """
    if _numbers(one.title) != _numbers(other.title):
        return False
    authors = {first_author(one), first_author(other)}
    if "" in authors or len(authors) == 1:
        return True
    return bool(set(tokens(one.title)) & set(tokens(other.title)))


def _numbers(title: str) -> list[str]:
    """Return the part numbers in a title, as Arabic or Roman numerals."""
    return [
        found.casefold()
        for found in re.findall(
            r"\b(?:part|vol|volume|no|chapter)\.?\s+(\d+|[IVX]+)\b", title, re.IGNORECASE
        )
    ]
