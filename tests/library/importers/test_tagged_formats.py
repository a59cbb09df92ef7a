"""MEDLINE, Web of Science and EndNote files give their records."""

import gc
import io
from pathlib import Path
from xml.etree.ElementTree import Element

import pytest

from paper_search.errors import InputError
from paper_search.library.importers import Imported, Rejected, parse_file, tagged, xml_records
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


def good(entries: list[Imported | Rejected]) -> list[RawPaper]:
    return [entry.record for entry in entries if isinstance(entry, Imported)]


def bad(entries: list[Imported | Rejected]) -> list[int]:
    return [entry.line for entry in entries if isinstance(entry, Rejected)]


def test_medline_fields_arrive_and_a_citation_without_title_is_named():
    entries = list(tagged.MEDLINE.parse(MEDLINE.splitlines(keepends=True)))
    first, third = good(entries)
    assert first.title == "A long title that goes on"
    assert [author.name for author in first.authors] == ["Doe, Jane", "Roe, Max"]
    assert (first.pmid, first.pmcid, first.doi) == ("123", "PMC7712345", "10.1000/x")
    assert (first.venue, first.year, first.pages) == ("Journal of X", 2015, "183-92")
    assert (first.abstract, first.language) == ("First second.", "en")
    assert first.publication_type == "article-journal"
    assert first.keywords == ["Humans", "Anxiety Disorders", "exposure"]
    assert third.title == "Third"
    assert bad(entries) == [20]


def test_web_of_science_fields_arrive():
    entries = list(tagged.WEB_OF_SCIENCE.parse(WOS.splitlines(keepends=True)))
    (record,) = good(entries)
    assert record.title == "A title that goes on"
    assert [author.name for author in record.authors] == ["Doe, J", "Roe, M"]
    assert (record.venue, record.year, record.pages, record.doi) == (
        "JOURNAL", 2020, "1-9", "10.1000/y",
    )  # fmt: skip
    assert record.keywords == ["graph theory", "trees", "PLANT GROWTH"]
    assert bad(entries) == [17]


def test_endnote_fields_arrive():
    entries = list(tagged.ENDNOTE.parse(ENDNOTE.splitlines(keepends=True)))
    (record,) = good(entries)
    assert [author.name for author in record.authors] == ["Doe, Jane", "Roe, Max"]
    assert (record.title, record.venue, record.year) == ("Title", "Journal", 2021)
    assert (record.abstract, record.doi) == ("Abstract goes on", "10.1000/z")
    assert record.keywords == ["graphs", "trees"]
    assert bad(entries) == [13]


def test_endnote_xml_fields_arrive():
    entries = list(xml_records.parse_xml(io.BytesIO(XML)))
    (record,) = good(entries)
    assert record.title == "A Title"
    assert [author.name for author in record.authors] == ["Doe, Jane", "Roe, Max"]
    assert (record.venue, record.year, record.doi) == ("Proc. X", 2019, "10.1000/q")
    assert record.publication_type == "paper-conference"
    assert record.keywords == ["graphs", "trees"]
    assert bad(entries) == [2]


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


def written(folder: Path, name: str, text: str) -> list[Imported | Rejected]:
    path = folder / name
    path.write_text(text, "utf-8")
    return list(parse_file(path))


def test_refworks_files_give_their_records(tmp_path):
    first, second, bad = written(tmp_path, "refworks.txt", REFWORKS)
    assert isinstance(first, Imported)
    record = first.record
    assert (record.title, record.year, record.pages) == ("A long title that goes on", 2015, "12-34")
    assert [(author.family, author.given, author.literal) for author in record.authors] == [
        ("Ma", "Jun", None),
        ("White", "JR", None),
        (None, None, "World Health Organization"),
    ]
    assert (record.doi, record.pmid, record.issn) == ("10.1000/x", "123", "1234-5679")
    assert (record.venue, record.keywords) == ("Journal of X", ["graphs", "trees"])
    assert record.publication_type == "article-journal"
    assert isinstance(second, Imported)
    assert (second.record.publication_type, second.record.year) == ("chapter", 2010)
    assert bad == Rejected(30, "the title is missing")


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


