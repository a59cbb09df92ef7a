"""Checkpoint 1 at the terminal: is this the strategy?"""

from __future__ import annotations

import shlex
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paper_search.cli.console import messages, say, visible
from paper_search.cli.form import read_form, with_problem, write_form
from paper_search.cli.keys import command
from paper_search.cli.terminal import QuitError, Terminal
from paper_search.cli.views import show_checkpoint
from paper_search.errors import InvalidDecisionError, PaperSearchError
from paper_search.models import Criterion
from paper_search.threads.decisions import check
from paper_search.workflow.checkpoints import (
    Checkpoint,
    Decision,
    DecisionAction,
    StrategyPayload,
)
from paper_search.workflow.decisions import answer_model

if TYPE_CHECKING:
    from paper_search.models import SearchStrategy
    from paper_search.models.scope import Translation


class EditorError(PaperSearchError):
    """The editor cannot be started or failed."""


def edited(form: str, command: str, name: str = "strategy.toml") -> str:
    """Return the form as the person left it.

    Args:
        form: the text of the file that is opened.
        command: the editor with its options, as VISUAL and EDITOR have it.
        name: of that file.

    Raises:
        EditorError: it cannot be started, failed, or left something that is not UTF-8.
    """
    with tempfile.TemporaryDirectory(prefix="paper-search-") as directory:
        path = Path(directory) / name
        path.write_text(form, encoding="utf-8")
        try:
            words = [*shlex.split(command), str(path)]
            ended = subprocess.run(words, check=False)  # noqa: S603  # the person's own editor
            if ended.returncode:
                raise EditorError(
                    f"the editor {command!r} failed with code {ended.returncode}; nothing changed"
                )
            return path.read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            raise EditorError(f"the editor {command!r} cannot be used: {error}") from error


MENU = "[a]pprove  [e]dit  [x] reject NOTE  [s]how again  [h]elp  [q]uit > "
HELP = """\
  a             approve: search like this
  e             edit the strategy, in your editor or field by field
  x [WORDS]     reject it: another strategy is written, by what you say
  s             show the strategy again, with what each source will be sent
  q             quit; the question stays open"""


