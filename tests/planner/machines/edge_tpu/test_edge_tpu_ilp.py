"""The exact planner for Edge TPU pipelines, both ways, against every plan of small problems."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import PlannerRefusal
from planner.formats import read_model, read_models
from planner.machines.edge_tpu.memory import apart as edge_apart
from planner.machines.edge_tpu.memory import chains as edge_chains
from planner.machines.edge_tpu.memory import ilp as edge_ilp
from planner.machines.edge_tpu.memory import search as edge_search
from planner.machines.edge_tpu.memory.arrivals import Arrivals
from planner.machines.edge_tpu.memory.units import MEMORY_OBJECTIVES
from planner.machines.edge_tpu.planners.edge_tpu_balanced import EdgeTpuBalanced
from planner.machines.edge_tpu.planners.edge_tpu_ilp import EdgeTpuIlp
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.model.cost_model import fill
from planner.model.graph import Graph, Ints, Op, Tensor
from planner.problem.bound import Bound
from planner.problem.problem import Constraint, Pin, Problem, Together
from planner.search.result import Result
from planner.search.run import run
from planner.search.search import Callbacks
from planner.search.stop import Cancel, Progress, TimeLimit
from tests.planner.machines.edge_tpu import reference as edge_reference
from tests.planner.machines.edge_tpu.brute import components, least, valid_plans
from tests.planner.machines.edge_tpu.strategies import edge_graphs, edge_problems

OBJECTIVES = sorted(MEMORY_OBJECTIVES)
byte_problems = st.sampled_from(OBJECTIVES).flatmap(lambda name: edge_problems(objective=name, most=6))


def check(problem: Problem, result: Result) -> None:
    """The result is the lexicographic optimum, proven; no bound is above a plan that it speaks of."""
    best = least(problem)
    if best is None:
        assert result.status == "infeasible" and result.device_of is None
        return
    assert result.status == "optimal" and result.device_of is not None
    assert result.components == pytest.approx(best, abs=1e-9)
    assert edge_reference.is_valid(problem, result.device_of.tolist())
    assert all(c.proven for c in problem.standing(result.components, result.bounds).components)
    every = components(problem, valid_plans(problem))
    for bound in result.bounds:
        spoken = np.ones(len(every), bool)
        for name, most in bound.given:
            spoken &= every[:, problem.components.index(name)] <= most + 1e-9
        assert (every[spoken, problem.components.index(bound.component)] >= bound.value - 1e-9).all()


@settings(max_examples=80)
@given(byte_problems)
def test_ideals_find_and_prove_the_optimum(problem: Problem) -> None:
    check(problem, run(EdgeTpuIlp(), problem, options={"route": "ideals"}))


@settings(max_examples=30)
@given(byte_problems)
def test_guesses_that_begin_low_change_nothing(problem: Problem) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edge_chains, "SMALL_PAIRS", -1)
        patch.setattr(Arrivals, "serves", lambda ideals: False)
        check(problem, run(EdgeTpuIlp(), problem, options={"route": "ideals"}))


@settings(max_examples=60)
@given(byte_problems)
def test_communication_without_pairs_is_the_same(problem: Problem) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edge_chains, "SMALL_PAIRS", -1)
        check(problem, run(EdgeTpuIlp(), problem, options={"route": "ideals"}))


@settings(max_examples=6)
@given(byte_problems)
def test_the_program_finds_and_proves_the_optimum(problem: Problem) -> None:
    check(problem, run(EdgeTpuIlp(), problem, options={"route": "ilp"}))


def weights(values: dict[str, int], tensors: dict[str, tuple[str, int]], sizes: dict[str, int]) -> Graph:
    ops = [Op(name, name, "Conv2D", params=float(v), param_bytes=float(v)) for name, v in values.items()]
    made = [Tensor(name, to, float(sizes[name])) for name, to in tensors.items()]
    return fill(Graph.build("by hand", ops, made))


BY_HAND = weights(
    {"in": 0, "stem": 4, "left": 3, "right": 5, "add": 0, "top": 6, "skip": 2, "out": 4},
    {
        "in": ("stem",),
        "stem": ("left", "right", "skip"),
        "left": ("add",),
        "right": ("add",),
        "add": ("top",),
        "top": ("out",),
        "skip": ("out",),
    },  # type: ignore[arg-type]
    {"in": 9, "stem": 5, "left": 4, "right": 3, "add": 2, "top": 3, "skip": 1},
)
"""Two branches that are added up, and a third one that skips them: 24 bytes of parameters."""


@pytest.mark.parametrize("route", ["ideals", "ilp"])
def test_an_example_by_hand(route: str) -> None:
    """On two stages 12 bytes each are best, which only stem, left and right make (4 + 3 + 5).

    Behind them left and right would enter stage 1 (4 + 3), so add, which weighs nothing, goes before the cut: then add (2)
    enters, and stem (5) for skip. With a cache of 10 bytes, 24 - 20 = 4 bytes overflow at least, which any cut with 10 to
    14 bytes before it reaches; with skip before it (14 bytes) add and skip enter (2 + 1).
    """
    expected = {
        "memory-1-3": (12, 7),
        "memory-1-2-3": (12, 4, 7),
        "memory-2-1-3": (4, 12, 7),
        "memory-2-3": (4, 3),
    }
    for objective, values in expected.items():
        problem = Problem(BY_HAND, EdgeTpuPipeline(2, cache=10), objective)
        assert least(problem) == values
        result = run(EdgeTpuIlp(), problem, options={"route": route})
        assert result.components == values and result.status == "optimal"
        if route == "ilp" and objective == "memory-1-2-3":
            break


def test_children_that_share_a_stage_by_hand() -> None:
    """left, right and skip go together, so the cut is before them (4 : 20), or behind them (14 : 10) where 2 + 1 enter."""
    problem = Problem(BY_HAND, EdgeTpuPipeline(2, cache=10, shared_children=True), "memory-1-2-3")
    result = run(EdgeTpuIlp(), problem)
    assert result.components == (14, 4, 3)
    assert [b.given for b in result.bounds if b.component == "max-communication"][-1] == (
        ("max-memory", 14.0),
        ("dram", 4.0),
    )


@pytest.mark.parametrize("route", ["ideals", "ilp"])
@pytest.mark.parametrize(
    ("constraints", "shared"),
    [
        ((Pin("stem", "stage 1"), Pin("add", "stage 0")), False),
        ((Pin("left", "stage 0"), Pin("right", "stage 1")), True),
        ((Pin("stem", "stage 0"), Pin("top", "stage 1"), Together(("stem", "out"))), False),
    ],
)
def test_what_cannot_be_is_proven(route: str, constraints: tuple[Constraint, ...], shared: bool) -> None:
    problem = Problem(BY_HAND, EdgeTpuPipeline(2, shared_children=shared), constraints=constraints)
    result = run(EdgeTpuIlp(), problem, options={"route": route})
    assert result.status == "infeasible" and result.bounds[-1].value == math.inf


def test_fractions_of_bytes_and_caches_are_exact() -> None:
    graph = weights({"a": 3, "b": 2, "c": 4}, {"a": ("b",), "b": ("c",)}, {"a": 3, "b": 2})  # type: ignore[dict-item]
    problem = Problem(graph, EdgeTpuPipeline(2, cache=3.7), "memory-2-1-3")
    result = run(EdgeTpuIlp(), problem)
    assert result.components == least(problem) and result.status == "optimal"


def heavy(seed: int) -> Graph:
    """Weights of megabytes, so that the solver's tolerances are worth some bytes."""
    rng = np.random.default_rng(seed)
    n = 14
    ops = [
        Op(f"o{i}", f"o{i}", "Conv2D", params=0.0, param_bytes=float(w))
        for i, w in enumerate(rng.integers(0, 5e6, n))
    ]
    made = [
        Tensor(f"o{i}", tuple(f"o{i + d}" for d in (1, 3) if i + d < n), float(rng.integers(1, 1e6)))
        for i in range(n - 1)
    ]
    return fill(Graph.build("heavy", ops, made))


