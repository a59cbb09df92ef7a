"""The options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

Home = Annotated[
    Path | None,
    typer.Option(
        "--home",
        metavar="DIR",
        help="Where threads and the library live; else PAPER_SEARCH_HOME, else the user's data.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
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
Force = Annotated[bool, typer.Option("--force", help="Allow that FILE is overwritten.")]
Keep = Annotated[
    bool,
    typer.Option("--keep", help="Add what is found elsewhere to your library; PAPER_SEARCH_KEEP."),
]
All = Annotated[bool, typer.Option("--all", help="Also the papers that were set aside.")]
MinScore = Annotated[
    float | None,
    typer.Option(
        "--min-score",
        min=0.0,
        max=1.0,
        metavar="SCORE",
        help="Of all papers found, those with at least this score.",
    ),
]
