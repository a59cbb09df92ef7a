"""What a report opens with: a verdict, the counts behind it, and the sentences found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from paper_search.report.answering import Verdict, verdict
from paper_search.report.evidence import Evidence
from paper_search.report.models import AnalysisResult, Quote, ResearchPlan
from paper_search.report.phrasing import counted

_DECIDING = 2
"""Independent sources that have to say the same before it is a verdict."""


@dataclass(frozen=True)
class Statement:
    """A sentence of a source on a sub-question."""

    quote: Quote
    question: int
    says: Verdict | None
    """Of a question of yes or no, which; None: the sentence does not say it."""


@dataclass(frozen=True)
class Opening:
    """What the sources found answer: their located sentences count, a title says nothing."""

    question: str
    sub_questions: Sequence[str]
    analysis: AnalysisResult
    evidence: Evidence

    @property
    def is_decidable(self) -> bool:
        """Whether the question asks for yes or no."""
        return self.analysis.answer.is_yes_no

    @cached_property
    def statements(self) -> list[Statement]:
        """Return the sentences that answer something, each once, in order of the sub-questions."""
        found: dict[tuple[str, int], Statement] = {}
        for finding in sorted(self.analysis.findings, key=lambda finding: finding.question):
            for quote in finding.quotes:
                if quote.part == "text" and quote.result_id in self.evidence.by_id:
                    says = self._says(quote)
                    statement = Statement(quote, finding.question, says)
                    found.setdefault((quote.result_id, quote.start), statement)
        return list(found.values())

    @cached_property
    def answered(self) -> list[int]:
        """Return which sub-questions are answered by a sentence of a source."""
        gaps = self.analysis.gap_questions
        return [i for i in range(len(self.sub_questions)) if i not in gaps and self.on(i)]

    def on(self, question: int) -> list[Statement]:
        """Return the sentences found for a sub-question, also those that others share."""
        starts = {
            (quote.result_id, quote.start)
            for finding in self.analysis.findings
            if finding.question == question
            for quote in finding.quotes
        }
        return [s for s in self.statements if (s.quote.result_id, s.quote.start) in starts]

    @property
    def sources(self) -> list[str]:
        """Return the ids of the sources of the sentences."""
        return list(dict.fromkeys(statement.quote.result_id for statement in self.statements))

    @property
    def verdict(self) -> str:
        """Return the answer in a few words."""
        if not self.is_decidable:
            return self._told
        yes, no = len(self.analysis.answer.yes), len(self.analysis.answer.no)
        if yes and no:
            reason = f"{_saying(yes, 'yes')} and {_saying(no, 'no')}"
        elif not yes and not no:
            reason = "no sentence that was found says yes or no"
        elif max(yes, no) < _DECIDING:
            reason = f"only {_saying(1, 'yes' if yes else 'no')}"
        else:
            word, other = ("yes", "no") if yes else ("no", "yes")
            return f"{word.capitalize()}: {_saying(yes or no, word)}, none says {other}."
        return f"Cannot be decided: {reason}."

    @property
    def _told(self) -> str:
        """Return the answer to a question that is open."""
        count, total = len(self.answered), len(self.sub_questions)
        if not count:
            return "Cannot be answered from the sources that were found."
        share = "all" if count == total else f"{counted(count, 'one', plural='')} of"
        return (
            f"The sources answer {share} {counted(total, 'sub-question')} in sentences of their "
            "own."
        )

    @property
    def counts(self) -> str:
        """Return what stands behind the verdict, in numbers."""
        usable = self.evidence.usable
        read = sum(bool(source.text) for source in usable)
        withdrawn = len(self.evidence.results) - len(usable)
        told = "no sentence on any sub-question"
        if self.statements:
            number = counted(len(self.sources), "source")
            told = f"{counted(len(self.statements), 'sentence')} of {number} on the sub-questions"
        parts = [
            f"Behind this: {counted(len(usable), 'source')}",
            f"{counted(read, 'one', plural='')} of them with a text to read",
            told,
        ]
        if withdrawn:
            parts.append(f"{counted(withdrawn, 'retracted source')} left out")
        return f"{', '.join(parts)}."

    def best(self) -> Iterator[tuple[int, Statement | None]]:
        """Return each sub-question with the sentence that answers it best; None: none does."""
        used: set[int] = set()
        for index in range(len(self.sub_questions)):
            fresh = [s for s in self.on(index) if id(s) not in used]
            best = fresh[0] if fresh and index in self.answered else None
            if best is not None:
                used.add(id(best))
            yield index, best

    def _says(self, quote: Quote) -> Verdict | None:
        """Return which of yes and no a sentence says, of a source that counts for it."""
        said = verdict(self.question, quote.text) if self.is_decidable else None
        answer = self.analysis.answer
        sides: dict[Verdict, list[str]] = {"yes": answer.yes, "no": answer.no}
        return said if said and quote.result_id in sides[said] else None


def _saying(number: int, word: str) -> str:
    return f"{counted(number, 'source')} {'says' if number == 1 else 'say'} {word}"


def is_without_answer(analysis: AnalysisResult, plan: ResearchPlan) -> bool:
    """Whether the sources answer no sub-question of a plan: such a report is short."""
    count = len(plan.decomposed_questions)
    return count > 0 and set(range(count)) <= set(analysis.gap_questions)
