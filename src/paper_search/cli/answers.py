"""Answers given as options of `resume`, and the papers that they name."""

import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from paper_search.cli.console import UsageMistakeError
from paper_search.errors import InputError, InvalidDecisionError
from paper_search.models import MergeDecision, UserFeedback
from paper_search.workflow.checkpoints import Checkpoint, ResultPayload


@dataclass(frozen=True)
class Answer:
    """The options that answer a question; `decision` combines them with the question."""

    approve: bool = False
    edit: Any = None
    """The JSON in the file of `--edit`."""
    reject: str | None = None
    note: str | None = None
    token: str | None = None
    skip: bool = False
    relevant: str | None = None
    irrelevant: str | None = None
    reason: str | None = None
    same: str | None = None
    different: str | None = None
    split: str | None = None
    wait: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether no answer is given; a token alone is not an answer."""
        return not (self._actions or self._marks or self.wait or self.note is not None)

    @property
    def depends_on_question(self) -> bool:
        """Whether the decision depends on the papers that the open question shows."""
        return self.edit is None and bool(self._marks or not (self._actions or self.wait))

    @property
    def _actions(self) -> list[str]:
        options = {
            "--approve": self.approve or None,
            "--edit": self.edit,
            "--reject": self.reject,
            "--skip": self.skip or None,
        }
        return [name for name, value in options.items() if value is not None]

    @property
    def _marks(self) -> list[str]:
        marks = (self.relevant, self.irrelevant, self.same, self.different, self.split)
        return [mark for mark in marks if mark is not None]

    def check_for_search(self) -> None:
        _refuse_several(self._actions)
        if self.reason is not None and self.relevant is None and self.irrelevant is None:
            raise UsageMistakeError("--reason explains marks: give --irrelevant IDS as well")
        if self.wait and (self._actions or self.note is not None):
            other = next(iter(self._actions), "--note")
            raise UsageMistakeError(
                f"--wait cannot be combined with {other}: you review the result again when the "
                "slow sources are done"
            )
        if self.edit is not None and self._marks:
            raise UsageMistakeError(
                "--edit cannot be combined with --relevant, --irrelevant, --same, --different "
                "or --split: put them in FILE"
            )
        if self.reject is not None and self.note is not None:
            raise UsageMistakeError("--reject already has a note; omit --note")

    def check_for_report(self) -> None:
        if self._marks or self.reason is not None or self.wait:
            raise UsageMistakeError(
                "this thread is a report, and only searches have papers to mark and sources to "
                "wait for: answer with --approve, --edit FILE, --note WORDS or --reject NOTE"
            )
        has_note = self.note is not None and self.edit is None
        _refuse_several([*self._actions, *(["--note"] if has_note else [])])

    def decision(self, checkpoint: Checkpoint | None) -> dict[str, Any]:
        """Return the decision, in the form common to all graphs.

        `checkpoint`: the open one of a search; None for a report or an answer to another one.
        """
        token = {"token": self.token} if self.token else {}
        if self.edit is not None:  # a whole decision, or only what it changes
            is_whole = isinstance(self.edit, dict) and "action" in self.edit
            decision = self.edit if is_whole else {"action": "edit", "revised_data": self.edit}
            if self.note is not None:  # overrides the file, under either name
                rest = {name: value for name, value in decision.items() if name != "feedback"}
                decision = {**rest, "note": self.note}
            return {**token, **decision}
        words = {"--approve": "approve", "--reject": "reject", "--skip": "skip"}
        action = next((words[name] for name in self._actions), "edit")
        note = self.note if self.reject is None else self.reject
        data = self._feedback(checkpoint, action, note) if checkpoint is not None else None
        if self.wait:
            data = {**(data or {}), "wait_for_sources": True}
        return {"action": action, "revised_data": data, "note": note or None, **token}

    def _feedback(
        self, checkpoint: Checkpoint, action: str, note: str | None
    ) -> dict[str, Any] | None:
        payload = checkpoint.payload
        if not isinstance(payload, ResultPayload):
            about = "the open question is about the strategy: "
            if self._marks:
                raise InvalidDecisionError(f"{about}there are no papers to mark yet")
            if self.wait:
                raise InvalidDecisionError(f"{about}no source has been searched yet")
            if action == "edit":
                raise InvalidDecisionError(
                    "--note alone does not answer the question about the strategy; "
                    "give --approve, --edit FILE or --reject NOTE"
                )
            return None
        if action != "edit" and not self._marks:
            return None
        paper_list = [paper.id for paper in payload.collection.every_paper]
        relevant, irrelevant = (
            [] if words is None else paper_ids(words, paper_list)
            for words in (self.relevant, self.irrelevant)
        )
        merges = pairs_of(payload, self.same, is_same=True)
        merges += pairs_of(payload, self.different, is_same=False)
        feedback = UserFeedback(
            marked_relevant=relevant,
            marked_irrelevant=irrelevant,
            reasons=dict.fromkeys(irrelevant or relevant, self.reason) if self.reason else {},
            free_text_feedback=note,
            merge_decisions=merges + split_papers(payload, self.split),
        )
        return feedback.model_dump(mode="json")


def _refuse_several(options: Sequence[str]) -> None:
    if len(options) > 1:
        raise UsageMistakeError(f"{' and '.join(options)} cannot be combined; give one of them")


def load_document(path: Path | None) -> Any:
    """Return the JSON in a file, or on stdin for '-'; None for no file."""
    if path is None:
        return None
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


def paper_ids(words: str, paper_list: Sequence[str]) -> list[str]:
    """Return unique ids in the order given.

    `words`: ids, positions in `paper_list` from 1 and ranges of them, split at spaces and commas.
    """
    ids_listed = set(paper_list)
    ids: list[str] = []
    for word in filter(None, _SEPARATOR.split(words)):
        if word in ids_listed:
            ids.append(word)
            continue
        match = _RANGE.fullmatch(word)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= first <= last <= len(paper_list):
            raise InvalidDecisionError(
                f"no such paper: {word!r}; give numbers from 1 to {len(paper_list)} "
                "(such as 1 3 5-8) or ids"
                if paper_list
                else f"no such paper: {word!r}; the result has none"
            )
        ids.extend(paper_list[first - 1 : last])
    if not ids:
        raise InvalidDecisionError("no paper given; name them by number, such as 1 3 5-8")
    return list(dict.fromkeys(ids))


def pairs_of(payload: ResultPayload, words: str | None, *, is_same: bool) -> list[MergeDecision]:
    """Return answers to the "same work?" questions with these numbers, such as `1 3`."""
    if words is None:
        return []
    if not payload.same_work:
        raise InvalidDecisionError('this result has no "same work?" questions')
    numbers = [str(number) for number in range(1, len(payload.same_work) + 1)]
    try:
        picked = paper_ids(words, numbers)
    except InvalidDecisionError:
        raise InvalidDecisionError(
            f"no such pair: {words!r}; give numbers from 1 to {len(numbers)}"
        ) from None
    pairs = [payload.same_work[int(number) - 1] for number in picked]
    return [MergeDecision(one=pair.one, other=pair.other, is_same=is_same) for pair in pairs]


def split_papers(payload: ResultPayload, words: str | None) -> list[MergeDecision]:
    """Return decisions that make every record of these papers a separate work."""
    papers = {paper.id: paper for paper in payload.collection.papers}
    decisions = []
    for paper_id in paper_ids(words, list(papers)) if words is not None else []:
        members = papers[paper_id].merged_from
        if len(members) < 2:  # noqa: PLR2004  # one record cannot be split
            raise InvalidDecisionError(
                f"paper {paper_id!r} was not merged; there is nothing to split"
            )
        decisions += [
            MergeDecision(one=one, other=other, is_same=False)
            for one, other in combinations(members, 2)
        ]
    return decisions
