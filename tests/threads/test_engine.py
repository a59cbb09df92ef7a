"""What an engine tells whoever watches it."""

from typing import Any

from paper_search.threads.engine import Progress, step_phases


def test_a_phase_is_told_with_its_details_and_a_reporter_that_fails_stops_nothing(caplog):
    told: list[tuple[str, dict[str, Any]]] = []

    def report(phase: str, details: dict[str, Any]) -> None:
        told.append((phase, details))
        raise RuntimeError("the screen is gone")

    progress = Progress(report, step_phases)
    progress.events("step", {"step": "search", "attempt": 2})
    progress.tell("waiting", {"kind": "result_review"})
    assert told == [
        ("search", {"step": "search", "attempt": 2}),
        ("waiting", {"kind": "result_review"}),
    ]
    assert "the progress reporter failed at waiting" in caplog.text
