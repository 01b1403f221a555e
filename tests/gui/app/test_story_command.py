"""``stageboard story``: stories of plans and of searches, and where their cameras stand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gui.app.launch import main
from gui.present.scenes import MARGIN
from gui.tools.story.cameras import LEAST, camera_on
from planner.formats import read_models
from planner.machines.spec import parse_target
from planner.model.samples import STORIES, sample
from planner.problem.problem import Plan, Problem
from planner.problem.provenance import Provenance
from planner.story.files.json import read_story
from planner.story.files.plans import resolve

UNET = str(sample("unet.onnx"))
RESNET = str(sample("resnet50.json"))
MLP = str(sample("mlp_100.npz"))


def planned(tmp_path: Path, name: str, model: str, *arguments: str) -> str:
    path = str(tmp_path / f"{name}.plan.json")
    assert main(["plan", model, *arguments, "-o", path]) == 0
    return path


def test_a_story_of_two_plans(tmp_path: Path, qapp: Any, capsys: Any) -> None:
    plans = [
        planned(tmp_path, "a", UNET, "--target", "pipeline:3", "--planner", "one-device"),
        planned(tmp_path, "b", UNET, "--target", "pipeline:3", "--planner", "slice"),
    ]
    capsys.readouterr()
    out = tmp_path / "talk.story.json"
    assert main(["story", UNET, *plans, "-o", str(out), "--title", "A talk", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    story = read_story(out)
    assert (
        (data["title"], data["plans"], data["keyframes"])
        == ("A talk", 2, len(story.keyframes))
        == ("A talk", 2, 5)
    )
    assert data["models"] == ["sample:unet.onnx"] and data["copied"] == [] and data["replay"] is None
    found = resolve(story, tmp_path)
    assert found.notes == () and "% less than before" in story.keyframes[2].caption
    zoom = story.keyframes[3]
    assert zoom.camera is not None and zoom.view == "lanes"
    again = tmp_path / "again.story.json"
    assert main(["story", UNET, *plans, "-o", str(again), "--title", "A talk"]) == 0
    assert again.read_bytes() == out.read_bytes()


def test_what_plan_files_claim_is_proven_at_making(tmp_path: Path, qapp: Any, capsys: Any) -> None:
    plans = [
        planned(tmp_path, name, UNET, "--target", "pipeline:4", "--planner", planner, "--prove", "off")
        for name, planner in (("a", "one-device"), ("b", "chain-dp"))
    ]
    captions = []
    for prove in ((), ("--prove", "off")):
        out = tmp_path / "talk.story.json"
        assert main(["story", UNET, *plans, "-o", str(out), *prove]) == 0
        captions.append([keyframe.caption for keyframe in read_story(out).keyframes[1:3]])
    (worst, best), (_, claimed) = captions
    assert "is left to gain" in worst and "Proven: no plan takes less time." in best
    assert "Proven: no plan takes less time." not in claimed


def test_a_story_that_compares(tmp_path: Path, qapp: Any, capsys: Any) -> None:
    plans = [
        planned(tmp_path, f"{n}", UNET, "--target", f"pipeline:{n}", "--planner", "slice") for n in (2, 3)
    ]
    out = tmp_path / "compared.story.json"
    assert main(["story", UNET, *plans, "--compare", "overlay", "--compare", "sankey", "-o", str(out)]) == 0
    found = [k for k in read_story(out).keyframes if k.view == "comparison"]
    assert [(k.comparison, k.plan, k.versus) for k in found] == [("overlay", 1, 0), ("sankey", 1, 0)]
    assert main(["present", str(out), "-o", str(tmp_path / "slides.pdf")]) == 0
    assert (tmp_path / "slides.pdf").read_bytes().startswith(b"%PDF-")


def test_a_search_run_again(tmp_path: Path, qapp: Any, capsys: Any) -> None:
    arguments = (
        "--target",
        "memory:30",
        "--planner",
        "connection-reordering",
        "--set",
        "iterations=2000",
        "--seed",
        "5",
    )
    plan = planned(tmp_path, "n", MLP, *arguments)
    capsys.readouterr()
    out = tmp_path / "search.story.json"
    assert main(["story", MLP, plan, "--replay", "-o", str(out), "--json"]) == 0
    replay = json.loads(capsys.readouterr().out)["replay"]
    assert replay["outcome"] == "identical" and replay["found"] >= 2
    story = read_story(out)
    assert 2 <= len(story.plans) <= 12
    found = resolve(story, tmp_path)
    values = [plan.objective for plan in found.plans]
    assert values == sorted(values, reverse=True) and values[0] > values[-1]
    assert any("iteration" in keyframe.title for keyframe in story.keyframes)


def test_models_from_elsewhere_come_along(tmp_path: Path, qapp: Any, capsys: Any) -> None:
    from planner.formats.graphs import stageboard_json
    from planner.methods.tiny import tiny_graph

    (tmp_path / "models").mkdir()
    (tmp_path / "talk").mkdir()
    model = str(stageboard_json.write(tiny_graph(), tmp_path / "models" / "tiny.json"))
    plan = planned(tmp_path, "a", model, "--target", "pipeline:2", "--planner", "slice")
    assert main(["story", model, plan, "-o", str(tmp_path / "talk" / "a.story.json")]) == 0
    assert "was copied beside the story" in capsys.readouterr().err
    assert len(resolve(read_story(tmp_path / "talk" / "a.story.json"), tmp_path / "talk").plans) == 1


def test_what_makes_no_story(tmp_path: Path, capsys: Any) -> None:
    out = ["-o", str(tmp_path / "a.story.json")]
    plan = planned(tmp_path, "a", UNET, "--target", "pipeline:2", "--planner", "slice")
    capsys.readouterr()
    for arguments, words in (
        ([UNET], "no plan was named"),
        ([plan], "name its model before it"),
        ([UNET, plan, plan, "--replay"], "--replay tells the search of one plan"),
        ([UNET, plan, "--compare", "overlay"], "--compare needs two plans"),
        ([UNET, RESNET, plan], "2 models are planned together here; for a talk on several networks capture"),
        ([UNET, plan, RESNET, plan], "comes after a plan; name all models that share the machine first"),
        ([UNET, str(tmp_path / "none.json")], "does not exist"),
        ([UNET, plan, "--density", "5%"], "prunes sparse networks"),
        ([UNET, plan, "--title", "x" * 200], "from 1 to 120 characters"),
    ):
        assert main(["story", *arguments, *out]) == 2
        error = capsys.readouterr().err
        assert words in error and error.count("\n") == 1
    assert not (tmp_path / "a.story.json").exists()


# ---------------------------------------------------------------------- cameras
@pytest.fixture(name="plan", scope="module")
def _plan() -> Plan:
    graph = read_models([sample("resnet50.json")])
    problem = Problem(graph, parse_target("pipeline:4", graph))
    return problem.plan((np.arange(graph.n) * 4 // graph.n).astype(np.int32), Provenance("hand"))


@pytest.mark.parametrize("view", ["flow", "lanes"])
@pytest.mark.parametrize("size", [(1280, 800), (1920, 1080)])
def test_a_camera_sees_its_ops_on_every_screen(
    qapp: Any, plan: Plan, view: str, size: tuple[int, int]
) -> None:
    from gui.look.theme import THEMES
    from gui.present.scenes import HEIGHT, WIDTH, Graphs, Places

    ops = np.array([80, 81, 82], np.int32)
    camera = camera_on(plan, view, ops)
    assert camera is not None and camera.width >= LEAST and camera.height >= LEAST
    unit = min(size[0] / WIDTH, size[1] / HEIGHT)
    places = Places(float(size[0]), float(size[1]), unit, 0.24 * size[1])
    scene = Graphs(places.room("costs"), unit, THEMES["light"]).stage(plan, view).scene
    x, y, w, h = scene.layout.bounds
    for op in ops:
        assert camera.x <= (scene.x[op] + scene.w[op] / 2 - x) / w
        assert camera.y <= (scene.y[op] + scene.h[op] / 2 - y) / h <= camera.y + camera.height


def test_cameras_of_everything_and_of_nothing(qapp: Any, plan: Plan) -> None:
    assert camera_on(plan, "lanes", []) is None
    assert camera_on(plan, "flow", np.arange(plan.problem.graph.n)) is None
    lane = camera_on(plan, "lanes", np.flatnonzero(plan.decision.device_of == 3))
    assert lane is not None and (lane.x, lane.width) == (0.0, 1.0) and lane.y > 0.5
    beginning = camera_on(plan, "lanes", np.flatnonzero(plan.decision.device_of == 3), 0.55)
    assert beginning is not None and (beginning.x, beginning.width) == (0.0, 0.55)


@pytest.mark.parametrize("device", range(4))
def test_a_look_at_a_device_shows_all_of_its_ops_and_leaves_no_room_blank(
    qapp: Any, plan: Plan, device: int
) -> None:
    from gui.look.theme import THEMES
    from gui.present.scenes import Graphs, Places

    ops = np.flatnonzero(plan.decision.device_of == device)
    camera = camera_on(plan, "lanes", ops)
    places = Places(1280.0, 800.0, 1.0, 0.24 * 800)
    room = places.room("costs")
    stage = Graphs(room, 1.0, THEMES["light"]).stage(plan, "lanes")
    seen, scene = stage.seen(camera, room, 1.0), stage.scene
    items = scene.items.item_of[ops]
    for sides, lengths, offset, low, high in (
        (scene.x, scene.w, seen.ox, stage.left, room[0]),
        (scene.y, scene.h, seen.oy, 0.0, room[1]),
    ):
        first, last = sides[items] * seen.scale + offset, (sides + lengths)[items] * seen.scale + offset
        assert first.min() >= low and last.max() <= high
    x, y, w, h = scene.layout.bounds
    for start, length, offset, low, high in (
        (x, w, seen.ox, stage.left, room[0]),
        (y, h, seen.oy, 0.0, room[1]),
    ):
        before, after = start * seen.scale + offset - low, high - (start + length) * seen.scale - offset
        assert max(before, after) <= MARGIN + 1 or before == pytest.approx(after), (
            "more of it is there to be seen"
        )


def test_keyframes_that_count_ops_show_all_of_them(qapp: Any) -> None:
    from gui.look.theme import THEMES
    from gui.present.show import Show

    file = STORIES / "edge-tpu.story.json"
    told = resolve(read_story(file), file.parent)
    index = next(i for i, k in enumerate(told.story.keyframes) if k.title == "One chip is too full")
    show = Show(told, THEMES["light"], (1280, 800))
    shot, plan = show.shots.shot(index), told.plans[told.story.keyframes[index].plan]
    ops = np.flatnonzero(plan.decision.device_of == plan.evaluation.bottleneck)
    scene, view = shot.stage.scene, shot.view
    item = scene.items.item_of[ops]
    right = (scene.x[item] + scene.w[item]) * view.scale + view.ox
    assert (
        right.max() <= show.places.room("memory")[0]
        and f"{len(ops)} operators" in told.story.keyframes[index].caption
    )


def test_presenting_lists_the_stories_and_asks_for_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["present", "--list"]) == 0
    listed = capsys.readouterr().out
    assert main(["demo", "--list"]) == 0
    assert capsys.readouterr().out == listed and "edge-tpu" in listed
    assert main(["present"]) == 2
    assert "name a story" in capsys.readouterr().err
