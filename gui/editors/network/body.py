"""The body of a network's window: the parts that its handlers, files, menus and pickers act on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction, QIcon
from PySide6.QtWidgets import QWidget

from gui.background.proving import Proving
from gui.document.network.entries import OrderEntry
from gui.editors.network.docks import OrderDocks
from gui.editors.network.memory import OrderMemory
from gui.editors.network.middle import Middle
from gui.editors.network.panels.memory_control import MemoryControl
from gui.editors.network.panels.neuron import NeuronPanel
from gui.editors.network.panels.plans import OrderPlansPanel
from gui.editors.network.panels.readouts import OrderReadouts
from gui.editors.network.revisit import revisit_order
from gui.editors.network.views import ViewsFactory
from gui.look.assets import asset
from gui.look.theme import Theme, ThemeController
from gui.panels.base import Panel
from gui.shell.actions import ActionSet
from gui.shell.dropping import DropWindow
from gui.shell.header import Header
from gui.shell.palette import Palette
from gui.tools.search.convergence import ConvergencePanel
from gui.tools.search.planners import PlannersPanel
from gui.tools.search.race.panel import RacePanel
from gui.tools.story.shots import OrderShots
from gui.tools.story.studio import Studio
from gui.widgets.labels import capital
from gui.widgets.later import Later

if TYPE_CHECKING:
    from gui.background.jobs import Jobs
    from gui.document.network.autosave import Autosave
    from gui.document.network.document import OrderDocument
    from gui.document.network.opening import OpenedNetwork
    from gui.shell.session import Session


class OrderBody(DropWindow):
    """The network in the middle, panels around. :class:`gui.editors.network.editor.OrderWindow` adds what is done with them."""

    # What the window adds, which its helpers look at when something is asked of them.
    actions_set: ActionSet
    header: Header
    memory_control: MemoryControl
    palette_window: Palette

    def __init__(
        self,
        document: OrderDocument,
        jobs: Jobs,
        themes: ThemeController,
        session: Session | None,
        views_factory: ViewsFactory,
    ) -> None:
        super().__init__()
        self.setObjectName("orders")
        self.document, self.jobs, self.themes, self.session = document, jobs, themes, session
        self.reduced_motion = False
        self.autosave: Autosave | None = None
        self.setAcceptDrops(True)
        self.setWindowIcon(QIcon(asset("stageboard.svg")))
        theme = themes.theme
        # ---- the middle
        self.views = views_factory(document, theme, self)
        self.canvas, self.scrubber, self.strip = self.views.canvas, self.views.scrubber, self.views.strip
        self.playback = self.views.playback
        self.middle = Middle(self.views, theme)
        self.notice, self.start_page = self.middle.notice, self.middle.start_page
        self.setCentralWidget(self.middle)
        # ---- panels; jobs and the panels of both windows ask the document for nothing that it has not
        shared = cast(Any, document)
        self.readouts = OrderReadouts(document, theme)
        self.inspector = NeuronPanel(document, theme)
        self.planners = PlannersPanel(shared, jobs, theme)
        self.plans = OrderPlansPanel(document, theme)
        self.convergence = ConvergencePanel(shared, jobs, theme)
        self.race = RacePanel(shared, jobs, theme)
        self.convergence.watch(self.race.racing)
        self.studio = Studio(self, OrderShots(document), partial(revisit_order, document))
        self.docks = OrderDocks(
            self,
            {
                "inspector": (self.inspector.title, self.inspector),
                "fast-memory": ("Fast memory", self.views.fast_memory),
                "planners": (self.planners.title, self.planners),
                "plans": (self.plans.title, self.plans),
                "memory-plot": ("I/Os by memory", self.views.plots),
                "convergence": (self.convergence.title, self.convergence),
                "story": (self.studio.panel.title, self.studio.panel),
                "race": (self.race.title, self.race),
            },
        )
        self.proving = Proving(self, self)
        self.memory = OrderMemory(self, document, session)
        self.update_later = Later(self.update_actions, self)

    # ------------------------------------------------------------------ what the window says
    def update_actions(self) -> None:
        """Enable what can be done now."""
        raise NotImplementedError

    def open_files(self, paths: Sequence[Path]) -> None:
        """Open files where they belong."""
        raise NotImplementedError

    # ------------------------------------------------------------------ state
    def update_soon(self, *_: object) -> None:
        """Bursts of changes update the actions once."""
        self.update_later.ask_once()

    @property
    def theme(self) -> Theme:
        """The theme that is shown."""
        return self.themes.theme

    @property
    def page(self) -> str:
        """``one`` order, or ``two`` side by side."""
        return self.middle.page

    def dock_actions(self) -> list[tuple[QAction, str]]:
        """The action that shows or hides each panel, and the panel's title."""
        return [(dock.toggleViewAction(), self.docks.titles[id]) for id, dock in self.docks.docks.items()]

    def say(self, level: str, text: str, detail: str = "") -> None:
        """Show a notice."""
        self.notice.show_message(level, capital(text), detail)

    # ------------------------------------------------------------------ what is looked at
    @property
    def looked_at(self) -> Any:
        """What draws the network on the page that is shown."""
        return self.views.side_by_side if self.page == "two" else self.canvas

    def show_page(self, page: str) -> None:
        """One order, or two side by side; the second is the best other one unless one was chosen.

        The network is drawn on it as it was before.
        """
        document = self.document
        if document.problem is None:
            self.middle.show_page("start")
            return
        if page == "two" and document.compared is None:
            others = [entry for entry in document.plans if entry is not document.active and entry.components]
            if not others:
                self.say("info", "There is no second order to compare with; start a planner to find one.")
                page = "one"
            else:
                document.compare(cast(OrderEntry, min(others, key=lambda entry: entry.components)))
        before = self.looked_at
        self.middle.show_page(page)
        after = self.looked_at
        if after is not before:
            if after.view != before.view and before.view:
                after.set_view(before.view)
            after.set_sorted(before.sorted)
        self.update_soon()

    def compare(self, entry: OrderEntry) -> None:
        """Show an order of the list beside the one on the canvas."""
        self.document.compare(entry)
        self.show_page("two")

    def install(self, opened: OpenedNetwork) -> None:
        """Show a network that was prepared."""
        self.document.install(opened)
        self.notice.dismiss() if not opened.problem.network.warnings else None
        if self.palette_window.isHidden():
            self.canvas.setFocus()
        self.memory.remember_network()

    def may_replace(self, go_on: Callable[[], None]) -> bool:
        """Whether the open order may be replaced at once; where it is not saved, a notice offers to go on."""
        if not self.document.modified:
            return True
        self.notice.show_message(
            "warning", "The plan is not saved. Save it (Ctrl+S), or open the other network anyway.",
            action="Open anyway", run=go_on,
        )  # fmt: skip
        return False

    # ------------------------------------------------------------------ panels and themes
    def focus_panel(self, id: str) -> None:
        """Bring a panel to the front and give it the keyboard."""
        self.docks.reveal(id)
        places: dict[str, QWidget] = {
            "inspector": self.inspector.view, "planners": self.planners.list, "plans": self.plans.list,
            "memory-plot": self.views.plots, "convergence": self.convergence.chooser,
            "fast-memory": self.views.fast_memory, "story": self.studio.panel.capture, "race": self.race.go,
        }  # fmt: skip
        panel = self.docks.docks[id].widget()
        if isinstance(panel, Panel):
            panel.refresh_now()
        places[id].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def set_theme_name(self, preference: str) -> None:
        """system, light or dark."""
        self.themes.set_preference(preference)
        if self.session is not None:
            self.session.theme = preference

    def set_reduced_motion(self, reduced: bool) -> None:
        """Whether what is in fast memory lights up without flashes."""
        self.reduced_motion = reduced
        self.race.set_reduced_motion(reduced)
        for view in self.views.moving:
            view.set_reduced_motion(reduced)
        self.memory.set_reduced_motion(reduced)

    def reset_docks(self) -> None:
        """All panels where and as large as they were at first."""
        self.docks.arrange()
        self.size_docks()

    def size_docks(self) -> None:
        """Sizes that suit the window, once it has its own."""

        def size() -> None:
            self.docks.size(self.width(), self.height())
            self.middle.share_height()

        QTimer.singleShot(0, self, size)
