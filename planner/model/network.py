"""The sparse feed-forward network: neurons and weighted connections, as arrays.

A :class:`Network` is what the I/O model of section II of the paper on I/O-efficient sparse inference speaks of: a DAG of
neurons, one weight per connection, one bias per neuron that has connections into it. It is not a
:class:`planner.model.graph.Graph`: that one is about operators, of which a network of a million connections would need a million.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from planner.model.graph import Bools, Ints

Singles = NDArray[np.float32]
Longs = NDArray[np.int64]
Codes = NDArray[np.uint8]

ACTIVATIONS = ("identity", "relu", "tanh", "sigmoid", "gelu")
"""What may be applied to a neuron once all its connections are summed; ``gelu`` is the exact one, by the error function."""


@dataclass(frozen=True, eq=False)
class Network:
    """A frozen sparse network of N neurons and W connections.

    Build it with :func:`planner.model.network_building.network_of`, which validates.

    Connections, in the file's order: ``source``, ``target`` (int32[W], neurons), ``weight`` (float32[W]). Neurons: ``bias``
    (float32[N]), ``activation`` (uint8[N], index into :data:`ACTIVATIONS`), ``layer`` (int32[N]), ``ids`` (int64[N], the
    neuron's number in the file it came from). ``inputs`` (int32[I]) are the neurons without connections into them;
    ``feature`` (int32[I]) the column of a batch that each takes its value from, of ``features`` columns, or -1 for a
    constant, whose value is its activated bias. ``outputs`` (int32[S]) in the file's order; each has connections into it.
    Every neuron has a connection.
    """

    name: str
    source: Ints
    target: Ints
    weight: Singles
    bias: Singles
    activation: Codes
    inputs: Ints
    feature: Ints
    features: int
    outputs: Ints
    layer: Ints
    ids: Longs
    path: str = ""
    format: str = "network"
    warnings: tuple[str, ...] = ()

    @property
    def neuron_count(self) -> int:
        """N, the number of neurons."""
        return len(self.bias)

    @property
    def connection_count(self) -> int:
        """W, the number of connections."""
        return len(self.source)

    @cached_property
    def in_degree(self) -> Ints:
        """Connections into each neuron, int32[N]."""
        return frozen(np.diff(self.incoming[0]), np.int32)

    @cached_property
    def out_degree(self) -> Ints:
        """Connections out of each neuron, int32[N]."""
        return frozen(np.diff(self.outgoing[0]), np.int32)

    @cached_property
    def is_input(self) -> Bools:
        """Whether no connection leads into each neuron, bool[N]."""
        return _marks(self.neuron_count, self.inputs)

    @cached_property
    def is_output(self) -> Bools:
        """Whether each neuron's value is a result, bool[N]."""
        return _marks(self.neuron_count, self.outputs)

    @cached_property
    def incoming(self) -> tuple[Longs, Ints]:
        """Connections by the neuron they lead into: (offsets int64[N + 1], ids int32[W], ascending per neuron)."""
        return _grouped(self.target, self.neuron_count)

    @cached_property
    def outgoing(self) -> tuple[Longs, Ints]:
        """Connections by the neuron they leave: (offsets int64[N + 1], ids int32[W], ascending per neuron)."""
        return _grouped(self.source, self.neuron_count)

    @cached_property
    def rank(self) -> Ints:
        """Each neuron's place in a topological order, by layer, then by number: int32[N]."""
        rank = np.empty(self.neuron_count, np.int32)
        rank[np.argsort(self.layer, kind="stable")] = np.arange(self.neuron_count, dtype=np.int32)
        return frozen(rank, np.int32)

    @property
    def depth(self) -> int:
        """Layers less one; where layers are derived, the length of the longest path."""
        return int(self.layer.max(initial=0))

    @cached_property
    def layer_sizes(self) -> Ints:
        """Neurons per layer, int32[depth + 1]."""
        return frozen(np.bincount(self.layer, minlength=self.depth + 1), np.int32)

    @property
    def density(self) -> float:
        """Connections over those that there could be between layers that follow each other."""
        sizes = self.layer_sizes.astype(np.float64)
        possible = float(np.sum(sizes[:-1] * sizes[1:]))
        return self.connection_count / possible if possible else 0.0

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 (hex) of all that inference and its I/Os depend on."""
        digest = hashlib.sha256()
        for array in (
            self.source,
            self.target,
            self.weight,
            self.bias,
            self.activation,
            self.inputs,
            self.feature,
            self.outputs,
        ):
            digest.update(len(array).to_bytes(8, "little"))
            digest.update(np.ascontiguousarray(array).data)
        digest.update(self.features.to_bytes(8, "little"))
        return digest.hexdigest()

    def neuron_name(self, neuron: int) -> str:
        """What a person calls a neuron: its layer and its place in it."""
        layer = int(self.layer[neuron])
        place = int(np.count_nonzero(self.layer[:neuron] == layer))
        return f"neuron {place} of layer {layer}"


def _grouped(keys: Ints, count: int) -> tuple[Longs, Ints]:
    from planner.model.network_arrays import group_by

    offsets, ids = group_by(keys, count)
    return frozen(offsets, np.int64), frozen(ids, np.int32)


def _marks(count: int, neurons: Ints) -> Bools:
    marks = np.zeros(count, np.bool_)
    marks[neurons] = True
    return frozen(marks, np.bool_)


def frozen(values: ArrayLike, dtype: DTypeLike) -> NDArray[Any]:
    """A read-only contiguous array of a ``dtype`` and of the shape of ``values``; a caller's own array is copied, never frozen."""
    array = np.array(values, dtype=dtype, order="C")
    array.setflags(write=False)
    return array
