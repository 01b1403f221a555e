"""Pictures of models, plans and comparisons as files, and the window."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gui.look.colours import THEMES
from gui.look.display import check_display, check_qt, offscreen
from gui.look.page import PRESETS, SHEET, SUFFIXES, Page
from planner.errors import StageboardError
from planner.formats.graphs import stageboard_json
from planner.formats.networks.npz import write_network
from planner.machines.spec import default_target, network_target
from planner.machines.two_level_memory.orders.theorem_1 import theorem_1_order
from planner.problem.base import decision_of
from stageboard.comparisons import Comparison
from stageboard.models import Graph, Network, StrPath
from stageboard.plans import Plan, posed

if TYPE_CHECKING:
    from gui.look.drawn import Drawing

PLATFORM = "QT_QPA_PLATFORM"
FLOW = "flow"


def render(
    what: Plan | Graph | Network | Comparison,
    path: StrPath,
    *,
    view: str = "",
    size: tuple[int, int] | None = None,
    preset: str = "",
    theme: str = "light",
    transparent: bool = False,
) -> Path:
    """Draw a model, a plan or a comparison into a file: ``.png``, ``.svg`` or ``.pdf``. No display is needed.

    ``view`` of a plan: ``flow`` (default), ``lanes``, ``stages``, ``schedule``, ``memory`` or ``package``. ``size`` in pixels, or a
    ``preset``: ``slide``, ``column``, ``poster``. ``theme``: ``light`` or ``dark``. Raises :class:`StageboardError`.
    """
    file = Path(path)
    if file.suffix.lower() not in SUFFIXES:
        raise StageboardError(
            f"{file.name}: pictures are written as {', '.join(SUFFIXES)}; give it one of these endings"
        )
    page = _page(size, preset, theme, transparent)
    check_qt()
    with_application()
    _drawing(what, view, page).save(file)
    return file


def _page(size: tuple[int, int] | None, preset: str, theme: str, transparent: bool) -> Page:
    if theme not in THEMES:
        raise StageboardError(f"there is no theme '{theme}'; choose from {', '.join(THEMES)}")
    if preset and preset not in PRESETS:
        raise StageboardError(f"there is no preset '{preset}'; choose from {', '.join(PRESETS)}")
    if preset and size is not None:
        raise StageboardError("a preset has a size of its own; give one of the two")
    page = (
        PRESETS[preset]
        if preset
        else replace(SHEET, crop=True)
        if size is None
        else replace(SHEET, pixels=size)
    )
    return replace(page, theme=THEMES[theme], transparent=transparent)


def with_application() -> None:
    """Make sure of an application to draw with: the one of this process, else one without a display.

    Raises :class:`StageboardError` where the process has one that cannot draw.
    """
    from PySide6.QtCore import QCoreApplication
    from PySide6.QtWidgets import QApplication

    there = QCoreApplication.instance()
    if there is not None and not isinstance(there, QApplication):
        raise StageboardError(
            "this program has a Qt application that cannot draw; make a QApplication before it, or draw in another process"
        )
    if there is None:
        from gui.look.display import application

        chosen = PLATFORM in os.environ
        offscreen()
        application()
        if not chosen:
            del os.environ[PLATFORM]  # for programs that this one starts


def _drawing(what: Plan | Graph | Network | Comparison, view: str, page: Page) -> Drawing:
    if isinstance(what, Comparison):
        from planner.reports.comparison import OrderComparison

        if isinstance(what.found, OrderComparison):
            from gui.editors.comparison.orders.picture import draw_orders

            _only("", view, "a comparison of orders")
            return draw_orders(what.found, page)
        from gui.editors.comparison.picture.picture import draw_comparison

        return draw_comparison(what.found, page, view or FLOW)
    model = what.model if isinstance(what, Plan) else what
    if isinstance(model, Network):
        _only("network", view, "a sparse network")
        return _network(what, page)
    return _graph(what, view or FLOW, page)


def _only(known: str, view: str, what: str) -> None:
    if view not in ("", known):
        raise StageboardError(f"the view '{view}' is about graphs of operators; leave it out for {what}")


def _graph(what: Any, view: str, page: Page) -> Drawing:
    from gui.panels.pictures import Shown, drawing_of, views_of
    from gui.words.machines import devices_words

    if not isinstance(what, Plan):
        _only(FLOW, view, "a model without a plan")
        problem: Any = posed(what, default_target(what.planned))
        return drawing_of(Shown(problem, None, what.name), FLOW, page)
    problem, plan = what.problem, what._held()
    if view not in views_of(problem):
        raise StageboardError(
            f"there is no view '{view}' of {problem.target.in_words}; choose from {', '.join(views_of(problem))}"
        )
    title = f"{problem.name} on {devices_words(problem)}"
    return drawing_of(
        Shown(problem, decision_of(plan), title, what.bounds, plan.provenance.planner), view, page
    )


def _network(what: Any, page: Page) -> Drawing:
    from gui.canvas.network.picture import draw_network
    from gui.canvas.network.titles import picture_title

    if isinstance(what, Plan):
        title = picture_title(what.problem, what._held().name)
        return draw_network(what.problem, what.order, page, title, what.bounds, len(what.order))
    problem: Any = posed(what, network_target())
    title = f"{what.name}, connections by the neuron that they lead to"
    order = theorem_1_order(what.planned)
    return draw_network(problem, order, page, title, (), len(order))


# ---------------------------------------------------------------------- the window
def show(what: Plan | Graph | Network) -> None:
    """Open the window on a model or a plan, in a program of its own, and wait until it is closed.

    What was not read from files as it is, is handed over in temporary ones; save in the window what should stay. Raises :class:`StageboardError`
    where there is no display, or the window could not be opened.
    """
    check_qt()
    check_display(hint="draw a picture with sb.render")
    with tempfile.TemporaryDirectory(prefix="stageboard-show-") as folder:
        files = [*_model_files(what, Path(folder))]
        if isinstance(what, Plan) and what.found is not None:
            files.append(what.save(Path(folder) / f"{what.model.planned.name.replace('/', '_')}.plan.json"))
        top = str(Path(__file__).resolve().parents[1])
        path = os.pathsep.join(filter(None, [top, os.environ.get("PYTHONPATH", "")]))
        # -P: what lies in the working folder is not to be imported for what the window needs.
        done = subprocess.run(
            [sys.executable, "-P", "-m", "stageboard", *map(str, files)], check=False, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": path},
        )  # fmt: skip
    if done.returncode:
        said = done.stderr.strip().splitlines()
        raise StageboardError(
            said[-1].removeprefix("stageboard: ")
            if said
            else f"the window ended with status {done.returncode}"
        )


def _model_files(what: Plan | Graph | Network, folder: Path) -> tuple[Path, ...]:
    """The files of a model as the window can read them."""
    model = what.model if isinstance(what, Plan) else what
    name = model.name.replace("/", "_")
    if isinstance(model, Network):
        pruned = not model.paths or len(model.paths) > 1 or model.paths[0].suffix == ".onnx"
        return (write_network(model.planned, folder / f"{name}.npz"),) if pruned else model.paths
    if model.paths and not model.given_times:
        return model.paths
    return (stageboard_json.write(model.planned, folder / f"{name}.json"),)
