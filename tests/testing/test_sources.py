"""The fake source and the contract kit: the kit must find what is wrong."""

import asyncio
import logging
from typing import Any

import pytest

from paper_search.models import RawPaper, SearchConstraints, SearchStrategy
from paper_search.sources import ReportingSource
from paper_search.testing.skills import fake_strategy
from paper_search.testing.sources import FakeSource, SourceContract, check_source, find_problems

PAPERS = [
    RawPaper(id=f"p{number}", title=f"Learning {number}", source="fake", year=2010 + number)
    for number in range(5)
]


def strategy(**filters: Any) -> SearchStrategy:
    return fake_strategy("learning", **filters)


async def test_a_fake_source_keeps_the_contract():
    source = FakeSource(papers=PAPERS)
    assert isinstance(source, ReportingSource)
    await check_source(source, SourceContract(year=2012))


async def test_what_a_caller_does_to_a_record_stays_with_the_caller():
    source = FakeSource(papers=PAPERS)
    (await source.search("x"))[0].title = "changed"
    assert (await source.search("x"))[0].title == "Learning 0"


class Nameless(FakeSource):
    @property
    def source_name(self) -> str:
        return " "


class Forgetful(FakeSource):
    """Gives new ids every time."""

    async def search_advanced(self, strategy: SearchStrategy) -> list[RawPaper]:
        found = await super().search_advanced(strategy)
        return [RawPaper(title=paper.title, source="fake") for paper in found]


class Generous(FakeSource):
    """Looks at no limit."""

    async def search_advanced(self, strategy: SearchStrategy) -> list[RawPaper]:
        free = strategy.model_copy(update={"filters": SearchConstraints()})
        return await super().search_advanced(free)


class Talkative(FakeSource):
    """Says its key in a log."""

    async def search_advanced(self, strategy: SearchStrategy) -> list[RawPaper]:
        logging.getLogger("talkative").warning("asking with %s", "CANARY")
        return await super().search_advanced(strategy)


class Stubborn(FakeSource):
    """Does not let itself be cancelled."""

    async def search(self, query: str, **options: Any) -> list[RawPaper]:
        try:
            return await super().search(query, **options)
        except asyncio.CancelledError:
            await asyncio.sleep(0.2)
            return []


class Broken(FakeSource):
    """Turns a cancellation into an error."""

    async def search(self, query: str, **options: Any) -> list[RawPaper]:
        try:
            return await super().search(query, **options)
        except asyncio.CancelledError:
            raise ValueError("cancelled") from None


TWICE = [*PAPERS, PAPERS[0]]
UNTITLED = [RawPaper(id="u", title=" ", source="fake")]
FOREIGN = [RawPaper(id="f", title="Learning", source="other")]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (Nameless(papers=PAPERS), "source_name is ' '"),
        (Forgetful(papers=PAPERS), "stable"),
        (Generous(papers=PAPERS), "max_results=2 gave 5"),
        (Generous(papers=PAPERS), "other years"),
        (FakeSource(papers=TWICE), "same id"),
        (FakeSource(papers=TWICE), "search_advanced repeats"),
        (FakeSource(papers=UNTITLED), "no title"),
        (FakeSource(papers=FOREIGN), "another source"),
        (FakeSource(papers=[]), "nothing is found"),
        (FakeSource(papers=PAPERS), "expected []"),
        (Talkative(papers=PAPERS), "a secret"),
        (Stubborn(papers=PAPERS, delay_s=0.02), "goes on for more than 0.1 s"),
        (Broken(papers=PAPERS, delay_s=0.02), "ValueError instead of CancelledError"),
    ],
)
async def test_a_breach_of_the_contract_is_found(source, said):
    contract = SourceContract(nothing="zzz", year=2012, secrets=["CANARY"], patience_s=0.1)
    problems = await find_problems(source, contract)
    assert any(said in problem for problem in problems)


async def test_all_breaches_are_in_one_error():
    with pytest.raises(AssertionError, match=r"Generous.*max_results.*other years"):
        await check_source(Generous(papers=PAPERS), SourceContract(year=2012))


async def test_pages_that_give_too_little_or_the_same_again_are_found():
    problems = await find_problems(FakeSource(papers=PAPERS), SourceContract(many=30))
    assert problems == ["max_results=30 gave 5 records over all pages"]
    assert await find_problems(FakeSource(papers=PAPERS), SourceContract(many=5)) == []
    twice = FakeSource(papers=[*PAPERS, PAPERS[0]])
    assert "turning the pages repeats a record" in await find_problems(
        twice, SourceContract(many=6)
    )


async def test_failures_that_are_no_errors_of_a_source_are_found():
    failing = {"a bug": FakeSource(error=KeyError("x")), "silence": FakeSource(papers=PAPERS)}
    source = FakeSource(papers=PAPERS)
    problems = await find_problems(source, SourceContract(failing=failing))
    assert problems == [
        "a bug raises KeyError instead of a SearchSourceError",
        "silence is no error: nobody would know that papers are missing",
        "silence is no failure in the report",
    ]
