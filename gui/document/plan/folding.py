"""The grouping that the views show, and which of its groups are folded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from PySide6.QtCore import QObject, Signal

from planner.errors import StageboardError
from planner.lifetime import while_it_lives
from planner.model.blocks import named, named_blocks
from planner.model.graph import Graph, Ints
from planner.model.groups import GroupView, by_layer, by_scope, numbered

GROUPINGS = ("none", "layers", "scopes", "blocks")


class Folding(QObject):
    """One grouping of the ops at a time and the set of groups that are folded into one box."""

    groups_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._graph: Graph | None = None
        self._known: dict[str, GroupView | None] = {}
        self.name = "none"
        self.grouping: GroupView | None = None
        self.folded: frozenset[int] = frozenset()

    def reset(self, graph: Graph | None) -> None:
        """Another graph is open: no grouping. Tells nobody; the document does."""
        self._graph = graph
        self._known = {}
        self.name, self.grouping, self.folded = "none", None, frozenset()

    def view(self, name: str) -> GroupView | None:
        """The grouping of this name, None where the graph has no such groups. Computed once."""
        if name not in GROUPINGS:
            raise ValueError(f"grouping '{name}' is not one of {', '.join(GROUPINGS)}")
        if self._graph is None or name == "none":
            return None
        if name not in self._known:
            makers: dict[str, Callable[[Graph], GroupView | None]] = {
                "layers": _layers,
                "scopes": _scopes,
                "blocks": repeated_blocks,
            }
            self._known[name] = makers[name](self._graph)
        return self._known[name]

    def available(self) -> tuple[str, ...]:
        """The groupings that this graph has."""
        return tuple(name for name in GROUPINGS if name == "none" or self._has(name))

    def _has(self, name: str) -> bool:
        """Whether the graph has such groups. Of layers that is plain before they are called anything, which takes longer."""
        if name == "layers" and name not in self._known:
            return self._graph is not None and bool((self._graph.layer >= 0).any())
        return self.view(name) is not None

    def set_grouping(self, name: str) -> None:
        """Show another grouping, everything unfolded. Raises :class:`StageboardError` where the graph has none."""
        view = self.view(name)
        if view is None and name != "none":
            has = [other for other in self.available() if other != "none"]
            graph = "the graph" if self._graph is None else self._graph.name
            raise StageboardError(
                f"{graph} has no {name} to group by{'; it has ' + ' and '.join(has) if has else ''}"
            )
        if name != self.name:
            self.name, self.grouping, self.folded = name, view, frozenset()
            self.groups_changed.emit()

    def choose(self) -> None:
        """Group by what the graph has, unless a grouping is chosen already."""
        if self.grouping is None:
            self.name = self._best()
            self.grouping = self.view(self.name)

    def _best(self) -> str:
        """Name scopes that hold blocks, else layers of the file, else what repeats, else any scopes."""
        if self._graph is None:
            return "none"
        if named_blocks(self._graph) is not None:
            return "scopes"
        return next((name for name in ("layers", "blocks", "scopes") if self.view(name) is not None), "none")

    def fold(self, groups: Iterable[int]) -> None:
        """Fold these groups."""
        self._set(self.folded | {int(g) for g in groups})

    def unfold(self, groups: Iterable[int]) -> None:
        """Unfold these groups."""
        self._set(self.folded - {int(g) for g in groups})

    def fold_all(self) -> None:
        """Fold every group of more than one op, by scopes, layers or blocks where no grouping was chosen yet."""
        self.choose()
        if self.grouping is not None:
            sizes = np.diff(self.grouping.members[0])
            self._set(frozenset(np.flatnonzero(sizes > 1).tolist()))

    def unfold_all(self) -> None:
        """Unfold everything."""
        self._set(frozenset())

    def show(self, groups: Sequence[Ints]) -> None:
        """Fold just these groups, told by their ops (int32[ops] each, ascending): in the grouping that is shown, or in the first one that
        has more of them. Those that it does not have stay unfolded."""
        best, found, had = self.name, frozenset[int](), -1
        for name in dict.fromkeys((self.name, *(self.available() if groups else ()))):
            view = self.view(name)
            same = frozenset() if view is None else _same_groups(view, groups)
            if len(same) > had:
                best, found, had = name, same, len(same)
        changed = (best, found) != (self.name, self.folded)
        self.name, self.grouping, self.folded = best, self.view(best), found
        if changed:
            self.groups_changed.emit()

    def _set(self, folded: frozenset[int]) -> None:
        count = 0 if self.grouping is None else self.grouping.count
        folded = frozenset(g for g in folded if 0 <= g < count)
        if folded != self.folded:
            self.folded = folded
            self.groups_changed.emit()


def _same_groups(view: GroupView, groups: Sequence[Ints]) -> frozenset[int]:
    """The groups of ``view`` that have just the ops of one of ``groups`` (int32[ops] each, ascending)."""
    own = [int(view.group_of[ops[0]]) for ops in groups]
    return frozenset(g for g, ops in zip(own, groups, strict=True) if np.array_equal(view.ops(g), ops))


def _scopes(graph: Graph) -> GroupView | None:
    """Blocks by their names, else by the first parts of names."""
    return named_blocks(graph) or by_scope(graph)


def _layers(graph: Graph) -> GroupView | None:
    """The layers of the file, called what the names of their ops begin with."""
    view = by_layer(graph)
    return None if view is None else named(graph, view, "layer ")


def look_through(graph: Graph) -> None:
    """Find what a window shows of a graph at first and keeps: what it could be grouped by, how deep it is. Takes a while in a large one."""
    named_blocks(graph)
    repeated_blocks(graph)
    graph.ranks  # noqa: B018


@while_it_lives
def repeated_blocks(graph: Graph) -> GroupView | None:
    """One group per repeated block; ops outside of any stand alone. None where nothing repeats.

    Blocks are called what the names of their ops begin with where these tell them all, else numbered from left to right.
    """
    from gui.layout import repeated_blocks as find

    _, kinds = np.unique(np.array(graph.kinds), return_inverse=True)
    block = find(kinds.astype(np.int32), graph.n, *graph.edges)
    if not (block >= 0).any():
        return None
    labels: list[object] = [("block", b) if b >= 0 else ("op", v) for v, b in enumerate(block.tolist())]
    names: dict[object, str] = {}
    for v, label in enumerate(labels):
        names.setdefault(label, f"block {int(block[v]) + 1}" if block[v] >= 0 else graph.op_names[v])
    return named(graph, numbered(labels, names), "block ", together=True)
