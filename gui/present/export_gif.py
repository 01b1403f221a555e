"""Animated GIF: one palette chosen from the story's own colours, and of each frame only what changed.

The format: "Graphics Interchange Format, Version 89a", CompuServe 1990.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from gui.present.export_gif_kernels import (
    BINS,
    BLUE,
    GREEN,
    RED,
    compress,
    count_colours,
    nearest,
    to_entries,
)
from gui.present.export_place import file_place
from gui.present.frames import Painted, Span, pixels_of
from planner.errors import StageboardError

COLOURS = 255
UNCHANGED = 255
"""The entry that stands for a pixel which stays as it is."""
ROUNDS = 8
"""Rounds of refining the palette."""
SHORTEST_DELAY = 2
"""Hundredths of a second; players slow down what is faster."""
LONGEST_DELAY = 65_535
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
    delay = round(100.0 / fps)
    steps = len(frames) + sum(span.frames > 1 for span in frames)
    palette, done = _palette_of(show, frames, steps, progress)
    entry_of_bin = np.full(BINS, -1, np.int16)
    before: np.ndarray | None = None
    size = 0
    with file_place(path) as temporary, temporary.open("wb") as file:
        for i, span in enumerate(frames):
            pixels = pixels_of(show.image(span.seconds))
            if before is None:
                file.write(_head(pixels.shape[1], pixels.shape[0], palette))
            entries = np.empty(pixels.shape, np.uint8)
            to_entries(pixels.reshape(-1), entry_of_bin, palette, entries.reshape(-1))
            for frame in _frame(entries, before, span.frames * delay):
                size += file.write(frame)
            before = entries
            if size > LARGEST_FILE:
                raise StageboardError(
                    f"{path.name} would be larger than {LARGEST_FILE >> 20} MiB, which few programs show; choose a smaller"
                    " --size, fewer --fps, or write an .mp4"
                )
            progress(done + i + 1, steps)
        file.write(b";")
    return path.stat().st_size


def _palette_of(
    show: Painted, frames: Sequence[Span], steps: int, progress: Progress
) -> tuple[np.ndarray, int]:
    """The palette of the pictures that stay, or of all where none does, and how many were looked at."""
    counts, sums = np.zeros(BINS, np.int64), np.zeros((BINS, 3), np.int64)
    looked = [span for span in frames if span.frames > 1] or list(frames[:1])
    for i, span in enumerate(looked):
        count_colours(pixels_of(show.image(span.seconds)).reshape(-1), counts, sums)
        progress(i + 1, max(steps, 1))
    return choose_palette(counts, sums), len(looked)


def choose_palette(counts: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """At most 255 colours (float64[p, 3], whole numbers) for pixels counted by bin (int64[BINS], sums int64[BINS, 3]).

    Median cut (Heckbert 1982), then rounds of Lloyd's algorithm. A bin counts by the root of its pixels, so that a
    hairline in an accent colour is not drowned by a background.
    """
    used = np.flatnonzero(counts)
    colours = sums[used] / counts[used, None]
    weights = np.sqrt(counts[used].astype(np.float64))
    if len(used) <= COLOURS:
        return np.rint(colours)
    palette = np.array(
        [np.average(colours[box], axis=0, weights=weights[box]) for box in _boxes(colours, weights)]
    )
    owner = np.empty(len(used), np.int64)
    for _ in range(ROUNDS):
        nearest(colours, palette, owner)
        total = np.bincount(owner, weights, len(palette))
        held = total > 0
        for channel in range(3):
            sum_of = np.bincount(owner, weights * colours[:, channel], len(palette))
            palette[held, channel] = sum_of[held] / total[held]
    # A colour that most of an entry's pixels have is kept as it is: large areas stay true.
    nearest(colours, palette, owner)
    order = np.argsort(counts[used], kind="stable")
    most = np.full(len(palette), -1, np.int64)
    most[owner[order]] = order  # the last one written is the commonest
    pixels = np.bincount(owner, counts[used].astype(np.float64), len(palette))
    for p in np.flatnonzero(most >= 0).tolist():
        if 2 * counts[used[most[p]]] > pixels[p]:
            palette[p] = colours[most[p]]
    return np.rint(palette)


def _boxes(colours: np.ndarray, weights: np.ndarray) -> list[np.ndarray]:
    """Colours (float64[n, 3]) in boxes, as indices: the box of the largest spread is cut in two until there are enough."""
    scale = np.sqrt([RED, GREEN, BLUE])

    def spread(box: np.ndarray) -> tuple[float, int]:
        """How much there is to gain by a cut, and along which channel."""
        inside = colours[box] * scale
        middle = np.average(inside, axis=0, weights=weights[box])
        variance = np.average((inside - middle) ** 2, axis=0, weights=weights[box])
        channel = int(np.argmax(variance))
        return float(variance[channel] * weights[box].sum()), channel

    whole = np.arange(len(colours))
    boxes = [(spread(whole), whole)]
    while len(boxes) < COLOURS:
        at = max(range(len(boxes)), key=lambda i: boxes[i][0][0])
        (gain, channel), box = boxes[at]
        if gain <= 0.0:
            break
        box = box[np.argsort(colours[box, channel], kind="stable")]
        running = np.cumsum(weights[box])
        cut = int(np.clip(np.searchsorted(running, running[-1] / 2), 1, len(box) - 1))
        boxes[at] = (spread(box[:cut]), box[:cut])
        boxes.append((spread(box[cut:]), box[cut:]))
    return [box for _, box in boxes]


# ---------------------------------------------------------------------- the file
def _head(width: int, height: int, palette: np.ndarray) -> bytes:
    """Header, screen, palette of 256 entries, and the wish to be repeated."""
    table = np.zeros((256, 3), np.uint8)
    table[: len(palette)] = palette
    screen = struct.pack("<HHBBB", width, height, 0b11110111, 0, 0)
    return b"GIF89a" + screen + table.tobytes() + b"!\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"


def _frame(entries: np.ndarray, before: np.ndarray | None, delay: int) -> list[bytes]:
    """The blocks of a frame (uint8[height, width]) after another; ``delay`` in hundredths of a second."""
    top = left = 0
    part = entries
    if before is not None:
        changed = entries != before
        rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
        top, left = (int(rows[0]), int(columns[0])) if len(rows) else (0, 0)
        box = np.s_[top : int(rows[-1]) + 1, left : int(columns[-1]) + 1] if len(rows) else np.s_[:1, :1]
        part = np.where(changed[box], entries[box], np.uint8(UNCHANGED))
    height, width = part.shape
    flat = np.ascontiguousarray(part).reshape(-1)
    out = np.empty(2 * flat.size + 16, np.uint8)
    data = out[: compress(flat, out)].tobytes()
    blocks = [
        _control(min(delay, LONGEST_DELAY)),
        struct.pack("<BHHHHB", 0x2C, left, top, width, height, 0),
        b"\x08",
    ]
    blocks += [bytes([len(data[i : i + 255])]) + data[i : i + 255] for i in range(0, len(data), 255)]
    blocks.append(b"\0")
    if delay > LONGEST_DELAY:  # held for more than ten minutes: the same again
        blocks += _frame(entries, entries, delay - LONGEST_DELAY)
    return blocks


def _control(delay: int) -> bytes:
    """How long the next frame stays; it is left in place, and one entry is transparent."""
    return struct.pack("<BBBBHBB", 0x21, 0xF9, 4, 0b00000101, delay, UNCHANGED, 0)
