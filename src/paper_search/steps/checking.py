"""Values that come into a run, from outside or from a step, checked against the state's fields."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from paper_search.steps.parameters import field_type


def wrong_values(model: type[BaseModel], values: Mapping[str, Any]) -> str:
    """Return what is wrong with which field; empty: nothing is.

    Args:
        model: whose fields the values are of.
        values: JSON, by the name of the field.
    """
    told = []
    for name, value in values.items():
        try:
            _adapter(model, name).validate_python(value)
        except ValidationError as error:
            told.append(listed(error, name))
    return "; ".join(told)


def listed(error: ValidationError, *prefix: str) -> str:
    """Return what is wrong with which field, never the values."""
    return "; ".join(
        f"{_path([*prefix, *item['loc']])}: {item['msg'].removeprefix('Value error, ')}"
        for item in error.errors(include_url=False, include_input=False)
    )


def _path(parts: Iterable[object]) -> str:
    return ".".join(map(str, parts)) or "as a whole"


@functools.lru_cache(maxsize=1024)
def _adapter(model: type[BaseModel], name: str) -> TypeAdapter[Any]:
    return TypeAdapter(field_type(model.model_fields[name]))
