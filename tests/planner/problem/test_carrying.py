"""Bounds that hold for other problems than that of which they were proven."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import ConstraintError, TargetError
from planner.generate.catalogue import generate_network
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.model.graph import Graph, Op, Tensor
from planner.problem.bound import Bound
from planner.problem.carrying import carried, ground
from planner.problem.problem import Pin, Problem
from planner.problem.target import Target
from tests.planner.machines.edge_tpu.strategies import edge_graphs, edge_targets
from tests.planner.machines.mcm.strategies import mcm_problems
from tests.planner.strategies import graphs, problems

pytestmark = pytest.mark.coverage

MIB = 2.0**20
LIMIT = {"mcm": "sram", "edge-tpu": "cache", "pool": "memory", "pipeline": "memory"}


def least(problem: Problem) -> tuple[Bound, ...]:
    """What looking at every plan proves of each component: of all valid plans, and of those that do best on the ones before it."""
    plans = itertools.product(range(len(problem.devices)), repeat=problem.graph.n)
    evaluated = [problem.evaluate(np.array(plan, np.int32)) for plan in plans]
    left = [plan.values for plan in evaluated if plan.valid]
    found, reached = [], ()
    for i, name in enumerate(problem.components):
        for given_, among in (((), [plan.values for plan in evaluated if plan.valid]), (reached, left)):
            value = min((values[i] for values in among), default=math.inf)
            found.append(problem.bound(name, value, "all", problem.assumptions, given=given_))
        reached = (*reached, (name, value))
        left = [values for values in left if values[i] <= value]
    return tuple(found)


def changed(draw: st.DrawFn, problem: Problem) -> Problem:
    """The same graph with less or more of the limit, perhaps another objective and a pin more."""
    target, name = problem.target, LIMIT[problem.target.kind]
    share = draw(st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0]))
    now = getattr(target, name)
    each = now if isinstance(now, tuple) else (now,)
    amounts = tuple(10.0 * share if math.isinf(x) else x * share for x in each)
    if draw(st.booleans()) and target.kind in ("pool", "pipeline"):
        amounts = (amounts[0],) * (target.accelerators if target.kind == "pool" else target.count)
        amounts = (*amounts[:-1], amounts[-1] / 2) if amounts else (1.0,)
    least_of = 1.0 if target.kind in ("pool",) else 0.0
    value = tuple(max(x, least_of) for x in amounts)
    try:
        other = replace(target, **{name: value if len(value) > 1 else value[0]})
        objective = draw(st.sampled_from(target.objectives))
        pins = (*problem.constraints, Pin(problem.graph.op_ids[0], problem.devices[0].name))
        return Problem(problem.graph, other, objective, pins if draw(st.booleans()) else problem.constraints)
    except (ConstraintError, TargetError):
        return problem


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Problem, Problem]:
    """A problem of any machine, and one that is much the same."""
    small = graphs(most=4)
    tpus = st.builds(
        Problem, edge_graphs(most=4), edge_targets(most=3), st.sampled_from(EdgeTpuPipeline.objectives)
    )
    former = draw(
        st.one_of(problems(graph=small, alike=False), mcm_problems(3, graphs(most=4, training=False)), tpus)
    )
    return former, changed(draw, former)


NEAR = (
    Pipeline(2, bandwidth=0.125),
    Pipeline(2, bandwidth=0.125),
    EdgeTpuPipeline(2, precision="file", streaming=0.125, scratch=False),
    McmPackage(2, link=1.0),
    DevicePool(2, 0, contiguous=False),
    DevicePool(1, 1),
)


@st.composite
def near_pairs(draw: st.DrawFn) -> tuple[Problem, Problem]:
    """A few ops on two devices, whose limits are what a plan needs: there the best plan often is another with a little more or less.

    One problem has room for all ops on a device, or for what some plan needs, the other for what another plan needs: on all devices
    more or less, or on one of them more.
    """
    small = st.integers(1, 3).map(float)
    n = draw(st.integers(2, 3))
    ops = [
        Op(f"n{i}", f"n{i}", "Conv", work=draw(small), work_cpu=draw(small), param_bytes=draw(small))
        for i in range(n)
    ]
    # Dear transfers keep ops together as long as they have room.
    tensors = [
        Tensor(f"n{i}", (f"n{i + 1}",), 1.0, time=draw(st.sampled_from([0.0, 4.0]))) for i in range(n - 1)
    ]
    graph = Graph.build("near", ops, tensors, time_unit="s")
    # Memory that is too small costs much; only pipelines have limits of their own for each stage that are no rules.
    target: Target = draw(st.sampled_from(NEAR))
    name, free = LIMIT[target.kind], Problem(graph, target)

    some = st.lists(st.integers(0, 1), min_size=n, max_size=n)
    together = st.sampled_from([[0] * n, [1] * n])
    objective = draw(st.sampled_from(target.objectives))

    def limited(plans: st.SearchStrategy[list[int]], each: bool) -> Problem:
        needs = np.maximum(free.evaluate(np.array(draw(plans), np.int32)).memory, 1.0)
        value = tuple(needs.tolist()) if each else float(needs.max())
        other = draw(st.sampled_from([objective, *target.objectives]))
        return Problem(graph, replace(target, **{name: value}), other)

    each = target.kind in ("pool", "pipeline") and draw(st.sampled_from([True, True, False]))
    found = limited(some, each), limited(st.one_of(together, some), each)
    return found if draw(st.booleans()) else found[::-1]


@given(pairs=st.one_of(pairs(), near_pairs()))
@settings(max_examples=200)
def test_no_valid_plan_is_better_than_what_is_carried_over(pairs: tuple[Problem, Problem]) -> None:
    check_carried(*pairs)


def check_carried(former: Problem, problem: Problem) -> None:
    """No valid plan of a problem costs less than what is carried over to it of the best plans of another."""
    bounds = least(former)
    found = [*carried(bounds, ground(former), problem)]
    found += [bound for bound in bounds if bound.applies_to(problem.relaxation, problem.assumptions)]
    for plan in itertools.product(range(len(problem.devices)), repeat=problem.graph.n):
        evaluation = problem.evaluate(np.array(plan, np.int32))
        if evaluation.valid:
            reached = dict(zip(problem.components, evaluation.values, strict=True))
            for bound in found:
                assert not bound.covers(reached) or bound.value <= reached[bound.component] * (1 + 1e-9)


@pytest.mark.parametrize("target", dict.fromkeys(NEAR), ids=Target.spec)
def test_bounds_hold_at_any_two_limits_that_plans_need(target: Target) -> None:
    """Of three ops in a row all plans' needs, against each other: with a rule for limits that is too wide one of them is better."""
    ops = [
        Op(f"n{i}", f"n{i}", "Conv", work=1.0, work_cpu=1.0, param_bytes=float(1 + i % 2)) for i in range(3)
    ]
    tensors = [Tensor(f"n{i}", (f"n{i + 1}",), 1.0, time=4.0 * i) for i in range(2)]
    graph = Graph.build("near", ops, tensors, time_unit="s")
    free = Problem(graph, target)
    needs = [
        np.maximum(free.evaluate(np.array(plan, np.int32)).memory, 1.0)
        for plan in itertools.product(range(2), repeat=3)
    ]
    limits: set[float | tuple[float, ...]] = {float(need.max()) for need in needs}
    if target.kind in ("pool", "pipeline"):
        limits |= {tuple(need.tolist()) for need in needs}
    found = [
        Problem(graph, replace(target, **{LIMIT[target.kind]: value})) for value in sorted(limits, key=str)
    ]
    for former, problem in itertools.permutations(found, 2):
        check_carried(former, problem)


