import pytest

from paper_search.models import Author, RawPaper
from paper_search.skills.deduplication.profiles import (
    address_key,
    profile,
    venue_similarity,
    venue_words,
)
from paper_search.skills.deduplication.text import is_first_shared, people, shared


def names(*texts: str) -> list[Author]:
    return [Author(name=text) for text in texts]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["Smith, John", "Jones, Mary"], ["J. Smith", "M. Jones"]),
        (["Smith J, Jones M"], ["John Smith", "Mary Jones"]),
        (["Adeli K.Lewis G. F."], ["Lewis, G.F.", "Adeli, Khosrow"]),
        (["Gödel, Kurt"], ["Kurt GODEL"]),
        (["Müller, K"], ["Mueller K"]),
        (["T. Imielinski"], ["T. Imielin- ski"]),
        (["王伟"], ["王伟"]),
        (["C C"], ["C C"]),
    ],
)
def test_the_same_people_are_found_however_they_are_written(one, other):
    first, second = people(names(*one)), people(names(*other))
    assert shared(first, second) >= 0.8
    assert is_first_shared(first, second) or len(first.names) > 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["Smith, J"], ["Jones, J"]),
        (["C C"], ["D D"]),
        (["Li Wei"], ["Xu Fang"]),
        (["Wu, J"], ["Wulff, J"]),
    ],
)
def test_strangers_share_nothing(one, other):
    assert shared(people(names(*one)), people(names(*other))) < 0.3


def test_five_thousand_authors_are_told_by_their_beginning():
    crowd = people(names(*(f"Author{number} Name{number}" for number in range(5_000))))
    assert 0 < len(crowd.names) <= 120


@pytest.mark.parametrize(
    ("one", "other", "is_alike"),
    [
        ("Nat Rev Nephrol", "Nature Reviews. Nephrology", True),
        ("J. Am. Chem. Soc.", "Journal of the American Chemical Society", True),
        ("PNAS", "Proceedings of the National Academy of Sciences", False),
        ("VLDB", "Very Large Data Bases", True),
        ("Diabetes", "Diabetologia", False),
        ("Nature", "Cell", False),
        ("Pediatric Nephrology.Conference: 44th Meeting Dubrovnik", "Pediatr Nephrol", True),
    ],
)
def test_venues_are_compared_across_abbreviations(one, other, is_alike):
    likeness = venue_similarity(venue_words(one.lower()), venue_words(other.lower()))
    assert (likeness >= 0.75) is is_alike


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        ("221-8", ("221", "228")),
        ("pp. 322-331.", ("322", "331")),
        ("01-Oct", ("1", "10")),
        ("S12--S14", ("s12", "s14")),
        ("e1004", ("e1004", "e1004")),
        ("0042", ("42", "42")),
        ("n/a", ("", "")),
        (None, ("", "")),
    ],
)
def test_pages_are_read_as_they_are_written(pages, expected):
    record = profile(RawPaper(title="T", source="s", pages=pages))
    assert (record.first_page, record.last_page) == expected


@pytest.mark.parametrize(
    ("volume", "issue", "expected"),
    [
        ("volume 5,", "3", ("5", "3")),
        ("53 (Suppl 1)", "Suppl. 1", ("53", "s1")),
        ("53", "S02", ("53", "s2")),
        ("1)", None, ("", "")),
        ("114", "1112", ("114", "")),
        (None, "Spring", ("", "")),
    ],
)
def test_volume_and_issue_are_read_or_left_out(volume, issue, expected):
    record = profile(RawPaper(title="T", source="s", volume=volume, issue=issue))
    assert (record.volume, record.issue) == expected


def test_notes_of_databases_are_no_part_of_a_title():
    noted = "Gain of function.[Erratum appears in Proc Natl Acad Sci. 2007 Jun 19;104(25):10749]"
    titles = [noted, "[Gain of function]", "RETRACTED: Gain of function", "1993. Gain of function"]
    assert {profile(RawPaper(title=title, source="s")).key for title in titles} == {
        "gainoffunction"
    }


def test_a_file_names_a_work_and_neither_a_landing_page_nor_a_blank_number_does():
    record = RawPaper(title="T", source="s", url="https://a.org/x", raw_data={"result_id": ""})
    assert profile(record).ids == ()
    record = record.model_copy(update={"full_text_url": "https://a.org/y.pdf"})
    assert profile(record).ids == (("url", "a.org/y.pdf"),)


def test_a_year_that_cannot_be_is_missing():
    assert profile(RawPaper(title="T", source="s", year=20190)).year is None


@pytest.mark.parametrize("address", [None, "", "https://a.org", "http://[broken", "   "])
def test_an_address_that_names_no_page_is_no_key(address):
    assert address_key(address) is None
