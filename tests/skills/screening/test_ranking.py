"""Learning from marks which papers come first."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples
from tests.work import counted

from paper_search.skills.screening import Ranker
from paper_search.skills.screening.ranking import Mixture, TermMatrix, values, widest_plane

FISH = [(f"Salmon and trout in river {n}", "Fish swim upstream to spawn.") for n in range(6)]
STARS = [(f"Giant stars of cluster {n}", "The light of stars is measured.") for n in range(6)]
TEXTS: list[tuple[str, str | None]] = [*FISH, *STARS]
FLAT = [0.5] * len(TEXTS)


def test_what_resembles_the_relevant_comes_first_and_the_irrelevant_last():
    order = Ranker(TEXTS).order({0: True, 6: False}, FLAT)
    assert set(order[:6]) == set(range(6))


@pytest.mark.parametrize(("mark", "first"), [(True, range(6)), (False, range(6, 12))])
def test_one_mark_alone_is_learned_from(*, mark, first):
    assert set(Ranker(TEXTS).order({0: mark}, FLAT)[:6]) == set(first)


def test_without_marks_the_scores_decide():
    scores = [n / 12 for n in range(12)]
    assert Ranker(TEXTS).order({}, scores) == list(range(11, -1, -1))


def test_while_nothing_is_relevant_the_scores_decide():
    clear = [1.0] * 6 + [0.0] * 6
    assert set(Ranker(TEXTS).order({0: False, 1: False}, clear)[:6]) == set(range(6))


def test_while_nothing_is_relevant_likeness_to_the_irrelevant_loses_near_ties():
    near = [0.9, 0.9, 0.5, 0.5, 0.5, 0.5, 0.499, 0.499, 0.499, 0.499, 0.1, 0.1]
    order = Ranker(TEXTS).order({0: False, 1: False}, near)
    assert set(order[2:6]) == {6, 7, 8, 9}


def test_one_relevant_mark_outweighs_scores_that_say_otherwise():
    against = [0.4] * 6 + [0.6] * 6
    assert set(Ranker(TEXTS).order({0: True}, against)[:6]) == set(range(6))


def _is_score_ahead(copies: int, prior: float) -> bool:
    """Return whether the higher score wins over what more marks of the same kinds say."""
    mixed = ("Salmon and trout near giant stars", "Fish swim in the light of stars.")
    texts = [mixed, FISH[5], *TEXTS * copies]
    marks = {n: texts[n] in FISH for n in range(2, len(texts))}
    order = Ranker(texts, Mixture(prior=prior)).order(marks, [0.9, 0.1] * (1 + 6 * copies))
    return order.index(0) < order.index(1)


def test_scores_count_more_after_few_marks_than_after_many():
    assert _is_score_ahead(copies=1, prior=0.4)
    assert not _is_score_ahead(copies=25, prior=0.4)
    assert _is_score_ahead(copies=25, prior=1.0)


def test_equal_scores_of_any_height_and_scale_leave_the_order_to_the_marks():
    marks = {0: True, 6: False}
    orders = [Ranker(TEXTS).order(marks, [height] * 12) for height in (0.0, 0.5, 1000.0)]
    assert orders[0] == orders[1] == orders[2]
    scores = [n / 12 for n in range(12)]
    scaled = [score * 0.01 - 3 for score in scores]
    assert Ranker(TEXTS).order(marks, scores) == Ranker(TEXTS).order(marks, scaled)


def test_the_mixture_shifts_weight_between_marks_and_scores():
    against = [0.4] * 6 + [0.6] * 6
    order = Ranker(TEXTS, Mixture(prior=50.0)).order({0: True}, against)
    assert set(order[:6]) == set(range(6, 12))


def test_the_machine_and_the_odds_each_rank_alone():
    for margin in (0.0, 1.0):
        order = Ranker(TEXTS, Mixture(margin=margin)).order({0: False, 6: True}, FLAT)
        assert set(order[:6]) == set(range(6, 12))


def test_marks_that_contradict_each_other_leave_the_order_to_the_scores():
    texts: list[tuple[str, str | None]] = [("The same text", "word for word")] * 4
    assert Ranker(texts).order({0: True, 1: False}, [0.1, 0.2, 0.3, 0.4]) == [3, 2, 1, 0]


def test_papers_without_abstract_or_any_word_are_ranked_too():
    texts = [*TEXTS, ("", None), ("Salmon", None), ("!!!", "")]
    order = Ranker(texts).order({0: True, 6: False}, [0.5] * len(texts))
    assert sorted(order) == list(range(len(texts)))
    assert order.index(13) < order.index(12)


def test_texts_without_spaces_are_learned_from():
    texts: list[tuple[str, str | None]] = [
        ("基于图神经网络的分子性质预测", None),
        ("图神经网络与分子设计", None),
        ("罗马帝国的历史", None),
        ("罗马历史研究", None),
    ]
    assert set(Ranker(texts).order({0: True, 2: False}, [0.5] * 4)[:2]) == {0, 1}


def test_all_texts_empty_or_no_texts_give_an_order():
    assert Ranker([("", None)] * 3).order({0: True}, [0.1, 0.3, 0.2]) == [1, 2, 0]
    assert Ranker([]).order({}, []) == []


_TEXT = st.text(alphabet="ab cdé图网1", max_size=30)


@given(
    st.lists(st.tuples(_TEXT, st.none() | _TEXT), min_size=1, max_size=8),
    st.dictionaries(st.integers(0, 7), st.booleans(), max_size=8),
)
@examples(60)
def test_any_texts_and_marks_give_every_paper_one_place(texts, marks):
    known = {number: mark for number, mark in marks.items() if number < len(texts)}
    order = Ranker(texts).order(known, [0.5] * len(texts))
    assert sorted(order) == list(range(len(texts)))
    assert order == Ranker(texts).order(known, [0.5] * len(texts))


def test_swapping_the_kinds_turns_the_plane_round():
    matrix = TermMatrix.of([("ab cd", "ef"), ("ab ef", None), ("uv wx", "yz"), ("yz uv", None)])

    def margins(wanted: list[bool]) -> list[float]:
        return values(matrix.rows, widest_plane(matrix, [0, 1, 2, 3], wanted, [1.0] * 4))

    found = margins([True, True, False, False])
    assert min(found[:2]) > 0 > max(found[2:])
    swapped = margins([False, False, True, True])
    assert swapped == pytest.approx([-hit for hit in found], abs=0.02)


def test_the_work_of_learning_anew_does_not_grow_as_the_square_of_the_papers():
    """Of four times as many it is about seven times as much; five thousand take a second."""
    assert work_of_learning(1_200) < 10 * work_of_learning(300)


def work_of_learning(count: int) -> int:
    chance = random.Random(3)  # noqa: S311  # made-up texts
    words = [f"w{n}" for n in range(100)]
    texts: list[tuple[str, str | None]] = [
        (" ".join(chance.choices(words, k=10)), " ".join(chance.choices(words, k=60)))
        for _ in range(count)
    ]
    ranker = Ranker(texts)
    with counted() as work:
        ranker.order({n: n % 5 == 0 for n in range(count // 5)}, [0.5] * count)
    return work.lines
