"""The menus of the compare window that depend on what is compared, and on what is under the pointer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu

from gui.editors.comparison.sources import Source
from gui.editors.comparison.state import MOST
from gui.words.methods import shown_name

if TYPE_CHECKING:
    from gui.editors.comparison.body import CompareBody

CONTEXT = ("edit.take", "edit.take_device", "", "compare.next", "compare.previous", "", "edit.select_all", "view.zoom_selection", "",
           "compare.reference", "plan.apply")  # fmt: skip


def fill_more(window: CompareBody, menu: QMenu) -> None:
    """The plans of the main window's list that are not compared yet."""
    menu.clear()
    state = window.state
    shown = [source.entry for source in state.sources]
    for entry in state.document.plans:
        if entry not in shown and entry.components:
            action = menu.addAction(shown_name(entry.name))
            action.setEnabled(len(state.sources) < MOST)
            action.triggered.connect(
                lambda _=False, entry=entry: window.attempt(lambda: state.add([Source(entry)]))
            )
    if not menu.actions():
        menu.addAction("All are compared already").setEnabled(False)


def context_menu(window: CompareBody, at: QPoint) -> QMenu:
    """What can be done with the op under the pointer, or with the selection."""
    window.update_actions()
    menu = QMenu(window)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    for id in CONTEXT:
        if id:
            menu.addAction(window.actions_set[id])
        else:
            menu.addSeparator()
    menu.popup(at)
    return menu
