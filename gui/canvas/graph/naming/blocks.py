"""Blocks of a graph in short words, and which cards names are to tell apart: those of one block, in every view."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from planner.lifetime import while_it_lives
from planner.model.blocks import block_labels, named, named_blocks
from planner.model.groups import by_layer

if TYPE_CHECKING:
    from gui.canvas.graph.items import Items
    from planner.model.graph import Graph, Ints

MOST_TOLD_APART = 128
"""Cards of a block beyond so many are told apart from one another alone: a graph without scopes is one block of thousands."""


@while_it_lives
def blocks_of(graph: Graph) -> tuple[str, ...]:
    """The block of each op in short words (length n): by name scopes, else by layers; empty where neither tells."""
    if named_blocks(graph) is not None:
        labels = block_labels(graph)
    else:
        layers = by_layer(graph)
        if layers is None:
            return ("",) * graph.n
        names, sizes = named(graph, layers, "layer ").names, np.diff(layers.members[0]).tolist()
        labels = tuple(names[g] if sizes[g] > 1 else "" for g in layers.group_of.tolist())
    tails = Counter(label.rsplit("/", 1)[-1] for label in set(labels))
    short = {label: label.rsplit("/", 1)[-1] for label in set(labels)}
    return tuple(short[label] if tails[short[label]] == 1 else label for label in labels)


def neighbours_of(items: Items) -> Ints:
    """The cards that names tell apart have the same number (int32[count]): those of one block, whatever row of a layout they stand in, so
    that an op is called the same in all of them."""
    labels = blocks_of(items.graph)
    numbers: dict[str, int] = {}
    block = np.array([numbers.setdefault(labels[op], len(numbers)) for op in items.first.tolist()], np.int64)
    order = np.lexsort((items.first, block))
    counts = np.bincount(block, minlength=len(numbers))
    place = np.arange(items.count) - np.repeat(np.cumsum(counts) - counts, counts)
    stretch = np.empty(items.count, np.int64)
    stretch[order] = place // MOST_TOLD_APART
    _, found = np.unique(np.stack([block, stretch]), axis=1, return_inverse=True)
    return found.reshape(-1).astype(np.int32)
