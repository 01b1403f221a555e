"""Plan files that are compared, too, and the comparison as a picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gui.editors.comparison.capturing import PANELS, shown_comparison
from gui.editors.comparison.state import file_sources
from gui.shell.file_dialogs import PLANS, FileDialogs
from gui.tools.story.folds import folded_now
from gui.words.plan_notes import USE_TIMES, noted

if TYPE_CHECKING:
    from gui.editors.comparison.body import CompareBody
    from gui.editors.comparison.sources import Source


PREVIEWED_AT_ONCE = 300
"""Ops on all canvases of the largest comparison whose preview the window waits for; those of larger ones are drawn beside it."""


class CompareFiles(FileDialogs):
    """The dealings of a compare window with the disk."""

    def __init__(self, window: CompareBody) -> None:
        super().__init__(window, "comparison")
        self._window, self._state = window, window.state
        self.ask_times: Callable[[], object] | None = None
        """Asks for the times of ops that the window of the plans plans with."""

    def say(self, level: str, text: str) -> None:
        """In this window, not in that of the plans."""
        self._window.say(level, text)

    def add_files(self) -> None:
        """Ask for plan files and compare them, too."""
        known = [source.path for source in self._state.sources if source.path is not None]
        self.folder = self.folder or str(
            (known or [*self._state.document.paths, Path.cwd() / "plan"])[0].parent
        )
        chosen = self.ask_open("Compare plans", PLANS)
        if chosen:
            self.add_paths(chosen)

    def add_paths(self, paths: list[Path]) -> None:
        """Compare plan files, too. Raises :class:`StageboardError` before anything changes."""
        sources, bounds = file_sources(paths, self._state.document)
        self._state.add(sources, bounds)
        self.tell_notes(sources)

    def tell_notes(self, sources: Sequence[Source]) -> None:
        """Say what the files of plans say that is not so here."""
        told = [(source.path, source) for source in sources if source.notes and source.path is not None]
        if told:
            text = "\n".join(noted(path.name, source.notes, source.other_costs) for path, source in told)
            retimed = any(source.other_costs for _, source in told)
            self._window.notice.show_message(
                "warning",
                text,
                action=USE_TIMES if retimed and self.ask_times is not None else "",
                run=self.ask_times,
            )

    def export_picture(self) -> None:
        """A view of the comparison as PNG, SVG or PDF; first the one that is shown."""
        from gui.editors.comparison.canvases.overlay import OverlayPane
        from gui.editors.comparison.picture.head import title_of
        from gui.editors.comparison.picture.overlaid import OVERLAYS
        from gui.editors.comparison.picture.picture import VIEWS, draw_comparison
        from gui.editors.comparison.picture.scheduled import SCHEDULES

        comparison, columns, document = self._state.comparison, self._window.columns, self._state.document
        if comparison is not None:
            pane, view, pair = columns.current, self._state.view, self._state.shown
            share = pane.fade.share if isinstance(pane, OverlayPane) else 0.5
            if columns.mode == "over":
                view = "overlay-lanes" if view == "lanes" else "overlay"
            panel = shown_comparison(self._window)
            view = panel if panel in PANELS.values() else view
            self.ask_drawing(
                VIEWS | SCHEDULES | OVERLAYS, view,
                lambda choice: partial(
                    draw_comparison,
                    (self._state.comparison if choice.view in OVERLAYS else self._state.by_reference()) or comparison, choice.page, choice.view, pair, share, choice.title,
                    folded_now(document), self._window.schedules.shown_kind,
                ),
                at_once=len(comparison.plans) * comparison.graph.n <= PREVIEWED_AT_ONCE, title=title_of(comparison),
            ).follow(self._state.comparison_changed)  # fmt: skip
