"""Windows of networks beside windows of graphs: which file belongs where, and which windows there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from planner.errors import StageboardError

if TYPE_CHECKING:
    from gui.app import Parts
    from gui.order.window import OrderWindow
    from gui.session import Session
    from gui.theme import ThemeController

_orders: list[OrderWindow] = []
_graphs: list[Parts] = []
"""Windows that other windows opened; nothing else keeps them alive."""


@dataclass(frozen=True)
class Sorted:
    """Files by the window that opens them; ``plan`` is a plan of one of them, or of what is open."""

    networks: tuple[tuple[Path, ...], ...] = ()
    """Each is one file, or several weight matrices that follow each other."""
    graphs: tuple[Path, ...] = ()
    plan: Path | None = None


def sort_files(paths: Sequence[Path]) -> Sorted:
    """Tell networks, graphs and a plan apart by content. Raises :class:`StageboardError` on two plans or a missing file."""
    from planner.formats.plan_parts import is_plan

    files = [Path(path) for path in paths]
    for file in files:
        if not file.exists():
            raise StageboardError(f"{file} does not exist; check the path")
    plans = [file for file in files if file.suffix.lower() == ".json" and is_plan(file)]
    if len(plans) > 1:
        raise StageboardError(f"{plans[0].name} and {plans[1].name} are both plans; open one of them")
    models = [file for file in files if file not in plans]
    networks = network_files(models)
    graphs = tuple(file for file in models if not any(file in group for group in networks))
    return Sorted(networks, graphs, plans[0] if plans else None)


def network_files(paths: Sequence[Path], density: float | None = None) -> tuple[tuple[Path, ...], ...]:
    """The networks among model files; with a ``density`` dense models count, too."""
    from planner.formats.networks import is_network_file

    found = [path for path in paths if density is not None or is_network_file(path)]
    # A matrix is one layer: several are one network. Other files are networks of their own.
    layers = tuple(path for path in found if path.suffix.lower() in (".mtx", ".gz"))
    return (*([layers] if layers else []), *((path,) for path in found if path not in layers))


def open_order_window(
    themes: ThemeController,
    session: Session | None,
    paths: Sequence[Path] = (),
    plan: Path | None = None,
    density: float | None = None,
) -> OrderWindow:
    """A window for a network; its files, if any are given, are read on a thread."""
    from gui.jobs import Jobs
    from gui.order.autosave import Autosave
    from gui.order.document import OrderDocument
    from gui.order.window import OrderWindow

    document = OrderDocument()
    jobs = Jobs(document, document)  # type: ignore[arg-type]
    window = OrderWindow(document, jobs, themes, session)
    document.setParent(window)
    window.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    if session is not None:
        window.autosave = Autosave(document)
    _orders.append(window)
    window.destroyed.connect(lambda: _orders.remove(window) if window in _orders else None)
    _show(window)
    jobs.warm_up()
    if paths:
        window.handlers.files.open_network(paths, plan, density)
    return window


def _show(window: OrderWindow) -> None:
    """Where it was last; the first time at a good size, or as large as a small screen allows."""
    from gui.app import PREFERRED

    if window.memory.has_geometry:
        window.show()
        return
    room = window.screen().availableSize()
    if room.width() < PREFERRED[0] * 1.1 or room.height() < PREFERRED[1] * 1.1:
        window.showMaximized()
        return
    window.resize(*PREFERRED)
    window.show()


def open_graph_window(models: Sequence[Path], plan: Path | None, remember: bool) -> Parts:
    """A window for graphs of operators, beside the one that asks for it; empty without models."""
    from gui.app import make_window, show_first

    app = QApplication.instance()
    assert isinstance(app, QApplication)
    parts = make_window(app, remember=remember)
    _graphs.append(parts)
    show_first(parts)
    parts.window.handlers.files.open_files([*models, *([] if plan is None else [plan])])
    return parts


def close_all() -> None:
    """End the processes and threads of every window that another opened."""
    for window in list(_orders):
        if window.autosave is not None:
            window.autosave.close(keep=window.isVisible())
        window.end()
    _orders.clear()
    for parts in _graphs:
        parts.jobs.close()
        if parts.journal is not None and not parts.window.isVisible():
            parts.journal.close()
    _graphs.clear()
