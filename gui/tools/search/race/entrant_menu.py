"""The context menu of an entrant in the leaderboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu

if TYPE_CHECKING:
    from gui.tools.search.race.panel import RacePanel


def entrant_menu(panel: RacePanel, entrant: int) -> QMenu:
    """What can be done with an entrant of ``panel``; whoever asks for the menu deletes it."""
    menu = QMenu(panel)
    runner, entry, active = panel.runner(entrant), panel.entry(entrant), panel.document.active
    other = entry is not None and entry is not active
    best = panel.listed()[:3]
    running = panel.racing.running
    menu.addAction("Apply\tReturn", lambda: panel.apply(entrant)).setEnabled(other)
    menu.addAction("Compare with the canvas", lambda: panel.compare([active, entry])).setEnabled(other)
    menu.addAction("Compare the best three", lambda: panel.compare(best)).setEnabled(len(best) > 1)
    can_replay = entry is not None and not running and not panel.replaying.busy
    menu.addAction("Replay from its provenance", lambda: panel.replay(entrant)).setEnabled(can_replay)
    menu.addSeparator()
    can_stop = runner is not None and runner.alive and running
    menu.addAction("Stop this one\tDel", lambda: panel.stop_one(entrant)).setEnabled(can_stop)
    menu.addSeparator()
    menu.addAction("Copy this row", lambda: panel.copy_row(entrant))
    menu.addAction("Copy the leaderboard", panel.copy_all)
    return menu
