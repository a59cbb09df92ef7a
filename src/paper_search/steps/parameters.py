"""Settings of a run: the model made of what the handlers take, and values given as text."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    Field,
    PydanticUserError,
    TypeAdapter,
    ValidationError,
    create_model,
)
from pydantic.fields import FieldInfo

from paper_search.errors import InputError, UnknownNameError
from paper_search.steps.signatures import Parameter, Signature
from paper_search.steps.types import Arg


class RunSettings(BaseModel, frozen=True, extra="forbid"):
    """The settings that the handlers of a workflow take; also read like a mapping."""

    def __getitem__(self, name: str) -> Any:
        """Return a setting.

        Raises:
            KeyError: there is none of that name.
        """
        if name not in type(self).model_fields:
            raise KeyError(name)
        return getattr(self, name)

    def get(self, name: str, default: Any = None) -> Any:
        """Return a setting, or the default where there is none of that name."""
        return getattr(self, name) if name in type(self).model_fields else default


def gathered(signatures: Mapping[str, Signature]) -> tuple[dict[str, Parameter], list[str]]:
    """Return the settings that the steps take, by name, and what does not fit together."""
    found: dict[str, Parameter] = {}
    first: dict[str, str] = {}
    problems = []
    for step_id, signature in signatures.items():
        problems += [f"step {step_id!r}: {problem}" for problem in signature.problems]
        for taken in signature.parameters:
            if taken.name not in found:
                found[taken.name], first[taken.name] = taken, step_id
                problems += [f"step {step_id!r}: {wrong}" for wrong in _default_problems(taken)]
            elif found[taken.name] != taken:
                problems.append(
                    f"steps {first[taken.name]!r} and {step_id!r} take {taken.name!r} differently"
                )
    return found, problems


def params_model(title: str, parameters: Iterable[Parameter]) -> type[BaseModel]:
    """Return the model of the settings: immutable, and the same one for the same settings."""
    chosen = tuple(parameters)
    try:
        hash(chosen)
    except TypeError:  # a default like a list
        return _model(title, chosen)
    return _remembered_model(title, chosen)


@functools.lru_cache(maxsize=256)
def _remembered_model(title: str, parameters: tuple[Parameter, ...]) -> type[BaseModel]:
    return _model(title, parameters)


def _model(title: str, parameters: tuple[Parameter, ...]) -> type[BaseModel]:
    fields: dict[str, Any] = {
        taken.name: (_checked_type(taken), ... if taken.is_required else taken.default)
        for taken in parameters
    }
    return create_model(f"{title}Params", __base__=RunSettings, **fields)


def _checked_type(parameter: Parameter) -> Any:
    arg = parameter.arg
    kind = parameter.annotation if arg.choices is None else Literal[arg.choices]
    return Annotated[kind, Field(description=arg.description or None, ge=arg.min, le=arg.max)]


def _default_problems(parameter: Parameter) -> Iterator[str]:
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(_checked_type(parameter))
    except (PydanticUserError, TypeError) as error:
        yield f"{parameter.name!r} cannot be checked: {error}"
        return
    if parameter.default is Arg.default:
        return
    try:
        adapter.validate_python(parameter.default)
    except ValidationError as error:
        yield (
            f"the default {parameter.default!r} of {parameter.name!r} is not one that it "
            f"takes: {error.errors()[0]['msg']}"
        )


def field_type(field: FieldInfo) -> Any:
    """Return the type of a model's field with its checks."""
    return Annotated[field.annotation, field] if field.metadata else field.annotation


def parse_params(model: type[BaseModel] | None, pairs: Iterable[str]) -> dict[str, Any]:
    """Return the settings in texts like `name=value`; a value is a word or JSON.

    Args:
        model: the settings that there are; None: there are none.
        pairs: the texts.

    Raises:
        InputError: a text is no pair, or its value is not one that the setting takes.
        UnknownNameError: there is no such setting.
    """
    fields = model.model_fields if model is not None else {}
    values: dict[str, Any] = {}
    for pair in pairs:
        name, sign, text = pair.partition("=")
        if not sign:
            raise InputError(f"{pair!r} is not a setting; write it as name=value")
        if name not in fields:
            raise UnknownNameError("setting", name, list(fields))
        values[name] = _parsed(name, text, field_type(fields[name]))
    return values


def _parsed(name: str, text: str, kind: Any) -> Any:
    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    try:
        return adapter.validate_python(text)
    except ValidationError as error:
        try:
            return adapter.validate_json(text)
        except ValidationError as second:
            is_json = second.errors()[0]["type"] != "json_invalid"
            message = (second if is_json else error).errors()[0]["msg"]
            raise InputError(f"{name}={text!r} cannot be used: {message}") from None
