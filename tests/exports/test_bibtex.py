"""BibTeX, re-read by two independent parsers."""

import re

import bibtexparser
import pytest
from bibtexparser.middlewares import LatexDecodingMiddleware
from hypothesis import given
from hypothesis import strategies as st
from pybtex.database import BibliographyData, parse_string
from tests.examples import examples

from paper_search.exports.bibtex import export_biblatex, export_bibtex
from paper_search.exports.text import citation_keys, single_line
from paper_search.models import Author, Paper, PaperTag
from paper_search.testing.exporters import collection_of

ANY_TEXT = st.text(max_size=40) | st.text(alphabet='{}\\"@%,=#\n aA', max_size=25)


def paper(title: str = "Deep learning", **fields: object) -> Paper:
    authors = [Author(name=str(name)) for name in fields.pop("authors", [])]  # type: ignore[attr-defined]  # a list, by the callers
    return Paper.model_validate(
        {"id": "p", "title": title, "source": "test", **fields, "authors": authors}
    )


def pybtex_of(text: str) -> BibliographyData:
    return parse_string(text, "bibtex")


def field(text: str, name: str) -> str:
    (entry,) = bibtexparser.parse_string(text).entries
    return str(entry[name])


def count_in_both(text: str) -> int:
    library = bibtexparser.parse_string(text)
    assert library.failed_blocks == []
    assert {type(block).__name__ for block in library.blocks} <= {"Entry"}
    assert len(library.entries) == len(pybtex_of(text).entries)
    return len(library.entries)


@given(ANY_TEXT, ANY_TEXT, ANY_TEXT, ANY_TEXT)
@examples(150)
def test_any_text_gives_one_entry_with_all_its_authors(title, author, venue, doi):
    """SEC-10"""
    given_paper = paper(title, authors=[author, "Doe, Jane"], venue=venue, doi=doi, year=2020)

    text = export_bibtex(collection_of(given_paper, given_paper))

    assert count_in_both(text) == 2
    for entry in pybtex_of(text).entries.values():
        persons = [str(person) for person in entry.persons["author"]]
        assert persons[-1] == "Doe, Jane"
        assert len(persons) == 2 or not single_line(author).strip("{} ")
        assert entry.fields["year"] == "2020"


@given(st.text(alphabet="ab {}\\&%$#_~<>|=é", min_size=1, max_size=20))
@examples(100)
def test_a_reader_that_decodes_tex_gets_the_title_back(words):
    text = export_bibtex(collection_of(paper(f"x{words}x")))

    library = bibtexparser.parse_string(text, append_middleware=[LatexDecodingMiddleware()])

    assert library.entries[0]["title"] == " ".join(f"x{words}x".split())


def test_a_plain_paper_reads_as_one_would_write_it():
    text = export_bibtex(
        collection_of(
            paper(
                authors=["John A. Smith", "van der Berg, Jan", "World Health Organization"],
                year=2021,
                venue="Nature",
                volume="5",
                issue="2",
                pages="12–34",
                doi="10.1000/a_b%c",
                url="https://example.org/a_b?c=%20&d#e",
                abstract="We do.",
                publisher="Ours & Theirs",
                language="en",
                tags=[PaperTag.REVIEW],
                keywords=["R&D", "graphs"],
                is_retracted=True,
            )
        )
    )
    assert text == (
        "@article{smith_2021_deep,\n"
        "  title = {Deep learning},\n"
        "  author = {Smith, John A. and van der Berg, Jan and {World Health Organization}},\n"
        "  journal = {Nature},\n"
        "  year = {2021},\n"
        "  volume = {5},\n"
        "  number = {2},\n"
        "  pages = {12--34},\n"
        "  publisher = {Ours \\& Theirs},\n"
        "  language = {en},\n"
        "  keywords = {review, retracted, R\\&D, graphs},\n"
        "  abstract = {We do.},\n"
        "  doi = {10.1000/a_b%c},\n"
        "  url = {https://example.org/a_b?c=%20&d#e}\n"
        "}\n"
    )


def test_an_absent_field_leaves_no_trace():
    assert export_bibtex(collection_of()) == ""
    assert export_bibtex(collection_of(paper())) == (
        "@misc{anon_nd_deep,\n  title = {Deep learning}\n}\n"
    )


ARTICLES = ("article-journal", "journal-article", "no such kind", None)


