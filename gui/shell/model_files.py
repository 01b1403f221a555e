"""Opening models, networks, plans and stories where they belong: in the editor that is asked, or in a tab beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gui.background.loading import Loading
from gui.shell.file_dialogs import PLANS, FileDialogs
from gui.shell.kinds import sort_files, windows_of
from planner.errors import StageboardError
from planner.formats import FORMATS, SUFFIXES
from planner.formats.networks.read import NETWORK_SUFFIXES

if TYPE_CHECKING:
    from gui.shell.window import EditorWindow


def _patterns(suffixes: Sequence[str]) -> str:
    return " ".join(f"*{suffix}" for suffix in suffixes)


MODELS = (
    f"Models and networks ({_patterns((*SUFFIXES, *NETWORK_SUFFIXES))});;"
    + "".join(f"{form.title} ({_patterns(form.suffixes)});;" for form in FORMATS)
    + f"Sparse networks ({_patterns(NETWORK_SUFFIXES)});;All files (*)"
)
"""The filters of a dialog that opens models: all formats together, and each by itself."""
DENSE = "Dense models (*.onnx);;All files (*)"


class ModelFiles(FileDialogs):
    """What editors of models do with files. An editor opens what is of its own kind; the rest opens in tabs beside it."""

    def __init__(self, window: EditorWindow, nameless: str) -> None:
        super().__init__(window, nameless)
        self.loading = Loading(window)
        """What is being read in the background."""

    def drop(self) -> None:
        """End what is being read and written (the window closes)."""
        self.loading.drop()
        super().drop()

    # ------------------------------------------------------------------ what an editor does itself
    def open_graphs(self, models: Sequence[Path], plan: Path | None, times: Sequence[Path] = ()) -> None:
        """Open graphs of operators, and a plan of them, with the ``times`` that profiles say."""
        self._graph_tab(models, plan, times)
        self._give_way()

    def open_network(
        self, paths: Sequence[Path], plan: Path | None = None, density: float | None = None
    ) -> None:
        """Open one network, and a plan of it; a dense model is pruned to a ``density``."""
        self.folder = str(paths[0].parent)
        self._network_tab(paths, plan, density)

    def open_plan_file(self, path: Path) -> None:
        """Open a saved plan of the open model."""
        raise NotImplementedError

    def use_times(self, paths: Sequence[Path]) -> None:
        """Plan the open model with the times of profiles."""
        self.say(
            "error",
            f"{paths[0].name} has times of ops; open the graph that they are of first, then drop it there",
        )

    def generate_network(self, kind: str, settings: dict[str, object], seed: int) -> None:
        """Make up a network of a kind."""
        editor: Any = self._editor
        made = windows_of("network").open_order_window(editor.themes, editor.session, beside=editor)
        made.files.generate_network(kind, settings, seed)
        self._give_way()

    # ------------------------------------------------------------------ asking
    def open_model(self) -> None:
        """Ask for models, a plan or a story, and open them where they belong."""
        chosen = self.ask_open("Open a model", MODELS)
        if chosen:
            self.open_files(chosen)

    def open_tab(self) -> None:
        """Ask for models and open them in tabs of their own: what is open stays. Raises :class:`StageboardError`."""
        chosen = self.ask_open("Open in a new tab", MODELS)
        if chosen:
            self.open_in_tabs(chosen)

    def open_start_page(self) -> Any:
        """A tab in which nothing is open yet; returns its editor."""
        return self._graph_tab((), None, ())

    def open_plan(self) -> None:
        """Ask for plans of the open model: each joins the list, the last is on the canvas."""
        for path in self.ask_open("Open a plan", PLANS):
            self.open_plan_file(path)

    def open_sparse(self) -> None:
        """Ask for a dense model and the density to prune it to, and open what is left of it as a sparse network."""
        chosen = self.ask_open("Open as a sparse network", DENSE)
        if chosen:
            self.ask_density(chosen[0])

    def ask_density(self, path: Path) -> None:
        """Ask for the density of a dense model, then open it."""
        from gui.shell.density_dialog import DensityDialog

        dialog = DensityDialog(path, self._editor)
        dialog.chosen.connect(lambda density: self.open_network([path], density=density))
        dialog.open()

    def generate(self) -> None:
        """Ask for a kind of network and its settings, and make it up."""
        from gui.shell.generate_dialog import GenerateDialog

        dialog = GenerateDialog(self._editor)
        dialog.chosen.connect(self.generate_network)
        dialog.open()

    # ------------------------------------------------------------------ where files belong
    def open_files(self, paths: Sequence[Path]) -> None:
        """Open stories, models, and a plan if there is one among the files. Nothing is lost when one cannot be read."""
        from planner.plan_files.plan_parts import is_plan, is_story

        editor: Any = self._editor
        for story in [path for path in paths if is_story(path)]:
            editor.studio.open_file(story)
        paths = [path for path in paths if not is_story(path)]
        if not paths:
            return
        is_open = editor.document.problem is not None
        if is_open and len(paths) > 1 and all(map(is_plan, paths)):
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
            beside = files.plan if i == 0 and not files.graphs else None
            (self.open_network if i == 0 else self._network_tab)(network, beside)
        if files.graphs:
            self.folder = str(files.graphs[0].parent)
            self.open_graphs(files.graphs, files.plan, files.times)
        elif files.times:
            self.use_times(files.times)
        if files.plan is None or files.networks or files.graphs:
            return
        if is_open:
            self.open_plan_file(files.plan)
        else:
            self.say("error", f"{files.plan.name} is a plan; open its model first, or both together")

    def open_in_tabs(self, paths: Sequence[Path]) -> None:
        """Open models in tabs of their own. Raises :class:`StageboardError` before anything is opened."""
        files = sort_files(paths)
        if files.plan is not None and not (files.networks or files.graphs):
            raise StageboardError(f"{files.plan.name} is a plan; choose its model, too")
        for i, network in enumerate(files.networks):
            self._network_tab(network, files.plan if i == 0 and not files.graphs else None)
        if files.graphs:
            self._graph_tab(files.graphs, files.plan, files.times)

    def _graph_tab(self, models: Sequence[Path], plan: Path | None, times: Sequence[Path]) -> Any:
        editor: Any = self._editor
        parts = windows_of("plan").open_graph_window(
            models, plan, editor.session is not None, editor, editor.themes, times
        )
        return parts.window

    def _network_tab(
        self, paths: Sequence[Path], plan: Path | None = None, density: float | None = None
    ) -> None:
        editor: Any = self._editor
        windows_of("network").open_order_window(
            editor.themes, editor.session, paths, plan, density, beside=editor
        )
        self._give_way()

    def _give_way(self) -> None:
        """An editor in which nothing is open leaves its place to the tab that was just opened."""
        if self._editor.document.problem is None and not self.loading.busy:
            self._editor.close()
