"""Review of a search's strategy and result at the terminal."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from paper_search.cli.answers import paper_ids
from paper_search.cli.console import say, stderr_console, visible
from paper_search.cli.prompts import (
    Choice,
    Terminal,
    answer,
    approval,
    decide,
    edit,
    pager,
    rejection,
)
from paper_search.cli.source_lines import in_words
from paper_search.cli.views import show_checkpoint, show_paper, show_papers
from paper_search.errors import InvalidDecisionError
from paper_search.threads.decisions import check
from paper_search.workflow.checkpoints import Checkpoint, ResultPayload, StrategyPayload
from paper_search.workflow.decisions import answer_model

if TYPE_CHECKING:
    from paper_search.models import Criterion, Paper, SearchStrategy
    from paper_search.models.scope import BroaderQuery, Translation
    from paper_search.workflow.session import SearchSession

Saving: TypeAlias = "Callable[[SearchSession], Awaitable[None]]"


class StrategyReview:
    """Asks for a decision on a strategy; broader queries chosen first are part of an approval.

    `translate` returns what each source will be sent for a strategy.
    """

    def __init__(
        self,
        terminal: Terminal,
        checkpoint: Checkpoint,
        editor: str | None = None,
        translate: Callable[[SearchStrategy], Sequence[Translation]] = lambda _strategy: (),
    ) -> None:
        if not isinstance(checkpoint.payload, StrategyPayload):
            raise TypeError(f"no strategy in a {type(checkpoint.payload).__name__}")
        self._terminal = terminal
        self._checkpoint = checkpoint
        self._payload = checkpoint.payload
        self._editor = editor
        self._translate = translate
        self._broader: dict[str, BroaderQuery] = {}
        """By the query that it replaces."""

    def decide(self) -> Any:
        self._show()
        rejecting = "reject it, with words on what should change"
        asking = "what should be different? "
        replacing = "replace a query with a broader one: b 2"
        showing = "show it again, with what each source will be sent"
        broader = Choice("b", "broader", replacing, self._broaden, True, "[b]roader N")
        return decide(
            self._terminal,
            [
                Choice("a", "approve", "approve: search with this strategy", self._approve),
                Choice("e", "edit", "edit the strategy in your editor", self._edit),
                *([broader] if self._steps else []),
                rejection(self._terminal, self._checkpoint, rejecting, asking, "[x] reject NOTE"),
                Choice("s", "show", showing, lambda _: self._show(self._translate(self._strategy))),
            ],
        )

    @property
    def _steps(self) -> list[BroaderQuery]:
        return self._payload.scope.steps if self._payload.scope else []

    @property
    def _strategy(self) -> SearchStrategy:
        strategy = self._payload.strategy
        for step in self._broader.values():
            strategy = step.replace_in(strategy)
        return strategy

    @property
    def _form(self) -> str:
        criteria = self._payload.intent.criteria
        return write_form(self._strategy, self._payload.available_sources, criteria)

    def _show(self, translations: Sequence[Translation] = ()) -> None:
        payload = self._payload.model_copy(update={"strategy": self._strategy})
        checkpoint = self._checkpoint.model_copy(update={"payload": payload})
        show_checkpoint(stderr_console(), checkpoint, translations=translations)

    def _approve(self, _words: str) -> Any:
        if not self._broader:
            return answer(self._checkpoint, "approve")
        revised = parse_form(self._form, self._strategy)
        return answer(self._checkpoint, "edit", data=revised)

    def _broaden(self, words: str) -> None:
        number = int(words) if words.isdecimal() else 0
        if not 1 <= number <= len(self._steps):
            most = len(self._steps)
            raise InvalidDecisionError(f"no such broader query: {words!r}; give 1 to {most}")
        step = self._steps[number - 1]
        self._broader[step.original] = step
        self._show()

    def _edit(self, _words: str) -> Any:
        form, strategy = self._form, self._strategy
        revised = edit(
            *(self._terminal, self._editor, form, "strategy.json"),
            lambda text: _revision(self._checkpoint, strategy, form, text),
        )
        return answer(self._checkpoint, "edit", data=revised) if revised is not None else None


def _revision(checkpoint: Checkpoint, strategy: SearchStrategy, form: str, text: str) -> Any:
    revised = parse_form(text, strategy)
    if revised is None or revised == parse_form(form, strategy):
        return None
    check(answer(checkpoint, "edit", data=revised), answer_model(checkpoint, frozenset()))
    return revised


class ResultReview:
    """Asks for a decision on a result. Marks are saved at once, and added to any answer."""

    def __init__(
        self,
        terminal: Terminal,
        checkpoint: Checkpoint,
        save: Callable[[Saving], None],
        home: Path | None = None,
    ) -> None:
        if not isinstance(checkpoint.payload, ResultPayload):
            raise TypeError(f"no result in a {type(checkpoint.payload).__name__}")
        self._terminal = terminal
        self._checkpoint = checkpoint
        self._payload = checkpoint.payload
        self._save = save
        self._home = home
        self._papers: list[Paper] = self._payload.collection.every_paper
        self._marks = {**self._payload.earlier_marks, **self._payload.marks}
        self._has_feedback = bool(self._payload.marks or self._payload.merge_decisions)
        self._papers_shown = 0

    def decide(self) -> Any:
        self._show_result(is_full=False)
        return decide(self._terminal, self._choices())

    def _choices(self) -> list[Choice]:
        late, question = in_words(self._payload.unfinished_sources), self._checkpoint
        wait = Choice(
            *("t", "wait", f"wait for {late}, and add what they find to this result"),
            lambda _: answer(question, "edit", data={"wait_for_sources": True}),
            menu=f"wai[t] for {late}",
        )
        searching = "search again, with words on what to look for"
        rejecting = "reject the result and search again, saying why"
        showing = "show papers in full (s 4), or the result (s)"
        wrong = "what is wrong with it? "
        return [
            approval(question, "approve: this is the result"),
            self._marking("r", "relevant", "keep papers, and learn from them: r 1 3 5-8", True),
            self._marking("i", "irrelevant", "exclude papers, with a reason: i 2: WHY", False),
            Choice("e", "edit", searching, self._search_again, takes_words=True),
            *([wait] if late else []),
            rejection(self._terminal, question, rejecting, wrong, "[x] reject"),
            self._marking("u", "unmark", "remove marks: u 1", None),
            Choice("m", "more", "show more papers", lambda _: self._show_more(), menu=""),
            Choice("s", "show", showing, self._show, True, ""),
        ]

    def _marking(self, key: str, word: str, text: str, is_relevant: bool | None) -> Choice:
        def mark(words: str) -> None:
            self._mark(words, is_relevant=is_relevant)

        menu = f"[{key}]{word[1:]} N" if is_relevant is not None else ""
        return Choice(key, word, text, mark, True, menu)

    def _search_again(self, words: str) -> Any:
        words = words or self._terminal.ask("what to look for (Enter: use your marks)? ")
        if not words and not self._has_feedback:
            raise InvalidDecisionError(
                "another round needs feedback: mark papers (r 1 3) or say what to find"
            )
        return answer(self._checkpoint, "edit", data={"free_text_feedback": words or None})

    def _mark(self, words: str, *, is_relevant: bool | None) -> None:
        numbers, _, reason = words.partition(": ")
        ids = paper_ids(numbers, [paper.id for paper in self._papers])
        why = reason.strip() or None
        self._save(lambda session: session.mark(ids, is_relevant=is_relevant, reason=why))
        for paper_id in ids:
            self._marks.pop(paper_id, None)
        if is_relevant is not None:
            self._marks.update(dict.fromkeys(ids, is_relevant))
        self._has_feedback = True
        for number, paper in enumerate(self._papers[self._papers_shown :], self._papers_shown + 1):
            if paper.id in ids:
                say(visible(f"  {number} has not been listed yet: {paper.title}"))
        for name, mark in (("relevant", True), ("irrelevant", False)):
            numbers_marked = [
                str(number)
                for number, paper in enumerate(self._papers, start=1)
                if self._marks.get(paper.id) is mark
            ]
            say(f"  {name}: {' '.join(numbers_marked) or '-'}")

    def _show(self, words: str) -> None:
        if not words:
            self._show_result(is_full=True)
            return
        numbers = {paper.id: number for number, paper in enumerate(self._papers, start=1)}
        with pager(self._terminal) as console:
            for paper_id in paper_ids(words, list(numbers)):
                show_paper(console, numbers[paper_id], self._papers[numbers[paper_id] - 1])

    def _show_result(self, *, is_full: bool) -> None:
        with pager(self._terminal) if is_full else nullcontext(stderr_console()) as console:
            show_checkpoint(
                *(console, self._checkpoint), home=self._home, has_details=is_full, has_papers=False
            )
        self._papers_shown = 0
        self._show_more()

    def _show_more(self) -> None:
        if self._papers and self._papers_shown >= len(self._papers):
            say("no more papers; s shows the first page again")
            return
        page = show_papers(stderr_console(), self._payload, self._papers_shown, self._marks)
        self._papers_shown += page
        remaining = len(self._papers) - self._papers_shown
        if self._papers_shown > page:
            say(f"{remaining} more" if remaining else "no more papers")


HEADER = """\
# The search strategy, as JSON. Change it, save, and close the editor to search with it.
# An empty or unchanged form changes nothing and takes you back to the question.
"""
CRITERIA = """\
# The model judges papers by 2 to 6 criteria, "inclusion" or "exclusion", of weight 1 to 3.
"""
_SHOWN = {"sources", "works", "filters", "ranked", "queries", "native"}
# A query's keywords and synonyms are not in the form: editing them would not change the search.
_FORM: dict[str, Any] = {**dict.fromkeys(_SHOWN, True), "queries": {"__all__": {"boolean_query"}}}
_REMARK = re.compile(r"(?m)^#.*\n?")


def write_form(
    strategy: SearchStrategy, available: list[str], criteria: Sequence[Criterion] = ()
) -> str:
    """Return a strategy as a form.

    `available`: sources that may be named, empty if unknown; `criteria`: empty if no model judges.
    """
    sources = f"# Sources: {visible(', '.join(available))}\n" if available else ""
    fields = strategy.model_dump(mode="json", include=_FORM)
    if criteria:
        fields["criteria"] = [criterion.model_dump(mode="json") for criterion in criteria]
    document = json.dumps(fields, ensure_ascii=False, indent=2)
    return f"{HEADER}{sources}{CRITERIA if criteria else ''}{document}\n"


def parse_form(form: str, strategy: SearchStrategy) -> Any:
    """Return the strategy in a form as plain data, unchecked; None if the form is empty.

    Fields that the form does not show are kept.
    """
    text = _REMARK.sub("", form)
    if not text.strip():
        return None
    try:
        fields = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise InvalidDecisionError(f"the form cannot be read: {error}") from None
    if not isinstance(fields, dict):
        raise InvalidDecisionError("the form cannot be read: it is not a JSON object")
    if isinstance(rows := fields.get("queries"), list):
        fields["queries"] = [_with_names(row, n, strategy) for n, row in enumerate(rows)]
    return {**strategy.model_dump(mode="json", exclude=_SHOWN), **fields}


def _with_names(row: Any, place: int, strategy: SearchStrategy) -> Any:
    """Return a query of a form, changed or not, with its keywords and synonyms."""
    text = row.get("boolean_query") if isinstance(row, dict) else None
    same = (query for query in strategy.queries if query.boolean_query == text)
    query = next(same, next(iter(strategy.queries[place:]), None))
    if query is None or not isinstance(row, dict):
        return row
    return {**query.model_dump(mode="json", exclude={"boolean_query"}), **row}
