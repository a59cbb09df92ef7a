import pytest

from paper_search.models import Author, RawPaper
from paper_search.skills.deduplication.profiles import (
    address_key,
    profile,
    venue_similarity,
    venue_words,
)
from paper_search.skills.deduplication.text import is_first_shared, people, share_of_names


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
    assert share_of_names(first, second) >= 0.8
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
    assert share_of_names(people(names(*one)), people(names(*other))) < 0.3


def test_five_thousand_authors_are_told_by_their_beginning():
    crowd = people(names(*(f"Author{number} Name{number}" for number in range(5_000))))
    assert 0 < len(crowd.names) <= 120


@pytest.mark.parametrize(
    ("one", "other", "is_alike"),
    [
        ("Nat Rev Nephrol", "Nature Reviews. Nephrology", True),
        ("J. Am. Chem. Soc.", "Journal of the American Chemical Society", True),
        ("PNAS", "Proceedings of the National Academy of Sciences", False),
        ("J Natl Cancer Inst", "Journal of the National Cancer Institute", True),
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
    ("fields", "expected"),
    [
        ({"pages": "221-8"}, {"first_page": "221", "last_page": "228"}),
        ({"pages": "pp. 322-331."}, {"first_page": "322", "last_page": "331"}),
        ({"pages": "01-Oct"}, {"first_page": "1", "last_page": "10"}),
        ({"pages": "S12--S14"}, {"first_page": "s12", "last_page": "s14"}),
        ({"pages": "e1004"}, {"first_page": "e1004", "last_page": "e1004"}),
        ({"pages": "0042"}, {"first_page": "42", "last_page": "42"}),
        *(({"pages": text}, {"first_page": "", "last_page": ""}) for text in ("n/a", None)),
        ({"volume": "volume 5,", "issue": "3"}, {"volume": "5", "issue": "3"}),
        ({"volume": "53 (Suppl 1)", "issue": "Suppl. 1"}, {"volume": "53", "issue": "s1"}),
        ({"volume": "53", "issue": "S02"}, {"volume": "53", "issue": "s2"}),
        ({"volume": "1)", "issue": None}, {"volume": "", "issue": ""}),
        ({"volume": "114", "issue": "1112"}, {"volume": "114", "issue": ""}),
        ({"volume": "Summer", "issue": "Spring"}, {"volume": "", "issue": ""}),
        ({"volume": "A12", "issue": None}, {"volume": "a12", "issue": ""}),
        ({"year": 20190}, {"year": None}),
        ({}, {"venue": (), "kind": "", "form": "", "abstract": "", "ids": ()}),
        ({"venue": "Journal of Ants"}, {"kind": "journal", "form": "paper"}),
        ({"venue": "Journal of Ant Technology"}, {"kind": "journal", "form": "paper"}),
        ({"venue": "Tech. Rep. 7"}, {"kind": "report", "form": ""}),
        ({"venue": "Proc. ANTS"}, {"kind": "conference", "form": "paper"}),
        (
            {"venue": "Proc. ANTS", "publication_type": "dataset"},
            {"kind": "conference", "form": "dataset"},
        ),
        ({"openalex_id": "https://openalex.org/W1/"}, {"ids": (("openalex_id", "w1"),)}),
        ({"s2_id": " aBc "}, {"ids": (("s2_id", "abc"),)}),
        ({"raw_data": {"result_id": "r"}}, {"ids": (("result_id", "s:r"),)}),
        ({"url": "https://a.org/Y.PDF?v=1"}, {"ids": (("url", "a.org/Y.PDF?v=1"),)}),
    ],
)
def test_fields_are_read_as_they_are_written_or_left_out(fields, expected):
    record = profile(RawPaper(title="T", source="s", **fields))
    assert {name: getattr(record, name) for name in expected} == expected


def test_notes_of_databases_are_no_part_of_a_title():
    noted = "Gain of function.[Erratum appears in Proc Natl Acad Sci. 2007 Jun 19;104(25):10749]"
    titles = [noted, "[Gain of function]", "RETRACTED: Gain of function", "1993. Gain of function"]
    titles += ["Gain of function [German]"]
    assert {profile(RawPaper(title=title, source="s")).key for title in titles} == {
        "gainoffunction"
    }
    corrected = RawPaper(title="Gain of function vol 3, p 17, 1993", source="s")
    assert profile(corrected).key == "gainoffunctioncorrection"


def test_a_file_names_a_work_and_neither_a_landing_page_nor_a_blank_number_does():
    record = RawPaper(title="T", source="s", url="https://a.org/x", raw_data={"result_id": ""})
    assert profile(record).ids == ()
    record = record.model_copy(update={"full_text_url": "https://a.org/y.pdf"})
    assert profile(record).ids == (("url", "a.org/y.pdf"),)


@pytest.mark.parametrize("address", [None, "", "https://a.org", "http://[broken", "   "])
def test_an_address_that_names_no_page_is_no_key(address):
    assert address_key(address) is None
