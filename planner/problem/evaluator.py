"""What a problem is evaluated with: its arrays, its rules, and an assignment that is edited. Machines bring the classes.

Planners, rules and windows know these types only; :mod:`planner.evaluation` holds what most machines share.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np

from planner.model.graph import Bools, Floats, Graph, Ints
from planner.model.groups import GroupView
from planner.problem.base import PlanningProblem
from planner.problem.decision import Evaluation, Violation

if TYPE_CHECKING:
    from planner.problem.target import Device


class EvaluatedProblem(PlanningProblem):
    """What evaluators and rules know of their problem (:class:`planner.problem.problem.Problem`)."""

    graph: Graph

    @property
    @abstractmethod
    def devices(self) -> tuple[Device, ...]:
        """The places an op can go."""

    @property
    @abstractmethod
    def groups(self) -> GroupView:
        """Ops that must share a device: :attr:`colocated` ones and those that a rule of the target ties, merged."""

    @property
    @abstractmethod
    def colocated(self) -> GroupView:
        """Ops that must share a device by their colour classes and `Together` constraints, merged."""

    @abstractmethod
    def evaluate(self, device_of: Ints) -> Evaluation:
        """Costs and violations of a complete assignment (int32[n])."""


class Rule(Protocol):
    """One rule. ``code`` is its bit in the masks of :mod:`planner.evaluation.kernels`.

    ``violations`` looks at a whole assignment and says what is broken, in sentences. ``blocked`` looks at a move of some
    ops to each device in turn and says which destinations would break the rule through these ops.
    """

    name: ClassVar[str]
    code: ClassVar[int]

    def violations(self, evaluator: Evaluator, device_of: Ints) -> list[Violation]:
        """Every way in which the assignment ``device_of`` (int32[n]) breaks this rule."""

    def blocked(self, live: Live, ops: Ints) -> Bools:
        """bool[k]: destinations that would break this rule if all ``ops`` (int32[m]) moved there."""


class Evaluator(ABC):
    """Everything a target's cost model needs as flat arrays, shared by full and live evaluation and by planners.

    Attributes (n ops, t tensors, k devices, c cost classes): ``work`` float64[c, n], ``class_of`` int32[k] (cost class
    of a device), ``tensor_time`` float64[t] (what a receiving device pays) and ``send_time`` float64[t] (what the sending
    one pays; the same without), ``pays`` bool[k] (does the device pay transfers), ``budget`` float64[k]
    (bytes of parameters it holds before streaming at ``streaming_rate``), ``memory`` float64[n] and ``capacity``
    float64[k] (what counts against a device's memory), ``params`` float64[n], ``part`` int8[n] (1 = backward),
    ``supported`` bool[c, n], ``allowed`` bool[n, k] (support and pins together), ``pinned`` int32[n] (-1 = free).

    ``op_work`` float64[c, n] is the time of the ops themselves, ``size`` float64[t] the bytes of the tensors as the target
    counts them. ``host_time`` float64[2, n]: what of ``work`` is the model's own inputs coming in, and outputs going out.

    ``owner`` int32[k] is the machine behind a device, by its first device: slots of one accelerator have the same one, and
    so have the CPUs where cores do not run out; elsewhere every device is its own. Colocation goes by owner, memory by
    :attr:`shares_memory`. ``clusters`` int32[levels, k] (-1 = none) are groups of devices near one another, the innermost first,
    ``cluster`` int32[k] those of the first level; ``pace`` float64[k, k]: see :mod:`planner.evaluation.kernels`, ``fastest`` its
    largest; ``cluster_node`` int32[l, k] and ``cluster_nodes`` int32[l]: see :func:`planner.evaluation.kernels.disorder`.
    ``sync_rate``: the bytes per time at which copies of a stage synchronise, 0 without replication.

    The graph's edges, predecessors, successors, inputs, outputs and consumers are here under the names of
    :class:`planner.model.graph.Graph`'s arrays (int32).
    """

    problem: EvaluatedProblem
    n: int
    k: int
    work: Floats
    op_work: Floats
    host_time: Floats
    size: Floats
    class_of: Ints
    tensor_time: Floats
    send_time: Floats
    tensor_producer: Ints
    pays: Bools
    budget: Floats
    streaming_rate: float
    memory: Floats
    params: Floats
    shared_params: Floats
    capacity: Floats
    communication: int
    objective_code: int
    part: np.ndarray
    supported: Bools
    allowed: Bools
    pinned: Ints
    owner: Ints
    clusters: Ints
    cluster: Ints
    pace: Floats
    fastest: float
    cluster_node: Ints
    cluster_nodes: Ints
    sync_rate: float
    rules: tuple[Rule, ...]
    edge_src: Ints
    edge_dst: Ints
    succ_ptr: Ints
    succ_idx: Ints
    pred_ptr: Ints
    pred_idx: Ints
    in_ptr: Ints
    in_idx: Ints
    out_ptr: Ints
    out_idx: Ints
    consumer_ptr: Ints
    consumer_idx: Ints

    @property
    def sent(self) -> Floats:
        """Bytes that go to another device for each tensor that is read there (float64[t])."""
        return self.size

    @property
    def copied(self) -> Bools:
        """Ops that every device which reads them has a copy of, so that their tensors are sent nowhere (bool[n])."""
        return np.zeros(self.n, bool)

    @property
    @abstractmethod
    def plain(self) -> bool:
        """Whether devices cost what their own ops and border tensors cost at one speed, and the worst ones count.

        Methods that add up costs themselves (descent by moves, exact models) are right about these problems only;
        elsewhere they ask :meth:`objective` or the live evaluation.
        """

    @property
    @abstractmethod
    def clustered(self) -> bool:
        """Whether some transfers are faster than others, or clusters have to be contiguous too."""

    @abstractmethod
    def checked(self, device_of: Ints) -> Ints:
        """``device_of`` as int32[n] with every device known. Raises :class:`planner.errors.PlanError`."""

    @abstractmethod
    def objective(self, device_of: Ints) -> float:
        """The objective of an assignment (int32[n]) alone, rules unchecked (for planners)."""

    @abstractmethod
    def components(self, device_of: Ints) -> tuple[float, ...]:
        """All components of an assignment's (int32[n]) objective in order, rules unchecked (for planners)."""

    @abstractmethod
    def raw(self, device_of: Ints) -> tuple[np.ndarray, ...]:
        """What the kernels add up for a checked assignment (int32[n]).

        ``counts`` int32[t, k, 2] (consumers of each tensor by device and part); ``receive``, ``busy``, ``send``
        float64[k, 2] (times by part); ``used``, ``held`` float64[k] (bytes that count against memory, of parameters).
        """

    @abstractmethod
    def occupied(self, device_of: Ints) -> Ints:
        """How many ops each device holds (int32[k])."""

    @abstractmethod
    def streamed(self, device_of: Ints) -> Floats:
        """How long the stage on each device streams parameters for a sample of an assignment (int32[n]), copies apart (float64[k])."""

    @abstractmethod
    def objective_of(
        self, receive: Floats, busy: Floats, send: Floats, held: Floats, occupied: Ints, costs: Floats
    ) -> float:
        """The objective from summed loads; every device's cost goes to ``costs`` (float64[k])."""

    @abstractmethod
    def evaluate(self, device_of: Ints) -> Evaluation:
        """Costs and violations of a complete assignment (int32[n])."""

    @abstractmethod
    def violations(self, device_of: Ints) -> tuple[Violation, ...]:
        """Every broken rule and constraint of a checked assignment (int32[n])."""

    @abstractmethod
    def live(self, device_of: Ints) -> Live:
        """Live evaluation that starts from an assignment (int32[n])."""

    @abstractmethod
    def working_set(self) -> Floats:
        """Bytes of activations that a device holds at least while each op runs (float64[n]); zero where no rule counts them."""

    def work_on(self, device_of: Ints) -> Floats:
        """The time of each op on the device it is on (float64[n], the graph's time unit); ``device_of`` int32[n]."""
        work: Floats = self.op_work[self.class_of[device_of], np.arange(self.n)]
        return work

    @cached_property
    def alike(self) -> bool:
        """Whether devices of a kind differ by number and pins only: all that pay transfers are of one class, and all that do not, whose
        memory is without limit."""
        unlimited = bool(np.isinf(self.capacity[~self.pays]).all())
        return unlimited and all(
            len(np.unique(self.class_of[self.pays == pays])) <= 1 for pays in (True, False)
        )

    @cached_property
    def shares_memory(self) -> Bools:
        """bool[k, k]: devices whose ops fill one memory, that of their accelerator; every CPU stands for itself."""
        same = (self.owner[:, None] == self.owner[None, :]) & self.pays[:, None]
        shared: Bools = same | np.eye(self.k, dtype=bool)
        return shared

    def by_memory(self, sums: Floats) -> Floats:
        """Bytes per device (float64[k]) added up over the devices that share a memory (float64[k] by device)."""
        total: Floats = self.shares_memory @ sums
        return total

    def held_memory(self, device_of: Ints, ops: Ints | None = None) -> Floats:
        """Bytes that ``ops`` (all of them without) occupy on each device (float64[k])."""
        chosen = slice(None) if ops is None else ops
        used: Floats = np.bincount(device_of[chosen], weights=self.memory[chosen], minlength=self.k).astype(
            np.float64
        )
        return used


@dataclass(frozen=True, eq=False)
class Delta:
    """What moving some ops to each device would give (axis 0 = destination).

    ``components`` float64[c, k]: the objective's parts in order, ``objective`` float64[k] the first of them; ``cost``
    float64[k, k] and ``memory`` float64[k, k]: every device's cost and memory.
    """

    components: Floats
    cost: Floats
    memory: Floats

    @property
    def objective(self) -> Floats:
        """The first component for each destination (float64[k])."""
        return self.components[0]


@dataclass(frozen=True, eq=False)
class Check:
    """Which destinations are legal for some ops. ``codes`` int32[k] holds the bits of the rules in the way."""

    live: Live
    ops: Ints
    codes: Ints

    @property
    def legal(self) -> Bools:
        """bool[k]: destinations where the move breaks no rule."""
        legal: Bools = self.codes == 0
        return legal

    @cached_property
    def _reasons(self) -> dict[int, tuple[Violation, ...]]:
        return {}

    def violations(self, device: int) -> tuple[Violation, ...]:
        """The violations that the move to ``device`` would add, as sentences (exact; computed on demand)."""
        if device not in self._reasons:
            evaluator = self.live.evaluator
            after = self.live.device_of.copy()
            after[self.ops] = device
            known = {(v.kind, v.ops, v.devices) for v in self.live.violations}
            new = [v for v in evaluator.violations(after) if (v.kind, v.ops, v.devices) not in known]
            self._reasons[device] = tuple(new)
        return self._reasons[device]


@dataclass(frozen=True)
class Move:
    """A move of ops to a device with the components it gives; ``gain`` is what ``component`` gets smaller by.

    That component is the first one that the move changes by more than rounding.
    """

    ops: tuple[int, ...]
    device: int
    components: tuple[float, ...]
    component: str
    gain: float

    @property
    def objective(self) -> float:
        """The first component after the move."""
        return self.components[0]


class Live(ABC):
    """An assignment under edit: ``device_of`` (int32[n]) follows every :meth:`apply` and :meth:`undo`, and so do its costs.

    ``counts`` int32[t, k, 2] are the consumers of each tensor on each device by part, ``quotient`` int32[2, k, k] the edges
    from device to device, forward and backward; ``used`` and ``held`` bytes per device (float64[k]), ``occupied`` ops per
    device (int32[k]).
    """

    evaluator: Evaluator
    device_of: Ints
    counts: np.ndarray
    quotient: np.ndarray
    used: Floats
    held: Floats
    occupied: Ints

    @property
    @abstractmethod
    def objective(self) -> float:
        """The objective of the current assignment."""

    @property
    @abstractmethod
    def components(self) -> tuple[float, ...]:
        """All components of the objective of the current assignment, in order."""

    @property
    @abstractmethod
    def violations(self) -> tuple[Violation, ...]:
        """Broken rules of the current assignment."""

    @property
    @abstractmethod
    def evaluation(self) -> Evaluation:
        """The full evaluation of the current assignment, summed afresh."""

    @abstractmethod
    def check(self, ops: Ints | Sequence[int]) -> Check:
        """Which devices all ``ops`` (int32[m], distinct) could move to, and which rules are in the way elsewhere."""

    @abstractmethod
    def delta(self, ops: Ints | Sequence[int]) -> Delta:
        """The objective and every device's cost for a move of all ``ops`` (int32[m], distinct) to each device."""

    @abstractmethod
    def order_window(self, ops: Ints) -> tuple[int, int]:
        """Lowest and highest device that the order rule leaves to ``ops`` (int32[m])."""

    @abstractmethod
    def cyclic_devices(self) -> int:
        """How many devices (and clusters) wait for each other now."""

    @abstractmethod
    def contiguity_after(self, ops: Ints) -> Ints:
        """How many devices would wait for each other after a move to each device (int32[k])."""

    @abstractmethod
    def closure(self, ops: Ints | Sequence[int], device: int) -> Ints:
        """``ops`` (int32[m]) and the fewest neighbours found that must come along for the order rules to hold (int32[>= m], sorted).

        On a pipeline these are the predecessors on later and the successors on earlier blocks, with their colocated
        mates; under contiguity the same along an order of the devices that the current plan respects. The result is
        a proposal: check it again before applying it.
        """

    @abstractmethod
    def best_moves(self, limit: int = 5, legal_only: bool = True) -> list[Move]:
        """The single moves (with colocated mates) that lower the objective most, best first; exact.

        See :meth:`improving_moves` for the moves that are looked at.
        """

    @abstractmethod
    def improving_moves(self, legal_only: bool = True) -> Iterator[list[Move]]:
        """All single moves that lower the objective, for one op (with colocated mates) after the other.

        A search by steps for windows that must not stand still: go on only while the assignment stays as it is.
        """

    @abstractmethod
    def apply(self, ops: Ints | Sequence[int], devices: Ints | Sequence[int] | int) -> None:
        """Move ``ops`` (int32[m], distinct) to ``devices`` (one for all, or int32[m]). :meth:`undo` takes it back."""

    @abstractmethod
    def undo(self) -> None:
        """Take the last :meth:`apply` back. Raises IndexError when there is none."""