@pytest.mark.parametrize(
    ("kind", "entry", "fields"),
    [
        *((kind, "article", {"journal": "V", "publisher": "P"}) for kind in ARTICLES),
        ("paper-conference", "inproceedings", {"booktitle": "V", "publisher": "P"}),
        ("chapter", "incollection", {"booktitle": "V", "publisher": "P"}),
        ("book", "book", {"series": "V", "publisher": "P"}),
        ("thesis", "phdthesis", {"howpublished": "V", "school": "P"}),
        ("report", "techreport", {"howpublished": "V", "institution": "P"}),
        *(
            (kind, "misc", {"howpublished": "V", "publisher": "P", "type": kind})
            for kind in ("preprint", "dataset")
        ),
        ("patent", "article", {"journal": "V", "publisher": "P", "type": "patent"}),
        # without a publisher, what an entry type demands is filled by the venue
        ("thesis", "phdthesis", {"school": "V"}),
        ("report", "techreport", {"institution": "V"}),
        ("book", "book", {"series": "V"}),
    ],
)
def test_the_entry_type_follows_the_publication_type_which_is_named_if_it_says_less(
    kind, entry, fields
):
    by = "P" if "P" in fields.values() else None
    text = export_bibtex(collection_of(paper(publication_type=kind, venue="V", publisher=by)))
    (found,) = bibtexparser.parse_string(text).entries
    assert found.entry_type == entry
    assert {member.key: member.value for member in found.fields if member.key != "title"} == fields


@pytest.mark.parametrize("venue", [None, "arXiv", "arXiv preprint arXiv:2101.00001"])
def test_a_preprint_is_misc_with_its_eprint(venue):
    text = export_bibtex(collection_of(paper(arxiv_id="2101.00001", venue=venue)))
    assert text.startswith("@misc{")
    assert (field(text, "eprint"), field(text, "archiveprefix")) == ("2101.00001", "arXiv")


@pytest.mark.parametrize(
    "name", ["Smith and Jones", "others", "And, Jane", "et al.", "a} and {b", "x, y, z, w"]
)
def test_a_name_that_bibtex_would_split_stays_one_author(name):
    text = export_bibtex(collection_of(paper(authors=[name, "Jane Doe"])))
    persons = next(iter(pybtex_of(text).entries.values())).persons
    assert [str(person) for person in persons["author"]][1:] == ["Doe, Jane"]


def test_names_reach_bibtex_in_their_parts():
    names = ["Jan van der Berg", "Martin Luther King Jr.", "Smith JA", "王伟", "山田 太郎"]
    entries = pybtex_of(export_bibtex(collection_of(paper(authors=names)))).entries
    persons = next(iter(entries.values())).persons["author"]
    assert persons[0].prelast_names == ["van", "der"]
    assert persons[0].last_names == ["Berg"]
    assert persons[1].lineage_names == ["Jr."]
    assert (persons[2].last_names, persons[2].first_names) == (["Smith"], ["JA"])
    assert persons[3].last_names == ["{王伟}"]
    assert (persons[4].last_names, persons[4].first_names) == (["山田"], ["太郎"])


@pytest.mark.parametrize(
    ("author", "written"),
    [
        (Author(name="García Márquez, Gabriel"), "García Márquez, Gabriel"),
        (Author(name="Ben Hassen", family="Ben Hassen"), "{Ben Hassen}"),
        (Author(name="van Ben Hassen", family="Ben Hassen", particle="van"), "van Ben Hassen"),
        (Author(name="Hassen", family="Hassen"), "Hassen"),
    ],
)
def test_a_family_name_of_two_words_is_in_braces_where_it_stands_alone(author, written):
    text = export_bibtex(collection_of(paper().model_copy(update={"authors": [author]})))
    assert f"  author = {{{written}}}\n" in text


def test_braces_in_identifiers_are_percent_encoded_and_only_the_web_has_addresses():
    assert "url" not in export_bibtex(collection_of(paper(url="javascript:alert(1)")))
    text = export_bibtex(collection_of(paper(doi="10.1/a}b", url="https://example.org/{x}")))
    assert field(text, "doi") == "10.1/a%7Db"
    assert field(text, "url") == "https://example.org/%7Bx%7D"


def test_a_thousand_equal_keys_are_all_different():
    assert len(set(citation_keys([paper("Deep_a"), paper("Deep"), paper("Deep")]))) == 3
    keys = citation_keys([paper()] * 1_000)
    assert len(set(keys)) == 1_000
    assert keys[26:28] == ["anon_nd_deep_z", "anon_nd_deep_aa"]


