"""Free width goes to cards before it goes to the gaps between them: they have names to show."""

from __future__ import annotations

import numpy as np

from gui.layout.assemble import JUSTIFY_W, JUSTIFY_X
from gui.layout.flow import flow_layout
from gui.layout.lanes import lanes_layout
from gui.layout.skeleton import prepare
from gui.layout.style import LayoutStyle

STYLE = LayoutStyle()


def chain(n: int, viewport: tuple[float, float]):  # type: ignore[no-untyped-def]
    """The layout of ops in a row."""
    ends = np.arange(n - 1, dtype=np.int32)
    return flow_layout(prepare(n, ends, ends + 1), viewport)


def test_cards_grow_first_and_never_beyond_what_looks_well() -> None:
    widths = []
    for wide in (600.0, 1400.0, 3000.0, 9000.0):
        layout = chain(5, (wide, 600.0))
        gap = float(np.diff(layout.x)[0] - layout.w[0]) if layout.y[0] == layout.y[1] else STYLE.gap_x
        assert STYLE.card_w <= layout.w[0] <= (1 + JUSTIFY_W) * STYLE.card_w + 1e-6
        assert STYLE.gap_x - 1e-6 <= gap <= (1 + JUSTIFY_X) * STYLE.gap_x + 1e-6
        if gap > STYLE.gap_x + 1e-6:
            assert np.isclose(layout.w[0], (1 + JUSTIFY_W) * STYLE.card_w), "cards have all they may have"
        widths.append(float(layout.w[0]))
    assert widths[-1] > widths[0]


def test_a_layout_that_is_kept_keeps_the_width_of_its_cards() -> None:
    ends = np.arange(11, dtype=np.int32)
    skeleton = prepare(12, ends, ends + 1)
    first = lanes_layout(skeleton, (np.arange(12) // 4).astype(np.int32), 3, (4000.0, 600.0))
    again = lanes_layout(skeleton, (np.arange(12) // 5).astype(np.int32), 3, (900.0, 900.0), keep=first.frame)
    assert np.allclose(first.w, again.w) and first.frame.card_w == again.frame.card_w > STYLE.card_w
