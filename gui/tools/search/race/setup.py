"""Who takes part in a race and until when: a field that suits the problem, which may be changed by hand."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gui.look.numbers import plural
from gui.look.theme import Theme, font
from gui.shell.key_claims import TakesLetters
from gui.tools.search.method_list import tag
from gui.tools.search.race.course import Goal
from gui.tools.search.race.racing import Settings
from gui.widgets.forms import Form, Value
from gui.widgets.labels import set_role
from gui.widgets.plain import PlainLabel
from gui.words.methods import refusal_words
from planner.options import applying

if TYPE_CHECKING:
    from planner.problem.base import PlanningProblem
    from planner.search.method import Method

NETWORKS = "memory"
METHOD = int(Qt.ItemDataRole.UserRole)
REASON, HEADING = METHOD + 1, METHOD + 2
GAPS, LIMIT = (5.0, 1.0, 0.1, 0.0), 60
"""Per cent of which the largest is asked for that the plan on the canvas is not near to already; seconds at most."""
FIND, PROVE, OTHERS = "Find plans", "Prove a bound", "Not for this problem"
Key = tuple[str, bool]
"""A method's name, and whether it is a bound method."""


def cores_here() -> int:
    """How many processors this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return max(1, len(affinity(0)) if affinity is not None else os.cpu_count() or 1)


def default_cores() -> int:
    """All but one, which the window keeps for itself; at least one."""
    return max(1, cores_here() - 1)


def recommended(problem: PlanningProblem, cores: int = 1, time_limit: float | None = None) -> list[Key]:
    """The field that suits a problem, in the order in which it should start; a smaller one for little time."""
    from planner.runs.race import good_field

    field = good_field(problem, cores=cores, time_limit=time_limit)
    return [(entrant.method, entrant.is_bound) for entrant in field]


class MethodChecks(TakesLetters, QListWidget):
    """All methods for the problem with a box each; those that refuse it are greyed and say why."""

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setAccessibleName("Planners and bound methods that take part")
        self.setAccessibleDescription("Space lets a method take part, or not")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self._filling = False
        self.itemChanged.connect(self._item_changed)
        self.itemActivated.connect(self._toggle)

    def fill(self, problem: PlanningProblem | None, chosen: frozenset[Key]) -> None:
        """List what the catalogue has, with ``chosen`` checked."""
        from planner.machines.catalogue import methods_about

        self._filling = True
        current = self.currentRow()
        self.clear()
        groups: dict[str, list[tuple[Method, bool, str]]] = {FIND: [], PROVE: [], OTHERS: []}
        if problem is not None:
            plans, proofs = methods_about(problem)
            every: list[tuple[Method, bool]] = [(m, False) for m in plans]
            every += [(m, True) for m in proofs]
            for method, is_bound in every:
                # The expert's plan comes from a file that is asked for as an option.
                if method.name != "expert":
                    reason = refusal_words(method, problem)
                    groups[OTHERS if reason else PROVE if is_bound else FIND].append(
                        (method, is_bound, reason)
                    )
        for title, found in groups.items():
            if found:
                heading = QListWidgetItem(title)
                heading.setFlags(Qt.ItemFlag.NoItemFlags)
                heading.setFont(font(8.0))
                heading.setData(HEADING, True)
                self.addItem(heading)
            for method, is_bound, reason in found:
                self.addItem(self._item(method, is_bound, reason, (method.name, is_bound) in chosen))
        self.setCurrentRow(current if 0 < current < self.count() else 1 if self.count() > 1 else -1)
        self._filling = False
        self.set_theme(self._theme)
        self.changed.emit()

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self._theme = theme
        filling, self._filling = self._filling, True
        for item in (self.item(i) for i in range(self.count())):
            colour = theme.muted if item.data(HEADING) else theme.faint if item.data(REASON) else theme.text
            item.setForeground(QColor(colour))
        self._filling = filling

    @staticmethod
    def _item(method: Method, is_bound: bool, reason: str, checked: bool) -> QListWidgetItem:
        kind = tag(method)
        item = QListWidgetItem(f"{method.title}  ·  {kind}" if kind.startswith("exact") else method.title)
        item.setData(METHOD, (method.name, is_bound))
        item.setData(REASON, reason)
        item.setToolTip(reason or f"{method.summary}\n{method.source}")
        item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{method.title}: {reason or method.summary}")
        if reason:
            said = reason.removeprefix(f"'{method.name}' ")
            item.setText(f"{method.title}: {said}")
            item.setFlags(Qt.ItemFlag.ItemIsSelectable)
        else:
            item.setFlags(
                Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable
            )
            item.setCheckState(Qt.CheckState.Checked if checked else Qt.CheckState.Unchecked)
        return item

    def _item_changed(self, _: QListWidgetItem) -> None:
        if not self._filling:
            self.changed.emit()

    def _toggle(self, item: QListWidgetItem) -> None:
        """Return and a double click on the words do what the box does."""
        if item.flags() & Qt.ItemFlag.ItemIsUserCheckable:
            checked = item.checkState() == Qt.CheckState.Checked
            item.setCheckState(Qt.CheckState.Unchecked if checked else Qt.CheckState.Checked)

    def items_with_box(self) -> list[QListWidgetItem]:
        """The rows of methods that serve."""
        items = [self.item(i) for i in range(self.count())]
        return [item for item in items if item.flags() & Qt.ItemFlag.ItemIsUserCheckable]

    def chosen(self) -> list[Key]:
        """Who takes part, in the list's order."""
        return [
            item.data(METHOD) for item in self.items_with_box() if item.checkState() == Qt.CheckState.Checked
        ]

    def check(self, chosen: frozenset[Key]) -> None:
        """Let exactly these take part."""
        self._filling = True
        for item in self.items_with_box():
            on = tuple(item.data(METHOD)) in chosen
            item.setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)
        self._filling = False
        self.changed.emit()


