"""A sample of `benchmarks/kills.py`: one schedule of each kind, always the same."""

import pytest
from benchmarks.kills import KINDS, schedules

pytestmark = pytest.mark.slow


SEED = 20261123
"""Others are for `python -m benchmarks.kills --seed N`: a gate says the same on every day."""


def test_threads_whose_processes_are_killed_anywhere_end_as_if_they_had_not_been():
    """PER-01 PER-04: results are equal, and a kill costs at most the question in flight."""
    kills, wrong = schedules(len(KINDS), seed=SEED)
    assert kills
    assert wrong == []
