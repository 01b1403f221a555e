"""What a layout knows of a graph before it knows devices or a window: columns, strips and repetition."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gui.layout.csr import adjacency, checked_edges, topological_order
from gui.layout.folding import fold_strips, folded_columns
from gui.layout.ranks import columns


@dataclass(frozen=True)
class Skeleton:
    """A graph with a column for every op; make it once with `prepare` and lay it out as often as needed.

    column: int32[n]; strip: uint8[n], 0 forward and 1 backward; span, tall: int32[n], columns and slots that the card
    covers; kinds: int32[n] or None.
    """

    n: int
    edge_src: NDArray[np.int32]
    edge_dst: NDArray[np.int32]
    column: NDArray[np.int32]
    strip: NDArray[np.uint8]
    span: NDArray[np.int32]
    tall: NDArray[np.int32]
    kinds: NDArray[np.int32] | None


def _per_op(values: ArrayLike | None, n: int, name: str, kind: type) -> NDArray | None:
    if values is None:
        return None
    array: NDArray = np.asarray(values).astype(kind)
    if array.shape != (n,):
        raise ValueError(
            f"{name} needs one value for each of the {n} ops, not an array of shape {array.shape}."
        )
    return array


def prepare(n: int, edge_src: ArrayLike, edge_dst: ArrayLike, *, backward: ArrayLike | None = None,
            partner: ArrayLike | None = None, kinds: ArrayLike | None = None,
            large: ArrayLike | None = None) -> Skeleton:  # fmt: skip
    """Columns of every op of a DAG, source to the left of its consumers.

    n: op count; edge_src, edge_dst: int32[m]; backward: bool[n], ops of a training graph's backward pass, which get
    a strip of their own under the forward one; partner: int32[n], the forward op that a backward op belongs to, or -1;
    kinds: int32[n], a code per kind of op, which helps to find repetition;
    large: bool[n], cards of folded groups. Raises ValueError on a cycle or arrays that do not match.
    """
    src, dst = checked_edges(n, edge_src, edge_dst)
    back = _per_op(backward, n, "backward", bool)
    mate = _per_op(partner, n, "partner", np.int32)
    big = _per_op(large, n, "large", bool)
    span = np.ones(n, np.int32) if big is None else 1 + big.astype(np.int32)
    if mate is not None and n and (mate.min() < -1 or mate.max() >= n):
        raise ValueError(f"partner names an op outside 0..{n - 1}; use -1 for ops without a partner.")
    strip = np.zeros(n, np.uint8) if back is None else fold_strips(n, src, dst, back)
    if strip.any():
        out_off, out = adjacency(n, src, dst)
        in_off, _ = adjacency(n, dst, src)
        if topological_order(n, out_off, out, in_off)[1] == n:
            mate = np.full(n, -1, np.int32) if mate is None else mate
            col = folded_columns(n, src, dst, span, strip, mate)
        else:
            col = columns(n, src, dst, span)  # reports the cycle
    else:
        col = columns(n, src, dst, span)
    return Skeleton(n, src, dst, col, strip, span, span.copy(), _per_op(kinds, n, "kinds", np.int32))
