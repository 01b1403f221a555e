"""I/Os against memory: exact samples, where they are taken, what the plot shows and what a click or a key changes."""

from __future__ import annotations

import math
from collections.abc import Generator
from contextlib import contextmanager

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.document.network.document import OrderDocument
from gui.look.theme import DARK, LIGHT
from gui.panels.network.plots.plots import COUNTING, PlotsPanel
from gui.panels.network.plots.sampling import MOST_SAMPLES, Curves, Sampling
from gui.panels.network.plots.words import bound_lines, policy_colour, sample_words, standing_words
from planner.machines.two_level_memory.orders.io_bounds import io_bounds
from planner.machines.two_level_memory.orders.live import memory_of
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.target import LEAST, POLICIES, TwoLevelMemory
from tests.gui.editors.network.models import document_of, layered_network, shuffled_order
from tests.gui.window_parts import settle, shown


def never() -> bool:
    return False


def all_of(sampling: Sampling) -> Curves:
    while (curves := sampling.work(never)) is None or not curves.complete:
        pass
    return curves


@contextmanager
def plotted(qtbot: QtBot) -> Generator[PlotsPanel]:
    """A panel with its curves; no fixture, which would keep the parts of the plot that nobody owns."""
    document = document_of()
    panel = PlotsPanel(document, LIGHT)
    with shown(qtbot, panel, 520, 280):
        quiet(qtbot, panel)
        yield panel
    panel.end_threads()
    document.close()
    document.deleteLater()


def quiet(qtbot: QtBot, panel: PlotsPanel) -> None:
    qtbot.waitUntil(lambda: not panel.busy and not panel.document.busy, timeout=10_000)
    settle()


# ---------------------------------------------------------------------- counting
def test_every_sample_is_what_the_evaluator_counts() -> None:
    network = layered_network()
    orders = (shuffled_order(network, 0), shuffled_order(network, 1))
    curves = all_of(Sampling(network, orders, (7,)))
    assert (np.diff(curves.memory) > 0).all() and 7 in curves.memory and curves.memory[0] == LEAST
    for i, order in enumerate(orders):
        for p, policy in enumerate(POLICIES):
            for m, size in enumerate(curves.memory.tolist()):
                counts = NetworkProblem(network, TwoLevelMemory(size, policy)).evaluator.count(order)
                assert (curves.reads[i, p, m], curves.writes[i, p, m]) == (counts.reads, counts.writes)
    assert (curves.values("total") == curves.values("reads") + curves.values("writes")).all()


def test_the_curves_end_where_all_need_the_least() -> None:
    network = layered_network()
    order = shuffled_order(network)
    curves = all_of(Sampling(network, (order,)))
    least = io_bounds(network).least
    assert (curves.values("total")[:, :, -1] == least).all()
    assert (curves.values("total")[:, :, -2] > least).any()
    reaching = memory_of(network, order)
    assert curves.reaches == reaching
    here = curves.values("total")[0, 0] == least
    assert (here == (curves.memory >= reaching)).all()


def test_few_samples_come_first_and_more_where_curves_bend() -> None:
    network = layered_network((40, 60, 60, 4), 0.3)
    sampling = Sampling(network, (shuffled_order(network),), (17,))
    coarse = sampling.work(lambda: len(sampling._known) >= 3)
    assert coarse is not None and not coarse.complete and len(coarse.memory) >= 2
    assert Sampling(network, (shuffled_order(network),)).work(lambda: True) is None
    curves = all_of(sampling)
    assert 17 in curves.memory and 12 < len(curves.memory) <= MOST_SAMPLES
    assert curves.memory[curves.nearest(17.2)] == 17


# ---------------------------------------------------------------------- words
def test_words_name_sizes_policies_and_orders() -> None:
    curves = Curves(
        np.array([3, 8]), np.full((2, 3, 2), 1000), np.array([[[5, 4]] * 3, [[2, 1]] * 3]), 9, True
    )
    single = Curves(curves.memory, curves.reads[:1], curves.writes[:1], 9, True)
    assert sample_words(single, 0, "total", 0, ("a",)) == "M = 3: MIN 1,005, LRU 1,005, RR 1,005"
    assert sample_words(curves, 1, "writes", 1, ("a", "b")) == "M = 8, LRU: a 4, b 1 (−3)"
    bounds = io_bounds(layered_network())
    assert bound_lines(bounds, "total")[0] == (bounds.least, "W + N + S")
    assert bound_lines(bounds, "total")[1] == (bounds.most, "2 (W + N − I)")
    assert bound_lines(bounds, "reads")[0][0] + bound_lines(bounds, "writes")[0][0] == bounds.least
    assert standing_words(bounds.least, bounds, 9).startswith("The least possible")
    assert (
        standing_words(bounds.least + 1234, bounds, 9)
        == "1,234 I/Os above the lower bound; MIN reaches it from M = 9 on"
    )
    assert len({policy_colour(p, DARK) for p in range(3)}) == 3


