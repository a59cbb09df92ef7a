"""Two records, field by field: which level each field of a pair is on."""

from typing import Any

import pytest

from paper_search.models import Author, RawPaper
from paper_search.skills.deduplication.comparison import Comparison, compare
from paper_search.skills.deduplication.profiles import profile

TITLE = "Shade trees lower the temperature of city streets"
ABSTRACT = (
    "Sensors measured air temperature beneath planted canopies during summer afternoons; "
    "shaded pavements stayed cooler, whereas exposed asphalt warmed considerably."
)


def record(**fields: Any) -> RawPaper:
    names = fields.pop("authors", [])
    given: dict[str, Any] = {"id": "p", "title": TITLE, "source": "s", **fields}
    return RawPaper(**given, authors=[Author(name=name) for name in names])


def levels(one: dict[str, Any], other: dict[str, Any]) -> Comparison:
    """Compare two records, in both orders."""
    first, second = profile(record(**one)), profile(record(**other))
    found = compare(first, second)
    assert compare(second, first) == found
    return found


FULL: dict[str, Any] = {
    "authors": ["Smith, John", "Jones, Mary"], "year": 2020, "venue": "Journal of Shade",
    "volume": "3", "issue": "2", "pages": "10-19", "doi": "10.1000/shade", "pmid": "123456",
    "abstract": ABSTRACT,
}  # fmt: skip


SAID = (
    *("numerals", "role", "first_author", "year", "venue", "volume", "issue", "pages", "doi"),
    *("ids", "abstract"),
)
LIKENESSES = ("title_similarity", "author_overlap", "abstract_overlap")
ONE_TITLE = {"title": "identical", "difference": "none", "title_length": "middle"}


def test_a_record_agrees_with_itself_wherever_it_says_something():
    assert levels(FULL, FULL)._asdict() == {
        **dict.fromkeys(SAID, "same"), **dict.fromkeys(LIKENESSES, 1.0), **ONE_TITLE,
        "authors": "all", "kind": "journal", "place": "same page",
    }  # fmt: skip


def test_what_is_not_said_is_missing():
    assert levels({}, {})._asdict() == {
        **dict.fromkeys(SAID, "missing"), **dict.fromkeys(LIKENESSES, -1.0), **ONE_TITLE,
        "numerals": "same", "role": "same", "kind": "unknown", "place": "unknown",
        **dict.fromkeys(["authors", "year", "venue"], "both missing"), "title_similarity": 1.0,
    }  # fmt: skip


@pytest.mark.parametrize(
    "field", ["authors", "year", "venue", "volume", "issue", "pages", "doi", "abstract"]
)
def test_what_only_one_record_says_is_missing(field):
    found = levels({field: FULL[field]}, {})
    assert (getattr(found, field), found.title) == ("missing", "identical")


@pytest.mark.parametrize(
    ("title", "level"),
    [
        (TITLE.upper(), "identical"),
        ("Shade trees lower the temperature of city street", "near"),
        ("Shade trees lower temperature of city streets", "near"),
        ("S h a d e trees lower the temperature of our city streets", "near"),
        ("Shade trees lower temperature of cities' streets", "close"),
        ("Shade trees raise the temperature of our streets", "similar"),
        ("Shade and the temperature of city dwellers", "weak"),
        ("On the grammar of Old Norse", "different"),
        ("", "missing"),
    ],
)
def test_how_alike_titles_are(title, level):
    found = levels({}, {"title": title})
    assert found.title == level
    assert (found.title_similarity == 1.0) == (level == "identical")
    assert (found.title_similarity == -1.0) == (level == "missing")
    assert (found.difference == "none") == (level in {"identical", "missing"})


@pytest.mark.parametrize(
    ("letters", "level"),
    [(51, "long"), (50, "middle"), (26, "middle"), (25, "short"), (15, "short"), (14, "tiny")],
)
def test_how_long_titles_are(letters, level):
    title = "ab " + "c" * (letters - 2)
    assert levels({"title": title}, {"title": title}).title_length == level


