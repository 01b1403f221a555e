"""The runs of a panel, one below the other, where they push nothing about: as high as they are, up to a share of the panel, then scrolled."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

MOST_SHARE = 0.4
"""Of the panel's height."""


class RunsArea(QScrollArea):
    """Rows of runs, the newest on top; no higher than they need, nothing without any."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._panel = parent
        self._inside = inside = QWidget()
        inside.setObjectName("scrolled")
        self.rows = QVBoxLayout(inside)
        self.rows.setContentsMargins(10, 6, 10, 2)
        self.rows.setSpacing(6)
        self.setAccessibleName("Runs")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.setWidgetResizable(True)
        self.setWidget(inside)
        inside.installEventFilter(self)
        parent.installEventFilter(self)
        self.hide()

    def put(self, row: QWidget) -> None:
        """On top, in sight."""
        self.rows.insertWidget(0, row)
        self.verticalScrollBar().setValue(0)
        self.show()

    def take(self, row: QWidget) -> None:
        """Out of the rows, for good."""
        self.rows.removeWidget(row)
        row.hide()
        row.deleteLater()
        self.setVisible(self.rows.count() > 0)

    def sizeHint(self) -> QSize:
        """The rows', up to :data:`MOST_SHARE` of the panel."""
        needed = self._inside.sizeHint()
        return QSize(needed.width(), min(needed.height(), int(MOST_SHARE * self._panel.height())))

    def minimumSizeHint(self) -> QSize:
        """As high as is asked for: the list of methods gives way."""
        return QSize(0, self.sizeHint().height())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Rows say when they need another height, the panel when it has one. What the panel lays out is no reason to lay it out anew."""
        wanted = QEvent.Type.LayoutRequest if watched is self._inside else QEvent.Type.Resize
        if event.type() == wanted:
            self.updateGeometry()
        return super().eventFilter(watched, event)
