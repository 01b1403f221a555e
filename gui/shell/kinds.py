"""Which editor opens which file, and where the windows of each kind are made."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType

from planner.cli.command import UsageError
from planner.cli.main import unknown_command
from planner.errors import PlanError, StageboardError

WINDOWS = {
    "plan": "gui.editors.plan.windows",
    "network": "gui.editors.network.windows",
    "comparison": "gui.editors.comparison.windows",
}
"""What makes the windows of each kind of editor; loaded when one is asked for, so that editors do not import one another."""


AHEAD = {
    "plan": (
        "gui.editors.comparison.windows", "planner.reports.comparison", "gui.panels.comparison", "gui.editors.comparison.panels",
        "gui.editors.comparison.canvases", "gui.editors.comparison.editor", "gui.editors.plan.pictured",
    ),
    "network": ("gui.editors.comparison.windows", "gui.editors.comparison.orders", "gui.editors.comparison.orders.editor"),
}  # fmt: skip
"""By editor, packages and modules that it needs later, to be imported ahead (:class:`gui.background.importing.Importing`)."""

TOUR = "gui.app.tour.bar"
"""What begins the guided tour; loaded when it is asked for."""


def tour() -> ModuleType:
    """The module of :data:`TOUR`."""
    return import_module(TOUR)


def windows_of(kind: str) -> ModuleType:
    """The module of :data:`WINDOWS` that makes windows of a kind."""
    return import_module(WINDOWS[kind])


def loaded_windows(kind: str) -> ModuleType | None:
    """That module where it was loaded; None: there is no window of that kind."""
    return windows_of(kind) if WINDOWS[kind] in sys.modules else None


def close_all_windows() -> None:
    """End the processes and threads of every window that another opened."""
    for kind in ("comparison", "network", "plan"):
        if (windows := loaded_windows(kind)) is not None:
            windows.close_all()


@dataclass(frozen=True)
class Sorted:
    """Files by the window that opens them; ``plan`` is a plan of one of them, or of what is open, ``times`` are profiles of it."""

    networks: tuple[tuple[Path, ...], ...] = ()
    """Each is one file, or several weight matrices that follow each other."""
    graphs: tuple[Path, ...] = ()
    plan: Path | None = None
    times: tuple[Path, ...] = ()


def sort_files(paths: Sequence[Path]) -> Sorted:
    """Tell networks, graphs and a plan apart by content. Raises :class:`StageboardError` on two plans or a missing file."""
    from planner.formats.times.read import is_times
    from planner.plan_files.plan_parts import is_plan

    files = [Path(path) for path in paths]
    for file in files:
        if not file.exists():
            raise StageboardError(f"{file} does not exist; check the path")
    plans = [file for file in files if file.suffix.lower() == ".json" and is_plan(file)]
    if len(plans) > 1:
        raise StageboardError(f"{plans[0].name} and {plans[1].name} are both plans; open one of them")
    times = tuple(file for file in files if file.suffix.lower() == ".csv" or is_times(file))
    models = [file for file in files if file not in plans and file not in times]
    networks = network_files(models)
    graphs = tuple(file for file in models if not any(file in group for group in networks))
    return Sorted(networks, graphs, plans[0] if plans else None, times)


def network_files(paths: Sequence[Path], density: float | None = None) -> tuple[tuple[Path, ...], ...]:
    """The networks among model files; with a ``density`` dense models count, too."""
    from planner.formats.networks.read import is_network_file

    found = [path for path in paths if density is not None or is_network_file(path)]
    # A matrix is one layer: several are one network. Other files are networks of their own.
    layers = tuple(path for path in found if path.suffix.lower() in (".mtx", ".gz"))
    return (*([layers] if layers else []), *((path,) for path in found if path not in layers))


def files_to_open(arguments: Sequence[str], commands: Sequence[str] = ()) -> tuple[list[Path], Path | None]:
    """Model files and the plan file among ``MODEL... [PLAN]``, told apart by content; those of a plan alone are found by name.

    Raises :class:`StageboardError`.
    """
    from planner.plan_files.models import model_files
    from planner.plan_files.plan_parts import is_plan

    files = [Path(argument) for argument in arguments]
    for argument, file in zip(arguments, files, strict=True):
        if argument.partition("=")[0] == "--target":
            raise UsageError(
                "--target is an option of 'stageboard plan', not of the window; choose the machine there in Target (Ctrl+T), or open the plan"
                " that 'stageboard plan MODEL --target SPEC -o PLAN' writes"
            )
        if argument.startswith("-"):
            raise UsageError(f"{argument} is not an option of the window; see 'stageboard --help'")
        if not file.exists():
            if file.suffix or len(file.parts) > 1 or not commands:
                raise StageboardError(f"{argument} does not exist; check the path")
            raise UsageError(f"{unknown_command(argument, commands)} (nor is there a file of that name)")
    plans = [file for file in files if is_plan(file)]
    if len(plans) > 1:
        raise UsageError(f"{plans[0]} and {plans[1]} are both plans; name one, after the models it is for")
    if plans and len(files) == 1:
        try:
            return model_files(plans[0]), plans[0]
        except PlanError as error:
            raise UsageError(f"{plans[0]} is a plan; name its model before it ({error})") from error
    return [file for file in files if file not in plans], plans[0] if plans else None
