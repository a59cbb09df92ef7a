import time
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
        (
            "rcts only and skip anything paediatric",
            {"required": ("rcts",), "excluded": ("paediatric",)},
        ),
        ("it must be about nurses", {"required": ("nurses",)}),
        ("could you also include teenagers please?", {"added": ("teenagers",)}),
        (
            "take out periodontitis and add HbA1c",
            {"excluded": ("periodontitis",), "added": ("HbA1c",)},
        ),
        ("no Ramadan fasting, that's a different thing", {"excluded": ("Ramadan fasting",)}),
        ("hmm, sorry", {}),
        ("prefer work with real robots", {"added": ("real robots",)}),
        ("needles in skin", {"added": ("needles", "skin")}),
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
        ("Kindly omit owls", {"excluded": ("owls",)}),
        ("Owls are irrelevant here", {"excluded": ("Owls",)}),
        ("Owls not needed", {"excluded": ("Owls",)}),
        ("Owls should not be in there", {"excluded": ("Owls",)}),
        ("leave the owls out", {"excluded": ("owls",)}),
        ("far too much owl stuff", {"excluded": ("owl",)}),
        ("too many owls, take them out", {"excluded": ("owls",)}),
        ("add bats and drop the owls", {"added": ("bats",), "excluded": ("owls",)}),
        ("Costs would be useful as well", {"added": ("Costs",)}),
        ("Bats should be in", {"added": ("Bats",)}),
        ("I'd like to see more on bats too", {"added": ("bats",)}),
        ("Please concentrate on bats", {"added": ("bats",)}),
        ("Looks good, but could we add bats?", {"added": ("bats",)}),
        ("Drop: owls, swifts. Add: bats", {"excluded": ("owls", "swifts"), "added": ("bats",)}),
        (
            "Add:\n* bats\n* shrews\nRemove:\n- owls",
            {"added": ("bats", "shrews"), "excluded": ("owls",)},
        ),
        ("+ bats\n- owls", {"added": ("bats",), "excluded": ("owls",)}),
        ("- add: bats\n- drop: owls", {"added": ("bats",), "excluded": ("owls",)}),
        ("- no owls\n- bats only", {"required": ("bats",), "excluded": ("owls",)}),
        ("(1) bats (2) no owls", {"added": ("bats",), "excluded": ("owls",)}),
        ("Bats rather than owls, please", {"added": ("Bats",), "dropped": ("owls",)}),
        ("return to play instead of return to work", {"added": ("return", "play")}),
        ("more on bats (see my last note)", {"added": ("bats",)}),
        ('add "night, owls and light"', {"added": ("night, owls and light",)}),
        ("These are all birds, please exclude owls", {"excluded": ("owls",)}),
    ],
)
def test_clauses_say_what_to_do_with_their_terms(text, wanted):
    assert terms(text) == wanted


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("nothing on children here", "children"),
        ("why no papers on adolescents?", "adolescents"),
        ("you left out the elderly", "elderly"),
        ("there are no papers on nurses", "nurses"),
        ("hardly anything on nurses", "nurses"),
        ("pregnant women are missing", "pregnant women"),
        ("where is the work on telehealth?", "telehealth"),
        ("You have forgotten adolescents", "adolescents"),
        ("nothing on Africa?", "Africa"),
        ("I am missing work on owls", "owls"),
        ("Not a single paper on owls!", "owls"),
        ("There's nothing on owls in here", "owls"),
        ("Owls barely turn up", "Owls"),
        ("owls missing", "owls"),
        ("The strategy ignores owls.", "owls"),
    ],
)
def test_what_is_missing_is_looked_for(text, missing):
    assert terms(text) == {"added": (missing,)}


