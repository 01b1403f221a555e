"""A folder of pictures, one for each keyframe, named by number and title: PNG or SVG."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from gui.look.drawn import Paint, drawing, encoded
from gui.present.export.place import folder_place, slug
from gui.present.frames import Painted

Progress = Callable[[int, int], None]


def write_pictures(
    show: Painted, moments: Sequence[float], titles: Sequence[str], folder: Path, progress: Progress
) -> int:
    """Write the frames at ``moments`` (seconds) into ``folder`` as PNG and return the bytes of all. See :func:`_write`."""
    made = [partial(_encoded, show, seconds) for seconds in moments]
    return _write(made, titles, ".png", folder, progress)


def _encoded(show: Painted, seconds: float) -> bytes:
    return encoded(show.image(seconds))


def write_drawings(
    pages: Sequence[Paint], size: tuple[int, int], titles: Sequence[str], folder: Path, progress: Progress
) -> int:
    """Write what each of ``pages`` paints on ``size`` (width, height in pixels) into ``folder`` as SVG and return the bytes of all. See
    :func:`_write`."""
    made = [partial(drawing, size, title, page) for page, title in zip(pages, titles, strict=True)]
    return _write(made, titles, ".svg", folder, progress)


def _write(
    pictures: Sequence[Callable[[], bytes]],
    titles: Sequence[str],
    suffix: str,
    folder: Path,
    progress: Progress,
) -> int:
    """Write pictures that are made one after the other.

    ``progress(done, of)`` may raise to stop. Raises :class:`StageboardError` where the folder is not empty or cannot be made.
    """
    with folder_place(folder) as temporary:
        for i, (picture, title) in enumerate(zip(pictures, titles, strict=True)):
            name = "-".join(part for part in (f"{i + 1:02d}", slug(title)) if part) + suffix
            (temporary / name).write_bytes(picture())
            progress(i + 1, len(pictures))
        size = sum(file.stat().st_size for file in temporary.iterdir())
    return size
