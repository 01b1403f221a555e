"""The areas of the devices on the canvas: lanes, or the blocks of the stages view. In the flow view there are none."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF

from gui.canvas.graph.headers import HEADER_WIDTH, lane_extents
from gui.canvas.graph.scene import Scene
from gui.canvas.graph.viewport import Viewport
from gui.layout.result import Rect


def device_areas(scene: Scene, viewport: Viewport, ratio: float) -> dict[int, QRectF]:
    """Where each device's lane (right of its header) or block is drawn, in logical pixels; a device without a block has none."""
    stages = scene.layout.stages
    if stages is not None:
        return {d: pixels(box, viewport, ratio) for d, box in enumerate(stages.blocks) if box[2] > 0}
    width = viewport.width / ratio - HEADER_WIDTH
    return {
        d: QRectF(HEADER_WIDTH, top / ratio, width, (bottom - top) / ratio)
        for d, (top, bottom) in enumerate(lane_extents(scene, viewport))
    }


def device_under(scene: Scene, viewport: Viewport, position: QPointF, ratio: float) -> int:
    """The device whose lane, with its header, or whose block is at a position (logical pixels), -1 for none."""
    headers = HEADER_WIDTH if scene.layout.lanes else 0
    areas = device_areas(scene, viewport, ratio).items()
    return next((d for d, area in areas if area.adjusted(-headers, 0, 0, 0).contains(position)), -1)


def title_under(scene: Scene, viewport: Viewport, position: QPointF, ratio: float) -> int:
    """The device whose header or plate is at a position (logical pixels), -1 for none."""
    d = device_under(scene, viewport, position, ratio)
    stages = scene.layout.stages
    if d < 0 or stages is None:
        return d if scene.layout.lanes and position.x() < HEADER_WIDTH else -1
    x, y, wide, _ = stages.blocks[d]
    return d if pixels((x, y, wide, stages.plate), viewport, ratio).contains(position) else -1


def without_area(scene: Scene) -> bool:
    """Whether ops can be dropped on devices that have no area, so that a chip has to stand for each."""
    stages = scene.layout.stages
    return not scene.by_device or (stages is not None and any(box[2] <= 0 for box in stages.blocks))


def pixels(box: Rect, viewport: Viewport, ratio: float = 1.0) -> QRectF:
    """A box of the scene in logical pixels, or, for a ratio of 1, in those of the viewport."""
    x, y = viewport.to_pixels(box[0], box[1])
    scale = viewport.scale / ratio
    return QRectF(x / ratio, y / ratio, box[2] * scale, box[3] * scale)
