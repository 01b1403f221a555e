"""A folder of PNG pictures, one for each keyframe, named by number and title."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from gui.look.drawn import encoded
from gui.present.export.place import folder_place, slug
from gui.present.frames import Painted

Progress = Callable[[int, int], None]


def write_pictures(
    show: Painted, moments: Sequence[float], titles: Sequence[str], folder: Path, progress: Progress
) -> int:
    """Write the frames at ``moments`` (seconds) into ``folder`` and return the bytes of all.

    ``progress(done, of)`` may raise to stop. Raises :class:`StageboardError` where the folder is not empty or cannot be made.
    """
    with folder_place(folder) as temporary:
        for i, (seconds, title) in enumerate(zip(moments, titles, strict=True)):
            name = "-".join(part for part in (f"{i + 1:02d}", slug(title)) if part) + ".png"
            (temporary / name).write_bytes(encoded(show.image(seconds)))
            progress(i + 1, len(moments))
        size = sum(file.stat().st_size for file in temporary.iterdir())
    return size
