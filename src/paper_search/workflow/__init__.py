"""The paper-search graph, and SearchWorkflow, which drives it."""

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
from paper_search.workflow.session import ThreadCatalog, ThreadDetail, ThreadInfo
from paper_search.workflow.state import IterationRecord, SearchParams, WorkflowState

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
