"""What a reader of a finished report is told of each sentence."""

from tests.report.sources import report_on

from paper_search.report.document import Report
from paper_search.report.models import CheckedSentence, Critique
from paper_search.testing.reports import QUESTION, report_sources


async def test_each_sentence_of_an_extractive_report_stands_where_it_says_and_has_its_snippet():
    report = await report_on(QUESTION, *report_sources())
    texts = {"title": report.title, "abstract": report.abstract, "conclusion": report.conclusion}
    for part in report.sections:
        texts |= {part.section_id: part.content, f"{part.section_id}.title": part.title}
    for sentence in report.sentences:
        assert texts[sentence.place][sentence.start : sentence.end] == sentence.text
    quoted = [each for each in report.sentences if each.status == "supported"]
    assert report.support["supported"] == len(quoted) > 0
    assert report.support["unsupported"] == report.support["not_checked"] == 0
    sources = {each.result_id: each for each in report.sources}
    for each in quoted:
        assert each.checked_by == "code"
        source = sources[each.snippet.result_id]
        part = source.title if each.snippet.part == "title" else source.text
        assert part[each.snippet.start : each.snippet.end] == each.snippet.text


def test_a_text_is_marked_behind_each_sentence_that_is_not_supported():
    text = "Shade cools. Trees sing. Streets melt."
    sentences = [
        CheckedSentence(place="s1", start=0, end=12, text="Shade cools.", status="supported"),
        CheckedSentence(place="s1", start=13, end=24, text="Trees sing.", status="unsupported"),
        CheckedSentence(place="s1", start=25, end=38, text="Streets melt.", status="not_checked"),
        CheckedSentence(place="s2", start=0, end=4, text="This", status="of_the_report"),
    ]
    report = Report(status="complete", confidence="low", critique=Critique(sentences=sentences))
    assert report.marked("s1", text) == (
        "Shade cools. Trees sing. [not supported] Streets melt. [not checked]"
    )
    assert report.support == {
        "supported": 1,
        "partly": 0,
        "contradicted": 0,
        "unsupported": 1,
        "not_checked": 1,
    }