def timed_chain(n: int) -> Graph:
    """A chain of ops that take one second each."""
    ops = [Op(f"n{i}", f"n{i}", "Conv", work=1.0, work_cpu=1.0) for i in range(n)]
    tensors = [Tensor(f"n{i}", (f"n{i + 1}",) if i + 1 < n else (), 8.0, time=0.0) for i in range(n)]
    return Graph.build("timed", ops, tensors, time_unit="s")


def proven(problem: Problem, component: str = "", value: float = 3.0, rules: str = "") -> Bound:
    """A bound that assumes the rules whose tokens begin so."""
    uses = frozenset(token for token in problem.assumptions if rules and token.startswith(rules))
    return problem.bound(component or problem.components[0], value, "chain-dp", uses)


def told(former: Problem, problem: Problem, *bounds: Bound) -> list[tuple[str, float, str]]:
    """What is carried over: component, value, and what it was proven for."""
    found = carried(bounds or (proven(former),), ground(former), problem)
    assert all(bound.applies_to(problem.relaxation, problem.assumptions) for bound in found)
    return [(bound.component, bound.value, bound.proven_for) for bound in found]


def test_less_memory_keeps_what_is_proven_and_more_does_not() -> None:
    graph = timed_chain(6)
    former, tighter = (Problem(graph, McmPackage(2, sram=sram * MIB)) for sram in (32, 8))
    bound = proven(former, rules="rule:memory")
    assert told(former, tighter, bound) == [("chip-latency", 3.0, "memory of a chip 32.00 MiB")]
    assert told(tighter, former, proven(tighter)) == []
    assert told(former, former, bound) == []  # it applies as it is
    # Two steps on it is still known for what it was proven, and what rests on a rule that is switched off is not carried.
    (once,) = carried((bound,), ground(former), tighter)
    least = Problem(graph, McmPackage(2, sram=MIB))
    (twice,) = carried((once,), ground(tighter), least)
    assert twice.proven_for == "memory of a chip 32.00 MiB"
    assert told(former, Problem(graph, McmPackage(2, sram=8 * MIB, check_memory=False)), bound) == []
    assert told(former, tighter, replace(bound, claimed_by="a.plan.json")) == []
    pipelines = [Problem(graph, Pipeline(2, memory=memory)) for memory in (math.inf, (4.0, 8.0))]
    assert told(*pipelines) == [("bottleneck", 3.0, "memory unlimited")]


