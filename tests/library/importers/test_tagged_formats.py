"""Files of each format give their records, with all that they say."""

import gc
import io
import json
from pathlib import Path
from xml.etree.ElementTree import Element

import pytest

from paper_search.errors import InputError, UnknownFormatError
from paper_search.library.importers import Imported, Rejected, parse_file, xml_records
from paper_search.models import RawPaper

DATA = Path(__file__).parents[3] / "../shared/data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data are not here")

MEDLINE = """PMID- 123
TI  - A long title that
      goes on
FAU - Doe, Jane
AU  - Doe J
FAU - Roe, Max
AB  - First
      second.
JT  - Journal of X
DP  - 2015 Jul
LID - 10.1000/X [doi]
PMC - PMC7712345
PG  - 183-92
LA  - eng
PT  - Journal Article
MH  - Humans
MH  - Anxiety Disorders/psychology/*therapy
OT  - *exposure

PMID- 124
OWN - NLM

PMID- 125
TI  - Third
"""
WOS = """FN Clarivate
VR 1.0
PT J
AU Doe, J
   Roe, M
TI A title
   that goes on
SO JOURNAL
PY 2020
DE graph theory; trees
ID PLANT GROWTH
BP 1
EP 9
DI 10.1000/y
ER

PT J
PY 1999
ER
EF
"""
ENDNOTE = """%0 Journal Article
%A Doe, Jane
%A Roe, Max
%T Title
%J Journal
%D 2021
%X Abstract
   goes on
%K graphs
trees
%R 10.1000/z

%0 Book
%A Nobody
"""
XML = b"""<?xml version="1.0" encoding="UTF-8"?>
<xml><records>
<record><ref-type name="Conference Proceedings">47</ref-type>
<contributors><authors><author><style face="normal">Doe, Jane</style></author>
<author>Roe, Max</author></authors></contributors>
<titles><title><style>A </style><style face="italic">Title</style></title>
<secondary-title>Proc. X</secondary-title></titles>
<keywords><keyword><style>graphs</style></keyword><keyword>trees</keyword></keywords>
<dates><year>2019</year></dates><electronic-resource-num>10.1000/q</electronic-resource-num>
</record>
<record><titles/></record>
</records></xml>"""


REFWORKS = """RT Journal Article
SR Electronic
ID 1
A1 Ma,Jun
A1 White,JR
A1 World Health Organization
T1 A long title
that goes on
JF Journal of X
YR 2015
FD 2014 Dec
VO 5
IS 2
SP 12
OP 34
K1 graphs
K1 trees
AB First.
PB Ours
SN 1234-5679
DO 10.1000/X
DS PubMed
AN 123

RT Book, Section
T1 Second
YR n.d.
FD 2010/03/01

RT Web Page
A1 Doe,J
"""
PUBMED_XML = """<?xml version="1.0"?>
<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2025//EN"
 "https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">
<PubmedArticleSet>
<PubmedArticle><MedlineCitation><PMID>1</PMID><Article>
<Journal><Title>Journal of X</Title><JournalIssue><PubDate><Year>2015</Year></PubDate>
</JournalIssue></Journal><ArticleTitle>First</ArticleTitle>
<AuthorList><Author><LastName>Ma</LastName><ForeName>Jun</ForeName></Author></AuthorList>
</Article></MedlineCitation></PubmedArticle>
<PubmedArticle><MedlineCitation><PMID>2</PMID><Article/></MedlineCitation></PubmedArticle>
</PubmedArticleSet>
"""


