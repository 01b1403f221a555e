"""Whatever a model and a machine may hold, the plan that is written can be read again, and says the same."""

from __future__ import annotations

import json
import math
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import ModelError, PlanError, StageboardError, TargetError
from planner.formats.graphs import stageboard_json
from planner.formats.networks.npz import write_network
from planner.formats.networks.read import read_network
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.machines.several.bounds.simple import Simple
from planner.machines.two_level_memory.problem import NetworkProblem, OrderPlan
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.model.cost_model import fill
from planner.model.graph import LARGEST_COST, Graph, Op, Tensor
from planner.plan_files.order_json import open_network_plan
from planner.plan_files.plan_json import open_plan, write_plan
from planner.problem.bound import Bound
from planner.problem.problem import Plan, Problem
from planner.problem.provenance import Entrant, Provenance, RaceRecord
from planner.problem.target import LARGEST, SMALLEST, Target
from planner.search.run import run_bound
from planner.story.files.json import read_story, write_story
from planner.story.files.plans import pack, resolve
from planner.story.keyframe import Keyframe
from planner.story.story import Story
from planner.story.subject import StoryModel
from tests.planner.machines.two_level_memory.strategies import networks, orders

COSTS = st.one_of(
    st.sampled_from([0.0, 1e-12, 1.0, LARGEST_COST]), st.floats(1e-12, 1e-9), st.floats(1e27, LARGEST_COST)
)
RATES = st.one_of(st.sampled_from([SMALLEST, 1e-3, 1.0, 1e9, LARGEST]), st.floats(SMALLEST, LARGEST))


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """A DAG of few ops, each of whose costs is next to nothing or as large as a file may say."""
    n = draw(st.integers(1, 6))
    ops = [
        Op(
            f"op{i}", f"op{i}", work=draw(COSTS), work_cpu=draw(COSTS), params=1.0, param_bytes=draw(COSTS),
            macs=draw(COSTS), memory=draw(st.none() | COSTS),
        )
        for i in range(n)
    ]  # fmt: skip
    tensors = [
        Tensor(
            f"op{i}",
            tuple(f"op{j}" for j in sorted(draw(st.sets(st.integers(i + 1, n - 1), max_size=2)))),
            draw(COSTS),
            time=draw(st.none() | COSTS),
        )
        for i in range(n - 1)
    ]
    return fill(Graph.build("extreme", ops, tensors, time_unit="s"))


@st.composite
def targets(draw: st.DrawFn) -> Target:
    rate, size = draw(RATES), draw(st.one_of(RATES, st.just(math.inf)))
    return draw(
        st.sampled_from(
            [
                Pipeline(2, bandwidth=rate, memory=size),
                DevicePool(2, 1, bandwidth=rate, memory=size),
                DevicePool(2, 0, bandwidth=rate, replication=True),
                EdgeTpuPipeline(2, cache=size, down=rate, up=rate, streaming=rate, compute=rate, active_power=rate),
                McmPackage(3, sram=size, link=rate, hop=rate, compute=rate, local=rate),
            ]
        )
    )  # fmt: skip


def proven(problem: Problem) -> tuple[Bound, ...]:
    return tuple(run_bound(Simple(), problem).bounds)


def without_claims(bounds: tuple[Bound, ...]) -> list[Bound]:
    """Bounds but for who says so, those that a file holds: an infinite one says that there is no plan."""
    return [replace(bound, claimed_by="") for bound in bounds if math.isfinite(bound.value)]


def record(bounds: tuple[Bound, ...]) -> Provenance:
    race = RaceRecord((Entrant("simple", True, name="a"),), 0, gap=0.0, time_limit=1e300)
    return Provenance("test", {"share": 1e300}, 2**63 - 1, seconds=1e9, iteration=3, bounds=bounds, race=race)


def there_and_back(plan: Plan | OrderPlan, bounds: tuple[Bound, ...], again: Any, file: Path) -> None:
    write_plan(file, plan, bounds)
    opened = again(file)
    assert opened.notes == ()
    assert opened.plan.decision == plan.decision and opened.plan.problem == plan.problem
    assert opened.plan.evaluation.components == plan.evaluation.components
    assert without_claims(opened.bounds) == without_claims(bounds)
    assert without_claims(opened.plan.provenance.bounds) == without_claims(bounds)
    assert opened.plan.provenance.race == plan.provenance.race


