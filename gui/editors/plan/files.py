"""Opening, saving and exporting: which file, then the document or an exporter, then a notice of what happened."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QAbstractSpinBox, QInputDialog, QLineEdit

from gui.canvas.graph.naming.row_headers import block_sizes
from gui.document.plan.folding import look_through
from gui.editors.plan.last_plan import tell_remembered
from gui.editors.plan.machine_dialog import ComputerDialog, MachineDialog, kept_words
from gui.editors.plan.times_dialog import TimesDialog, whose_times
from gui.shell.file_dialogs import PLANS
from gui.shell.model_files import ModelFiles
from gui.widgets.labels import capital
from gui.words.machines import picture_title
from gui.words.plan_notes import USE_TIMES, noted
from planner.compiling.kernel import interpret
from planner.errors import StageboardError
from planner.evaluation.times_scale import other_scale
from planner.model.cost_model import rates_text
from planner.model.precision import FILE, precision_of

if TYPE_CHECKING:
    from gui.document.plan.opening import Opened
    from gui.editors.plan.body import GraphBody
    from planner.model.named_machines import NamedMachine
    from planner.model.precision import ReadOptions
    from planner.model.times import Use
    from planner.runs.calibration.calibrate import Calibration

TIMES = "Profiles (*.json *.csv);;All files (*)"
LARGEST_BATCH = 1_000_000
PRECISION_TITLES = {
    FILE: "what they take in the file",
    "float16": "two bytes (float16)",
    "int8": "one byte (int8)",
}
PREVIEWED_AT_ONCE = 300
"""Ops of the largest graph whose preview the window waits for; those of larger ones are drawn beside it."""


class Files(ModelFiles):
    """The dealings of a graph's window with the disk."""

    def __init__(self, window: GraphBody) -> None:
        super().__init__(window, "plan")
        self._window = window
        self._document = window.document
        self._document.plan_noted.connect(self._tell_notes)

    # ------------------------------------------------------------------ opening
    def ask_plans(self) -> list[Path]:
        """Ask for saved plans to compare."""
        return self.ask_open("Compare with saved plans", PLANS)

    def open_graphs(
        self, models: Sequence[Path], plan: Path | None, times: Sequence[Path] = (), options: ReadOptions | None = None
    ) -> None:  # fmt: skip
        """Open graphs here, read as ``options`` say (None: as for the plan); asks first where the open plan is not saved.

        The ``times`` that profiles say are on at once.
        """
        self.open_timed(models, plan, [str(path) for path in times], options)

    def open_timed(
        self, models: Sequence[Path], plan: Path | None, times: Sequence[str], options: ReadOptions | None = None,
    ) -> None:  # fmt: skip
        """:meth:`open_graphs` with ``times`` as the command line names them (:func:`planner.formats.times.named.named_times`).

        Numbers of devices are those of the ``plan``'s machine.
        """
        given = list(models)

        def beside() -> None:
            self.open_start_page().files.open_timed(given, plan, times, options)

        if not self._window.may_replace(lambda: self._open_now(given, options, plan, times), beside):
            return
        self._open_now(given, options, plan, times)

    def _open_now(
        self, models: list[Path], options: ReadOptions | None, plan: Path | None, times: Sequence[str] = ()
    ) -> None:
        from gui.document.plan import opening, reading
        from planner.model.times import Use

        session = self._window.session

        def prepare() -> tuple[Opened, Sequence[Use], str]:
            """In another thread: everything that takes long; times that are not on yet; and why the plan cannot be opened."""
            paths, how = opening.as_paths(models), options or opening.options_of(plan)
            graph = reading.read(paths, how["batch"], how["precision"])
            if graph.n > opening.MOST_INTERPRETED:
                interpret(False)
            opened, refused, uses = None, "", tuple[Use, ...]()
            if plan is not None:  # who brings a plan is made none unasked
                uses = opening.times_for(graph, paths, how["batch"], times, plan)
                try:
                    opened = opening.prepare_plan(plan, opening.with_uses(graph, uses), paths, how["batch"])
                    uses = ()
                except StageboardError as error:
                    refused = f"{error}. The model is open with a plan of its own."
            if opened is None:
                known = None if session is None else session.target_for(graph)
                opened = opening.prepare_remembered(graph, paths, how["batch"], known)
            look_through(opened.problem.graph)
            block_sizes(opened.problem.graph)
            if plan is None:
                uses = opening.times_for(graph, paths, how["batch"], times, opened.problem.target)
            return opened, uses, refused

        def install(found: tuple[Opened, Sequence[Use], str]) -> None:
            """In the window's thread."""
            opened, uses, refused = found
            self._window.notice.dismiss()  # before: what the model's reader warns of is to stay
            # Who is typing while a model opens goes on typing: keys that reach the canvas move ops.
            typing = not self._window.palette_window.isHidden() or isinstance(
                self._window.focusWidget(), (QLineEdit, QAbstractSpinBox)
            )
            self._window.show_canvas()  # before: it is laid out for the size that it has
            self._document.install(opened)
            if not typing:
                self._window.canvas.setFocus()
            self._window.memory.remember_model()
            if uses:
                self._take_times(uses)
            if refused:
                self.say("error", refused)
            elif opened.notes:
                self._tell_notes(opened)
            elif times and opened.plan is not None:
                self._tell_times()
            else:
                tell_remembered(self._window, opened)

        names = models[0].name + (f" and {len(models) - 1} more" if len(models) > 1 else "")
        self.loading.start(f"Opening {names} …", prepare, install)

    def open_plan_file(self, path: Path) -> None:
        """Open a saved plan."""
        try:
            self._document.open_plan(path)
        except StageboardError as error:
            self.say("error", f"{error}. The open plan is unchanged.")
            return
        self._window.memory.remember_model()

    def _tell_notes(self, opened: Opened) -> None:
        """Say what a plan's file said that is not so here; the times that it was made with can be chosen at once."""
        assert opened.plan_path is not None
        self._window.notice.show_message(
            "warning", noted(opened.plan_path.name, opened.notes, opened.other_costs),
            action=USE_TIMES if opened.other_costs else "", run=self.ask_times,
            other="Undo" if self._document.undo_stack.canUndo() else "", run_other=self._document.undo_stack.undo,
            until_problem=True,
        )  # fmt: skip

    def choose_batch(self) -> None:
        """Read the open model again with another batch size."""
        document = self._document
        size, sure = QInputDialog.getInt(
            self._window, "Batch size", "Symbolic batch dimensions become", document.batch, 1, LARGEST_BATCH
        )
        if sure and size != document.batch:
            precision = precision_of(document.open_problem.graph)
            self.open_graphs(document.paths, None, options={"batch": size, "precision": precision})

    def choose_precision(self) -> None:
        """Read the open model again with other bytes a number."""
        document, titles = self._document, list(PRECISION_TITLES.values())
        known = list(PRECISION_TITLES)
        now = known.index(precision_of(document.open_problem.graph))
        title, sure = QInputDialog.getItem(
            self._window, "Precision", "Parameters and tensors in floating point take", titles, now, False
        )
        if sure and titles.index(title) != now:
            options: ReadOptions = {"batch": document.batch, "precision": known[titles.index(title)]}
            self.open_graphs(document.paths, None, options=options)

    # ------------------------------------------------------------------ measured times
    def ask_times(self) -> None:
        """Ask for profiles, and whose times they are where devices may differ; then plan with them."""
        chosen = self.ask_open("Use measured times", TIMES)
        problem = self._document.problem
        devices = whose_times(problem) if problem is not None else []
        if chosen and devices:
            dialog = TimesDialog([path.name for path in chosen], devices, self._window)
            dialog.chosen.connect(lambda device: self.use_times(chosen, device))
            dialog.open()
        elif chosen:
            self.use_times(chosen)

    def use_times(self, paths: Sequence[Path], device: str = "") -> None:
        """Plan the open model with the times of profiles: those of every device, or of one ``device`` or kind of devices
        (:func:`planner.formats.times.named.named_times`)."""
        from planner.formats import uses_together
        from planner.formats.times.named import named_times

        if self._document.problem is None or self.loading.busy:
            super().use_times(paths)
            return
        names, document = ", ".join(path.name for path in paths), self._document

        def read() -> Sequence[Use]:
            """In another thread."""
            uses = named_times([f"{device}={path}" if device else str(path) for path in paths])
            return uses_together(document.paths, uses, batch=document.batch) if document.paths else uses

        self.loading.start(f"Reading {names} …", read, self._take_times)

    def measure_model(self) -> None:
        """Measure the open model on this computer, and plan with what was found; a cancel leaves everything as it is."""
        from planner.formats import uses_together
        from planner.model.times import Use
        from planner.runs.measuring.measuring import measure
        from planner.runs.measuring.timed import USUAL_SECONDS, Order

        document, wanted = self._document, self.loading.still_wanted()
        orders = [Order(str(path), document.batch) for path in document.paths]

        def found() -> Sequence[Use]:
            """In another thread, which waits for a process."""
            uses = [Use(measure(order, lambda: not wanted())) for order in orders]
            return uses_together(document.paths, uses, batch=document.batch)

        self.loading.start(
            f"Measuring {document.open_problem.name} on this computer …", found, self._take_times,
            seconds=USUAL_SECONDS * len(orders),
        )  # fmt: skip

    def _take_times(self, uses: Sequence[Use]) -> None:
        if self._document.editing.set_times(uses):
            self._tell_times(
                "What was proven with other times is gone; plan again, or undo.",
                action="Plan Again", run=self._window.start_planner, other="Undo", run_other=self._document.undo_stack.undo,
            )  # fmt: skip
        else:
            self.say("info", "These are the times that the plan is made with already.")

    def _tell_times(self, *then: str, **offers: Any) -> None:
        """Say what was measured, ``then`` what follows, and what of the measuring is doubtful."""
        from planner.model.times import BUSY, measured_words, runs_spread, spread_words

        graph = self._document.open_problem.graph
        spread, scale = runs_spread(graph), other_scale(self._document.open_problem)
        said = [f"{capital(measured_words(graph))}.", *then]
        if busy := spread is not None and spread > BUSY:
            said.append(f"{capital(spread_words(graph))}.")
        if scale:
            which = f"{scale.machine or 'the machine'} in Target (Ctrl+T)"
            said.append(f"{capital(scale.words)}; choose {which}, or measure all.")
        kind = "warning" if busy or scale else "info"
        self._window.notice.show_message(kind, " ".join(said), until_change=True, stays=True, **offers)

    def forget_times(self) -> None:
        """Plan with the times of the model's file and estimates again."""
        self._document.editing.set_times(None)

    def ask_machine(self) -> None:
        """Ask what to call a machine with rates that fit the measured times, and keep it."""
        dialog = MachineDialog(self._document.open_problem.name, self._window)
        dialog.chosen.connect(self.keep_machine)
        dialog.open()

    def keep_machine(self, name: str, device: str) -> None:
        """Calibrate a machine from the measured times of the open model, and keep it as one's own."""
        from planner.model.named_machines import keep
        from planner.runs.calibration.calibrate import calibrated

        graph = self._document.open_problem.graph

        def prepare() -> Calibration:
            """In another thread."""
            return calibrated([graph], device, name)

        def install(found: Calibration) -> None:
            keep(found.machine)
            if not self._window.target.unapplied:
                self._window.target.reset()
            self._window.notice.show_message("info", kept_words(found), stays=True)

        self.loading.start(f"Fitting rates to {graph.name} …", prepare, install)

    def ask_computer(self) -> None:
        """Ask what to call this computer, measure its rates, and keep them."""
        dialog = ComputerDialog(self._window)
        dialog.named.connect(self.measure_computer)
        dialog.open()

    def measure_computer(self, name: str) -> None:
        """Measure the rates of this computer in a process beside the window, and keep them as a machine of one's own."""
        from planner.model.named_machines import keep
        from planner.runs.calibration.this_computer import this_computer

        wanted = self.loading.still_wanted()

        def prepare() -> NamedMachine:
            """In another thread, which waits for a process."""
            return this_computer(name, stopped=lambda: not wanted())

        def install(found: NamedMachine) -> None:
            keep(found)
            if self._document.problem is not None and not self._window.target.unapplied:
                self._window.target.reset()
            assert found.rates is not None
            self._window.notice.show_message(
                "info", f"'{name}' is kept: {rates_text(found.rates)}. Target offers it for models that nobody measured.", stays=True
            )  # fmt: skip

        self.loading.start("Measuring this computer …", prepare, install)

    # ------------------------------------------------------------------ exporting
    def export_picture(self) -> None:
        """A view of the plan as PNG, SVG or PDF; first the one that is shown."""
        from gui.editors.plan.pictured import pictured
        from gui.panels.pictures import CERTIFICATE_ELSEWHERE, CUT, titles_of

        document, canvas = self._document, self._window.canvas
        problem = document.problem
        if problem is None:
            return
        self.ask_drawing(
            titles_of(problem), canvas.view, partial(pictured, document, canvas),
            cut=CUT if canvas.in_sight() is not None else frozenset(), at_once=problem.graph.n <= PREVIEWED_AT_ONCE, title=picture_title(problem),
            elsewhere=CERTIFICATE_ELSEWHERE,
        ).follow(document.readouts_changed, document.decision_changed)  # fmt: skip

    def export_split(self) -> None:
        """The plan as a device-placement split."""
        from planner.export.device_placement import to_device_placement

        path = self.ask_save(
            "Export a device-placement split", "JSON (*.json)", ".json", f"{self.stem()}.split.json"
        )
        if path is not None:
            self.export(partial(to_device_placement, self._document.current_plan(), path), path)

    def export_dot(self) -> None:
        """The graph and plan as DOT, or as Graphviz draws them."""
        from planner.export.dot import PICTURES, to_dot

        pictures = " ".join(f"*{suffix}" for suffix in PICTURES)
        filters = f"DOT (*.dot);;Drawn by Graphviz ({pictures})"
        path = self.ask_save("Export a DOT graph", filters, ".dot", f"{self.stem()}.dot")
        if path is not None:
            plan = self._document.current_plan()
            self.export(partial(to_dot, plan.problem.graph, plan, path), path)

    def export_csv(self) -> None:
        """The ops as a table."""
        from planner.export.csv import to_csv

        path = self.ask_save("Export a table of ops", "CSV (*.csv)", ".csv", f"{self.stem()}.csv")
        if path is not None:
            self.export(partial(to_csv, self._document.current_plan(), path), path)

    def export_edge_tpu(self) -> None:
        """Tensors to cut at and the memory of each segment, as text and as JSON."""
        from planner.machines.edge_tpu.report import report_files, to_edge_tpu

        plan = self._document.current_plan()
        path = self.ask_save(
            "Export an Edge TPU report", "Text (*.txt)", ".txt", f"{self.stem()}.segments.txt"
        )
        if path is not None:
            files = report_files(path)
            self.export(partial(to_edge_tpu, plan, self._document.paths, path), files.text, files.data)

    def export_model_explorer(self) -> None:
        """The graph in the devices' colours for Google's Model Explorer, and node data."""
        from planner.export.model_explorer import explorer_files, to_model_explorer

        path = self.ask_save(
            "Export a Model Explorer graph", "JSON (*.json)", ".json", f"{self.stem()}.model-explorer.json"
        )
        if path is not None:
            plan = self._document.current_plan()
            self.export(partial(to_model_explorer, plan, path), *explorer_files(path))