BIBTEX = r"""@string{ml = "Machine Learning"}
@article{godel31,
  title = {{\"U}ber formal unentscheidbare {S\"atze}}, subtitle = {Teil I},
  author = {G{\"o}del, Kurt and {The Big Group} and others},
  journal = ml, year = 1931, volume = {38}, number = 1, pages = {173--198},
  doi = {https://doi.org/10.1007/BF01700692}, url = {https://example.org/a_b},
  eprint = {2101.00001v2}, archiveprefix = {arXiv}, langid = {ngerman},
  abstract = {50% of $\alpha$.}, isbn = {978-0-306-40615-7},
  keywords = {logic, {G\"odel} numbers},
}
"""
RIS_TEXT = (
    "TY  - CONF\r\nAU  - Doe, Jane\r\nAU  - Roe, R.\r\nTI  - A Title\r\n"
    "T2  - Proc. of X\r\nPY  - 2020/05/01\r\nDO  - 10.1000/X.\r\nSP  - 1\r\nEP  - 9\r\n"
    "KW  - graphs\r\nKW  - trees, plants\r\n"
    "AB  - First line\r\nsecond line\r\nLA  - English\r\nUR  - https://example.org\r\nER  -\r\n"
)
CSL = {
    "type": "article-journal", "title": "A <i>Title</i>", "DOI": "10.1000/X",
    "author": [
        {"family": "Berg", "given": "J.", "non-dropping-particle": "van der"},
        {"literal": "The Group"},
    ],
    "issued": {"date-parts": [[2019, 5]]}, "container-title": "Journal", "page": "1–9",
    "abstract": "<jats:p>Text</jats:p>", "PMID": "7", "URL": "https://example.org",
}  # fmt: skip
OPENALEX = {
    "id": "https://openalex.org/W123",
    "doi": "https://doi.org/10.1000/x",
    "title": "A title",
    "publication_year": 2020,
    "ids": {"openalex": "https://openalex.org/W123", "pmid": "https://pubmed.ncbi.nlm.nih.gov/5"},
    "authorships": [{"author": {"id": "https://openalex.org/A1", "display_name": "Jane Doe"}}],
    "primary_location": {"source": {"display_name": "Journal"}, "landing_page_url": None},
    "biblio": {"volume": "1", "issue": "2", "first_page": "3", "last_page": "4"},
    "abstract_inverted_index": {"one": [0, 2], "two": [1]},
    "open_access": {"oa_url": "https://example.org/a.pdf"},
    "cited_by_count": 7,
    "language": "en",
    "keywords": [{"id": "https://openalex.org/keywords/graph", "display_name": "Graph"}],
    "topics": [{"display_name": "Graph Theory", "field": {"display_name": "Mathematics"}}],
}
ARXIV = {
    "id": "0704.0001", "submitter": "X", "authors": "C. Bal\\'azs, E. L. Berger",
    "title": "Calculation of\n  diphoton production", "journal-ref": "Phys.Rev.D76:013009,2007",
    "doi": "10.1103/PhysRevD.76.013009", "categories": "hep-ph", "abstract": " A fully\ndone.",
    "versions": [{"version": "v1", "created": "Mon, 2 Apr 2007 19:18:42 GMT"}],
    "update_date": "2008-11-26",
    "authors_parsed": [["Balázs", "C.", ""], ["Berger", "E. L.", ""]],
}  # fmt: skip
SEMANTIC_SCHOLAR = {
    "paperId": "abc", "title": "T", "year": 2019, "venue": "", "journal": {"name": "J"},
    "externalIds": {"DOI": "10.1000/S", "ArXiv": "1901.00001"},
    "authors": [{"authorId": "1", "name": "Jane Doe"}],
    "openAccessPdf": {"url": "https://example.org/p.pdf"},
}  # fmt: skip


def good(entries: list[Imported | Rejected]) -> list[RawPaper]:
    return [entry.record for entry in entries if isinstance(entry, Imported)]


def bad(entries: list[Imported | Rejected]) -> list[int]:
    return [entry.line for entry in entries if isinstance(entry, Rejected)]


DOE, ROE = ("Doe", "Jane", None), ("Roe", "Max", None)


