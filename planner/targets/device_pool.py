"""DevicePool: accelerators and CPUs around a shared memory (device placement, sections 3 and 5)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from planner.errors import TargetError
from planner.graph import Graph
from planner.targets import kernels
from planner.targets.base import Device, Target, check_count, parameter, positive, transfer_times
from planner.targets.evaluator import AssignmentEvaluator
from planner.targets.rules import ContiguityRule, MemoryRule, PinRule, Rule, SupportRule, TogetherRule

if TYPE_CHECKING:
    from planner.problem import Problem

COMMUNICATION = {"sum": kernels.SUM, "overlap": kernels.OVERLAP, "duplex": kernels.DUPLEX}


@dataclass(frozen=True)
class DevicePool(Target):
    """k accelerators and l CPUs that exchange tensors through memory; CPUs pay no transfers.

    Load = receive + work + send, or the maximum of its parts (``communication``, appendix C.1). Contiguous means that
    the devices can be put in order so that every edge stays or goes forward (a chain of ideals, CPUs included), for
    the forward and the backward ops separately (section 5.3).
    """

    kind: ClassVar[str] = "pool"
    title: ClassVar[str] = "Device pool"
    objectives: ClassVar[tuple[str, ...]] = ("max-load", "gpipe")
    rule_parameters: ClassVar[frozenset[str]] = frozenset({"contiguous", "memory"})

    accelerators: int = parameter(2, help="number of accelerators")
    cpus: int = parameter(1, help="number of CPUs")
    memory: float = parameter(math.inf, help="memory of an accelerator; ops placed on it must fit", unit="B")
    contiguous: bool = parameter(True, help="devices can be put in order along the graph")
    communication: str = parameter(
        "sum",
        help="how transfers and work share a device's time",
        source="device placement, appendix C.1",
        choices=("sum", "overlap", "duplex"),
    )
    bandwidth: float = parameter(
        0.0,
        help="bandwidth between an accelerator and memory; 0 = the file's own transfer times, else 12 GB/s",
        unit="B/s",
        source="our default: PCIe 3.0 x16 in practice",
    )

    def __post_init__(self) -> None:
        check_count(self.accelerators, "the number of accelerators")
        check_count(self.cpus, "the number of CPUs")
        if self.accelerators + self.cpus < 1:
            raise TargetError(
                "a pool needs at least one device; ask for pool:2+1 (two accelerators, one CPU)"
            )
        positive(self.memory, "the memory of an accelerator")
        positive(self.bandwidth, "the bandwidth", zero=True)
        if self.communication not in COMMUNICATION:
            raise TargetError(f"communication is '{self.communication}'; choose sum, overlap or duplex")

    def devices(self, graph: Graph) -> tuple[Device, ...]:
        """Accelerators ``acc 0`` onwards, then CPUs ``cpu 0`` onwards."""
        accelerators = [
            Device(f"acc {i}", "accelerator", f"Accelerator {i}") for i in range(self.accelerators)
        ]
        return (*accelerators, *(Device(f"cpu {i}", "cpu", f"CPU {i}") for i in range(self.cpus)))

    def rules(self, graph: Graph) -> tuple[str, ...]:
        """Support and colocation always hold; contiguity and memory when asked for."""
        rules = ["support", "colocation"]
        if self.contiguous:
            rules.append("contiguous")
        if math.isfinite(self.memory):
            rules.append(f"memory<={self.memory:.17g}")
        return tuple(rules)

    def evaluator(self, problem: Problem) -> AssignmentEvaluator:
        """Two cost classes (accelerator, CPU); only accelerators pay transfers and have a memory cap."""
        graph, k, l = problem.graph, self.accelerators, self.cpus
        rules: list[Rule] = [SupportRule(), TogetherRule(), PinRule()]
        if math.isfinite(self.memory):
            rules.insert(0, MemoryRule())
        if self.contiguous:
            rules.insert(0, ContiguityRule())
        is_cpu = np.arange(k + l) >= k
        return AssignmentEvaluator(
            problem,
            work=np.stack([graph.work, graph.work_cpu]),
            class_of=is_cpu.astype(np.int32),
            tensor_time=transfer_times(graph, self.bandwidth),
            pays=~is_cpu,
            budget=np.full(k + l, np.inf),
            streaming_rate=1.0,
            memory=graph.memory,
            capacity=np.where(is_cpu, np.inf, self.memory),
            communication=COMMUNICATION[self.communication],
            objective_code=kernels.SUM_OF_PART_MAXIMA if problem.objective == "gpipe" else kernels.MAX_COST,
            rules=rules,
            supported=np.stack([graph.supported, np.ones(graph.n, bool)]),
            parts=graph.backward.astype(np.int8),
        )
