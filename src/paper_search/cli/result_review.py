"""Checkpoint 2 at the terminal: is this the result?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from paper_search.cli.answer import answered, paper_ids, split_up
from paper_search.cli.console import messages, say, visible
from paper_search.cli.terminal import QuitError, Terminal
from paper_search.cli.views import PAGE, show_checkpoint, show_paper, show_papers
from paper_search.errors import InvalidDecisionError
from paper_search.models import MergeDecision, UserFeedback
from paper_search.workflow.checkpoints import (
    Checkpoint,
    Decision,
    DecisionAction,
    ResultPayload,
)
from paper_search.workflow.stopping_estimates import AS_READ, page_estimate

if TYPE_CHECKING:
    from paper_search.models import Paper

MENU = (
    "[a]pprove  [r]elevant N  [i]rrelevant N  [e]dit: search again  [x] reject  [h]elp  [q]uit > "
)

HELP = """\
  a             approve: this is the result
  r 1 3 5-8     mark papers as relevant: they are kept, and the next round learns from them
  i 2           mark papers as irrelevant
  u 1           remove marks
  w 1           pair 1 of "same work?" is one work (d 1: it is two)
  split 4       split paper 4 into the records that it was merged from
  e [WORDS]     search again with the marks, and with words on what to look for
  x [WORDS]     reject the result: search again, saying why
  m             more papers
  p 4           show all details of a paper
  s             show the result again, with each query and what the sources answered
  q             quit; the question stays open"""


class ResultReview:
    """Asks a person about a result.

    Args:
        terminal: where they sit.
        home: as given on the command line, for the commands that are named.
    """

    def __init__(self, terminal: Terminal, home: Path | None = None) -> None:
        self._terminal = terminal
        self._home = home

    def decide(self, checkpoint: Checkpoint) -> Decision:
        """Return what the person decides.

        Raises:
            QuitError: they leave the question open.
        """
        if not isinstance(checkpoint.payload, ResultPayload):
            raise TypeError(f"no result in a {type(checkpoint.payload).__name__}")
        answer = _ResultAnswer(checkpoint, checkpoint.payload, self._home)
        show_checkpoint(messages(), checkpoint, marks=answer.marks, home=self._home)
        while True:
            word, _, rest = self._terminal.ask(MENU).partition(" ")
            try:
                if (decision := self._obey(answer, word.lower(), rest.strip())) is not None:
                    return decision
            except InvalidDecisionError as error:
                say(visible(error))

    def _obey(self, answer: _ResultAnswer, word: str, rest: str) -> Decision | None:
        match word:
            case "a" | "approve":
                return answer.approval()
            case "e" | "edit":
                words = rest or self._terminal.ask("what to look for (Enter: use your marks)? ")
                return answer.edit(words)
            case "x" | "reject":
                return answer.rejection(rest or self._terminal.ask("what is wrong with it? "))
            case "q" | "quit":
                raise QuitError
            case _:
                answer.look(word, rest)
                return None


class _ResultAnswer:
    """The result in front of the person: what is marked, and how far they have read."""

    def __init__(self, checkpoint: Checkpoint, payload: ResultPayload, home: Path | None) -> None:
        self.marks: dict[str, bool] = dict(payload.marks)
        self._checkpoint = checkpoint
        self._payload = payload
        self._home = home
        self._read = PAGE
        self._works: dict[frozenset[str], MergeDecision] = {}

    @property
    def _papers(self) -> list[Paper]:
        return self._payload.collection.listed(is_all=True).papers

    def look(self, word: str, rest: str) -> None:
        """Mark or show papers; neither ends the question."""
        match word:
            case "r" | "relevant":
                self._mark(rest, is_relevant=True)
            case "i" | "irrelevant":
                self._mark(rest, is_relevant=False)
            case "u" | "unmark":
                for paper_id in self._ids(rest):
                    self.marks.pop(paper_id, None)
                self._say_marks()
            case "w" | "same":
                self._say_works(answered(self._payload, rest, is_same=True))
            case "d" | "different":
                self._say_works(answered(self._payload, rest, is_same=False))
            case "split":
                self._say_works(split_up(self._payload, rest))
            case _:
                self._show(word, rest)

    def _show(self, word: str, rest: str) -> None:
        match word:
            case "m" | "more":
                self._show_more()
            case "p" | "paper":
                for paper_id in self._ids(rest):
                    number = [paper.id for paper in self._papers].index(paper_id) + 1
                    show_paper(messages(), number, self._papers[number - 1])
            case "s" | "show":
                self._read = PAGE
                show_checkpoint(
                    messages(),
                    self._checkpoint,
                    marks=self.marks,
                    home=self._home,
                    has_details=True,
                )
            case "h" | "help" | "?":
                say(HELP)
            case _:
                say(f"{visible(word)!r} is none of: a, r, i, u, w, d, split, e, x, m, p, s, h, q")

    def approval(self) -> Decision:
        """Return the approval, with the marks if there are any."""
        says_something = bool(self.marks or self._works or self._payload.marks)
        feedback = self._feedback(None).model_dump(mode="json") if says_something else None
        return self._decision(DecisionAction.APPROVE, revised_data=feedback)

    def edit(self, words: str) -> Decision:
        """Return the wish for another round."""
        if not words and not self.marks and not self._works:
            raise InvalidDecisionError(
                "another round needs feedback: mark papers (r 1 3) or say what to find"
            )
        feedback = self._feedback(words or None).model_dump(mode="json")
        return self._decision(DecisionAction.EDIT, revised_data=feedback)

    def rejection(self, note: str) -> Decision:
        """Return the rejection, with the marks and the reason."""
        feedback = self._feedback(note or None).model_dump(mode="json")
        return self._decision(DecisionAction.REJECT, revised_data=feedback, note=note or None)

    def _decision(self, action: DecisionAction, **given: Any) -> Decision:
        return Decision(action=action, checkpoint=self._checkpoint.reference, **given)

    def _feedback(self, words: str | None) -> UserFeedback:
        return UserFeedback(
            marked_relevant=[paper_id for paper_id, mark in self.marks.items() if mark],
            marked_irrelevant=[paper_id for paper_id, mark in self.marks.items() if not mark],
            free_text_feedback=words,
            merge_decisions=list(self._works.values()),
            unmarked=[paper_id for paper_id in self._payload.marks if paper_id not in self.marks],
        )

    def _ids(self, words: str) -> list[str]:
        return paper_ids(words, [paper.id for paper in self._papers])

    def _mark(self, words: str, *, is_relevant: bool) -> None:
        self.marks.update(dict.fromkeys(self._ids(words), is_relevant))
        self._say_marks()

    def _say_works(self, decisions: list[MergeDecision]) -> None:
        self._works.update(
            {frozenset((decision.one, decision.other)): decision for decision in decisions}
        )
        same = sum(decision.is_same for decision in self._works.values())
        say(f"  pairs that are one work: {same}; that are not: {len(self._works) - same}")

    def _say_marks(self) -> None:
        numbers = {paper.id: number for number, paper in enumerate(self._papers, start=1)}
        for name, wanted in (("relevant", True), ("irrelevant", False)):
            marked = sorted(numbers[i] for i, mark in self.marks.items() if mark is wanted)
            say(f"  {name}: {' '.join(map(str, marked)) or '-'}")
        if not self._payload.marks:  # else a screening said it, in an order that is not the page's
            self._say_estimate()

    def _say_estimate(self) -> None:
        earlier = {paper.id: True for paper in self._payload.accumulated_papers}
        found = page_estimate([paper.id for paper in self._papers], self.marks, earlier)
        if found is not None:
            say(f"  {AS_READ.capitalize()}: {found.advice}")

    def _show_more(self) -> None:
        if self._read >= len(self._papers):
            say("no more papers; s shows the first page again")
            return
        left = show_papers(messages(), self._payload, self._read, self.marks)
        self._read += PAGE
        say(f"{left} more" if left else "no more papers")
