"""The window that hosts editors: each is a tab, a tab can become a window of its own, and closing asks about all tabs first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QCloseEvent, QIcon
from PySide6.QtWidgets import QApplication, QTabBar, QTabWidget, QToolButton, QWidget
from shiboken6 import isValid

from gui.background.collecting import editor_closed
from gui.look.assets import asset
from gui.shell.action import needs
from gui.shell.closing import quitting
from gui.widgets.later import Later, soon

if TYPE_CHECKING:
    from gui.shell.open_tabs import Left
    from gui.shell.session import Session
    from gui.shell.window import EditorWindow

PREFERRED = (1440, 900)
"""Width and height of a first window on a screen that has room for it."""
WIDEST = 260
"""Pixels of a tab's name."""
RUNNING = "  ·  running"
"""What stands behind the name of a tab in which something runs."""
SHIFT = 32
"""Pixels by which a window stands beside the one that it was taken out of."""
NOTE_MS = 1000
"""What is open is noted so long after it changed."""


class Host(QTabWidget):
    """One window. With a single editor there are no tabs to see; without any it closes."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("host")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowIcon(QIcon(asset("stageboard.svg")))
        self.setDocumentMode(True)
        self.setTabBarAutoHide(True)
        self.setMovable(True)
        bar = self.tabBar()
        bar.setAccessibleName("Open documents")
        bar.setDrawBase(False)
        bar.setExpanding(False)
        # The window itself would hand the focus to its tabs, also where there are none to see: Tab would stay where it is.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        bar.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._closing = False
        """Whether the whole window is being closed, editor by editor."""
        self._before: EditorWindow | None = None
        self._leaving: list[EditorWindow] = []
        """The editors that there were when the window began to close."""
        self._in_front: EditorWindow | None = None
        """The one of them that was seen."""
        self._note_later = Later(note_open, self, NOTE_MS)
        self.tabBarDoubleClicked.connect(lambda at: self.take_out(self.editors[at]) if at >= 0 else None)
        self.currentChanged.connect(self._current_changed)
        _hosts.append(self)

    @property
    def editors(self) -> list[EditorWindow]:
        """The editors, from left to right."""
        return [self.widget(at) for at in range(self.count())]  # type: ignore[misc]

    # ------------------------------------------------------------------ coming and going
    def add(self, editor: EditorWindow) -> None:
        """Take an editor in, and show it."""
        at = self.addTab(editor, "")
        close = QToolButton(self)
        close.setText("\N{MULTIPLICATION SIGN}")
        close.setAutoRaise(True)
        close.setToolTip("Close (Ctrl+W)")
        close.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        close.clicked.connect(lambda _=False: editor.close())
        self.tabBar().setTabButton(at, QTabBar.ButtonPosition.RightSide, close)
        editor.installEventFilter(self)
        editor.ended.connect(self._ended)
        editor.doing_changed.connect(self._name)
        editor.closing.called_off.connect(self._called_off)
        editor.closing.asks.connect(self._asked)
        self._name(editor)
        editor.show()
        self.setCurrentWidget(editor)
        self._counted()

    def _counted(self) -> None:
        """There are more tabs now, or fewer: other commands can be given."""
        self._note_later.ask_once()
        for editor in self.editors:
            editor.update_soon()

    def let_go(self, editor: EditorWindow) -> None:
        """An editor leaves; it stays alive, without a window. The last one takes the window along."""
        at = self.indexOf(editor)
        if at >= 0:
            editor.removeEventFilter(self)
            editor.ended.disconnect(self._ended)
            editor.doing_changed.disconnect(self._name)
            editor.closing.called_off.disconnect(self._called_off)
            editor.closing.asks.disconnect(self._asked)
            self.removeTab(at)
            editor.setParent(None)
            self._counted()
        if not self.count():
            self.close()

    def take_out(self, editor: EditorWindow) -> None:
        """An editor gets a window of its own, as large as this one."""
        if self.count() < 2:
            return
        other = Host()
        other.setGeometry(self.geometry().translated(SHIFT, SHIFT))
        self.let_go(editor)
        other.add(editor)
        other.show()
        reveal(editor)

    def gather(self) -> None:
        """All editors of other windows become tabs of this one."""
        current = self.currentWidget()
        for host in [one for one in _hosts if one is not self]:
            for editor in host.editors:
                host.let_go(editor)
                self.add(editor)
        if current is not None:
            self.setCurrentWidget(current)

    def step(self, by: int) -> None:
        """The next tab, or the one before."""
        self.setCurrentIndex((self.currentIndex() + by) % self.count())
        widget = self.currentWidget()
        if widget is not None:
            widget.setFocus()

    def note_soon(self) -> None:
        """Note what is open, in a moment."""
        self._note_later.ask_once()

    # ------------------------------------------------------------------ names
    def _name(self, editor: EditorWindow) -> None:
        """The tab, and with the current one the window, is called as the editor; the tab says whether something runs."""
        self._note_later.ask_once()
        title, changed = editor.windowTitle(), editor.isWindowModified()
        name = title.replace("[*]", " *" if changed else "").removesuffix(" – Stageboard")
        at = self.indexOf(editor)
        short = self.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, WIDEST)
        doing = RUNNING if editor.doing else ""
        self.setTabText(at, short.replace("&", "&&") + doing)
        self.setTabToolTip(at, f"{name}\nRunning: {editor.doing}" if doing else name)
        close = self.tabBar().tabButton(at, QTabBar.ButtonPosition.RightSide)
        if close is not None:
            close.setAccessibleName(f"Close {name}")
        if self.currentWidget() is editor:
            self.setWindowTitle(title or "Stageboard")
            if "[*]" in title:
                self.setWindowModified(changed)

    def _current_changed(self, _: int) -> None:
        editor = self.currentWidget()
        before, self._before = self._before, editor  # type: ignore[assignment]
        # Panels that were taken out of a window are windows themselves, and go with their editor.
        if before is not None and isValid(before) and before is not editor:
            before.show_floating(False)
        self._note_later.ask_once()
        if editor is not None:
            self._name(editor)  # type: ignore[arg-type]
            editor.show_floating(True)  # type: ignore[attr-defined]
            # What had the keyboard there has it again.
            (editor.focusWidget() or editor).setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the titles of editors."""
        if event.type() in (QEvent.Type.WindowTitleChange, QEvent.Type.ModifiedChange):
            self._name(watched)  # type: ignore[arg-type]
        return False

    # ------------------------------------------------------------------ closing
    def _ended(self, editor: EditorWindow) -> None:
        """An editor was closed. It is in the middle of that: it leaves a moment later."""
        editor_closed()
        if not self._leaving and self.count() == 1:
            self._leaving, self._in_front = [editor], editor
        soon(self, lambda: self._leave(editor))

    def _leave(self, editor: EditorWindow) -> None:
        if isValid(editor):
            self.let_go(editor)
        elif not self.count():
            self.close()
        if self._closing and self.count():
            self.close()

    @staticmethod
    def _called_off() -> None:
        for host in _hosts:
            host._closing, host._leaving = False, []
        _gone.clear()

    def _asked(self, editor: EditorWindow) -> None:
        """An editor is asked about before all are closed: it is seen."""
        self._remember_front()
        self.setCurrentWidget(editor)

    def _remember_front(self) -> None:
        if not self._leaving:
            self._leaving, self._in_front = self.editors, self.currentWidget()  # type: ignore[assignment]

    def closeEvent(self, event: QCloseEvent) -> None:
        """Every editor is closed, once all that would lose something have been asked about; the one that asks is shown, and its answer goes on."""
        self._remember_front()
        if not all(editor.closing.agrees(self.close) for editor in reversed(self.editors)):
            event.ignore()
            return
        # From the right: a comparison comes after what it compares, and would be asked about.
        for editor in reversed(self.editors):
            if editor.closed:
                continue
            if not editor.close():
                self._closing = True
                self.setCurrentWidget(editor)
                event.ignore()
                return
        self._closing = False
        for editor in self.editors:
            self.let_go(editor)
        if self in _hosts:
            _hosts.remove(self)
        self._note_later.stop()
        _note_ended(self._leaving, self._in_front)
        event.accept()


