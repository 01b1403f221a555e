"""What draws before kernels are compiled: the same picture, but for its finish."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from gui.canvas.stand_in import StandIn
from gui.raster import engine
from gui.raster.arguments import Image

BOX = (np.array([10.0, 60.0]), np.array([10.0, 40.0]), np.array([30.0, 30.0]), np.array([16.0, 16.0]))
PLACE = (1.0, 0.0, 0.0)
SRC, DST = np.array([0], np.int32), np.array([1], np.int32)
RED, BLUE, CLEAR = 0xFFCC2020, 0xFF2040CC, 0x8020CC40


@pytest.fixture
def stand_in() -> Iterator[None]:
    engine.draw_by(StandIn())
    yield
    engine.draw_by(engine.COMPILED)


def canvas() -> Image:
    return engine.new_image(120, 80, 0xFFFFFFFF)


def cards(img: Image) -> None:
    engine.rounded_rects(
        img, None, *BOX, *PLACE, fill=RED, stroke=BLUE, stroke_px=2.0, accent=BLUE, accent_px=5.0
    )


def chosen_cards(img: Image) -> None:
    engine.rounded_rects(
        img, (0, 0, 80, 80), *BOX, *PLACE, fill=[RED, CLEAR], radius_px=0.0, order=[1, 0], visible=[False, True], snap=True
    )  # fmt: skip


def rings(img: Image) -> None:
    engine.rounded_rects(img, None, *BOX, *PLACE, fill=0, stroke=BLUE, stroke_px=1.0, radius_px=2.0)


def edges(img: Image) -> None:
    engine.edges_between(img, None, *BOX, SRC, DST, *PLACE, colour=BLUE, width_px=3.0, arrow_px=6.0)


def tails(img: Image) -> None:
    engine.stubs(img, None, *BOX, SRC, DST, *PLACE, colour=BLUE, width_px=4.0, length_px=8.0)


def dashes(img: Image) -> None:
    curve = engine.s_curves(10.0, 10.0, 100.0, 60.0, 40.0)
    engine.curves(img, None, curve, *PLACE, colour=RED, width_px=3.0, dash_px=(8.0, 4.0))


def routes(img: Image) -> None:
    ptr, px, py = np.array([0, 3], np.int32), np.array([10.0, 80.0, 80.0]), np.array([10.0, 10.0, 70.0])
    engine.routes(img, None, ptr, px, py, *PLACE, colour=RED, width_px=4.0, radius=2.0)


def fills(img: Image) -> None:
    engine.fill(img, (10, 10, 60, 50), CLEAR)
    engine.fill(img, (0, 0, 5, 5), CLEAR, replace=True)


def layers(img: Image) -> None:
    layer = engine.new_image(60, 40)
    engine.fill(layer, None, RED)
    engine.compose(img, layer, dx=20, dy=10, opacity=0.5)
    engine.blit(img, layer, (0, 0, 30, 30), dx=-5, dy=-5)
    engine.blit(img, img, dx=3, dy=2)


PARTS: list[Callable[[Image], None]] = [
    cards,
    chosen_cards,
    rings,
    edges,
    tails,
    dashes,
    routes,
    fills,
    layers,
]


@pytest.mark.parametrize("draw", PARTS, ids=lambda draw: draw.__name__)
def test_it_draws_the_same_but_for_the_finish(draw: Callable[[Image], None], stand_in: None) -> None:
    by_qt, compiled = canvas(), canvas()
    draw(by_qt)
    engine.draw_by(engine.COMPILED)
    draw(compiled)
    assert (compiled != canvas()).any()
    apart = (
        np.abs(by_qt.view(np.uint8).astype(int) - compiled.view(np.uint8).astype(int))
        .reshape(80, 120, 4)
        .max(2)
    )
    drawn = (compiled != canvas()) | (by_qt != canvas())
    assert np.count_nonzero(apart > 60) <= 0.35 * np.count_nonzero(drawn)
    # Fading ends of some pixels are finish alone.
    assert np.count_nonzero(apart > 8) <= (0.9 if draw is tails else 0.6) * np.count_nonzero(drawn)


def test_a_hollow_card_shows_what_it_lies_on(stand_in: None) -> None:
    img = canvas()
    rings(img)
    assert img[18, 25] == canvas()[18, 25] and img[10, 25] != canvas()[10, 25]


def test_nothing_outside_the_clip_is_touched(stand_in: None) -> None:
    img = canvas()
    engine.rounded_rects(img, (20, 0, 40, 80), *BOX, *PLACE, fill=RED)
    engine.edges_between(img, (20, 0, 40, 80), *BOX, SRC, DST, *PLACE, colour=BLUE)
    untouched = canvas()
    assert (img[:, :20] == untouched[:, :20]).all() and (img[:, 40:] == untouched[:, 40:]).all()
    assert (img[:, 20:40] != untouched[:, 20:40]).any()


def test_items_without_a_place_are_left_out(stand_in: None) -> None:
    img, nowhere = canvas(), np.array([np.nan])
    engine.routes(
        img,
        None,
        np.array([0, 2], np.int32),
        np.array([np.nan, 3.0]),
        np.array([1.0, 2.0]),
        *PLACE,
        colour=RED,
    )
    engine.rounded_rects(img, None, nowhere, nowhere, np.array([3.0]), np.array([3.0]), *PLACE, fill=RED)
    engine.edges_between(img, None, *BOX, np.array([7], np.int32), DST, *PLACE, colour=RED)
    assert (img == canvas()).all()
