from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paper_search.skills.intent.forms import ParsedQuestion, without_cuts
from paper_search.skills.intent.names import read_years

TODAY = date(2026, 11, 21)
Interval = tuple[int | None, int | None]


def read(text: str) -> ParsedQuestion:
    reading = ParsedQuestion(text)
    read_years(reading, TODAY)
    return reading


def limits(text: str) -> Interval:
    years = read(text).constraints
    return years.year_from, years.year_to


def anywhere(wording: str) -> set[Interval]:
    """Read the wording behind the subject, before it, and in the middle of a question."""
    return {
        limits(f"solar cells {wording}"),
        limits(f"{wording}: solar cells"),
        limits(f"What is known, {wording}, about solar cells?"),
    }


@pytest.mark.parametrize(
    "wording",
    [
        "before 2000", "published before 2000", "before the year 2000", "prior to 2000",
        "earlier than 2000", "older than 2000", "previous to 2000", "pre-2000", "until 1999",
        "up to 1999", "through 1999", "till 1999", "no later than 1999", "not later than 1999",
        "not after 1999", "up until 1999", "by the end of 1999", "1999 or earlier",
        "1999 and older", "before January 2000", "< 2000", "<= 1999",
        "until the nineties", "before the 2000s",
    ],
)  # fmt: skip
def test_wordings_of_a_last_year_exclude_or_include_it_as_they_say(wording):
    assert anywhere(wording) == {(None, 1999)}


@pytest.mark.parametrize(
    "wording",
    [
        "since 2015", "published since 2015", "since the year 2015", "from 2015 on",
        "from 2015 onwards", "2015 onward", "starting in 2015", "as of 2015", "from 2015",
        "no earlier than 2015", "not before 2015", "after 2014", "later than 2014",
        "newer than 2014", "more recent than 2014", "post-2014", "> 2014", ">= 2015",
        "2015 or later", "2015 and newer", "2015 to present", "2015-present", "since May 2015",
        "since '15",

    ],
)  # fmt: skip
def test_wordings_of_a_first_year_exclude_or_include_it_as_they_say(wording):
    assert anywhere(wording) == {(2015, None)}


@pytest.mark.parametrize(
    "wording",
    [
        "between 2010 and 2015", "published between 2010 and 2015", "between 2010 to 2015",
        "from 2010 to 2015", "from 2010 until 2015", "from 2010 through 2015", "2010-2015",
        "2010–2015", "2010 to 2015", "in 2010-15", "since 2010 and before 2016",
        "after 2009 and until 2015", "from the year 2010 to the year 2015",

        "in 2010 or 2015", "in 2010 and 2015",
    ],
)  # fmt: skip
def test_wordings_of_a_range_include_both_years(wording):
    assert anywhere(wording) == {(2010, 2015)}


