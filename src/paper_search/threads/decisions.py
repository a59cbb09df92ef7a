"""Decisions: decodes and checks answers in the formats of all clients."""

import functools
import json
import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import orjson
from pydantic import BaseModel, Field, TypeAdapter, ValidationError, computed_field
from pydantic_core import (
    PydanticCustomError,
    PydanticSerializationError,
    SchemaSerializer,
    SchemaValidator,
    core_schema,
    to_jsonable_python,
)

from paper_search.errors import InvalidDecisionError, StaleDecisionError
from paper_search.steps.parameters import describe_errors
from paper_search.threads.records import storable

ACTIONS = ("approve", "edit", "reject")
DECISION, EDIT = "decision", "edit"
BOXES = ("token", DECISION)
"""Text boxes in clients that are not part of the proposal."""
MAX_EXCERPT_CHARS = 2_000
"""Characters of a refused decision that are kept for the audit."""
_STALE = "stale_decision"


@dataclass(frozen=True)
class QuestionReference:
    """How an answer names its question."""

    reference: Any = None
    token: str | None = None

    def means(self, reference: Any, token: str) -> bool:
        """Whether this can be the question; an answer that names none may mean any."""
        return self.reference in (None, reference) and self.token in (None, token)

    def __str__(self) -> str:
        token = f"the question with the token {self.token}" if self.token else ""
        if self.reference is None:
            return token or "no question"
        return f"{self.reference} (token {self.token})" if token else str(self.reference)


def decode(answer: Any, actions: Sequence[str] = ACTIONS) -> Any:
    """Return an answer in the format of a decision.

    Understands, besides our own JSON object: a plain string ("approve", "reject: why") and a JSON
    string; agent-inbox's list of one `{"type", "args"}`; agent-chat-ui's `{"decisions": [...]}`;
    MCP's elicitation result `{"action": "accept", "content": ...}`.

    Raises:
        ValueError: it is none of these; the message quotes it and says what is accepted.
    """
    decoded = _as_decision(answer, actions)
    try:
        orjson.dumps(decoded, default=str, option=orjson.OPT_NON_STR_KEYS)
    except TypeError as error:
        raise ValueError(
            f"it cannot be stored ({error}); accepted: text in UTF-8, numbers of at most 64 bits"
        ) from None
    return decoded


def _as_decision(answer: Any, actions: Sequence[str]) -> Any:
    while isinstance(answer, Mapping) and answer.get("action") == "accept" and "content" in answer:
        answer = answer["content"]
    match answer:
        case str():
            return _from_text(answer, actions)
        case [item]:
            return _with_token(_from_inbox(item, actions), actions, item)
        case {"decisions": [item]}:
            return _with_token(_from_chat(item, actions), actions, answer, item)
        case {"action": _}:
            return _with_token(answer, actions, answer, answer.get("revised_data"))
        case {"type": _}:
            return _with_token(_from_inbox(answer, actions), actions, answer)
        case _:
            raise _refusal(answer, actions)


def check(answer: Any, answers: Any) -> Any:
    """Return the decision in an answer of any client.

    Raises:
        StaleDecisionError: it names another question.
        InvalidDecisionError: fields are invalid, which the message names; the question stays open.
    """
    adapter: TypeAdapter[Any] = TypeAdapter(answers)
    try:
        return adapter.validate_python(plain(answer))
    except RecursionError:
        raise InvalidDecisionError(
            "the decision cannot be used, the question stays open: it is nested too deeply"
        ) from None
    except ValidationError as error:
        stale = [item["msg"] for item in error.errors() if item["type"] == _STALE]
        if stale:
            raise StaleDecisionError(stale[0]) from None
        raise InvalidDecisionError(
            f"the decision cannot be used, the question stays open: {describe_errors(error)}"
        ) from None


