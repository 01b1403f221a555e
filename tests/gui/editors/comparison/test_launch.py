"""Opening a comparison from the command line: which files are compared, in a window for graphs or for networks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

from gui.app.launch import plans_to_compare
from gui.editors.comparison import windows as compare_launch
from gui.editors.comparison.windows import open_example, open_files, open_order_files
from gui.editors.plan import windows as plan_windows
from gui.editors.plan.windows import graph_windows
from gui.look.page import Page
from gui.shell.kinds import close_all_windows
from gui.shell.picture_dialog import PictureDialog
from planner.cli.command import UsageError
from planner.formats import read_graph
from planner.machines.pipeline.target import Pipeline
from planner.plan_files.plan_json import write_plan
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance
from tests.gui.editors.comparison.parts import rest, two_plans, window_on
from tests.gui.editors.network.models import opened, shuffled_order
from tests.gui.editors.network.window_parts import order_window
from tests.gui.models import write_model
from tests.gui.present.slides import written_in
from tests.gui.window_parts import make_window, settle


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, list[Path]]:
    """A model and five plans of it."""
    model = write_model(tmp_path)
    problem = Problem(read_graph(model), Pipeline(count=3))
    plans = []
    for i in range(5):
        device_of = np.sort(np.random.default_rng(i).integers(0, 3, 12)).astype(np.int32)
        path = tmp_path / f"plan{i}.json"
        write_plan(path, problem.plan(device_of, Provenance("hand"), f"plan {i}"))
        plans.append(path)
    return model, plans


def test_several_plans_are_compared(files: tuple[Path, list[Path]]) -> None:
    model, plans = files
    texts = [str(plan) for plan in plans]
    assert plans_to_compare([str(model), *texts[:3]]) == ([str(model)], plans[:3])
    assert plans_to_compare([str(model), texts[0]]) == ([str(model), texts[0]], []), "one plan is opened"
    assert plans_to_compare([str(model)]) == ([str(model)], [])
    with pytest.raises(UsageError, match="too many"):
        plans_to_compare([str(model), *texts])
    with pytest.raises(UsageError, match="name their model"):
        plans_to_compare(texts[:2])


def test_the_model_is_opened_and_then_its_plans(qtbot: QtBot, files: tuple[Path, list[Path]]) -> None:
    model, plans = files
    main, close = make_window(qtbot)
    open_files(main, [model], plans[:2])
    qtbot.waitUntil(lambda: len(compare_launch._windows) == 1, timeout=20_000)
    (window,) = compare_launch._windows
    rest(qtbot, window)
    assert [plan.name for plan in window.state.plans] == ["plan 0", "plan 1"]
    document = main.document
    assert [entry.name for entry in document.plans] == ["plan 0", "plan 1"], "these, and nothing unasked"
    assert document.active is document.plans[0] and not document.modified
    document.apply_plan(document.plans[1])
    rest(qtbot, window)
    assert window.state.sources[1].live(document), "it is the one that is compared"
    assert document.plan_path == plans[1]
    document.undo_stack.undo()
    assert document.plan_path == plans[0]
    open_files(main, [model], plans[1:4])
    (_, other) = compare_launch._windows
    rest(qtbot, other)
    assert [plan.name for plan in other.state.plans] == ["plan 1", "plan 2", "plan 3"], "a tab of its own"
    assert [plan.name for plan in window.state.plans] == ["plan 0", "plan 1"]
    window.close()
    other.close()
    settle()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not compare_launch._windows
    close()


def test_a_plan_of_another_model_is_said_in_the_window(
    qtbot: QtBot, files: tuple[Path, list[Path]], tmp_path: Path
) -> None:
    _, plans = files
    other = write_model(tmp_path, n=9, name="other")
    main, close = make_window(qtbot)
    open_files(main, [other], plans[:2])
    qtbot.waitUntil(lambda: main.notice.level == "error", timeout=20_000)
    assert not compare_launch._windows
    close()


def test_orders_of_a_network_stand_beside_each_other(qtbot: QtBot, tmp_path: Path) -> None:
    plans = [tmp_path / f"order{i}.json" for i in range(2)]
    with order_window(qtbot) as window:
        network = window.document.network
        assert network is not None
        window.document.save_plan(plans[0])
        window.document.set_order(shuffled_order(network), "Shuffle")
        window.document.save_plan(plans[1])
    with order_window(qtbot, None) as window:
        open_order_files(window, plans)
        window.install(opened(network))
        qtbot.waitUntil(lambda: window.settled, timeout=10_000)
        document = window.document
        assert document.active is not None
        assert document.compared is not None
        assert document.compared is not document.active
        qtbot.waitUntil(lambda: bool(compare_launch.comparisons_of(document)), timeout=10_000)


def test_the_example_is_opened(qtbot: QtBot) -> None:
    main, close = make_window(qtbot)
    open_example(main)
    qtbot.waitUntil(lambda: len(compare_launch._windows) == 1, timeout=30_000)
    (window,) = compare_launch._windows
    rest(qtbot, window)
    comparison = window.state.comparison
    assert comparison is not None
    assert [figures.status for figures in map(comparison.figures, (0, 1))] == ["optimal", "optimal"]
    assert comparison.objective_difference(1) < 0
    path = Path(window.document.paths[0])
    assert path.name == "bert_3.json"
    window.close()
    settle()
    close()


def test_the_example_leaves_what_is_open_its_tab(qtbot: QtBot) -> None:
    document = two_plans()
    main, close = make_window(qtbot, document)
    try:
        problem = document.problem
        main.actions_set["compare.example"].trigger()
        qtbot.waitUntil(lambda: len(compare_launch._windows) == 1, timeout=30_000)
        (window,) = compare_launch._windows
        rest(qtbot, window)
        assert document.problem is problem and window.document is not document
        assert Path(window.document.paths[0]).name == "bert_3.json"
        window.close()
        settle()
    finally:
        for parts in list(plan_windows._graphs):
            plan_windows._graphs.remove(parts)
            parts.close()
        close_all_windows()
        close()


def test_another_model_asks_before_it_closes_a_comparison(
    qtbot: QtBot, files: tuple[Path, list[Path]], tmp_path: Path
) -> None:
    model, plans = files
    other = write_model(tmp_path, n=9, name="other")
    main, close = make_window(qtbot)
    open_files(main, [model], plans[:2])
    qtbot.waitUntil(lambda: len(compare_launch._windows) == 1, timeout=20_000)
    (window,) = compare_launch._windows
    rest(qtbot, window)
    buttons = QMessageBox.StandardButton
    main.files.open_files([other])
    question = main.closing.question
    assert question is not None and "the comparison of its plans" in question.text()
    assert "Keyframes stay" in question.informativeText()
    question.button(buttons.Cancel).click()
    settle()
    assert main.document.paths == (model.absolute(),) and not window.closed
    main.files.open_files([other])
    question = main.closing.question
    assert question is not None
    next(one for one in question.buttons() if "New" in one.text()).click()
    settle()
    (made,) = graph_windows()
    qtbot.waitUntil(lambda: made.document.paths == (other.absolute(),), timeout=20_000)
    made.closing.surely = True
    made.close()
    qtbot.waitUntil(lambda: not graph_windows())
    assert main.document.paths == (model.absolute(),) and not window.closed
    main.document.move([0], 1)
    main.files.open_files([other])
    question = main.closing.question
    assert question is not None and "edited" in question.text()
    assert "comparison of its plans closes" in question.informativeText()
    question.button(buttons.Discard).click()
    qtbot.waitUntil(lambda: main.document.paths == (other.absolute(),), timeout=20_000)
    settle()
    assert window.closed
    close()


def test_the_picture_is_saved(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "both.png"), ""))
    with window_on(qtbot, two_plans()) as window:
        window.files.export_picture()
        window.findChild(PictureDialog).accept()
        assert (tmp_path / "both.png").stat().st_size > 1000
        assert "both.png" in window.notice.text


def test_the_picture_begins_with_the_tab_that_has_the_keyboard(qtbot: QtBot) -> None:
    """Schedules of the kind that is shown there."""
    with window_on(qtbot, two_plans()) as window:
        window.docks.reveal("schedules")
        qtbot.waitUntil(lambda: bool(window.schedules.shown_kind))
        window.schedules.charts[0].setFocus()
        window.files.export_picture()
        dialog = window.findChild(PictureDialog)
        assert dialog.choice().view == "schedules"
        lines = [line.words for line in written_in(dialog._draw(dialog.choice())().file(".svg"))]
        assert {"Stage 0", "Stage 1", "a sample later"} <= set(lines)
        assert any(line.startswith("A: ") for line in lines)
        dialog.close()


@pytest.mark.parametrize("view", ["flow", "lanes", "overlay", "overlay-lanes"])
@pytest.mark.parametrize("page", [Page((1200, 900)), Page((500, 3000), crop=True)])
def test_groups_that_are_folded_are_folded_in_the_picture(qtbot: QtBot, view: str, page: Page) -> None:
    document = two_plans()
    with window_on(qtbot, document) as window:
        window.files.export_picture()
        dialog = window.findChild(PictureDialog)

        def written() -> set[str]:
            drawing = dialog._draw(replace(dialog.choice(), view=view, page=page))()
            return {line.words for line in written_in(drawing.file(".svg"))}

        assert "conv_0" in written()
        document.fold_all()
        assert "conv_0" not in written()
        dialog.close()
