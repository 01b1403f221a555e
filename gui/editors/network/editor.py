"""The window of a sparse network: readouts on top, the network over the scrubber and the order strip, panels around."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtGui import QShowEvent

from gui.document.plan_list import PlanEntry
from gui.editors.network.actions import NETWORK_ACTIONS, NETWORK_ELSEWHERE, NETWORK_MENUS
from gui.editors.network.body import NetworkBody
from gui.editors.network.files import NetworkFiles
from gui.editors.network.panels.memory_control import MemoryControl
from gui.editors.network.views import ViewsFactory, default_views
from gui.look.numbers import plural
from gui.look.theme import ThemeController
from gui.panels.base import Panel
from gui.shell.kinds import windows_of
from gui.shell.open_tabs import Left, Tab, left
from gui.shell.palette import Choice
from gui.tools.neurons import NeuronPicker
from gui.tools.story.actions import SHIPPED
from gui.widgets.later import soon

if TYPE_CHECKING:
    from gui.background.jobs import Jobs
    from gui.document.network.document import OrderDocument
    from gui.editors.network.dialogs.inference import InferenceDialog
    from gui.shell.session import Session


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
        self._inference: InferenceDialog | None = None
        self.files = NetworkFiles(self)
        self.picker = NeuronPicker(self)
        self.equip(
            NETWORK_ACTIONS,
            NETWORK_MENUS,
            lambda: self.readouts,
            lambda: (self.canvas,),
        )
        self.offer_recent("file.open_sparse")
        self.memory_control = MemoryControl(document, self.header)
        self.header.add_control(self.memory_control)
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
        document.decision_changed.connect(self.update_soon)
        document.problem_changed.connect(self.memory.remember_network)
        self.race.compare_requested.connect(self.compare)
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
        self.say_title()
        if problem is None:
            return
        network, active = problem.network, document.active
        parts = [plural(network.connection_count, "connection"), plural(network.neuron_count, "neuron")]
        if active is not None:
            parts.append(f"order “{active.shown_name}”" + (" · not saved" if document.modified else ""))
        self.header.show_title(network.name, "  ·  ".join(parts))

    # ------------------------------------------------------------------ comparing
    def compare(self, entries: Sequence[PlanEntry | None]) -> None:
        """Of several orders the first that is not on the canvas, else the best of the list, beside the one that is; or what to do where
        there is no other."""
        active = self.document.active
        rest = sorted((one for one in self.document.plans if one.components), key=lambda one: one.components)
        other = next((one for one in (*entries, *rest) if one is not None and one is not active), None)
        if other is None:
            self.tell_incomparable()
            return
        windows_of("comparison").open_orders(self, other)

    def _network_changed(self) -> None:
        self.show_content()
        if self.document.problem is None:
            self.start_page.show_recent(self.memory.recent, self.memory.saved_plans, self.memory.stories)

    def show_waiting(self) -> None:
        """Show the page that says what is being read."""
        self.middle.show_page("waiting")

    def show_content(self) -> None:
        """Show the network, or where to begin."""
        self.middle.show_page("start" if self.document.problem is None else "network")
        self.update_soon()

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
            soon(self, self.size_docks, 200)

    # ------------------------------------------------------------------ commands
    def further_choices(self, text: str) -> Iterable[Choice]:
        """Neurons, once a number is typed."""
        return self.picker.choices(text)

    def run_inference(self) -> None:
        """Run the network in this order on the processor and measure it."""
        from gui.editors.network.dialogs.inference import InferenceDialog

        if self._inference is None:
            self._inference = InferenceDialog(self.document, self.theme, self)
        self._inference.show_results(self.theme)

    # ------------------------------------------------------------------ the end
    def left(self, whole: bool) -> Left | None:
        """The network, its order and its list."""
        document = self.document
        tab = Tab(
            "network", list(map(str, document.paths)), str(document.plan_path or ""), density=document.density,
            story=self.studio.file,
        )  # fmt: skip
        return left(document, tab, whole)

    def end(self) -> None:
        """End every process and thread."""
        self.playback.pause()
        self.files.drop()
        if self._inference is not None:
            self._inference.stop()
        super().end()
        self.proving_unasked.close()
        for view in self.views.threaded:
            view.end_threads()
        if self.autosave is not None:
            self.autosave.close()
        self.document.close()
