"""A window that is read from afar: light or dark and with larger or smaller letters for itself, on the whole screen or not."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from gui.look.theme import THEMES, Theme

BESIDE = 60
"""Pixels of the screen that are left free on each side of it where it is a window."""
ALONE = (1280, 800)
"""Its size as a window where there is nothing that it belongs to."""


class AfarWindow(QWidget):
    """What talks and races on a screen have in common. ``sizes`` are those of letters, as shares of the usual one, 1.0 among them.

    Subclasses say in :meth:`set_theme` and :meth:`letters_changed` what is to be drawn again.
    """

    def __init__(self, theme: Theme, sizes: Sequence[float], parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.theme = theme
        self._sizes, self._size = tuple(sizes), tuple(sizes).index(1.0)

    @property
    def letters(self) -> float:
        """How large letters are, as a share of their usual size."""
        return self._sizes[self._size]

    def take_place(self) -> None:
        """Stand on the screen of its parent, nearly as large as that; the whole screen is left for this size, which would be the least else."""
        parent = self.parentWidget()
        if parent is None:
            self.resize(*ALONE)
            return
        self.setScreen(parent.screen())
        self.setGeometry(parent.screen().availableGeometry().adjusted(BESIDE, BESIDE, -BESIDE, -BESIDE))

    def set_theme(self, theme: Theme) -> None:
        """Other colours, here alone."""
        self.theme = theme
        self.update()

    def toggle_theme(self) -> None:
        """Light or dark, here alone."""
        self.set_theme(THEMES["light" if self.theme.dark else "dark"])

    def toggle_full_screen(self) -> None:
        """Full screen or a window."""
        if self.isFullScreen():
            self.showNormal()
        else:
            self.showFullScreen()

    def larger(self) -> None:
        """Larger letters."""
        self._resize_letters(1)

    def smaller(self) -> None:
        """Smaller letters."""
        self._resize_letters(-1)

    def letters_changed(self) -> None:
        """Letters are larger or smaller, or can be no more so."""
        self.update()

    def _resize_letters(self, step: int) -> None:
        self._size = min(max(self._size + step, 0), len(self._sizes) - 1)
        self.letters_changed()
