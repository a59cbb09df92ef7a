"""The answer in the options of `resume`."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paper_search.cli.failures import UsageMistakeError
from paper_search.cli.numbers import answered, paper_ids, split_up
from paper_search.errors import InputError, InvalidDecisionError
from paper_search.models import MergeDecision, UserFeedback
from paper_search.workflow.checkpoints import ResultPayload

if TYPE_CHECKING:
    from paper_search.workflow import Checkpoint


@dataclass(frozen=True)
class Answer:
    """What a person said with options; becomes a decision when the question is known."""

    action: str
    edit: Any = None
    """What stands in the file of `--edit`."""
    relevant: str | None = None
    irrelevant: str | None = None
    note: str | None = None
    same: str | None = None
    different: str | None = None
    split: str | None = None

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
            raise UsageMistakeError(f"{' and '.join(given)} exclude each other; give one of them")
        has_marks = any(each is not None for each in (relevant, irrelevant, *works))
        if edit is not None:
            if has_marks:
                raise UsageMistakeError(
                    "--edit excludes --relevant, --irrelevant, --same, --different and --split: "
                    "FILE has all"
                )
            return cls("edit", edit=document(edit), note=note)
        if reject is not None and note is not None:
            raise UsageMistakeError("--reject NOTE says it already; leave --note out")
        if not given and not has_marks and note is None:
            return None
        action = "approve" if approve else "reject" if reject is not None else "edit"
        words = reject if reject is not None else note
        return cls(action, None, relevant, irrelevant, words, *works)

    def decision(self, checkpoint: Checkpoint) -> Any:
        """Return the decision on a checkpoint, which it names.

        Raises:
            InvalidDecisionError: a paper is marked that is not there, or papers where none are.
        """
        named = {"checkpoint": checkpoint.reference.model_dump(mode="json")}
        if self.edit is not None:
            if isinstance(self.edit, dict) and "action" in self.edit:
                noted = {"note": self.note} if self.note is not None else {}
                return named | self.edit | noted
            return {"action": "edit", "revised_data": self.edit, "note": self.note, **named}
        data = self._feedback(checkpoint)
        return {"action": self.action, "revised_data": data, "note": self.note or None, **named}

    def _feedback(self, checkpoint: Checkpoint) -> dict[str, Any] | None:
        if not isinstance(checkpoint.payload, ResultPayload):
            if self._has_marks:
                raise InvalidDecisionError(
                    "the open question is about the strategy: there are no papers to mark yet"
                )
            if self.action == "edit":
                raise InvalidDecisionError(
                    "--note alone does not answer the question about the strategy; "
                    "give --approve, --edit FILE or --reject NOTE"
                )
            return None
        if self.action != "edit" and not self._has_marks:
            return None
        found = checkpoint.payload.collection.listed(is_all=True)
        listed = [paper.id for paper in found.papers]
        feedback = UserFeedback(
            marked_relevant=_marked(self.relevant, listed),
            marked_irrelevant=_marked(self.irrelevant, listed),
            free_text_feedback=self.note,
            merge_decisions=self._merge_decisions(checkpoint.payload),
        )
        return feedback.model_dump(mode="json")

    @property
    def _has_marks(self) -> bool:
        given = (self.relevant, self.irrelevant, self.same, self.different, self.split)
        return any(each is not None for each in given)

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
        raise InvalidDecisionError(f"{str(path)!r} holds no decision; the question stays open")
    return document
