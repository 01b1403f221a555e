"""Edges along which nothing is sent: their ends are on two devices, and the reader's has a copy."""

from __future__ import annotations

import numpy as np
import pytest

from gui.canvas.graph.detail import Detail
from gui.canvas.graph.items import items_of
from gui.canvas.graph.lanes.transfers import unsent_edges
from gui.canvas.graph.painter import edge_style
from gui.canvas.graph.palette import canvas_palette, packed
from gui.canvas.graph.scene import scene_of
from gui.canvas.graph.tooltip import op_words
from gui.document.plan.document import Document
from gui.look.theme import LIGHT
from gui.words.machines import conditions_words, picture_title
from planner.machines.mcm.target import McmPackage
from planner.model.graph import Graph, Op, Tensor
from planner.model.groups import by_layer
from planner.problem.problem import Problem


def masked() -> Graph:
    """A mask that all four ops of a row read."""
    row = ("a", "b", "c", "d")
    ops = [Op(name, name, "Conv", work=1e-3, work_cpu=1e-2) for name in ("mask", *row)]
    tensors = [Tensor("mask", row, 4096.0)]
    tensors += [Tensor(one, row[i + 1 : i + 2], 1024.0) for i, one in enumerate(row)]
    return Graph.build("masked", ops, tensors, time_unit="s")


@pytest.mark.parametrize("most", [0, 3, 4])
def test_copied_ops_send_nothing(most: int) -> None:
    problem = Problem(masked(), McmPackage(2, copy_sources=most))
    copied = most == 3
    device_of = np.array([0, 0, 0, 1, 1], np.int32)
    items = items_of(problem.graph, by_layer(problem.graph), frozenset())
    scene = scene_of(items, "flow", device_of, 2, (800.0, 400.0), evaluator=problem.evaluator)
    from_mask = items.edge_src == 0
    assert np.array_equal(scene.unsent, from_mask & copied)
    assert not unsent_edges(items, None).any()
    colour, width, opacity = edge_style(scene, canvas_palette(LIGHT, 2), Detail.LABELS, 1.0)
    away = device_of[items.edge_src] != device_of[items.edge_dst]
    quiet = colour == packed(LIGHT.edge)
    assert np.array_equal(~quiet, away & ~scene.unsent)
    assert len({*width[quiet], *opacity[quiet]}) == 2, "none of them stands out"
    assert problem.evaluator.copied.tolist() == [copied, *[False] * 4]
    assert conditions_words(problem) == ("mask copied" if copied else "")
    assert picture_title(problem).endswith("2 chips, mask copied" if copied else "2 chips")


def test_tips_say_that_an_op_is_copied() -> None:
    document = Document()
    document.open_graph(masked(), target=McmPackage(2, copy_sources=3))
    items = items_of(document.problem.graph, by_layer(document.problem.graph), frozenset())
    said = [
        ("copied", "on every chip that reads it") in op_words(document, items, item)[2] for item in (0, 1)
    ]
    assert said == [True, False]
