"""What a move to a device would give, in the words the canvas shows beside it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gui.look.numbers import gap_text
from gui.look.theme import Theme

if TYPE_CHECKING:
    from gui.document.plan.preview import Preview
    from gui.words.objectives import Change

IMPOSSIBLE = "in no valid plan"
"""What is said of where ops cannot be whatever else moves, unlike where a rule is broken as long as the others stay."""
RULE_WORDS = {
    1: "breaks the order",
    2: "breaks contiguity",
    64: "breaks contiguity",
    4: "does not fit",
    8: "not supported",
    16: "pinned",
    32: "splits a group",
    128: "splits siblings",
    256: "skips a chip",
    512: "makes a triangle",
    1024: "empties a chip",
    2048: "passes a stage",
}


BRIEF_WORDS = {
    "now here": "here",
    IMPOSSIBLE: "never",
    "breaks the order": "order",
    "breaks contiguity": "contiguity",
    "does not fit": "memory",
    "splits a group": "group",
    "splits siblings": "siblings",
    "skips a chip": "skips",
    "makes a triangle": "triangle",
    "empties a chip": "empties",
    "passes a stage": "passes",
}
"""The same in one word."""


@dataclass(frozen=True)
class Consequence:
    """One destination: is it legal, does it stay, what becomes of the objective, the gap, the rule in the way."""

    legal: bool
    stays: bool
    change: Change
    gap: str
    reason: str
    possible: bool = True
    """Whether an illegal move could be made legal by moving others."""

    @property
    def better(self) -> bool:
        """Whether the move is allowed and helps."""
        return self.legal and not self.stays and self.change.sign < 0

    @property
    def short(self) -> str:
        """One line for a plate."""
        return self._said(self.change.whole)

    @property
    def brief(self) -> str:
        """One line where room is scarce."""
        return self._said(self.change.brief)

    @property
    def word(self) -> str:
        """One word where room is scarcest: the rule in the way, or by how much the objective changes."""
        said = self.brief
        return BRIEF_WORDS.get(said, said.rpartition("  ")[2])

    def _said(self, words: str) -> str:
        if self.stays:
            return "now here"
        if not self.possible:
            return IMPOSSIBLE
        return words if self.legal else self.reason

    @property
    def long(self) -> str:
        """One line with the gap."""
        if self.stays or not self.legal:
            return self.short
        return f"{self.short}   gap {self.gap}" if self.gap else self.short

    def colour(self, theme: Theme) -> str:
        """Green for better, red for illegal, amber for worse; faint for what can never be."""
        if self.stays:
            return theme.muted
        if not self.possible:
            return theme.faint
        if not self.legal:
            return theme.bad
        return (theme.muted, theme.warning, theme.good)[self.change.sign]


def consequences(preview: Preview, reasons: tuple[str, ...]) -> list[Consequence]:
    """One per device. ``reasons`` are the short words for the rules in the way, '' where there are none."""
    out = []
    for d, change in enumerate(preview.changes):
        gap = float(preview.gap[d])
        stays = len(preview.origins) == 1 and int(preview.origins[0]) == d
        said = "" if math.isnan(gap) else gap_text(gap)
        out.append(Consequence(bool(preview.legal[d]), stays, change, said, reasons[d], preview.possible(d)))
    return out


def refusals(preview: Preview) -> tuple[str, ...]:
    """Why a drop on each device is not allowed, in a few words; '' where it is."""
    return tuple("" if preview.legal[d] else refusal(preview, d) for d in range(len(preview.legal)))


def refusal(preview: Preview, device: int) -> str:
    """Why a drop on a device that a rule forbids is not allowed, in a few words."""
    if not preview.possible(device):
        return IMPOSSIBLE
    code = int(preview.codes[device])
    # As sentences on what it would break follow one another.
    first = next((rule for rule in preview.rules if code & rule), code)
    return rule_words(first) or "not allowed"


def rule_words(code: int) -> str:
    """The first rule in the way, in a few words."""
    for bit, words in RULE_WORDS.items():
        if code & bit:
            return words
    return ""
