"""Admission: what a run may begin with, checked in one place for all doors."""

from collections.abc import Collection, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from paper_search.errors import ConfigError, QuestionError
from paper_search.steps.parameters import describe_errors, parse_settings
from paper_search.threads.session import ThreadSession

ParamsT = TypeVar("ParamsT", bound=BaseModel)


def admit(
    model: type[ParamsT], values: Any, noun: str, sources: Collection[str] | None = None
) -> ParamsT:
    """Return the settings of a run, chosen by name; `sources`: that may be named; None for any.

    Raises:
        ConfigError: one is unknown, out of its range, or a source that is not enabled.
    """
    params = parse_settings(model, values, f"a {noun}")
    names = getattr(params, "sources", None)
    if names == []:
        raise ConfigError("sources: none is named; name one, or leave the field out")
    names = names or []
    if sources is not None and (missing := [name for name in names if name not in sources]):
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

    Every door asks this: the command line and Python with an input and settings of their own making
    (`ThreadEngine`), the page, LangGraph's API and MCP with what somebody sent (`Access`).

    `sources`: that may be named; None for any.

    Raises:
        QuestionError: the input lacks what a thread of the graph begins with, has other fields, or
            is no use.
        ConfigError: see `admit`.
    """
    workflow: Any = session_type.workflow
    begins_with, fields = session_type.begins_with, workflow.request.model_fields
    try:
        model = workflow.request.model_validate(request)
        session_type.check_input(getattr(model, begins_with))
    except ValidationError as error:
        raise QuestionError(f"the input: {describe_errors(error)}") from None
    if isinstance(request, Mapping) and (unknown := sorted(map(str, set(request) - set(fields)))):
        raise QuestionError(
            f"the input has no fields {', '.join(unknown)[:200]}; known: {', '.join(fields)}"
        )
    within = [getattr(model, name, None) for name in ("config", "workflow_params")]
    for values in (*within, settings):
        if values is not None and workflow.params is not None:
            admit(workflow.params, values, session_type.noun, sources)
