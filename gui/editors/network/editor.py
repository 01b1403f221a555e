"""The window of a sparse network: readouts on top, the network over the scrubber and the order strip, panels around."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtGui import QShowEvent

from gui.document.network.entries import OrderEntry
from gui.editors.network.actions import NETWORK_ACTIONS, NETWORK_ELSEWHERE, NETWORK_MENUS
from gui.editors.network.body import NetworkBody
from gui.editors.network.files import NetworkFiles
from gui.editors.network.panels.memory_control import MemoryControl
from gui.editors.network.pickers import NetworkPickers
from gui.editors.network.views import ViewsFactory, default_views
from gui.look.numbers import plural
from gui.look.theme import ThemeController
from gui.panels.base import Panel
from gui.shell.palette import Choice
from gui.tools.story.actions import SHIPPED
from gui.widgets.plain import plain

if TYPE_CHECKING:
    from gui.background.jobs import Jobs
    from gui.document.network.document import OrderDocument
    from gui.shell.session import Session

PAGES = {"one": "One order", "two": "Side by side"}
"""The two ways to look, and what their buttons say."""


class OrderWindow(NetworkBody):
    """One network."""

    files: NetworkFiles
    elsewhere = NETWORK_ELSEWHERE

    def __init__(
        self,
        document: OrderDocument,
        jobs: Jobs,
        themes: ThemeController,
        session: Session | None = None,
        views_factory: ViewsFactory = default_views,
    ) -> None:
        super().__init__(document, jobs, themes, session, views_factory)
        self._sized = False
        self.files = NetworkFiles(self)
        self.pickers = NetworkPickers(self)
        self.equip(
            NETWORK_ACTIONS,
            NETWORK_MENUS,
            lambda: self.readouts,
            lambda: (self.canvas, self.views.side_by_side),
        )
        self.offer_recent("file.open_sparse")
        self.memory_control = MemoryControl(document, self.header)
        self.header.add_control(self.memory_control)
        for page, words in PAGES.items():
            self.header.add_view(page, self.actions_set[f"view.{page}"], partial(self.show_page, page), words)
        self.connect_planning()
        self._connect()
        self._network_changed()
        self._sized = self.memory.restore(self.set_reduced_motion)

    # ------------------------------------------------------------------ making
    def _connect(self) -> None:
        document = self.document
        document.decision_changed.connect(self.notice.plan_changed)
        document.model_changed.connect(self._network_changed)
        document.model_changed.connect(self.palette_window.problem_changed)
        for signal in (document.decision_changed, document.compared_changed):
            signal.connect(self.update_soon)
        document.problem_changed.connect(self.memory.remember_network)
        document.compared_changed.connect(self._compared_changed)
        self.race.compare_requested.connect(self._compare_two)
        self.plans.save_requested.connect(self.files.save_entry)
        self.plans.compare_requested.connect(self.compare)
        self.readouts.violation_requested.connect(self._show_violation)
        self.start_page.offer([
            (title, self.actions_set[f"story.shipped.{name}"]) for name, title in SHIPPED
        ])  # fmt: skip

    # ------------------------------------------------------------------ state
    def say_state(self) -> None:
        """Title, header, and the page that is shown."""
        document, problem = self.document, self.document.problem
        self.header.show_view(self.page, problem is not None)
        title = "Stageboard[*]" if problem is None else f"{document.title}[*] – Stageboard"
        self.setWindowTitle(plain(title))
        self.setWindowModified(document.modified)
        if problem is None:
            self.header.show_title("Stageboard", "")
            return
        network, active = problem.network, document.active
        parts = [plural(network.connection_count, "connection"), plural(network.neuron_count, "neuron")]
        if active is not None:
            parts.append(f"order “{active.name}”" + (" · not saved" if document.modified else ""))
        self.header.show_title(network.name, "  ·  ".join(parts))

    # ------------------------------------------------------------------ comparing
    def compare_chosen(self) -> None:
        """Show the order under the list's cursor beside the one on the canvas."""
        entry = self.plans.current()
        if isinstance(entry, OrderEntry) and entry is not self.document.active:
            self.compare(entry)

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
        self.update_soon()

    def show_waiting(self) -> None:
        """Show the page that says what is being read."""
        self.middle.show_page("waiting")

    def show_content(self) -> None:
        """Show one order, or where to begin."""
        self.show_page("one")

    def _show_violation(self) -> None:
        if self.document.problem is not None and not self.document.evaluation.valid:
            self.say("warning", self.document.evaluation.violations[0].sentence)

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
            self.files.loading.busy
            or self.update_later.waiting
            or self.document.busy
            or any(getattr(view, "busy", False) for view in self.views.threaded)
            or any(panel.waiting for panel in self._panels)
        )

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

    # ------------------------------------------------------------------ commands
    def further_choices(self, text: str) -> Iterable[Choice]:
        """Neurons, once a number is typed."""
        return self.pickers.neuron_choices(text)

    def run_inference(self) -> None:
        """Run the network in this order on the processor and measure it."""
        from gui.editors.network.dialogs.inference import InferenceDialog

        InferenceDialog(self.document, self.theme, self).show()

    # ------------------------------------------------------------------ the end
    def end(self) -> None:
        """End every process and thread."""
        self.playback.pause()
        self.files.loading.drop()
        super().end()
        for view in self.views.threaded:
            view.end_threads()
        if self.autosave is not None:
            self.autosave.close()
        self.document.close()
