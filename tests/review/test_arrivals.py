"""A search that is done, searched again for what is new."""

from tests.workflow.doubles import with_real_skills

from paper_search.http.freshness import current_mark
from paper_search.models import RawPaper, SearchStrategy
from paper_search.review.arrivals import update_review
from paper_search.testing.sources import FakeSource
from paper_search.workflow import Checkpoint


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
    workflow = with_real_skills(source, persistence=f"sqlite:///{tmp_path / 'threads.db'}")
    question = await workflow.start("dances of bees")
    for _ in range(2):
        for _ in range(2):
            assert isinstance(question, Checkpoint)
            approve = {"action": "approve"}
            thread = question.run_id
            question = await workflow.answer(thread, approve, token=question.token)
        question = await update_review(workflow, thread)
    first, *later = source.marks
    assert first == ""
    assert later
    assert "" not in later
