"""SearchWorkflow: the paper-search graph, driven from Python."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticCustomError

from paper_search.errors import ConfigError, InvalidDecisionError
from paper_search.llm.metering import Metering
from paper_search.models import PaperCollection, UserFeedback
from paper_search.persistence import Persistence
from paper_search.threads.engine import ProgressReporter, ThreadEngine, admit, thread_name
from paper_search.threads.questions import OpenQuestion
from paper_search.workflow.checkpoints import (
    Checkpoint,
    CheckpointHandler,
    CheckpointKind,
    CheckpointRef,
    Decision,
    DecisionAction,
    ResultPayload,
)
from paper_search.workflow.judging import JudgingReport
from paper_search.workflow.questions import markable_ids
from paper_search.workflow.results import empty_collection
from paper_search.workflow.results import merge_papers as _merge_accumulated
from paper_search.workflow.session import SearchSession
from paper_search.workflow.skills import (
    BuildsQueries,
    Deduplicates,
    FillsGaps,
    Organizes,
    ParsesIntent,
    Scopes,
    Scores,
    Searches,
    Skills,
)
from paper_search.workflow.state import DEFAULT_MAX_ITERATIONS, SearchParams, WorkflowState

if TYPE_CHECKING:
    from paper_search.config import AppConfig
    from paper_search.models.usage import Budget


logger = logging.getLogger(__name__)

_PHASE_OF_STEP = {
    "parse_intent": "intent_parsing",
    "build_strategy": "query_building",
    "search": "searching",
    "deduplicate": "deduplicating",
    "score": "scoring",
    "organize": "organizing",
}


class SearchWorkflow(ThreadEngine[SearchSession, Checkpoint, PaperCollection]):
    """Finds literature with a person in the loop, on threads that can be resumed.

    Args:
        intent_parser: question to intent.
        query_builder: intent to strategy.
        searcher: strategy to records.
        deduplicator: records to works.
        relevance_scorer: works to verdicts.
        result_organizer: verdicts to a collection.
        checkpoint_handler: answers the checkpoints; None if `run` asks nobody.
        max_iterations: after so many answers the search ends without an approval; 0: at once, with
            an empty collection.
        enable_strategy_checkpoint: ask before searching.
        progress_reporter: takes a phase and its details; its exceptions are only logged.
        persistence: where threads are stored: a URL, or an open `Persistence`; None: in memory,
            until this object is gone.
        sources: search only these; None for the strategy's choice.
        max_results: return at most this many papers; None for no limit.
        must_find: papers that a good search finds, by DOI, arXiv id, PMID or title.
        gap_filler: looks up missing fields of works, in runs with `enrich`.
        enrich: whether new runs look up missing fields.
        scoper: counts hits before the strategy is shown; None to leave that out.
        budget: what a new thread may spend on models; None for no limit.
        metering: counts model calls; None to count them in the state only.

    Raises:
        ConfigError: a limit is out of its range.
    """

    waiting_phase = "waiting_checkpoint"

    def __init__(  # noqa: PLR0913, PLR0917  # the frozen interface
        self,
        intent_parser: ParsesIntent,
        query_builder: BuildsQueries,
        searcher: Searches,
        deduplicator: Deduplicates,
        relevance_scorer: Scores,
        result_organizer: Organizes,
        checkpoint_handler: CheckpointHandler | None = None,
        max_iterations: int = DEFAULT_MAX_ITERATIONS,
        enable_strategy_checkpoint: bool = True,  # noqa: FBT001, FBT002  # the frozen interface
        progress_reporter: ProgressReporter | None = None,
        *,
        persistence: str | Persistence | None = None,
        sources: list[str] | None = None,
        max_results: int | None = None,
        must_find: Sequence[str] = (),
        gap_filler: FillsGaps | None = None,
        enrich: bool = False,
        scoper: Scopes | None = None,
        budget: Budget | None = None,
        metering: Metering | None = None,
    ) -> None:
        super().__init__(
            SearchSession,
            handler=checkpoint_handler,
            progress=progress_reporter,
            persistence=persistence,
        )
        self._intent_parser = intent_parser
        self._query_builder = query_builder
        self._searcher = searcher
        self._deduplicator = deduplicator
        self._relevance_scorer = relevance_scorer
        self._result_organizer = result_organizer
        self._max_iterations = max_iterations
        self._enable_strategy_checkpoint = enable_strategy_checkpoint
        self._limits = {
            "sources": sources,
            "max_results": max_results,
            "must_find": list(must_find),
            "enrich": enrich,
            "budget": budget,
        }
        self._has_no_sources = False
        self._skills = Skills(
            intent_parser,
            query_builder,
            searcher,
            deduplicator,
            relevance_scorer,
            result_organizer,
            gap_filler,
            scoper,
            metering=metering or Metering(),
        )
        self._settings(is_asking=True)

    @classmethod
    def from_config(  # noqa: PLR0913  # the frozen interface
        cls,
        config: AppConfig,
        checkpoint_handler: CheckpointHandler | None = None,
        max_iterations: int = DEFAULT_MAX_ITERATIONS,
        enable_strategy_checkpoint: bool = True,  # noqa: FBT001, FBT002  # the frozen interface
        progress_reporter: ProgressReporter | None = None,
        *,
        persistence: str | Persistence | None = None,
        sources: list[str] | None = None,
        max_results: int | None = None,
        must_find: Sequence[str] = (),
        enrich: bool | None = None,
        budget: Budget | None = None,
    ) -> SearchWorkflow:
        """Return the workflow that the settings describe; for other arguments, see the class.

        `sources`: search only these, even if the settings disable them. `enrich`, `budget`: None
        for the values in the settings.

        Raises:
            ConfigError: a model or a source lacks a required setting, or a model has no price
                although the budget is an amount of money.
            UnknownNameError: a source of that name is not installed.
        """
        from paper_search.workflow.assembly import assemble_skills  # noqa: PLC0415  # slow import

        skills = assemble_skills(config, sources)
        workflow = cls(
            skills.intent_parser,
            skills.query_builder,
            skills.searcher,
            skills.deduplicator,
            skills.relevance_scorer,
            skills.result_organizer,
            checkpoint_handler,
            max_iterations,
            enable_strategy_checkpoint,
            progress_reporter,
            persistence=persistence,
            sources=sources,
            max_results=max_results,
            must_find=must_find,
            enrich=config.enrich if enrich is None else enrich,
            budget=skills.metering.check_budget(budget or config.budget),
        )
        workflow._has_no_sources, workflow._skills = not skills.source_names, skills
        return workflow

    async def fork(
        self,
        thread_id: str,
        kind: CheckpointKind,
        iteration: int | None = None,
        *,
        by: str | None = None,
    ) -> Checkpoint | PaperCollection:
        """Go back to an answered question, and ask it again.

        `iteration`: its round, from 0; None for the latest answered one. `by`: who goes back; None
        for the current user. Raises the errors of `go_back`.
        """
        kind = CheckpointKind(kind)  # its name, as answers have it, is as good
        round_words = "" if iteration is None else f" of round {iteration + 1}"
        words = kind.value.partition("_")[0] + round_words

        def is_wanted(reference: CheckpointRef) -> bool:
            return reference.kind is kind and iteration in {None, reference.iteration}

        return await self.go_back(thread_id, is_wanted, words, by=by)

    async def judge(self, thread_id: str, *, is_all: bool = False) -> JudgingReport:
        """Have the model judge the papers of the latest result, whose question stays open.

        `is_all`: also those that are judged already; judgements by the same criteria are reused.
        Raises the errors of `answer`; ThreadNotWaitingError if there are no papers yet;
        ConfigError if no model is configured.
        """
        async with self._session(thread_name(thread_id)) as session, session.lease():
            return await session.judge_again(self._skills, is_all=is_all)

    @contextlib.asynccontextmanager
    async def hold(self, thread_id: str) -> AsyncIterator[SearchSession]:
        async with self._session(thread_name(thread_id)) as session, session.lease():
            yield session

    @property
    def _checkpoint_handler(self) -> CheckpointHandler | None:
        handler: CheckpointHandler | None = self._handler
        return handler

    def _settings(self, *, is_asking: bool) -> SearchParams:
        settings = {
            "max_iterations": self._max_iterations,
            "enable_strategy_checkpoint": is_asking and self._enable_strategy_checkpoint,
            "enable_result_checkpoint": is_asking,
            **self._limits,
        }
        return admit(SearchParams, settings, SearchSession.noun)

    def _services_on(self, persistence: Persistence) -> Skills:
        del persistence
        if self._has_no_sources:
            raise ConfigError(
                "no source is enabled, so nothing could be found: take the settings from "
                "load_config(), or name a source, such as "
                'AppConfig(sources={"openalex": SearchSourceConfig(name="openalex")})'
            )
        return self._skills

    async def _ask(self, session: SearchSession, waiting: OpenQuestion[Checkpoint]) -> None:
        handler: CheckpointHandler = self._require_handler(waiting)
        self._announce(waiting)
        decision = await handler.handle(waiting.question)
        answer = _with_coerced_feedback(decision, waiting.question, markable_ids(waiting.state))
        try:
            await session.answer(waiting, answer)
        except InvalidDecisionError as error:
            if isinstance(answer, Decision) and isinstance(answer.revised_data, dict | BaseModel):
                raise _as_validation_error(error) from error
            raise

    async def _result(self, session: SearchSession) -> tuple[PaperCollection, dict[str, Any]]:
        state = await session.state()
        collection = await session.result(state) or empty_collection(state.question)
        iteration = max(0, state.current_iteration - 1)
        return collection, {"papers": len(collection.papers), "iteration": iteration}

    def _phase_of(self, event: str, details: Mapping[str, Any]) -> str | None:
        if event == "begun":
            return _PHASE_OF_STEP.get(str(details.get("step")))
        return event if event == "iterating" else None


def _with_coerced_feedback(decision: Any, checkpoint: Checkpoint, known_ids: frozenset[str]) -> Any:
    """Return a handler's decision in the form that the graph takes.

    Invalid parts of a handler's feedback are dropped (seed REQ-17). Answers from elsewhere are
    refused instead, so that a typo is not read as "no feedback". Anything but a `Decision` is
    left to the decoder.
    """
    if not isinstance(decision, Decision):
        return decision
    at_strategy = not isinstance(checkpoint.payload, ResultPayload)
    if at_strategy and decision.action is DecisionAction.APPROVE:
        return decision.model_copy(update={"revised_data": None})
    if at_strategy and decision.action is DecisionAction.EDIT:
        return decision
    if decision.action is DecisionAction.APPROVE and decision.revised_data is None:
        return decision
    feedback = _coerce_feedback(decision)
    relevant = _marks_of_result(feedback.marked_relevant, known_ids)
    irrelevant = _marks_of_result(feedback.marked_irrelevant, known_ids)
    if both := sorted(set(relevant) & set(irrelevant)):
        logger.warning("marked both relevant and irrelevant, counted as relevant: %s", both)
    marks = {
        "marked_relevant": relevant,
        "marked_irrelevant": [paper_id for paper_id in irrelevant if paper_id not in relevant],
    }
    plain = feedback.model_copy(update=marks).model_dump(mode="json")
    return decision.model_copy(update={"revised_data": plain})


def _as_validation_error(error: InvalidDecisionError) -> ValidationError:
    """Return the error that the seeds raise for a handler's invalid edit, without its values."""
    wrong = PydanticCustomError("invalid_edit", "{reason}", {"reason": str(error)})
    return ValidationError.from_exception_data(
        "Decision", [{"type": wrong, "loc": ("revised_data",), "input": None}], hide_input=True
    )


def _marks_of_result(ids: list[str], known_ids: frozenset[str]) -> list[str]:
    if unknown := [paper_id for paper_id in ids if paper_id not in known_ids]:
        logger.warning("ignored marks on papers that are not in this result: %s", unknown)
    return [paper_id for paper_id in ids if paper_id in known_ids]


def _coerce_feedback(decision: Decision) -> UserFeedback:
    """Return the feedback in a decision: its `revised_data` if that is one, else its note."""
    if isinstance(decision.revised_data, UserFeedback):
        return decision.revised_data
    if isinstance(decision.revised_data, dict):
        with contextlib.suppress(ValidationError):
            return UserFeedback.model_validate(decision.revised_data)
    return UserFeedback(free_text_feedback=decision.note or "")


def _accumulate_relevant(
    state: WorkflowState, collection: PaperCollection, feedback: UserFeedback
) -> None:
    relevant = set(feedback.marked_relevant)
    state.add_accumulated([paper for paper in collection.papers if paper.id in relevant])


__all__ = ["SearchWorkflow", "_accumulate_relevant", "_coerce_feedback", "_merge_accumulated"]
