import pytest

from paper_search.config import AppConfig
from paper_search.evaluation import runs
from paper_search.models import RawPaper


def test_the_gain_is_full_where_relevant_papers_come_first():
    assert runs.ndcg([True, True, False], 2) == 1.0
    assert runs.ndcg([False, True], 1) == pytest.approx(0.63093, abs=1e-5)
    assert runs.ndcg([True], 2) == pytest.approx(1 / 1.63093, abs=1e-5)
    assert runs.ndcg([False] * 10 + [True], 1) == 0.0
    assert runs.ndcg([True] * 12, 20) == 1.0
    assert runs.ndcg([], 0) == 0.0


def test_what_cannot_be_told_is_no_number():
    assert runs.share(1, 4) == 0.25
    assert runs.share(0, 0) is None
    assert runs.mean([None, 0.5, 1.0]) == 0.75
    assert runs.mean([None]) is None


async def test_a_paper_that_was_judged_otherwise_than_its_label_is_told_with_its_reason(tmp_path):
    labels = [
        runs.Label(RawPaper(id=title, title=title, source="labels"), is_relevant=is_relevant)
        for title, is_relevant in [
            ("Dances of honey bees", True),
            ("Iron in old bridges", True),
            ("Rust", False),
        ]
    ]
    question = runs.LabelledQuestion("dances of honey bees", labels)
    [judging] = await runs.evaluate(AppConfig(home=tmp_path), [question], None, sources=None)
    [wrong] = judging.wrong
    assert (wrong.question, wrong.title) == (question.question, "Iron in old bridges")
    assert wrong.is_relevant
    assert (wrong.score or 0.0) < runs.RELEVANT_FROM
    assert wrong.reason
    assert (judging.recall, judging.precision, judging.papers) == (0.5, 1.0, 3)
