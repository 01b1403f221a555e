"""Devices that differ in speed, memory and measured times: every planner and every bound, held against brute force."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import TargetError
from planner.evaluation.simple_bounds import fractional_share
from planner.machines.catalogue import bound_methods, planners
from planner.machines.evident import conflict_of
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Pin, Problem
from planner.problem.target import Target
from planner.search.method import Method
from planner.search.result import Result
from planner.search.run import run, run_bound
from tests.planner import reference
from tests.planner.strategies import (
    graphs,
    measured,
    pipelines,
    pools_with_options,
    problems,
    unequal,
)

OPTIONS: dict[str, dict[str, object]] = {
    "slice-random": {"orders": 20},
    "brkga": {"population": 10, "generations": 4},
    "mla": {"population": 10, "generations": 4},
    "mla-weighted": {"population": 10, "generations": 4},
    "local-search": {"restarts": 2},
    "anneal": {"rounds": 2, "moves": 500, "orders": 20},
    "mtpp-mip": {"solver": "highs", "split": 0.0},
    "mtpp-cp-sat": {"split": 0.0},
    "latency-ip": {"runs": 2, "moves": 500},
    "dpl": {"orders": 4},
    "scotch": {"seeds": 2},
    "auto": {"planner_options": ""},
}
"""Short searches."""
PROVEN = {"blocks", "chain-dp", "mtpp-mip", "mtpp-cp-sat", "ideals-dp", "max-load-ip"}
"""Exact planners that end at the optimum on tiny problems."""
NAMES = sorted(
    name
    for name, method in planners().items()
    if method.targets & {"pipeline", "pool"} and name not in ("auto", "expert")
)
BOUNDS = sorted(
    name
    for name, method in bound_methods().items()
    if method.targets & {"pipeline", "pool"} and name != "auto"
)


@st.composite
def pools(draw: st.DrawFn) -> Problem:
    """A pool with subgraphs, clusters or neither, and one of its objectives."""
    target, objective = draw(pools_with_options(most=3))
    target = draw(unequal(st.just(replace(target, replication=False))))
    return Problem(draw(graphs(most=5)), target, objective)  # type: ignore[arg-type]


@st.composite
def tiny(draw: st.DrawFn) -> Problem:
    """A pipeline or a pool whose devices differ, with pins and what is kept together, and times of some devices."""
    if draw(st.booleans()):
        problem = draw(pools())
    else:
        target = draw(st.one_of(unequal(pipelines(most=3)), unequal(pipelines(2, 3))))
        problem = draw(problems(target=st.just(target), graph=graphs(most=6)))
    return draw(measured(problem)) if draw(st.booleans()) else problem


def upper(problem: Problem, bound_value: float, best: float) -> None:
    assert bound_value <= best * (1 + 1e-9) + 1e-9 or math.isinf(best)


def searched(name: str, data: st.DataObject) -> tuple[Problem, Result, float] | None:
    """A tiny problem, what a planner finds and the optimum; None where the planner refuses it."""
    method = planners()[name]
    problem = data.draw(tiny().filter(lambda p: p.target.kind in method.targets))
    if method.refusal(problem) is not None:
        return None
    options = {k: v for k, v in OPTIONS.get(name, {}).items() if k in {o.name for o in method.options}}
    return problem, run(method, problem, options=options), reference.optimum(problem)[0]


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=15)
@given(st.data())
def test_every_planner_serves_or_refuses(name: str, data: st.DataObject) -> None:
    if (found := searched(name, data)) is None:
        return
    problem, result, best = found
    for bound in result.bounds:
        upper(problem, bound.value, best)
    if result.device_of is None:
        return
    assert not reference.broken(problem, result.device_of.tolist())
    assert result.objective == pytest.approx(reference.objective(problem, result.device_of.tolist()))
    assert result.objective >= best * (1 - 1e-9) - 1e-9
    if result.status == "optimal":
        assert result.objective == pytest.approx(best)


@pytest.mark.parametrize("name", sorted(PROVEN))
@settings(max_examples=15)
@given(st.data())
def test_exact_planners_end_at_the_optimum(name: str, data: st.DataObject) -> None:
    if (found := searched(name, data)) is None:
        return
    _, result, best = found
    if math.isinf(best):
        assert result.device_of is None
    else:
        assert result.objective == pytest.approx(best, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("name", BOUNDS)
@settings(max_examples=15)
@given(st.data())
def test_no_bound_exceeds_the_optimum(name: str, data: st.DataObject) -> None:
    method = bound_methods()[name]
    problem = data.draw(tiny().filter(lambda p: p.target.kind in method.targets))
    if method.refusal(problem) is not None:
        return
    result = run_bound(method, problem)
    best, _ = reference.optimum(problem)
    for bound in result.bounds:
        upper(problem, bound.value, best)


@st.composite
def contiguous_pools(draw: st.DrawFn) -> Problem:
    """A pool of a few devices of up to three kinds of accelerators, and CPUs with or without a limit of memory, whose plans are chains of ideals."""
    communication = draw(st.sampled_from(["sum", "sum", "overlap", "duplex"]))
    accelerators, cpus = draw(st.sampled_from([(2, 0), (2, 1), (3, 0), (3, 1), (1, 2), (0, 2)]))
    memory: float | tuple[float, ...] = math.inf
    if cpus and draw(st.booleans()):
        memory = tuple(draw(st.sampled_from([4.0, 8.0, math.inf])) for _ in range(accelerators + cpus))
    pool = DevicePool(accelerators, cpus, memory=memory, communication=communication)
    objective = draw(st.sampled_from(["max-load", "max-load", "gpipe"]))
    problem = draw(
        problems(
            target=unequal(st.just(pool)),
            graph=graphs(most=6),
            objective=objective,
            constraints=draw(st.booleans()),
        )
    )
    return draw(measured(problem)) if draw(st.booleans()) else problem


@settings(max_examples=50)
@given(contiguous_pools())
def test_ideals_of_unequal_devices_end_with_the_proof(problem: Problem) -> None:
    best, _ = reference.optimum(problem)
    for result in (run(planners()["ideals-dp"], problem), run_bound(bound_methods()["dp"], problem)):
        bound = max((bound.value for bound in result.bounds), default=0.0)
        if best == math.inf:
            assert bound == math.inf and (not isinstance(result, Result) or result.status == "infeasible")
            continue
        assert bound == pytest.approx(best, rel=1e-6, abs=1e-9)
        if isinstance(result, Result) and result.device_of is not None:
            # Times far below a unit are proven to that unit's rounding.
            assert result.status == "optimal" or best < 1e-9
            assert result.objective == pytest.approx(best)


def test_cpus_that_cannot_hold_what_is_pinned_to_them_prove_that_there_is_no_plan() -> None:
    op = Op("o0", "o0", work=1.0, work_cpu=1.0, memory=9.0)
    pool = DevicePool(0, 2, memory=(4.0, 16.0))
    problem = Problem(Graph.build("one", [op], []), pool, constraints=(Pin("o0", "cpu 0"),))
    result = run(planners()["ideals-dp"], problem)
    assert result.status == "infeasible"
    roomy = replace(problem, constraints=(Pin("o0", "cpu 1"),))
    assert run(planners()["ideals-dp"], roomy).status == "optimal"


def test_a_bound_sees_what_is_streamed_beside_a_stage_that_holds_all() -> None:
    """Work alone is shared out for 8; the first stage streams all that it has but one byte, and the second is slow."""
    problem = Problem(line(), Pipeline(2, bandwidth=1.0, memory=(1.0, math.inf), speed=(1.0, 0.25)))
    best, _ = reference.optimum(problem)
    result = run_bound(bound_methods()["nested-cuts"], problem)
    bound = max(bound.value for bound in result.bounds)
    assert 0.8 * best < bound <= best * (1 + 1e-9)


def line(works: tuple[float, ...] = (4.0, 4.0, 4.0, 4.0)) -> Graph:
    ops = [
        Op(f"o{i}", f"o{i}", work=work, work_cpu=2 * work, param_bytes=8.0) for i, work in enumerate(works)
    ]
    tensors = [Tensor(f"o{i}", (f"o{i + 1}",), 1.0) for i in range(len(works) - 1)]
    return Graph.build("line", ops, tensors)


@settings(max_examples=40)
@given(st.data())
def test_a_uniform_list_is_the_plain_number(data: st.DataObject) -> None:
    """In every figure, in what is written, and in the fingerprint."""
    target = data.draw(st.one_of(pipelines(), pools_of_any_kind()))
    kinds = (target.count,) if isinstance(target, Pipeline) else (target.accelerators, target.cpus)
    if not kinds[0]:
        return
    speed, most = data.draw(st.sampled_from([1.0, 2.0])), data.draw(st.booleans())
    plain = replace(target, speed=speed)
    first = [(speed, target.memory)] * kinds[0]
    rest = [(1.0, math.inf)] * (sum(kinds) - kinds[0]) if most else []
    speeds, memories = zip(*first, *rest, strict=True)
    listed = replace(target, speed=speeds, memory=memories)
    assert listed == plain and listed.spec() == plain.spec() and listed.to_dict() == plain.to_dict()
    graph = data.draw(graphs())
    a, b = Problem(graph, plain), Problem(graph, listed)
    assert a.fingerprint == b.fingerprint
    device_of = data.draw(st.lists(st.integers(0, len(a.devices) - 1), min_size=graph.n, max_size=graph.n))
    assert (a.evaluate(np.array(device_of)).cost == b.evaluate(np.array(device_of)).cost).all()
    if speed == 1.0:
        assert "speed" not in plain.to_dict() and "speed" not in plain.machine()


def pools_of_any_kind() -> st.SearchStrategy[DevicePool]:
    return pools_with_options(most=4).map(lambda drawn: drawn[0])


@pytest.mark.coverage
def test_a_fast_stage_and_a_measured_one_pay_their_own_times() -> None:
    graph = line().with_device_times({"stage 2": np.array([np.nan, 1.0, 1.0, np.nan])})
    problem = Problem(graph, Pipeline(3, bandwidth=1.0, speed=(1.0, 2.0, 2.0), memory=(math.inf, 4.0, 8.0)))
    evaluation = problem.evaluate(np.array([0, 1, 2, 2]))
    assert evaluation.work.tolist() == [4.0, 2.0, 1.0 + 2.0]
    assert evaluation.streaming.tolist() == [0.0, 4.0, 8.0]
    assert not problem.evaluator.alike
    pair = line().with_device_times({"stage 0": np.ones(4), "stage 1": np.ones(4)})
    assert Problem(pair, Pipeline(2)).evaluator.alike  # two devices with equal times are alike
    assert not Problem(pair, Pipeline(3)).evaluator.alike


@pytest.mark.coverage
def test_measured_times_are_costs_and_not_structure() -> None:
    graph = line()
    timed = graph.with_device_times({"stage 1": np.ones(4)})
    assert timed.structure == graph.structure and timed.fingerprint != graph.fingerprint
    assert graph.with_device_times({"stage 1": np.full(4, np.nan)}).fingerprint == graph.fingerprint


@pytest.mark.coverage
def test_more_devices_are_like_the_last_and_fewer_are_the_first() -> None:
    row = Pipeline(3, speed=(1.0, 1.0, 2.0), memory=(1.0, 2.0, 3.0))
    assert row.with_count(5).speeds == (1.0, 1.0, 2.0, 2.0, 2.0)
    assert row.with_count(2) == Pipeline(2, memory=(1.0, 2.0))
    pool = DevicePool(2, 1, memory=(1.0, 2.0, 3.0))
    assert pool.resized("accelerators", 3).memories == (1.0, 2.0, 2.0, 3.0)  # type: ignore[attr-defined]
    assert DevicePool(0, 1, memory=(3.0,)).resized("accelerators", 1).memories == (math.inf, 3.0)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("objective", "equal", "unequal"),
    [
        ("bottleneck", Pipeline(2), Pipeline(2, speed=(1.0, 2.0), memory=(4.0, 40.0))),
        ("max-load", DevicePool(2, 2), DevicePool(2, 2, speed=(1.0, 2.0, 1.0, 0.5))),
        ("gpipe", DevicePool(2, 1), DevicePool(2, 1, memory=(40.0, 80.0))),
        (
            "max-load",
            DevicePool(2, 1, contiguous=False),
            DevicePool(2, 1, contiguous=False, speed=(1.0, 2.0)),
        ),
        ("latency", DevicePool(2, 2), DevicePool(2, 2, speed=(1.0, 2.0))),
        ("latency", DevicePool(2, 2), DevicePool(2, 2, speed=(1.0, 1.0, 1.0, 0.5))),
    ],
)
def test_who_serves_equal_devices_serves_unequal_ones(objective: str, equal: Target, unequal: Target) -> None:
    """All but the exact model of a single sample, for which CPUs are one machine; who refuses names others that serve."""
    a, b = Problem(line(), equal, objective), Problem(line(), unequal, objective)
    both: dict[str, Method] = {f"planner {name}": method for name, method in planners().items()}
    both |= {f"bound {name}": method for name, method in bound_methods().items()}
    refused = {
        name: words
        for name, method in both.items()
        if method.refusal(a) is None and (words := method.refusal(b)) is not None
    }
    slow_cpu = objective == "latency" and unequal.own_speeds(line())[-1:] == (0.5,)
    assert set(refused) == ({"planner latency-ip", "bound ip"} if slow_cpu else set())
    for words in refused.values():
        served = re.findall(r"[a-z]+-[a-z]+", words.partition("choose")[2])
        assert served and all(
            method.refusal(b) is None for name, method in both.items() if name.partition(" ")[2] in served
        )


@pytest.mark.coverage
def test_replication_asks_for_devices_that_are_alike() -> None:
    with pytest.raises(TargetError, match="they have to be alike"):
        DevicePool(2, 1, replication=True, speed=(1.0, 2.0))
    graph = line().with_device_times({"acc 1": np.ones(4)})
    with pytest.raises(TargetError, match="so acc 1 cannot have measured times of its own"):
        Problem(graph, DevicePool(2, 1, replication=True))


def test_each_cpu_has_a_memory_of_its_own_for_a_single_sample() -> None:
    """All CPUs are one machine for the times of a single sample, but not for what they hold."""
    ops = [Op(f"o{i}", f"o{i}", work=1.0, work_cpu=1.0, memory=1.0) for i in range(2)]
    problem = Problem(Graph.build("two", ops, []), DevicePool(0, 2, memory=(1.0, 1.0)), "latency")
    assert conflict_of(problem) is None and problem.evaluate(np.array([0, 1])).valid
    assert conflict_of(replace(problem, target=DevicePool(0, 2, memory=(1.0, 0.5)))) is not None
    assert not problem.evaluate(np.array([0, 0])).valid


@pytest.mark.coverage
def test_shares_of_three_classes_meet_the_best_fractions() -> None:
    """Where times differ by speeds only the bound is all work over the sum of speeds; pieces that only one class may hold count there."""
    work = np.array([3.0, 5.0, 1.0, 7.0])
    table = work / np.array([1.0, 2.0, 4.0, 4.0])[:, None]
    assert fractional_share(table, np.array([0, 1, 2, 2])) == pytest.approx(16.0 / 11.0)
    only = np.full((3, 3), np.inf)
    np.fill_diagonal(only, [1.0, 4.0, 2.0])
    assert fractional_share(only, np.arange(3)) == pytest.approx(4.0)
    assert fractional_share(np.zeros((3, 2)), np.arange(3)) == 0.0
