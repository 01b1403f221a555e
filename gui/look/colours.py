"""The colours of the two themes: plain data that needs no application."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Theme:
    """Every colour of the window as ``#rrggbb``. Panels are cards on ``window``; lanes and ops lie on ``canvas``."""

    name: str
    dark: bool
    window: str
    panel: str
    canvas: str
    text: str
    muted: str
    faint: str
    border: str
    track: str
    accent: str
    accent_text: str
    good: str
    warning: str
    bad: str
    good_soft: str
    warning_soft: str
    bad_soft: str
    selection: str
    selection_text: str
    hover: str
    focus: str
    card: str
    card_border: str
    card_disabled: str
    edge: str
    edge_selected: str
    grid: str
    shadow: str
    device_numbers: tuple[int, ...] = ()
    """Which of the colours of devices each device has, where these are not its own: a story's plans share theirs."""

    def numbered(self, device_numbers: tuple[int, ...]) -> Theme:
        """The same with other colours for devices."""
        return self if device_numbers == self.device_numbers else replace(self, device_numbers=device_numbers)

    @property
    def slow(self) -> str:
        """What slows a plan, whichever rules it keeps: its bottleneck, what is off chip, streaming. Red (``bad``) is for what is broken or
        gets worse."""
        return self.warning


LIGHT = Theme(
    name="light", dark=False,
    window="#f4f6f9", panel="#ffffff", canvas="#f7f9fb",
    text="#1b2233", muted="#525c6e", faint="#646f82", border="#dde3ec", track="#e8ecf2",
    accent="#3b6db8", accent_text="#ffffff",
    good="#1f7d58", warning="#9a5b00", bad="#b3261e",
    good_soft="#d7ecdf", warning_soft="#fdeed3", bad_soft="#fbe6e4",
    selection="#e3ecf8", selection_text="#1b2233", hover="#eef3fa", focus="#3b6db8",
    card="#ffffff", card_border="#cbd3df", card_disabled="#f0f2f5",
    edge="#9aa6b8", edge_selected="#1b2233", grid="#e8ecf2", shadow="#1b2233",
)  # fmt: skip

DARK = Theme(
    name="dark", dark=True,
    window="#171b22", panel="#1e232c", canvas="#191d25",
    text="#e6eaf1", muted="#a9b3c4", faint="#8d98aa", border="#313947", track="#2c3441",
    accent="#6b9be0", accent_text="#10151d",
    good="#5cc79a", warning="#e6ab55", bad="#f28b82",
    good_soft="#1f3a30", warning_soft="#40331c", bad_soft="#46262a",
    selection="#2a3950", selection_text="#e6eaf1", hover="#262e3a", focus="#8ab4f0",
    card="#242a35", card_border="#414b5c", card_disabled="#20252e",
    edge="#667289", edge_selected="#f2f5fa", grid="#262d38", shadow="#000000",
)  # fmt: skip

THEMES = {theme.name: theme for theme in (LIGHT, DARK)}
