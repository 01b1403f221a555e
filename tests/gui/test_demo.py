"""The guided tour: headless with its report, and in the window."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from gui.demo import Told
from gui.demo_report import report
from gui.launch import main
from gui.tour import STEPS, Figures, Tour, telling_move

ROOT = Path(__file__).resolve().parents[2]


def test_the_headless_tour_leaves_pictures_plans_and_a_report(tmp_path: Path, qapp: Any, capsys: Any) -> None:
    out = tmp_path / "out"
    assert main(["demo", "--headless", "--out", str(out), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    files = {Path(name) for name in data["files"]}
    assert files == set(out.iterdir()) and all(file.stat().st_size > 1000 for file in files)
    assert len([f for f in files if f.suffix == ".png"]) >= len(STEPS)
    assert {f.suffix for f in files} == {".png", ".svg", ".pdf", ".json", ".html"}

    steps = data["steps"]
    assert [step["title"] for step in steps] == [step.title for step in STEPS]
    by_key = dict(zip((step.key for step in STEPS), steps, strict=True))
    assert by_key["searched"]["objective"] < by_key["opened"]["objective"], (
        "the planner finds something better"
    )
    assert not by_key["broken"]["valid"] and by_key["mended"]["valid"]
    assert by_key["back"]["objective"] == by_key["searched"]["objective"]
    assert by_key["two-searched"]["objective"] < 0.9 * by_key["two"]["objective"]
    assert all(step["lower_bound"] <= step["objective"] for step in steps if step["valid"])

    html = (out / "report.html").read_text("utf-8")
    assert html.count("<img") == len(STEPS) and 'src="data:image/png;base64,' in html
    assert not re.search(r'(?:src|href)="(?!data:)', html), "the report needs no other file"
    assert all(step.title in html for step in STEPS)

    plan = out / "resnet50.plan.json"
    assert main(["evaluate", str(ROOT / "sample_models" / "resnet50.json"), str(plan), "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["objective"] == pytest.approx(by_key["back"]["objective"], rel=1e-9)
    assert json.loads(plan.read_text())["problem"]["constraints"], "the pin is in the plan"


def test_a_place_that_is_no_folder_is_refused(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "out").write_text("in the way")
    assert main(["demo", "--headless", "--out", str(tmp_path / "out")]) == 2
    assert "is not a folder" in capsys.readouterr().err


def test_the_report_escapes_what_comes_from_files(tmp_path: Path) -> None:
    figures = Figures(1.0, None, None, False, None, "<script>")
    told = Told("A & B", 'op "<b>x</b>"', figures, ())
    html = report(tmp_path, [told])
    assert "<b>x</b>" not in html and "A &amp; B" in html and "broken" in html


def test_the_tour_in_a_window(qtbot: Any, qapp: Any) -> None:
    from PySide6.QtCore import Qt

    from gui.app import make_window
    from gui.tour_bar import begin_tour

    parts = make_window(qapp, theme="light", remember=False)
    try:
        parts.window.resize(1280, 800)
        parts.window.show()
        bar = begin_tour(parts.window)
        ended: list[bool] = []
        bar.destroyed.connect(lambda: ended.append(True))
        keys = [Qt.Key.Key_Space, Qt.Key.Key_Return]
        for number, step in enumerate(STEPS):
            qtbot.waitUntil(lambda: bar.next_button.isEnabled() and not bar.waiting, timeout=60_000)
            assert bar.number == number and len(bar.text) > 40
            place = bar.geometry()
            assert parts.window.rect().contains(place), "the bar lies within the window"
            assert parts.themes.theme.name == step.theme
            if number == len(STEPS) - 1:
                break
            qtbot.keyClick(bar, keys[number % 2])
        assert bar.next_button.text() == "Finish"
        qtbot.keyClick(bar, Qt.Key.Key_Escape)
        qtbot.waitUntil(lambda: bool(ended), timeout=30_000)
        assert parts.document.graph is not None and parts.document.graph.name == "transformer_encoder"
    finally:
        parts.close()


def test_the_move_of_the_tour_breaks_a_rule_alone_and_none_with_its_neighbours(qapp: Any) -> None:
    from gui.document import Document
    from gui.jobs import Jobs

    document = Document()
    jobs = Jobs(document, document)
    try:
        tour = Tour(document, jobs)
        tour.open(("resnet50.json",), "pipeline:4,bandwidth=4e9")
        op, device = telling_move(document)
        assert not document.check([op]).legal[device]
        along = document.closure([op], device)
        assert 3 <= len(along) <= 9 and document.check(along).legal[device]
    finally:
        jobs.close()
        document.deleteLater()
