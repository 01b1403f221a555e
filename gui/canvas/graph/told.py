"""What a screen reader is told of a scene: the lanes and cards on screen, and while ops are dragged what each device would cost."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Protocol

import numpy as np
from PySide6.QtCore import QRect, QRectF

from gui.canvas.graph.areas import without_area
from gui.canvas.graph.consequence import Consequence
from gui.canvas.graph.detail import Detail
from gui.canvas.graph.header_data import HeaderData
from gui.canvas.graph.headers import HEADER_WIDTH
from gui.canvas.graph.scene import Scene
from gui.canvas.graph.viewport import Viewport
from gui.look.numbers import cache_text, plural, share_text
from gui.widgets.accessible import MOST, Item, Role
from planner.model.graph import Ints
from planner.quantity import bytes_text

Key = tuple[str, int, int]
"""``lane``, ``chip`` or ``op``; the serial number of the cards that are drawn; which one."""


class Seen(Protocol):
    """The widget that shows the scene (see :class:`gui.canvas.graph.pointed_scene.PointedScene`)."""

    scene: Scene | None
    viewport: Viewport

    @property
    def scale(self) -> float:
        """Logical pixels per scene unit."""

    @property
    def selection(self) -> Ints:
        """The ops that are selected."""

    @property
    def cursor_op(self) -> int:
        """The op that was clicked or walked to last, -1 for none."""

    @property
    def consequences(self) -> list[Consequence]:
        """What a drop on each device would give; empty while nothing is dragged."""

    @property
    def lane_headers(self) -> HeaderData | None:
        """What the headers of the lanes say."""

    def select(self, ops: Ints, mode: str = "replace") -> None:
        """Select ops."""

    def ops_on(self, device: int) -> Ints:
        """The ops that a device has."""

    def card_words(self, item: int) -> tuple[list[str], list[str]]:
        """What a card is called, and what else there is to say of it."""

    def rect(self) -> QRect:
        """All of the widget."""

    def card_rect(self, i: int) -> QRectF:
        """Where a card is drawn."""

    def lane_rect(self, device: int) -> QRectF:
        """Where a lane or a block is drawn."""

    def slot_rect(self, device: int) -> QRectF:
        """Where the chip of a device is drawn while ops are dragged and not all devices have areas."""


class SceneTold:
    """The items of a view. Lanes and chips are known by their device, cards by their number."""

    def __init__(self, view: Seen) -> None:
        self._view = view
        self._items: object = None
        self._serial = 0

    # ------------------------------------------------------------------ which
    def keys(self) -> Sequence[Hashable]:
        """Lanes or blocks, chips while something is dragged, then cards: the selected ones first where not all can be told."""
        view, scene = self._view, self._view.scene
        if scene is None:
            return []
        room, serial = QRectF(view.rect()), self._serial_now()
        keys: list[Hashable] = []
        if scene.by_device:
            keys = [("lane", serial, d) for d in range(scene.k) if view.lane_rect(d).intersects(room)]
        if view.consequences and without_area(scene):
            keys += [("chip", serial, d) for d in range(scene.k) if view.lane_rect(d).isEmpty()]
        return keys + [("op", serial, i) for i in self._cards()[: MOST - len(keys)].tolist()]

    def _cards(self) -> np.ndarray:
        view, scene = self._view, self._view.scene
        assert scene is not None
        near = scene.in_sight(view.viewport.visible())
        if scene.detail(view.scale) is Detail.OVERVIEW:  # no card is drawn, but these are marked
            near &= scene.selected
        found = np.flatnonzero(near)
        if len(found) > MOST:
            found = np.concatenate([found[scene.selected[found]], found[~scene.selected[found]]])
        return found

    def _serial_now(self) -> int:
        """Another number for other cards, so that nobody takes one for another."""
        items = None if self._view.scene is None else self._view.scene.items
        if items is not self._items:
            self._items, self._serial = items, self._serial + 1
        return self._serial

    def current(self) -> Key | None:
        """The card walked to last, or the first that is selected."""
        scene, selection = self._view.scene, self._view.selection
        if scene is None or not len(selection):
            return None
        cursor = self._view.cursor_op
        op = cursor if cursor in selection else int(selection[0])
        if not 0 <= op < scene.items.graph.n:
            return None
        return "op", self._serial_now(), int(scene.items.item_of[op])

    # ------------------------------------------------------------------ what
    def item(self, key: Hashable) -> Item | None:
        """A chip, a lane or a card."""
        view, scene = self._view, self._view.scene
        assert isinstance(key, tuple)
        kind, serial, i = key
        if scene is None or serial != self._serial_now():
            return None
        if kind == "op":
            called, more = view.card_words(i)
            notes = [
                note
                for marks, note in ((scene.pinned, "pinned"), (scene.violating, "breaks a rule"))
                if marks[i]
            ]
            if scene.partly[i]:
                notes.append(partly_words(scene, i))
            return Item(
                ", ".join([*called, *notes]), view.card_rect(i), Role.ListItem, ", ".join(more),
                bool(scene.selected[i] and not scene.partly[i]), lambda: view.select(scene.items.ops(i)),
            )  # fmt: skip
        if i >= scene.k:
            return None
        ops = view.ops_on(i)
        would = view.consequences[i].long if i < len(view.consequences) else ""
        title, said = scene.devices[i].title, view.lane_headers
        if kind == "lane":
            rect, name = view.lane_rect(i), title if said is None else lane_words(said, i, len(ops))
            rect = rect.adjusted(-HEADER_WIDTH if scene.layout.lanes else 0, 0, 0, 0)
        elif view.consequences:
            rect, name = view.slot_rect(i), title
        else:
            return None
        chosen = bool(len(ops)) and bool(np.isin(ops, view.selection).all())
        name = f"{name}. {would}" if would else name
        return Item(name, rect, Role.ListItem, "", chosen, lambda: view.select(ops), "Select its ops")


def partly_words(scene: Scene, item: int) -> str:
    """How many of a group's ops are selected: ``3 of 12 ops selected``."""
    return f"{int(scene.chosen[item]):,} of {plural(int(scene.items.size[item]), 'op')} selected"


def lane_words(data: HeaderData, device: int, ops: int) -> str:
    """What the header of a lane says: ``Stage 3: 230 µs, 12 ops, in 2.1 MiB, out 0 B``, and what is wrong with it."""
    if not np.isfinite(data.pace[device]):
        return data.titles[device]
    used, budget = float(data.memory[device]), float(data.budget[device])
    capacity = float(data.capacity[device])
    words = [
        f"{data.titles[device]}: {data.column.text(float(data.pace[device]))}",
        plural(ops, "op"),
        f"in {bytes_text(float(data.received[device]))}",
        f"out {bytes_text(float(data.sent[device]))}",
    ]
    if np.isfinite(budget) and budget > 0:
        pushed, needs = data.around(device)
        words.append(cache_text(used, budget, beside=data.column, pushed=pushed, needs=needs))
    if used > capacity:
        words.append(f"over its memory ({share_text(used, capacity)})")
    if device == data.bottleneck:
        words.append(data.worst)
    return ", ".join(words)
