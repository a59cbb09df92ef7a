"""The scoping search: hit counts, relaxed queries and suggested terms, before anything is spent."""

import asyncio
import gc
from typing import Any

import pytest
from tests.counting import FakeCountingSource
from tests.virtual_time import in_virtual_time

from paper_search import models
from paper_search.errors import SearchSourceError
from paper_search.skills import Scoper
from paper_search.skills.strategy.trees import broader_steps
from paper_search.testing.skills import fake_strategy
from paper_search.testing.sources import FakeSource


def forms_of(query: str) -> list[str]:
    return [step.boolean_query for step in broader_steps(query)]


NARROW = '"deep learning" AND glaciers AND Norway'
BROAD = "glaciers OR icebergs"


def strategy(*queries: str, sources: list[str], **given: Any) -> models.SearchStrategy:
    return fake_strategy(*queries, sources=sources).model_copy(update=given)


def intent(*concepts: str, **given: Any) -> models.ParsedIntent:
    return models.ParsedIntent(
        topic="glaciers",
        concepts=list(concepts),
        intent_type=models.IntentType.METHOD,
        constraints=models.SearchConstraints(),
        **given,
    )


def shown(hits: list[Any]) -> dict[str, list[str]]:
    return {entry.text: [str(count) for count in entry.counts] for entry in hits}


async def test_each_query_has_its_hits_in_every_source_that_is_asked_it():
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


@pytest.mark.parametrize(("others", "chars"), [((), 320), (("dblp",), 530)])
async def test_the_length_of_papers_is_told_as_they_will_be_merged(others, chars):
    """Of several sources, one has the abstract that another lacks."""
    texts = [None, "a" * 400]
    papers = [models.RawPaper(title="T", abstract=text, source="s") for text in texts]
    first = FakeCountingSource("library", {NARROW: 2}, papers, is_local=True)
    sources = [first, *(FakeCountingSource(name, {NARROW: 0}) for name in others)]
    report = await Scoper(sources).scope(strategy(NARROW, sources=["library", *others]), intent())
    assert report.paper_chars == pytest.approx(chars, abs=20)


@pytest.mark.parametrize(("source", "hits"), [("pubmed", 12), ("pubmed", 0), ("dblp", 0)])
async def test_an_author_whom_a_source_does_not_know_is_seen_where_nothing_is_found(source, hits):
    limits = models.SearchConstraints(conditions=['author:"Ada Nobody"', "NOT bees"])
    counting = FakeCountingSource(source, {NARROW: hits, 'author:"Ada Nobody"': 0})
    looked = strategy(NARROW, sources=[source], filters=limits)
    report = await Scoper([counting]).scope(looked, intent())
    assert shown(report.limits) == {'author:"Ada Nobody"': [f"0 {source}"]}
    assert report.limits[0].is_empty


@pytest.mark.parametrize("first_with_hits", range(len(forms_of(NARROW))))
async def test_a_query_without_hits_becomes_the_narrowest_broader_form_that_has_any(
    first_with_hits,
):
    forms = forms_of(NARROW)
    found = dict.fromkeys(forms[first_with_hits:], 3)
    source = FakeCountingSource("pubmed", found)
    asked = strategy(NARROW, sources=["pubmed"])
    report = await Scoper([source]).scope(asked, intent())
    [relaxed] = report.relaxed
    assert (relaxed.original, relaxed.instead) == (NARROW, forms[first_with_hits])
    revised = report.revised(asked)
    assert [query.boolean_query for query in revised.queries] == [forms[first_with_hits]]
    assert shown(report.queries) == {forms[first_with_hits]: ["3 pubmed"]}


async def test_a_query_whose_every_form_is_empty_stays_and_the_report_says_so():
    asked = strategy(NARROW, sources=["pubmed"])
    report = await Scoper([FakeCountingSource("pubmed")]).scope(asked, intent())
    assert report.revised(asked) == asked
    assert report.notes == ["no hits for any query, nor for broader ones"]
    assert {row.purpose.value for row in report.asked} == {"count"}
    assert {row.query for row in report.asked} >= {NARROW, *forms_of(NARROW)}


