"""What all tests share: where the recorded answers of real services are."""

from pathlib import Path

import pytest

from paper_search.testing.recorded import recorded_answers

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
    config.addinivalue_line(
        "markers", "recorded(service): run for every recorded answer of a service"
    )
    given: Path | None = config.getoption("--recorded")
    if given is not None and not given.is_dir():
        raise pytest.UsageError(f"--recorded {str(given)!r} is no folder")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give a test that takes `recorded_answer` each of those that its mark names."""
    if "recorded_answer" not in metafunc.fixturenames:
        return
    folder = _folder(metafunc.config)
    marks = metafunc.definition.iter_markers("recorded")
    services = [service for mark in marks for service in mark.args]
    found = (
        [each for service in services for each in recorded_answers(folder, service)]
        if folder
        else []
    )
    absent = pytest.mark.skip("the recorded answers are not here")
    metafunc.parametrize(
        "recorded_answer",
        found or [pytest.param(None, marks=absent)],
        ids=str,
    )


@pytest.fixture(scope="session")
def recorded(pytestconfig: pytest.Config) -> Path:
    """Return the folder of recorded answers; where there is none, the test is skipped."""
    folder = _folder(pytestconfig)
    if folder is None:
        pytest.skip("the recorded answers are not here")
    return folder


def _folder(config: pytest.Config) -> Path | None:
    given: Path | None = config.getoption("--recorded")
    folder = given or _BESIDE
    return folder.resolve() if folder.is_dir() else None
