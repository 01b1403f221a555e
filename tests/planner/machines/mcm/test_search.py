"""Search on multi-chip modules: exact cuts, incremental sums, valid results, honest counts."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import PlannerRefusal
from planner.machines.catalogue import own_planner, planner
from planner.machines.mcm.search.candidates import filled, rebalanced
from planner.machines.mcm.search.local import LocalChips, LocalSettings
from planner.machines.mcm.search.methods import LOCAL_OPTIONS, METHODS
from planner.machines.mcm.search.moves import McmMoves
from planner.machines.mcm.search.orders import McmOrders
from planner.machines.mcm.search.policy import Annealed, Proposal, Uniform
from planner.machines.mcm.search.samples import (
    Samples,
    cut_at_random,
    file_order,
    filled_greedily,
    run_policy,
)
from planner.machines.mcm.search.slicing import McmSlicer
from planner.machines.mcm.search.trace import trace
from planner.machines.mcm.search.units import McmUnits, mcm_units
from planner.machines.mcm.target import McmPackage
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Pin, Problem, Together
from planner.search.run import run
from planner.search.search import Callbacks, Search
from planner.search.stop import IterationLimit, Never
from tests.planner.machines.mcm import reference
from tests.planner.machines.mcm.strategies import mcm_problems
from tests.planner.strategies import placements

FEW = {
    "chip-greedy": {},
    "chip-random": {"samples": 20},
    "chip-anneal": {"samples": 20},
    "chip-local-search": {"rounds": 2, "moves": 300, "orders": 5},
    "chip-learned": {"samples": 12, "mode": "fine-tune", "rollouts": 4, "epochs": 1},
}

LOCAL_DEFAULTS = {option.name: option.default for option in LOCAL_OPTIONS}


def searching(problem: Problem, seed: int = 0) -> Search:
    return Search(problem, Never(), Callbacks(), seed, {})


def layered(layers: int = 6, width: int = 2, seed: int = 3) -> Graph:
    """Layers of ops that feed the next one at random, each op something."""
    rng = np.random.default_rng(seed)
    n = layers * width
    ops = [
        Op(f"o{i}", f"o{i}", work=float(rng.integers(1, 9)), work_cpu=1.0, param_bytes=4.0) for i in range(n)
    ]
    consumers = {
        f"o{i}": tuple(
            f"o{j}"
            for j in range((i // width + 1) * width, min((i // width + 2) * width, n))
            if rng.random() < 0.7 or j % width == i % width
        )
        for i in range(n)
    }
    tensors = [Tensor(a, to, 2.0, float(rng.integers(1, 4))) for a, to in consumers.items() if to]
    return Graph.build("layered", ops, tensors, time_unit="s")


# ---------------------------------------------------------------------- planners
@pytest.mark.parametrize("name", METHODS)
@settings(max_examples=40)
@given(problem=mcm_problems(), seed=st.integers(0, 99))
def test_every_result_is_valid_and_costs_what_the_reference_says(
    name: str, problem: Problem, seed: int
) -> None:
    result = run(planner(name), problem, seed=seed, options=FEW[name])
    if result.device_of is None:
        return
    device_of = result.device_of.tolist()
    assert not reference.violations(problem, device_of)
    assert result.components == pytest.approx(tuple(reference.components(problem, device_of).values()))


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("objective", ["chip-latency", "latency"])
def test_a_seed_gives_the_same_plan_and_the_same_samples_again(name: str, objective: str) -> None:
    problem = Problem(layered(), McmPackage(4), objective)
    one, other = (run(planner(name), problem, seed=7, options=FEW[name]) for _ in range(2))
    assert one.device_of is not None and other.device_of is not None
    assert (one.device_of == other.device_of).all() and one.iterations == other.iterations


@pytest.mark.parametrize("name", METHODS)
def test_pins_and_ops_kept_together_are_honoured_and_every_chip_is_used(name: str) -> None:
    constraints = (Pin("o5", "chip 1"), Together(("o2", "o3")))
    problem = Problem(layered(), McmPackage(3, every_chip=True), "", constraints)
    result = run(planner(name), problem, options=FEW[name])
    assert result.device_of is not None
    assert result.device_of[5] == 1 and result.device_of[2] == result.device_of[3]
    assert set(result.device_of.tolist()) == {0, 1, 2}


@pytest.mark.parametrize("name", METHODS)
def test_a_contradiction_is_proven(name: str) -> None:
    constraints = (Pin("o0", "chip 2"), Pin("o11", "chip 0"), Together(("o10", "o11")))
    ops = [Op(f"o{i}", f"o{i}", work=1.0, work_cpu=1.0) for i in range(12)]
    graph = Graph.build("chain", ops, [Tensor(f"o{i}", (f"o{i + 1}",), 1.0, 1.0) for i in range(11)])
    result = run(planner(name), Problem(graph, McmPackage(3), "", constraints), options=FEW[name])
    assert result.device_of is None and result.status == "infeasible"


@pytest.mark.parametrize("name", METHODS)
def test_starts_are_taken_up(name: str) -> None:
    problem = Problem(layered(), McmPackage(4))
    best = run(planner("chip-local-search"), problem, options=FEW["chip-local-search"]).device_of
    assert best is not None
    result = run(planner(name), problem, IterationLimit(1), options=FEW[name], starts=[best])
    assert result.objective is not None
    assert result.objective <= problem.evaluator.objective(best)


@pytest.mark.parametrize("name", METHODS)
def test_a_plan_that_fits_the_memory_is_found(name: str) -> None:
    graph = layered()
    tight = Problem(graph, McmPackage(4, sram=30.0))
    assert float(graph.param_bytes.sum()) > 30.0  # one chip does not hold everything
    result = run(
        planner(name), tight, options={**FEW[name], **({"samples": 400} if "samples" in FEW[name] else {})}
    )
    assert result.device_of is not None
    assert not reference.violations(tight, result.device_of.tolist())


def test_local_search_comes_first_on_chips() -> None:
    assert own_planner(Problem(layered(), McmPackage(4))).name == "chip-local-search"


def test_what_a_copied_op_is_made_of_may_hang_on_its_readers() -> None:
    """``c`` is copied with ``a`` and ``b``, two readers; together with ``a``, one of them closes a cycle that is none of dependencies."""
    ops = [Op(i, i, work=1.0, work_cpu=1.0, param_bytes=1.0) for i in "abcde"]
    tensors = [
        Tensor("a", ("b",), 1.0, 1.0),
        Tensor("b", ("c",), 1.0, 1.0),
        Tensor("c", ("d", "e"), 1.0, 1.0),
    ]
    graph = Graph.build("chain", ops, tensors)
    problem = Problem(graph, McmPackage(2, copy_sources=1), "latency", (Together(("a", "d")),))
    units = mcm_units(problem)
    for order in McmOrders(units).by_rule():
        assert sorted(order.tolist()) == list(range(units.count))
    result = run(planner("chip-local-search"), problem, options={"rounds": 1, "moves": 100, "orders": 2})
    assert result.device_of is not None and problem.evaluate(result.device_of).valid


def side_by_side(steps: int = 8) -> Graph:
    """Two chains, one for each direction of the same inputs: no cut of an order into more than a few chips keeps the rules."""
    ops = [Op(f"in{i}", f"in{i}", work=0.0, work_cpu=1.0) for i in range(steps)]
    ops += [Op(f"{way}{i}", f"{way}{i}", work=4.0, work_cpu=1.0) for way in "fb" for i in range(steps)]
    ops.append(Op("end", "end", work=0.0, work_cpu=1.0))
    tensors = [Tensor(f"in{i}", (f"f{i}", f"b{steps - 1 - i}"), 1.0, 0.1) for i in range(steps)]
    for way in "fb":
        tensors += [Tensor(f"{way}{i}", (f"{way}{i + 1}",), 1.0, 0.1) for i in range(steps - 1)]
        tensors.append(Tensor(f"{way}{steps - 1}", ("end",), 1.0, 0.1))
    return Graph.build("side by side", ops, tensors, time_unit="s")


def test_chains_that_read_the_same_sources_run_side_by_side() -> None:
    problem = Problem(side_by_side(), McmPackage(12))
    units = mcm_units(problem)
    search = searching(problem)
    cuts = [McmSlicer(units).widening(order, search, 10.0) for order in McmOrders(units).by_rule()]
    serial = min(problem.evaluator.objective(units.spread(place)) for place in cuts if place is not None)
    options = {"rounds": 0, "orders": 60}
    local = LocalChips(problem, search)
    local.run(LocalSettings.of({**LOCAL_DEFAULTS, **options}, units.count), "chip-local-search")
    assert search.best is not None
    assert search.objective <= 0.7 * serial
    assert not reference.violations(problem, search.best.tolist())


def test_both_kinds_of_variations_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = Problem(side_by_side(), McmPackage(12))
    local = LocalChips(problem, searching(problem))
    tried = {"cut": 0, "correct": 0}
    for name in tried:
        original = getattr(local, name)

        def counted(*args: object, name: str = name, original: Callable[..., object] = original) -> object:
            tried[name] += 1
            return original(*args)

        monkeypatch.setattr(local, name, counted)
    local.best = np.zeros(local.units.count, np.int32)
    local.value = float(local.units.work.sum())
    local.vary(40)
    assert tried["cut"] and tried["correct"]


@pytest.mark.parametrize("objective", ["chip-latency", "latency"])
@settings(max_examples=40)
@given(data=st.data(), seed=st.integers(0, 99))
def test_local_search_never_loses_against_greedy(objective: str, data: st.DataObject, seed: int) -> None:
    problem = data.draw(mcm_problems(objective=objective, memory=False))
    greedy = run(planner("chip-greedy"), problem, seed=seed)
    local = run(planner("chip-local-search"), problem, seed=seed, options=FEW["chip-local-search"])
    if greedy.objective is not None:
        assert local.objective is not None
        assert local.objective <= greedy.objective * (1 + 1e-9)


# ---------------------------------------------------------------------- candidates
@settings(max_examples=60)
@given(problem=mcm_problems(), seed=st.integers(0, 99))
def test_a_rebalanced_candidate_keeps_to_the_chips(problem: Problem, seed: int) -> None:
    units, rng = mcm_units(problem), np.random.default_rng(seed)
    orders, k = McmOrders(units), problem.evaluator.k
    for memory in (False, True):
        place = filled(units, orders.depth_first(rng), memory)
        assert ((place >= 0) & (place < k)).all()
    costs = np.bincount(place, weights=units.work, minlength=k).astype(np.float64)
    changed = rebalanced(units, orders, place, costs, rng)
    if changed is None:
        return
    assert changed.shape == place.shape and ((changed >= 0) & (changed < k)).all()


def test_work_is_filled_in_equal_shares_and_a_dear_chip_is_divided() -> None:
    problem = Problem(layered(), McmPackage(3))
    units, rng = mcm_units(problem), np.random.default_rng(1)
    orders = McmOrders(units)
    order = orders.order(np.arange(12.0))
    shares = np.bincount(filled(units, order, False), weights=units.work, minlength=3)
    assert shares.max() - shares.min() <= 2 * units.work.max()
    single = np.zeros(units.count, np.int32)
    costs = np.array([float(units.work.sum()), 0.0, 0.0])
    # On the first chip, with nothing before it, giving away its first units changes nothing.
    found = [rebalanced(units, orders, single, costs, rng) for _ in range(20)]
    assert {len(np.unique(place)) for place in found if place is not None} == {1, 2}
    assert rebalanced(units, orders, single + 1, np.array([9.0, 1, 1]), rng) is None


# ---------------------------------------------------------------------- orders and cuts
def best_cut(units: McmUnits, order: np.ndarray) -> float:
    """The least objective over all cuts of an order that keep the rules and let each dependency span at most one chip."""
    problem = units.problem
    target = reference.package(problem)
    m, least = units.count, math.inf
    for used in range(1, target.count + 1):
        for cuts in combinations(range(1, m), used - 1):
            place = np.empty(m, np.int32)
            place[order] = np.searchsorted(np.array(cuts), np.arange(m), side="right")
            device_of = units.spread(place).tolist()
            far = any(device_of[v] - device_of[u] > 1 for u, v in reference.dependencies(problem))
            if (target.triangle and far) or reference.violations(problem, device_of):
                continue
            least = min(least, *reference.components(problem, device_of).values())
    return least


@settings(max_examples=60)
@given(problem=mcm_problems(objective="chip-latency", memory=False), seed=st.integers(0, 9))
def test_a_cut_is_the_best_of_its_order(problem: Problem, seed: int) -> None:
    units = mcm_units(problem)
    target = reference.package(problem)
    if not target.no_skip and not target.every_chip and problem.constraints:
        return  # the reference below does not leave chips empty
    tied = np.bincount(units.unit_of, minlength=units.count)[units.unit_of] > 1
    if (problem.evaluator.copied & tied).any():
        return  # a source that is tied to others may come after its readers, and then costs a cut nothing
    order = McmOrders(units).depth_first(np.random.default_rng(seed))
    place = McmSlicer(units).cut(order, searching(problem))
    expected = best_cut(units, order)
    if place is None:
        assert expected == math.inf
        return
    device_of = units.spread(place).tolist()
    assert not reference.violations(problem, device_of)
    found = reference.components(problem, device_of)["chip-latency"]
    assert found == pytest.approx(expected)
    assert McmSlicer(units).cut(order, searching(problem), cutoff=found * (1 - 1e-9)) is None


@settings(max_examples=60)
@given(problem=mcm_problems(), seed=st.integers(0, 9))
def test_orders_are_topological(problem: Problem, seed: int) -> None:
    units = mcm_units(problem)
    orders, rng = McmOrders(units), np.random.default_rng(seed)
    found = [*orders.by_rule(), orders.depth_first(rng)]
    found.append(orders.changed(found[0], np.zeros(units.count, np.int32), rng))
    for order in found:
        at = np.empty(units.count, int)
        at[order] = np.arange(units.count)
        assert sorted(order.tolist()) == list(range(units.count))
        for u, v in reference.dependencies(problem):
            a, b = units.unit_of[u], units.unit_of[v]
            assert a == b or at[a] < at[b]


# ---------------------------------------------------------------------- moves
@settings(max_examples=60)
@given(problem=mcm_problems(), seed=st.integers(0, 99))
def test_sums_kept_up_to_date_equal_fresh_ones_and_rules_are_kept(problem: Problem, seed: int) -> None:
    units = mcm_units(problem)
    start = next(
        (
            p
            for p in (McmSlicer(units).cut(o, searching(problem)) for o in McmOrders(units).by_rule())
            if p is not None
        ),
        None,
    )
    if start is None:
        return
    moves, fresh = McmMoves(units, seed), McmMoves(units, seed)
    moves.room[:] = fresh.room[:] = math.inf
    moves.begin(start)
    for _ in range(20):
        made, evaluated = moves.run(10, 3, 1.0, 0.1, max(moves.objective, 1.0), 0.0)
        assert 1 <= made <= 10 and 0 <= evaluated <= min(made, 3)
        fresh.begin(moves.place)
        assert moves.costs == pytest.approx(fresh.costs, abs=1e-9)
        device_of = units.spread(moves.place)
        assert reference.violations(problem, device_of.tolist()) <= {"memory"}
        value = next(iter(reference.components(problem, device_of.tolist()).values()))
        assert moves.objective == pytest.approx(value, abs=1e-9)
        assert problem.evaluator.objective(device_of) == pytest.approx(value, abs=1e-9)


# ---------------------------------------------------------------------- baselines, policies, samples
def test_greedy_fills_chips_to_an_equal_share() -> None:
    ops = [Op(f"o{i}", f"o{i}", work=w, work_cpu=1.0) for i, w in enumerate([3.0, 1.0, 4.0, 2.0, 2.0])]
    graph = Graph.build("chain", ops, [Tensor(f"o{i}", (f"o{i + 1}",), 1.0, 1.0) for i in range(4)])
    problem = Problem(graph, McmPackage(3))
    order = file_order(problem)
    assert filled_greedily(problem, order).tolist() == [0, 0, 1, 2, 2]
    cut = cut_at_random(problem, order, np.random.default_rng(1))
    assert (np.diff(cut) >= 0).all() and cut.max() <= 2
    result = run(planner("chip-greedy"), problem)
    assert result.device_of is not None and result.device_of.tolist() == [0, 0, 1, 2, 2]
    assert run(planner("chip-greedy"), problem, options={"partition": "random"}).device_of is not None


def plan_at(problem: Problem, seed: int, **options: str) -> tuple[int, ...]:
    found = run(planner("chip-greedy"), problem, seed=seed, options=options).device_of
    return () if found is None else tuple(found.tolist())


@pytest.mark.parametrize("refused", [0, 2])
def test_greedy_is_the_same_plan_whatever_the_seed_but_its_random_partition_is_not(
    refused: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two chains whose fill breaks rules: FIX has ops left that cannot have their chip. Where memory refuses its partition it tries others."""
    problem = Problem(side_by_side(), McmPackage(6))
    assert problem.evaluator.violations(filled_greedily(problem, file_order(problem)))
    fits = Samples.fits
    seen: dict[Samples, int] = {}

    def refuses(self: Samples, device_of: np.ndarray) -> bool:
        seen[self] = seen.get(self, 0) + 1
        return seen[self] > refused and fits(self, device_of)

    monkeypatch.setattr(Samples, "fits", refuses)
    greedy = {plan_at(problem, seed) for seed in range(8)}
    random = {plan_at(problem, seed, partition="random") for seed in range(8)}
    assert len(greedy) == 1 and () not in greedy and len(random) > 1
    assert max(seen.values()) == refused + 1