@given(st.data())
def test_plans_of_graphs(data: st.DataObject) -> None:
    graph, target = data.draw(graphs()), data.draw(targets())
    problem = Problem(graph, target, data.draw(st.sampled_from(target.served_objectives())))
    device = st.integers(0, len(problem.devices) - 1)
    bounds = proven(problem)
    plan = problem.plan([data.draw(device) for _ in range(graph.n)], record(bounds), "extreme")
    assert all(map(math.isfinite, plan.evaluation.components.values())), "nothing that is added up overflows"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        there_and_back(plan, bounds, lambda file: open_plan(file, graph), folder / "a.plan.json")
        stageboard_json.write(graph, folder / "model.json", "a test")
        model = StoryModel(("model.json",), graph.fingerprint)
        write_story(
            folder / "a.story.json", Story("A", "", (model,), (pack(plan, bounds),), (Keyframe("", "", 0),))
        )
        told = resolve(read_story(folder / "a.story.json"), folder)
        assert told.notes == () and told.plans[0].evaluation.components == plan.evaluation.components
        assert without_claims(told.bounds[0]) == without_claims(bounds)


@given(st.data())
def test_orders_of_networks(data: st.DataObject) -> None:
    network = data.draw(networks())
    size = data.draw(st.sampled_from([3, 4, 50, 10**6]))
    problem = NetworkProblem(network, TwoLevelMemory(size=size))
    value = data.draw(st.integers(0, 2**60).map(float))
    bounds = (Bound(problem.components[0], value, "simple", "of another problem", seconds=1e300),)
    plan = problem.plan(data.draw(orders(network)), record(bounds), "extreme")
    with tempfile.TemporaryDirectory() as name:
        write_network(network, Path(name) / "net.npz")
        again = read_network(Path(name) / "net.npz")
        there_and_back(plan, bounds, lambda file: open_network_plan(file, again), Path(name) / "a.plan.json")


def test_a_bound_that_says_nothing_is_not_written(tmp_path: Path) -> None:
    graph = fill(Graph.build("small", [Op("a", "a", work=1.0, work_cpu=1.0)], []))
    problem = Problem(graph, Pipeline(1))
    below = [
        problem.bound("bottleneck", value, "rounded", frozenset())
        for value in (-1e-15, -math.inf, math.inf, 0.5)
    ]
    file = write_plan(tmp_path / "a.json", problem.plan([0], Provenance("test")), below)
    assert [bound.value for bound in open_plan(file, graph).bounds] == [0.5]


# ---------------------------------------------------------------------- what is refused
@pytest.mark.parametrize("cost", [1.1e30, 1e308, 10**400])
def test_costs_beyond_what_files_hold_make_no_graph(cost: float) -> None:
    with pytest.raises(ModelError, match=r"op 'a' has .*; it must be (at most 1e\+30|finite)"):
        Graph.build("large", [Op("a", "a", work=cost)], [])


@pytest.mark.parametrize(
    "make",
    [
        lambda value: Pipeline(2, bandwidth=value),
        lambda value: DevicePool(2, 1, memory=value),
        lambda value: EdgeTpuPipeline(2, active_power=value),
        lambda value: McmPackage(2, hop=value),
    ],
)
@pytest.mark.parametrize("value", [1e-300, 1e-61, 1e61, 1e308])
def test_machines_beyond_all_measure_are_refused(make: Any, value: float) -> None:
    with pytest.raises(TargetError, match=r"it must be from 1e-60 to 1e\+60"):
        make(value)


@pytest.mark.parametrize("make", [lambda v: EdgeTpuPipeline(2, idle_power=v), lambda v: McmPackage(2, hop=v)])
def test_times_and_powers_are_finite(make: Any) -> None:
    with pytest.raises(TargetError, match="it must be from"):
        make(math.inf)


@pytest.mark.parametrize(
    ("value", "why"), [(-1.0, "not negative"), (10**400, "finite"), ("1", "a number"), (True, "a number")]
)
def test_what_no_figure_can_be_is_refused(value: Any, why: str, tmp_path: Path) -> None:
    graph = fill(Graph.build("small", [Op("a", "a", work=1.0, work_cpu=1.0)], []))
    problem = Problem(graph, Pipeline(1))
    file = write_plan(tmp_path / "a.json", problem.plan([0], Provenance("test")), proven(problem))
    content = json.loads(file.read_text())
    content["bounds"][0]["value"] = value
    file.write_text(json.dumps(content))
    with pytest.raises(PlanError, match=rf"bound number 1: value is .*; it must be .*{why}") as caught:
        open_plan(file, graph)
    assert isinstance(caught.value, StageboardError)
