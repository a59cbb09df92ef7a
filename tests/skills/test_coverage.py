"""What the overlap of independent sources says about papers that none of them gave."""

from __future__ import annotations

import random

import pytest

from paper_search.models import (
    Coverage,
    RawPaper,
    ScoredPaper,
    Sighting,
    SourceReport,
    SourceStatus,
)
from paper_search.skills.coverage import chao2, coverage_of


def paper(*seen: str, score: float = 0.9, rank: int = 1, is_judged: bool = True) -> ScoredPaper:
    sightings = [Sighting(source=source, query="q", rank=rank) for source in seen]
    return ScoredPaper(
        paper=RawPaper(title="T", source="x", sightings=sightings),
        relevance_score=score,
        relevance_reason="",
        is_judged=is_judged,
    )


def answered(source: str, hits: int | None) -> SourceReport:
    return SourceReport(source=source, query="q", status=SourceStatus.OK, hits=hits)


SHARED = [paper("a", "b") for _ in range(5)]


def test_papers_that_one_source_alone_gave_tell_of_others_that_none_gave() -> None:
    papers = [*SHARED, *(paper("a") for _ in range(4)), *(paper("b") for _ in range(2))]
    found = coverage_of(papers, [])
    assert found == Coverage(sources=2, papers=11, missing_at_least=1)  # of 6 once, 5 twice


def test_where_every_paper_has_several_sources_nothing_is_missing() -> None:
    assert coverage_of(SHARED, []) == Coverage(sources=2, papers=5, missing_at_least=0)


def test_independent_sources_of_equal_chance_give_the_true_number() -> None:
    draw = random.Random(7)  # noqa: S311  # a simulation
    estimates = []
    for _ in range(40):
        caught = [sum(draw.random() < 0.3 for _ in range(4)) for _ in range(200)]
        times = {n: caught.count(n) for n in range(1, 5)}
        estimates.append(200 - caught.count(0) + chao2(times, 4))
    assert sum(estimates) / len(estimates) == pytest.approx(200, rel=0.05)


@pytest.mark.parametrize(
    "papers",
    [
        [paper("a") for _ in range(20)],
        [*(paper("a") for _ in range(20)), *(paper("b") for _ in range(20))],
        [*SHARED[:2], *(paper("a") for _ in range(20))],
        SHARED[:4],
        [paper("a", "library") for _ in range(20)],
        [paper("a", "b", score=0.29) for _ in range(20)],
        [paper("a", "b", is_judged=False) for _ in range(20)],
        [],
    ],
    ids=["one source", "none shared", "two shared", "four", "a copy", "poor", "unjudged", "none"],
)
def test_nothing_is_said_without(papers: list[ScoredPaper]) -> None:
    assert coverage_of(papers, []) is None


def test_a_source_that_saw_a_paper_twice_saw_it_once() -> None:
    once = coverage_of([*SHARED, *(paper("a") for _ in range(9))], [])
    twice = coverage_of([*SHARED, *(paper("a", "a") for _ in range(9))], [])
    assert once == twice is not None


def test_what_only_the_second_half_of_a_cut_answer_has_is_late() -> None:
    deep = [paper("a", rank=50), paper("a", rank=51), paper("a", "b", rank=60)]
    papers = [*SHARED, *deep, paper("a", score=0.0, rank=100), paper("b", score=0.0, rank=70)]
    cut = [answered("a", 5000), answered("b", 70)]
    found = coverage_of(papers, cut)
    assert found is not None
    assert found.found_late == 1, "rank 51 of a; rank 60 of b is in an answer that was whole"
    whole = coverage_of(papers, [answered("a", 100), answered("b", None)])
    assert whole is not None
    assert whole.found_late == 0


@pytest.mark.parametrize(
    ("missing", "late", "summary"),
    [
        (0, 0, "The sources agree: few papers with these words are missing."),
        (12, 0, "At least 12 more relevant papers are probably in none of these answers."),
        (
            0,
            1200,
            (
                "1,200 of 3,000 came only in the second half of an answer that was cut off: "
                "longer answers (--max) find more."
            ),
        ),
    ],
)
def test_the_summary_says_what_is_and_what_is_not_counted(
    missing: int, late: int, summary: str
) -> None:
    found = Coverage(sources=3, papers=3000, missing_at_least=missing, found_late=late)
    assert found.summary == f"{summary} Papers that use other words are not counted."
