"""The memory plot: I/Os of the orders against the size of fast memory, under each policy, between the bounds of Theorem 1."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QHideEvent, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QSpacerItem, QVBoxLayout, QWidget

from gui.document.values import Message
from gui.look.theme import Theme
from gui.panels.network.base import OrderPanel
from gui.panels.network.plots.sampling import Curves, Sampling
from gui.panels.network.plots.words import (
    COMPONENTS,
    bound_lines,
    described,
    legend_html,
    sample_words,
    standing_words,
)
from gui.widgets.accessible import Contents, Role
from gui.widgets.background_thread import Background
from gui.widgets.drop_down import DropDown
from gui.widgets.emptying import take
from gui.widgets.labels import ElidedLabel, set_role
from gui.widgets.later import Later
from gui.words.proofs import wrapped
from planner.errors import StageboardError
from planner.machines.two_level_memory.orders.io_bounds import io_bounds
from planner.machines.two_level_memory.target import LEAST

if TYPE_CHECKING:
    from gui.document.network.document import OrderDocument
    from gui.panels.network.plots.view import PlotView
    from planner.model.graph import Ints
    from planner.model.network import Network

COUNT_AFTER = 250
"""Milliseconds without another order before its curves are counted: a followed planner changes it all the time."""
MOST_LINES = 3
"""Lines of what is said above the plot."""
COUNTING = "; counting curves \N{HORIZONTAL ELLIPSIS}"
TIP = (
    "I/Os of the order on the canvas at every size of fast memory, exactly counted. A click, or Enter, takes a size over."
    " From the size named on MIN reads each value once and writes outputs only.\n"
    "W connections and N neurons, I of them inputs, S outputs. The solid line is Theorem 1's lower bound: no order takes fewer."
    " The dashed line is its upper bound: under MIN the best order takes no more at any size, others may."
)


class PlotsPanel(OrderPanel):
    """Counts while it is seen, on a thread. A click, or Enter, takes a size over. Call :meth:`end_threads` at the end."""

    id: ClassVar[str] = "memory-plot"
    title: ClassVar[str] = "I/Os by Memory"

    def __init__(self, document: OrderDocument, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(document, theme, parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.component = DropDown(self)
        for name, title in COMPONENTS.items():
            self.component.addItem(title, name)
        self.component.setAccessibleName("What is counted")
        self.component.currentIndexChanged.connect(self.request_refresh)
        self.words = ElidedLabel("", self, lines=MOST_LINES)
        self.words.set_tip(TIP)
        self.legend = QLabel("", self)
        self.legend.setTextFormat(Qt.TextFormat.RichText)
        set_role(self.legend, "muted")
        self.view: PlotView | None = None
        self.curves: Curves | None = None
        self._curves_of: tuple[Ints, ...] = ()
        self._network: Network | None = None
        self.pointed = -1
        """The sample that is read out, -1 for none."""
        self._sampled: tuple[Ints, ...] = ()
        """The orders that the curves are of, or are being counted for."""
        self._background = Background("memory curves", self)
        self._count_later = Later(self._count, self, COUNT_AFTER, self._subject)
        top = QHBoxLayout()
        top.setContentsMargins(10, 4, 10, 0)
        top.setSpacing(8)
        top.addWidget(self.component)
        top.addStretch(1)
        top.addWidget(self.legend)
        self._line = QHBoxLayout()
        self._line.setContentsMargins(12, 0, 12, 0)
        self._line.addWidget(self.words, 1, Qt.AlignmentFlag.AlignTop)
        self._strut = QSpacerItem(0, 0, QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        """Keeps the plot from moving below the pointer: what is read out may take fewer lines."""
        self._line.addItem(self._strut)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 4)
        self._column.setSpacing(2)
        self._column.addLayout(top)
        self._column.addLayout(self._line)
        self._column.addStretch(1)
        for signal in (document.model_changed, document.decision_changed, document.compared_changed):
            signal.connect(self.request_refresh)
        for signal in (document.problem_changed, document.readouts_changed):
            signal.connect(self.request_refresh)

    @cached_property
    def told(self) -> Contents:
        """A chart, whose description says what is pointed at."""
        return Contents(self, Role.Chart)

    def sizeHint(self) -> QSize:
        """Wide enough for a curve over three powers of ten."""
        return QSize(480, 230)

    def minimumSizeHint(self) -> QSize:
        """Less is no plot."""
        return QSize(220, 150)

    @property
    def busy(self) -> bool:
        """Whether curves are being counted or drawn."""
        return self._background.busy or self._count_later.waiting or self.waiting

    def end_threads(self) -> None:
        """The window goes."""
        self._count_later.stop()
        self._background.close()

    def hideEvent(self, event: QHideEvent) -> None:
        """Nobody looks: counting ends, what is known stays."""
        super().hideEvent(event)
        if self._count_later.waiting or self._background.busy:
            self._count_later.stop()
            self._background.cancel()
            self._sampled = ()
        self._stale = True

    # ------------------------------------------------------------------ counting
    def _shown_orders(self) -> tuple[Ints, ...]:
        compared = self.document.compared
        return (self.document.order,) if compared is None else (self.document.order, compared.order)

    def _subject(self) -> object:
        """What is counted: orders of a network."""
        return (self.document.network, *self._shown_orders())

    def _names(self) -> tuple[str, ...]:
        return ("A",) if self.document.compared is None else ("A", "B")

    def _count(self) -> None:
        problem = self.document.problem
        if problem is None or not self.isVisible():
            return
        orders = self._sampled
        sampling = Sampling(problem.network, orders, (problem.target.size,))

        def take(result: object) -> None:
            if isinstance(result, Exception):
                raise result
            assert isinstance(result, Curves)
            self.curves, self._curves_of = result, orders
            self.pointed = -1
            if not result.complete:
                self._background.run(sampling.work, take)
            self.request_refresh()

        self._background.run(sampling.work, take)

    # ------------------------------------------------------------------ contents
    def refresh(self) -> None:
        """Draw what is known, and begin to count what is not."""
        problem = self.document.problem
        if problem is None:
            self.words.setText(self.document.nothing("Open a network to see its I/Os."))
            if self.view is not None:
                self.view.widget.hide()
            return
        orders = self._shown_orders()
        if not _same(orders, self._sampled):
            if len(orders) != len(self._sampled) or problem.network is not self._network:
                self.curves = None
            self._sampled, self._network = orders, problem.network
            self._background.cancel()
            self._count_later.ask()
        component = str(self.component.currentData())
        if self.view is None:
            self._make_view()
        assert self.view is not None
        self.view.widget.show()
        here = self.document.evaluation
        value = {"reads": here.reads, "writes": here.writes}.get(component, here.reads + here.writes)
        lines = bound_lines(io_bounds(problem.network), component)
        self.view.draw(self.curves, component, problem.target, value, lines)
        self.view.point_at(self.pointed)
        compared = self.document.compared
        self.legend.setText(legend_html(self.theme, compared is not None))
        self.legend.setToolTip(
            "" if compared is None else f"Dashed: the order to compare with, {compared.shown_name}"
        )
        self._say()

    def _make_view(self) -> None:
        from gui.panels.network.plots.view import PlotView

        self.view = PlotView(self.theme, self)
        take(self._column, self._column.count() - 1)
        self._column.addWidget(self.view.widget, 1)
        self.view.widget.setToolTip(wrapped(TIP.split("\n")))
        self.view.pointed.connect(self._pointed)
        self.view.chosen.connect(self.take_size)

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        if self.view is not None:
            self.view.set_theme(theme)
        super().set_theme(theme)

    def _say(self) -> None:
        problem = self.document.problem
        if problem is None:
            return
        component = str(self.component.currentData())
        if self.curves is not None and self._current and 0 <= self.pointed < len(self.curves.memory):
            self.words.setText(
                sample_words(self.curves, self.pointed, component, problem.target.policy_code, self._names())
            )
        else:
            total = self.document.evaluation.values[0]
            reaches = self.curves.reaches if self.curves is not None and self._current else 0
            self._keep_height(0)
            standing = standing_words(total, io_bounds(problem.network), reaches)
            self.words.setText(standing if self._current else f"{standing}{COUNTING}")
        if self.curves is not None:
            self.setAccessibleDescription(
                self.words.text() if self.pointed >= 0 else described(self.curves, component, problem.target)
            )

    def _keep_height(self, height: int) -> None:
        """The words have at least so much room."""
        if height != self._strut.sizeHint().height():
            self._strut.changeSize(0, height, QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
            self._line.invalidate()

    @property
    def _current(self) -> bool:
        """Whether the curves are those of the orders shown: while these are counted the last ones' stay in sight."""
        return self.curves is not None and _same(self._curves_of, self._shown_orders())

    # ------------------------------------------------------------------ reading out and choosing
    def point_at(self, sample: int) -> None:
        """Read a sample out; -1 for none."""
        if sample != self.pointed:
            self._keep_height(self.words.height())
            self.pointed = sample
            if self.view is not None:
                self.view.point_at(sample)
            self._say()

    def take_size(self, size: int) -> None:
        """Plan for another size of fast memory: one undo step."""
        problem = self.document.problem
        if problem is None:
            return
        try:
            self.document.set_target(replace(problem.target, size=max(LEAST, size)))
        except StageboardError as error:
            self.document.message.emit(Message("error", str(error)))

    def _pointed(self, size: float) -> None:
        self.point_at(-1 if size <= 0 or self.curves is None else self.curves.nearest(size))

    def leaveEvent(self, event: object) -> None:
        """Nothing is pointed at."""
        self.point_at(-1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and Right walk over the sizes counted, Enter takes the one read out over, Escape ends the reading."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        curves, problem = self.curves, self.document.problem
        if curves is None or problem is None or event.modifiers() != Qt.KeyboardModifier.NoModifier:
            super().keyPressEvent(event)
        elif step is not None:
            at = curves.nearest(problem.target.size) if self.pointed < 0 else self.pointed + step
            self.point_at(min(max(at, 0), len(curves.memory) - 1))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self.pointed >= 0:
            self.take_size(int(curves.memory[self.pointed]))
        elif event.key() == Qt.Key.Key_Escape and self.pointed >= 0:
            self.point_at(-1)
        else:
            super().keyPressEvent(event)


def _same(orders: tuple[Ints, ...], others: tuple[Ints, ...]) -> bool:
    """Whether these are the same arrays."""
    return len(orders) == len(others) and all(a is b for a, b in zip(orders, others, strict=True))