async def test_where_a_source_ranks_the_person_takes_a_step_or_none():
    first, *_, last = forms_of(NARROW)
    source = FakeCountingSource("library", {first: 0, last: 50}, is_local=True, ranks=True)
    asked = strategy(NARROW, sources=["library"], ranked=[models.RankedQuery(text="ice in Norway")])
    report = await Scoper([source]).scope(asked, intent())
    assert report.relaxed == []
    assert [step.name for step in report.steps] == [
        "words instead of phrases",
        'without "deep learning"',
        "any one of the blocks, with phrases as single words",
    ]
    assert [str(step.counts[0]) for step in report.steps] == [
        "0 library",
        "0 library",
        "50 library",
    ]
    taken = report.steps[-1].replace_in(asked)
    assert [query.boolean_query for query in taken.queries] == [last]


async def test_steps_at_a_service_end_with_the_first_that_finds_enough():
    first, *_ = forms_of(NARROW)
    for hits, steps in (({NARROW: 3, first: 20}, [first]), ({NARROW: 20}, [])):
        source = FakeCountingSource("pubmed", hits)
        report = await Scoper([source]).scope(strategy(NARROW, sources=["pubmed"]), intent())
        assert [step.text for step in report.steps] == steps


async def test_how_many_a_broader_query_has_keeps_no_step_back():
    crossref = FakeCountingSource("crossref", {NARROW: 300}, is_broader=True)
    pubmed = FakeCountingSource("pubmed", {forms_of(NARROW)[-1]: 40})
    ranked = [models.RankedQuery(text="ice in Norway")]
    for names, steps in ((["crossref", "pubmed"], forms_of(NARROW)), (["crossref"], [])):
        asked = strategy(NARROW, sources=names, ranked=ranked)
        report = await Scoper([crossref, pubmed]).scope(asked, intent())
        assert [step.text for step in report.steps] == steps


async def test_blocks_that_are_not_counted_are_told():
    asked = strategy("a AND b AND c AND d AND e", sources=["pubmed"])
    report = await Scoper(
        [FakeCountingSource("pubmed", {asked.queries[0].boolean_query: 30})]
    ).scope(asked, intent())
    assert [block.text for block in report.blocks] == ["a", "b", "c", "d"]
    assert report.notes == ["hits are counted for the first 4 of 5 blocks only"]
    report = await Scoper([FakeSource("pubmed")]).scope(asked, intent())
    assert report.notes == ["no hit counts from PubMed: hit counts are not supported"]


@pytest.mark.parametrize(
    ("queries", "hits"),
    [
        ([NARROW, BROAD], {"pubmed": {BROAD: 4}}),  # another query has some
        ([NARROW], {"pubmed": {}, "dblp": {NARROW: 1}}),  # another source has some
        ([NARROW], {"pubmed": OSError("no route")}),  # nobody knows
    ],
)
async def test_a_query_stays_unless_nothing_has_any_hits(queries, hits):
    sources = [
        FakeCountingSource(name, error=counts)
        if isinstance(counts, Exception)
        else FakeCountingSource(name, counts)
        for name, counts in hits.items()
    ]
    asked = strategy(*queries, sources=[*hits])
    report = await Scoper(sources).scope(asked, intent())
    assert report.relaxed == []
    assert report.revised(asked) == asked


async def test_what_a_person_wrote_as_a_query_stays_and_broader_ones_are_named():
    last = forms_of(NARROW)[-1]
    source = FakeCountingSource("pubmed", {last: 5})
    asked = strategy(NARROW, sources=["pubmed"])
    report = await Scoper([source]).scope(asked, intent(boolean_query=NARROW))
    assert report.revised(asked) == asked
    assert report.notes == ["no hits: the query is kept as you wrote it"]
    assert report.steps[-1].text == last


