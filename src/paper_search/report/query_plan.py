"""The typed queries of a plan, made without a model."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence

from paper_search.models import ParsedIntent
from paper_search.report.exchange import PlannerInput
from paper_search.report.models import Depth, SearchQuery, SearchType
from paper_search.skills.phrases import key_phrases

MIN_QUERIES, MAX_QUERIES = 5, 15
LOWEST_PRIORITY = 5

TYPES: dict[Depth, tuple[SearchType, ...]] = {
    "quick": ("academic",),
    "standard": ("academic", "web"),
    "comprehensive": ("academic", "web", "news"),
}
"""Kinds of search for each sub-question, by depth: one, two, three."""


def typed_queries(
    intent: ParsedIntent, questions: Sequence[str], request: PlannerInput
) -> list[SearchQuery]:
    """Return a query of each kind for each question, no two that ask for the same.

    There are fewer where the concepts give no more. The whole is searched once more for each field
    in `domain_hints`, with its name.
    """
    available = request.search_types
    kinds = [kind for kind in TYPES[request.depth] if kind in available] or available[:1]
    planned: dict[tuple[str, str], SearchQuery] = {}
    texts = _texts(intent, request.domain_hints)
    for index, text in zip(range(len(questions)), texts, strict=False):
        for kind in kinds:
            _add(planned, text, kind, index + 1, question=index)
    return list(planned.values())[:MAX_QUERIES]


def completed(
    queries: Iterable[tuple[str, str, int]],
    intent: ParsedIntent,
    questions: Sequence[str],
    request: PlannerInput,
) -> list[SearchQuery]:
    """Return the queries of a model, brought to 5 to 15 of the kinds of search that there are.

    `queries`: text, kind and priority of each.
    """
    available = request.search_types
    usual: SearchType = "academic" if "academic" in available else available[0]
    planned: dict[tuple[str, str], SearchQuery] = {}
    for text, kind_name, priority in queries:
        kind = next((kind for kind in available if kind == kind_name), usual)
        if words := " ".join(text.split()):
            _add(planned, words, kind, priority)
    more = [(q.query_text, q.search_type) for q in typed_queries(intent, questions, request)]
    for words, kind in [*more, *((question, usual) for question in questions)]:
        if len(planned) < MIN_QUERIES:
            _add(planned, words, kind, LOWEST_PRIORITY)
    return sorted(planned.values(), key=lambda query: query.priority)[:MAX_QUERIES]


def weaker(query: SearchQuery) -> SearchQuery | None:
    """Return a broader query for one that brought too little; None: it cannot be broader.

    It asks for one concept less, the last and most particular one; what has one concept left asks
    for its last word less. The plain words of a web search lose a third, of two words none.
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
"""Phrases of our own sub-questions that no paper has."""


def gap_queries(
    questions: Sequence[tuple[int, str]], kind: SearchType, suggestions: Mapping[int, str]
) -> list[SearchQuery]:
    """Return a query for each of the first three questions that nothing answered.

    `suggestions`: what a model would search for, by the number of the question.
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
    """Return what to search for: all concepts, in each field, fewer, then reviews of the whole."""
    concepts = intent.concepts or [intent.topic]
    earlier: set[str] = set()
    for size in range(len(concepts), 0, -1):
        if size == 1 and len(concepts) > 1:
            break  # a single concept of several finds what nobody asked for
        for some in itertools.combinations(concepts, size):
            text = _query_text(some)
            if text not in earlier:
                earlier.add(text)
                yield text
                if size == len(concepts):
                    yield from (f"{text} {hint}" for hint in domain_hints)
    yield _query_text([*concepts, "review"])


def _query_text(concepts: Sequence[str], query: str = "") -> str:
    """Return the words to search for; those are a phrase that the query has in quotation marks.

    Side by side, words without marks would be one phrase as well.
    """
    return " and ".join(
        f'"{concept}"' if f'"{concept}"'.casefold() in query.casefold() else concept
        for concept in concepts
    )
