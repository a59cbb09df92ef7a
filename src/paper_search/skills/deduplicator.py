"""The skill that merges the records of each work."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, field_validator, model_validator

from paper_search.llm.chat import form_tokens, instruction_tokens
from paper_search.llm.provider import LLMProvider, name_of
from paper_search.llm.structured import ask
from paper_search.models import (
    Clustering,
    DeduplicationReport,
    MergeDecision,
    MergeReason,
    RawPaper,
)
from paper_search.models.usage import Tokens
from paper_search.prompts import load_prompt
from paper_search.skills.deduplication.conflicts import may_be_one
from paper_search.skills.deduplication.merging import fingerprint, works_of
from paper_search.skills.deduplication.resolution import Resolution
from paper_search.skills.untrusted import LONGEST_TITLE, data_block, shown_to_model

_FEWEST = 2
_RECORD_TOKENS, _ANSWER_TOKENS = 80, 20
"""Estimates for one record in the prompt, and for an answer with few groups."""
_log = logging.getLogger(__name__)


@dataclass(eq=False)
class Deduplicator:
    """Merges records of one work; a model compares up to `llm_max_candidates` others, or none."""

    llm: LLMProvider | None = None
    _: KW_ONLY
    enable_llm_pass: bool = True
    llm_max_candidates: int = 60

    @property
    def model(self) -> str | None:
        return name_of(self.llm) if self.enable_llm_pass else None

    async def deduplicate(
        self, papers: list[RawPaper], *, decisions: Iterable[MergeDecision] = ()
    ) -> list[RawPaper]:
        """Return one record per work, in the order of each work's first record.

        Every record is in the result or in `merged_from` of one that is. Merges and ids do not
        depend on the order of `papers`. The best version of a work lists all in `versions`.
        """
        return (await self.report(papers, decisions=decisions)).works

    async def report(
        self, papers: list[RawPaper], *, decisions: Iterable[MergeDecision] = ()
    ) -> DeduplicationReport:
        if len(papers) < _FEWEST:
            return DeduplicationReport(works=papers)
        resolution = Resolution(papers, decisions)
        if self.llm is not None and self.enable_llm_pass:
            await self._join_by_model(self.llm, papers, resolution)
        clustering = resolution.clustering()
        works = works_of(papers, clustering)
        return DeduplicationReport(works=works, uncertain=clustering.uncertain)

    def cluster(
        self, papers: Sequence[RawPaper], decisions: Iterable[MergeDecision] = ()
    ) -> Clustering:
        return Resolution(papers, decisions).clustering()

    def cost(self, records: int) -> Tokens:
        """Estimate the cost of comparing so many unmerged records with the model."""
        if self.model is None or not _FEWEST <= records <= self.llm_max_candidates:
            return Tokens(0, 0, 0)
        asked = instruction_tokens(load_prompt("deduplicator"), GroupsAnswer)
        asked += records * _RECORD_TOKENS
        return Tokens(1, asked, _ANSWER_TOKENS, form_tokens(GroupsAnswer))

    async def _join_by_model(
        self, llm: LLMProvider, papers: Sequence[RawPaper], resolution: Resolution
    ) -> None:
        works = resolution.clustering().works_by_members()
        single = sorted(members[0] for members in works if len(members) == 1)
        if not _FEWEST <= len(single) <= self.llm_max_candidates:
            return
        single.sort(key=lambda place: (papers[place].id, fingerprint(papers[place])))
        by_id: dict[str, list[int]] = {}
        for place in single:
            by_id.setdefault(papers[place].id, []).append(place)
        records = [_record(papers[place]) for place in single]
        message = f"Records:\n{data_block(records)}"
        try:
            answer = await ask(llm, GroupsAnswer, load_prompt("deduplicator"), message)
        except Exception as error:  # noqa: BLE001  # frozen: if a provider raises anything, the algorithm's result stands
            _log.warning("the model gave no duplicates: %s", error)
            return
        for group in answer.groups:
            # An id of two records is ambiguous.
            places = [by_id[name][0] for name in group if len(by_id.get(name, ())) == 1]
            for place in places[1:]:
                if may_be_one(resolution.comparison(places[0], place)):
                    resolution.join(places[0], place, MergeReason.MODEL)


class GroupsAnswer(BaseModel):
    """Ids of the records of one work."""

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


def _record(paper: RawPaper) -> dict[str, Any]:
    return {
        "id": paper.id,
        "title": shown_to_model(paper.title, LONGEST_TITLE),
        "authors": [shown_to_model(author.name, 80) for author in paper.authors[:5]],
        "year": paper.year,
        "venue": shown_to_model(paper.venue, 120),
        "doi": paper.doi,
    }