@pytest.mark.parametrize(("seed", "objective"), [(1, "memory-1-3"), (2, "memory-2-3"), (3, "memory-2-1-3")])
def test_both_ways_agree_to_the_byte(seed: int, objective: str) -> None:
    problem = Problem(heavy(seed), EdgeTpuPipeline(3, cache=4e6 + 0.3), objective)
    ideals, program = (run(EdgeTpuIlp(), problem, options={"route": route}) for route in ("ideals", "ilp"))
    assert ideals.status == program.status == "optimal"
    assert ideals.components == program.components


def test_an_op_that_is_in_no_row_of_the_program_is_placed() -> None:
    graph = weights({"a": 3, "alone": 0, "b": 2}, {"a": ("b",)}, {"a": 3})  # type: ignore[dict-item]
    problem = Problem(graph, EdgeTpuPipeline(2, cache=1))
    check(problem, run(EdgeTpuIlp(), problem, options={"route": "ilp"}))


def test_a_start_that_is_better_than_the_first_plan_is_kept() -> None:
    problem = Problem(BY_HAND, EdgeTpuPipeline(2, cache=10), "memory-2-3")
    best = run(EdgeTpuIlp(), problem).device_of
    told: list[tuple[float, ...]] = []

    class Told(Callbacks):
        def on_best(self, device_of: Ints, objective: float, progress: Progress) -> None:
            assert progress.components is not None
            told.append(progress.components)

    assert best is not None
    broken = np.array([1, *[0] * (len(best) - 1)], np.int32)
    result = run(EdgeTpuIlp(), problem, callbacks=Told(), starts=[broken, best])
    assert told == [(4, 3)] and result.status == "optimal"


