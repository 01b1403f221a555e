"""The canvas widget: shows the document's graph in one of two views and turns mouse and keys into gestures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QWidget

from gui.canvas import raster
from gui.canvas.animation import Glide
from gui.canvas.consequence import Consequence, consequences, rule_words
from gui.canvas.drop_choice import DropChoice
from gui.canvas.gestures import Gesture, MoveOps, Pan, RubberBand
from gui.canvas.gestures.rubber_band import selection_mode
from gui.canvas.headers import HEADER_WIDTH, HeaderData, header_data, lane_extents, paint_headers
from gui.canvas.items import Items, items_of
from gui.canvas.keyboard import neighbour
from gui.canvas.layout import Layout, Skeleton
from gui.canvas.layout_worker import LayoutWorker
from gui.canvas.overlay import paint_attention, paint_band, paint_carried, paint_lane_consequences
from gui.canvas.painter import paint_scene, wrap_image
from gui.canvas.palette import CanvasPalette, canvas_palette
from gui.canvas.scene import Scene, arrange, crossing_bytes, skeleton_of
from gui.canvas.strip import chip_rects, paint_strip
from gui.canvas.tooltip import op_tooltip
from gui.canvas.viewport import Viewport
from gui.theme import Theme
from gui.widgets.numbers import one_time, plural, time_column
from planner.graph import Floats, Ints

if TYPE_CHECKING:
    from gui.document import Document
    from gui.values import AssignmentChange

NOTHING = np.empty(0, np.int32)
LIFE_SIZE = 1.25
"""The largest zoom that fitting something into the window takes."""


class DropTarget(Protocol):
    """A widget outside the canvas on whose device cards ops can be dropped."""

    def device_at(self, global_pos: QPoint) -> int:
        """The device under a screen position, -1 for none."""


class CanvasView(QWidget):
    """The graph as a wrapped ribbon (``flow``) or with one band per device (``lanes``)."""

    view_changed = Signal(str)
    viewport_changed = Signal()
    scene_changed = Signal()
    context_menu = Signal(QPoint, int)

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.document = document
        self.theme = theme
        self.view = "flow"
        self.viewport = Viewport()
        self.scene: Scene | None = None
        self._layouts: dict[str, Layout] = {}
        self._items: Items | None = None
        self._skeleton: Skeleton | None = None
        self._buffer = raster.new_image(1, 1)
        self._image: QImage = wrap_image(self._buffer)
        self._over = raster.new_image(1, 1)
        self._over_image: QImage = wrap_image(self._over)
        self._base_stale = True
        self._over_stale = True
        self._headers: HeaderData | None = None
        self._consequences: list[Consequence] = []
        self._gesture: Gesture | None = None
        self._pressed: QPointF | None = None
        self._pressed_item = -1
        self._carry: QPointF | None = None
        self._band: QRectF | None = None
        self._space = False
        self._cursor_op = -1
        self._fit_pending = True
        self._laid_for = (0.0, 0.0)
        self._drop_targets: list[DropTarget] = []
        self._worker = LayoutWorker(self)
        self._glide = Glide(self)
        self._glide.stepped.connect(self._glided)
        self._choice = DropChoice(self)
        self._choice.along_chosen.connect(lambda: self._drop(along=True))
        self._choice.anyway_chosen.connect(lambda: self._drop(along=False))
        self._choice.dismissed.connect(self._drop_dismissed)
        self._choice_device = -1
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent, True)
        self.setMinimumSize(240, 160)
        self.setAccessibleName("Graph canvas")
        document.graph_changed.connect(self._graph_changed)
        document.problem_changed.connect(self._problem_changed)
        document.assignment_changed.connect(self._assignment_changed)
        document.readouts_changed.connect(self._readouts_changed)
        document.selection_changed.connect(self._selection_changed)
        document.hover_changed.connect(self._attention_changed)
        document.groups_changed.connect(self._groups_changed)
        document.preview_changed.connect(self._preview_changed)
        self._graph_changed()

    # ------------------------------------------------------------------ public
    @property
    def palette_now(self) -> CanvasPalette:
        """Colours for the current theme and device count."""
        problem = self.document.problem
        return canvas_palette(self.theme, 1 if problem is None else len(problem.devices))

    @property
    def consequences(self) -> list[Consequence]:
        """What a drop on each device would give; empty while nothing is dragged."""
        return self._consequences

    @property
    def interacting(self) -> bool:
        """Whether someone is in the middle of a gesture or a question."""
        return self._gesture is not None or self._pressed is not None or self._choice.isVisible()

    @property
    def busy(self) -> bool:
        """Whether a layout is being made on the worker's thread."""
        return self._worker.busy

    @property
    def animating(self) -> bool:
        """Whether cards are gliding to their places."""
        return self._glide.running

    @property
    def scale(self) -> float:
        """Logical pixels per scene unit."""
        return self.viewport.scale / self.devicePixelRatioF()

    def set_reduced_motion(self, reduced: bool) -> None:
        """Let ops jump instead of gliding."""
        self._glide.reduced = reduced

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.theme = theme
        self._repaint_base()

    def set_view(self, view: str) -> None:
        """Show the ``flow`` or the ``lanes`` view; ops glide from one to the other."""
        if view not in ("flow", "lanes"):
            raise ValueError(f"view '{view}' is neither flow nor lanes")
        if view == self.view:
            return
        self.view = view
        self._fit_pending = True
        self._relayout(animate=True)
        self.view_changed.emit(view)

    def add_drop_target(self, target: DropTarget) -> None:
        """Let drags end on a widget outside the canvas."""
        self._drop_targets.append(target)

    def set_highlight(self, mask: np.ndarray | None) -> None:
        """Let the ops of ``mask`` (bool[n]) stand out and fade the others; None ends it."""
        if self.scene is None:
            return
        if mask is None or len(mask) != self.scene.items.graph.n:
            self.scene.highlighted = np.zeros(self.scene.items.count, bool)
        else:
            self.scene.highlighted = self.scene.mask(np.flatnonzero(mask))
        self._repaint_base()

    def fit(self) -> None:
        """Show everything."""
        if self.scene is not None:
            self._fit_pending = False
            self._place_viewport()
            self._repaint_base()
            self.viewport_changed.emit()

    def zoom_by(self, factor: float, at: QPointF | None = None) -> None:
        """Zoom around a position (logical pixels), the middle by default."""
        ratio = self.devicePixelRatioF()
        point = QPointF(self.width() / 2, self.height() / 2) if at is None else at
        self.viewport.zoom(factor, point.x() * ratio, point.y() * ratio)
        self._moved_viewport()

    def pan_by(self, dx: float, dy: float) -> None:
        """Move the picture by logical pixels."""
        ratio = self.devicePixelRatioF()
        self.viewport.pan(dx * ratio, dy * ratio)
        self._moved_viewport()

    def center_on(self, x: float, y: float) -> None:
        """Bring a scene position to the middle."""
        v = self.viewport
        v.ox = (v.width + v.left) / 2 - x * v.scale
        v.oy = v.height / 2 - y * v.scale
        self._moved_viewport()

    def zoom_to_ops(self, ops: Ints) -> None:
        """Show these ops as large as fits, but not larger than life."""
        scene = self.scene
        if scene is None or len(ops) == 0:
            return
        items = np.unique(scene.items.item_of[np.asarray(ops)])
        x0, y0 = float(scene.layout.x[items].min()), float(scene.layout.y[items].min())
        x1 = float((scene.layout.x[items] + scene.w[items]).max())
        y1 = float((scene.layout.y[items] + scene.h[items]).max())
        pad = 60.0
        smallest = self.viewport.smallest
        self.viewport.fit(
            (x0 - pad, y0 - pad, x1 - x0 + 2 * pad, y1 - y0 + 2 * pad), largest=LIFE_SIZE * self.devicePixelRatioF()
        )
        self.viewport.smallest = smallest
        self._moved_viewport()

    def reveal(self, op: int) -> None:
        """Bring an op into sight at a readable size, moving no more than needed."""
        scene = self.scene
        if scene is None or not 0 <= op < scene.items.graph.n:
            return
        i = int(scene.items.item_of[op])
        ratio = self.devicePixelRatioF()
        if self.viewport.scale < 0.55 * ratio:
            self.viewport.scale = 0.8 * ratio
            self.center_on(
                float(scene.layout.x[i] + scene.w[i] / 2), float(scene.layout.y[i] + scene.h[i] / 2)
            )
            return
        x, y = self.viewport.to_pixels(float(scene.layout.x[i]), float(scene.layout.y[i]))
        w, h = float(scene.w[i]) * self.viewport.scale, float(scene.h[i]) * self.viewport.scale
        inside = (
            x >= self.viewport.left
            and y >= 0
            and x + w <= self.viewport.width
            and y + h <= self.viewport.height
        )
        if not inside:
            self.center_on(
                float(scene.layout.x[i] + scene.w[i] / 2), float(scene.layout.y[i] + scene.h[i] / 2)
            )

    def op_rect(self, op: int) -> QRectF:
        """Where an op's card is drawn (logical pixels); for tests and assistive tools."""
        scene = self.scene
        assert scene is not None
        i = int(scene.items.item_of[op])
        ratio = self.devicePixelRatioF()
        x, y = self.viewport.to_pixels(float(scene.x[i]), float(scene.y[i]))
        return QRectF(
            x / ratio,
            y / ratio,
            float(scene.w[i]) * self.viewport.scale / ratio,
            float(scene.h[i]) * self.viewport.scale / ratio,
        )

    def lane_rect(self, device: int) -> QRectF:
        """Where a device's lane is drawn (logical pixels); empty in the flow view."""
        if self.scene is None or not self.scene.layout.lanes:
            return QRectF()
        ratio = self.devicePixelRatioF()
        top, bottom = lane_extents(self.scene, self.viewport)[device]
        return QRectF(HEADER_WIDTH, top / ratio, self.width() - HEADER_WIDTH, (bottom - top) / ratio)

    def chip_rect(self, device: int) -> QRectF:
        """Where a device's chip is while ops are dragged in the flow view (logical pixels)."""
        problem = self.document.problem
        assert problem is not None
        return chip_rects(self.width(), self.height(), len(problem.devices))[device]

    def ops_in(self, rect: QRectF) -> Ints:
        """Ops whose cards a rectangle (logical pixels) touches."""
        scene = self.scene
        if scene is None:
            return NOTHING
        ratio = self.devicePixelRatioF()
        corners = (rect.left() * ratio, rect.top() * ratio, rect.right() * ratio, rect.bottom() * ratio)
        v = self.viewport
        items = raster.ops_in_rect(corners, scene.x, scene.y, scene.w, scene.h, v.scale, v.ox, v.oy)
        return scene.items.ops_of(items)

    def item_at(self, position: QPointF) -> int:
        """The card at a position (logical pixels), -1 for none."""
        scene = self.scene
        if scene is None or (scene.layout.lanes and position.x() < HEADER_WIDTH):
            return -1
        ratio, v = self.devicePixelRatioF(), self.viewport
        return raster.hit_op(
            position.x() * ratio, position.y() * ratio, scene.x, scene.y, scene.w, scene.h, v.scale, v.ox, v.oy,
            slop_px=3.0 * ratio,
        )  # fmt: skip

    def device_at(self, position: QPointF, global_pos: QPoint) -> int:
        """The device on which a drop here would land, -1 for none."""
        if self.rect().contains(position.toPoint()):
            if self.scene is None or self.document.problem is None:
                return -1
            if self.scene.layout.lanes:
                y = position.y() * self.devicePixelRatioF()
                for d, (top, bottom) in enumerate(lane_extents(self.scene, self.viewport)):
                    if top <= y < bottom:
                        return d
                return -1
            rects = chip_rects(self.width(), self.height(), len(self.document.problem.devices))
            return next((d for d, rect in enumerate(rects) if rect.contains(position)), -1)
        return next((d for t in self._drop_targets if (d := t.device_at(global_pos)) >= 0), -1)

    def carry(self, position: QPointF | None) -> None:
        """Draw the dragged card here; None ends it."""
        self._carry = position
        self.update()

    def show_band(self, rect: QRectF | None) -> None:
        """Draw the rubber band; None ends it."""
        self._band = rect
        self.update()

    def ask_about_drop(self, position: QPointF, device: int) -> None:
        """Ask what to do with a drop on ``device`` that would break a rule; the preview stays on."""
        preview, problem = self.document.preview, self.document.problem
        assert preview is not None
        assert problem is not None
        self._choice_device = device
        said = preview.reasons(device)
        sentence = said[0] if said else "That would break a rule."
        if len(said) > 1:
            sentence += f" (and {plural(len(said) - 1, 'more problem', 'more problems')})"
        effect = ""
        if len(preview.along):
            live = self.document.live
            assert live is not None
            moved = np.union1d(preview.ops, preview.along).astype(np.int32)
            value = float(live.delta(moved).objective[device])
            effect = f"With them along: {problem.objective} {one_time(value, problem.graph.time_unit)}"
        self._choice.ask(position.toPoint(), sentence, len(preview.along), effect)

    def stop_gesture(self, reason: str) -> None:
        """Cancel whatever is going on."""
        if self._gesture is not None:
            self._gesture.cancel(reason)
            self._gesture = None
        self._pressed = None
        self.unsetCursor()

    # ------------------------------------------------------------------ following the document
    def _graph_changed(self) -> None:
        self.stop_gesture("another graph was opened")
        self._choice.hide()
        self._layouts.clear()
        self._fit_pending = True
        self._cursor_op = -1
        self._rebuild_items()

    def _rebuild_items(self) -> None:
        graph = self.document.graph
        if graph is None or self.document.problem is None:
            self._items = self._skeleton = self.scene = None
            self._repaint_base()
            self.scene_changed.emit()
            return
        self._items = items_of(graph, self.document.grouping, self.document.folded)
        self._skeleton = None
        self._layouts.clear()
        self._relayout(animate=False)

    def _groups_changed(self) -> None:
        self._rebuild_items()

    def _problem_changed(self) -> None:
        self.stop_gesture("the problem changed")
        self._layouts.clear()
        self._relayout(animate=True)

    def _relayout(self, animate: bool) -> None:
        items, problem = self._items, self.document.problem
        if items is None or problem is None:
            return
        view, device_of, k = self.view, self.document.device_of, len(problem.devices)
        size = self._laid_for = self._layout_room()
        keep = self._layouts.get("lanes") if view == "lanes" and not self._fit_pending else None
        skeleton = self._skeleton

        def make() -> tuple[Items, Skeleton, Layout]:
            made = skeleton or skeleton_of(items)
            return items, made, arrange(items, made, view, device_of, k, size, keep)

        def deliver(result: object) -> None:
            self._take_layout(view, animate, *cast("tuple[Items, Skeleton, Layout]", result))

        self._worker.request(items.count, make, deliver)

    def _take_layout(
        self, view: str, animate: bool, items: Items, skeleton: Skeleton, layout: Layout
    ) -> None:
        problem = self.document.problem
        if items is not self._items or view != self.view or problem is None:
            return
        self._skeleton = skeleton
        self._layouts[view] = layout
        before = self.scene
        k = len(problem.devices)
        device, mixed = items.devices(self.document.device_of, k)
        places = layout.x.copy(), layout.y.copy()
        scene = Scene(items, skeleton, layout, view, device, mixed, k, *places, devices=problem.devices)
        if before is not None and before.items is items:
            scene.highlighted = before.highlighted
        self.scene = scene
        if self._fit_pending:
            self._fit_pending = False
            self._place_viewport()
        else:
            self.viewport.left = self._header_px()
        self._mark_items()
        self._take_readouts()
        moving = animate and before is not None and before.items is items and self.isVisible()
        if moving and before is not None and self._glide.start(before.x, before.y, layout.x, layout.y):
            scene.x, scene.y = self._glide.x, self._glide.y
            scene.settled = False
        else:
            self._glide.stop()
        self._repaint_base()
        self.scene_changed.emit()
        self.viewport_changed.emit()

    def _glided(self) -> None:
        self.show_places(self._glide.x, self._glide.y)

    def show_places(self, x: Floats, y: Floats) -> None:
        """Draw the cards here (scene units): on their way while a glide runs, else where they belong."""
        if self.scene is None:
            return
        self.scene.x, self.scene.y = x, y
        layout = self.scene.layout
        self.scene.settled = np.array_equal(x, layout.x) and np.array_equal(y, layout.y)
        self._repaint_base()

    def stop_animation(self) -> None:
        """Let gliding cards jump to their places."""
        if self._glide.running:
            self._glide.stop()
            self._glided()

    def _assignment_changed(self, change: AssignmentChange) -> None:
        scene, problem = self.scene, self.document.problem
        if scene is None or problem is None:
            return
        if self.view == "lanes":
            self._relayout(animate=True)
        else:
            self._layouts.pop("lanes", None)
            scene.set_devices(self.document.device_of, len(problem.devices))
            self._mark_items()
        self._repaint_base()

    def _readouts_changed(self) -> None:
        self._mark_items()
        self._take_readouts()
        self._repaint_base()

    def _take_readouts(self) -> None:
        scene, problem = self.scene, self.document.problem
        if scene is None or problem is None:
            return
        scene.evaluation = self.document.evaluation
        if scene.layout.lanes:
            crossing = crossing_bytes(problem.graph, self.document.device_of, len(problem.devices))
            self._headers = header_data(scene, problem.devices, crossing)

    def _mark_items(self) -> None:
        scene, document = self.scene, self.document
        if scene is None or document.problem is None:
            return
        scene.selected = scene.mask(document.selection)
        scene.pinned = scene.mask(np.flatnonzero(document.problem.evaluator.pinned >= 0))
        broken = [op for violation in document.evaluation.violations for op in violation.ops]
        scene.violating = scene.mask(np.array(broken, np.int64))

    def _selection_changed(self) -> None:
        if self.scene is not None:
            self.scene.selected = self.scene.mask(self.document.selection)
        count = len(self.document.selection)
        graph = self.document.graph
        if graph is not None:
            first = graph.op_names[int(self.document.selection[0])] if count else "nothing"
            self.setAccessibleDescription(f"{first} selected" if count <= 1 else f"{count} ops selected")
        self._repaint_base()

    def _attention_changed(self) -> None:
        self._over_stale = True
        self.update()

    def _preview_changed(self) -> None:
        preview, problem, live = self.document.preview, self.document.problem, self.document.live
        if preview is None or problem is None or live is None:
            self._consequences = []
            self._choice.hide()  # its question was about the preview
        elif not self._consequences or len(self._consequences) != len(preview.objective):
            self._consequences = self._judge()
        self._over_stale = True
        self.update()

    def _judge(self) -> list[Consequence]:
        preview, problem, live = self.document.preview, self.document.problem, self.document.live
        assert preview is not None
        assert problem is not None
        assert live is not None
        column = time_column([live.objective], problem.graph.time_unit)
        words = tuple(rule_words(int(code)) for code in live.check(preview.ops).codes)
        return consequences(preview, live.objective, column, words)

    # ------------------------------------------------------------------ geometry
    def _header_px(self) -> int:
        return int(HEADER_WIDTH * self.devicePixelRatioF()) if self.view == "lanes" else 0

    def _layout_room(self) -> tuple[float, float]:
        """The room a layout should fill, in logical pixels."""
        header = HEADER_WIDTH if self.view == "lanes" else 0
        return max(200.0, self.width() - header - 24.0), max(150.0, self.height() - 24.0)

    def _place_viewport(self) -> None:
        assert self.scene is not None
        ratio = self.devicePixelRatioF()
        self.viewport.resize(int(self.width() * ratio), int(self.height() * ratio))
        self.viewport.left = self._header_px()
        self.viewport.fit(self.scene.layout.bounds, margin=8 * ratio, largest=LIFE_SIZE * ratio)

    def _moved_viewport(self) -> None:
        if self.scene is not None:
            self.viewport.keep_near(self.scene.layout.bounds)
        self._repaint_base()
        self.viewport_changed.emit()

    def _repaint_base(self) -> None:
        self._base_stale = True
        self._over_stale = True
        self.update()

    # ------------------------------------------------------------------ painting
    def paintEvent(self, event: QPaintEvent) -> None:
        """Blit the painted scene, then what follows the pointer."""
        ratio = self.devicePixelRatioF()
        self._paint_base(ratio)
        painter = QPainter(self)
        painter.drawImage(0, 0, self._image)
        scene = self.scene
        if scene is None:
            return
        attention = self._attention()
        if len(attention):
            if self._over_stale:
                preview = self.document.preview
                along = np.unique(scene.items.item_of[preview.along]) if preview is not None else NOTHING
                paint_attention(self._over, scene, self.viewport, self.palette_now, attention, ratio, along)
                self._over_stale = False
            painter.drawImage(0, 0, self._over_image)
            if scene.layout.lanes:
                self._paint_header_margin(painter, ratio)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        if self._consequences and self.document.preview is not None:
            self._paint_consequences(painter, ratio)
        if self._band is not None:
            paint_band(painter, self._band, self.theme)

    def _paint_base(self, ratio: float) -> None:
        size = QSize(max(1, int(self.width() * ratio)), max(1, int(self.height() * ratio)))
        if (self._buffer.shape[1], self._buffer.shape[0]) != (size.width(), size.height()):
            self._buffer = raster.new_image(size.width(), size.height())
            self._over = raster.new_image(size.width(), size.height())
            self._image, self._over_image = wrap_image(self._buffer), wrap_image(self._over)
            self._image.setDevicePixelRatio(ratio)
            self._over_image.setDevicePixelRatio(ratio)
            self._base_stale = self._over_stale = True
        if not self._base_stale:
            return
        self._base_stale = False
        if self.scene is None:
            raster.fill(self._buffer, None, 0xFF000000 | int(self.theme.canvas[1:], 16), replace=True)
            return
        image = wrap_image(self._buffer)
        paint_scene(self._buffer, self.scene, self.viewport, self.palette_now, ratio)
        if self.scene.layout.lanes:
            painter = QPainter(image)
            paint_headers(painter, self.scene, self.viewport, self.palette_now, self._headers, ratio)
            painter.end()

    def _paint_header_margin(self, painter: QPainter, ratio: float) -> None:
        """Headers again, over attention edges that run beneath them."""
        painter.save()
        painter.scale(1 / ratio, 1 / ratio)
        assert self.scene is not None
        paint_headers(painter, self.scene, self.viewport, self.palette_now, self._headers, ratio)
        painter.restore()

    def _attention(self) -> np.ndarray:
        """Items whose edges stand out: the dragged ones, else the hovered one, else a small selection."""
        scene, document = self.scene, self.document
        if scene is None:
            return NOTHING
        if document.preview is not None:
            return np.unique(scene.items.item_of[document.preview.ops])
        chosen = document.selection if len(document.selection) <= 50 else NOTHING
        if 0 <= document.hover < scene.items.graph.n:
            chosen = np.append(chosen, document.hover)
        return np.unique(scene.items.item_of[chosen])

    def _paint_consequences(self, painter: QPainter, ratio: float) -> None:
        scene, preview, problem = self.scene, self.document.preview, self.document.problem
        assert scene is not None
        assert preview is not None
        assert problem is not None
        titles = tuple(d.title for d in problem.devices)
        palette, target = self.palette_now, preview.target
        if scene.layout.lanes:
            paint_lane_consequences(painter, scene, self.viewport, palette, self._consequences, target, ratio)
        elif self._carry is not None:
            paint_strip(painter, self.width(), self.height(), titles, self._consequences, target, palette)
        if self._carry is None:
            return
        graph = problem.graph
        ops = preview.ops
        label = graph.op_names[int(ops[0])] if len(ops) == 1 else plural(len(ops), "op")
        kind = graph.kinds[int(ops[0])] if len(ops) == 1 else "dragged together"
        said = self._consequences[target] if target >= 0 else None
        detail = ""
        if said is not None and not said.legal and not said.stays:
            reasons = preview.reasons(target)
            detail = reasons[0] if reasons else said.reason
            if len(preview.along):
                detail = f"drop to move {len(preview.along)} more along, or Esc"
        origin = int(scene.device[scene.items.item_of[ops[0]]])
        paint_carried(
            painter, self._carry, label, kind, titles[target] if target >= 0 else "", said,
            palette.devices[origin].accent, self.theme, QRectF(self.rect()), detail,
        )  # fmt: skip

    # ------------------------------------------------------------------ mouse
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Left on a card selects or drags it, left on the ground draws a rubber band, middle or space pans."""
        if self._choice.isVisible():
            self._choice.dismiss()
            return
        position = event.position()
        if event.button() == Qt.MouseButton.MiddleButton or (
            event.button() == Qt.MouseButton.LeftButton and self._space
        ):
            self._begin(Pan(self, position))
            return
        if event.button() != Qt.MouseButton.LeftButton:
            return
        self._pressed = position
        self._pressed_item = self.item_at(position)

    def _begin(self, gesture: Gesture) -> None:
        self._gesture = gesture
        self.setCursor(gesture.cursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Continue a gesture, start one beyond the drag distance, or hover."""
        position, global_pos = event.position(), event.globalPosition().toPoint()
        if self._gesture is not None:
            self._gesture.update(position, global_pos, event.modifiers())
            return
        if self._pressed is not None:
            if (position - self._pressed).manhattanLength() >= QApplication.startDragDistance():
                self._start_drag(event.modifiers())
                if self._gesture is not None:
                    self._gesture.update(position, global_pos, event.modifiers())
            return
        item = self.item_at(position)
        self.document.set_hover(-1 if item < 0 or self.scene is None else int(self.scene.items.first[item]))

    def _start_drag(self, modifiers: Qt.KeyboardModifier) -> None:
        assert self._pressed is not None
        start, self._pressed = self._pressed, None
        scene = self.scene
        if scene is None:
            return
        if self._pressed_item < 0:
            self._begin(RubberBand(self, start))
            return
        ops = scene.items.ops(self._pressed_item)
        if not np.isin(ops, self.document.selection).all():
            self.document.select(ops, "add" if modifiers & Qt.KeyboardModifier.ShiftModifier else "replace")
        move = MoveOps(self, start)
        self._begin(move)
        move.begin(self.document.selection)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a gesture, or select what was clicked."""
        if self._gesture is not None:
            gesture, self._gesture = self._gesture, None
            self.unsetCursor()
            gesture.finish(event.globalPosition().toPoint(), event.modifiers())
            return
        if self._pressed is None or event.button() != Qt.MouseButton.LeftButton:
            return
        self._pressed = None
        if self.scene is None:
            return
        mode = selection_mode(event.modifiers())
        if self._pressed_item >= 0:
            ops = self.scene.items.ops(self._pressed_item)
            self._cursor_op = int(ops[0])
            self.document.select(ops, mode)
        elif mode == "replace":
            device = self._header_at(event.position())
            self.document.select(NOTHING if device < 0 else np.flatnonzero(self.document.device_of == device))

    def _header_at(self, position: QPointF) -> int:
        """The lane header under a position; clicking it selects the device's ops."""
        if self.scene is None or not self.scene.layout.lanes or position.x() >= HEADER_WIDTH:
            return -1
        y = position.y() * self.devicePixelRatioF()
        extents = lane_extents(self.scene, self.viewport)
        return next((d for d, (top, bottom) in enumerate(extents) if top <= y < bottom), -1)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """On a folded group: unfold it; on an op: zoom to it; on the ground: show everything."""
        item = self.item_at(event.position())
        if item < 0 or self.scene is None:
            self.fit()
            return
        ops = self.scene.items.ops(item)
        grouping = self.document.grouping
        if len(ops) > 1 and grouping is not None:
            self.document.unfold([int(grouping.group_of[ops[0]])])
        else:
            self.zoom_to_ops(ops)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The wheel zooms around the pointer; a touchpad, or the wheel with Shift, pans."""
        pixels = event.pixelDelta()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier or pixels.isNull():
            step = event.angleDelta().y() or event.angleDelta().x()
            if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                self.pan_by(step / 2, 0)
            elif step:
                self.zoom_by(1.0015**step, event.position())
        else:
            self.pan_by(pixels.x(), pixels.y())
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is hovered."""
        self.document.set_hover(-1)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask the window for a menu about the op under the pointer (or the selection, by keyboard)."""
        op = -1
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            op = int(self.document.selection[0]) if len(self.document.selection) else -1
        else:
            item = self.item_at(QPointF(event.pos()))
            if item >= 0 and self.scene is not None:
                ops = self.scene.items.ops(item)
                op = int(ops[0])
                if not np.isin(ops, self.document.selection).all():
                    self.document.select(ops)
        self.context_menu.emit(event.globalPos(), op)

    def event(self, event: QEvent) -> bool:
        """Tooltips are made when asked for."""
        if event.type() == QEvent.Type.ToolTip:
            from PySide6.QtWidgets import QToolTip

            position = QPointF(self.mapFromGlobal(event.globalPos()))  # type: ignore[attr-defined]
            item = self.item_at(position)
            if item < 0 or self.scene is None or self._gesture is not None:
                QToolTip.hideText()
            else:
                QToolTip.showText(event.globalPos(), op_tooltip(self.document, self.scene.items, item), self)  # type: ignore[attr-defined]
            return True
        return super().event(event)

    # ------------------------------------------------------------------ the question after an illegal drop
    def _drop(self, along: bool) -> None:
        preview, device = self.document.preview, self._choice_device
        self.document.end_preview()
        if preview is not None and device >= 0:
            self.document.move(preview.ops, device, along=along)
        self.setFocus()

    def _drop_dismissed(self) -> None:
        self.document.end_preview()
        self.setFocus()

    # ------------------------------------------------------------------ keys
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows walk along edges and columns, space pans, escape cancels."""
        key = event.key()
        if key == Qt.Key.Key_Escape and (self._gesture is not None or self._pressed is not None):
            self.stop_gesture("escape")
        elif key == Qt.Key.Key_Escape:
            self.document.select(NOTHING)
        elif key == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._space = True
            self.setCursor(Qt.CursorShape.OpenHandCursor)
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._walk(Qt.Key(key), event.modifiers())
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom_by(1.25)
        elif key == Qt.Key.Key_Minus:
            self.zoom_by(0.8)
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """The end of panning with space."""
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._space = False
            if self._gesture is None:
                self.unsetCursor()
        else:
            super().keyReleaseEvent(event)

    def _walk(self, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> None:
        scene = self.scene
        if scene is None or scene.items.count == 0:
            return
        current = self._cursor_op
        if current < 0 and len(self.document.selection):
            current = int(self.document.selection[0])
        item = 0 if current < 0 else neighbour(scene, int(scene.items.item_of[current]), key)
        ops = scene.items.ops(item)
        self._cursor_op = int(ops[0])
        self.document.select(ops, "add" if modifiers & Qt.KeyboardModifier.ShiftModifier else "replace")
        self.reveal(self._cursor_op)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """A gesture does not outlive the focus, except for its own question."""
        self._space = False
        if event.reason() == Qt.FocusReason.ActiveWindowFocusReason:
            self.stop_gesture("the window lost the focus")
        super().focusOutEvent(event)

    # ------------------------------------------------------------------ size and end
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out again for another shape; the picture is fitted as long as nobody moved it."""
        ratio = self.devicePixelRatioF()
        self.viewport.resize(int(self.width() * ratio), int(self.height() * ratio))
        if self.scene is not None and self._layout_room() != self._laid_for:
            self._layouts.clear()
            self._fit_pending = True
            self._relayout(animate=False)
        self._repaint_base()

    def sizeHint(self) -> QSize:
        """Room for a graph."""
        return QSize(800, 560)

    def close_canvas(self) -> None:
        """Stop everything that runs: animation and layout thread."""
        self.stop_gesture("closing")
        self._glide.stop()
        self._worker.close()
