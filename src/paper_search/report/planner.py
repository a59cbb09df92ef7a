"""The planner: sub-questions and queries of a report, with or without a model."""

import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from pydantic import BaseModel, Field

from paper_search.llm.provider import LLMProvider
from paper_search.llm.structured import ask
from paper_search.models import ParsedIntent
from paper_search.prompts import load_prompt
from paper_search.report.models import (
    Depth,
    PlannerInput,
    PlannerOutput,
    ResearchPlan,
    Role,
    SearchQuery,
    SearchType,
    now,
)
from paper_search.skills import IntentParser
from paper_search.skills.phrases import key_phrases

MIN_QUESTIONS, MAX_QUESTIONS = 3, 7
_QUESTIONS: dict[Depth, int] = {"quick": 3, "standard": 5, "comprehensive": 7}
_FIRST_SECTION = "Introduction"
_LAST_SECTIONS = ("Themes across the sources", "Methods and limitations")
_SETTINGS: dict[SearchType, str] = {
    "web": "set SERPER_API_KEY, TAVILY_API_KEY or SEARXNG_URL",
    "news": "set NEWS_API_KEY",
}
_LONGEST_QUERY, _LONGEST_QUESTION, _MAX_SECTIONS = 300, 500, 12


_QUESTION_TEMPLATES = (
    "What do the sources report on {topic}?",
    "Which methods and data are used to study {topic}?",
    "What results and effects are reported for {topic}?",
    "Which limitations and open problems are named for {topic}?",
    "What do reviews and comparisons conclude on {topic}?",
    "In which applications and settings is {topic} studied?",
    "How did work on {topic} change over the years?",
)


def sub_questions(intent: ParsedIntent, count: int) -> list[str]:
    topic = " and ".join(intent.concepts) or " ".join(intent.topic.split()).rstrip("?？.!, ")
    return [template.format(topic=topic) for template in _QUESTION_TEMPLATES[:count]]


class PlannedQuery(BaseModel):
    query_text: str
    search_type: str = "academic"
    priority: int = 3


class PlanAnswer(BaseModel):
    reasoning_trace: str = ""
    decomposed_questions: list[str]
    search_queries: list[PlannedQuery] = Field(default_factory=list)
    methodology: str = ""
    expected_sections: list[str] = Field(default_factory=list)
    confidence: float = 0.8
    warnings: list[str] = Field(default_factory=list)


class Planner(Role):
    """Plans a report with a model, or with generic sub-questions."""

    def __init__(
        self,
        llm: LLMProvider | None = None,
        domain: str = "general",
        *,
        today: Callable[[], date] = date.today,
    ) -> None:
        super().__init__(llm, domain)
        self._today = today

    async def plan(self, request: PlannerInput) -> PlannerOutput:
        """Return a plan of 3 to 7 sub-questions and 5 to 15 typed queries.

        Raises:
            QuestionError: the question has no words.
            LLMError: the model could not answer.
        """
        whole = f"{request.original_query} {request.context or ''}" if request.context else None
        intent = await IntentParser(None).parse(whole or request.original_query)
        if self._llm is not None:
            output = self._fitted(await self._answer(self._llm, request), intent, request)
        else:
            output = _by_concepts(intent, request)
        output.warnings += [
            f"there is no {kind} search, so none is planned: {_SETTINGS[kind]}"
            for kind in TYPES[request.depth]
            if kind in _SETTINGS and kind not in request.search_types and request.papers is None
        ]
        return output

    async def _answer(self, llm: LLMProvider, request: PlannerInput) -> PlanAnswer:
        message: dict[str, Any] = {
            "question": request.original_query,
            "context": request.context or "none",
            "domain_hints": request.domain_hints,
            "depth": request.depth,
            "search_types": request.search_types,
            "today": self._today().isoformat(),
        }
        if request.papers is not None:
            message["papers"] = request.papers
        if request.previous_plan is not None:
            earlier = request.previous_plan
            message["previous_plan"] = {
                "decomposed_questions": earlier.decomposed_questions,
                "search_queries": [query.query_text for query in earlier.search_queries],
                "expected_sections": earlier.expected_sections,
            }
        prompt = load_prompt("report_planner", self._domain)
        text = json.dumps(message, ensure_ascii=False, indent=1)
        return await ask(llm, PlanAnswer, prompt, text)

    def _fitted(
        self, answer: PlanAnswer, intent: ParsedIntent, request: PlannerInput
    ) -> PlannerOutput:
        warnings = list(answer.warnings)
        texts = [
            " ".join(question.split())[:_LONGEST_QUESTION]
            for question in answer.decomposed_questions
        ]
        questions = list(dict.fromkeys(filter(None, texts)))[:MAX_QUESTIONS]
        if len(questions) < MIN_QUESTIONS:
            warnings.append("the model gave fewer than three sub-questions; the others are generic")
            extra = sub_questions(intent, MAX_QUESTIONS)
            questions = list(dict.fromkeys([*questions, *extra]))[:MIN_QUESTIONS]
        of_questions = [question.rstrip("?？. ") for question in questions]
        headings = answer.expected_sections or [_FIRST_SECTION, *of_questions, *_LAST_SECTIONS]
        sections = [" ".join(heading.split())[:120] for heading in headings]
        plan = ResearchPlan(
            original_query=request.original_query,
            decomposed_questions=questions,
            search_queries=complete_queries(answer.search_queries, intent, questions, request),
            methodology=answer.methodology or _methodology(request),
            expected_sections=list(dict.fromkeys(filter(None, sections)))[:_MAX_SECTIONS],
            revised_at=now() if request.previous_plan else None,
        )
        return PlannerOutput(
            research_plan=plan,
            reasoning_trace=answer.reasoning_trace or "the model gave none",
            confidence=max(0.0, min(1.0, answer.confidence)),
            warnings=warnings,
        )


