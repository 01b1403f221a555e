"""The page that a picture file is drawn on: how large and fine it is, in which colours, on which ground; and usual pages by name. No Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from gui.look.colours import LIGHT, Theme
from planner.errors import StageboardError

SUFFIXES = (".png", ".svg", ".pdf")
SMALLEST, LARGEST = 64, 16384
"""Limits of a picture's width and height in pixels."""
USUAL_SHAPE = 0.625
"""How high a page is that is as high as pictures usually are, of its width."""
POINTS_PER_INCH = 72
SCREEN_DPI = 96
"""Pixels per inch on which words have the size that they have in a window."""


@dataclass(frozen=True)
class Page:
    """A page of ``pixels`` (width, height). Raises :class:`StageboardError` for a size that cannot be drawn.

    ``dpi``: pixels per inch, which is how large documents (PDF) are and how large words are; ``type_size``: words and cards so many
    times as large as in a window. A ``transparent`` page has no ground. ``crop``: no higher than what is drawn on it. ``printed``: on
    paper, so that drawings (SVG) too are measured in inches; else a browser shows them in as many pixels as the page has.
    """

    pixels: tuple[int, int] = (1600, 1000)
    dpi: int = SCREEN_DPI
    type_size: float = 1.0
    theme: Theme = LIGHT
    transparent: bool = False
    crop: bool = False
    floor: float = 0.0
    printed: bool = False

    def __post_init__(self) -> None:
        if not all(SMALLEST <= side <= LARGEST for side in self.pixels):
            wide, high = self.pixels
            raise StageboardError(
                f"a picture of {wide} x {high} pixels cannot be drawn; {SMALLEST} to {LARGEST} each way"
            )

    @property
    def scale(self) -> float:
        """Pixels per unit in which a picture is laid out."""
        return self.dpi / SCREEN_DPI * self.type_size

    @property
    def least(self) -> float:
        """Pixels that letters are high at least."""
        return self.floor * self.dpi / POINTS_PER_INCH

    @property
    def least_units(self) -> float:
        """The same in the units in which a picture is laid out."""
        return self.least / self.scale

    @property
    def room(self) -> tuple[float, float]:
        """Width and height in these units."""
        return self.pixels[0] / self.scale, self.pixels[1] / self.scale

    def as_high_as(self, height: float) -> Page:
        """The page for a picture that is ``height`` units high: itself unless it is to be cropped."""
        if not self.crop or height >= self.room[1]:
            return self
        return replace(self, pixels=(self.pixels[0], max(SMALLEST, round(height * self.scale))))

    @property
    def usual(self) -> Page:
        """The page for a picture that fills whatever page it has: no higher than usual where it is to be cropped."""
        return self.as_high_as(USUAL_SHAPE * self.room[0])


SHEET = Page()
"""The page of a picture where nobody says which."""
PRESETS: Mapping[str, Page] = MappingProxyType({
    "slide": Page((1920, 1080), dpi=144, type_size=1.9, floor=14.0),
    "column": Page((1004, 2362), dpi=300, type_size=0.8, crop=True, floor=6.0, printed=True),
    "poster": Page((4967, 3508), dpi=150, type_size=3.25, floor=24.0, printed=True),
})  # fmt: skip
"""A slide of 13.3 x 7.5 inches; a column of a paper (85 mm, at most 200 mm high); a poster on A1, across."""
