"""What the README shows is what the program prints."""

import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"
WEIGHTS = README.parent / ".minilm"
"""Where `.ci/run` puts the package of the weights."""
QUESTION = "graph neural networks for molecular property prediction since 2018"
_THREAD = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_PROMPT = re.compile(r"(.*\] ?\w+ > )(\w+)")
_LEFT_OUT = "…"


def transcript(name: str) -> list[str]:
    """Return the lines after `<!-- transcript: NAME -->`."""
    found = re.search(
        rf"^<!-- transcript: {name} -->\n```text\n(.+?)\n```$",
        README.read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    assert found, name
    return found[1].splitlines()


def without_thread(line: str) -> str:
    """Return a line with the id of a thread, which is another one in each run, left out."""
    return _THREAD.sub("THREAD", line.rstrip())


def check(shown: Iterable[str], printed: str) -> None:
    """Fail at the first line that the program did not print in its place."""
    rest = [without_thread(line) for line in printed.splitlines()]
    may_skip = True
    for line in map(without_thread, shown):
        if line == _LEFT_OUT:
            may_skip = True
            continue
        place = rest.index(line) if line in rest else None
        assert place is not None, f"not printed, or not there: {line!r}\n\n{printed}"
        assert may_skip or place == 0, f"lines are missing before {line!r}: {rest[:place]}"
        rest, may_skip = rest[place + 1 :], False


needs_weights = pytest.mark.skipif(
    not WEIGHTS.is_dir() and "CI" not in os.environ, reason="`.ci/run` fetches the weights"
)


@pytest.fixture
def weights(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rank by meaning, as after the first command of the README."""
    assert home.is_dir()  # its environment comes first
    monkeypatch.syspath_prepend(str(WEIGHTS))
    path = os.pathsep.join(filter(None, [str(WEIGHTS), os.environ.get("PYTHONPATH")]))
    monkeypatch.setenv("PYTHONPATH", path)
    monkeypatch.setenv("PAPER_SEARCH_EMBEDDINGS", "minilm")


@needs_weights
@pytest.mark.usefixtures("weights")
def test_the_first_command_prints_what_the_readme_shows(cli):
    ended = cli("find", QUESTION, "--yes", "--output", "result.bib", code=0)
    check(transcript("unattended"), ended.stdout + ended.stderr)


@needs_weights
@pytest.mark.usefixtures("weights")
def test_a_search_at_a_terminal_looks_as_in_the_readme(person, cli):
    command, *shown = transcript("interactive")
    assert command == f'$ paper-search find "{QUESTION}" --max 3'
    assert cli("config", "set", "sources", "library").code == 0
    seated = person("find", QUESTION, "--max", "3", COLUMNS="90")
    answers = [match for line in shown if (match := _PROMPT.fullmatch(line))]
    assert len(answers) == 2
    for prompt, answer in (match.groups() for match in answers):
        seated.sees(prompt.rstrip())
        seated.types(answer)
    assert seated.leaves() == 0
    check(shown, seated.screen)


def python_block() -> str:
    found = re.search(
        r"^```python\n(.+?)^```$", README.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    assert found
    return found[1]


def test_the_python_of_the_readme_approves_one_question_after_the_other(cli, tmp_path):
    """As a plain file, in a process each; the settings do not have the thread's own source."""
    assert cli("config", "set", "sources", "library").code == 0
    asked = cli("find", QUESTION, "--source", "sample", "--json")
    thread = asked.document["checkpoint"]["run_id"]
    file = tmp_path / "approve.py"
    file.write_text(python_block().replace('"THREAD"', repr(thread)), encoding="utf-8")

    def run() -> str:
        command = [sys.executable, str(file)]
        ended = subprocess.run(  # noqa: S603  # the README's own
            command, capture_output=True, text=True, check=False, timeout=240, cwd=tmp_path
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    assert "result_review" in run()
    assert "ended_by=<EndReason.APPROVED" in run()
    assert cli("show", thread, "--json").document["status"] == "done"
