"""The text of a report at its question: read whole, as a page, in an editor, and approved."""

import pytest
from tests.cli.conftest import Cli

from paper_search.cli.report_questions import changes, parse_draft, write_draft
from paper_search.errors import InvalidDecisionError
from paper_search.report.document import Report
from paper_search.report.models import CheckedSentence, Critique
from paper_search.report.writer import section

ASK = ("report", "protein folding", "--source", "sample", "--depth", "quick")


@pytest.fixture
def drafted(cli: Cli) -> str:
    """Return a report that waits with its draft."""
    planned = cli(*ASK, "--json").document["thread_id"]
    assert cli("resume", planned, "--approve", "--json").code == 3
    return str(planned)


def test_the_whole_text_is_read_edited_and_approved_at_the_terminal(cli, drafted, editor):
    retitling = editor(r"form = form.replace('\n# ', '\n# My own title on ', 1)")
    ended = cli("resume", drafted, typed=["s", "b", "e", "a"], EDITOR=retitling, code=0)
    more = "[m]ore  [b]ack > "
    ended.shows("[s]how", "Status: draft", more, "[s]how", "My own title on", "version 2")
    product = cli("export", drafted, "--format", "json").document
    assert product["content"]["title"].startswith("My own title on")
    assert product["metadata"]["version"] == 2
    assert product["provenance"]["is_approved_by_person"] is True


def test_a_report_is_changed_by_words_and_rejected_with_a_note(cli, drafted):
    ended = cli("resume", drafted, typed=["e Say less.", "x", "Too long."])
    ended.shows("[s]how", "version 2", "[s]how", "what is wrong with it? ")
    shown = cli("show", drafted, "--json").document
    rows = [each.partition(": ")[2] for each in shown["checkpoints"]]
    assert [row for row in rows if row.startswith("Final")] == [
        "Final Output Review: MODIFY: Say less.",
        "Final Output Review: REJECT: Too long.",
    ]
    assert (shown["version"], shown["ended_by"]) == (2, "rejected_by_person")


def report() -> Report:
    text = "Shade cures fever [@rowan_2019]. It is cheap."
    mark = CheckedSentence(
        place="s1", start=0, end=32, text=text[:32], status="unsupported", checked_by="code"
    )
    titles = [
        CheckedSentence(place=place, start=0, end=5, text=title)
        for place, title in (("title", "Shade"), ("s1.title", "Fever"))
    ]
    return Report(
        status="draft",
        confidence="low",
        title="Shade",
        abstract="On shade.",
        sections=[section(1, "Fever", text)],
        conclusion="It cools.",
        critique=Critique(sentences=[*titles, mark]),
    )


def test_only_what_was_changed_is_an_edit():
    text = write_draft(report())
    assert changes(text, text.replace("It cools.", "It is cool.")) == {"conclusion": "It is cool."}


def test_the_marks_of_title_and_headings_are_shown_and_are_no_part_of_them():
    text = write_draft(report())
    assert "# Shade [not checked]\n" in text
    assert "## Fever [not checked]\n" in text
    draft = parse_draft(text)
    assert (draft["title"], draft["sections"][0]["title"]) == ("Shade", "Fever")


@pytest.mark.parametrize("text", ["", "words", "# Title only", "## A section\n\nwithout a title"])
def test_a_text_that_is_no_report_is_refused(text):
    with pytest.raises(InvalidDecisionError):
        parse_draft(text)
