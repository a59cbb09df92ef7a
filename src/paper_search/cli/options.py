"""The options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

Home = Annotated[
    Path | None,
    typer.Option(
        "--home",
        metavar="DIR",
        help="Directory of your data; else PAPER_SEARCH_HOME, else the user data directory.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Thread = Annotated[str, typer.Argument(metavar="THREAD", help="Id of a thread; see `threads`.")]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="table, json, bibtex, ris, csl-json, csv or markdown; else by the name of --output, "
        "else table.",
    ),
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write the papers to this file."),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite FILE if it exists.")]
Keep = Annotated[
    bool,
    typer.Option("--keep", help="Add papers found elsewhere to your library; PAPER_SEARCH_KEEP."),
]
All = Annotated[bool, typer.Option("--all", help="Include the papers that were set aside.")]
MinScore = Annotated[
    float | None,
    typer.Option(
        "--min-score",
        min=0.0,
        max=1.0,
        metavar="SCORE",
        help="Show all papers with at least this score.",
    ),
]
