"""The role that writes the report, and mends it by its critique."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, Field

from paper_search.errors import LLMFailure, LLMLengthError
from paper_search.llm.provider import LLMProvider
from paper_search.llm.structured import ask
from paper_search.prompts import load_prompt
from paper_search.report.claims.citations import (
    cited_keys,
    foreign_citations,
    normalised,
    without_citations,
)
from paper_search.report.evidence import Evidence, author_year, reference
from paper_search.report.exchange import Role, WriterInput, WriterOutput
from paper_search.report.models import DraftSection, ResearchDraft, now, short_id
from paper_search.report.passages import sources_block, table_text
from paper_search.report.section_writer import AT_ONCE, SectionWriter, TitledText, itemised
from paper_search.skills.untrusted import data_block, visible

_MAX_SECTIONS = 15
_MAX_CHARS = 60_000


class DraftAnswer(BaseModel):
    title: str
    abstract: str = ""
    sections: list[TitledText] = Field(min_length=1)
    conclusion: str = ""
    references: list[str] = Field(default_factory=list)
    changes: list[str] = Field(default_factory=list)


class Writer(Role):
    """Writes from what a model found in the sources; else, it gives the table of evidence."""

    async def write(self, request: WriterInput) -> WriterOutput:
        """Return a draft; with a previous draft and its critique, the next version of it."""
        evidence = Evidence(request.search_results)
        if self._llm is None or not request.analysis.findings:
            draft = _table(request, evidence)
            notes = _unmended(request)
        else:
            answer = await self._answer(self._llm, request, evidence)
            draft = _draft_of(answer, evidence)
            notes = _notes(answer, request)
        version = request.previous_draft.version + 1 if request.previous_draft else 1
        finished = referenced(draft.model_copy(update={"version": version}), evidence)
        return WriterOutput(draft=finished, revision_notes=notes)

    async def _answer(
        self, llm: LLMProvider, request: WriterInput, evidence: Evidence
    ) -> DraftAnswer:
        """Return the report in one answer, or piece by piece where one cannot hold it."""
        prompt = load_prompt("report_writer", self._domain)
        before = request.previous_draft.word_count if request.previous_draft else 0
        if max(request.target_length, before) <= AT_ONCE:
            try:
                return await _at_once(llm, prompt, request, evidence)
            except LLMLengthError as error:
                if error.reason is not LLMFailure.ANSWER_TOO_LONG:
                    raise
        pieces = await SectionWriter(llm, prompt, _message(request), request, evidence).write()
        return DraftAnswer(
            **pieces.frame.model_dump(exclude={"changes"}),
            sections=list(pieces.sections),
            changes=pieces.changes,
        )


async def _at_once(
    llm: LLMProvider, prompt: str, request: WriterInput, evidence: Evidence
) -> DraftAnswer:
    cited = [i for finding in request.analysis.findings for i in finding.sources]
    block = sources_block(evidence, request.shown_sources, request.shown_chars, cited)
    head = json.dumps(_message(request), ensure_ascii=False, indent=1)
    message = f"{head}\n\nSources:\n{block}\n\nMaterial:\n{data_block([_material(request)])}"
    return await ask(llm, DraftAnswer, prompt, message)


def referenced(draft: ResearchDraft, evidence: Evidence) -> ResearchDraft:
    """Return the draft with what code alone may say: citations, word counts and references.

    References are those sources that are cited and exist, in the order of their keys.
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
    """Return the next version of a draft, with what a person wrote into it.

    `changes`: `title`, `abstract`, `conclusion` as text; `sections` with title and content. Other
    forms of citation are brought into ours.
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
    return referenced(draft.model_copy(update=update), evidence)


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


def _material(request: WriterInput) -> dict[str, Any]:
    """Return what holds words of sources, or of models that read them: data, like the sources."""
    analysis = request.analysis
    material: dict[str, Any] = {
        "findings": analysis.key_findings,
        "themes": analysis.themes,
        "contradictions": analysis.contradictions,
    }
    if request.critique is not None and request.previous_draft is not None:
        previous = request.previous_draft
        material["revision"] = {
            "previous_draft": previous.texts,
            "summary": request.critique.summary,
            "items": list(map(itemised, request.critique.items)),
        }
    return material


def _table(request: WriterInput, evidence: Evidence) -> ResearchDraft:
    question = request.research_plan.original_query
    content = table_text(request.analysis.studies, evidence)
    return ResearchDraft(title=question.strip(), sections=[section(1, "Evidence", content)])


def _unmended(request: WriterInput) -> list[str]:
    return [
        f"{item.critique_id}: not done: without a model nothing is written; edit the text itself"
        for item in (request.critique.items if request.critique else [])
    ]


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
        invented=[
            reference[:300] for reference in answer.references if not _is_known(reference, evidence)
        ],
        is_by_model=True,
    )


def _is_known(reference: str, evidence: Evidence) -> bool:
    if any(key in evidence.by_key for key in cited_keys(reference)):
        return True
    folded = " ".join(reference.casefold().split())
    if any(" ".join(source.title.casefold().split()) in folded for source in evidence.results):
        return True
    citations = foreign_citations(reference, evidence)
    if any(citation.keys and "." in citation.text for citation in citations):
        return True
    return any(author_year(source).casefold() == folded.strip("()") for source in evidence.results)


def _notes(answer: DraftAnswer, request: WriterInput) -> list[str]:
    """Return a line for each item of the critique; an item that was passed over says so."""
    if request.critique is None or request.previous_draft is None:
        return []
    answers = {}
    for line in answer.changes:
        name, colon, words = visible(line).partition(":")
        if colon:
            answers[name.strip(" []")] = words.strip()
    return [
        f"{item.critique_id}: {answers.get(item.critique_id) or 'the writer did not say'}"
        for item in request.critique.items
    ]
