"""Solvers under a search: right answers, bounds that hold, and an end soon after a cancel."""

from __future__ import annotations

import math
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.machines.pool.target import DevicePool
from planner.methods.mip import cp_sat, mip
from planner.methods.mip.mip_child import dual_bound_of
from planner.methods.mip.model import arrays_of, load_pulp
from planner.methods.mip.scaling import scale_for
from planner.model.graph import Graph, Op
from planner.problem.problem import Problem
from planner.search.search import Callbacks, Search
from planner.search.stop import Cancel, Never, Stop


def search_with(stop: Stop | None = None) -> Search:
    graph = Graph.build("one", [Op("a", "a", work=1.0, work_cpu=1.0)], [])
    return Search(Problem(graph, DevicePool()), stop or Never(), Callbacks(), 1, {})


def balance(weights: list[list[int]], offset: float = 0.0) -> tuple[Any, Any]:
    """Signs that make several weighted sums small: easy to state, hard to prove."""
    pulp = load_pulp()
    model = pulp.LpProblem("balance", pulp.LpMinimize)
    n = len(weights[0])
    x = [model.add_variable(f"x{i}", 0, 1, pulp.LpInteger) for i in range(n)]
    z = model.add_variable("z", 0)
    model += z + offset
    for row in weights:
        total = pulp.lpSum(w * v for w, v in zip(row, x, strict=True)) - sum(row) / 2
        model += total <= z
        model += total >= -z
    return model, z


def hard(seed: int = 3) -> list[list[int]]:
    return np.random.default_rng(seed).integers(100, 9999, (4, 50)).tolist()


def stop_after(seconds: float) -> tuple[Cancel, list[float]]:
    """A cancel that fires so long after it is first looked at, and when it did."""
    fired: list[float] = []
    began: list[float] = []

    def flag() -> bool:
        began.append(time.perf_counter())
        if not fired and began[-1] - began[0] >= seconds:
            fired.append(time.perf_counter())
        return bool(fired)

    return Cancel(flag), fired


@pytest.mark.parametrize("solver", mip.SOLVERS)
def test_a_small_model_is_solved_and_its_bounds_hold(solver: str) -> None:
    model, _ = balance([[3, 5, 7, 9], [2, 2, 9, 4]], offset=10.0)
    found: list[dict[str, float]] = []
    bounds: list[float] = []
    outcome = mip.solve(
        model,
        search_with(),
        solver=solver,
        on_solution=found.append,
        on_bound=bounds.append,
        start={"x0": 1.0},
    )
    rows = np.array([[3, 5, 7, 9], [2, 2, 9, 4]])
    best = 10 + min(
        np.abs(rows @ np.array([(i >> j) & 1 for j in range(4)]) - rows.sum(axis=1) / 2).max()
        for i in range(16)
    )
    assert outcome.status == "optimal"
    assert outcome.objective == pytest.approx(best)
    assert outcome.bound == pytest.approx(best, rel=1e-5)
    assert bounds == sorted(bounds)
    chosen = np.array([round(found[-1][f"x{i}"]) for i in range(4)])
    assert 10 + np.abs(rows @ chosen - rows.sum(axis=1) / 2).max() == pytest.approx(best)


def test_small_entries_are_no_zeros() -> None:
    pulp = load_pulp()
    model = pulp.LpProblem("small", pulp.LpMinimize)
    x, y = model.add_variable("x", 0, 4e10), model.add_variable("y", 0, 1, pulp.LpInteger)
    model += 3 * y
    model += 1e-10 * x + y >= 1
    outcome = mip.solve(
        model, search_with(), solver="highs", on_solution=lambda v: None, on_bound=lambda b: None
    )
    assert outcome.status == "optimal" and outcome.objective == 0.0


