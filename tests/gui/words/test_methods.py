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
        ("edge-tpu-balanced, 4 stages", "Compiler's segmentation, 4 stages"),
        ("slice, edited", "Slice, edited"),
        ("slice 2", "Slice 2"),
        ("second (slice)", "second (slice)"),
        ("second (edge-tpu-balanced)", "second (compiler's segmentation)"),
        ("blocks", "Blocks by price"),
        ("slice of bread", "slice of bread"),
        ("slice and dice (mine)", "slice and dice (mine)"),
        ("my slice", "my slice"),
        ("slices", "slices"),
        ("", ""),
    ],
)
def test_plans_called_after_planners_have_their_titles(name: str, shown: str) -> None:
    assert shown_name(name) == shown
