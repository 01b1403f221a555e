"""From weight matrices between groups of neurons to a :class:`planner.model.network.Network`, pruned by magnitude on the way.

A group is a row of neurons that are numbered one after the other; a block is a matrix from some groups to one. Zeros of
dense matrices are no connections; entries of sparse ones are, whatever their value. Connections are sorted by block's
target group, then by target, then by source: layer after layer, the connections into one neuron together, which is an
order as in the proof of Theorem 1 of the paper on I/O-efficient inference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from planner.errors import NetworkError
from planner.formats.networks.npz import MOST_CONNECTIONS
from planner.model.network import ACTIVATIONS, Network
from planner.model.network_building import network_of

MOST_WEIGHTS = 1 << 28
"""Elements of dense matrices that are read for one network, at most (1 GiB as 32-bit numbers)."""


@dataclass(frozen=True, eq=False)
class Matrix:
    """Weights from ``shape[0]`` sources to ``shape[1]`` targets.

    Either ``dense`` (float32[targets, sources]: transposed, so that what leads into one neuron is together) or entries:
    ``rows`` (sources) and ``columns`` (targets), sorted by column, then row, with ``values`` (float32).
    """

    shape: tuple[int, int]
    dense: NDArray[np.float32] | None = None
    rows: NDArray[np.int64] | None = None
    columns: NDArray[np.int64] | None = None
    values: NDArray[np.float32] | None = None

    @property
    def magnitudes(self) -> NDArray[np.float32]:
        """Absolute values of the entries by target, then source: float32[targets * sources] where dense, else float32[entries]."""
        values = self.dense if self.dense is not None else self.values
        assert values is not None
        return np.abs(values.reshape(-1))

    def kept(
        self, mask: NDArray[np.bool_] | None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
        """(sources int64[c], targets int64[c], weights float32[c]) of the entries that ``mask`` (as :attr:`magnitudes`) keeps.

        None: all that are connections.
        """
        if self.dense is not None:
            flat = self.dense.reshape(-1)
            at = np.flatnonzero(flat != 0 if mask is None else mask)
            columns, rows = np.divmod(at, max(self.shape[0], 1))
            return rows, columns, flat[at]
        assert self.rows is not None and self.columns is not None and self.values is not None
        if mask is None:
            return self.rows, self.columns, self.values
        return self.rows[mask], self.columns[mask], self.values[mask]


def dense_matrix(weights: NDArray[np.floating], transposed: bool = False) -> Matrix:
    """A matrix from float[sources, targets], or where it is ``transposed`` from float[targets, sources]."""
    by_target = weights if transposed else weights.T
    shape = (by_target.shape[1], by_target.shape[0])
    with np.errstate(over="ignore"):  # what overflows is found as not finite
        return Matrix(shape, np.ascontiguousarray(by_target, np.float32))


def sparse_matrix(
    rows: NDArray[np.integer], columns: NDArray[np.integer], values: NDArray, shape: tuple[int, int]
) -> Matrix:
    """A matrix from its entries in any order: ``rows`` are sources, ``columns`` targets (int[entries]), ``values`` float[entries]."""
    order = np.argsort(
        columns.astype(np.int64) * max(shape[0], 1) + rows, kind="stable"
    )  # below 2^62: sizes are below 2^31
    with np.errstate(over="ignore"):
        single = np.asarray(values).astype(np.float32)
    return Matrix(
        shape,
        None,
        rows[order].astype(np.int64),
        columns[order].astype(np.int64),
        single[order],
    )


@dataclass(eq=False)
class Group:
    """Neurons that are numbered one after the other: how many, what is added to and applied to them."""

    size: int
    bias: NDArray[np.float32] | None = None
    activation: str = "identity"
    layer: int = 0
    fed: bool = False
    """Whether each takes its value from a column of the batch, in the order of the groups."""
    output: bool = False


@dataclass(frozen=True, eq=False)
class Block:
    """A matrix from some groups, one after the other, to one group."""

    sources: tuple[int, ...]
    target: int
    matrix: Matrix


@dataclass(eq=False)
class Layered:
    """Groups, and the blocks between them."""

    name: str
    file: str
    format: str
    path: str = ""
    groups: list[Group] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def network_of_layers(layered: Layered, density: float | None, pruning: str) -> Network:
    """The network of groups and blocks, of each matrix (or of all) the largest ``density`` kept. Raises :class:`NetworkError`."""
    _check_finite(layered)
    masks = None if density is None else _largest([b.matrix for b in layered.blocks], density, pruning)
    starts = np.concatenate([[0], np.cumsum([g.size for g in layered.groups])]).astype(np.int64)
    sources, targets, weights = [], [], []
    order = sorted(range(len(layered.blocks)), key=lambda i: (layered.blocks[i].target, i))
    for i in order:
        block = layered.blocks[i]
        rows, columns, values = block.matrix.kept(None if masks is None else masks[i])
        numbers = np.concatenate([np.arange(starts[g], starts[g + 1]) for g in block.sources])
        sources.append(numbers[rows])
        targets.append(columns + starts[block.target])
        weights.append(values)
    source, target, weight = np.concatenate(sources), np.concatenate(targets), np.concatenate(weights)
    if not len(source):
        raise NetworkError(f"{layered.file} has only zeros for weights, so there is no connection to order")
    if (np.diff(target) < 0).any():  # several blocks lead into one group
        by_target = np.argsort(target, kind="stable")
        source, target, weight = source[by_target], target[by_target], weight[by_target]
    if len(source) > MOST_CONNECTIONS:
        raise NetworkError(
            f"{layered.file} has {len(source):,} connections; at most {MOST_CONNECTIONS:,} are read, so give a density to"
            " prune it to"
        )
    notes = list(layered.notes)
    if density is not None:
        notes.append(
            _pruned_text(density, pruning, len(source), sum(b.matrix.magnitudes.size for b in layered.blocks))
        )
    if density is not None and density < 1.0 and _all_equal(layered):
        notes.append("all weights of a matrix are equally large, so which of them are kept means nothing")
    dead = _dead_ends(layered, source, target, starts)
    if dead:
        notes.append(
            f"nothing reads {dead} hidden {'neuron' if dead == 1 else 'neurons'}, which count all the same"
        )
    bias = np.zeros(int(starts[-1]), np.float32)
    codes = np.zeros(int(starts[-1]), np.uint8)
    layer = np.zeros(int(starts[-1]), np.int32)
    for i, group in enumerate(layered.groups):
        where = slice(int(starts[i]), int(starts[i + 1]))
        layer[where] = group.layer
        codes[where] = ACTIVATIONS.index(group.activation)
        if group.bias is not None:
            bias[where] = group.bias
    return network_of(
        layered.name if density is None else _pruned_name(layered.name, density),
        source,
        target,
        weight,
        bias,
        activation=codes,
        inputs=_numbers([i for i, g in enumerate(layered.groups) if g.fed], starts),
        outputs=_numbers([i for i, g in enumerate(layered.groups) if g.output], starts),
        layer=layer,
        path=layered.path,
        format=layered.format,
        warnings=notes,
    )


def pruned(network: Network, density: float, pruning: str) -> Network:
    """A network without its smallest weights: of the possible connections between two layers a share of ``density`` stays.

    Those that tie stay in their order. A network that has fewer stays as it is. Raises :class:`NetworkError`.
    """
    depth = network.depth + 1
    pair = network.layer[network.source].astype(np.int64) * depth + network.layer[network.target]
    sizes = network.layer_sizes.astype(np.float64)
    kinds, group = np.unique(pair, return_inverse=True)
    possible = sizes[kinds // depth] * sizes[kinds % depth]
    magnitude = np.abs(network.weight)
    if pruning == "global":
        mask = _first_largest(magnitude, _count(density, float(possible.sum()), len(magnitude)))
    else:
        mask = np.zeros(len(magnitude), np.bool_)
        for i in range(len(kinds)):
            ids = np.flatnonzero(group == i)
            mask[ids] = _first_largest(magnitude[ids], _count(density, float(possible[i]), len(ids)))
    if mask.all():
        return network
    note = _pruned_text(density, pruning, int(mask.sum()), len(mask))
    return network_of(
        _pruned_name(network.name, density),
        network.source[mask],
        network.target[mask],
        network.weight[mask],
        network.bias,
        activation=network.activation,
        inputs=network.inputs,
        feature=network.feature,
        features=network.features,
        outputs=network.outputs,
        layer=network.layer,
        ids=network.ids,
        path=network.path,
        format=network.format,
        warnings=[*network.warnings, note],
    )


# ---------------------------------------------------------------------- magnitudes
def _largest(matrices: Sequence[Matrix], density: float, pruning: str) -> list[NDArray[np.bool_]]:
    """Per matrix, which entries stay; never a zero of a dense one."""
    magnitudes = [m.magnitudes for m in matrices]
    possible = [float(m.shape[0]) * m.shape[1] for m in matrices]
    if pruning == "global":
        together = np.concatenate(magnitudes)
        mask = _first_largest(together, _count(density, sum(possible), len(together)))
        masks = np.split(mask, np.cumsum([len(m) for m in magnitudes])[:-1])
    else:
        masks = [
            _first_largest(m, _count(density, p, len(m))) for m, p in zip(magnitudes, possible, strict=True)
        ]
    for mask, magnitude, matrix in zip(masks, magnitudes, matrices, strict=True):
        if matrix.dense is not None:
            mask &= magnitude > 0
    return masks


def _count(density: float, possible: float, there: int) -> int:
    return min(max(1, round(density * possible)), there)


def _first_largest(magnitude: NDArray[np.float32], count: int) -> NDArray[np.bool_]:
    """Which entries are the ``count`` largest; of those that tie the first ones."""
    if count >= len(magnitude):
        return np.ones(len(magnitude), np.bool_)
    threshold = np.partition(magnitude, len(magnitude) - count)[len(magnitude) - count]
    mask = magnitude > threshold
    ties = np.flatnonzero(magnitude == threshold)
    mask[ties[: count - int(np.count_nonzero(mask))]] = True
    return mask


def _pruned_name(name: str, density: float) -> str:
    return f"{name}, pruned to {100 * density:.4g} %"


def _pruned_text(density: float, pruning: str, kept: int, before: int) -> str:
    of = "each matrix" if pruning == "layer" else "all matrices together"
    return f"pruned by magnitude to {100 * density:.4g} % of {of}: {kept:,} of {before:,} weights are kept"


# ---------------------------------------------------------------------- checks
def _check_finite(layered: Layered) -> None:
    for block in layered.blocks:
        values = block.matrix.dense if block.matrix.dense is not None else block.matrix.values
        if values is not None and not np.isfinite(values).all():
            raise NetworkError(
                f"{layered.file}: a weight into layer {layered.groups[block.target].layer} is not a finite 32-bit"
                " number; train or save the network again"
            )


def _all_equal(layered: Layered) -> bool:
    """Whether some matrix has one magnitude only, as those of models without their weights do."""
    return any(m.size > 1 and m.min() == m.max() for m in (b.matrix.magnitudes for b in layered.blocks))


def _dead_ends(
    layered: Layered, source: NDArray[np.int64], target: NDArray[np.int64], starts: NDArray[np.int64]
) -> int:
    """Hidden neurons that connections lead into, but none leaves."""
    hidden = np.repeat([not g.fed and not g.output for g in layered.groups], np.diff(starts))
    read, made = np.zeros((2, len(hidden)), np.bool_)
    read[source] = True
    made[target] = True
    return int(np.count_nonzero(hidden & made & ~read))


def _numbers(groups: Sequence[int], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    if not groups:
        return np.empty(0, np.int64)
    return np.concatenate([np.arange(starts[i], starts[i + 1]) for i in groups])
