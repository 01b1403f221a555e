"""Running the plan on the canvas for real: a process beside the window, its progress and result in a panel, and planning again from it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gui.background.exporting import Exporting
from gui.document.values import Message
from gui.widgets.labels import capital
from planner.errors import StageboardError
from planner.export.stages.child import Cancelled
from planner.loading import Named
from planner.model.times import Use
from planner.runs.running.order import RunOrder, Split, split_of
from planner.runs.running.result import difference_words
from planner.runs.running.scaled import scaled_target, scaled_times, source_of

if TYPE_CHECKING:
    from gui.editors.plan.body import GraphBody
    from planner.runs.running.result import PlanRun


RUN = Named("planner.runs.running.running:run_order")
"""What runs a plan, in a process of its own."""
CORES, PROVIDER = "run cores", "run provider"
"""What the choices are remembered under."""


class PlanRuns:
    """At most one run at a time, of so many samples (0: as many as some seconds allow)."""

    samples = 0

    def __init__(self, window: GraphBody) -> None:
        self._window = window
        self._document = window.document
        self._panel = window.run_panel
        self._choices = window.run_panel.choices
        self._choices.restore(window.memory.kept(CORES), window.memory.kept(PROVIDER))
        self._choices.changed.connect(self._keep)
        self._split: Split | None = None
        self._serial = -1
        """Which opened model is run."""
        self.running = Exporting(RUN, window, "run")
        """What is run in the background."""
        self.running.progressed.connect(self._progressed)
        self.running.done.connect(self._done)
        self._panel.run_requested.connect(self.start)
        self._panel.cancel_requested.connect(self.running.cancel)
        self._panel.again_requested.connect(self.plan_again)

    def start(self) -> None:
        """Run the plan on the canvas."""
        try:
            self.running.check_free()
            plan = self._document.current_plan()
            split = split_of(plan, plan.name)
            order = RunOrder(
                split,
                tuple(self._document.paths),
                self.samples,
                cores=self._choices.cores,
                provider=self._choices.provider,
            )
            self.running.start(order)
        except StageboardError as error:
            self._say("error", str(error))
            return
        self._split, self._serial = split, self._document.model_serial
        self._window.docks.reveal("run")
        self._panel.show_progress("Cutting the model and starting its stages …")
        self._window.update_actions()

    def _keep(self) -> None:
        """Remember what runs on this computer are to run on."""
        for key, value in zip((CORES, PROVIDER), self._choices.kept, strict=True):
            self._window.memory.keep(key, value)

    def _progressed(self, done: int, of: int) -> None:
        self._panel.show_progress(
            f"Running … {done:,} of {of:,} samples, those of the unsplit model among them"
        )

    def _done(self, run: PlanRun | None, error: StageboardError | None) -> None:
        self._panel.show_progress("")
        self._window.update_actions()
        split, self._split = self._split, None
        if run is None or split is None:
            self._say("info" if isinstance(error, Cancelled) else "error", str(error))
            return
        if self._serial != self._document.model_serial:
            self._say("info", f"The run of {split.problem.name} is over, and another model is open.")
            return
        self._panel.show_run(split, run)
        if not run.outputs_equal:
            self._say("error", difference_words(run))

    def plan_again(self) -> None:
        """Plan with the times that would have predicted the run: undo steps for the times and, where it was off, the bandwidth."""
        split, run = self._panel.split, self._panel.run
        if split is None or run is None:
            return
        try:
            self._document.editing.set_times([Use(scaled_times(split, run.plan, source_of(run)))])
            target = scaled_target(split, run.plan)
            if target != split.problem.target:
                # Its speeds stay, which no run on equal cores knows.
                own = self._document.open_problem.target
                target = replace(own, bandwidth=target.bandwidth)  # type: ignore[call-arg,attr-defined]
                self._document.editing.set_problem(target, split.problem.objective)
        except StageboardError as error:
            self._say("error", str(error))
            return
        self._window.start_planner()

    def _say(self, level: str, text: str) -> None:
        self._document.message.emit(Message(level, capital(text)))
