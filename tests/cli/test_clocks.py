"""A clock that goes back loses nothing: the latest step is the one that was taken last."""

import json
import shutil
import subprocess
import sys
from typing import Any

FAKETIME = shutil.which("faketime")


def test_a_thread_is_reviewed_and_ends_whatever_the_clock_does(cli, waiting):
    def resume(shift: str, *options: str) -> tuple[int, Any]:
        token = cli("show", waiting, "--json").document["open_checkpoint"]["token"]
        program = [sys.executable, "-m", "paper_search", "resume", waiting]
        command = [str(FAKETIME), "-f", shift, *program, *options, "--token", token, "--json"]
        ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)  # noqa: S603  # ours
        return ended.returncode, json.loads(ended.stdout)

    code, asked = resume("+3d", "--approve")
    assert code == 3
    assert asked["checkpoint"]["kind"] == "result_review"
    code, result = resume("-4d", "--approve")
    assert code == 0
    assert result["papers"]
    assert cli("show", waiting, "--json").document["status"] == "done"
