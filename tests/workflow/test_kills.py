"""A process may be killed anywhere: at both ends of every step, after any write, in any place."""

import signal

import pytest
from tests.preforked import workers
from tests.workflow.crashing import SCRIPT, SKILLS, LoggingSkills
from tests.workflow.doubles import STEPS, workflow

from paper_search.persistence import open_persistence
from paper_search.testing.skills import ScriptedHandler
from paper_search.workflow import CheckpointKind, SearchWorkflow, ThreadCatalog, ThreadStatus

ROUNDS = [*STEPS, *STEPS[1:]]
POINTS = [
    *[(skill, int(skill != "parse"), "start") for skill in SKILLS],
    *[(skill, 0, "end") for skill in SKILLS],
    *[("write", after, "end") for after in (0, 3, 6, 11, 16)],
]
"""Who kills, after how many calls, and when; what can happen in the second round is tried there."""
IN_POSTGRESQL = [
    ("build", 1, "start"),
    ("organize", 0, "end"),
    *[("write", after, "end") for after in (0, 3, 11)],
]
"""The steps are the same; what differs is how they are stored."""


async def left_to_decide(url: str) -> list[object]:
    """Return what a person still has to answer, as the script has it."""
    async with open_persistence(url) as persistence:
        catalog = ThreadCatalog(persistence)
        info = await catalog.info("t")
        if info.checkpoint is None:
            decided = len(await persistence.ledger.entries("t"))
        else:
            decided = 2 * info.iteration + (info.checkpoint is CheckpointKind.RESULT_REVIEW)
    return SCRIPT[decided:]


def named(value: object) -> str:
    return "-".join(map(str, value)) if isinstance(value, tuple) else str(value)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("durable_url", "point"),
    [*[("sqlite", point) for point in POINTS], *[("postgres", point) for point in IN_POSTGRESQL]],
    indirect=["durable_url"],
    ids=named,
)
async def test_a_killed_process_leaves_a_thread_that_ends_as_others(durable_url, tmp_path, point):
    """PER-01 PER-03 PER-04 PER-13: only the step in flight is repeated, no decision is lost.

    The lease of the dead process does not have to run out first.
    """
    log = tmp_path / "calls"
    killed = workers().work("tests.workflow.crashing", durable_url, str(log), *point)
    assert killed == -signal.SIGKILL
    before = log.read_text().split() if log.exists() else []
    handler = ScriptedHandler(await left_to_decide(durable_url))
    flow = SearchWorkflow(*[LoggingSkills(str(log))] * 6, handler, persistence=durable_url)
    result = await flow.resume("t")
    assert result == await workflow(handler=ScriptedHandler(SCRIPT)).run("q")
    made = log.read_text().split()[len(before) :]
    repeated = len(before) + len(made) - len(ROUNDS)
    assert repeated in {0, 1}
    assert [*before, *made[repeated:]] == ROUNDS
    async with open_persistence(durable_url) as persistence:
        assert (await ThreadCatalog(persistence).info("t")).status is ThreadStatus.DONE
