"""A line for the path of a file or a folder, and a button that asks for it."""

from __future__ import annotations

import contextlib
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QToolButton, QWidget


class FileField(QWidget):
    """Asks for a file that ``filters`` let through, or, where there are none, for a folder."""

    changed = Signal()
    """Somebody typed or chose another path."""

    def __init__(self, value: str, title: str, filters: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title, self._filters = title, filters
        self.line = QLineEdit(value, self)
        self.line.setCursorPosition(len(value))
        self.line.setAccessibleName(title)
        self.line.textEdited.connect(lambda _: self.changed.emit())
        self.button = QToolButton(self)
        self.button.setText("\N{HORIZONTAL ELLIPSIS}")
        self.button.setToolTip(f"Choose the {self._kind}")
        self.button.setAccessibleName(f"{title}: choose the {self._kind}")
        self.button.clicked.connect(self._ask)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self.line, 1)
        row.addWidget(self.button)
        self.setFocusProxy(self.line)

    @property
    def _kind(self) -> str:
        return "file" if self._filters else "folder"

    def text(self) -> str:
        """The path as it stands there."""
        return self.line.text().strip()

    def set_text(self, value: str) -> None:
        """Show another path; nobody is told."""
        self.line.setText(value)

    def setAccessibleDescription(self, text: str) -> None:
        """What the path is for, said where the keyboard is."""
        super().setAccessibleDescription(text)
        self.line.setAccessibleDescription(text)

    def setFocusPolicy(self, policy: Qt.FocusPolicy) -> None:
        """The line takes the keyboard, not what holds it."""
        self.line.setFocusPolicy(policy)

    def _ask(self) -> None:
        start = _expanded(self.text())
        if self._filters:
            chosen, _ = QFileDialog.getOpenFileName(
                self, self._title, start or str(Path.home()), f"{self._filters};;All files (*)"
            )
        else:
            chosen = QFileDialog.getExistingDirectory(self, self._title, _there(start))
        if chosen:
            self.line.setText(chosen)
            self.changed.emit()


def shown_path(path: Path) -> str:
    """A path as it is shown and may be typed: what lies in the user's home folder begins with ``~``."""
    with contextlib.suppress(RuntimeError, ValueError):
        return str("~" / path.relative_to(Path.home()))
    return str(path)


def _expanded(text: str) -> str:
    """What was typed, with the home folder for ``~``."""
    with contextlib.suppress(RuntimeError):
        return str(Path(text).expanduser()) if text else ""
    return text


def _there(folder: str) -> str:
    """The folder, or the nearest one above it that is there."""
    path = Path(folder).absolute()
    return str(next((each for each in (path, *path.parents) if each.is_dir()), path))
