"""Authors keep the name that their source gave, through every format."""

import tempfile
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from paper_search.bibliography.names import (
    PersonName,
    author_named,
    author_of,
    name_text,
    parts_of,
)
from paper_search.exports.bibtex import export_bibtex
from paper_search.exports.json_formats import export_csl_json, export_json
from paper_search.exports.ris import export_ris
from paper_search.library.importers import Imported, parse_file
from paper_search.models import Author, Paper, RawPaper
from paper_search.testing.exporters import collection_of

FAMILIES = (
    "Ma", "Mamaḍ", "MAMAḌ", "Mamad\u0323", "White", "Bertness", "Li", "Xu", "Ng", "O'Neil", "Øst",
    "Ben Hassen", "García Márquez", "Ramón y Cajal", "Sánchez-Monedero", "Al-Khalili", "Doe",
    "Md", "Jr", "Sr", "de la Cruz", "van der Berg", "von Neumann", "Le", "Di Marco", "El Ghaoui",
    "Abu Bakr", "St. John", "McDonald", "dos Santos", "王", "김", "Кожевников", "Nguyễn", "Ünal",
)  # fmt: skip
GIVEN = (
    "MD", "M. D.", "MA", "M.A.", "JR", "J. R.", "IV", "II", "III", "SR", "BSc", "J", "J.-P.",
    "Jun", "Md", "Ana María", "Yu-Hsuan", "伟", "철수", "Андрей", "Thị Minh", "PhD", "Mary Jo",
)  # fmt: skip
ORGANISATIONS = (
    "World Health Organization", "ATLAS Collaboration", "RECOVERY", "The Lancet", "et al.",
    "Research and Development Group", "Barnes and Noble", "Médecins Sans Frontières", "3M Company",
    "Smith J, et al.", "王伟", "Department of Energy, Office of Science",
)  # fmt: skip

persons = st.builds(
    lambda family, given, suffix: author_of(family=family, given=given, suffix=suffix),
    st.sampled_from(FAMILIES),
    st.sampled_from(GIVEN),
    st.sampled_from(["", "", "", "Jr.", "III"]),
)
organisations = st.sampled_from(ORGANISATIONS).map(lambda name: author_of(literal=name))


def paper(*authors: Author) -> Paper:
    return Paper(id="p", title="On names", source="test", authors=list(authors))


def read(text: str, suffix: str) -> RawPaper:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"papers{suffix}"
        path.write_text(text, "utf-8", newline="")
        (entry,) = parse_file(path)
    assert isinstance(entry, Imported), entry
    return entry.record


def whole(author: Author) -> tuple[str, str, str, bool]:
    parts = parts_of(author)
    return parts.full_family, parts.given, parts.suffix, parts.is_literal


@pytest.mark.parametrize("export", [export_ris, export_bibtex, export_csl_json, export_json])
@given(authors=st.lists(persons | organisations, min_size=1, max_size=4))
@examples(120)
def test_names_come_back_from_a_file_as_they_went_into_it(export, authors):
    suffix = {export_ris: ".ris", export_bibtex: ".bib"}.get(export, ".json")

    record = read(export(collection_of(paper(*authors))), suffix)

    assert [_nfc(whole(author)) for author in record.authors] == [
        _nfc(whole(author)) for author in authors
    ]


def _nfc(parts: tuple[str, str, str, bool]) -> tuple[str, ...]:
    return tuple(unicodedata.normalize("NFC", str(part)) for part in parts)


@pytest.mark.parametrize(
    ("name", "family", "given_name", "suffix"),
    [
        ("Ma, Jun", "Ma", "Jun", ""),
        ("Ma J", "Ma", "J", ""),
        ("Bertness, MD", "Bertness", "MD", ""),
        ("Bertness MD", "Bertness", "MD", ""),
        ("White, JR", "White", "JR", ""),
        ("White JR", "White", "JR", ""),
        ("White JA JR", "White", "JA", "JR"),
        ("JOHN WHITE JR", "WHITE", "JOHN", "JR"),
        ("JOHN WHITE, JR", "WHITE", "JOHN", "JR"),
        ("Petrov, IV", "Petrov", "IV", ""),
        ("John Smith, III", "Smith", "John", "III"),
        ("García Márquez, JR", "García Márquez", "JR", ""),
        ("García Márquez JR", "García Márquez", "JR", ""),
        ("Ben Hassen, MD", "Ben Hassen", "MD", ""),
        ("Anis Ben Hassen", "Ben Hassen", "Anis", ""),
        ("van der Berg, MD", "van der Berg", "MD", ""),
        ("de la Cruz MA", "de la Cruz", "MA", ""),
        ("Islam, Md", "Islam", "Md", ""),
        ("Jane Doe, MD", "Doe", "Jane", ""),
        ("Jane Doe, PhD", "Doe", "Jane", ""),
        ("Jane Doe, MA, PhD", "Doe", "Jane", ""),
        ("García López, MA", "García López", "MA", ""),
        ("King, Jr., MD", "King", "MD", "Jr."),
        ("Doe, Jane, MD", "Doe", "Jane", ""),
        ("Smith, MD, PhD", "Smith", "MD", ""),
        ("King, Martin Luther Jr", "King", "Martin Luther", "Jr"),
        ("Doe, John III", "Doe", "John", "III"),
        ("Doe 3rd, John", "Doe", "John", "3rd"),
        ("King, Jr.", "King", "", "Jr."),
        ("Doe, III, John", "Doe", "John", "III"),
        ("Mamaḍ", "Mamaḍ", "", ""),
    ],
)
def test_a_family_name_or_initials_are_never_taken_for_a_degree_or_a_suffix(
    name, family, given_name, suffix
):
    assert whole(author_named(name)) == (family, given_name, suffix, False)


@given(persons | organisations)
@examples(150)
def test_a_written_name_is_read_as_the_same_parts(author):
    assert whole(author_named(name_text(author), is_inverted=True)) == whole(author)


def test_a_name_that_says_its_parts_is_written_as_it_is_and_one_name_is_a_family_name():
    for author in (Author(name="Jane Doe"), author_named("Doe, Jane")):
        assert name_text(author) == author.name
    assert author_of(given="Plato") == Author(name="Plato", family="Plato")
    assert author_of() is None


def test_an_author_saved_before_there_were_parts_is_read_and_saved_as_it_was():
    saved = '{"name":"Ma, Jun","author_id":null}'
    author = Author.model_validate_json(saved)
    assert author.model_dump_json() == saved
    assert parts_of(author) == PersonName("Ma", "Jun")


@pytest.mark.parametrize(
    ("field", "names"),
    [
        ("{Barnes and Noble} and Doe, Jane", ["Barnes and Noble", "Doe, Jane"]),
        ("{{World Health Organization}}", ["World Health Organization"]),
        ("{Doe, Jane and Roe, Max}", ["Doe, Jane", "Roe, Max"]),
        (r"{\'E}lie Cartan and others", ["Élie Cartan"]),
    ],
)
def test_braces_of_a_bibtex_file_keep_a_name_whole(field, names):
    record = read(f"@article{{a, title={{A}}, author={{{field}}}}}", ".bib")
    assert [author.name for author in record.authors] == names
