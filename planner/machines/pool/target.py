"""DevicePool: accelerators and CPUs around a shared memory (device placement, sections 3 and 5)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from planner.errors import TargetError
from planner.machines.pool.hierarchy import Level, parse_levels, written
from planner.model.graph import Graph
from planner.problem.per_device import PerDevice, checked, expanded, settled
from planner.problem.target import (
    COMMUNICATION,
    DEFAULT_BANDWIDTH,
    Counted,
    Device,
    Target,
    Words,
    check_count,
    parameter,
    positive,
    whole,
)


@dataclass(frozen=True)
class DevicePool(Target):
    """k accelerators and l CPUs that exchange tensors through memory; CPUs pay no transfers.

    Load = receive + work + send, or the maximum of its parts (``communication``, appendix C.1). Contiguous means that
    the devices can be put in order so that every edge stays or goes forward (a chain of ideals, CPUs included), for
    the forward and the backward ops separately (section 5.3).

    Objective ``latency`` (section 4): one sample at a time; see :mod:`planner.machines.pool.latency.evaluation`. With ``subgraphs=q`` every
    accelerator is q devices, slots that it runs in turn (section 4.1). Contiguous then means that each slot can run in
    one go: the graph stays acyclic when the forward ops of a slot are one node, its backward ops another, and CPU ops are
    on their own. ``replication`` (appendix C.2): see :mod:`planner.evaluation.replication`. ``clusters`` and
    ``cluster_speed``, or a ``hierarchy`` of several levels (appendix C.3): see :mod:`planner.evaluation.kernels` and
    :mod:`planner.machines.pool.hierarchy`; contiguous then means that the clusters of each level can be put in order as well.
    """

    kind: ClassVar[str] = "pool"
    title: ClassVar[str] = "Device pool"
    in_words: ClassVar[str] = "a device pool"
    words: ClassVar[Words] = Words("device", "devices")
    evaluated_by: ClassVar[str] = "planner.machines.pool.evaluator:evaluator"
    memory_holds: ClassVar[str] = "parameters and outputs"
    counted: ClassVar[Counted] = Counted("accelerators", "accelerator", "accelerators")
    grows: ClassVar[Mapping[str, tuple[str, str]]] = {
        "memory": ("memory", "accelerator"),
        "devices": ("accelerators", "accelerators"),
    }
    switches: ClassVar[Mapping[str, tuple[str, Any]]] = {
        "memory": ("memory", math.inf),
        "contiguous": ("contiguous", False),
    }
    own_times: ClassVar[bool] = True
    objectives: ClassVar[tuple[str, ...]] = ("max-load", "gpipe", "latency")
    rule_parameters: ClassVar[frozenset[str]] = frozenset({"contiguous", "memory"})

    accelerators: int = parameter(2, help="number of accelerators")
    cpus: int = parameter(1, help="number of CPUs")
    memory: PerDevice = parameter(  # noqa: RUF009 - a number or a tuple of them
        math.inf,
        help="memory of an accelerator; ops placed on it must fit; one for all, or one per device as 8MiB/8MiB/16MiB:"
        " the accelerators, then the CPUs, which may be left out",
        unit="B",
    )
    contiguous: bool = parameter(
        True, help="devices can be put in order along the graph", off="non-contiguous", kept="contiguous"
    )
    communication: str = parameter(
        "sum",
        help="how transfers and work share a device's time",
        source="device placement, appendix C.1",
        choices=COMMUNICATION,
    )
    bandwidth: float = parameter(
        0.0,
        unset="automatic",
        help="bandwidth between an accelerator and memory; 0 = the file's own transfer times, else 12 GB/s",
        unit="B/s",
        source="our default: PCIe 3.0 x16 in practice",
    )
    subgraphs: int = parameter(
        1,
        help="subgraphs that each accelerator runs in turn for one sample; objective latency only",
        source="device placement, section 4.1",
    )
    replication: bool = parameter(
        False,
        help="free devices share the samples of others; objective max-load only",
        source="device placement, appendix C.2",
    )
    clusters: int = parameter(
        1,
        help="equal groups of consecutive accelerators with fast connections inside",
        source="device placement, appendix C.3",
    )
    cluster_speed: float = parameter(
        1.0,
        help="how many times as fast transfers inside a cluster are",
        source="device placement, appendix C.3",
    )
    hierarchy: str = parameter(
        "",
        help="groups of consecutive accelerators with fast connections inside, as 4@8/2@16: sizes, and how many times as fast;"
        " levels from the innermost, as 2x2@8:4@2; in place of clusters",
        source="device placement, appendix C.3",
        later=True,
    )
    speed: PerDevice = parameter(  # noqa: RUF009 - a number or a tuple of them
        1.0,
        help="how fast a device is: ops take their time divided by it; one for all accelerators, or one per device as 1/1/0.5:"
        " the accelerators, then the CPUs, which may be left out",
        later=True,
    )

    def __post_init__(self) -> None:
        check_count(self.accelerators, "the number of accelerators")
        check_count(self.cpus, "the number of CPUs")
        if self.accelerators + self.cpus < 1:
            raise TargetError(
                "a pool needs at least one device; ask for pool:2+1 (two accelerators, one CPU)"
            )
        checked(self.memory, lambda memory: positive(memory, "the memory of a device"))
        checked(self.speed, lambda speed: positive(speed, "the speed of a device", unlimited=False))
        for name, unsaid in (("memory", math.inf), ("speed", 1.0)):
            kinds = self._counts(unsaid)
            value = settled(getattr(self, name), kinds, name, "the accelerators, or these and then the CPUs")
            object.__setattr__(self, name, value)
        positive(self.bandwidth, "the bandwidth", zero=True)
        if self.communication not in COMMUNICATION:
            raise TargetError(f"communication is '{self.communication}'; choose sum, overlap or duplex")
        check_count(self.subgraphs, "the number of subgraphs")
        check_count(self.clusters, "the number of clusters")
        positive(self.cluster_speed, "cluster_speed")
        if self.subgraphs < 1 or self.accelerators * self.subgraphs > 1024:
            raise TargetError(
                f"subgraphs is {self.subgraphs}; it must be at least 1, and no more than 1024 on all accelerators together"
            )
        if self.subgraphs > 1 and not self.contiguous:
            raise TargetError(
                "with contiguous=false an accelerator runs as many subgraphs as it needs; leave subgraphs at 1"
            )
        if self.clusters < 1 or self.accelerators % self.clusters:
            raise TargetError(
                f"{self.accelerators} accelerators do not make {self.clusters} equal clusters;"
                " choose a number that divides them"
            )
        if not 1.0 <= self.cluster_speed < math.inf:
            raise TargetError(
                f"cluster_speed is {self.cluster_speed:g}; it must be 1 or more, transfers inside being the faster ones"
            )
        levels = parse_levels(self.hierarchy, self.accelerators)
        object.__setattr__(self, "hierarchy", written(levels))
        if levels and self._equal_clusters:
            raise TargetError("give a hierarchy, or clusters and cluster_speed; a pool has one of the two")
        if levels and self.replication:
            raise TargetError(
                "replication synchronises the copies of a stage at one rate; leave out the hierarchy, or give equal clusters"
            )
        if self.replication and (isinstance(self.memory, tuple) or isinstance(self.speed, tuple)):
            raise TargetError(
                "replication shares a stage equally among its devices, so they have to be alike; give one memory and one speed"
            )

    def _counts(self, unsaid: float) -> list[tuple[int, float]]:
        return [(self.accelerators, unsaid), (self.cpus, unsaid)]

    @property
    def memories(self) -> tuple[float, ...]:
        """The memory of each accelerator, then of each CPU, in bytes."""
        return expanded(self.memory, self._counts(math.inf))

    @property
    def speeds(self) -> tuple[float, ...]:
        """The speed of each accelerator, then of each CPU."""
        return expanded(self.speed, self._counts(1.0))

    @property
    def limits(self) -> Mapping[str, tuple[float, ...]]:
        """The memory of each device: it says what fits, and costs nothing."""
        return {"memory": self.memories}

    def transfers_note(self) -> str:
        """Only accelerators pay for transfers (section 3)."""
        return "CPUs pay no transfers" if self.cpus else ""

    def floors(self, component: str, graph: Graph) -> tuple[str, ...]:
        """The two largest parts of loads are together no less than the largest load, and that load where there is one part."""
        if component == "gpipe":
            return ("max-load",)
        return ("gpipe",) if component == "max-load" and not graph.backward.any() else ()

    @property
    def _capped(self) -> bool:
        return math.isfinite(min(self.memories))

    @property
    def _equal_clusters(self) -> bool:
        return self.clusters > 1 or self.cluster_speed != 1.0

    @property
    def slot_levels(self) -> tuple[Level, ...]:
        """The levels of groups of accelerators, the innermost first, sizes in slots: those of the hierarchy, or the clusters."""
        levels = parse_levels(self.hierarchy, self.accelerators)
        size = self.accelerators // self.clusters
        equal = Level((size,) * self.clusters, (self.cluster_speed,) * self.clusters)
        return tuple(
            Level(tuple(size * self.subgraphs for size in level.sizes), level.rates)
            for level in levels or (equal,)
        )

    def resized(self, field: str, count: int) -> Target:
        """As :meth:`Target.resized`; the groups of a hierarchy are cut, or the last of each level has the further accelerators."""
        levels = parse_levels(self.hierarchy, self.accelerators)
        if field != "accelerators" or not levels or count < 1:
            return super().resized(field, count)
        shaped = replace(self, hierarchy="").resized(field, count)
        return replace(shaped, hierarchy=written(tuple(level.resized(count) for level in levels)))  # type: ignore[type-var]

    def check_objective(self, objective: str) -> None:
        """Subgraphs belong to ``latency``, replication to ``max-load``; ``latency`` adds transfers of one speed to work."""
        if objective == "latency":
            wrong = [
                (self.communication != "sum", f"communication={self.communication}", "sum"),
                (self._equal_clusters, "clusters or cluster_speed", "1"),
                (bool(self.hierarchy), f"hierarchy={self.hierarchy}", "nothing"),
                (self.replication, "replication", "false"),
            ]
        else:
            wrong = [
                (self.subgraphs > 1, f"subgraphs={self.subgraphs}", "1, or choose the objective latency")
            ]
            if objective == "gpipe":
                wrong.append((self.replication, "replication", "false, or choose the objective max-load"))
        for is_wrong, what, instead in wrong:
            if is_wrong:
                raise TargetError(f"{what} has no meaning for the objective {objective}; set it to {instead}")

    def validate(self, graph: Graph) -> None:
        """Copies synchronise bytes of weights, which takes a bandwidth where the graph has no time unit, and devices that are alike."""
        own = set(self.hardware(graph)) & {name for name, _ in graph.device_times}
        if self.replication and own:
            raise TargetError(
                f"replication shares a stage equally among its devices, so {min(own)} cannot have measured times of its own;"
                " leave out one of the two"
            )
        if self.replication and self.accelerators and self.sync_rate(graph) is None:
            raise TargetError(
                f"{graph.name} has no time unit and no profiled transfers, so replication needs a bandwidth in bytes"
                " per its unit; add bandwidth=... to the target"
            )

    def sync_rate(self, graph: Graph) -> float | None:
        """Bytes per time at which copies of a stage synchronise: the bandwidth of transfers, or None if unknown.

        Where transfers take the file's own times, the rate at which the tensors that have one move altogether.
        """
        if self.bandwidth:
            return self.bandwidth
        timed = (graph.tensor_time > 0) & (graph.tensor_bytes > 0)
        if timed.any():
            return float(graph.tensor_bytes[timed].sum() / graph.tensor_time[timed].sum())
        return None if graph.time_unit is None else DEFAULT_BANDWIDTH

    def machine(self) -> dict[str, Any]:
        """Without what is not used, so that bounds proven before these parameters existed still apply."""
        found = super().machine()
        unused = {"subgraphs": 1, "replication": False, "clusters": 1, "cluster_speed": 1.0}
        return {key: value for key, value in found.items() if key not in unused or value != unused[key]}

    def spec_head(self) -> tuple[frozenset[str], str]:
        """The parameters that a spec's head stands for, and the head: ``pool:2+1`` is two accelerators and a CPU."""
        return frozenset({"accelerators", "cpus"}), f"{self.kind}:{self.accelerators}+{self.cpus}"

    @classmethod
    def counts(cls, text: str, graph: Graph | None, where: str) -> dict[str, Any]:
        """``6+1`` as accelerators and CPUs; what it leaves open is as the deployment in the model's file has it."""
        given = dict(graph.deployment) if graph is not None else {}
        out: dict[str, Any] = {}
        if "memory" in given:
            out["memory"] = float(given["memory"])
        if text:
            accelerators, plus, cpus = text.partition("+")
            out["accelerators"] = whole(accelerators, where)
            out["cpus"] = whole(cpus, where) if plus else 0
        else:
            out |= {key: int(given[key]) for key in ("accelerators", "cpus") if key in given}
        return out

    @classmethod
    def suggested(cls, graph: Graph) -> DevicePool | None:
        """The deployment that a device-placement file describes."""
        return cls(**cls.counts("", graph, "the model's file")) if graph.deployment else None

    def devices(self, graph: Graph) -> tuple[Device, ...]:
        """Accelerators ``acc 0`` onwards (with q subgraphs ``acc 0.0``, ``acc 0.1``, ...), then CPUs ``cpu 0`` onwards."""
        places = (
            [str(i) for i in range(self.accelerators)]
            if self.subgraphs == 1
            else [f"{i}.{j}" for i in range(self.accelerators) for j in range(self.subgraphs)]
        )
        accelerators = [Device(f"acc {place}", "accelerator", f"Accelerator {place}") for place in places]
        return (*accelerators, *(Device(f"cpu {i}", "cpu", f"CPU {i}") for i in range(self.cpus)))

    def own_speeds(self, graph: Graph) -> tuple[float, ...]:
        """Those of each device, slots having their accelerator's, where a list gives them."""
        return self._by_slot(self.speeds) if isinstance(self.speed, tuple) else ()

    def own_memories(self, graph: Graph) -> tuple[float, ...]:
        """Those of each device, slots having their accelerator's, where a list gives them."""
        return self._by_slot(self.memories) if isinstance(self.memory, tuple) else ()

    def _by_slot(self, each: tuple[float, ...]) -> tuple[float, ...]:
        slots = tuple(x for x in each[: self.accelerators] for _ in range(self.subgraphs))
        return (*slots, *each[self.accelerators :])

    @property
    def slot_speeds(self) -> tuple[float, ...]:
        """The speed of each device, slots having their accelerator's."""
        return self._by_slot(self.speeds)

    @property
    def slot_memories(self) -> tuple[float, ...]:
        """The memory of each device in bytes, slots having their accelerator's."""
        return self._by_slot(self.memories)

    def hardware(self, graph: Graph) -> tuple[str, ...]:
        """Slots are parts of their accelerator: ``acc 0`` for ``acc 0.0`` and ``acc 0.1``."""
        return tuple(device.name.partition(".")[0] for device in self.devices(graph))

    def rules(self, graph: Graph) -> tuple[str, ...]:
        """Support and colocation always hold; contiguity and memory when asked for."""
        rules = ["support", "colocation"]
        if self.contiguous:
            rules.append("contiguous")
        if self._capped:
            each = self.memory if isinstance(self.memory, tuple) else (self.memory,)
            rules.append("memory<=" + "/".join(f"{memory:.17g}" for memory in each))
        return tuple(rules)
