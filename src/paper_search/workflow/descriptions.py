"""Questions and results in Markdown, for clients that show a text and take an answer.

Text of papers is shown, never obeyed: `inert` takes markup and links out of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from paper_search.exports.markdown import inert
from paper_search.exports.text import single_line
from paper_search.models import Paper
from paper_search.workflow.checkpoints import ResultPayload, StrategyPayload
from paper_search.workflow.strategy_facts import checkpoint_facts

PAGE = 20
"""Papers of a page."""
_MOST_CHARS = 300
"""Of a title, and of an abstract on a list."""


def describe_strategy(payload: StrategyPayload) -> str:
    lines = [f"- {name}: {_written(name, fact)}" for name, fact in checkpoint_facts(payload)]
    head = f"## Round {payload.iteration + 1}: is this the search strategy?"
    return "\n".join([head, "", *lines])


def describe_result(payload: ResultPayload) -> str:
    """Return what a person needs to decide on a result, with its first papers."""
    collection = payload.collection
    total = payload.total_papers or len(collection.papers)
    lines = [f"{total:,} papers, {payload.set_aside:,} set aside"]
    if payload.counts:
        lines.append(payload.counts.summary)
    failed = sorted({report.source for report in payload.reports if report.error})
    if failed:
        lines.append(f"Failed, papers may be missing: {', '.join(failed)}")
    if silent := [name for name in payload.silent_sources if name not in failed]:
        lines.append(f"No results from: {', '.join(silent)}")
    if payload.unfinished_sources:
        lines.append(f"Ran out of time: {', '.join(payload.unfinished_sources)}")
    if payload.changes:
        lines.append(payload.changes.summary)
    if payload.stopping_estimate:
        lines.append(payload.stopping_estimate)
    head = f"## Round {payload.iteration + 1}: is this the result?"
    facts = [f"- {inert(line)}" for line in lines]
    return "\n".join([head, "", *facts, "", *paper_rows(collection.papers[:PAGE])])


def paper_rows(papers: Sequence[Paper], start: int = 1) -> Iterator[str]:
    for number, paper in enumerate(papers, start):
        author = paper.authors[0].name if paper.authors else ""
        facts = ", ".join(filter(None, [author, str(paper.year or ""), paper.venue or ""]))
        score = f" [{paper.relevance_score:.2f}]" if paper.is_judged else ""
        title = f"**{inert(_cut(paper.title))}**"
        yield f"{number}.{score} {title} ({inert(facts)}), id: {_code(paper.id)}"
        if text := paper.relevance_reason or paper.abstract:
            yield f"   {inert(_cut(text))}"


def _written(name: str, fact: str) -> str:
    return _code(fact) if name.startswith(("query", "line")) else inert(fact)


def _code(text: str) -> str:
    plain = single_line(text).replace("`", "'")
    return f"`{plain}`"


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_CHARS else f"{text[: _MOST_CHARS - 1]}…"
