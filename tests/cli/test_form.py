"""The form of a strategy reads back as what was written into it."""

import json

import pytest

from paper_search import models
from paper_search.cli.search_questions import parse_form, write_form
from paper_search.errors import InvalidDecisionError

FULL = models.SearchStrategy(
    queries=[
        models.SearchQuery(
            keywords=["a", 'b "c"'],
            synonym_map=[models.SynonymMap(keyword="a", synonyms=["d"])],
            boolean_query='a AND "b c"',
        )
    ],
    sources=["library", "pubmed"],
    filters=models.SearchConstraints(
        year_from=2010,
        language="en",
        publication_types=["article"],
        excluded_types=["review"],
        conditions=["NOT bees"],
    ),
    ranked=[
        models.RankedQuery(text='what is "a"?', terms={"d e": 0.5, "f": -0.25}),
        models.RankedQuery(
            text="again", depth=700, long_forms=["once more"], like=["p1"], unlike=["p2"]
        ),
    ],
    works=["doi:10.1000/1"],
    native={"pubmed": "asthma[mh] # 1"},
    endings={"comput*": ["computer"]},
)


def test_names_that_a_query_has_for_its_keywords_are_not_in_the_form_and_stay_with_it():
    form = write_form(FULL, [])
    assert "synonym_map" not in form
    assert "keywords" not in form
    [query] = parse_form(form.replace("a AND", "a OR"), FULL)["queries"]
    assert query == {**FULL.queries[0].model_dump(), "boolean_query": 'a OR "b c"'}
    new = {"boolean_query": "new", "keywords": ["k"]}
    assert parse_form(json.dumps({"queries": [new, new]}), FULL)["queries"][1] == new


def test_the_criteria_of_the_judge_stand_in_the_form_where_there_are_any():
    criteria = [
        models.Criterion(text='It is "new"', weight=2),
        models.Criterion(text="b", kind=models.CriterionKind.EXCLUSION),
    ]
    given = parse_form(write_form(FULL, [], criteria=criteria), FULL)["criteria"]
    assert [models.Criterion.model_validate(row) for row in given] == criteria
    assert "criteria" not in write_form(FULL, [])


@pytest.mark.parametrize("form", ["{", "[]", "[" * 100_000])
def test_a_form_that_is_no_json_object_is_an_error_and_an_empty_one_changes_nothing(form):
    with pytest.raises(InvalidDecisionError, match="the form cannot be read"):
        parse_form(form, FULL)
    assert parse_form("# a remark\n\n", FULL) is None