def answer_type(
    model: type[BaseModel],
    complete: Callable[[Any], Any],
    check_fields: Callable[[Any], Any],
    form: dict[str, Any],
) -> Any:
    """Return the type of the answers to one question: completed, validated as a model, checked.

    LangGraph makes a `TypeAdapter` and a JSON schema of it each time that the question is asked or
    answered, which is fast with this type. Clients read the form instead.
    """

    def validate(answer: Any) -> Any:
        return check_fields(model.model_validate(complete(answer)))

    schema = core_schema.no_info_plain_validator_function(
        validate, json_schema_input_schema=core_schema.any_schema()
    )

    class Answer:
        client_form = form
        __pydantic_core_schema__ = schema
        __pydantic_validator__ = SchemaValidator(schema)
        __pydantic_serializer__ = SchemaSerializer(schema)

    return Answer


def require_open(name: QuestionReference, question: Any) -> None:
    """Refuse a decision that names another question than the open one; for use in validators."""
    if not name.means(question.reference, question.token):
        token = question.token if name.token else None
        raise PydanticCustomError(
            _STALE,
            "the decision answers {given}, but the open question is {open}",
            {"given": str(name), "open": str(QuestionReference(question.reference, token))},
        )


def plain(answer: Any) -> Any:
    return answer.model_dump(mode="json") if isinstance(answer, BaseModel) else answer


def to_storable(value: dict[str, Any]) -> dict[str, Any]:
    plain_value: dict[str, Any] = json.loads(json.dumps(value))
    return plain_value


def excerpt(answer: Any) -> str:
    try:
        text = json.dumps(to_jsonable_python(answer), ensure_ascii=False)
    except (PydanticSerializationError, ValueError, RecursionError):
        text = type(answer).__name__
    return str(storable(text[:MAX_EXCERPT_CHARS]))


@functools.cache
def form_of(model: type[BaseModel], title: str | None = None) -> dict[str, Any]:
    """Return the JSON schema of a model without references, so that it can be nested in another.

    Cached, because making it is slow. The model must not be recursive. `title`: None for the
    model's own.
    """
    schema = model.model_json_schema()
    definitions = schema.pop("$defs", {})

    def inline(part: Any) -> Any:
        if isinstance(part, list):
            return [inline(item) for item in part]
        if not isinstance(part, dict):
            return part
        if "$ref" in part:
            rest = {name: value for name, value in part.items() if name != "$ref"}
            part = {**definitions[part["$ref"].rsplit("/", 1)[-1]], **rest}
        return {name: inline(value) for name, value in part.items()}

    form: dict[str, Any] = inline(schema)
    return form if title is None else form | {"title": title}


def form_for(model: type[BaseModel], token: str, title: str | None = None) -> dict[str, Any]:
    """Return the form of `form_of` for one question, with its token filled in."""
    form = form_of(model, title)
    token_field = {**form["properties"]["token"], "default": token or None}
    return {**form, "properties": {**form["properties"], "token": token_field}}


def _from_text(text: str, actions: Sequence[str]) -> Any:
    if text.lstrip().startswith(("{", "[")):
        try:
            return decode(json.loads(text), actions)
        except (json.JSONDecodeError, RecursionError):
            accepted = _accepted_forms(actions)
            raise ValueError(f"{reprlib.repr(text)} is not JSON: {accepted}") from None
    word, _, note = text.strip().partition(":")
    action = word.strip().lower()
    if action not in actions:
        raise _refusal(text, actions)
    return {"action": action, "note": note.strip() or None}


def _from_inbox(item: Any, actions: Sequence[str]) -> Any:
    """Agent-inbox: https://github.com/langchain-ai/agent-inbox, its HumanResponse."""
    match item:
        case {"type": "accept" | "approve"}:
            return {"action": "approve"}
        case {"type": "edit", "args": Mapping() as args}:
            return {"action": "edit", "revised_data": args.get("args", dict(args))}
        case {"type": "response" | "reject", "args": str() as note} if note.strip():
            return {"action": "reject", "note": note}
        case {"type": "ignore"}:
            raise ValueError(
                '"ignore" is not a decision, so the question stays open: approve, or reject with a '
                "response that says why"
            )
        case {"action": _}:
            return item
        case str():
            return _from_text(item, actions)
        case _:
            raise _refusal(item, actions)


