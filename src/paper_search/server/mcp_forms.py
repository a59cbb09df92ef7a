"""The open question of a thread, as a form that an MCP client shows to the person."""

import json
import re
from collections.abc import Mapping
from typing import Any

from mcp.server.mcpserver import Context
from mcp.types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult

from paper_search.errors import InvalidDecisionError
from paper_search.server.mcp_texts import truncate
from paper_search.threads.decisions import BOXES, changed_args
from paper_search.workflow.checkpoints import CheckpointKind

_INPUT_REQUIRED_SINCE = "2026-07-28"
"""From this revision on, a tool returns its questions; before, the server asked during the call."""
_KEY = "question"
_NOT_ASKED = frozenset({"free_text_feedback", "feedback", *BOXES})
"""Arguments of questions that `note` or the request's state replaces."""
_NOT_IN_NAMES = re.compile(r"[^\w .:/+-]")
_MAX_NAME_CHARS = 80


class QuestionForm:
    """A flat form of a `Checkpoint` or a `Review`: action, note, a text box for each argument."""

    def __init__(self, question: Any) -> None:
        self.token: str = question.token
        request, config = question.action_requests[0], question.review_configs[0]
        actions = [action.value for action in getattr(question, "actions", ())]
        self.actions: list[str] = actions or list(config.allowed_decisions)
        self.args = {n: value for n, value in request.args.items() if n not in _NOT_ASKED}
        self.text: str = request.description
        self._takes_marks = request.name == CheckpointKind.RESULT_REVIEW.value

    def params(self, problem: str) -> ElicitRequestFormParams:
        """Return the form for the protocol, with what was wrong with the previous answer."""
        boxes = {name: _box(name, value) for name, value in self.args.items()}
        action = {"type": "string", "title": "Decision", "enum": self.actions}
        note = {"type": "string", "title": "Note", "description": "Why, or what should change."}
        schema = {
            "type": "object",
            "properties": {"action": action, "note": note, **boxes},
            "required": ["action"],
        }
        message = f"**{problem}**\n\n{self.text}" if problem else self.text
        return ElicitRequestFormParams(message=truncate(message), requested_schema=schema)

    def decision(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Return the decision in an answered form.

        Raises:
            InvalidDecisionError: it has unknown fields, a text box does not contain a list, or it
                approves what it changes.
        """
        if unknown := sorted(set(content) - {"action", "note", *self.args}):
            raise InvalidDecisionError(f"the form has no fields {', '.join(unknown)[:200]}")
        boxes = {name: content[name] for name in self.args if content.get(name) is not None}
        texts = {
            name: str(value) if isinstance(value, int | float) else value
            for name, value in boxes.items()
        }
        decision = {"action": content.get("action"), "token": self.token}
        if note := str(content.get("note") or "").strip():
            decision["note"] = note
        try:
            changed = changed_args(texts, self.args)
        except ValueError as error:
            raise InvalidDecisionError(str(error)) from None
        if changed:
            if decision["action"] == "approve" and not self._takes_marks:
                raise InvalidDecisionError(
                    f"the form changes {', '.join(changed)} and approves: to change what is "
                    "proposed, choose edit"
                )
            decision["revised_data"] = changed
        return decision


class Elicitation:
    """Asks the person at a client, as its version of the protocol allows."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        capabilities = ctx.client_capabilities
        elicitation = capabilities.elicitation if capabilities else None
        self._returns_questions = (ctx.protocol_version or "") >= _INPUT_REQUIRED_SINCE
        # A client that names no mode supports only forms, the first mode that existed.
        has_forms = elicitation is not None and (
            elicitation.form is not None or elicitation.url is None
        )
        can_reach = self._returns_questions or ctx.session.can_send_request
        self.is_possible = has_forms and can_reach
        """Whether the client shows forms to a person."""

    @property
    def client(self) -> str:
        params = self._ctx.session.client_params
        info = params.client_info if params else None
        name = f"{info.name} {info.version}".strip() if info else ""
        return _NOT_IN_NAMES.sub("", name)[:_MAX_NAME_CHARS] or "an unnamed client"

    @property
    def state(self) -> dict[str, str]:
        """Thread and token of the question that this call continues; empty for a new call."""
        state = self._ctx.request_state if self._returns_questions else None
        return json.loads(state) if state else {}

    def answer(self) -> ElicitResult | None:
        """Return the answer to a question of this server that came with this call, if any."""
        reply = (self._ctx.input_responses or {}).get(_KEY) if self.state else None
        return reply if isinstance(reply, ElicitResult) else None

    async def ask(
        self, thread_id: str, form: QuestionForm, problem: str
    ) -> ElicitResult | InputRequiredResult:
        params = form.params(problem)
        if not self._returns_questions:
            reply: ElicitResult = await self._ctx.session.elicit_form(
                params.message, params.requested_schema, self._ctx.request_id
            )
            return reply
        return InputRequiredResult(
            input_requests={_KEY: ElicitRequest(params=params)},
            request_state=json.dumps({"thread": thread_id, "token": form.token}),
        )


def _box(name: str, value: Any) -> dict[str, Any]:
    """Return the text box of an argument, with its present value."""
    title = name.replace("_", " ").capitalize()
    if isinstance(value, list):
        text = "\n".join(item if isinstance(item, str) else json.dumps(item) for item in value)
        return {
            "type": "string",
            "title": title,
            "description": "One entry per line.",
            "default": text,
        }
    return {"type": "string", "title": title, "default": "" if value is None else str(value)}
