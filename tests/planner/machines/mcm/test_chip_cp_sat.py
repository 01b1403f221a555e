"""CP-SAT on multi-chip modules: the optimum of brute force, under every switch; bounds below every valid plan."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from functools import cache
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.formats import read_graph
from planner.machines.mcm.bounds.cp_sat import CpSat
from planner.machines.mcm.evaluator import McmEvaluator
from planner.machines.mcm.exact.least import least_cost
from planner.machines.mcm.exact.model import mcm_model
from planner.machines.mcm.exact.relaxation import in_order, pool_problem
from planner.machines.mcm.exact.search import trial_words
from planner.machines.mcm.planners.chip_cp_sat import ChipCpSat
from planner.machines.mcm.target import McmPackage
from planner.machines.several.bounds.simple import Simple
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Pin, Problem, Together
from planner.search.run import run, run_bound
from planner.search.search import Callbacks
from planner.search.stop import Progress, TimeLimit
from tests.planner.machines.mcm import reference as mcm_reference
from tests.planner.machines.mcm.strategies import mcm_problems
from tests.planner.strategies import graphs
from tests.shared_files import shared

small = mcm_problems(most=3, graph=graphs(most=5, training=False))


def plans(problem: Problem) -> itertools.product[tuple[int, ...]]:
    return itertools.product(range(len(problem.devices)), repeat=problem.graph.n)


def optimum(problem: Problem) -> float:
    """The least objective of a valid plan, infinity where there is none."""
    name = problem.objective
    valid = (p for p in plans(problem) if not mcm_reference.violations(problem, p))
    return min((mcm_reference.components(problem, p)[name] for p in valid), default=math.inf)


@settings(max_examples=50)
@given(small, st.booleans())
def test_finds_and_proves_the_optimum_of_brute_force(problem: Problem, relax: bool) -> None:
    best = optimum(problem)
    result = run(ChipCpSat(), problem, options={"relax": 10.0 if relax else 0.0})
    if math.isinf(best):
        assert result.status == "infeasible"
        return
    assert result.status == "optimal"
    assert result.objective == pytest.approx(best, rel=1e-9, abs=1e-9)
    assert result.device_of is not None
    assert not mcm_reference.violations(problem, result.device_of.tolist())


@settings(max_examples=15)
@given(mcm_problems(most=3, graph=graphs(least=3, most=5, training=False), memory=True))
def test_no_bound_is_above_a_valid_plan(problem: Problem) -> None:
    best = optimum(problem)
    for method in (Simple(), CpSat()):
        for bound in run_bound(method, problem).bounds:
            assert bound.value <= best * (1 + 1e-9) + 1e-9
            assert bound.assumes <= problem.assumptions
    least = least_cost(problem)
    assert least.in_order <= least.under_triangle <= best + 1e-9


@settings(max_examples=60)
@given(mcm_problems(most=3, graph=graphs(least=3, most=5, training=False), memory=False))
def test_the_triangle_rule_keeps_what_lies_between_on_two_chips(problem: Problem) -> None:
    for bound in run_bound(Simple(), problem).bounds:
        triangle = "rule:triangle" in bound.assumes
        assumed = replace(problem, target=replace(problem.target, triangle=triangle))  # type: ignore[type-var]
        assert bound.value <= optimum(assumed) * (1 + 1e-9) + 1e-9


def test_a_mask_that_all_layers_read_keeps_them_on_two_chips() -> None:
    ops = [Op(f"op{i}", f"op{i}", work=1.0, work_cpu=1.0) for i in range(12)]
    tensors = [Tensor(f"op{i}", (f"op{i + 1}",), 1.0, 0.0) for i in range(1, 11)]
    tensors.append(Tensor("op0", tuple(f"op{i}" for i in range(1, 12)), 1.0, 0.0))
    graph = Graph.build("masked", ops, tensors)
    target = McmPackage(6, check_memory=False)
    for objective, bound, without in (("chip-latency", 6.0, 2.0), ("latency", 12.0, 12.0)):
        problem = Problem(graph, target, objective)
        found = run_bound(Simple(), problem)
        assert problem.strongest_bound(found.bounds).value == pytest.approx(bound)
        loose = replace(problem, target=replace(target, triangle=False))
        assert loose.strongest_bound(found.bounds).value == pytest.approx(without)
        copies = replace(problem, target=replace(target, copy_sources=2))
        assert least_cost(copies).under_triangle == pytest.approx(
            2.0 if objective == "chip-latency" else 11.0
        )


@settings(max_examples=15)
@given(small)
def test_the_dual_bound_meets_the_optimum(problem: Problem) -> None:
    bound = problem.strongest_bound(run_bound(CpSat(), problem).bounds)
    assert bound is not None
    assert bound.value == pytest.approx(optimum(problem), rel=1e-8, abs=1e-8)


@settings(max_examples=30)
@given(small)
def test_every_valid_plan_keeps_what_the_program_adds(problem: Problem) -> None:
    model = mcm_model(problem)
    for plan in plans(problem):
        if mcm_reference.violations(problem, plan):
            continue
        place = model.place(np.array(plan, np.int32))
        for chord in model.chords:
            assert set(place[chord.inside].tolist()) <= {int(place[chord.u]), int(place[chord.w])}
        assert model.least <= mcm_reference.components(problem, plan)[problem.objective] + 1e-9
        cost = mcm_reference.components(problem, plan)[problem.objective]
        if not problem.evaluator.plain:
            continue
        earliest, latest = model.stages.windows(cost)
        assert (earliest <= place).all()
        assert (place <= latest).all()


@settings(max_examples=30)
@given(small)
def test_the_pool_relaxes_the_module(problem: Problem) -> None:
    pool = pool_problem(problem, len(problem.devices))
    for plan in itertools.islice(plans(problem), 100):
        if mcm_reference.violations(problem, plan):
            continue
        device_of = np.array(plan, np.int32)
        assert not pool.evaluate(device_of).violations
        slowest = float(problem.evaluate(device_of).cost.max(initial=0.0))
        assert pool.evaluator.objective(device_of) <= slowest + 1e-9


@settings(max_examples=30)
@given(mcm_problems(most=4, constraints=False), st.data())
def test_devices_are_put_in_order(problem: Problem, data: st.DataObject) -> None:
    k, n = len(problem.devices), problem.graph.n
    cuts = np.sort(np.array(data.draw(st.lists(st.integers(0, n), min_size=k - 1, max_size=k - 1)), np.int64))
    device_of = np.empty(n, np.int32)
    device_of[problem.graph.topological_order] = np.searchsorted(cuts, np.arange(n), side="right")
    names = np.array(data.draw(st.permutations(range(k))), np.int32)
    ordered = in_order(cast(McmEvaluator, problem.evaluator), names[device_of])
    src, dst = problem.evaluator.edge_src, problem.evaluator.edge_dst
    assert (ordered[src] <= ordered[dst]).all()
    assert set(ordered.tolist()) == set(range(len(set(device_of.tolist()))))
    assert len(set(zip(ordered.tolist(), device_of.tolist(), strict=True))) == len(set(device_of.tolist()))


def chain(*work: float, readers: tuple[int, ...] = ()) -> Graph:
    """Ops in a row; the first is also read by ``readers``."""
    ops = [Op(f"o{i}", f"o{i}", work=w, work_cpu=w) for i, w in enumerate(work)]
    ahead = {0: (1, *readers)}
    tensors = [
        Tensor(f"o{i}", tuple(f"o{j}" for j in ahead.get(i, (i + 1,))), 0.0, 0.0)
        for i in range(len(work) - 1)
    ]
    return Graph.build("chain", ops, tensors)


def test_a_source_that_all_layers_read_leaves_them_two_chips() -> None:
    graph = chain(0.0, 1.0, 1.0, 1.0, 1.0, readers=(2, 3, 4))
    module = McmPackage(4, check_memory=False)
    result = run(ChipCpSat(), Problem(graph, module))
    assert (result.status, result.objective) == ("optimal", 2.0)
    every = run(ChipCpSat(), Problem(graph, McmPackage(4, check_memory=False, every_chip=True)))
    assert every.status == "infeasible"
    copied = McmPackage(4, check_memory=False, every_chip=True, copy_sources=2)
    result = run(ChipCpSat(), Problem(graph, copied))
    assert (result.status, result.objective) == ("optimal", 1.0)


def test_constraints_that_contradict_the_order_are_infeasible() -> None:
    pins = (Pin("o0", "chip 2"), Pin("o3", "chip 1"))
    problem = Problem(chain(1.0, 1.0, 1.0, 1.0), McmPackage(3), constraints=pins)
    assert run(ChipCpSat(), problem).status == "infeasible"
    assert run_bound(CpSat(), problem).bounds[-1].value == math.inf
    apart = (Pin("o0", "chip 0"), Pin("o3", "chip 1"), Together(("o0", "o3")))
    assert run(ChipCpSat(), Problem(chain(1.0, 1.0, 1.0, 1.0), McmPackage(3), constraints=apart)).status == (
        "infeasible"
    )


def test_a_single_sample_waits_for_the_links() -> None:
    graph = chain(2.0, 3.0, 4.0)
    module = McmPackage(3, check_memory=False, every_chip=True, hop=0.5)
    result = run(ChipCpSat(), Problem(graph, module, "latency"))
    assert (result.status, result.objective) == ("optimal", pytest.approx(10.0))
    assert run_bound(Simple(), Problem(graph, module, "latency")).bounds[0].value == pytest.approx(9.0)


def test_plans_that_overfill_a_chip_are_cut_off() -> None:
    # Both sources run before their readers, so two large outputs are there at once: more than any one op needs.
    ops = [Op(i, i, work=1.0, work_cpu=1.0) for i in ("a", "b", "c", "d")]
    tensors = [Tensor("a", ("d",), 3.0, 0.0), Tensor("b", ("c",), 3.0, 0.0), Tensor("c", ("d",), 3.0, 0.0)]
    graph = Graph.build("fork", ops, tensors)
    for sram in (5.0, 6.0, 8.0, 9.0):
        problem = Problem(graph, McmPackage(2, sram=sram))
        best = optimum(problem)
        result = run(ChipCpSat(), problem)
        assert (result.status == "infeasible") == math.isinf(best)
        assert result.objective is None or result.objective == pytest.approx(best)


def test_progress_says_how_near_to_the_bound_a_plan_is_looked_for() -> None:
    assert trial_words(0.0) == "looking for a plan that meets the bound"
    assert trial_words(0.03) == "looking for a plan at most 3 % above the bound"


def test_a_search_ends_when_it_is_told_to() -> None:
    graph = chain(*[1.0 + i % 7 for i in range(60)], readers=tuple(range(10, 20)))
    result = run(ChipCpSat(), Problem(graph, McmPackage(16)), TimeLimit(0.0))
    assert result.stop_reason == "time"


def without_hubs(graph: Graph, most: int = 6) -> Graph:
    """The same ops; what ops without predecessors, or read by more than ``most`` ops, produce is read by nobody."""
    read, reading = np.diff(graph.preds[0]), np.diff(graph.succs[0])
    dropped = (read == 0) | (reading > most)
    ops = [Op(i, i, work=float(w), work_cpu=float(w)) for i, w in zip(graph.op_ids, graph.work, strict=True)]
    tensors = [
        Tensor(
            graph.op_ids[u],
            tuple(
                graph.op_ids[v] for v in graph.consumer_idx[graph.consumer_ptr[t] : graph.consumer_ptr[t + 1]]
            ),
            float(graph.tensor_bytes[t]),
            float(graph.tensor_time[t]),
        )
        for t, u in enumerate(graph.tensor_producer.tolist())
        if not dropped[u]
    ]
    return Graph.build(graph.name, ops, tensors, time_unit=graph.time_unit)


@cache
def bert() -> Graph:
    return without_hubs(
        read_graph(shared("workloads/device-placement/throughput/OperatorGraphs/bert_l-12_inference.json"))
    )


def test_bert_on_twelve_chips_is_optimal() -> None:
    class Bounds(Callbacks):
        reported = 0

        def on_bound(self, bound: object, progress: Progress) -> None:
            self.reported += 1

    module = McmPackage(12, link=math.inf, check_memory=False, every_chip=True)
    listener = Bounds()
    result = run(ChipCpSat(), Problem(bert(), module), callbacks=listener)
    assert result.status == "optimal"
    assert result.objective == pytest.approx(65.6738, abs=1e-4)
    assert listener.reported > 0
