"""Repair on every target: valid, near, as near as can be where that is claimed, and true to pins and wishes."""

from __future__ import annotations

import threading
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import PlanError
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.methods.repair.labelling import FORBIDDEN
from planner.methods.repair.measure import Measure
from planner.model.graph import Graph, Ints, Op, Tensor
from planner.problem.problem import Pin, Problem, Together
from planner.repair import Repair, RepairError, repair
from tests.planner.machines.mcm import reference as mcm_reference
from tests.planner.machines.mcm.strategies import mcm_problems
from tests.planner.strategies import edge_tpus, graphs, pipelines, placements, pools, problems

SECONDS = 0.2
PLENTY = 60.0
"""For repairs that end by themselves, however slow the machine is or however much must be compiled first."""


def fewest(problem: Problem, given: Ints) -> int | None:
    """How many ops must move, by trying all plans; None where there is no valid one."""
    n, k = problem.graph.n, len(problem.devices)
    best = None
    for plan in product(range(k), repeat=n):
        device_of = np.array(plan, np.int32)
        moved = int((device_of != given).sum())
        if (best is None or moved < best) and not problem.evaluator.violations(device_of):
            best = moved
    return best


def checked(problem: Problem, plan: list[int], seconds: float = SECONDS) -> tuple[Repair | None, int | None]:
    """The repair of a plan and the fewest moves; what the repair claims is true."""
    given = np.array(plan, np.int32)
    least = fewest(problem, given)
    try:
        found = repair(problem, given, seconds=seconds)
    except RepairError as error:
        assert not (error.proven and least is not None)
        return None, least
    assert found.evaluation.valid and not problem.evaluator.violations(found.device_of)
    assert least is not None and found.at_least <= least <= len(found.moved)
    assert found.proven is False or len(found.moved) == least
    assert found.moved.tolist() == np.flatnonzero(found.device_of != given).tolist()
    assert found.distance.moved == len(found.moved)
    if not found.violations:
        assert len(found.moved) == 0
    return found, least


row_problems = st.one_of(
    problems(target=pipelines(most=3), graph=graphs(most=5)),
    problems(target=edge_tpus(most=3), graph=graphs(most=5)),
)


@given(row_problems, st.data())
@settings(max_examples=60)
def test_no_valid_plan_of_a_pipeline_is_nearer(problem: Problem, data: st.DataObject) -> None:
    found, least = checked(problem, data.draw(placements(problem)), PLENTY)
    if found is None:
        assert least is None
    else:
        assert found.proven and len(found.moved) == least


@given(problems(target=pools(most=3), graph=graphs(most=4), options=True), st.data())
@settings(max_examples=60)
def test_pools_are_repaired(problem: Problem, data: st.DataObject) -> None:
    if len(problem.devices) ** problem.graph.n <= 256:
        checked(problem, data.draw(placements(problem)))


@given(mcm_problems(), st.data())
@settings(max_examples=25)
def test_packages_are_repaired(problem: Problem, data: st.DataObject) -> None:
    if len(problem.devices) ** problem.graph.n > 256:
        return
    found, _ = checked(problem, data.draw(placements(problem)))
    if found is not None:
        assert not mcm_reference.violations(problem, found.device_of.tolist())


def row_graph(n: int, **about: float) -> Graph:
    """A path of ``n`` ops."""
    ops = [Op(f"op{i}", f"op{i}", work=1.0, work_cpu=4.0, **about) for i in range(n)]
    tensors = [Tensor(f"op{i}", (f"op{i + 1}",), 4.0, 0.5) for i in range(n - 1)]
    return Graph.build("row", ops, tensors)


TARGETS = (
    Pipeline(3), EdgeTpuPipeline(3), McmPackage(3), DevicePool(3, 0), DevicePool(2, 1, contiguous=False, memory=80.0),
)  # fmt: skip


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.spec())
def test_one_op_out_of_place_moves_alone(target) -> None:  # type: ignore[no-untyped-def]
    problem = Problem(row_graph(9, param_bytes=2.0), target)
    given = np.array([0, 0, 2, 0, 1, 1, 2, 2, 2], np.int32)
    if target.kind == "pool" and not target.contiguous:
        problem = problem.with_constraints((Pin("op2", "acc 0"),))
    found = repair(problem, given, seconds=PLENTY)
    assert found.moved.tolist() == [2] and found.proven and found.at_least == 1
    assert found.sentence.startswith("Moved 1 of 9 ops: op2 from ")
    assert found.sentence.endswith("; no valid plan moves fewer")
    assert found.violations and not found.evaluation.violations


@pytest.mark.parametrize("target", TARGETS[:4], ids=lambda target: target.spec())
def test_what_was_just_dragged_stays_before_all_else(target) -> None:  # type: ignore[no-untyped-def]
    problem = Problem(row_graph(9), target)
    given = np.array([0, 0, 2, 0, 1, 1, 2, 2, 2], np.int32)
    found = repair(problem, given, keep=np.array([2]))
    assert found.device_of[2] == 2 and found.distance.kept == 0 and found.evaluation.valid
    assert len(found.moved) >= 2


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.spec())
def test_a_valid_plan_is_left_as_it_is(target) -> None:  # type: ignore[no-untyped-def]
    problem = Problem(row_graph(6), target)
    given = np.array([0, 0, 1, 1, 2, 2], np.int32)
    found = repair(problem, given)
    assert found.device_of.tolist() == given.tolist() and found.proven and found.moves() == []
    assert found.sentence == "The plan breaks no rule; nothing was moved"


