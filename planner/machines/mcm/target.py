"""McmPackage: chips on a one-way chain in one package (partitioning on multi-chip modules)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from planner.errors import TargetError
from planner.evaluation.parameter_bytes import PRECISIONS
from planner.model.graph import Bools, Graph, Ints
from planner.problem.target import Counted, Device, Target, Words, check_count, parameter, positive

CHIP_LATENCY, LATENCY = "chip-latency", "latency"
DEFAULT_LINK = 25e9
MOST_CHIPS = 64
"""A set of chips is one 64-bit word."""
MOST_COPIED = 16
"""Ops that a copy consists of at most, the source among them; what takes more is a part of the network."""


def _made_alone(graph: Graph, op: int) -> Ints:
    """``op`` and its ancestors where they lead to nothing else and are at most :data:`MOST_COPIED`; else nothing."""
    (pred_ptr, pred_idx), (succ_ptr, succ_idx) = graph.preds, graph.succs
    made = {op}
    queue = [op]
    while queue:
        v = queue.pop()
        for u in pred_idx[pred_ptr[v] : pred_ptr[v + 1]].tolist():
            if u not in made:
                made.add(u)
                queue.append(u)
        if len(made) > MOST_COPIED:
            return np.empty(0, np.int32)
    for u in made - {op}:
        if not made.issuperset(succ_idx[succ_ptr[u] : succ_ptr[u + 1]].tolist()):
            return np.empty(0, np.int32)
    return np.array(sorted(made), np.int32)


@dataclass(frozen=True)
class McmPackage(Target):
    """C chips in a row; links lead from each to the next only.

    A chip's latency is receive + work + send, each tensor that crosses its border once; what merely passes through costs it
    nothing. ``chip-latency`` is the largest, whose reciprocal is the throughput (MCM paper, section 5.1). ``latency`` is the
    time of a single sample: a chip begins when all that it waits for has arrived.

    Rules (section 3): ``order`` f(u) <= f(v) on every dependency (equation 2), always, because links are one-way; ``no_skip``:
    no chip below the highest used is empty (equation 3); ``triangle``: where a chip sends to another directly, no path
    over further chips leads there (equation 4); ``memory``: parameters and peak activations of a chip fit its SRAM, the part
    of the dynamic constraint H(G, f) that a file tells. ``every_chip`` asks for at least one op on each chip: without
    it, all ops on the first chip satisfy every rule but memory.

    ``copy_sources``: sources that more than so many ops read have a copy on every chip that reads them; the edges that leave
    them then bind nobody and cost nothing to send. A source reads nothing, or only what a few ops make for it alone (the
    casts and scalings that lead to an attention mask), which are copied with it.
    """

    kind: ClassVar[str] = "mcm"
    title: ClassVar[str] = "Multi-chip module"
    in_words: ClassVar[str] = "a multi-chip module"
    words: ClassVar[Words] = Words("chip", "chips")
    evaluated_by: ClassVar[str] = "planner.machines.mcm.evaluator:evaluator"
    aliases: ClassVar[Mapping[str, str]] = {"memory": "sram"}
    repair_first: ClassVar[bool] = True
    memory_holds: ClassVar[str] = "parameters"
    figures_in_seconds: ClassVar[bool] = False
    counted: ClassVar[Counted] = Counted("count", "chip", "chips")
    grows: ClassVar[Mapping[str, tuple[str, str]]] = {
        "memory": ("sram", "chip"),
        "devices": ("count", "chips"),
    }
    switches: ClassVar[Mapping[str, tuple[str, Any]]] = {
        "memory": ("check_memory", False),
        "triangle": ("triangle", False),
        "no_skip": ("no_skip", False),
        "every_chip": ("every_chip", False),
    }
    objectives: ClassVar[tuple[str, ...]] = (CHIP_LATENCY, LATENCY)
    rule_parameters: ClassVar[frozenset[str]] = frozenset(
        {"triangle", "no_skip", "check_memory", "every_chip"}
    )
    own_views: ClassVar[tuple[str, ...]] = ("package",)
    uses_cost_model: ClassVar[bool] = False
    times_as_read: ClassVar[bool] = True
    in_a_row: ClassVar[bool] = True

    count: int = parameter(36, help="number of chips", label="Chips", source="MCM paper, section 3")
    sram: float = parameter(
        32 * 2.0**20,
        help="memory of a chip for parameters and activations",
        label="Memory of a chip",
        unit="B",
        source="our default; the MCM paper says tens of MB",
    )
    link: float = parameter(
        0.0,
        unset="automatic",
        help="rate of a link; 0 = the file's own transfer times, else 25 GB/s; inf = transfers are free",
        unit="B/s",
        source="our default; the MCM paper says tens of GB/s",
    )
    triangle: bool = parameter(
        True,
        help="no direct dependency between chips beside an indirect one",
        label="Triangle rule",
        source="MCM paper, equation 4",
        group="Rules",
    )
    no_skip: bool = parameter(
        True,
        help="no empty chip below the highest used one",
        label="No skipped chip",
        source="MCM paper, equation 3",
        group="Rules",
    )
    check_memory: bool = parameter(
        True, help="parameters and peak activations fit a chip", label="Memory rule", group="Rules"
    )
    every_chip: bool = parameter(
        False, help="every chip holds at least one op", label="Use every chip", group="Rules"
    )
    copy_sources: int = parameter(
        0,
        unset="none",
        help="sources that more ops than this read are copied to every chip that reads them; 0 = none",
        label="Copy sources over",
    )
    precision: str = parameter(
        "file",
        help="file: bytes as stored; int8: one byte per floating-point parameter or value in memories and on links, op times as without"
        " (a model that is read with the precision int8 has int8 times, too)",
        choices=tuple(reversed(PRECISIONS)),
    )
    hop: float = parameter(
        20e-9,
        help="latency: time to pass one link, where the file's times are in seconds",
        unit="s",
        source="20 ns per hop, reported for Simba",
        group="Speed",
    )
    compute: float = parameter(
        4e12,
        help="operations per second, two per multiply-accumulate, for ops without a time in the file",
        unit="op/s",
        source="4 TOPS per chiplet, reported for Simba",
        group="Speed",
    )
    local: float = parameter(
        256e9,
        help="rate at which a chip reads and writes its own memory, for ops without a time in the file",
        label="Own memory",
        unit="B/s",
        source="our default: 128 B per cycle at 2 GHz",
        group="Speed",
    )

    def __post_init__(self) -> None:
        check_count(self.count, "the number of chips", MOST_CHIPS)
        if self.count < 1:
            raise TargetError("a multi-chip module needs at least one chip; ask for mcm:1 or more")
        check_count(self.copy_sources, "copy_sources", 1_000_000)
        positive(self.sram, "the memory of a chip", zero=True)
        positive(self.link, "the rate of a link", zero=True)
        positive(self.hop, "the time of a hop", zero=True, unlimited=False)
        positive(self.compute, "compute")
        positive(self.local, "the rate of a chip's own memory")
        if self.precision not in PRECISIONS:
            raise TargetError(
                f"precision is '{self.precision}'; choose from {', '.join(reversed(PRECISIONS))}"
            )

    @property
    def limits(self) -> Mapping[str, tuple[float, ...]]:
        """The memory of a chip: it says what fits, and costs nothing."""
        return {"sram": (self.sram,)}

    def floors(self, component: str, graph: Graph) -> tuple[str, ...]:
        """A single sample takes at least what each chip takes for it."""
        return (CHIP_LATENCY,) if component == LATENCY else ()

    def with_count(self, count: int) -> McmPackage:
        """At least as many chips as it has, and no more than there may be."""
        return replace(self, count=min(max(count, self.count), MOST_CHIPS))

    def devices(self, graph: Graph) -> tuple[Device, ...]:
        """Chips, named ``chip 0`` onwards."""
        return tuple(Device(f"chip {i}", "chip", f"Chip {i}") for i in range(self.count))

    def rules(self, graph: Graph) -> tuple[str, ...]:
        """The order rule and those that are switched on."""
        switched = (
            ("no_skip", self.no_skip),
            ("triangle", self.triangle),
            ("memory", self.check_memory),
            ("every_chip", self.every_chip),
        )
        return ("order", *(name for name, on in switched if on))

    def validate(self, graph: Graph) -> None:
        """Raise :class:`TargetError` where ops without a time would need one in an unknown unit."""
        if graph.time_unit is None and np.isnan(graph.given_times[0]).any():
            raise TargetError(
                f"{graph.name} gives only some ops a time, in an unknown unit, and a chip's rates are per second;"
                ' set the file\'s time_unit to "s"'
            )

    def copied(self, graph: Graph) -> Bools:
        """bool[n]: sources that have a copy on every chip that reads them; they have one tensor that is read."""
        result = np.zeros(graph.n, bool)
        result[list(self.copies(graph))] = True
        return result

    def copies(self, graph: Graph) -> dict[int, Ints]:
        """The copied sources, each with the ops that a copy of it consists of (itself and what leads to it, int32[...])."""
        if not self.copy_sources:
            return {}
        readers = np.diff(graph.consumer_ptr)
        read = np.bincount(graph.tensor_producer[readers > 0], minlength=graph.n)
        many = np.bincount(graph.tensor_producer, readers, graph.n) > self.copy_sources
        made = {v: _made_alone(graph, v) for v in np.flatnonzero((read == 1) & many).tolist()}
        return {v: ops for v, ops in made.items() if len(ops)}