def wide(n: int) -> Graph:
    ops = [Op(f"o{i}", f"o{i}", "Conv2D", params=float(5 + i * i % 11), param_bytes=9.0) for i in range(n)]
    made = [Tensor(f"o{i}", (f"o{i + n // 2}",), float(3 + i % 4)) for i in range(n // 2)]
    return fill(Graph.build("wide", ops, made))


def test_too_many_ideals_are_left_to_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge_search, "MOST_IDEALS", 20)
    monkeypatch.setattr(edge_apart, "MOST_OF_PART", 2)
    problem = Problem(wide(10), EdgeTpuPipeline(2, cache=30))
    with pytest.raises(PlannerRefusal, match="too many ideals"):
        run(EdgeTpuIlp(), problem, options={"route": "ideals"})
    check(problem, run(EdgeTpuIlp(), problem))
    monkeypatch.undo()
    monkeypatch.setattr(edge_chains, "MOST_PAIRS", 20)
    check(problem, run(EdgeTpuIlp(), problem))


def test_long_rows_are_sums_of_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge_ilp, "TERMS_PER_ROW", 2)
    problem = Problem(BY_HAND, EdgeTpuPipeline(3, cache=6))
    check(problem, run(EdgeTpuIlp(), problem, options={"route": "ilp"}))


@pytest.mark.parametrize("route", ["auto", "ilp"])
def test_a_cancel_ends_it_at_once_with_its_best(route: str) -> None:
    problem = Problem(wide(60), EdgeTpuPipeline(4, cache=30))
    looks = 0

    def flag() -> bool:
        nonlocal looks
        looks += 1
        return looks > 12

    result = run(EdgeTpuIlp(), problem, Cancel(flag), options={"route": route})
    assert looks <= 16
    assert result.device_of is not None and result.stop_reason == "cancelled"
    assert problem.evaluate(result.device_of).valid


@settings(max_examples=20)
@given(edge_graphs(least=2, most=4), st.sampled_from(OBJECTIVES), st.booleans())
def test_two_models_are_deployed_together(graph: Graph, objective: str, shared: bool) -> None:
    from planner.formats.merge import merge

    target = EdgeTpuPipeline(2, cache=9, shared_children=shared)
    problem = Problem(fill(merge([graph, BY_HAND_SMALL])), target, objective)
    check(problem, run(EdgeTpuIlp(), problem))


@settings(max_examples=60)
@given(
    edge_graphs(least=2, most=4),
    st.sampled_from(OBJECTIVES),
    st.booleans(),
    st.sampled_from([3.0, 9.0, 40.0]),
    st.sampled_from([2, 3]),
    st.booleans(),
)
def test_parts_that_are_joined_near_equal_shares_are_the_same(
    graph: Graph, objective: str, shared: bool, cache: float, stages: int, pinned: bool
) -> None:
    """The ideals of all parts together are taken to be too many: the way over parts, and what it leaves to the program."""
    from planner.formats.merge import merge

    whole = fill(merge([graph, BY_HAND_SMALL]))
    target = EdgeTpuPipeline(stages, cache=cache, shared_children=shared)
    pins = (Pin(whole.op_ids[-1], f"stage {stages - 1}"),) if pinned else ()
    problem = Problem(whole, target, objective, pins)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edge_search, "MOST_IDEALS", 0)
        check(problem, run(EdgeTpuIlp(), problem))


@pytest.mark.parametrize("limit", ["MOST_OF_PART", "MOST_JOINED", "MOST_LISTED", "MOST_ENTRIES"])
def test_parts_with_too_much_to_look_at_are_left_to_the_program(
    limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edge_search, "MOST_IDEALS", 0)
    monkeypatch.setattr(edge_apart, limit, 0)
    problem = Problem(wide(8), EdgeTpuPipeline(2, cache=30))
    check(problem, run(EdgeTpuIlp(), problem))
    with pytest.raises(PlannerRefusal, match="too many ideals"):
        run(EdgeTpuIlp(), problem, options={"route": "ideals"})


