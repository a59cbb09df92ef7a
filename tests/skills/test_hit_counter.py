"""Each query is counted once in a source."""

from tests.counting import FakeCountingSource

from paper_search.models import SearchConstraints
from paper_search.skills.hit_counter import HitCounter


async def test_a_query_is_asked_of_a_source_once() -> None:
    source = FakeCountingSource("a", {"x": 3})
    counter = HitCounter({"a": source}, SearchConstraints())
    assert [await counter.count("a", "x") for _ in range(3)] == [3, 3, 3]
    assert source.counted == ["x"]
    assert counter.counted("x", ["a", "b"]) == {"a": 3}


async def test_a_query_that_nobody_counted_has_no_hits_at_all() -> None:
    counter = HitCounter({}, SearchConstraints())
    assert counter.hits("x", text="by name").model_dump() == {"text": "by name", "counts": []}
