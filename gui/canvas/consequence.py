"""What a move to a device would give, in the words the canvas shows beside it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gui.theme import Theme
from gui.widgets.numbers import TimeColumn, gap_text, signed_percent

if TYPE_CHECKING:
    from gui.values import Preview

RULE_WORDS = {
    1: "breaks the order",
    2: "breaks contiguity",
    4: "does not fit",
    8: "not supported",
    16: "pinned",
    32: "splits a group",
}


@dataclass(frozen=True)
class Consequence:
    """One destination: is it legal, does it stay, what would the objective become (and by how much)."""

    legal: bool
    stays: bool
    objective: str
    change: float
    gap: str
    reason: str

    @property
    def short(self) -> str:
        """One line for a chip."""
        if self.stays:
            return "now here"
        if not self.legal:
            return self.reason
        return f"{self.objective}  {signed_percent(self.change)}"

    @property
    def long(self) -> str:
        """One line with the gap."""
        if self.stays or not self.legal:
            return self.short
        return f"{self.short}   gap {self.gap}" if self.gap else self.short

    def colour(self, theme: Theme) -> str:
        """Green for better, red for illegal, amber for worse."""
        if self.stays:
            return theme.muted
        if not self.legal:
            return theme.bad
        if self.change < -5e-4:
            return theme.good
        return theme.muted if self.change <= 5e-4 else theme.warning


def consequences(
    preview: Preview, objective: float, column: TimeColumn, reasons: tuple[str, ...]
) -> list[Consequence]:
    """One per device. ``reasons`` are the short words for the rules in the way, '' where there are none."""
    out = []
    for d in range(len(preview.objective)):
        value = float(preview.objective[d])
        change = (value - objective) / objective if objective > 0 else 0.0
        gap = float(preview.gap[d])
        stays = len(preview.origins) == 1 and int(preview.origins[0]) == d
        out.append(
            Consequence(
                legal=bool(preview.legal[d]),
                stays=stays,
                objective=column.text(value),
                change=change,
                gap="" if math.isnan(gap) else gap_text(gap),
                reason=reasons[d],
            )
        )
    return out


def rule_words(code: int) -> str:
    """The first rule in the way, in a few words."""
    for bit, words in RULE_WORDS.items():
        if code & bit:
            return words
    return ""