class Told:
    """Proposes one candidate and remembers what it is told."""

    def __init__(self, candidate: np.ndarray) -> None:
        self.candidate = candidate
        self.heard: list[tuple[list[int], float | None]] = []

    def propose(self, rng: np.random.Generator) -> Proposal:
        return Proposal(self.candidate)

    def learn(self, proposal: Proposal, device_of: np.ndarray, value: float | None) -> None:
        assert proposal.candidate is self.candidate
        self.heard.append((device_of.tolist(), value))


def test_a_policy_proposes_the_solver_corrects_and_the_policy_is_told() -> None:
    problem = Problem(layered(), McmPackage(3))
    candidate = np.arange(12, dtype=np.int32)[::-1] // 4
    policy, search = Told(candidate), searching(problem)
    run_policy(problem, search, policy, 4, "told")
    assert len(policy.heard) == search.state.iterations == 4
    for device_of, value in policy.heard:
        assert not reference.violations(problem, device_of)
        assert value == pytest.approx(reference.components(problem, device_of)["chip-latency"])


@settings(max_examples=60)
@given(problem=mcm_problems(memory=True), data=st.data())
def test_a_sample_fits_where_the_reference_says_so(problem: Problem, data: st.DataObject) -> None:
    device_of = data.draw(placements(problem))
    fits = Samples(problem, searching(problem)).fits(np.array(device_of, np.int32))
    assert fits == ("memory" not in reference.violations(problem, device_of))