def _by_concepts(intent: ParsedIntent, request: PlannerInput) -> PlannerOutput:
    questions = sub_questions(intent, _QUESTIONS[request.depth])
    plan = ResearchPlan(
        original_query=request.original_query,
        decomposed_questions=questions,
        search_queries=typed_queries(intent, questions, request),
        methodology=_methodology(request),
        expected_sections=["Evidence"],
        revised_at=now() if request.previous_plan else None,
    )
    is_single = len(intent.concepts) <= 1
    advice = (
        "the question names only one concept; say what you want to know about it to get more "
        "specific sub-questions"
    )
    return PlannerOutput(
        research_plan=plan,
        reasoning_trace=(
            f"concepts of the question: {', '.join(intent.concepts) or intent.topic}; "
            "sub-questions are the whole, then methods, results, limitations and more; no "
            "language model was used, so they are not answered in words"
        ),
        confidence=0.4 if is_single else 0.6,
        warnings=[advice] if is_single else [],
    )


def _methodology(request: PlannerInput) -> str:
    kinds = ", ".join(request.search_types)
    return (
        f"Depth {request.depth}. Kinds of search: {kinds}. Records of one work are merged, judged "
        "against the question, and read sentence by sentence."
    )


def validate_research_plan(plan: ResearchPlan) -> tuple[bool, list[str]]:
    issues = []
    if not plan.decomposed_questions:
        issues.append("No decomposed questions generated")
    if len(plan.decomposed_questions) < 2:  # noqa: PLR2004  # the specification's minimum
        issues.append("Insufficient question decomposition (minimum 2)")
    if not plan.search_queries:
        issues.append("No search queries generated")
    if not plan.expected_sections:
        issues.append("No expected output sections defined")
    return not issues, issues


MIN_QUERIES, MAX_QUERIES = 5, 15
LOWEST_PRIORITY = 5

TYPES: dict[Depth, tuple[SearchType, ...]] = {
    "quick": ("academic",),
    "standard": ("academic", "web"),
    "comprehensive": ("academic", "web", "news"),
}
"""Kinds of search for each sub-question, by depth."""


def typed_queries(
    intent: ParsedIntent, questions: Sequence[str], request: PlannerInput
) -> list[SearchQuery]:
    """Return distinct queries of each kind for the questions, as far as the concepts allow.

    For each field in `domain_hints`, a query adds its name to all concepts.
    """
    available = request.search_types
    kinds = [kind for kind in TYPES[request.depth] if kind in available] or available[:1]
    planned: dict[tuple[str, str], SearchQuery] = {}
    texts = _texts(intent, request.domain_hints)
    for index, text in zip(range(len(questions)), texts, strict=False):
        for kind in kinds:
            _add(planned, text, kind, index + 1, question=index)
    return list(planned.values())[:MAX_QUERIES]


