"""When to stop asking a model that cannot answer."""

from __future__ import annotations

import logging

from paper_search.errors import LLMError, LLMFailure

_LASTING = 2
"""Equal failures in a row, of a kind that will not pass, after which nothing more is asked."""
_PASSING = 3
"""Failures in a row that have nothing to do with what is asked; each was tried several times."""
_ANY = 6
"""Failures in a row of any kind: as many as it takes to find one paper that a model refuses."""
_OF_THE_ANSWER = frozenset(
    {
        LLMFailure.REFUSAL,
        LLMFailure.CONTENT_FILTER,
        LLMFailure.ANSWER_TOO_LONG,
        LLMFailure.QUESTION_TOO_LONG,
        LLMFailure.UNREADABLE,
    }
)
_log = logging.getLogger(__name__)


class Breaker:
    """Counts failures in a row.

    Attributes:
        why: the failure that ended the asking; None: it goes on.
        has_worked: whether the model ever answered.
    """

    def __init__(self) -> None:
        self.why: LLMFailure | None = None
        self.has_worked = False
        self._failures: list[tuple[LLMFailure, bool]] = []

    def worked(self) -> None:
        """Take note of an answer that could be used."""
        self.has_worked = True
        self._failures.clear()

    def failed(self, reason: LLMFailure, *, is_smallest: bool) -> None:
        """Take note of a failure.

        Args:
            reason: of the failure.
            is_smallest: nothing smaller can be asked: an answer that is cut off stays so.
        """
        is_cut = reason in {LLMFailure.ANSWER_TOO_LONG, LLMFailure.QUESTION_TOO_LONG}
        this = (reason, reason.is_lasting or (is_cut and is_smallest))
        self._failures.append(this)
        is_final = this[1] and self._failures[-_LASTING:] == [this] * _LASTING
        # Nobody may spend more: the second question would be refused just as well.
        is_final = is_final or reason is LLMFailure.BUDGET or len(self._failures) >= _ANY
        latest = [kind for kind, _ in self._failures[-_PASSING:]]
        is_down = len(latest) == _PASSING and not _OF_THE_ANSWER & set(latest)
        if self.why is None and (is_final or is_down):
            self.why = reason
            _log.warning("no more papers are judged: %s", reason.value)


def reason_of(error: BaseException) -> LLMFailure:
    """Return why a model failed; what is no error of ours is a failure of another kind."""
    return error.reason if isinstance(error, LLMError) else LLMFailure.OTHER
