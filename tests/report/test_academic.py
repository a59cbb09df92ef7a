"""Academic search for a report: queries through the skills, merged and judged once."""

from collections.abc import Sequence

from paper_search.errors import SearchSourceError
from paper_search.models import Author, ParsedIntent, RawPaper, ScoredPaper
from paper_search.report.models import SearcherInput, SearchQuery, SearchResult
from paper_search.report.searcher import AcademicSearch, KindAnswer
from paper_search.skills import Deduplicator, RelevanceScorer, Searcher
from paper_search.testing.llm import FakeLLM, data_block, grades_of
from paper_search.testing.sources import FakeSource

QUESTION = "Do shade trees lower the temperature of city streets?"


def paper(number: int, **known: object) -> RawPaper:
    given = {
        "id": f"p{number}",
        "title": f"Shade study number {number} of a street in summer",
        "authors": [Author(name=f"Rowan {number}")],
        "abstract": f"We measured shade trees in street {number}.",
        "year": 2000 + number,
        "doi": f"10.5555/s.{number}",
        "source": "fake",
    }
    return RawPaper.model_validate(given | known)


def query(number: int, text: str = "shade trees") -> SearchQuery:
    return SearchQuery(query_id=f"q{number}", query_text=text, search_type="academic")


class Judge:
    """Scores by id, and keeps which works it was shown and against what."""

    model = None

    def __init__(self, scores: dict[str, float] | None = None, *, is_judged: bool = True) -> None:
        self._scores = scores or {}
        self._is_judged = is_judged
        self.shown: list[list[str]] = []
        self.intents: list[ParsedIntent] = []

    async def score(self, papers: list[RawPaper], intent: ParsedIntent) -> list[ScoredPaper]:
        self.shown.append([work.id for work in papers])
        self.intents.append(intent)
        return [
            ScoredPaper(
                paper=work,
                relevance_score=self._scores.get(work.id, 0.8),
                relevance_reason="as told",
                is_judged=self._is_judged,
            )
            for work in papers
        ]


async def found(
    *sources: FakeSource,
    queries: Sequence[SearchQuery] = (query(1),),
    judge: Judge | None = None,
    known: Sequence[SearchResult] = (),
    limit: int = 10,
    question: str = QUESTION,
) -> KindAnswer:
    search = AcademicSearch(
        Searcher(list(sources)),
        Deduplicator(llm=None, enable_llm_pass=False),
        judge or Judge(),
        [source.source_name for source in sources],
    )
    given = SearcherInput(
        search_queries=list(queries), max_results_per_query=limit, original_query=question
    )
    return await search.find(list(queries), given, list(known))


def ids(answer: KindAnswer) -> list[str]:
    return [str(result.metadata["paper_id"]) for result in answer.results]


async def test_every_query_is_asked_of_every_source_as_a_strategy():
    one, two = FakeSource("one", [paper(1)]), FakeSource("two", [paper(2)])
    queries = [query(1, "shade trees"), query(2, "street temperature")]
    answer = await found(one, two, queries=queries)
    assert sorted(ids(answer)) == ["p1", "p2"]
    asked = [" ".join(q.boolean_query for q in strategy.queries) for strategy in one.strategies]
    assert len(asked) == len(two.strategies) == 2
    assert "shade" in asked[0]
    assert "temperature" in asked[1]
    assert all(strategy.sources == ["one", "two"] for strategy in one.strategies)


async def test_a_work_that_nobody_judged_is_kept():
    judge = Judge({"p1": 0.0}, is_judged=False)
    assert ids(await found(FakeSource("one", [paper(1)]), judge=judge)) == ["p1"]


async def test_each_query_brings_at_most_so_many_and_is_named_with_what_it_brought():
    papers = [paper(n) for n in range(1, 9)]
    answer = await found(FakeSource("one", papers), limit=3)
    assert len(answer.results) == 3
    assert {result.query_id for result in answer.results} == {"q1"}
    assert answer.hits == {"q1": 8}
    assert answer.notes == ["5 papers left out beyond the 3 best of each query"]


async def test_papers_below_the_line_are_left_out_with_their_number():
    papers = [paper(n) for n in range(1, 4)]
    answer = await found(FakeSource("one", papers), judge=Judge({"p1": 0.1, "p3": 0.2}))
    assert ids(answer) == ["p2"]
    assert answer.notes == ["2 papers left out as not relevant"]


async def test_a_page_that_is_known_is_no_paper_to_merge_with():
    page = SearchResult(
        result_id="w1", query_id="q0", source_url="https://example.org/a", title="A", snippet="B"
    )
    assert ids(await found(FakeSource("one", [paper(1)]), known=[page])) == ["p1"]


async def test_a_source_that_fails_beside_others_is_noted_once_and_nothing_fails():
    broken = FakeSource("broken", error=SearchSourceError("no answer"))
    answer = await found(
        FakeSource("one", [paper(1)]), broken, queries=[query(1), query(2, "streets")]
    )
    assert ids(answer) == ["p1"]
    assert answer.failures == {}
    (note,) = set(answer.notes)
    assert note.startswith("source broken: ")
    assert "no answer" in note


async def test_a_query_that_no_source_answered_has_failed_with_the_reasons():
    broken = [FakeSource(name, error=SearchSourceError("down")) for name in ("one", "two")]
    answer = await found(*broken)
    assert answer.results == []
    assert set(answer.failures) == {"q1"}
    assert "one" in answer.failures["q1"]
    assert "two" in answer.failures["q1"]


async def test_a_model_judges_the_best_by_their_words_and_no_more_than_a_hundred():
    strays = [paper(n, title=f"Ledger {n}", abstract="Coins.") for n in range(149)]
    shade = paper(500, title="Shade trees lower the temperature of city streets")
    llm = FakeLLM(grades_of({}, 0))
    papers = [strays[:50], strays[50:100], [*strays[100:], shade]]
    source = FakeSource("one", lambda _: papers.pop())
    search = AcademicSearch(
        Searcher([source]), Deduplicator(llm=None, enable_llm_pass=False),
        RelevanceScorer(llm, batch_size=1), ["one"],
    )  # fmt: skip
    queries = [query(number) for number in range(3)]
    given = SearcherInput(search_queries=queries, original_query=QUESTION)
    answer = await search.find(queries, given, [])
    titles = [data_block(call)[0]["title"] for call in llm.calls]
    assert titles[0] == shade.title
    assert len(titles) == 100
    assert "the 100 best of" in str(answer.notes)
