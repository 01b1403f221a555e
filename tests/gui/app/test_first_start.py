"""The first start: drawn by Qt until kernels are compiled, then painted again by them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from gui.app import first_start, kernels
from gui.app.first_start import FirstStart
from gui.background.warming import Warming
from gui.canvas.stand_in import StandIn
from gui.raster import engine
from planner.compiling.store import Store


class Themes(QObject):
    changed = Signal(object)
    theme = "light"


class Nothing(QObject):
    """Prepares nothing, but says what it is told to."""

    done = Signal(str)
    changed = Signal()
    text = ""

    def __init__(
        self,
        missing: Any,
        work: Any,
        helpers: int,
        wish: Any,
        cost: Any,
        made: Any,
        whole: float,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self.missing = missing
        self.begun = self.closed = False

    def begin(self) -> None:
        self.begun = True

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """An empty store, and nothing that compiles."""
    store = Store(tmp_path / "kernels")
    warming = Warming()
    warming.begin()
    monkeypatch.setattr(kernels, "store", lambda: store)
    monkeypatch.setattr(first_start, "Preparing", Nothing)
    monkeypatch.setattr(first_start, "warming", warming)
    yield store
    warming.close()
    engine.draw_by(engine.COMPILED)


def test_qt_draws_until_the_kernels_are_there(qtbot: QtBot, kept: Store) -> None:
    start, themes, added = FirstStart(), Themes(), []
    header: Any = SimpleNamespace(add_news=added.append)
    assert isinstance(engine._drawing.by, StandIn)
    start.begin(header, themes, "pool")  # type: ignore[arg-type]
    start.begin(header, themes, "pool")  # type: ignore[arg-type]
    assert len(added) == 1
    qtbot.addWidget(added[0])
    assert start._preparing is not None and start._preparing.begun
    start._preparing.done.emit("lay-out")
    assert isinstance(engine._drawing.by, StandIn)
    with qtbot.waitSignal(themes.changed):
        start._preparing.done.emit("draw")
    assert engine._drawing.by is engine.COMPILED
    start.close()
    assert start._preparing.closed


def test_from_the_second_start_on_kernels_draw(
    qtbot: QtBot, kept: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "warm_up", lambda: None)
    assert not kernels.can_draw()
    kernels.do("draw")
    assert kernels.can_draw()
    start = FirstStart()
    assert engine._drawing.by is engine.COMPILED
    start.close()


def test_the_picture_comes_first() -> None:
    assert kernels.tasks("pool")[:3] == ["draw", "lay-out", "edit:pool"]
    assert set(kernels.tasks()) >= set(kernels.DRAWING)
    assert kernels.tasks("memory")[:4] == ["draw", "lay-out", "networks", "edit:memory"]
    assert sorted(kernels.tasks("memory")) == sorted(kernels.tasks())


def test_what_tasks_cost_names_tasks() -> None:
    known = kernels.tasks("pipeline")
    assert set(kernels.COSTS) <= set(known)
    assert all(0 < kernels.cost(task) < 0.25 * sum(map(kernels.cost, known)) for task in known)


def test_every_kernel_counts(kept: Store) -> None:
    assert kernels.made() == 0.0
    kept.save("plus-1", b"code")
    kept.save("plus-2", b"code")
    assert 0 < kernels.made() == 2 * sum(kernels.COSTS.values()) / kernels.KERNELS
