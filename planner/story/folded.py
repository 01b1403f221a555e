"""Groups of ops that a keyframe draws as one card each, by the ops that they hold: whatever groups a graph is said to have later, they stay."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planner.errors import StoryError
from planner.formats.checks import INT32, shown
from planner.model.graph import Graph, Ints
from planner.model.groups import GroupView
from planner.printable import LONGEST_ID, escaped
from planner.story.checks import check_text
from planner.story.runs import packed_runs

MOST_FOLDED = 10_000
MOST_RUNS = 20_000
"""Runs of ops that the folded groups of a keyframe have together."""
LONGEST_RUNS = 12 * MOST_RUNS
_RUN = re.compile(r"(\d{1,10})(?:-(\d{1,10}))?", re.ASCII)


@dataclass(frozen=True)
class FoldedGroup:
    """Ops that are drawn as one card of this ``name``. Raises :class:`StoryError`.

    ``ops`` are their numbers in the graph's order, ascending, runs as ``first-last`` (``0-24 31``).
    """

    name: str
    ops: str

    def __post_init__(self) -> None:
        check_text(self.name, "the name of a folded group", LONGEST_ID, empty=True)
        object.__setattr__(self, "name", escaped(self.name))
        check_text(self.ops, f"the list of ops of the folded group {shown(self.name)}", LONGEST_RUNS)
        firsts, lasts = self.runs()
        if (lasts < firsts).any() or (firsts[1:] <= lasts[:-1]).any():
            raise StoryError(
                f"the folded group {shown(self.name)} has ops that do not ascend ({shown(self.ops)}); list each once, as 0-24 31"
            )

    @classmethod
    def of(cls, name: str, ops: Ints) -> FoldedGroup:
        """The group of these ops, int32[ops] ascending."""
        return cls(name, packed_runs(ops))

    def runs(self) -> tuple[np.ndarray, np.ndarray]:
        """(first op, last op) of each run, int64[runs]. A graph's size is not known here: only it says how many ops they are."""
        words = self.ops.split()
        if len(words) > MOST_RUNS:
            raise StoryError(_too_many(len(words)))
        pairs: list[tuple[int, int]] = []
        for word in words:
            match = _RUN.fullmatch(word)
            if match is None or max(int(match[1]), int(match[2] or 0)) > INT32:
                raise StoryError(
                    f"the folded group {shown(self.name)} has {shown(word)} where an op's number or first-last was expected"
                )
            pairs.append((int(match[1]), int(match[2] or match[1])))
        both = np.array(pairs, np.int64)
        return both[:, 0], both[:, 1]


def check_folded(groups: Sequence[FoldedGroup]) -> None:
    """Refuse groups that are too many, or share an op. Raises :class:`StoryError`."""
    if len(groups) > MOST_FOLDED:
        raise StoryError(f"a keyframe folds {len(groups):,} groups; at most {MOST_FOLDED:,} are folded")
    if not groups:
        return
    runs = [group.runs() for group in groups]
    firsts, lasts = (np.concatenate([pair[i] for pair in runs]) for i in (0, 1))
    if len(firsts) > MOST_RUNS:
        raise StoryError(_too_many(len(firsts)))
    order = np.argsort(firsts, kind="stable")
    twice = np.flatnonzero(firsts[order][1:] <= lasts[order][:-1])
    if len(twice):
        raise StoryError(
            f"a keyframe folds op number {firsts[order][int(twice[0]) + 1]} in two groups; an op is in one at most"
        )


def _too_many(runs: int) -> str:
    return f"the folded groups of a keyframe have {runs:,} runs of ops; at most {MOST_RUNS:,} can be read"


def missing_op(groups: Sequence[FoldedGroup], n: int) -> tuple[FoldedGroup, int] | None:
    """A group with the number of an op that a graph of ``n`` ops does not have."""
    ends = ((group, int(group.runs()[1][-1])) for group in groups)
    return next(((group, last) for group, last in ends if last >= n), None)


def ops_of(group: FoldedGroup) -> Ints:
    """The ops of a group of a graph that is known to have them: int32[ops], ascending."""
    firsts, lasts = group.runs()
    return np.concatenate([np.arange(a, b + 1) for a, b in zip(firsts, lasts, strict=True)]).astype(np.int32)


def grouping_of(graph: Graph, groups: Sequence[FoldedGroup]) -> GroupView | None:
    """The groups of a graph that has all of their ops, numbered from 0 as they come, every other op alone; None for none."""
    if not groups:
        return None
    group_of = np.full(graph.n, -1, np.int32)
    for number, group in enumerate(groups):
        group_of[ops_of(group)] = number
    alone = np.flatnonzero(group_of < 0)
    group_of[alone] = len(groups) + np.arange(len(alone), dtype=np.int32)
    names = (*(group.name for group in groups), *(graph.op_names[v] for v in alone.tolist()))
    return GroupView(group_of, names)
