"""What devices hold is written once, on the canvas as in panels."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gui.canvas.graph.header_data import HeaderData
from gui.canvas.graph.picture.picture import compose
from gui.canvas.graph.tooltip import header_tooltip
from gui.document.plan.document import Document
from gui.editors.plan.panels.cache_load import CacheLoad
from gui.look.numbers import Column
from gui.look.page import SHEET
from gui.look.theme import LIGHT
from gui.panels.inspector_pages import device_page
from gui.words.held import Held, held_of
from planner.quantity import bytes_text
from tests.gui.window_parts import opened_on_tpus

KIB, MIB = 2.0**10, 2.0**20


def header_of(document: Document) -> HeaderData:
    """What the lanes of a document say."""
    found = compose(document.open_problem, document.device_of, SHEET, "lanes").headers
    assert found is not None
    return found


def test_an_amount_has_the_unit_of_its_cache_or_of_the_figure_beside_it() -> None:
    memory = np.array([11.66 * MIB, 900 * KIB])
    held = Held(memory, np.full(2, 8 * MIB), np.full(2, np.inf))
    assert [held.share(d) for d in (0, 1)] == ["11.66 MiB of 8.00 MiB", "0.88 MiB of 8.00 MiB"]
    beside = held._replace(beside=Column(KIB, "KiB", 1))
    assert beside.share(1) == "900.0 KiB of 8.00 MiB"
    limited = Held(memory, np.full(2, np.inf), np.full(2, 16 * MIB))
    assert limited.share(1) == "900.0 KiB of 16.00 MiB"
    free = limited._replace(capacity=np.full(2, np.inf))
    assert free.share(1) == "0.88 MiB" and not free.limit(1)


@pytest.mark.parametrize("objective", ["memory-1-2-3", "stage-time", "inference-time"])
@pytest.mark.parametrize("cache", [2.0**19, 2.0**21, 2.0**23])
def test_a_stage_holds_the_same_on_the_canvas_and_in_the_inspector(
    qtbot: QtBot, objective: str, cache: float
) -> None:
    document = opened_on_tpus(objective, cache)
    problem, e = document.open_problem, document.evaluation
    data = header_of(document)
    for d in range(len(problem.devices)):
        share = held_of(problem, e).share(d)
        assert share.endswith(f" of {bytes_text(cache)}")
        pushed, needs = (float(e.details[name][d]) for name in ("pushed", "scratch"))
        hatched = " (hatched: streamed)" if e.memory[d] > cache or pushed else ""
        assert f"parameters{hatched}&nbsp;&nbsp;</td><td align='right'>{share}<" in (header_tooltip(data, d))
        page = device_page(document, d, LIGHT).replace("\N{NO-BREAK SPACE}", " ")
        used, _, limit = share.partition(" of ")
        assert f"{used} <span class='m'>of {limit}</span>" in page and ">Parameters&nbsp;" in page
        assert "Memory" not in page
        around = held_of(problem, e).around(d, pushed, needs)
        card = CacheLoad(float(e.memory[d]), cache, cache, pushed=pushed, needs=needs).text(data.column)
        for name, amount in around:
            assert f"{name.lower()}&nbsp;&nbsp;</td><td align='right'>{amount}<" in header_tooltip(data, d)
            assert f"{name}&nbsp;&nbsp;</td><td align='right' style='white-space: nowrap'>{amount}<" in page
            assert amount in card or amount == data.held.column(d).text(0.0)
        assert [name for name, _ in around[:2]] == ["On chip", "Off chip"]
        assert (len(around) > 2) == (pushed > 0 or needs > 0)
        entering = bytes_text(float(e.details["bytes_in"][d]))
        assert (
            f"Enters from stages&nbsp;&nbsp;</td><td align='right' style='white-space: nowrap'>{entering}<"
            in page
        )
    document.deleteLater()
