"""Exports of stories beside the window: a process of its own, with progress, that leaves nothing behind when it is cancelled."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject

from gui.background.exporting import Exporting
from gui.present.export.export import ExportOptions, check_place, fitted
from gui.present.export.process import StoryOrder, write_story
from planner.story.files.json import to_dict
from planner.story.story import Story

USUAL = ExportOptions()
"""What is usual for the format."""


class StoryExport(Exporting):
    """At most one export of a story at a time, in words of the story."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(write_story, parent)

    def start_story(
        self,
        story: Story,
        folder: Path,
        path: Path,
        options: ExportOptions = USUAL,
        given: Sequence[Path] = (),
    ) -> None:
        """Begin to write ``story``, whose models' paths start from ``folder``, to ``path``.

        ``given`` are model files that stand in for those that are not found there. Raises :class:`planner.errors.StageboardError` while another
        export is on its way, and for a place or options that cannot be.
        """
        self.check_free()
        fitted(check_place(path), options)
        self.start(StoryOrder(to_dict(story), folder.absolute(), path.absolute(), options, tuple(given)))
