"""A list of named machines, one of which has the rates of a kind of device; what is chosen says who says so, and when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from gui.look.theme import font
from gui.widgets.drop_down import DropDown
from gui.widgets.labels import set_role
from gui.widgets.plain import PlainLabel, plain_tip
from planner.model.cost_model import CostModel
from planner.model.named_machines import NamedMachine, machines, named_rates
from planner.problem.target import Target

OWN = "Rates of your own"
USUAL = "(usual)"
"""In place of a machine's name, which has no brackets."""


class MachineChoice(QWidget):
    """A drop-down of machines with the source of the chosen one below. ``chosen(NamedMachine)`` says that a person took one."""

    chosen = Signal(object)

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._machines: dict[str, NamedMachine] = {}
        self._filling = False
        label = QLabel(title, self)
        set_role(label, "muted")
        self.list = DropDown(self)
        self.list.give_way()
        self.list.setAccessibleName(title)
        self.list.currentIndexChanged.connect(self._picked)
        label.setBuddy(self.list)
        self.source = PlainLabel("", self)
        self.source.setWordWrap(True)
        self.source.setFont(font(8.0))
        set_role(self.source, "muted")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 2)
        column.setSpacing(3)
        for part in (label, self.list, self.source):
            column.addWidget(part)

    @property
    def machine(self) -> NamedMachine | None:
        """The machine that is chosen; None where the rates are one's own."""
        return self._machines.get(str(self.list.currentData() or ""))

    def fill(self, offered: Sequence[NamedMachine], name: str) -> None:
        """Offer machines, of which the one called ``name`` is chosen; rates of one's own where none is."""
        self._filling = True
        try:
            self._machines = {one.name: one for one in offered}
            self.list.clear()
            for one in offered:
                self.list.addItem(one.title, one.name)
                said = ", ".join(part for part in (one.source, one.date) if part)
                tip = plain_tip(said if one.name == USUAL else f"{one.name}: {said}")
                self.list.setItemData(self.list.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
            self.list.addItem(OWN, "")
            self.choose(name)
        finally:
            self._filling = False

    def choose(self, name: str) -> None:
        """Show that a machine is chosen, '' for rates of one's own; nobody is told."""
        before, self._filling = self._filling, True
        self.list.setCurrentIndex(max(0, self.list.findData(name)))
        self._filling = before
        self._say()

    def _say(self) -> None:
        one = self.machine
        self.source.setText("" if one is None else ", ".join(part for part in (one.source, one.date) if part))
        self.source.setVisible(one is not None)

    def _picked(self) -> None:
        if not self._filling:
            self._say()
            if self.machine is not None:
                self.chosen.emit(self.machine)


def fill_rates(choice: MachineChoice, side: str, model: CostModel) -> None:
    """Offer machines for a kind of device of a cost model, the one whose rates it has chosen; a CPU stands for accelerators too."""
    offered = [
        one for one in machines() if one.rates is not None and (side == "accelerator" or one.device == "cpu")
    ]
    source, rates, groups = named_rates(side, model), model.rates(side), model.groups(side)
    name = "" if source is None else source.machine
    there = next((one for one in offered if one.name == name), None)
    if source is not None and (there is None or (there.rates, there.groups) != (rates, groups)):
        # A plan brings the rates of a machine that this computer does not have, or not so.
        offered = [one for one in offered if one.name != name]
        offered.insert(0, NamedMachine(name, name, side, source.source, source.date, rates, groups))
    choice.fill(offered, name)


def with_choice(model: CostModel, side: str, choice: MachineChoice) -> CostModel:
    """``model`` with the groups and the name of the chosen machine, where its rates are those of it."""
    one = choice.machine
    if one is None or one.rates is None or one.rates != model.rates(side):
        return model
    return model.with_rates(side, one.rates, one.groups, one.rates_source)


def fill_parameters(choice: MachineChoice, target: Target) -> bool:
    """Offer the machines that say something of a kind of target with rates of its own; whether there are any.

    The usual rates are offered, too, where no machine has them: a target that nobody said any rates of is made with them.
    """
    offered = [one for one in machines() if target.kind in one.parameters]
    if not offered:
        choice.fill(offered, "")
        return False
    usual = _usual(target, offered)
    if not any(
        one.parameters[target.kind].items() <= usual.parameters[target.kind].items() for one in offered
    ):
        offered.insert(0, usual)
    values = target.to_dict()
    fits = (one for one in offered if all(values.get(k) == v for k, v in one.parameters[target.kind].items()))
    choice.fill(offered, next((one.name for one in fits), ""))
    return True


def _usual(target: Target, others: Sequence[NamedMachine]) -> NamedMachine:
    """The rates (parameters per second, and what ``others`` say) that a target has where none are given, as a machine."""
    said = {key for one in others for key in one.parameters[target.kind]}
    rates = {
        field.name: cast("float", field.default)
        for field in fields(target)  # type: ignore[arg-type]
        if field.name in said or str(field.metadata.get("unit", "")).endswith("/s")
    }
    words = f"Usual rates of a {target.words.one}"
    return NamedMachine(
        USUAL,
        words,
        "accelerator",
        "what counts where no rates are given",
        "",
        parameters={target.kind: rates},
    )
