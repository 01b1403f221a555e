"""The rows of a comparison: devices of two to four plans that count as one, and in which order they are listed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import numpy as np

from planner.model.graph import Floats
from planner.problem.problem import Plan
from planner.reports.comparison.alignment import aligned
from planner.reports.comparison.matching import match_devices, matched, works

Rows = list[tuple[int, tuple[int, ...]]]
"""The number of each row, and each plan's device in it or -1."""


def matched_rows(plans: Sequence[Plan]) -> Rows:
    """(number, each plan's device or -1) of every row, as they are listed. Numbers count the reference's devices first.

    Every plan is matched with the reference; plans whose devices stand in a row with the first of their kind, so that they never
    cross one another, and those with equally many devices all alike. What a plan has beyond that may meet what another has.
    """
    rows = _Rows(plans)
    for i in range(1, len(plans)):
        rows.add(i)
    numbers = list(range(len(rows.devices)))
    if plans[0].problem.target.in_a_row:
        numbers = [*rows.chain, *(row for row in numbers if row not in rows.chain)]
    return [(number, tuple(rows.devices[number])) for number in numbers]


def rows_among(plans: Sequence[Plan], chosen: Sequence[int]) -> Rows:
    """:func:`matched_rows` of a few of the plans (``chosen``, their places) as all are matched: with the same numbers, in the same order,
    without the rows in which none of them has a device."""
    found = [(number, tuple(entry[i] for i in chosen)) for number, entry in matched_rows(plans)]
    return [(number, entry) for number, entry in found if max(entry) >= 0]


def rows_matched_first(plans: Sequence[Plan], pair: tuple[int, int]) -> Rows:
    """:func:`matched_rows` of the plans where plan ``pair[0]`` is compared with plan ``pair[1]``: these are matched with one another, as if
    there were no others, which follow. Devices of the reference keep their numbers, and pools their order."""
    order = [pair[1], pair[0], *(i for i in range(len(plans)) if i not in pair)]
    entries = [
        tuple(entry[order.index(i)] for i in range(len(plans)))
        for _, entry in matched_rows([plans[i] for i in order])
    ]
    free = count(len(plans[0].problem.devices))
    found = [(entry[0] if entry[0] >= 0 else next(free), entry) for entry in entries]
    return found if any(plan.problem.target.in_a_row for plan in plans) else sorted(found)


def device_numbers(plans: Sequence[Plan]) -> list[tuple[int, ...]]:
    """The number of the row of each device of each plan: devices that are matched have one number."""
    rows = matched_rows(plans)
    return [
        tuple(number for _, number in sorted((entry[i], number) for number, entry in rows if entry[i] >= 0))
        for i in range(len(plans))
    ]


