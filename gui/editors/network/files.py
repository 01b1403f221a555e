"""A network's window and the disk: opening, generating, saving and exporting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gui.document.network import opening
from gui.shell.kinds import windows_of
from gui.shell.model_files import ModelFiles
from planner.errors import StageboardError
from planner.machines.two_level_memory.target import TwoLevelMemory

if TYPE_CHECKING:
    from gui.document.network.autosave import Found, LostOrder
    from gui.document.network.opening import OpenedNetwork
    from gui.editors.network.body import NetworkBody
    from gui.look.drawn import Drawing
    from gui.shell.picture_dialog import Choice
    from planner.model.network import Network

ARRAYS = "Array files (*.npz)"
PREVIEWED_AT_ONCE = 20_000
"""Connections of the largest network whose preview the window waits for; those of larger ones are drawn beside it."""


class NetworkFiles(ModelFiles):
    """The dealings of a network's window with the disk."""

    def __init__(self, window: NetworkBody) -> None:
        super().__init__(window, "network")
        self._window = window
        self._document = window.document

    # ------------------------------------------------------------------ opening
    def open_network(
        self, paths: Sequence[Path], plan: Path | None = None, density: float | None = None
    ) -> None:
        """Read a network on a thread and let it take the place of the open one; asks first where that is not saved."""
        self.folder = str(paths[0].parent)
        session = self._window.session

        def prepare() -> OpenedNetwork:
            from planner.formats.networks.read import read_network

            network = read_network(paths, density=density)
            kept = None if session is None else session.memory_for(network)
            known = kept if isinstance(kept, TwoLevelMemory) else None
            return opening.prepare_network(network, paths, density, known)

        def install(opened: OpenedNetwork) -> None:
            self._window.install(opened)
            if plan is not None:
                self.open_plan_file(plan)

        names = paths[0].name + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")
        beside = partial(self._network_tab, paths, plan, density)
        self._start(f"Opening {names} …", prepare, install, beside)

    def generate_network(self, kind: str, settings: dict[str, object], seed: int) -> None:
        """Make up a network of a kind on a thread."""
        from planner.generate.catalogue import generate_network

        def install(opened: OpenedNetwork) -> None:
            self._window.install(opened)
            self.say("info", "Made up; it is in no file yet. File, Export, Network (NPZ) keeps it.")

        self._start(
            "Generating a network …",
            lambda: opening.prepare_network(generate_network(kind, settings, seed)),
            install,
            partial(super().generate_network, kind, settings, seed),
        )

    def _start(
        self,
        text: str,
        prepare: Callable[[], OpenedNetwork],
        install: Callable[[OpenedNetwork], None],
        beside: Callable[[], object],
    ) -> None:
        """Let what is prepared on a thread take the place of the open network; asks first where that is not saved, or opens it ``beside``."""

        def begin() -> None:
            self.loading.start(text, prepare, install)

        if self._window.may_replace(begin, beside):
            begin()

    def open_plan_file(self, path: Path) -> None:
        """Open a saved order of the open network."""
        from planner.plan_files.order_json import open_network_plan

        network = self._document.network
        if network is None:
            self.say("error", f"{path.name} is a plan; open its network first, or both together")
            return
        try:
            opened = open_network_plan(path, network)
            self._document.open_plan(opened.plan, opened.bounds, path.absolute())
            for note in opened.notes:
                self.say("warning", note)
        except StageboardError as error:
            self.say("error", f"{error}. The open plan is unchanged.")

    def recover(self, lost: LostOrder, found: Found) -> None:
        """Take on the network and the orders that a crash left behind; what lay there is then deleted."""
        from gui.document.crash_files import remove

        document = self._document
        self._window.install(found.network)
        for opened, origin in found.others:
            document.list_order(opened.plan, opened.bounds, opened.plan.name, origin)
        plan = found.order.plan
        if lost.modified or not np.array_equal(plan.decision.order, document.order):
            # What is known of the network is our own record; in the plan file beside it, it is what a file claims.
            document.recover(plan, found.order.bounds, lost.saved)
        if not lost.modified:
            document.history.set_saved()
        beside = next((one for one in document.plans if one.name == lost.compared), None)
        if beside is not None:
            windows_of("comparison").open_orders(self._window, beside)
        autosave = self._window.autosave
        if autosave is None:
            remove(lost.path)
        else:
            autosave.former = lost.path
            autosave.write()
        for sentence in found.missing:
            self.say("warning", f"Not all orders could be recovered: {sentence}")
        if not found.missing:
            self.say("info", "Recovered; it is not saved yet.")

    # ------------------------------------------------------------------ saving
    def say_saved(self, path: Path) -> None:
        """The order is in a file now; whether its network is, too."""
        if self._document.paths:
            super().say_saved(path)
        else:
            self.say(
                "warning",
                f"Saved {path.name}, but its network is in no file: keep that, too (File, Export, Network)",
            )

    # ------------------------------------------------------------------ exporting
    def export_order(self) -> None:
        """The network as an array file, its connections in the order of use."""
        from planner.machines.two_level_memory.export import to_order

        plan = self._document.current_plan()
        path = self.ask_save("Export the order", ARRAYS, ".npz", f"{self.stem()}.order.npz")
        if path is not None:
            self.export(partial(to_order, plan, path), path)

    def export_network(self) -> None:
        """The network as an array file."""
        from planner.formats.networks.npz import write_network

        network = self._document.open_problem.network
        path = self.ask_save("Export the network", ARRAYS, ".npz", f"{self.stem()}.npz")
        if path is not None:
            self.export(partial(write_network, network, path), path, then=partial(self._kept, network, path))

    def _kept(self, network: Network, path: Path) -> None:
        """What was made up has a file now, and can be found again."""
        if not self._document.paths and self._document.network is network:
            self._document.paths = (path.absolute(),)
            self._window.memory.remember_network()

    def export_picture(self) -> None:
        """Network and order as PNG, SVG or PDF, as they are shown."""
        from gui.canvas.network.picture import VIEWS, draw_network
        from gui.canvas.network.titles import picture_title
        from gui.panels.network.plots.picture import VIEWS as CURVES
        from gui.panels.network.plots.picture import draw_curves

        document, window = self._document, self._window
        problem, entry = document.open_problem, document.active
        title = picture_title(problem, entry.name) if entry is not None else problem.network.name

        def drawing(choice: Choice) -> Callable[[], Drawing]:
            order, bounds = document.order.copy(), document.plan_bounds
            if choice.view in CURVES:
                return partial(draw_curves, problem, order, choice.page, choice.title, bounds)
            return partial(
                draw_network,
                problem,
                order,
                choice.page,
                choice.title,
                bounds,
                document.position,
                choice.view,
            )

        self.ask_drawing(
            VIEWS | CURVES, window.canvas.view, drawing,
            at_once=problem.network.connection_count <= PREVIEWED_AT_ONCE, title=title,
        ).follow(document.readouts_changed, document.decision_changed)  # fmt: skip
