"""Every error that paper_search raises on purpose."""

from enum import Enum


def how_to_install(extra: str) -> str:
    """Return the command that installs an extra, from the index or in a clone."""
    return f"pip install 'paper-search[{extra}]' (in a clone: .venv/bin/pip install '.[{extra}]')"


class PaperSearchError(Exception):
    """Base of all errors raised on purpose; its text is meant for people."""


class InputError(PaperSearchError, ValueError):
    """The input cannot be used."""


class QuestionError(InputError):
    """A research question that is empty, blank or too long."""


class QuerySyntaxError(InputError):
    """A boolean query that cannot be read.

    `column`: where reading stopped, from 1. `line`: the line of a strategy; None for a query.
    """

    def __init__(self, message: str, *, query: str, column: int, line: int | None = None) -> None:
        super().__init__(message)
        self.query = query
        self.column = column
        self.line = line


class UnknownFormatError(InputError):
    """Neither the name nor the content of a file shows its format."""


class InvalidDecisionError(InputError):
    """An answer to a checkpoint that is not a decision; the question stays open."""


class UnknownNameError(InputError, LookupError):
    """A name under which nothing is registered."""

    def __init__(self, kind: str, name: str, known: list[str]) -> None:
        super().__init__(f"unknown {kind} {name!r}; known: {', '.join(sorted(known)) or 'none'}")
        self.kind = kind
        self.name = name
        self.known = sorted(known)


class ConfigError(PaperSearchError, ValueError):
    """Settings that are missing, invalid or contradictory."""


class SearchSourceError(PaperSearchError):
    """A source could not answer."""


class LLMFailure(str, Enum):
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
        """Whether all further calls will fail until a person changes something."""
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
    """The model was asked too often, or its quota is used up."""

    reason = LLMFailure.RATE_LIMIT


class LLMTimeoutError(LLMError):
    """The model did not answer in time."""

    reason = LLMFailure.TIMEOUT


class ModelCallLimitError(LLMError):
    """The budget for a model is used up, or does not cover another call."""

    reason = LLMFailure.BUDGET


class LLMResponseError(LLMError):
    """The model's answer does not have the requested form."""

    reason = LLMFailure.UNREADABLE


class LLMLengthError(LLMResponseError):
    """The question or the answer was too long for the model; a shorter one may work."""

    reason = LLMFailure.QUESTION_TOO_LONG


class LLMRefusalError(LLMResponseError):
    """The model or a content filter refused; asking again does not help."""

    reason = LLMFailure.REFUSAL


class ThreadError(PaperSearchError, RuntimeError):  # LangGraph's API hides messages of other types
    """A thread is not in the state that the call needs."""


class ThreadNotFoundError(ThreadError, LookupError):
    """No thread has this id."""


class ThreadExistsError(ThreadError):
    """A thread with this id exists already."""


class ThreadBusyError(ThreadError):
    """Another process is running the thread."""


class ThreadTakenOverError(ThreadBusyError):
    """This process did not respond for too long, and another one took over its thread."""


class ThreadFinishedError(ThreadError):
    """The thread is finished: there is nothing to resume."""


class ThreadWaitingError(ThreadError):
    """The thread is waiting for a decision, and none was given."""


class ThreadNotWaitingError(ThreadError):
    """The thread is not waiting for a decision; the given one was not used."""


class StaleDecisionError(ThreadError):
    """The decision answers a checkpoint that is not the open one."""


class AlreadyDecidedError(StaleDecisionError):
    """The question already has a different decision, which counts."""


class UnapprovedStrategyError(ThreadError):
    """A search would run without the approval that its thread requires."""


class PersistenceError(PaperSearchError):
    """The database of threads cannot be opened, read or written."""


class DatabaseError(PersistenceError):
    """The whole database cannot be used; no visitor may see the message, which has its address."""


class LibraryError(PaperSearchError):
    """The local library cannot be opened, read or written."""


class EmbeddingError(PaperSearchError):
    """An embedding model returned no usable vector, or is not the one that made the others."""


class WorkflowDefinitionError(PaperSearchError, ValueError):
    """A table of steps with errors; `problems` has all of them, one sentence each."""

    def __init__(self, workflow: str, problems: list[str]) -> None:
        super().__init__(f"workflow {workflow!r}: " + "; ".join(problems))
        self.problems = problems


class WorkflowRunError(PaperSearchError):
    """A run exceeded the bound of a step, or a step cannot continue."""


class StepResultError(WorkflowRunError, KeyError):
    """A step returned an unknown outcome, an unknown field, or an invalid value."""

    __str__ = Exception.__str__


class DispatchError(PaperSearchError):
    """A workflow that a step hands over to cannot be found, reached or read."""


class ExportError(PaperSearchError):
    """An export cannot be written."""


class ZoteroError(PaperSearchError):
    """Zotero could not be reached, or refused; the message says what to do."""


class RequestRefusedError(PaperSearchError, RuntimeError):
    """A request that the server refuses with an HTTP `status`."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
