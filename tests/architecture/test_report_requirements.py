"""The table of the report's requirements is what its script writes."""

import subprocess
import sys

from tests.architecture.tree import ROOT


def test_the_table_of_requirements_is_current():
    script = ROOT / "scripts" / "traceability.py"
    checked = subprocess.run([sys.executable, str(script), "--check"], check=False)  # noqa: S603  # ours
    assert checked.returncode == 0
