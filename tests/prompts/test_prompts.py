import pytest

from paper_search.errors import UnknownNameError
from paper_search.prompts import load_prompt


@pytest.mark.parametrize("domain", ["", "unknown", "../secrets", "intent_parser"])
def test_an_unknown_domain_adds_nothing(domain):
    assert load_prompt("query_builder", domain) == load_prompt("query_builder")


@pytest.mark.parametrize("name", ["nope", "../prompts/intent_parser", "/etc/passwd", ""])
def test_a_name_that_is_none_is_refused(name):
    with pytest.raises(UnknownNameError, match="intent_parser"):
        load_prompt(name)
