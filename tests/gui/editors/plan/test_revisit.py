"""Back from a keyframe to the canvas, also where that is laid out beside the window."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gui.canvas.graph import layout_worker
from gui.canvas.graph.view import CanvasView
from gui.editors.plan.revisit import revisit_graph
from gui.editors.plan.story_colours import StoryColours
from gui.look.theme import LIGHT
from gui.tools.story.draft import Draft
from gui.tools.story.recorder import Recorder
from gui.tools.story.shots import GraphShots, camera_of
from tests.gui.window_parts import opened, shown


@pytest.mark.parametrize("at_once", [2000, 0])
def test_a_camera_looks_at_the_scene_as_it_was_folded(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(layout_worker, "AT_ONCE_UP_TO", at_once)
    document = opened(n=36)
    canvas, colours = CanvasView(document, LIGHT), StoryColours(document)

    def rest() -> None:
        qtbot.waitUntil(lambda: canvas.scene is not None and not canvas.busy)

    with shown(qtbot, canvas, 700, 500):
        rest()
        recorder = Recorder(GraphShots(document, canvas), Draft())
        canvas.zoom_by(1.045)  # but for a sliver all of it is in sight: that is no part
        assert not canvas.viewport.shows(canvas.scene.layout.bounds) and camera_of(canvas) is None
        canvas.fit()
        document.fold_all()
        rest()
        canvas.zoom_to_ops(np.arange(3, 9, dtype=np.int32))
        near = recorder.capture()
        canvas.fit()
        document.unfold_all()
        canvas.set_view("lanes")
        rest()
        whole = recorder.capture()
        assert near.keyframe.camera is not None and whole.keyframe.camera is None
        revisit_graph(document, canvas, colours, near, ())
        rest()
        assert canvas.view == "flow" and canvas.scene is not None and canvas.scene.items.count == 12
        seen, camera = camera_of(canvas), near.keyframe.camera
        assert seen is not None
        assert (seen.x, seen.y) == pytest.approx((camera.x, camera.y), abs=0.02)
        revisit_graph(document, canvas, colours, whole, ())
        rest()
        assert canvas.scene.items.count == 36 and camera_of(canvas) is None
        canvas.close_canvas()
