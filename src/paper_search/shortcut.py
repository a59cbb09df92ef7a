"""A search in one call, without questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paper_search.config import AppConfig
    from paper_search.models import PaperCollection
    from paper_search.persistence import Persistence
    from paper_search.threads.engine import ProgressReporter


async def search(  # noqa: PLR0913  # keywords only, all with defaults
    query: str,
    config: AppConfig | None = None,
    *,
    sources: Sequence[str] | None = None,
    max_results: int | None = None,
    domain: str | None = None,
    persistence: str | Persistence | None = None,
    progress_reporter: ProgressReporter | None = None,
) -> PaperCollection:
    """Search the literature once, without questions, and return the relevant papers, best first.

    Args:
        query: the research question, in plain words.
        config: the settings; None for those of `load_config()`.
        sources: search only these; None for all that the settings enable.
        max_results: return at most this many papers; None for the strategy's limit.
        domain: the domain of the prompts; None for that of the settings.
        persistence: where the thread is stored: a URL, or an open `Persistence`; None: in memory.
        progress_reporter: takes a phase and its details.

    Raises:
        QuestionError: the question is blank or too long.
        ConfigError: a model or a source lacks a required setting, or no source is enabled.
        UnknownNameError: a source of that name is not installed.
    """
    from paper_search.config import load_config  # noqa: PLC0415  # only if none is given
    from paper_search.workflow import SearchWorkflow  # noqa: PLC0415  # slow import

    settings = config or load_config()
    if domain is not None:
        settings = settings.model_copy(update={"domain": domain})
    workflow = SearchWorkflow.from_config(
        settings,
        progress_reporter=progress_reporter,
        persistence=persistence,
        sources=list(sources) if sources is not None else None,
        max_results=max_results,
    )
    return await workflow.run(query)
