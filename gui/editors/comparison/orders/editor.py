"""The comparison of two orders of a network: both played at one moment, what each does by then, and where they differ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QWidget

from gui.editors.comparison.orders.actions import ORDERS_ACTIONS, ORDERS_ELSEWHERE, ORDERS_MENUS
from gui.editors.comparison.orders.docks import TITLES, OrdersDocks
from gui.editors.comparison.orders.files import OrdersFiles
from gui.editors.comparison.orders.side_by_side import SideBySide
from gui.editors.comparison.window import ComparisonWindow
from gui.look.theme import Theme, ThemeController
from gui.panels.network.neuron import NeuronPanel
from gui.panels.network.playback.memory import FastMemoryView
from gui.panels.network.playback.widget import Playback
from gui.panels.network.plots.plots import PlotsPanel
from gui.shell.open_tabs import Left
from gui.shell.palette import Choice
from gui.shell.remembering import Remembering
from gui.tools.neurons import NeuronPicker
from gui.widgets.later import soon
from gui.widgets.plain import plain
from gui.words.methods import shown_name
from planner.errors import StageboardError

if TYPE_CHECKING:
    from gui.document.network.document import OrderDocument
    from gui.shell.session import Session


class OrdersWindow(ComparisonWindow):
    """Order A is the one on the canvas of the network's window, B another of its list; the moment is the document's, too."""

    elsewhere = ORDERS_ELSEWHERE
    prompt = "Type a command, or a neuron's layer and number"

    def __init__(
        self, document: OrderDocument, themes: ThemeController, session: Session | None = None
    ) -> None:
        super().__init__("orders-comparison", themes, session)
        theme = themes.theme
        self.document = document
        self.playback = Playback.of(document)
        self.canvas = SideBySide(document, theme, None, self.playback)
        self.setCentralWidget(self.canvas)
        self.notice.lie_over(self.canvas, lambda: self.canvas)
        self.inspector = NeuronPanel(document, theme)
        self.plots = PlotsPanel(document, theme)
        self.memories = FastMemoryView(document, theme), FastMemoryView(document, theme, "compared")
        panels: dict[str, Any] = {
            "inspector": self.inspector, "memory-a": self.memories[0], "memory-b": self.memories[1], "memory-plot": self.plots,
        }  # fmt: skip
        self.docks = OrdersDocks(self, panels, TITLES)
        self.docks.arrange()
        self.files = OrdersFiles(self, document)
        self.picker = NeuronPicker(self)
        self.equip(ORDERS_ACTIONS, ORDERS_MENUS, QWidget, lambda: (self.canvas,))
        self.memory = Remembering(self, session, "orders comparison")
        document.model_changed.connect(self.close)
        for signal in (document.compared_changed, document.plans_changed, document.selection_changed):
            signal.connect(self.update_soon)
        self.ended.connect(lambda: document.compare(None))
        self.follow()
        self.update_actions()
        self._placed = self.memory.restore_place()

    # ------------------------------------------------------------------ state
    @property
    def settled(self) -> bool:
        """Whether nothing is on its way."""
        return not (
            self.update_later.waiting or self.document.busy or self.canvas.busy or self.plots.busy or self.inspector.waiting
        )  # fmt: skip

    def say_state(self) -> None:
        """Say what is compared."""
        document = self.document
        names = [shown_name(one.name) for one in (document.active, document.compared) if one is not None]
        said = " · ".join(f"{letter}: {name}" for letter, name in zip("AB", names, strict=False))
        self.setWindowTitle(plain(f"{said} – Compare – Stageboard"))
        self.header.show_title("" if document.problem is None else document.problem.name, said)

    def further_choices(self, text: str) -> Iterable[Choice]:
        """Neurons, once a number is typed."""
        return self.picker.choices(text)

    # ------------------------------------------------------------------ commands
    def open_files(self, paths: Sequence[Path]) -> None:
        """Compare these plan files, too."""
        self.attempt(lambda: self.files.add_paths(list(paths)))

    def next_order(self) -> None:
        """B is the next order of the list."""
        document = self.document
        others = [one for one in document.plans if one is not document.active and one.components]
        if others:
            at = others.index(document.compared) + 1 if document.compared in others else 0
            document.compare(others[at % len(others)])

    def exchange(self) -> None:
        """B goes on the canvas, and what was there takes its place. Raises :class:`StageboardError`."""
        document = self.document
        before, other = document.active, document.compared
        if other is not None and other is not before:
            document.apply_plan(other)
            document.compare(before)

    def take_block(self) -> None:
        """A gets the selected neuron's block where B has it. Raises :class:`StageboardError`."""
        document = self.document
        if document.compared is None or document.selection < 0:
            return
        name = document.open_problem.network.neuron_name(document.selection)
        if not document.take_block(document.selection):
            raise StageboardError(f"A has the block of {name} as near to where B has it as is legal")

    # ------------------------------------------------------------------ looks
    def apply_theme(self, theme: Theme) -> None:
        """Other colours."""
        super().apply_theme(theme)
        self.canvas.set_theme(theme)

    def set_reduced_motion(self, reduced: bool) -> None:
        """Whether what is in fast memory lights up without flashes."""
        for view in (self.canvas, *self.memories):
            view.set_reduced_motion(reduced)
        super().set_reduced_motion(reduced)

    def size_docks(self) -> None:
        """Sizes that suit the window, once it has its own."""
        soon(self, lambda: self.docks.size(self.width(), self.height()))

    def focus_canvas(self) -> None:
        """Both pictures are looked at with the first."""
        self.canvas.setFocus()

    def left(self, whole: bool) -> Left | None:
        """The order on the canvas, and the one beside it."""
        both = (self.document.active, self.document.compared)
        return Left(self.document, columns=tuple(entry for entry in both if entry is not None))

    def end(self) -> None:
        """End the threads."""
        self.files.drop()
        self.playback.pause()
        self.canvas.end_threads()
        self.plots.end_threads()
