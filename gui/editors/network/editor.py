"""The window of a sparse network: readouts on top, the network over the scrubber and the order strip, panels around."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction, QCloseEvent, QIcon, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QWidget,
)

from gui.background.proving import Proving
from gui.document.network.entries import OrderEntry
from gui.document.values import Message
from gui.editors.network.actions import ORDER_ACTIONS
from gui.editors.network.docks import OrderDocks
from gui.editors.network.handlers import OrderHandlers
from gui.editors.network.memory import OrderMemory
from gui.editors.network.menus import fill_menus
from gui.editors.network.middle import Middle
from gui.editors.network.panels.memory_control import MemoryControl
from gui.editors.network.panels.neuron import NeuronPanel
from gui.editors.network.panels.plans import OrderPlansPanel
from gui.editors.network.panels.readouts import OrderReadouts
from gui.editors.network.pickers import OrderPickers
from gui.editors.network.revisit import revisit_order
from gui.editors.network.views import ViewsFactory, default_views
from gui.editors.network.windows import open_order_window
from gui.look.assets import asset
from gui.look.numbers import plural
from gui.look.theme import Theme, ThemeController
from gui.panels.base import Panel
from gui.shell.actions import ActionSet
from gui.shell.closing import CLOSING
from gui.shell.dropping import DropWindow
from gui.shell.header import Header
from gui.shell.kinds import windows_of
from gui.shell.palette import Palette
from gui.tools.search.convergence import ConvergencePanel
from gui.tools.search.planners import PlannersPanel
from gui.tools.search.race.panel import RacePanel
from gui.tools.story.actions import SHIPPED
from gui.tools.story.shots import OrderShots
from gui.tools.story.studio import Studio
from gui.widgets.labels import capital
from gui.widgets.later import Later
from gui.widgets.plain import plain

if TYPE_CHECKING:
    from gui.background.job import Job
    from gui.background.jobs import Jobs
    from gui.document.network.autosave import Autosave
    from gui.document.network.document import OrderDocument
    from gui.document.network.opening import OpenedNetwork
    from gui.shell.session import Session

PAGES = {"one": "One order", "two": "Side by side"}
"""The two ways to look, and what their buttons say."""


class OrderWindow(DropWindow):
    """One network. ``session`` remembers what outlives the window (None: nothing does)."""

    def __init__(
        self,
        document: OrderDocument,
        jobs: Jobs,
        themes: ThemeController,
        session: Session | None = None,
        views_factory: ViewsFactory = default_views,
    ) -> None:
        super().__init__()
        self.setObjectName("orders")
        self.document, self.jobs, self.themes, self.session = document, jobs, themes, session
        self.reduced_motion = False
        self._sized = self._closing_surely = False
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
        self.studio = Studio(self, OrderShots(document), revisit_order)
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
        # ---- actions
        self.handlers = OrderHandlers(self)
        self.actions_set = ActionSet(ORDER_ACTIONS, self.handlers.run, self)
        self.actions_set.install(self, ())
        self.header = Header(theme, self.readouts)
        self.memory_control = MemoryControl(document, self.header)
        self.header.add_control(self.memory_control)
        for page, words in PAGES.items():
            action = self.actions_set[f"view.{page}"]
            self.header.add_view(page, action, partial(self.show_page, page), words)
        self.memory = OrderMemory(self, session)
        fill_menus(self)
        self.setMenuWidget(self.header)
        self.palette_window = Palette(self, theme)
        self.pickers = OrderPickers(self)
        self._update_later = Later(self.update_actions, self)
        self._connect()
        self._network_changed()
        self._sized = self.memory.restore()

    # ------------------------------------------------------------------ making
    def dock_actions(self) -> list[tuple[QAction, str]]:
        """The action that shows or hides each panel, and the panel's title."""
        return [(dock.toggleViewAction(), self.docks.titles[id]) for id, dock in self.docks.docks.items()]

    def _connect(self) -> None:
        document, jobs = self.document, self.jobs
        document.message.connect(self._show_message)
        document.order_changed.connect(self.notice.plan_changed)
        document.network_changed.connect(self._network_changed)
        for signal in (document.network_changed, document.problem_changed):
            signal.connect(self.palette_window.problem_changed)
        document.modified_changed.connect(lambda _: self._update_title())
        for signal in (
            document.network_changed, document.problem_changed, document.order_changed, document.selection_changed,
            document.plans_changed, document.compared_changed, jobs.jobs_changed, jobs.ended,
        ):  # fmt: skip
            signal.connect(self._soon)
        document.undo_stack.indexChanged.connect(self._soon)
        document.problem_changed.connect(self.memory.remember_network)
        document.plans_changed.connect(self._update_title)
        document.compared_changed.connect(self._compared_changed)
        jobs.ended.connect(self._job_ended)
        self.planners.plot_requested.connect(lambda: self.docks.reveal("convergence"))
        self.race.racing.started.connect(self._soon)
        self.race.racing.ended.connect(self._soon)
        self.race.entry_shown.connect(self.plans.make_current)
        self.race.compare_requested.connect(self._compare_two)
        self.plans.save_requested.connect(self.handlers.files.save_entry)
        self.plans.compare_requested.connect(self.compare)
        self.plans.list.selectionModel().currentChanged.connect(self._soon)
        self.readouts.violation_requested.connect(self._show_violation)
        self.start_page.open_requested.connect(self.handlers.files.open_model)
        self.start_page.files_chosen.connect(self.handlers.files.open_files)
        self.start_page.offer([
            (title, self.actions_set[f"story.shipped.{name}"]) for name, title in SHIPPED
        ])  # fmt: skip
        self.handlers.files.loading.busy_changed.connect(self._busy_changed)
        self.themes.changed.connect(self._theme_changed)

    # ------------------------------------------------------------------ state
    @property
    def theme(self) -> Theme:
        """The theme that is shown."""
        return self.themes.theme

    @property
    def page(self) -> str:
        """``one`` order, or ``two`` side by side."""
        return self.middle.page

    def _soon(self, *_: object) -> None:
        """Bursts of changes update the actions once."""
        self._update_later.ask_once()

    def update_actions(self) -> None:
        """Enable what can be done now; undo and redo say what they do."""
        self._update_later.stop()
        self.actions_set.update(self.handlers.conditions(), self.handlers.state)
        self.actions_set.name_undo(self.document.undo_stack)
        self.header.show_view(self.page, self.document.problem is not None)

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
        self._soon()

    def compare(self, entry: OrderEntry) -> None:
        """Show an order of the list beside the one on the canvas."""
        self.document.compare(entry)
        self.show_page("two")

    def _compare_two(self, entries: Sequence[OrderEntry]) -> None:
        """Of several orders the first that is not on the canvas beside the one that is."""
        other = next((entry for entry in entries if entry is not self.document.active), None)
        if other is not None:
            self.compare(other)

    def _compared_changed(self) -> None:
        if self.document.compared is None and self.page == "two":
            self.show_page("one")

    def install(self, opened: OpenedNetwork) -> None:
        """Show a network that was prepared."""
        self.document.install(opened)
        self.notice.dismiss() if not opened.problem.network.warnings else None
        if self.palette_window.isHidden():
            self.canvas.setFocus()
        self.memory.remember_network()

    def _network_changed(self) -> None:
        # How another network is drawn depends on its size, not on what was shown before.
        self.middle.show_page("start" if self.document.problem is None else "one")
        if self.document.problem is None:
            self.start_page.show_recent(self.memory.recent)
        self._update_title()
        self._soon()

    def _update_title(self) -> None:
        document, mark = self.document, "[*]"
        self.setWindowModified(document.modified)
        if document.problem is None:
            self.setWindowTitle(f"Stageboard{mark}")
            self.header.show_title("Stageboard", "")
            return
        self.setWindowTitle(plain(f"{document.title}{mark} – Stageboard"))
        network, active = document.problem.network, document.active
        parts = [plural(network.connection_count, "connection"), plural(network.neuron_count, "neuron")]
        if active is not None:
            parts.append(f"order “{active.name}”" + (" · not saved" if document.modified else ""))
        self.header.show_title(network.name, "  ·  ".join(parts))

    def _busy_changed(self) -> None:
        loading = self.handlers.files.loading
        self.middle.waiting.setText(loading.text)
        if loading.busy:
            self.middle.show_page("waiting")
            self.setCursor(Qt.CursorShape.BusyCursor)
        else:
            self.unsetCursor()
            self.show_page("one")

    # ------------------------------------------------------------------ messages
    def say(self, level: str, text: str, detail: str = "") -> None:
        """Show a notice."""
        self.notice.show_message(level, capital(text), detail)

    def _show_message(self, message: Message) -> None:
        self.say(message.level, message.text, message.detail)

    def _show_violation(self) -> None:
        if self.document.problem is not None and not self.document.evaluation.valid:
            self.say("warning", self.document.evaluation.violations[0].sentence)

    def _job_ended(self, job: Job) -> None:
        """An order that waits in the list is worth a word; one that is on the canvas already is not."""
        entry, active = job.entry, self.document.active
        waits = entry is not None and entry is not active and entry in self.document.plans
        if entry is not None and job.state != "failed" and waits and entry.better_than(active):
            self.notice.show_message(
                "info", f"{job.title} found a better order: it waits in the plan list.", action="Apply it",
                run=lambda: entry in self.document.plans and self.document.apply_plan(entry),
            )  # fmt: skip

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

    @property
    def _panels(self) -> tuple[Panel, ...]:
        return (
            self.readouts, self.inspector, self.planners, self.plans, self.convergence, self.studio.panel, self.race,
        )  # fmt: skip

    @property
    def settled(self) -> bool:
        """Whether nothing is on its way: no reading, no trace, no panel about to redraw."""
        return not (
            self.handlers.files.loading.busy
            or self._update_later.waiting
            or self.document.busy
            or any(getattr(view, "busy", False) for view in self.views.threaded)
            or any(panel.waiting for panel in self._panels)
        )

    def set_theme_name(self, preference: str) -> None:
        """system, light or dark."""
        self.themes.set_preference(preference)
        if self.session is not None:
            self.session.theme = preference

    def _theme_changed(self, theme: Theme) -> None:
        for part in (*self._panels, *self.views.themed, self.middle, self.palette_window):
            part.set_theme(theme)

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
        self._size_docks()

    # ------------------------------------------------------------------ sizes
    def showEvent(self, event: QShowEvent) -> None:
        """The first time without a remembered layout: sizes that suit the window."""
        super().showEvent(event)
        if not self._sized:
            self._sized = True
            self._size_docks()
            self.canvas.setFocus()
            # A window manager may still maximise it.
            QTimer.singleShot(200, self, self._size_docks)

    def _size_docks(self) -> None:
        def size() -> None:
            self.docks.size(self.width(), self.height())
            self.middle.share_height()

        QTimer.singleShot(0, self, size)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The palette stays in the middle."""
        super().resizeEvent(event)
        if self.palette_window.isVisible():
            self.palette_window.place()

    # ------------------------------------------------------------------ other windows, dropping files
    def open_graphs(self, models: Sequence[Path], plan: Path | None) -> None:
        """Graphs of operators open in a window of their own."""
        windows_of("plan").open_graph_window(models, plan, self.session is not None)
        if self.document.problem is None and not self.handlers.files.loading.busy:
            self.close()

    def open_elsewhere(self, paths: Sequence[Path]) -> None:
        """A second network opens in a second window."""
        open_order_window(self.themes, self.session, paths)

    def take_dropped(self, files: list[Path]) -> None:
        """Open what was dropped."""
        self.handlers.files.open_files(files)

    # ------------------------------------------------------------------ closing
    def may_replace(self, go_on: Callable[[], None]) -> bool:
        """Whether the open order may be replaced at once; where it is not saved, a notice offers to go on."""
        if not self.document.modified:
            return True
        self.notice.show_message(
            "warning", "The plan is not saved. Save it (Ctrl+S), or open the other network anyway.",
            action="Open anyway", run=go_on,
        )  # fmt: skip
        return False

    def closeEvent(self, event: QCloseEvent) -> None:
        """An unsaved order asks once; closing again while the question is shown, or its button, closes."""
        asked = self.notice.isVisible() and self.notice.text == CLOSING
        if self.document.modified and not asked and not self._closing_surely:
            self.notice.show_message("warning", CLOSING, action="Close anyway", run=self._close_anyway)
            event.ignore()
            return
        if not self._closing_surely and not self.studio.may_close(self._close_anyway):
            event.ignore()
            return
        self.memory.store()
        self.end()
        event.accept()
        super().closeEvent(event)
        if isinstance(QApplication.instance(), QApplication):
            for dialog in self.findChildren(QWidget):
                if dialog.isWindow() and dialog is not self:
                    dialog.close()

    def _close_anyway(self) -> None:
        self._closing_surely = True
        self.close()

    def end(self) -> None:
        """End every process and thread."""
        self.playback.pause()
        self.studio.close()
        self.handlers.files.loading.drop()
        self.jobs.close()
        self.race.close_race()
        for view in self.views.threaded:
            view.end_threads()
        if self.autosave is not None:
            self.autosave.close()
        self.document.close()
