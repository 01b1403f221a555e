"""Colours, fonts and the style sheet: two calm themes (:mod:`gui.look.colours`) and stage colours that differ in more than hue.

Contrast is measured as WCAG 2.2 defines it; perceptual lightness and mixing use OKLab (Ottosson, 2020). Everything but
:func:`apply`, :func:`system_theme` and :class:`ThemeController` is plain data and needs no application.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPalette

from gui.look.busy import busy
from gui.look.colours import DARK, LIGHT, THEMES, Theme
from gui.look.style_sheet import style_sheet

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication


READABLE = 4.5
"""The least contrast of words with what they stand on (WCAG 2.2, level AA)."""
DIMMED = 0.68
"""How opaque words are that are to step back: the theme's text can still be read, quieter colours could not."""


@dataclass(frozen=True)
class DeviceColour:
    """One device's colours: ``accent`` (bars, op marks), ``band`` (lane), ``soft`` (secondary bars), ``ink`` (text on
    a band or panel), and ``glyph`` 0..8, a second mark for those who cannot tell two hues apart."""

    accent: str
    band: str
    soft: str
    ink: str
    glyph: int


# Neighbours differ in hue and in lightness, also under the three kinds of dichromacy (see the tests).
_HUES = (
    "#3b6db8", "#e08a2c", "#2e9e73", "#b26ac0", "#56b4d9", "#846a1c",
    "#d8c44a", "#5a50b4", "#8fbc4c", "#8a4b66", "#dc8cbc", "#1d6f7a",
)  # fmt: skip
_TIER_LIGHTNESS = (0.0, -0.12, 0.11)
GLYPHS = 9
"""How many glyphs there are; 12 hues and 9 glyphs give 36 distinct pairs."""


@lru_cache(maxsize=64)
def device_colours(k: int, theme: Theme) -> tuple[DeviceColour, ...]:
    """Colours of ``k`` devices (any k; from 36 on hues repeat, told apart by their names), of those numbers that the theme gives them."""
    own = range(len(theme.device_numbers), k)
    return numbered_colours((*theme.device_numbers[:k], *own), theme)


def numbered_colours(numbers: Sequence[int], theme: Theme) -> tuple[DeviceColour, ...]:
    """The colours of some devices, by their numbers."""
    return tuple(_device_colour(number, theme) for number in numbers)


@lru_cache(maxsize=1024)
def _device_colour(i: int, theme: Theme) -> DeviceColour:
    tier = i // len(_HUES) % len(_TIER_LIGHTNESS)
    accent = shift_lightness(_HUES[i % len(_HUES)], _TIER_LIGHTNESS[tier])
    if theme.dark:
        accent = shift_lightness(accent, 0.07)
    band = mix(theme.canvas, accent, 0.17 if theme.dark else 0.12)
    soft = mix(theme.panel, accent, 0.42)
    return DeviceColour(accent, band, soft, readable(accent, band, theme), i % GLYPHS)


def readable(colour: str, background: str, theme: Theme, ratio: float = READABLE) -> str:
    """``colour`` moved towards the theme's text colour until its contrast on ``background`` reaches ``ratio``."""
    for step in range(21):
        shifted = mix(colour, theme.text, step / 20)
        if contrast(shifted, background) >= ratio:
            return shifted
    return theme.text


# ---------------------------------------------------------------------- colour arithmetic
def _levels(colour: str) -> tuple[float, float, float]:
    return (int(colour[1:3], 16) / 255, int(colour[3:5], 16) / 255, int(colour[5:7], 16) / 255)


def _hex(levels: tuple[float, float, float]) -> str:
    return "#" + "".join(f"{round(min(max(v, 0.0), 1.0) * 255):02x}" for v in levels)


def linear(colour: str) -> tuple[float, float, float]:
    """``#rrggbb`` as linear light, each channel 0..1."""
    r, g, b = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in _levels(colour))
    return (r, g, b)


def from_linear(light: tuple[float, float, float]) -> str:
    """The inverse of :func:`linear`; channels outside 0..1 are clipped."""
    r, g, b = (
        12.92 * v if v <= 0.0031308 else 1.055 * v ** (1 / 2.4) - 0.055 for v in (max(0.0, x) for x in light)
    )
    return _hex((r, g, b))


def oklab(colour: str) -> tuple[float, float, float]:
    """OKLab coordinates (L 0..1, a, b)."""
    r, g, b = linear(colour)
    l = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) ** (1 / 3)
    m = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) ** (1 / 3)
    s = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b) ** (1 / 3)
    return (
        0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
        1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
        0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s,
    )


def from_oklab(lab: tuple[float, float, float]) -> str:
    """The nearest ``#rrggbb`` (clipped to the gamut channel by channel)."""
    lightness, a, b = lab
    l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    s = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return from_linear((
        4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
        -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
        -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s,
    ))  # fmt: skip


