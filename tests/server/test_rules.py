"""What a request may say."""

from __future__ import annotations

import pytest

from paper_search.errors import RequestRefusedError
from paper_search.server.rules import (
    check_metadata,
    check_path,
    checked_run,
    named_checkpoints,
    without_checkpoints,
)

RUN = {"assistant_id": "paper_search", "input": {"question": "q"}}


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/threads/t/state"),
        ("POST", "/threads/state/bulk"),
        ("POST", "/threads/t/copy"),
        ("POST", "/threads/prune"),
        ("POST", "/threads/t/commands"),
        ("POST", "/threads/t/runs/crons"),
        ("POST", "/runs"),
        ("POST", "/runs/wait"),
        ("POST", "/runs/batch"),
        ("POST", "/runs/crons"),
        ("POST", "/runs/cancel"),
        ("POST", "/assistants"),
        ("PATCH", "/assistants/a"),
        ("DELETE", "/assistants/a"),
        ("PUT", "/store/items"),
        ("POST", "/store/items/search"),
        ("POST", "/internal/truncate"),
        ("POST", "/threads/t/runs/wait/../../state"),
        ("TRACE", "/threads"),
    ],
)
def test_what_would_go_round_the_questions_is_closed__sec_03(method, path):
    with pytest.raises(RequestRefusedError) as refusal:
        check_path(method, path)
    assert refusal.value.status == 403


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/threads/t/state"),
        ("POST", "/threads"),
        ("POST", "/threads/search"),
        ("POST", "/threads/t/runs"),
        ("POST", "/threads/t/runs/stream"),
        ("POST", "/threads/t/runs/wait"),
        ("POST", "/threads/t/runs/r/cancel"),
        ("POST", "/threads/t/history"),
        ("PATCH", "/threads/t"),
        ("DELETE", "/threads/t"),
    ],
)
def test_what_studio_needs_is_open(method, path):
    check_path(method, path)


@pytest.mark.parametrize(
    "extra",
    [
        {"command": {"goto": "search"}},
        {"command": {"update": {"strategy": None, "x": 1}}},
        {"command": {"resume": "approve", "goto": ["search"]}},
        {"command": {"resume": "approve", "update": [["question", "x"]]}},
        {"config": {"configurable": {"__pregel_resuming": True}}},
        {"config": {"configurable": {"langgraph_auth_user_id": "bob"}}},
        {"config": {"configurable": {"thread_id": "other"}}},
        {"config": {"configurable": {"checkpoint_ns": "x"}}},
        {"metadata": {"owner": "bob"}},
        {"webhook": "http://evil.example"},
        {"after_seconds": 60},
        {"interrupt_before": ["search"]},
    ],
)
def test_a_run_that_steers_the_graph_is_refused__sec_03(extra):
    with pytest.raises(RequestRefusedError) as refusal:
        checked_run({**RUN, **extra})
    assert refusal.value.status == 403


@pytest.mark.parametrize("extra", [{"command": "approve"}, {"metadata": []}, {"as_node": "x"}])
def test_a_run_of_another_shape_is_refused(extra):
    with pytest.raises(RequestRefusedError) as refusal:
        checked_run({**RUN, **extra})
    assert refusal.value.status == 422


def test_a_run_is_alone_on_its_thread_and_saves_each_step():
    asked = {**RUN, "multitask_strategy": "enqueue", "durability": "exit", "feedback_keys": ["f"]}
    assert checked_run(asked) == {**RUN, "multitask_strategy": "reject", "durability": "sync"}


def test_empty_fields_that_clients_send_are_taken():
    empty = {"command": None, "interrupt_before": [], "webhook": None, "metadata": None}
    assert checked_run({**RUN, **empty})["input"] == RUN["input"]


def test_an_owner_is_nobodys_to_set():
    with pytest.raises(RequestRefusedError):
        check_metadata({"metadata": {"owner": "bob"}})


def test_a_checkpoint_is_found_wherever_a_run_names_it():
    run = {
        "checkpoint_id": "a",
        "checkpoint": {"checkpoint_id": "b"},
        "config": {"configurable": {"checkpoint_id": "c", "x": 1}},
    }
    assert named_checkpoints(run) == {"a", "b", "c"}
    assert without_checkpoints(run) == {"config": {"configurable": {"x": 1}}}
    assert named_checkpoints({"config": None, "checkpoint": None}) == set()