class RaceSetup(QWidget):
    """The list of methods and the limits. ``changed`` when the field or a limit is another."""

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._by_hand = False
        self.given: Mapping[str, Mapping[str, Value]] = {}
        """Options of planners, by their names, that take the place of their own."""
        self._problem: PlanningProblem | None = None
        self._stale = False
        self.methods = MethodChecks(theme, self)
        self.methods.changed.connect(self._methods_changed)
        self.count = PlainLabel("", self)
        self.count.setWordWrap(True)
        self.count.setFont(font(8.0))
        set_role(self.count, "muted")
        self.recommend = QPushButton("Recommended", self)
        self.recommend.setToolTip(
            "The field that suits the problem: different planners, an exact one and a bound method"
        )
        self.recommend.clicked.connect(self._recommend)
        here = cores_here()
        self.limits = Form(self)
        self.limits.add_int(
            "cores", f"Cores ({here} here)", default_cores(), 1, here,
            f"so many processes work at a time; this machine has {plural(here, 'core')}",
        )  # fmt: skip
        self.limits.add_float(
            "gap",
            "Stop at gap, %",
            GAPS[0],
            0.0,
            100.0,
            "stop when the best plan is proven to be this near an optimal one; 0 = until proven optimal",
            2,
        )
        self.limits.add_int(
            "time", "Time limit, s", LIMIT, 0, 86_400, "stop after so many seconds; 0 = no limit"
        )
        self.limits.add_int("seed", "Seed", 0, 0, 2**31 - 1, "the seed of all entrants")
        self._gap_by_hand = False
        gap = self.limits.fields["gap"]
        assert isinstance(gap, QDoubleSpinBox)
        self._gap = gap
        gap.valueChanged.connect(self._gap_changed)
        self.limits.changed.connect(self._limits_changed)
        self.from_canvas = QCheckBox("Start from the plan on the canvas", self)
        self.from_canvas.setChecked(True)
        self.from_canvas.setToolTip("Planners that can go on from a plan get it, where it is valid")
        self.from_canvas.toggled.connect(self.changed)
        line = QHBoxLayout()
        line.setSpacing(6)
        line.addWidget(self.count, 1)
        line.addWidget(self.recommend)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.methods, 1)
        column.addLayout(line)
        column.addWidget(self.limits)
        column.addWidget(self.from_canvas)
        self.methods.setMinimumHeight(110)

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.methods.set_theme(theme)

    # ------------------------------------------------------------------ the field
    def forget(self) -> None:
        """Another model comes: what was chosen by hand for the one before goes with it."""
        self._by_hand = self._gap_by_hand = False
        self._stale = True

    def show_problem(self, problem: PlanningProblem | None) -> None:
        """List what serves a problem. A field chosen by hand stays, as far as it serves."""
        if problem is self._problem and not self._stale:
            return
        self._stale = False
        chosen = frozenset(self.methods.chosen()) if self._by_hand else frozenset()
        self._problem = problem
        if problem is not None and not self._by_hand:
            chosen = frozenset(self._recommended())
        by_hand = self._by_hand
        self.methods.fill(problem, chosen)
        self._by_hand = by_hand

    def suggest_gap(self, gap: float | None) -> None:
        """Ask for less than the plan on the canvas has, unless somebody chose: a race that is won before it starts is none."""
        if self._gap_by_hand:
            return
        wanted = GAPS[0] if gap is None else next((g for g in GAPS if g / 100 < gap / 2 or not g), 0.0)
        if wanted != self._gap.value():
            self._gap.setValue(wanted)
            self._gap_by_hand = False

    def _gap_changed(self) -> None:
        self._gap_by_hand = True

    def _methods_changed(self) -> None:
        chosen = self.methods.chosen()
        self._by_hand = True
        self.count.setText(field_words(chosen))
        self.changed.emit()

    def _limits_changed(self) -> None:
        """A field that nobody chose by hand is smaller where there is little time."""
        if self._problem is not None and not self._by_hand:
            field = frozenset(self._recommended())
            if field != frozenset(self.methods.chosen()):
                self._recommend()
        self.changed.emit()

    def _recommended(self) -> list[Key]:
        assert self._problem is not None
        values = self.limits.values()
        return recommended(self._problem, int(values["cores"]), float(values["time"]) or None)

    def _recommend(self) -> None:
        if self._problem is not None:
            self.methods.check(frozenset(self._recommended()))
            self._by_hand = False

    def choose(self, chosen: frozenset[Key]) -> None:
        """Let exactly these take part."""
        self.methods.check(chosen)

    def settings(self, from_nothing: bool = False) -> Settings:
        """What Start begins with; ``from_nothing``: neither a plan nor what is proven. Raises :class:`planner.errors.StageboardError` where a field makes no sense."""
        from planner.machines.catalogue import planner
        from planner.runs.race import Entrant

        def options_of(name: str) -> dict[str, Value]:
            given = self.given.get(name)
            return applying(planner(name).options, given) if given else {}

        values = self.limits.values()
        seed = int(values["seed"])
        # Who is quick goes first, as in the recommended field: its plan warms the others. Further ones follow.
        field = [] if self._problem is None else recommended(self._problem)
        chosen = self.methods.chosen()
        order = [key for key in field if key in chosen] + [key for key in chosen if key not in field]
        entrants = tuple(
            Entrant(name, is_bound, {} if is_bound else options_of(name), seed) for name, is_bound in order
        )
        goal = Goal(float(values["gap"]) / 100 or None, float(values["time"]) or None, int(values["cores"]))
        return Settings(entrants, goal, self.from_canvas.isChecked() and not from_nothing, not from_nothing)

    def words(self) -> str:
        """All of it in a line: ``5 planners and 1 bound method on 1 core, to 5 %, 60 s at most``."""
        values = self.limits.values()
        gap, time = float(values["gap"]), float(values["time"])
        parts = [f"{field_words(self.methods.chosen())} on {plural(int(values['cores']), 'core')}"]
        parts.append(f"to a gap of {gap:g} %" if gap else "until proven optimal")
        if time:
            parts.append(f"{time:g} s at most")
        return ", ".join(parts)


def field_words(chosen: list[Key]) -> str:
    """``5 planners and 1 bound method``."""
    bounds = sum(is_bound for _, is_bound in chosen)
    parts = [plural(len(chosen) - bounds, "planner")]
    if bounds:
        parts.append(plural(bounds, "bound method"))
    return " and ".join(parts)
