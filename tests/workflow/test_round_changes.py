from hypothesis import given
from hypothesis import strategies as st

from paper_search.workflow.counts import MIN_RISE, RoundChanges, round_changes


def test_a_paper_that_was_set_aside_before_is_not_new():
    assert round_changes(["a"], ["b", "a"], {"a", "b"}, "").new_ids == []


def test_moving_up_far_is_told_and_moving_up_a_little_or_down_is_not():
    before = [f"p{n}" for n in range(MIN_RISE + 2)]
    after = [before[MIN_RISE], *before[:MIN_RISE], before[MIN_RISE + 1]]
    assert round_changes(before, after, set(before), "").risen == {before[MIN_RISE]: MIN_RISE}


def test_the_summary_is_one_line():
    changes = RoundChanges(new_ids=["a", "b"], risen={"c": 12}, queries="+ mutex; - compiler")
    assert changes.summary == (
        "2 new papers in the result; 1 moved up by 10 places or more. Queries: + mutex; - compiler"
    )
    assert RoundChanges(new_ids=["a"]).summary == "1 new paper in the result"
    assert RoundChanges().summary == "No new papers in the result"


@given(st.lists(st.integers(0, 30), unique=True), st.lists(st.integers(0, 30), unique=True))
def test_every_paper_shown_is_new_or_known(before, after):
    old, new = [str(n) for n in before], [str(n) for n in after]
    changes = round_changes(old, new, set(old), "")
    assert {*changes.new_ids} == {*new} - {*old}
    assert {*changes.risen} <= {*old} & {*new}
