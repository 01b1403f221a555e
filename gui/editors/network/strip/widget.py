"""The order strip: the whole order as a ribbon, whose blocks can be moved, with what that does to the I/Os."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from gui.document.values import Message
from gui.editors.network.strip.chart import StripChart
from gui.editors.network.strip.counting import Counting
from gui.editors.network.strip.painter import Scene
from gui.editors.network.strip.ribbon import LAYERS, NEURONS, Ribbon, layer_colours
from gui.editors.network.strip.words import best_words, block_words, drag_words, order_words
from gui.look.numbers import signed
from gui.look.theme import Theme
from gui.panels.network.base import OrderPanel
from gui.widgets.drop_down import DropDown
from gui.widgets.labels import ElidedLabel, capital, set_role
from gui.widgets.later import Later
from planner.errors import StageboardError
from planner.machines.two_level_memory.orders.blocks import BlockMove, Place, blocks_of

if TYPE_CHECKING:
    from gui.document.network.document import OrderDocument

SEARCH_AFTER = 200
"""Milliseconds without another order or selection before the best place for a block is searched for."""
MOST_LEGEND = 8
"""Layers that the legend names one by one."""
TIP = (
    "Drag a neuron's block, all connections into it, earlier or later: where it may go is lit. Shift drops it anywhere,"
    " else it goes between other blocks. A click under the ribbon shows that moment; the wheel zooms."
)


class OrderStrip(OrderPanel):
    """A header line over a :class:`StripChart`. Call :meth:`end_threads` before the window goes."""

    id: ClassVar[str] = "order-strip"
    title: ClassVar[str] = "Order"

    def __init__(self, document: OrderDocument, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(document, theme, parent)
        self.counting = Counting(document, self)
        self.chart = StripChart(document, self.counting, theme, self)
        self.setFocusProxy(self.chart)
        self.words = ElidedLabel("", self)
        self.words.set_tip(TIP)
        self.best = ElidedLabel("", self)
        self.go = QPushButton("Move There", self)
        self.go.setToolTip("Move the block to the best place found (B)")
        self.go.clicked.connect(self.move_to_best)
        self.legend = QLabel("", self)
        self.legend.setTextFormat(Qt.TextFormat.RichText)
        set_role(self.legend, "muted")
        self.colouring = DropDown(self)
        self.colouring.addItem("Layers", LAYERS)
        self.colouring.addItem("Neurons", NEURONS)
        self.colouring.setAccessibleName("What the colours of the ribbon show")
        self.colouring.setToolTip(
            "Colour connections by the layer they lead into, shares of a pixel one above the other, or in sequence in"
            " shades of their neurons"
        )
        self.colouring.currentIndexChanged.connect(self.request_refresh)
        self.whole = QPushButton("Show All", self)
        self.whole.setToolTip("Show the whole order (Home)")
        self.whole.clicked.connect(self.chart.fit)
        self._said = ""
        """What was announced last; stands in the header until something else is selected."""
        self._best: tuple[BlockMove, Place | None] | None = None
        self._kept: tuple[object, ...] = ()
        top = QHBoxLayout()
        top.setContentsMargins(10, 4, 10, 0)
        top.setSpacing(8)
        top.addWidget(self.words, 1)
        for widget in (self.best, self.go, self.legend, self.whole, self.colouring):
            top.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 4)
        column.setSpacing(3)
        column.addLayout(top)
        column.addWidget(self.chart, 1)
        self._search_later = Later(self._search, self, SEARCH_AFTER)
        self.chart.move_wanted.connect(self.move_block)
        self.chart.step_wanted.connect(self.step)
        self.chart.best_wanted.connect(self.move_to_best)
        self.chart.walk_wanted.connect(self.walk)
        self.chart.drag_changed.connect(self._say)
        for signal in (document.model_changed, document.problem_changed, document.decision_changed):
            signal.connect(self._changed)
        document.selection_changed.connect(self._changed)
        for signal in (document.trace_changed, document.hover_changed, document.readouts_changed):
            signal.connect(self.request_refresh)
        document.position_changed.connect(self.chart.update)

    def sizeHint(self) -> QSize:
        """A line of words and a ribbon."""
        return QSize(720, 178)

    def minimumSizeHint(self) -> QSize:
        """Less is no strip."""
        return QSize(240, 122)

    @property
    def busy(self) -> bool:
        """Whether something is being counted or refreshed."""
        return self.counting.busy or self._search_later.waiting or self.waiting

    def end_threads(self) -> None:
        """The window goes."""
        self._search_later.stop()
        self.counting.close()

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.chart.set_theme(theme)
        super().set_theme(theme)

    # ------------------------------------------------------------------ following the document
    def _changed(self) -> None:
        """The order, or what it costs, is another: places found before are void."""
        self._best, self._said = None, ""
        self.counting.cancel()
        self._search_later.ask()
        self.request_refresh()

    def refresh(self) -> None:
        """Show the document's order."""
        document, network = self.document, self.document.network
        if network is None:
            self.chart.show_scene(None, True)
            self.words.setText(self.document.nothing("Open a network to see the order of its connections."))
            self._show_controls()
            return
        mode = str(self.colouring.currentData())
        key = (network, document.order, mode, self.theme)
        another = not self._kept or self._kept[0] is not network
        before = self.chart.scene
        if before is not None and self._kept and all(a is b for a, b in zip(key, self._kept, strict=True)):
            runs, ribbon, colours = before.runs, before.ribbon, before.colours
        else:
            runs = blocks_of(network, document.order)
            ribbon = Ribbon(network, document.order, mode, self.theme)
            colours = layer_colours(network, self.theme)
            self._show_legend(colours)
        self._kept = key
        scene = Scene(network, runs, ribbon, colours, document.trace)
        neuron = document.selection
        if neuron >= 0:
            kept = None if before is None else before.move
            if kept is not None and kept.neuron == neuron and kept.order is document.order:
                assert before is not None
                scene.move, scene.uses = kept, before.uses
            else:
                scene.uses = np.flatnonzero(network.source[document.order] == neuron)
                if network.in_degree[neuron]:
                    scene.move = BlockMove(network, document.order, neuron)
        if document.hover not in (-1, neuron):
            scene.hovered = np.flatnonzero(network.target[document.order] == document.hover)
        if self._best is not None and self._best[1] is not None and self._gain() < 0:
            scene.best = self._best[1].position
        self.chart.show_scene(scene, another)
        self._say()

    def _show_legend(self, colours: list[str]) -> None:
        layers = range(1, len(colours))
        shown = (
            list(layers) if len(layers) <= MOST_LEGEND else [*layers[: MOST_LEGEND - 2], -1, len(colours) - 1]
        )
        parts = [
            "…" if layer < 0 else f"<span style='color:{colours[layer]}'>\N{BLACK SQUARE}</span> {layer}"
            for layer in shown
        ]
        self.legend.setText("into layer " + " ".join(parts))
        self.legend.setToolTip("Colours of the layers that connections lead into")

    # ------------------------------------------------------------------ words
    def _say(self) -> None:
        scene, document = self.chart.scene, self.document
        if scene is None:
            return
        if scene.drag is not None:
            text = capital(drag_words(scene.drag, document.evaluation))
        elif self._said:
            text = self._said
        elif scene.move is not None:
            pieces = int(np.count_nonzero(np.diff(scene.move.at) > 1)) + 1
            text = capital(block_words(scene.move, pieces))
        elif document.selection >= 0:
            text = f"{capital(scene.network.neuron_name(document.selection))} is an input: it has no block to move."
        else:
            text = order_words(scene.runs)
        self.words.setText(text)
        self._show_controls()

    def _show_controls(self) -> None:
        scene = self.chart.scene
        found = None if self._best is None else self._best[1]
        moving = scene is not None and scene.drag is not None
        change = self._gain()
        self.go.setVisible(found is not None and change < 0 and not moving)
        if scene is None or scene.move is None or moving:
            self.best.setText("")
        elif self._best is not None:
            self.best.setText(best_words(change) if found is not None else "")
        else:
            self.best.setText("searching for the best place …")
        self.best.setVisible(bool(self.best.text()))
        self.best.set_colour(self.theme.good if change < 0 else self.theme.muted)
        self.whole.setVisible(not self.chart.layout_of.fitted)

    def announce(self, text: str) -> None:
        """Say something in the header, and to a screen reader."""
        self._said = text
        self._say()
        if QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self.chart, text))

    # ------------------------------------------------------------------ walking and moving
    def walk(self, side: int) -> None:
        """Select the neuron of the run before (-1) or behind (1) the selected block; with none, that of the moment shown."""
        move = self._block()
        scene = self.chart.scene
        if scene is None:
            return
        if move is None:
            run = scene.runs.at(min(self.document.position, len(self.document.order) - 1))
        else:
            run = scene.runs.at(int(move.at[0] if side < 0 else move.at[-1])) + side
        self.document.select(int(scene.runs.neuron[min(max(run, 0), len(scene.runs) - 1)]))
        self.refresh_now()
        self.chart.show_block()

    def move_block(self, neuron: int, place: int) -> bool:
        """Move a neuron's block: one undo step. What that changed is announced, or why it was not possible."""
        document = self.document
        before = document.evaluation
        try:
            changed = document.move_block(neuron, place)
        except StageboardError as error:
            document.message.emit(Message("error", str(error)))
            return False
        self.refresh_now()
        self.chart.show_block()
        change = document.evaluation.values[0] - before.values[0]
        name = capital(document.open_problem.network.neuron_name(neuron))
        if changed:
            self.announce(f"{name} now starts at {place + 1:,}: {signed(change)} I/Os.")
        else:
            self.announce(f"{name} is there already.")
        return changed

    def step(self, side: int, better: bool) -> None:
        """Move the selected block to the next place earlier or later, or to the next at which the order is better."""
        move = self._block()
        if move is None:
            self.announce("Select a neuron with connections into it first.")
            return
        where = "earlier" if side < 0 else "later"
        if better:
            self.announce(f"Searching for a better place {where} …")
            self._search_later.stop()

            def take(place: Place | None) -> None:
                if move.order is not self.document.order:
                    return
                if place is None:
                    self.announce(f"No better place {where}.")
                    self._search_later.ask()
                else:
                    self.move_block(move.neuron, place.position)

            self.counting.find_better(move, side, take)
            return
        places = move.places_beside(side)
        if len(places):
            self.move_block(move.neuron, int(places[0]))
        else:
            reason = move.why_not(move.start + side)
            self.announce(f"It cannot go {where}{': ' + reason if reason else ''}.")

    def move_to_best(self) -> None:
        """Move the selected block to the best place found."""
        if self._best is not None and self._best[1] is not None and self._gain() < 0:
            self.move_block(self._best[0].neuron, self._best[1].position)
        elif self._block() is not None:
            waits = self.counting.searching or self._search_later.waiting
            self.announce("Still searching for the best place." if waits else "No better place was found.")

    def _block(self) -> BlockMove | None:
        """The selected neuron's block in the present order."""
        self.refresh_now()
        return None if self.chart.scene is None else self.chart.scene.move

    def _gain(self) -> float:
        """The change of I/Os at the best place found, 0 where none is known."""
        if self._best is None or self._best[1] is None or self.document.problem is None:
            return 0.0
        return self._best[1].total - self.document.evaluation.values[0]

    def _search(self) -> None:
        """Look for the best place of the selected block, while somebody sees it."""
        if not self.isVisible() or self.document.problem is None or self.chart.drag is not None:
            return
        move = self._block()
        if move is None:
            return

        def take(place: Place | None) -> None:
            if move.order is self.document.order and move.neuron == self.document.selection:
                self._best = (move, place)
                self.request_refresh()

        self.counting.find_best(move, take)
