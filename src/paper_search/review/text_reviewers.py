"""Reviewers of full texts, who do not see each other's decisions until all are done."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from paper_search.errors import InputError
from paper_search.workflow.full_texts import FullText, TextStatus, put_full_text
from paper_search.workflow.records import SearchRecords
from paper_search.workflow.reviewers import (
    Agreement,
    ReviewerProgress,
    agreement_of,
    check_name,
)

_REVIEWERS, _VERDICTS = "full_text_reviewers", "full_text_reviews"
"""Where the record store has reviewers, and their verdicts: a row by person, file and work."""
_SHOWN = ("decision", "reason", "at")

Verdict = Mapping[str, Any]
"""One reviewer's verdict on one text: `decision`, `reason`, `at`."""


@dataclass(frozen=True)
class TextReviewers:
    """The people, usually none, who decide independently on the full texts of a review.

    When all are done, texts on which they agree are decided; a person resolves the rest. Texts
    that are added later are decided independently again.
    """

    records: SearchRecords
    texts: Mapping[str, FullText]
    """By the id of the work."""
    done_with: Mapping[str, Collection[str]]
    """By reviewer, the texts that they finished with."""
    verdicts: Mapping[str, Mapping[str, Verdict]]
    """By reviewer and work, verdicts on the present text."""

    @property
    def names(self) -> list[str]:
        return sorted(self.done_with)

    @classmethod
    async def load(cls, records: SearchRecords, texts: Mapping[str, FullText]) -> "TextReviewers":
        done_with = {i: row["done_with"] for i, row in (await records.rows(_REVIEWERS)).items()}
        rows = (await records.rows(_VERDICTS)).values()
        work_of = await records.works_of([row["paper_id"] for row in rows])
        verdicts: dict[str, dict[str, Verdict]] = {name: {} for name in done_with}
        for row in rows:
            work = work_of.get(row["paper_id"], row["paper_id"])
            if work in texts and texts[work].digest == row["digest"]:
                verdicts.setdefault(row["by"], {})[work] = row
        return cls(records, texts, done_with, verdicts)

    @property
    def pending(self) -> list[str]:
        """The works on whose texts they now decide independently."""
        texts = self.texts.items() if self.names else ()
        return [i for i, t in texts if t.status is TextStatus.RETRIEVED and not t.verdicts]

    @property
    def progress(self) -> list[ReviewerProgress]:
        """The progress of each reviewer with these works, without verdicts."""
        pending = self.pending
        keys = {self._key(i) for i in pending}
        finished = frozenset(name for name in self.names if keys <= set(self.done_with[name]))
        verdicts = {
            name: {i: row["decision"] == "include" for i, row in self.verdicts[name].items()}
            for name in self.names
        }
        return agreement_of(pending, verdicts, finished).reviewers

    @property
    def agreement(self) -> Agreement:
        """Agreement on the texts with which all are done; blinded before there is one."""
        verdicts_of = {i: text.verdicts for i, text in self.texts.items() if text.verdicts}
        verdicts: dict[str, dict[str, bool]] = {name: {} for name in self.names}
        differing = 0
        for i, rows in verdicts_of.items():
            distinct = {(row["decision"], row["reason"]) for row in rows.values()}
            differing += len(distinct) > 1 and all(word == "exclude" for word, _ in distinct)
            for name, row in rows.items():
                verdicts.setdefault(name, {})[i] = row["decision"] == "include"
        if not verdicts_of:
            return Agreement()
        agreement = agreement_of(list(verdicts_of), verdicts, verdicts)
        return agreement.model_copy(update={"differing": differing})

    @property
    def withdrawn(self) -> list[Verdict]:
        """Verdicts of people who left before all were done, on texts no longer pending."""
        pending, former = set(self.pending), self.verdicts.keys() - set(self.names)
        return [row for n in former for i, row in self.verdicts[n].items() if i not in pending]

    def verdict(self, name: str, paper_id: str) -> Verdict | None:
        """Return a reviewer's verdict on the text of a work, to be shown only to them."""
        return self.verdicts.get(name, {}).get(paper_id)

    async def join(self, name: str) -> None:
        """Add a reviewer, for the texts without published verdicts."""
        check_name(name)
        if name not in self.names:
            await self.records.put(_REVIEWERS, {name: {"done_with": []}})

    async def say(self, name: str, paper_id: str, decision: str, reason: str) -> None:
        """Store a reviewer's verdict, which changes nobody else's."""
        self.require(name)
        text, at = self.texts[paper_id], datetime.now(UTC).isoformat(timespec="seconds")
        row = {"paper_id": text.paper_id, "digest": text.digest, "by": name}
        verdict = {"decision": decision, "reason": reason, "at": at}
        await self.records.put(_VERDICTS, {f"{name}/{self._key(paper_id)}": {**row, **verdict}})

    async def finish(self, name: str) -> None:
        """Mark a reviewer as done with the present texts, even with undecided ones."""
        self._require_listed(name)
        row = {"done_with": [self._key(paper_id) for paper_id in self.pending]}
        await self.records.put(_REVIEWERS, {name: row})

    async def leave(self, name: str) -> None:
        """Remove a reviewer; their verdicts return if they rejoin."""
        self._require_listed(name)
        await self.records.put(_REVIEWERS, {name: None})

    def _require_listed(self, name: str) -> None:
        if name not in self.names:
            raise InputError(f"{name!r} is not among the reviewers of full texts")

    async def show(self) -> None:
        """Once all are done, publish their verdicts, and decide where all agree."""
        if len(self.names) < 2 or not all(one.is_done for one in self.progress):  # noqa: PLR2004  # nobody to agree with
            return
        for paper_id in self.pending:
            rows = {name: self.verdict(name, paper_id) for name in self.names}
            verdicts = {n: {part: row[part] for part in _SHOWN} for n, row in rows.items() if row}
            if not verdicts:
                continue
            update: dict[str, Any] = {"verdicts": verdicts}
            words = {(row["decision"], row["reason"]) for row in verdicts.values()}
            if len(verdicts) == len(self.names) and len(words) == 1:
                [(decision, reason)] = words
                at = max(row["at"] for row in verdicts.values())
                update |= {"decision": decision, "reason": reason}
                update |= {"decided_at": at, "decided_by": ", ".join(self.names)}
            await put_full_text(self.records, self.texts[paper_id].model_copy(update=update))

    def require(self, name: str) -> None:
        if name not in self.names:
            raise InputError(
                f"{', '.join(self.names)} decide independently on this text, and {name!r} is not "
                "among them: join in the tab Full texts of the page, or with --reviewer"
            )

    def _key(self, paper_id: str) -> str:
        text = self.texts[paper_id]  # which keeps its id when its work is merged into another
        return f"{text.digest}/{text.paper_id}"
