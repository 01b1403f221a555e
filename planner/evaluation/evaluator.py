"""Full evaluation of assignments: the arrays of a bound problem and what they cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from planner.errors import PlanError
from planner.evaluation import kernels
from planner.evaluation.live import LiveEvaluation
from planner.evaluation.replication import share_idle
from planner.evaluation.shared_parameters import copies
from planner.evaluation.summed import sums_of
from planner.model.graph import Bools, Floats, Ints
from planner.model.ops import Shared
from planner.problem.decision import Evaluation, Violation
from planner.problem.evaluator import Evaluator, Live, Rule
from planner.problem.problem import Pin, Problem


class AssignmentEvaluator(Evaluator):
    """The evaluator of machines whose devices pay for their ops and for the tensors on their borders.

    It is made of the arrays that :class:`planner.problem.evaluator.Evaluator` documents under the same names: ``work``
    float64[c, n], ``class_of`` int32[k], and so on.
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
        owner: Ints | None = None,
        clusters: Sequence[Ints] = (),
        pace: Floats | None = None,
        sync_rate: float = 0.0,
        send_time: Floats | None = None,
        params: Floats | None = None,
        shared_bytes: Callable[[Shared], float] = lambda one: one.param_bytes,
    ) -> None:
        graph = problem.graph
        self.problem = problem
        self.n = graph.n
        self.k = len(class_of)
        self.work = np.ascontiguousarray(work, np.float64)
        self.op_work = self.work
        self.host_time = np.zeros((2, self.n))
        self.size = graph.tensor_bytes
        self.class_of = np.ascontiguousarray(class_of, np.int32)
        self.tensor_time = np.ascontiguousarray(tensor_time, np.float64)
        self.send_time = (
            self.tensor_time if send_time is None else np.ascontiguousarray(send_time, np.float64)
        )
        self.tensor_producer = graph.tensor_producer
        self.pays = np.ascontiguousarray(pays, bool)
        self.budget = np.ascontiguousarray(budget, np.float64)
        self.streaming_rate = float(streaming_rate)
        self.shared_params = copies(problem, shared_bytes)
        self.memory = np.ascontiguousarray(memory + self.shared_params, np.float64)
        own = graph.param_bytes if params is None else params
        self.params = np.ascontiguousarray(own + self.shared_params, np.float64)
        self.capacity = np.ascontiguousarray(capacity, np.float64)
        self.communication = communication
        self.objective_code = objective_code
        self.part = np.zeros(self.n, np.int8) if parts is None else np.ascontiguousarray(parts, np.int8)
        self.supported = np.ones(self.work.shape, bool) if supported is None else supported
        self.owner = (
            np.arange(self.k, dtype=np.int32) if owner is None else np.ascontiguousarray(owner, np.int32)
        )
        self.clusters = np.array(clusters, np.int32).reshape(-1, self.k)
        self.cluster = self.clusters[0] if len(clusters) else np.full(self.k, -1, np.int32)
        self.pace = np.ones((self.k, self.k)) if pace is None else np.ascontiguousarray(pace, np.float64)
        self.fastest = float(self.pace.max(initial=1.0))
        self.cluster_node, self.cluster_nodes = cluster_nodes(self.clusters)
        self.sync_rate = float(sync_rate)
        self.rules = tuple(rules)
        self.edge_src, self.edge_dst = graph.edges
        self.succ_ptr, self.succ_idx = graph.succs
        self.pred_ptr, self.pred_idx = graph.preds
        self.in_ptr, self.in_idx = graph.inputs
        self.out_ptr, self.out_idx = graph.outputs
        self.consumer_ptr, self.consumer_idx = graph.consumer_ptr, graph.consumer_idx
        self.allowed = self.supported[self.class_of].T.copy()
        self.pinned = np.full(self.n, -1, np.int32)
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

    @property
    def plain(self) -> bool:
        """Whether devices cost what their own ops and border tensors cost at one speed, and the worst ones count.

        Methods that add up costs themselves (descent by moves, exact models) are right about these problems only;
        elsewhere they ask :meth:`objective` or the live evaluation.
        """
        return self.objective_code != kernels.LATENCY and self.sync_rate == 0.0 and not self.clustered

    @property
    def clustered(self) -> bool:
        """Whether some transfers are faster than others, or clusters have to be contiguous too."""
        return self.fastest != 1.0 or bool(len(self.cluster_nodes))

    def live(self, device_of: Ints) -> Live:
        """Live evaluation that starts from an assignment (int32[n])."""
        return LiveEvaluation(self, device_of)

    def raw(self, device_of: Ints) -> tuple[np.ndarray, ...]:
        """``(counts, receive, busy, send, used, held)`` of the kernels for a checked assignment."""
        counts = kernels.consumer_counts(device_of, self.part, self.consumer_ptr, self.consumer_idx, self.k)
        sums = kernels.loads(
            device_of, self.part, self.work, self.class_of, self.tensor_producer, self.tensor_time,
            self.send_time, self.pays, self.pace, counts, self.memory, self.params,
        )  # fmt: skip
        return (counts, *sums)

    def objective(self, device_of: Ints) -> float:
        """The objective alone, rules unchecked (for planners)."""
        device_of = np.ascontiguousarray(device_of, np.int32)
        _, receive, busy, send, _, held = self.raw(device_of)
        return self.objective_of(receive, busy, send, held, self.occupied(device_of), np.empty(self.k))

    def components(self, device_of: Ints) -> tuple[float, ...]:
        """All components of the objective in order, rules unchecked (for planners)."""
        return (self.objective(device_of),)

    def working_set(self) -> Floats:
        """Nothing: no rule here counts activations."""
        return np.zeros(self.n)

    def occupied(self, device_of: Ints) -> Ints:
        """How many ops each device holds (int32[k])."""
        return np.bincount(device_of, minlength=self.k).astype(np.int32)

    def streamed(self, device_of: Ints) -> Floats:
        """How long each device streams the parameters that its budget does not hold (float64[k]); nothing where it holds no op."""
        held = np.bincount(device_of, self.params, self.k)
        used = np.bincount(device_of, minlength=self.k) > 0
        over = np.where(
            used & (held > self.budget), held - np.where(np.isfinite(self.budget), self.budget, 0.0), 0.0
        )
        streaming: Floats = over / self.streaming_rate
        return streaming

    def objective_of(
        self, receive: Floats, busy: Floats, send: Floats, held: Floats, occupied: Ints, costs: Floats
    ) -> float:
        """The objective from summed loads; every device's cost goes to ``costs`` (float64[k])."""
        return float(
            kernels.objective_of(
                receive, busy, send, held, occupied, self.pays, self.cluster, self.budget, self.streaming_rate, self.sync_rate,
                self.communication, self.objective_code, costs,
            )
        )  # fmt: skip

    def evaluate(self, device_of: Ints) -> Evaluation:
        """Costs and violations of a complete assignment (int32[n])."""
        device_of = self.checked(device_of)
        receive, busy, send, used, held = sums_of(self, device_of)
        occupied = self.occupied(device_of)
        costs = np.empty(self.k)
        objective = self.objective_of(receive, busy, send, held, occupied, costs)
        with np.errstate(invalid="ignore"):
            streaming = np.maximum(0.0, held - self.budget) / self.streaming_rate
        parts = [
            receive.sum(axis=1),
            busy.sum(axis=1),
            np.where(np.isfinite(streaming), streaming, 0.0),
            send.sum(axis=1),
        ]
        replicas, serves = self._stages(receive, busy, send, held, occupied)
        if self.sync_rate > 0.0:
            parts = self._shared(parts, held, replicas, serves)
        return self.summary(device_of, parts, costs, used, objective, replicas, serves)

    def _stages(
        self, receive: Floats, busy: Floats, send: Floats, held: Floats, occupied: Ints
    ) -> tuple[Ints, Ints]:
        """``(replicas, serves)`` of :class:`planner.problem.decision.Evaluation`."""
        if self.sync_rate > 0.0:
            alone = np.empty(self.k)
            kernels.device_costs(
                receive, busy, send, held, self.budget, self.streaming_rate, self.communication, alone
            )
            replicas, serves = share_idle(
                alone,
                held,
                occupied,
                self.pays,
                self.cluster,
                self.sync_rate,
                self.communication == kernels.SUM,
            )
            return replicas, serves
        there = occupied > 0
        return there.astype(np.int32), np.where(there, np.arange(self.k), -1).astype(np.int32)

    def _shared(self, parts: list[Floats], held: Floats, replicas: Ints, serves: Ints) -> list[Floats]:
        """The parts of what one device pays of its stage; what copies synchronise counts as streaming."""
        stage = np.where(serves >= 0, serves, np.arange(self.k))
        copies = np.maximum(replicas[stage], 1)
        receive, work, streaming, send = (part[stage] / copies for part in parts)
        sync = np.where(self.pays, (copies - 1) * held[stage] / (copies * self.sync_rate), 0.0)
        return [receive, work, streaming + sync, send]

    def summary(
        self,
        device_of: Ints,
        parts: Sequence[Floats],
        costs: Floats,
        used: Floats,
        objective: float,
        replicas: Ints,
        serves: Ints,
    ) -> Evaluation:
        """An :class:`Evaluation` from ``parts`` (receive, work, streaming, send: float64[k]); finds the violations."""
        receive, work, streaming, send = parts
        return Evaluation(
            receive=receive,
            work=work,
            streaming=streaming,
            send=send,
            cost=costs,
            memory=self.by_memory(used),
            ops=self.occupied(device_of),
            objective_name=self.problem.objective,
            components={self.problem.objective: objective},
            violations=self.violations(device_of),
            replicas=replicas,
            serves=serves,
            pace=costs,
        )

    def violations(self, device_of: Ints) -> tuple[Violation, ...]:
        """Every broken rule and constraint of a checked assignment."""
        found: list[Violation] = []
        for rule in self.rules:
            found.extend(rule.violations(self, device_of))
        return tuple(found)


def cluster_nodes(clusters: Ints) -> tuple[Ints, Ints]:
    """The levels of ``clusters`` (int32[levels, k], -1 is none) that demand an order: the node of each device when every cluster of
    a level is one node and other devices are their own (int32[l, k]), and how many nodes there are (int32[l]).

    One cluster alone demands nothing, nor do clusters of one device.
    """
    found, counts = [], []
    for cluster in clusters:
        count = int(cluster.max(initial=-1)) + 1
        alone = cluster < 0
        nodes = count + int(alone.sum())
        if count > 1 and nodes < len(cluster):
            found.append(np.where(alone, count + np.cumsum(alone) - 1, cluster))
            counts.append(nodes)
    return np.array(found, np.int32).reshape(-1, clusters.shape[1]), np.array(counts, np.int32)
