"""The fastest Edge TPU pipeline: the best of all plans on small problems, and what it says of known networks."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import PlannerRefusal
from planner.formats import read_model, read_models
from planner.machines.catalogue import bound_method, default_bound, own_planner, planner, unasked_bounds
from planner.machines.edge_tpu.fastest import arcs as edge_fastest_arcs
from planner.machines.edge_tpu.fastest import search as edge_fastest_search
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.model.cost_model import fill
from planner.model.graph import Graph, Op, Tensor
from planner.model.samples import sample
from planner.problem.problem import Pin, Problem, Together
from planner.search.run import run, run_bound
from planner.search.stop import Cancel
from tests.planner.machines.edge_tpu import reference
from tests.planner.machines.edge_tpu.brute import valid_plans
from tests.planner.machines.edge_tpu.strategies import edge_problems

FASTEST = "edge-tpu-fastest"


def least(problem: Problem) -> float | None:
    """The least time per inference of all valid plans."""
    plans = valid_plans(problem).tolist()
    return min((reference.interval(problem, device_of) for device_of in plans), default=None)


@given(edge_problems(objective="inference-time", most=5))
@settings(max_examples=40)
def test_no_plan_is_faster(problem: Problem) -> None:
    result = run(planner(FASTEST), problem)
    best = least(problem)
    if best is None:
        assert result.status == "infeasible" and result.device_of is None
        return
    assert result.status == "optimal" and result.device_of is not None
    assert result.objective == pytest.approx(best, rel=1e-9)
    assert problem.evaluate(result.device_of).valid
    for bound in result.bounds:
        assert bound.value <= best * (1 + 1e-12)


@given(edge_problems(objective="inference-time", most=5))
@settings(max_examples=40)
def test_the_bound_is_the_least_time_and_comes_without_plans(problem: Problem) -> None:
    result = run_bound(bound_method("fastest"), problem)
    best = least(problem)
    assert result.device_of is None
    values = [bound.value for bound in result.bounds]
    if best is None:
        assert values[-1] == math.inf
        return
    assert max(values) == pytest.approx(best, rel=1e-6) and max(values) <= best * (1 + 1e-12)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edge_fastest_search, "MOST_IDEALS", 0)
        few = run_bound(bound_method("fastest"), problem)
    assert few.device_of is None and all(bound.value <= best * (1 + 1e-12) for bound in few.bounds)


def test_a_plan_for_speed_is_proven_unasked() -> None:
    problem = Problem(fill(read_model(sample("branchy_int8.tflite"))), EdgeTpuPipeline(3), "inference-time")
    assert "fastest" in [method.name for method in unasked_bounds(problem)]
    plan = run(planner(FASTEST), problem)
    proven = run_bound(bound_method("auto"), problem)
    strongest = problem.strongest_bound(proven.bounds)
    assert strongest is not None and strongest.method == "fastest"
    proofs = run(planner(FASTEST), problem).bounds
    assert FASTEST not in {bound.method for bound in proofs}, "one name, whoever runs the method"
    assert strongest.value == pytest.approx(plan.objective, rel=1e-6)


@given(edge_problems(objective="inference-time", least=4, most=6), st.integers(0, 2**30))
@settings(max_examples=40)
def test_orders_alone_give_valid_plans(problem: Problem, seed: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edge_fastest_search, "MOST_IDEALS", 0)
        result = run(planner(FASTEST), problem, seed=seed, options={"orders": 5})
        again = run(planner(FASTEST), problem, seed=seed, options={"orders": 5})
    best = least(problem)
    if best is None:
        assert result.status == "infeasible"
        return
    assert result.device_of is not None and result.objective is not None
    assert problem.evaluate(result.device_of).valid and result.objective >= best * (1 - 1e-12)
    assert again.device_of is not None and (again.device_of == result.device_of).all()


@given(edge_problems(objective="inference-time", least=4, most=7))
@settings(max_examples=20)
def test_a_start_is_kept_or_beaten(problem: Problem) -> None:
    plans = valid_plans(problem)
    if len(plans):
        start = plans[len(plans) // 2].astype(np.int32)
        result = run(planner(FASTEST), problem, starts=[start])
        assert result.objective is not None
        assert result.objective <= problem.evaluator.objective(start) and result.status == "optimal"


def test_two_things_by_hand() -> None:
    """Four convolutions in a row, 4 bytes of parameters each, on two stages with 8 bytes of cache."""
    ops = [
        Op(f"o{i}", f"o{i}", "Conv2D", work=w, param_bytes=4.0) for i, w in enumerate((1.0, 1.0, 1.0, 5.0))
    ]
    tensors = [Tensor(f"o{i}", (f"o{i + 1}",), 1.0) for i in range(3)]
    graph = fill(Graph.build("row", ops, tensors))
    target = EdgeTpuPipeline(2, cache=8.0, down=4.0, up=4.0, streaming=4.0, host_io=False, scratch=False)
    even = run(planner(FASTEST), Problem(graph, target, "inference-time"))
    assert even.device_of is not None
    # A second of streaming, or a second of work beside the last op.
    assert even.objective == 6.25 and even.device_of.tolist() in ([0, 0, 1, 1], [0, 0, 0, 1])
    alone = replace(target, streaming=8.0)
    uneven = run(planner(FASTEST), Problem(graph, alone, "inference-time"))
    assert uneven.device_of is not None
    assert uneven.objective == 5.75 and uneven.device_of.tolist() == [0, 0, 0, 1]
    slow = run(planner(FASTEST), Problem(graph, replace(target, streaming=2.0), "inference-time"))
    assert slow.device_of is not None
    assert slow.objective == 6.25 and slow.device_of.tolist() == [0, 0, 1, 1]
    own = run(planner(FASTEST), Problem(graph, replace(target, shared_link=False), "inference-time"))
    assert own.device_of is not None
    assert own.objective == 5.25 and own.device_of.tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize("rate", ["streaming", "down", "up"])
def test_a_rate_without_limit(rate: str) -> None:
    graph = read_model("sample_models/resnet50.json")
    target = EdgeTpuPipeline(2, **{rate: float("inf")})
    result = run(planner(FASTEST), Problem(graph, target, "inference-time"))
    assert result.status == "optimal" and result.objective is not None and 0.0 < result.objective < 0.1


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("link", [False, True])
@pytest.mark.parametrize(("model", "stages"), [("resnet101_v2", 5), ("densenet169", 3), ("xception", 6)])
def test_known_networks_are_planned_to_the_end(model: str, stages: int, shared: bool, link: bool) -> None:
    graph = read_model(f"sample_models/{model}.json")
    target = EdgeTpuPipeline(stages, shared_children=shared, shared_link=link)
    problem = Problem(graph, target, "inference-time")
    result = run(planner(FASTEST), problem)
    assert result.status == "optimal" and result.objective is not None
    for name in ("edge-tpu-balanced", "edge-tpu-profiled", "one-device"):
        other = run(planner(name), problem)
        assert other.objective is not None and result.objective <= other.objective * (1 + 1e-9)
    for objective in ("memory-1-2-3", "memory-2-1-3"):
        other = run(planner("edge-tpu-ilp"), Problem(graph, target, objective))
        assert other.device_of is not None
        assert result.objective <= problem.evaluator.objective(other.device_of) * (1 + 1e-9)


def test_the_paper_case_in_which_a_smaller_largest_stage_is_slower() -> None:
    graph = read_model("sample_models/resnet101_v2.json")
    target = EdgeTpuPipeline(5, shared_children=True)
    problem = Problem(graph, target, "inference-time")
    fastest, compiler = run(planner(FASTEST), problem), run(planner("edge-tpu-balanced"), problem)
    memory = run(planner("edge-tpu-ilp"), Problem(graph, target, "memory-1-2-3"))
    assert fastest.objective is not None and compiler.objective is not None and memory.device_of is not None
    assert fastest.objective < compiler.objective < problem.evaluator.objective(memory.device_of)


def test_what_is_not_needed_is_at_the_end() -> None:
    graph = fill(read_model("sample_models/branchy_int8.tflite"))
    result = run(planner(FASTEST), Problem(graph, EdgeTpuPipeline(4), "inference-time"))
    assert result.device_of is not None
    assert np.unique(result.device_of).tolist() == [0]
    pinned = Problem(graph, EdgeTpuPipeline(4), "inference-time", (Pin(graph.op_ids[-1], "stage 2"),))
    result = run(planner(FASTEST), pinned)
    assert result.device_of is not None and pinned.evaluate(result.device_of).valid


def test_constraints_hold() -> None:
    graph = read_model("sample_models/resnet50.json")
    first, last = graph.op_ids[3], graph.op_ids[-1]
    constraints = (Pin(last, "stage 1"), Together((first, graph.op_ids[40])))
    problem = Problem(graph, EdgeTpuPipeline(3), "inference-time", constraints)
    result = run(planner(FASTEST), problem)
    assert result.status == "optimal" and result.device_of is not None
    assert problem.evaluate(result.device_of).valid and result.device_of.max() == 1
    both = (Pin(graph.op_ids[0], "stage 1"), Pin(last, "stage 0"))
    assert run(planner(FASTEST), problem.with_constraints(both)).status == "infeasible"


def test_local_search_on_orders_refuses_what_slicing_does_not_minimise() -> None:
    graph = read_model("sample_models/resnet50.json")
    problem = Problem(graph, EdgeTpuPipeline(3), "inference-time")
    with pytest.raises(PlannerRefusal, match="on orders does not minimise inference-time"):
        run(planner("local-search"), problem, options={"on": "orders"})


def test_defaults() -> None:
    graph = read_model("sample_models/resnet50.json")
    problem = Problem(graph, EdgeTpuPipeline(3), "inference-time")
    assert own_planner(problem).name == FASTEST and default_bound(problem).name == "fastest"


def test_several_networks_are_cut_along_orders() -> None:
    models = ["sample_models/resnet50_v2.json", "sample_models/densenet121.json"]
    problem = Problem(fill(read_models(models)), EdgeTpuPipeline(4), "inference-time")
    result = run(planner(FASTEST), problem, options={"orders": 2}, stop=Looks(60).cancel)
    compiler = run(planner("edge-tpu-balanced"), problem)
    assert result.objective is not None and compiler.objective is not None
    assert result.status == "feasible" and result.objective < compiler.objective


@pytest.mark.parametrize("limit", ["MOST_ARCS", "MOST_CELLS"])
def test_what_is_too_large_to_cut_is_still_planned(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge_fastest_arcs, limit, 100)
    problem = Problem(read_model("sample_models/resnet50.json"), EdgeTpuPipeline(3), "inference-time")
    result = run(planner(FASTEST), problem)
    assert result.device_of is not None and result.status == "feasible"
    assert problem.evaluate(result.device_of).valid


class Looks:
    """Says no from a certain look at the stop criteria on."""

    def __init__(self, at: int) -> None:
        self._left = at

    @property
    def cancel(self) -> Cancel:
        return Cancel(self._over)

    def _over(self) -> bool:
        self._left -= 1
        return self._left < 0


@pytest.mark.parametrize("at", [0, 1, 3, 6, 10, 15, 30])
def test_a_cancel_keeps_the_best_plan_and_sound_bounds(at: int) -> None:
    problem = Problem(read_model("sample_models/densenet121.json"), EdgeTpuPipeline(4), "inference-time")
    whole = run(planner(FASTEST), problem)
    result = run(planner(FASTEST), problem, Looks(at).cancel)
    assert whole.objective is not None
    for bound in result.bounds:
        assert bound.value <= whole.objective * (1 + 1e-12)
    if result.device_of is not None:
        assert problem.evaluate(result.device_of).valid


def detector() -> Problem:
    """The detector on four TPUs, with more ideals than are looked at."""
    graph = fill(read_models([sample("fpn_detector.onnx")]))
    return Problem(graph, EdgeTpuPipeline(4, precision="int8"), "inference-time")


@pytest.mark.parametrize("seed", [0, 1])
def test_a_plan_to_begin_with_never_makes_it_worse(seed: int) -> None:
    """What it finds without one it finds with one, too: also where that leads elsewhere."""
    problem, options = detector(), {"orders": 8}
    alone = run(planner(FASTEST), problem, seed=seed, options=options)
    assert alone.objective is not None and alone.status == "feasible"
    middle = run(own_planner(problem), problem, seed=seed, options={"orders": 1})
    for start in (middle.device_of, np.zeros(problem.graph.n, np.int32)):
        assert start is not None
        found = run(planner(FASTEST), problem, seed=seed, options=options, starts=[start])
        assert found.objective is not None and found.objective <= alone.objective


def test_begun_with_its_own_plan_it_finds_that_again_and_nothing_better() -> None:
    problem, options = detector(), {"orders": 8}
    alone = run(planner(FASTEST), problem, options=options)
    assert alone.device_of is not None and not alone.met
    again = run(planner(FASTEST), problem, options=options, starts=[alone.device_of])
    assert again.objective == alone.objective and again.met and again.own is None
    assert again.found_by == "start"


def test_orders_near_a_better_plan_that_it_was_given_are_cut_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own orders first, then as many near the plan that is better."""
    problem = detector()
    best = run(planner(FASTEST), problem)
    cuts: list[float] = []
    # As if cutting found nothing.
    monkeypatch.setattr(
        edge_fastest_search.FastestSearch,
        "_cut",
        lambda self, lattice, costs, limit, *, proves: cuts.append(limit),
    )
    monkeypatch.setattr(edge_fastest_search, "enumerate_ideals", lambda *_: None)
    monkeypatch.setattr(edge_fastest_search.FastestSearch, "_climb", lambda self, start: None)
    assert best.device_of is not None
    few = run(planner(FASTEST), problem, options={"orders": 1})
    own = len(cuts)
    given = run(planner(FASTEST), problem, options={"orders": 1}, starts=[best.device_of])
    assert few.objective is not None and best.objective is not None
    assert given.objective == best.objective < few.objective and not given.met
    assert given.own is not None and given.own.components == (few.objective,)
    assert cuts == [few.objective] * 2 * own + [best.objective]


def test_where_all_better_plans_are_excluded_a_worse_one_of_its_own_says_nothing() -> None:
    problem = Problem(fill(read_model(sample("branchy_int8.tflite"))), EdgeTpuPipeline(3), "inference-time")
    best = run(planner(FASTEST), problem)
    assert best.device_of is not None
    again = run(planner(FASTEST), problem, starts=[best.device_of])
    assert again.status == "optimal" and again.found_by == "start" and again.own is None
