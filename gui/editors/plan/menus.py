"""The menu bar, the list of recent models, and the canvas's context menu, all made from the one list of actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu

from gui.editors.plan.actions import MENUS
from gui.widgets.plain import plain

if TYPE_CHECKING:
    from gui.editors.plan.body import GraphBody

ON_OPS = (
    "edit.move", "edit.move_along", "edit.move_repair", "", "edit.pin", "edit.unpin", "edit.together", "edit.separate", "", "edit.ancestors",
    "edit.descendants", "", "view.fold", "view.unfold", "view.zoom_selection",
)  # fmt: skip
ON_GROUND = (
    "plan.repair", "", "view.fit", "view.fold_all", "view.unfold_all", "", "edit.select_all", "edit.find", "file.export.picture",
)  # fmt: skip


class Menus:
    """Fills the header's menu bar."""

    def __init__(self, window: GraphBody) -> None:
        self._window = window
        self.menus: dict[str, QMenu] = {}
        for name in MENUS:
            menu = window.header.menus.addMenu(name)
            menu.setToolTipsVisible(True)
            menu.aboutToShow.connect(window.update_actions)
            window.actions_set.fill_menu(menu, name)
            self.menus[name] = menu
        self.recent = QMenu("Open Recent", window)
        self.recent.aboutToShow.connect(self.fill_recent)
        self.menus["File"].insertMenu(window.actions_set["file.batch"], self.recent)
        panels = QMenu("Panels", window)
        for action, _ in window.dock_actions():
            panels.addAction(action)
        self.menus["View"].insertMenu(window.actions_set["view.docks_reset"], panels)

    def fill_recent(self) -> None:
        """List the models opened lately; those that are gone cannot be chosen."""
        window = self._window
        self.recent.clear()
        recent = window.memory.recent
        for paths in recent:
            names = ", ".join(path.name for path in paths)
            action = self.recent.addAction(plain(f"{names}    {paths[0].parent}").replace("&", "&&"))
            action.setEnabled(all(path.is_file() for path in paths))
            action.triggered.connect(lambda _=False, paths=paths: window.open_files(paths))
        if not recent:
            self.recent.addAction("Nothing yet").setEnabled(False)
        else:
            self.recent.addSeparator()
            self.recent.addAction("Forget These", window.memory.forget_recent)

    def context(self, op: int) -> QMenu:
        """What can be done with the selection, or with the canvas where nothing is selected (op -1)."""
        window = self._window
        window.update_actions()
        menu = QMenu(window)
        for id in ON_OPS if op >= 0 or len(window.document.selection) else ON_GROUND:
            if id:
                menu.addAction(window.actions_set[id])
            else:
                menu.addSeparator()
        return menu
