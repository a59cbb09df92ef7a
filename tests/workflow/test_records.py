"""Records: what goes in comes out, works keep their ids, and nothing is left after a deletion."""

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.store.memory import InMemoryStore
from tests.examples import examples

from paper_search.models import (
    Author,
    Facets,
    Paper,
    PaperCollection,
    PaperTag,
    RawPaper,
    ScoredPaper,
    ScreeningDecision,
    SearchMetadata,
    Sighting,
)
from paper_search.testing.skills import fake_strategy
from paper_search.threads.catalog import delete_thread
from paper_search.threads.engine import open_memory
from paper_search.workflow.records import SearchRecords


@pytest.fixture
def records(persistence):
    return SearchRecords(persistence.store, "t")


def raw(identifier: str, **fields: Any) -> RawPaper:
    return RawPaper(**{"id": identifier, "title": f"Title {identifier}", "source": "s"} | fields)


def judged(paper: RawPaper, score: float = 0.5, **fields: Any) -> ScoredPaper:
    return ScoredPaper(paper=paper, relevance_score=score, relevance_reason="r", **fields)


def collection(papers: list[Paper]) -> PaperCollection:
    return PaperCollection(
        metadata=SearchMetadata(query="q", search_strategy=fake_strategy("x"), total_found=9),
        papers=papers,
        facets=Facets(by_venue={"V": 1}),
    )


async def through(records: SearchRecords, works: list[RawPaper], score: float = 0.5) -> list[str]:
    """Take records through one round, and return the ids of the works."""
    ids = await records.save_works(await records.records(await records.save_records(works)))
    stored = await records.works(ids)
    await records.save_judgements([judged(item, score) for item in stored], stored, 0)
    return ids


async def test_what_was_said_before_a_round_comes_back_however_often_it_judged(records):
    (paper_id,) = await through(records, [raw("a")], 0.1)
    works = await records.works([paper_id])
    for score in (0.2, 0.3):
        await records.save_judgements([judged(works[0], score)], works, 1)
    await records.undo_judgements(1)
    assert [verdict.relevance_score for verdict in await records.scored([paper_id])] == [0.1]


async def test_two_records_under_one_id_are_both_kept(records):
    one, other, third = raw("a", title="One"), raw("a", title="Other"), raw("a", title="Third")
    ids = await records.save_records([one, other, one, third])
    assert len(set(ids)) == 3
    assert ids[0] == ids[2]
    assert "a" in ids
    again = await records.save_records([third, other, one])
    assert again == [ids[3], ids[1], ids[0]]  # whatever the order
    assert [one.title for one in await records.records(ids)] == ["One", "Other", "One", "Third"]
    assert [record.id for record in await records.records(ids)] == ids


async def test_a_work_found_again_through_another_record_keeps_its_id(records):
    await through(records, [raw("a"), raw("b")])
    merged = raw("b", merged_from=["b", "c"])
    await records.save_works([raw("a"), merged])
    again = raw("c", title="Found by itself")
    await records.save_records([again])
    assert await records.save_works([again]) == ["b"]
    assert [work.title for work in await records.works(["b"])] == ["Found by itself"]


async def test_a_work_that_is_merged_with_a_new_record_keeps_the_id_it_was_judged_under(records):
    await through(records, [raw("old")])
    await records.save_records([raw("new"), raw("old")])
    ids = await records.save_works([raw("new", merged_from=["new", "old"])])
    assert ids == ["old"]


async def test_two_works_that_were_one_before_are_both_kept(records):
    await through(records, [raw("a"), raw("b")])
    await records.save_works([raw("a", merged_from=["a", "b"])])
    ids = await records.save_works([raw("a"), raw("b", title="Split off")])
    assert len(set(ids)) == 2
    assert [work.title for work in await records.works(ids)] == ["Title a", "Split off"]


@pytest.mark.parametrize(
    "said", [{"note": "odd"}, {"screening": ScreeningDecision(decision="include")}]
)
async def test_what_a_person_said_of_a_paper_is_kept_beside_what_was_judged(records, said):
    await through(records, [raw("a")])
    [plain], scored = await records.papers(["a"]), await records.scored(["a"])
    given_ = collection([plain.model_copy(update=said)])
    reference = await records.save_collection(given_, scored=scored)
    assert await records.collection(reference) == given_


async def test_what_was_said_of_a_paper_before_it_was_set_aside_is_gone(records):
    await through(records, [raw("a"), raw("b")])
    plain, other = await records.papers(["a", "b"])
    excluded = plain.model_copy(update={"screening": ScreeningDecision(decision="exclude")})
    await records.save_collection(collection([excluded, other]))
    later = collection([other]).model_copy(update={"set_aside": [plain]})
    assert (await records.collection(await records.save_collection(later))).set_aside == [plain]


async def test_more_records_are_stored_than_are_written_at_once(persistence, monkeypatch):
    monkeypatch.setattr("paper_search.threads.records.PAGE", 2)
    papers = [raw(name) for name in "abcde"]
    for store in (persistence.store, InMemoryStore()):  # which asks for values one by one
        records = SearchRecords(store, "t")
        assert await records.records(await records.save_records(papers)) == papers