@pytest.mark.parametrize("solver", mip.SOLVERS)
def test_an_infeasible_model_is_said_to_be(solver: str) -> None:
    model, z = balance([[3, 5]])
    model += z <= 0.5
    outcome = mip.solve(
        model, search_with(), solver=solver, on_solution=lambda v: None, on_bound=lambda b: None
    )
    assert outcome.status == "infeasible"
    assert outcome.bound == math.inf


@pytest.mark.parametrize("solver", mip.SOLVERS)
def test_a_cancel_ends_a_mip_solver_and_its_process(solver: str) -> None:
    model, _ = balance(hard())
    stop, fired = stop_after(0.6)
    outcome = mip.solve(
        model, search_with(stop), solver=solver, on_solution=lambda v: None, on_bound=lambda b: None
    )
    assert fired
    assert outcome.status in {"feasible", "unknown"}


@pytest.mark.parametrize("solver", mip.SOLVERS)
def test_a_time_limit_ends_it_too(solver: str) -> None:
    model, _ = balance(hard())
    outcome = mip.solve(
        model,
        search_with(),
        solver=solver,
        on_solution=lambda v: None,
        on_bound=lambda b: None,
        seconds=0.5,
    )
    assert outcome.status in {"feasible", "unknown"}
    assert outcome.bound <= outcome.objective


def test_what_a_caller_raises_is_passed_on_and_nothing_is_left() -> None:
    def raises(values: object) -> None:
        raise RuntimeError("no")

    model, _ = balance([[3, 5, 7, 9]])
    with pytest.raises(RuntimeError, match="no"):
        mip.solve(model, search_with(), solver="scip", on_solution=raises, on_bound=lambda b: None)
    cp_model, _ = cp_balance([[3, 5, 7, 9]])
    with pytest.raises(RuntimeError, match="no"):
        cp_sat.solve(cp_model, search_with(), on_solution=raises, on_bound=lambda b: None)


def test_unknown_solvers_and_maximisation_are_refused() -> None:
    pulp = load_pulp()
    model, _ = balance([[1, 2]])
    quiet: dict[str, Any] = {"on_solution": lambda v: None, "on_bound": lambda b: None}
    for unknown in ("abacus", "cbc"):
        with pytest.raises(ValueError, match="there is no solver"):
            mip.solve(model, search_with(), solver=unknown, **quiet)
    model.sense = pulp.LpMaximize
    for solver in mip.SOLVERS:
        with pytest.raises(ValueError, match="minimisation"):
            mip.solve(model, search_with(), solver=solver, **quiet)


def test_this_process_never_loads_highs() -> None:
    load_pulp()
    assert sys.modules.get("highspy") is None


def test_arrays_say_what_the_model_says() -> None:
    pulp = load_pulp()
    model = pulp.LpProblem("m", pulp.LpMinimize)
    x, y = model.add_variable("x", 0, 4, pulp.LpInteger), model.add_variable("y")
    model += 2 * x + 3
    model += x - y <= 5
    model += x + y == 1
    model += y >= -2
    a = arrays_of(model)
    assert a.names == ("x", "y")
    assert a.cost.tolist() == [2.0, 0.0] and a.offset == 3.0
    assert a.lower.tolist() == [0.0, -math.inf] and a.upper.tolist() == [4.0, math.inf]
    assert a.integer.tolist() == [True, False]
    assert a.row_lower.tolist() == [-math.inf, 1.0, -2.0]
    assert a.row_upper.tolist() == [5.0, 1.0, math.inf]
    assert a.ptr.tolist() == [0, 2, 4, 5]


# ---------------------------------------------------------------------------------------------------------- CP-SAT
def cp_balance(weights: list[list[int]]) -> tuple[Any, list[Any]]:
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    x = [model.new_bool_var(f"x{i}") for i in range(len(weights[0]))]
    z = model.new_int_var(0, 10**9, "z")
    for row in weights:
        total = sum(2 * w * v for w, v in zip(row, x, strict=True)) - sum(row)
        model.add(total <= z)
        model.add(total >= -z)
    model.minimize(z)
    return model, x


