"""Values of settings, as people write them."""

import pytest
from pydantic import TypeAdapter, ValidationError

from paper_search.models.settings import (
    Contact,
    LLMConfig,
    NamedValues,
    Names,
    ServiceUrl,
    Skill,
)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (Names, " a, ,b,", ["a", "b"]),
        (NamedValues, " a = b=c ,, d=e", {"a": "b=c", "d": "e"}),
        (NamedValues, {"a": "b"}, {"a": "b"}),
        (ServiceUrl, "https://x.org:1/a", "https://x.org:1/a"),
        (ServiceUrl, None, None),
        (Contact, " ada@uni.org ", "ada@uni.org"),
        *((Contact, f"a@{name}", f"a@{name}") for name in ("myexample.com", "example.com.au")),
        *((Contact, f"a@{name}", f"a@{name}") for name in ("example.edu", "contest.org")),
        (Contact, " ", None),
        (Contact, None, None),
    ],
)
def test_a_value_is_read(kind, text, value):
    assert TypeAdapter(kind).validate_python(text) == value


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [
        (NamedValues, "a=b, c=", "give NAME=VALUE, not 'c='"),
        (NamedValues, "=b", "give NAME=VALUE, not '=b'"),
        (NamedValues, "ab", "give NAME=VALUE, not 'ab'"),
        (ServiceUrl, "ftp://x.org", "is not a URL such as"),
        (ServiceUrl, "http://a:b@x.org", "is not a URL such as"),
        (ServiceUrl, "http://x.org?key=1", "is not a URL such as"),
        (Contact, "ada", "is 'ada', which is not an e-mail address"),
        *((Contact, text, "not an e-mail") for text in ("me@x", "http://x.org", "a b@x.org")),
        *((Contact, text, "not an e-mail") for text in ("@x.org", "a@b@c.org")),
        (Contact, "ada@example.org", "is 'ada@example.org', a placeholder"),
        *((Contact, f"a@{name}", "a placeholder") for name in ("mail.Example.com", "x.TEST")),
        (Contact, "a@a.invalid", "a placeholder that services refuse"),
    ],
)
def test_a_value_that_cannot_be_meant_is_refused(kind, text, words):
    with pytest.raises(ValidationError, match=words):
        TypeAdapter(kind).validate_python(text)


def test_a_skill_has_its_own_model_that_of_all_or_none():
    config = LLMConfig(model="m", judge_model=" Own ", intent_model=" NONE ")
    assert {skill.value: config.of(skill) for skill in Skill} == {
        **dict.fromkeys((skill.value for skill in Skill), "m"),
        "judge": "Own",
        "intent": "",
    }
