"""The top of the window: menus, what is open, the switch between views, and below them the readout strip."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QFontMetrics, QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QMenuBar, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from gui.look.theme import Theme, font
from gui.widgets.labels import ElidedLabel, set_role
from gui.widgets.offering import offer

MENU_KEY = "F10"
FEWEST_LETTERS = 12
"""Of the subtitle, which says nothing in fewer."""


class Header(QWidget):
    """A menu bar, the title, the views. The strip is put below by the window."""

    def __init__(self, theme: Theme, strip: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("header")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.menus = QMenuBar(self)
        self.menus.setNativeMenuBar(False)
        # Titles give way, menus do not.
        self.menus.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self.menus.setAccessibleName("Menus")
        # Not every platform does this by itself.
        QShortcut(QKeySequence(MENU_KEY), self, self.open_menus)
        self.title = ElidedLabel("Stageboard", self, Qt.TextElideMode.ElideRight)
        self.title.setFont(font(10.0, bold=True))
        self.subtitle = ElidedLabel("", self, Qt.TextElideMode.ElideRight)
        self.subtitle.set_fewest(FEWEST_LETTERS)
        set_role(self.subtitle, "muted")
        self.views = QWidget(self)
        views = QHBoxLayout(self.views)
        views.setContentsMargins(0, 0, 0, 0)
        views.setSpacing(6)
        self._segments: dict[str, QPushButton] = {}
        row = self._row = QHBoxLayout()
        row.setContentsMargins(8, 4, 12, 4)
        row.setSpacing(8)
        row.addWidget(self.menus)
        row.addSpacing(8)
        row.addWidget(self.title)
        row.addWidget(self.subtitle, 1)
        row.addWidget(self.views)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(strip)
        self.title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def open_menus(self) -> None:
        """Open the first menu, from which arrows lead to the others."""
        self.menus.setFocus(Qt.FocusReason.MenuBarFocusReason)
        self.menus.setActiveAction(self.menus.actions()[0])

    def add_control(self, widget: QWidget) -> None:
        """A control of the machine, left of the views."""
        row = self._row
        row.insertWidget(row.indexOf(self.views), widget)

    def add_news(self, widget: QWidget) -> None:
        """What comes and goes: right of the titles, which give way; controls stay where they are."""
        self._row.insertWidget(self._row.indexOf(self.subtitle) + 1, widget)

    def add_view(self, name: str, action: QAction, choose: Callable[[], None], text: str = "") -> None:
        """A segment that shows one view; ``text`` where the action says more than there is room for."""
        text = text or action.text()
        button = QPushButton(text, self.views)
        button.setObjectName("segment")
        button.setCheckable(True)
        # The one that is chosen is bold, for which Qt leaves no room.
        room = QFontMetrics(font(9.0, bold=True)).horizontalAdvance(text) + 6
        button.setStyleSheet(f"min-width: {max(48, room)}px")
        button.setAutoExclusive(True)
        button.setAccessibleName(f"{action.text()} view")
        button.setToolTip(f"{action.toolTip()} ({action.shortcut().toString()})")
        button.clicked.connect(lambda _=False: choose())
        layout = self.views.layout()
        assert layout is not None
        layout.addWidget(button)
        self._segments[name] = button

    def show_view(self, name: str, enabled: bool) -> None:
        """Mark the view that is shown."""
        for key, button in self._segments.items():
            button.setChecked(key == name)
            offer(button, "" if enabled else "open a model first")

    def show_title(self, title: str, subtitle: str, *shorter: str) -> None:
        """What is open, and on what; where there is little room the first of ever ``shorter`` subtitles that fits."""
        self.title.setText(title)
        self.subtitle.set_texts(subtitle, *shorter)