def test_what_copies_hold_counts_before_a_sample_is_scored() -> None:
    ops = [Op("mask", "mask", work=1.0, work_cpu=1.0, param_bytes=10.0)]
    ops += [Op(f"o{i}", f"o{i}", work=4.0, work_cpu=1.0) for i in range(3)]
    tensors = [Tensor("mask", ("o0", "o1", "o2"), 1.0, 0.1)]
    tensors += [Tensor(f"o{i}", (f"o{i + 1}",), 1.0, 0.1) for i in range(2)]
    graph = Graph.build("masked", ops, tensors, time_unit="s")
    apart = np.array([0, 0, 1, 2], np.int32)
    for sram, fits in ((12.5, False), (13.0, True)):
        problem = Problem(graph, McmPackage(3, sram=sram, copy_sources=1))
        assert problem.evaluate(apart).valid is fits
        assert (Samples(problem, searching(problem)).score(apart) < math.inf) is fits


def test_a_policy_is_told_of_what_does_not_fit_the_memory() -> None:
    problem = Problem(layered(), McmPackage(3, sram=1.0))
    policy, search = Told(np.zeros(12, np.int32)), searching(problem)
    run_policy(problem, search, policy, 3, "told")
    assert [value for _, value in policy.heard] == [None] * 3 and search.best is None


