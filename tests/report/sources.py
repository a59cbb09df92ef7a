"""Short ways to make sources, and a report of them without a model."""

from paper_search.models import Author, Paper
from paper_search.report.document import Report
from paper_search.report.evidence import Evidence, result_of
from paper_search.report.models import SearchResult
from paper_search.report_workflow import ReportWorkflow
from paper_search.testing.reports import FakeSearch, report_services


def source(name: str, text: str, *, title: str = "On shade", relevance: float = 0.8):
    """Return a source of one author with this name."""
    paper = Paper(
        id=name,
        title=title,
        authors=[Author(name=f"{name}, Ada")] if name else [],
        abstract=text or None,
        year=2020,
        source="fake",
        relevance_score=relevance,
    )
    return result_of(paper, "q1")


def evidence(*sources: SearchResult) -> Evidence:
    return Evidence(sources)


async def report_on(question: str, *sources: SearchResult, **settings: object) -> Report:
    """Return the report that rules make of these sources."""
    services = report_services(search=FakeSearch(sources))
    return await ReportWorkflow(services, **{"target_length": 1500, **settings}).run(question)