@pytest.mark.parametrize(
    ("name", "text", "fields", "rejected"),
    [
        ("a.nbib", MEDLINE, {
            "title": "A long title that goes on", "authors": [DOE, ROE], "pmid": "123",
            "pmcid": "PMC7712345", "doi": "10.1000/x", "venue": "Journal of X", "year": 2015,
            "pages": "183-92", "abstract": "First second.", "language": "en",
            "publication_type": "article-journal",
            "keywords": ["Humans", "Anxiety Disorders", "exposure"],
        }, [20]),
        ("a.ciw", WOS, {
            "title": "A title that goes on", "year": 2020, "pages": "1-9", "venue": "JOURNAL",
            "authors": [("Doe", "J", None), ("Roe", "M", None)], "doi": "10.1000/y",
            "keywords": ["graph theory", "trees", "PLANT GROWTH"],
        }, [17]),
        ("a.enw", ENDNOTE, {
            "title": "Title", "authors": [DOE, ROE], "venue": "Journal", "year": 2021,
            "abstract": "Abstract goes on", "doi": "10.1000/z", "keywords": ["graphs", "trees"],
        }, [13]),
        ("endnote.xml", XML.decode(), {
            "title": "A Title", "authors": [DOE, ROE], "venue": "Proc. X", "year": 2019,
            "doi": "10.1000/q", "publication_type": "paper-conference",
            "keywords": ["graphs", "trees"],
        }, [2]),
        ("refworks.txt", REFWORKS, {
            "title": "A long title that goes on", "year": 2015, "pages": "12-34",
            "authors": [("Ma", "Jun", None), ("White", "JR", None),
                        (None, None, "World Health Organization")],
            "doi": "10.1000/x", "pmid": "123", "issn": "1234-5679", "venue": "Journal of X",
            "keywords": ["graphs", "trees"], "publication_type": "article-journal",
        }, [30]),
        ("pubmed.xml", PUBMED_XML, {
            "title": "First", "year": 2015, "pmid": "1", "authors": [("Ma", "Jun", None)],
            "id": "", "source": "PubMed", "publication_type": "article-journal",
        }, [2]),
        ("a.bib", BIBTEX, {
            "title": "Über formal unentscheidbare Sätze: Teil I", "venue": "Machine Learning",
            "authors": [("Gödel", "Kurt", None), (None, None, "The Big Group")], "year": 1931,
            "volume": "38", "issue": "1", "pages": "173-198", "doi": "10.1007/bf01700692",
            "url": "https://example.org/a_b", "arxiv_id": "2101.00001", "language": "de",
            "abstract": "50% of α.", "isbn": "9780306406157",
            "publication_type": "article-journal", "keywords": ["logic", "Gödel numbers"],
            "bibtex": BIBTEX.partition("\n")[2].strip(),
        }, []),
        ("a.ris", RIS_TEXT, {
            "title": "A Title", "authors": [DOE, ("Roe", "R.", None)], "venue": "Proc. of X",
            "year": 2020, "doi": "10.1000/x", "pages": "1-9", "language": "en",
            "abstract": "First line second line", "keywords": ["graphs", "trees, plants"],
            "url": "https://example.org", "publication_type": "paper-conference",
        }, []),
        ("a.json", json.dumps([CSL], indent=1), {
            "title": "A Title", "doi": "10.1000/x", "year": 2019, "venue": "Journal",
            "authors": [("Berg", "J.", None), (None, None, "The Group")], "pages": "1-9",
            "abstract": "Text", "pmid": "7", "publication_type": "article-journal",
        }, []),
        ("one.json", '{"title": "One",\n "type": "book"}', {"title": "One", "authors": []}, []),
        ("openalex.jsonl", json.dumps(OPENALEX), {
            "title": "A title", "year": 2020, "doi": "10.1000/x", "abstract": "one two one",
            "venue": "Journal", "pages": "3-4", "openalex_id": "W123", "pmid": "5",
            "authors": [("Doe", "Jane", None)], "citation_count": 7,
            "full_text_url": "https://example.org/a.pdf", "keywords": ["Graph", "Graph Theory"],
        }, []),
        ("arxiv.jsonl", json.dumps(ARXIV), {
            "title": "Calculation of diphoton production", "abstract": "A fully done.",
            "authors": [("Balázs", "C.", None), ("Berger", "E. L.", None)], "year": 2007,
            "keywords": ["High Energy Physics - Phenomenology"], "arxiv_id": "0704.0001",
            "venue": "Phys.Rev.D76:013009,2007", "url": "https://arxiv.org/abs/0704.0001",
        }, []),
        ("semantic scholar.jsonl", json.dumps(SEMANTIC_SCHOLAR), {
            "s2_id": "abc", "doi": "10.1000/s", "arxiv_id": "1901.00001", "venue": "J",
            "authors": [("Doe", "Jane", None)], "full_text_url": "https://example.org/p.pdf",
        }, []),
    ],
)  # fmt: skip
def test_fields_of_formats_arrive_and_a_record_without_title_is_named(name, text, fields, rejected):
    entries = list(parse_file(name, data=text.encode()))
    record = good(entries)[0]
    people = [(author.family, author.given, author.literal) for author in record.authors]
    assert {field: getattr(record, field) for field in fields} | {"authors": people} == fields
    assert bad(entries) == rejected
    assert {e.reason for e in entries if isinstance(e, Rejected)} <= {"the title is missing"}


