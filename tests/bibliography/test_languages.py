"""Languages, whatever they are called."""

import pytest

from paper_search.bibliography.languages import language_code, language_name, library_code


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ("en", "en"),
        ("eng", "en"),
        ("English", "en"),
        ("en-US", "en"),
        ("pt_BR", "pt"),
        ("ger", "de"),
        ("deu", "de"),
        ("français", "fr"),
        ("xx", None),
        ("und", None),
        ("", None),
        (None, None),
    ],
)
def test_a_language_is_known_by(given, code):
    assert language_code(given) == code


def test_a_language_has_a_code_of_libraries_and_an_english_name():
    assert (library_code("de"), library_code("fr"), library_code("en")) == ("ger", "fre", "eng")
    assert library_code("tlh") is None
    assert (language_name("zh"), language_name("dut")) == ("chinese", "dutch")
