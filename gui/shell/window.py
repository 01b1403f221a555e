"""The window around an editor: header, notices, panels, one list of actions behind menus, keys and palette, and its end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QCloseEvent, QIcon, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QMenu, QWidget

from gui.look.assets import asset
from gui.look.theme import Theme, ThemeController
from gui.panels.base import Panel
from gui.shell.actions import ActionSet, shortcut_text
from gui.shell.closing import IS_LOST, Closing, Unsaved
from gui.shell.docks import Docks
from gui.shell.dropping import DropWindow
from gui.shell.header import Header
from gui.shell.help.helping import Helping
from gui.shell.palette import Choice, Palette, Source
from gui.shell.recent_menu import RecentMenu
from gui.shell.remembering import Remembering
from gui.shell.shortcuts import Places, about_dialog, shortcuts_dialog
from gui.shell.tab_order import next_in_focus
from gui.widgets.labels import capital
from gui.widgets.later import Later
from gui.widgets.notice import NoticeBar
from planner.errors import StageboardError

if TYPE_CHECKING:
    from gui.shell.action import ActionSpec
    from gui.shell.open_tabs import Left
    from gui.shell.session import Session


class EditorWindow(DropWindow):
    """One editor. ``session`` remembers what outlives the window (None: nothing does).

    An editor makes its middle and panels, sets :attr:`docks`, :attr:`memory` and :attr:`document`, then calls :meth:`equip`.
    """

    ended = Signal(object)
    """This editor was closed."""
    doing_changed = Signal(object)
    """What runs in this editor is something else, or said otherwise."""

    doing = ""
    """What runs, in words; empty: nothing."""

    document: Any
    """What is edited: it has at least ``undo_stack`` and ``message``."""
    docks: Docks
    memory: Remembering
    actions_set: ActionSet
    header: Header
    palette_window: Palette
    elsewhere: Places
    """What keys and gestures do in places of the window that have no entry in a menu."""
    prompt = "Type a command"
    """What the palette asks for."""
    manual: ClassVar[tuple[str, str]]
    """The part of ``docs/panels.md`` about this editor's panels, and there the page about its middle."""

    def __init__(self, name: str, themes: ThemeController, session: Session | None) -> None:
        super().__init__()
        self.setObjectName(name)
        self.themes, self.session = themes, session
        self.reduced_motion = False
        self.closed = False
        """Whether a person closed it, as opposed to the program's end."""
        self.was: Left | None = None
        """How it was when it was closed, to be opened again."""
        self.setAcceptDrops(True)
        self.setWindowIcon(QIcon(asset("stageboard.svg")))
        self.notice = NoticeBar(themes.theme)
        self.closing = Closing(self, self.unsaved, self.goes_along, self.fate)
        self.helping = Helping(self)
        self.menus: dict[str, QMenu] = {}
        self.update_later = Later(self.update_actions, self)

    def say_doing(self, words: str) -> None:
        """Something runs in the background (empty: nothing does): a tab that is not looked at says so, too."""
        if words != self.doing:
            began_or_ended = bool(words) != bool(self.doing)
            self.doing = words
            self.doing_changed.emit(self)
            if began_or_ended:
                self.update_soon()  # what stops it can be done now, or no longer

    def equip(
        self,
        specs: Sequence[ActionSpec[Any]],
        menus: Iterable[str],
        strip: Callable[[], QWidget],
        places: Callable[[], Iterable[QWidget]],
    ) -> None:
        """Give the window its actions, and with them the header over ``strip``, menus, keys and palette.

        ``places``: the widgets in which Home and Ctrl+A are commands (:class:`~gui.shell.key_claims.KeyClaims`).
        """
        theme = self.theme
        self.actions_set = ActionSet(specs, self)
        self.header = Header(theme, strip())
        letters: set[str] = set()
        for name in menus:
            at = next(i for i, letter in enumerate(name) if letter.casefold() not in letters)
            letters.add(name[at].casefold())
            # What Qt makes itself may count as gone while it is there (PySide takes widgets that are handed out for parts of others).
            menu = self.menus[name] = QMenu(f"{name[:at]}&{name[at:]}", self.header.menus)
            self.header.menus.addMenu(menu)
            menu.setToolTipsVisible(True)
            menu.aboutToShow.connect(self.update_actions)
            self.actions_set.fill_menu(menu, name)
        panels = QMenu("Panels", self)
        for id, title in self.docks.titles.items():
            action = QAction(title, panels, checkable=True)
            action.triggered.connect(partial(self._toggle_panel, id))
            panels.addAction(action)
            action.setToolTip(f"Bring {title} to the front; hide it where it is there")
            panels.aboutToShow.connect(partial(self._check_panel, action, id))
        self.menus["View"].insertMenu(self.actions_set["view.docks_reset"], panels)
        self.setMenuWidget(self.header)
        self.palette_window = Palette(self, theme)
        self.actions_set.install(self, places())
        self.themes.changed.connect(self.apply_theme)
        self.docks.explained.connect(self.helping.explain)

    def offer_recent(self, before: str) -> None:
        """Put the list of files opened lately into the menu of the action ``before``, above it."""
        recent = RecentMenu(
            "Open Recent", lambda: self.memory.recent, self.open_files, self.memory.forget_recent, self
        )
        self.menus["File"].insertMenu(self.actions_set[before], recent)

    # ------------------------------------------------------------------ what an editor says
    def open_files(self, paths: Sequence[Path]) -> None:
        """Open files where they belong."""
        raise NotImplementedError

    def say_state(self) -> None:
        """Show in header and title what is open and how it is looked at."""
        raise NotImplementedError

    def unsaved(self) -> list[Unsaved]:
        """What closing the window would lose."""
        return []

    def goes_along(self) -> str:
        """What else closing the window closes, as a question names it; empty: nothing."""
        return ""

    def fate(self) -> str:
        """What becomes of what is not saved when the window closes."""
        return IS_LOST

    def left(self, whole: bool) -> Left | None:
        """How the next start opens this again, ``whole`` with what is in no file; None: not at all."""
        return None

    def more_choices(self) -> Iterable[Choice]:
        """What the palette offers beside the actions, whatever is typed."""
        return ()

    def further_choices(self, text: str) -> Iterable[Choice]:
        """What the palette offers beside commands for what was typed."""
        return ()

    def end(self) -> None:
        """End every process and thread of the window."""

    # ------------------------------------------------------------------ state
    @property
    def theme(self) -> Theme:
        """The theme that is shown."""
        return self.themes.theme

    def update_soon(self, *_: object) -> None:
        """Bursts of changes update the actions once."""
        self.update_later.ask_once()

    def update_actions(self) -> None:
        """Enable what can be done now; undo and redo say what they do."""
        self.update_later.stop()
        self.actions_set.update()
        self.actions_set.name_undo(self.document.undo_stack)
        self.say_state()

    def _toggle_panel(self, id: str, _: bool = False) -> None:
        self.docks.toggle(id)

    def _check_panel(self, action: QAction, id: str) -> None:
        action.setChecked(self.docks.in_front(id))

    # ------------------------------------------------------------------ saying and trying
    def say(self, level: str, text: str, detail: str = "") -> None:
        """Show a notice."""
        self.notice.show_message(level, capital(text), detail)

    def attempt(self, change: Callable[[], object]) -> None:
        """Do something that may be refused; a notice says why."""
        try:
            change()
        except StageboardError as error:
            self.say("error", str(error))

    # ------------------------------------------------------------------ commands
    def pick_command(self) -> None:
        """Every command; those that can be given now come first."""
        self.update_actions()
        choices = [
            Choice(
                f"{item.menu}: {item.submenu + ': ' if item.submenu else ''}{action.text().rstrip('…')}",
                partial(self.actions_set.run, item),
                shortcut_text(item), action.isEnabled(), also=f"{item.id.replace('.', ' ')} {item.tip}",
            )
            for item in self.actions_set.specs
            if item.palette
            for action in [self.actions_set[item.id]]
        ]  # fmt: skip
        for id, title in self.docks.titles.items():
            hides = self.docks.in_front(id)
            text = f"View: {'Hide' if hides else 'Show'} Panel {title}"
            choices.append(Choice(text, partial(self.docks.toggle, id), hides=hides))
        choices += self.more_choices()
        choices.sort(key=lambda choice: not choice.enabled)
        self.ask(self.prompt, choices, self.further_choices)

    def ask(self, prompt: str, choices: Sequence[Choice], further: Source | None = None) -> None:
        """Let the palette ask for one of several things."""
        self.palette_window.ask(prompt, choices, further)

    def show_shortcuts(self) -> None:
        """All keys and gestures."""
        shortcuts_dialog(self, self.theme, self.actions_set.specs, self.elsewhere).show()

    def show_about(self) -> None:
        """Name and version."""
        about_dialog(self).show()

    def topic(self, widget: QWidget | None) -> str:
        """The title of the page about the part of the window that ``widget`` belongs to."""
        while widget is not None:
            for id, dock in self.docks.docks.items():
                if dock is widget:
                    return self.docks.titles[id]
            widget = widget.parentWidget()
        return self.manual[1]

    def toggle_full_screen(self) -> None:
        """As large as the screen, or as before."""
        # Not showNormal(): what was maximised before is so again.
        self.window().setWindowState(self.window().windowState() ^ Qt.WindowState.WindowFullScreen)

    # ------------------------------------------------------------------ panels and looks
    def show_floating(self, shown: bool) -> None:
        """Show or hide the panels that were taken out of the window: they go with it."""
        for dock in self.docks.docks.values():
            if dock.isFloating() and dock.toggleViewAction().isChecked() != shown:
                dock.setVisible(shown)

    def first_widget(self, id: str) -> QWidget | None:
        """What has the keyboard first in a panel; None: the first that takes it."""
        return None

    def focus_panel(self, id: str) -> None:
        """Bring a panel to the front and give it the keyboard."""
        panel = self.docks.reveal(id).widget()
        if isinstance(panel, Panel):
            panel.refresh_now()
        wanted = self.first_widget(id)
        if wanted is None:
            found = (
                child
                for child in (panel, *panel.findChildren(QWidget))
                if child.isVisible() and child.isEnabled() and child.focusPolicy() & Qt.FocusPolicy.TabFocus
            )
            wanted = next(found, None)
        if wanted is not None:
            wanted.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def focusNextPrevChild(self, forwards: bool) -> bool:
        """Tab goes on to what is seen. Qt would go to panels behind others, too, and stay in the last of them."""
        if not self.isVisible():
            return super().focusNextPrevChild(forwards)  # it is being closed, and nobody pressed a key
        start = QApplication.focusWidget() or self
        widget = next_in_focus(start, forwards)
        while widget is not start and not self._takes_tab(widget):
            widget = next_in_focus(widget, forwards)
        if widget is start:
            return False
        reason = Qt.FocusReason.TabFocusReason if forwards else Qt.FocusReason.BacktabFocusReason
        widget.setFocus(reason)
        return True

    def _takes_tab(self, widget: QWidget) -> bool:
        """Whether the keyboard can come to a widget of this window by Tab: it can be seen, and is not a part of another."""
        takes = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.focusProxy() is None
        if (
            not takes
            or not widget.isEnabled()
            or not widget.isVisible()
            or widget.window() is not self.window()
        ):
            return False
        part: QWidget | None = widget
        while part is not None and part.parentWidget() is not self:
            part = part.parentWidget()
        # A panel behind another is not hidden: it lies outside the window.
        return part is None or self.rect().intersects(part.geometry())

    def set_theme_name(self, preference: str) -> None:
        """system, light or dark, in every window."""
        self.themes.set_preference(preference)
        self.memory.set_theme(preference)

    def apply_theme(self, theme: Theme) -> None:
        """Other colours; editors add what they draw."""
        for dock in self.docks.docks.values():
            dock.widget().set_theme(theme)  # type: ignore[attr-defined]
        self.helping.set_theme(theme)
        self.notice.set_theme(theme)
        self.palette_window.set_theme(theme)

    def set_reduced_motion(self, reduced: bool) -> None:
        """Whether nothing flashes or glides; editors add what they move."""
        self.reduced_motion = reduced
        self.memory.set_reduced_motion(reduced)

    def reset_docks(self) -> None:
        """All panels where and as large as they were at first."""
        self.docks.arrange()
        self.size_docks()

    def size_docks(self) -> None:
        """Sizes that suit the window, once it has its own."""

    # ------------------------------------------------------------------ events
    def resizeEvent(self, event: QResizeEvent) -> None:
        """The palette stays in the middle."""
        super().resizeEvent(event)
        if self.palette_window.isVisible():
            self.palette_window.place()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape leaves full screen; Return presses the button that has the keyboard, as Space does."""
        focused = QApplication.focusWidget()
        if (
            event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            and isinstance(focused, QAbstractButton)
            and focused.isEnabled()
            and self.isAncestorOf(focused)
        ):
            focused.click()
        elif event.key() == Qt.Key.Key_Escape and self.window().isFullScreen():
            self.toggle_full_screen()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """What is not saved is asked about; then everything ends."""
        if not self.closing.may_close():
            event.ignore()
            return
        self.closing.surely = True
        self.memory.store()
        self.was = self.left(True) if self.session is not None else None
        self.closed = True
        self.end()
        event.accept()
        super().closeEvent(event)
        if isinstance(QApplication.instance(), QApplication):
            for dialog in self.findChildren(QWidget):
                if dialog.isWindow() and dialog is not self:
                    dialog.close()
        self.ended.emit(self)

    # ------------------------------------------------------------------ dropping files
    def take_dropped(self, files: list[Path]) -> None:
        """Open what was dropped."""
        self.open_files(files)
