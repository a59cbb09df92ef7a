"""Every notebook runs from top to bottom, as a reader would run it."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[2] / "notebooks"


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # the kernel's own client warns at its shutdown
@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_the_notebook_runs_and_plots(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    outputs = [each for cell in notebook.cells for each in cell.get("outputs", [])]
    assert any("image/png" in each.get("data", {}) for each in outputs)
    assert not any(each.output_type == "error" for each in outputs)
