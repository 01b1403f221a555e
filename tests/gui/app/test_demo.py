"""The guided tour: headless with its report, and in the window."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gui.app.demo.report import Told, report
from gui.app.launch import main
from gui.app.tour.bar import TourBar
from gui.app.tour.tour import STEPS, Figures, Tour, _mended, _opened, telling_move

ROOT = Path(__file__).resolve().parents[3]


def test_the_headless_demo_leaves_pictures_plans_and_reports(tmp_path: Path, qapp: Any, capsys: Any) -> None:
    out = tmp_path / "out"
    assert main(["demo", "--headless", "--out", str(out), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    files = {Path(name) for name in data["files"]}
    assert files == {file for file in out.rglob("*") if file.is_file()}
    assert all(file.stat().st_size > 1000 for file in files)
    of_tour = {file for file in files if file.parent == out}
    assert len([f for f in of_tour if f.suffix == ".png"]) >= len(STEPS)
    assert {f.suffix for f in of_tour} == {".png", ".svg", ".pdf", ".json", ".html"}
    assert [story["name"] for story in data["stories"]] == sorted(STORIES)
    for story in data["stories"]:
        folder = out / "stories" / story["name"]
        assert {Path(name) for name in story["files"]} == set(folder.iterdir())
        assert len(list(folder.glob("[0-9][0-9]-*.png"))) == len(story["steps"]) >= 6
        assert story["notes"] == [] and story["duration"] < 120

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
    assert all(story["title"] in html for story in data["stories"])
    assert html.count("<img") == len(STEPS) and 'src="data:image/png;base64,' in html
    assert not re.search(r'(?:src|href)="(?!data:)', html), "the report needs no other file"
    assert all(step.title in html for step in STEPS)

    plan = out / "resnet50.plan.json"
    assert main(["evaluate", str(ROOT / "sample_models" / "resnet50.json"), str(plan), "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["objective"] == pytest.approx(by_key["back"]["objective"], rel=1e-9)
    assert json.loads(plan.read_text())["problem"]["constraints"], "the pin is in the plan"


# ---------------------------------------------------------------------- stories
STORIES = ("pipeline", "device-placement", "edge-tpu", "package", "sparse")


def test_the_stories_are_listed(capsys: Any) -> None:
    assert main(["demo", "--list", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert {entry["name"] for entry in data["stories"]} == set(STORIES)
    assert main(["demo", "--list"]) == 0
    text = capsys.readouterr().out
    assert all(entry["title"] in text for entry in data["stories"])


def test_a_story_without_a_window_is_the_same_each_time(tmp_path: Path, qapp: Any, capsys: Any) -> None:
    for out in ("a", "b"):
        assert (
            main(
                [
                    "demo",
                    "edge-tpu",
                    "--headless",
                    "--out",
                    str(tmp_path / out),
                    "--size",
                    "640x400",
                    "--json",
                ]
            )
            == 0
        )
    data = json.loads(capsys.readouterr().out.partition("\n}\n")[2])
    names = sorted(file.name for file in (tmp_path / "a").iterdir())
    assert names == sorted(Path(name).name for name in data["files"])
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name
    assert len([name for name in names if name.endswith(".plan.json")]) == 4
    html = (tmp_path / "a" / "report.html").read_text("utf-8")
    assert html.count("<img") == len(data["steps"]) and not re.search(r'(?:src|href)="(?!data:)', html)
    assert "<pre" in html and all(step["title"] in html for step in data["steps"])

    # What the story shows is what `stageboard evaluate` says of the plan that it leaves.
    plan = next(file for file in (tmp_path / "a").iterdir() if file.name.startswith("plan-04"))
    assert main(["evaluate", str(ROOT / "sample_models" / "resnet50.json"), str(plan), "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    certified = json.loads((tmp_path / "a" / "certificate.json").read_text())
    assert data["steps"][-1]["objective"] == again["components"]["max-memory"]
    assert str(again["components"]["max-memory"]) in json.dumps(certified)


def test_a_story_in_another_theme_looks_different(tmp_path: Path, qapp: Any) -> None:
    for theme in ("light", "dark"):
        arguments = [
            "demo",
            "sparse",
            "--headless",
            "--out",
            str(tmp_path / theme),
            "--size",
            "320x200",
            "--theme",
            theme,
        ]
        assert main(arguments) == 0
    first = "01-a-sparse-network.png"
    assert (tmp_path / "light" / first).read_bytes() != (tmp_path / "dark" / first).read_bytes()


def test_a_story_file_and_its_model(tmp_path: Path, qapp: Any, capsys: Any) -> None:
    import numpy as np

    from planner.formats import read_models
    from planner.formats.graphs import stageboard_json
    from planner.machines.spec import parse_target
    from planner.methods.tiny import tiny_graph
    from planner.problem.problem import Problem
    from planner.problem.provenance import Provenance
    from planner.story.files.json import write_story
    from planner.story.making import Told, story_of_plans
    from planner.story.subject import StoryModel

    (tmp_path / "models").mkdir()
    model = stageboard_json.write(tiny_graph(), tmp_path / "models" / "tiny.json")
    graph = read_models([model])
    problem = Problem(graph, parse_target("pipeline:2", graph))
    plan = problem.plan(np.zeros(graph.n, np.int32), Provenance("hand"), "a/b: <c>")
    story = story_of_plans(StoryModel(("tiny.json",), graph.fingerprint), [Told(plan)], "A <talk>")
    path = str(write_story(tmp_path / "talk.story.json", story))
    out = tmp_path / "out"
    assert main(["demo", path, "--headless", "--out", str(out)]) == 2
    assert "'tiny.json' is not in" in capsys.readouterr().err and not out.exists()
    assert main(["demo", path, str(model), "--headless", "--out", str(out), "--size", "320x200"]) == 0
    assert (out / "plan-01-a-b-c.plan.json").is_file()
    assert "A &lt;talk&gt;" in (out / "report.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["no-such-story", "--headless"], "take one of"),
        (["--size", "640x400", "--headless"], "is about the pictures of a story"),
        (["edge-tpu", "--headless", "--size", "9"], "is not WIDTHxHEIGHT"),
    ],
)
def test_what_cannot_be_played(arguments: list[str], words: str, capsys: Any) -> None:
    assert main(["demo", *arguments]) == 2
    assert words in capsys.readouterr().err


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
    import re

    from PySide6.QtCore import QPoint, QRect, Qt

    from gui.app.tour.bar import begin_tour
    from gui.editors.plan.windows import make_window

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
            place = QRect(bar.mapTo(parts.window, QPoint()), bar.size())
            canvas = parts.window.canvas
            assert parts.window.rect().contains(place), "the bar lies within the window"
            assert not place.intersects(QRect(canvas.mapTo(parts.window, QPoint()), canvas.size())), (
                "it covers nothing"
            )
            assert "%" not in bar.text or (re.search(r"\d %", bar.text) and not re.search(r"\d%", bar.text))
            assert parts.themes.theme.name == step.theme
            assert not parts.document.modified and not parts.window.unsaved(), "nobody made these plans"
            if number == len(STEPS) - 1:
                break
            qtbot.keyClick(bar, keys[number % 2])
        assert bar.next_button.text() == "Finish"
        qtbot.keyClick(bar, Qt.Key.Key_Escape)
        qtbot.waitUntil(lambda: bool(ended), timeout=30_000)
        assert parts.document.graph is not None and parts.document.graph.name == "transformer_encoder"
        parts.document.pin([0])
        assert parts.document.modified
        (lost,) = parts.window.unsaved()
        assert parts.document.active is not None and lost.words == f"the plan “{parts.document.active.name}”"
    finally:
        parts.close()


def test_the_tour_from_the_window_has_a_tab_of_its_own_and_loses_nothing(qtbot: Any, qapp: Any) -> None:
    from PySide6.QtCore import Qt

    from gui.editors.plan import windows
    from gui.shell.host import host_of, show_editor
    from planner.model.samples import sample

    parts = windows.make_window(qapp, theme="dark", remember=False)
    show_editor(parts.window)
    parts.window.files.open_files([sample("xception.json")])
    qtbot.waitUntil(lambda: parts.window.settled and parts.document.problem is not None, timeout=60_000)
    before = parts.document.device_of.copy()
    try:
        parts.window.actions_set["help.tour"].trigger()
        host = host_of(parts.window)
        assert host is not None and host.count() == 2
        toured = windows.graph_windows()[-1]
        assert host.currentWidget() is toured and toured.session is None
        bar = toured.findChild(TourBar)
        assert bar is not None
        qtbot.waitUntil(lambda: bar.next_button.isEnabled() and not bar.waiting, timeout=60_000)
        assert parts.themes.preference == "light", "the tour has colours of its own"
        qtbot.keyClick(bar, Qt.Key.Key_Space)
        toured.close()
        assert toured.closing.question is None, (
            "what the tour made is not asked about, while it searches neither"
        )
        qtbot.waitUntil(lambda: host.count() == 1 and not windows.graph_windows(), timeout=30_000)
        assert parts.themes.preference == "dark"
        assert parts.document.graph is not None and parts.document.graph.name == "Xception"
        assert (parts.document.device_of == before).all()
    finally:
        parts.close()


def test_the_move_of_the_tour_breaks_a_rule_alone_and_none_with_its_neighbours(qapp: Any) -> None:
    from gui.background.jobs import Jobs
    from gui.document.plan.document import Document

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


@pytest.mark.parametrize("compiled", [True, False])
def test_the_tour_says_of_the_best_plan_only_what_is_known(
    qapp: Any, monkeypatch: pytest.MonkeyPatch, compiled: bool
) -> None:
    from gui.background.jobs import Jobs
    from gui.document.plan.document import Document

    monkeypatch.setattr("gui.document.plan.opening.interprets", lambda: True)
    monkeypatch.setattr("gui.document.plan.opening.to_compile", lambda problem: not compiled)
    document = Document()
    jobs = Jobs(document, document)
    try:
        follows: list[bool] = []
        document.stand_in_opened.connect(lambda: follows.append(True))
        tour = Tour(document, jobs)
        tour.open(("resnet50.json",), "pipeline:4,bandwidth=4e9", shares=True)
        assert ("found and proven at once" in _opened(tour)) == compiled
        assert "begin with, equal shares of the work: bottleneck 2.17 ms" in _opened(tour)
        assert not follows, "nothing takes the place of what is to be improved by hand"
        tour.open(("resnet50.json",), "pipeline:4,bandwidth=4e9")
        assert bool(follows) != compiled
    finally:
        jobs.close()
        document.deleteLater()


def test_times_that_are_nearly_equal_are_told_apart_by_the_tour() -> None:
    def said(was: float, now: float) -> str:
        figures = [Figures(value, None, None, True, "s", "bottleneck") for value in (was, now)]
        told = SimpleNamespace(along=2, before=figures[0], figures=figures[1])
        return _mended(told)  # type: ignore[arg-type]

    assert said(1.3036e-3, 1.3041e-3).endswith("again and takes 1.3041 ms instead of 1.3036 ms.")
    assert said(1.3036e-3, 1.3036e-3).endswith("again and takes 1.30 ms as before.")
