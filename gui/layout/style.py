"""Sizes that a layout is made from, in scene units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class LayoutStyle:
    """Card sizes and gaps in scene units.

    Everything stands on a grid of columns and slots, so that the space between two columns and the space
    between two slots are always free for edges. A large card (a folded group) covers two columns and two slots.
    """

    card_w: float = 120.0
    card_h: float = 44.0
    gap_x: float = 28.0
    gap_y: float = 16.0
    #: free height between two rows of the wrapped ribbon; the links from row to row run there
    row_gap: float = 40.0
    #: free height between the forward strip and the backward strip of one row
    strip_gap: float = 36.0
    margin: float = 24.0
    lane_gap: float = 10.0
    lane_pad: float = 14.0
    header: Literal["left", "top"] = "left"
    header_w: float = 176.0
    header_h: float = 26.0
    #: height of the band of a device without ops
    empty_lane_h: float = 36.0
    #: least height of the band of a device with ops; its rows stand in the middle
    least_lane_h: float = 0.0
    #: an op with this many consumers is a hub: its far edges leave it as one
    hub_degree: int = 6

    def __post_init__(self) -> None:
        sizes = (self.card_w, self.card_h, self.gap_x, self.gap_y, self.row_gap, self.strip_gap)
        if not all(size > 0 for size in sizes):
            raise ValueError(
                "Layout sizes and gaps must be greater than zero; check the style's card and gap values."
            )
        if self.header not in ("left", "top"):
            raise ValueError(f"The lane header stands 'left' or 'top', not {self.header!r}.")

    @property
    def pitch_x(self) -> float:
        """Distance between the left edges of two neighbouring columns."""
        return self.card_w + self.gap_x

    @property
    def pitch_y(self) -> float:
        """Distance between the top edges of two neighbouring slots."""
        return self.card_h + self.gap_y
