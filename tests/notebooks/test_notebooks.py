"""Every notebook runs from top to bottom, as a reader would run it."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode

FOLDER = Path(__file__).parents[2] / "notebooks"


def shown(notebook: NotebookNode) -> dict[str, set[str]]:
    """Return what kinds of output each cell has, by the id of the cell."""
    return {
        cell.id: {
            kind for output in cell.outputs for kind in output.get("data", {output.output_type: 0})
        }
        for cell in notebook.cells
        if cell.cell_type == "code"
    }


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # the kernel's own client warns at its shutdown
@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_the_notebook_shows_what_its_reader_sees(path):
    written = nbformat.read(path, as_version=4)
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=240, kernel_name="python3").execute()
    assert shown(notebook) == shown(written)
    assert not any("error" in kinds for kinds in shown(notebook).values())
