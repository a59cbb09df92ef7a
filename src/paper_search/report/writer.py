"""The writer: writes a report as a whole or by sections, and revises it by its critique."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, Field

from paper_search.errors import LLMFailure, LLMLengthError, LLMResponseError
from paper_search.llm.provider import LLMProvider
from paper_search.llm.structured import ask
from paper_search.prompts import load_prompt
from paper_search.report.claims.citations import (
    cited_keys,
    normalised,
    without_citations,
)
from paper_search.report.evidence import Evidence, reference
from paper_search.report.models import (
    CritiqueItem,
    DraftSection,
    Finding,
    ResearchDraft,
    Role,
    WriterInput,
    WriterOutput,
    now,
    short_id,
)
from paper_search.report.passages import content_stems, sources_block, table_text
from paper_search.skills.untrusted import data_block, visible

AnswerT = TypeVar("AnswerT", bound=BaseModel)
_MAX_SECTIONS = 15
_MAX_CHARS = 60_000
_NOT_DONE = "not done: without a model nothing is written; edit the text itself"
AT_ONCE = 2000
"""Longest report, in words, to request in one answer."""
_PIECE, _SMALLEST_PIECE = 900, 150
"""Words of a section to request in one answer, and the minimum."""
_FRAME = 400
"""Words of abstract and conclusion together."""
_BEFORE = 1500
"""Characters of the text so far that the next answer continues."""
_READ = 24_000
"""Characters of all sections shown for writing abstract and conclusion."""


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


class DraftAnswer(BaseModel):
    title: str
    abstract: str = ""
    sections: list[TitledText] = Field(min_length=1)
    conclusion: str = ""
    changes: list[str] = Field(default_factory=list)


class Writer(Role):
    """Writes from a model's findings; without them, it returns the table of evidence."""

    async def write(self, request: WriterInput) -> WriterOutput:
        """Return a draft, or the next version of the previous draft.

        Without a model, a previous text by a model or a person is returned unchanged.
        """
        evidence, previous = Evidence(request.search_results), request.previous_draft
        if self._llm is None or not request.analysis.findings:
            items = request.critique.items if request.critique else []
            notes = [f"{_NOT_DONE} ({item.description})" for item in items]
            if previous is not None and (previous.is_by_model or previous.is_by_person):
                return WriterOutput(draft=previous, revision_notes=notes)
            title, studies = request.research_plan.original_query, request.analysis.studies
            rows = section(1, "Evidence", table_text(studies, evidence))
            draft = ResearchDraft(title=title.strip(), sections=[rows])
        else:
            answer = await self._answer(self._llm, request, evidence)
            draft = _draft_of(answer, evidence)
            notes = _notes(answer, request)
        version = previous.version + 1 if previous else 1
        finished = with_references(draft.model_copy(update={"version": version}), evidence)
        return WriterOutput(draft=finished, revision_notes=notes)

    async def _answer(
        self, llm: LLMProvider, request: WriterInput, evidence: Evidence
    ) -> DraftAnswer:
        """Return the report in one answer, or in sections if it is too long for one."""
        prompt = load_prompt("report_writer", self._domain)
        model_writer = _ModelWriter(llm, prompt, request, evidence)
        before = request.previous_draft.word_count if request.previous_draft else 0
        if max(request.target_length, before) <= AT_ONCE:
            try:
                return await model_writer.whole()
            except LLMLengthError as error:
                if error.reason is not LLMFailure.ANSWER_TOO_LONG:
                    raise
        return await model_writer.in_sections()


def with_references(draft: ResearchDraft, evidence: Evidence) -> ResearchDraft:
    """Set citations, word counts and references, which are never a model's work.

    The references are the existing cited sources, ordered by key.
    """
    sections = [section(n, part.title, part.content) for n, part in enumerate(draft.sections, 1)]
    texts = [draft.abstract, *(part.content for part in sections), draft.conclusion]
    keys = {key for text in texts for key in cited_keys(text)}
    existing = sorted(key for key in keys if key in evidence.by_key)
    return draft.model_copy(
        update={
            "sections": sections,
            "references": [f"[@{key}] {reference(evidence.by_key[key])}" for key in existing],
        }
    )


def section(number: int, title: str, content: str) -> DraftSection:
    return DraftSection(
        section_id=f"s{number}",
        title=title,
        content=content.strip(),
        citations=cited_keys(content),
        word_count=len(without_citations(content).split()),
    )


