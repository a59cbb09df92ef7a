"""An extractive report as a reader meets it."""

import re

from tests.report.sources import evidence, report_on, source

from paper_search.report.analyst import themes
from paper_search.report.writer import reference

QUESTION = "Is zinc effective in colds?"


def quotes(report) -> list[str]:
    return re.findall("“([^”]+)”", "\n".join(section.content for section in report.sections[1:-3]))


async def test_no_sentence_is_quoted_in_two_sections():
    report = await report_on(
        QUESTION,
        source("Rowan", "Zinc shortened colds by two days. Zinc tasted bad to people with colds."),
        source("Birch", "Colds lasted as long with zinc as with sugar in this trial."),
    )
    assert len(quotes(report)) == len(set(quotes(report))) >= 3


async def test_sources_without_a_text_are_a_list_and_not_said_to_say_anything():
    report = await report_on(
        QUESTION,
        source("Rowan", "", title="Zinc for colds in winter"),
        source("Birch", "", title="Zinc, colds and grown people"),
    )
    first = report.sections[0].content
    assert first.startswith("- The sources found do not answer this: ")
    assert "no text was available.\n\n- “Zinc" in first
    assert "write" not in first
    assert [section.title for section in report.sections[1:]] == ["Methods and limitations"]


async def test_a_source_without_authors_is_not_called_by_half_of_its_title():
    report = await report_on(
        QUESTION, source("", "Zinc shortened colds by two days.", title="A long title " * 6)
    )
    assert "One source says: “Zinc shortened" in report.sections[1].content


async def test_the_question_is_asked_as_it_was_put():
    report = await report_on(QUESTION, source("Rowan", "Zinc shortened colds by two days."))
    assert f"“{QUESTION}”" in report.abstract
    assert "on Is zinc" not in report.model_dump_json()


def test_how_studies_were_made_is_no_theme_of_them():
    found = themes(
        evidence(
            source("Rowan", "x", title="A double-blind trial of zinc lozenges"),
            source("Birch", "x", title="A double-blind trial of zinc lozenges in winter"),
            source("Hazel", "x", title="Honey in winter: a double-blind trial"),
        ),
        [QUESTION],
        QUESTION,
    )
    assert [hit.label for hit in found] == ["zinc lozenges"]


def test_a_theme_is_spelled_as_texts_spell_it_and_not_named_twice():
    found = themes(
        evidence(
            source("Rowan", "On zinc lozenges.", title="Zinc Lozenges for Children"),
            source("Birch", "On zinc lozenges.", title="Zinc Lozenges for Children in Winter"),
            source("Hazel", "On honey.", title="Honey"),
        ),
        [QUESTION],
        QUESTION,
    )
    labels = [hit.label for hit in found]
    assert "zinc lozenges" in labels
    assert sum("lozenges" in label for label in labels) == 1


def test_authors_whose_names_have_commas_are_kept_apart():
    one = source("Rowan", "x")
    one.metadata["authors"] = ["Rowan, A", "Birch, B"]
    assert reference(one).startswith("Rowan, A; Birch, B (2020)")
