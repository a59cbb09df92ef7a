"""Forms: the JSON schema that clients build their form of an answer from."""

from __future__ import annotations

import functools
from typing import Any

from pydantic import BaseModel


@functools.cache
def form_of(model: type[BaseModel], title: str | None = None) -> dict[str, Any]:
    """Return the JSON schema of a model without references: pydantic nests it in another.

    Kept, because making it takes longer than a step may.

    Args:
        model: what an answer is read as; not recursive.
        title: what the form is called; None: as the model.
    """
    schema = model.model_json_schema()
    definitions = schema.pop("$defs", {})

    def inlined(part: Any) -> Any:
        if isinstance(part, list):
            return [inlined(each) for each in part]
        if not isinstance(part, dict):
            return part
        if "$ref" in part:
            rest = {name: value for name, value in part.items() if name != "$ref"}
            part = {**definitions[part["$ref"].rsplit("/", 1)[-1]], **rest}
        return {name: inlined(value) for name, value in part.items()}

    form: dict[str, Any] = inlined(schema)
    return form if title is None else form | {"title": title}
