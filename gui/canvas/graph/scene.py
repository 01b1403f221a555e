"""The drawn scene: items, where they stand, what colours they have. Arrays only, no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import InitVar, dataclass, field, replace
from functools import cached_property

import numpy as np

from gui.canvas.graph.detail import CELL_NAMED, Detail, detail_at
from gui.canvas.graph.heat.heat import Heat
from gui.canvas.graph.items import NO_SPLITS, Items, Splits
from gui.canvas.graph.lanes.header_form import height_for_details
from gui.canvas.graph.lanes.transfers import unsent_edges
from gui.canvas.graph.viewport import Rect
from gui.layout import Layout, LayoutStyle, Skeleton, flow_layout, lanes_layout, prepare, stages_layout
from gui.layout.drawn_edges import DrawnEdges, drawn_edges
from gui.layout.stages import NO_WORDS, Words
from gui.look.numbers import Column, detailed_column
from gui.words.objectives import plan_times
from planner.model.crossings import device_flow, device_links
from planner.model.graph import Bools, Floats, Graph, Ints
from planner.problem.decision import Evaluation
from planner.problem.evaluator import Evaluator
from planner.problem.problem import Problem
from planner.problem.target import Device

STYLE = LayoutStyle(header_w=1.0, header_h=1.0)
"""Lane headers are drawn in the margin at a readable size whatever the zoom, so the scene keeps no room for them."""

VIEWS = ("flow", "lanes", "stages")
"""A wrapped ribbon, a band for each device, or a block of cells for each."""
LEAST_LANE_PX = 17.0
READABLE_LANE_PX = 11.0
MOST_FOR_HEADERS = 0.82
"""Share of the height that lanes made higher for their headers may take together."""
LIFE_SIZE = 1.25
"""The largest zoom that fitting something into the window takes."""
USUAL_ROOM, MOST_GROWN = (1430.0, 900.0), 2.25
"""The room (logical pixels) up to which the stages view has plates and type of the usual size, and how many times that at most in a larger one."""
Arranged = tuple[Items, Skeleton, Layout, DrawnEdges]
"""What a layout consists of that is made on a thread."""
NONE: Bools = np.empty(0, bool)
"""Stands for a mask in which no item is marked."""


def forward_partners(graph: Graph) -> Ints:
    """For each backward op the forward op it belongs to by colour class, else -1 (int32[n])."""
    first: dict[int, int] = {}
    for v in np.flatnonzero(~graph.backward & (graph.colour_class >= 0)).tolist():
        first.setdefault(int(graph.colour_class[v]), v)
    partner = np.full(graph.n, -1, np.int32)
    for v in np.flatnonzero(graph.backward & (graph.colour_class >= 0)).tolist():
        partner[v] = first.get(int(graph.colour_class[v]), -1)
    return partner


def skeleton_of(items: Items) -> Skeleton:
    """What the layouts need to know of the items."""
    graph, first = items.graph, items.first
    partner = None
    if graph.backward.any():
        mate = forward_partners(graph)[first]
        partner = np.where(mate >= 0, items.item_of[mate], -1).astype(np.int32)
        partner[graph.backward[np.maximum(items.first[np.maximum(partner, 0)], 0)]] = -1
    kinds = (
        np.unique(np.array(graph.kinds), return_inverse=True)[1].astype(np.int32)[first] if graph.n else None
    )
    return prepare(
        items.count,
        items.edge_src[items.forward],
        items.edge_dst[items.forward],
        backward=items.backward,
        partner=partner,
        kinds=kinds,
        large=items.whole_size > 1,
    )


@dataclass(eq=False)
class Scene:
    """Everything the painter needs for one frame.

    ``x``, ``y`` float64[count] are the places drawn now (they move during an animation), ``layout`` is where they
    are going. ``device`` int32[count] is an item's device, ``mixed`` whether a folded group is spread over several;
    ``op_device`` int32[n] is each op's own: what is counted on a device is counted by it, whatever is folded.
    """

    items: Items
    skeleton: Skeleton
    layout: Layout
    view: str
    device: Ints
    mixed: Bools
    op_device: Ints
    k: int
    x: Floats
    y: Floats
    settled: bool = True
    selected: Bools = field(default_factory=lambda: NONE)
    partly: Bools = field(default_factory=lambda: NONE)
    """Those of them of whose ops only some are selected."""
    chosen: Ints = field(default_factory=lambda: np.empty(0, np.int32))
    """How many ops of each item are selected, once any were."""
    highlighted: Bools = field(default_factory=lambda: NONE)
    all_faded: bool = False
    """Whether what is not highlighted is faded even where nothing is: ops are looked for that are not there."""
    pinned: Bools = field(default_factory=lambda: NONE)
    violating: Bools = field(default_factory=lambda: NONE)
    evaluation: Evaluation | None = None
    times: Column | None = None
    """How times of the plan are written."""
    splits: Splits = NO_SPLITS
    """How the mixed groups are spread over their devices."""
    devices: Sequence[Device] = ()
    """What the devices are called; none: they are numbered."""
    size: Floats | None = None
    """Bytes that go to another device for each tensor that is read there, as the target counts them (float64[t]); None: as the graph has them."""
    heat: Heat | None = None
    """The colours of cards where these are not their stages' (:mod:`gui.canvas.graph.heat`)."""
    work: Floats | None = None
    """Time of each op on the device it is on (float64[n]); None: as the graph has it."""
    nearest: Detail = Detail.CARDS
    """The level at which cards are drawn at most, however near they are."""
    edges: InitVar[DrawnEdges | None] = None
    """Of the layout, where they are known already."""

    def __post_init__(self, edges: DrawnEdges | None) -> None:
        count = self.items.count
        for name in ("selected", "partly", "highlighted", "pinned", "violating"):
            if getattr(self, name) is NONE:
                setattr(self, name, np.zeros(count, bool))
        self.devices = self.devices or tuple(Device(str(d), "", str(d)) for d in range(self.k))
        self.prepare_edges(edges)

    @property
    def faded(self) -> Bools:
        """Items (bool) that others stand out from."""
        return ~self.highlighted & (self.all_faded or bool(self.highlighted.any()))

    @property
    def broken_edges(self) -> Bools:
        """Edges of the items (bool) that a violation of two ops is about: one that leads back, for one."""
        items = self.items
        violations = () if self.evaluation is None else self.evaluation.violations
        pairs = np.array([violation.ops for violation in violations if len(violation.ops) == 2], np.int64)
        if not len(pairs):
            return np.zeros(len(items.edge_src), bool)
        ends = items.item_of[pairs].astype(np.int64)
        codes = items.edge_src.astype(np.int64) * items.count + items.edge_dst
        return np.isin(codes, ends[:, 0] * items.count + ends[:, 1])

    @property
    def w(self) -> Floats:
        """Card widths."""
        return self.layout.w

    @property
    def h(self) -> Floats:
        """Card heights."""
        return self.layout.h

    @property
    def by_device(self) -> bool:
        """Whether every device has an area of its own: a lane or a block."""
        return bool(self.layout.lanes) or self.layout.stages is not None

    def detail(self, scale: float) -> Detail:
        """What is drawn of cards, and of cells, where a scene unit is ``scale`` logical pixels."""
        if self.layout.stages is None:
            return min(self.nearest, detail_at(STYLE.card_h * scale))
        return Detail.BLOCKS if self.layout.stages.cell * scale < CELL_NAMED else Detail.LABELS

    @property
    def readable(self) -> float:
        """Logical pixels per scene unit at which a cell carries a name, 0 for cards, which do at life size."""
        return 0.0 if self.layout.stages is None else 1.3 * CELL_NAMED / self.layout.stages.cell

    @property
    def life_size(self) -> float:
        """See :func:`life_size`."""
        return life_size(self.layout)

    def prepare_edges(self, edges: DrawnEdges | None = None) -> None:
        """Take over classes and drawn routes of all edges of the layout, which scenes of the same one may share."""
        (
            self.edge_class, self.routed, self.straight, self.stubs, self.route_ptr, self.route_x, self.route_y, self.leave,
            self.enter,
        ) = edges or drawn_edges(self.layout, self.items)  # fmt: skip

    def set_devices(self, device_of: Ints, k: int, work: Floats | None = None) -> None:
        """Take over an assignment of ops (int32[n]) to ``k`` devices; ``work`` as above."""
        self.k, self.op_device, self.work = k, device_of.copy(), work
        self.device, self.mixed = self.items.devices(device_of, k)
        self.splits = self.items.splits(device_of, k)
        for counted in ("flow", "ops", "item_work"):
            self.__dict__.pop(counted, None)

    def set_evaluation(self, problem: Problem, evaluation: Evaluation, times: Column | None = None) -> None:
        """Take over what the plan costs; ``times``: how its times are written, where that is not its own choice."""
        self.evaluation, self.times = evaluation, times or plan_times(problem, evaluation)
        self.__dict__.pop("work_column", None)

    @cached_property
    def work_column(self) -> Column:
        """How the work of ops is written on all cards: in one unit, that of the table of ops and of all that is told of the plan."""
        return detailed_column(self._op_work, self.items.graph.time_unit, self.times)

    @cached_property
    def item_work(self) -> Floats:
        """Work of each item (float64[count])."""
        items = self.items
        return np.bincount(items.item_of, weights=self._op_work, minlength=items.count).astype(np.float64)

    @property
    def _op_work(self) -> Floats:
        return self.items.graph.work if self.work is None else self.work

    @cached_property
    def unsent(self) -> Bools:
        """Edges between cards (bool) along which nothing is sent, wherever these are."""
        return unsent_edges(self.items, self.size)

    @cached_property
    def flow(self) -> Floats:
        """Bytes that go from device to device (float64[k, k]), op by op."""
        return device_flow(self.items.graph, self.op_device, self.k, self.size)

    @cached_property
    def ops(self) -> Ints:
        """How many ops each device has (int32[k])."""
        return np.bincount(self.op_device, minlength=self.k).astype(np.int32)

    def in_sight(self, box: Rect) -> Bools:
        """Items whose cards a box (x, y, width, height in scene units) touches, as they are drawn now."""
        x, y, w, h = box
        return (self.x + self.w > x) & (self.x < x + w) & (self.y + self.h > y) & (self.y < y + h)

    def select(self, ops: np.ndarray) -> None:
        """Mark the items that stand for any of ``ops``, and those of them that stand for others, too."""
        self.selected = self.mask(ops)
        self.chosen = np.bincount(self.items.item_of[ops], minlength=self.items.count).astype(np.int32)
        self.partly = self.selected & (self.chosen < self.items.size)

    def mask(self, ops: np.ndarray) -> Bools:
        """Items that stand for any of ``ops``."""
        mask = np.zeros(self.items.count, bool)
        if len(ops):
            mask[self.items.item_of[ops]] = True
        return mask