def shift_lightness(colour: str, by: float) -> str:
    """``colour`` with its OKLab lightness moved by ``by``, hue kept, a little less chroma when lighter."""
    if by == 0.0:
        return colour
    lightness, a, b = oklab(colour)
    keep = 1.0 - max(0.0, by) * 1.2
    return from_oklab((min(max(lightness + by, 0.0), 1.0), a * keep, b * keep))


@lru_cache(maxsize=512)
def mix(first: str, second: str, t: float) -> str:
    """A fraction ``t`` of the way from ``first`` to ``second`` in OKLab."""
    a, b = oklab(first), oklab(second)
    return from_oklab((a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t))


def luminance(colour: str) -> float:
    """Relative luminance 0..1."""
    r, g, b = linear(colour)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(first: str, second: str) -> float:
    """Contrast ratio 1..21."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def laid_over(colour: str, ground: str, opacity: float) -> str:
    """What is seen of a colour that is painted with an opacity, in the screen's own levels as Qt and browsers mix."""
    pairs = [(int(colour[i : i + 2], 16), int(ground[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(a * opacity + b * (1 - opacity)):02x}" for a, b in pairs)


@lru_cache(maxsize=512)
def ink_on(ground: str, theme: Theme) -> str:
    """White or black, whichever reads better: one of them always has a contrast of 4.5."""
    return max("#ffffff", "#000000", key=lambda ink: contrast(ink, ground))


# ---------------------------------------------------------------------- applying
def system_theme() -> Theme:
    """The theme that follows the desktop's colour scheme now."""
    hints = QGuiApplication.styleHints()
    return DARK if hints is not None and hints.colorScheme() == Qt.ColorScheme.Dark else LIGHT


def font(size: float = 9.0, *, bold: bool = False, weight: QFont.Weight | None = None) -> QFont:
    """The application's font at ``size`` points with digits of equal width."""
    shown = QFont(QGuiApplication.font())
    shown.setPointSizeF(size)
    shown.setFeature(QFont.Tag("tnum"), 1)
    if weight is not None:
        shown.setWeight(weight)
    else:
        shown.setBold(bold)
    return shown


def palette(theme: Theme) -> QPalette:
    """The theme as a palette, so that standard widgets and dialogs fit in."""
    p = QPalette()
    role, off = QPalette.ColorRole, QPalette.ColorGroup.Disabled
    for key, value in {
        role.Window: theme.window, role.WindowText: theme.text, role.Base: theme.panel, role.Text: theme.text,
        role.AlternateBase: theme.hover, role.Button: theme.panel, role.ButtonText: theme.text,
        role.ToolTipBase: theme.panel, role.ToolTipText: theme.text, role.PlaceholderText: theme.faint,
        role.Highlight: theme.selection, role.HighlightedText: theme.selection_text, role.Link: theme.accent,
        role.LinkVisited: theme.accent, role.Light: theme.panel, role.Midlight: theme.hover,
        role.Mid: theme.border, role.Dark: theme.border, role.Shadow: theme.border, role.BrightText: theme.bad,
        role.Accent: theme.accent,
    }.items():  # fmt: skip
        p.setColor(key, QColor(value))
    for key in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText):
        p.setColor(off, key, QColor(theme.faint))
    p.setColor(off, role.Highlight, QColor(theme.hover))
    return p


def apply(app: QApplication, theme: Theme) -> None:
    """Give the whole application this theme: Fusion style, palette, style sheet, tabular digits."""
    # While there is a style sheet the style is Qt's own around ours: asked for again, it would style every widget once more.
    if not app.styleSheet() and app.style().objectName().lower() != "fusion":
        app.setStyle("fusion")
    app.setPalette(palette(theme))
    app.setFont(font())
    sheet = style_sheet(theme)
    if app.styleSheet() != sheet:
        app.setStyleSheet(sheet)


class ThemeController(QObject):
    """Holds the preference (system, light, dark), applies it, and follows the desktop while it is ``system``."""

    changed = Signal(object)
    """The new :class:`Theme`."""

    def __init__(self, app: QApplication, preference: str = "system", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._app = app
        self._preference = preference if preference in ("system", *THEMES) else "system"
        self.theme = self._wanted()
        apply(app, self.theme)
        app.styleHints().colorSchemeChanged.connect(self._system_changed)

    @property
    def preference(self) -> str:
        """``system``, ``light`` or ``dark``."""
        return self._preference

    def set_preference(self, preference: str) -> None:
        """Change and apply the preference. Raises ValueError for an unknown one."""
        if preference not in ("system", *THEMES):
            raise ValueError(f"there is no theme '{preference}'; choose system, light or dark")
        self._preference = preference
        self._update()

    def _wanted(self) -> Theme:
        return THEMES.get(self._preference) or system_theme()

    def _system_changed(self) -> None:
        if self._preference == "system":
            self._update()

    def _update(self) -> None:
        theme = self._wanted()
        if theme is not self.theme:
            self.theme = theme
            with busy():
                apply(self._app, theme)
                self.changed.emit(theme)
