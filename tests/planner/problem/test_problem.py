"""Problems: what they accept, and what makes two of them the same."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from planner.errors import ConstraintError, TargetError
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.graph import Graph, Op, Tensor
from planner.problem.decision import Assignment, Evaluation
from planner.problem.problem import Pin, Problem, Together
from planner.problem.provenance import Provenance

pytestmark = pytest.mark.coverage


def graph(work: float = 1.0) -> Graph:
    ops = [Op(i, f"name {i}", work=work, work_cpu=2.0) for i in "abc"]
    return Graph.build("abc", ops, [Tensor("a", ("b",), 1.0)])


def test_an_assignment_is_an_array_of_devices() -> None:
    assert Assignment(np.array([0, 1, 1])).array.tolist() == [0, 1, 1]


def test_equal_problems_are_equal_and_hash_alike() -> None:
    pins = (Pin("a", "stage 0"), Together(("b", "c")))
    one = Problem(graph(), Pipeline(2), constraints=pins)
    two = Problem(graph(), Pipeline(2), "bottleneck", pins[::-1])
    assert one == two and hash(one) == hash(two) and len({one, two}) == 1
    assert Problem(graph(), Pipeline(2), constraints=(Together(("b", "c")),)) == Problem(
        graph(), Pipeline(2), constraints=(Together(("c", "b")),)
    )
    different = [
        Problem(graph(), Pipeline(2)),
        Problem(graph(), Pipeline(3), constraints=pins),
        Problem(graph(), Pipeline(2, memory=1.0), constraints=pins),
        Problem(graph(2.0), Pipeline(2), constraints=pins),
        Problem(graph(), Pipeline(2), constraints=(Pin("a", "stage 1"), pins[1])),
        Problem(graph(), DevicePool(2, 0)),
        Problem(graph(), DevicePool(2, 0), "gpipe"),
        Problem(graph(), DevicePool(2, 0, contiguous=False)),
        Problem(graph(), DevicePool(2, 0, memory=5.0)),
    ]
    assert len({p.fingerprint for p in [one, *different]}) == len(different) + 1
    assert one != "one"


def test_another_process_gets_a_problem_and_derives_what_it_needs() -> None:
    problem = Problem(graph(), Pipeline(2), constraints=(Pin("a", "stage 0"),))
    evaluation = problem.evaluate(np.array([0, 1, 1]))
    there = copy.copy(problem)  # as processes take it apart and put it together
    assert there == problem and there.fingerprint == problem.fingerprint
    assert "evaluator" not in vars(there) and "groups" not in vars(there)
    assert there.evaluate(np.array([0, 1, 1])).objective == evaluation.objective


def test_rules_are_assumptions_and_not_part_of_the_relaxation() -> None:
    strict = Problem(graph(), DevicePool(2, 1, memory=5.0))
    loose = Problem(graph(), DevicePool(2, 1, contiguous=False))
    assert strict.relaxation == loose.relaxation
    assert loose.assumptions < strict.assumptions
    assert Problem(graph(), DevicePool(2, 1, communication="overlap")).relaxation != loose.relaxation


@pytest.mark.parametrize(
    ("constraints", "error", "words"),
    [
        ((Pin("x", "stage 0"),), ConstraintError, "names op 'x', which abc does not have"),
        (
            (Pin("a", "acc 0"),),
            ConstraintError,
            "pinned to 'acc 0', which the target does not have; its devices are stage 0",
        ),
        (
            (Pin("a", "stage 0"), Pin("a", "stage 1")),
            ConstraintError,
            "pinned to both 'stage 0' and 'stage 1'",
        ),
        ((Together(("a", "x")),), ConstraintError, "names op 'x'"),
    ],
)
def test_impossible_constraints_are_refused(
    constraints: tuple[Pin, ...], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        Problem(graph(), Pipeline(2), constraints=constraints)


def test_objectives_and_times_are_checked() -> None:
    with pytest.raises(TargetError, match="'pipeline' has no objective 'gpipe'; choose from bottleneck"):
        Problem(graph(), Pipeline(2), "gpipe")
    untimed = Graph.build("g", [Op("a", "a")], [])
    with pytest.raises(TargetError, match="some ops have no time"):
        Problem(untimed, Pipeline(2))


def test_devices_by_name_or_number() -> None:
    problem = Problem(graph(), DevicePool(2, 1))
    assert [problem.device_index(d) for d in ("acc 1", "cpu 0", "2")] == [1, 2, 2]
    with pytest.raises(TargetError, match="no device 'gpu'; its devices are acc 0, acc 1, cpu 0"):
        problem.device_index("gpu")
    with pytest.raises(TargetError):
        problem.device_index("3")


def test_assignments_compare_by_value_and_plans_carry_their_evaluation() -> None:
    problem = Problem(graph(), Pipeline(2))
    one = Assignment(np.array([0, 0, 1]))
    assert one == Assignment(np.array([0, 0, 1])) and hash(one) == hash(Assignment(np.array([0, 0, 1])))
    assert one != Assignment(np.array([0, 1, 1])) and one != [0, 0, 1]
    plan = problem.plan(one, Provenance("hand"))
    assert plan.name == "hand" and plan.objective == problem.evaluate(one).objective
    assert problem.plan(np.array([0, 0, 1]), Provenance("hand"), "mine").name == "mine"
    assert problem.live(one).objective == plan.objective
    assert problem.with_constraints((Pin("a", "stage 1"),)).evaluate(one).valid is False


def test_an_op_takes_the_time_of_its_own_device() -> None:
    evaluator = Problem(graph(), DevicePool(accelerators=1, cpus=1)).evaluator
    assert evaluator.work_on(np.array([0, 1, 0], np.int32)).tolist() == [1.0, 2.0, 1.0]


def test_the_plans_of_a_comparison_are_evaluated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = Problem(graph(), Pipeline(2))
    evaluate, asked = problem.evaluator.evaluate, list[bytes]()

    def counted(device_of: np.ndarray) -> Evaluation:
        asked.append(device_of.tobytes())
        return evaluate(device_of)

    monkeypatch.setattr(problem.evaluator, "evaluate", counted)
    plans = [np.array(one, np.int32) for one in np.ndindex(2, 2, 2)]
    for _ in range(2):
        found = [problem.evaluate(one) for one in plans[:4]]
        assert [one.objective for one in found] == [evaluate(one).objective for one in plans[:4]]
    assert len(asked) == 4
    problem.evaluate(plans[4])
    problem.evaluate(plans[3])
    problem.evaluate(plans[0])
    assert len(asked) == 6, "the oldest is forgotten"


def test_plans_are_called_by_the_rules_that_could_be_off() -> None:
    assert DevicePool(2, 1).kept_words({"contiguous", "memory", "support"}) == ["contiguous"]
    assert DevicePool(2, 1).kept_words({"support"}) == []
    assert Pipeline(3, path=True).kept_words({"path", "order"}) == ["with stages in a path"]
    assert EdgeTpuPipeline(2, shared_children=True).kept_words({"shared_children"}) == [
        "with shared children"
    ]