def test_broken_xml_keeps_what_came_before(tmp_path):
    file = tmp_path / "cut.xml"
    file.write_bytes(XML[: XML.index(b"<record><titles/>")])
    entries = parse_file(file)
    assert isinstance(next(entries), Imported)
    with pytest.raises(InputError, match="invalid after record 1"):
        next(entries)


def test_an_entity_bomb_is_refused(tmp_path):
    """SEC: XML from strangers expands nothing."""
    file = tmp_path / "bomb.xml"
    bomb = b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
    file.write_bytes(bomb + XML.split(b"\n", 1)[1].replace(b"Proc. X", b"&b;"))
    with pytest.raises(InputError, match="not safe"):
        list(parse_file(file))


@needs_data
@pytest.mark.parametrize(
    ("name", "records", "rejected"),
    [
        ("import_srdedupe/fixtures__real__mini_pubmed.nbib", 133, 0),
        ("import_srdedupe/fixtures__real__mini_wos.ciw", 5, 0),
        ("import_srdedupe/fixtures__real__mini_endnote.enw", 2, 0),
        ("import_srdedupe/fixtures__real__mini_scholar.enw", 1, 0),
        ("import_srdedupe/fixtures__synthetic__sample.txt", 2, 0),
        ("import_asysd/testthat__mendeley_export.xml.gz", 1_233, 0),
        ("import_asysd/testthat__zotero_export.xml.gz", 1_233, 0),
        ("import_asysd/testthat__zotero_export.csv.gz", 1_233, 0),
        ("import_asysd/testthat__test_export.txt", 3, 0),
        ("import_asreview/demo_data__embase.csv", 6, 0),
        ("import_asreview/demo_data__generic_semicolon.csv", 2, 0),
        ("import_asreview/demo_data__generic_tab.tsv", 2, 0),
        ("import_asreview/demo_data__missing_values.csv", 2, 2),
        ("import_asreview/demo_data__generic_labels_no_title.csv", 0, 1),
        ("import_asreview/demo_data__pubmed_endnote.txt", 6, 0),
        ("import_asreview/demo_data__web_of_science.txt", 10, 0),
        ("import_jabref/**/IsiImporterTestWOS.isi", 2, 0),
        ("import_jabref/**/IsiImporterTest2.isi", 3, 0),
        ("import_jabref/**/NbibImporterTest.nbib", 1, 0),
        ("import_jabref/**/refer.bibIX.ref", 4, 0),
        ("import_jabref/**/Endnote.entries.enw", 4, 9),
        ("import_jabref/**/EndnoteXmlImporterTestArticle2.xml", 2, 0),
        ("import_jabref/**/MedlinePlainImporterTestMultipleEntries.txt", 2, 5),
    ],
)
def test_real_files_give_as_many_records_as_they_hold(name, records, rejected):
    (path,) = DATA.glob(name)
    entries = list(parse_file(path))
    assert (len(good(entries)), len(bad(entries))) == (records, rejected)


def written(folder: Path, name: str, text: str) -> list[Imported | Rejected]:
    path = folder / name
    path.write_text(text, "utf-8")
    return list(parse_file(path))


