"""Every error that paper_search raises on purpose."""

from enum import Enum


def how_to_install(extra: str) -> str:
    """Return the command that brings what an extra needs, also for who runs a clone."""
    return f"pip install 'paper-search[{extra}]' (in a clone: .venv/bin/pip install '.[{extra}]')"


class PaperSearchError(Exception):
    """Base of all errors raised on purpose; its text is meant for people."""


class InputError(PaperSearchError, ValueError):
    """What was given cannot be used."""


class QuestionError(InputError):
    """A research question that is empty, blank or too long."""


class QuerySyntaxError(InputError):
    """A boolean query that cannot be read.

    `column`: where reading stopped, counted from 1. `line`: of a strategy; None if it is none.
    """

    def __init__(self, message: str, *, query: str, column: int, line: int | None = None) -> None:
        super().__init__(message)
        self.query = query
        self.column = column
        self.line = line


class UnknownFormatError(InputError):
    """Neither the name nor the content of a file tells what it is."""


class InvalidDecisionError(InputError):
    """An answer to a checkpoint that is not a decision; the question stays open."""


class UnknownNameError(InputError, LookupError):
    """A name that nothing is registered under."""

    def __init__(self, kind: str, name: str, known: list[str]) -> None:
        listed = ", ".join(sorted(known)) or "none"
        super().__init__(f"unknown {kind} {name!r}; known: {listed}")
        self.kind = kind
        self.name = name
        self.known = sorted(known)


class ConfigError(PaperSearchError, ValueError):
    """Settings that are missing or contradict each other."""


class SearchSourceError(PaperSearchError):
    """A source could not answer."""


class LLMFailure(str, Enum):
    """Why a language model gave no usable answer."""

    KEY = "key refused"
    QUOTA = "quota exceeded"
    UNKNOWN_MODEL = "unknown model"
    RATE_LIMIT = "rate limit"
    TIMEOUT = "time-out"
    UNREACHABLE = "server unreachable"
    SERVER = "server error"
    REQUEST = "request refused"
    REFUSAL = "refusal"
    CONTENT_FILTER = "content filter"
    ANSWER_TOO_LONG = "answer cut off"
    QUESTION_TOO_LONG = "question too long"
    UNREADABLE = "unreadable answer"
    BUDGET = "beyond the budget"
    OTHER = "failure of the model"

    @property
    def is_lasting(self) -> bool:
        """Whether every further call fails in the same way until a person changes something."""
        return self in {
            LLMFailure.KEY,
            LLMFailure.QUOTA,
            LLMFailure.UNKNOWN_MODEL,
            LLMFailure.BUDGET,
        }


class LLMError(PaperSearchError):
    """A language model could not answer."""

    reason = LLMFailure.OTHER

    def __init__(self, message: str = "", *, reason: LLMFailure | None = None) -> None:
        super().__init__(message)
        if reason is not None:
            self.reason = reason


class LLMAuthError(LLMError):
    """The model's key is missing or was refused."""

    reason = LLMFailure.KEY


class LLMRateLimitError(LLMError):
    """The model was asked too often, or what was paid for is used up."""

    reason = LLMFailure.RATE_LIMIT


class LLMTimeoutError(LLMError):
    """The model did not answer in time."""

    reason = LLMFailure.TIMEOUT


class ModelCallLimitError(LLMError):
    """What one piece of work may spend on a model is used up, or does not cover another call."""

    reason = LLMFailure.BUDGET


class LLMResponseError(LLMError):
    """The model's answer is not what was asked for."""

    reason = LLMFailure.UNREADABLE


class LLMLengthError(LLMResponseError):
    """The question or the answer was too long for the model; less may work."""

    reason = LLMFailure.QUESTION_TOO_LONG


class LLMRefusalError(LLMResponseError):
    """The model declined, or a content filter did; asking again is no use."""

    reason = LLMFailure.REFUSAL


class ThreadError(PaperSearchError, RuntimeError):  # LangGraph's API hides texts of other kinds
    """A thread is not in the state that the call needs."""


class ThreadNotFoundError(ThreadError, LookupError):
    """No thread of that id."""


class ThreadExistsError(ThreadError):
    """The thread already carries a search."""


class ThreadBusyError(ThreadError):
    """Another process drives the thread at this moment."""


class ThreadTakenOverError(ThreadBusyError):
    """This process held the thread, was silent for too long, and another one drives it now."""


class ThreadFinishedError(ThreadError):
    """The thread is done: there is nothing to resume."""


class ThreadWaitingError(ThreadError):
    """The thread waits for a decision and none was given."""


class ThreadNotWaitingError(ThreadError):
    """A decision was given and the thread waits for none; it was not used."""


class StaleDecisionError(ThreadError):
    """The decision answers a checkpoint that is not the open one."""


class AlreadyDecidedError(StaleDecisionError):
    """The question was decided before, and differently; that decision stands."""


class UnapprovedStrategyError(ThreadError):
    """A search was begun with a strategy that no person approved, on a thread that asks for it."""


class PersistenceError(PaperSearchError):
    """The database of threads cannot be opened, read or written."""


class DatabaseError(PersistenceError):
    """The whole of it cannot be; the message says where it is, which is no visitor's business."""


class LibraryError(PaperSearchError):
    """The local library cannot be opened, read or written."""


class EmbeddingError(PaperSearchError):
    """An embedding model gave no usable vector, or is not the one that made the others."""


class WorkflowDefinitionError(PaperSearchError, ValueError):
    """A table of steps that cannot work; `problems` are a sentence each, all of them."""

    def __init__(self, workflow: str, problems: list[str]) -> None:
        super().__init__(f"workflow {workflow!r}: " + "; ".join(problems))
        self.problems = problems


class WorkflowRunError(PaperSearchError):
    """A run that came to a step more often than its bound allows, or a step that cannot go on."""


class StepResultError(WorkflowRunError, KeyError):
    """What a step returned: no outcome of its table, no field of the state, or no such value."""

    __str__ = Exception.__str__


class DispatchError(PaperSearchError):
    """A workflow that work was handed over to cannot be found, reached or read."""


class ExportError(PaperSearchError):
    """An export cannot be written."""


class ZoteroError(PaperSearchError):
    """Zotero could not be asked, or refused; the text says what to do."""


class RequestRefusedError(PaperSearchError, RuntimeError):
    """A request that the server does not take; `status` is that of HTTP."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
