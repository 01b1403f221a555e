"""Evaluation of multi-chip modules: chip latencies, memory in schedule order, bytes on the links."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from planner.evaluation import kernels
from planner.evaluation.activation_kernels import DEPTH_FIRST, peak_bytes, run_device
from planner.evaluation.evaluator import AssignmentEvaluator
from planner.evaluation.live import LiveEvaluation
from planner.evaluation.parameter_bytes import parameter_bytes, shared_bytes, tensor_bytes
from planner.evaluation.rules import OrderRule, PinRule, TogetherRule
from planner.machines.mcm import kernels as mcm_kernels
from planner.machines.mcm.rules import ChipMemoryRule, EveryChipRule, MemorySchedule, NoSkipRule, TriangleRule
from planner.machines.mcm.target import DEFAULT_LINK, LATENCY, McmPackage
from planner.model.cost_model import bytes_moved
from planner.model.graph import Bools, Floats, Graph, Ints, csr
from planner.model.kind_groups import NO_WORK
from planner.problem.decision import Evaluation
from planner.problem.evaluator import Evaluator, Live, Rule

if TYPE_CHECKING:
    from planner.problem.problem import Problem


def chip_times(graph: Graph, target: McmPackage) -> Floats:
    """Time that each op takes on a chip (float64[n]): the file's own where it gives one.

    Else a roofline (:mod:`planner.model.cost_model`) over ``compute`` and ``local``; inputs and constants take none.
    """
    given = graph.given_times[0]
    works = np.array([kind not in NO_WORK for kind in graph.kinds], bool)
    estimate = np.maximum(2.0 * graph.macs / target.compute, bytes_moved(graph) / target.local)
    return np.where(np.isnan(given), np.where(works, estimate, 0.0), given)


def link_times(graph: Graph, target: McmPackage, size: Floats) -> Floats:
    """Time to send or receive each tensor once (float64[t]); ``size`` are its bytes."""
    if target.link:
        return size / target.link
    return np.where(np.isnan(graph.tensor_time), size / DEFAULT_LINK, graph.tensor_time)


class McmEvaluator(AssignmentEvaluator):
    """Chip latencies over the shared kernels; memory and the triangle rule over kernels of their own.

    Edges that leave ``copied`` sources are not among
    ``edge_src`` and ``edge_dst``, successors and predecessors, and receiving their tensor takes the time of a copy's work.
    ``copy_work`` and ``copy_params`` float64[n]: the time and the parameter bytes of a copy, 0 for what is not copied.
    """

    def __init__(self, problem: Problem, target: McmPackage) -> None:
        graph, k = problem.graph, target.count
        size = tensor_bytes(graph, target.precision)
        work = chip_times(graph, target)
        params = parameter_bytes(graph, target.precision)
        time = link_times(graph, target, size)
        self._copied = np.zeros(graph.n, bool)
        self.copy_work, self.copy_params = np.zeros(graph.n), np.zeros(graph.n)
        for v, ops in target.copies(graph).items():
            self._copied[v] = True
            self.copy_work[v], self.copy_params[v] = work[ops].sum(), params[ops].sum()
        by_copy = self.copied[graph.tensor_producer]
        super().__init__(
            problem,
            work=work[None, :],
            class_of=np.zeros(k, np.int32),
            tensor_time=np.where(by_copy, self.copy_work[graph.tensor_producer], time),
            send_time=np.where(by_copy, 0.0, time),
            pays=np.ones(k, bool),
            budget=np.full(k, np.inf),
            streaming_rate=1.0,
            memory=params,
            params=params,
            shared_bytes=shared_bytes(graph, target.precision),
            capacity=np.full(k, target.sram if target.check_memory else np.inf),
            communication=kernels.SUM,
            objective_code=kernels.MAX_COST,
            rules=_rules(target),
        )
        self.target = target
        self.size = size
        self.single_sample = problem.objective == LATENCY
        self.hop = target.hop if graph.time_unit is not None else 0.0
        if self.copied.any():
            bound = ~self.copied[self.edge_src]
            self.edge_src, self.edge_dst = self.edge_src[bound], self.edge_dst[bound]
            self.succ_ptr, self.succ_idx = csr(self.edge_src, self.edge_dst, self.n)
            self.pred_ptr, self.pred_idx = csr(self.edge_dst, self.edge_src, self.n)

    @property
    def copied(self) -> Bools:
        """Sources with a copy on every chip that reads them (bool[n])."""
        return self._copied

    @property
    def sent(self) -> Floats:
        """Bytes that go to another chip for each tensor that is read there (float64[t]): none of what every reader's chip has a copy of."""
        return np.where(self.copied[self.tensor_producer], 0.0, self.size)

    @property
    def plain(self) -> bool:
        """Whether the dearest chip counts, not the latency of a single sample."""
        return not self.single_sample

    def flows(self) -> tuple[np.ndarray, ...]:
        """What kernels need to follow tensors and run chips, in their order.

        ``size`` float64[t], ``tensor_producer`` int32[t], ``copied`` bool[n]; then as CSR (int32) each tensor's consumers and
        each op's inputs, outputs, successors and predecessors.
        """
        return (
            self.size, self.tensor_producer, self.copied, self.consumer_ptr, self.consumer_idx, self.in_ptr, self.in_idx,
            self.out_ptr, self.out_idx, self.succ_ptr, self.succ_idx, self.pred_ptr, self.pred_idx,
        )  # fmt: skip

    def arcs(self, device_of: Ints) -> np.ndarray:
        """Which chip feeds which: uint64[k], bit b of entry a."""
        arcs: np.ndarray = mcm_kernels.chip_arcs(device_of, self.edge_src, self.edge_dst, self.k)
        return arcs

    def peaks(self, device_of: Ints) -> Floats:
        """Peak bytes of activations on each chip (float64[k])."""
        found: Floats = peak_bytes(device_of, self.k, *self.flows(), DEPTH_FIRST)
        return found

    def parameter_bytes(self, device_of: Ints) -> Floats:
        """Bytes of parameters on each chip, those of copies among them (float64[k])."""
        held: Floats = mcm_kernels.parameter_bytes(
            device_of, self.k, self.params, self.copy_params, self.tensor_producer, self.copied, self.consumer_ptr,
            self.consumer_idx,
        )  # fmt: skip
        return held

    def links(self, device_of: Ints) -> Floats:
        """Bytes over the link from each chip to the next (float64[k]; the last is 0)."""
        found: Floats = mcm_kernels.link_bytes(
            device_of, self.k, self.size, self.tensor_producer, self.copied, self.consumer_ptr, self.consumer_idx
        )  # fmt: skip
        return found

    def memory_schedule(self, device_of: Ints, chip: int) -> MemorySchedule:
        """What a chip runs when, and the activations it holds meanwhile, under an assignment (int32[n])."""
        device_of = self.checked(device_of)
        ops = np.flatnonzero(device_of == chip).astype(np.int32)
        order, live = np.empty(len(ops), np.int32), np.empty(len(ops))
        left, waits = np.zeros(len(self.size), np.int32), np.zeros(self.n, np.int32)
        run_device(chip, ops, device_of, *self.flows(), DEPTH_FIRST, left, waits, order, live)
        return MemorySchedule(order, live, float(self.parameter_bytes(device_of)[chip]))

    def latency(self, device_of: Ints, costs: Floats) -> float:
        """The time of a single sample; ``costs`` are the chips' latencies (float64[k])."""
        return float(mcm_kernels.single_latency(costs, self.arcs(device_of), self.hop))

    def starts(self, device_of: Ints, costs: Floats) -> Floats:
        """When each chip begins a single sample (float64[k]); ``costs`` are the chips' latencies."""
        found: Floats = mcm_kernels.chip_starts(costs, self.arcs(device_of), self.hop)
        return found

    def objective(self, device_of: Ints) -> float:
        """The objective alone, rules unchecked."""
        device_of = np.ascontiguousarray(device_of, np.int32)
        _, receive, busy, send, _, held = self.raw(device_of)
        costs = np.empty(self.k)
        slowest = self.objective_of(receive, busy, send, held, self.occupied(device_of), costs)
        return self.latency(device_of, costs) if self.single_sample else slowest

    def evaluate(self, device_of: Ints) -> Evaluation:
        """Chip latencies and their parts, memory, links and both objectives (int32[n] in)."""
        base = super().evaluate(device_of)
        device_of = self.checked(device_of)
        copies: Floats = mcm_kernels.copied_amounts(
            device_of, self.k, self.copy_work, self.tensor_producer, self.copied, self.consumer_ptr, self.consumer_idx
        )  # fmt: skip
        slowest, latency = float(base.cost.max(initial=0.0)), self.latency(device_of, base.cost)
        held, peaks = self.parameter_bytes(device_of), self.peaks(device_of)
        return replace(
            base,
            receive=np.maximum(0.0, base.receive - copies) if copies.any() else base.receive,
            work=base.work + copies,
            memory=held + peaks,
            components={self.problem.objective: latency if self.single_sample else slowest},
            details={"parameters": held, "activations": peaks, "link": self.links(device_of)},
            figures={"throughput": 1.0 / slowest if slowest else np.inf, "latency": latency},
        )

    def working_set(self) -> Floats:
        """What each op reads and writes."""
        read = np.repeat(np.arange(self.n), np.diff(self.in_ptr))
        arrives = np.bincount(read, self.size[self.in_idx], self.n)
        return np.asarray(arrives + np.bincount(self.tensor_producer, self.sent, self.n), np.float64)

    def live(self, device_of: Ints) -> Live:
        """Live evaluation that starts from an assignment (int32[n])."""
        return McmLive(self, device_of)