def test_the_elements_of_records_that_were_read_are_given_up():
    record = b"<record><titles><title>A</title></titles></record>"
    file = io.BytesIO(b"<xml><records>" + record * 2_000 + b"</records></xml>")
    before = elements_held()
    for number, _ in enumerate(xml_records.parse_xml(file), start=1):
        if number % 500 == 0:
            assert elements_held() - before < 1_000


def elements_held() -> int:
    gc.collect()
    return sum(isinstance(item, Element) for item in gc.get_objects())


RIS, NBIB, TXT = (
    "TY  - CHAP\nTI  - A\n{}ER  - \n",
    "PMID- 1\nTI  - A\n{}\n",
    "RT Book, Section\nT1 A\n{}",
)
WOS_RECORD = "PT J\nTI A\n{}ER\n"


@pytest.mark.parametrize(
    ("record", "lines", "field", "value"),
    [
        # The year of a RIS file is that of publication, where it can be read.
        (RIS, "PY  - 2009\nY1  - 2010//\nDA  - 2011/03/01\n", "year", 2009),
        (RIS, "Y1  - 2009//\nDA  - 2010/03/01\n", "year", 2009),
        (RIS, "PY  - n.d.\nY1  - 2009//\n", "year", 2009),
        (RIS, "Y1  - //\nDA  - 2010/03/01\n", "year", 2010),
        (RIS, "DA  - 2010/03/01\nY2  - 2019/01/01\n", "year", 2010),
        (RIS, "Y2  - 2019/01/01\n", "year", None),
        (TXT, "YR n.d.\nFD 2010/03/01\n", "year", 2010),
        # A type in words counts where it is one.
        (RIS, "M3  - Thesis\n", "publication_type", "thesis"),
        (RIS, "M3  - Article\n", "publication_type", "chapter"),
        (RIS, "M3  - Review\n", "publication_type", "chapter"),
        (RIS, "M3  - Essay\n", "publication_type", "chapter"),
        (TXT, "", "publication_type", "chapter"),
        # The number of an article stands for pages.
        (NBIB, "PG  - 183-92\nLID - e025031\n", "pages", "183-92"),
        (NBIB, "LID - 10.1136/bmj [doi]\nLID - e025031\n", "pages", "e025031"),
        (NBIB, "LID - 559 [pii]\n", "pages", "559"),
        (NBIB, "LID - S0005-7894(19)30080-2 [pii]\n", "pages", None),
        (NBIB, "PT  - Retracted Publication\n", "is_retracted", True),
        (NBIB, "RIN - J X. 2021\n", "is_retracted", True),
        (NBIB, "PT  - Journal Article\n", "is_retracted", None),
        (NBIB, "PT  - Book Chapter\n", "publication_type", "chapter"),
        # Journals are named in full where they can be.
        (RIS, "JO  - J. X\nJF  - Journal of X\n", "venue", "Journal of X"),
        (RIS, "JO  - Journal of X\nT2  - Special issue\n", "venue", "Journal of X"),
        (RIS, "BT  - Handbook\n", "venue", "Handbook"),
        (RIS, "SP  - 1\nEP  - 9\nC7  - 105\n", "pages", "1-9"),
        (RIS, "C7  - 105\n", "pages", "105"),
        (RIS, "DP  - NLM\nAN  - 123\n", "pmid", "123"),
        (RIS, "LA  - English, French\n", "language", "en"),
        (TXT, "IS 02\nvo 58\nOP 300-310\n", "pages", "300-310"),
        (TXT, "IS 02\nvo 58\nOP 300-310\n", "issue", "02"),
        (TXT, "IS 02\nvo 58\nOP 300-310\n", "volume", "58"),
        (WOS_RECORD, "DT Article; Retracted Publication\n", "is_retracted", True),
        (WOS_RECORD, "DT Article\n", "is_retracted", None),
    ],
)
def test_a_field_is_read_from_the_tags_that_say_it(record, lines, field, value):
    (entry,) = parse_file("a", data=record.format(lines).encode())
    assert getattr(entry.record, field) == value


