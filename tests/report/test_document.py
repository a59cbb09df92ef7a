"""What a reader of a finished report is told of each sentence."""

from paper_search.report.document import Report
from paper_search.report.models import CheckedSentence, Critique, DraftSection
from paper_search.report.outputs.markdown import render_markdown


def test_a_text_is_marked_behind_each_sentence_that_is_not_supported():
    text = "Shade cools. Trees sing. Streets melt."
    sentences = [
        CheckedSentence(place="s1", start=0, end=12, text="Shade cools.", status="supported"),
        CheckedSentence(place="s1", start=13, end=24, text="Trees sing.", status="unsupported"),
        CheckedSentence(place="s1", start=25, end=38, text="Streets melt.", status="not_checked"),
        CheckedSentence(place="s2", start=0, end=4, text="This", status="of_the_report"),
    ]
    report = Report(status="complete", confidence="low", critique=Critique(sentences=sentences))
    assert report.with_marks("s1", text) == (
        "Shade cools. Trees sing. [not supported] Streets melt. [not checked]"
    )
    assert report.support == {
        "supported": 1,
        "partly": 0,
        "contradicted": 0,
        "unsupported": 1,
        "not_checked": 1,
    }


def test_a_title_and_a_heading_are_marked_as_every_sentence_that_is_counted():
    told = {"Trees sing": "title", "Streets melt": "s1.title"}
    sentences = [
        CheckedSentence(place=place, start=0, end=len(text), text=text, status="unsupported")
        for text, place in told.items()
    ]
    section = DraftSection(section_id="s1", title="Streets melt", content="")
    report = Report(
        title="Trees sing",
        sections=[section],
        critique=Critique(sentences=sentences),
        metadata={"is_by_model": True},
    )
    lines = render_markdown(report).splitlines()
    assert r"# Trees sing *\[not supported\]*" in lines
    assert r"## Streets melt *\[not supported\]*" in lines
    assert "Of 2 statements: 2 not supported." in "".join(lines)


def test_a_report_opens_with_the_first_sentence_of_its_abstract_that_a_source_bears():
    text = "Moss sings. Moss cools walls. Moss grows."
    known = {"place": "abstract", "checked_by": "model"}
    sentences = [
        CheckedSentence(**known, start=0, end=11, text="Moss sings.", status="unsupported"),
        CheckedSentence(**known, start=12, end=29, text="Moss cools walls.", status="supported"),
        CheckedSentence(**known, start=30, end=41, text="Moss grows.", status="supported"),
    ]

    def opening(*checked: CheckedSentence) -> str:
        report = Report(
            status="complete",
            confidence="low",
            title="Moss",
            abstract=text,
            critique=Critique(sentences=list(checked)),
            metadata={"is_by_model": True},
        )
        return render_markdown(report).partition("## Abstract")[0]

    assert "> Moss cools walls." in opening(*sentences)
    assert "Moss cools" not in opening(sentences[0])
