"""What the dialog that opens models lists, and where dropped files go."""

from __future__ import annotations

from pathlib import Path

import pytest

from gui.shell.kinds import sort_files
from gui.shell.model_files import MODELS
from planner.formats import FORMATS, SUFFIXES
from planner.formats.networks.read import NETWORK_SUFFIXES

DATA = Path(__file__).resolve().parents[2] / "data"


def test_the_dialog_lists_every_format() -> None:
    first, *others = MODELS.split(";;")
    assert all(f"*{suffix}" in first for suffix in (*SUFFIXES, *NETWORK_SUFFIXES))
    assert {form.title for form in FORMATS} <= {filter.partition(" (")[0] for filter in others}
    assert "Keras (*.keras *.h5 *.hdf5)" in others and others[-1] == "All files (*)"


@pytest.mark.parametrize(
    "name", ["small.keras", "small.h5", "small.pt2", "small.txt", "small.pbtxt", "small.json"]
)
def test_dropped_models_are_graphs(name: str) -> None:
    assert sort_files([DATA / name]).graphs == (DATA / name,)
