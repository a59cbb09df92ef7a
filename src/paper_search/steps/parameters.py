"""Reads settings and outcomes from the signatures of handlers; checks values against types."""

import functools
import inspect
import re
import types
import typing
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar, Union

from pydantic import BaseModel, Field, PydanticUserError, TypeAdapter, ValidationError, create_model
from pydantic.fields import FieldInfo

from paper_search.errors import ConfigError, InputError, UnknownNameError
from paper_search.steps.step import BindableHandler
from paper_search.steps.types import Arg, Outcome

EMPTY = inspect.Parameter.empty
ModelT = TypeVar("ModelT", bound=BaseModel)


@dataclass(frozen=True)
class Parameter:
    """A setting that a handler takes besides its context."""

    name: str
    annotation: Any
    arg: Arg
    default: Any = EMPTY

    @property
    def is_required(self) -> bool:
        return self.arg.required or self.default is EMPTY


@dataclass(frozen=True)
class Signature:
    outcomes: frozenset[Outcome] | None = None
    """Those that it may return; None if its annotation does not say."""
    parameters: tuple[Parameter, ...] = ()
    problems: tuple[str, ...] = ()


def parse_signature(handler: Any) -> Signature:
    if isinstance(handler, BindableHandler):
        return Signature(outcomes=handler.outcomes())
    if not callable(handler):
        return Signature()
    parameters = inspect.signature(handler).parameters.values()
    by_name = [p for p in parameters if p.kind is not p.VAR_KEYWORD]
    if not by_name or by_name[0].kind is inspect.Parameter.KEYWORD_ONLY:
        return Signature(problems=("its handler takes no context",))
    function = _function(handler)
    settings = [_parameter(p, function) for p in by_name[1:] if p.kind is not p.VAR_POSITIONAL]
    return Signature(
        stated_outcomes(handler),
        tuple(setting for setting in settings if isinstance(setting, Parameter)),
        tuple(problem for problem in settings if isinstance(problem, str)),
    )


def _function(handler: Callable[..., Any]) -> Any:
    while isinstance(handler, functools.partial):
        handler = handler.func
    if inspect.isroutine(handler):
        return inspect.unwrap(handler)
    return inspect.unwrap(type(handler).__call__)


def _hint(function: Any, name: str) -> Any:
    """Return one annotation as a type; EMPTY if there is none, or if it cannot be resolved."""
    annotations = getattr(function, "__annotations__", {})
    if name not in annotations:
        return EMPTY
    holder = types.SimpleNamespace(__annotations__={name: annotations[name]})
    names = getattr(function, "__globals__", {})
    try:
        return typing.get_type_hints(holder, globalns=names, include_extras=True)[name]
    except (NameError, AttributeError, TypeError, SyntaxError):
        return EMPTY  # local to a function, imported for the type checker only, or not a type


def _parameter(parameter: inspect.Parameter, function: Any) -> Parameter | str | None:
    """Return the setting, or its error; None if the parameter always has its default."""
    name = parameter.name
    hint = _hint(function, name)
    args = [note for note in getattr(hint, "__metadata__", ()) if isinstance(note, Arg)]
    if not args:
        if hint is EMPTY and "Arg(" in str(parameter.annotation):
            return f"the annotation of its parameter {name!r} cannot be read"
        if parameter.default is not EMPTY:
            return None
        return (
            f"nothing supplies its parameter {name!r}: annotate it with an Arg or give it a default"
        )
    if parameter.kind is parameter.POSITIONAL_ONLY:
        return f"its parameter {name!r} cannot be passed by name"
    default, arg = parameter.default, args[-1]
    if default is EMPTY:
        default = arg.default
    elif arg.default is not EMPTY and arg.default != default:
        return f"its parameter {name!r} has two defaults, {default!r} and {arg.default!r}"
    return Parameter(name, typing.get_args(hint)[0], arg, default)


def stated_outcomes(handler: Callable[..., Any]) -> frozenset[Outcome] | None:
    """Return the outcomes in the annotation of a function; None if it does not name them."""
    return _outcomes(_hint(_function(handler), "return"))


def _outcomes(result: Any) -> frozenset[Outcome] | None:
    origin, args = typing.get_origin(result), typing.get_args(result)
    if origin in {Awaitable, Coroutine}:
        return _outcomes(args[-1])
    if origin is not tuple or not args:
        return None
    return _literals(args[0])


def _literals(annotation: Any) -> frozenset[Outcome] | None:
    origin = typing.get_origin(annotation)
    parts: list[Any] = list(typing.get_args(annotation))
    if origin is Literal:
        return frozenset(parts) if all(isinstance(part, Outcome) for part in parts) else None
    if origin in {Union, types.UnionType}:
        outcomes = [_literals(part) for part in parts]
        return None if None in outcomes else frozenset().union(*filter(None, outcomes))
    return None


