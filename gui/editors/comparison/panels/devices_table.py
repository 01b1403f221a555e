"""What each device costs in each of the compared plans, and how two of them differ: numbers and texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gui.look.numbers import DASH, MINUS, Column, amount_column, signed_amount
from gui.panels.comparison.names import Pair
from gui.widgets.bar_key import kinds_of_parts
from gui.words.objectives import SAME
from planner.model.graph import Floats
from planner.problem.worst import worst_word
from planner.quantity import shown_change
from planner.reports.comparison import Comparison

PARTS = ("receive", "work", "streaming", "send")
NAME, AMOUNT, CHANGE = "name", "amount", "change"


@dataclass(frozen=True, eq=False)
class DeviceColumn:
    """One column. ``kind``: the device's name, an amount of plan ``plan``, or a signed difference of the pair.

    ``part`` is what is told (``cost``, ``memory``, ``ops``, or a part of the cost); ``values`` float64[R] (NaN: no such device),
    ``texts`` what is written; ``most`` is the amount that bars of this column end at.
    """

    kind: str
    part: str
    title: str
    values: Floats
    texts: tuple[str, ...]
    plan: int = -1
    most: float = 0.0

    def order(self, descending: bool) -> np.ndarray:
        """Rows sorted by this column; devices that are missing come last, equal ones keep their order."""
        if self.kind == NAME:
            rows = np.arange(len(self.texts))
            return rows[::-1] if descending else rows
        keys = -self.values if descending else self.values
        return np.argsort(np.where(np.isnan(keys), np.inf, keys), kind="stable")


@dataclass(frozen=True, eq=False)
class DeviceTable:
    """Columns, and per plan its parts of the cost (float64[4, R], NaN: no such device), the row of its bottleneck, and which amount
    (``cost`` or ``memory``) that is about: plans may differ in their objectives."""

    comparison: Comparison
    pair: Pair
    columns: tuple[DeviceColumn, ...]
    parts: tuple[Floats, ...]
    hot: tuple[int, ...]
    hot_parts: tuple[str, ...]

    @property
    def hot_part(self) -> str:
        """Which amount the bottleneck of the plan compared against is about."""
        return self.hot_parts[self.pair[1]]

    @cached_property
    def full(self) -> float:
        """The largest cost of all plans: where their bars end."""
        return max((float(np.nansum(parts, axis=0).max(initial=0.0)) for parts in self.parts), default=0.0)

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """Which kinds of parts the bars of costs have."""
        receive, _, streaming, send = np.nan_to_num(np.concatenate(self.parts, axis=1))
        return kinds_of_parts(receive, streaming, send)

    def scale_words(self, columns: Sequence[DeviceColumn]) -> str:
        """What whole bars of these columns stand for: ``whole bar 4.02 ms, 8.00 MiB``; empty where none has bars."""
        said: dict[str, None] = {}
        for column in columns:
            end = {"cost": self.full, "memory": column.most}.get(column.part, 0.0)
            if column.kind == AMOUNT and end > 0:
                unit = unit_of(self.comparison, column.plan, column.part)
                said[amount_column([end], unit).text(end)] = None
        return f"whole bar {', '.join(said)}" if said else ""

    def find(self, kind: str, part: str, plan: int = -1) -> DeviceColumn | None:
        """A column, if there is one like this."""
        return next((c for c in self.columns if (c.kind, c.part, c.plan) == (kind, part, plan)), None)

    def words(self, row: int) -> str:
        """A row as a sentence."""
        facts = [
            f"{column.title} {column.texts[row]}"
            + (f" ({self.worst(column.plan)})" if self.is_hot(column, row) else "")
            for column in self.columns[1:]
        ]
        return f"{self.columns[0].texts[row]}: {', '.join(facts)}"

    def is_hot(self, column: DeviceColumn, row: int) -> bool:
        """Whether this amount is that of a plan's bottleneck."""
        if column.kind != AMOUNT or self.hot[column.plan] != row:
            return False
        return column.part == self.hot_parts[column.plan]

    def worst(self, plan: int) -> str:
        """What a plan's bottleneck is called."""
        named = self.comparison.plans[plan]
        return worst_word(named.problem, named.evaluation)

    def bottlenecks(self) -> str:
        """The bottleneck of every plan."""
        return self._bottlenecks_of(range(len(self.hot)))

    def _bottlenecks_of(self, plans: Iterable[int]) -> str:
        """``A's bottleneck is Stage 0, B's Stage 2``, each as its plan calls it in a row of devices; ``bottleneck Stage 0 in both`` where all have the same."""
        c = self.comparison
        owners: dict[tuple[str, int, str], list[str]] = {}
        for i in plans:
            if (row := self.hot[i]) >= 0:
                owners.setdefault((self.worst(i), row, c.title_for(row, i)), []).append(c.letter(i))
        if len(owners) == 1:
            (((word, _, title), letters),) = owners.items()
            return f"{word} {title} in {'both' if len(letters) == 2 else ' and '.join(letters)}"
        said, last = [], ""
        for (word, _, title), letters in owners.items():
            whose = " and ".join(f"{letter}'s" for letter in letters)
            said.append(f"{whose} {title}" if word == last else f"{whose} {word} is {title}")
            last = word
        return ", ".join(said)

    def summary(self) -> str:
        """Which devices change most, and where the bottleneck is."""
        i, j = self.pair
        names = self.columns[0].texts
        texts = [self._bottlenecks_of((j, i))] if min(self.hot[i], self.hot[j]) >= 0 else []
        change = self.find(CHANGE, self.hot_part)
        if change is not None and np.nanmax(np.abs(change.values), initial=0.0) > 0:
            known = np.where(np.isnan(change.values), 0.0, change.values)
            row = int(np.argmax(np.abs(known)))
            texts.append(f"largest change {change.texts[row]} on {names[row]}")
        elif change is not None:
            texts.append(f"no device changes its {self.hot_part}")
        return "   ".join(texts)