def _from_chat(item: Any, actions: Sequence[str]) -> Any:
    match item:
        case {"type": "approve"}:
            return {"action": "approve"}
        case {"type": "reject"}:
            return {"action": "reject", "note": item.get("message")}
        case {"type": "edit", "edited_action": {"args": args}}:
            return {"action": "edit", "revised_data": args}
        case _:
            raise _refusal(item, actions)


def with_token(answer: Any, token: str, actions: Sequence[str]) -> Any:
    """Add the token of its question to an answer of any client; leave an invalid one unchanged."""
    try:
        return {**decode(plain(answer), actions), "token": token}
    except (ValueError, RecursionError):
        return answer  # `check` refuses it


def _with_token(decision: Any, actions: Sequence[str], *parts: Any) -> Any:
    """Return a decision with the token in one of the parts, or in the text boxes of one.

    An edit whose text box `decision` has another action becomes that: clients return the token
    only with edits.
    """
    revised = decision.get("revised_data")
    if isinstance(revised, Mapping):
        word = str(revised.get(DECISION) or EDIT)
        action = {} if word.strip() == EDIT else _from_text(word, actions)
        revised = {name: value for name, value in revised.items() if name not in BOXES}
        decision = {**decision, **action, "revised_data": revised}
    mappings = [part for part in (*parts, *map(_args_of, parts)) if isinstance(part, Mapping)]
    tokens = [part["token"] for part in mappings if part.get("token")]
    return {**decision, "token": tokens[0]} if tokens else decision


def _args_of(item: Any) -> Any:
    """Return the text boxes in an answer, if it has any."""
    match item:
        case {"args": {"args": args}} | {"edited_action": {"args": args}} | {"args": args}:
            return args
    return None


def _refusal(answer: Any, actions: Sequence[str]) -> ValueError:
    return ValueError(f"{reprlib.repr(answer)} is not a decision: {_accepted_forms(actions)}")


def _accepted_forms(actions: Sequence[str]) -> str:
    words = " | ".join(f'"{action}"' for action in actions)
    return (
        'an answer is "approve", "reject: why", or '
        f'{{"action": {words}, "revised_data": ..., "note": ...}}'
    )


class ActionRequest(BaseModel):
    name: str
    args: dict[str, Any]
    description: str = ""

    @computed_field
    def arguments(self) -> dict[str, Any]:
        """Return `args` under the name that Agent Inbox reads."""
        return self.args


class ReviewConfig(BaseModel):
    action_name: str
    allowed_decisions: list[Literal["approve", "edit", "reject"]]


class ClientForms(BaseModel):
    """The fields of a question that clients read; both lists have one entry."""

    action_requests: list[ActionRequest] = Field(default_factory=list)
    review_configs: list[ReviewConfig] = Field(default_factory=list)


def client_forms(
    name: str, token: str, args: Mapping[str, Any], description: str, *, takes_edits: bool = True
) -> dict[str, Any]:
    """Return the values of the fields of `ClientForms`.

    The token is an argument, because these clients send back nothing else with an answer.
    """
    args = {**args, **({DECISION: EDIT} if takes_edits else {}), "token": token}
    decisions = ["approve", "edit", "reject"] if takes_edits else ["approve", "reject"]
    return {
        "action_requests": [ActionRequest(name=name, args=args, description=description)],
        "review_configs": [ReviewConfig(action_name=name, allowed_decisions=decisions)],
    }


def changed_args(args: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """Return the text boxes that a person changed."""
    if not args.keys() <= before.keys():
        return dict(args)
    values = {name: _parse(value, before[name]) for name, value in args.items()}
    return {name: value for name, value in values.items() if value != before[name]}


def _parse(value: Any, like: Any) -> Any:
    if not isinstance(value, str) or isinstance(like, str):
        return value
    text = value.strip()
    if not isinstance(like, list):  # a number, or None
        return None if text in {"", "null"} else int(text) if text.isdecimal() else value
    if not text.startswith("["):
        return [line.strip() for line in text.splitlines() if line.strip()]
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"the list is not valid JSON ({error}); write one entry a line") from None
