"""Story files: what is written is read again, and nothing that a file holds is believed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import StageboardError, StoryError
from planner.formats import read_models
from planner.formats.graphs import stageboard_json
from planner.formats.networks.read import read_network
from planner.machines.spec import parse_target
from planner.machines.two_level_memory.orders.theorem_1 import theorem_1_order
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.methods.tiny import tiny_graph
from planner.model.samples import MODELS, STORIES, sample
from planner.plan_files.plan_parts import is_story
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance
from planner.story.files.json import read_story, to_dict, write_story
from planner.story.files.models import portable_paths
from planner.story.files.plans import (
    open_story_plan,
    pack,
    pack_assignment,
    pack_order,
    resolve,
    unpack_assignment,
    unpack_order,
)
from planner.story.folded import FoldedGroup, grouping_of, missing_op, ops_of
from planner.story.keyframe import COMPARISONS, LAYOUTS, Camera, Keyframe
from planner.story.story import Resolved, Story
from planner.story.subject import StoryModel
from tests.planner.machines.two_level_memory.strategies import networks, orders
from tests.planner.strategies import placements, problems

SHORT = settings(max_examples=30, deadline=None)


def small(folder: Path) -> tuple[Story, Problem]:
    """A story of two plans of a small graph that lies beside it."""
    file = stageboard_json.write(tiny_graph(), folder / "tiny.json")
    graph = read_models([file])
    problem = Problem(graph, parse_target("pipeline:2", graph))
    plans = [problem.plan(np.full(graph.n, d, np.int32), Provenance("hand"), f"all on {d}") for d in (0, 1)]
    bound = problem.bound("bottleneck", 1e-12, "simple", frozenset())
    story = Story(
        "Two plans", "A summary.", (StoryModel(("tiny.json",), graph.fingerprint),),
        tuple(pack(plan, [bound]) for plan in plans),
        (
            Keyframe("One", "All on the first.", 0),
            Keyframe("Two", "", 1, "lanes", Camera(0, 0.25, 0.5, 0.5), (graph.op_ids[0],), "difference", 0, None, 2.5, 0.0),
            Keyframe("", "Proof.", 1, "certificate", hold=1.0),
        ),
        "dark",
    )  # fmt: skip
    return story, problem


def written(folder: Path, change: Any) -> Path:
    """The small story with its JSON changed."""
    data = json.loads(json.dumps(to_dict(small(folder)[0])))
    change(data)
    path = folder / "a.story.json"
    path.write_text(json.dumps(data))
    return path


def opened(path: Path, given_: Any = ()) -> Resolved:
    return resolve(read_story(path), path.parent, given_)


# ------------------------------------------------------------------------------------------------------------ comparisons
def of_comparison(**fields: Any) -> Any:
    """Changes the JSON of the small story so that its second keyframe compares the plans."""

    def change(data: Any) -> None:
        data["keyframes"][1] = {"plan": 1, "versus": 0, "view": "comparison", **fields}

    return change


def test_a_keyframe_that_compares_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, of_comparison(comparison="overlay", layout="lanes", share=0.5))
    frame = opened(path).story.keyframes[1]
    assert (frame.comparison, frame.layout, frame.share, frame.beside) == ("overlay", "lanes", 0.5, ())
    again = to_dict(read_story(path))["keyframes"]
    assert again[1] == {
        "title": "", "caption": "", "plan": 1, "view": "comparison", "versus": 0, "comparison": "overlay", "layout": "lanes",
        "share": 0.5, "hold": 4.0, "transition": 0.8,
    }  # fmt: skip
    assert "comparison" not in again[0] and "share" not in again[0]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "does not say how it compares plans"),
        ({"comparison": "pie"}, "keyframe number 2: the comparison of a keyframe is 'pie'"),
        ({"comparison": "overlay", "share": 2}, "it must be from 0 to 1"),
        ({"comparison": "overlay", "share": "half"}, "share"),
        ({"comparison": "schedules", "beside": [9]}, "keyframe number 2 names plan 9"),
        ({"comparison": "schedules", "beside": [0]}, "compares a plan with itself"),
        ({"comparison": "sankey", "versus": -1}, "names only one"),
    ],
)
def test_a_keyframe_that_cannot_compare_is_refused(tmp_path: Path, fields: Any, words: str) -> None:
    with pytest.raises(StoryError) as caught:
        read_story(written(tmp_path, of_comparison(**fields)))
    assert words in str(caught.value)


# ------------------------------------------------------------------------------------------------------------ round trips
@given(st.lists(st.integers(0, 40), min_size=1, max_size=60))
def test_packed_assignments_unpack(devices: list[int]) -> None:
    given_ = np.array(devices, np.int32)
    packed = pack_assignment(given_)
    assert np.array_equal(unpack_assignment(packed, len(devices)), given_)
    with pytest.raises(StoryError, match="its decision is about"):
        unpack_assignment(packed, len(devices) + 1)


@given(st.integers(0, 60).flatmap(lambda n: st.permutations(range(n))))
def test_packed_orders_unpack(order: list[int]) -> None:
    given_ = np.array(order, np.int32)
    assert np.array_equal(unpack_order(pack_order(given_), len(order)), given_)


@SHORT
@given(st.data())
def test_a_packed_plan_is_the_plan(data: st.DataObject) -> None:
    problem = data.draw(problems())
    plan = problem.plan(
        np.array(data.draw(placements(problem)), np.int32), Provenance("hand", {"a": 1}, 3), "mine"
    )
    back = open_story_plan(pack(plan), problem.graph, "plan number 1", "")
    assert back.plan.problem == problem and back.plan.decision == plan.decision
    assert back.plan.evaluation.values == plan.evaluation.values and not back.notes
    assert back.plan.provenance.planner == "hand" and back.plan.name == "mine"


@SHORT
@given(st.data())
def test_a_packed_order_is_the_order(data: st.DataObject) -> None:
    network = data.draw(networks())
    problem = NetworkProblem(network, TwoLevelMemory(data.draw(st.integers(3, 8))))
    plan = problem.plan(data.draw(orders(network)), Provenance("hand"), "mine")
    back = open_story_plan(pack(plan), network, "plan number 1", "")
    assert back.plan.decision == plan.decision and back.plan.evaluation.reads == plan.evaluation.reads
    assert not back.notes


def folded(n: int = 8) -> st.SearchStrategy[tuple[FoldedGroup, ...]]:
    """Groups that share no op, of some of ``n`` ops."""
    names = st.text(st.characters(max_codepoint=0x2FF, exclude_categories=["Cc"]), max_size=20)

    def grouped(places: list[int]) -> st.SearchStrategy[tuple[FoldedGroup, ...]]:
        sets = [np.flatnonzero(np.array(places) == g).astype(np.int32) for g in range(3)]
        return st.tuples(*(st.builds(FoldedGroup.of, names, st.just(ops)) for ops in sets if len(ops)))

    return st.lists(st.integers(0, 4), min_size=n, max_size=n).flatmap(grouped)


def comparisons() -> st.SearchStrategy[Keyframe]:
    pairs = st.sampled_from([(0, 1), (1, 0)])
    return pairs.flatmap(
        lambda pair: st.builds(
            Keyframe, st.just("A and B"), st.just(""), st.just(pair[0]), st.just("comparison"), versus=st.just(pair[1]),
            comparison=st.sampled_from(COMPARISONS), layout=st.sampled_from(LAYOUTS), share=st.floats(0.0, 1.0),
            folded=folded(),
        )
    )  # fmt: skip


def keyframes() -> st.SearchStrategy[Keyframe]:
    words = st.text(st.characters(max_codepoint=0x2FF, exclude_categories=["Cc"]), max_size=60)
    share = st.floats(0.0, 1.0)
    size = st.floats(0.01, 1.0)
    return st.builds(
        Keyframe, words, words, st.integers(0, 1), st.sampled_from(["flow", "lanes", "stages", "package", "certificate"]),
        st.none() | st.builds(Camera, share, share, size, size), st.just(()),
        st.sampled_from(["", "costs", "convergence", "schedule", "memory", "package"]), st.integers(-1, 1), st.none(),
        st.floats(0.1, 60.0), st.floats(0.0, 5.0), notes=words, folded=folded(),
    )  # fmt: skip


@SHORT
@given(frames=st.lists(keyframes() | comparisons(), min_size=1, max_size=4))
def test_written_stories_are_read_again(
    tmp_path_factory: pytest.TempPathFactory, frames: list[Keyframe]
) -> None:
    folder = tmp_path_factory.mktemp("story")
    story = replace(small(folder)[0], keyframes=tuple(frames))
    path = write_story(folder / "a.story.json", story)
    assert read_story(path) == story and is_story(path)
    again = write_story(folder / "b.story.json", read_story(path))
    assert again.read_bytes() == path.read_bytes()


def test_a_story_is_evaluated_from_nothing(tmp_path: Path) -> None:
    story, problem = small(tmp_path)
    found = opened(write_story(tmp_path / "a.story.json", story))
    assert [plan.objective for plan in found.plans] == [
        problem.evaluate(plan.decision).objective for plan in found.plans
    ]
    assert found.plans[0].problem is found.plans[1].problem, "plans of one problem share it"
    assert [len(bounds) for bounds in found.bounds] == [1, 1] and found.notes == ()
    assert found.story is not None and story.duration == pytest.approx(0.8 + 4 + 2.5 + 0.8 + 1)


def test_large_plans_take_little_room() -> None:
    path = STORIES / "package.story.json"
    assert path.stat().st_size < 20_000 * len(read_story(path).plans)


# ------------------------------------------------------------------------------------------------------------ disbelief
def test_figures_that_no_longer_agree_are_told(tmp_path: Path) -> None:
    def lie(data: Any) -> None:
        data["plans"][0]["data"]["evaluation"]["components"]["bottleneck"] = 1e-30
        data["plans"][1]["data"]["evaluation"]["valid"] = False
        data["plans"][1]["data"]["bounds"][0]["value"] = 1e9

    notes = opened(written(tmp_path, lie)).notes
    assert any("plan number 1 ('all on 0'): the file says bottleneck is 1e-30" in note for note in notes)
    assert any("the file says that it breaks rules, evaluated anew it is valid" in note for note in notes)
    assert any("was dropped" in note for note in notes)


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "../tiny.json", "a/../../b.json", "C:\\x.json", "a\\b.json", "~/x.json", "file:x", "a//b", "sample:", "sample:../x",
     "sample:a/b", ""],
)  # fmt: skip
def test_paths_stay_inside_the_folder(tmp_path: Path, path: str) -> None:
    with pytest.raises(StoryError):
        read_story(written(tmp_path, lambda data: data["models"][0].update(paths=[path])))


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    path = written(inside, lambda data: None)
    (inside / "tiny.json").rename(tmp_path / "outside.json")
    (inside / "tiny.json").symlink_to(tmp_path / "outside.json")
    with pytest.raises(StoryError, match="leads out of the story's folder"):
        opened(path)


def test_a_model_that_is_elsewhere_can_be_given(tmp_path: Path) -> None:
    path = written(tmp_path, lambda data: None)
    other = tmp_path / "other"
    other.mkdir()
    (tmp_path / "tiny.json").rename(other / "renamed.json")
    with pytest.raises(StoryError, match=r"'tiny\.json' is not in .*name its file"):
        opened(path)
    assert len(opened(path, [other / "renamed.json"]).plans) == 2
    with pytest.raises(StoryError, match=r"was made for another tiny\.json"):
        opened(path, [sample("unet.onnx")])


CHANGES: dict[str, Any] = {
    "another format": (lambda d: d.update(format="x"), "is not a Stageboard story"),
    "a later version": (lambda d: d.update(version=2), "version 2 of the story format"),
    "a field too many": (lambda d: d["keyframes"][0].update(captoin="x"), "field 'captoin', which is not known"),
    "no keyframes": (lambda d: d.update(keyframes=[]), "0 keyframes; it must have from 1"),
    "too many keyframes": (lambda d: d.update(keyframes=d["keyframes"] * 100), "300 keyframes"),
    "a plan that is not there": (lambda d: d["keyframes"][0].update(plan=7), "names plan 7"),
    "a model that is not there": (lambda d: d["plans"][0].update(model=3), "is of model 3"),
    "an unknown view": (lambda d: d["keyframes"][0].update(view="map"), "'map'; choose from flow"),
    "an order's view": (lambda d: d["keyframes"][0].update(view="network"), "choose 'flow', 'lanes' or 'stages'"),
    "a package of a pipeline": (lambda d: d["keyframes"][0].update(view="package"), "is for a pipeline, which has none"),
    "a panel of a package": (lambda d: d["keyframes"][0].update(panel="package"), "is for a pipeline, which has none"),
    "an unknown op": (lambda d: d["keyframes"][0].update(highlight=["nobody"]), "highlights 'nobody'"),
    "a camera of no size": (lambda d: d["keyframes"][1]["camera"].update(width=0), "width of a camera is 0"),
    "endless": (lambda d: d["keyframes"][0].update(hold=1e9), "is 1e+09; it must be from"),
    "endless notes": (lambda d: d["keyframes"][0].update(notes="x" * 4001), "the text of a keyframe's notes has 4,001 characters"),
    "notes in numbers": (lambda d: d["keyframes"][0].update(notes=7), "notes"),
    "no title": (lambda d: d.update(title=" "), "title must be text that is not empty"),
    "no decision": (lambda d: d["plans"][0]["data"].pop("decision"), "has no decision"),
    "another decision": (lambda d: d["plans"][0]["data"]["decision"].update(kind="slots"), "of kind 'slots'"),
    "a word in the decision": (lambda d: d["plans"][0]["data"]["decision"].update(packed="0*2 x"), "has 'x' where"),
    "a huge run": (lambda d: d["plans"][0]["data"]["decision"].update(packed="0*2000000000 " * 9), "18,000,000,000 ops"),
    "a huge number": (lambda d: d["plans"][0]["data"]["decision"].update(packed="0*9999999999"), "where a device"),
    "a device too many": (lambda d: d["plans"][0]["data"]["decision"].update(packed="5*8"), "names device 5"),
    "no text": (lambda d: d["plans"][0]["data"]["decision"].update(packed=[1]), "it must be text"),
    "another target": (lambda d: d["plans"][0]["data"]["problem"]["target"].update(kind="cloud"), "cloud"),
    "a huge size": (lambda d: d["plans"][0]["data"]["problem"]["target"].update(memory=10**400), "too large"),
    "a huge camera": (
        lambda d: d["keyframes"][0].update(camera={"x": 10**400, "y": 0, "width": 1, "height": 1}), "keyframe number 1: camera: x is an integer",
    ),
    "an op that is not there": (
        lambda d: d["keyframes"][0].update(folded=[{"name": "all", "ops": "0-8"}]), "keyframe number 1 folds op number 8 into 'all', and tiny has 8 ops",
    ),
    "an op in two groups": (
        lambda d: d["keyframes"][1].update(folded=[{"name": "a", "ops": "0-3"}, {"name": "b", "ops": "3"}]), "folds op number 3 in two groups",
    ),
    "ops that do not ascend": (lambda d: d["keyframes"][0].update(folded=[{"name": "a", "ops": "3-1"}]), "ops that do not ascend"),
    "a word among ops": (lambda d: d["keyframes"][0].update(folded=[{"name": "a", "ops": "0 x"}]), "has 'x' where an op's number"),
    "a group of no ops": (lambda d: d["keyframes"][0].update(folded=[{"name": "a", "ops": ""}]), "must be text that is not empty"),
    "a huge group": (lambda d: d["keyframes"][0].update(folded=[{"name": "a", "ops": "0-2147483647"}]), "folds op number 2,147,483,647"),
    "a number beyond all": (lambda d: d["keyframes"][0].update(folded=[{"name": "a", "ops": "9999999999"}]), "where an op's number"),
    "endless runs": (
        lambda d: d["keyframes"][0].update(folded=[{"name": "a", "ops": "0 " * 20_001}]), "have 20,001 runs of ops; at most 20,000",
    ),
    "many groups of many runs": (
        lambda d: d["keyframes"][0].update(folded=[{"name": "a", "ops": " ".join(map(str, range(i, 40_000, 4)))} for i in range(0, 3)]),
        "have 30,000 runs of ops",
    ),
    "too many groups": (
        lambda d: d["keyframes"][0].update(folded=[{"name": "a", "ops": str(i)} for i in range(10_001)]), "folds 10,001 groups; at most 10,000",
    ),
    "groups without names": (lambda d: d["keyframes"][0].update(folded=[{"ops": "0"}]), "name"),
    "files and words": (lambda d: d["models"][0].update(generate="mlp"), "give one of the two"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_what_is_wrong_is_said_in_one_sentence(tmp_path: Path, name: str) -> None:
    change, words = CHANGES[name]
    with pytest.raises(StoryError) as caught:
        opened(written(tmp_path, change))
    assert words in str(caught.value) and "\n" not in str(caught.value)


def reads_or_says_why(path: Path) -> None:
    try:
        found = opened(path)
    except StageboardError as error:
        assert "\n" not in str(error) and len(str(error)) < 700
    else:
        assert len(found.plans) == len(found.story.plans)


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value, as keys from the top."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, entry in inner for place in [(*at, key), *places(entry, (*at, key))]]


ODD = st.sampled_from(
    [None, True, -1, 0, 2**40, 1e308, -0.5, "", "x" * 5000, "\ud800", [], {}, [[]], "0*3", "sample:unet.onnx"]
)


@SHORT
@given(data=st.data())
def test_whatever_stands_in_a_file_it_is_a_story_or_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    def change(value: Any) -> None:
        for _ in range(data.draw(st.integers(1, 3))):
            place = data.draw(st.sampled_from(places(value)))
            holder = value
            for key in place[:-1]:
                holder = holder[key]
            holder[place[-1]] = data.draw(ODD)

    reads_or_says_why(written(tmp_path_factory.mktemp("odd"), change))


@SHORT
@given(data=st.data())
def test_mutated_bytes(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    path = written(tmp_path_factory.mktemp("bytes"), lambda value: None)
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 4))] = data.draw(
            st.one_of(st.binary(max_size=4), st.sampled_from([b"-", b"1e999", b'"', b"9" * 30, b"NaN"]))
        )
    path.write_bytes(bytes(content) or b"x")
    reads_or_says_why(path)


# ------------------------------------------------------------------------------------------------------------ models
def test_models_are_generated(tmp_path: Path) -> None:
    from planner.generate.catalogue import generate_network

    network = generate_network("mlp", {"width": "6", "depth": "2"}, 3)
    problem = NetworkProblem(network, TwoLevelMemory(4))
    plan = problem.plan(np.arange(network.connection_count), Provenance("hand"))
    model = StoryModel((), network.fingerprint, generate="mlp seed=3 width=6 depth=2")
    last = network.connection_count
    frames = (Keyframe("a", "b", 0, "network", at=last, highlight=("0",)),)
    story = Story("t", "", (model,), (pack(plan),), frames)
    assert resolve(story, tmp_path).models[0].fingerprint == network.fingerprint
    for words, why in (
        ("pruned file=/etc/passwd", "reads a file"), ("mlp width", "is not KEY=VALUE"), ("mlp seed=-1", "with seed"),
        ("regal-lik", "no kind|not a graph|no network|regal"), ("mlp width=7 depth=2", "made for another"),
    ):  # fmt: skip
        with pytest.raises(StageboardError, match=why):
            resolve(replace(story, models=(replace(model, generate=words),)), tmp_path)
    for keyframe, why in (
        (replace(frames[0], at=last + 1), "lower its 'at'"),
        (replace(frames[0], highlight=("-1",)), "highlights"),
    ):
        with pytest.raises(StoryError, match=why):
            resolve(replace(story, keyframes=(keyframe,)), tmp_path)


def test_models_travel_with_the_story(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    (here / "deep").mkdir(parents=True)
    there.mkdir()
    (here / "deep" / "a.json").write_text("inside")
    (there / "b.json").write_text("outside")
    files = [MODELS / "unet.onnx", here / "deep" / "a.json", there / "b.json"]
    named = portable_paths(files, here)
    assert named.names == ("sample:unet.onnx", "deep/a.json", "b.json")
    assert named.copied == (here / "b.json",) and (here / "b.json").read_text() == "outside"
    assert portable_paths(files, here) == (named.names, ()), "what is there already is not copied again"
    (there / "b.json").write_text("changed")
    assert portable_paths([there / "b.json"], here).names == ("b-2.json",)
    with pytest.raises(StoryError, match="does not exist"):
        portable_paths([there / "none.json"], here)


@given(
    st.integers(1, 60).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(0, n - 1), min_size=1)))
)
def test_folded_groups_hold_their_ops(drawn: tuple[int, set[int]]) -> None:
    n, chosen = drawn
    ops = np.array(sorted(chosen), np.int32)
    group = FoldedGroup.of("block", ops)
    assert ops_of(group).tolist() == ops.tolist() and FoldedGroup("block", group.ops) == group
    assert (missing_op([group], n) is None) and missing_op([group], int(ops[-1])) == (group, int(ops[-1]))


def test_folded_groups_are_a_grouping_of_the_graph() -> None:
    graph = tiny_graph()
    groups = (FoldedGroup("b", "4-5 7"), FoldedGroup("a", "1"))
    view = grouping_of(graph, groups)
    assert view is not None and view.names[:2] == ("b", "a") and len(view.names) == graph.n - 4 + 2
    assert [view.ops(g).tolist() for g in (0, 1)] == [[4, 5, 7], [1]]
    assert [view.names[g] for g in view.group_of.tolist()] == [
        "b" if v in (4, 5, 7) else "a" if v == 1 else graph.op_names[v] for v in range(graph.n)
    ]
    assert grouping_of(graph, ()) is None


def test_folded_groups_are_written_where_there_are_any(tmp_path: Path) -> None:
    story, _ = small(tmp_path)
    assert all("folded" not in keyframe for keyframe in to_dict(story)["keyframes"])
    first, *rest = story.keyframes
    folds = replace(story, keyframes=(replace(first, folded=(FoldedGroup("conv", "0-2 5"),)), *rest))
    assert to_dict(folds)["keyframes"][0]["folded"] == [{"name": "conv", "ops": "0-2 5"}]
    back = opened(write_story(tmp_path / "folds.story.json", folds))
    assert back.story == folds


def test_networks_have_no_groups() -> None:
    network = read_network([MODELS / "mlp_100.npz"])
    plan = NetworkProblem(network, TwoLevelMemory(30)).plan(theorem_1_order(network), Provenance("theorem-1"))
    model = StoryModel(("mlp_100.npz",), network.fingerprint)
    keyframe = Keyframe("", "", 0, "network", folded=(FoldedGroup("a", "0-3"),))
    with pytest.raises(StoryError, match="keyframe number 1 folds groups of ops, which networks do not have"):
        Story("Orders", "", (model,), (pack(plan),), (keyframe,))


def test_a_colouring_is_written_where_it_is_not_by_stage(tmp_path: Path) -> None:
    story, _ = small(tmp_path)
    assert all("colouring" not in keyframe for keyframe in to_dict(story)["keyframes"])
    first, *rest = story.keyframes
    heat = replace(story, keyframes=(replace(first, colouring="bytes"), *rest))
    assert to_dict(heat)["keyframes"][0]["colouring"] == "bytes"
    assert read_story(write_story(tmp_path / "heat.story.json", heat)) == heat
    with pytest.raises(StoryError, match="the colouring of a keyframe is 'mood'; choose from stage, time"):
        replace(first, colouring="mood")
