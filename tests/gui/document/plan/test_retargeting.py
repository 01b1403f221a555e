"""Ops and pins follow their devices when the machine changes."""

from __future__ import annotations

import numpy as np
import pytest

from gui.document.plan.document import Document
from gui.document.plan.retargeting import carried_over, heirs, namesakes
from gui.document.values import Message
from planner.errors import StageboardError
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.machines.spec import parse_target
from planner.model.graph import Graph, Op, Tensor
from planner.problem.grouping import unkept_classes
from planner.problem.problem import Pin, Problem
from tests.gui.models import chain_graph

NO_GRAPH: Graph = None  # type: ignore[assignment]


def names(document: Document) -> list[str]:
    assert document.problem is not None
    return [document.problem.devices[d].name for d in document.device_of.tolist()]


def heard(document: Document) -> list[Message]:
    messages: list[Message] = []
    document.message.connect(messages.append)
    return messages


def test_namesakes() -> None:
    two = DevicePool(2, 1).devices(NO_GRAPH)
    slots = DevicePool(2, 1, subgraphs=2).devices(NO_GRAPH)
    assert namesakes(two, slots).tolist() == [0, 2, 4]
    assert namesakes(slots, two).tolist() == [0, 0, 1, 1, 2]
    three = DevicePool(2, 1, subgraphs=3).devices(NO_GRAPH)
    assert namesakes(three, slots).tolist() == [0, 1, 1, 2, 3, 3, 4]
    assert namesakes(two, Pipeline(count=2).devices(NO_GRAPH)).tolist() == [-1, -1, -1]


def test_heirs() -> None:
    pool = DevicePool(3, 1).devices(NO_GRAPH)
    assert heirs(pool, DevicePool(4, 1).devices(NO_GRAPH)).tolist() == [0, 1, 2, 4]
    assert heirs(pool, DevicePool(2, 1).devices(NO_GRAPH)).tolist() == [0, 1, 1, 2]
    assert heirs(pool, DevicePool(2, 0).devices(NO_GRAPH)).tolist() == [0, 1, 1, 1]
    assert heirs(pool, Pipeline(count=2).devices(NO_GRAPH)).tolist() == [0, 1, 1, 1]
    assert heirs(Pipeline(count=4).devices(NO_GRAPH), Pipeline(count=2).devices(NO_GRAPH)).tolist() == [
        0,
        1,
        1,
        1,
    ]


def test_fewer_devices_that_cannot_hold_all_of_the_last_ones_get_neighbours_together() -> None:
    graph = Graph.build(
        "line",
        [Op(str(i), f"op {i}", "op", work=1.0, work_cpu=9.0, memory=1.0) for i in range(8)],
        [Tensor(str(i), (str(i + 1),), 1.0, time=0.1) for i in range(7)],
        time_unit=None,
    )
    spread = np.arange(8, dtype=np.int32)
    before = Problem(graph, parse_target("pool:8+1,memory=4", graph))
    after = Problem(graph, parse_target("pool:3+1,memory=4", graph))
    assert carried_over(spread, before, after).tolist() == [0, 0, 0, 1, 1, 2, 2, 2]
    roomy = Problem(graph, parse_target("pool:3+1,memory=8", graph))
    assert carried_over(spread, before, roomy).tolist() == [0, 1, 2, 2, 2, 2, 2, 2], (
        "who has room keeps the names"
    )


def test_ops_and_pins_stay_on_their_accelerator() -> None:
    document = Document()
    document.open_graph(chain_graph(12), target=DevicePool(3, 1))
    document.move(np.arange(4, 8), 1)
    document.move(np.arange(8, 12), 3)
    document.pin(np.array([5]), 1)
    before = names(document)
    document.set_problem(DevicePool(3, 1, subgraphs=2), "latency")
    assert names(document) == [f"{name}.0" if name.startswith("acc") else name for name in before]
    assert document.problem is not None
    assert document.problem.constraints == (Pin("n5", "acc 1.0"),)
    document.set_problem(DevicePool(5, 1), "max-load")
    assert names(document) == before
    assert document.problem.constraints == (Pin("n5", "acc 1"),)
    for _ in range(2):
        document.undo_stack.undo()
    assert names(document) == before


def test_keeping_layers_together_says_what_it_did() -> None:
    document = Document()
    document.open_graph(chain_graph(12), target=DevicePool(3, 1))
    document.set_assignment(np.repeat([0, 1], [6, 6]).astype(np.int32), "edit", "half")
    document.move(np.array([1]), 1)
    assert document.problem is not None
    before, messages = document.problem, heard(document)
    assert document.plan_by("layer")
    assert [m.level for m in messages] == ["info"]
    assert "of several ops now stay on one device; 1 of them is split in this plan" in messages[0].text
    assert not document.plan_by("layer")
    assert messages[1].text == "nothing changed: every layer is one op or cannot be split already"
    document.undo_stack.undo()
    assert document.problem == before


def test_colour_classes_that_a_machine_does_not_keep_are_told_and_can_be_kept() -> None:
    ops = [Op(f"n{i}", f"n{i}", work=1.0, work_cpu=1.0, colour_class=i % 2) for i in range(4)]
    graph = Graph.build("g", ops, [Tensor(f"n{i}", (f"n{i + 1}",), 8.0) for i in range(3)], time_unit="s")
    document = Document()
    messages = heard(document)
    document.open_graph(graph, target=DevicePool(3, 1))
    assert messages == []
    document.set_problem(Pipeline(2))
    assert [m.level for m in messages] == ["warning"]
    assert "2 colour classes are not kept" in messages[0].text and "Colour Classes keeps" in messages[0].text
    document.set_problem(Pipeline(3))  # it was said
    assert len(messages) == 1
    assert document.plan_by("class")
    assert messages[1].text.startswith("2 colour classes of several ops now stay on one device")
    assert document.problem is not None and not unkept_classes(document.problem)
    again = Document()
    messages = heard(again)
    again.open_graph(graph, target=Pipeline(2))
    assert [m.level for m in messages] == ["warning"] and "not kept" in messages[0].text


def test_a_file_without_layers_says_so() -> None:
    ops = [Op(id=f"n{i}", name=f"n{i}", work=1.0) for i in range(4)]
    document = Document()
    document.open_graph(
        Graph.build("flat", ops, [Tensor("n0", ("n1",), 8.0)], time_unit=None), target=DevicePool(3, 1)
    )
    with pytest.raises(StageboardError, match="does not say which layers its ops belong to; select ops"):
        document.plan_by("layer")
