from time import process_time

import pytest

from paper_search.skills.phrases import end_of_request, without_request


@pytest.mark.parametrize(
    ("request_", "subject"),
    [
        ("Could you please help me finding literature about homework stress?", "homework stress"),
        ("ok so my prof wants me to read about the gender pay gap", "gender pay gap"),
        ("need refs on tannins in tea", "tannins in tea"),
        ("interested in anything linking heavy metals with rice", "heavy metals with rice"),
        ("What do we know about ticks in parks", "ticks in parks"),
        ("papers which discuss plagiarism", "plagiarism"),
        ("I have to give a talk next week about gut bacteria", "gut bacteria"),
        ("how do bees sleep", "bees sleep"),
        ("scholarly articles about moss", "moss"),
        ("find peer-reviewed papers on moss", "moss"),
        ("I am looking for search theory", "search theory"),
        ("my professor wants me to read about search engines", "search engines"),
        ("I need papers on love of money", "love of money"),
        ("papers on WHO guidelines", "WHO guidelines"),
        ("papers on new zealand birds", "new zealand birds"),
        ("how do publications age", "age"),
        ("on publication bias", "publication bias"),  # behind a limit: "10 papers on ..."
        ("regarding the new media", "new media"),
    ],
)
def test_words_of_a_request_go(request_, subject):
    assert without_request(request_) == subject


@pytest.mark.parametrize(
    "subject",
    [
        "need for cognition",
        "writing on walls in Pompeii",
        "learning about fractions in class",
        "search for extraterrestrial intelligence",
        "student research on campus",
        "school reports on bullying",
        "paper sludge in bricks",
        "do not resuscitate orders",
        "work on weekends and health",
        "project management",
        "academic writing in class",
        "in vitro fertilization",
        "New Zealand birds",
        "US foreign policy",
        "information seeking on health",
        "there is no alternative",
        "my left foot",
        "how we learn to read",
        "my dissertation is an overview of archives",
        "search for our common future",
        "love your enemies",
        "search: I. M. Young on justice",
    ],
)
def test_the_same_words_stay_in_a_subject(subject):
    assert without_request(subject) == subject


@pytest.mark.parametrize(
    "subject",
    [
        "publication bias",
        "new media",
        "seminal plasma proteins",
        "on liberty",
        "show jumping",
        "us policy on drugs",
        "how students seek help on campus",
        "what teachers know about reading",
    ],
)
def test_nothing_goes_from_the_ranked_text_where_nobody_asks(subject):
    assert end_of_request(subject) == 0


def test_a_request_of_any_length_is_read_in_linear_time():
    start = process_time()
    assert without_request("find " * 20_000 + "moss").endswith("find moss")
    assert process_time() - start < 1
