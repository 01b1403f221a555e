"""The five lines in a notebook: where nbclient is installed, a kernel runs them, and what it shows is the picture."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CELLS = (
    "import stageboard as sb",
    f"graph = sb.read({str(ROOT / 'tests' / 'data' / 'small.json')!r})\ngraph",
    "plan = sb.plan(graph, 'pipeline:2', planner='slice', prove=0)\nplan",
    "print(plan)",
    "plan.devices",
    "sb.read('no-such.onnx')",
)


@pytest.mark.allow_leaks("threads", "processes")
def test_a_notebook_shows_graphs_plans_and_devices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ipykernel")
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    nbclient.NotebookClient(
        book, timeout=120, resources={"metadata": {"path": str(tmp_path)}}, allow_errors=True
    ).execute()
    outputs = [cell["outputs"] for cell in book.cells]
    for number, shown in ((1, "<svg"), (2, "<table"), (4, "<table")):
        data = outputs[number][0]["data"]
        assert shown in data["text/html"] and "\n" not in data["text/plain"], data
    assert outputs[3][0]["text"].count("\n") == 4
    assert outputs[5][0]["ename"] == "ModelError" and "no-such.onnx does not exist" in outputs[5][0]["evalue"]
