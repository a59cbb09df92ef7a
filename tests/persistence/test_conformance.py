"""LangGraph's own test suite for savers, on each persistence as we configure it."""

import base64
import os
from typing import Any

import pytest
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.conformance.capabilities import Capability

from paper_search.persistence import open_persistence

KEY = base64.b64encode(os.urandom(32)).decode()


@pytest.mark.parametrize("keys", [[], [KEY]], ids=["plain", "encrypted"])
@pytest.mark.parametrize("kind", ["memory", "sqlite", "postgres"])
async def test_the_saver_does_all_that_a_server_may_ask_of_it(kind, keys, request, tmp_path):
    """PER-21: the five basic abilities, pruning, copies, and the end of a run."""
    url = {"memory": "memory:", "sqlite": f"sqlite:///{tmp_path}/threads.db"}.get(kind)
    url = url or request.getfixturevalue("postgres_url")

    @checkpointer_test(name=f"{kind}-{len(keys)}")
    async def saver() -> Any:
        async with open_persistence(url, keys=keys) as persistence:
            yield persistence.checkpointer

    report = await validate(saver)
    failed = {name: result.failures for name, result in report.results.items() if not result.passed}
    assert failed == {}
    assert set(report.results) == {member.value for member in Capability}