async def test_blocks_are_counted_where_that_costs_least_and_terms_in_a_library():
    query = '"sea ice" AND (glacier OR iceberg)'
    pubmed = FakeCountingSource("pubmed", {query: 30})
    europe_pmc = FakeCountingSource("europe_pmc", {query: 30, "glacier OR iceberg": 77})
    asked = strategy(query, sources=["pubmed", "europe_pmc"])
    report = await Scoper([pubmed, europe_pmc]).scope(asked, intent())
    assert shown(report.blocks) == {
        '"sea ice"': ["0 europe_pmc"],
        "glacier OR iceberg": ["77 europe_pmc"],
    }
    assert pubmed.counted == [query]

    hits = {query: 30, '"sea ice"': 5, "glacier": 4, "iceberg": 2, "glacier OR iceberg": 6}
    library = FakeCountingSource("library", hits, is_local=True)
    asked = strategy(query, sources=["pubmed", "europe_pmc", "library"])
    report = await Scoper([pubmed, europe_pmc, library]).scope(asked, intent())
    assert [shown(block.terms) for block in report.blocks] == [
        {},
        {"glacier": ["4 library"], "iceberg": ["2 library"]},
    ]


async def test_a_service_gives_first_results_for_the_request_that_the_search_sends():
    papers = [models.RawPaper(id=f"{n}", title=f"Ice calving {n}", source="o") for n in range(9)]
    openalex = FakeCountingSource("openalex", {}, papers, ranks=True)
    crossref = FakeCountingSource("crossref", {}, papers, ranks=True)
    asked = strategy(sources=["crossref", "openalex"], ranked=[models.RankedQuery(text="ice")])
    report = await Scoper([crossref, openalex]).scope(asked, intent())
    assert [entry.term for entry in report.suggested]
    assert openalex.strategies == [asked]
    assert crossref.strategies == []


async def test_a_source_that_fails_is_a_note_and_the_others_count():
    broken = FakeCountingSource("pubmed", error=SearchSourceError("out of order: api_key=CANARY"))
    works = FakeCountingSource("dblp", {NARROW: 2, BROAD: 2})
    asked = strategy(NARROW, BROAD, sources=["pubmed", "dblp"])
    report = await Scoper([broken, works]).scope(asked, intent())
    assert shown(report.queries) == {NARROW: ["2 dblp"], BROAD: ["2 dblp"]}
    [note] = report.notes
    assert note.startswith("no hit counts from PubMed: SearchSourceError: out of order")
    assert "CANARY" not in note


async def test_a_source_that_is_away_is_asked_once_and_one_that_refuses_a_query_again():
    away = FakeCountingSource("pubmed", error=OSError("no route"))
    refuses = FakeCountingSource("dblp", error=SearchSourceError("too long"))
    asked = strategy(NARROW, BROAD, sources=["pubmed", "dblp"])
    await Scoper([away, refuses]).scope(asked, intent())
    assert (away.counted, refuses.counted) == ([NARROW], [NARROW, BROAD])


@in_virtual_time
async def test_what_came_within_the_deadline_is_kept_and_who_is_late_is_named():
    slow = FakeCountingSource("pubmed", {NARROW: 1}, delay_s=30)
    quick = FakeCountingSource("dblp", {NARROW: 2})
    started = asyncio.get_running_loop().time()
    report = await Scoper([slow, quick], deadline_s=0.1).scope(
        strategy(NARROW, sources=["pubmed", "dblp"]), intent()
    )
    assert asyncio.get_running_loop().time() - started == pytest.approx(0.1)
    assert shown(report.queries) == {NARROW: ["2 dblp"]}
    assert report.notes == ["no answer within 0.1 s from PubMed"]


