"""The frames of a story at a constant rate: which are painted, and how long each of them stays."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from PySide6.QtGui import QImage, QPainter

from planner.story.keyframe import Keyframe

Pixels = np.ndarray
"""uint32[height, width], 0xffRRGGBB."""
NEARLY = 1e-6
"""Seconds by which a frame may miss a keyframe's beginning and still be its first."""


class Painted(Protocol):
    """What is needed of :class:`gui.present.show.Show`."""

    duration: float
    starts: list[float]

    def paint(self, painter: QPainter, seconds: float) -> None:
        """Everything of the frame at ``seconds``."""

    def image(self, seconds: float, ratio: float = 1.0) -> QImage:
        """The frame as pixels."""


@dataclass(frozen=True)
class Span:
    """One picture: painted at ``seconds`` of the story, shown for ``frames`` frames."""

    seconds: float
    frames: int


def spans(
    starts: Sequence[float],
    keyframes: Sequence[Keyframe],
    fps: float,
    *,
    reduced_motion: bool = False,
) -> list[Span]:
    """The pictures of a story in order; a keyframe that is held is one of them, however long.

    ``starts`` are the seconds at which the transition to each keyframe begins. With ``reduced_motion`` there are no
    transitions, and each keyframe is there at once.
    """
    duration = starts[-1] + keyframes[-1].transition + keyframes[-1].hold
    found: list[Span] = []
    for i in range(max(1, round(duration * fps))):
        seconds = i / fps
        k = max(0, bisect_right(starts, seconds + NEARLY) - 1)
        if reduced_motion or seconds >= starts[k] + keyframes[k].transition - NEARLY:
            seconds = held_at(starts, keyframes, k)
            if found and found[-1].seconds == seconds:
                found[-1] = Span(seconds, found[-1].frames + 1)
                continue
        found.append(Span(seconds, 1))
    return found


def held_at(starts: Sequence[float], keyframes: Sequence[Keyframe], k: int) -> float:
    """A moment (seconds) at which keyframe ``k`` has settled."""
    return starts[k] + keyframes[k].transition + keyframes[k].hold / 2


def pixels_of(image: QImage) -> Pixels:
    """A copy of the image's pixels, opaque."""
    plain = image.convertToFormat(QImage.Format.Format_RGB32)
    height, width = plain.height(), plain.width()
    rows = np.frombuffer(plain.constBits(), np.uint32).reshape(height, plain.bytesPerLine() // 4)
    return rows[:, :width].copy()
