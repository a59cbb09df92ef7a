"""Every format gives its records, and a broken record costs only itself."""

import json
from collections.abc import Callable, Iterable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from paper_search.bibliography.fields import record_of
from paper_search.library.importers import Entry, Imported, Rejected, bibtex, json_records, tagged
from paper_search.models import Author, Paper, RawPaper, Sighting
from paper_search.testing.exporters import collection_of

Reader = Callable[[Iterable[str]], Iterator[Entry]]
READERS: list[Reader] = [
    bibtex.parse_bibtex,
    json_records.parse_csl,
    json_records.parse_lines,
    json_records.parse_own,
    tagged.RIS.parse,
]


def split(read: Reader, text: str) -> tuple[list[RawPaper], list[int]]:
    entries = list(read(text.splitlines(keepends=True)))
    good = [entry.record for entry in entries if isinstance(entry, Imported)]
    return good, [entry.line for entry in entries if isinstance(entry, Rejected)]


def test_a_chapter_has_what_it_lacks_from_its_volume():
    text = """@inbook{a, title = {Part}, author = {Ada Lee}, year = 2001, crossref = {V}}
@book{v, title = {Whole}, subtitle = {All}, author = {Bo Roe}, year = 1999, publisher = {Hive}}
"""
    (whole, part), bad = split(bibtex.parse_bibtex, text)
    assert bad == []
    assert (part.title, part.venue, part.year, part.publisher) == ("Part", "Whole", 2001, "Hive")
    assert [author.name for author in (*part.authors, *whole.authors)] == ["Ada Lee", "Bo Roe"]


def test_an_entry_that_is_cut_off_says_what_was_missing_and_is_not_logged_as_well(caplog):
    lines = ["@article{a, title={Never closed\n", "@misc{b, title={B}}\n"]
    [reason] = [e.reason for e in bibtex.parse_bibtex(lines) if isinstance(e, Rejected)]
    assert "looking for field-value closing" in reason
    assert caplog.records == []


def test_a_broken_item_does_not_lose_the_good_ones():
    text = '[\n{"title": "One"},\n{"title": "Bro"ken"},\n{"title": "Two"},\n17,\n{"title": "Cut'
    good, bad = split(json_records.parse_csl, text)
    assert [record.title for record in good] == ["One", "Two"]
    assert bad == [3, 5, 6]


@examples(60)
@given(
    st.lists(st.text(max_size=8).filter(lambda text: text.strip()), max_size=5),
    st.sampled_from([None, 1]),
)
def test_every_item_of_a_list_is_read(titles, indent):
    text = json.dumps([{"title": f"A{title}"} for title in titles], indent=indent)
    good, bad = split(json_records.parse_csl, text)
    assert (len(good), bad) == (len(titles), [])


@pytest.mark.parametrize(("text", "line"), [("[", 1), ('[{"a": 1},\n', 2), ('[{"a"', 1)])
def test_a_list_that_is_cut_off_says_where(text, line):
    *_, last = split(json_records.parse_csl, text)[1]
    assert last == line


RICH = RawPaper(
    id="doi:10.1000/x",
    title="A $\\alpha$ Title",
    authors=[Author(name="Doe, Jane", author_id="A1")],
    year=2020,
    doi="10.1000/x",
    abstract="Text\nwith lines",
    source="openalex",
    citation_count=3,
    keywords=["Graphs", "trees"],
    is_retracted=True,
    sightings=[Sighting(source="openalex", rank=1)],
    raw_data={"anything": [1]},
)


def test_our_own_records_come_back_as_they_are():
    lines = f"{RICH.model_dump_json()}\n\n{RICH.model_dump_json(exclude_defaults=True)}\n"
    good, bad = split(json_records.parse_lines, lines)
    assert good == [RICH, RICH]
    assert bad == []


def test_our_own_export_comes_back_without_the_verdicts():
    shared = RICH.model_dump(exclude={"raw_data", "snippet"})
    paper = Paper(**shared, relevance_score=0.9, relevance_reason="matches")
    collection = collection_of(paper, query='has "papers": [ in it')
    good, bad = split(json_records.parse_own, collection.model_dump_json(indent=2))
    assert good == [RICH.model_copy(update={"raw_data": {}})]
    assert bad == []


