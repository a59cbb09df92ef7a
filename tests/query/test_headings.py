from __future__ import annotations

import pytest

from paper_search.query import Phrase, evaluate, headings_as_words, judge, parse, render


@pytest.mark.parametrize(
    ("query", "plain"),
    [
        ("mesh:seizures", "seizures"),
        ('mesh:"carcinoma, basal cell"', '"basal cell carcinoma"'),
        (
            'mesh:"neoplasms, cystic, mucinous, and serous"',
            '"neoplasms cystic mucinous and serous"',
        ),
        ('rain OR (mesh:bees NOT mesh:"honey, raw")', 'rain OR (bees AND (NOT "raw honey"))'),
        ("(mesh:bees NEAR/3 rain)", "bees NEAR/3 rain"),
        ('title:"a, b"', 'title:"a, b"'),
    ],
)
def test_a_heading_as_words_is_turned_round(query: str, plain: str) -> None:
    assert render(headings_as_words(parse(query))).replace(",", "") == plain.replace(",", "")


def test_a_heading_is_written_as_it_is_read() -> None:
    tree = parse('MESH:"Carcinoma, Basal Cell"')
    assert tree == Phrase(("Carcinoma,", "Basal", "Cell"), "mesh")
    assert parse(render(tree)) == tree


def test_a_heading_matches_where_its_words_stand() -> None:
    tree = parse('mesh:"carcinoma, basal cell"')
    assert evaluate(tree, {"title": "On basal cell carcinoma", "abstract": ""})
    assert not evaluate(tree, {"title": "Carcinoma, basal or cell", "abstract": ""})


def test_whether_a_paper_has_a_heading_that_its_words_do_not_say_cannot_be_told() -> None:
    tree = parse('mesh:"heart failure"')
    known = {"title": "Pump failure", "abstract": "None."}
    assert judge(tree, known) is None
    assert judge(tree, {"title": "Heart failure", "abstract": "None."}) is True
    assert judge(parse('rain AND mesh:"heart failure"'), known) is False
