"""The room of the readout strip: nothing overlaps, words get shorter rather than cut, figures are whole."""

from __future__ import annotations

import dataclasses
import itertools

import pytest
from pytestqt.qtbot import QtBot

from gui.document.plan.document import Document
from gui.look.numbers import DASH
from gui.look.theme import LIGHT
from gui.panels.readouts import ReadoutStrip
from gui.widgets.briefer import briefer
from gui.widgets.readout import Readout
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from tests.gui.mcm_models import opened_on_package
from tests.gui.models import chain_graph
from tests.gui.window_parts import opened, opened_on_tpus, settle, shown


@pytest.mark.parametrize("width", [1000, 1280, 1920])
def test_nothing_overlaps_or_leaves_the_strip(qtbot: QtBot, width: int) -> None:
    strip = ReadoutStrip(opened(), LIGHT)
    with shown(qtbot, strip, width, 66):
        parts = [
            strip.objective,
            strip.bound,
            strip.gap,
            strip.gap_bar,
            strip.rules,
            strip.memory,
            strip.devices,
        ]
        seen = [p.geometry() for p in parts if p.isVisible()]
        for left, right in itertools.pairwise(seen):
            assert left.right() < right.left()
        assert seen[-1].right() < width


@pytest.mark.parametrize("width", [1000, 1280, 1920])
@pytest.mark.parametrize("objective", EdgeTpuPipeline.objectives)
def test_components_stay_inside_the_strip(qtbot: QtBot, width: int, objective: str) -> None:
    document = opened_on_tpus(objective)
    problem, e = document.problem, document.evaluation
    assert problem is not None
    document.add_bounds([problem.bound(problem.components[0], e.objective * 0.97, "test", frozenset())])
    strip = ReadoutStrip(document, LIGHT)
    with shown(qtbot, strip, width, 66):
        parts = [strip.layout().itemAt(i).widget() for i in range(strip.layout().count())]
        seen = [part.geometry() for part in parts if part.isVisible()]
        for left, right in itertools.pairwise(seen):
            assert left.right() < right.left()
        assert seen[-1].right() < width
        if width >= 1280:
            for part in strip._readouts:
                if part.isVisible():
                    assert part._value.shown_text() == part.value
                    # Whole words always; the gap leaves a note where the system's letters are wide.
                    assert part._note.shown_text() in (part.note, *briefer(part.note))


@pytest.mark.parametrize("width", [1024, 1280])
def test_words_around_figures_are_shorter_rather_than_cut(qtbot: QtBot, width: int) -> None:
    """With *Prove* in the row, on many chips and with several components, names and notes are whole words."""
    package, tpus = opened_on_package(24, 12), opened_on_tpus("memory-1-2-3")
    for document in (package, tpus):
        problem, e = document.problem, document.evaluation
        assert problem is not None
        document.add_bounds(
            [problem.bound(problem.components[0], e.objective * 0.97, "chip-cp-sat", frozenset())]
        )
    strips, shorter = [ReadoutStrip(document, LIGHT) for document in (package, tpus)], 0
    for strip in strips:
        with shown(qtbot, strip, width, 66):
            strip.refresh_now()
            strip.layout().activate()
            assert strip.prove.isVisible() and strip.minimumSizeHint().width() <= width
            for readout in strip._readouts:
                if readout.isVisible():
                    for line in (readout._label, readout._note):
                        assert line.shown_text() in (line.text(), *briefer(line.text()))
                        shorter += line.shown_text() != line.text()
    assert shorter > 0 or width > 1024


def test_no_more_words_are_shorter_than_there_is_too_little_room_for(qtbot: QtBot) -> None:
    """A few pixels too few cost one figure a word, and no other any."""
    strip = ReadoutStrip(opened_on_package(), LIGHT)
    with shown(qtbot, strip, 1500, 66):

        def shorter() -> list[str]:
            settle()
            lines = [
                line
                for one in strip.findChildren(Readout)
                for line in (one._label, one._note)
                if line.isVisible()
            ]
            return [line.text() for line in lines if line.shown_text() != line.text()]

        wide = 1500
        while not shorter():
            wide -= 4
            strip.resize(wide, 66)
        assert len(shorter()) == 1
        strip.resize(wide + 4, 66)
        assert not shorter(), "there is room again"
        told = []
        for narrow in range(
            wide, 700, -20
        ):  # how long a proof took is among the words: where the second one goes, too
            strip.resize(narrow, 66)
            told.append(len(shorter()))
            assert narrow < 1000 or strip.row.minimumSize().width() <= narrow, (
                "the window may become narrower still"
            )
            if told[-1] > 1 and narrow < 1080:
                break
        assert told[-1] > 1 and all(after - before <= 2 for before, after in itertools.pairwise(told))


def test_a_figure_has_its_room_before_it_is_painted(qtbot: QtBot) -> None:
    """Under load a paint may come between new figures and the room that the event loop gives them later."""
    document = Document()
    strip = ReadoutStrip(document, LIGHT)
    with shown(qtbot, strip, 700, 64):
        document.open_graph(dataclasses.replace(chain_graph(), time_unit="s"), target=Pipeline(count=3))
        strip.refresh_now()
        for readout in (strip.objective, strip.bound, strip.gap, strip.rules, strip.memory):
            value = readout._value
            assert value.shown_text() == value.text() != DASH


@pytest.mark.parametrize("width", [640, 720, 800])
def test_a_figure_is_never_cut_where_there_is_little_room(qtbot: QtBot, width: int) -> None:
    strip = ReadoutStrip(opened_on_tpus("memory-1-2-3"), LIGHT)
    with shown(qtbot, strip, width, 64):
        strip.refresh_now()
        values = [readout._value for readout in strip._readouts if readout.isVisible()]
        assert all(value.shown_text() == value.text() for value in values)
        assert strip.minimumSizeHint().width() <= 800, "the window still fits half a screen"
