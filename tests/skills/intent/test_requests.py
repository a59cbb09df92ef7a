import pytest

from paper_search.skills.phrases import without_request


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
    ],
)
def test_the_same_words_stay_in_a_subject(subject):
    assert without_request(subject) == subject
