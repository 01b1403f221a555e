"""The stage of a frame: a graph, a network or a certificate, at rest or on its way to the next."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QLinearGradient, QPainter

from gui.canvas.graph.animation import eased
from gui.canvas.graph.painter import wrap_image
from gui.canvas.graph.palette import packed
from gui.present.comparison.overlay import OverlayShot
from gui.present.comparison.shot import ComparisonShot
from gui.present.package import PackageShot
from gui.present.scenes import View, between
from gui.present.shots import NetworkShot, Shots
from gui.present.transition.transition import Morph, Shot
from gui.raster import engine as raster
from planner.model.graph import Ints

if TYPE_CHECKING:
    from gui.present.certificate.page import CertificatePage

LEAD = 0.3
"""Share of a transition in which an overlay comes up before its slider moves."""
SOFT = 0.12
"""Share of a width over which one picture goes over into the other."""
KEPT = 24
"""Pictures of parts of frames that are kept, so that what does not change is not painted again."""


class Pictures:
    """Pictures by what they show; those not looked at for longest go first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[object, QImage] = OrderedDict()

    def get(self, key: object, make: Callable[[], QImage]) -> QImage:
        """The picture, made where it is not there."""
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = make()
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return found


def place(painter: QPainter, rect: QRectF, image: QImage) -> None:
    """Draw a part of the frame where it belongs."""
    painter.drawImage(rect, image, QRectF(image.rect()), Qt.ImageConversionFlag.AutoColor)


def crossing(share: float) -> float:
    """How far one picture has taken the place of another a ``share`` of the way."""
    return eased(min(1.0, max(0.0, (share - 0.15) / 0.7)))


def over(painter: QPainter, rect: QRectF, image: QImage, share: float) -> None:
    """Let a part of the frame take the place of what is there, from left to right, with a soft edge.

    Never are two lines of words read at once, and never is there nothing to read.
    """
    if share <= 0.0:
        return
    if share >= 1.0:
        place(painter, rect, image)
        return
    shown = image.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
    wide = float(shown.width())
    edge = share * (1.0 + SOFT) * wide
    ramp = QLinearGradient(edge - SOFT * wide, 0.0, edge, 0.0)
    ramp.setColorAt(0.0, QColor(0, 0, 0, 255))
    ramp.setColorAt(1.0, QColor(0, 0, 0, 0))
    mask = QPainter(shown)
    mask.setCompositionMode(QPainter.CompositionMode.CompositionMode_DestinationIn)
    mask.fillRect(shown.rect(), ramp)
    mask.end()
    place(painter, rect, shown)


