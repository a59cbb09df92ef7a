"""`paper-search graph`: the workflow as a picture."""

from enum import Enum
from typing import Annotated

import typer

from paper_search.cli.options import Json


class GraphFormat(str, Enum):
    """How the picture is written."""

    MERMAID = "mermaid"
    JSON = "json"


def graph(
    format_name: Annotated[
        GraphFormat | None, typer.Option("--format", help="How to write it; else mermaid.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Print the steps of a search, and where each of their outcomes leads."""
    from paper_search.cli.console import print_text
    from paper_search.cli.failures import UsageMistakeError
    from paper_search.steps import to_json, to_mermaid
    from paper_search.workflow.graph import WORKFLOW

    if as_json and format_name is GraphFormat.MERMAID:
        raise UsageMistakeError("--json and --format mermaid contradict each other; give one")
    is_json = as_json or format_name is GraphFormat.JSON
    print_text(to_json(WORKFLOW) + "\n" if is_json else to_mermaid(WORKFLOW))
