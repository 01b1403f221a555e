"""Animated GIF, through Pillow: one palette chosen from the story's own colours, and of each frame only what changed.

The format: "Graphics Interchange Format, Version 89a", CompuServe 1990.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from io import RawIOBase
from itertools import groupby
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
from PIL import Image
from PySide6.QtGui import QImage

from gui.present.frames import Painted, Span, pixels_of
from planner.errors import StageboardError
from planner.files import placing

COLOURS = 255
UNCHANGED = 255
"""The entry that stands for a pixel which stays as it is."""
KEPT = 96
"""So many of the palette's colours are the commonest as they are; the others are chosen for all the rest."""
STAYS = 8
"""What a pixel of a picture that stays counts against one that is gone in a moment."""
UPPER_BITS = 0xFCFCFC
"""By these Pillow tells colours apart when it looks for the nearest of a palette."""
SHORTEST_DELAY = 2
"""Hundredths of a second; players slow down what is faster."""
LARGEST_FILE = 64 << 20

Progress = Callable[[int, int], None]


def gif_rate(fps: float) -> float:
    """The nearest rate that the format has: frames last whole hundredths of a second."""
    return 100.0 / max(SHORTEST_DELAY, round(100.0 / fps))


def write_gif(show: Painted, frames: Sequence[Span], path: Path, fps: float, progress: Progress) -> int:
    """Write ``frames`` at ``fps`` (as :func:`gif_rate` gives it) and return the file's bytes. It repeats for ever.

    ``progress(done, of)`` is told of each picture, and may raise to stop. Raises :class:`StageboardError` where the
    file would be too large to be of use.
    """
    delay = 10 * round(100.0 / fps)  # milliseconds
    looked = _telling(frames)
    steps = len(looked) + len(frames)
    colours, counts = [], []
    for i, (span, weight) in enumerate(looked):
        found, count = np.unique(pixels_of(show.image(span.seconds)), return_counts=True)
        colours.append(found)
        counts.append(count * weight)
        progress(i + 1, steps)
    nearest, palette = choose_palette(*_sums(colours, counts))

    def entries() -> Iterator[Image.Image]:
        for i, span in enumerate(frames):
            image = picture_of(show.image(span.seconds)).quantize(palette=nearest, dither=Image.Dither.NONE)
            image.putpalette(palette)
            progress(len(looked) + i + 1, steps)
            yield image

    pictures = entries()
    with placing(path) as temporary, temporary.open("wb") as file:
        bounded = _Bounded(file, path.name, lambda: progress(steps, steps))
        next(pictures).save(
            cast("IO[bytes]", bounded),
            "GIF",
            save_all=True,
            append_images=pictures,
            palette=palette,
            duration=[span.frames * delay for span in frames],
            loop=0,
            transparency=UNCHANGED,
            disposal=1,
            optimize=True,
        )
    return path.stat().st_size


def _telling(frames: Sequence[Span]) -> list[tuple[Span, int]]:
    """The pictures that tell which colours there are, and what a pixel of each counts: all that stay, and of those that
    move the middle of each row, where colours are as far from either end as they come."""
    found: list[tuple[Span, int]] = []
    for stays, row in groupby(frames, lambda span: span.frames > 1):
        spans = list(row)
        found += [(span, STAYS) for span in spans] if stays else [(spans[len(spans) // 2], 1)]
    return found


def picture_of(image: QImage) -> Image.Image:
    """The same pixels for Pillow, opaque."""
    plain = image.convertToFormat(QImage.Format.Format_RGB888)
    size = (plain.width(), plain.height())
    return Image.frombytes("RGB", size, plain.constBits(), "raw", "RGB", plain.bytesPerLine())


class _Bounded(RawIOBase):
    """What Pillow writes to: ``told`` is called before each piece, and no more than :data:`LARGEST_FILE` is taken."""

    def __init__(self, file: IO[bytes], name: str, told: Callable[[], None]) -> None:
        super().__init__()
        self._file, self._name, self._told = file, name, told
        self._size = 0

    def write(self, data: Any) -> int:
        """All of ``data``. Raises :class:`StageboardError` where the file would be too large."""
        self._told()
        self._size += self._file.write(data)
        if self._size > LARGEST_FILE:
            raise StageboardError(
                f"{self._name} would be larger than {LARGEST_FILE >> 20} MiB, which few programs show; choose a smaller"
                " --size, fewer --fps, or write an .mp4"
            )
        return len(memoryview(data))


# ---------------------------------------------------------------------- the palette
def choose_palette(colours: np.ndarray, counts: np.ndarray) -> tuple[Image.Image, bytes]:
    """The palette by which Pillow is to find entries, and the colours (3 bytes each, 256 of them) that these stand for.

    ``colours`` uint32[n] are different, ``counts`` int64[n] says how much each of them is seen. Pillow looks colours
    up by their upper six bits, so entries are chosen among colours that are cut to these: the commonest as they are,
    the rest by maximum coverage and k-means, counted by the roots of their pixels, so that a hairline in an accent
    colour is not drowned by a background. Then an entry becomes the mean of all pixels that find it.
    """
    cells, pixels = _sums([colours & UPPER_BITS], [counts])
    order = np.argsort(-pixels, kind="stable")
    common, rare = order[:KEPT], order[KEPT:]
    chosen = _bytes_of(cells[common])
    if len(rare):
        seen = np.repeat(cells[rare], np.ceil(np.sqrt(pixels[rare])).astype(np.int64))
        found = _row(seen).quantize(COLOURS - len(common), Image.Quantize.MAXCOVERAGE, kmeans=1)
        chosen += bytes(found.getpalette("RGB") or ())
    nearest = Image.new("P", (1, 1))
    nearest.putpalette(chosen)
    entry = np.asarray(_row(colours).quantize(palette=nearest, dither=Image.Dither.NONE)).reshape(-1)
    channels = np.frombuffer(_bytes_of(colours), np.uint8).reshape(-1, 3)
    total = np.bincount(entry, counts, 256)
    palette = np.zeros((256, 3), np.uint8)
    for channel in range(3):
        sums = np.bincount(entry, counts * channels[:, channel].astype(np.float64), 256)
        palette[:, channel] = np.rint(sums / np.maximum(total, 1.0))
    return nearest, palette.tobytes()


def _sums(colours: Sequence[np.ndarray], counts: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The different ones of all ``colours`` (uint32) in order, and the sums of their ``counts`` (int64)."""
    different, which = np.unique(np.concatenate(colours), return_inverse=True)
    return different, np.bincount(which, np.concatenate(counts)).astype(np.int64)


def _bytes_of(colours: np.ndarray) -> bytes:
    """Packed colours (uint32[n]) as 3 n bytes: red, green, blue."""
    return colours.astype(">u4").view(np.uint8).reshape(-1, 4)[:, 1:].tobytes()


def _row(colours: np.ndarray) -> Image.Image:
    """A picture of one row."""
    return Image.frombytes("RGB", (len(colours), 1), _bytes_of(colours))