def complete_queries(
    queries: Iterable[PlannedQuery],
    intent: ParsedIntent,
    questions: Sequence[str],
    request: PlannerInput,
) -> list[SearchQuery]:
    """Return 5 to 15 queries of available kinds: a model's, supplemented if necessary."""
    available = request.search_types
    usual: SearchType = "academic" if "academic" in available else available[0]
    planned: dict[tuple[str, str], SearchQuery] = {}
    for query in queries:
        kind = next((kind for kind in available if kind == query.search_type), usual)
        if words := " ".join(query.query_text[:_LONGEST_QUERY].split()):
            _add(planned, words, kind, max(1, query.priority))
    more = [(q.query_text, q.search_type) for q in typed_queries(intent, questions, request)]
    more += [(question, usual) for question in questions]
    for words, kind in more:
        if len(planned) < MIN_QUERIES:
            _add(planned, words, kind, LOWEST_PRIORITY)
    return sorted(planned.values(), key=lambda query: query.priority)[:MAX_QUERIES]


def broader_query(query: SearchQuery) -> SearchQuery | None:
    """Return a broader query for a weak one, or None if it cannot be broadened.

    The last and most specific concept is dropped, or words of a single concept. A web search loses
    a third of its words, but keeps at least two.
    """
    concepts = key_phrases(query.query_text)
    words = query.query_text.split()
    if query.search_type == "web" and '"' not in query.query_text:
        rest = [" ".join(words[: max(2, len(words) * 2 // 3)])]
    elif len(concepts) > 1:
        rest = concepts[:-1]
    else:
        words = (concepts[0] if concepts else query.query_text).split()
        rest = [" ".join(words[-1:])] if len(words) > 1 else []
    text = _query_text(rest, query.query_text)
    if not text or text.casefold() == query.query_text.casefold():
        return None
    return SearchQuery(
        query_id=f"{query.query_id[:12]}+",
        query_text=text,
        search_type=query.search_type,
        priority=min(query.priority + 1, LOWEST_PRIORITY),
        question=query.question,
        reformulates=query.query_id,
    )


_OF_THE_ASKING = frozenset({"sources", "sources report"})
"""Phrases of the templates of sub-questions, which no paper has."""


def gap_queries(
    questions: Sequence[tuple[int, str]], kind: SearchType, suggestions: Mapping[int, str]
) -> list[SearchQuery]:
    """Return a query for each of the first three unanswered questions.

    `suggestions`: a model's queries by number of the question.
    """
    return [
        SearchQuery(
            query_text=suggestions.get(index)
            or _query_text([p for p in key_phrases(question) if p not in _OF_THE_ASKING])
            or question,
            search_type=kind,
            priority=1,
            question=index,
        )
        for index, question in questions[:3]
    ]


def _add(
    planned: dict[tuple[str, str], SearchQuery],
    text: str,
    kind: SearchType,
    priority: int,
    question: int | None = None,
) -> None:
    query = SearchQuery(
        query_id=f"q{len(planned) + 1}",
        query_text=text,
        search_type=kind,
        priority=min(priority, LOWEST_PRIORITY),
        question=question,
    )
    planned.setdefault((text.casefold(), kind), query)


def _texts(intent: ParsedIntent, domain_hints: Sequence[str]) -> Iterator[str]:
    """Yield query texts: all concepts, with each domain hint, fewer concepts, then reviews."""
    concepts = intent.concepts or [intent.topic]
    earlier: set[str] = set()
    for size in range(len(concepts), 0, -1):
        if size == 1 and len(concepts) > 1:
            break  # a single concept of several is too broad
        for some in itertools.combinations(concepts, size):
            text = _query_text(some)
            if text not in earlier:
                earlier.add(text)
                yield text
                if size == len(concepts):
                    yield from (f"{text} {hint}" for hint in domain_hints)
    yield _query_text([*concepts, "review"])


def _query_text(concepts: Sequence[str], query: str = "") -> str:
    """Join concepts by "and", quoting those that are quoted in `query`.

    Without "and", adjacent concepts would be read as one phrase.
    """
    return " and ".join(
        f'"{concept}"' if f'"{concept}"'.casefold() in query.casefold() else concept
        for concept in concepts
    )
