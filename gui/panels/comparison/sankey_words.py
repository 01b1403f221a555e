"""What the Sankey says: sentences on a ribbon, on a device, on the whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gui.look.numbers import Column, amount_column, one_time, percent, plural
from gui.panels.comparison.names import NOT_MOVED, Pair, ops_between
from gui.panels.comparison.sankey_layout import LEAST_WIDTH, SankeyLayout, lay_out
from gui.widgets.labels import capital
from planner.model.graph import Bools, Ints
from planner.quantity import bytes_text
from planner.reports.comparison import Comparison
from planner.reports.comparison.matching import works

MEASURES = {"ops": "Ops", "work": "Work", "bytes": "Parameters"}
"""What the width of a ribbon can stand for."""
HEAD = 24.0
"""Pixels above the bars for the names of the plans."""
FOOT = 18.0
"""Pixels of a line below the bars: what figures and pale ribbons are, and how devices are matched."""
LARGEST = 4
"""How many moves the summary names."""


@dataclass(frozen=True, eq=False)
class Sankey:
    """The flows between two plans, laid out for a size."""

    comparison: Comparison
    pair: Pair
    measure: str
    layout: SankeyLayout
    foot: float = 0.0
    """Pixels at the bottom for lines about figures, pale ribbons and matched devices."""

    @cached_property
    def column(self) -> Column:
        """How the amounts beside the devices are written."""
        values = self.layout.left_value.tolist() + self.layout.right_value.tolist()
        if self.measure == "ops":
            return Column(digits=0)
        return amount_column(values, "B" if self.measure == "bytes" else self.comparison.graph.time_unit)

    def ops(self, ribbon: int) -> Ints:
        """The ops of a ribbon."""
        return ops_between(
            self.comparison, self.pair, int(self.layout.left[ribbon]), int(self.layout.right[ribbon])
        )

    def device_ops(self, side: int, row: int) -> Ints:
        """The ops of a bar: ``side`` 0 at the left, 1 at the right."""
        places = self.comparison.places[self.pair[1 - side]]
        return np.flatnonzero(places == row).astype(np.int32)

    def absent(self, side: int, row: int) -> bool:
        """Whether the plan of a side has no counterpart of the device that the other plan has in a row."""
        devices = self.comparison.rows[row].devices
        return devices[self.pair[1 - side]] < 0 <= devices[self.pair[side]]

    # ------------------------------------------------------------------ words
    @cached_property
    def _titles(self) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
        i, j = self.pair
        return tuple(self.comparison.side_titles(j, i, short=short) for short in (False, True))

    def title(self, side: int, row: int, *, short: bool = False) -> str:
        """What the bar of a row is called: ``side`` 0 at the left, 1 at the right. ``short`` differs where it is shorter, not in a capital."""
        long, brief = (titles[side][row] for titles in self._titles)
        return brief if short and brief.casefold() != long.casefold() else long

    def ribbon_words(self, ribbon: int) -> str:
        """``12 ops go from acc 1 to acc 3, 4.1 ms of work``."""
        c, (i, j) = self.comparison, self.pair
        left, right = int(self.layout.left[ribbon]), int(self.layout.right[ribbon])
        ops = self.ops(ribbon)
        count, one = plural(len(ops), "op"), len(ops) == 1
        if left != right:
            here, there = c.move_titles(left, right, j, i)
            text = f"{count} {'goes' if one else 'go'} from {here} to {there}"
        else:
            text = f"{count} {'stays' if one else 'stay'} on {c.row_title(left)}"
        unit = c.graph.time_unit
        before, after = (float(works(c.plans[plan])[ops].sum()) for plan in (j, i))
        text += f", {one_time(before, unit)} of work"
        if abs(after - before) > 1e-9 * max(before, after):
            text += f" ({one_time(after, c.plans[i].problem.graph.time_unit)} there)"
        stored = float(c.plans[j].problem.evaluator.params[ops].sum())
        return text + (f", {bytes_text(stored)} of parameters" if stored else "")

    def narrow_words(self, ribbon: int) -> str:
        """Says of a ribbon that it is drawn wider than it is; empty of others."""
        if self.layout.width[ribbon] >= LEAST_WIDTH:
            return ""
        whole = float(self.layout.value.sum())
        share = float(self.layout.value[ribbon]) / whole if whole else 0.0
        words = percent(share) if share >= 5e-4 else "less than 0.1 %" if share else "nothing"
        return f"drawn one pixel wide: {words} of all {MEASURES[self.measure].lower()}"

    @cached_property
    def matching_words(self) -> tuple[str, ...]:
        """How the devices of one plan are matched to those of the other where not all have a counterpart, or one by another number,
        the longest way first; else none."""
        c = self.comparison
        alone = [
            f"{c.letter(self.pair[side])}'s {c.device_title(row, self.pair[side])}"
            for side in (0, 1)
            for row in self.layout.order.tolist()
            if self.absent(side, row)
        ]
        if not alone:
            return self._renumbered_words
        targets = [c.plans[plan].problem.target for plan in self.pair]
        in_order = " in their order" if all(target.in_a_row for target in targets) else ""
        many = capital(targets[1].words.many) if targets[0].kind == targets[1].kind else "Devices"
        how = f"{many} are matched{in_order}, so that as few ops as possible move"
        listed = " and ".join(alone[:2]) if len(alone) < 3 else f"{alone[0]} and {len(alone) - 1} more"
        has, its = ("has", "its") if len(alone) == 1 else ("have", "their")
        without = f"{listed} {has} no counterpart"
        return f"{how}; {without}: all {its} ops count as moved.", f"{without}: all {its} ops count as moved."

    @property
    def _renumbered_words(self) -> tuple[str, ...]:
        """Which devices a plan calls otherwise than this picture does: ``B's Accelerator 1 is called Accelerator 0``, as the reference has it."""
        c = self.comparison
        other = _renumbered(c, self.pair)
        if not other:
            return ()
        listed = ", ".join(
            f"{c.letter(i)}'s {c.device_title(row, i)} with {c.row_title(row)}" for i, row in other
        )
        return (
            f"Matched: {listed}",
            f"Devices are matched with those of {c.letter(0 if 0 in self.pair else self.pair[1])}, whatever their numbers",
        )

    @cached_property
    def key_words(self) -> str:
        """What figures without a unit count, and why ribbons are pale where some are."""
        return _key(self.measure, self.layout.left == self.layout.right)

    def device_words(self, side: int, row: int) -> str:
        """``acc 1 of plan A: 120 ops, of which 12 go elsewhere``."""
        c, plan = self.comparison, self.pair[1 - side]
        layout = self.layout
        count = int((layout.right_ops if side else layout.left_ops)[row])
        ends = layout.right if side else layout.left
        away = int(layout.ops[(ends == row) & (layout.left != layout.right)].sum())
        verb = ("comes" if away == 1 else "come") if side else ("goes" if away == 1 else "go")
        other = f"{verb} from elsewhere" if side else f"{verb} elsewhere"
        moved = f", of which {away:,} {other}" if away else ", all of which stay" if count else ""
        return f"{self.title(side, row)} of plan {c.letter(plan)}: {plural(count, 'op')}{moved}"

    def summary(self, most: int = LARGEST) -> str:
        """How much moves, and the largest moves, ``most`` of them: ``10 of 96 ops move: 7 from Accelerator 1 to CPU 0, 3 from ...``, each
        device by its name in the whole comparison. Of moves of one size all are named, or none: ``5 flows of 3 ops each``."""
        layout = self.layout
        stays = layout.left == layout.right
        total, moved = int(layout.ops.sum()), int(layout.ops[~stays].sum())
        if not moved:
            return f"all {plural(total, 'op')} stay where they are" if total else "the model has no ops"
        found = np.flatnonzero(~stays)
        ordered = found[np.argsort(-layout.ops[found], kind="stable")]
        sizes = layout.ops[ordered]
        tied = 0 < most < len(found) and sizes[most - 1] == sizes[most]
        named = int(np.count_nonzero(sizes > sizes[most])) if tied else min(most, len(found))
        told = [f"{int(layout.ops[ribbon]):,} {self._way(ribbon)}" for ribbon in ordered[:named].tolist()]
        alike = int(np.count_nonzero(sizes == sizes[named])) if tied else 0
        told += [f"{plural(alike, 'flow')} of {plural(int(sizes[named]), 'op')} each"] if alike else []
        more = "among them " if most and named + alike < len(found) else ""
        said = f": {more}{', '.join(told)}" if most else ""
        return f"{moved:,} of {plural(total, 'op')} move{said}"

    def _way(self, ribbon: int) -> str:
        """From where to where a ribbon goes, in a sentence."""
        c, (i, j) = self.comparison, self.pair
        rows = int(self.layout.left[ribbon]), int(self.layout.right[ribbon])
        here, there = c.move_titles(*rows, j, i)
        return f"from {here} to {there}"

    def fitting_summary(self, measured: Callable[[str], float], room: float) -> str:
        """:meth:`summary` with as many of the largest moves as have ``room``, by what words are ``measured`` to take."""
        told = (self.summary(most) for most in range(LARGEST, -1, -1))
        return next((words for words in told if measured(words) <= room), self.summary(0))


