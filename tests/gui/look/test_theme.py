"""Themes: readable text, stage colours that can be told apart, and a controller that applies and follows."""

from __future__ import annotations

import itertools
import math
import re
from importlib import resources

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication

from gui.canvas.graph.palette import canvas_palette, filled_palette, plain_words
from gui.look.style_sheet import style_sheet
from gui.look.theme import (
    DARK,
    DIMMED,
    GLYPHS,
    LIGHT,
    READABLE,
    Theme,
    ThemeController,
    contrast,
    device_colours,
    from_linear,
    from_oklab,
    laid_over,
    linear,
    mix,
    oklab,
    palette,
)

BOTH = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda t: t.name)

# Dichromacy as linear maps of linear RGB (Machado, Oliveira and Fernandes, 2009, severity 1).
BLINDNESS = {
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


def seen(colour: str, matrix: tuple[tuple[float, ...], ...]) -> str:
    light = linear(colour)
    r, g, b = (sum(a * x for a, x in zip(row, light, strict=True)) for row in matrix)
    return from_linear((r, g, b))


def distance(a: str, b: str) -> float:
    return math.dist(oklab(a), oklab(b))


@BOTH
def test_text_is_readable(theme: Theme) -> None:
    for ground in (theme.panel, theme.window, theme.canvas, theme.card, theme.selection, theme.hover):
        assert contrast(theme.text, ground) >= 7
    for colour in (theme.muted, theme.good, theme.bad, theme.warning, theme.accent):
        assert contrast(colour, theme.panel) >= 4.5
    assert contrast(theme.accent_text, theme.accent) >= 4.5
    for text, ground in (
        (theme.text, theme.warning_soft),
        (theme.text, theme.bad_soft),
        (theme.text, theme.good_soft),
    ):
        assert contrast(text, ground) >= 4.5


@BOTH
def test_36_devices_can_be_told_apart(theme: Theme) -> None:
    colours = device_colours(36, theme)
    assert len({c.accent for c in colours}) == 36
    # Where two hues are close the glyph differs.
    for a, b in itertools.combinations(colours, 2):
        assert distance(a.accent, b.accent) > 0.05 or a.glyph != b.glyph
    assert {c.glyph for c in colours} == set(range(GLYPHS))
    for c in colours:
        assert contrast(c.ink, c.band) >= 4.5
        assert contrast(theme.text, c.band) >= 7


@BOTH
@pytest.mark.parametrize("kind", list(BLINDNESS))
def test_stages_differ_for_the_colour_blind(theme: Theme, kind: str) -> None:
    colours = [seen(c.accent, BLINDNESS[kind]) for c in device_colours(36, theme)]
    for a, b in itertools.pairwise(colours):
        assert distance(a, b) > 0.05
    for a, b in itertools.combinations(colours[:6], 2):
        assert distance(a, b) > 0.04


@BOTH
def test_no_device_looks_like_a_broken_rule(theme: Theme) -> None:
    """Red is for what is broken alone; its sign needs no hue (:mod:`gui.canvas.graph.rules.signs`)."""
    for colour in device_colours(36, theme):
        assert distance(colour.accent, theme.bad) > 0.08, colour


def test_more_devices_than_colours() -> None:
    assert len(device_colours(1024, LIGHT)) == 1024
    assert device_colours(0, LIGHT) == ()


@given(st.integers(0, 0xFFFFFF))
def test_oklab_round_trip(value: int) -> None:
    colour = f"#{value:06x}"
    assert from_oklab(oklab(colour)) == colour
    assert from_linear(linear(colour)) == colour


@given(st.integers(0, 0xFFFFFF), st.integers(0, 0xFFFFFF))
def test_mixing_ends_at_its_ends(a: int, b: int) -> None:
    first, second = f"#{a:06x}", f"#{b:06x}"
    assert mix(first, second, 0.0) == first
    assert mix(first, second, 1.0) == second


@BOTH
def test_palette_has_the_theme(theme: Theme, qapp: QApplication) -> None:
    p = palette(theme)
    assert p.color(QPalette.ColorRole.Window).name() == theme.window
    assert p.color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Text).name() == theme.faint


def test_controller_applies_and_follows(qapp: QApplication) -> None:
    controller = ThemeController(qapp, "light")
    heard: list[Theme] = []
    controller.changed.connect(heard.append)
    assert controller.theme is LIGHT
    controller.set_preference("dark")
    assert heard == [DARK]
    assert qapp.palette().color(QPalette.ColorRole.Window).name() == DARK.window
    assert DARK.panel in qapp.styleSheet()
    controller.set_preference("dark")
    assert heard == [DARK]
    with pytest.raises(ValueError, match="choose system, light or dark"):
        controller.set_preference("pink")
    controller.set_preference("system")
    assert controller.preference == "system"
    # The desktop's scheme is unknown offscreen: light then.
    assert controller.theme is LIGHT
    controller.deleteLater()
    QCoreApplication.processEvents()