def test_another_machine_or_model_keeps_nothing() -> None:
    graph = timed_chain(6)
    former = Problem(graph, McmPackage(2))
    assert told(former, Problem(graph, McmPackage(2, sram=MIB, link=1e9))) == []
    assert told(former, Problem(timed_chain(5), McmPackage(2, sram=MIB))) == []
    assert told(former, Problem(graph, Pipeline(2))) == []
    assert (
        told(former, Problem(graph, McmPackage(2, sram=MIB)), replace(proven(former), relaxation="another"))
        == []
    )


def test_orders_of_networks_keep_nothing_over_a_change_of_memory() -> None:
    network = generate_network("mlp", {"width": 4, "depth": 2, "density": 1.0}, seed=1)
    former, tighter = (NetworkProblem(network, TwoLevelMemory(size=size)) for size in (8, 6))
    bound = former.bound(former.components[0], 3.0, "theorem-1", frozenset())
    assert carried((bound,), ground(former), tighter) == ()


def test_an_objective_that_is_never_less_keeps_what_is_proven() -> None:
    graph = timed_chain(6)
    load, gpipe, latency = (
        Problem(graph, DevicePool(2, 1), name) for name in ("max-load", "gpipe", "latency")
    )
    assert told(load, gpipe) == [("gpipe", 3.0, "max load")]
    assert told(gpipe, load) == [("max-load", 3.0, "gpipe")]  # where nothing runs backward
    assert told(load, latency) == told(latency, load) == []
    chips, sample = (Problem(graph, McmPackage(2), name) for name in ("chip-latency", "latency"))
    assert told(chips, sample) == [("latency", 3.0, "chip latency")]
    assert told(sample, chips) == []
    tpus = {name: Problem(graph, EdgeTpuPipeline(2), name) for name in EdgeTpuPipeline.objectives}
    assert told(tpus["memory-1-2-3"], tpus["memory-1-3"]) == [("max-memory", 3.0, "")]
    assert told(tpus["stage-time"], tpus["inference-time"]) == [("inference-time", 3.0, "stage time")]


def test_a_bound_that_assumes_a_limit_holds_where_that_is_tighter() -> None:
    graph = timed_chain(6)

    def pool(memory: float | tuple[float, ...]) -> Problem:
        return Problem(graph, DevicePool(2, 1, memory=memory))

    bound = proven(pool(8.0), rules="rule:memory")
    assert bound.assumes
    for memory, holds in (
        (8.0, True),
        (4.0, True),
        (16.0, False),
        (math.inf, False),
        ((8.0, 4.0), True),
        ((8.0, 9.0), False),
    ):
        problem = pool(memory)
        assert bound.applies_to(problem.relaxation, problem.assumptions) is holds
    several = proven(pool((8.0, 4.0)), rules="rule:memory")
    for each, holds in (((8.0, 2.0), True), ((4.0, 8.0), False), (4.0, False), ((8.0, 4.0, 2.0), False)):
        problem = pool(each)
        assert several.applies_to(problem.relaxation, problem.assumptions) is holds
