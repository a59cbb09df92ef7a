"""What threads of earlier versions hold of a scope is read."""

from paper_search.models.scope import RelaxedQuery


def test_a_query_that_nothing_replaced_is_read():
    assert RelaxedQuery.model_validate({"original": "moss", "instead": None}).instead == ""
