"""The readout strip while ops are dragged: what a drop would do, and every figure in its place."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gui.canvas.graph.consequence import refusal, refusals
from gui.document.plan.document import Document
from gui.look.theme import LIGHT
from gui.panels.readout_figures import dragged_component
from gui.panels.readouts import ReadoutStrip
from planner.formats import read_model
from planner.machines.pipeline.target import Pipeline
from planner.model.samples import sample
from tests.gui.window_parts import opened, opened_on_tpus, settle, shown


def test_a_drag_is_read_out(qtbot: QtBot) -> None:
    document = opened()
    strip = ReadoutStrip(document, LIGHT)
    with shown(qtbot, strip, 1280, 66):
        document.begin_preview([3])
        document.update_preview(1)
        settle()
        assert strip.objective.note.startswith("→ ")
        document.end_preview()
        settle()
        assert not strip.objective.note.startswith("→ ")


def test_a_drag_is_read_out_component_by_component(qtbot: QtBot) -> None:
    document = opened_on_tpus()
    strip = ReadoutStrip(document, LIGHT)
    with shown(qtbot, strip, 1280, 66):
        document.begin_preview([3])
        document.update_preview(1)
        settle()
        assert strip.components[0].note == "→ 3.00 MiB  −1.00 MiB"
        assert strip.components[1].note == "→ 1.00 MiB  −1.00 MiB"
        document.end_preview()
        settle()
        assert not any(part.note.startswith("→") for part in strip.components)


def test_over_a_forbidden_stage_the_price_is_that_of_what_a_drop_offers_first(qtbot: QtBot) -> None:
    document = opened()
    strip = ReadoutStrip(document, LIGHT)
    with shown(qtbot, strip, 1280, 66):
        preview = document.begin_preview([3])
        assert preview is not None
        target = int(np.flatnonzero(~preview.legal)[0])
        document.update_preview(target)
        settle()
        along = preview.along_change
        assert along is not None
        assert strip.objective.note == f"→ {along.text}, {len(preview.along)} along"
        preview.along_change = None
        strip.refresh()
        assert strip.objective.note == f"→ {refusal(preview, target)}" == f"→ {refusals(preview)[target]}"
        document.end_preview()
    document = opened_on_tpus()
    strip = ReadoutStrip(document, LIGHT)
    with shown(qtbot, strip, 1280, 66):
        preview = document.begin_preview([0])
        assert preview is not None
        target = int(np.flatnonzero(~preview.legal)[0])
        document.update_preview(target)
        settle()
        along = preview.along_change
        assert along is not None
        assert strip.components[0].note == f"→ {along.brief}, {len(preview.along)} along"
        one = document.open_problem.standing(document.evaluation.values, ()).components[0]
        told = dragged_component(document.open_problem, preview, 0, one, LIGHT)
        assert told is not None and along.what
        figure = along.brief.removeprefix(along.what).strip()
        assert told[2] == (f"→ {along.brief}", f"→ {figure}"), "what is cut is never the figure"
        assert not strip.components[1].note.startswith("→")
        document.end_preview()


@pytest.mark.parametrize("width", [1280, 1920])
@pytest.mark.parametrize("lands", [True, False])
def test_figures_stay_in_place_while_ops_are_dragged(qtbot: QtBot, width: int, lands: bool) -> None:
    document = Document()
    document.open_graph(read_model(sample("unet.onnx")), target=Pipeline(3))
    strip = ReadoutStrip(document, LIGHT)

    def places() -> list[tuple[int, int]]:
        settle()
        return [(w.x(), w.width()) for w in (*strip._scalar, strip.gap_bar, strip.rules, strip.memory)]

    with shown(qtbot, strip, width, 66):
        before, note = places(), strip.objective.note
        assert strip.times.isVisible()
        for op in range(document.open_problem.graph.n):
            preview = document.begin_preview([op])
            assert preview is not None
            legal = preview.legal == lands
            legal[preview.origins] = False
            if legal.any():
                break
            document.end_preview()
        target = int(np.flatnonzero(legal)[0])
        document.update_preview(target)
        assert places() == before
        said = strip.objective._note
        assert strip.objective.note.startswith("→ ") and said.shown_text().startswith("→ ")
        assert "…" not in said.shown_text() and not strip.times.isVisible()
        document.end_preview()
        assert places() == before and strip.objective.note == note
        assert strip.times.isVisible()
        assert 0 <= strip.times.x() - strip.objective._note.geometry().right() <= 12, (
            "no hole before the link"
        )
        # What had no room at all took some, and gives it back.
        strip.objective.hold_width(True)
        strip.objective.show_value("Objective", "W" * 16, "")
        settle()
        assert strip.objective.width() > before[0][1]
        strip.refresh()
        assert places() == before
