"""Skills of other people that return something wrong: a clear error, and no paper is lost."""

from typing import Any

import pytest
from tests.answers import reply_to
from tests.workflow.doubles import STEPS, at_result, workflow

from paper_search.testing.skills import FakeSkills, fake_strategy, two_papers

OF_STEP = dict(zip(STEPS, ["ParsedIntent", "SearchStrategy", *["a list of RawPaper"] * 2,
                           "a list of ScoredPaper", "PaperCollection"], strict=True))  # fmt: skip


class Doctored(FakeSkills):
    """Passes the result of one method through a function."""

    def __init__(self, method: str, change: Any) -> None:
        super().__init__()
        own = getattr(self, method)

        async def changed(*arguments: Any) -> Any:
            return change(await own(*arguments), *arguments)

        setattr(self, method, changed)


@pytest.mark.parametrize("step", STEPS)
async def test_a_skill_that_returns_nothing_is_named_and_the_thread_goes_on_with_another(
    persistence, step
):
    flow = workflow(Doctored(step, lambda *_: None), persistence=persistence)
    error = f"^the skill Doctored returned NoneType, not {OF_STEP[step]}\n"
    with pytest.raises(TypeError, match=error):
        await at_result(flow)
    repaired = workflow(persistence=persistence)
    question = await repaired.pending("t") or await repaired.proceed("t")
    if step in STEPS[:2]:
        question = await reply_to(repaired, "t", "approve")
    assert len(question.payload.collection.papers) == 2


def of_another_type(papers: Any, *_: Any) -> Any:
    return [*papers, {"title": "x"}]


async def test_an_entry_of_another_type_is_named():
    with pytest.raises(
        TypeError, match="in a list, the skill Doctored returned dict, not RawPaper"
    ):
        await at_result(workflow(Doctored("search", of_another_type)))


def lost_and_cleared(scored: Any, papers: Any, _intent: Any) -> Any:
    papers.clear()
    return scored[1:]


async def test_a_paper_that_a_scorer_leaves_out_is_shown_as_unjudged():
    question = await at_result(workflow(Doctored("score", lost_and_cleared)))
    papers = {paper.id: paper for paper in question.payload.collection.papers}
    assert papers.keys() == {paper.id for paper in two_papers(fake_strategy("round_0"))}
    assert {i: paper.is_judged for i, paper in papers.items()} == {
        "only-round_0": True,
        "always": False,
    }
    assert papers["always"].unjudged_because == "the skill Doctored left it out"


@pytest.mark.parametrize("score", [87, float("nan")])
async def test_a_score_out_of_range_is_refused_before_it_is_stored(persistence, score):
    def per_cent(scored: Any, *_: Any) -> Any:
        scored[0].relevance_score = score
        return scored

    with pytest.raises(ValueError, match=f"gave the paper 'always' a score of {score:g}; scores"):
        await at_result(workflow(Doctored("score", per_cent), persistence=persistence))
    question = await workflow(persistence=persistence).proceed("t")
    assert len(question.payload.collection.papers) == 2
