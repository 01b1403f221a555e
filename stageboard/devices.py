"""The devices of a plan, as a small table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, overload

from planner.quantity import bytes_text
from planner.text_table import table, times

if TYPE_CHECKING:
    from stageboard.notebook import Table


class Device(NamedTuple):
    """A device of a plan: how many ops it has, the parts of its cost in the graph's time unit, and its memory in bytes."""

    name: str
    ops: int
    receive: float
    work: float
    streaming: float
    send: float
    cost: float
    memory: float


class Devices(Sequence[Device]):
    """The devices of a plan, as a small table: print it, or take its rows."""

    def __init__(
        self, rows: Iterable[Device], unit: str | None, bottleneck: int, traits: Sequence[str]
    ) -> None:
        """``bottleneck`` is the number of the row that costs most (-1: none), ``traits`` what is special about each device."""
        self._rows = tuple(rows)
        self.unit = unit
        self.bottleneck = bottleneck
        self._traits = traits

    @overload
    def __getitem__(self, index: int) -> Device: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Device, ...]: ...
    def __getitem__(self, index: int | slice) -> Device | tuple[Device, ...]:
        """A row, or some."""
        return self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Device]:
        return iter(self._rows)

    @property
    def cells(self) -> list[list[str]]:
        """The table as texts, times in one unit, a row for each device."""
        parts = [[getattr(row, part) for row in self._rows] for part in Device._fields[2:7]]
        shown = times([float(value) for part in parts for value in part], self.unit)
        k = len(self)
        return [
            [
                f"{row.name} ({self._traits[i]})" if self._traits[i] else row.name, str(row.ops),
                *(shown[p * k + i] for p in range(len(parts))), bytes_text(row.memory),
            ]
            for i, row in enumerate(self._rows)
        ]  # fmt: skip

    def __str__(self) -> str:
        """The table for a person."""
        return table(Device._fields, self.cells)

    def __repr__(self) -> str:
        """One line."""
        return f"<Devices: {', '.join(row.name for row in self._rows[:8])}{', ...' if len(self) > 8 else ''}>"

    def _repr_html_(self) -> str:
        """For notebooks: the table."""
        from stageboard.notebook import devices_html

        return devices_html(self.as_table())

    def as_table(self) -> Table:
        """What a notebook shows of them."""
        from stageboard.notebook import Table

        return Table(Device._fields, self.cells, [row.cost for row in self._rows], self.bottleneck)
