"""Options of planners, bound methods and exports: a name, a default and a range."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planner.errors import PlannerRefusal

LEAST_SHOWN = 1e-6
"""Lower limits below this are there to keep 0 out."""


@dataclass(frozen=True)
class Option:
    """One option of a planner or bound method: how it searches, never what is optimised.

    ``file``: a text is the path of a file, and this is what dialogs show of folders: ``Weights (*.npz)``.
    ``only_with``: another option and those of its values with which this one means anything.
    """

    name: str
    default: bool | int | float | str
    help: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    file: str = ""
    only_with: tuple[str, tuple[str, ...]] | None = None

    def applies(self, values: Mapping[str, Any]) -> bool:
        """Whether it means anything beside the values of other options, by name."""
        return self.only_with is None or values[self.only_with[0]] in self.only_with[1]

    @property
    def range_text(self) -> str:
        """``1 to 100,000``, ``at least 0``; empty where any value will do, and for names to choose from."""
        if self.low is not None and self.high is not None:
            if 0.0 < self.low < LEAST_SHOWN:
                return f"above 0, at most {_number(self.high)}"
            return f"{_number(self.low)} to {_number(self.high)}"
        if self.low is not None:
            return f"at least {_number(self.low)}"
        return "" if self.high is None else f"at most {_number(self.high)}"

    def parse(self, value: Any) -> bool | int | float | str:
        """``value`` (text or typed) as the option's type, within its range. Raises :class:`PlannerRefusal`."""
        try:
            parsed = self._typed(value)
        except (TypeError, ValueError):
            kind = {bool: "true or false", int: "a whole number", float: "a number"}.get(
                type(self.default), "text"
            )
            raise PlannerRefusal(f"option '{self.name}' is {value!r}; {kind} was expected") from None
        if self.choices and parsed not in self.choices:
            raise PlannerRefusal(f"option '{self.name}' is '{parsed}'; choose from {', '.join(self.choices)}")
        if isinstance(parsed, (int, float)) and not isinstance(parsed, bool):
            low = -math.inf if self.low is None else self.low
            high = math.inf if self.high is None else self.high
            if not low <= parsed <= high:
                raise PlannerRefusal(
                    f"option '{self.name}' is {parsed}; it must lie between {low:g} and {high:g}"
                )
        return parsed

    def _typed(self, value: Any) -> bool | int | float | str:
        if isinstance(self.default, bool):
            text = str(value).lower()
            if text not in {"true", "false", "yes", "no", "on", "off", "1", "0"}:
                raise ValueError(text)
            return text in {"true", "yes", "on", "1"}
        if isinstance(self.default, int):
            return int(str(value))
        if isinstance(self.default, float):
            return float(str(value))
        return str(value)


def _number(value: float) -> str:
    """A limit as people read it: whole numbers with separators, others as they are."""
    return f"{value:,.0f}" if value == int(value) else f"{value:g}"


def parse_options(known: Sequence[Option], given: Mapping[str, Any], owner: str) -> dict[str, Any]:
    """Every option's value, given or default.

    Raises :class:`PlannerRefusal` on an unknown name, and on a value that means nothing beside the others.
    """
    names = {o.name for o in known}
    for name in given:
        if name not in names:
            has = f"it has {', '.join(sorted(names))}" if names else "it has none"
            raise PlannerRefusal(f"'{owner}' has no option '{name}'; {has}")
    values = {o.name: o.parse(given[o.name]) if o.name in given else o.default for o in known}
    for o in known:
        if o.only_with is not None and values[o.name] != o.default and not o.applies(values):
            other, wanted = o.only_with
            raise PlannerRefusal(
                f"option '{o.name}' means nothing with {other}={values[other]}; leave it out, or choose {other}={' or '.join(wanted)}"
            )
    return values


def applying(known: Sequence[Option], given: Mapping[str, Any]) -> dict[str, Any]:
    """The given values but for those that mean nothing beside the others."""
    values = {o.name: given.get(o.name, o.default) for o in known}
    names = {o.name for o in known if o.applies(values)}
    return {name: value for name, value in given.items() if name in names}