# ---------------------------------------------------------------------- the panel
def test_it_draws_the_active_and_the_compared_order(qtbot: QtBot) -> None:
    with plotted(qtbot) as plot:
        document = plot.document
        assert plot.curves is not None and plot.curves.complete and plot.view is not None
        assert len(plot.curves.reads) == 1
        x, y = plot.view._items["min 0"].getData()
        assert x == pytest.approx(np.log10(plot.curves.memory))
        assert y.tolist() == plot.curves.values("total")[0, 0].tolist()
        document.compare(document.plans[0])  # type: ignore[arg-type]
        settle()
        quiet(qtbot, plot)
        assert len(plot.curves.reads) == 2 and plot.legend.text().endswith("┄ B")
        y = plot.view._items["lru 1"].getData()[1]
        assert y.tolist() == plot.curves.values("total")[1, 1].tolist()
        plot.component.setCurrentIndex(plot.component.findData("writes"))
        settle()
        y = plot.view._items["rr 0"].getData()[1]
        assert y.tolist() == plot.curves.writes[0, 2].tolist()
        plot.set_theme(DARK)
        settle()
        plot.grab()
        before = plot.curves
        document.apply_plan(document.plans[0])
        settle()
        quiet(qtbot, plot)
        assert plot.curves is not before


def test_pointing_reads_out_and_a_click_takes_the_size(qtbot: QtBot) -> None:
    with plotted(qtbot) as plot:
        document = plot.document
        assert plot.view is not None and plot.curves is not None and document.problem is not None
        box = plot.view.widget.getPlotItem().getViewBox()
        y = box.viewRange()[1][0] + 0.4 * (box.viewRange()[1][1] - box.viewRange()[1][0])
        at = box.mapViewToScene(QPointF(math.log10(9), y))
        plot.view._pointed(at)
        assert plot.words.text().startswith(f"M = {int(plot.curves.memory[plot.curves.nearest(9)])}: MIN ")
        plot.view._pointed(QPointF(-50, -50))
        assert "above the lower bound" in plot.words.text()
        viewport = plot.view.widget.viewport()
        where = plot.view.widget.mapFromScene(at)
        qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=where)
        assert abs(document.problem.target.size - 9) <= 1
        assert document.undo_stack.canUndo()
        settle()
        assert plot.view._items["present label"].toPlainText() == f"M = {document.problem.target.size}"
        document.undo_stack.undo()
        assert document.problem.target.size == 6
        quiet(qtbot, plot)
        QApplication.sendEvent(plot, QEvent(QEvent.Type.Leave))
        assert plot.pointed == -1


def test_what_is_said_is_said_whole_however_narrow_the_panel_is(qtbot: QtBot) -> None:
    """In as many lines as it takes; what is read out leaves the plot where it is."""
    with plotted(qtbot) as plot:
        for width in (480, 280, 220):
            plot.setFixedWidth(width)
            settle()
            shown_words = plot.words.shown_text()
            assert shown_words.replace("\n", " ") == plot.words.text() and shown_words.endswith(" on"), width
        assert "\n" in shown_words and plot.view is not None
        before = plot.view.widget.geometry()
        plot.point_at(0)
        settle()
        assert plot.words.text().startswith("M = ") and plot.view.widget.geometry() == before
        plot.point_at(-1)
        settle()
        assert plot.words.shown_text() == shown_words and plot.view.widget.geometry() == before


def test_while_the_curves_of_another_order_are_counted_it_says_so(qtbot: QtBot) -> None:
    """The point is that of the order on the canvas at once."""
    with plotted(qtbot) as plot:
        document, curves = plot.document, plot.curves
        for change in (
            lambda: document.apply_plan(document.plans[0]),
            lambda: document.compare(document.plans[1]),  # type: ignore[arg-type]
        ):
            assert COUNTING not in plot.words.text()
            change()
            plot.refresh_now()
            assert plot.words.text().endswith(COUNTING)
            quiet(qtbot, plot)
            assert COUNTING not in plot.words.text() and plot.curves is not curves


def test_keys_walk_over_sizes_and_take_one(qtbot: QtBot) -> None:
    with plotted(qtbot) as plot:
        document = plot.document
        assert plot.curves is not None and document.problem is not None
        qtbot.keyClick(plot, Qt.Key.Key_Right)
        assert plot.curves.memory[plot.pointed] == 6
        qtbot.keyClick(plot, Qt.Key.Key_Right)
        size = int(plot.curves.memory[plot.pointed])
        assert size > 6 and plot.accessibleDescription().startswith(f"M = {size}")
        qtbot.keyClick(plot, Qt.Key.Key_Return)
        assert document.problem.target.size == size
        for _ in range(200):
            qtbot.keyClick(plot, Qt.Key.Key_Left)
        assert plot.pointed == 0
        qtbot.keyClick(plot, Qt.Key.Key_Escape)
        assert plot.pointed == -1
        quiet(qtbot, plot)


