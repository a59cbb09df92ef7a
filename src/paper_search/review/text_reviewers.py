"""Reviewers of full texts, none of whom sees what the others decided until all are done."""

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
"""Where in the record store they are, and what each said: a row for person, file and work."""
_SHOWN = ("decision", "reason", "at")

Said = Mapping[str, Any]
"""What one reviewer decided on one text: `decision`, `reason`, `at`."""


@dataclass(frozen=True)
class TextReviewers:
    """Who decides on the full texts of a review apart from each other; nobody, as a rule.

    Texts that are there when all are done are decided as all agree; a person settles the rest.
    Those that come later are decided on apart again.
    """

    records: SearchRecords
    texts: Mapping[str, FullText]
    """By the id of the work."""
    done_with: Mapping[str, Collection[str]]
    """By reviewer, the texts with which they said that they are done."""
    verdicts: Mapping[str, Mapping[str, Said]]
    """By reviewer and work, what they said of the text that is there now."""

    @property
    def names(self) -> list[str]:
        return sorted(self.done_with)

    @classmethod
    async def load(cls, records: SearchRecords, texts: Mapping[str, FullText]) -> "TextReviewers":
        done_with = {i: row["done_with"] for i, row in (await records.rows(_REVIEWERS)).items()}
        rows = (await records.rows(_VERDICTS)).values()
        work_of = await records.works_of([row["paper_id"] for row in rows])
        verdicts: dict[str, dict[str, Said]] = {name: {} for name in done_with}
        for row in rows:
            work = work_of.get(row["paper_id"], row["paper_id"])
            if work in texts and texts[work].digest == row["digest"]:
                verdicts.setdefault(row["by"], {})[work] = row
        return cls(records, texts, done_with, verdicts)

    @property
    def pending(self) -> list[str]:
        """The works on whose texts they decide apart now."""
        texts = self.texts.items() if self.names else ()
        return [i for i, t in texts if t.status is TextStatus.RETRIEVED and not t.verdicts]

    @property
    def progress(self) -> list[ReviewerProgress]:
        """How far each has come with these; not what they decided."""
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
        """How far they agree on the texts with which all are done; blind before there is one."""
        verdicts_of = {i: text.verdicts for i, text in self.texts.items() if text.verdicts}
        verdicts: dict[str, dict[str, bool]] = {name: {} for name in self.names}
        differing = 0
        for i, rows in verdicts_of.items():
            said = {(row["decision"], row["reason"]) for row in rows.values()}
            differing += len(said) > 1 and all(word == "exclude" for word, _ in said)
            for name, row in rows.items():
                verdicts.setdefault(name, {})[i] = row["decision"] == "include"
        if not verdicts_of:
            return Agreement()
        agreement = agreement_of(list(verdicts_of), verdicts, verdicts)
        return agreement.model_copy(update={"differing": differing})

    @property
    def withdrawn(self) -> list[Said]:
        """What people decided who left before all were done, of texts that are not pending now."""
        pending, left = set(self.pending), self.verdicts.keys() - set(self.names)
        return [row for n in left for i, row in self.verdicts[n].items() if i not in pending]

    def verdict(self, name: str, paper_id: str) -> Said | None:
        """Return what a reviewer said of the text of a work, to be shown to them alone."""
        return self.verdicts.get(name, {}).get(paper_id)

    async def join(self, name: str) -> None:
        """Enter a reviewer in the list, for the texts that nobody was shown decisions on."""
        check_name(name)
        if name not in self.names:
            await self.records.put(_REVIEWERS, {name: {"done_with": []}})

    async def say(self, name: str, paper_id: str, decision: str, reason: str) -> None:
        """Keep what a reviewer decides; nobody else's decision is touched."""
        self.require(name)
        text, at = self.texts[paper_id], datetime.now(UTC).isoformat(timespec="seconds")
        row = {"paper_id": text.paper_id, "digest": text.digest, "by": name}
        verdict = {"decision": decision, "reason": reason, "at": at}
        await self.records.put(_VERDICTS, {f"{name}/{self._key(paper_id)}": {**row, **verdict}})

    async def finish(self, name: str) -> None:
        """Note that a reviewer is done with the texts that are there, whatever they left."""
        self.require(name)
        row = {"done_with": [self._key(paper_id) for paper_id in self.pending]}
        await self.records.put(_REVIEWERS, {name: row})

    async def leave(self, name: str) -> None:
        """Take a reviewer off the list; what they decided is there again if they come back."""
        if name not in self.names:
            raise InputError(f"{name!r} is not among the reviewers of full texts")
        await self.records.put(_REVIEWERS, {name: None})

    async def show(self) -> None:
        """Once all are done, show what each decided, and decide as all agree."""
        if len(self.names) < 2 or not all(each.is_done for each in self.progress):  # noqa: PLR2004  # nobody to agree with
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
                f"this text is for {', '.join(self.names)}, each by themselves; {name!r} is not "
                "among them, and joins on the page, in the tab Full texts, or by --reviewer"
            )

    def _key(self, paper_id: str) -> str:
        text = self.texts[paper_id]  # which keeps its id when its work is merged into another
        return f"{text.digest}/{text.paper_id}"