async def test_threads_do_not_see_each_others_records(persistence):
    """Also where one name could be taken for a pattern or a part of another."""
    names = ["a", "a.b", "a_b", "axb", "a-b", "a:b", "threads", "a.", "A"]
    for name in names:
        await SearchRecords(persistence.store, name).save_records([raw("p", title=name)])
    for name in names:
        found = await SearchRecords(persistence.store, name).records(["p"])
        assert [paper.title for paper in found] == [name]
    await delete_thread(persistence, "a_b", [SearchRecords.listed_in])
    for name in set(names) - {"a_b"}:
        assert len(await SearchRecords(persistence.store, name).records(["p"])) == 1


# --- the round trip -------------------------------------------------------------------------------

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
MAYBE = st.none() | TEXT
NUMBER = st.integers(-(2**53), 2**53)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBER | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda children: st.lists(children, max_size=3) | st.dictionaries(TEXT, children, max_size=3),
    max_leaves=5,
)
SHARED = {
    "doi": MAYBE,
    "title": TEXT,
    "authors": st.lists(st.builds(Author, name=TEXT, author_id=MAYBE), max_size=2),
    "abstract": MAYBE,
    "year": st.none() | NUMBER,
    "venue": MAYBE,
    "source": TEXT,
    "citation_count": NUMBER,
    "full_text_url": MAYBE,
    "arxiv_id": MAYBE,
    "is_retracted": st.none() | st.booleans(),
    "sightings": st.lists(st.builds(Sighting, source=TEXT, rank=st.none() | NUMBER), max_size=2),
}
IDS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=6
)
RAW = st.builds(
    RawPaper, id=IDS, snippet=MAYBE, raw_data=st.dictionaries(TEXT, JSON, max_size=3), **SHARED
)
SCORE = st.floats(0, 1)
SCORED = st.builds(
    ScoredPaper,
    paper=RAW,
    relevance_score=SCORE,
    relevance_reason=TEXT,
    tags=st.lists(st.sampled_from(PaperTag), max_size=2),
    is_judged=st.booleans(),
)
PAPER = st.builds(Paper, id=IDS, relevance_score=SCORE, relevance_reason=TEXT, **SHARED)


@examples(40)
@given(st.lists(SCORED, max_size=4, unique_by=lambda judged_paper: judged_paper.paper.id))
def test_records_works_and_verdicts_survive_the_store(scored):
    """PROP-6."""

    async def round_trip():
        records = SearchRecords((await open_memory()).store, "t")
        papers = [judgement.paper for judgement in scored]
        ids = await records.save_records(papers)
        assert await records.records(ids) == papers
        assert await records.works(await records.save_works(papers)) == papers
        await records.save_judgements(scored, papers, 0)
        assert await records.scored(ids) == scored
        assert await records.papers(ids) == [Paper.from_scored(judgement) for judgement in scored]

    asyncio.run(round_trip())


@examples(40)
@given(st.lists(PAPER, max_size=4, unique_by=lambda work: work.id))
def test_any_collection_survives_the_store(papers):
    async def round_trip():
        records = SearchRecords((await open_memory()).store, "t")
        given_ = collection(papers)
        assert await records.collection(await records.save_collection(given_)) == given_

    asyncio.run(round_trip())


async def test_what_no_store_takes_is_stored_in_another_form(records):
    """Half a surrogate pair, and integers of more than 64 bits: careless JSON has both."""
    odd = raw("\ud800x", title="a\udfffb", raw_data={"n": 2**70, "x": ["\ud800", -(2**70)]})
    ids = await records.save_records([odd])
    (stored,) = await records.records(ids)
    assert (stored.id, stored.title) == ("\ufffdx", "a\ufffdb")
    assert stored.raw_data == {"n": str(2**70), "x": ["\ufffd", str(-(2**70))]}


async def stored_in(records: SearchRecords, part: str) -> set[str]:
    return set(await records.rows(part))


async def test_a_work_is_stored_only_where_it_says_more_than_its_record(records):
    ids = await records.save_records([raw("a"), raw("b"), raw("c", citation_count=0)])
    read = await records.records(ids)
    counted = raw("b", citation_count=0)  # a count of 0 is said, too, and equal to none
    works = [read[0], counted, raw("c", abstract="of another record")]
    assert await records.save_works(works, read) == ids
    assert await stored_in(records, "works") == {"b", "c"}
    stored = await records.works(ids)
    assert stored == works
    assert [work.known_citation_count for work in stored] == [None, 0, None]


async def test_a_paper_is_stored_whole_only_where_it_says_more_than_its_verdict(records):
    ids = await through(records, [raw("a"), raw("b"), raw("c")])
    scored = await records.scored(ids)
    papers = [Paper.from_scored(verdict) for verdict in scored]
    papers[1] = papers[1].model_copy(update={"relevance_reason": "the organizer's"})
    papers[2] = papers[2].model_copy(update={"note": "read it"})
    for known in (scored, []):
        reference = await records.save_collection(collection(papers), scored=known)
        assert await stored_in(records, "papers") == {"b", "c"}
        assert (await records.collection(reference)).papers == papers
