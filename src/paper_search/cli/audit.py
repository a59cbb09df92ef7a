"""`paper-search audit` and `strategy`: a search written out for reviewers and databases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from paper_search.cli.console import print_json, print_text, run, say, visible, with_persistence
from paper_search.cli.options import Home, Json, Thread, option, settings
from paper_search.errors import ThreadError, how_to_install

if TYPE_CHECKING:
    from paper_search.models import RawPaper, SearchStrategy


def audit(
    thread: Thread,
    output: Path = option("DIR", "New directory for the files.", "--output", "-o", default=...),
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Write an audit of a search, as files.

    They show what was searched, found, removed and decided, with a manifest of SHA-256 hashes. The
    search log has the items of PRISMA-S, the flow diagram is that of PRISMA 2020, and records.csv
    lists every record ever found with its status. The same thread gives the same bytes.
    """
    from paper_search.audit import write_audit
    from paper_search.models.source_report import quantity
    from paper_search.report.outputs.figures import is_available

    url = settings(home).persistence_url
    audit_files = run(with_persistence(url, lambda p: write_audit(p, thread, output)))
    flow = audit_files.flow
    if as_json:
        files = sorted(audit_files.files)
        flow_document = flow.model_dump(mode="json")
        print_json({"output": str(output.absolute()), "files": files, "flow": flow_document})
        return
    checks = f"{flow.removed_by_checks} not kept, " if flow.removed_by_checks else ""
    say(
        f"{quantity(flow.identified, 'record')} identified, {checks}"
        f"{quantity(flow.duplicates, 'duplicate')} removed, "
        f"{quantity(flow.works, 'work')}: "
        f"{flow.included} included, {flow.excluded} excluded, "
        f"{flow.undecided + flow.not_judged} not decided, "
        f"{flow.set_aside + flow.not_carried_over + flow.pending} not for screening"
    )
    if (texts := flow.full_texts) is not None:
        say(
            f"{quantity(texts.sought, 'full text')} sought: {texts.not_retrieved} not retrieved, "
            f"{texts.included} included, {texts.excluded} excluded, "
            f"{texts.waiting + texts.unassessed} not decided"
        )
    if not is_available():
        say(f"no pictures: they need matplotlib: {how_to_install('figures')}")
    say(visible(f"wrote {len(audit_files.files)} files to {output}; begin with report.html"))


def strategy(
    thread: Thread,
    database: str = option(
        "NAME", "ovid, pubmed, embase, wos, scopus, cochrane, ebsco or proquest.", default=...
    ),
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Print a strategy in the syntax of a database.

    It has numbered lines by concept, ready to paste. What the database cannot express is listed on
    stderr: limits that are left out, and parts that find less.
    """
    from paper_search.query import render
    from paper_search.skills.strategy.booleans import database_text

    query, is_approved = run(_strategy_of(settings(home).persistence_url, thread))
    output = database_text(query, database)
    if as_json:
        left_out = [render(node) for node in output.left_out]
        document = {"database": database, "text": output.text, "is_approved": is_approved}
        print_json({**document, "remarks": list(output.notes), "left_out": left_out})
        return
    print_text(f"{output.text}\n")
    if not is_approved:
        say("this strategy is not approved; it waits for a decision")
    for note in output.notes:
        say(visible(note))


async def _strategy_of(url: str, thread: str) -> tuple[SearchStrategy, bool]:
    from paper_search.persistence import open_persistence
    from paper_search.workflow.checkpoints import StrategyPayload
    from paper_search.workflow.session import SearchSession

    async with open_persistence(url) as persistence:
        session = SearchSession.on(persistence, thread)
        question = await session.open_question()
        if question and isinstance(question.question.payload, StrategyPayload):
            return question.question.payload.strategy, False
        query = (await session.state()).strategy
    if query is None:
        raise ThreadError(f"thread {thread!r} has no strategy yet")
    return query, True


def print_contributions(text: str, records: list[RawPaper]) -> None:
    """Print which of the papers each line of a strategy finds, and which it loses.

    Papers named only by identifier or title have no text to match and are not among `records`.
    """
    from paper_search.bibliography.languages import language_name
    from paper_search.query.strategy import contributions, parse_strategy, report

    query = parse_strategy(text)
    if query is None:
        return
    papers = [
        {
            "title": record.title,
            "abstract": record.abstract,
            "keywords": "; ".join(record.keywords) or None,
            "author": "; ".join(author.name for author in record.authors),
            "venue": record.venue,
            "year": record.year,
            "language": language_name(record.language or ""),
        }
        for record in records
    ]
    for line in report(contributions(query, papers), [record.title for record in records]):
        say(visible(line))
