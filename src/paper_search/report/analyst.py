"""The role that says what the sources say: findings, themes, contradictions, gaps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from paper_search.report.analysis_answer import analysis_by_model
from paper_search.report.answering import answer_to, answering, contradictions, grade_of
from paper_search.report.evidence import Evidence
from paper_search.report.exchange import AnalystInput, AnalystOutput, Role, Sufficiency
from paper_search.report.models import (
    AnalysisResult,
    Answer,
    Contradiction,
    Finding,
    Grade,
    ResearchPlan,
    SearchType,
    Theme,
)
from paper_search.report.passages import Passage, PassageFinder, content_stems
from paper_search.report.query_plan import gap_queries
from paper_search.skills.intent.phrases import key_phrases
from paper_search.skills.words import tokens

FINDINGS_PER_QUESTION = 8
_LEAST = 2
"""Findings that a question gets, if need be some that another question has too."""
MINOR_GAPS = 2
"""Up to so many gaps the data are nearly enough."""
_ALIKE = 0.6
"""Share of common words from which two sentences say the same."""
_CONSIDERED = 60
"""Passages of a question among which contradictions are looked for."""


class Analyst(Role):
    """Reads the sources, with a model if there is one; what it may not say is the same for both."""

    async def analyse(self, given: AnalystInput) -> AnalystOutput:
        """Return the analysis of the sources for each sub-question.

        Raises:
            LLMError: there is a model, and it could not answer.
        """
        evidence = Evidence(given.search_results)
        analysis = _extracted(evidence, given)
        if self._llm is not None:
            analysis = await analysis_by_model(self._llm, self._domain, evidence, given, analysis)
        questions = given.research_plan.decomposed_questions
        return _assessed(_worded(analysis, evidence, questions), given)


def _assessed(analysis: AnalysisResult, given: AnalystInput) -> AnalystOutput:
    """Return the analysis with what it lacks and what to search for it."""
    plan = given.research_plan
    count = len(analysis.gaps)
    sufficiency: Sufficiency = "sufficient"
    if count:
        sufficiency = "gaps_minor" if count <= MINOR_GAPS else "gaps_major"
    open_questions = [
        (index, plan.decomposed_questions[index])
        for index in analysis.gap_questions
        if 0 <= index < len(plan.decomposed_questions)
    ]
    return AnalystOutput(
        analysis=analysis,
        data_sufficiency=sufficiency,
        recommended_searches=gap_queries(open_questions, _first_kind(plan)),
    )


def _first_kind(plan: ResearchPlan) -> SearchType:
    """Return the kind of search that papers are found by, or the one that the plan has."""
    kinds = [query.search_type for query in plan.search_queries]
    return "academic" if "academic" in kinds else next(iter(kinds), "academic")


def _extracted(evidence: Evidence, given: AnalystInput) -> AnalysisResult:
    """Return the analysis that sentences and shared words give."""
    plan = given.research_plan
    shared = key_phrases(plan.original_query)
    finder = PassageFinder(evidence, given.focus)
    findings: list[Finding] = []
    answers: list[Answer] = []
    considered: list[Passage] = []
    used: dict[str, frozenset[str]] = {}
    for index, question in enumerate(plan.decomposed_questions):
        passages = finder.passages(question, shared)
        considered += passages[:_CONSIDERED]
        fresh = [passage for passage in passages if not _is_alike(passage, used.values())]
        answer = answer_to(index, passages, fresh)
        answers.append(answer)
        findings += _findings(answering(passages), index, used, evidence)
        used |= {quote.text: frozenset(tokens(quote.text)) for quote in answer.nearest[:1]}
    whole = finder.passages(plan.original_query)
    disputed = contradictions(considered, content_stems(plan.original_query))
    found = themes(evidence, plan.decomposed_questions, plan.original_query)
    return AnalysisResult(
        findings=findings,
        theme_details=found,
        contradiction_details=disputed,
        gap_questions=[index for index, answer in enumerate(answers) if not answer.is_answered],
        answer=answer_to(None, whole, whole),
        answers=answers,
    )


def _worded(
    analysis: AnalysisResult, evidence: Evidence, questions: Sequence[str]
) -> AnalysisResult:
    """Return the analysis with its lists in words, its citations and its confidence."""
    key = evidence.key_of
    told = [finding for finding in analysis.findings if not finding.is_design]
    ranked = sorted(told, key=lambda finding: _RANK[finding.grade])
    citations: dict[str, list[str]] = {}
    for quote in (quote for finding in analysis.findings for quote in finding.quotes):
        said = citations.setdefault(key(quote.result_id), [])
        if quote.text not in said:
            said.append(quote.text)
    return analysis.model_copy(
        update={
            "key_findings": [
                f"[{finding.grade}] {finding.text} "
                f"[{'; '.join('@' + key(source) for source in finding.sources)}]"
                for finding in ranked[:10]
            ],
            "themes": [
                f"{theme.label} ({len(theme.sources)} sources)" for theme in analysis.theme_details
            ],
            "contradictions": [
                f"{dispute.topic}: “{dispute.one.text}” [@{key(dispute.one.result_id)}] against "
                f"“{dispute.other.text}” [@{key(dispute.other.result_id)}]"
                for dispute in analysis.contradiction_details
            ],
            "gaps": [f"No source answers: {questions[index]}" for index in analysis.gap_questions],
            "confidence_score": _confidence(analysis, evidence, len(questions)),
            "source_citations": citations,
        }
    )


_WEIGHT: dict[Grade, float] = {"strong": 1.0, "moderate": 0.7, "weak": 0.4, "gap": 0.0}
_RANK: dict[Grade, int] = {"strong": 0, "moderate": 1, "weak": 2, "gap": 3}


def _findings(
    passages: Sequence[Passage], question: int, used: dict[str, frozenset[str]], evidence: Evidence
) -> list[Finding]:
    """Return the best answers to a question, each of another source, and add them to `used`."""
    best: dict[str, Passage] = {}
    for passage in passages:
        if passage.result.result_id not in best and not _is_alike(passage, used.values()):
            best[passage.result.result_id] = passage
    for passage in passages:  # said before, but better than to call a question open
        if len(best) >= _LEAST:
            break
        if passage.sentence.text in used:
            best.setdefault(passage.result.result_id, passage)
    findings = []
    for passage in _different(list(best.values()))[:FINDINGS_PER_QUESTION]:
        used[passage.sentence.text] = passage.sentence.stems
        findings.append(
            Finding(
                text=passage.sentence.text,
                question=question,
                grade=grade_of(passage, passages, evidence),
                quotes=[passage.quote],
                is_design=passage.is_background,
            )
        )
    return findings


def _different(passages: Sequence[Passage]) -> list[Passage]:
    """Return the passages without those that repeat one before them almost word for word."""
    kept: list[Passage] = []
    for passage in passages:
        if not _is_alike(passage, [known.sentence.stems for known in kept]):
            kept.append(passage)
    return kept


def _is_alike(passage: Passage, others: Iterable[frozenset[str]]) -> bool:
    """Whether a passage repeats another one almost word for word, with the same numbers."""
    stems = passage.sentence.stems
    return any(
        len(stems & other) > _ALIKE * len(stems | other) and not any(map(_is_number, stems ^ other))
        for other in others
    )


def _is_number(stem: str) -> bool:
    return any(character.isdigit() for character in stem)


def _confidence(analysis: AnalysisResult, evidence: Evidence, questions: int) -> float:
    """Return how far the analysis can be relied on: coverage, quality and consistency.

    Quality is the relevance of the sources, half of it for a title alone, and the grades.
    """
    answered = {finding.question for finding in analysis.findings}
    coverage = len(answered) / questions if questions else 0.0
    cited = {source for finding in analysis.findings for source in finding.sources}
    sources = [evidence.by_id[source] for source in cited]
    if not sources:
        return 0.0
    quality = sum(s.relevance_score * (1.0 if s.text else 0.5) for s in sources) / len(sources)
    weights = [_WEIGHT[finding.grade] for finding in analysis.findings]
    quality *= sum(weights) / max(1, len(weights))
    disputes: list[Contradiction] = analysis.contradiction_details
    consistency = 1.0 - min(1.0, len(disputes) / max(1, len(analysis.findings)))
    return round(0.3 * coverage + 0.5 * quality + 0.2 * consistency, 2)


MIN_SOURCES = 2
MAX_THEMES = 5
_TOO_COMMON = 0.8
"""Of the sources: what nearly all share is the subject, not a theme of it."""
_DESIGNS = frozenset(
    content_stems(
        "double blind placebo controlled randomized randomised clinical trial trials crossover "
        "cross-over pilot systematic review reviews meta-analysis meta analysis survey cohort "
        "comparison comparative case report reports study studies open label long-term short-term "
        "follow-up prospective retrospective multicenter experimental evaluation efficient approach"
    )
)
"""How a study was made: no theme of what it is about."""
_LEAST_OF_ONE_WORD = 3
"""Sources that have to share a single word before it is a theme."""
_MAX_OVERLAP = 0.7
"""Two terms whose sources are so much the same are one theme."""


def themes(evidence: Evidence, questions: Sequence[str], topic: str) -> list[Theme]:
    """Return 3 to 5 themes where there are as many, the widest first.

    A theme is a phrase that at least two sources have in title or text and not nearly all of
    them; of phrases with the same sources, the longest names it.
    """
    holders, spelling = _phrases(evidence)
    usable = len(evidence.relevant)
    subject = frozenset(content_stems(topic))
    ranked = [
        (stems, ids)
        for stems, ids in holders.items()
        if len(ids) >= (MIN_SOURCES if len(stems) > 1 else _LEAST_OF_ONE_WORD)
        and set(content_stems(spelling[stems])) - _DESIGNS
        and len(ids) <= max(MIN_SOURCES, _TOO_COMMON * usable)
        and not frozenset(stems) <= subject
    ]
    ranked.sort(key=lambda group: (len(group[0]) == 1, -len(group[1]), group[0]))
    chosen: list[Theme] = []
    for stems, ids in ranked:
        if any(
            _overlap(ids, set(theme.sources)) > _MAX_OVERLAP or _is_part(stems, tokens(theme.label))
            for theme in chosen
        ):
            continue
        ordered = [source.result_id for source in evidence.relevant if source.result_id in ids]
        chosen.append(
            Theme(
                label=_as_in_text(spelling[stems], evidence),
                sources=ordered,
                question=_nearest(stems, questions),
                confidence=round(min(1.0, len(ids) / 5), 2),
            )
        )
        if len(chosen) == MAX_THEMES:
            break
    return chosen


def _phrases(
    evidence: Evidence,
) -> tuple[dict[tuple[str, ...], set[str]], dict[tuple[str, ...], str]]:
    """Return the key phrases of the titles, with all sources that have their words together."""
    spelling: dict[tuple[str, ...], str] = {}
    for source in evidence.relevant:
        if source.metadata.get("is_suspicious"):
            continue
        for phrase in key_phrases(source.title):
            stems = tuple(tokens(phrase))
            if 1 <= len(stems) <= 4 and content_stems(phrase) and not phrase.isdigit():  # noqa: PLR2004  # a term, not a title
                spelling.setdefault(stems, phrase)
            for start in range(len(stems) - 1):  # "graph neural network" shares "neural network"
                words = phrase.split()
                if len(words) == len(stems):
                    spelling.setdefault(
                        stems[start : start + 2], " ".join(words[start : start + 2])
                    )
    holders: dict[tuple[str, ...], set[str]] = defaultdict(set)
    texts = {
        source.result_id: f" {' '.join(tokens(source.title + ' . ' + source.text))} "
        for source in evidence.relevant
    }
    for stems in spelling:
        wanted = f" {' '.join(stems)} "
        holders[stems] = {result_id for result_id, text in texts.items() if wanted in text}
    return holders, spelling


def _as_in_text(phrase: str, evidence: Evidence) -> str:
    """Return a phrase as running text spells it: titles have capitals that it does not need."""
    plain = " ".join(word.lower() if word[1:].islower() else word for word in phrase.split())
    return plain if any(plain in source.text for source in evidence.relevant) else phrase


def _overlap(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other)


def _is_part(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether one term is the other with a word more."""
    return set(one) <= set(other) or set(other) <= set(one)


def _nearest(stems: Sequence[str], questions: Sequence[str]) -> int:
    shared = [len(set(stems) & set(content_stems(question))) for question in questions]
    return shared.index(max(shared)) if shared else 0
