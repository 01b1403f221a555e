"""The way back: a button on a canvas, while finding or walking has taken it away from what one looked at."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QToolButton

from gui.canvas.graph.pointed_scene import PointedScene

MARGIN = 10


class WayBack(QToolButton):
    """Lies in the upper right corner of a canvas and shows itself only while there is an earlier place to go back to."""

    def __init__(self, view: PointedScene) -> None:
        super().__init__(view)
        self._view = view
        self.setObjectName("flat")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # whoever walks by keys goes on walking
        self.setToolTip("Back to what was in sight before (Alt+Left)")
        self.clicked.connect(lambda _=False: view.go_back())
        view.lying_over.append(self)
        view.earlier_changed.connect(self._follow)
        view.installEventFilter(self)
        self.hide()

    def _follow(self) -> None:
        place = self._view.earlier
        if place is not None:
            words = "Back" if place.chosen else "Whole picture"
            self.setText(f"\N{LEFTWARDS ARROW} {words}")
            self.adjustSize()
            self._stand()
            self.raise_()
        self.setVisible(place is not None)

    def _stand(self) -> None:
        self.move(self._view.width() - self.width() - MARGIN, MARGIN)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay in the corner."""
        if event.type() == QEvent.Type.Resize:
            self._stand()
        return super().eventFilter(watched, event)
