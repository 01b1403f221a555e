"""Evaluation of Edge TPU pipelines: byte counts compared in order, stage times beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from planner.evaluation import kernels
from planner.evaluation.evaluator import AssignmentEvaluator
from planner.evaluation.live import LiveEvaluation
from planner.evaluation.parameter_bytes import parameter_bytes, shared_bytes, tensor_bytes
from planner.evaluation.rules import OrderRule, PinRule, TogetherRule
from planner.evaluation.shared_children import SharedChildrenRule
from planner.machines.edge_tpu.target import COMMUNICATION, DRAM, MEMORY, EdgeTpuPipeline
from planner.machines.edge_tpu.times import interval, scratch_of, streaming_times, working_sets
from planner.model.graph import Floats, Graph, Ints
from planner.model.kind_groups import NO_WORK
from planner.problem.decision import Evaluation
from planner.problem.evaluator import Delta, Live, Rule

if TYPE_CHECKING:
    from planner.problem.problem import Problem

INPUTS = frozenset({"Input", "InputLayer", "Placeholder"})
"""Kinds whose tensors come from the host."""


def compute_times(graph: Graph, target: EdgeTpuPipeline) -> Floats:
    """Seconds that each op computes on an Edge TPU (float64[n]): the file's own where it gives one.

    Else operations over the rate that is reached, two per multiply-accumulate; inputs and constants take none.
    """
    given = graph.given_times[0]
    works = np.array([kind not in NO_WORK for kind in graph.kinds], bool)
    estimate = np.where(works, 2.0 * graph.macs / (target.compute * target.utilisation), 0.0)
    return np.where(np.isnan(given), estimate, given)


def host_bytes(graph: Graph, size: Floats) -> tuple[Floats, Floats]:
    """Bytes of the model's own inputs and outputs by op: what comes from and what goes to the host (float64[n] each).

    Graphs do not say what a model's outputs are, so these are the tensors that no op reads: an output that is read inside
    the model as well is not counted.
    """
    coming, going = np.zeros(graph.n), np.zeros(graph.n)
    fed = np.array([kind in INPUTS for kind in graph.kinds], bool)
    unread = np.diff(graph.consumer_ptr) == 0
    np.add.at(coming, graph.tensor_producer, np.where(fed[graph.tensor_producer], size, 0.0))
    np.add.at(going, graph.tensor_producer, np.where(unread & ~fed[graph.tensor_producer], size, 0.0))
    return coming, going


class EdgeTpuEvaluator(AssignmentEvaluator):
    """m_k, DRAM and communication in bytes, and the stage times that they lead to.

    ``work`` holds an op's compute time and the host's share of its transfers, since both stay with it wherever it goes;
    evaluations tell them apart. ``size`` float64[t]: bytes of the tensors; ``sets`` float64[n]: what each op's activations
    take of the cache.
    """

    problem: Problem

    def __init__(self, problem: Problem, target: EdgeTpuPipeline) -> None:
        graph = problem.graph
        size = tensor_bytes(graph, target.precision)
        coming, going = host_bytes(graph, size if target.host_io else np.zeros(graph.tensor_count))
        self._coming, self._going = coming, going
        self.sets = working_sets(graph, size) if target.scratch else np.zeros(graph.n)
        params = parameter_bytes(graph, target.precision, target.fold_batch_norm)
        compute = compute_times(graph, target)
        rules: list[Rule] = [OrderRule(), TogetherRule(), PinRule()]
        if target.shared_children:
            rules.insert(1, SharedChildrenRule())
        k = target.count
        super().__init__(
            problem,
            work=(compute + coming / target.down + going / target.up)[None, :],
            class_of=np.zeros(k, np.int32),
            tensor_time=size / target.down,
            send_time=size / target.up,
            pays=np.ones(k, bool),
            budget=np.full(k, target.cache),
            streaming_rate=target.streaming,
            memory=params,
            params=params,
            shared_bytes=shared_bytes(graph, target.precision),
            capacity=np.full(k, np.inf),
            communication=kernels.SUM,
            objective_code=kernels.MAX_COST,
            rules=rules,
        )
        self.target = target
        self.size = size
        self.op_work = compute[None, :]
        self.host_time = np.stack([coming / target.down, going / target.up])
        self.by_bytes = target.unit(problem.components[0]) == "B"

    @property
    def plain(self) -> bool:
        """Whether the worst stage time counts."""
        return not self.by_bytes and super().plain

    @property
    def traffic(self) -> AssignmentEvaluator:
        """An evaluator whose costs are the bytes that enter each stage."""
        return AssignmentEvaluator(
            self.problem,
            work=np.zeros((1, self.n)),
            class_of=self.class_of,
            tensor_time=self.size,
            send_time=np.zeros(len(self.size)),
            pays=self.pays,
            budget=np.full(self.k, np.inf),
            streaming_rate=1.0,
            memory=np.zeros(self.n),
            capacity=self.capacity,
            communication=kernels.SUM,
            objective_code=kernels.MAX_COST,
            rules=(),
        )

    def entering(self, device_of: Ints) -> Floats:
        """comm_k: bytes that enter each stage, each tensor once (float64[k])."""
        home = device_of[np.repeat(self.tensor_producer, np.diff(self.consumer_ptr))].astype(np.int64)
        stage = device_of[self.consumer_idx].astype(np.int64)
        tensor = np.repeat(np.arange(len(self.size)), np.diff(self.consumer_ptr))
        crossing = np.unique((tensor * self.k + stage)[stage != home])
        found: Floats = np.bincount(crossing % self.k, self.size[crossing // self.k], self.k).astype(
            np.float64
        )
        return found

    def leaving(self, device_of: Ints) -> Floats:
        """Bytes that leave each stage for others, each tensor once (float64[k])."""
        home = device_of[self.tensor_producer]
        tensor = np.repeat(np.arange(len(self.size)), np.diff(self.consumer_ptr))
        sent = np.zeros(len(self.size), bool)
        sent[tensor[device_of[self.consumer_idx] != home[tensor]]] = True
        found: Floats = np.bincount(home, np.where(sent, self.size, 0.0), self.k).astype(np.float64)
        return found

    def amounts(self, held: Floats, entering: Floats) -> tuple[float, ...]:
        """The byte components from m_k and comm_k (float64[k] each)."""
        return tuple(float(part[0]) for part in self.by_destination(held[None, :], entering[None, :]))

    def by_destination(self, held: Floats, entering: Floats) -> Floats:
        """The byte components of d cases at once: m_k and comm_k as float64[d, k] give float64[c, d]."""
        found = {
            MEMORY: held.max(axis=1),
            DRAM: np.maximum(held - self.target.cache, 0.0).sum(axis=1),
            COMMUNICATION: entering.max(axis=1),
        }
        return np.stack([found[name] for name in self.problem.components])

    def components(self, device_of: Ints) -> tuple[float, ...]:
        """All components of the objective in order, rules unchecked."""
        device_of = np.ascontiguousarray(device_of, np.int32)
        if not self.by_bytes:
            return (super().objective(device_of),)
        return self.amounts(self.held_memory(device_of), self.entering(device_of))

    def objective(self, device_of: Ints) -> float:
        """The first component alone."""
        return self.components(device_of)[0]

    def evaluate(self, device_of: Ints) -> Evaluation:
        """Components, stage times and their parts, memory, bytes on the links and energy (int32[n] in)."""
        base = super().evaluate(device_of)
        device_of = self.checked(device_of)
        target, held = self.target, base.memory
        host_in: Floats = np.bincount(device_of, self._coming, self.k).astype(np.float64)
        host_out: Floats = np.bincount(device_of, self._going, self.k).astype(np.float64)
        coming, going = host_in / target.down, host_out / target.up
        entering = self.entering(device_of)
        work = np.maximum(0.0, base.work - coming - going)
        rest = base.receive + base.work + base.send
        scratch = scratch_of(self.sets, device_of, self.k)
        streaming = self.streamed_beside(held, scratch)
        off_chip = np.maximum(held - target.cache, 0.0)
        period = interval(streaming, rest, target.shared_link)
        energy = target.idle_power * period + (target.active_power - target.idle_power) * work
        return replace(
            base,
            receive=base.receive + coming,
            work=work,
            send=base.send + going,
            components=dict(zip(self.problem.components, self._values(base, entering, period), strict=True)),
            **self._by_stage(base, streaming, rest),
            details={
                "cache": np.minimum(held, target.cache),
                "dram": off_chip,
                "pushed": np.maximum(np.round(streaming * target.streaming - off_chip), 0.0),
                "scratch": scratch,
                "bytes_in": entering,
                "bytes_out": self.leaving(device_of),
                "host_in": host_in,
                "host_out": host_out,
                "energy": energy,
            },
            figures={
                "throughput": 1.0 / period if period else np.inf,
                # An inference on its own needs the same room for its activations: a stream is never slower.
                "latency": float((streaming + rest).sum() + target.overhead * np.count_nonzero(base.ops)),
                "energy": float(energy.sum()),
            },
        )

    def _values(self, base: Evaluation, entering: Floats, period: float) -> tuple[float, ...]:
        """All components from what :meth:`evaluate` has found; ``period``: seconds from one inference to the next."""
        return self.amounts(base.memory, entering) if self.by_bytes else (base.objective,)

    def _by_stage(self, base: Evaluation, streaming: Floats, rest: Floats) -> dict[str, Any]:
        """What the objective is about on each stage: the bytes of its parameters, or its time under ``stage-time``, which is as published: what
        activations push out is in all other times.

        ``streaming`` and ``rest`` float64[k]: seconds that each stage streams, scratch in its cache taken into account, and
        that it receives, computes and sends.
        """
        return (
            {"pace": base.memory, "streaming": streaming, "cost": streaming + rest}
            if self.by_bytes
            else {"pace": base.cost}
        )

    def streamed_beside(self, held: Floats, scratch: Floats) -> Floats:
        """Seconds that stages stream which hold ``held`` bytes of parameters beside ``scratch`` bytes of activations (any shape)."""
        return streaming_times(held, scratch, self.target.cache, self.target.streaming)

    def streamed(self, device_of: Ints) -> Floats:
        """How long each stage streams, what activations push out of its cache included but under ``stage-time`` (float64[k])."""
        if self.plain:
            return super().streamed(device_of)
        held: Floats = np.bincount(device_of, self.params, self.k).astype(np.float64)
        return self.streamed_beside(held, scratch_of(self.sets, device_of, self.k))

    def live(self, device_of: Ints) -> Live:
        """Live evaluation that starts from an assignment (int32[n])."""
        return EdgeTpuLive(self, device_of) if self.by_bytes else LiveEvaluation(self, device_of)


class StreamingLive(LiveEvaluation):
    """An assignment under edit whose stages stream what activations push out: the largest of each stage is found when asked for, O(n)."""

    evaluator: EdgeTpuEvaluator

    def _stages_after(self, ops: Ints, cost: Floats, memory: Floats) -> tuple[Floats, Floats]:
        """Bytes of scratch, and the seconds that each stage receives, computes and sends, after a move of ``ops`` to each device (float64[k, k]
        each), from the times and bytes of its consequences: ``cost`` holds stage times whose streaming knows no scratch, and those that do
        afterwards."""
        e, target = self.evaluator, self.evaluator.target
        left = e.sets.copy()
        left[ops] = 0.0
        scratch = np.tile(scratch_of(left, self.device_of, e.k), (e.k, 1))
        np.fill_diagonal(scratch, np.maximum(scratch.diagonal(), e.sets[ops].max(initial=0.0)))
        rest: Floats = cost - np.maximum(0.0, memory - target.cache) / target.streaming
        cost[:] = rest + e.streamed_beside(memory, scratch)
        return scratch, rest


class EdgeTpuLive(StreamingLive):
    """An assignment under edit, compared by bytes: a second live evaluation keeps count of what enters each stage."""

    def __init__(self, evaluator: EdgeTpuEvaluator, device_of: Any) -> None:
        self._traffic = LiveEvaluation(evaluator.traffic, device_of)
        super().__init__(evaluator, device_of)

    def _move(self, ops: Ints, targets: Ints) -> None:
        self._traffic._move(ops, targets)
        super()._move(ops, targets)

    @property
    def objective(self) -> float:
        """The bytes that come first. Times of stages, which take O(n), are not looked at."""
        return self.components[0]

    def delta(self, ops: Ints | Sequence[int]) -> Delta:
        """The components and every stage's time for a move of all ``ops`` (int32[m]) to each device."""
        found = super().delta(ops)
        self._stages_after(np.asarray(ops, np.int32), found.cost, found.memory)
        return found

    @property
    def components(self) -> tuple[float, ...]:
        """All components of the current assignment, in order."""
        entering = np.empty(self.evaluator.k)
        self._traffic._price(entering)
        return self.evaluator.amounts(self.held, entering)

    def _components_after(self, ops: Ints, objective: Floats, memory: Floats) -> Floats:
        """m_k after each move is ``memory``; the traffic's own consequences say what enters each stage."""
        k = self.evaluator.k
        entering = np.empty((k, k))
        self._traffic._delta_into(ops, np.empty(k), entering, np.empty((k, k)))
        return self.evaluator.by_destination(memory, entering)
