"""The bar under the panes: what taking the selected ops over would give, and the button that does it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QToolButton, QWidget

from gui.editors.comparison.canvases.picking import Pick, Picking, differing, look
from gui.editors.comparison.state import CompareState
from gui.look.numbers import plural
from gui.look.theme import Theme
from gui.panels.comparison.words import device_words
from gui.widgets.labels import ElidedLabel, set_role
from gui.widgets.later import Later, soon
from gui.widgets.offering import offer
from gui.widgets.plain import PlainLabel, plain_tip
from planner.errors import StageboardError

LATER = 40
"""Milliseconds after the selection changed until its effect is computed: walking over ops must not wait for it."""


class PickBar(QWidget):
    """``chosen(ops, source, into)`` when something is to be taken over."""

    chosen = Signal(object, int, int)

    def __init__(
        self, state: CompareState, picking: Picking, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._state, self._picking = state, picking
        self.pick: Pick | None = None
        self.what = ElidedLabel("", self)
        self.effect = PlainLabel("", self)
        self.rules = PlainLabel("", self)
        self.take = QPushButton(self)
        self.take.clicked.connect(lambda _=False: self.choose())
        self.devices = QToolButton(self)
        self.devices.setObjectName("flat")
        self.devices.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu = QMenu(self.devices)
        self.menu.aboutToShow.connect(self._fill)
        self.devices.setMenu(self.menu)
        self.devices.setStyleSheet("QToolButton::menu-indicator { image: none; }")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 5, 8, 5)
        row.setSpacing(12)
        row.addWidget(self.what, 1)
        row.addWidget(self.effect)
        row.addWidget(self.rules)
        row.addWidget(self.take)
        row.addWidget(self.devices)
        self.setObjectName("pickBar")
        self._later = Later(self.refresh, self, LATER)
        for signal in (state.selection_changed, state.comparison_changed, state.pair_changed):
            signal.connect(self._soon)
        self.refresh()

    @property
    def waiting(self) -> bool:
        """Whether the effect is about to be computed."""
        return self._later.waiting

    def _soon(self) -> None:
        self.pick = None
        self._later.ask()

    def choose(self) -> None:
        """Take the selected ops over."""
        if self.waiting:
            self._later.stop()
            self.refresh()
        if self.pick is not None:
            self.chosen.emit(self.pick.ops, self.pick.source, self.pick.into)

    def refresh(self) -> None:
        """Say what the selection would give."""
        state, comparison = self._state, self._state.comparison
        self.pick = None
        self._show("", "")
        offer(self.devices, "" if comparison is not None else state.why_not)
        if comparison is None:
            self._take_nothing(state.why_not)
            return
        i, j = state.shown
        b, a = comparison.letter(i), comparison.letter(j)
        self.take.setText(f"Take into {a}")
        self.take.setAccessibleName(f"Take the selected ops from plan {b} into plan {a}")
        self.devices.setText(f"A Device of {b} \N{BLACK DOWN-POINTING SMALL TRIANGLE}")
        self.devices.setAccessibleName(f"Take the ops of a device from plan {b} into plan {a}")
        self.devices.setToolTip(plain_tip(f"Take all ops of one device as {b} has them into {a} (Shift+T)"))
        ops = state.selection
        if not len(ops):
            key = QKeySequence("N").toString()
            self._take_nothing(
                f"Select ops, or press {key} for the next difference, to take them from {b} into {a}."
            )
            return
        who = comparison.graph.op_names[int(ops[0])] if len(ops) == 1 else plural(len(ops), "selected op")
        try:
            self.pick = look(comparison, ops, i, j)
        except StageboardError as error:
            self._take_nothing(str(error))
            return
        pick = self.pick
        if pick is None:
            where = device_words(comparison, i, ops) if len(ops) == 1 else ""
            alike = f"is on {where} in" if where else "are on the same devices in"
            self._take_nothing(f"{who} {alike} {a} and {b}.")
            return
        canvas = self._picking.puts_on_canvas(j)
        ways = f"{device_words(comparison, j, pick.ops)} \N{RIGHTWARDS ARROW} {device_words(comparison, i, pick.ops)}"
        count = "" if len(pick.ops) == len(ops) else f"{len(pick.ops):,} of "
        self.what.setText(
            f"{count}{who}: {ways}" + (f"; this also puts {a} on the canvas of its window" if canvas else "")
        )
        self._show(pick.effect, pick.rules, pick)
        offer(self.take, "", plain_tip(f"{pick.text} (T)" + (f"\n{pick.sentence}" if pick.sentence else "")))

    def _take_nothing(self, why: str) -> None:
        """Say why nothing is to be taken."""
        self.what.setText(why)
        offer(self.take, why)

    def _show(self, effect: str, rules: str, pick: Pick | None = None) -> None:
        self.effect.setText(effect)
        self.rules.setText(rules)
        sign = 0 if pick is None else pick.change.sign
        set_role(self.effect, ("", "warning", "good")[sign])
        set_role(self.rules, "bad" if pick is not None and pick.broken else "good")
        self.rules.setToolTip("" if pick is None else pick.sentence)

    def show_devices(self) -> None:
        """Open the list of devices."""
        self.devices.setFocus()
        soon(self, self._choose_first)
        self.devices.showMenu()

    def _choose_first(self) -> None:
        """Whoever opened the list by keys takes the first device by Return."""
        self.menu.setActiveAction(next((a for a in self.menu.actions() if a.isEnabled()), QAction()))

    def _fill(self) -> None:
        """The devices of B whose ops A has elsewhere, with what taking them over would give."""
        self.menu.clear()
        comparison = self._state.comparison
        if comparison is None:
            return
        i, j = self._state.shown
        for row in range(len(comparison.rows)):
            ops = differing(comparison, row, i, j)
            if not len(ops):
                continue
            words = f"{comparison.row_title(row)}: {plural(len(ops), 'op')}"
            try:
                pick = look(comparison, ops, i, j)
            except StageboardError as error:
                self.menu.addAction(f"{words}    no counterpart").setToolTip(plain_tip(str(error)))
                self.menu.actions()[-1].setEnabled(False)
                continue
            assert pick is not None
            action = self.menu.addAction(f"{words}    {pick.effect}    {pick.rules}")
            action.triggered.connect(partial(self._device_chosen, ops, i, j))
        if not self.menu.actions():
            self.menu.addAction("The plans have every op alike").setEnabled(False)

    def _device_chosen(self, ops: object, source: int, into: int, _: bool = False) -> None:
        self.chosen.emit(ops, source, into)
