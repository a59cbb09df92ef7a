"""The open question in the shape that Agent Chat UI and Agent Inbox show, and their text boxes.

LangChain's middleware for a person in the loop has it (https://docs.langchain.com/oss/python/
langchain/human-in-the-loop). Both clients show `description` as Markdown and each argument in a
text box of its own. What comes back of a list or a number may be its text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, Field, computed_field


class ActionRequest(BaseModel):
    """What is proposed, with what a person may change of it."""

    name: str
    args: dict[str, Any]
    description: str = ""

    @computed_field
    def arguments(self) -> dict[str, Any]:
        """Return `args` by the name that Agent Inbox reads."""
        return self.args


class ReviewConfig(BaseModel):
    """Which answers are taken."""

    action_name: str
    allowed_decisions: list[Literal["approve", "edit", "reject"]]


class ClientForms(BaseModel):
    """The fields of a question that these clients know it by; both lists have one entry."""

    action_requests: list[ActionRequest] = Field(default_factory=list)
    review_configs: list[ReviewConfig] = Field(default_factory=list)


def client_forms(
    name: str, args: Mapping[str, Any], description: str, *, takes_edits: bool = True
) -> dict[str, Any]:
    """Return the values of the fields of `ClientForms`."""
    decisions = ["approve", "edit", "reject"] if takes_edits else ["approve", "reject"]
    return {
        "action_requests": [ActionRequest(name=name, args=dict(args), description=description)],
        "review_configs": [ReviewConfig(action_name=name, allowed_decisions=decisions)],
    }


def changed_args(args: Mapping[str, Any], shown: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a person changed in the text boxes.

    Raises:
        ValueError: a list that begins as JSON is none.
    """
    if not args.keys() <= shown.keys():
        return dict(args)
    values = {name: _read(value, shown[name]) for name, value in args.items()}
    return {name: value for name, value in values.items() if value != shown[name]}


def _read(value: Any, like: Any) -> Any:
    if not isinstance(value, str) or isinstance(like, str):
        return value
    text = value.strip()
    if not isinstance(like, list):  # a number, or None
        return None if text in {"", "null"} else int(text) if text.isdigit() else value
    if not text.startswith("["):
        return [line.strip() for line in text.splitlines() if line.strip()]
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"a list is not JSON ({error}); write one entry a line") from None