def _key(measure: str, stays: Bools) -> str:
    """:attr:`Sankey.key_words` of flows some of which stay (bool[b])."""
    told = ["numbers: ops"] if measure == "ops" and len(stays) else []
    told += [NOT_MOVED] if stays.any() and not stays.all() else []
    return "   ".join(told)


def _renumbered(comparison: Comparison, pair: Pair) -> list[tuple[int, int]]:
    """(plan, row) of each device of a pool that its plan calls otherwise than the first plan calls its counterpart."""
    if comparison.in_a_row:
        return []
    known = [
        (i, r)
        for i in sorted(pair)
        for r, row in enumerate(comparison.rows)
        if min(row.devices[i], row.devices[0]) >= 0
    ]
    return [(i, r) for i, r in known if comparison.device_title(r, i) != comparison.device_title(r, 0)]


def sankey_of(comparison: Comparison, pair: Pair, measure: str, height: float) -> Sankey:
    """The flows from plan ``pair[1]`` to plan ``pair[0]`` for a picture ``height`` pixels high."""
    flows = comparison.flows(*pair)
    values = {"ops": flows.ops, "work": flows.work, "bytes": flows.param_bytes}[measure]
    # Of devices in a row their order is what one looks for; beside one, only those of a pool without a counterpart may move.
    in_a_row = [comparison.plans[plan].problem.target.in_a_row for plan in pair]
    alone = np.array([min(row.devices[plan] for plan in pair) < 0 for row in comparison.rows], bool)
    some_alone = any(
        0 > min(row.devices[p] for p in pair) != max(row.devices[p] for p in pair) for row in comparison.rows
    )
    ends = np.nonzero(flows.ops)
    foot = FOOT * bool(_key(measure, ends[0] == ends[1]))
    foot += FOOT if some_alone or _renumbered(comparison, pair) else 0.0
    free = (
        np.zeros(len(alone), bool) if all(in_a_row) else alone if any(in_a_row) else np.ones(len(alone), bool)
    )
    top = HEAD + 4
    return Sankey(
        comparison,
        pair,
        measure,
        lay_out(flows.ops, values.astype(float), top, max(10.0, height - top - 8 - foot), free),
        foot,
    )
