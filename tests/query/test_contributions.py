"""What each line of a strategy finds of known papers, and which papers a concept loses."""

import pytest

from paper_search.query.strategy import contributions, interval, parse_strategy, report

TEXT = """\
1. asthma.ti,ab.
2. wheez$.ti,ab.
3. 1 or 2
4. child$.ti,ab.
5. 3 and 4
"""
PAPERS = [
    {"title": "Asthma in children", "abstract": "A trial.", "year": 2020},
    {"title": "Wheezing children", "abstract": "A trial.", "year": 2020},
    {"title": "Asthma in adults", "abstract": "A trial.", "year": 2020},
    {"title": "Asthma", "abstract": None, "year": 2020},
]
NAMES = ["one", "two", "three", "four"]


def test_each_line_says_what_it_finds_alone_and_each_concept_what_it_loses():
    strategy = parse_strategy(TEXT)
    assert strategy is not None
    illness, age = contributions(strategy, PAPERS)
    assert [(line.label, line.matches, line.unique) for line in illness.lines] == [
        ("1", {0, 2, 3}, {0, 2, 3}),
        ("2", {1}, {1}),
    ]
    assert illness.misses == set()
    assert (age.matches, age.misses, age.unknown) == ({0, 1}, {2}, {3})
    lines = list(report([illness, age], NAMES))
    assert "  loses three" in lines
    assert "  1 cannot be told: abstract or headings are not known" in lines
    assert lines[-1] == "relative recall: 2 of 4 known papers (50%, 95 % interval 15% to 85%)"


def test_without_known_papers_the_lines_of_each_concept_are_named():
    strategy = parse_strategy(TEXT)
    assert strategy is not None
    assert list(report(contributions(strategy, []), [])) == [
        "concept 1 (lines 1, 2)",
        "concept 2 (lines 4)",
    ]


@pytest.mark.parametrize(("found", "total", "low", "high"), [(10, 10, 0.72, 1.0), (0, 5, 0, 0.43)])
def test_the_interval_is_that_of_wilson(found, total, low, high):
    assert interval(found, total) == pytest.approx((low, high), abs=0.005)
