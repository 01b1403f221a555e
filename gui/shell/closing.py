"""Closing a window with unsaved work: Save, Don't Save or Cancel, asked once for all that would be lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication, QMessageBox, QWidget


@dataclass(frozen=True)
class Unsaved:
    """Something that is not saved: what a sentence calls it, and how it is saved (False: it was not, after all)."""

    words: str
    save: Callable[[], bool]


class Closing(QObject):
    """Asks in front of a window; ``unsaved`` says what would be lost now."""

    called_off = Signal()
    """A person wants to go on working, or saving failed."""

    def __init__(self, window: QWidget, unsaved: Callable[[], list[Unsaved]]) -> None:
        super().__init__(window)
        self._window, self._unsaved = window, unsaved
        self.surely = False
        """Whether the window closes without asking."""
        self.question: QMessageBox | None = None
        """The question that is asked, while it is."""

    def may_close(self) -> bool:
        """Whether the window may close now; where something would be lost a person is asked, and the answer closes it."""
        if self.surely:
            return True
        lost = self._unsaved()
        if not lost:
            return True
        self.ask(lost, self._close)
        return False

    def may_replace(self, go_on: Callable[[], None], lost: list[Unsaved]) -> bool:
        """Whether what is open may be replaced at once; where that would lose ``lost`` a person is asked, and the answer goes on."""
        if not lost:
            return True
        self.ask(lost, go_on)
        return False

    def ask(self, lost: list[Unsaved], go_on: Callable[[], None]) -> None:
        """Ask what to do with ``lost``; ``go_on`` is called when it is saved, or need not be."""
        if self.question is not None:
            self.question.raise_()
            self.question.activateWindow()
            return
        buttons = QMessageBox.StandardButton
        box = self.question = QMessageBox(self._window)
        box.setIcon(QMessageBox.Icon.Warning)
        box.setWindowTitle("Not saved")
        what = " and ".join(one.words for one in lost)
        box.setText(f"Save the changes to {what}?")
        box.setInformativeText("What is not saved is lost.")
        box.setStandardButtons(buttons.Save | buttons.Discard | buttons.Cancel)
        box.button(buttons.Discard).setText("&Don't Save")
        box.setDefaultButton(buttons.Save)
        box.setEscapeButton(buttons.Cancel)

        def answered(_: int) -> None:
            answer = box.standardButton(box.clickedButton())
            self.question = None
            box.deleteLater()
            if answer == buttons.Discard or (answer == buttons.Save and all(one.save() for one in lost)):
                go_on()
            else:
                _quitting.clear()
                self.called_off.emit()

        box.finished.connect(answered)
        box.open()

    def _close(self) -> None:
        self.surely = True
        self._window.close()
        if _quitting:
            QTimer.singleShot(0, quit_all)


_quitting: set[str] = set()
"""Not empty while every window is being closed."""


def quit_all() -> None:
    """Close every window; one that has unsaved work asks first, and the others follow its answer."""
    _quitting.add("all")
    QApplication.closeAllWindows()
    asked = any(
        isinstance(widget, QMessageBox) for widget in QApplication.topLevelWidgets() if widget.isVisible()
    )
    if not asked:
        _quitting.clear()
