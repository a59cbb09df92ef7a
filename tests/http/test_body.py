"""XML from strangers: what attacks the reader is refused, what is sound is read."""

import pytest

from paper_search.http.body import HttpAnswer
from paper_search.http.errors import HttpBodyError

LAUGHS = b"""<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;">]>
<feed>&lol2;</feed>"""
PUBMED = b"""<?xml version="1.0" ?>
<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2019//EN"
 "https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_190101.dtd">
<PubmedArticleSet><PubmedArticle/></PubmedArticleSet>"""


def answer(content: bytes, kind: str = "application/xml") -> HttpAnswer:
    return HttpAnswer(200, kind, content, 1)


def test_a_sound_document_with_a_doctype_is_read():
    root = answer(PUBMED).xml()
    assert root is not None
    assert [child.tag for child in root] == ["PubmedArticle"]


def test_a_control_character_in_an_abstract_costs_no_record():
    root = answer("<set><a>naïve \x0cBayes\x02</a>\n<a>trees</a></set>".encode()).xml()
    assert root is not None
    assert [child.text for child in root] == ["naïve Bayes", "trees"]


def test_a_document_in_utf_16_is_read_as_it_is():
    root = answer('<?xml version="1.0" encoding="UTF-16"?><a>ĉ ā</a>'.encode("utf-16")).xml()
    assert root is not None
    assert root.text == "ĉ ā"


@pytest.mark.parametrize("content", [b" \n", b"null", b"\xef\xbb\xbfnull\n"])
def test_an_empty_body_is_neither_data_nor_a_document(content):
    with pytest.raises(HttpBodyError, match="without content"):
        answer(content).json()
    with pytest.raises(HttpBodyError):
        answer(content).xml()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (LAUGHS, "refused"),
        (b"<a>" * 200_000, "nested too deeply"),
        (b"<a>" * 200_000 + b"</a>" * 200_000, "nested too deeply"),
        (b"<feed><entry></feed>", "not XML"),
        (b"Rate exceeded.", "not XML"),
        (b'{"error": 1}', "not XML"),
        (b'<?xml version="1.0" encoding="no-such"?><a/>', "not XML"),
        (b"<a>\xff\xfe</a>", "not XML"),
        (b"<a>\x00</a>", "not XML"),
    ],
)
def test_what_cannot_be_read_is_refused(content, said):
    """API-23"""
    with pytest.raises(HttpBodyError, match=said):
        answer(content).xml()


def test_no_file_is_read_for_an_external_entity(tmp_path):
    """API-23"""
    secret = tmp_path / "secret"
    secret.write_text("CANARY-file")
    document = f'<!DOCTYPE a [<!ENTITY x SYSTEM "{secret.as_uri()}">]><a>&x;</a>'
    with pytest.raises(HttpBodyError) as caught:
        answer(document.encode()).xml()
    assert "CANARY" not in str(caught.value)


def test_a_web_page_is_no_xml():
    """API-23"""
    with pytest.raises(HttpBodyError, match="web page"):
        answer(b"<html><body>Are you a robot?</body></html>", "text/html").xml()
