"""A notebook run from start to end: every value shows itself."""

import json
import subprocess
import sys

import pytest

pytest.importorskip("nbclient", reason="nbclient is not installed")
pytest.importorskip("ipykernel", reason="ipykernel is not installed")

CELLS = (
    'import ldag\nheart = ldag.datasets.load("heart")\nfit = ldag.learn(heart, kappa=0.3)\nfit',
    "fit.ldag",
    "fit.network",
    'fit.network.classes("pressure")',
    'fit.network.query("pressure", given={"smoking": "yes"})',
    "fit.trace",
    "heart",
    "fit.score",
    "ldag.compare(fit.ldag, fit.ldag)",
    "ldag.posterior(fit, max_parents=3)",
)
RUN = """
import json, sys
import nbclient, nbformat
from jupyter_client.manager import AsyncKernelManager

class Manager(AsyncKernelManager):
    def format_kernel_cmd(self, extra_arguments=None):
        return [sys.executable, "-m", "ipykernel_launcher", "-f", self.connection_file, *(extra_arguments or [])]

cells = [nbformat.v4.new_code_cell(cell) for cell in json.loads(sys.argv[1])]
notebook = nbformat.v4.new_notebook(cells=cells)
nbclient.NotebookClient(notebook, timeout=120, km=Manager()).execute()
print(json.dumps([[o["data"] for o in cell.outputs if o.output_type == "execute_result"] for cell in notebook.cells]))
"""


def test_every_value_shows_itself() -> None:
    """As HTML or as a picture, never as a dump of fields."""
    command = [sys.executable, "-W", "ignore", "-c", RUN, json.dumps(CELLS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    for cell, outputs in zip(CELLS, json.loads(done.stdout.splitlines()[-1]), strict=True):
        (data,) = outputs
        assert set(data) & {"text/html", "image/svg+xml"}, cell
        assert len(data["text/plain"].splitlines()) <= 5, cell
