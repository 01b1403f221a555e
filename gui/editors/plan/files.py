"""Opening, saving and exporting: which file, then the document or an exporter, then a notice of what happened."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QInputDialog

from gui.background.loading import Loading
from gui.document.plan_list import PlanEntry, bounds_with
from gui.shell.file_dialogs import PLANS, FileDialogs
from gui.shell.kinds import windows_of
from planner.errors import StageboardError

if TYPE_CHECKING:
    from gui.document.plan.opening import Opened
    from gui.editors.plan.body import GraphBody

MODELS = (
    "Models (*.onnx *.tflite *.json *.graphml *.dot *.gv *.npz *.mtx);;Sparse networks (*.npz *.mtx *.mtx.gz);;"
    "All files (*)"
)
LARGEST_BATCH = 1_000_000


class Files(FileDialogs):
    """The dealings of a graph's window with the disk."""

    opened = MODELS

    def __init__(self, window: GraphBody) -> None:
        super().__init__(window, "plan")
        self._window = window
        self._document = window.document
        self.loading = Loading(window)
        """What is being read in the background."""

    # ------------------------------------------------------------------ opening
    def open_model(self) -> None:
        """Ask for one or more models and open them."""
        chosen = self.ask_open("Open a model", MODELS)
        if chosen:
            self.open_files(chosen)

    def open_plan(self) -> None:
        """Ask for plans of the open model: each joins the list, the last is on the canvas."""
        for path in self.ask_open("Open a plan", PLANS):
            self.open_plan_file(path)

    def ask_plans(self) -> list[Path]:
        """Ask for saved plans to compare."""
        return self.ask_open("Compare with saved plans", PLANS)

    def open_files(self, paths: Sequence[Path], batch: int = 1) -> None:
        """Open models, and a plan if there is one among the files. Nothing is lost when one cannot be read."""
        from gui.shell.kinds import sort_files
        from planner.plan_files.plan_parts import is_plan
        from planner.story.files.json import is_story

        for story in [path for path in paths if is_story(path)]:
            self._window.studio.open_file(story)
        paths = [path for path in paths if not is_story(path)]
        if not paths:
            return
        if self._document.problem is not None and len(paths) > 1 and all(map(is_plan, paths)):
            for plan in paths:
                self.open_plan_file(plan)
            return
        try:
            files = sort_files(paths)
        except StageboardError as error:
            self.say("error", str(error))
            return
        for i, network in enumerate(files.networks):
            # With a graph beside it a plan is the graph's.
            self._open_network(network, files.plan if i == 0 and not files.graphs else None)
        if files.graphs:
            self.folder = str(files.graphs[0].parent)
            self._open_models(list(files.graphs), batch, files.plan)
        elif files.plan is not None and not files.networks:
            if self._document.problem is None:
                self.say("error", f"{files.plan.name} is a plan; open its model first, or both together")
            else:
                self.open_plan_file(files.plan)

    def open_sparse(self) -> None:
        """Ask for a dense model and a density, and open what is left of it as a sparse network."""
        from gui.shell.density_dialog import DensityDialog

        chosen = self.ask_open("Open as a sparse network", "Dense models (*.onnx);;All files (*)")
        if chosen:
            dialog = DensityDialog(chosen[0], self._window)
            dialog.chosen.connect(lambda density: self._open_network([chosen[0]], density=density))
            dialog.open()

    def generate(self) -> None:
        """Make up a sparse network and open it in a tab of its own."""
        from gui.shell.generate_dialog import GenerateDialog

        dialog = GenerateDialog(self._window)
        dialog.chosen.connect(self.generate_network)
        dialog.open()

    def generate_network(self, kind: str, settings: dict[str, object], seed: int) -> None:
        window = windows_of("network").open_order_window(
            self._window.themes, self._window.session, beside=self._window
        )
        window.files.generate_network(kind, settings, seed)
        if self._document.problem is None and not self.loading.busy:
            self._window.close()

    def _open_network(
        self, paths: Sequence[Path], plan: Path | None = None, density: float | None = None
    ) -> None:
        """A sparse network opens in a tab of its own, which takes the place of one in which nothing is open."""
        self.folder = str(paths[0].parent)
        windows_of("network").open_order_window(
            self._window.themes, self._window.session, paths, plan, density, self._window
        )
        if self._document.problem is None and not self.loading.busy:
            self._window.close()

    def _open_models(self, models: list[Path], batch: int, plan: Path | None) -> None:
        if not self._window.may_replace(lambda: self._open_models_now(models, batch, plan)):
            return
        self._open_models_now(models, batch, plan)

    def _open_models_now(self, models: list[Path], batch: int, plan: Path | None) -> None:
        from gui.document.plan import opening, reading

        session = self._window.session

        def prepare() -> Opened:
            """In another thread: everything that takes long."""
            graph = reading.read(opening.as_paths(models), batch)
            known = None if session is None else session.target_for(graph)
            target, objective = known or (None, "")
            return opening.prepare_graph(graph, opening.as_paths(models), batch, target, objective)

        def install(opened: Opened) -> None:
            """In the window's thread."""
            self._window.notice.dismiss()  # before: what the model's reader warns of is to stay
            self._document.install(opened)
            if self._window.palette_window.isHidden():
                # Who is typing a command while a model opens goes on typing it.
                self._window.canvas.setFocus()
            self._window.memory.remember_model()
            if plan is not None:
                self.open_plan_file(plan)

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

    def choose_batch(self) -> None:
        """Read the open model again with another batch size."""
        document = self._document
        size, sure = QInputDialog.getInt(
            self._window, "Batch size", "Symbolic batch dimensions become", document.batch, 1, LARGEST_BATCH
        )
        if sure and size != document.batch:
            self._open_models(list(document.paths), size, None)

    # ------------------------------------------------------------------ saving
    def save_entry(self, entry: PlanEntry) -> None:
        """Save one plan of the list to a file of its own."""
        from planner.plan_files.plan_json import write_plan
        from planner.problem.provenance import Provenance

        document = self._document
        problem = document.problem
        if problem is None:
            return
        if not math.isfinite(entry.objective):
            self.say(
                "error",
                f"'{entry.name}' uses devices that the target does not have; it cannot be saved for it",
            )
            return
        path = self.ask_save(f"Save '{entry.name}'", PLANS, ".json", f"{self.stem()}.plan.json")
        if path is None:
            return
        provenance = entry.provenance or Provenance(
            entry.planner or "hand", seed=entry.seed, seconds=entry.seconds or 0.0
        )
        self.write(
            lambda: write_plan(
                path,
                problem.plan(entry.device_of, provenance, entry.name),
                bounds_with(entry, document.bounds),
            ),
            path,
        )

    # ------------------------------------------------------------------ exporting
    def export_picture(self) -> None:
        """The graph as PNG, SVG or PDF in the view and theme that are shown."""
        from gui.canvas.graph.picture import save_picture

        path = self.ask_picture()
        if path is None:
            return
        window, document = self._window, self._document
        problem = document.problem
        if problem is None:
            return
        size = (1920, 1200)
        self.export(
            lambda: save_picture(
                problem, document.device_of.copy(), path, size=size, theme=window.theme.name,
                view=window.canvas.view, title=document.title, bounds=document.plan_bounds,
            ),
            path,
        )  # fmt: skip

    def export_split(self) -> None:
        """The plan as a device-placement split."""
        from planner.export.device_placement import to_device_placement

        path = self.ask_save(
            "Export a device-placement split", "JSON (*.json)", ".json", f"{self.stem()}.split.json"
        )
        if path is not None:
            self.export(lambda: to_device_placement(self._document.current_plan(), path), path)

    def export_dot(self) -> None:
        """The graph and plan as DOT."""
        from planner.export.dot import to_dot

        path = self.ask_save("Export a DOT graph", "DOT (*.dot)", ".dot", f"{self.stem()}.dot")
        if path is not None:
            plan = self._document.current_plan()
            self.export(lambda: to_dot(plan.problem.graph, plan, path), path)

    def export_csv(self) -> None:
        """The ops as a table."""
        from planner.export.csv import to_csv

        path = self.ask_save("Export a table of ops", "CSV (*.csv)", ".csv", f"{self.stem()}.csv")
        if path is not None:
            self.export(lambda: to_csv(self._document.current_plan(), path), path)

    def export_edge_tpu(self) -> None:
        """Tensors to cut at and the memory of each segment, as text and as JSON."""
        from planner.machines.edge_tpu.report import report_files, to_edge_tpu

        plan = self._document.current_plan()
        path = self.ask_save(
            "Export an Edge TPU report", "Text (*.txt)", ".txt", f"{self.stem()}.segments.txt"
        )
        if path is not None:
            files = report_files(path)
            self.export(lambda: to_edge_tpu(plan, self._document.paths, path), files.text, files.data)

    def export_model_explorer(self) -> None:
        """The graph in the devices' colours for Google's Model Explorer, and node data."""
        from planner.export.model_explorer import explorer_files, to_model_explorer

        path = self.ask_save(
            "Export a Model Explorer graph", "JSON (*.json)", ".json", f"{self.stem()}.model-explorer.json"
        )
        if path is not None:
            plan = self._document.current_plan()
            self.export(lambda: to_model_explorer(plan, path), *explorer_files(path))