@pytest.mark.parametrize(
    ("name", "title", "key"),
    [
        ("Ørsted, Hans", "Über Größe", "orsted_2020_uber"),
        ("王伟", "图 网络", "wangwei_2020_tu"),
        ("Jan van der Berg", "Self-attention is", "berg_2020_selfattention"),
        ("", "«...» — Why?", "anon_2020_why"),
        ("O'Neil, J.", "!!!", "oneil_2020_item"),
        ("Smith\n}@x{", "a}b", "x_2020_ab"),
    ],
)
def test_keys_are_romanised(name, title, key):
    """SEC-10"""
    assert citation_keys([paper(title, authors=[name], year=2020)]) == [key]


@given(st.lists(st.tuples(ANY_TEXT, ANY_TEXT, st.none() | st.integers()), max_size=8))
@examples(100)
def test_keys_are_plain_and_all_different(records):
    """SEC-10"""
    papers = [paper(title, authors=[name], year=year) for title, name, year in records]
    keys = citation_keys(papers)
    assert len(keys) == len(set(keys)) == len(papers)
    assert all(re.fullmatch(r"[a-z0-9]+_[a-z0-9]+_[a-z0-9]+(_[a-z]+)?", key) for key in keys)


def test_every_field_of_a_paper_has_its_name_in_bibtex():
    given = paper(
        publication_type="book",
        authors=["Martin Luther King Jr.", "others", "And, Jane", ""],
        year=1,
        venue="Series",
        isbn="978-3-16-148410-0",
        issn="1234-5679",
        pmid="123456",
        pmcid="PMC1234567",
        arxiv_id="2101.00001",
        note="Read",
        pages="7",
    )
    assert export_bibtex(collection_of(given)) == (
        "@book{king_1_deep,\n"
        "  title = {Deep learning},\n"
        "  author = {King, Jr., Martin Luther and {others} and {And, Jane}},\n"
        "  series = {Series},\n"
        "  year = {1},\n"
        "  pages = {7},\n"
        "  annote = {Read},\n"
        "  isbn = {978-3-16-148410-0},\n"
        "  issn = {1234-5679},\n"
        "  eprint = {2101.00001},\n"
        "  archiveprefix = {arXiv},\n"
        "  pmid = {123456},\n"
        "  pmcid = {PMC1234567}\n"
        "}\n"
    )


def test_biblatex_has_entry_types_and_names_of_fields_of_its_own():
    both = {"authors": ["Ann Lee"], "year": 2020, "venue": "V", "pmid": "123456", "note": "Read"}
    text = export_biblatex(
        collection_of(
            paper("One", **both, arxiv_id="2101.00001"),
            paper("Two", **both, publication_type="thesis"),
            paper("Three", publication_type="dataset"),
        )
    )
    assert text == (
        "@article{lee_2020_one,\n"
        "  title = {One},\n"
        "  author = {Lee, Ann},\n"
        "  journaltitle = {V},\n"
        "  date = {2020},\n"
        "  annotation = {Read},\n"
        "  eprint = {2101.00001},\n"
        "  eprinttype = {arXiv},\n"
        "  pmid = {123456}\n"
        "}\n\n"
        "@thesis{lee_2020_two,\n"
        "  title = {Two},\n"
        "  author = {Lee, Ann},\n"
        "  date = {2020},\n"
        "  institution = {V},\n"
        "  annotation = {Read},\n"
        "  pmid = {123456},\n"
        "  eprint = {123456},\n"
        "  eprinttype = {pubmed}\n"
        "}\n\n"
        "@dataset{anon_nd_three,\n  title = {Three},\n  type = {dataset}\n}\n"
    )


@pytest.mark.parametrize(
    ("title", "written"),
    [
        ("{a} b", r"\{a\} b"),
        ("{a{b}}", r"\{a\{b\}\}"),
        ("}a{", r"{\ensuremath{\rbrace}}a{\ensuremath{\lbrace}}"),
        ("{a", r"{\ensuremath{\lbrace}}a"),
        ("a}", r"a{\ensuremath{\rbrace}}"),
        (
            "{a}}{",
            r"{\ensuremath{\lbrace}}a" + r"{\ensuremath{\rbrace}}" * 2 + r"{\ensuremath{\lbrace}}",
        ),
        (
            "\\ & % $ # _ ~ ^",
            r"{\textbackslash} \& \% \$ \# \_ {\textasciitilde} {\textasciicircum}",
        ),
    ],
)
def test_what_tex_reads_as_a_command_is_escaped(title, written):
    assert f"  title = {{{written}}}" in export_bibtex(collection_of(paper(title)))