def grown_by(viewport: tuple[float, float]) -> float:
    """How many times as large as on a usual screen plates, type and cells of the stages view are in a room of so many logical pixels."""
    return min(MOST_GROWN, max(1.0, min(viewport[0] / USUAL_ROOM[0], viewport[1] / USUAL_ROOM[1])))


def life_size(layout: Layout) -> float:
    """Logical pixels per scene unit that showing all of a layout takes at most."""
    return LIFE_SIZE if layout.stages is None else max(LIFE_SIZE, layout.stages.grown)


def arrange(
    items: Items, skeleton: Skeleton, view: str, device_of: Ints, k: int, viewport: tuple[float, float], keep: Layout | None = None,
    in_a_row: bool = True, least_lane: float = READABLE_LANE_PX, size: Floats | None = None, style: LayoutStyle = STYLE,
    words: Words = NO_WORDS,
) -> Layout:  # fmt: skip
    """The layout of a view; ``keep`` holds the lanes layout whose untouched lanes should stay where they are, or the blocks whose rows should be as long.

    ``in_a_row``: whether the devices have an order, which the blocks of the stages view keep; ``least_lane``: pixels that a lane with ops is high at least, where there is room.
    ``size``: as a scene has it; blocks leave no room for what goes nowhere. ``style``: of cards that are laid out;
    ``words``: what blocks must have room for (pixels).
    """
    if view == "stages":
        device, _ = items.devices(device_of, k)
        taken = np.bincount(device_of, minlength=k) > 0
        links = device_links(items.graph, device_of, k, size)
        position = np.empty(items.graph.n, np.int64)
        position[items.graph.topological_order] = np.arange(items.graph.n)
        blocks = keep.stages if keep is not None else None
        many = int(np.count_nonzero(taken))
        alike = blocks is not None and many == int((blocks.place >= 0).sum())
        columns = blocks.columns if blocks is not None and alike else 0
        grown = grown_by(viewport)
        room = (viewport[0] / grown, viewport[1] / grown)
        words = Words(words.plate / grown, words.figure / grown)
        made = stages_layout(
            skeleton, device, k, position[items.first], room, in_a_row, columns, taken, links, words
        )
        assert made.stages is not None
        return replace(made, stages=replace(made.stages, grown=grown))
    if view == "lanes":
        device, _ = items.devices(device_of, k)
        frame = keep.frame if keep is not None and keep.lanes and len(keep.lanes) == k else None
        taken = np.bincount(device, minlength=k) > 0

        def heights(bands: Floats, size: tuple[float, float]) -> tuple[float, float]:
            return lane_heights(bands, size, taken, viewport, least_lane)

        return lanes_layout(skeleton, device, k, viewport, style, keep=frame, heights=heights)
    models = len(items.graph.model_names)
    return flow_layout(skeleton, viewport, style, items.model if models > 1 else None, max(models, 1))


