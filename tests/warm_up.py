"""Import this to have what every search needs: modules, patterns and tables.

A process that forks others does it once for all of them; nothing runs afterwards.
"""

import asyncio
import importlib

import tantivy  # noqa: F401  # the children search the sample

from paper_search.exports.registry import exporter_names
from paper_search.models import QueryBuilderInput
from paper_search.skills import IntentParser, QueryBuilder

for name in (
    *("cli.app", "cli.runner", "cli.views", "cli.search_questions", "cli.report_questions"),
    *("workflow.assembly", "workflow.engine", "report_workflow.assembly", "report_workflow.engine"),
    *("persistence.sqlite_store", "library.index", "library.sample"),
    *("review.arrivals", "review.sharing"),
    *("sources.enrichment.services", "sources.core_works", "sources.openalex"),
):
    importlib.import_module(f"paper_search.{name}")


async def _read_a_question() -> None:
    intent = await IntentParser().parse("graph networks by Hinton since 2012, not surveys")
    await QueryBuilder().build(QueryBuilderInput(intent=intent, available_sources=["arxiv"]))


asyncio.run(_read_a_question())
exporter_names()
