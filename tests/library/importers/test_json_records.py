"""JSON arrays are read item by item: a broken item costs itself."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from paper_search.library.importers import Imported, Rejected, json_records

TITLES = st.lists(st.text(max_size=8).filter(lambda text: text.strip()), max_size=5)


@examples(60)
@given(TITLES, st.sampled_from([None, 1]))
def test_every_item_of_a_list_is_read(titles, indent):
    text = json.dumps([{"title": f"A{title}"} for title in titles], indent=indent)
    entries = list(json_records.parse_csl([text]))
    assert len(entries) == len(titles)
    assert all(isinstance(entry, Imported) for entry in entries)


def test_a_broken_item_costs_itself_and_lines_stay_right():
    text = '[\n{"title": "One"},\n{"title": broken},\n\n{"title": "Three"}\n]'
    one, broken, three = json_records.parse_csl([text])
    assert isinstance(one, Imported)
    assert isinstance(broken, Rejected)
    assert isinstance(three, Imported)
    assert (one.line, broken.line, three.line) == (2, 3, 5)


@pytest.mark.parametrize(("text", "line"), [("[", 1), ('[{"a": 1},\n', 2), ('[{"a"', 1)])
def test_a_list_that_is_cut_off_says_where(text, line):
    *_, last = json_records.parse_csl([text])
    assert isinstance(last, Rejected)
    assert last.line == line
