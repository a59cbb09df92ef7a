"""The analyst: the table of evidence, and a model's findings from the sources."""

import json
from collections.abc import Iterable
from statistics import mean
from typing import Annotated

from pydantic import BaseModel, Field

from paper_search.llm.structured import LowerCase, ask
from paper_search.prompts import load_prompt
from paper_search.report.claims.citations import cite, locate
from paper_search.report.evidence import Evidence, family_names, grade_of
from paper_search.report.models import (
    AnalysisResult,
    AnalystInput,
    AnalystOutput,
    Direction,
    Finding,
    Grade,
    Quote,
    Role,
    SearchType,
    Study,
    Sufficiency,
)
from paper_search.report.passages import sources_block, studies_on
from paper_search.report.planner import gap_queries
from paper_search.skills.untrusted import shown_to_model
from paper_search.skills.words import tokens

_MAX_FINDINGS, _MAX_THEMES, _MAX_CONTRADICTIONS = 20, 5, 10
_MIN_THEME_SOURCES = 2
_LONGEST_QUERY = 300
_FEWEST = 3
"""Minimum words of a quote as evidence; a whole title may be shorter."""
_DIRECTIONS: dict[str, Direction] = {"yes": "yes", "no": "no", "mixed": "mixed"}
_WEIGHT: dict[Grade, float] = {"strong": 1.0, "moderate": 0.7, "weak": 0.4}


class QuoteAnswer(BaseModel):
    source: str
    text: str


class FindingAnswer(BaseModel):
    text: str
    question: int = 1
    grade: Annotated[str, LowerCase] = "weak"
    quotes: list[QuoteAnswer] = Field(default_factory=list)


class ThemeAnswer(BaseModel):
    label: str
    sources: list[str] = Field(default_factory=list)


class ContradictionAnswer(BaseModel):
    topic: str
    one: QuoteAnswer
    other: QuoteAnswer
    note: str = ""


class DirectionAnswer(BaseModel):
    """What a source says to a question of yes or no, and the words that say so."""

    source: str
    says: Annotated[str, LowerCase] = "not stated"
    text: str = ""


class GapQueryAnswer(BaseModel):
    question: int
    query_text: str


class AnalysisAnswer(BaseModel):
    findings: list[FindingAnswer]
    themes: list[ThemeAnswer] = Field(default_factory=list)
    contradictions: list[ContradictionAnswer] = Field(default_factory=list)
    directions: list[DirectionAnswer] = Field(default_factory=list)
    gap_queries: list[GapQueryAnswer] = Field(default_factory=list)


def _with_directions(
    studies: list[Study], answer: AnalysisAnswer, evidence: Evidence
) -> list[Study]:
    """Add the model's readings to the studies, with the words that they rest on as first quote.

    A reading needs words that the source has; contradictory readings are ignored.
    """
    readings: dict[str, dict[Direction, Quote]] = {}
    for one in answer.directions:
        quote = _quote_of(QuoteAnswer(source=one.source, text=one.text), evidence)
        if (says := _DIRECTIONS.get(one.says)) and quote:
            readings.setdefault(quote.result_id, {})[says] = quote
    directed = {study.result_id: study for study in studies}
    for result_id, own in readings.items():
        if len(own) == 1 and result_id in directed:
            [(says, quote)] = own.items()
            others = [
                one
                for one in directed[result_id].quotes
                if one.part != quote.part or one.end <= quote.start or quote.end <= one.start
            ]
            directed[result_id] = Study(result_id=result_id, quotes=[quote, *others], says=says)
    return list(directed.values())


def _findings(answer: AnalysisAnswer, evidence: Evidence, count: int) -> list[Finding]:
    findings = []
    for claimed in answer.findings[:_MAX_FINDINGS]:
        text, index = shown_to_model(claimed.text, 1000), claimed.question - 1
        if not text or not 0 <= index < count:
            continue
        quotes = [q for quote in claimed.quotes if (q := _quote_of(quote, evidence))]
        if quotes:
            is_title = all(quote.part == "title" for quote in quotes)
            studies = _count_independent((quote.result_id for quote in quotes), evidence)
            grade = _lower(claimed.grade, grade_of(studies, is_title=is_title))
            findings.append(Finding(text=text, question=index, grade=grade, quotes=quotes))
    return findings


def _count_independent(result_ids: Iterable[str], evidence: Evidence) -> int:
    earlier_names: set[str] = set()
    count = 0
    for result_id in dict.fromkeys(result_ids):
        names = family_names(evidence.by_id[result_id])
        count += not names & earlier_names
        earlier_names |= names
    return count


def _message(evidence: Evidence, request: AnalystInput) -> str:
    plan = request.research_plan
    questions = {
        "question": plan.original_query,
        "sub_questions": dict(enumerate(plan.decomposed_questions, 1)),
    }
    if request.previous_analysis is not None:
        questions["earlier_gaps"] = request.previous_analysis.gaps
    head = json.dumps(questions, ensure_ascii=False, indent=1)
    about = " ".join([plan.original_query, *plan.decomposed_questions])
    block = sources_block(evidence, request.shown_sources, request.shown_chars, about)
    return f"{head}\n\nSources:\n{block}"


