"""`paper-search share`: who else sees a search."""

import json
from typing import Any

import pytest

TOKENS = "ada=token-of-ada-0123456789, bob=token-of-bob-0123456789"


@pytest.fixture
def thread(cli: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    """A search that waits with its strategy, at a server with two accounts."""
    monkeypatch.setenv("PAPER_SEARCH_TOKENS", TOKENS)
    begun = cli("find", "hepatotoxicity of molecules", "--source", "sample", "--json")
    return str(begun.document["thread_id"])


def test_a_search_is_shared_and_that_is_on_record(cli, thread, tmp_path):
    assert "no account ''" in cli("share", thread, "--with", "", code=2).stderr
    assert cli("share", "nothing", "--with", "bob").code == 4
    assert "Nobody else" in cli("share", thread).stderr
    for role, shared in (("reader", {"bob": "reader"}), ("reviewer", {"bob": "reviewer"}),
                         ("none", {})):  # fmt: skip
        ended = cli("share", thread, "--with", "bob", "--as", role, "--json")
        assert (ended.code, ended.document["shared_with"]) == (0, shared)
    assert cli("audit", thread, "--output", str(tmp_path / "audit")).code == 0
    decisions = (tmp_path / "audit" / "decisions.csv").read_text()
    assert (decisions.count('"shared"'), decisions.count('"with bob as reader"')) == (3, 1)
    shown = json.loads(cli("show", thread, "--json").stdout)
    assert shown["open_checkpoint"]["kind"] == "strategy_confirmation"
