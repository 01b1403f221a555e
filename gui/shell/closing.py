"""Closing a window with unsaved work: Save, Don't Save or Cancel, asked once for all that would be lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication, QMessageBox, QWidget

from gui.widgets.labels import capital
from gui.widgets.later import soon


@dataclass(frozen=True)
class Unsaved:
    """Something that is not saved: what a sentence calls it, how it is saved (False: it was not, after all), and whether there are changes
    to be saved, or all of it."""

    words: str
    save: Callable[[], bool]
    changes: bool = True


IN_A_TAB = "Open in a &New Tab"
IS_LOST = "What is not saved is lost."


class Closing(QObject):
    """Asks in front of a window; ``unsaved`` says what would be lost now."""

    called_off = Signal()
    """A person wants to go on working, or saving failed."""
    asks = Signal(object)
    """The window (QWidget) is asked about before it closes together with others."""

    def __init__(
        self,
        window: QWidget,
        unsaved: Callable[[], list[Unsaved]],
        along: Callable[[], str] = str,
        fate: Callable[[], str] = lambda: IS_LOST,
    ) -> None:
        """``along`` says what closes with the window: ``its comparison``, or nothing; ``fate`` what becomes of what is not saved."""
        super().__init__(window)
        self._fate = fate
        self._window, self._unsaved, self._along = window, unsaved, along
        self.surely = False
        """Whether the window closes without asking."""
        self._agreed: list[str] = []
        """What a person agreed to lose, while what closes together with the window is asked about."""
        self.question: QMessageBox | None = None
        """The question that is asked, while it is."""

    def may_close(self) -> bool:
        """Whether the window may close now; where something would be lost a person is asked, and the answer closes it."""
        if self.surely:
            return True
        lost = self._unsaved()
        if lost and _words(lost) != self._agreed:
            self.ask(lost, self._close, self._fate())
        elif not _quitting and (along := self._along()):
            self._ask_along(f"Close this, and {along} with it?", "Nothing is lost.", self._close)
        else:
            return True
        return False

    def agrees(self, go_on: Callable[[], object]) -> bool:
        """Whether the window may close together with others, none of which has closed; where something would be lost a person is asked,
        and the answer is kept and goes on."""
        lost = [] if self.surely else self._unsaved()
        if not lost or _words(lost) == self._agreed:
            return True

        def agreed() -> None:
            self._agreed = _words(self._unsaved())
            soon(self._window, quit_all if _quitting else go_on)

        self.asks.emit(self._window)
        self.ask(lost, agreed, self._fate())
        return False

    def _ask_along(
        self, text: str, detail: str, go_on: Callable[[], None], beside: Callable[[], object] | None = None
    ) -> None:
        """Ask whether what goes with the window, or with what is open in it, may close, too; ``beside`` opens in a new tab what was to take
        its place."""
        buttons = QMessageBox.StandardButton
        box = self._box(text, detail)
        if box is None:
            return
        box.setIcon(QMessageBox.Icon.Question)
        box.setStandardButtons(buttons.Close | buttons.Cancel)
        box.setDefaultButton(buttons.Close)
        tab = None if beside is None else box.addButton(IN_A_TAB, QMessageBox.ButtonRole.ActionRole)

        def called_off() -> None:
            if beside is not None and box.clickedButton() == tab:
                beside()

        self._open(box, lambda answer: answer == buttons.Close, go_on, called_off)

    def may_replace(
        self, go_on: Callable[[], None], lost: list[Unsaved], along: str = "", beside: Callable[[], object] | None = None,
        fate: str = IS_LOST,
    ) -> bool:  # fmt: skip
        """Whether what is open may be replaced at once; where that would lose ``lost``, or close what is ``along`` with it, a person is
        asked, and the answer goes on, or opens ``beside`` it. ``fate`` says what becomes of what is not saved."""
        gives_way = f"{capital(along)} closes with the model that is open here." if along else ""
        if lost:
            self.ask(lost, go_on, f"{fate} {gives_way}".strip(), beside)
        elif along:
            detail = f"{gives_way} In a new tab both would stay. Keyframes stay in the story."
            self._ask_along(f"Close {along}?", detail, go_on, beside)
        else:
            return True
        return False

    def ask(
        self, lost: list[Unsaved], go_on: Callable[[], None], fate: str = IS_LOST, beside: Callable[[], object] | None = None,
    ) -> None:  # fmt: skip
        """Ask what to do with ``lost``, of which ``fate`` says what else becomes of it; ``go_on`` is called when it is saved, or need not be.

        ``beside`` opens in a new tab what was to take its place, and nothing is lost.
        """
        buttons = QMessageBox.StandardButton
        what = " and ".join(one.words for one in lost)
        changes = "the changes to " if any(one.changes for one in lost) else ""
        box = self._box(f"Save {changes}{what}?", fate)
        if box is None:
            return
        box.setIcon(QMessageBox.Icon.Warning)
        box.setWindowTitle("Not saved")
        box.setStandardButtons(buttons.Save | buttons.Discard | buttons.Cancel)
        box.button(buttons.Discard).setText("&Don't Save")
        box.setDefaultButton(buttons.Save)
        tab = None if beside is None else box.addButton(IN_A_TAB, QMessageBox.ButtonRole.ActionRole)

        def called_off() -> None:
            if beside is not None and box.clickedButton() == tab:
                beside()

        def agreed(answer: QMessageBox.StandardButton) -> bool:
            return answer == buttons.Discard or (answer == buttons.Save and all(one.save() for one in lost))

        self._open(box, agreed, go_on, called_off)

    def _box(self, text: str, detail: str) -> QMessageBox | None:
        """A question; None where one is asked already, which comes to the front."""
        if self.question is not None:
            self.question.raise_()
            self.question.activateWindow()
            return None
        self.question = QMessageBox(self._window)
        self.question.setText(text)
        self.question.setInformativeText(detail)
        return self.question

    def _open(
        self,
        box: QMessageBox,
        agreed: Callable[[QMessageBox.StandardButton], bool],
        go_on: Callable[[], None],
        called_off: Callable[[], None] = lambda: None,
    ) -> None:
        box.setEscapeButton(QMessageBox.StandardButton.Cancel)

        def answered(_: int) -> None:
            answer = box.standardButton(box.clickedButton())
            self.question = None
            box.deleteLater()
            if agreed(answer):
                go_on()
            else:
                _quitting.clear()
                for one in _all():
                    one._agreed = []
                self.called_off.emit()
                called_off()

        box.finished.connect(answered)
        box.open()

    def _close(self) -> None:
        self.surely = True
        self._window.close()
        if _quitting:
            QTimer.singleShot(0, quit_all)


def _words(lost: list[Unsaved]) -> list[str]:
    return [one.words for one in lost]


def _all() -> list[Closing]:
    """Those of all windows that can be seen; of each from the last tab to the first."""
    windows = [window for window in QApplication.topLevelWidgets() if window.isVisible()]
    return [one for window in windows for one in reversed(window.findChildren(Closing))]


_quitting: set[str] = set()
"""Not empty while every window is being closed."""


def quitting() -> bool:
    """Whether every window is being closed."""
    return bool(_quitting)


def quit_all() -> None:
    """Close every window, once all that have unsaved work have been asked about: who cancels keeps all."""
    _quitting.add("all")
    if all(one.agrees(quit_all) for one in _all()):
        QApplication.closeAllWindows()
        _quitting.clear()