def _quote_of(claim: QuoteAnswer, evidence: Evidence) -> Quote | None:
    result = evidence.by_key.get(_key(claim.source))
    if result is None or result.is_retracted or not claim.text.strip():
        return None
    quote = locate(claim.text, result)
    is_title = quote is not None and quote.text == result.title
    return quote if is_title or len(tokens(claim.text)) >= _FEWEST else None


def _key(source: str) -> str:
    return source.strip().strip("[]@")


def _lower(claimed: str, by_sources: Grade) -> Grade:
    """Return the lower of two grades: a model cannot raise the grade by number of sources."""
    grades = {grade: weight for grade, weight in _WEIGHT.items() if grade in {claimed, by_sources}}
    return min(grades, key=_WEIGHT.__getitem__)


def _themes(answer: AnalysisAnswer, evidence: Evidence) -> list[str]:
    themes = []
    for theme in answer.themes[:_MAX_THEMES]:
        count = len(evidence.by_key.keys() & map(_key, theme.sources))
        label = shown_to_model(theme.label, 150)
        if label and count >= _MIN_THEME_SOURCES:
            themes.append(f"{label} ({count} sources)")
    return themes


def _contradictions(answer: AnalysisAnswer, evidence: Evidence) -> list[str]:
    contradictions = []
    for dispute in answer.contradictions[:_MAX_CONTRADICTIONS]:
        sides = [_quote_of(side, evidence) for side in (dispute.one, dispute.other)]
        words = [f"“{q.text}” [@{evidence.key_of(q.result_id)}]" for q in sides if q]
        if len({quote.result_id for quote in sides if quote}) == len(sides):
            topic = shown_to_model(dispute.topic, 150) or "unnamed"
            note = shown_to_model(dispute.note, 300)
            about = f" ({note})" if note else ""
            contradictions.append(f"{topic}: {' against '.join(words)}{about}")
    return contradictions


MINOR_GAPS = 2
"""Maximum number of gaps that count as minor."""


class Analyst(Role):
    """Reads the sources with a model; without one, it only selects their sentences."""

    async def analyse(self, request: AnalystInput) -> AnalystOutput:
        """Return the grounded part of a model's analysis, and queries for the gaps.

        Findings need a verbatim quote, themes two sources, contradictions a quote for each side.
        Sub-questions without a finding are gaps.
        """
        plan, evidence = request.research_plan, Evidence(request.search_results)
        studies, questions = studies_on(plan.original_query, evidence), plan.decomposed_questions
        if self._llm is None:
            return AnalystOutput(analysis=AnalysisResult(studies=studies), data_sufficiency=None)
        prompt = load_prompt("report_analyst", self._domain)
        answer = await ask(self._llm, AnalysisAnswer, prompt, _message(evidence, request))
        own = _findings(answer, evidence, len(questions))
        answered = {finding.question for finding in own}
        gaps = [(n, question) for n, question in enumerate(questions) if n not in answered]
        disputes = _contradictions(answer, evidence)
        analysis = AnalysisResult(
            key_findings=_key_findings(own, evidence),
            themes=_themes(answer, evidence),
            contradictions=disputes,
            gaps=[f"No source answers: {question}" for _, question in gaps],
            confidence_score=_confidence(
                own, evidence, len(answered) / (len(questions) or 1), disputes
            ),
            source_citations=_citations(own, evidence),
            findings=own,
            gap_questions=[n for n, _ in gaps],
            studies=_with_directions(studies, answer, evidence),
            is_by_model=True,
        )
        kinds = [query.search_type for query in plan.search_queries]
        kind: SearchType = "academic" if "academic" in kinds else next(iter(kinds), "academic")
        queries = {
            gap.question - 1: " ".join(gap.query_text.split())[:_LONGEST_QUERY]
            for gap in answer.gap_queries
        }
        sufficiency: Sufficiency = "gaps_minor" if len(gaps) <= MINOR_GAPS else "gaps_major"
        return AnalystOutput(
            analysis=analysis,
            data_sufficiency=sufficiency if gaps else "sufficient",
            recommended_searches=gap_queries(gaps, kind, queries),
        )


def _key_findings(findings: list[Finding], evidence: Evidence) -> list[str]:
    ranked = sorted(findings, key=lambda finding: -_WEIGHT[finding.grade])
    return [f"[{one.grade}] {one.text} {cite(map(evidence.key_of, one.sources))}" for one in ranked]


def _citations(findings: list[Finding], evidence: Evidence) -> dict[str, list[str]]:
    quotes: dict[str, dict[str, None]] = {}
    for quote in (quote for finding in findings for quote in finding.quotes):
        quotes.setdefault(evidence.key_of(quote.result_id), {})[quote.text] = None
    return {key: list(texts) for key, texts in quotes.items()}


def _confidence(
    findings: list[Finding], evidence: Evidence, coverage: float, disputes: list[str]
) -> float:
    """Return the reliability of an analysis from coverage, quality and consistency.

    Quality is the relevance of the sources, halved for titles without text, times the grades.
    """
    sources = [evidence.by_id[name] for name in {i for one in findings for i in one.sources}]
    if not sources:
        return 0.0
    quality = mean(s.relevance_score * (1.0 if s.text else 0.5) for s in sources)
    quality *= mean(_WEIGHT[finding.grade] for finding in findings)
    consistency = 1.0 - min(1.0, len(disputes) / len(findings))
    return round(0.3 * coverage + 0.5 * quality + 0.2 * consistency, 2)
