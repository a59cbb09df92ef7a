"""Which quantities of a sentence the text of a source bears."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from paper_search.report.claims.bearing import Bearing, bearing
from paper_search.report.claims.numbers import quantities


def borne(own: str, source: str) -> list[Bearing]:
    """Return how a source bears each quantity that a sentence may not have of itself."""
    return [bearing(one, own, [source]) for one in quantities(own) if not one.is_open]


@pytest.mark.parametrize(
    ("own", "source"),
    [
        ("50 µg", "50 ug"),
        ("50 micrograms", "50 mcg"),
        ("0.05 mg", "50 μg"),
        ("1 kg", "1,000 g"),
        ("12 months", "a year"),
        ("one year", "12 months"),
        ("half an hour", "30 min"),
        ("1½ hours", "an hour and a half"),
        ("a decade, or 10 years", "ten years"),
        ("in the 1990s", "in 1994"),
        ("from 1990-95", "1990 to 1995"),
        ("nearly two thirds", "64%"),
        ("a third", "33.1 per cent"),
        ("87%", "a share of 0.87"),
        ("0.87", "87%"),
        ("one in four", "25%"),
        ("more than half", "61%"),
        ("fewer than 100 people", "93 people"),
        ("about 40%", "41%"),
        ("62%", "61.6%"),
        ("37 thousand", "37,250 people"),
        ("37 250 people", "37,250 people"),
        ("$13 billion", "13 billion dollars"),
        ("80 cents", "$0.80"),
        ("98.6 °F", "37 °C"),
        ("18 to 65 years", "aged 18 to 65"),
        ("25, 50 and 100 mg", "25 mg, 50 mg, 100 mg"),
        ("p < 0.05", "p = 0.003"),
        ("p = .06", "P value of 0.06"),
        ("p > 0.05", "p = 0.08"),
        ("sixty-one percent", "61 %"),
        ("PM 2.5", "PM2.5"),
        ("half a million", "500,000"),
        ("1.1 million", "1.1 x 10^6"),
        ("12 million", "1.2 × 10⁷"),
        ("250 thousand", "2.5 x 10(5)"),
        ("0.003 units", "3 × 10⁻³"),
        ("8 h 12 min", "8.2 h"),
        ("90 minutes", "1 hour and 30 min"),
        ("at two weeks", "at 12 months and 2 weeks"),
        ("They paid 294,000.", "294,000 were paid"),
        ("45 to 70 years", "aged 45 to 70 living near airports"),
        ("three weeks", "21 d"),
        ("1%", "one in a hundred"),
        ("1.1B masks", "1.1 billion masks"),
        ("4.1 × 10^-47", "4.1e-47 cm2"),
        ("12.4 percentage points", "12.4 points"),
        ("10.2 points", "10.2 v. 6.5 points"),
        ("one in a hundred", "1%"),
        ("4.1 points", "a score of 4.1"),
        ("OR 0.91, 95% CI 0.68 to 1.22", "odds ratio 0.91; 95% CI 0.68 to 1.22"),
    ],
)
def test_a_quantity_is_stated_in_another_form(own, source):
    assert set(borne(own, source)) == {"stated"}


@pytest.mark.parametrize(
    ("own", "source"),
    [
        ("a difference of 23 points", "64% and 41%"),
        ("it doubled", "from 32% to 61%"),
        ("three times as large", "from 10 to 30 mg"),
        ("39%", "61% did"),
        ("934 pupils", "1,246 pupils, of whom 312 did"),
        ("three years", "between 2015 and 2018"),
        ("25%", "312 of 1,246 pupils"),
        ("about 650 people", "12.6% of 5,144 people"),
        ("it fell by half", "from 40 to 20 mm"),
        ("294,000 dollars", "15 rooms, $19,600 each"),
        ("some US$3,700", "$24,500, of which 15% was paid"),
        ("$180 a year", "$15 a month"),
        ("2,300 mutations each", "414,000 mutations of 179 proteins"),
        ("2.4 times as much", "78% and 91% were left"),
        ("1.4 hours", "IQR 7.5-8.9"),
        ("47,040 USD a year", "56 USD per km2 for 840 km2"),
        ("half the time", "twice as fast"),
        ("four euros a month", "74 euros for 18 months"),
        ("3.7 points", "10.2 v. 6.5 points"),
        ("a gain of 14 points", "0.12 and 0.26"),
        ("a gain of 14 percentage points", "0.12 and 0.26"),
        ("1.3 mm over the whole time", "0.042 mm a year for 32 years"),
    ],
)
def test_a_quantity_follows_from_two_others(own, source):
    assert borne(own, source) == ["derived"]


def test_a_share_of_each_year_makes_ten_of_it_in_a_decade():
    assert borne("15% in a decade", "1.5% a year") == ["derived"]


@pytest.mark.parametrize(
    ("own", "source"),
    [
        ("50 mg", "50 µg"),
        ("12 months", "12 weeks"),
        ("24 days", "24 hours"),
        ("61 mg", "61 trials"),
        ("71%", "61%"),
        ("6.1%", "61%"),
        ("three quarters", "61%"),
        ("more than 70%", "61%"),
        ("fewer than 90 people", "93 people"),
        ("13 million dollars", "13 billion dollars"),
        ("p < 0.05", "p = 0.06"),
        ("p < 0.06", "p = 0.06"),
        ("p > 0.05", "p < 0.01"),
        ("p = 0.01", "1%, p < 0.01"),
        ("tripled", "from 32% to 61%"),
        ("in 1980", "in 1990"),
        ("in the 1980s", "in 1990"),
        ("98.6 °F", "30 °C"),
        ("30,000 pupils", "4,839 pairs at $6.20"),
        ("76%", "32% and 11%"),
        ("1,150 Ah/g", "1,150 mAh/g"),
        ("55 MeV", "55 GeV"),
        ("up to 30%", "12%"),
        ("in 1985", "nine studies from 1994"),
        ("600 mg", "25 mg at 2 weeks and 24 weeks"),
    ],
)
def test_a_quantity_is_not_there(own, source):
    assert "absent" in borne(own, source)


@pytest.mark.parametrize(
    "own",
    ["two of the sources", "COVID-19", "a year", "95% CI", "the 5% level", "12 per 1,000", "1st"],
)
def test_a_small_count_and_a_part_of_a_name_need_no_source(own):
    assert borne(own, "nothing") == []


@pytest.mark.parametrize(
    "own", ["a day and a half", "the third study", "half-life", "double-blind"]
)
def test_some_words_are_no_quantity(own):
    assert borne(own, "nothing") == []


FACTORS = {"ng": 1e-9, "µg": 1e-6, "mg": 1e-3, "g": 1.0, "kg": 1e3}


@examples(60)
@given(st.integers(1, 9999), st.sampled_from(sorted(FACTORS)), st.sampled_from(sorted(FACTORS)))
def test_a_weight_is_the_same_in_every_unit_and_another_tenfold(value, one, other):
    converted = value * FACTORS[one] / FACTORS[other]
    assert borne(f"{value} {one}", f"{converted:.12f} {other}") == ["stated"]
    assert borne(f"{value} {one}", f"{10 * converted:.12f} {other}") == ["absent"]


@examples(100)
@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_can_be_read(own, source):
    borne(own, source)


@examples(60)
@given(st.lists(st.integers(13, 10**6), min_size=1, max_size=5))
def test_what_a_source_says_it_bears(values):
    text = ", then ".join(f"{value:,} mice" for value in values)
    assert set(borne(text, text)) == {"stated"}