_hosts: list[Host] = []
"""All windows; nothing else keeps them alive."""
_gone: list[EditorWindow] = []
"""The editors of windows that are closed already while every window is being closed."""


_held: set[str] = set()
"""Not empty while what was open is being opened again: the record of it stays as it is."""


def hold_notes(held: bool) -> None:
    """Let the record of what is open stay as it is, or go on with it."""
    if held:
        _held.add("reopening")
    else:
        _held.clear()
        for host in _hosts[:1]:
            host.note_soon()


def open_editors() -> list[EditorWindow]:
    """The editors of all windows."""
    return [editor for host in _hosts for editor in host.editors if not editor.closed]


def note_open() -> None:
    """Keep a record of what is open, for a start after a crash."""
    editors = open_editors()
    front = _hosts[0].currentWidget() if _hosts else None
    _write([(editor, editor.left(False)) for editor in editors], front, ended=False)


def _note_ended(editors: list[EditorWindow], front: EditorWindow | None) -> None:
    """A window with these editors has closed: with the last one, or all of them at once, what was open is kept for the next start."""
    if quitting():
        _gone.extend(editors)
        editors = list(_gone)
    if _hosts:
        if not quitting():
            _hosts[0].note_soon()
        return
    _gone.clear()
    _write([(editor, editor.was) for editor in editors], front, ended=True)


