import pytest

from paper_search.errors import QuerySyntaxError
from paper_search.skills.strategy.trees import any_block, block_texts, broader_steps, query_text


def steps(query: str) -> list[tuple[str, str]]:
    return [tuple(step) for step in broader_steps(query)]


def test_a_compound_with_a_hyphen_is_no_commoner_than_the_same_in_one_word():
    [_, step, *_] = steps('"lake ice" AND (blockchain OR block-chain) AND food')
    assert step[0] == "without food, with phrases as single words"


def test_steps_go_from_phrases_to_words_and_then_drop_the_commonest_block():
    assert steps('"acid rain" AND data AND (lichens OR moss)') == [
        ("words instead of phrases", "acid AND rain AND data AND (lichens OR moss)"),
        ("without data, with phrases as single words", "acid AND rain AND (lichens OR moss)"),
        (
            "any one of the blocks, with phrases as single words",
            "(acid AND rain) OR data OR lichens OR moss",
        ),
    ]
    assert [name for name, _ in steps("title:bees AND abstract:wax AND (a OR b)")] == [
        "anywhere, not only in the fields named",
        "without a, in any field",
        "any one of the blocks, in any field",
    ]


def test_limits_to_fields_go_first():
    assert steps("title:bees AND abstract:wax")[0] == (
        "anywhere, not only in the fields named",
        "bees AND wax",
    )


@pytest.mark.parametrize(
    "fixed", ["NOT wasps", "AND year:2001-", "AND author:Smith", "AND language:de"]
)
def test_exclusions_years_and_authors_stay_in_every_step(fixed):
    for step in broader_steps(f'"acid rain" AND bees {fixed}'):
        assert fixed.rsplit(maxsplit=1)[-1] in step.boolean_query
    assert [block.boolean_query for block in block_texts(f'"acid rain" AND bees {fixed}')] == [
        '"acid rain"',
        "bees",
    ]


@pytest.mark.parametrize("query", ["bees", 'mesh:"acid rain"'])
def test_one_word_and_one_heading_have_no_broader_form(query):
    assert broader_steps(query) == []


def test_a_query_that_cannot_be_read_has_none():
    with pytest.raises(QuerySyntaxError):
        broader_steps("(bees")
    assert any_block("(bees") is None
    assert block_texts("(bees") == []


def test_for_any_block_one_term_of_all_is_enough():
    tree = any_block('("acid rain" OR smog) AND bees NOT wasps')
    assert tree is not None
    assert query_text(tree) == '("acid rain" OR smog OR bees) NOT wasps'


def test_a_block_beside_a_term_has_no_term_that_this_one_says_already():
    tree = any_block('bees AND ("acid rain" OR smog)', besides=["wild bees"])
    assert tree is not None
    assert query_text(tree) == '"acid rain" OR smog'
