"""The main window: readouts on top, panels around the canvas, one list of actions behind menus, keys and palette."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QWidget

from gui.document.values import Message
from gui.editors.plan.actions import ACTIONS
from gui.editors.plan.body import CanvasFactory, GraphBody, default_canvas
from gui.editors.plan.handlers import Handlers
from gui.editors.plan.memory import VIEWS
from gui.editors.plan.menus import Menus
from gui.editors.plan.repair_offers import Mending
from gui.editors.plan.stage_control import StageControl
from gui.look.numbers import plural
from gui.look.theme import Theme, ThemeController
from gui.panels.mcm.state import is_package
from gui.shell.actions import ActionSet
from gui.shell.closing import CLOSING
from gui.shell.header import Header
from gui.shell.palette import Palette
from gui.tools.story.actions import SHIPPED
from gui.widgets.later import Later
from gui.widgets.plain import plain

if TYPE_CHECKING:
    from gui.background.jobs import Jobs
    from gui.document.plan.document import Document
    from gui.shell.session import Session
    from planner.problem.target import Device


def machine_words(devices: Sequence[Device]) -> str:
    """``4 stages``, ``6 accelerators and 1 CPU`` or ``6 accelerators (12 subgraphs) and 1 CPU``."""
    kinds: dict[str, list[str]] = {}
    for device in devices:
        kinds.setdefault(device.kind, []).append(device.name)
    words = {"cpu": ("CPU", "CPUs")}
    parts = []
    for kind, names in kinds.items():
        # The slots of an accelerator, acc 1.0 and acc 1.1, are one machine.
        count = len({name.partition(".")[0] for name in names})
        slots = f" ({len(names)} subgraphs)" if count < len(names) else ""
        parts.append(plural(count, *words.get(kind, (kind, f"{kind}s"))) + slots)
    return " and ".join(parts)


ROOM_FOR_PLOT = 860
"""Window height in pixels from which the convergence plot opens by itself."""


class MainWindow(GraphBody):
    """One document. ``session`` remembers what outlives the window (None: nothing does)."""

    def __init__(
        self,
        document: Document,
        jobs: Jobs,
        themes: ThemeController,
        session: Session | None = None,
        canvas_factory: CanvasFactory = default_canvas,
    ) -> None:
        super().__init__(document, jobs, themes, session, canvas_factory)
        self._sized = self._plot_shown = self._closing_surely = False
        theme = themes.theme
        # ---- actions
        self.mending = Mending(self)
        self.handlers = Handlers(self, self.mending)
        self.actions_set = ActionSet(ACTIONS, self.handlers.run, self)
        self.actions_set.install(self, (self.canvas, self.devices, self.ops.table))
        self.header = Header(theme, self.readouts)
        self.header.add_control(StageControl(document, self.header))
        self.menus = Menus(self)
        for view in VIEWS:
            action = self.actions_set[f"view.{view}"]
            self.header.add_view(view, action, partial(self.canvas.set_view, view))
        self.setMenuWidget(self.header)
        self.palette_window = Palette(self, theme)
        self.pickers = self.handlers.pickers
        self._update_later = Later(self.update_actions, self)
        self._connect()
        self._graph_changed()
        self._sized = self.memory.restore(self.set_reduced_motion)

    # ------------------------------------------------------------------ making
    def _connect(self) -> None:
        document, jobs, canvas = self.document, self.jobs, self.canvas
        document.message.connect(self._show_message)
        document.assignment_changed.connect(self.notice.plan_changed)
        document.graph_changed.connect(self._graph_changed)
        for signal in (document.graph_changed, document.problem_changed):
            signal.connect(self.palette_window.problem_changed)
        document.modified_changed.connect(lambda _: self._update_title())
        for signal in (
            document.graph_changed, document.problem_changed, document.assignment_changed, document.selection_changed,
            document.groups_changed, document.plans_changed, jobs.jobs_changed, jobs.ended,
        ):  # fmt: skip
            signal.connect(self._soon)
        document.undo_stack.indexChanged.connect(self._soon)
        self.planners.plot_requested.connect(lambda: self.docks.reveal("convergence"))
        self.race.racing.started.connect(self._show_plot_once)
        self.race.racing.started.connect(self._soon)
        self.race.racing.ended.connect(self._race_ended)
        self.race.highlight_requested.connect(canvas.set_highlight)
        self.race.entry_shown.connect(self.plans.make_current)
        self.race.compare_requested.connect(self.handlers.compare)
        jobs.jobs_changed.connect(self._show_plot_once)
        document.problem_changed.connect(self._update_title)
        document.problem_changed.connect(self.docks.make_room_for_devices)
        document.graph_changed.connect(self.docks.make_room_for_devices)
        document.problem_changed.connect(self.docks.follow_target)
        document.graph_changed.connect(self.docks.follow_target)
        document.problem_changed.connect(self.memory.remember_model)
        document.plans_changed.connect(self._update_title)
        jobs.ended.connect(self._job_ended)
        canvas.view_changed.connect(self._soon)
        canvas.context_menu.connect(self._context_menu)
        canvas.add_drop_target(self.devices)
        canvas.add_drop_target(self.package)
        self.package.device_shown.connect(self.inspector.show_device)
        self.package.device_shown.connect(canvas.reveal_lane)
        self.package.op_shown.connect(canvas.reveal)
        self.package.menu_requested.connect(self.devices.show_menu)
        self.plans.highlight_requested.connect(canvas.set_highlight)
        self.plans.save_requested.connect(self.handlers.files.save_entry)
        self.plans.compare_requested.connect(self.handlers.compare)
        self.plans.list.selectionModel().currentChanged.connect(self._soon)
        self.models.highlight.connect(canvas.set_highlight)
        self.suggestions.hovered.connect(self._highlight_ops)
        self.devices.device_shown.connect(self.inspector.show_device)
        self.inspector.reveal_requested.connect(canvas.reveal)
        self.ops.zoom_requested.connect(canvas.zoom_to_ops)
        self.violations.reveal_requested.connect(canvas.zoom_to_ops)
        self.readouts.violations_requested.connect(lambda: self.focus_panel("violations"))
        self.readouts.bottleneck_requested.connect(self._select_bottleneck)
        self.start_page.open_requested.connect(self.handlers.files.open_model)
        self.start_page.files_chosen.connect(self.handlers.files.open_files)
        self.start_page.offer([
            ("Two plans of a transformer, compared", self.actions_set["compare.example"]),
            *((title, self.actions_set[f"story.shipped.{name}"]) for name, title in SHIPPED),
        ])  # fmt: skip
        self.handlers.files.loading.busy_changed.connect(self._busy_changed)
        self.themes.changed.connect(self._theme_changed)

    # ------------------------------------------------------------------ state
    def _soon(self, *_: object) -> None:
        """Bursts of changes update the actions once."""
        self._update_later.ask_once()

    def update_actions(self) -> None:
        """Enable what can be done now; undo and redo say what they do."""
        self._update_later.stop()
        self.actions_set.update(self.handlers.conditions(), self.handlers.state)
        self.actions_set.name_undo(self.document.undo_stack)
        self.header.show_view(self.canvas.view, self.document.problem is not None)

    def _graph_changed(self) -> None:
        problem = self.document.problem
        self._stack.setCurrentWidget(self.start_page if problem is None else self.canvas)
        if problem is None:
            self.start_page.show_recent(self.memory.recent)
        self._update_title()
        self._soon()

    def _update_title(self) -> None:
        document = self.document
        mark = "[*]"
        self.setWindowModified(document.modified)
        if document.problem is None:
            self.setWindowTitle(f"Stageboard{mark}")
            self.header.show_title("Stageboard", "")
            return
        self.setWindowTitle(plain(f"{document.title}{mark} – Stageboard"))
        active = document.active
        parts = [f"{plural(document.problem.graph.n, 'op')} on {machine_words(document.problem.devices)}"]
        if active is not None:
            parts.append(f"plan “{active.name}”" + (" · not saved" if document.modified else ""))
        self.header.show_title(document.problem.graph.name, "  ·  ".join(parts))

    def _busy_changed(self) -> None:
        loading = self.handlers.files.loading
        self.busy.setText(loading.text)
        if loading.busy:
            self._stack.setCurrentWidget(self.busy)
            self.setCursor(Qt.CursorShape.BusyCursor)
        else:
            self.unsetCursor()
            self._stack.setCurrentWidget(self.start_page if self.document.problem is None else self.canvas)

    # ------------------------------------------------------------------ messages
    def _show_message(self, message: Message) -> None:
        self.say(message.level, message.text, message.detail)

    def _job_ended(self, job: Any) -> None:
        """A proposal that waits in the list is worth a word; one that is on the canvas already is not."""
        entry = job.entry
        if job.infeasible and job.problem == self.document.problem:
            self.mending.proven_infeasible(job.title)
            return
        if job.found_none and job.problem == self.document.problem and not self.document.evaluation.valid:
            self.mending.found_none(job)
            return
        if (
            job.state != "failed"
            and entry is not None
            and entry is not self.document.active
            and entry in self.document.plans
        ):
            active = self.document.active
            if entry.better_than(active):
                self.notice.show_message(
                    "info", f"{job.title} found a better plan: it waits in the plan list.", action="Apply it",
                    run=lambda: self._apply(entry),
                )  # fmt: skip

    def _race_ended(self, course: Any) -> None:
        self._soon()
        if course.outcome == "infeasible" and course.problem == self.document.problem:
            self.mending.proven_infeasible("The race")

    def _apply(self, entry: Any) -> None:
        if entry in self.document.plans:
            self.document.apply_plan(entry)

    def _select_bottleneck(self) -> None:
        if self.document.problem is not None:
            self.handlers.select_bottleneck()
            self.docks.reveal("why")

    def _highlight_ops(self, ops: np.ndarray | None) -> None:
        graph = self.document.graph
        if ops is None or graph is None:
            self.canvas.set_highlight(None)
            return
        mask = np.zeros(graph.n, bool)
        mask[ops] = True
        self.canvas.set_highlight(mask)

    def _context_menu(self, position: QPoint, op: int) -> None:
        menu = self.menus.context(op)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(position)

    # ------------------------------------------------------------------ panels and themes
    def _show_plot_once(self) -> None:
        """The first run opens the convergence plot where there is room; closing it keeps it closed.

        The view of a package keeps its place.
        """
        covers = is_package(self.document.problem) and self.package.isVisible()
        runs = bool(self.jobs.running) or self.race.racing.running
        if runs and not self._plot_shown and not covers and self.height() >= ROOM_FOR_PLOT:
            self._plot_shown = True
            self.docks.reveal("convergence")

    @property
    def settled(self) -> bool:
        """Whether nothing is on its way: no reading, no layout, no animation, no panel about to redraw."""
        panels = (*self.docks.panels.values(), self.readouts)
        return not (
            self.handlers.files.loading.busy
            or self._update_later.waiting
            or self.canvas.busy
            or self.canvas.animating
            or self.mending.repairing.busy
            or any(panel.waiting for panel in panels)
        )

    def _theme_changed(self, theme: Theme) -> None:
        for panel in (*self.docks.panels.values(), self.readouts):
            panel.set_theme(theme)
        self.notice.set_theme(theme)
        self.models.set_theme(theme)
        self.start_page.set_theme(theme)
        self.palette_window.set_theme(theme)
        self.canvas.set_theme(theme)

    # ------------------------------------------------------------------ sizes
    def showEvent(self, event: QShowEvent) -> None:
        """The first time without a remembered layout: sizes that suit the window."""
        super().showEvent(event)
        if not self._sized:
            self._sized = True
            self.size_docks()
            # Else the first button there is would have the keyboard: the one that takes a panel out of the window.
            (self.start_page if self.document.problem is None else self.canvas).setFocus()
            # A window manager may still maximise it; and the first model says how many devices there are.
            QTimer.singleShot(200, self, self.size_docks)
            self.document.graph_changed.connect(self.size_docks, Qt.ConnectionType.SingleShotConnection)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The palette stays in the middle."""
        super().resizeEvent(event)
        if self.palette_window.isVisible():
            self.palette_window.place()

    # ------------------------------------------------------------------ dropping files
    def open_files(self, paths: Sequence[Path]) -> None:
        """Open models, and a plan if there is one among the files."""
        self.handlers.files.open_files(paths)

    def take_dropped(self, files: list[Path]) -> None:
        """Open what was dropped."""
        self.open_files(files)

    # ------------------------------------------------------------------ closing
    def closeEvent(self, event: QCloseEvent) -> None:
        """An unsaved plan asks once; closing again while the question is shown, or its button, closes."""
        asked = self.notice.isVisible() and self.notice.text == CLOSING
        if self.document.modified and not asked and not self._closing_surely:
            self.notice.show_message("warning", CLOSING, action="Close anyway", run=self._close_anyway)
            event.ignore()
            return
        if not self._closing_surely and not self.studio.may_close(self._close_anyway):
            event.ignore()
            return
        self.memory.store()
        self.studio.close()
        self.handlers.files.loading.drop()
        self.handlers.exports.exporting.drop()
        self.jobs.close()
        self.race.close_race()
        self.mending.close()
        self.counting.close()
        self.canvas.close_canvas()
        event.accept()
        super().closeEvent(event)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            for dialog in self.findChildren(QWidget):
                if dialog.isWindow() and dialog is not self:
                    dialog.close()

    def _close_anyway(self) -> None:
        self._closing_surely = True
        self.close()