class RunSettings(BaseModel, frozen=True, extra="forbid"):
    """The settings that the handlers of a workflow take; they can be read like a mapping."""

    def __getitem__(self, name: str) -> Any:
        if name not in type(self).model_fields:
            raise KeyError(name)
        return getattr(self, name)

    def get(self, name: str, default: Any = None) -> Any:
        return getattr(self, name) if name in type(self).model_fields else default


def gather_settings(signatures: Mapping[str, Signature]) -> tuple[dict[str, Parameter], list[str]]:
    """Return the settings that the steps take, by name, and their errors."""
    settings: dict[str, Parameter] = {}
    first: dict[str, str] = {}
    problems = []
    for step_id, signature in signatures.items():
        problems += [f"step {step_id!r}: {problem}" for problem in signature.problems]
        for setting in signature.parameters:
            name = setting.name
            if name not in settings:
                settings[name], first[name] = setting, step_id
                problems += [f"step {step_id!r}: {error}" for error in _default_problems(setting)]
            elif settings[name] != setting:
                problems.append(f"steps {first[name]!r} and {step_id!r} take {name!r} differently")
    return settings, problems


def params_model(title: str, parameters: Iterable[Parameter]) -> type[BaseModel]:
    """Return an immutable model of the settings, the same one for equal settings."""
    settings = tuple(parameters)
    try:
        return _model(title, settings)
    except TypeError:  # an unhashable default, such as a list
        return _model.__wrapped__(title, settings)


@functools.lru_cache(maxsize=256)
def _model(title: str, parameters: tuple[Parameter, ...]) -> type[BaseModel]:
    fields: dict[str, Any] = {
        setting.name: (_type_with_checks(setting), ... if setting.is_required else setting.default)
        for setting in parameters
    }
    return create_model(f"{title}Params", __base__=RunSettings, **fields)


def _type_with_checks(parameter: Parameter) -> Any:
    arg = parameter.arg
    kind = parameter.annotation if arg.choices is None else Literal[arg.choices]
    return Annotated[kind, Field(description=arg.description or None, ge=arg.min, le=arg.max)]


def _default_problems(parameter: Parameter) -> Iterator[str]:
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(_type_with_checks(parameter))
    except (PydanticUserError, TypeError) as error:
        yield f"{parameter.name!r} cannot be checked: {error}"
        return
    try:
        if parameter.default is not EMPTY:
            adapter.validate_python(parameter.default)
    except ValidationError as error:
        yield (
            f"the default {parameter.default!r} of {parameter.name!r} is not allowed: "
            f"{describe_errors(error)}"
        )


def field_type(field: FieldInfo) -> Any:
    return Annotated[field.annotation, field] if field.metadata else field.annotation


def parse_params(model: type[BaseModel] | None, pairs: Iterable[str]) -> dict[str, Any]:
    """Return the settings in texts such as `name=value`, where the value is a word or JSON.

    Raises:
        InputError: a text has no `=`, or an invalid value.
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
        values[name] = _parse_value(name, text, field_type(fields[name]))
    return values


def _parse_value(name: str, text: str, kind: Any) -> Any:
    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    try:
        return adapter.validate_python(text)
    except ValidationError as error:
        try:
            return adapter.validate_json(text)
        except ValidationError as second:
            is_json = second.errors()[0]["type"] != "json_invalid"
            message = describe_errors(second if is_json else error)
            raise InputError(f"{name}={text!r} cannot be used: {message}") from None


OF_LANGGRAPH = re.compile(
    r"__.*|langgraph_.*|(thread|run|user|graph|assistant)_id|checkpoint_(id|ns|map)"
)
"""Names that LangGraph and its clients add to the settings of a run."""


def parse_settings(model: type[ModelT], values: Any, owner: str) -> ModelT:
    """Return the validated settings of a run. `owner`: their owner in errors, as "a search"."""
    if not isinstance(values, Mapping):
        raise ConfigError(f"the settings of {owner} must be an object of names and values")
    if unknown := sorted(map(str, {*values} - {*model.model_fields})):
        accepted = ", ".join(model.model_fields)
        raise ConfigError(f"{owner} has no setting {', '.join(unknown)[:200]}; it has: {accepted}")
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        raise ConfigError(f"invalid settings of {owner}: {describe_errors(error)}") from None


def wrong_values(model: type[BaseModel], values: Mapping[str, Any]) -> str:
    """Return the errors of the fields, or an empty string."""
    problems = []
    for name, value in values.items():
        try:
            _adapter(model, name).validate_python(value)
        except ValidationError as error:
            problems.append(describe_errors(error, name))
    return "; ".join(problems)


def describe_errors(error: ValidationError, *prefix: str) -> str:
    """Return the errors with their fields, never with the values."""
    lines = []
    for item in error.errors(include_url=False, include_input=False):
        path = ".".join(map(str, [*prefix, *item["loc"]]))
        message = item["msg"].removeprefix("Value error, ")
        lines.append(f"{path}: {message}" if path else message)
    return "; ".join(lines)


@functools.lru_cache(maxsize=1024)
def _adapter(model: type[BaseModel], name: str) -> TypeAdapter[Any]:
    return TypeAdapter(field_type(model.model_fields[name]))
