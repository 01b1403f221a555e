"""Models: graphs of ops and sparse networks, read from files, made up, or measured."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner import formats
from planner.errors import StageboardError
from planner.export.stages.child import Cancelled
from planner.formats.networks import read as networks
from planner.formats.times.named import named_times, places
from planner.generate import catalogue
from planner.model import graph as graphs
from planner.model import network as nets
from planner.model.cost_model import CostModel, fill
from planner.model.named_machines import NO_MACHINES, Machines, machine
from planner.model.precision import FILE
from planner.model.times import DEVICES, OpTimes, Use
from planner.printable import plural
from planner.runs.interrupts import soft_interrupt
from planner.runs.measuring.measuring import measure
from planner.runs.measuring.timed import Order

StrPath = str | os.PathLike[str]
Times = StrPath | OpTimes | Mapping[str, StrPath | OpTimes]
"""A profile or its file; or several by the device whose times they give: ``accelerator``, ``cpu``, or a device's name or number."""


class Graph:
    """A graph of ops. Arrays are read-only; those of ops have one entry for each, in the order of :attr:`ops`."""

    def __init__(
        self,
        graph: graphs.Graph,
        paths: Sequence[Path] = (),
        named: Machines = NO_MACHINES,
        places: Sequence[str] = (),
        measured: bool = False,
    ) -> None:
        """For :func:`read` and :func:`generate`: ``paths`` are the model's files, ``named`` the machines whose rates estimate times, ``places`` the
        devices that times were given for; ``measured``: whether any were."""
        self.planned = graph
        self.paths = tuple(paths)
        self.named = named
        self.places = tuple(places)
        self.given_times = measured

    @property
    def name(self) -> str:
        """What the model is called."""
        return self.planned.name

    @cached_property
    def ops(self) -> tuple[str, ...]:
        """The names of the ops; the id of an op where several have its name."""
        names = self.planned.op_names
        if len(set(names)) == len(names):
            return names
        counts: dict[str, int] = {}
        for name in names:
            counts[name] = counts.get(name, 0) + 1
        return tuple(
            name if counts[name] == 1 else op for name, op in zip(names, self.planned.op_ids, strict=True)
        )

    @property
    def kinds(self) -> tuple[str, ...]:
        """What each op computes: ``Conv``, ``MatMul``, ..."""
        return self.planned.kinds

    @cached_property
    def edges(self) -> NDArray[np.int32]:
        """Pairs of producer and consumer, by number (int32[e, 2])."""
        return _read_only(np.stack(self.planned.edges, axis=1))

    @property
    def parameters(self) -> NDArray[np.float64]:
        """Parameters of each op (float64[n])."""
        return self.planned.params

    @property
    def macs(self) -> NDArray[np.float64]:
        """Multiply-accumulates of each op (float64[n])."""
        return self.planned.macs

    @property
    def times(self) -> NDArray[np.float64]:
        """Time of each op on an accelerator, measured or estimated (float64[n]), in the file's unit, seconds unless it has another or none."""
        return self.planned.work

    def to_networkx(self) -> Any:
        """A :class:`networkx.DiGraph` with the ops by name; of nodes ``kind``, ``time``, ``parameters`` and ``macs``, of edges ``bytes``."""
        import networkx

        graph, planned, ops = networkx.DiGraph(name=self.name), self.planned, self.ops
        for v, op in enumerate(ops):
            graph.add_node(
                op, kind=planned.kinds[v], time=float(planned.work[v]), parameters=float(planned.params[v]),
                macs=float(planned.macs[v]),
            )  # fmt: skip
        producers, sizes = planned.tensor_producer.tolist(), planned.tensor_bytes.tolist()
        ptr, consumers = planned.consumer_ptr.tolist(), planned.consumer_idx.tolist()
        for t, (u, size) in enumerate(zip(producers, sizes, strict=True)):
            for v in consumers[ptr[t] : ptr[t + 1]]:
                before = graph.get_edge_data(ops[u], ops[v], {"bytes": 0.0})["bytes"]
                graph.add_edge(ops[u], ops[v], bytes=before + size)
        return graph

    def __len__(self) -> int:
        """Number of ops."""
        return self.planned.n

    def __repr__(self) -> str:
        """One line."""
        parameters = f"{self.parameters.sum():,.0f} parameters"
        return (
            f"<Graph {self.name}: {plural(len(self), 'op')}, {plural(len(self.edges), 'edge')}, {parameters}>"
        )

    def _repr_html_(self) -> str:
        """For notebooks: the graph as an inline picture."""
        from stageboard.notebook import graph_html

        return graph_html(self.planned)


