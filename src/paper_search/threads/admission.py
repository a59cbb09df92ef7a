"""Admission: what a run may begin with, checked in one place for all doors."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from paper_search.errors import ConfigError, QuestionError
from paper_search.threads.decisions import listed
from paper_search.threads.session import ThreadSession

ParamsT = TypeVar("ParamsT", bound=BaseModel)


def checked_settings(
    model: type[ParamsT], chosen: Any, noun: str, sources: Collection[str] | None = None
) -> ParamsT:
    """Return the settings of a run, chosen by name; `sources`: that may be named; None: any.

    Raises:
        ConfigError: one is unknown, out of its range, or a source that is not enabled.
    """
    if not isinstance(chosen, Mapping):
        raise ConfigError(f"the settings of a {noun} are an object of names and values")
    if unknown := sorted(map(str, set(chosen) - set(model.model_fields))):
        known = ", ".join(model.model_fields)
        raise ConfigError(f"a {noun} has no settings {', '.join(unknown)[:200]}; known: {known}")
    try:
        params = model.model_validate(dict(chosen))
    except ValidationError as error:
        raise ConfigError(f"the {noun} cannot be set up: {listed(error)}") from None
    named = getattr(params, "sources", None) or []
    if sources is not None and (missing := [name for name in named if name not in sources]):
        raise ConfigError(
            f"sources: {', '.join(missing)[:200]}: not enabled here, where there is "
            f"{', '.join(sources) or 'none'}; PAPER_SEARCH_SOURCES enables others"
        )
    return params


def check_begin(
    session_type: type[ThreadSession[Any, Any, Any]],
    request: Any,
    settings: Any = None,
    sources: Collection[str] | None = None,
) -> None:
    """Let a run begin that can be run: by its input, the settings in that and those beside it.

    `sources`: those that may be named; None: any.

    Raises:
        QuestionError: the input lacks what a thread of the graph begins with, or that is no use.
        ConfigError: see `checked_settings`.
    """
    workflow: Any = session_type.workflow
    begins_with = session_type.begins_with
    try:
        asked = workflow.request.model_validate(request)
        session_type.check_input(getattr(asked, begins_with))
    except ValidationError as error:
        raise QuestionError(f"the input: {listed(error)}") from None
    except QuestionError as error:
        raise QuestionError(f"the input: {begins_with}: {error}") from None
    within = [getattr(asked, name, None) for name in ("config", "workflow_params")]
    for chosen in (*within, settings):
        if chosen is not None and workflow.params is not None:
            checked_settings(workflow.params, chosen, session_type.noun, sources)
