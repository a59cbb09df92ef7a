from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from paper_search.models import Author, RawPaper
from paper_search.skills.deduplication.blocking import candidate_pairs
from paper_search.skills.deduplication.clustering import Linkage, ambiguous, join_best
from paper_search.skills.deduplication.profiles import profile
from paper_search.skills.deduplication.resolution import identifiers_of_several, recurring_titles

SCORES = st.dictionaries(
    st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda pair: pair[0] < pair[1]),
    st.floats(-10, 10),
    max_size=30,
)


def joined(size: int, scores: dict[tuple[int, int], float], apart=()) -> list[list[int]]:
    linkage = Linkage(size, scores, apart)
    join_best(linkage, scores, least=1.0, least_mean=0.0)
    return linkage.sets()


CLIQUE = {(0, 1): 5.0, (2, 3): 5.0, (0, 2): 1.5, (0, 3): -4.0, (1, 2): -4.0, (1, 3): -4.0}


@pytest.mark.parametrize(
    ("size", "scores", "apart", "sets"),
    [
        (4, CLIQUE, [], [[0, 1], [2, 3]]),  # one good pair does not outweigh many bad ones
        (3, {(0, 1): 2.0, (1, 2): 2.0}, [], [[0, 1, 2]]),
        (3, {(0, 1): 5.0, (1, 2): 5.0}, [(0, 2)], [[0, 1], [2]]),  # nor meet through others
    ],
)
def test_good_pairs_chain_where_nothing_speaks_against_it(size, scores, apart, sets):
    assert joined(size, scores, apart) == sets


def test_a_record_that_fits_two_works_joins_neither():
    scores = {(0, 2): 2.0, (1, 2): 2.1, (0, 1): -3.0}
    assert ambiguous(scores, 1.0) == {(0, 2), (1, 2)}
    assert not ambiguous(scores | {(0, 1): 3.0}, 1.0)


@given(SCORES, st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=4))
@examples(150)
def test_sets_are_a_partition_and_splits_hold(scores, apart):
    apart = [pair for pair in apart if pair[0] != pair[1]]
    sets = joined(10, scores, apart)
    assert sorted(number for item in sets for number in item) == list(range(10))
    of = {number: place for place, item in enumerate(sets) for number in item}
    assert all(of[one] != of[other] for one, other in apart)


def paper(number: int, **rest: Any) -> RawPaper:
    return RawPaper(id=str(number), source="s", **rest)


def test_a_common_title_does_not_make_all_pairs():
    records = [profile(paper(number, title="Editorial", year=2000)) for number in range(3_000)]
    assert len(candidate_pairs(records)) < 3_000 * 20


def test_records_with_nothing_in_common_make_no_pairs():
    records = [profile(paper(n, title=f"alpha{n} beta{n} gamma{n}")) for n in range(200)]
    assert candidate_pairs(records) == []


def test_a_title_of_many_authors_recurs_and_one_of_one_work_does_not():
    def column(number: int, author: str) -> RawPaper:
        return paper(number, title="Notes on influential writing", authors=[Author(name=author)])

    many = [profile(column(n, name)) for n, name in enumerate(["Ann Ash", "Bob Bay", "Cy Cole"])]
    one = [profile(column(n, "Ann Ash")) for n in range(5)]
    assert recurring_titles(many) == {"notesoninfluentialwriting"}
    assert not recurring_titles(one)


def test_a_long_title_on_one_page_does_not_recur_whatever_its_issue_is_said_to_be():
    def copy(number: int, title: str, page: int) -> RawPaper:
        return paper(number, title=title, volume="9", issue=str(number), pages=f"{page}-{page + 9}")

    long = "Notes on the influence of planted trees"
    assert not recurring_titles([profile(copy(n, long, 10)) for n in range(1, 4)])
    assert recurring_titles([profile(copy(n, long, 10 * n)) for n in range(1, 4)])
    assert recurring_titles([profile(copy(n, "Notes on trees", 10)) for n in range(1, 4)])


def test_a_doi_of_many_titles_is_shared():
    titles = ["Insulin in mice at night", "Tractors and ploughs", "A history of Norwegian stamps"]
    records = [profile(paper(n, title=title, doi="10.1000/s1")) for n, title in enumerate(titles)]
    assert identifiers_of_several(records) == {("doi", "10.1000/s1")}
    assert not identifiers_of_several(records[:2])
