"""The state of a thread: read in the version that wrote it, or refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from paper_search.errors import PersistenceError
from paper_search.steps import StepContext
from paper_search.steps.types import Asker
from paper_search.threads.decisions import listed

ModelT = TypeVar("ModelT", bound=BaseModel)
VERSION_FIELD = "schema_version"


def read_state(model: type[ModelT], values: Mapping[str, Any], thread: str) -> ModelT:
    """Return the state that the channels of a thread hold.

    Args:
        model: of the state; the default of its `schema_version`, if it has one, is what it reads.
        values: of the channels.
        thread: what the thread is called in an error.

    Raises:
        PersistenceError: another version of the program wrote them.
    """
    if VERSION_FIELD in values:
        _check_version(model, values[VERSION_FIELD], thread)
    known = {name: values[name] for name in model.model_fields if name in values}
    try:
        return model.model_validate(known)
    except ValidationError as error:
        raise PersistenceError(
            f"{thread} cannot be read: {listed(error)}; restore a backup, or delete the thread"
        ) from None


def checked_state(ctx: StepContext[ModelT, Any, Any], noun: str) -> ModelT:
    """Return the state that a step is given if this program can read it.

    Raises:
        PersistenceError: another version of the program wrote it.
    """
    state = ctx.step_state
    version = getattr(state, VERSION_FIELD, None)
    _check_version(type(state), version, f"{noun} {ctx.thread_id!r}")
    return state


def asker(ctx: StepContext[Any, Any, Any]) -> Asker:
    """Return what asks a person.

    Raises:
        PersistenceError: the workflow was compiled without a way to ask.
    """
    if ctx.ask is None:
        raise PersistenceError("this workflow asks a person and was compiled without a way to")
    return ctx.ask


def _check_version(model: type[BaseModel], version: Any, thread: str) -> None:
    field = model.model_fields.get(VERSION_FIELD)
    if field is not None and version != field.default:
        raise PersistenceError(
            f"{thread} was written with schema version {version}, this program reads "
            f"{field.default}; use the version that wrote it"
        )
