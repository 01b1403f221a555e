"""What notebooks and files show, and the window in a program of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stageboard as sb
from stageboard import showing

ROOT = Path(__file__).resolve().parents[2]
SMALL = ROOT / "tests" / "data" / "small.json"
LARGEST_HTML = 300_000
LARGEST_REPR = 200


@pytest.fixture
def plan() -> sb.Plan:
    return sb.plan(sb.read(SMALL), "pipeline:2", planner="slice", prove=0)


def svg_of(html: str) -> ET.Element:
    return ET.fromstring(html[html.index("<svg") : html.index("</svg>") + len("</svg>")])


def test_a_plan_shows_readout_picture_and_devices(plan: sb.Plan) -> None:
    html = plan._repr_html_()
    assert plan.title in html and plan.objective_words in html and "<table" in html
    assert html.count("<tr>") == 1 + len(plan.devices)
    titles = [one.text for one in svg_of(html).iter() if one.tag.endswith("title")]
    assert titles == [op for d in range(2) for op, at in plan.assignment.items() if at == d]
    assert (
        len(repr(plan)) < LARGEST_REPR
        and len(repr(plan.model)) < LARGEST_REPR
        and len(repr(plan.devices)) < LARGEST_REPR
    )
    assert "<table" in plan.devices._repr_html_() and str(plan.devices).count("\n") == len(plan.devices)


def test_names_are_escaped(tmp_path: Path) -> None:
    data = json.loads(SMALL.read_text())
    data["ops"][0]["name"] = '<script>alert(1)</script>&"'
    (tmp_path / "hostile.json").write_text(json.dumps(data))
    graph = sb.read(tmp_path / "hostile.json")
    for html in (graph._repr_html_(), sb.plan(graph, "pipeline:2", planner="slice", prove=0)._repr_html_()):
        assert "<script" not in html
        svg_of(html)


def test_two_thousand_ops_stay_small() -> None:
    graph = sb.generate("regal-like", seed=2, nodes=2000)
    assert isinstance(graph, sb.Graph)
    rank = np.empty(len(graph), np.int64)
    rank[graph.planned.topological_order] = np.arange(len(graph))
    plan = sb.evaluate(graph, "pipeline:36", rank * 36 // len(graph))
    for html in (graph._repr_html_(), plan._repr_html_()):
        assert len(html.encode()) <= LARGEST_HTML
        svg_of(html)


def test_no_plan_and_broken_rules_are_shown(plan: sb.Plan) -> None:
    graph = plan.model
    broken = plan.move({graph.ops[0]: 1})
    assert (
        broken.violations[0].partition(",")[0] in broken._repr_html_()
        and "broken rule" in broken._repr_html_()
    )
    none = sb.plan(graph, "pipeline:2", pins={graph.ops[0]: 1, graph.ops[-1]: 0})
    assert "infeasible" in none._repr_html_() and "<svg" not in none._repr_html_()


def test_notebooks_need_no_application() -> None:
    program = (
        "import stageboard as sb\n"
        f"plan = sb.plan(sb.read({str(SMALL)!r}), 'pipeline:2', planner='slice', prove=0)\n"
        "assert '<svg' in plan._repr_html_()\n"
        "from PySide6.QtCore import QCoreApplication\n"
        "assert QCoreApplication.instance() is None\n"
    )
    environment = {
        k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    }
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_pictures_need_no_display_and_one_application_at_most(tmp_path: Path) -> None:
    program = (
        "import os, stageboard as sb\n"
        f"plan = sb.plan(sb.read({str(SMALL)!r}), 'pipeline:2', planner='slice', prove=0)\n"
        "sb.render(plan, 'a.svg')\n"
        "from PySide6.QtWidgets import QApplication\n"
        "first = QApplication.instance()\n"
        "sb.render(plan, 'b.png', view='lanes', theme='dark', size=(640, 400))\n"
        "assert QApplication.instance() is first and 'QT_QPA_PLATFORM' not in os.environ\n"
    )
    environment = {
        k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    }
    environment["PYTHONPATH"] = str(ROOT)
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "a.svg").read_bytes().startswith(b"<?xml") and (
        tmp_path / "b.png"
    ).read_bytes().startswith(b"\x89PNG")


def test_an_application_that_cannot_draw_is_a_sentence(tmp_path: Path) -> None:
    program = (
        "from PySide6.QtCore import QCoreApplication\napp = QCoreApplication([])\nimport stageboard as sb\n"
        f"sb.render(sb.read({str(SMALL)!r}), 'a.svg')\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert "cannot draw; make a QApplication" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"view": "dream"}, "there is no view 'dream'"),
        ({"theme": "neon"}, "there is no theme 'neon'"),
        ({"preset": "stamp"}, "there is no preset 'stamp'"),
        ({"preset": "slide", "size": (100, 100)}, "give one of the two"),
        ({"size": (1, 1)}, "cannot be drawn"),
    ],
)
def test_bad_pictures_are_one_sentence(
    qapp: Any, plan: sb.Plan, tmp_path: Path, options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(sb.StageboardError, match=sentence):
        sb.render(plan, tmp_path / "x.png", **options)
    assert list(tmp_path.iterdir()) == []


def test_comparisons_and_models_are_drawn(qapp: Any, plan: sb.Plan, tmp_path: Path) -> None:
    other = plan.move({plan.model.ops[-1]: 0})
    comparison = sb.compare(plan, other)
    assert comparison.moved == ((plan.model.ops[-1],),) or comparison.moved == ((),)
    assert "2 plans compared" in str(comparison) and repr(comparison).startswith("<Comparison of 2 plans")
    assert comparison.to_dict()["model"] == plan.model.name and len(comparison.differences) == 1
    for what, name in ((comparison, "c.png"), (plan.model, "g.svg"), (plan, "p.pdf")):
        assert sb.render(what, tmp_path / name).stat().st_size > 1000


def test_exports(plan: sb.Plan, tmp_path: Path) -> None:
    (csv,) = sb.export(plan, "csv", tmp_path / "p.csv")
    assert len(csv.read_text().splitlines()) == 1 + len(plan.assignment)
    (certificate,) = sb.export(plan, "certificate", tmp_path / "c.txt")
    assert "bottleneck" in certificate.read_text()
    (model,) = sb.export(plan.model, "json", tmp_path / "m.json")
    assert sb.read(model).planned.fingerprint == plan.model.planned.fingerprint
    with pytest.raises(sb.StageboardError, match="there is no format 'clay'"):
        sb.export(plan, "clay", tmp_path / "x")
    with pytest.raises(sb.StageboardError, match="an order is exported"):
        sb.export(plan, "order", tmp_path / "x")


def test_the_window_is_a_program_of_its_own(plan: sb.Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it is started with: files that stay until it ends, and never what lies in the working folder."""
    started: list[list[str]] = []

    def run(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        started.append(command)
        assert all(Path(file).is_file() for file in command[4:])
        assert options["env"]["PYTHONPATH"].split(os.pathsep)[0] == str(ROOT)
        return subprocess.CompletedProcess(
            command, len(started) - 1, "", "noise\nstageboard: the window is shy\n"
        )

    monkeypatch.setattr(showing.subprocess, "run", run)
    sb.show(plan)
    assert started[0][1:4] == ["-P", "-m", "stageboard"] and started[0][4] == str(SMALL)
    assert not Path(started[0][5]).exists()
    with pytest.raises(sb.StageboardError, match=r"^the window is shy$"):
        sb.show(sb.generate("regal-like", nodes=20))
    assert started[1][4].endswith(".json") and started[1][4] != str(SMALL)


def test_without_a_display_the_window_is_a_sentence(plan: sb.Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(
        sb.StageboardError, match=r"there is no display to open a window on; draw a picture with sb\.render"
    ):
        sb.show(plan)