def _rules(target: McmPackage) -> list[Rule]:
    rules: list[Rule] = [OrderRule()]
    if target.no_skip:
        rules.append(NoSkipRule())
    if target.triangle:
        rules.append(TriangleRule())
    if target.check_memory:
        rules.append(ChipMemoryRule())
    if target.every_chip:
        rules.append(EveryChipRule())
    return [*rules, TogetherRule(), PinRule()]


class McmLive(LiveEvaluation):
    """An assignment under edit: memory after a move follows from running every chip anew, O(n + m) per destination."""

    evaluator: McmEvaluator

    def _changed(self) -> None:
        super()._changed()
        self._after: tuple[bytes, Floats] | None = None

    def memory_after(self, ops: Ints) -> Floats:
        """Bytes on each chip once ``ops`` are on each destination (float64[k, k], axis 0 = destination)."""
        key = ops.tobytes()
        if self._after is None or self._after[0] != key:
            e = self.evaluator
            size, *flows = e.flows()
            out = np.empty((e.k, e.k))
            mcm_kernels.memory_after(ops, self.device_of, e.k, size, e.params, e.copy_params, *flows, out)
            self._after = (key, out)
        return self._after[1]

    def newly_broken(self, ops: Ints) -> Bools:
        """bool[k]: destinations of ``ops`` where the triangle rule breaks for a pair of chips that keeps it now."""
        e = self.evaluator
        found: Bools = mcm_kernels.newly_broken(
            ops,
            self._moved,
            self.device_of,
            e.part,
            e.succ_ptr,
            e.succ_idx,
            e.pred_ptr,
            e.pred_idx,
            self.quotient,
        )
        return found

    def occupied_after(self, ops: Ints) -> Ints:
        """How many ops each chip holds once ``ops`` are on each destination (int32[k, k], axis 0 = destination)."""
        e = self.evaluator
        left = self.occupied - np.bincount(self.device_of[ops], minlength=e.k).astype(np.int32)
        after: Ints = np.tile(left, (e.k, 1)) + len(ops) * np.eye(e.k, dtype=np.int32)
        return after

    def _price(self, costs: Floats) -> float:
        slowest = super()._price(costs)
        e = self.evaluator
        if not e.single_sample:
            return slowest
        return float(mcm_kernels.single_latency(costs, mcm_kernels.arcs_of(self.quotient[0]), e.hop))

    def _delta_into(self, ops: Ints, objective: Floats, cost: Floats, memory: Floats) -> None:
        super()._delta_into(ops, objective, cost, memory)
        e = self.evaluator
        memory[:] = self.memory_after(ops)
        if e.single_sample:
            mcm_kernels.latency_after(
                ops, self._moved, self.device_of, e.part, e.succ_ptr, e.succ_idx, e.pred_ptr, e.pred_idx, self.quotient,
                cost, e.hop, objective,
            )  # fmt: skip

    def _movable(self) -> Bools:
        """All ops where a single sample counts, since any chip may be on its way."""
        return np.ones(self.evaluator.n, bool) if self.evaluator.single_sample else super()._movable()


def evaluator(problem: Problem) -> Evaluator:
    """The evaluator of a problem on a multi-chip module."""
    return McmEvaluator(problem, cast(McmPackage, problem.target))
