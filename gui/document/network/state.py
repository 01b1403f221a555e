"""What is open in a network's window and what is looked at, for views to read. :mod:`gui.document.network.document` changes it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gui.document.history import History
from gui.document.network.entries import EMPTY, OrderEntry
from gui.document.network.known import Known
from gui.document.network.traces import OneTrace
from gui.document.plan_list import PlanEntry, PlanList, bounds_with, telling_of
from planner.errors import StageboardError

if TYPE_CHECKING:
    from planner.machines.two_level_memory.order import OrderEvaluation
    from planner.machines.two_level_memory.problem import NetworkProblem
    from planner.machines.two_level_memory.trace import Trace
    from planner.model.graph import Ints
    from planner.model.network import Network
    from planner.problem.bound import Bound, Standing


class OrderState(QObject):
    """What is open in a network's window. Signals carry no payload unless said; views read the state.

    ``network_changed``: another network is open, everything is new. ``problem_changed``: the fast memory changed.
    ``order_changed``: connections come in another order. ``trace_changed``: a trace is there, or gone.
    ``position_changed``: another moment is shown. ``readouts_changed``: figures, bounds or rules are to be read again.
    """

    network_changed = Signal()
    problem_changed = Signal()
    order_changed = Signal()
    trace_changed = Signal()
    plans_changed = Signal()
    position_changed = Signal()
    selection_changed = Signal()
    hover_changed = Signal()
    compared_changed = Signal()
    readouts_changed = Signal()
    modified_changed = Signal(bool)
    message = Signal(object)

    preview = None
    """There are no previews of drags here that a planner could disturb."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.problem: NetworkProblem | None = None
        """What is planned; None where nothing is open."""
        self.order: Ints = EMPTY
        """The order under edit (int32[W], read-only); another array after every change."""
        self.serial = 0
        """Counts the changes of order and problem."""
        self.bounds: list[Bound] = []
        self.position = 0
        """How many connections are done at the moment shown, 0 to W."""
        self.selection, self.hover = -1, -1
        """The neuron selected, and the one under the pointer; -1 for none."""
        self.compared: OrderEntry | None = None
        """The order shown beside the one under edit."""
        self.paths: tuple[Path, ...] = ()
        self.density: float | None = None
        """The density a dense file was pruned to when it was opened."""
        self.plan_path: Path | None = None
        self.graph_serial = 0
        self._evaluation: OrderEvaluation | None = None
        self._known = Known()
        self.history = History(self)
        self.undo_stack = self.history.undo_stack
        self.plan_list = PlanList(self)
        self._traces = (OneTrace("trace", self), OneTrace("compared trace", self))
        self.history.modified_changed.connect(self.modified_changed)
        self.plan_list.plans_changed.connect(self.plans_changed)
        for one in self._traces:
            one.changed.connect(self.trace_changed)
        # The names by which jobs and shared panels know these signals.
        self.graph_changed, self.assignment_changed = self.network_changed, self.order_changed

    # ------------------------------------------------------------------ state
    @property
    def network(self) -> Network | None:
        """The open network."""
        return None if self.problem is None else self.problem.network

    @property
    def open_problem(self) -> NetworkProblem:
        """The problem. Raises :class:`StageboardError` where nothing is open."""
        if self.problem is None:
            raise StageboardError("no network is open; open one first")
        return self.problem

    @property
    def device_of(self) -> Ints:
        """The decision under edit, which is the order."""
        return self.order

    @property
    def evaluation(self) -> OrderEvaluation:
        """Reads, writes and violations of the order; counted once. Raises :class:`StageboardError` with nothing open."""
        if self._evaluation is None:
            self._evaluation = self._known.evaluate(self.open_problem, self.order)
        return self._evaluation

    @property
    def trace(self) -> Trace | None:
        """What happens along the order; None while that is being found out on a thread."""
        return self._traces[0].trace

    @property
    def compared_trace(self) -> Trace | None:
        """The same of the order beside it."""
        return self._traces[1].trace

    @property
    def bound(self) -> Bound | None:
        """The strongest bound that applies."""
        return None if self.problem is None else self.problem.strongest_bound(self.bounds)

    @property
    def standing(self) -> Standing | None:
        """How the order stands against the bounds; None where nothing is open."""
        return None if self.problem is None else self.problem.standing(self.evaluation.values, self.bounds)

    @property
    def plan_bounds(self) -> list[Bound]:
        """What is proven, and what the file of the order on the canvas claims."""
        return bounds_with(self.active, self.bounds)

    @property
    def claim(self) -> Bound | None:
        """What the file of the order on the canvas claims beyond what is proven; None where it claims nothing more."""
        active, problem = self.active, self.problem
        if active is None or problem is None or not active.claims:
            return None
        evaluation = self.evaluation
        return telling_of(active, problem, evaluation.values, evaluation.valid, self.bounds)

    @property
    def gap(self) -> float | None:
        """The gap; None without a bound or while connections are out of order."""
        standing = self.standing
        return None if standing is None or not self.evaluation.valid else standing.gap

    @property
    def plans(self) -> list[PlanEntry]:
        """The list of orders; all are of class :class:`OrderEntry`."""
        return self.plan_list.entries

    @property
    def active(self) -> PlanEntry | None:
        """The order on the canvas."""
        return self.plan_list.active

    @property
    def modified(self) -> bool:
        """Whether the order differs from what was opened or saved last."""
        return self.history.modified

    @property
    def edit_serial(self) -> int:
        """Counts what the user did to order and problem."""
        return self.history.edits

    @property
    def title(self) -> str:
        """Network and plan as a window title names them."""
        if self.problem is None:
            return "Stageboard"
        return self.problem.network.name + (f" – {self.plan_path.name}" if self.plan_path else "")

    # ------------------------------------------------------------------ what is looked at
    def set_position(self, position: int) -> None:
        """Show the moment when so many connections are done."""
        position = min(max(0, int(position)), len(self.order))
        if position != self.position:
            self.position = position
            self.position_changed.emit()

    def select(self, neuron: int) -> None:
        """Select a neuron, or none (-1)."""
        neuron = self._neuron(neuron)
        if neuron != self.selection:
            self.selection = neuron
            self.selection_changed.emit()

    def set_hover(self, neuron: int) -> None:
        """The pointer is over a neuron, or over none (-1)."""
        neuron = self._neuron(neuron)
        if neuron != self.hover:
            self.hover = neuron
            self.hover_changed.emit()

    def _neuron(self, neuron: int) -> int:
        """``neuron`` if the network has it, else -1."""
        return int(neuron) if self.network is not None and 0 <= neuron < self.network.neuron_count else -1

    def compare(self, entry: PlanEntry | None) -> None:
        """Show an order of the list beside the one on the canvas, or none."""
        assert entry is None or isinstance(entry, OrderEntry)
        if entry is not self.compared:
            self.compared = entry
            self.follow_traces()
            self.compared_changed.emit()

    def follow_traces(self) -> None:
        """Make the traces of what is shown now."""
        self._traces[0].follow(self.problem, self.order)
        self._traces[1].follow(self.problem, EMPTY if self.compared is None else self.compared.order)