class Stage:
    """Paints the stage of any moment. ``letters`` is the size of letters, see :class:`gui.present.show.Show`."""

    def __init__(self, shots: Shots, kept: Pictures, letters: float) -> None:
        self.shots, self.kept, self.letters = shots, kept, letters
        self.places, self.theme = shots.places, shots.theme
        self._buffer = raster.new_image(1, 1)

    def paint(
        self, painter: QPainter, first: int, second: int, share: float, ratio: float, lens: View | None
    ) -> None:
        """What is seen a ``share`` of the way from one keyframe to another, through a ``lens``."""
        stage = self.places.stage
        shot = self.shots.shot(second)
        if share >= 1.0 and (lens is None or isinstance(shot, ComparisonShot)):
            place(painter, stage, self._image(second, ratio))
            return
        if isinstance(shot, OverlayShot):
            self._slide(painter, first, shot, share, ratio)
            return
        moving = None if share >= 1.0 else self.shots.morph(first, second)
        if share >= 1.0 or moving is not None or self.plays(first, second) or self._counts(first, second):
            buffer = self._frame(ratio)
            self._paint_live(buffer, first, second, share, ratio, lens, moving)
            place(painter, stage, wrap_image(buffer))
            return
        place(painter, stage, self._image(first, ratio))
        over(painter, stage, self._image(second, ratio), crossing(share))

    def _slide(self, painter: QPainter, first: int, shot: OverlayShot, share: float, ratio: float) -> None:
        """Towards an overlay: its slider goes on from where it was, else the overlay comes up at plan A and its slider sets out."""
        before, stage = self.shots.shot(first), self.places.stage
        begin, lead = 0.0, LEAD if shot.share > 0.0 else 1.0
        if isinstance(before, OverlayShot) and shot.like(before):
            begin, lead = before.share, 0.0
        gone = max(0.0, (share - lead) / (1.0 - lead)) if lead < 1.0 else 0.0
        if share < lead:
            place(painter, stage, self._image(first, ratio))
            painter.setOpacity(eased(share / lead))
        buffer = self._frame(ratio)
        raster.fill(buffer, None, packed(self.theme.canvas), replace=True)
        shot.paint_share(buffer, ratio, begin + (shot.share - begin) * eased(gone))
        place(painter, stage, wrap_image(buffer))
        painter.setOpacity(1.0)

    def plays(self, first: int, second: int) -> bool:
        """Whether a network goes from one moment of an order to another, rather than fading into another picture."""
        a, b = self.shots.shot(first), self.shots.shot(second)
        return isinstance(a, NetworkShot) and isinstance(b, NetworkShot) and a.stage is b.stage

    def _counts(self, first: int, second: int) -> bool:
        """Whether the chips of one package go over into those of another, figure by figure."""
        a, b = self.shots.shot(first), self.shots.shot(second)
        return isinstance(a, PackageShot) and isinstance(b, PackageShot) and a.alike(b)

    def _frame(self, ratio: float) -> np.ndarray:
        stage = self.places.stage
        shape = (max(1, round(stage.height() * ratio)), max(1, round(stage.width() * ratio)))
        if self._buffer.shape != shape:
            self._buffer = raster.new_image(shape[1], shape[0])
        return self._buffer

    def _paint_live(
        self, buffer: np.ndarray, first: int, second: int, share: float, ratio: float, lens: View | None,
        moving: Morph | None,
    ) -> None:  # fmt: skip
        height, width = buffer.shape
        shot = self.shots.shot(second)
        stage = self.places.stage
        if isinstance(shot, NetworkShot):
            moment, view = shot.moment, shot.view
            if share < 1.0:
                before = self.shots.shot(first)
                assert isinstance(before, NetworkShot)
                moment = round(before.moment + (shot.moment - before.moment) * share)
                view = between(before.view, shot.view, eased(share), stage.width(), stage.height())
            shot.stage.paint(buffer, view.through(lens), ratio, moment, shot.marked)
            return
        raster.fill(buffer, None, packed(self.theme.canvas), replace=True)
        if moving is not None:
            view = moving.view(share, stage.width(), stage.height()).through(lens)
            moving.paint(buffer, view.viewport(width, height, ratio), ratio * moving.unit(share), share)
        elif isinstance(shot, Shot):
            shot.paint(buffer, shot.view.through(lens).viewport(width, height, ratio), ratio * shot.unit)
        elif isinstance(shot, ComparisonShot):
            shot.paint_pixels(buffer, ratio)
        else:
            before = self.shots.shot(first)
            if share < 1.0 and isinstance(shot, PackageShot) and isinstance(before, PackageShot):
                shot = before.towards(shot, eased(share))
            image = wrap_image(buffer)
            painter = QPainter(image)
            painter.scale(ratio, ratio)
            shot.paint(
                painter,
                QRectF(0, 0, stage.width(), stage.height()),
                self._unit_of(shot),
                self.letters,
                self.shots.theme_of(second),
            )
            painter.end()

    def _image(self, index: int, ratio: float) -> QImage:
        """The stage of a keyframe at rest."""

        def make() -> QImage:
            buffer = self._frame(ratio)
            self._paint_live(buffer, index, index, 1.0, ratio, None, None)
            return wrap_image(buffer).convertToFormat(QImage.Format.Format_RGB32)

        return self.kept.get(("stage", index, ratio), make)

    def paint_vectors(self, painter: QPainter, index: int) -> None:
        """A keyframe at rest as shapes and text, in logical pixels from the stage's corner."""
        shot, stage = self.shots.shot(index), self.places.stage
        room = (stage.width(), stage.height())
        if isinstance(shot, NetworkShot):
            shot.stage.paint_vectors(painter, shot.view, room, shot.moment, shot.marked)
        elif isinstance(shot, Shot):
            shot.paint_vectors(painter, room, shot.unit)
        elif isinstance(shot, ComparisonShot):
            shot.paint(painter)
        else:
            unit, theme = self._unit_of(shot), self.shots.theme_of(index)
            shot.paint(painter, QRectF(0, 0, *room), unit, self.letters, theme)

    def _unit_of(self, shot: PackageShot | CertificatePage) -> float:
        """Pixels for each that a package or a page knows; a page sets its letters itself."""
        return self.places.package if isinstance(shot, PackageShot) else self.places.unit

    # ------------------------------------------------------------------ pointing
    def op_at(self, index: int, at: QPointF, lens: View | None = None) -> int:
        """The op whose card is at a place of the frame while a keyframe of a graph is held; -1 for none."""
        shot = self.shots.shot(index)
        stage = self.places.stage
        kind = self.shots.panel_kind(index)
        if (
            not isinstance(shot, Shot)
            or not stage.contains(at)
            or (kind and self.places.panel(kind).contains(at))
        ):
            return -1
        scene, view = shot.stage.scene, shot.view.through(lens)
        item = raster.hit_op(
            at.x(),
            at.y() - stage.top(),
            scene.x,
            scene.y,
            scene.w,
            scene.h,
            view.scale,
            view.ox,
            view.oy,
            slop_px=4.0,
        )
        return int(scene.items.first[item]) if item >= 0 else -1

    def card_of(self, index: int, op: int) -> tuple[Ints, str]:
        """The ops (int32[ops]) that an op's card stands for while a keyframe of a graph is held, and the name of their group; empty where
        it stands for the op."""
        shot = self.shots.shot(index)
        if not isinstance(shot, Shot):
            return np.array([op], np.int32), ""
        items = shot.stage.scene.items
        item = int(items.item_of[op])
        return items.ops(item), items.names[item] if items.whole_size[item] > 1 else ""

    def op_rect(self, index: int, op: int, lens: View | None = None) -> QRectF:
        """Where an op's card is in the frame; empty where no graph is shown."""
        shot = self.shots.shot(index)
        if not isinstance(shot, Shot):
            return QRectF()
        scene, view = shot.stage.scene, shot.view.through(lens)
        i = int(scene.items.item_of[op])
        x, y = float(scene.x[i]) * view.scale + view.ox, float(scene.y[i]) * view.scale + view.oy
        return QRectF(
            x, y + self.places.stage.top(), float(scene.w[i]) * view.scale, float(scene.h[i]) * view.scale
        )
