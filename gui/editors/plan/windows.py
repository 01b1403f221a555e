"""Windows of graphs: put together, shown, and ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QWidget

from gui.background.jobs import Jobs
from gui.document.plan.document import Document
from gui.document.plan.journal import Journal
from gui.editors.plan.editor import MainWindow
from gui.look.theme import ThemeController
from gui.shell.host import host_of, show_editor
from gui.shell.session import Session
from gui.widgets.later import soon


@dataclass
class Parts:
    """A window and what belongs to it."""

    document: Document
    jobs: Jobs
    themes: ThemeController
    window: MainWindow
    session: Session | None
    journal: Journal | None
    shares_themes: bool = False
    """Whether other windows follow the same theme."""

    def leave(self) -> None:
        """The program ends: keep what closing the window would have asked about, unless a person was asked."""
        self.jobs.close()
        self.window.studio.keep()
        if self.journal is not None and (self.window.closed or not self.document.modified):
            self.journal.close()

    def close(self) -> None:
        """Close the window without asking and end every process and thread of it."""
        self.document.undo_stack.setClean()
        self.window.studio.draft.undo_stack.setClean()
        self.window.end()
        if self.journal is not None:
            self.journal.close()
        self.window.hide()
        host = host_of(self.window)
        if host is not None:
            self.window.closed = True
            host.let_go(self.window)
        for part in (self.window, self.document, *([] if self.shares_themes else [self.themes])):
            part.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def make_window(
    app: QApplication, *, theme: str = "", remember: bool = True, themes: ThemeController | None = None
) -> Parts:
    """A window on an empty document, which follows ``themes`` where others do, too.

    Unless ``remember`` is set it reads and changes nothing of the user's.
    """
    session = Session() if remember else None
    preference = theme or (session.theme if session is not None else "system")
    shared = themes is not None
    themes = themes or ThemeController(app, preference)
    document = Document()
    jobs = Jobs(document, document)
    window = MainWindow(document, jobs, themes, session)
    return Parts(document, jobs, themes, window, session, Journal(document) if remember else None, shared)


_graphs: list[Parts] = []
"""Windows that other windows opened; nothing else keeps them alive."""


def open_graph_window(
    models: Sequence[Path], plan: Path | None, remember: bool, beside: QWidget | None = None,
    themes: ThemeController | None = None, times: Sequence[Path] = (),
) -> Parts:  # fmt: skip
    """A window for graphs of operators, a tab ``beside`` the one that asks for it; empty without models.

    ``times`` are profiles of the models.
    """
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    parts = make_window(app, remember=remember, themes=themes)
    _graphs.append(parts)
    show_editor(parts.window, beside)
    parts.window.proving_unasked.begin()
    # Closed by a person: a moment later, when the tab is gone, nothing of it is left.
    parts.window.ended.connect(lambda _: soon(app, lambda: _forget(parts)))
    parts.window.files.open_files([*models, *([] if plan is None else [plan]), *times])
    return parts


def _forget(parts: Parts) -> None:
    if parts in _graphs:
        _graphs.remove(parts)
        parts.close()


def graph_windows() -> list[MainWindow]:
    """The windows that other windows opened."""
    return [parts.window for parts in _graphs]


def graph_parts() -> list[Parts]:
    """Those windows, each with what belongs to it."""
    return list(_graphs)


def close_all() -> None:
    """End the processes and threads of every window that another opened."""
    for parts in _graphs:
        parts.leave()
    _graphs.clear()
