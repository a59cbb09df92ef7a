"""What a question is about, and how it is asked of sources."""

import pytest

from paper_search.report.sub_questions import sub_questions, subjects
from paper_search.skills import IntentParser


@pytest.mark.parametrize(
    ("question", "about"),
    [
        (
            "How do graph neural networks predict the properties of molecules?",
            ["graph neural networks", "properties of molecules"],
        ),
        ("Is zinc effective in adults with colds?", ["zinc", "adults", "colds"]),
        (
            "Do triptans relieve migraine with fewer side effects than other drugs?",
            ["triptans", "migraine", "side effects", "drugs"],
        ),
        ("Machine learning for lower back pain", ["Machine learning", "lower back pain"]),
        (
            "Do shade trees lower the temperature of city streets?",
            ["shade trees", "temperature of city streets"],
        ),
    ],
)
async def test_a_question_is_about_things_and_not_about_verbs(question, about):
    assert subjects(await IntentParser(None).parse(question)) == about


@pytest.mark.parametrize("question", ["Is zinc effective in colds?", "Does tea help sleepers?"])
async def test_sub_questions_are_no_questions_inside_questions(question):
    intent = await IntentParser(None).parse(question)
    for statement in sub_questions(intent, 7):
        assert not any(f" on {word} " in statement.text for word in ("Is", "Does", "Do", "How"))
        assert statement.text.count("?") == 1


async def test_the_pair_of_two_subjects_is_not_asked_for_twice():
    intent = await IntentParser(None).parse("Is zinc effective in colds?")
    asked = [question.text for question in sub_questions(intent, 5)]
    assert len(asked) == 5
    assert not any("together with" in request for request in asked)
