"""Slides: a page for each keyframe, in vectors, with the letters it uses; the certificate last."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from gui.look.drawn import Paint, slides
from planner.files import write_atomically

Progress = Callable[[int, int], None]


def write_pdf(
    pages: Sequence[Paint], size: tuple[int, int], path: Path, title: str, progress: Progress
) -> int:
    """Write what each of ``pages`` paints on ``size`` (width, height in pixels) and return the file's bytes.

    ``progress(done, of)`` may raise to stop. Raises :class:`StageboardError` where the file cannot be written.
    """

    def told() -> Iterator[Paint]:
        for done, page in enumerate(pages, 1):
            yield page
            progress(done, len(pages))

    data = slides(size, title, told())
    write_atomically(path, data)
    return len(data)