def _write(
    editors: Sequence[tuple[EditorWindow, Left | None]], front: QWidget | None, *, ended: bool
) -> None:
    session: Session | None = next(
        (editor.session for editor, _ in editors if editor.session is not None), None
    )
    if session is not None and not _held:
        known = [
            (editor, left) for editor, left in editors if left is not None and editor.session is not None
        ]
        seen = next((left for editor, left in known if editor is front), None)
        session.open_tabs.write([left for _, left in known], seen, ended=ended)


def ends(editor: EditorWindow) -> bool:
    """Whether the program ends with the closing of an editor, and opens it again at the next start."""
    host = host_of(editor)
    last = host is not None and _hosts == [host] and (host.count() == 1 or bool(host._leaving))
    return editor.session is not None and host is not None and (last or quitting())


def host_of(editor: QWidget) -> Host | None:
    """The window that an editor is a tab of; None where it stands alone."""
    window = editor.window()
    return window if isinstance(window, Host) else None


@needs("there are no tabs beside this one")
def in_tabs(editor: QWidget) -> bool:
    """Whether there are tabs beside an editor's."""
    host = host_of(editor)
    return host is not None and host.count() > 1


@needs("no other window is open")
def has_other_windows(editor: QWidget) -> bool:
    """Whether other windows host editors, too."""
    host = host_of(editor)
    return host is not None and len(_hosts) > 1


def editor_in_front() -> EditorWindow | None:
    """The editor where a person is: the tab that is seen in the active window, or in the one that the active dialog belongs to."""
    active = QApplication.activeWindow()
    while active is not None and not isinstance(active, Host):
        active = active.parentWidget()
    host = active or (_hosts[-1] if _hosts else None)
    return None if host is None else host.currentWidget()  # type: ignore[return-value]


def reveal(editor: EditorWindow) -> None:
    """Bring an editor to the front."""
    host = host_of(editor)
    if host is not None:
        host.setCurrentWidget(editor)
    window = editor.window()
    window.show()
    window.raise_()
    window.activateWindow()


def show_editor(editor: EditorWindow, beside: QWidget | None = None) -> None:
    """Show an editor: as a tab of the window of ``beside``, else in a window, where it was last or of a good size."""
    host = None if beside is None else host_of(beside)
    if host is not None:
        host.add(editor)
        reveal(editor)
        return
    host = Host()
    host.add(editor)
    if editor.memory.place(host):
        host.show()
        return
    room = host.screen().availableSize()
    if room.width() < PREFERRED[0] * 1.1 or room.height() < PREFERRED[1] * 1.1:
        host.showMaximized()
        return
    host.resize(*PREFERRED)
    host.show()
