"""Signatures of handlers: which outcomes they may give, and which settings they take."""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, cast

from paper_search.steps.step import BindableHandler
from paper_search.steps.types import Arg, Outcome

EMPTY = inspect.Parameter.empty


@dataclass(frozen=True)
class Parameter:
    """A setting that a handler takes beside its context."""

    name: str
    annotation: Any
    arg: Arg
    default: Any = EMPTY

    @property
    def is_required(self) -> bool:
        """Whether a run has to be given a value."""
        return self.arg.required or self.default is EMPTY


@dataclass(frozen=True)
class Signature:
    """What can be read from a handler before it runs."""

    outcomes: frozenset[Outcome] | None = None
    """Those that it may give; None: its annotation does not say."""
    parameters: tuple[Parameter, ...] = ()
    problems: tuple[str, ...] = ()


def read_signature(handler: Any) -> Signature:
    """Return what a handler says about itself."""
    if isinstance(handler, BindableHandler):
        return Signature(outcomes=handler.outcomes())
    if not callable(handler):
        return Signature()
    try:
        parameters = inspect.signature(handler).parameters.values()
    except ValueError:  # a builtin without a signature
        return Signature()
    named = [taken for taken in parameters if taken.kind is not taken.VAR_KEYWORD]
    if not named or named[0].kind is inspect.Parameter.KEYWORD_ONLY:
        return Signature(problems=("its handler takes no context",))
    function = _function(handler)
    found, problems = [], []
    for parameter in (taken for taken in named[1:] if taken.kind is not taken.VAR_POSITIONAL):
        read = _parameter(parameter, function)
        if isinstance(read, str):
            problems.append(read)
        elif read is not None:
            found.append(read)
    return Signature(stated_outcomes(handler), tuple(found), tuple(problems))


def _function(handler: Callable[..., Any]) -> Any:
    while isinstance(handler, functools.partial):
        handler = handler.func
    if inspect.isroutine(handler):
        return inspect.unwrap(handler)
    return inspect.unwrap(type(handler).__call__)


def _hint(function: Any, name: str) -> Any:
    """Return one annotation as a type; EMPTY: there is none, or it cannot be resolved here."""
    annotations = getattr(function, "__annotations__", {})
    if name not in annotations:
        return EMPTY
    holder = types.SimpleNamespace(__annotations__={name: annotations[name]})
    names = getattr(function, "__globals__", {})
    try:
        return typing.get_type_hints(holder, globalns=names, include_extras=True)[name]
    except (NameError, AttributeError, TypeError, SyntaxError):
        return EMPTY  # of a function's own scope, imported for the type checker alone, or no type


def _parameter(parameter: inspect.Parameter, function: Any) -> Parameter | str | None:
    """Return the setting, what is wrong with it, or None: its default is all that it gets."""
    name = parameter.name
    hint = _hint(function, name)
    args = [note for note in getattr(hint, "__metadata__", ()) if isinstance(note, Arg)]
    if not args:
        if hint is EMPTY and "Arg(" in str(parameter.annotation):
            return (
                f"the annotation of its parameter {name!r} cannot be read outside of its function"
            )
        if parameter.default is not EMPTY:
            return None
        return (
            f"nothing supplies its parameter {name!r}: annotate it with an Arg or give it a default"
        )
    if parameter.kind is parameter.POSITIONAL_ONLY:
        return f"its parameter {name!r} cannot be given by name"
    default, arg = parameter.default, args[-1]
    if default is EMPTY:
        default = arg.default
    elif arg.default is not EMPTY and arg.default != default:
        return f"its parameter {name!r} has two defaults, {default!r} and {arg.default!r}"
    return Parameter(name, typing.get_args(hint)[0], arg, default)


def stated_outcomes(handler: Callable[..., Any]) -> frozenset[Outcome] | None:
    """Return the outcomes in a function's annotation; None: it does not say."""
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
    if origin is Annotated:
        return _literals(typing.get_args(annotation)[0])
    if origin is Literal:
        values = typing.get_args(annotation)
        known = all(isinstance(value, Outcome) for value in values)
        return frozenset(cast("tuple[Outcome, ...]", values)) if known else None
    if origin in {Union, types.UnionType}:
        parts = [_literals(part) for part in typing.get_args(annotation)]
        known_parts = [part for part in parts if part is not None]
        return frozenset().union(*known_parts) if len(known_parts) == len(parts) else None
    return None
