"""What a row of a record keeps from round to round."""

from paper_search.workflow.rows import add_sightings


def test_a_record_keeps_each_query_that_returned_it_once():
    first = {"source": "s", "query": "bees", "rank": 1}
    other = {"source": "s", "query": "honey bees", "rank": 1}
    row = add_sightings({"id": "r", "sightings": [first, other]}, {"sightings": [first]})
    assert row["sightings"] == [first, other]
    assert add_sightings(row, row) == row