class Network:
    """A sparse network of neurons and weighted connections, which a two-level memory runs in an order of the connections.

    Arrays are read-only. As of a graph, ``ops`` are its neurons and ``edges`` its connections.
    """

    def __init__(self, network: nets.Network, paths: Sequence[Path] = ()) -> None:
        """For :func:`read` and :func:`generate`."""
        self.planned = network
        self.paths = tuple(paths)

    @property
    def name(self) -> str:
        """What the network is called."""
        return self.planned.name

    @cached_property
    def ops(self) -> tuple[str, ...]:
        """The names of the neurons."""
        return tuple(self.planned.neuron_name(v) for v in range(self.planned.neuron_count))

    @cached_property
    def edges(self) -> NDArray[np.int32]:
        """The connections as pairs of neurons, by number (int32[W, 2])."""
        return _read_only(np.stack([self.planned.source, self.planned.target], axis=1))

    @property
    def weights(self) -> NDArray[np.float32]:
        """The weight of each connection (float32[W])."""
        return self.planned.weight

    @cached_property
    def parameters(self) -> NDArray[np.float64]:
        """Parameters of each neuron (float64[N]): its incoming weights and its bias; none of an input."""
        incoming = self.planned.in_degree.astype(np.float64)
        return _read_only(incoming + ~self.planned.is_input)

    @cached_property
    def macs(self) -> NDArray[np.float64]:
        """Multiply-accumulates of each neuron (float64[N]): its incoming connections."""
        return _read_only(self.planned.in_degree.astype(np.float64))

    def to_networkx(self) -> Any:
        """A :class:`networkx.DiGraph` with the neurons by name, and of connections their ``weight``."""
        import networkx

        graph, names = networkx.DiGraph(name=self.name), self.ops
        graph.add_nodes_from(names)
        for (u, v), weight in zip(self.edges.tolist(), self.weights.tolist(), strict=True):
            graph.add_edge(names[u], names[v], weight=weight)
        return graph

    def __len__(self) -> int:
        """Number of neurons."""
        return self.planned.neuron_count

    def __repr__(self) -> str:
        """One line."""
        counts = (
            f"{self.planned.neuron_count:,} neurons",
            f"{self.planned.connection_count:,} connections",
            f"{len(self.planned.inputs):,} inputs",
            f"{len(self.planned.outputs):,} outputs",
        )
        return f"<Network {self.name}: {', '.join(counts)}>"

    def _repr_html_(self) -> str:
        """For notebooks: the connections as an inline picture."""
        from stageboard.notebook import network_html

        return network_html(self.planned)


def read(
    path: StrPath | Sequence[StrPath],
    *,
    times: Times | None = None,
    machine: str | None = None,
    cost_model: Mapping[str, float] | None = None,
    batch: int = 1,
    precision: str = FILE,
    density: float | None = None,
) -> Graph | Network:
    """The model in a file, or in several that are deployed together, its format told by suffix and content.

    ``times`` stand for those of its ops; ``machine`` names rates that estimate the others, or ``cost_model`` has them by name; ``batch``
    binds symbolic batch dimensions; ``precision`` ``int8`` or ``float16`` counts parameters and tensors in floating point with one byte a number
    or two, ``file`` as they are stored. A file of connections or weights is a :class:`Network`, and with ``density`` (above 0 to 1, the share of
    weights that is kept) an ONNX model is one, too. Raises :class:`ModelError` and :class:`NetworkError`: one sentence.
    """
    paths = [Path(path)] if isinstance(path, (str, os.PathLike)) else [Path(one) for one in path]
    if not paths:
        raise StageboardError("no model file is named; name one, or several that are deployed together")
    if density is not None or any(networks.is_network_file(one) for one in paths):
        counted = None if precision == FILE else precision
        for given, what in (
            (times, "times"), (machine, "machine"), (cost_model, "cost_model"), (counted, "precision"),
        ):  # fmt: skip
            if given is not None:
                raise StageboardError(f"{what} is about graphs of ops; leave it out for a sparse network")
        found = networks.read_network(paths[0] if len(paths) == 1 else paths, density)
        return Network(found, paths)
    named = named_rates(machine)
    uses, of = _uses(times)
    rates = CostModel.from_dict(dict(cost_model)) if cost_model is not None else CostModel()
    graph = formats.read_models(
        paths, batch=batch, precision=precision, cost_model=named.cost_model(rates), times=uses
    )
    return Graph(graph, paths, named, of, measured=bool(uses))


def named_rates(name: str | None) -> Machines:
    """The machine of a name; none without one. Raises :class:`StageboardError`."""
    return NO_MACHINES if name is None else Machines((("", machine(name)),))


def _uses(times: Times | None) -> tuple[list[Use], tuple[str, ...]]:
    """(profiles with the device whose times they give, the single devices among these)."""
    if times is None:
        return [], ()
    given = times if isinstance(times, Mapping) else {"": times}
    uses: list[Use] = []
    single: set[str] = set()
    for device, one in given.items():
        if isinstance(one, OpTimes):
            kind = next((known for known in DEVICES if known == device), None)
            uses.append(Use(one, kind or "", "" if kind or not device else device))
            single |= {device} - {"", *DEVICES}
            continue
        text = f"{device}={os.fspath(one)}" if device else os.fspath(one)
        uses += named_times([text])
        single |= places([text])
    return uses, tuple(sorted(single))


def generate(kind: str, *, seed: int = 0, **settings: Any) -> Graph | Network:
    """A made-up graph (``regal-like``) or sparse network (``mlp``, ``chain``, ``tree``, ...); same kind, seed and settings, same result.

    Raises :class:`StageboardError` for a kind or a setting that does not exist.
    """
    if kind in catalogue.NETWORKS:
        return Network(catalogue.generate_network(kind, settings, seed))
    return Graph(fill(catalogue.kind(kind).generate(seed, settings)))


def profile(path: StrPath, *, runs: int = 0, threads: int = 1, batch: int = 1) -> OpTimes:
    """How long the ops of an ONNX or TFLite model take on this computer, for ``times`` of :func:`read`.

    ``runs`` 0: for some ten seconds. Raises :class:`StageboardError` where the model cannot be run here.
    """
    order = Order(os.fspath(path), batch, runs, threads)
    with soft_interrupt() as cancelled:
        try:
            return measure(order, cancelled)
        except Cancelled:
            raise KeyboardInterrupt from None


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.setflags(write=False)
    return array
