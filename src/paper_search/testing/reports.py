"""Papers and services for tests of reports, without network or people."""

from collections.abc import Sequence

from paper_search.llm.provider import LLMProvider
from paper_search.models import Author, Paper, PaperCollection
from paper_search.report.evidence import result_of
from paper_search.report.models import SearcherInput, SearchQuery, SearchResult
from paper_search.report.searcher import KindAnswer, ReportSearcher
from paper_search.report_workflow.context import ReportServices

QUESTION = "Do shade trees lower the temperature of city streets?"


_PAPERS = (
    ("Shade trees and street temperature", "Rowan, Ada", 2019,
     ("We measured shade trees in 40 city streets. Shade trees lower the temperature of city "
     "streets by 2.5 degrees on summer days. The effect is small at night.")),
    ("Street trees in dry cities", "Birch, Ben", 2021,
     ("Street trees need water that dry cities lack. In dry cities, shade trees lower the "
     "temperature of streets by 1.2 degrees. However, the cost of water remains unclear.")),
    ("A review of urban shade", "Linden, Cleo", 2020,
     ("We review 31 studies of shade trees in cities. Most studies report that shade trees improve "
     "comfort in city streets. Methods differ between studies and limit comparison.")),
    ("Night temperatures under trees", "Alder, Dov", 2022,
     ("Shade trees did not lower the temperature of city streets at night. We used sensors in 12 "
     "streets for one year.")),
    ("Planting plans for streets", "Hazel, Eve", 2018,
     ("Planting plans choose where trees stand in a street. A model of shade predicts the "
     "temperature of city streets from tree height.")),
    ("Shade trees cure everything", "Yew, Finn", 2023,
     "Shade trees lower the temperature of city streets by 25 degrees in every season."),
)  # fmt: skip


def report_papers() -> list[Paper]:
    """Return six papers with abstracts on one question, one of which is retracted."""
    return [
        Paper(
            id=f"paper-{number}",
            title=title,
            authors=[Author(name=author)],
            abstract=abstract,
            year=year,
            venue="Journal of Shade",
            doi=f"10.5555/shade.{number}",
            source="fake",
            relevance_score=round(0.9 - number / 20, 2),
            is_retracted=True if author.startswith("Yew") else None,
        )
        for number, (title, author, year, abstract) in enumerate(_PAPERS, 1)
    ]


def report_sources() -> list[SearchResult]:
    return [result_of(paper, "q1") for paper in report_papers()]


class FakeSearch:
    """A kind of search that returns the same sources for the first query."""

    def __init__(self, sources: Sequence[SearchResult] | None = None) -> None:
        self._sources = list(report_sources() if sources is None else sources)
        self.asked: list[str] = []

    async def find(
        self, queries: Sequence[SearchQuery], request: SearcherInput, before: Sequence[SearchResult]
    ) -> KindAnswer:
        del request
        self.asked += [query.query_text for query in queries]
        earlier_ids = {source.result_id for source in before}
        fresh = [source for source in self._sources if source.result_id not in earlier_ids]
        hits = dict.fromkeys((query.query_id for query in queries), len(self._sources))
        return KindAnswer(fresh, hits)


def report_services(
    llm: LLMProvider | None = None,
    *,
    search: FakeSearch | None = None,
    collection: PaperCollection | None = None,
) -> ReportServices:
    """Return services that search in memory, never wait, and use the given model."""
    source_search = search or FakeSearch()

    async def load(thread_id: str) -> PaperCollection:
        if collection is None:
            raise AssertionError(f"no collection for {thread_id!r}")
        return collection

    async def sleep(_seconds: float) -> None:
        return None

    return ReportServices(
        searcher=lambda _llm, _sources: ReportSearcher({"academic": source_search}),
        collection=load,
        model=lambda _name: llm,
        sleep=sleep,
    )
