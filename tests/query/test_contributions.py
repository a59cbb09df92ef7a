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
    assert (age.matches, age.misses, age.unknown) == ({0, 1}, {2}, {3: {"abstract"}})
    lines = list(report([illness, age], NAMES))
    assert "  loses three" in lines
    assert "  1 undecided; missing: abstract" in lines
    assert lines[-1] == (
        "relative recall: 2 to 3 of 4 known papers (50% to 75%, 95 % interval 15% to 95%)"
    )


LIMITED = """\
1. caries.ti,ab.
2. exp Animals/ not Humans/
3. 1 not 2
4. limit 3 to (english language and yr="2010 -Current")
5. 4 and exp Child/
6. remove duplicates from 5
"""


KEPT = "  1 kept without index data: a source that has it may exclude them"


def report_of(**paper: str | None) -> list[str]:
    strategy = parse_strategy(LIMITED)
    assert strategy is not None
    record = {"title": "Caries", "abstract": "In teeth.", "keywords": None, "year": 2015, **paper}
    return list(report(contributions(strategy, [record]), ["A"]))


def test_exclusions_and_limits_keep_papers_of_which_no_index_is_known_as_a_search_does():
    assert report_of(abstract="In teeth of a child.", language=None) == [
        "concept 1 (line 1): finds 1 of 1 known papers",
        "  line 1: 1, 1 by it alone",
        "restriction 2 (line 3): keeps 1 of 1 known papers",
        KEPT,
        "restriction 3 (line 4): keeps 1 of 1 known papers",
        KEPT,
        "restriction 4 (line 4): keeps 1 of 1 known papers",
        "concept 5 (line 5): finds 1 of 1 known papers",
        "relative recall: 1 of 1 known papers (100%, 95 % interval 21% to 100%)",
    ]


def test_a_heading_that_has_to_be_there_makes_the_recall_a_span():
    lines = report_of(language="english")
    assert "  1 undecided; missing: headings" in lines
    assert lines[-1] == (
        "relative recall: 0 to 1 of 1 known papers (0% to 100%, 95 % interval 0% to 100%)"
    )


def test_a_language_that_is_known_is_compared_and_the_words_of_an_excluded_heading_count():
    lines = report_of(language="german", abstract="In animals and a child.")
    assert lines[2:4] == [
        "restriction 2 (line 3): keeps 0 of 1 known papers",
        "  1 undecided; missing: headings",
    ]
    assert lines[5] == "  loses A"
    assert lines[-1].startswith("relative recall: 0 of 1 known papers (0%,")


def test_an_exclusion_of_words_cannot_be_told_without_the_abstract():
    strategy = parse_strategy("1. caries.ti.\n2. mice.ti,ab.\n3. 1 not 2")
    assert strategy is not None
    _, no_mice = contributions(strategy, [{"title": "Caries", "abstract": None}])
    assert (no_mice.matches, no_mice.misses, no_mice.unknown) == (set(), set(), {0: {"abstract"}})


def test_without_known_papers_the_lines_of_each_concept_are_named():
    strategy = parse_strategy(TEXT)
    assert strategy is not None
    assert list(report(contributions(strategy, []), [])) == [
        "concept 1 (lines 1, 2)",
        "concept 2 (line 4)",
    ]


@pytest.mark.parametrize(("found", "total", "low", "high"), [(10, 10, 0.72, 1.0), (0, 5, 0, 0.43)])
def test_the_interval_is_that_of_wilson(found, total, low, high):
    assert interval(found, total) == pytest.approx((low, high), abs=0.005)
