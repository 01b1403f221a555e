"""The menu bar of a network's window, made from its one list of actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu

from gui.editors.network.actions import ORDER_MENUS

if TYPE_CHECKING:
    from gui.editors.network.body import OrderBody


def fill_menus(window: OrderBody) -> None:
    """Put the menus into the window's header."""
    menus: dict[str, QMenu] = {}
    for name in ORDER_MENUS:
        menu = menus[name] = window.header.menus.addMenu(name)
        menu.setToolTipsVisible(True)
        menu.aboutToShow.connect(window.update_actions)
        window.actions_set.fill_menu(menu, name)
    recent = QMenu("Open Recent", window)
    recent.aboutToShow.connect(lambda: fill_recent(window, recent))
    menus["File"].insertMenu(window.actions_set["file.open_sparse"], recent)
    panels = QMenu("Panels", window)
    for action, _ in window.dock_actions():
        panels.addAction(action)
    menus["View"].insertMenu(window.actions_set["view.docks_reset"], panels)


def fill_recent(window: OrderBody, menu: QMenu) -> None:
    """List the files opened lately; those that are gone cannot be chosen."""
    menu.clear()
    for paths in window.memory.recent:
        names = ", ".join(path.name for path in paths)
        action = menu.addAction(f"{names}    {paths[0].parent}")
        action.setEnabled(all(path.is_file() for path in paths))
        action.triggered.connect(lambda _=False, paths=paths: window.open_files(paths))
    if not window.memory.recent:
        menu.addAction("Nothing yet").setEnabled(False)
