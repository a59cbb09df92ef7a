"""Every notebook runs from top to bottom, as a reader would run it."""

import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from jupyter_client.manager import AsyncKernelManager
from jupyter_core.utils import run_sync
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


def texts(notebook: NotebookNode) -> dict[str, str]:
    """Return what each cell prints, by its id, without dates and numbers."""
    printed = {
        cell.id: "".join(output.get("text", "") for output in cell.outputs)
        for cell in notebook.cells
        if cell.cell_type == "code"
    }
    number = re.compile(r"\d+ [A-Z][a-z]+ 20\d\d|\d[\d.,]*")
    return {name: number.sub("#", text) for name, text in printed.items()}


@pytest.fixture(scope="module")
def kernel() -> Iterator[AsyncKernelManager]:
    """One kernel for all: to start it and import the program takes longer than a notebook."""
    manager = AsyncKernelManager(kernel_name="python3")
    run_sync(manager.start_kernel)()
    yield manager
    run_sync(manager.shutdown_kernel)(now=True)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # the kernel's own client warns at its shutdown
@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_the_notebook_shows_what_its_reader_sees(path, kernel):
    written = nbformat.read(path, as_version=4)
    notebook = nbformat.read(path, as_version=4)
    forgetting = nbformat.v4.new_code_cell("%reset -f")  # what those before have left
    notebook.cells.insert(0, forgetting)
    client = NotebookClient(notebook, timeout=240, km=kernel)
    client.execute()
    client.kc.stop_channels()
    notebook.cells.remove(forgetting)
    assert shown(notebook) == shown(written)
    assert texts(notebook) == texts(written), "run the notebook again and keep its outputs"
    assert not any("error" in kinds for kinds in shown(notebook).values())
