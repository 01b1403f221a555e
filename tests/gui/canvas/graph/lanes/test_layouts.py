"""Lanes after an undo look as they did before what is undone."""

from __future__ import annotations

import numpy as np
from pytestqt.qtbot import QtBot

from gui.canvas.graph.lanes import layouts
from gui.canvas.graph.lanes.layouts import Layouts
from gui.canvas.graph.view import CanvasView
from gui.document.plan.document import Document
from gui.layout.result import Layout
from gui.look.theme import LIGHT
from planner.formats import read_model
from planner.machines.pipeline.target import Pipeline
from planner.model.samples import sample
from tests.gui.window_parts import shown


def test_rows_are_those_that_a_plan_had(monkeypatch) -> None:
    monkeypatch.setattr(layouts, "MOST_REMEMBERED", 2)
    first, second, third = (object.__new__(Layout) for _ in range(3))
    kept, plans = Layouts(), [np.full(3, d, np.int32) for d in range(4)]
    assert kept.rows_for(plans[0]) is None
    kept.take("lanes", first, plans[0], None)
    kept.take("lanes", second, plans[1], None)
    kept.take("flow", first, plans[3], None)
    assert kept.rows_for(plans[0]) is first and kept.had(plans[0])
    assert kept.rows_for(plans[2]) is second and not kept.had(plans[2]), "those that are there"
    kept.take("lanes", third, plans[2], second)
    assert kept.rows_for(plans[2]) is second and not kept.had(plans[0]), "of so many plans it is known"
    kept.drop_lanes()
    assert kept.rows_for(plans[3]) is None and kept.rows_for(plans[1]) is second
    kept.clear()
    assert kept.rows_for(plans[1]) is None


def test_an_undone_move_leaves_lanes_as_high_as_they_were(qtbot: QtBot) -> None:
    """Also one that took so many ops along that rows were laid out anew."""
    document = Document()
    graph = read_model(sample("resnet50.json"))
    document.open_graph(graph, target=Pipeline(4))
    document.set_assignment(np.arange(graph.n) * 4 // graph.n, "edit", "even")
    canvas = CanvasView(document, LIGHT)

    def seen() -> tuple[object, ...]:
        qtbot.waitUntil(lambda: canvas.scene is not None and not canvas.busy)
        layout, view = canvas.scene.layout, canvas.viewport
        return (
            layout.frame,
            layout.rows,
            layout.lanes,
            tuple(layout.x.tolist()),
            (view.scale, view.ox, view.oy),
        )

    with shown(qtbot, canvas, 700, 500):
        canvas.set_view("lanes")
        before, lower = seen(), 0
        for op, device in ((5, 1), (graph.n // 2, 0), (10, 3)):
            assert document.move([op], device, along=True)
            after = seen()
            lower += after[0] != before[0]
            document.undo_stack.undo()
            assert seen() == before
            document.undo_stack.redo()
            assert seen()[0] == after[0]
            document.undo_stack.undo()
        assert lower, "rows were laid out anew"
        canvas.close_canvas()