def test_a_title_cut_short_is_as_long_as_the_whole_until_it_is_tiny():
    words = ["Shade", "trees", *(["lower"] * 10)]
    cut = [{"title": " ".join(words[:number])} for number in range(2, len(words))]
    found = [levels({"title": " ".join(words)}, item).title_length for item in cut]
    assert found == ["tiny", *["long"] * 9]


def test_a_title_that_many_works_have_is_generic_but_on_one_page():
    editorial = {"title": "Editorial"}
    assert levels(editorial, editorial).title_length == "generic"
    assert levels(editorial, {"title": "Editorial board"}).title_length == "generic"
    there = {**editorial, "venue": "Heart", "volume": "3", "issue": "1", "pages": "10-12"}
    assert levels(there, there).title_length == "word"
    for missing in ("venue", "issue"):
        known = {**there, missing: None}
        assert levels(there, known).title_length == "generic"


def test_a_report_of_every_year_is_generic_in_two_years_but_on_one_page():
    report = {"title": "Progress in the shading of streets"}
    assert levels({**report, "year": 2014}, {**report, "year": 2015}).title_length == "generic"
    assert levels({**report, "year": 2014}, {**report, "year": 2014}).title_length == "middle"
    assert levels({**report, "year": 2014}, report).title_length == "middle"
    there = {**report, "volume": "3", "pages": "10-12"}
    assert levels({**there, "year": 2014}, {**there, "year": 2015}).title_length == "middle"


def test_a_title_that_recurs_in_the_batch_is_generic():
    one, other = profile(record()), profile(record(title=f"{TITLE} again"))
    assert compare(one, other).title_length == "middle"
    for recurring in (one.key, other.key):
        assert compare(one, other, [recurring]).title_length == "generic"
        assert compare(other, one, [recurring]).title_length == "generic"
    assert compare(one, other, ["another"]).title_length == "middle"


NAMES = ["Adler, Ann", "Baker, Ben", "Clark, Cleo", "Dodge, Dana", "Evans, Enid"]


@pytest.mark.parametrize(
    ("one", "other", "level", "overlap"),
    [
        (["Smith"], ["Smith"], "one name", 1.0),
        (["Smith"], ["Smith", "Jones"], "one name", 1.0),
        (["Smith", "Jones"], ["Smith", "Jones", "Adler"], "two names", 1.0),
        (NAMES, NAMES, "all", 1.0),
        (NAMES, [*NAMES[:3], "Xu, Yun", "Quill, Otto"], "most", 0.6),
        (NAMES, [NAMES[0], NAMES[1], "Xu, Yun", "Quill, Otto", "Voss, Kim"], "some", 0.4),
        (NAMES, [NAMES[0], "Xu, Yun", "Quill, Otto", "Voss, Kim", "Fitz, Hugo"], "few", 0.2),
        (NAMES, ["Xu, Yun", "Quill, Otto"], "none", 0.0),
    ],
)
def test_how_many_authors_are_shared(one, other, level, overlap):
    found = levels({"authors": one}, {"authors": other})
    assert (found.authors, round(found.author_overlap, 2)) == (level, overlap)


