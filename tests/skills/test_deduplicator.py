from typing import Any

import pytest

from paper_search.errors import LLMError
from paper_search.llm.chat import instruction_tokens
from paper_search.llm.metering import expected_tokens
from paper_search.models import Author, RawPaper, Sighting
from paper_search.skills import Deduplicator
from paper_search.skills.deduplicator import GroupsAnswer
from paper_search.testing.llm import FakeLLM, data_block

TITLE = "A long title on graph networks"


def paper(name: str, title: str = TITLE, author: str | None = "Ada Smith", **rest: Any) -> RawPaper:
    authors = [Author(name=author)] if author else []
    values = {"year": 2020, "source": "s"} | rest
    return RawPaper(id=name, title=title, authors=authors, **values)


async def clusters(*papers: RawPaper, llm: FakeLLM | None = None) -> list[list[str]]:
    merged = await Deduplicator(llm).deduplicate(list(papers))
    return sorted(work.merged_from or [work.id] for work in merged)


async def test_two_sources_that_number_different_works_alike_keep_both():
    one, other = paper("1", source="a"), paper("1", title="Something else", source="b")
    ids = {work.id for work in await Deduplicator().deduplicate([one, other])}
    assert ids == {"1", "b:1"}


@pytest.mark.parametrize("papers", [[], [paper("1")]])
async def test_nothing_to_merge_is_returned_as_it_is(papers):
    llm = FakeLLM()
    assert await Deduplicator(llm).deduplicate(papers) == papers
    assert llm.call_count == 0


@pytest.mark.parametrize("title", ["Ants uphill", "How ants walk uphill in the Alps in summer"])
async def test_lines_of_a_list_with_nothing_but_one_title_are_one_work(title):
    papers = [RawPaper(id=f"{name}:1", source=name, title=title) for name in ("embase", "scopus")]
    assert len(await Deduplicator().deduplicate(papers)) == 1


async def test_the_merged_record_is_the_richest_with_its_gaps_filled():
    sighting = Sighting(source="a", rank=3)
    poor = paper(
        "poor", doi="10.1000/x", citation_count=9, is_retracted=True, pmid="5",
        keywords=["Trees", "graphs"],
    )  # fmt: skip
    rich = paper(
        "rich", doi="10.1000/X", abstract="text", venue="V", citation_count=2,
        sightings=[sighting], keywords=["Graphs"],
    )  # fmt: skip
    poor.sightings = [Sighting(source="b"), sighting]
    [merged] = await Deduplicator().deduplicate([poor, rich])
    assert (merged.id, merged.abstract, merged.venue, merged.pmid) == ("rich", "text", "V", "5")
    assert merged.citation_count == 9
    assert merged.is_retracted is True
    assert merged.keywords == ["Graphs", "Trees"]
    assert merged.merged_from == ["poor", "rich"]
    assert [report.source for report in merged.sightings] == ["a", "b"]


async def test_a_title_in_capitals_gives_way_to_the_same_one_in_small_letters():
    loud = paper("loud", TITLE.upper(), doi="10.1000/x", abstract="text", venue="V")
    plain = paper("plain", f"{TITLE}.", doi="10.1000/x")
    for papers in ([loud, plain], [plain, loud]):
        [merged] = await Deduplicator().deduplicate(papers)
        assert (merged.title, merged.abstract) == (plain.title, "text")
        assert merged.field_sources["title"] == "plain"
    other = paper("other", "Graph networks at length", doi="10.1000/x")
    [merged] = await Deduplicator().deduplicate([loud, other])
    assert merged.title == loud.title
    [merged] = await Deduplicator().deduplicate([loud.model_copy(update={"title": ""}), other])
    assert merged.title == other.title


async def test_the_stable_id_of_a_member_is_kept_and_what_was_merged_before_remembered():
    poor = paper("doi:10.1000/x", doi="10.1000/x", merged_from=["0", "doi:10.1000/x"])
    rich = paper("rich", doi="10.1000/x", abstract="text", venue="V", pmid="5")
    [merged] = await Deduplicator().deduplicate([rich, poor])
    assert (merged.id, merged.merged_from) == (poor.id, ["0", poor.id, "rich"])


SINGLES = [
    paper("1"),
    paper("2", title="An abbreviated t."),
    paper("3", title="Elsewhere", author="B"),
]


async def test_the_model_joins_what_is_still_single():
    twin = paper("4", doi="10.1000/x", title="T1"), paper("5", doi="10.1000/x", title="T2")
    llm = FakeLLM({"groups": [["1", "2"]]})
    assert await clusters(*SINGLES, *twin, llm=llm) == [["1", "2"], ["3"], ["4", "5"]]
    assert [entry["id"] for entry in data_block(llm.calls[0])] == ["1", "2", "3"]


async def test_invented_ids_lose_and_add_nothing():
    """LLM-08"""
    llm = FakeLLM({"groups": [["1", "ghost"], ["ghost", "phantom"], [], ["2", "2"]]})
    assert await clusters(*SINGLES, llm=llm) == [["1"], ["2"], ["3"]]


async def test_the_model_may_not_join_different_dois_strangers_or_parts():
    papers = [
        paper("1", title="A", doi="10.1000/a"),
        paper("2", title="B", doi="10.1000/b"),
        paper("3", title="Rome", author="C C"),
        paper("4", title="Steel", author="D D"),
        paper("5", title="Oxides, part 1", author="E E"),
        paper("6", title="Oxides, part 2", author="E E"),
    ]
    llm = FakeLLM({"groups": [["1", "2"], ["3", "4"], ["5", "6"]]})
    assert await clusters(*papers, llm=llm) == [["1"], ["2"], ["3"], ["4"], ["5"], ["6"]]


@pytest.mark.parametrize("reply", [LLMError("down"), RuntimeError("bug"), {"groups": 3}, "text"])
async def test_when_the_model_fails_the_algorithm_stands(reply):
    assert await clusters(*SINGLES, llm=FakeLLM(reply)) == [["1"], ["2"], ["3"]]


@pytest.mark.parametrize("count", [1, 2, 30, 60, 61])
async def test_the_question_about_duplicates_is_announced_where_it_is_asked(count):
    llm = FakeLLM({"groups": []})
    deduplicator = Deduplicator(llm)
    title = "Effects of fertiliser number {} on the growth of summer wheat in dry soil"
    names = [Author(name=f"Schoenberger-Marchetti, {initial}.") for initial in "ABCDE"]
    papers = [
        RawPaper(
            id=f"openalex:W{n}", title=title.format(n), authors=names, year=2000 + n,
            venue="Journal of Arid Agriculture", doi=f"10.1000/wheat.{n}", source="openalex",
        )
        for n in range(count)
    ]  # fmt: skip
    await deduplicator.deduplicate(papers)
    sent = sum(
        instruction_tokens(call.system_prompt, GroupsAnswer)
        + expected_tokens(len(call.user_message))
        for call in llm.calls
    )
    announced = deduplicator.cost(count)
    assert (announced.calls, announced.asked) == (llm.call_count, pytest.approx(sent, rel=0.1))
    assert Deduplicator(llm, enable_llm_pass=False).cost(count).calls == 0


async def test_the_model_is_not_asked_about_too_many_or_when_switched_off():
    llm = FakeLLM({"groups": []})
    await Deduplicator(llm, llm_max_candidates=2).deduplicate(list(SINGLES))
    await Deduplicator(llm, enable_llm_pass=False).deduplicate(list(SINGLES))
    assert llm.call_count == 0
    await Deduplicator(llm, llm_max_candidates=3).deduplicate(list(SINGLES))
    assert llm.call_count == 1