def lane_heights(
    bands: Floats,
    size: tuple[float, float],
    used: Bools,
    viewport: tuple[float, float],
    least: float = READABLE_LANE_PX,
) -> tuple[float, float]:
    """Least heights (scene units) of empty lanes and of lanes with ops, so that headers can be read and drops be aimed.

    ``bands`` float64[k]: how high the lanes are so far, ``size`` width and height of all (scene units); ``used`` bool[k]:
    lanes with ops. Where there are many lanes they get what there is room for; the second height is 0 where no lane with ops is too low.
    """
    heights = bands[used]
    (wide, high), room = size, viewport[1]
    least = max(least, height_for_details(len(used), room))
    empties = len(used) - len(heights)
    share = MOST_FOR_HEADERS * room / max(len(used), 1)
    for_empty = min(LEAST_LANE_PX, share)
    wanted = min(max(LEAST_LANE_PX, least) if empties else least, share)  # no lower than lanes without ops
    between = high - heights.sum() - empties * STYLE.empty_lane_h

    def pixels(scale: float) -> float:
        """How high the picture is where a scene unit is ``scale`` pixels."""
        lanes = np.maximum(heights * scale, wanted).sum() + empties * max(
            STYLE.empty_lane_h * scale, for_empty
        )
        return float(between * scale + lanes)

    # Higher lanes make the picture higher, and so its scale smaller: the largest scale at which all of it fits.
    low, scale = 0.0, viewport[0] / wide
    for _ in range(30 if pixels(scale) > room else 0):
        middle = (low + scale) / 2
        low, scale = (middle, scale) if pixels(middle) <= room else (low, middle)
    low_lanes = bool((heights * scale < 0.98 * wanted).any())
    return max(STYLE.empty_lane_h, for_empty / scale), wanted / scale if low_lanes else 0.0