BY_ONE_FIELD: dict[tuple[str, str], list[tuple[Any, Any, str]]] = {
    ("title_length", "title"): [
        ("Photosynthesis", "Photosynthesis", "word"),
        ("Photosynthesis", "Photosynthesis in leaves", "word"),
    ],
    ("numerals", "title"): [
        ("Cooling, part 1", "Cooling, part 1", "same"),
        ("Cooling, part 1", "Cooling, part 2", "different"),
        ("Cooling, part 1", "Cooling", "one"),
        ("Cooling in 1993", "Cooling", "same"),
        ("Cooling of 12 and 15 cities", "Cooling of 15 and 12 big cities", "same"),
        ("Cooling, part A", "Cooling, part B", "different"),
        ("Vitamin B in children", "Vitamin K in children", "different"),
        ("Vitamin B in children", "Vitamins in children", "same"),
        ("Cooling I: the streets", "Cooling III: a survey of roofs", "different"),
        ("Cooling I: the streets", "Cooling of roofs", "same"),
        ("Cooling, second edition", "Cooling, third edition", "different"),
        ("Cooling, second edition", "Cooling, 2nd edition", "same"),
        ("Cooling in the second summer", "Cooling", "same"),
    ],
    ("role", "title"): [
        (f"Reply to: {TITLE}", TITLE, "different"),
        (f"Reply to: {TITLE}", f"Reply to {TITLE}", "same"),
        (f"Reply to: a response to {TITLE}", f"A response to {TITLE}", "different"),
        (f"Rationale and design of {TITLE}", f"{TITLE}: study protocol", "same"),
        (TITLE, f"{TITLE} today", "same"),
    ],
    ("first_author", "authors"): [(NAMES, NAMES[::-1], "different"), (NAMES, NAMES[:1], "same")],
    ("venue", "venue"): [
        ("Journal of Shade", "Journal of Shade", "same"),
        ("Journal of Shade", "J. Shade", "same"),
        ("Journal of Shade", "Acta Botanica", "different"),
    ],
    ("kind", "venue"): [
        ("Journal of Shade", "Journal of Shade", "journal"),
        ("Journal of Shade", "Proceedings of the Conference", "conference-journal"),
        ("Journal of Shade", None, "unknown"),
    ],
    ("volume", "volume"): [("3", "03", "same"), ("3", "4", "different")],
    ("issue", "issue"): [("3", "03", "same"), ("3", "4", "different")],
    ("pages", "pages"): [
        ("10-19", "10-19", "same"),
        ("10-19", "10-9", "same"),
        ("10-19", "10-21", "first"),
        ("10", "10", "first"),
        ("e10", "10-19", "first"),
        ("10-19", "11-19", "last"),
        ("19", "11-19", "different"),
        ("10-19", "30-39", "different"),
        ("10", "30", "different"),
    ],
    ("doi", "doi"): [
        ("10.1000/shade", "https://doi.org/10.1000/SHADE", "same"),
        ("10.1000/shade", "10.1000/other", "different"),
        ("10.1000/shade", "10.2000/shade", "elsewhere"),
    ],
}


@pytest.mark.parametrize(
    ("level_of", "field", "one", "other", "level"),
    [(*fields, *row) for fields, rows in BY_ONE_FIELD.items() for row in rows],
)
def test_on_which_level_two_records_are_by_one_field(level_of, field, one, other, level):
    assert getattr(levels({field: one}, {field: other}), level_of) == level


@pytest.mark.parametrize(
    ("apart", "level", "in_one_volume"),
    [
        (0, "same", "same"),
        (1, "next", "off in one volume"),
        (2, "near", "off in one volume"),
        (3, "near", "off in one volume"),
        (4, "near", "off in one volume"),
        (5, "far", "off in one volume"),
    ],
)
def test_how_far_years_are_apart(apart, level, in_one_volume):
    one, other = {"year": 2020}, {"year": 2020 + apart}
    assert levels(one, other).year == level
    volume = {"venue": "Journal of Shade", "volume": "3"}
    assert levels({**one, **volume}, {**other, **volume}).year == in_one_volume
    assert levels({**one, "volume": "3"}, {**other, "volume": "3"}).year == level
    venue = {"venue": "Journal of Shade"}
    assert levels({**one, **venue}, {**other, **venue}).year == level


HERE = {"venue": "Journal of Shade", "volume": "3", "issue": "2", "pages": "10-19"}


