"""How sure the plan is, on screen: figures of the report, ops that can be selected, the plan of least regret taken over."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QIcon
from PySide6.QtWidgets import QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from gui.background.robustness import RobustnessSearch
from gui.document.plan.document import Document
from gui.editors.plan.panels.robust import USUAL, RobustPanel
from gui.editors.plan.panels.robust_chart import BINS, OutlookView, outlook_of
from gui.editors.plan.panels.robust_model import (
    HEADS,
    OPTIMAL,
    OTHER,
    SAME,
    TICK,
    TIME,
    TIPS,
    TolerancesModel,
)
from gui.look.theme import DARK, LIGHT, font
from gui.widgets.apart import ApartDelegate
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.problem.provenance import Provenance
from planner.reports.robustness.investigation import robustness
from planner.reports.robustness.report import LEAST_REGRET, Robustness, Settings
from planner.reports.robustness.spread import spread_of
from planner.reports.robustness.words import optimal_while, tolerance_sentence
from tests.gui.models import chain_graph
from tests.gui.scribe import Scribe
from tests.gui.window_parts import make_window, opened, opened_on_tpus, settle, shown

UNEVEN = np.repeat([0, 1, 2], [6, 4, 2]).astype(np.int32)


class StillSearch(RobustnessSearch):
    """Knows what it is told, looks for nothing."""

    started: list[float | None]

    def start(self, spread: float | None) -> None:
        self.started = [*getattr(self, "started", []), spread]

    def know(self, found: Robustness, document: Document) -> None:
        self.known, self._about = found, (document.open_problem, document.device_of.copy())
        self.changed.emit()


def report(document: Document, seconds: float = 20.0) -> Robustness:
    plan = document.open_problem.plan(document.device_of, Provenance("hand"), "mine")
    return robustness([plan], settings=Settings(samples=100, seconds=seconds, runs=4))


@pytest.fixture
def document(qtbot: QtBot) -> Generator[Document]:
    document = Document()
    document.open_graph(chain_graph(), target=Pipeline(count=3))
    document.set_assignment(UNEVEN, "edit", "uneven")
    document.undo_stack.clear()
    yield document
    document.deleteLater()


@pytest.fixture
def panel(qtbot: QtBot, document: Document) -> Generator[RobustPanel]:
    search = StillSearch(document)
    panel = RobustPanel(document, search, LIGHT)
    with shown(qtbot, panel, 900, 240):
        yield panel


def known(panel: RobustPanel, document: Document) -> Robustness:
    found = report(document)
    assert isinstance(panel.search, StillSearch)
    panel.search.know(found, document)
    settle()
    return found


def test_it_looks_when_it_is_seen_and_not_again(panel: RobustPanel, document: Document) -> None:
    assert panel.search.started == [None]  # type: ignore[attr-defined]
    known(panel, document)
    panel.request_refresh()
    settle()
    assert panel.search.started == [None]  # type: ignore[attr-defined]
    panel.spread.setValue(3.0)
    assert panel.search.started == [None, 3.0]  # type: ignore[attr-defined]
    panel.spread.setValue(USUAL)
    panel.button.click()
    assert panel.search.started == [None, 3.0, None, None]  # type: ignore[attr-defined]


def test_what_is_known_is_shown(panel: RobustPanel, document: Document) -> None:
    found = known(panel, document)
    assert panel.button.text() == "Look Again"
    assert "factor of" in panel.words.text() and "would change the plan" in panel.words.text()
    assert panel.model.rowCount() == len(found.ops) > 0
    assert panel.chart.outlook is not None and not panel.chart.outlook.faded
    assert "plans compared" in panel.regret.text()
    assert all(each.name in panel.regret.toolTip() for each in found.compared)


def test_other_plans_are_not_said_to_be_left_out_while_they_are_looked_for(
    panel: RobustPanel, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = report(document)
    alone = replace(found, candidates=found.candidates[:1], runs=0)
    assert isinstance(panel.search, StillSearch)
    for running, words in ((True, "still being looked for"), (False, "No other plan was looked for")):
        monkeypatch.setattr(StillSearch, "running", running)
        panel.search.know(alone, document)
        settle()
        assert words in panel.regret.text()


def test_what_was_not_looked_at_is_not_shown_as_nothing(panel: RobustPanel, document: Document) -> None:
    found = report(document, 0.0)
    panel.search.know(found, document)  # type: ignore[attr-defined]
    settle()
    assert "o op was looked at in the time given" in panel.words.text()
    rival = replace(found.candidates[0], name="rival 1", origin="rival")
    panel.search.know(replace(found, candidates=(*found.candidates, rival)), document)  # type: ignore[attr-defined]
    settle()
    assert "better where one op is off: rival 1" in panel.regret.text()
    assert "rival 1: " in panel.regret.toolTip()


def test_names_that_end_alike_are_cut_so_that_they_differ(
    qtbot: QtBot, panel: RobustPanel, document: Document
) -> None:
    found = known(panel, document)
    graph = found.problem.graph
    names = tuple(f"/{'abcdefghijkl'[i]}.0/convolutions/block/conv_2/Conv" for i in range(graph.n))
    named = replace(found, problem=replace(found.problem, graph=replace(graph, op_names=names)))
    panel.search.know(named, document)  # type: ignore[attr-defined]
    settle()
    shown, delegate = [], panel.table.itemDelegateForColumn(0)
    assert isinstance(delegate, ApartDelegate)
    for row in range(panel.model.rowCount()):
        option = QStyleOptionViewItem()
        panel.table.initViewItemOption(option)
        option.rect = QRect(0, 0, 120, 22)  # type: ignore[attr-defined]
        delegate.initStyleOption(option, panel.model.index(row, 0))
        shown.append(option.text)  # type: ignore[attr-defined]
    assert len(set(shown)) == len(shown) > 1 and any("\N{HORIZONTAL ELLIPSIS}" in text for text in shown)


def test_a_click_on_an_op_selects_it(panel: RobustPanel, document: Document) -> None:
    found = known(panel, document)
    panel.table.selectRow(1)
    assert document.selection.tolist() == [found.ops[1].op]
    document.select([])
    panel.table.clicked.emit(panel.model.index(1, 0))
    assert document.selection.tolist() == [found.ops[1].op], "also where the row is chosen already"


def test_the_plan_of_least_regret_is_one_undo_step(panel: RobustPanel, document: Document) -> None:
    for entry in [each for each in document.plans if each is not document.active]:
        document.remove_plan(entry)
    document.undo_stack.clear()
    found = known(panel, document)
    best = found.least_regret("independent")
    assert best > 0, "an uneven plan is not the one of least regret"
    assert panel.take.isEnabled()
    before, count = document.device_of.copy(), document.undo_stack.count()
    panel.take.click()
    assert np.array_equal(document.device_of, found.compared[best].device_of)
    assert document.undo_stack.count() == count + 1
    assert document.active is not None and document.active.source.planner == LEAST_REGRET
    assert "of least regret among" in document.active.source.note
    settle()
    assert "has changed" in panel.words.text() and not panel.take.isEnabled()
    panel.take_least_regret()
    assert document.undo_stack.count() == count + 1, "what is known is of another plan by now"
    document.undo_stack.undo()
    assert np.array_equal(document.device_of, before)
    settle()
    assert panel.take.isEnabled()
    panel.take.click()
    entries = [e for e in document.plans if np.array_equal(e.device_of, found.compared[best].device_of)]
    assert len(entries) == 1, "it is in the list already"


def test_what_has_changed_is_named_and_ops_have_the_mark_of_their_device(
    panel: RobustPanel, document: Document
) -> None:
    document.set_problem(DevicePool(3, 0), "max-load")
    known(panel, document)
    problem = document.problem
    assert problem is not None
    icon = panel.model.data(panel.model.index(0, 0), Qt.ItemDataRole.DecorationRole)
    assert isinstance(icon, QIcon), "its glyph, no square"
    document.set_problem(problem.target, "latency")
    settle()
    assert panel.words.text().startswith("The objective has changed: ")
    document.set_problem(DevicePool(3, 1), "max-load")
    settle()
    assert panel.words.text().startswith("The machine has changed: ")
    document.undo_stack.undo()
    document.undo_stack.undo()
    document.pin([0], 0)
    settle()
    assert panel.words.text().startswith("The constraints have changed: ")


def test_an_edit_fades_what_is_known(panel: RobustPanel, document: Document) -> None:
    known(panel, document)
    document.move([5], 1)
    settle()
    assert panel.chart.outlook is not None and panel.chart.outlook.faded
    assert panel.words.text() == "The plan has changed: these figures are of what was before."
    colour = panel.model.data(panel.model.index(0, 0), Qt.ItemDataRole.ForegroundRole)
    assert colour == QColor(LIGHT.faint)


def test_cancel_holds_it_until_asked(qtbot: QtBot, document: Document) -> None:
    search = RobustnessSearch(document)
    panel = RobustPanel(document, search, LIGHT)
    with shown(qtbot, panel, 900, 240):
        settle()
        assert search.running and panel.button.text() == "Cancel"
        panel.button.click()
        settle()
        assert not search.running and panel.button.text() in ("Look", "Look Again")
        panel.button.click()
        assert search.running
        panel.hide()
        assert not search.running, "nobody looks"


def test_what_cannot_be_said_is_said(qtbot: QtBot) -> None:
    for make, words in ((opened_on_tpus, "counts bytes"), (Document, "Open a model")):
        document = make()
        panel = RobustPanel(document, RobustnessSearch(document), LIGHT)
        with shown(qtbot, panel, 900, 240):
            settle()
            assert words in panel.words.text()
            assert not panel.button.isVisible() and not panel.body.isVisible()
        document.deleteLater()


def test_rows_say_what_is_proven(document: Document) -> None:
    found, model = report(document), TolerancesModel(DARK)
    model.show(found, False)
    assert model.columnCount() == len(HEADS) == len(TIPS)
    assert [model.headerData(i, Qt.Orientation.Horizontal) for i in range(len(HEADS))] == list(HEADS)
    assert model.headerData(1, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole) == TIPS[1]
    for row, each in enumerate(found.ops):
        name = found.problem.graph.op_names[each.op]
        assert model.data(model.index(row, 0)) == name
        assert model.data(model.index(row, SAME)).endswith(("x", "more")) and model.data(
            model.index(row, TIME)
        )
        proven = model.data(model.index(row, OPTIMAL))
        assert (TICK in proven) == (bool(optimal_while(each)) and each.up.settled)
        assert model.data(
            model.index(row, 0), Qt.ItemDataRole.AccessibleDescriptionRole
        ) == tolerance_sentence(found, each)
    assert model.each(99) is None


def test_the_chart_counts_every_sample_and_tells_what_it_paints(qtbot: QtBot, document: Document) -> None:
    found = report(document)
    outlook = outlook_of(found, "by-kind", False)
    assert len(outlook.counts) == BINS and outlook.counts.sum() == 100
    assert outlook.other is not None and outlook.other.sum() == 100
    assert [mark.value for mark in outlook.marks] == [
        found.candidates[0].nominal, float(found.outlooks["by-kind"].quantile(0.9)[0]), found.candidates[0].highest,
    ]  # fmt: skip
    assert sum(share for _, _, share in outlook.shares) == pytest.approx(1.0)
    view = OutlookView(LIGHT)
    with shown(qtbot, view, 420, 150):
        view.show_outlook(outlook)
        keys = view.told.keys()
        names = [view.told.item(key).name for key in keys]  # type: ignore[union-attr]
        assert len(names) == 3 + len(outlook.shares) and names[0].startswith("model's times")
        assert "is the bottleneck in" in names[3]
        assert (
            view.histogram.left()
            <= view.place_of(found.candidates[0].nominal)
            < view.place_of(found.candidates[0].highest)
            <= view.histogram.right() + 1
        )
        for theme in (LIGHT, DARK):
            view.set_theme(theme)
            assert not view.grab().isNull()
        view.show_outlook(None)
        assert view.told.keys() == [] and not view.grab().isNull()


def test_many_devices_are_cut_short(qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(chain_graph(24), target=Pipeline(count=12))
    document.set_assignment((np.arange(24) // 2).astype(np.int32), "edit", "even")
    shares = tuple((d, f"stage {d}", 1 / 12) for d in range(12))
    outlook = replace(outlook_of(report(document, 0.0), "independent", False), shares=shares)
    view = OutlookView(LIGHT)
    with shown(qtbot, view, 420, 100):
        view.show_outlook(outlook)
        assert view.rows < len(outlook.shares)
        assert not view.grab().isNull()
    document.deleteLater()


def test_the_window_leads_there(qtbot: QtBot) -> None:
    window, close = make_window(qtbot, opened())
    window.actions_set["plan.robust"].trigger()
    settle()
    assert window.docks.docks["robust"].isVisible() and window.sureness.running
    window.docks.docks["robust"].close()
    assert not window.sureness.running
    window.docks.reveal("why")
    settle()
    window.why.sure.click()
    settle()
    assert window.docks.docks["robust"].isVisible()
    window.apply_theme(DARK)
    close()


def test_what_is_usual_is_a_figure(panel: RobustPanel, document: Document) -> None:
    known(panel, document)
    factors = " or ".join(f"{factor:g}x" for factor in spread_of(document.open_problem).assumed_factors)
    assert panel.spread.value() == USUAL and panel.spread.text() == f"by up to {factors} (usual)"


def test_columns_that_say_nothing_leave_their_room_to_names(panel: RobustPanel, document: Document) -> None:
    found = known(panel, document)
    nothing = replace(found, ops=tuple(replace(each, turns=None) for each in found.ops))
    panel.search.know(nothing, document)  # type: ignore[attr-defined]
    settle()
    assert panel.table.isColumnHidden(OTHER) and panel.model.is_blank(OTHER)
    some = replace(found, ops=tuple(replace(each, turns=1.5) for each in found.ops))
    panel.search.know(some, document)  # type: ignore[attr-defined]
    settle()
    assert not panel.table.isColumnHidden(OTHER)


def test_ops_of_whose_errors_nothing_is_known_have_their_times(
    panel: RobustPanel, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    known(panel, document)
    panel.table.resize(220, 120)
    settle()
    assert panel.table.isColumnHidden(TIME)
    monkeypatch.setattr(panel.model, "is_blank", lambda column: column != TIME)
    panel._show_columns()
    assert not panel.table.isColumnHidden(TIME)


def test_stages_on_a_shared_link_have_a_largest_rest_and_no_bottleneck(qtbot: QtBot) -> None:
    document = opened_on_tpus("inference-time")
    view = OutlookView(LIGHT)
    with shown(qtbot, view, 900, 160):
        view.show_outlook(outlook_of(report(document), "independent", False))
        assert view.outlook is not None
        assert view.outlook.heads == (
            "how often each has the largest rest", "largest rest, how often", "largest rest",
        )  # fmt: skip
        names = [item.name for key in view.told.keys() if (item := view.told.item(key)) is not None]  # noqa: SIM118
        assert "Rest: what a stage takes besides streaming" in view.toolTip()
        assert "has the largest rest in" in names[3] and not any("bottleneck" in name for name in names)


@pytest.mark.parametrize("width", [300, 420, 560, 900])
def test_what_stands_over_the_devices_is_whole(qtbot: QtBot, document: Document, width: int) -> None:
    view = OutlookView(LIGHT)
    with shown(qtbot, view, width, 160):
        view.show_outlook(outlook_of(report(document), "independent", False))
        painter = Scribe(width, 160)
        assert view.outlook is not None
        view._paint_shares(painter, view.outlook)
        painter.end()
        words = painter.written[0][1]
        assert (
            words in view.outlook.heads
            and QFontMetricsF(font(8.0)).horizontalAdvance(words) <= view.row(-1).width()
        )
