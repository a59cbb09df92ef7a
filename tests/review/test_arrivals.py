"""A search that is done, searched again for what is new."""

from tests.answers import reply_to
from tests.workflow.doubles import at_result, reject, with_real_skills, workflow

from paper_search.http.freshness import current_mark
from paper_search.models import MergeDecision, RawPaper, SearchStrategy
from paper_search.review.arrivals import update_review
from paper_search.testing.sources import FakeSource
from paper_search.workflow import Checkpoint, ThreadCatalog


class Marked(FakeSource):
    """Notes which stored answers it could have been given."""

    def __init__(self) -> None:
        super().__init__(papers=[RawPaper(id="fake:1", title="Bees dance", source="fake")])
        self.marks: list[str] = []

    async def search_advanced(self, strategy: SearchStrategy) -> list[RawPaper]:
        self.marks.append(current_mark())
        return await super().search_advanced(strategy)


async def test_an_update_is_not_told_what_was_stored_before_it(tmp_path):
    source = Marked()
    search = with_real_skills(source, persistence=f"sqlite:///{tmp_path / 'threads.db'}")
    question = await search.start("dances of bees")
    for _ in range(2):
        for _ in range(2):
            assert isinstance(question, Checkpoint)
            approve = {"action": "approve"}
            thread = question.run_id
            question = await search.answer(thread, approve, token=question.token)
        question = await update_review(search, thread)
    first, *later = source.marks
    assert first == ""
    assert later
    assert "" not in later


async def test_what_is_marked_before_a_strategy_is_rejected_joins_the_next_result(persistence):
    """After the end of a search, say, whose update is to ask something else."""
    flow = workflow(persistence=persistence)
    await at_result(flow)
    await reply_to(flow, "t", "approve")
    session = ThreadCatalog(persistence).session("t")
    await session.mark(["always"], is_relevant=False, reason="no bees")
    pair = MergeDecision(one="always", other="only-round_0", is_same=False)
    await session.mark_pairs([pair])
    await update_review(flow, "t")
    await reply_to(flow, "t", reject("another way"))
    assert [p.id for p in (await session.result()).set_aside] == ["always"]
    asked = (await reply_to(flow, "t", "approve")).payload
    assert (asked.marks, asked.merge_decisions) == ({"always": False}, [pair])
    result = await reply_to(flow, "t", "approve")
    assert [paper.id for paper in result.papers if paper.decision == "excluded"] == []
    assert [paper.screening.reason for paper in result.set_aside] == ["no bees"]


async def test_what_was_excluded_at_the_end_can_be_taken_back_in_an_update(persistence):
    flow = workflow(persistence=persistence)
    await at_result(flow)
    no = {"marked_irrelevant": ["always"], "reasons": {"always": "no bees"}}
    await reply_to(flow, "t", {"action": "approve", "revised_data": no})
    await update_review(flow, "t")
    await reply_to(flow, "t", "approve")
    back = {"action": "approve", "revised_data": {"unmarked": ["always"]}}
    result = await reply_to(flow, "t", back)
    assert {paper.id: paper.screening for paper in result.every_paper}["always"] is None
    assert (await ThreadCatalog(persistence).show("t")).collection == result
