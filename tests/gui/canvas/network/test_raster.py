"""Pixels of the matrix view: moving through time gives the same picture as painting it anew, and no connection vanishes."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gui.canvas.network.colours import LINEAR_LEVELS, STEPS, ink_of, layer_colour, step_of, time_colours
from gui.canvas.network.layout import first_use
from gui.canvas.network.lens import Lens, Shown
from gui.canvas.network.matrix import MatrixPicture
from gui.canvas.network.raster import gamma_table, spans
from gui.look.theme import DARK, LIGHT, Theme, contrast, linear, oklab
from tests.gui.editors.network.models import layered_network, shuffled_order


def shown_of(theme: Theme = LIGHT, sizes: tuple[int, ...] = (6, 8, 8, 3)) -> Shown:
    network = layered_network(sizes)
    order = shuffled_order(network)
    when = np.argsort(order).astype(np.int32)
    return Shown(network, order, when, first_use(network, order), True, ink_of(theme))


@settings(max_examples=25)
@given(
    st.lists(st.integers(0, 91), min_size=1, max_size=6), st.sampled_from([0.4, 1.0, 7.0]), st.integers(-80, 20),
)  # fmt: skip
def test_moving_through_time_is_painting_anew(moments: list[int], zoom: float, pan: int) -> None:
    shown = shown_of()
    picture = MatrixPicture(shown, (160.0, 100.0))
    lens = Lens(ratio=1.0)
    lens.resize(160, 100)
    lens.whole()
    lens.scale, lens.ox = zoom, float(pan)
    moments = [min(m, len(shown.order)) for m in moments]
    moved = np.zeros((100, 160), np.uint32)
    picture.paint(moved, lens, moments[0])
    for before, after in itertools.pairwise(moments):
        picture.advance(moved, lens, before, after)
    anew = np.zeros_like(moved)
    MatrixPicture(shown, (160.0, 100.0)).paint(anew, lens, moments[-1])
    assert np.array_equal(moved, anew)


def test_every_connection_is_seen_however_small_the_picture() -> None:
    shown = shown_of(sizes=(60, 80, 40))
    for size in ((400, 300), (90, 70)):
        picture = MatrixPicture(shown, (float(size[0]), float(size[1])))
        lens = Lens()
        lens.resize(*size)
        lens.whole()
        image = np.zeros((size[1], size[0]), np.uint32)
        picture.paint(image, lens, len(shown.order))
        assert picture._counts[:, :, 0].sum() >= len(shown.order)
        ground = int("ff" + shown.ink.ground[1:], 16)
        full = picture._counts[:, :, 0] > 0
        assert (image[full] != ground).all()


def test_the_pointer_finds_each_connection_and_its_ends() -> None:
    shown = shown_of()
    picture = MatrixPicture(shown, (600.0, 400.0))
    lens = Lens()
    lens.resize(600, 400)
    lens.whole()
    arranged, network = picture.layout.arranged, shown.network
    panels = picture.layout.panel_of(network.source, network.target)
    for connection in range(0, network.connection_count, 7):
        panel = picture.layout.panels[panels[connection]]
        w, h = panel.cell
        row, column = arranged.place[network.source[connection]], arranged.place[network.target[connection]]
        hit = picture.hit(lens, panel.x + (column + 0.5) * w, panel.y + (row + 0.5) * h)
        assert connection in hit.connections.tolist()
        beside = picture.hit(lens, panel.x - 4.0, panel.y + (row + 0.5) * h)
        assert beside.neuron == network.source[connection]
        below = picture.hit(lens, panel.x + (column + 0.5) * w, panel.y + panel.h + 5.0)
        assert below.neuron == network.target[connection]
    assert not picture.hit(lens, 1.0, 1.0)


def test_a_pixel_of_many_cells_names_all_its_connections() -> None:
    shown = shown_of(sizes=(60, 80, 40))
    picture = MatrixPicture(shown, (90.0, 60.0))
    lens = Lens()
    lens.resize(90, 60)
    lens.whole()
    panel = picture.layout.panels[0]
    found = set()
    for y in range(int(panel.y), int(panel.y + panel.h) + 1):
        for x in range(int(panel.x), int(panel.x + panel.w) + 1):
            found.update(picture.hit(lens, x + 0.5, y + 0.5).connections.tolist())
    layers = shown.network.layer[shown.network.source]
    missing = set(np.flatnonzero(layers == 0).tolist()) - found
    # The outermost half pixels are outside the panel.
    assert len(missing) <= 0.1 * panel.connections


def test_the_colours_of_time_are_even_and_keep_their_order() -> None:
    for theme in (LIGHT, DARK):
        colours = time_colours(theme)
        assert len(colours) == STEPS
        labs = np.array([oklab(c) for c in colours])
        apart = np.linalg.norm(labs[8::8] - labs[:-8:8], axis=1)
        assert apart.max() < 1.4 * apart.min()
        assert (np.diff(labs[::8, 0]) > 0).all(), "lightness rises, whatever the colour vision"
        assert min(contrast(c, theme.canvas) for c in colours) > 1.9
    assert step_of(0, 100) == 0
    assert step_of(99, 100) == STEPS - 1
    assert step_of(0, 1) == 0


def test_neighbouring_layers_differ() -> None:
    for theme in (LIGHT, DARK):
        for layer in range(12):
            first, second = (np.array(oklab(layer_colour(i, theme))) for i in (layer, layer + 1))
            assert np.linalg.norm(first - second) > 0.05


def test_the_gamma_table_inverts_linear_light() -> None:
    table = gamma_table()
    for colour in ("#000000", "#808080", "#ffffff", "#3b6db8"):
        for level, channel in zip(linear(colour), (colour[1:3], colour[3:5], colour[5:7]), strict=True):
            assert abs(int(table[round(level * LINEAR_LEVELS)]) - int(channel, 16)) <= 1


def test_cells_part_their_pixels_and_none_is_too_small() -> None:
    for size in (0.3, 1.0, 2.7, 12.5):
        found = spans(3.2, size, 40, 0, 1000, 1)
        assert (found[:, 1] > found[:, 0]).all()
        if size >= 1:
            assert (found[1:, 0] >= found[:-1, 1]).all(), "no pixel belongs to two"
        assert (np.diff(spans(3.2, size, 40, 0, 1000, 2)) >= 2).all()
    clipped = spans(-1e15, 1.0, 4, 0, 10, 1)
    assert (clipped[:, 0] >= clipped[:, 1]).all(), "far outside nothing is drawn"
