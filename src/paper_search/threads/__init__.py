"""Threads of any graph: started, asked, answered, resumed, listed and deleted.

A graph brings its table of steps, its question and its result; what drives it is here.
"""

from paper_search.threads.catalog import BriefInfo, Catalog, DecisionInfo, ThreadStatus
from paper_search.threads.engine import ThreadEngine
from paper_search.threads.questions import (
    OpenQuestion,
    QuestionRef,
    ThreadDecision,
    ThreadQuestion,
    answer_model,
)
from paper_search.threads.records import RecordStore
from paper_search.threads.session import ThreadSession

__all__ = [
    "BriefInfo",
    "Catalog",
    "DecisionInfo",
    "OpenQuestion",
    "QuestionRef",
    "RecordStore",
    "ThreadDecision",
    "ThreadEngine",
    "ThreadQuestion",
    "ThreadSession",
    "ThreadStatus",
    "answer_model",
]
