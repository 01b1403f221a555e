"""Two orders of one network beside each other: one moment, the counters of both, and where they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from PySide6.QtCore import QModelIndex, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from gui.document.network.entries import OrderEntry
from gui.document.plan_list import PlanEntry
from gui.editors.comparison.orders.figures import (
    counter_words,
    difference_words,
    differences,
    moved_neurons,
    moves_words,
)
from gui.editors.comparison.orders.tables import (
    FigureModel,
    figure_table,
    layer_rows,
    moved_rows,
    neuron_rows,
)
from gui.look.theme import Theme
from gui.panels.network.base import OrderPanel
from gui.widgets.background_thread import Background
from gui.widgets.drop_down import DropDown
from gui.widgets.labels import ElidedLabel, set_role
from gui.widgets.later import Later
from gui.widgets.plain import PlainLabel
from gui.words.methods import shown_name
from planner.reports.comparison.orders import Displacement

if TYPE_CHECKING:
    from gui.document.network.document import OrderDocument
    from gui.panels.network.playback.widget import Playback
    from planner.machines.two_level_memory.trace import Trace
    from planner.model.network import Network

TABLES_AFTER = 120
"""Milliseconds between two countings of the tables while the moment moves; the counters follow at once."""
LINE, BELOW = 52, 310
"""Pixels of the lines over each picture (both pictures are of one size), and at first of what is below them."""
WIDE = 470
"""Pixels of a third of the width from which there is room for all columns of the layers."""
MIDDLING = 415
"""Pixels of a third of the width from which the reads and writes of neurons are told apart."""
LAYERS = ("Layer", "reads A", "reads B", "reads B − A", "writes A", "writes B", "writes B − A")
ONE_SIDE = (1, 2, 4, 5)
"""Columns of the layers that give way to the differences where there is little room."""
NEURONS = ("Largest B − A", "reads", "writes", "total")
MOVES = ("Must move", "in A", "in B")


class SideBySide(OrderPanel):
    """Order A is the one under edit, B the one chosen to compare with. Views are made when the page is first seen.

    With a ``playback`` it has a scrubber of its own, which moves both.
    """

    id: ClassVar[str] = "side-by-side"
    title: ClassVar[str] = "Two Orders"

    def __init__(
        self,
        document: OrderDocument,
        theme: Theme,
        parent: QWidget | None = None,
        playback: Playback | None = None,
    ) -> None:
        super().__init__(document, theme, parent)
        self.playback = playback
        self.views: list[Any] = []
        self.scrubber: Any = None
        self._reduced = False
        self.chooser = DropDown(self)
        self.chooser.setAccessibleName("Order to compare with")
        self.chooser.setSizeAdjustPolicy(DropDown.SizeAdjustPolicy.AdjustToContents)
        self.chooser.activated.connect(self._chosen)
        self.names = [PlainLabel("A", self), PlainLabel("B", self)]
        self.counters = [ElidedLabel("", self), ElidedLabel("", self)]
        self.first_name = ElidedLabel("", self)
        self.first_name.setFixedHeight(self.chooser.sizeHint().height())
        self.difference = ElidedLabel("", self)
        for label in (*self.names, self.first_name):
            set_role(label, "heading")
        self._layers = FigureModel(LAYERS, (3, 6), theme, self)
        self._neurons = FigureModel(NEURONS, (1, 2, 3), theme, self)
        self.layers = figure_table(self._layers, "Reads and writes by layer", self)
        self.neurons = figure_table(self._neurons, "Neurons at which the orders differ most", self)
        self._moves = FigureModel(MOVES, (), theme, self)
        self.moves = figure_table(self._moves, "Neurons that must move to make order B from A", self)
        self.moves.setToolTip(
            "The fewest neurons that must move, with their places among those completed: first the farthest"
        )
        self.moves_words = ElidedLabel("", self)
        set_role(self.moves_words, "muted")
        self._moving = Background("neurons that must move", self)
        self._compared_orders: tuple[Any, ...] = ()
        for table, model in ((self.neurons, self._neurons), (self.moves, self._moves)):
            for signal in (table.clicked, table.activated):
                signal.connect(lambda index, model=model: self._neuron_chosen(model, index))
        self._columns = QSplitter(Qt.Orientation.Horizontal, self)
        self._columns.setChildrenCollapsible(False)
        self._sides: list[QVBoxLayout] = []
        for which in (0, 1):
            self._columns.addWidget(self._side(which))
            self._columns.setStretchFactor(which, 1)
        tables = QWidget(self)
        row = QHBoxLayout(tables)
        row.setContentsMargins(8, 0, 8, 4)
        row.setSpacing(16)
        for table, share in ((self.layers, 5), (self.neurons, 4), (self.moves, 6)):
            row.addWidget(table, share)
        tables.setMinimumHeight(70)
        below = QWidget(self)
        self._below = QVBoxLayout(below)
        self._below.setContentsMargins(0, 4, 0, 0)
        self._below.setSpacing(4)
        line = QHBoxLayout()
        line.setContentsMargins(12, 0, 12, 0)
        line.addWidget(self.difference, 1)
        line.addWidget(self.moves_words, 1)
        self._below.addLayout(line)
        self._below.addWidget(tables, 1)
        self._split = QSplitter(Qt.Orientation.Vertical, self)
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(self._columns)
        self._split.addWidget(below)
        self._split.setStretchFactor(0, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._split)
        self._tables_later = Later(self._show_tables, self, TABLES_AFTER)
        for signal in (
            document.model_changed, document.decision_changed, document.compared_changed, document.plans_changed,
            document.trace_changed, document.readouts_changed,
        ):  # fmt: skip
            signal.connect(self.request_refresh)
        document.position_changed.connect(self._moment_changed)

    def _side(self, which: int) -> QWidget:
        side = QWidget(self)
        column = QVBoxLayout(side)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        line = QWidget(side)
        line.setFixedHeight(LINE)
        rows = QVBoxLayout(line)
        rows.setContentsMargins(12, 4, 12, 0)
        rows.setSpacing(0)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.names[which])
        row.addWidget(self.chooser if which else self.first_name)
        row.addStretch(1)
        rows.addLayout(row, 1)
        rows.addWidget(self.counters[which])
        column.addWidget(line)
        self._sides.append(column)
        return side

    def sizeHint(self) -> QSize:
        """Two pictures and two tables."""
        return QSize(960, 640)

    def minimumSizeHint(self) -> QSize:
        """Less shows nothing."""
        return QSize(420, 300)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where there is little room for figures the differences stay."""
        super().resizeEvent(event)
        for column in ONE_SIDE:
            self.layers.setColumnHidden(column, self.width() // 3 < WIDE)
        for column in (1, 2):
            self.neurons.setColumnHidden(column, self.width() // 3 < MIDDLING)

    # ------------------------------------------------------------------ how both are looked at
    @property
    def view(self) -> str:
        """``links`` or ``matrix``; empty where nothing is open."""
        self._ready()
        return self.views[0].view if self.views else ""

    @property
    def sorted(self) -> bool:
        """Whether neurons stand by first use."""
        self._ready()
        return not self.views or bool(self.views[0].sorted)

    def set_view(self, view: str) -> None:
        """Draw both as ``links`` or ``matrix``."""
        self._ready()
        for one in self.views:
            one.set_view(view)

    def set_sorted(self, by_first_use: bool) -> None:
        """Let neurons stand by first use within their layers, or by number."""
        self._ready()
        for one in self.views:
            one.set_sorted(by_first_use)

    def fit(self) -> None:
        """Show all of both."""
        for one in self.views:
            one.fit()

    def zoom_by(self, factor: float) -> None:
        """Look nearer, or from farther away."""
        for one in self.views:
            one.zoom_by(factor)

    def _ready(self) -> None:
        if not self.views and self.document.network is not None:
            self._make_views()

    @property
    def busy(self) -> bool:
        """Whether tables or views are to be refreshed."""
        return self.waiting or self._tables_later.waiting or self._moving.busy

    def end_threads(self) -> None:
        """The window goes: nothing is counted any more."""
        self._tables_later.stop()
        self._moving.close()

    def set_reduced_motion(self, reduced: bool) -> None:
        """Nothing glides or flashes."""
        self._reduced = reduced
        if self.scrubber is not None:
            self.scrubber.set_reduced_motion(reduced)

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        for model in (self._layers, self._neurons, self._moves):
            model.theme = theme
        for view in (*self.views, *([] if self.scrubber is None else [self.scrubber])):
            view.set_theme(theme)
        super().set_theme(theme)

    # ------------------------------------------------------------------ contents
    def _make_views(self) -> None:
        from gui.canvas.network.widget import NetworkCanvas

        for which, column in zip(("active", "compared"), self._sides, strict=True):
            view = NetworkCanvas(self.document, self.theme, which, self)
            column.addWidget(view, 1)
            self.views.append(view)
        # Both are looked at in the same way, and the first has the keyboard for both.
        self.setFocusProxy(self.views[0])
        for view, other in (self.views, self.views[::-1]):
            view.picture.view_changed.connect(lambda view=view, other=other: _follow(view, other))
            view.by_first_use.toggled.connect(other.set_sorted)
        self._columns.setSizes([1000, 1000])
        self._split.setSizes([max(200, self.height() - BELOW), BELOW])
        if self.playback is not None:
            from gui.panels.network.scrubber.widget import Scrubber

            self.scrubber = Scrubber(self.document, self.playback, self.theme, self)
            self.scrubber.set_reduced_motion(self._reduced)
            self._below.insertWidget(0, self.scrubber)

    def refresh(self) -> None:
        """Show both orders of the document."""
        document = self.document
        self._ready()
        others = [entry for entry in document.plans if entry is not document.active and entry.components]
        compared: PlanEntry | None = document.compared
        self.chooser.clear()
        for entry in others:
            self.chooser.addItem(shown_name(entry.name), entry.id)
        at = next((i for i, entry in enumerate(others) if entry is compared), -1)
        if at < 0:
            # What is compared may also be the order under edit itself; it is named all the same.
            self.chooser.insertItem(
                0, "choose an order" if compared is None else shown_name(compared.name), ""
            )
            at = 0
        self.chooser.setCurrentIndex(at)
        self.first_name.setText("" if document.active is None else shown_name(document.active.name))
        self._show_counters()
        self._show_tables()
        self._count_moves()

    def step(self, by: int) -> None:
        """Select the next neuron that must move, or the one before."""
        neurons = [row.neuron for row in self._moves.rows]
        if neurons:
            here = (
                neurons.index(self.document.selection) if self.document.selection in neurons else min(-by, 0)
            )
            at = (here + by) % len(neurons)
            self.document.select(neurons[at])
            self.moves.setCurrentIndex(self._moves.index(at, 0))

    def _chosen(self, index: int) -> None:
        wanted = self.chooser.itemData(index)
        entry = next((entry for entry in self.document.plans if entry.id == wanted), None)
        if isinstance(entry, OrderEntry):
            self.document.compare(entry)

    def _neuron_chosen(self, model: FigureModel, index: QModelIndex) -> None:
        self.document.select(model.rows[index.row()].neuron)

    def _moment_changed(self) -> None:
        if not self.isVisible():
            self._stale = True
            return
        self._show_counters()
        self._tables_later.ask_once()

    def _traces(self) -> tuple[Trace | None, Trace | None]:
        return self.document.trace, self.document.compared_trace

    def _show_counters(self) -> None:
        position = self.document.position
        totals = []
        for label, trace in zip(self.counters, self._traces(), strict=True):
            if trace is None:
                label.setText(
                    "" if label is self.counters[1] and self.document.compared is None else "counting …"
                )
                continue
            label.setText(counter_words(trace, position))
            totals.append(np.array([trace.reads[position], trace.writes[position]], np.int64))
        if len(totals) < 2:
            self.difference.setText(
                "Choose an order to compare with." if self.document.compared is None else ""
            )
            return
        self.difference.setText(difference_words(totals[1] - totals[0], position, len(self.document.order)))

    def _show_tables(self) -> None:
        network, (first, second) = self.document.network, self._traces()
        if network is None or first is None or second is None:
            self._layers.show_rows([])
            self._neurons.show_rows([])
            return
        found = differences(network, first, second, self.document.position)
        self._layers.show_rows(layer_rows(found))
        self._neurons.show_rows(neuron_rows(network, found))

    def _count_moves(self) -> None:
        """Which neurons must move: beside the window, once for each pair of orders."""
        network, compared = self.document.network, self.document.compared
        pair = (
            () if network is None or compared is None else (network, self.document.order, compared.device_of)
        )
        if len(pair) == len(self._compared_orders) and all(
            one is other for one, other in zip(pair, self._compared_orders, strict=True)
        ):
            return
        self._compared_orders = pair
        if not pair:
            self._moving.cancel()
            self._show_moves(None, network)
            return
        self._moving.run(
            lambda _stopped: moved_neurons(*pair), lambda found: self._show_moves(found, pair[0])
        )

    def _show_moves(self, found: object, network: Network | None = None) -> None:
        """What was found for two orders of ``network``; nothing where another is open by now."""
        if network is None or network is not self.document.network or not isinstance(found, Displacement):
            self._moves.show_rows([])
            self.moves_words.setText("")
            return
        self._moves.show_rows(moved_rows(network, found))
        self.moves_words.setText(moves_words(found))


def _follow(view: Any, other: Any) -> None:
    """Draw the other order as this one is drawn."""
    if view.view and view.view != other.view:
        other.set_view(view.view)
