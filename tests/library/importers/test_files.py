"""Files are recognised by suffix or content, and unusable ones are named."""

import gzip
from contextlib import suppress
from pathlib import Path

import pytest

from paper_search.errors import InputError, PaperSearchError, UnknownNameError
from paper_search.library import Imported, Library, Rejected
from paper_search.library.importers import FORMATS, format_of, parse_file

DATA = Path(__file__).parents[3] / "../shared/data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data are not here")

BIBTEX = "% a comment\n@article{key,\n  title = {Title},\n}\n"
RIS = "TY  - JOUR\nTI  - Title\nER  - \n"
CSL = '[{"type": "article-journal", "title": "Title"}]'
LINES = '{"title": "Title"}\n{"title": "Other"}\n'
OWN = '{"metadata": {},\n "papers": [{"title": "Title"}]}'


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.bib", "anything", "bibtex"),
        ("a.RIS", "anything", "ris"),
        ("a.jsonl.gz", "anything", "json-lines"),
        ("a.txt", BIBTEX, "bibtex"),
        ("a.txt", f"\ufeff\n{RIS}", "ris"),
        ("a.json", CSL, "csl-json"),
        ("a.json", '{"type": "book",\n "title": "T"}', "csl-json"),
        ("a.json", LINES, "json-lines"),
        ("a.json", OWN, "json"),
        ("noname", OWN.replace("\n", ""), "json"),
    ],
)
def test_the_format_is_recognised(name, content, expected):
    assert format_of(Path(name), content) == expected


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (b" \n\t\n", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "binary"),
        (b"some notes", "format"),
        (b"\x1f\x8bnot really gzip", "cannot be read"),
        (gzip.compress(b"", mtime=0), "empty"),
    ],
)
def test_an_unusable_file_is_named_with_the_reason(tmp_path, content, message):
    file = tmp_path / "unnamed"
    file.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        list(parse_file(file))
    assert str(file) in str(caught.value)


def test_a_file_that_is_read_as_a_whole_has_an_end(tmp_path):
    file = tmp_path / "dump.json"
    file.write_bytes(b'[{"title": "One"}' + b" " * 70_000)
    with file.open("r+b") as open_file:
        open_file.truncate(500_000_001)
    with pytest.raises(InputError, match="has 500,000,001 bytes and is read as a whole"):
        parse_file(file)


def test_an_absent_file_and_a_directory_are_named(tmp_path):
    for path in (tmp_path / "absent.bib", tmp_path):
        with pytest.raises(InputError, match="cannot be read"):
            parse_file(path)


def test_an_unknown_format_names_the_known(tmp_path):
    file = tmp_path / "a.bib"
    file.write_text(BIBTEX)
    with pytest.raises(UnknownNameError, match="bibtex"):
        parse_file(file, format_name="word")


def test_every_format_has_a_reader():
    for name in FORMATS:
        with suppress(InputError):
            list(parse_file("x", format_name=name, data=b"x"))


def counted(pattern: str) -> tuple[int, int]:
    good = bad = 0
    for path in sorted(DATA.glob(pattern)):
        try:
            for entry in parse_file(path):
                good += isinstance(entry, Imported)
                bad += isinstance(entry, Rejected)
        except InputError:
            assert path.stat().st_size < 20_000, path
    return good, bad


@needs_data
def test_real_bibtex_files_are_read_to_the_last_entry():
    good, bad = counted("import_*/**/*.bib")
    assert good >= 1_418
    assert bad <= 22


@needs_data
def test_real_ris_files_are_read_to_the_last_reference():
    good, bad = counted("import_*/**/*.ris")
    assert good >= 1_360
    assert good + bad >= 1_440


@needs_data
def test_no_real_file_raises_anything_but_a_named_error(tmp_path):
    with Library.open(tmp_path) as library:
        for path in sorted(DATA.glob("import_*/**/*")):
            is_covered = path.suffix == ".bib" or not path.is_file()
            if not is_covered and path.stat().st_size < 700_000:
                # Whatever else is raised fails the test.
                with suppress(PaperSearchError):
                    library.import_file(path)
        assert len(library) > 200
        assert library.search("the", limit=1).total > 0