@pytest.mark.parametrize(
    ("one", "changes", "place"),
    [
        (HERE, {}, "same page"),
        (HERE, {"pages": "10"}, "same page"),
        (HERE, {"pages": "10", "issue": "1"}, "unknown"),
        (HERE, {"pages": "10", "venue": "Acta Botanica"}, "unknown"),
        (HERE, {"issue": "1", "venue": "Acta Botanica"}, "same page"),
        (HERE, {"pages": "11-19"}, "unknown"),
        (HERE, {"volume": "4"}, "unknown"),
        (HERE, {"pages": "30-39"}, "other page"),
        (HERE, {"pages": "30-39", "volume": "4"}, "other volume"),
        (HERE, {"pages": "30-39", "volume": None}, "other volume"),
        (HERE, {"pages": None}, "same issue"),
        (HERE, {"pages": None, "issue": "1"}, "other issue"),
        (HERE, {"pages": None, "issue": None}, "same volume"),
        (HERE, {"pages": None, "volume": "4"}, "unknown"),
        (HERE, {"pages": None, "venue": "Acta Botanica"}, "unknown"),
    ],
)
def test_where_in_a_journal_two_records_stand(one, changes, place):
    assert levels(one, {**one, **changes}).place == place


@pytest.mark.parametrize(
    ("one", "other", "level"),
    [
        ({"pmid": "123456"}, {"pmid": "123456"}, "same"),
        ({"pmid": "123456"}, {"pmid": "654321"}, "other pmid"),
        ({"pmcid": "PMC123456"}, {"pmcid": "PMC654321"}, "different"),
        ({"pmid": "123456"}, {"s2_id": "abc"}, "missing"),
        ({"pmid": "123456", "s2_id": "abc"}, {"pmid": "654321", "s2_id": "abc"}, "same"),
        ({"arxiv_id": "2101.00001"}, {"doi": "10.48550/arXiv.2101.00001"}, "same"),
        ({"arxiv_id": "2101.00001"}, {"arxiv_id": "2101.00002"}, "missing"),
        ({"url": "https://x.org/a.pdf"}, {"url": "http://www.x.org/a.pdf/"}, "same"),
        ({"full_text_url": "https://x.org/a"}, {"full_text_url": "http://x.org/a/"}, "same"),
        ({"url": "https://x.org/a"}, {"url": "https://x.org/a"}, "missing"),
        ({"url": "https://x.org/a"}, {"url": "https://x.org/b"}, "missing"),
    ],
)
def test_identifiers_agree_contradict_or_say_nothing(one, other, level):
    assert levels(one, other).ids == level


WORDS = [f"word{number}" for number in range(25)]


@pytest.mark.parametrize(
    ("shared", "level"),
    [
        (24, "same"),
        (23, "same"),
        (22, "near"),
        (18, "near"),
        (17, "similar"),
        (13, "similar"),
        (12, "related"),
        (10, "related"),
        (9, "different"),
        (0, "different"),
    ],
)
def test_how_many_words_of_abstracts_are_shared(shared, level):
    other = [*WORDS[:shared], *(f"else{number}" for number in range(25 - shared))]
    found = levels({"abstract": " ".join(WORDS)}, {"abstract": "The " + " ".join(other)})
    assert (found.abstract, found.abstract_overlap) == (level, shared / 25)


def test_an_abstract_of_which_another_is_the_beginning_is_the_same():
    longer = ABSTRACT + " " + " ".join(WORDS * 5)
    assert levels({"abstract": ABSTRACT}, {"abstract": longer}).abstract == "same"
    assert levels({"abstract": longer + " one"}, {"abstract": longer + " two"}).abstract == "same"


@pytest.mark.parametrize(("letters", "level"), [(39, "missing"), (40, "missing"), (120, "same")])
def test_an_abstract_too_short_says_nothing(letters, level):
    short = {"abstract": "x" * letters}
    assert levels(short, short).abstract == level


