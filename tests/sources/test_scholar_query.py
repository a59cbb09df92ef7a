"""How a tree is said in Scholar's language."""

import pytest

from paper_search.errors import InputError
from paper_search.models import SearchConstraints
from paper_search.query import parse, render
from paper_search.sources.adapter import Translated
from paper_search.sources.scholar_query import translate


def to_scholar(query: str, **filters: int | None) -> Translated:
    return translate(parse(query), SearchConstraints.model_validate(filters))


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        ("deep learning", "deep learning"),
        ("deep AND learning", "deep learning"),
        (
            '"deep learning" AND (graph OR tree) NOT survey',
            '"deep learning" (graph OR tree) -survey',
        ),
        ("(deep AND learning) OR graph", "((deep learning) OR graph)"),
        ("title:graph author:smith venue:nature", "intitle:graph author:smith source:nature"),
        ('title:"deep learning"', 'intitle:"deep learning"'),
        ('deep NOT (graph OR "big data")', 'deep -graph -"big data"'),
        ('COVID-19 "OR"', 'COVID-19 "OR"'),
    ],
)
def test_a_query_is_sent_as(query: str, sent: str) -> None:
    scholar = to_scholar(query)
    assert scholar.text == sent
    assert scholar.notes == ()


@pytest.mark.parametrize(
    ("query", "sent", "note"),
    [
        ("graph*", "graph", "'*'"),
        ('"deep learn*"', '"deep learn"', "'*'"),
        ("deep NEAR/3 graph", "(deep graph)", "NEAR"),
        ("abstract:graph", "graph", "abstract:"),
        ("deep NOT (graph AND tree)", "deep", "NOT of a group"),
        ("deep (graph OR year:2015)", "deep", "a year inside a group"),
        ("deep (graph OR NOT tree)", "deep", "OR with a part"),
        ("deep NOT abstract:graph", "deep", "NOT of a group"),
        (" OR ".join(f"synonym{number}" for number in range(40)), None, "256"),
    ],
)
def test_what_scholar_cannot_say_is_widened_and_noted(
    query: str, sent: str | None, note: str
) -> None:
    scholar = to_scholar(query)
    assert sent is None or scholar.text == sent
    assert any(note in each for each in scholar.notes)


@pytest.mark.parametrize(
    ("query", "limits", "years"),
    [
        ("graph year:2015-2019", (None, None), (2015, 2019)),
        ("graph year:2015-", (2010, 2020), (2015, 2020)),
        ("graph year:-2019", (2010, 2015), (2010, 2015)),
        ("graph year:2012- year:2014-", (None, None), (2014, None)),
        ("graph", (None, None), (None, None)),
    ],
)
def test_years_become_parameters(
    query: str, limits: tuple[int | None, int | None], years: tuple[int | None, int | None]
) -> None:
    scholar = to_scholar(query, year_from=limits[0], year_to=limits[1])
    assert (scholar.year_from, scholar.year_to) == years
    assert scholar.text == "graph"


@pytest.mark.parametrize("query", ["NOT survey", "NOT survey NOT review", "year:2015"])
def test_a_query_that_only_excludes_cannot_be_asked(query: str) -> None:
    with pytest.raises(InputError, match="only excludes"):
        to_scholar(query)


@pytest.mark.parametrize(
    ("query", "remainder"),
    [
        ("deep AND learning", None),
        ("graph*", None),
        ("deep NEAR/3 graph", "deep NEAR/3 graph"),
        ("deep NOT (graph AND tree)", "NOT (graph AND tree)"),
        ("deep AND (graph OR year:2015) AND tree", "graph OR year:2015"),
    ],
)
def test_what_was_widened_is_left_for_our_side(query: str, remainder: str | None) -> None:
    left = to_scholar(query).remainder
    assert left == (parse(remainder) if remainder else None), left and render(left)
