"""The window of a sparse network: readouts on top, the network over the scrubber and the order strip, panels around."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QCloseEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QWidget

from gui.document.network.entries import OrderEntry
from gui.document.values import Message
from gui.editors.network.actions import ORDER_ACTIONS
from gui.editors.network.body import OrderBody
from gui.editors.network.handlers import OrderHandlers
from gui.editors.network.menus import fill_menus
from gui.editors.network.panels.memory_control import MemoryControl
from gui.editors.network.views import ViewsFactory, default_views
from gui.look.numbers import plural
from gui.look.theme import Theme, ThemeController
from gui.panels.base import Panel
from gui.shell.actions import ActionSet
from gui.shell.closing import CLOSING
from gui.shell.header import Header
from gui.shell.palette import Palette
from gui.tools.story.actions import SHIPPED
from gui.widgets.plain import plain

if TYPE_CHECKING:
    from gui.background.job import Job
    from gui.background.jobs import Jobs
    from gui.document.network.document import OrderDocument
    from gui.shell.session import Session

PAGES = {"one": "One order", "two": "Side by side"}
"""The two ways to look, and what their buttons say."""


class OrderWindow(OrderBody):
    """One network. ``session`` remembers what outlives the window (None: nothing does)."""

    def __init__(
        self,
        document: OrderDocument,
        jobs: Jobs,
        themes: ThemeController,
        session: Session | None = None,
        views_factory: ViewsFactory = default_views,
    ) -> None:
        super().__init__(document, jobs, themes, session, views_factory)
        self._sized = self._closing_surely = False
        theme = themes.theme
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
        fill_menus(self)
        self.setMenuWidget(self.header)
        self.palette_window = Palette(self, theme)
        self.pickers = self.handlers.pickers
        self._connect()
        self._network_changed()
        self._sized = self.memory.restore(self.set_reduced_motion)

    # ------------------------------------------------------------------ making
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
            signal.connect(self.update_soon)
        document.undo_stack.indexChanged.connect(self.update_soon)
        document.problem_changed.connect(self.memory.remember_network)
        document.plans_changed.connect(self._update_title)
        document.compared_changed.connect(self._compared_changed)
        jobs.ended.connect(self._job_ended)
        self.planners.plot_requested.connect(lambda: self.docks.reveal("convergence"))
        self.race.racing.started.connect(self.update_soon)
        self.race.racing.ended.connect(self.update_soon)
        self.race.entry_shown.connect(self.plans.make_current)
        self.race.compare_requested.connect(self._compare_two)
        self.plans.save_requested.connect(self.handlers.files.save_entry)
        self.plans.compare_requested.connect(self.compare)
        self.plans.list.selectionModel().currentChanged.connect(self.update_soon)
        self.readouts.violation_requested.connect(self._show_violation)
        self.start_page.open_requested.connect(self.handlers.files.open_model)
        self.start_page.files_chosen.connect(self.handlers.files.open_files)
        self.start_page.offer([
            (title, self.actions_set[f"story.shipped.{name}"]) for name, title in SHIPPED
        ])  # fmt: skip
        self.handlers.files.loading.busy_changed.connect(self._busy_changed)
        self.themes.changed.connect(self._theme_changed)

    # ------------------------------------------------------------------ state
    def update_actions(self) -> None:
        """Enable what can be done now; undo and redo say what they do."""
        self.update_later.stop()
        self.actions_set.update(self.handlers.conditions(), self.handlers.state)
        self.actions_set.name_undo(self.document.undo_stack)
        self.header.show_view(self.page, self.document.problem is not None)

    def _compare_two(self, entries: Sequence[OrderEntry]) -> None:
        """Of several orders the first that is not on the canvas beside the one that is."""
        other = next((entry for entry in entries if entry is not self.document.active), None)
        if other is not None:
            self.compare(other)

    def _compared_changed(self) -> None:
        if self.document.compared is None and self.page == "two":
            self.show_page("one")

    def _network_changed(self) -> None:
        # How another network is drawn depends on its size, not on what was shown before.
        self.middle.show_page("start" if self.document.problem is None else "one")
        if self.document.problem is None:
            self.start_page.show_recent(self.memory.recent)
        self._update_title()
        self.update_soon()

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
            or self.update_later.waiting
            or self.document.busy
            or any(getattr(view, "busy", False) for view in self.views.threaded)
            or any(panel.waiting for panel in self._panels)
        )

    def _theme_changed(self, theme: Theme) -> None:
        for part in (*self._panels, *self.views.themed, self.middle, self.palette_window):
            part.set_theme(theme)

    # ------------------------------------------------------------------ sizes
    def showEvent(self, event: QShowEvent) -> None:
        """The first time without a remembered layout: sizes that suit the window."""
        super().showEvent(event)
        if not self._sized:
            self._sized = True
            self.size_docks()
            self.canvas.setFocus()
            # A window manager may still maximise it.
            QTimer.singleShot(200, self, self.size_docks)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The palette stays in the middle."""
        super().resizeEvent(event)
        if self.palette_window.isVisible():
            self.palette_window.place()

    # ------------------------------------------------------------------ dropping files
    def open_files(self, paths: Sequence[Path]) -> None:
        """Open networks here, graphs in a window of their own, and a plan where its network is."""
        self.handlers.files.open_files(paths)

    def take_dropped(self, files: list[Path]) -> None:
        """Open what was dropped."""
        self.open_files(files)

    # ------------------------------------------------------------------ closing
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