def test_cp_sat_streams_solutions_and_bounds() -> None:
    model, x = cp_balance([[3, 5, 7, 9], [2, 2, 9, 4]])
    found: list[list[int]] = []
    bounds: list[float] = []
    outcome = cp_sat.solve(
        model,
        search_with(),
        on_solution=lambda value: found.append([value(v) + value(v.negated()) * 10 for v in x]),
        on_bound=bounds.append,
    )
    assert outcome.status == "optimal"
    assert outcome.objective == outcome.bound == bounds[-1]
    assert set(found[-1]) <= {1, 10}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="handlers are listed by Linux only")
def test_cp_sat_leaves_ctrl_c_to_the_program() -> None:
    def caught() -> int:
        lines = Path("/proc/self/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("SigCgt")).split()[1], 16)

    model, _ = cp_balance([[1, 2], [2, 1]])
    # Whoever started the tests may have told them to ignore Ctrl-C, as a shell does in the background.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert caught() & 1 << (signal.SIGINT - 1)
        cp_sat.solve(model, search_with(), on_solution=lambda value: None, on_bound=lambda bound: None)
        assert caught() & 1 << (signal.SIGINT - 1)
    finally:
        signal.signal(signal.SIGINT, before)


def test_cp_sat_says_infeasible_and_refuses_what_is_no_model() -> None:
    model, x = cp_balance([[3, 5]])
    model.add(sum(x) >= 3)
    quiet: dict[str, Any] = {"on_solution": lambda v: None, "on_bound": lambda b: None}
    assert cp_sat.solve(model, search_with(), **quiet).status == "infeasible"
    bad, y = cp_balance([[3, 5]])
    bad.add(2**62 * y[0] + 2**62 * y[1] <= 2**62)
    with pytest.raises(ValueError, match="invalid"):
        cp_sat.solve(bad, search_with(), **quiet)


def test_a_cancel_ends_cp_sat_with_what_it_has() -> None:
    model, _ = cp_balance(hard())
    stop, fired = stop_after(0.3)
    found: list[object] = []
    outcome = cp_sat.solve(
        model, search_with(stop), on_solution=found.append, on_bound=lambda b: None, gap=0.0
    )
    assert fired and found
    assert outcome.status in {"feasible", "unknown"}


# ---------------------------------------------------------------------------------------------------------- scaling
costs = st.lists(
    st.one_of(st.integers(0, 10**6).map(lambda q: q / 1000), st.floats(0, 1e6)), min_size=1, max_size=20
)


@given(costs, st.floats(0.1, 1e7))
def test_scaled_sums_never_overstate(values: list[float], objective: float) -> None:
    scale = scale_for([np.array(values)], objective)
    total = int(scale.down(np.array(values)).sum())
    assert scale.bound(total) <= sum(values) * (1 + 1e-8) + 1e-9
    assert int(scale.up(np.array(values)).sum()) / scale.factor >= sum(values) * (1 - 1e-8) - 1e-9


def test_a_scale_is_exact_where_it_can_be() -> None:
    scale = scale_for([np.array([0.25, 1.75, 3.0])], 10.0)
    assert scale.exact and scale.factor == 4
    assert scale.down(1.75) == 7 and scale.up(1.75) == 7
    assert scale.cost(7) == 1.75
    assert scale.bound(6.5) == 1.75  # a whole number of quarters
    assert scale.bound(math.inf) == math.inf
    assert not scale_for([np.array([math.pi])], 10.0).exact


# ---------------------------------------------------------------------------------------------------------- logs
def test_bounds_are_read_from_logs() -> None:
    row = " r 0.0s|     1 |     0 |    15 |     - |rounding|   0 |  60 |  12 |  12 |   0 |  0 |   0 |   0 | 1.150939e+03 | 1.02e+03 |  12.29%| unknown"
    assert dual_bound_of(row) == 1150.939
    assert dual_bound_of(row.replace("1.150939e+03", "      --     ")) is None
    assert dual_bound_of("presolving:") is None