def test_hidden_it_counts_nothing(qtbot: QtBot) -> None:
    document = document_of()
    panel = PlotsPanel(document, LIGHT)
    with shown(qtbot, panel, 400, 240):
        panel.hide()
        settle()
        assert not panel.busy
        document.apply_plan(document.plans[0])
        settle()
        assert not panel.busy
        panel.show()
        quiet(qtbot, panel)
        assert panel.curves is not None and panel.curves.complete
    panel.end_threads()
    document.close()
    document.deleteLater()


def test_what_was_put_off_when_it_was_hidden_is_counted_once_it_is_shown(qtbot: QtBot) -> None:
    document = document_of()
    panel = PlotsPanel(document, LIGHT)
    with shown(qtbot, panel, 400, 240):
        panel.refresh_now()
        assert panel.busy or panel.curves is not None  # put off, but where the first picture took long
        panel.hide()
        panel.show()
        quiet(qtbot, panel)
        assert panel.curves is not None and panel.curves.complete
    panel.end_threads()
    document.close()
    document.deleteLater()


def test_where_least_and_most_are_one_there_is_one_line(qtbot: QtBot) -> None:
    document = document_of(layered_network((30, 1), 1.0))
    panel = PlotsPanel(document, LIGHT)
    with shown(qtbot, panel, 400, 240):
        quiet(qtbot, panel)
        items = panel.view._items  # type: ignore[union-attr]
        assert items["least label"].toPlainText().endswith("W + N + S = 2 (W + N − I) = 62")
        assert not items["most"].isVisible() and not items["most label"].isVisible()
        low, high = panel.view.widget.getPlotItem().getViewBox().viewRange()[1]  # type: ignore[union-attr]
        # The axis shows numbers that differ.
        assert high - low > 1.0
    panel.end_threads()
    document.close()
    document.deleteLater()


def test_lines_say_which_bound_they_are_and_a_tip_what_their_formulas_mean(qtbot: QtBot) -> None:
    with plotted(qtbot) as plot:
        assert plot.view is not None
        bounds, items = io_bounds(plot.document.network), plot.view._items
        most = f"2 (W + N − I) = {int(bounds.most):,}"
        assert items["most label"].toPlainText() == f"best order at most {most}"
        assert items["least label"].toPlainText() == f"every order at least W + N + S = {int(bounds.least):,}"
        for words in ("I of them inputs", "lower bound", "upper bound"):
            assert words in plot.view.widget.toolTip().replace("\n", " ")
        said = []
        for width in (270, 225):
            plot.setFixedWidth(width)
            settle()
            said.append([items[f"{name} label"].toPlainText().split()[0] for name in ("least", "most")])
        assert all(words in (["every", "best"], ["W", "2"]) for words in said)
        assert said[-1] == ["W", "2"], "less room, fewer words, and both lines alike"


def test_without_a_network_it_says_what_it_is_for(qtbot: QtBot) -> None:
    document = OrderDocument()
    panel = PlotsPanel(document, LIGHT)
    with shown(qtbot, panel, 400, 240):
        assert "Open a network" in panel.words.text()
        qtbot.keyClick(panel, Qt.Key.Key_Right)
        panel.take_size(5)
    panel.end_threads()
    document.close()
    document.deleteLater()


def test_the_present_memory_is_named_in_sight_however_high_the_plot_becomes(qtbot: QtBot) -> None:
    with plotted(qtbot) as panel:
        for height in (420, 260, 700):
            panel.resize(520, height)
            settle()
            view = panel.view.widget.getPlotItem().getViewBox()
            label = panel.view._items["present label"]
            room, words = view.sceneBoundingRect(), label.mapRectToScene(label.boundingRect())
            assert room.top() <= words.top() and words.bottom() <= room.bottom() + 1, height


def test_labels_of_the_memory_and_of_the_lower_bound_lie_below_all_curves(qtbot: QtBot) -> None:
    """Where the curve of the present policy meets the present memory is what one looks for."""
    with plotted(qtbot) as plot:
        assert plot.view is not None
        items, box = plot.view._items, plot.view.widget.getPlotItem().getViewBox()
        line = box.mapViewToScene(QPointF(0.0, io_bounds(plot.document.network).least)).y()
        places = [items[f"{name} label"].sceneBoundingRect() for name in ("least", "present")]
        assert all(place.top() >= line - 1.0 for place in places)
        assert not places[0].intersects(places[1].adjusted(0.0, 1.5, 0.0, 0.0))
        assert places[1].bottom() <= box.sceneBoundingRect().bottom() + 2.0