@pytest.mark.parametrize(
    "text",
    [
        "don't exclude children",
        "please do not leave out the elderly",
        "no need to limit it to English",
        "I did not ask for reviews",
        "not only reviews",
        "not reviews only",
        "no simulation only",
        "these are mostly about mice",
        "half of these are veterinary",
        "I see a lot of veterinary work",
        "the third paper is about dentistry",
        "I meant the island",
        "please dont look at women only",
        "no reason to throw out greenhouse studies",
        "Not without fire resistance",
        "The field did not begin in 2015",
        "get rid of them",
        "Not what I had in mind",
        "There is no need to exclude owls",
        "Excluding owls was a choice of the authors",
        "Nothing on owls",
        "It is not that I don't want owls",
        "Somebody has removed the owls",
        "I would not mind owls from before 1990",
        "Papers in Spanish are welcome",
        "owls > mice",
        "papers in Spanish too",
        "include papers by Ostrom",
        "I am missing what I asked for",
        "Plenty owl research conducted around city parks lately",
        '"No light: excluding owls" made me smile',
        "- owls",
        "please inculde owls",
        "ommit owls",
        "Owl papers in the park keep piling up",
        "fewer reviews",
        "SELECT * FROM papers",
        "yes",
        "remove the year limit",
        "no limit of language",
        "no language limit",
        "drop the limit to randomised trials",
        "use PubMed only",
        "Owls are not needed",
        "trials aren't required",
        "add synonyms for owl",
        "mehr zu Kindern",
        "keine Tierstudien",
        "sans les revues",
        "too broad",
        "wrong topic, sorry",
        "drop the second concept",
        "number 4 and 7 are off topic",
        "hardly any hits",
        "use British spelling",
        "truncate nurs*",
        'put "night shift" in quotes',
        "split the first concept",
        "swap 1 and 2",
        "better quality",
        "the newer ones seemed better",
        "results are in Chinese",
        "only by Ostrom herself",
        "look in the titles only",
        "the years can go",
        "no objections",
        "just curious",
    ],
)
def test_what_is_no_certain_wish_is_not_acted_on_and_named(text):
    note = parse_note(text, TODAY)
    assert terms(text) == {}
    assert note.with_limits(SearchConstraints()) == SearchConstraints()
    assert note.authors == ()
    advice = "write 'no' or 'more on' and a term, or edit the limits"
    assert note.remarks == (f"not acted on: {text!r}; {advice}",)


@pytest.mark.parametrize(
    "text",
    [
        "Leave owls out, except where they are compared with bats",
        "If there are papers on owls, add bats",
        "The authors left this to us, no owls",
        "Most of them hunt at night, since 2015",
    ],
)
def test_in_a_sentence_with_a_condition_or_a_statement_only_orders_count(text):
    assert terms(text) == {}
    assert parse_note(text, TODAY).limits == SearchConstraints()


def test_an_order_that_repeats_another_is_no_clause_of_its_own():
    note = parse_note("too many owls, take them out; bats", TODAY)
    assert (note.excluded, note.added, note.remarks) == (("owls",), ("bats",), ())


@pytest.mark.parametrize("talk", ["Thank you very much.", "Thanks!", "\n\nBest wishes,\nAnna"])
@pytest.mark.parametrize("text", ["owls.", "nothing on owls?", "only owls."])
def test_thanks_and_a_name_below_a_note_say_nothing(text, talk):
    assert parse_note(f"{text} {talk}", TODAY) == parse_note(text, TODAY)


def test_no_exclusion_is_dropped_and_terms_beyond_four_are_named():
    note = parse_note("exclude owls, swifts, crows, gulls and terns", TODAY)
    assert note.excluded == ("owls", "swifts", "crows", "gulls", "terns")
    note = parse_note("add owls, swifts, crows, gulls and terns", TODAY)
    assert note.added == ("owls", "swifts", "crows", "gulls")
    assert "not acted on: 'terns'" in note.remarks[0]


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("go back to 2000", 2000),
        ("Exclude editorials; extend the date range back to 1995.", 1995),
    ],
)
def test_a_note_may_go_further_back(text, year):
    note = parse_note(text, TODAY)
    assert note.with_limits(SearchConstraints(year_from=2010)).year_from == year


def test_what_is_left_of_an_exclusion_is_not_looked_for():
    note = parse_note("Drop the conference papers and the owls", TODAY)
    assert (note.added, note.with_limits(SearchConstraints()).excluded_types) == (
        (),
        ["paper-conference"],
    )
    assert "owls" in " ".join([*note.excluded, *note.remarks])


def test_bare_terms_beside_what_is_not_understood_are_not_looked_for():
    text = "sleep apnea; editorials, letters and commentaries are useless here"
    assert terms(text) == {}
    remarks = " ".join(parse_note(text, TODAY).remarks)
    assert "not acted on: 'editorials'" in remarks
    assert "not acted on: 'sleep apnea'" in remarks


