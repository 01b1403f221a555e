"""Fully connected layers of an ONNX model as a sparse network.

A dense layer is a ``Gemm``, or a ``MatMul`` by a stored matrix and what is added. Layers belong to one *block* where the one
reads what the other gives, through activations that a network may have, sums and concatenations of such results, and ops that
do nothing here (``Identity``, ``Cast``, ``Dropout``, ``Flatten``, ``Reshape`` that keeps the last size). Whatever else reads or
gives a value ends a block: a residual connection around a transformer's feed-forward block does not belong to it. A model may
hold many blocks; one of them becomes the network.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from planner.errors import NetworkError
from planner.formats.networks.layers import Block, Group, Layered, dense_matrix
from planner.formats.networks.onnx_values import check_size
from planner.formats.networks.onnx_walk import Dense, Neurons, Walk
from planner.formats.onnx import shapes as onnx_shapes
from planner.printable import clean

FORMAT = "onnx"
_SHOWN = 8


def read(path: str | os.PathLike[str], block: str = "") -> Layered:
    """The layers of one block: the one whose name holds ``block``, or of that number, else the one with most weights.

    Raises :class:`planner.errors.StageboardError`.
    """
    file = Path(path)
    walk = Walk(onnx_shapes.load(file).graph, file)
    blocks = _blocks(walk)
    if not blocks:
        raise NetworkError(
            f"{file.name} has no fully connected layer (Gemm, or MatMul by a stored matrix); open it as a model instead"
        )
    chosen = _chosen(blocks, block, file.name)
    layered = _layered(walk, blocks[chosen], file)
    if len(blocks) > 1:
        layered.notes.insert(
            0,
            f"of {len(blocks)} blocks of dense layers this is number {chosen}, {_title(walk, blocks[chosen])}",
        )
    return layered


def _chosen(blocks: list[list[Dense]], wanted: str, file: str) -> int:
    sizes = [sum(d.weights.size for d in dense) for dense in blocks]
    fitting = list(range(len(blocks)))
    if wanted.isdecimal() and len(wanted) < 10:
        fitting = [i for i in fitting if i == int(wanted)]
    elif wanted:
        fitting = [i for i in fitting if any(wanted in d.name for d in blocks[i])]
    if not fitting:
        shown = ", ".join(f"{i} ({clean(blocks[i][0].name)[:60]})" for i in range(min(_SHOWN, len(blocks))))
        more = f" and {len(blocks) - _SHOWN} more" if len(blocks) > _SHOWN else ""
        raise NetworkError(
            f"{file} has no block of dense layers '{clean(wanted)[:60]}'; there are {shown}{more}"
        )
    return max(fitting, key=lambda i: (sizes[i], -i))


def _blocks(walk: Walk) -> list[list[Dense]]:
    """The dense layers that hang together, in the order of their first ones."""
    parent = list(range(len(walk.neurons)))

    def root(g: int) -> int:
        while parent[g] != g:
            parent[g] = parent[parent[g]]
            g = parent[g]
        return g

    for dense in walk.dense:
        for g in dense.sources:
            parent[root(walk.group(g))] = root(walk.group(dense.target))
    found: dict[int, list[Dense]] = {}
    for dense in walk.dense:
        found.setdefault(root(walk.group(dense.target)), []).append(dense)
    return list(found.values())


def _title(walk: Walk, block: list[Dense]) -> str:
    """What a person calls a block: what the names of its layers have in common, and its sizes."""
    paths = [d.name.split(" ")[0].split("/") for d in block]
    level = [len(set(parts)) == 1 for parts in zip(*paths, strict=False)]
    common = "/".join(paths[0][: level.index(False) if False in level else len(level)])
    widths = [sum(walk.neurons[g].size for g in block[0].sources)]
    widths += [walk.neurons[g].size for g in dict.fromkeys(walk.group(d.target) for d in block)]
    shown = " x ".join(str(w) for w in widths[:_SHOWN]) + (" x ..." if len(widths) > _SHOWN else "")
    return f"{clean(common or '/'.join(paths[0]))} ({shown})"


def _layered(walk: Walk, block: list[Dense], file: Path) -> Layered:
    """The groups and matrices of a block, its weights loaded."""
    check_size((sum(d.weights.size for d in block),), file.name)
    used = sorted({walk.group(g) for d in block for g in (*d.sources, d.target)})
    place = {g: i for i, g in enumerate(used)}
    layered = Layered(file.stem, file.name, FORMAT, str(file))
    for g in used:
        n = walk.neurons[g]
        layered.groups.append(Group(n.size, _bias(n, file), n.activation or "identity", 0, n.fed, n.output))
    for dense in sorted(block, key=lambda d: walk.group(d.target)):
        sources = tuple(place[walk.group(g)] for g in dense.sources)
        target = place[walk.group(dense.target)]
        weights = dense.weights.load()
        if dense.scale != 1.0:
            weights = np.float32(dense.scale) * weights
        layered.blocks.append(Block(sources, target, dense_matrix(weights, dense.transposed)))
        below = max(layered.groups[s].layer for s in sources)
        layered.groups[target].layer = max(layered.groups[target].layer, below + 1)
    if any(walk.neurons[g].near for g in used):
        layered.notes.append("GELU is approximated by tanh in the model; the exact one takes its place")
    return layered


def _bias(neurons: Neurons, file: Path) -> NDArray[np.float32] | None:
    if not neurons.biases:
        return None
    bias = np.asarray(np.sum([load() for load in neurons.biases], axis=0), np.float32)
    if not np.isfinite(bias).all():
        raise NetworkError(f"{file.name}: a bias is not a finite number; train or export the model again")
    return bias
