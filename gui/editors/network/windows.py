"""Windows of networks: put together, shown, and ended."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from gui.background.warming import warming
from gui.shell.host import show_editor
from planner.compiling.kernel import interpret

if TYPE_CHECKING:
    from gui.editors.network.editor import OrderWindow
    from gui.look.theme import ThemeController
    from gui.shell.session import Session

_orders: list[OrderWindow] = []
"""Nothing else keeps them alive."""


def open_order_window(
    themes: ThemeController,
    session: Session | None,
    paths: Sequence[Path] = (),
    plan: Path | None = None,
    density: float | None = None,
    beside: QWidget | None = None,
) -> OrderWindow:
    """A window for a network, a tab ``beside`` the one that asks for it; its files, if there are any, are read on a thread."""
    from gui.background.jobs import Jobs
    from gui.canvas.network import raster
    from gui.document.network import memory_history
    from gui.document.network.autosave import Autosave
    from gui.document.network.document import OrderDocument
    from gui.editors.network.editor import OrderWindow
    from gui.editors.network.strip import kernels

    interpret(False)  # orders of a million connections are not for plain Python
    document = OrderDocument()
    jobs = Jobs(document, document)  # type: ignore[arg-type]
    window = OrderWindow(document, jobs, themes, session)
    document.setParent(window)
    window.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    if session is not None:
        window.autosave = Autosave(document)
    _orders.append(window)
    window.destroyed.connect(lambda: _orders.remove(window) if window in _orders else None)
    show_editor(window, beside)
    jobs.warm_up()
    warming.load(raster.warm_up, memory_history.warm_up, kernels.warm_up)
    window.proving_unasked.begin()
    if paths:
        window.files.open_network(paths, plan, density)
    return window


def order_windows() -> list[OrderWindow]:
    """Every window of a network."""
    return list(_orders)


def close_all() -> None:
    """End the processes and threads of every window."""
    for window in list(_orders):
        if window.autosave is not None:
            window.autosave.close(keep=not window.closed)
        window.end()
    _orders.clear()