@in_virtual_time
async def test_a_slow_source_holds_up_no_count_of_parts_and_broader_queries():
    slow = FakeCountingSource("crossref", {NARROW: 0}, delay_s=30)
    hits = {NARROW: 0, **dict.fromkeys(forms_of(NARROW), 3)}
    quick = FakeCountingSource("library", hits, is_local=True)
    asked = strategy(NARROW, sources=["crossref", "library"])
    report = await Scoper([slow, quick]).scope(asked, intent())
    assert report.steps
    assert all(block.counts for block in report.blocks)
    assert report.relaxed == []
    assert report.notes == ["no answer within 5 s from Crossref"]


@in_virtual_time
async def test_a_query_is_changed_as_well_where_a_slow_source_has_no_hits_either():
    form, *_ = forms_of(NARROW)
    slow = FakeCountingSource("crossref", {NARROW: 0, form: 9}, delay_s=3)
    quick = FakeCountingSource("pubmed", {NARROW: 0, form: 20})
    asked = strategy(NARROW, sources=["crossref", "pubmed"])
    report = await Scoper([slow, quick]).scope(asked, intent())
    assert [(query.original, query.instead) for query in report.relaxed] == [(NARROW, form)]
    assert len(report.steps) == 1
    assert quick.counted.count(form) == 1


@in_virtual_time
async def test_a_source_of_which_something_came_is_not_said_to_be_silent():
    slow = FakeCountingSource("pubmed", {NARROW: 2, BROAD: 2}, delay_s=0.6)
    asked = strategy(NARROW, BROAD, sources=["pubmed"])
    report = await Scoper([slow], deadline_s=1).scope(asked, intent())
    assert shown(report.queries)[NARROW] == ["2 pubmed"]
    assert report.notes == ["not every answer within 1 s from PubMed"]


async def test_without_time_nobody_is_asked():
    source = FakeCountingSource("pubmed", {NARROW: 1}, is_local=True)
    await Scoper([source], deadline_s=0).scope(strategy(NARROW, sources=["pubmed"]), intent("a"))
    assert source.counted == source.strategies == []


async def test_when_nobody_is_asked_one_query_with_hits_is_enough():
    first = FakeCountingSource("pubmed", {BROAD: 3})
    second = FakeCountingSource("dblp", {NARROW: 1})
    third = FakeCountingSource("doaj", {NARROW: 1})
    asked = strategy(NARROW, BROAD, sources=["pubmed", "dblp", "doaj"])
    report = await Scoper([first, second, third]).scope(asked, intent("ice"), is_asking=False)
    assert report.revised(asked) == asked
    assert (first.counted, second.counted, third.counted) == ([NARROW], [NARROW], [])
    assert report.queries == report.blocks == report.suggested == report.notes == []


async def test_when_nobody_is_asked_the_first_query_without_any_hits_is_relaxed():
    other = '"machine learning" AND volcanoes AND Iceland'
    last = forms_of(NARROW)[-1]
    source = FakeCountingSource("pubmed", {last: 5, forms_of(other)[-1]: 5})
    asked = strategy(NARROW, other, sources=["pubmed"])
    report = await Scoper([source]).scope(asked, intent(), is_asking=False)
    assert [query.boolean_query for query in report.revised(asked).queries] == [last, other]
    own = await Scoper([source]).scope(asked, intent(boolean_query=NARROW), is_asking=False)
    assert own.relaxed == []


async def test_when_nobody_is_asked_sources_that_rank_are_left_alone():
    library = FakeCountingSource("library", is_local=True, ranks=True)
    asked = strategy(NARROW, sources=["library"], ranked=[models.RankedQuery(text="ice")])
    await Scoper([library]).scope(asked, intent("ice"), is_asking=False)
    assert library.counted == library.strategies == []


async def test_a_cancelled_count_leaves_no_error_behind(caplog):
    source = FakeCountingSource("pubmed", delay_s=60)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await Scoper([source]).scope(strategy(NARROW, sources=["pubmed"]), intent("ice"))
    await asyncio.sleep(0.01)
    gc.collect()
    assert (source.counted, caplog.text) == ([NARROW], "")
