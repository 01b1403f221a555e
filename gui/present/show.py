"""A story painted at any moment: the same seconds give the same pixels, at any size. No clocks, no randomness."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from gui.canvas.graph.animation import eased
from gui.look.theme import Theme
from gui.present.captions import (
    STEPS,
    Run,
    band_height,
    paint_caption,
    paint_header,
    runs_text,
)
from gui.present.counting import counted_runs
from gui.present.panels.panels import PanelData, paint_panel, panel_between
from gui.present.panels.trial import cuts
from gui.present.scenes import GAP, HEIGHT, WIDTH, Places, View
from gui.present.shots import NetworkShot, Shots
from gui.present.stage import Pictures, Stage, crossing, over, place
from planner.story.keyframe import Keyframe
from planner.story.story import Resolved

if TYPE_CHECKING:
    from planner.model.graph import Ints

FIRST = -1
"""Stands for the empty stage before the first keyframe."""
HALF = 0.5
"""The share of a transition at which words give way to the next."""
VEIL = 0.85
"""How much of the first keyframe is covered when it begins."""


class Show:
    """A resolved story in frames of ``size`` (logical pixels: width, height).

    Keyframe i begins with its transition, ``keyframe.transition`` seconds long, and is then held for ``keyframe.hold`` seconds.
    ``reduced_motion`` turns transitions into cuts. ``type_scale`` makes letters larger or smaller than usual, those on the stage never smaller; without ``legend`` devices are named elsewhere.
    """

    def __init__(
        self, resolved: Resolved, theme: Theme, size: tuple[int, int], *, type_scale: float = 1.0, legend: bool = True
    ) -> None:  # fmt: skip
        self.resolved, self.theme, self.size = resolved, theme, (max(64, size[0]), max(48, size[1]))
        self.keyframes = resolved.story.keyframes
        self.reduced_motion = False
        width, height = float(self.size[0]), float(self.size[1])
        self.unit = min(width / WIDTH, height / HEIGHT)
        self.letters = self.unit * type_scale
        said = [(k.title, k.caption) for k in self.keyframes]
        band = band_height(said, width, height, self.letters)
        usual = band_height(said, width, height, self.unit) if type_scale > 1.0 else 0.0
        self.places = Places(width, height, self.unit, band, max(1.0, type_scale), usual)
        self.shots = Shots(resolved, self.places, theme, legend)
        ends = list(accumulate(k.transition + k.hold for k in self.keyframes))
        self.starts = [0.0, *ends[:-1]]
        """The seconds at which each keyframe's transition begins."""
        self.duration = ends[-1]
        self._kept = Pictures()
        self._panel_units: dict[str, float] = {}
        self.stage = Stage(self.shots, self._kept, self.letters)

    @property
    def count(self) -> int:
        """Keyframes."""
        return len(self.keyframes)

    # ------------------------------------------------------------------ time
    def index_at(self, seconds: float) -> int:
        """The keyframe that is held at a moment, or that the story is on its way to."""
        return max(0, bisect_right(self.starts, seconds) - 1)

    def share_at(self, seconds: float) -> float:
        """How much of the transition towards :meth:`index_at` is over: 1 while the keyframe is held."""
        i = self.index_at(seconds)
        length = self.keyframes[i].transition
        if self.reduced_motion or length <= 0.0:
            return 1.0
        return min(1.0, max(0.0, (seconds - self.starts[i]) / length))

    def settled(self, seconds: float) -> bool:
        """Whether nothing moves: all frames of a keyframe that are settled are equal."""
        return self.share_at(seconds) >= 1.0

    # ------------------------------------------------------------------ painting
    def paint(self, painter: QPainter, seconds: float) -> None:
        """All of the frame at a moment, ``size`` logical pixels."""
        i = self.index_at(seconds)
        self.paint_between(painter, i - 1 if i else FIRST, i, self.share_at(seconds))

    def image(self, seconds: float, ratio: float = 1.0) -> QImage:
        """The frame as a picture of its own, ``ratio`` pixels for each logical one."""
        image = QImage(round(self.size[0] * ratio), round(self.size[1] * ratio), QImage.Format.Format_RGB32)
        painter = QPainter(image)
        painter.scale(ratio, ratio)
        try:
            self.paint(painter, seconds)
        finally:  # Ctrl-C too: Qt does not bear a picture to vanish under its painter
            painter.end()
        return image

    def slide_image(self, index: int, ratio: float, lens: View | None = None) -> QImage:
        """A keyframe at rest as a picture of its own, ``ratio`` pixels for each logical one, its stage seen through a ``lens``."""
        image = QImage(
            max(1, round(self.size[0] * ratio)),
            max(1, round(self.size[1] * ratio)),
            QImage.Format.Format_RGB32,
        )
        painter = QPainter(image)
        painter.scale(ratio, ratio)
        self.paint_between(painter, index, index, 1.0, lens)
        painter.end()
        return image

    def paint_between(
        self, painter: QPainter, first: int, second: int, share: float, lens: View | None = None
    ) -> None:
        """What is seen a ``share`` of the way from one keyframe (or :data:`FIRST`) to another, through a ``lens``."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ratio = max(0.1, abs(painter.deviceTransform().m11()))
        share = min(max(share, 0.0), 1.0)
        if first == FIRST and share < 1.0:
            self._paint_opening(painter, second, share, ratio, lens)
        else:
            if share <= 0.0:
                second, share = first, 1.0
            self.stage.paint(painter, first, second, share, ratio, lens)
            self._paint_panels(painter, first, second, share, ratio)
            self._paint_words(painter, first, second, share, ratio)
        painter.restore()

    def _paint_opening(
        self, painter: QPainter, index: int, share: float, ratio: float, lens: View | None
    ) -> None:
        """The first keyframe comes out of its own ground, under its words."""
        self.stage.paint(painter, index, index, 1.0, ratio, lens)
        self._paint_panels(painter, index, index, 1.0, ratio)
        veil = QColor(self.theme.canvas)
        veil.setAlphaF(VEIL * (1.0 - eased(share)))
        painter.fillRect(self.places.stage, veil)
        self._paint_words(painter, index, index, 1.0, ratio)

    # ------------------------------------------------------------------ panels
    def _paint_panels(self, painter: QPainter, first: int, second: int, share: float, ratio: float) -> None:
        """Panels slide in and out at the right; one that stays counts up to the next, or gives way to it where it stands."""
        a, b = self.shots.panel_kind(first), self.shots.panel_kind(second)
        e = eased(share)
        if a and b and share < 1.0 and self.places.panel(a) == self.places.panel(b):
            moment = self._panel_moment(first, second, share)
            if moment is not None:
                self._paint_panel(painter, second, 0.0, ratio, moment)
                return
            alike = self.shots.theme_of(first) == self.shots.theme_of(second)
            now = panel_between(self._panel_data(first), self._panel_data(second), e) if alike else None
            if now is not None:
                self._paint_counting(painter, now, self.shots.theme_of(second))
                return
            self._paint_panel(painter, first, 0.0, ratio, None)
            rect = self.places.panel(b)
            over(painter, rect, self._panel_picture(second, rect, ratio), crossing(share))
            return
        if a and share < 1.0:
            self._paint_panel(painter, first, min(1.0, 2.0 * e), ratio, None)
        if b:
            self._paint_panel(
                painter, second, max(0.0, 1.0 - 2.0 * (e - 0.5)) if e < 1.0 else 0.0, ratio, None
            )

    def _panel_data(self, index: int) -> PanelData:
        """A panel's data; of a network with what it counts at the keyframe's moment."""
        data, shot = self.shots.panel(index), self.shots.shot(index)
        return replace(data, now=shot.now(shot.moment)) if isinstance(shot, NetworkShot) else data

    def _paint_counting(self, painter: QPainter, data: PanelData, theme: Theme) -> None:
        """A panel whose figures are on their way."""
        rect = self.places.panel(data.kind)
        painter.fillRect(self._column(rect), QColor(self.theme.canvas))
        paint_panel(painter, rect, data, self._panel_letters(data.kind), theme)

    def _panel_moment(self, first: int, second: int, share: float) -> int | None:
        """The moment that a network's panel counts up to, where it does."""
        if not self.stage.plays(first, second) or self.shots.panel_kind(first) != self.shots.panel_kind(
            second
        ):
            return None
        a, b = self.shots.shot(first), self.shots.shot(second)
        assert isinstance(a, NetworkShot) and isinstance(b, NetworkShot)
        return round(a.moment + (b.moment - a.moment) * share)

    def _paint_panel(
        self, painter: QPainter, index: int, away: float, ratio: float, moment: int | None
    ) -> None:
        """A panel, a share ``away`` pushed out at the right."""
        rect = self.places.panel(self.shots.panel_kind(index))
        reach = self.places.width - rect.left()
        if away >= 1.0:
            return

        painter.save()
        painter.translate(away * (reach + GAP * self.unit), 0.0)
        painter.fillRect(self._column(rect), QColor(self.theme.canvas))
        if moment is not None:
            self._draw_panel(painter, index, moment)
        else:
            place(painter, rect, self._panel_picture(index, rect, ratio))
        painter.restore()

    def _draw_panel(self, painter: QPainter, index: int, moment: int | None = None) -> None:
        """A panel where it stands; of a network at a ``moment`` other than the keyframe's own."""
        shot, now = self.shots.shot(index), None
        if isinstance(shot, NetworkShot):
            now = shot.now(shot.moment if moment is None else moment)
        kind = self.shots.panel_kind(index)
        rect, unit, theme = self.places.panel(kind), self._panel_letters(kind), self.shots.theme_of(index)
        paint_panel(painter, rect, self.shots.panel(index), unit, theme, now)

    def _panel_letters(self, kind: str) -> float:
        """The size of letters in panels of a kind: as large as chosen, as far as none of the story's cuts its words then."""
        if kind not in self._panel_units:
            most = min(self.letters, self.places.package) if kind == "package" else self.letters
            shown = [i for i in range(self.count) if self.shots.panel_kind(i) == kind]
            tried = [most, *(step * self.unit for step in STEPS if step * self.unit < most)]
            self._panel_units[kind] = next(
                (unit for unit in tried[:-1] if not any(self._cuts_words(i, unit) for i in shown)), tried[-1]
            )
        return self._panel_units[kind]

    def _cuts_words(self, index: int, unit: float) -> bool:
        """Whether a panel has words to cut in letters of a size."""
        data, theme = self._panel_data(index), self.shots.theme_of(index)
        return cuts(lambda trial: paint_panel(trial, self.places.panel(data.kind), data, unit, theme))

    def _panel_picture(self, index: int, rect: QRectF, ratio: float) -> QImage:
        return self._part(("panel", index), rect, ratio, lambda target: self._draw_panel(target, index))

    def _column(self, panel: QRectF) -> QRectF:
        """What a panel covers of the stage: all from a gap before it to the frame's end."""
        stage, left = self.places.stage, panel.left() - GAP * self.unit
        return QRectF(left, stage.top(), self.places.width - left, stage.height())

    # ------------------------------------------------------------------ words
    def _paint_words(self, painter: QPainter, first: int, second: int, share: float, ratio: float) -> None:
        header, caption = self.places.header, self.places.caption
        if share >= 1.0:
            place(painter, header, self._words(header, self._draw_header, second, ratio))
            place(painter, caption, self._words(caption, self._draw_caption, second, ratio))
            return
        # Words change at the middle, whole: half of one sentence with half of another would say what neither does.
        runs = counted_runs(self.shots.figures(first), self.shots.figures(second), eased(share))
        now = second if share >= HALF else first
        self._draw_runs(painter, now, runs[0] if now == first else runs[1])
        place(painter, caption, self._words(caption, self._draw_caption, now, ratio))

    def _words(self, rect: QRectF, draw: Callable[[QPainter, int], None], index: int, ratio: float) -> QImage:
        return self._part((draw.__name__, index), rect, ratio, lambda target: draw(target, index))

    def _draw_header(self, painter: QPainter, index: int) -> None:
        self._draw_runs(painter, index, self.shots.figures(index))

    def _draw_runs(self, painter: QPainter, index: int, runs: Sequence[Run]) -> None:
        name, words = self.shots.plan(index).problem.name, self.shots.target(index)
        paint_header(painter, self.places.header, name, words, runs, self.letters, self.theme)

    def _draw_caption(self, painter: QPainter, index: int) -> None:
        k = self.keyframes[index]
        paint_caption(
            painter, self.places.caption, k.title, k.caption, self.letters, self.theme, index, self.count
        )

    # ------------------------------------------------------------------ pictures that are kept
    def _part(self, key: object, rect: QRectF, ratio: float, draw: Callable[[QPainter], None]) -> QImage:
        """A part of the frame as an opaque picture, painted once."""
        return self._kept.get((key, ratio), lambda: self._fresh(rect, ratio, draw))

    def _fresh(self, rect: QRectF, ratio: float, draw: Callable[[QPainter], None]) -> QImage:
        """A part of the frame as an opaque picture."""
        size = (max(1, round(rect.width() * ratio)), max(1, round(rect.height() * ratio)))
        image = QImage(*size, QImage.Format.Format_RGB32)
        image.fill(QColor(self.theme.canvas))
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(ratio, ratio)
        painter.translate(-rect.left(), -rect.top())
        draw(painter)
        painter.end()
        return image

    # ------------------------------------------------------------------ slides and words
    def paint_slide(self, painter: QPainter, index: int) -> None:
        """A keyframe at rest as shapes and text, for files that hold them. All is in logical pixels."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(QRectF(0, 0, *self.size), QColor(self.theme.canvas))
        self.paint_stage(painter, index)
        self.paint_beside(painter, index)
        self._draw_header(painter, index)
        self._draw_caption(painter, index)
        painter.restore()

    def seen(self, index: int) -> QRectF:
        """What a keyframe shows of the stage: all of it, or what its panel leaves."""
        seen, kind = QRectF(self.places.stage), self.shots.panel_kind(index)
        if kind:
            seen.setRight(self._column(self.places.panel(kind)).left())
        return seen

    def paint_stage(self, painter: QPainter, index: int) -> None:
        """The stage of a keyframe at rest as shapes and text, nothing of it beyond :meth:`seen`."""
        painter.save()
        painter.setClipRect(self.seen(index))
        painter.translate(self.places.stage.topLeft())
        self.stage.paint_vectors(painter, index)
        painter.restore()

    def paint_beside(self, painter: QPainter, index: int) -> None:
        """The panel of a keyframe as shapes and text, where it has one."""
        if self.shots.panel_kind(index):
            self._draw_panel(painter, index)

    def op_at(self, index: int, at: QPointF, lens: View | None = None) -> int:
        """The op whose card is at a place of the frame while a keyframe of a graph is held; -1 for none."""
        return self.stage.op_at(index, at, lens)

    def moved(self, first: int, second: int) -> Ints:
        """The ops that are on another device after going from one keyframe to another (int32); none of networks."""
        morph = self.shots.morph(first, second)
        if morph is None:
            return np.empty(0, np.int32)
        return np.flatnonzero(morph.moved_ops).astype(np.int32)

    def words(self, index: int) -> tuple[str, str]:
        """What a keyframe says, for those who listen: its title, and its caption with the figures."""
        k: Keyframe = self.keyframes[index]
        figures = runs_text(self.shots.figures(index))
        title = k.title or self.shots.plan(index).problem.name
        return f"{index + 1} of {self.count}: {title}", f"{k.caption} {figures}.".strip()
