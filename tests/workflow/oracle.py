"""The seeds' algorithm in plain Python: what the graph is compared with."""

from dataclasses import dataclass, field
from typing import Any

from paper_search import models
from paper_search.skills.result_organizer import facets_of
from paper_search.testing.skills import FakeSkills
from paper_search.workflow import Checkpoint, CheckpointKind


@dataclass
class Oracle:
    """Runs a sequence of actions and remembers everything that can be compared."""

    skills: FakeSkills
    max_iterations: int
    has_strategy_checkpoint: bool = True
    asked: list[tuple[str, int]] = field(default_factory=list)
    history: list[tuple[models.SearchStrategy, int, models.UserFeedback | None]] = field(
        default_factory=list
    )
    accumulated: list[models.Paper] = field(default_factory=list)
    is_approved: bool = False

    async def run(self, question: str, actions: list[str]) -> models.PaperCollection:
        replies = iter(actions)
        intent = await self.skills.parse(question)
        latest: models.PaperCollection | None = None
        while len(self.history) < self.max_iterations:
            strategy = await self.skills.build(
                models.QueryBuilderInput(
                    intent=intent,
                    previous_strategies=[entry[0] for entry in self.history],
                    user_feedback=self.history[-1][2] if self.history else None,
                )
            )
            if self.has_strategy_checkpoint:
                self.asked.append(("strategy_confirmation", len(self.history)))
                action = next(replies)
                if action == "edit":
                    strategy = edited(strategy)
                elif action == "reject":
                    self.history.append((strategy, 0, models.UserFeedback(free_text_feedback="no")))
                    continue
            raw = await self.skills.search(strategy)
            works = await self.skills.deduplicate(raw)
            scored = await self.skills.score(works, intent)
            latest = await self.skills.organize(scored, strategy, question)
            self.asked.append(("result_review", len(self.history)))
            action = next(replies)
            if action == "approve":
                self.history.append((strategy, len(latest.papers), None))
                self.is_approved = True
                return self._merged(latest)
            feedback = (
                models.UserFeedback(marked_relevant=[latest.papers[-1].id])
                if action == "edit"
                else models.UserFeedback(free_text_feedback="no")
            )
            known = {paper.id for paper in self.accumulated}
            self.accumulated += [
                paper
                for paper in latest.papers
                if paper.id in feedback.marked_relevant and paper.id not in known
            ]
            self.history.append((strategy, len(latest.papers), feedback))
        return self._merged(latest) if latest else empty(question)

    def _merged(self, collection: models.PaperCollection) -> models.PaperCollection:
        known = {paper.id for paper in collection.papers}
        extra = [paper for paper in self.accumulated if paper.id not in known]
        if not extra:
            return collection
        papers = [*collection.papers, *extra]
        update = {"papers": papers, "facets": facets_of(papers)}
        return collection.model_copy(update=update)


def edited(strategy: models.SearchStrategy) -> models.SearchStrategy:
    """Return what the test's person makes of a strategy."""
    query = strategy.queries[0]
    text = f"{query.boolean_query}_edited"
    return strategy.model_copy(
        update={"queries": [query.model_copy(update={"boolean_query": text})]}
    )


def decision_of(action: str, checkpoint: Checkpoint) -> dict[str, Any]:
    """Return what the test's person answers for an action."""
    payload: Any = checkpoint.payload
    data: Any = None
    if action == "edit" and checkpoint.kind is CheckpointKind.STRATEGY_CONFIRMATION:
        data = edited(payload.strategy).model_dump(mode="json")
    elif action == "edit":
        data = {"marked_relevant": [payload.collection.papers[-1].id]}
    note = "no" if action == "reject" else None
    return {"action": action, "revised_data": data, "note": note}


def empty(question: str) -> models.PaperCollection:
    strategy = models.SearchStrategy(queries=[], sources=[], filters=models.SearchConstraints())
    return models.PaperCollection(
        metadata=models.SearchMetadata(query=question, search_strategy=strategy, total_found=0),
        papers=[],
        facets=models.Facets(),
    )
