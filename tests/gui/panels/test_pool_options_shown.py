"""What the window says of stages on several devices, and of slots that share an accelerator."""

from __future__ import annotations

import numpy as np
from pytestqt.qtbot import QtBot

from gui.document.plan.document import Document
from gui.editors.plan.panels.devices import DevicesPanel
from gui.look.theme import LIGHT
from gui.panels.inspector_pages import device_page
from gui.panels.readout_figures import memory_tip
from gui.panels.readouts import ReadoutStrip
from planner.machines.pool.target import DevicePool
from planner.quantity import bytes_text
from tests.gui.models import chain_graph
from tests.gui.window_parts import shown


def test_copies_of_a_stage(qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(chain_graph(12), target=DevicePool(4, 0, replication=True))
    document.set_assignment(np.arange(12) // 3, "edit", "spread")
    document.move(np.arange(12), 0)
    panel = DevicesPanel(document, LIGHT)
    with shown(qtbot, panel):
        details = [card.state.detail for card in panel.cards if card.state is not None]
        assert details[0].endswith("×4")
        assert details[1:] == ["a copy of Accelerator 0"] * 3
        assert len({card.state.cost for card in panel.cards if card.state is not None}) == 1
    assert "4 devices share its samples" in device_page(document, 0, LIGHT)
    assert "Copy of" in device_page(document, 1, LIGHT)
    document.undo_stack.undo()
    assert "Copies" not in device_page(document, 0, LIGHT)


def test_slots_show_the_memory_of_their_accelerator_which_counts_once(qtbot: QtBot) -> None:
    document = Document()
    graph = chain_graph(12)
    document.open_graph(graph, target=DevicePool(2, 1, memory=1e12))
    document.set_problem(DevicePool(2, 1, memory=1e12, subgraphs=2), "latency")
    document.move(np.arange(6), 0)
    document.move(np.arange(6, 12), 1)
    evaluation = document.evaluation
    assert evaluation.valid
    assert evaluation.memory[0] == evaluation.memory[1] == graph.memory.sum()
    strip = ReadoutStrip(document, LIGHT)
    with shown(qtbot, strip):
        assert strip.memory.accessibleName().startswith("Memory (fullest, acc 0.0)")
    told = memory_tip(document.open_problem, evaluation)
    assert f"{bytes_text(float(graph.memory.sum()))} on all devices together" in told
