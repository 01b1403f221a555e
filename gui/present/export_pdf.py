"""Slides: a page for each keyframe, in vectors, with the letters it uses; the certificate last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QMarginsF, QSizeF
from PySide6.QtGui import QPageLayout, QPageSize, QPainter, QPdfWriter

from gui.present.export_place import file_place
from planner.errors import StageboardError

DOTS_PER_INCH = 96
Progress = Callable[[int, int], None]
Page = Callable[[QPainter], None]


def write_pdf(
    pages: Sequence[Page], size: tuple[int, int], path: Path, title: str, progress: Progress
) -> int:
    """Write what each of ``pages`` paints on ``size`` (width, height in pixels) and return the file's bytes.

    ``progress(done, of)`` may raise to stop. Raises :class:`StageboardError` where the file cannot be written.
    """
    with file_place(path) as temporary:
        pdf = QPdfWriter(str(temporary))
        pdf.setTitle(title)
        pdf.setCreator("Stageboard")
        pdf.setResolution(DOTS_PER_INCH)
        inches = QSizeF(size[0] / DOTS_PER_INCH, size[1] / DOTS_PER_INCH)
        # Exactly this size: the nearest paper would have borders.
        match = QPageSize.SizeMatchPolicy.ExactMatch
        pdf.setPageSize(QPageSize(inches, QPageSize.Unit.Inch, "", match))
        pdf.setPageMargins(QMarginsF(0, 0, 0, 0), QPageLayout.Unit.Point)
        painter = QPainter()
        if not painter.begin(pdf):
            raise StageboardError(f"{path} cannot be written; choose another place")
        try:
            for i, page in enumerate(pages):
                if i:
                    pdf.newPage()
                painter.save()
                page(painter)
                painter.restore()
                progress(i + 1, len(pages))
        finally:
            painter.end()
    return path.stat().st_size
