"""The answer in the options of `resume`."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paper_search.cli.failures import UsageMistakeError
from paper_search.errors import InputError, InvalidDecisionError
from paper_search.models import MergeDecision, UserFeedback
from paper_search.workflow.checkpoints import ResultPayload

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paper_search.workflow import Checkpoint


@dataclass(frozen=True)
class Answer:
    """What a person said with options; becomes a decision when the question is known."""

    action: str
    edit: Any = None
    """The content of the file of `--edit`."""
    relevant: str | None = None
    irrelevant: str | None = None
    note: str | None = None
    same: str | None = None
    different: str | None = None
    split: str | None = None
    token: str | None = None
    """Names the question; None: it is not named."""
    reason: str | None = None
    """Why papers are relevant or irrelevant."""
    is_waiting: bool = False
    """Whether slow sources are waited for."""

    @classmethod
    def chosen(  # noqa: PLR0913, PLR0917  # one for each option
        cls,
        approve: bool,
        edit: Path | None,
        reject: str | None,
        relevant: str | None,
        irrelevant: str | None,
        note: str | None,
        works: tuple[str | None, str | None, str | None] = (None, None, None),
        token: str | None = None,
        reason: str | None = None,
        *,
        wait: bool = False,
    ) -> Answer | None:
        """Return the answer in the options; None: they hold none.

        Raises:
            UsageMistakeError: the options exclude each other.
            InputError: the file of `--edit` cannot be read, or is not JSON.
        """
        options = {"--approve": approve, "--edit": edit, "--reject": reject}
        given = [
            name for name, value in options.items() if value is not None and value is not False
        ]
        if len(given) > 1:
            raise UsageMistakeError(f"{' and '.join(given)} cannot be combined; give one of them")
        if reason is not None and relevant is None and irrelevant is None:
            raise UsageMistakeError("--reason says why papers are marked: give --irrelevant IDS")
        if wait and (given or note is not None):
            raise UsageMistakeError(
                f"--wait cannot be combined with {given[0] if given else '--note'}: the result is "
                "shown again when the rest is there"
            )
        has_marks = any(mark is not None for mark in (relevant, irrelevant, *works))
        if edit is not None:
            if has_marks:
                raise UsageMistakeError(
                    "--edit cannot be combined with --relevant, --irrelevant, --same, --different "
                    "or --split: put them in FILE"
                )
            return cls("edit", edit=document(edit), note=note, token=token)
        if reject is not None and note is not None:
            raise UsageMistakeError("--reject already has a note; leave --note out")
        if not given and not has_marks and note is None and not wait:
            return None
        action = "approve" if approve else "reject" if reject is not None else "edit"
        words = reject if reject is not None else note
        return cls(action, None, relevant, irrelevant, words, *works, token, reason, wait)

    def decision(self, checkpoint: Checkpoint | None) -> Any:
        """Return the decision on a checkpoint.

        Args:
            checkpoint: that is open; None: the answer names another one, or there is none.

        Raises:
            InvalidDecisionError: a paper is marked that is not there, or papers where none are.
        """
        named = {"token": self.token} if self.token else {}
        if self.edit is not None:
            if isinstance(self.edit, dict) and "action" in self.edit:
                noted = {"note": self.note} if self.note is not None else {}
                return named | self.edit | noted
            return {"action": "edit", "revised_data": self.edit, "note": self.note, **named}
        data = self._feedback(checkpoint) if checkpoint is not None else None
        if self.is_waiting:
            data = {**(data or {}), "wait_for_sources": True}
        return {"action": self.action, "revised_data": data, "note": self.note or None, **named}

    def _feedback(self, checkpoint: Checkpoint) -> dict[str, Any] | None:
        if not isinstance(checkpoint.payload, ResultPayload):
            if self._has_marks:
                raise InvalidDecisionError(
                    "the open question is about the strategy: there are no papers to mark yet"
                )
            if self.is_waiting:
                raise InvalidDecisionError(
                    "the open question is about the strategy: no source was asked yet"
                )
            if self.action == "edit":
                raise InvalidDecisionError(
                    "--note alone does not answer the question about the strategy; "
                    "give --approve, --edit FILE or --reject NOTE"
                )
            return None
        if self.action != "edit" and not self._has_marks:
            return None
        listed = [paper.id for paper in checkpoint.payload.collection.every_paper]
        relevant, irrelevant = (
            _marked(words, listed) for words in (self.relevant, self.irrelevant)
        )
        feedback = UserFeedback(
            marked_relevant=relevant,
            marked_irrelevant=irrelevant,
            reasons=dict.fromkeys(irrelevant or relevant, self.reason) if self.reason else {},
            free_text_feedback=self.note,
            merge_decisions=self._merge_decisions(checkpoint.payload),
        )
        return feedback.model_dump(mode="json")

    @property
    def counts_papers(self) -> bool:
        """Whether it speaks of papers by what the open question shows."""
        is_about_result = self.action == "edit" and not self.is_waiting
        return self.edit is None and (self._has_marks or is_about_result)

    @property
    def _has_marks(self) -> bool:
        given = (self.relevant, self.irrelevant, self.same, self.different, self.split)
        return any(mark is not None for mark in given)

    def _merge_decisions(self, payload: ResultPayload) -> list[MergeDecision]:
        return [
            *(answered(payload, self.same, is_same=True) if self.same is not None else []),
            *(
                answered(payload, self.different, is_same=False)
                if self.different is not None
                else []
            ),
            *(split_up(payload, self.split) if self.split is not None else []),
        ]


def _marked(words: str | None, listed: list[str]) -> list[str]:
    return [] if words is None else paper_ids(words, listed)


def document(path: Path) -> Any:
    """Return the JSON in a file, or on stdin for '-'.

    Raises:
        InputError: it cannot be read.
        InvalidDecisionError: it is not JSON, or null.
    """
    try:
        content = sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{str(path)!r} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{str(path)!r} is not UTF-8 text: {error}") from error
    try:
        document = json.loads(content)
    except (json.JSONDecodeError, RecursionError) as error:
        raise InvalidDecisionError(
            f"{str(path)!r} is not JSON: {error}; the question stays open"
        ) from error
    if document is None:
        raise InvalidDecisionError(
            f"{str(path)!r} contains null instead of a decision; the question stays open"
        )
    return document


_SEPARATOR = re.compile(r"[\s,;]+")
_RANGE = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")


def paper_ids(words: str, listed: Sequence[str]) -> list[str]:
    """Return the ids that are meant, each once, in the order given.

    Args:
        words: ids, numbers from 1 and ranges of them, separated by blanks or commas.
        listed: the ids of the papers in the order in which they are numbered.

    Raises:
        InvalidDecisionError: naming the first word that is neither.
    """
    known = set(listed)
    meant: list[str] = []
    for word in filter(None, _SEPARATOR.split(words)):
        if word in known:
            meant.append(word)
            continue
        match = _RANGE.fullmatch(word)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= first <= last <= len(listed):
            raise InvalidDecisionError(
                f"no such paper: {word!r}; give numbers from 1 to {len(listed)} "
                "(such as 1 3 5-8) or ids"
            )
        meant.extend(listed[first - 1 : last])
    if not meant:
        raise InvalidDecisionError("no paper given; name them by number, such as 1 3 5-8")
    return list(dict.fromkeys(meant))


def answered(payload: ResultPayload, words: str, *, is_same: bool) -> list[MergeDecision]:
    """Return the answers to the "same work?" questions of these numbers: `1 3`.

    Raises:
        InvalidDecisionError: there is no such question.
    """
    if not payload.same_work:
        raise InvalidDecisionError('this result has no "same work?" questions')
    numbers = [str(number) for number in range(1, len(payload.same_work) + 1)]
    try:
        chosen = paper_ids(words, numbers)
    except InvalidDecisionError:
        raise InvalidDecisionError(
            f"no such pair: {words!r}; give numbers from 1 to {len(numbers)}"
        ) from None
    pairs = [payload.same_work[int(number) - 1] for number in chosen]
    return [MergeDecision(one=pair.one, other=pair.other, is_same=is_same) for pair in pairs]


def split_up(payload: ResultPayload, words: str) -> list[MergeDecision]:
    """Return the word that the records of each of these papers are works of their own.

    Raises:
        InvalidDecisionError: there is no such paper, or it was not merged.
    """
    papers = {paper.id: paper for paper in payload.collection.papers}
    decisions = []
    for paper_id in paper_ids(words, list(papers)):
        members = papers[paper_id].merged_from
        if len(members) < 2:  # noqa: PLR2004  # one record cannot be taken apart
            raise InvalidDecisionError(
                f"paper {paper_id!r} was not merged; there is nothing to split"
            )
        decisions += [
            MergeDecision(one=one, other=other, is_same=False)
            for one, other in combinations(members, 2)
        ]
    return decisions
