"""The body of a network's window: the parts that its actions, files and pickers act on."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from gui.background.proving import Proving
from gui.background.proving_unasked import ProvingUnasked
from gui.editors.network.docks import NetworkDocks
from gui.editors.network.memory import NetworkMemory
from gui.editors.network.middle import Middle
from gui.editors.network.panels.memory_control import MemoryControl
from gui.editors.network.panels.plans import OrderPlansPanel
from gui.editors.network.panels.readouts import OrderReadouts
from gui.editors.network.revisit import revisit_order
from gui.editors.network.views import ViewsFactory
from gui.look.theme import Theme, ThemeController
from gui.panels.network.neuron import NeuronPanel
from gui.tools.planning_window import PlanningWindow
from gui.tools.story.shots import OrderShots
from gui.tools.story.studio import Studio
from gui.widgets.later import soon

if TYPE_CHECKING:
    from gui.background.jobs import Jobs
    from gui.document.network.autosave import Autosave
    from gui.document.network.document import OrderDocument
    from gui.document.network.opening import OpenedNetwork
    from gui.shell.session import Session


class NetworkBody(PlanningWindow):
    """The network in the middle, panels around. :class:`gui.editors.network.editor.OrderWindow` adds what is done with them."""

    memory: NetworkMemory
    memory_control: MemoryControl
    prompt = "Type a command, or a neuron's layer and number"
    manual = ("In the window of a network", "The network")
    found_better = "found a better order: it waits in the plan list."

    def __init__(
        self,
        document: OrderDocument,
        jobs: Jobs,
        themes: ThemeController,
        session: Session | None,
        views_factory: ViewsFactory,
    ) -> None:
        super().__init__("orders", document, jobs, themes, session)
        self.autosave: Autosave | None = None
        theme = themes.theme
        # ---- the middle
        self.views = views_factory(document, theme, self)
        self.canvas, self.scrubber, self.strip = self.views.canvas, self.views.scrubber, self.views.strip
        self.playback = self.views.playback
        self.middle = Middle(self.views, self.start_page, self.waiting)
        self.setCentralWidget(self.middle)
        self.notice.lie_over(self.middle, lambda: self.middle.picture)
        # ---- panels
        self.readouts = OrderReadouts(document, theme)
        self.inspector = NeuronPanel(document, theme)
        self.plans = OrderPlansPanel(document, theme)
        self.studio = Studio(self, OrderShots(document), partial(revisit_order, document))
        panels: dict[str, Any] = {
            "inspector": self.inspector, "fast-memory": self.views.fast_memory, "planners": self.planners,
            "plans": self.plans, "memory-plot": self.views.plots, "convergence": self.convergence,
            "story": self.studio.panel, "race": self.race,
        }  # fmt: skip
        titles = {"fast-memory": "Fast memory", "memory-plot": "I/Os by memory"}
        self.docks = NetworkDocks(
            self, panels, {id: titles.get(id) or panel.title for id, panel in panels.items()}
        )
        self.docks.arrange()
        self.proving = Proving(self, self)
        self.proving_unasked = ProvingUnasked(document, jobs, self)
        self.memory = NetworkMemory(self, document, session)

    # ------------------------------------------------------------------ what is open
    def install(self, opened: OpenedNetwork) -> None:
        """Show a network that was prepared."""
        self.document.install(opened)
        self.notice.dismiss() if not opened.problem.network.warnings else None
        if self.palette_window.isHidden():
            self.canvas.setFocus()
        self.memory.remember_network()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Space plays the order or pauses, where whoever has the keyboard has no use for it."""
        plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        if event.key() == Qt.Key.Key_Space and plain and self.document.problem is not None:
            if not event.isAutoRepeat():
                self.playback.toggle()
            return
        super().keyPressEvent(event)

    # ------------------------------------------------------------------ panels and looks
    def first_widget(self, id: str) -> QWidget | None:
        """What has the keyboard first in a panel."""
        places: dict[str, QWidget] = {
            "inspector": self.inspector.view, "planners": self.planners.list, "plans": self.plans.list,
            "memory-plot": self.views.plots, "convergence": self.convergence.chooser,
            "fast-memory": self.views.fast_memory, "story": self.studio.panel.capture, "race": self.race.go,
        }  # fmt: skip
        return places[id]

    def topic(self, widget: QWidget | None) -> str:
        """The strip has a page of its own."""
        on_strip = widget is self.strip
        return "Order strip" if on_strip else super().topic(widget)

    def set_reduced_motion(self, reduced: bool) -> None:
        """Whether what is in fast memory lights up without flashes."""
        for view in self.views.moving:
            view.set_reduced_motion(reduced)
        super().set_reduced_motion(reduced)

    def apply_theme(self, theme: Theme) -> None:
        """Other colours."""
        super().apply_theme(theme)
        for part in (self.readouts, *self.views.themed):
            part.set_theme(theme)

    def size_docks(self) -> None:
        """Sizes that suit the window, once it has its own."""

        def size() -> None:
            self.docks.size(self.width(), self.height())
            self.middle.share_height()

        soon(self, size)