def with_edits(draft: ResearchDraft, changes: dict[str, Any], evidence: Evidence) -> ResearchDraft:
    """Return the next version of a draft with a person's edits.

    `changes`: `title`, `abstract`, `conclusion` as text; `sections` with title and content.
    Citations in other formats are converted.
    """
    update: dict[str, Any] = {
        name: normalised(text, evidence)
        for name in ("title", "abstract", "conclusion")
        if isinstance(text := changes.get(name), str)
    }
    if changes.get("sections") is not None:
        update["sections"] = [
            section(number, part["title"], normalised(part["content"], evidence))
            for number, part in enumerate(changes["sections"], 1)
        ]
    update |= {"version": draft.version + 1, "draft_id": short_id(), "created_at": now()}
    update["is_by_person"] = True
    return with_references(draft.model_copy(update=update), evidence)


def _message(request: WriterInput) -> dict[str, Any]:
    plan, analysis = request.research_plan, request.analysis
    message: dict[str, Any] = {
        "question": plan.original_query,
        "sub_questions": plan.decomposed_questions,
        "methodology": plan.methodology,
        "sections": plan.expected_sections,
        "style": request.style_guide,
        "target_length": request.target_length,
        "gaps": analysis.gaps,
    }
    if request.critique is not None and request.previous_draft is not None:
        message["revision"] = {
            "of_version": request.previous_draft.version,
            "a_person_asks": [
                f"{item.critique_id}: {item.description}"
                for item in request.critique.items
                if item.found_by == "person"
            ],
        }
    return message


def _draft_of(answer: DraftAnswer, evidence: Evidence) -> ResearchDraft:
    def text(words: str) -> str:
        return normalised(visible(words)[:_MAX_CHARS].strip(), evidence)

    return ResearchDraft(
        title=" ".join(visible(answer.title).split())[:300],
        abstract=text(answer.abstract),
        sections=[
            section(number, " ".join(visible(part.title).split())[:200], text(part.content))
            for number, part in enumerate(answer.sections[:_MAX_SECTIONS], 1)
        ],
        conclusion=text(answer.conclusion),
        is_by_model=True,
    )


def _notes(answer: DraftAnswer, request: WriterInput) -> list[str]:
    """Return the model's comment on each item of the critique, or that there is none."""
    if request.critique is None or request.previous_draft is None:
        return []
    answers = {}
    for line in answer.changes:
        name, colon, words = visible(line).partition(":")
        if colon:
            answers[name.strip(" []")] = words.strip()
    return [
        f"{answers.get(item.critique_id) or 'the writer did not say'} ({item.description})"
        for item in request.critique.items
    ]


def answers_for(words: int, sections: int) -> int:
    """Return the number of answers for a report of `words` words, if none is cut off."""
    if words <= AT_ONCE:
        return 1
    count = max(1, sections)
    return 1 + count * math.ceil(_words_of_each(words, count) / _PIECE)


