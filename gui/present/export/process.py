"""An export of a story as an order to a process of its own (:mod:`planner.export.stages.serving`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gui.present.export.export import Exported, ExportOptions
from planner.errors import StageboardError
from planner.export.stages.serving import Progress


@dataclass(frozen=True)
class StoryOrder:
    """A story to be written: the JSON object of its file, the folder that its models' paths start from, where to, and how.

    ``given`` are model files that stand in for those that are not found.
    """

    story: dict[str, Any]
    folder: Path
    path: Path
    options: ExportOptions
    given: tuple[Path, ...] = ()


def write_story(order: StoryOrder, progress: Progress, stopped: Callable[[], bool]) -> Exported:
    """Write it, without a screen. Raises :class:`StageboardError`."""
    from gui.look.display import application, check_qt, offscreen
    from gui.present.export.export import export_story
    from planner.search.stop import Cancel
    from planner.story.files.json import from_dict
    from planner.story.files.plans import resolve
    from planner.story.proving import prove_story

    check_qt()
    offscreen()
    app = application()
    try:
        # The window wrote it for this process: its bounds say themselves whether they are claims.
        read = resolve(from_dict(order.story, "the story", ""), order.folder, order.given)
        resolved = prove_story(read, stop=Cancel(stopped))
        done = export_story(resolved, order.path, order.options, progress, stopped)
    except MemoryError:
        raise StageboardError("the export needs more memory than there is; choose a smaller size") from None
    app.processEvents()
    return done
