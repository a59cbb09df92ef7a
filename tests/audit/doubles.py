"""A search in two sources that know one paper in common."""

from typing import Any

from tests.workflow.doubles import edit

from paper_search import models
from paper_search.audit import Audit, PrismaFlow, audit_of
from paper_search.persistence import Persistence
from paper_search.testing.skills import FakeSkills, ScriptedHandler
from paper_search.threads.engine import open_memory
from paper_search.workflow import Decision, DecisionAction, SearchWorkflow

APPROVE = Decision(action=DecisionAction.APPROVE)
LABELS: dict[str, Any] = {
    "marked_relevant": ["a-shared"],
    "marked_irrelevant": ["b-round_0"],
    "reasons": {"b-round_0": "no bees"},
    "free_text_feedback": "more on wasps",
}
THREE_ROUNDS = (
    *(APPROVE, edit(LABELS)),
    *(APPROVE, edit({"marked_irrelevant": ["a-round_1"]})),
    *(APPROVE, APPROVE),
)


class TwoSources:
    """Both sources know `shared`; each has a paper of its own in every round."""

    async def search(self, strategy: models.SearchStrategy) -> list[models.RawPaper]:
        return (await self.report(strategy)).papers

    async def report(self, strategy: models.SearchStrategy) -> models.SearchReport:
        query = strategy.queries[0].boolean_query
        papers = [
            models.RawPaper(
                id=f"{source}-{name}",
                title=f"Of {source} in {name}" if name == query else "Shared",
                source=source,
                year=2020,
                sightings=[
                    models.Sighting(source=source, query=f"{query} as {source} reads it", rank=1)
                ],
            )
            for name in ("shared", query)
            for source in "ab"
        ]
        reports = [
            models.SourceReport(
                source=source,
                query=f"{query} as {source} reads it",
                status=models.SourceStatus.OK,
                hits=70,
                limit=350,
                kept=2,
                excluded=1,
                note="NOT was checked here",
            )
            for source in "ab"
        ]
        return models.SearchReport(papers=papers, sources=reports)


class MergesTitles(FakeSkills):
    """Records of one title are one work; nothing is more relevant than anything else."""

    async def deduplicate(self, papers: list[models.RawPaper]) -> list[models.RawPaper]:
        works: dict[str, list[models.RawPaper]] = {}
        for paper in papers:
            works.setdefault(paper.title, []).append(paper)
        return [
            same[0].model_copy(update={"merged_from": [work.id for work in same]})
            for same in works.values()
        ]

    async def score(
        self, papers: list[models.RawPaper], intent: models.ParsedIntent
    ) -> list[models.ScoredPaper]:
        del intent
        return [
            models.ScoredPaper(paper=paper, relevance_score=0.5, relevance_reason="")
            for paper in papers
        ]


def two_sources(persistence: Persistence, handler: Any = None, **options: Any) -> SearchWorkflow:
    skills = MergesTitles()
    found = skills, skills, TwoSources(), skills, skills, skills
    return SearchWorkflow(*found, handler, persistence=persistence, **options)


async def searched(*answers: Any) -> Persistence:
    """Take a search on the thread `t` to its end; return where it lives."""
    persistence = await open_memory()
    handler = ScriptedHandler(list(answers))
    workflow = two_sources(persistence, handler)
    await workflow.run("do bees dance?", thread_id="t")
    return persistence


_AUDITS: list[Audit] = []


async def reviewed() -> Audit:
    """Return the audit of three rounds, without pictures; it is made once."""
    if not _AUDITS:
        _AUDITS.append(await audit_of(await searched(*THREE_ROUNDS), "t", has_pictures=False))
    return _AUDITS[0]


def disagreements(flow: PrismaFlow) -> list[str]:
    """Return the sums of a flow that do not agree."""
    reasons = {"removal_reasons": "removed_by_checks", "exclusion_reasons": "excluded"}
    fields, sums = flow.model_dump(), dict[str, tuple[int, int]]()
    for whole, parts in {
        "identified": "removed_by_checks duplicates works",
        "works": "set_aside not_carried_over pending for_screening",
        "for_screening": "undecided not_judged screened",
        "screened": "excluded included",
    }.items():
        sums[whole] = fields[whole], sum(fields[part] for part in parts.split())
    for name, total in {"by_source": "identified", **reasons}.items():
        sums[name] = sum(fields[name].values()), fields[total]
    arrived = sum(counts.arrived for counts in flow.rounds)
    # A decision on a work that only a reopened round found counts, and so does its record.
    sums["rounds"] = arrived, min(arrived, flow.identified)
    if (texts := flow.full_texts) is not None:
        rest = texts.waiting + texts.not_retrieved + texts.unassessed
        sums["sought"] = texts.sought, flow.included
        sums["full texts"] = texts.sought, rest + texts.assessed
        sums["assessed"] = texts.assessed, texts.excluded + texts.included
        sums["full-text reasons"] = sum(texts.exclusion_reasons.values()), texts.excluded
    if flow.parts:
        before = flow.included_last - flow.parts[-1].included_last
        sums["previous_included"] = flow.previous_included or 0, before
        for name in ("identified", "duplicates", "works", "included"):
            sums[f"parts, {name}"] = sum(getattr(p, name) for p in flow.parts), fields[name]
    return [f"{name}: {a}, not {b}" for name, (a, b) in sums.items() if a != b]
