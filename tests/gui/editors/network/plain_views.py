"""Stand-ins for the views that draw, for tests in which their drawing does not matter."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gui.document.network.document import OrderDocument
from gui.editors.network.views import Views
from gui.look.theme import Theme


class PlainView(QWidget):
    """Remembers what it was asked."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.asked: list[tuple[str, object]] = []
        self.view, self.sorted = "links", True
        self.busy = False
        self.setFocusPolicy(self.focusPolicy().StrongFocus)

    def set_view(self, view: str) -> None:
        self.view = view

    def set_sorted(self, by_first_use: bool) -> None:
        self.sorted = by_first_use

    def set_theme(self, theme: Theme) -> None:
        self.asked.append(("theme", theme.name))

    def set_reduced_motion(self, reduced: bool) -> None:
        self.asked.append(("reduced", reduced))

    def end_threads(self) -> None:
        self.asked.append(("end", None))

    def fit(self) -> None:
        self.asked.append(("fit", None))

    def zoom_by(self, factor: float) -> None:
        self.asked.append(("zoom", factor))

    def end(self) -> None:
        self.asked.append(("last", None))

    def step_event(self, by: int) -> None:
        self.asked.append(("event", by))

    def pause(self) -> None:
        self.asked.append(("pause", None))

    def toggle(self) -> None:
        self.asked.append(("toggle", None))

    def home(self) -> None:
        self.asked.append(("home", None))

    def step_connection(self, by: int) -> None:
        self.asked.append(("connection", by))


def plain_views(document: OrderDocument, theme: Theme, parent: QWidget) -> Views:
    """Six of them."""
    return Views(*(PlainView(parent) for _ in range(6)))
