from datetime import date

import pytest

from paper_search.models import IntentType, ParsedIntent, SearchConstraints
from paper_search.skills.intent.notes import Note, after_note, parse_note

TODAY = date(2026, 11, 23)


def terms(text: str | None) -> dict[str, tuple[str, ...]]:
    note = parse_note(text, TODAY)
    kinds = ("required", "excluded", "added", "instead", "dropped")
    return {kind: names for kind in kinds if (names := getattr(note, kind))}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("good", {}),
        ("too broad, try again please", {}),
        ("wrong topic altogether", {}),
        ("only randomised trials", {"required": ("randomised trials",)}),
        ("clinical trials only", {"required": ("clinical trials",)}),
        ("please restrict to adolescents", {"required": ("adolescents",)}),
        ("exclude animal studies", {"excluded": ("animal studies",)}),
        ("no caffeine", {"excluded": ("caffeine",)}),
        ("too many rat papers", {"excluded": ("rat",)}),
        ("excluding tea, cocoa and guarana", {"excluded": ("tea", "cocoa", "guarana")}),
        ("more about toxicity", {"added": ("toxicity",)}),
        ("focus on toxicity", {"added": ("toxicity",)}),
        ("focus on toxicity instead", {"instead": ("toxicity",)}),
        ("toxicity instead of efficacy", {"added": ("toxicity",), "dropped": ("efficacy",)}),
        (
            "exclude mice and rats; only children, more about toxicity",
            {"excluded": ("mice", "rats"), "required": ("children",), "added": ("toxicity",)},
        ),
    ],
)
def test_clauses_say_what_to_do_with_their_terms(text, wanted):
    assert terms(text) == wanted


@pytest.mark.parametrize(
    ("text", "concepts"),
    [
        ("focus on anxiety in children instead", ["anxiety", "children"]),
        ("no adolescents", ["depression"]),
        ("elderly people instead of adolescents", ["depression", "elderly people"]),
        ("more about exercise", ["depression", "adolescents"]),
        ("only trials", ["depression", "adolescents"]),
    ],
)
def test_papers_are_judged_by_what_a_note_leaves_of_the_question(text, concepts):
    intent = ParsedIntent(
        topic="depression in adolescents",
        concepts=["depression", "adolescents"],
        intent_type=IntentType.METHOD,
    )
    after = after_note(intent, parse_note(text, TODAY), TODAY)
    assert after.concepts == concepts
    assert after_note(after, parse_note(text, TODAY), TODAY) == after


def test_only_with_several_terms_ranks_and_hides_nothing():
    note = parse_note("only transformers for few-shot detection, not single-shot", TODAY)
    assert note.required == ()
    assert note.added == ("transformers", "few-shot detection")
    assert note.excluded == ("single-shot",)
    assert any("ranked by, no limit" in remark for remark in note.remarks)


def test_what_should_be_fewer_is_not_looked_for():
    note = parse_note("fewer reviews", TODAY)
    assert (terms("fewer reviews"), note.remarks) == (
        {},
        ("not acted on: 'fewer reviews'; to exclude it, write 'no'",),
    )


def test_how_many_papers_a_note_speaks_of_limits_nothing():
    note = parse_note("only 3 papers fit", TODAY)
    assert note.with_limits(SearchConstraints()) == SearchConstraints()
    assert note.remarks == ("not acted on: 3 papers; edit `max_papers` to show so many",)


def test_limits_of_a_note_are_those_of_a_question():
    note = parse_note("only papers by Ostrom since 2019, in English, no reviews", TODAY)
    before = SearchConstraints(year_to=2020, max_results=7, excluded_types=["thesis"])
    limits = note.with_limits(before)
    assert (limits.year_from, limits.year_to, limits.language) == (2019, None, "en")
    assert limits.excluded_types == ["thesis", "review"]
    assert limits.max_results == 7
    assert note.authors == ("Ostrom",)


@pytest.mark.parametrize("text", [None, "", "  "])
def test_without_words_nothing_changes(text):
    note = parse_note(text, TODAY)
    assert note == Note()
    assert note.with_limits(SearchConstraints(year_from=2001)).year_from == 2001
