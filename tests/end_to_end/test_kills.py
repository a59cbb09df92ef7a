"""A sample of `benchmarks/kills.py`: one schedule of each kind, of a seed that the day draws."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from benchmarks.kills import KINDS, schedules

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def test_threads_whose_processes_are_killed_anywhere_end_as_if_they_had_not_been() -> None:
    """PER-01 PER-04: results are equal, and a kill costs at most the question in flight."""
    kills, wrong = schedules(len(KINDS), seed=datetime.now(UTC).toordinal())
    assert kills
    assert wrong == []
