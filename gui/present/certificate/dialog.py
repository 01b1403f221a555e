"""The certificate of the plan on the canvas as a window of its own: to read, to copy, to save."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gui.look.page import Page
from gui.look.theme import Theme
from gui.present.certificate.page import FRAME, CertificatePage, status_line
from gui.present.certificate.picture import draw_certificate
from gui.widgets.labels import set_role
from gui.widgets.plain import PlainLabel, plain
from planner.errors import StageboardError
from planner.files import to_json, write_atomically
from planner.problem.bound import proven
from planner.reports.certificate.certificate import Certificate, certificate, to_dict
from planner.reports.certificate.text import certificate_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from planner.machines.two_level_memory.problem import OrderPlan
    from planner.problem.bound import Bound
    from planner.problem.problem import Plan

SUFFIXES = {
    "Page (*.pdf)": ".pdf", "Picture (*.png)": ".png", "Picture (*.svg)": ".svg", "Text (*.txt)": ".txt",
    "Data (*.json)": ".json",
}  # fmt: skip


class Certified(Protocol):
    """What has a plan and bounds: the documents of both kinds of windows."""

    @property
    def plan_bounds(self) -> Sequence[Bound]:
        """What is proven, and what the plan's file claims."""

    def current_plan(self) -> Plan | OrderPlan:
        """The plan on the canvas."""


def save_certificate(certified: Certificate, path: str | Path, theme: Theme) -> Path:
    """Write a certificate as the suffix says: .txt, .json, or the page as .pdf, .png, .svg.

    Raises :class:`StageboardError` for another suffix.
    """
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix == ".json":
        return write_atomically(file, to_json(to_dict(certified)))
    if suffix == ".txt":
        return write_atomically(file, certificate_text(certified))
    if suffix not in SUFFIXES.values():
        raise StageboardError(
            f"{file}: certificates are written as .pdf, .png, .svg, .txt or .json; choose one of these"
        )
    draw_certificate(certified, Page(FRAME, theme=theme)).save(file)
    return file


class CertificateView(QWidget):
    """The page, as large as the widget."""

    def __init__(self, certified: Certificate, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.show_certificate(certified)

    def sizeHint(self) -> QSize:
        """Room for all of it."""
        return QSize(960, 560)

    def minimumSizeHint(self) -> QSize:
        """Less cannot be read."""
        return QSize(560, 340)

    def show_certificate(self, certified: Certificate) -> None:
        """Another page."""
        self.page = CertificatePage(certified)
        self.setAccessibleName(f"Certificate: {status_line(certified, self.theme)[0]}")
        self.setAccessibleDescription(certificate_text(certified))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The page."""
        unit = min(self.width() / FRAME[0], self.height() / FRAME[1]) * 1.12
        self.page.paint(QPainter(self), QRectF(self.rect()), unit, unit, self.theme)


class CertificateDialog(QDialog):
    """Shows the certificate of a document's plan; it does not block the window.

    ``prove`` starts proving what the plan's file claims; :meth:`refresh` then shows what is proven by now. ``capture`` makes the
    certificate of a plan with its bounds a keyframe of the story, and gives the sentence that says so.
    """

    def __init__(
        self,
        document: Certified,
        theme: Theme,
        parent: QWidget | None = None,
        prove: Callable[[], object] | None = None,
        capture: Callable[[Plan | OrderPlan, Sequence[Bound]], str] | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.theme = theme
        self._document, self._plan = document, document.current_plan()
        self._bounds = self._plan.problem.holding(document.plan_bounds)
        self._now: set[Bound] = set()
        """What was proven while the dialog was open."""
        self.certificate = certificate(self._plan, self._bounds)
        self.setWindowTitle(plain(f"Certificate of {self.certificate.model}"))
        self.view = CertificateView(self.certificate, theme, self)
        self.said = PlainLabel("", self)
        set_role(self.said, "muted")
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        self.copy_button = QPushButton("Copy", self)
        self.copy_button.setToolTip("All of it as text")
        self.save_button = QPushButton("Save \N{HORIZONTAL ELLIPSIS}", self)
        self.save_button.setToolTip("As a page (PDF, PNG, SVG), text or JSON")
        self.prove_button = QPushButton("Prove It", self)
        self.prove_button.setToolTip("Prove what the plan's file claims, beside the window")
        self.capture_button = QPushButton("Capture", self)
        self.capture_button.setToolTip("The certificate becomes a keyframe of the story (Ctrl+Shift+K)")
        self.capture_button.setShortcut("Ctrl+Shift+K")
        for button in (self.prove_button, self.capture_button, self.copy_button, self.save_button):
            self.buttons.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        # A button box shows what it is given.
        self.prove_button.setVisible(prove is not None and self.certificate.claim is not None)
        self.capture_button.setVisible(capture is not None)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 10, 10, 10)
        layout.addWidget(self.view, 1)
        layout.addWidget(self.said)
        layout.addWidget(self.buttons)
        self.copy_button.clicked.connect(self.copy)
        self.save_button.clicked.connect(self.ask_where)
        self.prove_button.clicked.connect(lambda _=False: self._prove(prove))
        self.capture_button.clicked.connect(lambda _=False: self._capture(capture))
        self.buttons.rejected.connect(self.close)
        self.resize(1000, 640)

    def _prove(self, prove: Callable[[], object] | None) -> None:
        if prove is not None and prove() is not None:
            self._say("Being proven; the page will say so.")

    def _capture(self, capture: Callable[[Plan | OrderPlan, Sequence[Bound]], str] | None) -> None:
        if capture is not None:
            try:
                self._say(capture(self._plan, self._bounds))
            except StageboardError as error:
                self._say(str(error))

    def refresh(self) -> None:
        """What was proven of the plan meanwhile; the plan is that of the moment in which the dialog was opened."""
        problem = self._plan.problem
        new = [b for b in problem.holding(proven(self._document.plan_bounds)) if b not in self._bounds]
        if not new:
            return
        self._bounds += new
        self._now |= set(new)
        before, self.certificate = self.certificate.claim, certificate(self._plan, self._bounds, self._now)
        self.view.show_certificate(self.certificate)
        self.prove_button.setVisible(not self.prove_button.isHidden() and self.certificate.claim is not None)
        if before is not None and self.certificate.claim is None:
            self._say("Proven here now.")

    def copy(self) -> None:
        """Put the text on the clipboard."""
        QGuiApplication.clipboard().setText(certificate_text(self.certificate))
        self._say("Copied as text.")

    def ask_where(self) -> None:
        """Ask for a file and write it."""
        start = f"{self.certificate.model}.certificate.pdf"
        name, chosen = QFileDialog.getSaveFileName(self, "Save the certificate", start, ";;".join(SUFFIXES))
        if name:
            self.save(name if Path(name).suffix.lower() in SUFFIXES.values() else name + SUFFIXES[chosen])

    def save(self, path: str | Path) -> None:
        """Write a file; what went wrong is said below the page."""
        try:
            self._say(f"Saved {save_certificate(self.certificate, path, self.theme)}.")
        except StageboardError as error:
            self._say(str(error))

    def _say(self, words: str) -> None:
        self.said.setText(words)
        self.said.setAccessibleName(words)
