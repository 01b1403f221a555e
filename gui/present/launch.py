"""Opening the presenter: over the main window, or on its own from the command line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gui.look.application import application, put_away
from gui.look.theme import THEMES
from gui.present.window import PresenterWindow
from planner.story.proving import SECONDS
from planner.story.story import Resolved

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from gui.look.theme import ThemeController


def present(
    window: QWidget, resolved: Resolved, at: int = 0, full_screen: bool = True, notes: bool = False
) -> PresenterWindow:
    """Present a story over ``window`` (with ``themes`` and ``reduced_motion`` where it has them), on its screen, beginning with keyframe
    ``at``; with the speaker's window beside where ``notes`` says so.

    The presenter deletes itself when it is closed.
    """
    themes: ThemeController | None = getattr(window, "themes", None)
    reduced = bool(getattr(window, "reduced_motion", False))
    presenter = PresenterWindow(resolved, themes, reduced, full_screen, at, window)
    presenter.begin()
    if notes:
        presenter.toggle_speaker()
    return presenter


def present_file(
    path: str | Path,
    full_screen: bool = True,
    *,
    given: Sequence[Path] = (),
    theme: str = "",
    reduced_motion: bool = False,
    notes: bool = False,
    proving: float = SECONDS,
) -> int:
    """Present a story file until it is closed; returns the program's status. Raises :class:`StageboardError` for a bad one.

    What the file claims is proven again beside the story, for at most ``proving`` seconds (0: not at all).

    ``given`` are model files that stand in for those that are not found, ``theme`` one other than the story's;
    ``reduced_motion`` is on whatever the user has set; ``notes`` opens the speaker's window too.
    """
    from gui.background.collecting import Collecting
    from gui.background.signals import quit_on_signals
    from gui.look.theme import ThemeController
    from gui.shell.session import Session
    from planner.story.files.json import read_story
    from planner.story.files.plans import resolve

    file = Path(path)
    resolved = resolve(read_story(file), file.parent, given)
    app = application()
    session = Session()
    themes = ThemeController(app, theme or session.theme)
    reduced = reduced_motion or session.value("reduced motion") == "yes"
    presenter = PresenterWindow(resolved, themes, reduced, full_screen, proving=proving)
    if theme:
        presenter.set_theme(THEMES[theme])
    collecting = Collecting()
    try:
        with quit_on_signals(app):
            presenter.begin()
            if notes:
                presenter.toggle_speaker()
            return int(app.exec())
    finally:
        put_away(app)
        collecting.close()
