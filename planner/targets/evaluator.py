"""Full evaluation of assignments: the arrays of a bound problem and what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from planner.errors import PlanError
from planner.graph import Bools, Floats, Ints
from planner.plan import Evaluation, Violation
from planner.targets import kernels

if TYPE_CHECKING:
    from planner.problem import Problem
    from planner.targets.rules import Rule


class AssignmentEvaluator:
    """Everything a target's cost model needs as flat arrays, shared by full and live evaluation and by planners.

    Attributes (n ops, t tensors, k devices, c cost classes): ``work`` float64[c, n], ``class_of`` int32[k] (cost class
    of a device), ``tensor_time`` float64[t], ``pays`` bool[k] (does the device pay transfers), ``budget`` float64[k]
    (bytes of parameters it holds before streaming at ``streaming_rate``), ``memory`` float64[n] and ``capacity``
    float64[k] (what counts against a device's memory), ``params`` float64[n], ``part`` int8[n] (1 = backward),
    ``supported`` bool[c, n], ``allowed`` bool[n, k] (support and pins together).
    """

    def __init__(
        self,
        problem: Problem,
        *,
        work: Floats,
        class_of: Ints,
        tensor_time: Floats,
        pays: Bools,
        budget: Floats,
        streaming_rate: float,
        memory: Floats,
        capacity: Floats,
        communication: int,
        objective_code: int,
        rules: Sequence[Rule],
        supported: Bools | None = None,
        parts: np.ndarray | None = None,
    ) -> None:
        graph = problem.graph
        self.problem = problem
        self.n = graph.n
        self.k = len(class_of)
        self.work = np.ascontiguousarray(work, np.float64)
        self.class_of = np.ascontiguousarray(class_of, np.int32)
        self.tensor_time = np.ascontiguousarray(tensor_time, np.float64)
        self.tensor_producer = graph.tensor_producer
        self.pays = np.ascontiguousarray(pays, bool)
        self.budget = np.ascontiguousarray(budget, np.float64)
        self.streaming_rate = float(streaming_rate)
        self.memory = np.ascontiguousarray(memory, np.float64)
        self.params = graph.param_bytes
        self.capacity = np.ascontiguousarray(capacity, np.float64)
        self.communication = communication
        self.objective_code = objective_code
        self.part = np.zeros(self.n, np.int8) if parts is None else np.ascontiguousarray(parts, np.int8)
        self.supported = np.ones(self.work.shape, bool) if supported is None else supported
        self.rules = tuple(rules)
        self.edge_src, self.edge_dst = graph.edges
        self.succ_ptr, self.succ_idx = graph.succs
        self.pred_ptr, self.pred_idx = graph.preds
        self.in_ptr, self.in_idx = graph.inputs
        self.out_ptr, self.out_idx = graph.outputs
        self.consumer_ptr, self.consumer_idx = graph.consumer_ptr, graph.consumer_idx
        self.allowed = self.supported[self.class_of].T.copy()
        self.pinned = np.full(self.n, -1, np.int32)
        from planner.problem import Pin

        for constraint in problem.constraints:
            if isinstance(constraint, Pin):
                v, d = graph.index[constraint.op], problem.device_index(constraint.device)
                self.pinned[v] = d
                self.allowed[v, np.arange(self.k) != d] = False

    def checked(self, device_of: Ints) -> Ints:
        """``device_of`` as int32[n] with every device known. Raises :class:`PlanError`."""
        device_of = np.ascontiguousarray(device_of, np.int32)
        if device_of.shape != (self.n,):
            raise PlanError(f"a plan for {self.n} ops was expected, this one places {device_of.size}")
        if self.n and (device_of.min() < 0 or device_of.max() >= self.k):
            v = int(np.flatnonzero((device_of < 0) | (device_of >= self.k))[0])
            raise PlanError(
                f"op '{self.problem.graph.op_names[v]}' is on device {device_of[v]}, but there are {self.k} devices"
            )
        return device_of

    def raw(self, device_of: Ints) -> tuple[np.ndarray, ...]:
        """``(counts, receive, busy, send, used, held)`` of the kernels for a checked assignment."""
        counts = kernels.consumer_counts(device_of, self.part, self.consumer_ptr, self.consumer_idx, self.k)
        sums = kernels.loads(
            device_of, self.part, self.work, self.class_of, self.tensor_producer, self.tensor_time, self.pays,
            counts, self.memory, self.params,
        )  # fmt: skip
        return (counts, *sums)

    def objective(self, device_of: Ints) -> float:
        """The objective alone, rules unchecked (for planners)."""
        _, receive, busy, send, _, held = self.raw(np.ascontiguousarray(device_of, np.int32))
        return self._objective(receive, busy, send, held, np.empty(self.k))

    def _objective(self, receive: Floats, busy: Floats, send: Floats, held: Floats, costs: Floats) -> float:
        return float(
            kernels.objective_of(
                receive, busy, send, held, self.budget, self.streaming_rate, self.communication,
                self.objective_code, costs,
            )
        )  # fmt: skip

    def evaluate(self, device_of: Ints) -> Evaluation:
        """Costs and violations of a complete assignment (int32[n])."""
        device_of = self.checked(device_of)
        _, receive, busy, send, used, held = self.raw(device_of)
        return self.summary(device_of, receive, busy, send, used, held)

    def summary(
        self, device_of: Ints, receive: Floats, busy: Floats, send: Floats, used: Floats, held: Floats
    ) -> Evaluation:
        """An :class:`Evaluation` from summed loads; finds the violations."""
        costs = np.empty(self.k)
        objective = self._objective(receive, busy, send, held, costs)
        with np.errstate(invalid="ignore"):
            streaming = np.maximum(0.0, held - self.budget) / self.streaming_rate
        return Evaluation(
            receive=receive.sum(axis=1),
            work=busy.sum(axis=1),
            streaming=np.where(np.isfinite(streaming), streaming, 0.0),
            send=send.sum(axis=1),
            cost=costs,
            memory=used.copy(),
            ops=np.bincount(device_of, minlength=self.k).astype(np.int32),
            objective_name=self.problem.objective,
            components={self.problem.objective: objective},
            violations=self.violations(device_of),
        )

    def violations(self, device_of: Ints) -> tuple[Violation, ...]:
        """Every broken rule and constraint of a checked assignment."""
        found: list[Violation] = []
        for rule in self.rules:
            found.extend(rule.violations(self, device_of))
        return tuple(found)
