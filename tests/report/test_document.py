"""What a reader of a finished report is told of each sentence."""

import re

from paper_search.report.claims.verdicts import persons_sentences
from paper_search.report.document import MARK, Report
from paper_search.report.models import CheckedSentence, Critique, ResearchDraft
from paper_search.report.outputs.markdown import render_markdown
from paper_search.report.writer import section


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
    marked = report.with_marks("s1", text)
    assert marked == (
        "Trees sing. [not checked; written by ada lead] "
        "Streets melt. [not checked; written by a person] Moss grows."
    )
    page = render_markdown(report)
    assert "[not checked; written by ada lead]" in page.replace("\\", "")
    assert "Ada lead wrote 2 of them, 1 supported by a source." in page
    assert "A person wrote 1 of them, 0 supported by a source." in page
    marks = ["[not checked; written by ada lead]", "[not checked; written by a person]"]
    assert re.findall(MARK, marked) == marks


def test_a_persons_sentences_stay_theirs_for_as_long_as_they_stand():
    def version(text: str, **known: object) -> ResearchDraft:
        return ResearchDraft(title="Moss", sections=[section(1, "Walls", text)], **known)

    first = version("Moss grows. It is green.")
    assert persons_sentences(first, None, None) == {}
    edited = version("Moss grows.  It is\nblue. Ants eat it.")
    by_ada = persons_sentences(edited, first, 2)
    assert by_ada == {"It is blue.": 2, "Ants eat it.": 2}
    known = edited.model_copy(update={"written_at": by_ada})
    by_model = version("Moss grows slowly. It is blue.")
    assert persons_sentences(by_model, known, None) == {"It is blue.": 2}
    again = version("It is blue. Ants like it.")
    assert persons_sentences(again, known, 4) == {"It is blue.": 2, "Ants like it.": 4}


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
