"""Names in rows that are cut are still told apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QFontMetrics

from gui.look.theme import LIGHT, font
from gui.widgets.apart import cut_apart
from gui.widgets.rows import RowButton

SCOPED = tuple(f"/encoder/layer.{i}/attention/self/MatMul_1" for i in (1, 10, 11))
BLOCKS = tuple(f"conv5_block{b}_{c}_conv" for b in (1, 2) for c in (1, 2))


@pytest.mark.usefixtures("qapp")
class TestCutApart:
    @pytest.mark.parametrize("names", [SCOPED, BLOCKS])
    @pytest.mark.parametrize("share", [0.6, 0.75, 0.9])
    def test_no_two_look_alike(self, names: tuple[str, ...], share: float) -> None:
        metrics = QFontMetrics(font(9.0))
        room = int(share * metrics.horizontalAdvance(names[0]))
        shown = [cut_apart(name, names, metrics, room) for name in names]
        assert len(set(shown)) == len(names)
        assert all(metrics.horizontalAdvance(text) <= room for text in shown)

    def test_what_all_share_goes_first(self) -> None:
        metrics = QFontMetrics(font(9.0))
        room = metrics.horizontalAdvance("…10/attention/self/MatMul_1") + 2
        assert cut_apart(SCOPED[1], SCOPED, metrics, room) == "…10/attention/self/MatMul_1"
        assert cut_apart(SCOPED[1], SCOPED, metrics, metrics.horizontalAdvance("…10/…")) == "…10/…"

    def test_words_of_plans_that_all_share_go_first(self) -> None:
        plans = (
            "Edge TPU, fastest, 8 stages",
            "Edge TPU, fastest for inference-time, 8 stages",
            "Edge TPU, exact, 8 stages",
        )
        metrics = QFontMetrics(font(9.0))
        room = metrics.horizontalAdvance("…fastest for inference-…")
        assert [cut_apart(name, plans, metrics, room) for name in plans[::2]] == [
            "…fastest, 8 stages",
            "…exact, 8 stages",
        ]
        assert cut_apart(plans[1], plans, metrics, room).startswith("…fastest for ")

    @given(st.lists(st.text("ab/_1", max_size=12), max_size=4), st.integers(0, 120))
    def test_what_fits_is_whole_and_nothing_is_wider_than_its_room(self, names: list[str], room: int) -> None:
        metrics = QFontMetrics(font(9.0))
        for name in names:
            shown = cut_apart(name, names, metrics, room)
            if metrics.horizontalAdvance(name) <= room:
                assert shown == name
            assert metrics.horizontalAdvance(shown) <= max(room, metrics.horizontalAdvance("…"))


@pytest.mark.parametrize("letters", [16, 20, 24])
def test_names_that_differ_at_several_places_keep_what_tells_them(qapp, letters: int) -> None:
    """No beginning, middle or end alone tells these apart: whole steps of their paths stay, or parts of these."""
    names = [
        f"/{way}.{i}/block.{j}/conv_{k}/Conv"
        for way in ("down", "up")
        for i in range(2)
        for j in range(3)
        for k in (1, 2)
    ]
    metrics = QFontMetrics(font(9.0))
    room = metrics.horizontalAdvance("n" * letters)
    shown = [cut_apart(name, names, metrics, room) for name in names]
    assert len(set(shown)) == len(names) and all(metrics.horizontalAdvance(one) <= room for one in shown)


def test_a_row_says_all_on_one_line_where_there_is_room(qapp) -> None:
    row = RowButton(LIGHT)
    row.set_row(SCOPED[0], "−1.2 %", mark="#336699")
    row.set_below("→ stage 1", SCOPED)
    assert row.fits_one_line(800) and not row.fits_one_line(250)
    assert row.shown_words(800) == f"{SCOPED[0]} → stage 1"
    row.set_two_lines(True)
    assert row.shown_words(800) == SCOPED[0]
    assert row.accessibleName() == f"{SCOPED[0]} → stage 1 −1.2 %"
    row.resize(220, 40)
    assert not row.grab().isNull()
