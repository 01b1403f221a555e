"""The document of a sparse network: its problem, the order under edit, the list of orders, the moment that is shown.

Views read it and change it only through its methods. Parts that know nothing of graphs are those of the other window:
the undo history, the plan list. Jobs and panels that serve both windows find what they ask for under the same names.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject

from gui.document.network.commands import SetOrder
from gui.document.network.counting import Counting
from gui.document.network.entries import OrderEntry, fill_figures, forget_figures, frozen, set_figures
from gui.document.network.state import OrderState
from gui.document.plan.board import kept_bounds
from gui.document.plan.opening import quick_bounds
from gui.document.plan_list import PlanEntry, drop_refuted
from gui.document.steps import RemovePlan, RenamePlan
from gui.document.values import Message
from planner.errors import StageboardError
from planner.machines.two_level_memory.order import ConnectionOrder
from planner.machines.two_level_memory.problem import OrderPlan
from planner.problem.base import says_more
from planner.problem.claims import claimed
from planner.problem.provenance import Provenance

if TYPE_CHECKING:
    from gui.document.network.counting import Counted
    from gui.document.network.opening import OpenedNetwork
    from planner.machines.two_level_memory.problem import NetworkProblem
    from planner.model.graph import Bools, Ints
    from planner.problem.bound import Bound
    from planner.problem.target import Target


class OrderDocument(OrderState):
    """A network's problem and order, and everything that may be done to them; see :class:`OrderState` for the signals."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._counting = Counting(self)
        self._counting.counted.connect(self._counted)

    # ------------------------------------------------------------------ opening and saving
    def install(self, opened: OpenedNetwork) -> None:
        """Let what :mod:`gui.document.network.opening` prepared take the place of what is open. Cannot fail."""
        self.problem, self.paths, self.density = opened.problem, opened.paths, opened.density
        first = opened.entries[-1]
        self.order, self._evaluation = first.order, first.evaluation
        self._known.forget()
        self.bounds = kept_bounds([], opened.bounds)
        self.plan_path = opened.plan_path
        self.position, self.selection, self.hover, self.compared = len(self.order), -1, -1, None
        # Everything is done at the moment shown first: all connections have their colours.
        self.graph_serial += 1
        self.serial += 1
        self._counting.cancel()
        self.plan_list.reset(list(opened.entries), first.id)
        self.history.reset()
        self.follow_traces()
        self.network_changed.emit()
        self.order_changed.emit()
        self.compared_changed.emit()
        self.selection_changed.emit()
        self.position_changed.emit()
        self.readouts_changed.emit()
        self.plans_changed.emit()
        for warning in self.problem.network.warnings:
            self.message.emit(Message("warning", warning))

    def save_plan(self, path: str | Path) -> None:
        """Write the order as a plan file, whole or not at all. Raises :class:`StageboardError`."""
        from planner.plan_files.plan_json import write_plan

        target = Path(path).absolute()
        write_plan(target, self.current_plan(), self.plan_bounds)
        self.plan_path = target
        self.history.set_saved()
        self.plans_changed.emit()

    def current_plan(self) -> OrderPlan:
        """The order as a plan with where it came from. Raises :class:`StageboardError` where nothing is open."""
        problem, active = self.open_problem, self.active
        assert active is not None
        planner = "hand" if active.origin == "hand" else active.planner
        provenance = active.provenance or Provenance(
            planner=planner or active.origin, seed=active.seed, seconds=active.seconds or 0.0
        )
        name = active.name or provenance.planner
        return OrderPlan(problem, ConnectionOrder(self.order), self.evaluation, provenance, name)

    def open_plan(self, plan: OrderPlan, bounds: Iterable[Bound], path: Path) -> None:
        """Take on a plan of the open network: one undo step, after which the document counts as saved."""
        provenance = plan.provenance
        entry = OrderEntry(
            self.plan_list.unused_name(plan.name or path.stem), frozen(plan.decision.order), "file",
            planner=provenance.planner, seed=provenance.seed, seconds=provenance.seconds, provenance=provenance,
            claims=claimed(stored := tuple(bounds)),
        )  # fmt: skip
        self.bounds = kept_bounds(self.bounds, stored)
        self._known.remember(plan.problem, entry.order, plan.evaluation)
        problem = None if plan.problem == self.problem else plan.problem
        self._push(f"Open {path.name}", entry.order, problem=problem, creates=entry, path=path)
        self.history.set_saved()
        self.plans_changed.emit()

    def recover(self, plan: OrderPlan, bounds: Iterable[Bound], path: Path | None) -> None:
        """Take on the order that a crash left behind: one undo step, not saved; ``path`` is the plan file it belongs to."""
        entry = OrderEntry(
            self.plan_list.unused_name(plan.name), frozen(plan.decision.order), "file",
            planner=plan.provenance.planner, seed=plan.provenance.seed, seconds=plan.provenance.seconds,
            provenance=plan.provenance, claims=claimed(stored := tuple(bounds)),
        )  # fmt: skip
        self.plan_path = path
        self.bounds = kept_bounds(self.bounds, stored)
        self._known.remember(plan.problem, entry.order, plan.evaluation)
        problem = None if plan.problem == self.problem else plan.problem
        self._push("Recover the order", entry.order, problem=problem, creates=entry)
        self.plans_changed.emit()

    # ------------------------------------------------------------------ changes, each one undo step
    def _push(
        self, text: str, order: Ints, *, problem: NetworkProblem | None = None, active: str = "",
        creates: OrderEntry | None = None, path: Path | None = None, key: str = "",
    ) -> None:  # fmt: skip
        if creates is not None:
            active = creates.id
        command = SetOrder(
            self, text, order, problem=problem, active=active, creates=creates, path=path, key=key
        )
        self.history.push(command, by_user=not key)

    def set_order(self, order: Ints, text: str) -> bool:
        """Take on an order made by hand. Returns False where it is the same. Raises :class:`StageboardError`."""
        order = self.open_problem.evaluator.checked(order)
        if np.array_equal(order, self.order):
            return False
        active, creates = self.active, None
        if active is None or active.origin != "hand":
            name = "order" if active is None else active.name
            creates = OrderEntry(self.plan_list.unused_name(f"{name}, edited"), frozen(order), "hand")
        self._push(text, order, creates=creates)
        return True

    def move_block(self, neuron: int, position: int) -> bool:
        """Gather the connections into a neuron at ``position`` of the order. Raises :class:`StageboardError` if illegal."""
        from planner.machines.two_level_memory.orders.blocks import moved

        network = self.open_problem.network
        order = moved(network, self.order, neuron, position)
        return self.set_order(order, f"Move the block of {network.neuron_name(neuron)}")

    def set_target(self, target: Target) -> bool:
        """Plan for another fast memory; all orders are counted again. Raises :class:`StageboardError`."""
        from planner.machines.two_level_memory.problem import check_memory

        before = self.open_problem
        after = before.with_target(check_memory(before.network, target))
        if after == before:
            return False
        self._push(f"Change the fast memory to {target.spec()}", self.order, problem=after)
        return True

    def apply_plan(self, entry: PlanEntry) -> bool:
        """Put an order of the list on the canvas."""
        if entry is self.active:
            return False
        order = self.open_problem.evaluator.checked(entry.device_of)
        self._push(f"Apply {entry.name}", order, active=entry.id)
        return True

    def follow(self, order: Ints, entry: PlanEntry, key: str, text: str) -> bool:
        """Show what a followed run found. All it finds in a row is one undo step; ``key`` names the run."""
        order = self.open_problem.evaluator.checked(order)
        if np.array_equal(order, self.order) and entry is self.active:
            return False
        last = self.history.last_open
        if isinstance(last, SetOrder) and last.key == key:
            last.extend(order, entry.id)
            self.enter(None, order, entry.id)
        else:
            self._push(text, order, active=entry.id, key=key)
        return True

    def enter(self, problem: NetworkProblem | None, order: Ints | None, active: str) -> None:
        """Called by undo commands only: take on a problem and an order (None = the same), and an active entry."""
        self.plan_list.active_id = active
        entry = self.active
        if order is not None:
            self.order = frozen(order)
        if entry is not None and entry.origin == "hand":
            entry.device_of = self.order
        self._evaluation = None
        if problem is None and isinstance(entry, OrderEntry) and np.array_equal(entry.order, self.order):
            # Counted when it came into the list: of a large network that takes a while.
            self._evaluation = entry.evaluation if entry.origin != "hand" else None
        self.serial += 1
        if problem is not None:
            self.problem = problem
            self.bounds = kept_bounds(self.bounds, quick_bounds(problem))
            others = [listed for listed in self.plans if listed is not entry]
            for listed in others:
                forget_figures(listed)
            self._counting.count(problem, others)
        if entry is not None:
            set_figures(entry, self.open_problem, self.evaluation, self.bounds)
            self._drop_refuted(entry)
        self.follow_traces()
        if problem is not None:
            self.problem_changed.emit()
        if order is not None:
            self.order_changed.emit()
        self.readouts_changed.emit()
        self.plans_changed.emit()

    def _counted(self, problem: NetworkProblem, found: Counted) -> None:
        """Orders of the list were counted again."""
        if problem is not self.problem:
            return
        for entry, evaluation in found:
            if evaluation is not None and not entry.components:
                set_figures(entry, problem, evaluation, self.bounds)
        self.plans_changed.emit()

    # ------------------------------------------------------------------ the list of orders
    def add_plan(
        self, order: Ints, name: str, *, origin: str = "planner", planner: str = "", seed: int | None = None,
        seconds: float | None = None, provenance: Provenance | None = None,
    ) -> OrderEntry:  # fmt: skip
        """Add a proposal to the list; it changes nothing until applied. Raises PlanError for no permutation."""
        entry = OrderEntry(
            self.plan_list.unused_name(name), frozen(self.open_problem.evaluator.checked(order)), origin,
            planner=planner, seed=seed, seconds=seconds, provenance=provenance,
        )  # fmt: skip
        self.refresh_entry(entry)
        self.plan_list.insert(entry)
        return entry

    def update_plan(
        self, entry: PlanEntry, device_of: Ints | None = None, seconds: float | None = None
    ) -> None:
        """A planner improved its entry, or says how long it took."""
        if device_of is not None:
            entry.device_of = frozen(device_of)
            self.refresh_entry(entry)
        entry.seconds = entry.seconds if seconds is None else seconds
        self.plans_changed.emit()

    def refresh_entry(self, entry: PlanEntry) -> None:
        """Fill in the figures of an entry under the present problem."""
        fill_figures(entry, self.open_problem, self.bounds)
        self._drop_refuted(entry)
        if entry is self.compared:
            self.follow_traces()
            self.compared_changed.emit()

    def _drop_refuted(self, entry: PlanEntry) -> None:
        """Files may claim what this order shows to be wrong."""
        for note in drop_refuted(self.plans, entry, self.open_problem):
            self.message.emit(Message("warning", note))

    def rename_plan(self, entry: PlanEntry, name: str) -> bool:
        """Give an order another name; False where it has that name, or the name is empty."""
        name = name.strip()
        if not name or name == entry.name:
            return False
        self.history.push(RenamePlan(self, entry, name))
        return True

    def remove_plan(self, entry: PlanEntry) -> None:
        """Take an order out of the list. Raises :class:`StageboardError` for the one on the canvas."""
        if entry is self.active:
            raise StageboardError(f"'{entry.name}' is on the canvas; apply another order before removing it")
        if entry is self.compared:
            self.compare(None)
        self.history.push(RemovePlan(self, entry))

    def add_bounds(self, bounds: Iterable[Bound]) -> None:
        """Add proven bounds; the strongest that applies to the problem is shown."""
        problem, new = self.open_problem, list(bounds)
        more = any(says_more(bound, problem, self.bounds) for bound in new)
        self.bounds = kept_bounds(self.bounds, new)
        if not more:
            return
        for entry in self.plans:
            if entry.components:
                entry.standing = problem.standing(entry.components, self.bounds)
        self.readouts_changed.emit()
        self.plans_changed.emit()

    def differences(self, entry: PlanEntry) -> Bools:
        """At which positions an order of the list has another connection than the one on the canvas (bool[W])."""
        if entry.device_of.shape != self.order.shape:
            return np.ones(len(self.order), bool)
        different: Bools = entry.device_of != self.order
        return different

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