def device_table(comparison: Comparison, pair: Pair) -> DeviceTable:
    """The table of plan ``pair[0]`` against plan ``pair[1]``, with the costs of every plan."""
    count = len(comparison.plans)
    differences = comparison.differences(*pair)
    hot_parts = tuple(
        "memory" if plan.problem.unit(plan.problem.components[0]) == "B" else "cost"
        for plan in comparison.plans
    )
    names = tuple(comparison.row_title(row) for row in range(len(comparison.rows)))
    columns = [DeviceColumn(NAME, "", "Device", np.arange(len(names), dtype=float), names)]
    groups = ("memory", "cost") if hot_parts[pair[1]] == "memory" else ("cost", "memory")
    # Bars of all parts of the cost share a scale: a short bar is a small change.
    for part in (*groups, "ops"):
        plans = range(count) if part != "ops" else sorted(pair)
        amounts = _amounts(comparison, part, plans)
        columns += amounts
        beside = max(float(np.nanmax(column.values, initial=0.0)) for column in amounts)
        found = getattr(differences, part)
        read = _as_read(comparison, pair, part, found, beside)
        columns.append(_change(comparison, pair, part, found, beside, read=read))
        if part == "cost":
            most = columns[-1].most
            for detail in PARTS:
                column = _change(comparison, pair, detail, getattr(differences, detail), beside, most)
                if np.nanmax(np.abs(column.values), initial=0.0) > 0:
                    columns.append(column)
    hot = tuple(
        int(comparison.row_of[i][plan.evaluation.bottleneck]) if plan.evaluation.bottleneck >= 0 else -1
        for i, plan in enumerate(comparison.plans)
    )
    parts = tuple(np.stack([comparison.by_row(i, part) for part in PARTS]) for i in range(count))
    return DeviceTable(comparison, pair, tuple(columns), parts, hot, hot_parts)


def unit_of(comparison: Comparison, plan: int, part: str) -> str | None:
    """The unit of a part of an evaluation; empty for what is counted."""
    if part == "ops":
        return ""
    return "B" if part == "memory" else comparison.plans[plan].problem.graph.time_unit


def _amounts(comparison: Comparison, part: str, plans: range | list[int]) -> list[DeviceColumn]:
    by_plan = {plan: comparison.by_row(plan, part) for plan in plans}
    every = np.concatenate(list(by_plan.values()))
    most = float(np.nanmax(every, initial=0.0))
    if part == "memory":  # as in lanes: bars are as full as caches are
        caches = np.concatenate([comparison.plans[plan].problem.evaluator.budget for plan in plans])
        most = max(most, float(caches[np.isfinite(caches)].max(initial=0.0)))
    found = []
    for plan, values in by_plan.items():
        unit = unit_of(comparison, plan, part)
        column = Column(digits=0) if unit == "" else amount_column(every.tolist(), unit)
        texts = tuple(DASH if np.isnan(value) else column.text(value) for value in values.tolist())
        title = f"{part.capitalize()} {comparison.letter(plan)}"
        found.append(DeviceColumn(AMOUNT, part, title, values, texts, plan, most))
    return found


def _change(
    comparison: Comparison, pair: Pair, part: str, values: Floats, beside: float, most: float = 0.0,
    read: Floats | None = None,
) -> DeviceColumn:  # fmt: skip
    """Differences, in the unit of the amounts that they change, of which ``beside`` is the largest; written as they are ``read``."""
    unit = unit_of(comparison, pair[1], part)
    values = np.where(np.abs(values) <= SAME * beside, 0.0, values)
    texts = tuple(_signed(value, beside, unit) for value in (values if read is None else read).tolist())
    title = f"{part.capitalize()} {comparison.letter(pair[0])} {MINUS} {comparison.letter(pair[1])}"
    return DeviceColumn(
        CHANGE, part, title, values, texts, most=max(most, float(np.nanmax(np.abs(values), initial=0.0)))
    )


def _as_read(comparison: Comparison, pair: Pair, part: str, found: Floats, beside: float) -> Floats:
    """The differences ``found`` as whoever reads the amounts beside them subtracts."""
    unit = unit_of(comparison, pair[1], part)
    if unit == "":
        return found
    now, then = (comparison.by_row(plan, part) for plan in pair)
    read = [
        0.0 if abs(change) <= SAME * beside else shown_change(before, after, unit, beside)
        for change, before, after in zip(found.tolist(), then.tolist(), now.tolist(), strict=True)
    ]
    return np.array(read)


def _signed(value: float, beside: float, unit: str | None) -> str:
    """A difference with its sign; nothing of a device that does not change, so that those that do stand out."""
    if np.isnan(value):
        return DASH
    if value == 0:
        return "0"
    if unit == "":
        return f"{'+' if value > 0 else MINUS}{abs(value):,.0f}"
    return signed_amount(value, beside, unit)
