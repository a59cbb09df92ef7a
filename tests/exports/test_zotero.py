"""RDF for Zotero: items with their tags and notes."""

from defusedxml.ElementTree import fromstring
from tests.exports.bees import VAN_DYK, paper

from paper_search.exports import export
from paper_search.exports.zotero import item_of
from paper_search.models import Paper, PaperTag, ScreeningDecision
from paper_search.testing.exporters import collection_of

RDF, DC = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}", "{http://purl.org/dc/elements/1.1/}"
TERMS, BIB = "{http://purl.org/dc/terms/}", "{http://purl.org/net/biblio#}"
FOAF, Z = "{http://xmlns.com/foaf/0.1/}", "{http://www.zotero.org/namespaces/export#}"

PAPER = paper(
    title="Bees & <b>wasps</b>",
    authors=[VAN_DYK],
    tags=[PaperTag.METHOD],
    url="https://example.org/bees?a=1&b=2",
    note="see <table> 2",
    screening=ScreeningDecision(decision="exclude", decided_by="ada", reason="no control"),
)


def test_an_item_has_its_fields_tags_and_a_note():
    text = export(collection_of(PAPER), "zotero-rdf")
    assert isinstance(text, str)
    root = fromstring(text)
    [item] = root.findall(f"{RDF}Description")
    [note] = root.findall(f"{BIB}Memo")
    assert item.findtext(f"{Z}itemType") == "journalArticle"
    assert item.findtext(f"{DC}title") == "Bees & <b>wasps</b>"
    assert item.findtext(f"{DC}date") == "2020"
    assert [tag.text for tag in item.findall(f"{DC}subject")] == [
        *("method", "bees", "dance"),
        "decision: exclude",
    ]
    person = item.find(f"{BIB}authors/{RDF}Seq/{RDF}li/{FOAF}Person")
    assert person.findtext(f"{FOAF}surname") == "van Dyk"
    journal = item.find(f"{TERMS}isPartOf/{BIB}Journal")
    assert [statement.text for statement in journal] == ["4", "2", "J. Bees", "ISSN 1234-5679"]
    assert item.find(f"{DC}identifier").text == "DOI 10.1000/bees"
    uri = item.findtext(f"{DC}identifier/{TERMS}URI/{RDF}value")
    assert uri == "https://example.org/bees?a=1&b=2"
    link = item.find(f"{TERMS}isReferencedBy").get(f"{RDF}resource")
    assert link == note.get(f"{RDF}about")
    assert note.findtext(f"{RDF}value") == (
        "<p>see &lt;table&gt; 2</p><p>decision: exclude</p><p>decided by: ada</p>"
        "<p>reason: no control</p>"
    )


def test_a_paper_that_says_nothing_else_is_a_document_without_a_note():
    bare = Paper(id="1", title="Bees", authors=[], source="s")
    text = export(collection_of(bare), "zotero-rdf")
    assert isinstance(text, str)
    root = fromstring(text)
    [item] = root
    assert [(statement.tag, statement.text) for statement in item] == [
        (f"{Z}itemType", "document"),
        (f"{DC}title", "Bees"),
    ]


def test_a_new_item_keeps_in_extra_what_its_kind_has_no_field_for():
    fields = {
        *("date", "abstractNote", "publicationTitle", "volume", "issue", "pages"),
        *("DOI", "ISSN", "language", "url"),
    }
    assert "None" not in str(item_of(Paper(id="1", title="Bees", authors=[], source="s"), fields))
    assert item_of(PAPER.model_copy(update={"language": "en", "isbn": "x"}), fields) == {
        "itemType": "journalArticle",
        "title": "Bees & <b>wasps</b>",
        "creators": [{"creatorType": "author", "lastName": "van Dyk", "firstName": "Carla"}],
        "abstractNote": "They dance.",
        "tags": [{"tag": tag} for tag in ("method", "bees", "dance", "decision: exclude")],
        "date": "2020",
        "publicationTitle": "J. Bees",
        "volume": "4",
        "issue": "2",
        "pages": "1-9",
        "language": "en",
        "DOI": "10.1000/bees",
        "ISSN": "1234-5679",
        "url": "https://example.org/bees?a=1&b=2",
        "extra": "PMID: 12\nISBN: x\npublisher: Hive",
    }
