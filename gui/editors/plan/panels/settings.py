"""The target panel: machine, objective and cost model as forms made from their dataclasses' own metadata."""

from __future__ import annotations

import dataclasses
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QStandardItemModel
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.background.warming import warming
from gui.editors.plan.panels.machine_choice import MachineChoice, fill_parameters, fill_rates, with_choice
from gui.editors.plan.panels.staying import Staying
from gui.editors.plan.panels.unused import is_unused
from gui.look.busy import busy
from gui.look.theme import Theme
from gui.panels.base import Panel
from gui.widgets.drop_down import DropDown
from gui.widgets.forms import Form
from gui.widgets.labels import set_role
from gui.widgets.offering import offer
from gui.widgets.plain import PlainLabel
from gui.words.objectives import objective_help, objective_title
from planner.errors import StageboardError
from planner.model.cost_model import CostModel
from planner.problem.problem import Problem

if TYPE_CHECKING:
    from gui.document.plan.document import Document
    from planner.model.named_machines import NamedMachine
    from planner.problem.target import Target

RATES_OF = {"accelerator": "Accelerators, stages and chips as", "cpu": "CPUs as"}
"""Titles of the lists of machines by kind of device."""


class SettingsPanel(Panel):
    """Fields show the problem as it is until Apply makes them one undo step; Reset takes them back."""

    id: ClassVar[str] = "target"
    title: ClassVar[str] = "Target"

    unapplied_changed = Signal()
    """:attr:`unapplied` is another one now."""

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(document, theme, parent)
        self._filling = False
        self._changed = self._said = False
        self._target: Target | None = None
        self.kind = DropDown(self)
        self.kind.give_way()
        self.kind.setAccessibleName("Kind of target")
        self.kind.currentIndexChanged.connect(self._kind_chosen)
        self.objective = DropDown(self)
        self.objective.give_way()
        self.objective.setAccessibleName("Objective")
        self.objective.currentIndexChanged.connect(self._edited)
        self.about = QLabel("", self)
        self.about.setWordWrap(True)
        set_role(self.about, "muted")
        self.machine = Form(self)
        self.machine.changed.connect(self._edited)
        self.costs = Form(self)
        self.costs.changed.connect(self._edited)
        self.named = MachineChoice("Devices as", self)
        """For targets with rates of their own."""
        self.named.chosen.connect(self._take_parameters)
        self.rates = {side: MachineChoice(title, self) for side, title in RATES_OF.items()}
        for side, choice in self.rates.items():
            choice.chosen.connect(lambda one, side=side: self._take_rates(side, one))
        self.error = PlainLabel("", self)
        self.error.setWordWrap(True)
        set_role(self.error, "bad")
        self.apply_button = QPushButton("Apply", self)
        self.apply_button.setObjectName("primary")
        self.apply_button.clicked.connect(self.apply)
        self.reset_button = QPushButton("Reset", self)
        self.reset_button.clicked.connect(self.reset)
        self._costs_title = self._heading("Cost model")
        self._costs_note = QLabel("Times of ops that the file does not profile.")
        self._costs_note.setWordWrap(True)
        set_role(self._costs_note, "muted")
        inside = QWidget()
        inside.setObjectName("scrolled")
        column = QVBoxLayout(inside)
        column.setContentsMargins(10, 8, 10, 8)
        column.setSpacing(6)
        column.addWidget(self._heading("Machine"))
        column.addWidget(self.kind)
        column.addWidget(self._heading("Objective"))
        column.addWidget(self.objective)
        column.addWidget(self.about)
        column.addWidget(self.named)
        column.addWidget(self._heading("Parameters"))
        column.addWidget(self.machine)
        column.addWidget(self._costs_title)
        column.addWidget(self._costs_note)
        for choice in self.rates.values():
            column.addWidget(choice)
        column.addWidget(self.costs)
        column.addStretch(1)
        area = QScrollArea(self)
        area.setAccessibleName("Settings of the target")
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(inside)
        self._staying = Staying(area, inside, (self.machine, self.costs))
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # what has the keyboard can be seen
        buttons = QHBoxLayout()
        buttons.setContentsMargins(10, 4, 10, 8)
        buttons.addWidget(self.apply_button, 1)
        buttons.addWidget(self.reset_button, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(area, 1)
        self.error.setContentsMargins(10, 0, 10, 0)
        layout.addWidget(self.error)
        layout.addLayout(buttons)
        for signal in (document.model_changed, document.problem_changed):
            signal.connect(self.request_refresh)
            signal.connect(self._say_unapplied)

    @staticmethod
    def _heading(text: str) -> QLabel:
        label = QLabel(text)
        set_role(label, "heading")
        return label

    def set_theme(self, theme: Theme) -> None:
        """Other colours, which the style sheet has; fields keep what was typed into them."""
        self.theme = theme

    # ------------------------------------------------------------------ filling
    def refresh(self) -> None:
        """Show the problem as it is."""
        problem = self.document.problem
        self.setEnabled(problem is not None)
        if problem is not None:
            with self._staying:
                self._fill(problem.target, problem.objective)
                self._fill_costs()
        self._settle()

    def reset(self) -> None:
        """Drop what was not applied, and what was wrong with it."""
        self.error.setText("")
        self._stale = True
        self.refresh_now()

    def _fill(self, target: Target, objective: str) -> None:
        from planner.machines.spec import kinds

        self._filling = True
        try:
            self._target = target
            if self.kind.count() != len(kinds()):
                self.kind.clear()
                for kind, cls in kinds().items():
                    self.kind.addItem(cls.title, kind)
                    if cls.plans_networks:
                        self._leave_out(self.kind.count() - 1, cls.title)
            self.kind.setCurrentIndex(self.kind.findData(target.kind))
            self.machine.fill(target)
            self.named.setVisible(fill_parameters(self.named, target))
            self.objective.clear()
            for name in target.objectives:
                self.objective.add_explained(objective_title(name), name, objective_help(name))
            self.objective.setCurrentIndex(max(0, self.objective.findData(objective)))
            self.objective.setEnabled(len(target.objectives) > 1)
            self._say_objective()
            self._mark_unused()
        finally:
            self._filling = False

    def _leave_out(self, row: int, title: str) -> None:
        """A machine for sparse networks can be seen, and why it cannot be chosen."""
        model = self.kind.model()
        assert isinstance(model, QStandardItemModel)
        model.item(row).setEnabled(False)
        why = "For sparse networks, and this is a graph of operators: File > Open as Sparse Network"
        self.kind.setItemText(row, f"{title} (sparse networks only)")
        self.kind.setItemData(row, why, Qt.ItemDataRole.ToolTipRole)

    def _fill_costs(self) -> None:
        problem = self.document.problem
        assert problem is not None
        model = problem.graph.cost_model
        self._show_costs()
        self._filling = True
        try:
            self.costs.clear()
            if model is not None:
                self.costs.add_fields(model)
                for side, choice in self.rates.items():
                    fill_rates(choice, side, model)
        finally:
            self._filling = False

    def _take_rates(self, side: str, one: NamedMachine) -> None:
        """Fill the rates of a kind of device with those of a machine."""
        model = self._typed_costs()
        assert one.rates is not None, "only machines with rates are offered"
        self._filling = True
        try:
            with self._staying:
                self.costs.fill(model.with_rates(side, one.rates, (), None))
        finally:
            self._filling = False
        self._edited()

    def _take_parameters(self, one: NamedMachine) -> None:
        """Fill the parameters of a target that has rates of its own with what a machine says of them."""
        assert self._target is not None, "a machine was chosen for it"
        with suppress(StageboardError), self._staying:
            target, objective, _ = self.edited()
            self._fill(dataclasses.replace(target, **one.parameters[target.kind]), objective)  # type: ignore[type-var]
        self._edited()

    def _typed_costs(self) -> CostModel:
        """The cost model of the fields; rates as they were where one of them makes no sense."""
        problem = self.document.problem
        known = None if problem is None else problem.graph.cost_model
        with suppress(StageboardError):
            return CostModel(**self.costs.values())  # type: ignore[arg-type]
        return known or CostModel()

    def _say_machines(self) -> None:
        """Rates that were typed in are nobody's."""
        if self.costs.fields:
            model = self._typed_costs()
            for side, choice in self.rates.items():
                if choice.machine is not None and choice.machine.rates != model.rates(side):
                    choice.choose("")
        if self._target is not None and self.named.machine is not None:
            with suppress(StageboardError):
                values = self.machine.values()
                said = self.named.machine.parameters[self._target.kind]
                if any(values[key] != value for key, value in said.items()):
                    self.named.choose("")

    def _show_costs(self) -> None:
        """The cost model is there only where the machine's times depend on it."""
        problem, target = self.document.problem, self._target
        used = problem is not None and problem.graph.cost_model is not None
        for widget in (self._costs_title, self._costs_note, self.costs, *self.rates.values()):
            widget.setVisible(used and target is not None and target.uses_cost_model)

    def _kind_chosen(self) -> None:
        """Another kind of machine: start from its defaults (or from what the file says of its pool).

        A pipeline of another kind has as many stages, so that every op keeps its own; a package has at least so many chips.
        """
        if self._filling or self.document.problem is None:
            return
        from planner.machines.spec import parse_target

        kind, problem = self.kind.currentData(), self.document.problem
        if kind == problem.target.kind:
            target = problem.target
        else:
            target = parse_target(kind, problem.graph)
            stages = getattr(problem.target, "count", None)
            if stages is not None:
                target = target.with_count(stages)
        with self._staying:
            self._fill(target, target.objectives[0])
            self._show_costs()
        self._edited()

    def choose_kind(self, kind: str) -> None:
        """Fill the fields for another kind of machine, for *Apply*, which has the keyboard then."""
        self.refresh_now()
        self.kind.setCurrentIndex(self.kind.findData(kind))
        if self.apply_button.isEnabled():
            self.apply_button.setFocus(Qt.FocusReason.ShortcutFocusReason)

    # ------------------------------------------------------------------ applying
    def _edited(self) -> None:
        if not self._filling:
            self._staying.edited()
            self.error.setText("")
            self._say_machines()
            self._say_objective()
            self._mark_unused()
            self._settle()
            self._load()

    def _load(self) -> None:
        """Another machine or objective is chosen: what it evaluates with is loaded while its fields are looked at."""
        problem = self.document.problem
        with suppress(StageboardError):
            target, objective, _ = self.edited()
            if problem is not None and (target.kind, objective) != (problem.target.kind, problem.objective):
                warming.load_editing(Problem(problem.graph, target, objective))

    def _say_objective(self) -> None:
        """One line on what the chosen objective wants."""
        said = objective_help(str(self.objective.currentData()), self._target)
        self.about.setText(said)
        self.about.setVisible(bool(said))

    def _mark_unused(self) -> None:
        """Grey the parameters that mean nothing to the chosen objective; one that is set must be there to be reset."""
        objective = str(self.objective.currentData())
        if self._target is None:
            return
        try:
            values = self.machine.values()
        except StageboardError:
            return
        kind = type(self._target)
        plain = kind()
        for name, field in self.machine.fields.items():
            field.setEnabled(values[name] != getattr(plain, name) or not is_unused(kind, name, objective))

    def _settle(self) -> None:
        """Apply and Reset are there only when there is something to apply."""
        changed, problem = False, self.document.problem
        if problem is not None:
            try:
                changed = self.edited() != (problem.target, problem.objective, problem.graph.cost_model)
            except StageboardError:
                changed = True
        if not changed and (self.apply_button.hasFocus() or self.reset_button.hasFocus()):
            # A button that goes grey would pass the keyboard on to another panel.
            self._staying.back(self.kind)
        for button in self.apply_button, self.reset_button:
            offer(button, "" if changed else "nothing is changed")
        self._changed = changed
        self._say_unapplied()

    @property
    def unapplied(self) -> bool:
        """Whether a change in the fields waits for Apply; one that the next look at the panel drops does not."""
        return self._changed and not self._stale

    def _say_unapplied(self) -> None:
        if self.unapplied != self._said:
            self._said = self.unapplied
            self.unapplied_changed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return in a field applies; a button that has the keyboard is pressed."""
        if (
            event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        ):
            super().keyPressEvent(event)
            return
        focused = self.focusWidget()
        if isinstance(focused, QPushButton | QToolButton):
            focused.click()
        elif self.apply_button.isEnabled():
            self.apply()

    def edited(self) -> tuple[Target, str, Any]:
        """Target, objective and cost model (None = the file has all times) as the fields say.

        Raises :class:`StageboardError` where a field makes no sense.
        """
        assert self._target is not None
        target = type(self._target)(**self.machine.values())
        model = None if self.document.problem is None else self.document.problem.graph.cost_model
        costs = None
        if model is not None:
            costs = CostModel(**self.costs.values())  # type: ignore[arg-type]
            for side, choice in self.rates.items():
                costs = with_choice(costs, side, choice)
        return target, str(self.objective.currentData()), costs

    def apply(self) -> None:
        """Make the fields the problem: one undo step, or one sentence on what is wrong."""
        try:
            target, objective, costs = self.edited()
            problem = self.document.problem
            if problem is not None and costs == problem.graph.cost_model:
                costs = None
            with busy():
                self.document.set_problem(target, objective, costs)
        except StageboardError as error:
            self.error.setText(str(error))
            return
        self.error.setText("")
        self._settle()