@pytest.mark.parametrize("objective", ["memory-1-2-3", "memory-1-3", "memory-2-1-3"])
def test_three_wide_networks_are_proven_together(objective: str) -> None:
    """ResNet50, Xception and DenseNet121: on four TPUs the fullest has 200 bytes more than a quarter of all parameters."""
    graph = read_models([f"sample_models/{name}.json" for name in ("resnet50", "xception", "densenet121")])
    result = run(EdgeTpuIlp(), Problem(graph, EdgeTpuPipeline(4), objective), TimeLimit(60))
    assert result.status == "optimal" and result.components is not None
    assert result.components[0 if objective != "memory-2-1-3" else 1] == 14_152_624


BY_HAND_SMALL = weights(
    {"a": 3, "b": 2, "c": 4},
    {"a": ("b", "c")},  # type: ignore[dict-item]
    {"a": 3},
)


@pytest.mark.parametrize("shared", [False, True])
def test_sample_models_are_proven_at_once(shared: bool) -> None:
    for name, objective in itertools.product(("xception", "inception_resnet_v2"), OBJECTIVES):
        problem = Problem(
            read_model(f"sample_models/{name}.json"), EdgeTpuPipeline(3, shared_children=shared), objective
        )
        result = run(EdgeTpuIlp(), problem, TimeLimit(60))
        assert result.status == "optimal"
        first = next(b for b in result.bounds if b.component == problem.components[0])
        assert isinstance(first, Bound) and first.assumes <= problem.assumptions


def test_two_networks_are_proven_together() -> None:
    graph = read_models(["sample_models/resnet50.json", "sample_models/densenet121.json"])
    result = run(EdgeTpuIlp(), Problem(graph, EdgeTpuPipeline(3), "memory-1-2-3"), TimeLimit(60))
    assert result.status == "optimal"


def test_a_search_that_is_given_up_ends_no_worse_than_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge_ilp, "MOST_ROWS", 0)
    for seed, objective in itertools.product(range(4), OBJECTIVES):
        problem = Problem(heavy(seed), EdgeTpuPipeline(3, cache=1e7), objective)
        result = run(EdgeTpuIlp(), problem, options={"route": "ilp"})
        assert result.components is not None
        assert result.components <= run(EdgeTpuBalanced(), problem).components


def test_a_program_of_too_many_rows_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge_ilp, "MOST_ROWS", 20)
    result = run(EdgeTpuIlp(), Problem(BY_HAND, EdgeTpuPipeline(3, cache=6)), options={"route": "ilp"})
    assert result.status == "feasible" and result.iterations == 0


@pytest.mark.parametrize("scale", [0.1, 2.0**31 / 7, 1e9])
@pytest.mark.parametrize("objective", ["memory-1-3", "memory-2-3"])
def test_the_program_never_says_too_much_about_large_and_fractional_sizes(
    scale: float, objective: str
) -> None:
    """A solver that drops small coefficients finds no plan where there is one."""
    names = list(BY_HAND.op_names)
    sizes = {name: scale * (i + 1) for i, name in enumerate(names)}
    chain = {a: (b,) for a, b in itertools.pairwise(names)}
    graph = weights({name: 3 + i for i, name in enumerate(names)}, chain, sizes)  # type: ignore[arg-type]
    problem = Problem(graph, EdgeTpuPipeline(3, cache=7), objective)
    best = run(EdgeTpuIlp(), problem, options={"route": "ideals"})
    result = run(EdgeTpuIlp(), problem, options={"route": "ilp"})
    assert best.components is not None
    assert result.components == pytest.approx(best.components, rel=1e-6)
    reached = dict(zip(problem.components, best.components, strict=True))
    for bound in result.bounds:
        assert not bound.covers(reached) or bound.value <= reached[bound.component] * (1 + 1e-12)


def test_numbers_beyond_whole_ones_end_in_no_wrong_proof() -> None:
    graph = weights(
        {"a": 2**70, "b": 2**61 + 2**20, "c": 1}, {"a": ("b",), "b": ("c",)}, {"a": 2**65, "b": 2**3}
    )  # type: ignore[dict-item]
    for objective in OBJECTIVES:
        problem = Problem(graph, EdgeTpuPipeline(2, cache=2.0**69), objective)
        result = run(EdgeTpuIlp(), problem)
        best = least(problem)
        assert best is not None and result.components is not None
        assert all(
            b.value <= best[problem.components.index(b.component)] for b in result.bounds if not b.given
        )
        assert result.components == pytest.approx(best, rel=1e-9)
