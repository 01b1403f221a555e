"""The document of a sparse network: its problem, the order under edit, the list of orders, the moment that is shown.

Views read it and change it only through its methods. What it shares with other documents is :mod:`gui.document.document`'s.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gui.document.commands import SetProblem
from gui.document.document import PlannedDocument
from gui.document.network.board import OrderBoard
from gui.document.network.counting import Counting
from gui.document.network.entries import EMPTY, OrderEntry
from gui.document.network.traces import OneTrace
from gui.document.plan_list import PlanEntry, fill_figures
from gui.document.values import DecisionChange
from gui.words.machines import fast_memory_words
from planner.machines.two_level_memory.order import ConnectionOrder, OrderEvaluation
from planner.machines.two_level_memory.problem import NetworkProblem, OrderPlan
from planner.problem.claims import claimed

if TYPE_CHECKING:
    from gui.document.network.counting import Counted
    from gui.document.network.opening import OpenedNetwork
    from planner.machines.two_level_memory.trace import Trace
    from planner.model.graph import Ints
    from planner.model.network import Network
    from planner.problem.bound import Bound
    from planner.problem.target import Target


class OrderDocument(PlannedDocument[NetworkProblem, OrderEvaluation]):
    """A network's problem and order, what is looked at, and everything that may be done to them.

    ``trace_changed``: a trace is there, or gone. ``position_changed``: another moment is shown.
    """

    trace_changed = Signal()
    position_changed = Signal()
    compared_changed = Signal()

    board: OrderBoard
    entry_class = OrderEntry

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(OrderBoard(), parent)
        self.position = 0
        """How many connections are done at the moment shown, 0 to W."""
        self.selection, self.hover = -1, -1
        """The neuron selected, and the one under the pointer; -1 for none."""
        self.compared: OrderEntry | None = None
        """The order shown beside the one under edit."""
        self.density: float | None = None
        """The density a dense file was pruned to when it was opened."""
        self._counting = Counting(self)
        self._counting.counted.connect(self._counted)
        self._traces = (OneTrace("trace", self), OneTrace("compared trace", self))
        for one in self._traces:
            one.changed.connect(self.trace_changed)

    # ------------------------------------------------------------------ state
    @property
    def network(self) -> Network | None:
        """The open network."""
        return None if self.problem is None else self.problem.network

    @property
    def order(self) -> Ints:
        """The order under edit (int32[W], read-only); another array after every change."""
        return self.board.order

    @property
    def trace(self) -> Trace | None:
        """What happens along the order; None while that is being found out on a thread."""
        return self._traces[0].trace

    @property
    def compared_trace(self) -> Trace | None:
        """The same of the order beside it."""
        return self._traces[1].trace

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

    # ------------------------------------------------------------------ opening and saving
    def install(self, opened: OpenedNetwork) -> None:
        """Let what :mod:`gui.document.network.opening` prepared take the place of what is open. Cannot fail."""
        first = opened.entries[-1]
        self._counting.cancel()
        self.board.reset(opened.problem, first, opened.bounds)
        self.density = opened.density
        # Everything is done at the moment shown first: all connections have their colours.
        self.position, self.selection, self.hover, self.compared = len(self.order), -1, -1, None
        self._installed(opened.entries, first, opened.paths, opened.plan_path)
        self.follow_traces()
        self.model_changed.emit()
        self.decision_changed.emit(DecisionChange(None, "load"))
        self.compared_changed.emit()
        self.selection_changed.emit()
        self.position_changed.emit()
        self.readouts_changed.emit()
        self.plans_changed.emit()
        self._tell_warnings(opened.problem.network.warnings)

    def current_plan(self) -> OrderPlan:
        """The order as a plan with where it came from. Raises :class:`StageboardError` where nothing is open."""
        plan: OrderPlan = super().current_plan()
        return plan

    def open_plan(self, plan: OrderPlan, bounds: Iterable[Bound], path: Path) -> None:
        """Take on a plan of the open network: one undo step, after which the document counts as saved."""
        self.board.known.remember(plan.problem, plan.decision.order, plan.evaluation)
        self._take(plan, plan.name or path.stem, tuple(bounds), f"Open {path.name}", path, saved=True)

    def recover(self, plan: OrderPlan, bounds: Iterable[Bound], path: Path | None) -> None:
        """Take on the order that a crash left behind: one undo step, not saved; ``path`` is the plan file it belongs to."""
        self.board.known.remember(plan.problem, plan.decision.order, plan.evaluation)
        self._take(plan, plan.name, tuple(bounds), "Recover the order", path, saved=False)

    # ------------------------------------------------------------------ changes, each one undo step
    def set_order(self, order: Ints, text: str) -> bool:
        """Take on an order made by hand. Returns False where it is the same. Raises :class:`StageboardError`."""
        return self.set_assignment(order, "edit", text)

    def move_block(self, neuron: int, position: int) -> bool:
        """Gather the connections into a neuron at ``position`` of the order. Raises :class:`StageboardError` if illegal."""
        from planner.machines.two_level_memory.orders.blocks import moved

        network = self.open_problem.network
        order = moved(network, self.order, neuron, position)
        return self.set_order(order, f"Move the block of {network.neuron_name(neuron)}")

    def take_block(self, neuron: int) -> bool:
        """Gather a neuron's block where the order beside has it, as near as is legal. Raises :class:`StageboardError`."""
        from planner.machines.two_level_memory.orders.blocks import placed_like

        network, beside = self.open_problem.network, self.compared
        if beside is None:
            return False
        order = placed_like(network, self.order, beside.order, neuron)
        return self.set_order(order, f"Take the block of {network.neuron_name(neuron)} from '{beside.name}'")

    def set_target(self, target: Target) -> bool:
        """Plan for another fast memory; all orders are counted again. Raises :class:`StageboardError`."""
        from planner.machines.two_level_memory.problem import check_memory

        before = self.open_problem
        after = before.with_target(check_memory(before.network, target))
        if after == before:
            return False
        text = f"Change to a {fast_memory_words(after)}"
        self.history.push(SetProblem(self, text, EMPTY, EMPTY, problems=(before, after)))
        return True

    def enter(
        self, problem: NetworkProblem | None, ops: Ints, devices: Ints, active: str, reason: str
    ) -> None:
        """Counts nothing that was counted when it came into the list: of a large network that takes a while."""
        entry = self.plan_list.get(active)
        if problem is None and isinstance(entry, OrderEntry):
            self.board.remember(entry)
        super().enter(problem, ops, devices, active, reason)

    def _entered(self, ops: Ints, reason: str) -> None:
        self.follow_traces()
        super()._entered(ops, reason)

    def _evaluate(self, entries: Sequence[PlanEntry]) -> None:
        for entry in entries:
            entry.forget_figures()
        self._counting.count(self.open_problem, entries)

    def _counted(self, problem: NetworkProblem, found: Counted) -> None:
        """Orders of the list were counted again."""
        if problem is not self.problem:
            return
        for entry, evaluation in found:
            if evaluation is not None and not entry.components:
                entry.set_figures(problem, evaluation, self.bounds)
        self.plans_changed.emit()

    # ------------------------------------------------------------------ the list of orders
    def plan_of(self, entry: PlanEntry) -> OrderPlan:
        """An order of the list as a plan; what was counted of it is not counted again."""
        if isinstance(entry, OrderEntry) and entry.evaluation is not None:
            return OrderPlan(
                self.open_problem, ConnectionOrder(entry.order), entry.evaluation, entry.source, entry.name
            )
        plan: OrderPlan = super().plan_of(entry)
        return plan

    def list_order(self, plan: OrderPlan, bounds: Iterable[Bound], name: str, origin: str) -> OrderEntry:
        """Put an order of a file into the list; what was counted of it is not counted again."""
        note = plan.provenance
        entry = OrderEntry(
            self.plan_list.unused_name(name), self.board.own(plan.decision.order), origin, planner=note.planner,
            seed=note.seed, seconds=note.seconds, provenance=note, claims=claimed(bounds),
        )  # fmt: skip
        self.add_bounds(bounds)
        if plan.problem == self.problem:
            entry.set_figures(self.open_problem, plan.evaluation, self.bounds)
        else:
            fill_figures(entry, self.open_problem, self.bounds)
        self.plan_list.insert(entry)
        return entry

    def refresh_entry(self, entry: PlanEntry) -> None:
        """Also the trace of the order that is shown beside the one under edit."""
        super().refresh_entry(entry)
        if entry is self.compared:
            self.follow_traces()
            self.compared_changed.emit()

    def remove_plan(self, entry: PlanEntry) -> None:
        """Take an order out of the list. Raises :class:`StageboardError` for one that is in use."""
        super().remove_plan(entry)
        if entry is self.compared:
            self.compare(None)

    # ------------------------------------------------------------------ threads
    @property
    def busy(self) -> bool:
        """Whether a trace is being made, or orders are being counted."""
        return self._counting.busy or any(one.busy for one in self._traces)

    def close(self) -> None:
        """The window goes: end the threads."""
        self._counting.close()
        for one in self._traces:
            one.close()
