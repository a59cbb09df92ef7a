"""Homes with the sample in place, commands run in process, and a terminal with a person at it."""

import contextlib
import fcntl
import json
import os
import pty
import re
import select
import shlex
import shutil
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
import typer.main
from tests.preforked import commands as preforked_commands
from typer.testing import CliRunner

from paper_search.cli.app import app
from paper_search.testing.model_server import ModelServer, run_model_server

QUESTION = "hepatotoxicity of molecules"
"""The sample has forty papers on it, all of which are shown."""
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[=>]")
_OURS = ("LLM_", "PAPER_SEARCH_", "ZOTERO_", "DATABASE_URL", "EDITOR", "VISUAL")
_WINDOW = {"TERM": "dumb", "COLUMNS": "140", "LINES": "50"}
_PATIENCE_S = 240.0
_REST_S = 0.3


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    stdout: str
    stderr: str

    @property
    def document(self) -> Any:
        return json.loads(self.stdout)

    def shows(self, *words: str) -> None:
        """Check that stderr has the words in this order."""
        place = 0
        for each in words:
            place = self.stderr.find(each, place)
            assert place >= 0, f"no {each!r} there in:\n{self.stderr}"
            place += len(each)


Cli = Callable[..., Ended]


@pytest.fixture
def home(tmp_path: Path, unpacked_sample: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh home, which the environment names; no editor, and no settings of this machine."""
    path = tmp_path / "home"
    path.mkdir()
    (path / unpacked_sample.name).symlink_to(unpacked_sample)
    for name in list(os.environ):
        if name.startswith(_OURS) or name.endswith(("_API_KEY", "_MAX_CALLS", "_RATE_LIMIT")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PAPER_SEARCH_HOME", str(path))
    monkeypatch.setenv("PAPER_SEARCH_EMBEDDINGS", "none")  # weights may be installed
    # However the tests were started, what is tried here is the installed command.
    monkeypatch.setattr(sys, "argv", ["paper-search"])
    monkeypatch.chdir(tmp_path)
    return path


@pytest.fixture(scope="session")
def commands() -> Callable[..., object]:
    """The tree of commands, built once: building it takes longer than many commands."""
    return typer.main.get_command(app).main


@pytest.fixture
def cli(home: Path, commands: Callable[..., object]) -> Cli:
    """Run a command in this process; `code`: how it has to end.

    `typed`: what a person at a terminal types, line by line, and Ctrl-D; without: no terminal.
    """
    assert home.is_dir()

    def run(
        *args: str,
        stdin: str | None = None,
        code: int | None = None,
        typed: Sequence[str] | None = None,
        **env: str,
    ) -> Ended:
        if typed is not None:
            stdin, env = "".join(f"{line}\n" for line in typed), {**_WINDOW, **env}
        with CliRunner().isolation(input=stdin, env=env) as (out, err, _):
            if typed is not None:
                for stream in (sys.stdin, sys.stderr):
                    vars(stream)["isatty"] = lambda: True
            with pytest.raises(SystemExit) as ended:
                commands([*args], prog_name="paper-search")
            sys.stdout.flush()
            stdout, stderr = out.getvalue().decode(), err.getvalue().decode()
        assert "Traceback" not in stderr, stderr
        exit_code = ended.value.code if isinstance(ended.value.code, int) else 0
        assert code in {None, exit_code}, (exit_code, stderr)
        return Ended(exit_code, stdout, stderr)

    return run


@pytest.fixture
def model_answers() -> dict[str, Any]:
    """What the model answers besides what any does, by the name of the schema."""
    return {}


@pytest.fixture
def model(
    home: Path, monkeypatch: pytest.MonkeyPatch, model_answers: dict[str, Any]
) -> Iterator[ModelServer]:
    """A model with a price, on this machine."""
    assert home.is_dir()
    monkeypatch.setenv("LLM_MODEL", "gpt-4o-mini")
    monkeypatch.setenv("OPENAI_API_KEY", "CANARY-key")
    with run_model_server(model_answers) as server:
        monkeypatch.setenv("LLM_BASE_URL", server.url)
        yield server


@pytest.fixture
def reply(cli: Cli) -> Cli:
    """Answer the open question of a thread, by its token, as the printed commands do."""

    def run(thread: str, *options: str) -> Ended:
        shown = cli("show", thread, "--json").document
        question = shown.get("open_checkpoint") or shown["open_review"]
        return cli("resume", thread, "--token", question["token"], *options)

    return run


@pytest.fixture
def plain_audits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw no pictures and make no Word document, which take longer than the rest of an audit."""
    for name in ("is_available", "has_pandoc"):
        monkeypatch.setattr(f"paper_search.audit.writing.{name}", lambda: False)


Once = Callable[[tuple[str, ...], Callable[[], str]], str]


@pytest.fixture(scope="session")
def homes_with_a_thread() -> dict[tuple[str, ...], tuple[Path, str]]:
    """Homes as some commands left them, each with the id of its thread."""
    return {}


@pytest.fixture
def once(
    home: Path,
    homes_with_a_thread: dict[tuple[str, ...], tuple[Path, str]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Once:
    """Make a thread once for all tests that begin with one of that name; return its id."""
    made: list[str] = []

    def make_or_copy(name: tuple[str, ...], make: Callable[[], str]) -> str:
        if made or name not in homes_with_a_thread:
            made.append(make())
            if len(made) > 1:  # no home that was kept has both threads
                return made[-1]
            kept = tmp_path_factory.mktemp("home-with-a-thread") / "home"
            shutil.copytree(home, kept, symlinks=True)
            homes_with_a_thread[name] = kept, made[-1]
            return made[-1]
        kept, thread_id = homes_with_a_thread[name]
        made.append(thread_id)
        shutil.rmtree(home)
        shutil.copytree(kept, home, symlinks=True)
        return thread_id

    return make_or_copy


@pytest.fixture
def editor(tmp_path: Path) -> Callable[[str], str]:
    """An EDITOR that does to the form what a piece of Python does to `form`."""

    def written(body: str) -> str:
        script = tmp_path / "editor.py"
        script.write_text(
            "import pathlib, sys\n"
            "path = pathlib.Path(sys.argv[1])\n"
            f"form = path.read_text()\n{body}\npath.write_text(form)\n"
        )
        return shlex.join([sys.executable, str(script)])

    return written


@pytest.fixture
def question() -> str:
    """What is searched for, where a file of tests does not need another question."""
    return QUESTION


@pytest.fixture
def searched(cli: Cli, question: str, once: Once) -> Callable[..., str]:
    """Search the sample with some options, once for all tests; return the id of the thread."""

    def search(code: int, *options: str) -> str:
        asked = (question, *options)

        def find() -> str:
            ended = cli("find", *asked, "--source", "sample", "--json")
            assert ended.code == code
            return str(ended.document["thread_id"])

        return once(asked, find)

    return search


@pytest.fixture
def waiting(searched: Callable[..., str]) -> str:
    """A thread that waits at checkpoint 1."""
    return searched(3)


@pytest.fixture
def reviewing(searched: Callable[..., str]) -> str:
    """A thread that waits at checkpoint 2."""
    return searched(3, "--no-strategy-review")


@pytest.fixture
def done(searched: Callable[..., str]) -> str:
    """A thread that is done."""
    return searched(0, "--yes")


@pytest.fixture
def done_by_hand(cli: Cli, reply: Cli, question: str, once: Once) -> str:
    """A thread that a person took to its end."""

    def find_and_approve() -> str:
        ended = cli("find", question, "--source", "sample", "--json")
        thread = str(ended.document["thread_id"])
        assert [ended.code, reply(thread, "--approve").code] == [3, 3]
        assert reply(thread, "--approve").code == 0
        return thread

    return once(("by hand", question), find_and_approve)


class Person:
    """A person at a terminal: reads what appears, types lines, presses Ctrl-C."""

    def __init__(self, *args: str, env: dict[str, str], stdout: Path | None) -> None:
        self._preforked = preforked_commands()
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 140, 0, 0))
        with stdout.open("wb") if stdout is not None else contextlib.nullcontext() as file:
            stdio = [slave, file.fileno() if file else slave, slave]
            environment = {**_inherited(), "TERM": "xterm", **env}
            self._process = psutil.Process(self._preforked.begin(args, environment, stdio))
        self._code: int | None = None
        os.close(slave)
        self.screen = ""
        self.raw = ""
        """The same with the codes that colour it."""
        self._read_up_to = 0

    def sees(self, words: str) -> None:
        """Wait until the words appear after what was seen last."""
        limit = time.monotonic() + _PATIENCE_S
        while (found := self.screen.find(words, self._read_up_to)) < 0:
            assert time.monotonic() < limit, f"no {words!r} in:\n{self.screen}"
            assert self._look(), f"ended without {words!r}:\n{self.screen}"
        self._read_up_to = found + len(words)

    def types(self, line: str) -> None:
        os.write(self._master, f"{line}\n".encode())

    def resizes(self, columns: int) -> None:
        """Make the window that wide."""
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))

    def presses_ctrl_c(self) -> None:
        self._process.send_signal(signal.SIGINT)

    def rests(self) -> None:
        """Wait until the command waits, too: a prompt that is being drawn is deaf to Ctrl-C."""
        is_waiting = False
        while not is_waiting:
            while select.select([self._master], [], [], _REST_S)[0]:
                assert self._look(), f"ended:\n{self.screen}"
            is_waiting = self._process.status() == psutil.STATUS_SLEEPING

    def leaves(self) -> int:
        """Read on until the command ends; return its exit code."""
        while self._look():
            pass
        return self._ended()

    def close_at_once(self) -> None:
        """Kill the command as the system does, without a word."""
        if self._code is None:
            self._process.kill()
            self._ended()

    def close(self) -> None:
        self.close_at_once()
        os.close(self._master)

    def _ended(self) -> int:
        if self._code is None:
            self._code = self._preforked.wait(self._process.pid)
        return self._code

    def _look(self) -> bool:
        if not select.select([self._master], [], [], _PATIENCE_S)[0]:
            pytest.fail(f"nothing more appears:\n{self.screen}")
        with contextlib.suppress(OSError):  # Linux: the other end is closed
            if block := os.read(self._master, 65_536):
                self.raw += block.decode("utf-8", "replace")
                plain = _ESCAPES.sub("", block.decode("utf-8", "replace"))
                self.screen += plain.replace("\r", "")
                return True
        return False


def _inherited() -> dict[str, str]:
    """Return the environment without the size of a window, which test runners leave there."""
    return {name: said for name, said in os.environ.items() if name not in {"COLUMNS", "LINES"}}


@pytest.fixture
def person(home: Path) -> Iterator[Callable[..., Person]]:
    """Seat a person at a terminal where a command has been typed."""
    assert home.is_dir()
    seated: list[Person] = []

    def seat(*args: str, stdout: Path | None = None, **env: str) -> Person:
        seated.append(Person(*args, env=env, stdout=stdout))
        return seated[-1]

    yield seat
    for lease in seated:
        lease.close()
