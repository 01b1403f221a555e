"""A whole window of a network for tests."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, cast

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.background.jobs import Jobs
from gui.document.network.document import OrderDocument
from gui.document.network.opening import OpenedNetwork
from gui.editors.comparison import windows as comparisons
from gui.editors.network.editor import OrderWindow
from gui.editors.network.views import ViewsFactory
from gui.look.theme import ThemeController
from gui.shell.session import Session
from tests.gui.editors.network.models import opened
from tests.gui.editors.network.plain_views import plain_views
from tests.gui.window_parts import settle


@contextmanager
def order_window(
    qtbot: QtBot, network: OpenedNetwork | str | None = "small", views: ViewsFactory = plain_views,
    session: Session | None = None, size: tuple[int, int] = (1280, 800),
) -> Generator[OrderWindow, None, None]:  # fmt: skip
    """A shown window on a network (None: nothing is open); nothing of it is left afterwards."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    themes = ThemeController(app, "light")
    document = OrderDocument()
    jobs = Jobs(cast(Any, document), document)
    window = OrderWindow(document, jobs, themes, session, views)
    window.resize(*size)
    window.show()
    if network is not None:
        window.install(opened() if isinstance(network, str) else network)
    qtbot.waitUntil(lambda: window.settled, timeout=10_000)
    try:
        yield window
    finally:
        document.undo_stack.setClean()
        for comparison in list(comparisons._windows):
            comparison.close()
            settle()
        window.end()
        window.hide()
        for part in (window, document, themes):
            part.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
