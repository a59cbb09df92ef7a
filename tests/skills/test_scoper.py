"""The scoping search: hit counts, relaxed queries and suggested terms, before anything is spent."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.counting import FakeCountingSource
from tests.virtual_time import in_virtual_time

from paper_search.errors import SearchSourceError
from paper_search.models import (
    SNOWBALL,
    IntentType,
    ParsedIntent,
    RankedQuery,
    RawPaper,
    SearchConstraints,
    SearchQuery,
    SearchStrategy,
)
from paper_search.skills import Scoper
from paper_search.skills.strategy.relaxation import relaxed_forms
from paper_search.testing.sources import FakeSource

NARROW = '"deep learning" AND glaciers AND Norway'
BROAD = "glaciers OR icebergs"


def strategy(*queries: str, sources: list[str], **given: Any) -> SearchStrategy:
    return SearchStrategy(
        queries=[SearchQuery(keywords=[], boolean_query=query) for query in queries],
        sources=sources,
        filters=SearchConstraints(),
        **given,
    )


def intent(*concepts: str, **given: Any) -> ParsedIntent:
    return ParsedIntent(
        topic="glaciers",
        concepts=list(concepts),
        intent_type=IntentType.METHOD,
        constraints=SearchConstraints(),
        **given,
    )


def shown(hits: list[Any]) -> dict[str, list[str]]:
    return {entry.text: [str(count) for count in entry.counts] for entry in hits}


async def test_each_query_has_its_hits_in_every_source_that_is_asked_it() -> None:
    pubmed = FakeCountingSource("pubmed", {NARROW: 1234, BROAD: 5000})
    dblp = FakeCountingSource("dblp", {NARROW: 2, BROAD: 3})
    report = await Scoper([dblp, pubmed]).scope(
        strategy(NARROW, BROAD, sources=["pubmed", "dblp"]), intent()
    )
    assert shown(report.queries) == {
        NARROW: ["1,234 pubmed", "2 dblp"],
        BROAD: ["5,000 pubmed", "3 dblp"],
    }
    assert report.relaxed == report.notes == []


async def test_a_query_is_counted_in_sources_that_rank_since_they_are_asked_it_too() -> None:
    remote = FakeCountingSource("openalex", {NARROW: 1}, ranks=True)
    local = FakeCountingSource("library", {NARROW: 7}, ranks=True, is_local=True)
    asked = strategy(
        NARROW, sources=["openalex", "library"], ranked=[RankedQuery(text="ice in Norway")]
    )
    assert shown((await Scoper([remote, local]).scope(asked, intent())).queries) == {
        NARROW: ["1 openalex", "7 library"]
    }


async def test_sources_that_are_not_in_the_strategy_are_not_counted() -> None:
    other = FakeCountingSource("other", {NARROW: 1}, is_local=True)
    pubmed = FakeCountingSource("pubmed", {NARROW: 1})
    await Scoper([other, pubmed]).scope(strategy(NARROW, sources=["pubmed"]), intent("ice"))
    assert other.counted == other.strategies == []


@pytest.mark.parametrize("first_with_hits", range(len(relaxed_forms(NARROW))))
async def test_a_query_without_hits_becomes_the_narrowest_broader_form_that_has_any(
    first_with_hits: int,
) -> None:
    forms = relaxed_forms(NARROW)
    found = dict.fromkeys(forms[first_with_hits:], 3)
    source = FakeCountingSource("pubmed", found)
    asked = strategy(NARROW, sources=["pubmed"])
    report = await Scoper([source]).scope(asked, intent())
    [relaxed] = report.relaxed
    assert (relaxed.original, relaxed.instead) == (NARROW, forms[first_with_hits])
    revised = report.revised(asked)
    assert [query.boolean_query for query in revised.queries] == [forms[first_with_hits]]
    assert shown(report.queries) == {forms[first_with_hits]: ["3 pubmed"]}
    assert len(source.counted) <= 4, "halving needs few requests"


async def test_a_query_whose_every_form_is_empty_stays_and_the_report_says_so() -> None:
    asked = strategy(NARROW, sources=["pubmed"])
    report = await Scoper([FakeCountingSource("pubmed")]).scope(asked, intent())
    assert report.revised(asked) == asked
    assert report.notes == [f"no hits for {NARROW}, nor for broader forms of it"]


async def test_a_query_without_hits_is_left_out_where_another_is_between_it_and_its_forms() -> None:
    def hits(query: str) -> int:
        return {NARROW: 0, "glaciers AND Norway": 4}.get(query, 400)

    asked = strategy(NARROW, "glaciers AND Norway", sources=["pubmed"])
    report = await Scoper([FakeCountingSource("pubmed", hits)]).scope(asked, intent())
    [relaxed] = report.relaxed
    assert relaxed.instead is None
    kept = [query.boolean_query for query in report.revised(asked).queries]
    assert kept == ["glaciers AND Norway"]


async def test_two_queries_are_not_relaxed_to_the_same_one() -> None:
    twin = NARROW.replace("Norway", "norway")
    last = relaxed_forms(NARROW)[-1]
    source = FakeCountingSource("pubmed", {last: 9, relaxed_forms(twin)[-1]: 9})
    asked = strategy(NARROW, twin, sources=["pubmed"])
    report = await Scoper([source]).scope(asked, intent())
    assert [entry.instead for entry in report.relaxed] == [last, None]
    assert [query.boolean_query for query in report.revised(asked).queries] == [last]


async def test_a_query_that_one_source_has_hits_for_stays() -> None:
    sources = [FakeCountingSource("pubmed"), FakeCountingSource("dblp", {NARROW: 1})]
    report = await Scoper(sources).scope(strategy(NARROW, sources=["pubmed", "dblp"]), intent())
    assert report.relaxed == []
    assert shown(report.queries) == {NARROW: ["0 pubmed", "1 dblp"]}


async def test_broader_forms_are_tried_where_the_other_queries_find_most() -> None:
    last = relaxed_forms(NARROW)[-1]
    few = FakeCountingSource("pubmed", {BROAD: 10, last: 5})
    most = FakeCountingSource("doaj", {BROAD: 90, last: 5})
    await Scoper([few, most]).scope(strategy(NARROW, BROAD, sources=["pubmed", "doaj"]), intent())
    assert set(few.counted) == {NARROW, BROAD}
    assert set(most.counted) > {NARROW, BROAD}


async def test_what_a_person_wrote_as_a_query_stays_and_a_broader_form_is_named() -> None:
    last = relaxed_forms(NARROW)[-1]
    source = FakeCountingSource("pubmed", {last: 5})
    asked = strategy(NARROW, sources=["pubmed"])
    report = await Scoper([source]).scope(asked, intent(boolean_query=NARROW))
    assert report.revised(asked) == asked
    assert report.notes == [f"no hits for {NARROW}: kept as you wrote it; {last} has hits"]


async def test_concepts_are_counted_in_the_one_source_that_costs_least() -> None:
    pubmed = FakeCountingSource("pubmed", {NARROW: 1, '"sea ice"': 8})
    europe_pmc = FakeCountingSource("europe_pmc", {NARROW: 1, "glacier OR iceberg": 77})
    asked = strategy(NARROW, sources=["pubmed", "europe_pmc"])
    wanted = intent("sea ice", "glacier", alternatives={"glacier": ["iceberg"]})
    report = await Scoper([pubmed, europe_pmc]).scope(asked, wanted)
    assert shown(report.concepts) == {"sea ice": ["0 europe_pmc"], "glacier": ["77 europe_pmc"]}
    assert pubmed.counted == [NARROW]

    library = FakeCountingSource("library", {NARROW: 1, '"sea ice"': 5}, is_local=True)
    asked = strategy(NARROW, sources=["pubmed", "europe_pmc", "library"])
    report = await Scoper([pubmed, europe_pmc, library]).scope(asked, intent("sea ice"))
    assert shown(report.concepts) == {"sea ice": ["5 library"]}


async def test_frequent_terms_of_the_first_results_are_suggested_with_their_counts() -> None:
    papers = [RawPaper(id=f"{n}", title=f"Calving {n}", source="l") for n in range(9)]
    library = FakeCountingSource("library", {NARROW: 9}, papers, is_local=True, ranks=True)
    asked = strategy(NARROW, sources=["library"], ranked=[RankedQuery(text="glacier")])
    report = await Scoper([library]).scope(asked, intent("glacier"))
    assert {entry.term: entry.papers for entry in report.suggested} == {"calving": 9}
    assert report.first_results == 9
    [sent] = library.strategies
    assert sent.ranked == asked.ranked
    assert sent.filters.max_results == 50


async def test_a_service_gives_first_results_for_the_request_that_the_search_sends() -> None:
    papers = [RawPaper(id=f"{n}", title=f"Ice calving {n}", source="o") for n in range(9)]
    openalex = FakeCountingSource("openalex", {}, papers, ranks=True)
    crossref = FakeCountingSource("crossref", {}, papers, ranks=True)
    asked = strategy(sources=["crossref", "openalex"], ranked=[RankedQuery(text="ice")])
    report = await Scoper([crossref, openalex]).scope(asked, intent())
    assert [entry.term for entry in report.suggested]
    assert openalex.strategies == [asked]
    assert crossref.strategies == []


async def test_a_source_that_fails_is_a_note_and_the_others_count() -> None:
    broken = FakeCountingSource("pubmed", error=SearchSourceError("out of order: api_key=CANARY"))
    works = FakeCountingSource("dblp", {NARROW: 2, BROAD: 2})
    asked = strategy(NARROW, BROAD, sources=["pubmed", "dblp"])
    report = await Scoper([broken, works]).scope(asked, intent())
    assert shown(report.queries) == {NARROW: ["2 dblp"], BROAD: ["2 dblp"]}
    [note] = report.notes
    assert note.startswith("no hit counts from pubmed: SearchSourceError: out of order")
    assert "CANARY" not in note


async def test_a_source_that_is_away_is_asked_once_and_one_that_refuses_a_query_again() -> None:
    away = FakeCountingSource("pubmed", error=OSError("no route"))
    refuses = FakeCountingSource("dblp", error=SearchSourceError("too long"))
    asked = strategy(NARROW, BROAD, sources=["pubmed", "dblp"])
    await Scoper([away, refuses]).scope(asked, intent())
    assert (away.counted, refuses.counted) == ([NARROW], [NARROW, BROAD])


async def test_sources_that_cannot_count_are_named() -> None:
    asked = strategy(NARROW, sources=["plain", "silent"])
    silent = FakeCountingSource("silent", {NARROW: None})
    report = await Scoper([FakeSource("plain"), silent]).scope(asked, intent())
    assert shown(report.queries) == {NARROW: []}
    assert report.notes == [
        "no hit counts from plain: hit counts are not supported",
        "no hit counts from silent: hit counts are not supported",
    ]


async def test_nothing_is_relaxed_for_lack_of_an_answer() -> None:
    asked = strategy(NARROW, sources=["pubmed"])
    away = FakeCountingSource("pubmed", error=OSError("no route"))
    report = await Scoper([away]).scope(asked, intent())
    assert report.relaxed == []


@in_virtual_time
async def test_what_came_within_the_deadline_is_kept_and_who_is_late_is_named() -> None:
    slow = FakeCountingSource("pubmed", {NARROW: 1}, delay_s=30)
    quick = FakeCountingSource("dblp", {NARROW: 2})
    started = asyncio.get_running_loop().time()
    report = await Scoper([slow, quick], deadline_s=0.1).scope(
        strategy(NARROW, sources=["pubmed", "dblp"]), intent()
    )
    assert asyncio.get_running_loop().time() - started == pytest.approx(0.1)
    assert shown(report.queries) == {NARROW: ["2 dblp"]}
    assert report.notes == ["no answer within 0.1 s from pubmed"]


async def test_without_time_nobody_is_asked() -> None:
    source = FakeCountingSource("pubmed", {NARROW: 1}, is_local=True)
    await Scoper([source], deadline_s=0).scope(strategy(NARROW, sources=["pubmed"]), intent("a"))
    assert source.counted == source.strategies == []


async def test_papers_to_follow_are_not_counted() -> None:
    snowball = FakeCountingSource(SNOWBALL, {NARROW: 1})
    await Scoper([snowball]).scope(strategy(NARROW, sources=[SNOWBALL]), intent())
    assert snowball.counted == []


async def test_when_nobody_is_asked_one_query_with_hits_is_enough() -> None:
    first = FakeCountingSource("pubmed", {BROAD: 3})
    second = FakeCountingSource("dblp", {NARROW: 1})
    third = FakeCountingSource("doaj", {NARROW: 1})
    asked = strategy(NARROW, BROAD, sources=["pubmed", "dblp", "doaj"])
    report = await Scoper([first, second, third]).scope(asked, intent("ice"), is_asking=False)
    assert report.revised(asked) == asked
    assert (first.counted, second.counted, third.counted) == ([NARROW], [NARROW], [])
    assert report.queries == report.concepts == report.suggested == report.notes == []


async def test_when_nobody_is_asked_a_strategy_without_any_hits_is_relaxed() -> None:
    last = relaxed_forms(NARROW)[-1]
    source = FakeCountingSource("pubmed", {last: 5})
    asked = strategy(NARROW, BROAD, sources=["pubmed"])
    report = await Scoper([source]).scope(asked, intent(), is_asking=False)
    assert [query.boolean_query for query in report.revised(asked).queries] == [last, BROAD]
    own = await Scoper([source]).scope(asked, intent(boolean_query=NARROW), is_asking=False)
    assert own.relaxed == []


async def test_when_nobody_is_asked_one_relaxed_query_is_enough() -> None:
    other = '"machine learning" AND volcanoes AND Iceland'
    found = {relaxed_forms(query)[-1]: 5 for query in (NARROW, other)}
    asked = strategy(NARROW, other, sources=["pubmed"])
    source = FakeCountingSource("pubmed", found)
    report = await Scoper([source]).scope(asked, intent(), is_asking=False)
    assert [relaxed.original for relaxed in report.relaxed] == [NARROW]


async def test_when_nobody_is_asked_sources_that_rank_are_left_alone() -> None:
    library = FakeCountingSource("library", is_local=True, ranks=True)
    asked = strategy(NARROW, sources=["library"], ranked=[RankedQuery(text="ice")])
    await Scoper([library]).scope(asked, intent("ice"), is_asking=False)
    assert library.counted == library.strategies == []