def test_annealed_distributions_are_taken_back_unless_they_pay() -> None:
    rng = np.random.default_rng(0)
    policy = Annealed(8, 3, 0.5, 0.3, 1e-6, 1e-6, 10)
    nothing = np.zeros(8, np.int32)
    first = policy.propose(rng).probabilities
    assert first is not None and (first == 1 / 3).all()
    policy.learn(Proposal(), nothing, 5.0)
    changed = policy.propose(rng).probabilities
    assert changed is not None and (changed != 1 / 3).any(axis=1).sum() == 4
    assert changed.sum(axis=1) == pytest.approx(1.0)
    kept = changed.copy()
    policy.learn(Proposal(), nothing, 4.0)
    for worse in (4.5, None):
        policy.propose(rng)
        policy.learn(Proposal(), nothing, worse)
    policy.propose(rng)
    policy.learn(Proposal(), nothing, 9.0)
    again = policy.propose(rng).probabilities
    assert again is not None and ((again == kept).all(axis=1)).sum() >= 4
    assert Uniform().propose(rng).probabilities is None


@pytest.mark.parametrize("method", METHODS)
def test_a_trace_is_the_best_so_far_of_the_planner_itself(method: str) -> None:
    problem = Problem(layered(), McmPackage(4))
    curve = trace(problem, method, 30, 5, {k: v for k, v in FEW[method].items() if k != "samples"})
    assert curve.shape == (30,) and (np.diff(curve[np.isfinite(curve)]) <= 0).all()
    options = {**FEW[method], **({"samples": 30} if "samples" in FEW[method] else {})}
    result = run(planner(method), problem, IterationLimit(30), seed=5, options=options)
    assert result.objective is not None and curve[-1] >= result.objective
    if result.iterations <= 30:
        assert curve[-1] == result.objective


def test_only_searches_on_chips_are_traced() -> None:
    with pytest.raises(PlannerRefusal, match="cannot be traced; choose from chip-greedy"):
        trace(Problem(layered(), McmPackage(4)), "chip-cp-sat", 10, 0)