def test_pins_come_before_everything_and_groups_stay_together() -> None:
    problem = Problem(
        row_graph(8), Pipeline(4), "", (Pin("op3", "stage 2"), Together(("op0", "op1"))),
    )  # fmt: skip
    found = repair(problem, np.array([0, 1, 1, 1, 1, 3, 3, 3]), keep=np.array([3, 4]), seconds=PLENTY)
    assert found.evaluation.valid and found.device_of[3] == 2
    assert found.device_of[0] == found.device_of[1]
    # op4 reads from op3, so both kept ops move: the pin leaves no choice.
    assert found.distance.kept == 2 and found.proven


def test_what_is_proven_is_said_of_plans_that_keep_as_much() -> None:
    problem = Problem(row_graph(9), Pipeline(3))
    given = np.array([0, 0, 2, 0, 1, 1, 2, 2, 2], np.int32)
    found = repair(problem, given, keep=np.array([2]), seconds=PLENTY)
    # Moving the kept op alone would be enough.
    assert found.proven and len(found.moved) > 1
    assert found.sentence.endswith("; no valid plan that spares the ops to be kept as well moves fewer")


def test_any_number_of_kept_ops_leaves_room_below_a_forbidden_price() -> None:
    problem = Problem(row_graph(40_000), Pipeline(64))
    given = np.zeros(40_000, np.int32)
    measure = Measure(problem, given, np.arange(40_000, dtype=np.int32))
    far = np.full(40_000, 63, np.int32)
    assert measure.price(far) < FORBIDDEN
    assert measure.at_least(measure.price(far)) == (40_000, 40_000)


def test_the_nearest_device_is_chosen_and_then_the_cheaper_one() -> None:
    graph = row_graph(6)
    found = repair(Problem(graph, Pipeline(5)), np.array([0, 0, 4, 1, 3, 4]), seconds=PLENTY)
    assert found.moved.tolist() == [2] and found.device_of[2] == 1
    tied = Problem(graph, DevicePool(3, 0, contiguous=False), "", (Together(("op0", "op4")),))
    given = np.array([0, 0, 0, 1, 1, 1], np.int32)
    choices = [given.copy(), given.copy()]
    choices[0][0], choices[1][4] = 1, 0
    even = repair(tied, given, seconds=PLENTY)
    assert len(even.moved) == 1 and even.distance.steps == 0
    costs = [tied.evaluate(plan).objective for plan in choices]
    assert costs[0] != costs[1] and even.evaluation.objective == min(costs)


def test_contradictions_are_told() -> None:
    problem = Problem(row_graph(4), Pipeline(3))
    for kind, target in (("stage", Pipeline(3)), ("chip", McmPackage(3))):
        pins = (Pin("op0", f"{kind} 2"), Pin("op3", f"{kind} 0"))
        one = Problem(problem.graph, target, "", pins)
        with pytest.raises(RepairError, match="no valid plan at all") as caught:
            repair(one, np.zeros(4, np.int32))
        assert caught.value.proven
    # One op is larger than every chip: that takes no search, and is said with its proof.
    large = Problem(row_graph(4, memory=10.0), DevicePool(2, 0, memory=5.0, contiguous=False))
    with pytest.raises(
        RepairError,
        match=r"no valid plan at all: op\d needs 10 B, and no device it may be on holds more than 5 B",
    ) as caught:
        repair(large, np.zeros(4, np.int32), seconds=0.0)
    assert caught.value.proven
    full = Problem(row_graph(5, memory=10.0), DevicePool(2, 0, memory=25.0, contiguous=False))
    with pytest.raises(RepairError, match="no valid plan was found near") as caught:
        repair(full, np.zeros(5, np.int32), seconds=0.1)
    assert not caught.value.proven
    with pytest.raises(PlanError):
        repair(problem, np.zeros(3, np.int32))


def test_memory_is_made_to_fit() -> None:
    graph = row_graph(12, param_bytes=10.0)
    for target in (McmPackage(6, sram=50.0), DevicePool(6, 0, memory=50.0), DevicePool(3, 1, memory=50.0)):
        problem = Problem(graph, target)
        found = repair(problem, np.zeros(12, np.int32), seconds=1.0)
        assert found.evaluation.valid and {v.kind for v in found.violations} == {"memory"}
        assert (found.device_of == 0).sum() >= 2


def test_a_stop_leaves_the_best_plan_so_far() -> None:
    problem = Problem(row_graph(30), McmPackage(6, check_memory=False))
    given = np.random.default_rng(1).integers(0, 6, 30).astype(np.int32)
    found = repair(problem, given, stopped=lambda: True)
    assert found.evaluation.valid


def test_repair_runs_on_any_thread() -> None:
    problem = Problem(row_graph(9), McmPackage(3))
    given = np.array([0, 0, 2, 0, 1, 1, 2, 2, 2], np.int32)
    found: list[Repair] = []
    threads = [
        threading.Thread(target=lambda: found.append(repair(problem, given, seconds=PLENTY)))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [r.moved.tolist() for r in found] == [[2], [2]]


def test_the_same_seed_gives_the_same_plan() -> None:
    graph = row_graph(14)
    problem = Problem(graph, McmPackage(4))
    given = np.random.default_rng(3).integers(0, 4, 14).astype(np.int32)
    first, second = (repair(problem, given, seed=5, seconds=30.0) for _ in range(2))
    assert first.device_of.tolist() == second.device_of.tolist()
    assert len(first.moved) > 3 and "to a neighbouring chip" in first.sentence
    assert len(first.moves(2)) == 2
