"""Logs and traces of the packages that ask models: without keys, and no traces unless wanted."""

from __future__ import annotations

from typing import Any

from paper_search.http.redaction import redact, redact_logs


def redact_output(secrets: tuple[str, ...]) -> None:
    """Keep secrets out of all that others' packages log and trace while the process runs."""
    redact_logs(secrets)
    redact_traces(secrets)


def redact_traces(secrets: tuple[str, ...]) -> bool:
    """Have LangSmith's client leave secrets out of all it sends; return whether tracing is on.

    Tracing is switched by `LANGSMITH_TRACING` (https://docs.smith.langchain.com).
    """
    from langsmith import Client  # noqa: PLC0415  # slow import
    from langsmith.run_trees import configure  # noqa: PLC0415  # as above
    from langsmith.utils import tracing_is_enabled  # noqa: PLC0415  # as above

    if not tracing_is_enabled():
        return False
    configure(client=Client(anonymizer=lambda data: without_secrets(data, secrets)))
    return True


def without_secrets(data: Any, secrets: tuple[str, ...]) -> Any:
    match data:
        case str():
            return redact(data, secrets)
        case dict():
            return {
                without_secrets(name, secrets): without_secrets(value, secrets)
                for name, value in data.items()
            }
        case list() | tuple():
            return [without_secrets(entry, secrets) for entry in data]
        case _:
            return data
