import pytest

from paper_search.evaluation.runs import mean, ndcg, share


def test_the_gain_is_full_where_relevant_papers_come_first():
    assert ndcg([True, True, False], 2) == 1.0
    assert ndcg([False, True], 1) == pytest.approx(0.63093, abs=1e-5)
    assert ndcg([True], 2) == pytest.approx(1 / 1.63093, abs=1e-5)
    assert ndcg([False] * 10 + [True], 1) == 0.0
    assert ndcg([True] * 12, 20) == 1.0
    assert ndcg([], 0) == 0.0


def test_what_cannot_be_told_is_no_number():
    assert share(1, 4) == 0.25
    assert share(0, 0) is None
    assert mean([None, 0.5, 1.0]) == 0.75
    assert mean([None]) is None