@pytest.mark.parametrize(
    ("record", "lines", "names"),
    [
        (NBIB, "FAU - Doe, Jane\nAU  - Doe J\nCN  - X Investigators\n", ["Doe", None]),
        (WOS_RECORD, "AU Doe, J\nCA X Investigators\n", ["Doe", None]),
        (RIS, "AU  - Doe, Jane\nAU  - and others\n", ["Doe"]),
    ],
)
def test_groups_are_authors_and_others_are_none(record, lines, names):
    (entry,) = parse_file("a", data=record.format(lines).encode())
    assert [author.family for author in entry.record.authors] == names
    assert [author.literal for author in entry.record.authors[1:]] == ["X Investigators"][
        : len(names) - 1
    ]


@pytest.mark.parametrize(
    ("lines", "field", "value"),
    [
        ("eprint={27474269}, eprinttype={pmid}", "pmid", "27474269"),
        ("keywords={coat b}, author_keywords={coat a}", "keywords", ["coat b", "coat a"]),
        ("howpublished={\\url{http://example.org/~x/a_b}}", "url", "http://example.org/~x/a_b"),
        ("howpublished={\\url{http://example.org/~x/a_b}}", "venue", None),
        ("school={FU Berlin}", "publisher", "FU Berlin"),
        ("institution={NASA}", "publisher", "NASA"),
        ("institution={NASA}, publisher={NTIS}", "publisher", "NTIS"),
        ("institution={NASA}, publisher={NTIS}", "venue", "NASA"),
        ("institution={NASA}, publisher={NTIS}, journal={J}", "venue", "J"),
        ("school={FU Berlin}, type={phdthesis}", "venue", None),
        ("howpublished={Web page}", "venue", "Web page"),
        ("articleno={62}, eissn={2076-2615}", "pages", "62"),
        ("Article-Number={612}, eissn={2076-2615}", "issn", "2076-2615"),
        ("abstract={A {\\textless}5 \\texttt{Cov} $n$ & b}", "abstract", "A <5 Cov n & b"),
    ],
)
def test_a_field_is_read_from_the_fields_of_bibtex_that_say_it(lines, field, value):
    (entry,) = parse_file("a.bib", data=f"@article{{a, title={{A}}, {lines}}}".encode())
    assert getattr(entry.record, field) == value


def test_a_file_of_note_express_is_refused_as_unknown():
    with pytest.raises(UnknownFormatError, match=r"the format of 'a\.net' is unknown"):
        parse_file("a.net", data=b"{Reference Type}: Journal Article\n{Title}: A\n")


def test_a_name_of_biblatex_in_parts_is_read():
    text = "@article{a, title={A}, author={family=Doe, given=Jane, prefix=van, useprefix=true}}"
    (entry,) = parse_file("a.bib", data=text.encode())
    assert str(entry.record.authors[0]) == "Jane van Doe"


def test_records_of_other_formats_in_a_file_are_told_and_small_tags_part_records(tmp_path):
    medline = "PMID- 4\nDP  - 2020 Jan\nTI  - Four\nLID - 10.1000/x [doi]\n\nPMID- 5\nTI  - Five\n"
    ris = "TY  - JOUR\nTI  - Six\nN1  - Also\nPMID- 9\nDB  - Embase\nER  - \n\n"
    for name in ("a.txt", "a.ris", "a.nbib"):
        entries = written(tmp_path, name, medline + ris + medline)
        four, *others = [e.record for e in entries if isinstance(e, Imported)][:-2]
        assert [record.source for record in others] == ["PubMed", "Embase"]
        assert [record.title for record in others] == ["Five", "Six"]
        assert (four.title, four.year, four.doi, four.pmid) == ("Four", 2020, "10.1000/x", "4")
    files = "ty  - JOUR\nTI  - One\ner  - \nty  - JOUR\nTI  - Two\n\n@article{k, title={Three}}\n"
    first, second, other = written(tmp_path, "together.ris", files)
    assert (first.record.title, second.line, other.line) == ("One", 4, 7)
    assert isinstance(other, Rejected)
