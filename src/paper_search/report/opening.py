"""What a report opens with: what stands behind it in numbers, and the sentences found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from paper_search.report.evidence import Evidence
from paper_search.report.models import AnalysisResult, Quote, ResearchPlan
from paper_search.report.phrasing import counted


@dataclass(frozen=True)
class Statement:
    """A sentence of a source on a sub-question."""

    quote: Quote
    question: int


@dataclass(frozen=True)
class Opening:
    """What the sources found answer: their located sentences count, a title says nothing."""

    sub_questions: Sequence[str]
    analysis: AnalysisResult
    evidence: Evidence

    @cached_property
    def statements(self) -> list[Statement]:
        """Return the sentences that answer something, each once, in order of the sub-questions."""
        found: dict[tuple[str, int], Statement] = {}
        for finding in sorted(self.analysis.findings, key=lambda finding: finding.question):
            for quote in finding.quotes:
                if quote.part == "text" and quote.result_id in self.evidence.by_id:
                    statement = Statement(quote, finding.question)
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
    def counts(self) -> str:
        """Return what stands behind the report, in numbers."""
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


def is_without_answer(analysis: AnalysisResult, plan: ResearchPlan) -> bool:
    """Whether the sources answer no sub-question of a plan: such a report is short."""
    count = len(plan.decomposed_questions)
    return count > 0 and set(range(count)) <= set(analysis.gap_questions)
