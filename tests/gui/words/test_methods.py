"""What planners, and plans that are called after them, are called where they are shown."""

from __future__ import annotations

import pytest

from gui.words.methods import shown_name


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("slice", "Slice"),
        ("slice (seed 3)", "Slice (seed 3)"),
        ("edge-tpu-balanced", "Compiler's segmentation"),
        ("my slice", "my slice"),
        ("slices", "slices"),
        ("", ""),
    ],
)
def test_plans_called_after_planners_have_their_titles(name: str, shown: str) -> None:
    assert shown_name(name) == shown
