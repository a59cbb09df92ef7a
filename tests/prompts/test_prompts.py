import pytest

from paper_search.errors import UnknownNameError
from paper_search.prompts import load_prompt


def test_materials_science_adds_its_instructions() -> None:
    assert "material families" in load_prompt("intent_parser", "materials_science")
    assert "material families" not in load_prompt("intent_parser", "general")


@pytest.mark.parametrize("domain", ["", "unknown", "../secrets", "intent_parser"])
def test_an_unknown_domain_adds_nothing(domain: str) -> None:
    assert load_prompt("query_builder", domain) == load_prompt("query_builder")


@pytest.mark.parametrize("name", ["nope", "../prompts/intent_parser", "/etc/passwd", ""])
def test_a_name_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(UnknownNameError, match="intent_parser"):
        load_prompt(name)


@pytest.mark.parametrize("name", ["relevance_scorer", "deduplicator", "query_builder"])
def test_prompts_that_come_with_titles_say_that_they_are_data(name: str) -> None:
    assert "data" in load_prompt(name)
    assert "instruction" in load_prompt(name)