class StrategyReview:
    """Asks a person about a strategy.

    Args:
        terminal: where they sit.
        editor: the command that opens a form; None: fields are asked one by one.
        translate: returns what each source will be sent for a strategy.
    """

    def __init__(
        self,
        terminal: Terminal,
        editor: str | None = None,
        translate: Callable[[SearchStrategy], Sequence[Translation]] = lambda _strategy: (),
    ) -> None:
        self._terminal = terminal
        self._editor = editor
        self._translate = translate

    def decide(self, checkpoint: Checkpoint) -> Decision:
        """Return what the person decides.

        Raises:
            QuitError: they leave the question open.
        """
        show_checkpoint(messages(), checkpoint)
        while True:
            try:
                meaning, words = command(self._terminal.ask(MENU), "a e x s h q")
            except InvalidDecisionError as error:
                say(str(error))
                continue
            if (decision := self._obey(checkpoint, meaning, words)) is not None:
                return decision

    def _obey(self, checkpoint: Checkpoint, meaning: str, words: str) -> Decision | None:
        match meaning:
            case "approve":
                return _decision(checkpoint, DecisionAction.APPROVE)
            case "edit":
                if (revised := self._revised(checkpoint)) is not None:
                    return _decision(checkpoint, DecisionAction.EDIT, revised_data=revised)
                say("nothing changed")
            case "reject":
                note = words or self._terminal.ask("what should be different? ")
                return _decision(checkpoint, DecisionAction.REJECT, note=note or None)
            case "show":
                show_checkpoint(messages(), checkpoint, translations=self._translations(checkpoint))
            case "help":
                say(HELP)
            case _:
                raise QuitError
        return None

    def _translations(self, checkpoint: Checkpoint) -> Sequence[Translation]:
        payload = checkpoint.payload
        return self._translate(payload.strategy) if isinstance(payload, StrategyPayload) else ()

    def _revised(self, checkpoint: Checkpoint) -> Any:
        """Return the strategy as the person wants it, checked; None: as it is."""
        if not isinstance(checkpoint.payload, StrategyPayload):
            raise TypeError(f"no strategy in a {type(checkpoint.payload).__name__}")
        if self._editor is None:
            return self._from_fields(checkpoint, checkpoint.payload)
        return self._from_editor(checkpoint, checkpoint.payload, self._editor)

    def _from_editor(self, checkpoint: Checkpoint, payload: StrategyPayload, editor: str) -> Any:
        form = original = write_form(
            payload.strategy,
            payload.available_sources,
            payload.intent.criteria,
        )
        while True:
            try:
                form = edited(form, editor)
                revised = read_form(form)
                if revised is None or revised == read_form(original):
                    return None
                return _checked(checkpoint, revised)
            except EditorError as error:
                say(str(error))
                return None
            except InvalidDecisionError as error:
                say(visible(error))
                form = with_problem(form, str(error))
                if self._terminal.ask("[e]dit again  [b]ack > ").lower() in {"b", "back"}:
                    return None

    def _from_fields(self, checkpoint: Checkpoint, payload: StrategyPayload) -> Any:
        while True:
            revised, criteria = self._asked(payload), self._criteria(payload.intent.criteria)
            if criteria != payload.intent.criteria:
                revised["criteria"] = [criterion.model_dump(mode="json") for criterion in criteria]
            if revised == payload.strategy.model_dump(mode="json"):
                return None
            try:
                return _checked(checkpoint, revised)
            except InvalidDecisionError as error:
                say(visible(error))
                if self._terminal.ask("[e]dit again  [b]ack > ").lower() in {"b", "back"}:
                    return None

    def _asked(self, payload: StrategyPayload) -> dict[str, Any]:
        """Return a strategy put together from one answer per field, unchecked."""
        say("Enter keeps what is in brackets; '-' removes it.")
        data = payload.strategy.model_dump(mode="json")
        data["ranked"] = self._ranked(data.get("ranked", []))
        if not data["ranked"]:
            del data["ranked"]
        data["queries"] = self._queries(data["queries"])
        sources = self._terminal.ask_kept("sources", ", ".join(data["sources"]))
        data["sources"] = _names(sources)
        for name, value in data["filters"].items():
            if name == "conditions":
                wordings = (self._kept("condition", condition) for condition in value)
                data["filters"][name] = [text for text in wordings if text != "-"]
            elif isinstance(value, list):
                answer = self._terminal.ask_kept(name, ", ".join(value))
                data["filters"][name] = [] if answer == "-" else _names(answer)
            else:
                answer = self._terminal.ask_kept(name, "-" if value is None else str(value))
                data["filters"][name] = None if answer == "-" else _number(answer)
        return data

    def _ranked(self, ranked: list[dict[str, Any]]) -> list[dict[str, Any]]:
        kept = []
        for query in ranked:
            wording = self._kept("question", query["text"])
            if wording == "-":
                continue
            kept.append({**query, "text": wording})
        return kept

    def _kept(self, name: str, text: str) -> str:
        """Return what a person makes of a text; as it is where they leave it."""
        shown = visible(text)
        answer = self._terminal.ask_kept(name, shown)
        return text if answer == shown else answer

    def _criteria(self, criteria: list[Criterion]) -> list[Criterion]:
        """Return the criteria as the person words them, unchecked; none: no model judges."""
        kept = []
        for number, criterion in enumerate(criteria, start=1):
            shown = visible(criterion.text)
            wording = self._terminal.ask_kept(f"{criterion.kind.value} {number}", shown)
            if wording == shown:
                kept.append(criterion)
            elif wording != "-":
                kept.append(criterion.model_copy(update={"text": wording}))
        while criteria and (added := self._terminal.ask("another inclusion (Enter: no): ")):
            kept.append(Criterion.model_construct(text=added))
        return kept

    def _queries(self, queries: list[dict[str, Any]]) -> list[dict[str, Any]]:
        kept = []
        for number, query in enumerate(queries, start=1):
            wording = self._terminal.ask_kept(f"query {number}", visible(query["boolean_query"]))
            if wording == visible(query["boolean_query"]):
                kept.append(query)
            elif wording != "-":
                kept.append({"boolean_query": wording, "keywords": [], "synonym_map": []})
        while added := self._terminal.ask("another query (Enter: no): "):
            kept.append({"boolean_query": added, "keywords": [], "synonym_map": []})
        return kept


def _checked(checkpoint: Checkpoint, revised: Any) -> Any:
    """Return the revised strategy if the checkpoint takes it; its sources were put there."""
    edit = Decision(action=DecisionAction.EDIT, revised_data=revised)
    check(edit, answer_model(checkpoint, frozenset()))
    return revised


def _decision(checkpoint: Checkpoint, action: DecisionAction, **given: Any) -> Decision:
    token = checkpoint.token or None
    return Decision(action=action, checkpoint=checkpoint.reference, token=token, **given)


def _names(answer: str) -> list[str]:
    return [name for part in answer.split(",") if (name := part.strip())]


def _number(answer: str) -> int | str:
    return int(answer) if answer.isdecimal() else answer