def test_beside_what_is_not_acted_on_the_rest_of_a_note_is():
    note = parse_note("don't exclude children; no mice, I need trials since 2015", TODAY)
    assert (note.excluded, note.added) == (("mice",), ("trials",))
    assert note.with_limits(SearchConstraints()).year_from == 2015


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


STREAMS = ParsedIntent(
    topic="women and lending circles in Kenya",
    concepts=["women", "lending circles", "Kenya"],
    intent_type=IntentType.METHOD,
    question="women and lending circles in Kenya",
    alternatives={"lending circles": ["rotating savings"]},
)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("drop women", {"dropped": ("women",)}),
        ('take out "women" completely', {"dropped": ("women",)}),
        ("remove rotating savings", {"dropped": ("rotating savings",)}),
        ("Drop: Kenya, owls", {"excluded": ("owls",), "dropped": ("Kenya",)}),
        ("women are not needed", {}),
        ("forget about women, I only asked out of habit", {"dropped": ("women",)}),
        ("Kenya -> Uganda", {"added": ("Uganda",), "dropped": ("Kenya",)}),
        ("drop women, Kenya -> Uganda", {"added": ("Uganda",), "dropped": ("Kenya", "women")}),
        (
            "no mice, Uganda instead of Kenya",
            {"excluded": ("mice",), "added": ("Uganda",), "dropped": ("Kenya",)},
        ),
        ("don't replace Kenya with Uganda", {}),
        ("Kenya out, Uganda in", {"added": ("Uganda",), "dropped": ("Kenya",)}),
        ("exclude women", {"excluded": ("women",)}),
        ("no women", {"excluded": ("women",)}),
        ("replace Kenya with East Africa", {"added": ("East Africa",), "dropped": ("Kenya",)}),
        ("West Kenya rather than all of Kenya", {"added": ("West Kenya",), "dropped": ("Kenya",)}),
    ],
)
def test_a_term_of_the_question_that_a_note_removes_is_dropped_not_excluded(text, wanted):
    note = parse_note(text, TODAY, STREAMS)
    kinds = ("required", "excluded", "added", "instead", "dropped")
    assert {kind: names for kind in kinds if (names := getattr(note, kind))} == wanted
    remark = "no longer required: {0!r}; it is not excluded either (for that, write 'exclude {0}')"
    assert {remark.format(name) for name in note.dropped} <= set(note.remarks)
    after = after_note(STREAMS, note, TODAY)
    assert parse_note(text, TODAY, after) == note


def test_beside_a_model_a_term_to_drop_is_left_to_it():
    note = parse_note("drop women", TODAY, STREAMS)
    said = "left to the model: 'without women'; the strategy shows what it did"
    assert note.remarks_beside_model == (said,)


def test_the_last_concept_is_not_dropped():
    note = parse_note("drop women, lending circles and Kenya", TODAY, STREAMS)
    assert after_note(STREAMS, note, TODAY).concepts == STREAMS.concepts


@pytest.mark.parametrize("text", ["theses only", "only theses", "I only want theses"])
def test_a_type_of_publication_in_a_note_is_a_limit(text):
    before = SearchConstraints(publication_types=["article-journal"])
    limits = parse_note(text, TODAY).with_limits(before)
    assert limits.publication_types == ["thesis"]
    assert parse_note("only trials", TODAY).with_limits(before) == before


def test_only_with_several_terms_ranks_and_hides_nothing():
    note = parse_note("only transformers for few-shot detection, not single-shot", TODAY)
    assert note.required == ()
    assert note.added == ("transformers", "few-shot detection")
    assert note.excluded == ("single-shot",)
    assert any("used for ranking, not a limit" in remark for remark in note.remarks)


def test_how_many_papers_a_note_speaks_of_limits_nothing():
    note = parse_note("only 3 papers fit", TODAY)
    assert note.with_limits(SearchConstraints()) == SearchConstraints()
    assert note.remarks == ("not acted on: 3 papers; edit `max_papers` to show that many",)


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


@pytest.mark.parametrize("piece", ["(", '" ', " - "])
def test_the_time_of_reading_does_not_grow_with_the_square_of_the_signs_before_a_note(piece):
    terms(f"{piece} mice")  # what is compiled once
    start = time.process_time()
    terms(f"{(piece * 10_000)[:10_000]} mice")
    assert time.process_time() - start < 2