def test_unknown_preference_is_the_system(qapp: QApplication) -> None:
    controller = ThemeController(qapp, "sepia")
    assert controller.preference == "system"
    controller.deleteLater()
    QCoreApplication.processEvents()


# ------------------------------------------------------------------------------------------------ words on grounds
WORDS = ("text", "muted", "faint", "accent", "good", "warning", "bad")
"""The colours in which the window writes; ``faint`` is what cannot be chosen, and what fields say until one types."""
GROUNDS = ("window", "panel", "canvas", "card", "hover", "card_disabled")


@BOTH
def test_every_colour_of_words_is_readable_on_every_ground(theme: Theme) -> None:
    for word, ground in itertools.product(WORDS, GROUNDS):
        assert contrast(getattr(theme, word), getattr(theme, ground)) >= READABLE, (word, ground)
    for word in ("text", "muted"):
        for ground in ("selection", "good_soft", "warning_soft", "bad_soft", "track"):
            assert contrast(getattr(theme, word), getattr(theme, ground)) >= READABLE, (word, ground)
    assert contrast(theme.selection_text, theme.selection) >= READABLE
    # Told apart by more than their place all the same.
    assert contrast(theme.text, theme.panel) > 1.2 * contrast(theme.muted, theme.panel)
    assert contrast(theme.muted, theme.panel) > 1.2 * contrast(theme.faint, theme.panel)


@BOTH
def test_placeholders_and_what_cannot_be_chosen_are_readable(theme: Theme) -> None:
    shown = palette(theme)
    role, off = QPalette.ColorRole, QPalette.ColorGroup.Disabled
    for group, words, ground in (
        (QPalette.ColorGroup.Active, role.PlaceholderText, role.Base),
        (off, role.Text, role.Base),
        (off, role.WindowText, role.Window),
        (off, role.ButtonText, role.Button),
    ):
        assert contrast(shown.color(group, words).name(), shown.color(group, ground).name()) >= READABLE


@BOTH
def test_dimmed_words_are_readable(theme: Theme) -> None:
    for ground in (theme.card, theme.canvas):
        assert contrast(laid_over(theme.text, ground, DIMMED), ground) >= READABLE
    assert contrast(laid_over(theme.muted, theme.card, DIMMED), theme.card) < READABLE, (
        "so quieter ones are not dimmed"
    )


@BOTH
def test_words_on_near_cards_are_readable(theme: Theme) -> None:
    models, devices = np.repeat(np.arange(4), 36), np.tile(np.arange(36), 4)
    for pale in (canvas_palette(theme, 36), filled_palette(theme, 36)):
        plain = plain_words(pale)
        for model, body in zip(models, pale.bodies_of(devices, models), strict=True):
            ground = f"#{int(body) & 0xFFFFFF:06x}"
            assert contrast(theme.text, ground) >= READABLE
            assert contrast(pale.small_ink(models[models == model]), ground) >= READABLE
            assert plain.small_ink(models) == theme.text
    for device in device_colours(36, theme):
        assert contrast(theme.muted, device.band) >= READABLE


def test_the_page_that_plays_stories_dims_words_as_the_window_does() -> None:
    player = resources.files("gui.present.html").joinpath("player/scene.js").read_text("utf-8")
    found = re.search(r"QUIET_WORDS = ([\d.]+)", player)
    assert found is not None and float(found[1]) == DIMMED


def test_red_is_for_what_is_broken_and_amber_for_what_slows() -> None:
    """One colour for a bottleneck and for what is off chip, in cards, comparisons, schedules and counts of TPUs."""
    for theme in (LIGHT, DARK):
        assert theme.slow == theme.warning != theme.bad


def test_another_theme_is_taken_on_under_a_waiting_cursor(qapp: QApplication) -> None:
    themes = ThemeController(qapp, "light")
    seen: list[Qt.CursorShape] = []
    themes.changed.connect(lambda _: seen.append(qapp.overrideCursor().shape()))
    themes.set_preference("dark")
    assert seen == [Qt.CursorShape.WaitCursor] and qapp.overrideCursor() is None
    themes.set_preference("light")


def test_another_theme_styles_widgets_once(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    themes = ThemeController(qapp, "light")
    asked: list[object] = []
    monkeypatch.setattr(QApplication, "setStyle", lambda *given: asked.append(given))
    try:
        for name in ("dark", "light"):
            themes.set_preference(name)
            assert qapp.styleSheet() == style_sheet(themes.theme)
        assert not asked, "the style stays: to set it would style every widget a second time"
    finally:
        themes.deleteLater()
