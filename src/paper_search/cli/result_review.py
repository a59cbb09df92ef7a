"""Checkpoint 2 at the terminal: is this the result?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from paper_search.cli.answer import answered, paper_ids, split_up
from paper_search.cli.console import messages, say, visible
from paper_search.cli.keys import command
from paper_search.cli.source_lines import in_words
from paper_search.cli.terminal import QuitError, Terminal, paged
from paper_search.cli.views import show_checkpoint, show_paper, show_papers
from paper_search.errors import InvalidDecisionError
from paper_search.models import MergeDecision, UserFeedback
from paper_search.workflow.checkpoints import (
    Checkpoint,
    Decision,
    DecisionAction,
    ResultPayload,
)

if TYPE_CHECKING:
    from paper_search.models import Paper

MENU = (
    "[a]pprove  [r]elevant N  [i]rrelevant N  [e]dit: search again  [x] reject  [h]elp  [q]uit > "
)

WAIT = "wai[t] for {}  [x] reject"
"""In the menu of a result of which sources may have more."""

HELP = """\
  a             approve: this is the result
  r 1 3 5-8     mark papers as relevant: they are kept, and the next round learns from them
  i 2: WHY      mark papers as irrelevant: they leave the result; the reason is exported
  u 1           take marks back
  w 1           pair 1 of "same work?" is one work (d 1: it is two)
  split 4       split paper 4 into the records that it was merged from
  e [WORDS]     search again with the marks, and with words on what to look for
  x [WORDS]     reject the result: search again, saying why
  m             more papers
  p 4           show all details of a paper
  s             show the result again, with each query and what the sources answered
  q             quit; the question stays open, and marks are kept"""

WAIT_HELP = """\
  t             wait for {}: what it has yet joins this result, and your marks are kept"""

_TAKEN = "a r i u w d split e x m p s h q"


class SavesDecisions(Protocol):
    """Saves what a person says of papers before they are asked again."""

    def mark(self, paper_ids: list[str], *, is_relevant: bool | None, reason: str | None) -> None:
        """Save a mark; None: what was said before is taken back."""
        ...

    def mark_pairs(self, decisions: list[MergeDecision]) -> None:
        """Save which records are one work."""
        ...


class ResultReview:
    """Asks a person about a result.

    Args:
        terminal: where they sit.
        save: saves each mark at once.
        home: as given on the command line, for the commands that are named.
    """

    def __init__(self, terminal: Terminal, save: SavesDecisions, home: Path | None = None) -> None:
        self._terminal = terminal
        self._save = save
        self._home = home

    def decide(self, checkpoint: Checkpoint) -> Decision:
        """Return what the person decides.

        Raises:
            QuitError: they leave the question open.
        """
        if not isinstance(checkpoint.payload, ResultPayload):
            raise TypeError(f"no result in a {type(checkpoint.payload).__name__}")
        answer = _ResultAnswer(checkpoint, checkpoint.payload, self._terminal, self._save)
        answer.begin(self._home)
        while True:
            try:
                meaning, words = command(self._terminal.ask(answer.menu), answer.taken)
                if (decision := self._obey(answer, meaning, words)) is not None:
                    return decision
            except InvalidDecisionError as error:
                say(visible(error))

    def _obey(self, answer: _ResultAnswer, meaning: str, words: str) -> Decision | None:
        match meaning:
            case "approve":
                return answer.approval()
            case "edit":
                wish = words or self._terminal.ask("what to look for (Enter: use your marks)? ")
                return answer.edit(wish)
            case "wait":
                return answer.waiting()
            case "reject":
                return answer.rejection(words or self._terminal.ask("what is wrong with it? "))
            case "quit":
                raise QuitError
            case _:
                answer.look(meaning, words)
                return None


class _ResultAnswer:
    """The result in front of the person: what is marked, and how far they have read."""

    def __init__(
        self,
        checkpoint: Checkpoint,
        payload: ResultPayload,
        terminal: Terminal,
        save: SavesDecisions,
    ) -> None:
        self.marks: dict[str, bool] = {**payload.earlier_marks, **payload.marks}
        self._checkpoint = checkpoint
        self._payload = payload
        self._terminal = terminal
        self._save = save
        self._reasons: dict[str, str] = {}
        self._read = 0
        self._works = {
            frozenset((decision.one, decision.other)): decision
            for decision in payload.merge_decisions
        }

    @property
    def _papers(self) -> list[Paper]:
        return self._payload.collection.every_paper

    @property
    def menu(self) -> str:
        """What the prompt offers."""
        late = self._payload.unfinished_sources
        return MENU.replace("[x] reject", WAIT.format(in_words(late))) if late else MENU

    @property
    def taken(self) -> str:
        """The keys that it takes."""
        return f"{_TAKEN} t" if self._payload.unfinished_sources else _TAKEN

    def begin(self, home: Path | None) -> None:
        """Show the result: what there is to know of it, and the first papers above the prompt."""
        self._home = home
        show_checkpoint(messages(), self._checkpoint, marks=self.marks, home=home, has_papers=False)
        self._show_more()

    def look(self, meaning: str, words: str) -> None:
        """Mark or show papers; neither ends the question."""
        match meaning:
            case "relevant" | "irrelevant":
                self._mark(words, is_relevant=meaning == "relevant")
            case "unmark":
                self._mark(words, is_relevant=None)
            case "same" | "different":
                self._say_works(answered(self._payload, words, is_same=meaning == "same"))
            case "split":
                self._say_works(split_up(self._payload, words))
            case _:
                self._show(meaning, words)

    def _show(self, meaning: str, words: str) -> None:
        match meaning:
            case "more":
                self._show_more()
            case "paper":
                with paged(self._terminal) as console:
                    for paper_id in self._ids(words):
                        number = [paper.id for paper in self._papers].index(paper_id) + 1
                        show_paper(console, number, self._papers[number - 1])
            case "show":
                with paged(self._terminal) as console:
                    show_checkpoint(
                        console,
                        self._checkpoint,
                        marks=self.marks,
                        home=self._home,
                        has_details=True,
                        has_papers=False,
                    )
                self._read = 0
                self._show_more()
            case _:
                say(HELP)
                if late := self._payload.unfinished_sources:
                    say(WAIT_HELP.format(in_words(late)))

    def approval(self) -> Decision:
        """Return the approval, with the marks if there are any."""
        says_something = bool(self._said or self._works or self._taken_back)
        feedback = self._feedback(None).model_dump(mode="json") if says_something else None
        return self._decision(DecisionAction.APPROVE, revised_data=feedback)

    @property
    def _said(self) -> dict[str, bool]:
        """Return the marks of this round."""
        earlier = self._payload.earlier_marks
        return {i: mark for i, mark in self.marks.items() if earlier.get(i) is not mark}

    @property
    def _taken_back(self) -> list[str]:
        before = {**self._payload.earlier_marks, **self._payload.marks}
        return [paper_id for paper_id in before if paper_id not in self.marks]

    def edit(self, words: str) -> Decision:
        """Return the wish for another round."""
        if not words and not self._said and not self._works:
            raise InvalidDecisionError(
                "another round needs feedback: mark papers (r 1 3) or say what to find"
            )
        feedback = self._feedback(words or None).model_dump(mode="json")
        return self._decision(DecisionAction.EDIT, revised_data=feedback)

    def waiting(self) -> Decision:
        """Return the wish for the rest of the sources that ran out of time."""
        feedback = self._feedback(None).model_copy(update={"wait_for_sources": True})
        return self._decision(DecisionAction.EDIT, revised_data=feedback.model_dump(mode="json"))

    def rejection(self, note: str) -> Decision:
        """Return the rejection, with the marks and the reason."""
        feedback = self._feedback(note or None).model_dump(mode="json")
        return self._decision(DecisionAction.REJECT, revised_data=feedback, note=note or None)

    def _decision(self, action: DecisionAction, **given: Any) -> Decision:
        asked = self._checkpoint
        token = asked.token or None
        return Decision(action=action, checkpoint=asked.reference, token=token, **given)

    def _feedback(self, words: str | None) -> UserFeedback:
        return UserFeedback(
            marked_relevant=[paper_id for paper_id, mark in self._said.items() if mark],
            marked_irrelevant=[paper_id for paper_id, mark in self._said.items() if not mark],
            free_text_feedback=words,
            merge_decisions=list(self._works.values()),
            unmarked=self._taken_back,
            reasons={i: why for i, why in self._reasons.items() if i in self._said},
        )

    def _ids(self, words: str) -> list[str]:
        return paper_ids(words, [paper.id for paper in self._papers])

    def _mark(self, words: str, *, is_relevant: bool | None) -> None:
        """Mark papers, and save that before anything else is asked."""
        numbers, _, reason = words.partition(": ")
        ids = self._ids(numbers)
        self._save.mark(ids, is_relevant=is_relevant, reason=reason.strip() or None)
        for paper_id in ids:
            self.marks.pop(paper_id, None)
            self._reasons.pop(paper_id, None)
        if is_relevant is not None:
            self.marks.update(dict.fromkeys(ids, is_relevant))
        if reason.strip():
            self._reasons.update(dict.fromkeys(ids, reason.strip()))
        self._say_marks()

    def _say_works(self, decisions: list[MergeDecision]) -> None:
        self._save.mark_pairs(decisions)
        self._works.update(
            {frozenset((decision.one, decision.other)): decision for decision in decisions}
        )
        same = sum(decision.is_same for decision in self._works.values())
        say(f"  pairs that are one work: {same}; that are not: {len(self._works) - same}")

    def _say_marks(self) -> None:
        numbers = {paper.id: number for number, paper in enumerate(self._papers, start=1)}
        for name, wanted in (("relevant", True), ("irrelevant", False)):
            marked = sorted(
                numbers[i] for i, mark in self.marks.items() if mark is wanted and i in numbers
            )
            say(f"  {name}: {' '.join(map(str, marked)) or '-'}")

    def _show_more(self) -> None:
        if self._papers and self._read >= len(self._papers):
            say("no more papers; s shows the first page again")
            return
        shown = show_papers(messages(), self._payload, self._read, self.marks, is_at_prompt=True)
        self._read += shown
        left = len(self._papers) - self._read
        if self._read > shown:
            say(f"{left} more" if left else "no more papers")
