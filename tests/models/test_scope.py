"""What sources have for a strategy, and broader queries in place of narrow ones."""

from paper_search.models import SearchQuery, SearchStrategy
from paper_search.models.scope import (
    BroaderQuery,
    QueryHits,
    RelaxedQuery,
    ScopeReport,
    SourceHits,
)


def strategy(*queries: str) -> SearchStrategy:
    asked = [SearchQuery(keywords=["k"], boolean_query=query) for query in queries]
    return SearchStrategy(queries=asked, sources=["s"], notes=["n"])


def test_a_broader_query_replaces_the_one_that_it_is_a_step_from():
    step = BroaderQuery(text="a", name="without b", original="a AND b")
    assert step.replace_in(strategy("a AND b", "c")) == strategy("a", "c")
    report = ScopeReport(relaxed=[RelaxedQuery(original="c", instead="c OR d")])
    assert report.revised(strategy("a", "c")) == strategy("a", "c OR d")
    assert ScopeReport().revised(strategy("c")) == strategy("c")


def test_hits_are_told_by_query_and_source():
    hits = QueryHits(text="a", counts=[SourceHits(source="s", hits=1200, is_at_most=True)])
    step = BroaderQuery(text="b", name="without a", original="a AND b")
    report = ScopeReport(queries=[hits], steps=[step])
    assert report.hits_of(["a", "b", "edited"]) == {"a": hits, "b": step}
    assert [str(hits.counts[0]), str(SourceHits(source="t", hits=0))] == ["up to 1,200 s", "0 t"]
    assert str(SourceHits(source="t", hits=0, is_at_most=True)) == "0 t"