@pytest.mark.parametrize(
    ("wording", "years"),
    [
        ("in the 1990s", (1990, 1999)),
        ("in the 1990's", (1990, 1999)),
        ("in the 90s", (1990, 1999)),
        ("in the '90s", (1990, 1999)),
        ("in the nineties", (1990, 1999)),
        ("from the nineties", (1990, 1999)),
        ("during the 1980s", (1980, 1989)),
        ("in the early 2000s", (2000, 2004)),
        ("in the mid-1990s", (1993, 1996)),
        ("in the late seventies", (1975, 1979)),
        ("since the 1990s", (1990, None)),
        ("since the late 1990s", (1995, None)),
        ("after the 1990s", (2000, None)),
        ("before the nineties", (None, 1989)),
        ("until the early 2000s", (None, 2004)),
        ("between the 1980s and the 1990s", (1980, 1999)),
        ("during the 1980s and 1990s", (1980, 1999)),
    ],
)
def test_decades_are_limits(wording, years):
    assert anywhere(wording) == {years}


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("solar cells in the last five years", (2021, None)),
        ("solar cells over the past 3 years", (2023, None)),
        ("solar cells in the previous ten years", (2016, None)),
        ("solar cells from the last couple of years", (2024, None)),
        ("solar cells in the last decade", (2016, None)),
        ("solar cells in the past two decades", (2006, None)),
        ("solar cells last year", (2025, None)),
        ("this year", (2026, 2026)),
        ("dogs since last year", (2025, None)),
        ("dogs since this year", (2026, None)),
        ("dogs until last year", (None, 2025)),
        ("dogs before last year", (None, 2024)),
        ("dogs since the last five years", (2021, None)),
        ("dogs before the last five years", (None, None)),
        ("not a day earlier than January 2022", (2022, None)),
        ("PY<1995", (None, 1994)),
        ("year of publication 2023", (2023, 2023)),
        ("of the past eighteen months", (2025, None)),
        ("printed in the noughties", (2000, 2009)),
        ("published in the first half of the 1990s", (1990, 1994)),
        ("in 2021", (2021, 2021)),
        ("during 2021", (2021, 2021)),
        ("2021 papers on dogs", (2021, 2021)),
        ("papers from 2021 on dogs", (2021, 2021)),
        ("published in 2021", (2021, 2021)),
        ("2010-2012", (2010, 2012)),
        ("2012-2010", (2010, 2012)),
        ("dogs in the last 18 months", (2025, None)),
        ("dogs, not older than 5 years", (2021, None)),
        ("dogs 2016 onwards", (2016, None)),
        ("dogs >2019", (2020, None)),
        ("dogs 2010–19", (2010, 2019)),
        ("dogs between '96 and '04", (1996, 2004)),
        ("dogs 1990s", (1990, 1999)),
        ("dogs, publications from the 1970s", (1970, 1979)),
        ("research of the 80s and 90s", (1980, 1999)),
        ("dogs late nineties to early 2000s", (1995, 2004)),
        ("Hunde von 2018 bis 2023", (2018, 2023)),
        # years that are not wanted are turned round
        ("obesity, excluding studies from before 2005", (2005, None)),
        ("obesity, excluding papers published since 2005", (None, 2004)),
        ("obesity, not after 2005", (None, 2005)),
        ("obesity, no papers before 2005", (2005, None)),
        ("obesity, nothing after 2005", (None, 2005)),
        ("obesity, not in 2005", (None, None)),
        ("obesity, no reviews since 2005", (None, None)),
        # a reversed range is put in order
        ("solar cells between 2019 and 2015", (2015, 2019)),
    ],
)
def test_years_are_limits(text, years):
    assert limits(text) == years


@pytest.mark.parametrize(
    "text",
    [
        "climate projections for 2050", "energy in 2050", "Windows 2000", "the top 2000 genes",
        "a survey in 2000 patients", "up to 2000 m above the sea", "after 2000 cycles",
        "the election of 2016", "the outbreak in 2014", "banks since the 2008 financial crisis",
        "banks in the 2008 crisis", "recent work on dogs", "model 1999", "ISO 2015 standards",
        "women's work between 1890 and 1914", "dogs",
        "household debt after the 2008 financial crisis", "Agenda 2030 targets",
        "outcomes in the last year before death",
        "music of the 1960s", "census data from 1990 to 2010", "post-2015 development agenda",
        "dogs, preferably since 2010", "dogs, papers published around 1975",
    ],
)  # fmt: skip
def test_other_numbers_stay_in_the_text(text):
    assert (*limits(text), read(text).question) == (None, None, text)


def test_a_period_long_ago_is_a_subject_unless_papers_are_of_it():
    assert limits("women's work between 1890 and 1914") == (None, None)
    assert limits("women's work, published between 1890 and 1914") == (1890, 1914)
    assert limits("papers before 1930 on work") == (None, 1929)


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("solar cells after 2020 and before 2010", "'after 2020', 'before 2010'"),
        ("solar cells before 2000 or after 2015", "'before 2000', 'after 2015'"),
        ("solar cells before the year 2000 or after 2015", "'before the year 2000', 'after 2015'"),
        ("solar cells in 1998 or after 2015", "'in 1998', 'after 2015'"),
        ("solar cells pre-2000 or post-2015", "'pre-2000', 'post-2015'"),
        ("solar cells since 2015 or before 2020", "'since 2015', 'before 2020'"),
        ("solar cells, nothing before 2000 or after 2015", "'nothing before 2000', 'after 2015'"),
    ],
)
def test_years_that_are_no_one_span_limit_nothing_and_say_so(text, spans):
    years = read(text)
    assert limits(text) == (None, None)
    assert spans in years.notes[0]
    assert without_cuts(years.question) == "solar cells"


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("published before 2000 on acid rain", "\ue000 on acid rain"),
        ("acid rain since last year", "acid rain \ue000"),
        ("acid rain since the last five years", "acid rain \ue000"),
    ],
)
def test_nothing_but_the_limit_is_cut(text, rest):
    assert read(text).question.split() == rest.split()


@given(st.integers(1960, 2025), st.integers(1960, 2025))
def test_what_is_read_is_never_an_empty_interval(one, other):
    first, last = limits(f"dogs after {one} and before {other}")
    assert first is None or last is None or first <= last
    if one + 1 <= other - 1:
        assert (first, last) == (one + 1, other - 1)
