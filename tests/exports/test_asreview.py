"""What ASReview itself makes of our exports.

It has an environment of its own, `.venv-asreview`, which `.ci/run` makes.
"""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.served import bare_environment
from tests.exports.test_screening_tools import SCREENED

from paper_search.exports import export, suffix_of_format

pytestmark = pytest.mark.slow

PYTHON = Path(__file__).parents[2] / ".venv-asreview" / "bin" / "python"
FORMATS = ("asreview", "csv", "xlsx", "ris")
READ = """
import json, sys
from asreview.data.loader import load_records

columns = ("title", "authors", "abstract", "keywords", "year", "doi", "included")
print(json.dumps({
    file: [{name: getattr(record, name) for name in columns} for record in load_records(file)]
    for file in sys.argv[1:]
}))
"""


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """The records that ASReview reads, by the format that we wrote."""
    if not PYTHON.exists():
        pytest.skip("ASReview is installed by .ci/run, in an environment of its own")
    folder = tmp_path_factory.mktemp("asreview")
    files = {name: f"{name}{suffix_of_format(name)}" for name in FORMATS}
    for name, file in files.items():
        content = export(SCREENED, name)
        data = content if isinstance(content, bytes) else content.encode()
        (folder / file).write_bytes(data)
    done = subprocess.run(  # noqa: S603  # our own command
        [PYTHON, "-c", READ, *files.values()],
        cwd=folder,
        env=bare_environment(folder),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    return {name: found[file] for name, file in files.items()}


@pytest.mark.parametrize("name", FORMATS)
def test_asreview_reads_every_record_with_what_it_learns_from(read, name):
    assert [record["title"] for record in read[name]] == ["Bees 1", "Bees 2", "Bees 3"]
    for record in read[name]:
        assert (record["abstract"], record["year"]) == ("They dance.", 2020)
        assert record["doi"] == "10.1000/bees"


def test_asreview_takes_its_own_format_with_labels_names_and_keywords(read):
    assert [record["included"] for record in read["asreview"]] == [1, 0, None]
    for record in read["asreview"]:
        assert record["authors"] == ["Ada Lovelace", "Bo Li"]
        assert record["keywords"] == ["bees", "dance"]
