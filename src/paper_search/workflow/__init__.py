"""The paper-search graph, and SearchWorkflow, which drives it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paper_search import names_on_first_use

if TYPE_CHECKING:
    from paper_search.threads.catalog import ThreadStatus
    from paper_search.workflow.checkpoints import (
        Checkpoint,
        CheckpointHandler,
        CheckpointKind,
        CheckpointRef,
        Decision,
        DecisionAction,
        ResultPayload,
        StrategyPayload,
    )
    from paper_search.workflow.engine import SearchWorkflow
    from paper_search.workflow.listing import ThreadCatalog, ThreadInfo
    from paper_search.workflow.session import ThreadDetail
    from paper_search.workflow.state import IterationRecord, SearchParams, WorkflowState
else:  # a list of threads does without what drives them
    __getattr__ = names_on_first_use(
        __name__,
        {
            "paper_search.threads.catalog": "ThreadStatus",
            ".checkpoints": "Checkpoint CheckpointHandler CheckpointKind CheckpointRef "
            "Decision DecisionAction ResultPayload StrategyPayload",
            ".engine": "SearchWorkflow",
            ".listing": "ThreadCatalog ThreadInfo",
            ".session": "ThreadDetail",
            ".state": "IterationRecord SearchParams WorkflowState",
        },
    )

__all__ = [
    "Checkpoint",
    "CheckpointHandler",
    "CheckpointKind",
    "CheckpointRef",
    "Decision",
    "DecisionAction",
    "IterationRecord",
    "ResultPayload",
    "SearchParams",
    "SearchWorkflow",
    "StrategyPayload",
    "ThreadCatalog",
    "ThreadDetail",
    "ThreadInfo",
    "ThreadStatus",
    "WorkflowState",
]