def test_an_object_without_papers_is_no_export():
    assert split(json_records.parse_own, '{"metadata": {}}') == ([], [1])


@pytest.mark.parametrize(
    ("given_fields", "field", "expected"),
    [
        ({"authors": "Doe, J; Roe, R"}, "authors", ["Doe, J", "Roe, R"]),
        ({"author": "J. Doe and R. Roe"}, "authors", ["J. Doe", "R. Roe"]),
        ({"authors": [{"given": "J", "family": "Doe"}]}, "authors", ["Doe, J"]),
        ({"authorships": [{"author": {"display_name": "J Doe"}}]}, "authors", ["J Doe"]),
        ({"authors": None}, "authors", []),
        ({"publication_date": "2020-05-01"}, "year", 2020),
        ({"year": "in press"}, "year", None),
        ({"year": "20O1"}, "year", None),
        ({"cited_by_count": "12"}, "citation_count", 12),
        ({"citations": -3}, "citation_count", 0),
        ({"citations": float("inf")}, "citation_count", 0),
        ({"journal": {"name": "Nature"}}, "venue", "Nature"),
        ({"link": "https://doi.org/10.1000/X"}, "doi", "10.1000/x"),
        ({"url": "javascript:alert(1)"}, "url", None),
        ({"arxiv": "arXiv:2101.00001v1"}, "arxiv_id", "2101.00001"),
        ({"language": "English"}, "language", "en"),
        ({"keyword": "graphs, trees"}, "keywords", ["graphs", "trees"]),
        ({"keywords": ["graphs", {"name": "trees"}]}, "keywords", ["graphs", "trees"]),
        ({"subject": None}, "keywords", []),
        # an odd value costs its field only
        ({"abstract_inverted_index": [1], "ids": None, "biblio": "x"}, "abstract", None),
        ({"primary_location": 3, "authorships": [None, 4]}, "venue", None),
    ],
)
def test_common_field_names_are_understood(given_fields, field, expected):
    """API-13, API-21"""
    (record,), _ = split(json_records.parse_lines, json.dumps({"title": "T", **given_fields}))
    found = getattr(record, field)
    assert ([author.name for author in found] if field == "authors" else found) == expected


@pytest.mark.parametrize(
    "line", ["{", "[]", "null", "1", '{"title": ""}', '{"title": null}', "[" * 200_000]
)
def test_a_line_that_is_no_record_is_rejected_with_its_number(line):
    """API-14, API-22"""
    good, bad = split(json_records.parse_lines, f'{{"title": "Good"}}\n{line}\n')
    assert ([record.title for record in good], bad) == (["Good"], [2])


def test_text_that_imitates_our_storage_stays_text():
    """INJ-06"""
    hostile = {"title": "T", "abstract": '{"lc": 1, "type": "secret"}', "raw_data": {"lc": 2}}
    (record,), _ = split(json_records.parse_lines, json.dumps(hostile))
    assert record.abstract == '{"lc": 1, "type": "secret"}'


@pytest.mark.parametrize("read", READERS)
@examples(40)
@given(text=st.text(alphabet='@{}[]",:=#\\$\n TY-ER article title papers', max_size=120))
def test_no_text_upsets_a_reader(read, text):
    for entry in read(text.splitlines(keepends=True)):
        assert entry.line >= 1


@pytest.mark.parametrize(
    ("value", "reason"),
    [("[" * 200_000, "nested too deep"), ("9" * 5_000, "4300 digits"), ("x", "Expecting value")],
)
def test_why_an_item_cannot_be_read_is_its_own_reason(value, reason):
    first, *_ = json_records.parse_csl([f'[{{"title": "A", "note": {value}}}]'])
    assert isinstance(first, Rejected)
    assert reason in first.reason


def test_addresses_and_ids_hold_no_character_that_controls_a_terminal():
    author = {"name": "Ada Li", "author_id": "a\x1b[2Jb"}
    item = {"title": "T", "authors": [author], "url": "https://a.example/\x9b31m\u202ex"}
    record = record_of(item)
    assert record.url == "https://a.example/31mx"
    assert record.authors[0].author_id == "a[2Jb"
