"""What a reader of a finished report is told of each sentence."""

from tests.report.sources import report_on

from paper_search.report.claims.statements import written_by_persons
from paper_search.report.document import Report
from paper_search.report.models import CheckedSentence, Critique, ResearchDraft
from paper_search.report.outputs.blocks import spans
from paper_search.report.outputs.markdown import render_markdown
from paper_search.report.sub_questions import section
from paper_search.testing.reports import QUESTION, report_sources


async def test_each_sentence_of_an_extractive_report_stands_where_it_says_and_has_its_snippet():
    report = await report_on(QUESTION, *report_sources())
    texts = {"title": report.title, "abstract": report.abstract, "conclusion": report.conclusion}
    for part in report.sections:
        texts |= {part.section_id: part.content, f"{part.section_id}.title": part.title}
    for sentence in report.sentences:
        assert texts[sentence.place][sentence.start : sentence.end] == sentence.text
    quoted = [entry for entry in report.sentences if entry.status == "supported"]
    assert report.support["supported"] == len(quoted) > 0
    assert report.support["unsupported"] == report.support["not_checked"] == 0
    sources = {entry.result_id: entry for entry in report.sources}
    for item in quoted:
        assert item.checked_by == "code"
        source = sources[item.snippet.result_id]
        part = source.title if item.snippet.part == "title" else source.text
        assert part[item.snippet.start : item.snippet.end] == item.snippet.text


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


def test_a_sentence_that_a_person_wrote_says_who_and_is_no_more_checked_for_it():
    text = "Trees sing. Streets melt. Moss grows."
    sentences = [
        CheckedSentence(place="s1", start=0, end=11, text="Trees sing.", written_at=2),
        CheckedSentence(place="s1", start=12, end=25, text="Streets melt.", written_at=3),
        CheckedSentence(
            place="s1", start=26, end=37, text="Moss grows.", status="supported", written_at=2
        ),
    ]
    report = Report(
        status="complete",
        confidence="low",
        sections=[section(1, "Trees", text)],
        critique=Critique(sentences=sentences),
        deciders={2: "ada [lead]"},
    )
    marked = report.marked("s1", text)
    assert marked == (
        "Trees sing. [not checked; written by ada lead] "
        "Streets melt. [not checked; written by a person] Moss grows."
    )
    page = render_markdown(report)
    assert "[not checked; written by ada lead]" in page.replace("\\", "")
    assert "Ada lead wrote two of them, one supported by a source." in page
    assert "A person wrote one of them, none supported by a source." in page
    assert [span.text for span in spans(marked) if span.kind == "mark"] == [
        "not checked; written by ada lead",
        "not checked; written by a person",
    ]


def test_a_persons_sentences_stay_theirs_for_as_long_as_they_stand():
    def version(text: str, **known: object) -> ResearchDraft:
        return ResearchDraft(title="Moss", sections=[section(1, "Walls", text)], **known)

    first = version("Moss grows. It is green.")
    assert written_by_persons(first, None, None) == {}
    edited = version("Moss grows.  It is\nblue. Ants eat it.")
    by_ada = written_by_persons(edited, first, 2)
    assert by_ada == {"It is blue.": 2, "Ants eat it.": 2}
    known = edited.model_copy(update={"written_at": by_ada})
    by_model = version("Moss grows slowly. It is blue.")
    assert written_by_persons(by_model, known, None) == {"It is blue.": 2}
    again = version("It is blue. Ants like it.")
    assert written_by_persons(again, known, 4) == {"It is blue.": 2, "Ants like it.": 4}
