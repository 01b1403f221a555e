"""How much a graph says on a stage: where letters are larger than usual, it is drawn larger as far as it says no less then."""

from __future__ import annotations

from gui.canvas.graph.headers import lane_extents
from gui.canvas.graph.lanes.header_form import form_of as header_form
from gui.canvas.graph.stages.plate_form import form_of as plate_form
from gui.present.captions import LEAST
from gui.present.scenes import HEADERS, GraphStage, View
from gui.present.transition.looks import detail_of
from gui.present.transition.paint import card_pixels

Told = tuple[int, ...]


def told_on(stage: GraphStage, view: View, room: tuple[float, float], unit: float) -> Told:
    """How much cards, headers of lanes and plates say of a scene that is seen through ``view`` in ``room`` (logical pixels), ``unit`` of
    which are a pixel of 1280 x 800: more is more."""
    scene, headers = stage.scene, stage.headers
    viewport = view.viewport(round(room[0]), round(room[1]), 1.0, stage.left * unit)
    cards = int(detail_of(card_pixels(scene, viewport, unit)))
    if scene.layout.lanes:
        plated = headers is not None and headers.links is not None
        lanes = header_form(
            lane_extents(scene, viewport), scene.ops > 0, plated, HEADERS * unit, LEAST / HEADERS
        )
        return cards, int(lanes.size > 0), lanes.rows
    if scene.layout.stages is not None:
        plates = plate_form(scene, viewport, headers, HEADERS * unit, LEAST * unit)
        return (
            cards,
            int(plates.big > 0),
            int(plates.cost > 0),
            int(plates.small > 0),
            plates.lines,
            -plates.called,
            -plates.brief,
        )
    return (cards,)


def says_no_less(told: Told, usual: Told) -> bool:
    """Whether nothing of what is usually told is left out."""
    return all(now >= before for now, before in zip(told, usual, strict=True))
