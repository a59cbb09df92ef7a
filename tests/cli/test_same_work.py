"""Two papers that may be one, at the command line."""

from pathlib import Path

import pytest
from tests.cli.conftest import Cli, Once

RECORDS = """
@article{a, title={Deep learning for molecular property prediction}, author={Smith, Ann},
  year={2019}, journal={NeurIPS}}
@article{b, title={Deep learning for molecular properties prediction}, author={Smith, A.},
  year={2017}, journal={J. Chem.}}
"""


@pytest.fixture
def in_doubt(cli: Cli, tmp_path: Path, once: Once) -> str:
    question = "deep learning for molecular prediction"

    def find() -> str:
        file = tmp_path / "library.bib"
        file.write_text(RECORDS)
        assert cli("library", "add", str(file)).code == 0
        found = cli("find", question, "--no-strategy-review", "--json", code=3)
        return str(found.document["thread_id"])

    return once(("in doubt",), find)


def test_a_pair_is_shown_with_what_speaks_for_it_merged_and_taken_apart_again(cli, reply, in_doubt):
    shown = cli("show", in_doubt)
    assert "Same work?" in shown.stdout
    assert "title 96% alike" in shown.stdout
    again = cli("resume", in_doubt, "--same", "1", "--json", code=3)
    [paper] = again.document["checkpoint"]["payload"]["collection"]["papers"]
    assert len(paper["merged_from"]) == 2
    done = reply(in_doubt, "--approve", "--split", "1", "--json")
    assert done.code == 0, done.stderr
    assert len(done.document["papers"]) == 2


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--same", "2"], "numbers from 1 to 1"),
        (["--different", "x"], "no such pair"),
        (["--split", "1"], "was not merged"),
        (["--same", "1", "--different", "1"], "one work and as two"),
    ],
)
def test_a_wrong_number_is_refused_and_the_question_stays_open(cli, in_doubt, options, named):
    ended = cli("resume", in_doubt, "--approve", *options, code=2)
    assert named in ended.stderr
    assert cli("show", in_doubt, "--json").document["status"] == "waiting"