def scene_of(
    items: Items,
    view: str,
    device_of: Ints,
    k: int,
    viewport: tuple[float, float],
    devices: Sequence[Device] = (),
    evaluator: Evaluator | None = None,
    in_a_row: bool = True,
    style: LayoutStyle = STYLE,
    words: Words = NO_WORDS,
) -> Scene:
    """A settled scene; ``evaluator`` says what tensors and ops count on a target, the rest is as for :func:`arrange`."""
    skeleton = skeleton_of(items)
    size = None if evaluator is None else evaluator.sent
    layout = arrange(
        items, skeleton, view, device_of, k, viewport, None, in_a_row, READABLE_LANE_PX, size, style, words
    )
    return laid_out(items, skeleton, layout, view, device_of, k, devices, evaluator)


def laid_out(
    items: Items,
    skeleton: Skeleton,
    layout: Layout,
    view: str,
    device_of: Ints,
    k: int,
    devices: Sequence[Device] = (),
    evaluator: Evaluator | None = None,
    work: Floats | None = None,
    edges: DrawnEdges | None = None,
) -> Scene:
    """A settled scene in a ``layout`` that was made for it, with its ``edges`` where these are known; ``work`` where ``device_of`` (int32[n]) does not number the evaluator's devices."""
    device, mixed = items.devices(device_of, k)
    if work is None and evaluator is not None:
        work = evaluator.work_on(device_of)
    return Scene(
        items, skeleton, layout, view, device, mixed, np.array(device_of, np.int32), k, layout.x.copy(), layout.y.copy(),
        devices=devices, splits=items.splits(device_of, k), size=None if evaluator is None else evaluator.sent, work=work,
        edges=edges,
    )  # fmt: skip