def _words_of_each(words: int, sections: int) -> int:
    return max(_SMALLEST_PIECE, (words - _FRAME) // sections)


@dataclass(frozen=True)
class _Task:
    title: str
    questions: list[int]
    """Indexes of its sub-questions; empty for a section on the whole question."""


@dataclass
class _ModelWriter:
    llm: LLMProvider
    prompt: str
    request: WriterInput
    evidence: Evidence
    words_at_once: int = _PIECE

    async def whole(self) -> DraftAnswer:
        critique, previous = self.request.critique, self.request.previous_draft
        material = self._reading(None)
        if critique is not None and previous is not None:
            material["revision"] = {
                "previous_draft": previous.texts,
                "summary": critique.summary,
                "items": list(map(item_for_model, critique.items)),
            }
        return await self.ask(DraftAnswer, {}, material)

    async def in_sections(self) -> DraftAnswer:
        tasks = self._tasks()
        old = self._faultless()
        sections = [
            old[task.title] if task.title in old else await self._section(task, len(tasks))
            for task in tasks
        ]
        frame = await self._framed(sections)
        changes = [*(line for part in sections for line in part.changes), *frame.changes]
        return DraftAnswer(**frame.model_dump() | {"sections": sections, "changes": changes})

    def _tasks(self) -> list[_Task]:
        plan = self.request.research_plan
        titles = plan.expected_sections
        tasks = [_Task(title, []) for title in titles]
        everywhere = set(content_stems(plan.original_query))  # does not distinguish sections
        for index, question in enumerate(plan.decomposed_questions):
            stems = set(content_stems(question)) - everywhere
            shared = [len(stems & set(content_stems(title))) for title in titles]
            default = min(index + 1, len(titles) - 1)  # after the introduction, in order
            tasks[shared.index(max(shared)) if any(shared) else default].questions.append(index)
        return tasks

    def _faultless(self) -> dict[str, SectionAnswer]:
        """Return the sections of the previous version without items."""
        previous = self.request.previous_draft
        return {
            section.title: SectionAnswer(title=section.title, content=section.content)
            for section in (previous.sections if previous else [])
            if not self._items_on(section.title)
        }

    def _items_on(self, title: str) -> list[CritiqueItem]:
        """Return the items on a section, and all items of a person."""
        items = self.request.critique.items if self.request.critique else []
        return [item for item in items if item.found_by == "person" or item.location == title]

    async def _section(self, task: _Task, count: int) -> SectionAnswer:
        words = _words_of_each(self.request.target_length, count)
        while True:
            try:
                return await self._in_pieces(task, words)
            except LLMLengthError as error:
                if error.reason is not LLMFailure.ANSWER_TOO_LONG:
                    raise
                if self.words_at_once <= _SMALLEST_PIECE:
                    raise LLMResponseError(
                        f"the model's answer was cut off where {_SMALLEST_PIECE} words were asked "
                        "for; raise writer_max_tokens or LLM_MAX_TOKENS"
                    ) from None
                self.words_at_once = max(_SMALLEST_PIECE, self.words_at_once // 2)

    async def _in_pieces(self, task: _Task, words: int) -> SectionAnswer:
        count = math.ceil(words / self.words_at_once)
        contents: list[str] = []
        changes: list[str] = []
        for number in range(1, count + 1):
            part: dict[str, Any] = {
                "title": task.title,
                "words": math.ceil(words / count),
                "piece": f"{number} of {count}",
            }
            if task.questions:
                part["answers"] = self._questions(task)
            material = self._material(task, "\n\n".join(contents))
            answer = await self.ask(SectionAnswer, {"write": {"section": part}}, material, task)
            contents.append(answer.content)
            changes += answer.changes
        return SectionAnswer(title=task.title, content="\n\n".join(contents), changes=changes)

    async def _framed(self, sections: Sequence[SectionAnswer]) -> FrameAnswer:
        each = _READ // max(1, len(sections))
        texts = [{"title": one.title, "content": one.content[:each]} for one in sections]
        material: dict[str, Any] = {"sections": texts}
        if (previous := self.request.previous_draft) is not None:
            fields = {"title", "abstract", "conclusion"}
            material["previous_frame"] = previous.model_dump(include=fields)
        if self.request.critique is not None:
            titles = {one.title for one in sections}
            items = [i for i in self.request.critique.items if i.location not in titles]
            material["items"] = list(map(item_for_model, items))
        return await self.ask(FrameAnswer, {"write": {"frame": {"words": _FRAME}}}, material)

    def _material(self, task: _Task, before: str) -> dict[str, Any]:
        material = self._reading(task) | {"written_before": before[-_BEFORE:]}
        previous = self.request.previous_draft
        if previous is not None:
            old = next((one for one in previous.sections if one.title == task.title), None)
            material["previous_section"] = old.content if old else ""
            material["items"] = list(map(item_for_model, self._items_on(task.title)))
        return material

    def _reading(self, task: _Task | None) -> dict[str, Any]:
        """Return findings with quotes and keys to cite, themes and contradictions."""
        analysis, key_of = self.request.analysis, self.evidence.key_of
        findings = [
            {
                "text": finding.text,
                "grade": finding.grade,
                "quotes": [{"key": key_of(q.result_id), "text": q.text} for q in finding.quotes],
            }
            for finding in self._findings(task)
        ]
        themes, contradictions = analysis.themes, analysis.contradictions
        return {"findings": findings, "themes": themes, "contradictions": contradictions}

    def _questions(self, task: _Task | None) -> list[str]:
        """Return the sub-questions of a section, or all if it has none."""
        questions = self.request.research_plan.decomposed_questions
        return [questions[number] for number in (task.questions if task else [])] or questions

    def _findings(self, task: _Task | None) -> list[Finding]:
        numbers = task.questions if task else []
        findings = self.request.analysis.findings
        return [finding for finding in findings if not numbers or finding.question in numbers]

    async def ask(
        self,
        kind: type[AnswerT],
        part: dict[str, Any],
        material: dict[str, Any],
        task: _Task | None = None,
    ) -> AnswerT:
        request, about = self.request, " ".join(self._questions(task))
        first = [source for finding in self._findings(task) for source in finding.sources]
        count = request.shown_sources
        if "write" in part:  # a section needs the sources of its findings, the frame none
            count = min(count, len(set(first))) if task else 0
        block = sources_block(self.evidence, count, request.shown_chars, about, first)
        head = json.dumps({**_message(request), **part}, ensure_ascii=False, indent=1)
        message = f"{head}\n\nSources:\n{block}\n\nMaterial:\n{data_block([material])}"
        return await ask(self.llm, kind, self.prompt, message)


def item_for_model(item: CritiqueItem) -> dict[str, Any]:
    fields = {"severity", "category", "location", "description", "suggested_fix"}
    return {"id": item.critique_id, **item.model_dump(include=fields)}
