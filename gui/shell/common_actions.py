"""What can be asked of every window, with the same keys in all of them: closing, undoing, views, looks, help."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gui.shell.action import ActionSpec, Condition, needs
from gui.shell.closing import quit_all
from gui.shell.help.pages import DOCUMENTATION, GLOSSARY, PANELS
from gui.shell.host import has_other_windows, host_of, in_tabs
from gui.shell.kinds import tour

if TYPE_CHECKING:
    from collections.abc import Callable

    from gui.shell.window import EditorWindow

LAST = 9
"""The group that stands last in a menu."""


@needs("no file is being written")
def is_writing(window: Any) -> bool:
    """Whether a file is being written beside the window."""
    return bool(window.files.is_writing)


@needs("nothing was done yet that can be taken back")
def can_undo(window: EditorWindow) -> bool:
    """Whether a step can be undone."""
    return window.document.undo_stack.canUndo()


@needs("nothing was undone")
def can_redo(window: EditorWindow) -> bool:
    """Whether a step can be done again."""
    return window.document.undo_stack.canRedo()


FILE_ACTIONS: tuple[ActionSpec[Any], ...] = (
    ActionSpec("file.export.stop", "Cancel Writing the File", "File", lambda w: w.files.cancel_writing(), (), "stop writing a picture, a table or a plan; nothing is left of it", is_writing, group=2, submenu="Export"),
    ActionSpec("file.close", "Close", "File", lambda w: w.close(), ("Ctrl+W",), "close this tab, or the window without others; what is not saved is asked about", group=LAST),
    ActionSpec("file.quit", "Quit", "File", lambda w: quit_all(), ("Ctrl+Q",), "close every window", group=LAST),
)  # fmt: skip

UNDO_ACTIONS: tuple[ActionSpec[EditorWindow], ...] = (
    ActionSpec("edit.undo", "Undo", "Edit", lambda w: w.document.undo_stack.undo(), ("Ctrl+Z",), "take the last step back", can_undo),
    ActionSpec("edit.redo", "Redo", "Edit", lambda w: w.document.undo_stack.redo(), ("Ctrl+Shift+Z", "Ctrl+Y"), "do the step again", can_redo),
)  # fmt: skip


def _step(window: EditorWindow, by: int) -> None:
    host = host_of(window)
    if host is not None:
        host.step(by)


def _take_out(window: EditorWindow) -> None:
    host = host_of(window)
    if host is not None:
        host.take_out(window)


def _gather(window: EditorWindow) -> None:
    host = host_of(window)
    if host is not None:
        host.gather()


def _theme(preference: str, text: str, tip: str) -> ActionSpec[EditorWindow]:
    return ActionSpec(
        f"view.theme.{preference}", text, "View", lambda w: w.set_theme_name(preference), (), tip, group=5, submenu="Theme",
        state=lambda w: w.themes.preference == preference,
    )  # fmt: skip


LOOK_ACTIONS: tuple[ActionSpec[EditorWindow], ...] = (
    ActionSpec("view.full_screen", "Full Screen", "View", lambda w: w.toggle_full_screen(), ("F11",), "as large as the screen, or as before", group=4, state=lambda w: w.window().isFullScreen()),
    ActionSpec("view.next_tab", "Next Tab", "View", lambda w: _step(w, 1), ("Ctrl+PgDown", "Ctrl+Tab"), "the document to the right", in_tabs, group=4, submenu="Tabs"),
    ActionSpec("view.previous_tab", "Previous Tab", "View", lambda w: _step(w, -1), ("Ctrl+PgUp", "Ctrl+Shift+Tab"), "the document to the left", in_tabs, group=4, submenu="Tabs"),
    ActionSpec("view.own_window", "Move to a Window of Its Own", "View", _take_out, (), "this tab becomes a window; a double click on it does the same", in_tabs, group=4, submenu="Tabs"),
    ActionSpec("view.gather", "Bring All Windows Together", "View", _gather, (), "what is open in other windows becomes a tab of this one", has_other_windows, group=4, submenu="Tabs"),
    _theme("system", "Like the System", "follow the desktop's colour scheme"),
    _theme("light", "Light", "light colours"),
    _theme("dark", "Dark", "dark colours"),
    ActionSpec("view.motion", "Reduced Motion", "View", lambda w: w.set_reduced_motion(not w.reduced_motion), (), "nothing glides or flashes: it is there at once", group=5, state=lambda w: w.reduced_motion),
    ActionSpec("view.docks_reset", "Reset Panels", "View", lambda w: w.reset_docks(), (), "put all panels back where they were", group=6),
)  # fmt: skip

HELP_ACTIONS: tuple[ActionSpec[EditorWindow], ...] = (
    ActionSpec("help.tour", "Guided Tour", "Help", lambda w: tour().open_tour(w), (), "plans are made, broken and mended on samples, in a tab of their own; what is open stays"),
    ActionSpec("help.panel", "About This Panel", "Help", lambda w: w.helping.explain_focused(), ("Shift+F1",), "what the panel with the keyboard shows, and what can be done in it", group=1),
    ActionSpec("help.panels", "All Panels", "Help", lambda w: w.helping.show_group(PANELS), (), "a page for each panel", group=1),
    ActionSpec("help.glossary", "Glossary", "Help", lambda w: w.helping.show_group(GLOSSARY), (), "what the words mean: ideal, gap, superblock, MTPP, BRKGA and all others", group=1),
    ActionSpec("help.documentation", "Documentation", "Help", lambda w: w.helping.show_group(DOCUMENTATION), (), "every page, to read here: targets, planners, formats, the command line", group=1),
    ActionSpec("help.shortcuts", "Keys and Gestures", "Help", lambda w: w.show_shortcuts(), ("F1", "Ctrl+K", "?"), "every key and gesture in one place", group=2),
    ActionSpec("help.palette", "Command Palette…", "Help", lambda w: w.pick_command(), ("Ctrl+Shift+P",), "find any command by a few letters", group=2),
    ActionSpec("help.about", "About Stageboard", "Help", lambda w: w.show_about(), (), "version and licence", group=LAST),
)  # fmt: skip


def zoom_actions(
    fit: Callable[[Any], object], zoom_by: Callable[[Any, float], object], can: Condition
) -> tuple[ActionSpec[Any], ...]:
    """Fit and zoom, of whatever an editor draws."""
    return (
        ActionSpec("view.fit", "Fit", "View", fit, ("Home", "Ctrl+0"), "show everything", can, group=1),
        ActionSpec("view.zoom_in", "Zoom In", "View", lambda w: zoom_by(w, 1.25), ("Ctrl+=", "Ctrl++"), "nearer", can, group=1),
        ActionSpec("view.zoom_out", "Zoom Out", "View", lambda w: zoom_by(w, 0.8), ("Ctrl+-",), "farther away", can, group=1),
    )  # fmt: skip


def back_action(back: Callable[[Any], object], can: Condition) -> ActionSpec[Any]:
    """Back to what was in sight before ops were found, walked to or zoomed to."""
    return ActionSpec("view.back", "Look Where You Looked Before", "View", back, ("Alt+Left", "Backspace"), "back from what was found or walked to", can, group=1)  # fmt: skip


def panel_action(id: str, text: str, panel: str, keys: tuple[str, ...], tip: str) -> ActionSpec[EditorWindow]:
    """Go to a panel: it comes to the front and has the keyboard."""
    return ActionSpec(id, text, "View", lambda w: w.focus_panel(panel), keys, tip, group=6, submenu="Go To")
