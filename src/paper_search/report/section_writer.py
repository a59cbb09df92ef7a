"""Writes a report section by section: more than a model answers at once."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, Field

from paper_search.errors import LLMFailure, LLMLengthError, LLMResponseError
from paper_search.llm.provider import LLMProvider
from paper_search.llm.structured import ask
from paper_search.report.evidence import Evidence
from paper_search.report.exchange import WriterInput
from paper_search.report.models import CritiqueItem, DraftSection, Finding
from paper_search.report.passages import content_stems, sources_block
from paper_search.skills.untrusted import data_block

AnswerT = TypeVar("AnswerT", bound=BaseModel)
AT_ONCE = 2000
"""Words of a report that a model is asked for in one answer."""
_PIECE, _SMALLEST_PIECE = 900, 150
"""Words of a section that it is asked for in one answer, and the fewest that are tried."""
_FRAME = 400
"""Words of abstract and conclusion together."""
_BEFORE = 1500
"""Characters of what was written before that the next answer goes on from."""
_READ = 24_000
"""Characters of all sections that abstract and conclusion are written from."""


def answers_for(words: int, sections: int) -> int:
    """Return how many answers a report of so many words takes, if none is cut off."""
    if words <= AT_ONCE:
        return 1
    count = max(1, sections)
    return 1 + count * math.ceil(_words_of_each(words, count) / _PIECE)


def _words_of_each(words: int, sections: int) -> int:
    return max(_SMALLEST_PIECE, (words - _FRAME) // sections)


class TitledText(BaseModel):
    title: str
    content: str


class SectionAnswer(TitledText):
    """A section, or a piece of one, asked for alone."""

    changes: list[str] = Field(default_factory=list)


class FrameAnswer(BaseModel):
    title: str
    abstract: str = ""
    conclusion: str = ""
    changes: list[str] = Field(default_factory=list)


@dataclass(frozen=True)
class _Task:
    title: str
    questions: list[int]
    """Which sub-questions it answers; none: it is on the whole."""


@dataclass(frozen=True)
class Pieces:
    frame: FrameAnswer
    sections: list[SectionAnswer]

    @property
    def changes(self) -> list[str]:
        return [*(line for one in self.sections for line in one.changes), *self.frame.changes]


class SectionWriter:
    def __init__(
        self,
        llm: LLMProvider,
        prompt: str,
        head: dict[str, Any],
        request: WriterInput,
        evidence: Evidence,
    ) -> None:
        self._llm = llm
        self._prompt = prompt
        self._head = head
        self._given = request
        self._evidence = evidence
        self._at_once = _PIECE

    async def write(self) -> Pieces:
        tasks = self._tasks()
        old = self._faultless()
        sections = [
            old[task.title] if task.title in old else await self._section(task, len(tasks))
            for task in tasks
        ]
        return Pieces(await self._framed(sections), sections)

    def _tasks(self) -> list[_Task]:
        plan = self._given.research_plan
        titles = plan.expected_sections
        tasks = [_Task(title, []) for title in titles]
        for index, question in enumerate(plan.decomposed_questions):
            stems = set(content_stems(question))
            shared = [len(stems & set(content_stems(title))) for title in titles]
            usual = min(index + 1, len(titles) - 1)  # after the introduction, in order
            tasks[shared.index(max(shared)) if any(shared) else usual].questions.append(index)
        return tasks

    def _faultless(self) -> dict[str, SectionAnswer]:
        """Return the sections of the version before that nobody found fault with."""
        previous = self._given.previous_draft
        if previous is None:
            return {}
        return {
            section.title: SectionAnswer(title=section.title, content=section.content)
            for section in previous.sections
            if not self._items_on(section.title)
        }

    def _items_on(self, title: str) -> list[CritiqueItem]:
        """Return what is to be mended in a section; a person's wish may concern any of them."""
        items = self._given.critique.items if self._given.critique else []
        return [item for item in items if item.found_by == "person" or item.location == title]

    async def _section(self, task: _Task, count: int) -> SectionAnswer:
        words = _words_of_each(self._given.target_length, count)
        while True:
            try:
                return await self._in_pieces(task, words)
            except LLMLengthError as error:
                if error.reason is not LLMFailure.ANSWER_TOO_LONG:
                    raise
                if self._at_once <= _SMALLEST_PIECE:
                    raise LLMResponseError(
                        f"the model's answer was cut off where {_SMALLEST_PIECE} words were asked "
                        "for; raise writer_max_tokens or LLM_MAX_TOKENS"
                    ) from None
                self._at_once = max(_SMALLEST_PIECE, self._at_once // 2)

    async def _in_pieces(self, task: _Task, words: int) -> SectionAnswer:
        count = math.ceil(words / self._at_once)
        contents: list[str] = []
        changes: list[str] = []
        for number in range(1, count + 1):
            part: dict[str, Any] = {
                "title": task.title,
                "words": math.ceil(words / count),
                "piece": f"{number} of {count}",
            }
            if task.questions:
                sub_questions = self._given.research_plan.decomposed_questions
                part["answers"] = [sub_questions[question] for question in task.questions]
            material = self._material(task, "\n\n".join(contents))
            answer = await self._ask(SectionAnswer, {"section": part}, material, task)
            contents.append(answer.content)
            changes += answer.changes
        return SectionAnswer(title=task.title, content="\n\n".join(contents), changes=changes)

    async def _framed(self, sections: Sequence[SectionAnswer]) -> FrameAnswer:
        each = _READ // max(1, len(sections))
        texts = [{"title": one.title, "content": one.content[:each]} for one in sections]
        material: dict[str, Any] = {"sections": texts}
        if self._given.critique is not None:
            titles = {one.title for one in sections}
            items = [i for i in self._given.critique.items if i.location not in titles]
            material["items"] = list(map(itemised, items))
        part = {"frame": {"words": _FRAME}}
        return await self._ask(FrameAnswer, part, material, None)

    def _material(self, task: _Task, before: str) -> dict[str, Any]:
        analysis = self._given.analysis
        material: dict[str, Any] = {
            "findings": [finding.text for finding in self._findings(task)],
            "themes": analysis.themes,
            "contradictions": analysis.contradictions,
            "written_before": before[-_BEFORE:],
        }
        previous = self._given.previous_draft
        if previous is not None:
            old = next((one for one in previous.sections if one.title == task.title), None)
            material["previous_section"] = _content_of(old)
            material["items"] = list(map(itemised, self._items_on(task.title)))
        return material

    def _findings(self, task: _Task | None) -> list[Finding]:
        findings = self._given.analysis.findings
        if task is None or not task.questions:
            return list(findings)
        return [finding for finding in findings if finding.question in task.questions]

    async def _ask(
        self,
        kind: type[AnswerT],
        part: dict[str, Any],
        material: dict[str, Any],
        task: _Task | None,
    ) -> AnswerT:
        request = self._given
        first = [source for finding in self._findings(task) for source in finding.sources]
        block = sources_block(self._evidence, request.shown_sources, request.shown_chars, first)
        head = json.dumps({**self._head, "write": part}, ensure_ascii=False, indent=1)
        message = f"{head}\n\nSources:\n{block}\n\nMaterial:\n{data_block([material])}"
        return await ask(self._llm, kind, self._prompt, message)


def itemised(item: CritiqueItem) -> dict[str, Any]:
    fields = {"severity", "category", "location", "description", "suggested_fix"}
    return {"id": item.critique_id, **item.model_dump(include=fields)}


def _content_of(section: DraftSection | None) -> str:
    return section.content if section is not None else ""
