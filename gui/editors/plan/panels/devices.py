"""The device dock: one card per device with its cost in parts; where ops can be dropped, moved, selected and pinned."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QMenu, QScrollArea, QVBoxLayout, QWidget

from gui.canvas.graph.consequence import BRIEF_WORDS, refusal
from gui.editors.plan.panels.cache_load import CacheLoad
from gui.editors.plan.panels.device_card import (
    COMPACT_HEIGHT,
    FULL_HEIGHT,
    CardState,
    DeviceCard,
    card_height,
)
from gui.look.numbers import gap_text, plural, share_text
from gui.look.theme import Theme, device_colours
from gui.panels.base import Panel
from gui.panels.inspector_figures import device_rows
from gui.widgets.bar_key import BarKey, kinds_of_parts, with_loads
from gui.words.held import held_of
from gui.words.objectives import column_of, plan_times
from planner.evaluation.device_words import device_traits
from planner.problem.worst import STREAMS_MOST, streaming_most, worst_word

if TYPE_CHECKING:
    from gui.document.plan.document import Document
    from gui.document.plan.preview import Preview
    from gui.look.numbers import Column
    from planner.problem.decision import Evaluation
    from planner.problem.problem import Problem

COMPACT_FROM = 9
"""From so many devices on the cards shrink to one line each."""
APART, CLOSE, ABOVE, BELOW = 6, 2, 4, 8
"""Pixels between cards, where there is little room, above the first and below the last."""


class DevicesPanel(Panel):
    """Cards in a scrolling column. During a preview each says what it would cost there, or why it cannot be."""

    id: ClassVar[str] = "devices"
    title: ClassVar[str] = "Devices"

    device_shown = Signal(int)
    """A card was clicked: its ops are selected, and the inspector may show the device."""
    repair_requested = Signal(object, int)
    """Move these ops (int32 array, mates included) to the device, and whatever else must move then."""

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(document, theme, parent)
        self.cards: list[DeviceCard] = []
        self._reasons: dict[int, str] = {}
        self._reasons_of: Preview | None = None
        self._area = QScrollArea(self)
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        inside = QWidget()
        inside.setObjectName("scrolled")
        self._column = QVBoxLayout(inside)
        self._column.setContentsMargins(8, ABOVE, 8, BELOW)
        self._column.setSpacing(APART)
        self._column.addStretch(1)
        self._area.setWidget(inside)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._area, 1)
        self.key = BarKey(theme, self)
        layout.addWidget(self.key)
        self._why = QTimer(self)
        self._why.setInterval(0)
        self._why.timeout.connect(self._find_next_reason)
        for signal in (
            document.model_changed, document.problem_changed, document.decision_changed,
            document.readouts_changed, document.preview_changed, document.selection_changed,
        ):  # fmt: skip
            signal.connect(self.request_refresh)

    # ------------------------------------------------------------------ sizes
    def wanted_height(self) -> int:
        """Pixels that show every device at once."""
        problem = self.document.problem
        if problem is None:
            return 4 * (FULL_HEIGHT + APART)
        count, key = len(problem.devices), self.key.height() if self._kinds(problem) else 0
        if count >= COMPACT_FROM:
            return count * (COMPACT_HEIGHT + CLOSE) + key
        return count * (card_height(has_caches(problem), False) + APART) + key

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Cards get closer where all of them have no room otherwise."""
        super().resizeEvent(event)
        self._space_cards()

    def _space_cards(self) -> None:
        """Cards as high and as far from one another as there is room for."""
        problem, count = self.document.problem, len(self.cards)
        compact = count >= COMPACT_FROM
        loaded = problem is not None and has_caches(problem)
        room = self.height() - ABOVE - BELOW - (0 if self.key.isHidden() else self.key.height())
        close = not compact and count * (card_height(loaded, False) + APART) - APART > room
        apart = not compact and count * (card_height(loaded, close) + APART) - APART <= room
        self._column.setSpacing(APART if apart else CLOSE)
        for card in self.cards:
            card.set_compact(compact, close)

    # ------------------------------------------------------------------ for the canvas
    def device_at(self, position: QPoint) -> int:
        """The device whose card lies under a global position, -1 if none."""
        if not self.isVisible() or not self._area.viewport().rect().contains(
            self._area.viewport().mapFromGlobal(position)
        ):
            return -1
        for i, card in enumerate(self.cards):
            if card.rect().contains(card.mapFromGlobal(position)):
                return i
        return -1

    # ------------------------------------------------------------------ contents
    def refresh(self) -> None:
        """Show all devices as they are now."""
        problem = self.document.problem
        devices = () if problem is None else problem.devices
        self._make_cards(len(devices))
        if problem is None or self.document.graph is None:
            return
        evaluation, preview = self.document.evaluation, self.document.preview
        if preview is not self._reasons_of:
            self._reasons, self._reasons_of = {}, preview
        colours = device_colours(len(devices), self.theme)
        first = problem.components[0]
        times = plan_times(problem, evaluation)  # also while ops are dragged: units stay
        in_time = problem.unit(first) == problem.graph.time_unit
        column = times if in_time else column_of(problem, first, evaluation.pace)
        held = held_of(problem, evaluation)
        in_bytes = problem.unit(first) == "B"
        full = float(evaluation.cost.max(initial=0.0))
        capacity = problem.evaluator.capacity
        worst = evaluation.bottleneck if evaluation.pace.max(initial=0.0) > 0 else -1
        streams = streaming_most(evaluation)
        chosen = np.unique(self.document.device_of[self.document.selection])
        loads, traits = _loads(problem, evaluation, preview), device_traits(problem, memory=False)
        for d, (card, device) in enumerate(zip(self.cards, devices, strict=True)):
            used, cap = float(evaluation.memory[d]), float(capacity[d])
            memory = held.text(d) if not np.isfinite(cap) else share_text(used, cap)
            if loads is not None:
                memory = times.text(float(evaluation.cost[d])) if in_bytes else held.text(d)
            state = CardState(
                name=f"{device.title} · {traits[d]}" if traits[d] else device.title,
                cost=column.level(float(evaluation.pace[d])),
                parts=(
                    float(evaluation.receive[d]), float(evaluation.work[d]), float(evaluation.streaming[d]),
                    float(evaluation.send[d]),
                ),
                full=full,
                detail=self._detail(evaluation, d, memory),
                short=device.name,
                bottleneck=d == worst,
                worst=worst_word(problem, evaluation),
                also=STREAMS_MOST if d == streams else "",
                over=used > cap and loads is None,
                selected=d in chosen,
                column=times,
                figures=column,
                more=() if loads is not None else tuple(device_rows(held, evaluation, d)),
                load=None if loads is None else loads[d],
            )  # fmt: skip
            if preview is not None:
                self._preview(state, preview, d, self._own(evaluation, preview, d), column)
            card.show_state(state, colours[d], self.theme)
        self.key.show_kinds(self._kinds(problem), self.theme)
        self._space_cards()
        if preview is None:
            self._why.stop()
        elif not preview.legal.all() and len(self._reasons) < int((~preview.legal).sum()):
            self._why.start()

    def _kinds(self, problem: Problem) -> tuple[str, ...]:
        """What the cards' bars have that is to be explained; lines of devices with caches have bars of memory alone."""
        evaluation, cached = self.document.evaluation, has_caches(problem)
        parts = kinds_of_parts(evaluation.receive, evaluation.streaming, evaluation.send)
        if not cached:
            return parts
        parts = () if len(problem.devices) >= COMPACT_FROM else parts
        pushed, needs = (evaluation.details.get(name, ()) for name in ("pushed", "scratch"))
        return with_loads(parts, evaluation.memory, problem.evaluator.budget, tuple(pushed), tuple(needs))

    def _detail(self, evaluation: Evaluation, device: int, memory: str) -> str:
        """Ops and memory; under replication how many devices share the stage, or whose stage this one shares."""
        assert self.document.problem is not None
        stage, copies = int(evaluation.serves[device]), int(evaluation.replicas[device])
        if stage not in (-1, device):
            return f"a copy of {self.document.problem.devices[stage].title}"
        shared = f"   ×{copies}" if copies > 1 else ""
        return f"{plural(int(evaluation.ops[device]), 'op')}   {memory}{shared}"

    def _own(self, evaluation: Evaluation, preview: Preview, d: int) -> float | None:
        """What the device itself would have after the drop: of where ops may be dropped with them, of where they are without them.

        None where that is not known, or nothing would change.
        """
        origin = d in preview.origins and len(preview.origins) == 1
        to = preview.target if origin else d
        if not 0 <= to < len(preview.legal) or (origin and to == d):
            return None
        after = preview.after(to)
        for pace, then in zip((evaluation.cost, evaluation.memory), after or (), strict=False):
            if np.array_equal(evaluation.pace, pace):
                return float(then[d])
        return None

    def _preview(self, state: CardState, preview: Preview, d: int, own: float | None, column: Column) -> None:
        state.previewing = True
        state.target = d == preview.target
        state.origin = d in preview.origins and len(preview.origins) == 1
        if state.origin:
            state.would = "is here"
            if own is not None:
                # With the figure of the drop all others: of those that are not known then, none.
                along = () if preview.legal[preview.target] else preview.along
                stay = np.setdiff1d(self._ops_of(d), np.union1d(preview.ops, along))
                state.cost, state.detail = column.level(own), plural(len(stay), "op")
            return
        state.legal = bool(preview.legal[d])
        if not state.legal:
            state.possible = preview.possible(d)
            said = refusal(preview, d)
            if state.possible and len(preview.legal) >= COMPACT_FROM:
                said = BRIEF_WORDS.get(said, said)
            state.would = said
            state.reason = self._reasons.get(d, "")
            if state.target and len(preview.along):
                more = len(np.setdiff1d(preview.along, preview.ops))
                state.would = f"take {more:,} along" if more else state.would
                if more and preview.along_change is not None:
                    state.reason = preview.along_change.whole
            return
        change = preview.changes[d]
        state.better = -change.sign
        state.would, _, state.change = change.brief.partition("  ")
        if change.what and change.sign:
            state.would, state.what = state.would.removeprefix(change.what).strip(), change.what
        gap = float(preview.gap[d])
        told = [f"gap {gap_text(gap)}"] if np.isfinite(gap) else []
        if change.scalar:
            # The card's own figure is the device's, also where the plan costs the same; the whole plan's is told by its name.
            told.insert(0, f"plan {state.would}")
            state.would = "" if own is None else column.level(own)
        state.reason, state.brief = ", ".join(told), told[0] if told else ""

    def _find_next_reason(self) -> None:
        """One exact reason per idle moment: with many devices they take a while together."""
        preview = self.document.preview
        if preview is None or preview is not self._reasons_of:
            self._why.stop()
            return
        for d in np.flatnonzero(~preview.legal).tolist():
            if d not in self._reasons:
                sentences = preview.reasons(d)
                more = f" (and {len(sentences) - 1} more)" if len(sentences) > 1 else ""
                self._reasons[d] = sentences[0] + more if sentences else "breaks a rule"
                if d < len(self.cards) and (d != preview.target or preview.along_change is None):
                    self.cards[d].show_reason(self._reasons[d])
                return
        self._why.stop()

    def _make_cards(self, count: int) -> None:
        while len(self.cards) > count:
            card = self.cards.pop()
            self._column.removeWidget(card)
            card.hide()
            card.deleteLater()
        while len(self.cards) < count:
            index = len(self.cards)
            card = DeviceCard(index, self.theme, self)
            card.chosen.connect(self._choose)
            card.move_requested.connect(self._move_here)
            card.menu_requested.connect(self.show_menu)
            card.step.connect(self._step)
            self._column.insertWidget(index, card)
            self.cards.append(card)

    # ------------------------------------------------------------------ actions
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape takes back the selection, as on the canvas: a click on a card made it."""
        if event.key() == Qt.Key.Key_Escape and len(self.document.selection):
            self.document.select([])
        else:
            super().keyPressEvent(event)

    def _ops_of(self, device: int) -> np.ndarray:
        return np.flatnonzero(self.document.device_of == device).astype(np.int32)

    def _choose(self, device: int, mode: str) -> None:
        self.document.select(self._ops_of(device), mode)
        self.device_shown.emit(device)

    def _move_here(self, device: int) -> None:
        if len(self.document.selection):
            self.document.move(self.document.selection, device)

    def _take_along(self, device: int) -> None:
        self.document.move(self.document.selection, device, along=True)

    def _repair_here(self, device: int) -> None:
        self.repair_requested.emit(self.document.moving_set(self.document.selection), device)

    def _pin_here(self, device: int) -> None:
        self.document.pin(self.document.selection, device)

    def _step(self, device: int, by: int) -> None:
        if 0 <= device + by < len(self.cards):
            target = self.cards[device + by]
            target.setFocus(Qt.FocusReason.TabFocusReason)
            self._area.ensureWidgetVisible(target)

    def menu(self, device: int) -> QMenu:
        """The context menu of one card."""
        assert self.document.problem is not None
        name, chosen = self.document.problem.devices[device].title, len(self.document.selection)
        menu = QMenu(self)
        menu.addAction(f"Select the ops of {name}", lambda: self._choose(device, "replace"))
        menu.addAction("Add its ops to the selection", lambda: self._choose(device, "add"))
        menu.addSeparator()
        what = plural(chosen, "selected op")
        along = chosen > 0 and self.document.legal_along(self.document.selection, device)
        for text, run, enabled in (
            (f"Move {what} here\tEnter", lambda: self._move_here(device), chosen > 0),
            ("Move here and take neighbours along", lambda: self._take_along(device), along),
            ("Move here and repair the rest", lambda: self._repair_here(device), chosen > 0),
            (f"Pin {what} here", lambda: self._pin_here(device), chosen > 0),
        ):
            menu.addAction(text, run).setEnabled(enabled)
        return menu

    def show_menu(self, device: int, position: QPoint) -> None:
        """Open the menu of a device at a global position."""
        menu = self.menu(device)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(position)


def has_caches(problem: Problem) -> bool:
    """Whether devices have a cache for parameters, beyond which they are streamed."""
    budget = problem.evaluator.budget
    return bool(len(budget) and np.isfinite(budget).all() and budget.max() > 0)


def _loads(problem: Problem, evaluation: Evaluation, preview: Preview | None) -> list[CacheLoad] | None:
    """What each device holds around its cache, all on one scale; None where devices have none."""
    if not has_caches(problem):
        return None
    budget = problem.evaluator.budget
    after = None
    most = max(float(budget.max()), float(evaluation.memory.max(initial=0.0)))
    if preview is not None:
        after = np.where(preview.legal, np.diagonal(preview.memory), np.nan)
        if len(preview.origins) == 1 and preview.target >= 0:
            # What is dragged leaves its device for the one that it would be dropped on.
            origin, dropped = int(preview.origins[0]), preview.after(preview.target)
            after[origin] = np.nan if dropped is None else dropped[1][origin]
        most = max(most, float(np.nan_to_num(after).max()))
    none, loads = np.zeros(len(budget)), []
    pushed, needs = (evaluation.details.get(name, none) for name in ("pushed", "scratch"))
    for d, used in enumerate(evaluation.memory.tolist()):
        then = None if after is None or np.isnan(after[d]) else float(after[d])
        loads.append(CacheLoad(used, float(budget[d]), most, then, float(pushed[d]), float(needs[d])))
    return loads
