"""The canvas widget: shows the document's graph in one of three views and turns mouse and keys into gestures."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from gui.canvas.graph.consequence import Consequence
from gui.canvas.graph.drops import Drops, DropTarget
from gui.canvas.graph.header_data import header_data
from gui.canvas.graph.heat.heat import COLOURINGS, STAGE, heat_of
from gui.canvas.graph.items import Items, kept_items
from gui.canvas.graph.lanes.layouts import Layouts
from gui.canvas.graph.lanes.links import Links, link_tooltip, links_of
from gui.canvas.graph.lanes.transfers import crossing_bytes
from gui.canvas.graph.layout_worker import LayoutWorker
from gui.canvas.graph.naming.row_headers import header_width
from gui.canvas.graph.palette import CanvasPalette, canvas_palette
from gui.canvas.graph.pointed_scene import PointedScene
from gui.canvas.graph.pointer import Pointer
from gui.canvas.graph.scene import VIEWS, Arranged, arrange, laid_out, life_size, skeleton_of
from gui.canvas.graph.surface import Surface
from gui.canvas.graph.tooltip import op_tooltip, op_words
from gui.layout import Layout, Skeleton
from gui.layout.drawn_edges import DrawnEdges, drawn_edges
from gui.look.theme import Theme
from gui.words.objectives import plan_times
from planner.model.graph import Floats, Ints

if TYPE_CHECKING:
    from gui.background.repairing import Repairing
    from gui.document.plan.document import Document
    from gui.document.values import DecisionChange


class CanvasView(PointedScene):
    """The graph as a wrapped ribbon (``flow``), with one band per device (``lanes``) or as blocks of cells (``stages``)."""

    view_changed = Signal(str)
    colouring_changed = Signal(str)
    scene_changed = Signal()

    _surface: Surface
    _pointer: Pointer

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(document, theme, parent)
        self._layouts = Layouts()
        self._items: Items | None = None
        self._skeleton: Skeleton | None = None
        self._laid_for = (0.0, 0.0)
        self._headers_of: tuple[object, object] = (None, None)
        """The problem and the evaluation that the headers were made from."""
        self._scene_serial = -1
        """The model that the scene is of, as the document counts them."""
        self.colouring = STAGE
        """What cards are coloured by, of :data:`COLOURINGS`, where the problem has it."""
        self.drops = Drops(self)
        self._surface = Surface(self, self.drops)
        self._pointer = Pointer(self, self._surface, self.drops)
        self._worker = LayoutWorker(self)
        self.setMinimumSize(240, 160)
        self.setAccessibleName("Graph canvas")
        document.model_changed.connect(self._graph_changed)
        document.problem_changed.connect(self._problem_changed)
        document.decision_changed.connect(self._assignment_changed)
        document.readouts_changed.connect(self._readouts_changed)
        document.selection_changed.connect(self._selection_changed)
        document.hover_changed.connect(self.repaint_attention)
        document.pointed_changed.connect(self.repaint_attention)
        document.groups_changed.connect(self._groups_changed)
        document.preview_changed.connect(self.drops.preview_changed)
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
        return self.drops.consequences

    @property
    def interacting(self) -> bool:
        """Whether someone is in the middle of a gesture or a question."""
        return self._pointer.busy or self.drops.choice.isVisible()

    @property
    def busy(self) -> bool:
        """Whether a layout is being made on the worker's thread."""
        return self._worker.busy

    @property
    def links(self) -> Links | None:
        """What crosses between the lanes; None where that is not shown."""
        return self._surface.links

    @property
    def row_header_width(self) -> float:
        """How wide the margin for names of rows is in the flow view, in logical pixels."""
        graph = self.document.graph
        return 0.0 if graph is None or self.view != "flow" else header_width(graph)

    def link_rect(self, stage: int) -> QRectF:
        """Where the bytes that enter a stage are written (logical pixels); empty where they are not."""
        return self._surface.link_rects().get(stage, QRectF())

    def link_at(self, position: QPointF) -> int:
        """The stage whose entering bytes are written at a position (logical pixels), -1 for none."""
        return self._surface.link_at(position)

    def ops_on(self, device: int) -> Ints:
        """The ops that a device has."""
        return np.flatnonzero(self.document.device_of == device).astype(np.int32)

    def card_words(self, item: int) -> tuple[list[str], list[str]]:
        """Name, kind, device and work; then the rest of what the pointer is told."""
        if self.scene is None or self.document.problem is None:
            return [], []
        name, kind, rows = op_words(self.document, self.scene.items, item, self.scene.heat)
        return [name, kind, rows[0][1], rows[1][1]], [f"{word} {value}" for word, value in rows[2:]]

    def set_view(self, view: str) -> None:
        """Show the ``flow``, the ``lanes`` or the ``stages`` view; ops glide from one to the other."""
        if view not in VIEWS:
            raise ValueError(f"view '{view}' is none of {', '.join(VIEWS)}")
        if view == self.view:
            return
        self.view = view
        self._hover_card.hide()  # what it is about glides away
        self._fit_pending = True
        self._relayout(animate=True)
        self.view_changed.emit(view)

    def set_colouring(self, colouring: str) -> None:
        """Colour the cards by their stage, or by what their ops cost (:data:`gui.canvas.graph.heat.heat.COLOURINGS`)."""
        if colouring not in COLOURINGS:
            raise ValueError(f"colouring '{colouring}' is none of {', '.join(COLOURINGS)}")
        if colouring != self.colouring:
            self.colouring = colouring
            self._take_heat()
            self._legend_changed()
            self.colouring_changed.emit(colouring)

    def _take_heat(self) -> None:
        if self.scene is not None and (problem := self.document.problem) is not None:
            device_of, times = self.document.device_of, plan_times(problem, self.document.evaluation)
            self.scene.heat = heat_of(problem, device_of, self.scene.items, self.colouring, times)

    def add_drop_target(self, target: DropTarget) -> None:
        """Let drags end on a widget outside the canvas."""
        self.drops.targets.append(target)

    def set_repairing(self, repairing: Repairing) -> None:
        """Offer to repair the rest after a drop that breaks a rule."""
        self.drops.repairing = repairing

    def device_at(self, position: QPointF, global_pos: QPoint) -> int:
        """The device on which a drop here would land, -1 for none."""
        return self.drops.device_at(position, global_pos)

    def carry(self, position: QPointF | None) -> None:
        """Draw the dragged card here; None ends it."""
        self._surface.carry(position)

    # ------------------------------------------------------------------ following the document
    def _graph_changed(self) -> None:
        self.stop_gesture("another graph was opened")
        self.drops.choice.hide()
        self._fit_pending = True
        self._pointer.forget()
        self._rebuild_items()
        self._drop_foreign_scene()

    def _work(self) -> Floats:
        """The time of each op on its device."""
        return self.document.open_problem.evaluator.work_on(self.document.device_of)

    def _drop_foreign_scene(self) -> None:
        """Show nothing rather than a scene of other ops or lanes: scene and document are about the same, and layouts of large graphs take a while."""
        scene, problem = self.scene, self.document.problem
        if scene is None or problem is None:
            return
        same_ops, k = self._scene_serial == self.document.model_serial, len(problem.devices)
        if same_ops and scene.k != k and not scene.by_device:
            scene.devices = problem.devices
            scene.set_devices(self.document.device_of, k, self._work())
        elif not same_ops or scene.k != k:
            self._glide.stop()
            self._hover_card.hide()
            self.scene = self._surface.headers = None
            self.repaint_scene()
            self.scene_changed.emit()

    def _rebuild_items(self) -> None:
        self._items = self._skeleton = None
        self._layouts.clear()
        self._relayout(animate=False)
        if self.document.problem is None:
            self.scene = None
            self.repaint_scene()
            self.scene_changed.emit()

    def _take_items(self) -> Items:
        document, kept = self.document, self._items
        places = () if self.view == "flow" else (document.device_of,)
        items = kept_items(kept, document.open_problem.graph, document.grouping, document.folded, places)
        if items is not kept:
            self._items, self._skeleton = items, None
            self._layouts.clear()
        return items

    def _groups_changed(self) -> None:
        self._fit_pending = True
        self._rebuild_items()

    def _problem_changed(self) -> None:
        self.stop_gesture("the problem changed")
        self._layouts.clear()
        self._relayout(animate=True)
        self._drop_foreign_scene()

    def _relayout(self, animate: bool) -> None:
        if (problem := self.document.problem) is None:
            return
        items = self._take_items()
        view, device_of, k = self.view, self.document.device_of, len(problem.devices)
        size = self._laid_for = self._layout_room()
        keep = self._layouts.rows_for(device_of) if view == "lanes" and not self._fit_pending else None
        skeleton, in_a_row, sent = self._skeleton, problem.target.in_a_row, problem.evaluator.sent

        def make() -> Arranged:
            made = skeleton or skeleton_of(items)
            layout = arrange(items, made, view, device_of, k, size, keep, in_a_row, size=sent)
            return items, made, layout, drawn_edges(layout, items)

        def deliver(result: object) -> None:
            self._take_layout(view, animate, keep, *cast(Arranged, result))

        self._worker.request(items.count, make, deliver)

    def _take_layout(
        self, view: str, animate: bool, kept: Layout | None, items: Items, skeleton: Skeleton, layout: Layout, edges: DrawnEdges
    ) -> None:  # fmt: skip
        problem = self.document.problem
        if items is not self._items or view != self.view or problem is None:
            return
        chosen = self._moved_by_hand or self._pointer.busy
        # A plan may also need far less room than the one before it.
        ratio, life = self.devicePixelRatioF(), life_size(layout)
        back = kept is not None and self._layouts.had(self.document.device_of)
        wastes = self.viewport.wastes(layout.bounds, 8 * ratio, life * ratio)
        misfit = not chosen and (back or wastes or not self.viewport.shows(layout.bounds))
        if misfit and kept is not None and not back:
            # Rows that were kept as they were do not suit the room any more: new ones do, where smaller cards
            # would lose their names.
            self._fit_pending = True
            self._relayout(animate)
            return
        self._skeleton = skeleton
        self._layouts.take(view, layout, self.document.device_of, kept)
        before = self.scene
        scene = laid_out(
            items, skeleton, layout, view, self.document.device_of, len(problem.devices), problem.devices, problem.evaluator, edges=edges
        )  # fmt: skip
        if before is not None and before.items is items:
            scene.highlighted, scene.all_faded = before.highlighted, before.all_faded
        self.scene, self._scene_serial = scene, self.document.model_serial
        self._take_heat()
        if self._fit_pending or misfit:
            self._fit_pending = False
            self._place_viewport()
        else:
            self._leave_room()
        self._mark_items()
        self._take_readouts()
        moving = animate and before is not None and before.items is items and self.isVisible()
        if moving and before is not None and self._glide.start(before.x, before.y, layout.x, layout.y):
            scene.x, scene.y = self._glide.x, self._glide.y
            scene.settled = False
        else:
            self._glide.stop()
        self.repaint_scene()
        self.scene_changed.emit()
        self.viewport_changed.emit()

    def stop_animation(self) -> None:
        """Let gliding cards jump to their places."""
        if self._glide.running:
            self._glide.stop()
            self._glided()

    def _assignment_changed(self, change: DecisionChange) -> None:
        self._drop_foreign_scene()
        scene, problem = self.scene, self.document.problem
        if scene is None or problem is None:
            return
        if self.view != "flow":
            self._relayout(animate=True)
        else:
            self._layouts.drop_lanes()
            scene.set_devices(self.document.device_of, len(problem.devices), self._work())
            self._mark_items()
        self._take_heat()
        self.repaint_scene()

    def _readouts_changed(self) -> None:
        self._drop_foreign_scene()
        self._mark_items()
        self._take_readouts()
        self.repaint_scene()
        self.told.say_changes()

    def _take_readouts(self) -> None:
        scene, problem = self.scene, self.document.problem
        if scene is None or problem is None:
            return
        scene.set_evaluation(problem, self.document.evaluation)
        made_from = (problem, scene.evaluation)
        if scene.by_device and not all(a is b for a, b in zip(made_from, self._headers_of, strict=True)):
            self._headers_of = made_from
            crossing = crossing_bytes(problem.graph, ops := self.document.device_of, scene.k, scene.size)
            self._surface.headers = header_data(scene, problem, crossing, links_of(problem, ops))

    def _mark_items(self) -> None:
        scene, document = self.scene, self.document
        if scene is None or document.problem is None:
            return
        scene.select(document.selection)
        scene.pinned = scene.mask(np.flatnonzero(document.problem.evaluator.pinned >= 0))
        broken = [op for violation in document.evaluation.violations for op in violation.ops]
        scene.violating = scene.mask(np.array(broken, np.int64))

    def _selection_changed(self) -> None:
        self._drop_foreign_scene()
        self._show_selection()
        count, graph = len(self.document.selection), self.document.graph
        if graph is not None:
            first = graph.op_names[int(self.document.selection[0])] if count else "nothing"
            self.setAccessibleDescription(f"{first} selected" if count <= 1 else f"{count} ops selected")
        self.repaint_scene()
        self.told.say_current()

    # ------------------------------------------------------------------ the pointer
    @property
    def selection(self) -> Ints:
        """The document's."""
        return self.document.selection

    def select(self, ops: Ints, mode: str = "replace") -> None:
        """In the document."""
        self.document.select(ops, mode)

    def hover_op(self, op: int) -> None:
        """In the document."""
        self.document.set_hover(op)

    def say_hover(self, position: QPointF) -> None:
        """About an op, a device or what crosses a border between lanes."""
        item, link, text = self.item_at(position), self.link_at(position), ""
        if self.scene is None or self._pointer.busy:
            pass
        elif link >= 0 and self.links is not None:
            titles = tuple(device.title for device in self.document.board.open_problem.devices)
            text = link_tooltip(self.links, link, titles)
        elif item >= 0:
            text = op_tooltip(self.document, self.scene.items, item, self.scene.heat)
        self.say_about(position, text)

    # ------------------------------------------------------------------ size and end
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out again for another shape and show everything, unless someone chose what to look at."""
        ratio = self.devicePixelRatioF()
        self.viewport.resize(int(self.width() * ratio), int(self.height() * ratio))
        if self._moved_by_hand:
            self._moved_viewport(self._walking)
        elif self.scene is not None and self._layout_room() != self._laid_for:
            self._layouts.clear()
            self._fit_pending = True
            self._relayout(animate=False)
        self.drops.choice.keep_inside()
        self.repaint_scene()

    def sizeHint(self) -> QSize:
        """Room for a graph."""
        return QSize(800, 560)

    def close_canvas(self) -> None:
        """Stop everything that runs: animation and layout thread."""
        self.stop_gesture("closing")
        self._glide.stop()
        self._worker.close()