class _Rows:
    """Rows as they grow, plan by plan. ``chain`` are those that have a device of a row of devices, in the order of the row."""

    def __init__(self, plans: Sequence[Plan]) -> None:
        self.plans = plans
        self.devices = [[device, *[-1] * (len(plans) - 1)] for device in range(len(plans[0].problem.devices))]
        self.lead = 0 if plans[0].problem.target.in_a_row else -1
        """The first plan whose devices stand in a row."""
        self.chain = list(range(len(self.devices))) if self.lead == 0 else []

    def add(self, i: int) -> None:
        """Put the devices of plan i into rows."""
        plan = self.plans[i]
        in_a_row = plan.problem.target.in_a_row
        twin = self._twin(i) if in_a_row else -1
        if twin >= 0:
            for row in self.devices:
                row[i] = row[twin]
            return
        anchor = self.lead if in_a_row and self.lead >= 0 else 0
        row_of = {row[anchor]: at for at, row in enumerate(self.devices) if row[anchor] >= 0}
        match = match_devices(self.plans[anchor], plan).first_of.tolist()
        place = {device: row_of[other] for device, other in enumerate(match) if other >= 0}
        count = len(match)
        if in_a_row and self.lead >= 0:
            place |= self._between(i, place, count)
        others = [at for at, row in enumerate(self.devices) if row[anchor] < 0 and at not in place.values()]
        if in_a_row:
            others = [at for at in others if at not in self.chain]
        place |= self._free(i, [device for device in range(count) if device not in place], others)
        for device in range(count):
            if device not in place:
                place[device] = len(self.devices)
                self.devices.append([-1] * len(self.plans))
            self.devices[place[device]][i] = device
        if in_a_row:
            self._enchain([place[device] for device in range(count)])
            self.lead = i if self.lead < 0 else self.lead

    def _twin(self, i: int) -> int:
        """An earlier plan whose devices stand in a row of the same length, -1 if none."""
        count = len(self.plans[i].problem.devices)
        return next(
            (
                j
                for j, plan in enumerate(self.plans[:i])
                if plan.problem.target.in_a_row and len(plan.problem.devices) == count
            ),
            -1,
        )

    def _between(self, i: int, place: dict[int, int], count: int) -> dict[int, int]:
        """Rows for devices of plan i without a counterpart in the lead: those of other plans at the same place of the row."""
        found: dict[int, int] = {}
        device = 0
        while device < count:
            end = device
            while end < count and end not in place:
                end += 1
            after = self.chain.index(place[device - 1]) + 1 if device else 0
            before = self.chain.index(place[end]) if end < count else len(self.chain)
            left, rows = list(range(device, end)), self.chain[after:before]
            if left and rows:
                partner = aligned(*self._common(i, left, rows), *self._names(i, left, rows))
                found |= {left[a]: rows[b] for a, b in enumerate(partner.tolist()) if b >= 0}
            device = end + 1
        return found

    def _free(self, i: int, left: list[int], rows: list[int]) -> dict[int, int]:
        """Any of these rows for devices of plan i that are left: an optimal matching."""
        if not left or not rows:
            return {}
        alike = len({plan.problem.target.kind for plan in self.plans}) == 1
        mine = [self.plans[i].problem.devices[device] for device in left]
        theirs = [self._known(row)[0].problem.devices[self._known(row)[1]] for row in rows]
        partner = matched(
            *self._common(i, left, rows),
            [device.kind if alike else "" for device in mine],
            [device.kind if alike else "" for device in theirs],
            *self._names(i, left, rows),
        )
        return {left[a]: rows[b] for a, b in enumerate(partner.tolist()) if b >= 0}

    def _enchain(self, rows: list[int]) -> None:
        """Insert the rows of a plan that are not in the chain, each before the next one that is."""
        at = len(self.chain)
        for row in reversed(rows):
            if row in self.chain:
                at = self.chain.index(row)
            else:
                self.chain.insert(at, row)

    def _known(self, row: int) -> tuple[Plan, int]:
        """The first plan that has a device in a row, and the device."""
        return next(
            (plan, device) for plan, device in zip(self.plans, self.devices[row], strict=True) if device >= 0
        )

    def _common(self, i: int, left: list[int], rows: list[int]) -> tuple[np.ndarray, Floats]:
        """Ops (int64[left, rows]) and shares of plan i's work (float64) that its devices have in common with rows."""
        plan = self.plans[i]
        own = works(plan)
        total = max(float(own.sum()), np.finfo(float).tiny)
        ops = np.zeros((len(left), len(rows)), np.int64)
        work = np.zeros((len(left), len(rows)))
        for b, row in enumerate(rows):
            other, device_there = self._known(row)
            there = other.decision.device_of == device_there
            for a, device in enumerate(left):
                both = there & (plan.decision.device_of == device)
                ops[a, b] = int(both.sum())
                work[a, b] = float(own[both].sum()) / total
        return ops, work

    def _names(self, i: int, left: list[int], rows: list[int]) -> tuple[list[str], list[str]]:
        known = [self._known(row) for row in rows]
        return (
            [self.plans[i].problem.devices[device].name for device in left],
            [plan.problem.devices[device].name for plan, device in known],
        )
