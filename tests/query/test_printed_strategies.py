"""Strategies as eight systems print them are read as they are meant, or refused by line."""

import json
import os
from pathlib import Path

import pytest
from benchmarks.strategies import answer, checker
from tests.query.printed_strategies import STRATEGIES

from paper_search.errors import QuerySyntaxError
from paper_search.query.parser import analyse

PUBLISHED = (
    Path(os.environ.get("PAPER_SEARCH_SHARED", Path(__file__).parents[3] / "shared"))
    / "data"
    / "strategies_as_printed"
)


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: strategy.text[:40])
def test_a_printed_strategy_finds_what_it_is_meant_to_find(strategy):
    if strategy.line is not None:
        with pytest.raises(QuerySyntaxError) as caught:
            analyse(strategy.text)
        assert (caught.value.line or 1) == strategy.line
        return
    for documents, is_found in ((strategy.found, True), (strategy.missed, False)):
        for document in documents:
            found, remarks = answer(strategy.text, strategy.system, document)
            assert found == is_found, document
            assert remarks or not strategy.remark


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the printed strategies are not here")
def test_no_printed_strategy_is_read_wrong_without_a_word(capsys):

    rows = (PUBLISHED / "strategies.jsonl").read_text(encoding="utf-8").splitlines()
    assert checker(PUBLISHED).check(answer, map(json.loads, rows)) == 0
    assert capsys.readouterr().out.split()[-3:] == ["108", "0", "0"]