def test_abstracts_of_too_few_words_say_nothing_unless_they_contradict():
    nine = " ".join(f"longishword{letter}" for letter in "abcdefghi")
    ten = f"{nine} longishwordj"
    assert levels({"abstract": nine}, {"abstract": f"z{nine}"}).abstract == "missing"
    assert levels({"abstract": ten}, {"abstract": f"z{ten}"}).abstract == "near"
    other = " ".join(f"longishterm{letter}" for letter in "abcdefghi")
    assert levels({"abstract": nine}, {"abstract": other}).abstract == "different"
    five = nine.split()[:5]
    for shared, level in ((2, "missing"), (1, "different")):
        alike = " ".join([*five[:shared], *other.split()[shared:5]])
        assert levels({"abstract": " ".join(five)}, {"abstract": alike}).abstract == level


@pytest.mark.parametrize(
    ("own", "level", "renamed"), [(60, "similar", "similar"), (20, "near", "similar")]
)
def test_the_whole_of_two_abstracts_counts_and_each_third_under_other_titles(own, level, renamed):
    start = " ".join(f"longishword{number}" for number in range(60))
    ends = [" ".join(f"{letter}longword{number}" for number in range(own)) for letter in "ab"]
    one, other = ({"abstract": f"{start} {end}"} for end in ends)
    assert levels(one, other).abstract == level
    assert levels(one, {**other, **RENAMED}).abstract == renamed


RENAMED = {"title": "What canopies do for pavements"}


def renamed_level(one: list[str], other: list[str]) -> str:
    """Return the level of two abstracts, by their words, under other titles."""
    there = {"abstract": " ".join(other), **RENAMED}
    return levels({"abstract": " ".join(one)}, there).abstract


LONGER = [f"longword{number:03}" for number in range(60)]
ELSE = [f"elseword{number:03}" for number in range(60)]


@pytest.mark.parametrize(("apart", "level"), [(10, "near"), (11, "similar")])
def test_under_other_titles_half_of_each_third_of_an_abstract_is_enough(apart, level):
    assert renamed_level(LONGER, LONGER[:-apart] + ELSE[:apart]) == level
    assert renamed_level(LONGER, ELSE[:apart] + LONGER[apart:]) == level


@pytest.mark.parametrize(("apart", "level"), [(4, "near"), (5, "similar")])
def test_under_other_titles_abstracts_alike_by_less_than_four_fifths_are_two(apart, level):
    other = list(LONGER)
    for third in (0, 20, 40):
        other[third : third + apart] = ELSE[third : third + apart]
    assert renamed_level(LONGER, other) == level


def test_under_other_titles_words_agree_only_in_their_order():
    assert renamed_level(LONGER, LONGER[::-1]) == "similar"
    fours = [LONGER[place : place + 4] for place in range(0, 60, 4)]
    assert renamed_level(LONGER, [word for four in fours[::-1] for word in four]) == "same"


def test_under_other_titles_a_text_that_is_cut_is_the_whole_one():
    assert renamed_level(LONGER[:40], LONGER) == "identical"
    assert renamed_level([*LONGER[:40], "long"], LONGER) == "identical"
    assert renamed_level([*LONGER[:40], *ELSE[:2]], LONGER) == "similar"


FIFTEEN = " ".join(f"longishword{letter}" for letter in "abcdefghijklmno")


@pytest.mark.parametrize(("words", "level"), [(FIFTEEN, "same"), (FIFTEEN[:-13], "similar")])
def test_under_other_titles_only_a_long_abstract_is_one_text(words, level):
    one, other = {"abstract": f"The {words}"}, {"abstract": words}
    assert levels(one, {**other, **RENAMED}).abstract == level
    assert levels(one, other).abstract == "same"


@pytest.mark.parametrize(
    ("title", "level"),
    [
        ("Shade trees lower the humidity of city streets", "similar"),
        ("Shade trees lower the comfort of city streets", "same"),
    ],
)
def test_abstracts_that_differ_as_their_titles_do_are_at_most_similar(title, level):
    text = " ".join(f"longishword{number}" for number in range(30))
    one = {"abstract": f"{text} temperature " + "x " * 7}
    other = {"abstract": f"{text} humidity " + "x " * 7, "title": title}
    assert levels(one, other).abstract == level