def test_pubmeds_xml_gives_its_records(tmp_path):
    first, bad = written(tmp_path, "pubmed.xml", PUBMED_XML)
    assert isinstance(first, Imported)
    record = first.record
    assert (record.title, record.year, record.pmid) == ("First", 2015, "1")
    assert [(author.family, author.given) for author in record.authors] == [("Ma", "Jun")]
    assert (record.id, record.source, record.publication_type) == ("", "PubMed", "article-journal")
    assert bad == Rejected(2, "the title is missing")


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


@pytest.mark.parametrize(
    ("lines", "year"),
    [
        ("PY  - 2009\nY1  - 2010//\nDA  - 2011/03/01\n", 2009),
        ("Y1  - 2009//\nDA  - 2010/03/01\n", 2009),
        ("PY  - n.d.\nY1  - 2009//\n", 2009),
        ("Y1  - //\nDA  - 2010/03/01\n", 2010),
        ("DA  - 2010/03/01\nY2  - 2019/01/01\n", 2010),
        ("Y2  - 2019/01/01\n", None),
    ],
)
def test_the_year_of_a_ris_file_is_that_of_publication_where_it_can_be_read(tmp_path, lines, year):
    (entry,) = written(tmp_path, "a.ris", f"TY  - JOUR\nTI  - A\n{lines}ER  - \n")
    assert isinstance(entry, Imported)
    assert entry.record.year == year


@pytest.mark.parametrize(
    ("lines", "pages"),
    [
        ("PG  - 183-92\nLID - e025031\n", "183-92"),
        ("LID - 10.1136/bmj [doi]\nLID - e025031\n", "e025031"),
        ("LID - 559 [pii]\n", "559"),
        ("LID - S0005-7894(19)30080-2 [pii]\n", None),
    ],
)
def test_an_article_number_stands_for_the_pages_that_a_medline_record_has_not(
    tmp_path, lines, pages
):
    (entry,) = written(tmp_path, "a.nbib", f"PMID- 1\nTI  - A\n{lines}\n")
    assert isinstance(entry, Imported)
    assert entry.record.pages == pages


@pytest.mark.parametrize(
    ("lines", "is_retracted"),
    [("PT  - Retracted Publication\n", True), ("RIN - J X. 2021\n", True), ("", None)],
)
def test_a_medline_record_says_that_the_work_was_retracted(tmp_path, lines, is_retracted):
    text = f"PMID- 1\nTI  - A\nPT  - Journal Article\n{lines}\n"
    (entry,) = written(tmp_path, "a.nbib", text)
    assert isinstance(entry, Imported)
    assert entry.record.is_retracted is is_retracted


@pytest.mark.parametrize(
    ("stated", "kind"),
    [("Thesis", "thesis"), ("Article", "chapter"), ("Review", "chapter"), ("Essay", "chapter")],
)
def test_the_type_that_a_ris_file_states_in_words_counts_where_it_is_one(tmp_path, stated, kind):
    (entry,) = written(tmp_path, "a.ris", f"TY  - CHAP\nTI  - A\nM3  - {stated}\nER  - \n")
    assert isinstance(entry, Imported)
    assert entry.record.publication_type == kind


def test_records_of_other_formats_in_a_file_are_told_and_small_tags_part_records(tmp_path):
    medline = (
        "PMID- 4\nDP  - 2020 Jan\nTI  - Four\nLID - 10.1000/x [doi]\n\nPMID- 5\nTI  - Five\n\n"
    )
    ris = "TY  - JOUR\nTI  - Six\nN1  - Also\nPMID- 9\nDB  - Embase\nER  - \n\n"
    for name in ("a.txt", "a.ris", "a.nbib"):
        entries = written(tmp_path, name, medline + ris + medline)
        four, *others = [e.record for e in entries if isinstance(e, Imported)][:-2]
        assert [record.source for record in others] == ["PubMed", "Embase"]
        assert [record.title for record in others] == ["Five", "Six"]
        assert (four.title, four.year, four.doi, four.pmid) == ("Four", 2020, "10.1000/x", "4")
    files = "ty  - JOUR\nTI  - One\ner  - \nty  - JOUR\nTI  - Two\n\n@article{k, title={Three}}\n"
    first, second, other = written(tmp_path, "together.ris", files)
    assert isinstance(first, Imported)
    assert isinstance(second, Imported)
    assert (first.record.title, second.line, other.line) == ("One", 4, 7)
    assert isinstance(other, Rejected)
