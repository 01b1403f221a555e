"""Pipelines whose blocks hold activations, combine transfers and work otherwise, or form a path: evaluation, planners, bounds."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import PlannerRefusal, TargetError
from planner.machines.catalogue import bound_methods, planners
from planner.machines.pipeline.activations import ActivationEvaluator
from planner.machines.pipeline.orders.annealing import Annealing
from planner.machines.pipeline.orders.ruled import RuledSlicer
from planner.machines.pipeline.orders.slicer import pipeline_units
from planner.machines.pipeline.orders.stage_slicer import slicer_of
from planner.machines.pipeline.target import Pipeline
from planner.machines.spec import parse_target
from planner.machines.trying import find_plan
from planner.methods.orders import depth_first_order, kahn_order
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Pin, Problem
from planner.search.run import run, run_bound
from planner.search.search import Callbacks, Search
from planner.search.stop import Budget, Never
from tests.planner import activations, reference
from tests.planner.strategies import graphs, measured, pipelines, placements, problems, unequal

inference = graphs(most=5, training=False)
BEYOND = ("activations", "communication", "path")


@st.composite
def ruled(
    draw: st.DrawFn, most: int = 3, graph: st.SearchStrategy[Graph] = inference, alike: bool = False
) -> Problem:
    """A pipeline with at least one of the parameters that methods have to know of; streaming is likely."""
    target = draw(pipelines(1, most) if alike else st.one_of(pipelines(1, most), unequal(pipelines(1, most))))
    if draw(st.booleans()) and not isinstance(target.memory, tuple):
        target = replace(target, memory=draw(st.integers(0, 40).map(lambda q: q / 4)), bandwidth=1.0)
    values = {
        "activations": draw(st.sampled_from(["reserve", "depth-first", "peak"])),
        "communication": draw(st.sampled_from(["sum", "overlap", "duplex"])),
        "path": draw(st.booleans()),
    }
    if Pipeline(1, **values) == Pipeline(1):
        values["activations"] = "peak"
    problem = draw(problems(target=st.just(replace(target, **values)), graph=graph))
    return draw(measured(problem)) if not alike and draw(st.booleans()) else problem


@pytest.mark.coverage
@given(st.data())
def test_costs_are_those_of_the_formulas(data: st.DataObject) -> None:
    problem = data.draw(ruled(graph=graphs(most=7)))
    device_of = data.draw(placements(problem))
    evaluation = problem.evaluate(np.array(device_of, np.int32))
    for d in range(len(problem.devices)):
        assert evaluation.cost[d] == pytest.approx(reference.cost(problem, device_of, d), rel=1e-9, abs=1e-9)
    assert evaluation.objective == pytest.approx(reference.objective(problem, device_of))
    assert {v.kind for v in evaluation.violations} == reference.broken(problem, device_of)
    if problem.target.activations != "reserve":
        for d in range(len(problem.devices)):
            block = {v for v in range(problem.graph.n) if device_of[v] == d}
            peak = activations.peak(reference.tensors(problem.graph), block, problem.target.activations)
            assert evaluation.details["activations"][d] == pytest.approx(peak, abs=1e-9)
            held = sum(float(problem.graph.param_bytes[v]) for v in block)
            assert evaluation.details["parameters"][d] == pytest.approx(held, abs=1e-9)
            assert evaluation.memory[d] == pytest.approx(held + peak, abs=1e-9)


@settings(max_examples=60)
@given(st.data())
def test_no_order_has_a_lower_peak_than_the_least_and_two_are_no_worse_than_one(data: st.DataObject) -> None:
    graph = data.draw(inference)
    tensors = reference.tensors(graph)
    block = data.draw(st.sets(st.integers(0, graph.n - 1), min_size=1))
    least = activations.least_peak(tensors, block)
    one, two = (activations.peak(tensors, block, name) for name in ("depth-first", "peak"))
    assert least <= two + 1e-9
    assert two <= one + 1e-9


@pytest.mark.coverage
@given(st.data())
def test_live_evaluation_follows_any_moves_and_foretells_them(data: st.DataObject) -> None:
    problem = data.draw(ruled(graph=graphs(most=7)))
    live = problem.live(data.draw(placements(problem)))
    devices = st.integers(0, len(problem.devices) - 1)
    for _ in range(data.draw(st.integers(1, 5))):
        ops = data.draw(st.lists(st.integers(0, problem.graph.n - 1), min_size=1, max_size=4, unique=True))
        check, delta = live.check(ops), live.delta(ops)
        for d in range(len(problem.devices)):
            after = live.device_of.copy()
            after[ops] = d
            evaluation = problem.evaluate(after)
            assert delta.objective[d] == pytest.approx(evaluation.objective)
            assert delta.cost[d] == pytest.approx(evaluation.cost)
            assert delta.memory[d] == pytest.approx(evaluation.memory)
            if not live.violations:
                assert check.legal[d] == (not evaluation.violations)
        if data.draw(st.booleans()):
            live.apply(ops, data.draw(devices))
        else:
            live.apply(ops, data.draw(st.lists(devices, min_size=len(ops), max_size=len(ops))))
        if data.draw(st.integers(0, 3)) == 0:
            live.undo()
        fresh = problem.live(live.device_of)
        assert live.held == pytest.approx(fresh.held, abs=1e-9)
        assert live.used == pytest.approx(fresh.used, abs=1e-9)
        assert live.objective == pytest.approx(fresh.objective)


@pytest.mark.coverage
def test_peaks_stay_right_when_loads_are_summed_afresh() -> None:
    live = Problem(chain_graph(6), Pipeline(2, memory=3.0, bandwidth=1.0, activations="peak")).live([0] * 6)
    for i in range(live.RESYNC_EVERY + 3):
        live.apply([5], (i + 1) % 2)
    assert live.held == pytest.approx(live.evaluator.problem.live(live.device_of).held)


@settings(max_examples=150)
@given(ruled(), st.integers(0, 999))
def test_slicing_an_order_is_the_best_of_all_its_slicings(problem: Problem, seed: int) -> None:
    units = pipeline_units(problem)
    if units.blocked >= 0:
        assert math.isinf(reference.optimum(problem)[0])
        return
    order = kahn_order(*units.succs, np.random.default_rng(seed).random(units.count))
    groups = [np.flatnonzero(units.unit_of == u).tolist() for u in order]
    best = math.inf
    for cut in reference.slicings(groups, len(problem.devices), chain=True):
        device_of = [cut[v] for v in range(problem.graph.n)]
        if not reference.broken(problem, device_of):
            best = min(best, reference.objective(problem, device_of))
    slicer = slicer_of(units)
    found = slicer.solve(order, Search(problem, Never(), Callbacks(), 0, {}))
    if found is None:
        assert math.isinf(best)
    else:
        assert found[0] == pytest.approx(best)
        plan = found[1][units.unit_of]
        assert not problem.evaluator.violations(plan)
        assert problem.evaluator.objective(plan) == pytest.approx(best)


@settings(max_examples=60)
@given(ruled(), st.integers(1, 99))
def test_annealing_keeps_costs_and_rules_while_units_move(problem: Problem, seed: int) -> None:
    units = pipeline_units(problem)
    slicer, rng = slicer_of(units), np.random.default_rng(seed)
    found = slicer.solve(depth_first_order(*units.succs), Search(problem, Never(), Callbacks(), 0, {}))
    if found is None:
        return
    e = problem.evaluator
    annealing = Annealing(units, slicer.network, rng, 3.0)
    annealing._per_call = 10
    for _ in annealing.run(found[1], max(found[0], 1.0), 100.0, 1.0, 0.5):
        placed = annealing._placement
        device_of = placed.block_of[units.unit_of]
        assert not reference.broken(problem, device_of.tolist())
        assert placed.cost == pytest.approx(e.evaluate(device_of).cost)
    plan = annealing.block_of[units.unit_of]
    assert not reference.broken(problem, plan.tolist())
    assert annealing.best == pytest.approx(reference.objective(problem, plan.tolist()))
    assert annealing.best <= found[0] * (1 + 1e-9)


@settings(max_examples=30)
@given(ruled(graph=graphs(most=4, training=False)), st.integers(0, 9))
def test_annealing_finds_the_best_plan_of_tiny_pipelines(problem: Problem, seed: int) -> None:
    planner = planners()["anneal"]
    if planner.refusal(problem) is not None:
        return
    best, _ = reference.optimum(problem)
    found = run(planner, problem, seed=seed, options={"rounds": 2, "moves": 500, "orders": 64})
    if found.device_of is None:
        assert math.isinf(best)
    else:
        assert not problem.evaluator.violations(found.device_of)
        assert found.objective == pytest.approx(best)


def test_a_long_order_is_sliced_in_several_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planner.machines.pipeline.orders.ruled.STEPS_PER_CALL", 5)
    problem = Problem(chain_graph(12), Pipeline(3, memory=6.0, bandwidth=1.0, activations="peak", path=True))
    units = pipeline_units(problem)
    slicer, order = RuledSlicer(units), depth_first_order(*units.succs)
    search = Search(problem, Never(), Callbacks(), 0, {})
    found = slicer.best(order, search)
    assert found is not None
    best = min(
        problem.evaluator.objective(np.array([cut[v] for v in range(12)], np.int32))
        for cut in reference.slicings([[v] for v in order.tolist()], 3, chain=True)
        if not problem.evaluator.violations(np.array([cut[v] for v in range(12)], np.int32))
    )
    assert found[0] == pytest.approx(best)
    assert slicer.best(order, search, found[0]) is None
    assert [problem.evaluator.objective(p) for p in slicer.slicings(order, search)][-1] == pytest.approx(best)


@settings(max_examples=25)
@given(ruled(alike=True), st.integers(0, 9))
def test_every_planner_is_valid_or_refuses_in_one_sentence(problem: Problem, seed: int) -> None:
    best, _ = reference.optimum(problem)
    small = {"population": 6, "generations": 2}
    little = {"rounds": 1, "moves": 200, "orders": 10}
    options = {
        "slice-random": {"orders": 10},
        "brkga": small,
        "mla": small,
        "mla-weighted": small,
        "anneal": little,
    }
    asked = 0
    for name in ("slice", "slice-random", "brkga", "mla", "mla-weighted", "local-search", "one-device",
                 "anneal", "chain-dp", "blocks", "mtpp-mip", "mtpp-cp-sat"):  # fmt: skip
        planner = planners()[name]
        if planner.refusal(problem) is not None:
            sentence = planner.refusal(problem)
            assert sentence is not None
            assert any(key in sentence for key in (*BEYOND, "constraints")), sentence
            with pytest.raises(PlannerRefusal):
                run(planner, problem)
            continue
        asked += 1
        result = run(planner, problem, seed=seed, options=options.get(name, {}))
        if result.device_of is None:
            continue
        assert not problem.evaluator.violations(result.device_of), name
        assert result.objective is not None
        assert result.objective >= best * (1 - 1e-9), name
    assert asked >= 7


@pytest.mark.coverage
@pytest.mark.parametrize(("name", "options"), [("mtpp-cp-sat", {}), ("mtpp-mip", {"solver": "highs"})])
@settings(max_examples=25)
@given(ruled(graph=graphs(most=6, training=False)), st.booleans())
def test_the_exact_programs_prove_the_best_plan(
    name: str, options: dict[str, object], problem: Problem, path: bool
) -> None:
    target = replace(problem.target, activations="reserve", path=path)
    problem = replace(problem, target=target)
    best, _ = reference.optimum(problem)
    found = run(planners()[name], problem, options={"split": 0.0, **options})
    bound = problem.strongest_bound(found.bounds)
    assert bound is not None
    if math.isinf(best):
        assert found.status == "infeasible"
        return
    assert found.device_of is not None and not reference.broken(problem, found.device_of.tolist())
    assert found.objective == pytest.approx(best)
    assert best * (1 - 1e-5) - 1e-9 <= bound.value <= best * (1 + 1e-9) + 1e-9


@settings(max_examples=40)
@given(ruled())
def test_no_bound_is_above_the_best_plan(problem: Problem) -> None:
    best, _ = reference.optimum(problem)
    served = 0
    for name, method in bound_methods().items():
        if problem.target.kind not in method.targets:
            continue
        if method.refusal(problem) is not None:
            with pytest.raises(PlannerRefusal):
                run_bound(method, problem)
            continue
        served += 1
        options = {"time": 2.0} if any(o.name == "time" for o in method.options) else {}
        result = run_bound(method, problem, options=options)
        assert result.problem is problem
        bound = problem.strongest_bound(result.bounds)
        if bound is not None:
            assert bound.value <= best * (1 + 1e-9) or math.isinf(best), name
    assert served >= 1


@settings(max_examples=30)
@given(ruled(alike=True))
def test_without_a_planner_named_there_is_a_plan_where_slicing_finds_one(problem: Problem) -> None:
    tried = find_plan(problem, Budget())
    sliced = run(planners()["slice"], problem)
    if sliced.device_of is not None:
        assert tried.result.objective is not None
        assert tried.result.objective <= sliced.objective * (1 + 1e-9)


def chain_graph(n: int) -> Graph:
    """A chain with a skip from each third op over two others."""
    ops = [Op(str(i), str(i), work=1.0 + i % 2, work_cpu=1.0, param_bytes=1.0) for i in range(n)]
    tensors = [
        Tensor(
            str(i), tuple(str(j) for j in sorted({i + 1, min(n - 1, i + 3) if i % 3 == 0 else i + 1})), 1.0
        )
        for i in range(n - 1)
    ]
    return Graph.build("chain", ops, tensors)


def test_a_path_is_kept_and_said_in_a_sentence() -> None:
    ops = [Op(i, i, work=1.0, work_cpu=1.0) for i in "abc"]
    graph = Graph.build("skip", ops, [Tensor("a", ("b", "c"), 1.0), Tensor("b", ("c",), 1.0)])
    problem = Problem(graph, Pipeline(3, bandwidth=100.0, path=True))
    (violation,) = problem.evaluator.violations(np.array([0, 1, 2], np.int32))
    assert (violation.kind, violation.ops, violation.devices) == ("path", (0, 2), (0, 2))
    assert violation.sentence == "a on stage 0 sends to c on stage 2, which is not next to it"
    assert run(planners()["slice"], problem).objective > 2.0
    apart = problem.with_constraints((Pin("a", "stage 0"), Pin("c", "stage 2")))
    assert run(planners()["slice"], apart).device_of is None


@pytest.mark.coverage
def test_bounds_without_activations_and_path_hold_with_them_but_not_the_other_way_round() -> None:
    graph = chain_graph(5)
    plain = Problem(graph, Pipeline(2, bandwidth=1.0))
    more = Problem(graph, Pipeline(2, bandwidth=1.0, activations="peak", path=True))
    other = Problem(graph, Pipeline(2, bandwidth=1.0, communication="overlap"))
    (bound,) = run_bound(bound_methods()["chain-dp"], plain).bounds[-1:]
    assert more.strongest_bound([bound]) == bound
    assert other.strongest_bound([bound]) is None
    proven = run_bound(bound_methods()["auto"], more).bounds
    assert more.strongest_bound(proven) is not None
    assert not more.easier.target.beyond
    assert more.easier.easier is more.easier
    own = more.bound("bottleneck", 1.0, "mine", more.assumptions)
    assert plain.strongest_bound([own]) is None
    assert len({problem.fingerprint for problem in (plain, more, other)}) == 3


@pytest.mark.coverage
def test_saved_targets_and_specifications_are_as_before_without_the_parameters() -> None:
    assert not set(Pipeline(4).to_dict()) & set(BEYOND)
    target = parse_target("pipeline:3,activations=peak,communication=overlap,path=true")
    assert target == Pipeline(3, activations="peak", communication="overlap", path=True)
    assert parse_target(target.spec()) == target
    assert isinstance(Problem(chain_graph(3), target).evaluator, ActivationEvaluator)
    for wrong in ("activations=most", "communication=both", "path=perhaps"):
        with pytest.raises(TargetError):
            parse_target(f"pipeline:2,{wrong}")
    with pytest.raises(TargetError, match="must be true or false"):
        Pipeline(2, path=1)  # type: ignore[arg-type]


def test_a_block_runs_in_the_order_of_its_peak() -> None:
    """Two branches that end in small tensors: depth-first by smallest id keeps the large one of the first."""
    ops = [Op(i, i, work=1.0, work_cpu=1.0) for i in "abcde"]
    tensors = [
        Tensor("a", ("d",), 8.0), Tensor("b", ("c",), 8.0), Tensor("c", ("e",), 1.0), Tensor("d", ("e",), 1.0),
    ]  # fmt: skip
    graph = Graph.build("branches", ops, tensors)
    for name in ("depth-first", "peak"):
        problem = Problem(graph, Pipeline(1, memory=1.0, bandwidth=1.0, activations=name))
        e = problem.evaluator
        assert isinstance(e, ActivationEvaluator)
        everything = np.zeros(5, np.int32)
        order = e.running_order(everything, 0).tolist()
        found = activations.live_bytes(reference.tensors(graph), set(range(5)), order)
        assert max(found) == e.peaks(everything)[0]
