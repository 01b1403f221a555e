"""Parameters that several ops read: whose memory they take, held against what devices must really hold."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import ModelError
from planner.evaluation.shared_parameters import copies, params_read
from planner.formats.graphs import stageboard_json
from planner.formats.merge import merge
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.cost_model import bytes_touched
from planner.model.graph import Graph
from planner.model.ops import Op, Shared, Tensor
from planner.model.precision import counted_in
from planner.problem.problem import Pin, Problem, Provenance, Together
from planner.problem.target import Target
from planner.reports.certificate.certificate import certificate

pytestmark = pytest.mark.coverage
OWN, TIED = 40.0, 400.0


def language_model(shared: tuple[Shared, ...] | None = None, n: int = 5) -> Graph:
    """A chain whose first op, an embedding, and last op read the same parameters."""
    ops = [
        Op(f"op{i}", f"op{i}", "MatMul", 1.0, 2.0, params=(OWN + TIED * (i == 0)) / 4, param_bytes=OWN + TIED * (i == 0))
        for i in range(n)
    ]  # fmt: skip
    tensors = [Tensor(f"op{i}", (f"op{i + 1}",), 4.0, dtype="float") for i in range(n - 1)]
    tied = (Shared(("op0", f"op{n - 1}"), TIED / 4, TIED),)
    return Graph.build("tied", ops, tensors, shared=tied if shared is None else shared)


TARGETS: tuple[Target, ...] = (
    DevicePool(accelerators=2, cpus=1), Pipeline(count=3), EdgeTpuPipeline(count=3, precision="file"), McmPackage(count=3, precision="file"),
)  # fmt: skip


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.kind)
def test_they_count_on_the_device_of_each_op_that_reads_them(target: Target) -> None:
    problem = Problem(language_model(), target)
    assert copies(problem).tolist() == [0, 0, 0, 0, TIED]
    assert problem.evaluator.params.tolist() == [OWN + TIED, OWN, OWN, OWN, OWN + TIED]
    parted = problem.plan(np.array([0, 0, 1, 1, 2], np.int32), Provenance("test"))
    held = np.bincount(parted.decision.device_of, problem.evaluator.params)
    assert held.tolist() == [2 * OWN + TIED, 2 * OWN, OWN + TIED]
    assert params_read(problem.graph).tolist() == [110, 10, 10, 10, 110]


@pytest.mark.parametrize(
    "constraints", [(Together(("op0", "op4")),), (Pin("op0", "acc 1"), Pin("op4", "acc 1"))]
)
def test_ops_that_are_kept_together_share_one(constraints: tuple[Pin | Together, ...]) -> None:
    assert not copies(Problem(language_model(), DevicePool(accelerators=2), constraints=constraints)).any()


def test_pins_to_other_devices_do_not_share() -> None:
    pins = (Pin("op0", "acc 0"), Pin("op4", "acc 1"))
    assert copies(Problem(language_model(), DevicePool(accelerators=2), constraints=pins)).sum() == TIED


def test_what_is_proven_without_them_together_is_not_proven_with_them() -> None:
    """Kept together the two fit where they did not: there is a plan that the bound on the others excludes."""
    target = DevicePool(accelerators=1, cpus=1, memory=700.0)
    apart = Problem(language_model(), target)
    together = Problem(language_model(), target, constraints=(Together(("op0", "op4")),))
    on_one = np.zeros(5, np.int32)
    assert not apart.evaluate(on_one).valid and together.evaluate(on_one).valid
    bound = apart.bound("max-load", 6.0, "simple", frozenset({"rule:memory"}))
    assert not bound.applies_to(together.relaxation, together.assumptions)
    pinned = Problem(language_model(), target, constraints=(Pin("op2", "acc 0"),))
    assert pinned.relaxation == apart.relaxation  # other constraints change nothing
    assert (
        Problem(language_model(()), target).relaxation
        == Problem(language_model(()), target, constraints=(Together(("op0", "op4")),)).relaxation
    )


def test_a_plan_whose_copy_does_not_fit_is_not_valid() -> None:
    problem = Problem(language_model(), DevicePool(accelerators=2, memory=600.0))
    fits = problem.plan(np.array([0, 0, 0, 0, 1], np.int32), Provenance("test")).evaluation
    assert fits.valid and fits.memory.tolist()[:2] == [4 * OWN + TIED + 16, OWN + TIED]
    small = Problem(language_model(), DevicePool(accelerators=2, memory=430.0))
    plan = small.plan(np.array([2, 2, 2, 2, 0], np.int32), Provenance("test"))
    assert [v.kind for v in plan.evaluation.violations] == ["memory"]


def test_copies_beyond_a_budget_are_streamed() -> None:
    problem = Problem(language_model(), Pipeline(count=3, memory=100.0, bandwidth=10.0))
    device_of = np.array([0, 0, 0, 0, 1], np.int32)
    streamed = problem.evaluator.streamed(device_of)
    assert streamed.tolist() == [(4 * OWN + TIED - 100.0) / 10.0, (OWN + TIED - 100.0) / 10.0, 0.0]
    assert problem.evaluate(device_of).streaming.tolist() == streamed.tolist()


def test_in_int8_they_take_a_byte_each() -> None:
    problem = Problem(language_model(), EdgeTpuPipeline(count=3))
    assert problem.evaluator.params.tolist() == [110, 10, 10, 10, 110]
    whole = dataclasses.replace(
        language_model(), tensor_dtypes=("int8",) * 4
    )  # nothing in floating point: bytes as they are
    assert Problem(whole, EdgeTpuPipeline(count=3)).evaluator.params.tolist()[-1] == OWN + TIED
    half = counted_in(language_model(), "float16")
    assert half.shared[0].param_bytes == TIED / 2 and half.param_bytes[0] == (OWN + TIED) / 2


@st.composite
def sharing(draw: st.DrawFn) -> tuple[Graph, np.ndarray]:
    n = draw(st.integers(2, 7))
    some = st.lists(st.integers(0, n - 1), min_size=2, max_size=n, unique=True)
    shared = tuple(
        Shared(tuple(f"op{v}" for v in sorted(ops)), size, 4.0 * size)
        for ops, size in draw(st.lists(st.tuples(some, st.integers(1, 50).map(float)), max_size=4))
    )
    ops = [Op(f"op{i}", f"op{i}", "MatMul", 1.0, 1.0, param_bytes=10.0) for i in range(n)]
    for one in shared:  # the first counts them
        v = int(one.ops[0].removeprefix("op"))
        ops[v] = dataclasses.replace(ops[v], param_bytes=ops[v].param_bytes + one.param_bytes)
    graph = Graph.build("drawn", ops, [Tensor("op0", ("op1",), 1.0)], shared=shared)
    return graph, np.array(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)), np.int32)


@given(sharing(), st.booleans())
def test_no_device_holds_more_than_the_plan_says(drawn: tuple[Graph, np.ndarray], together: bool) -> None:
    graph, device_of = drawn
    tied = [Together(one.ops) for one in graph.shared] if together else []
    if together:
        device_of = np.zeros_like(device_of)
    problem = Problem(graph, DevicePool(accelerators=2, cpus=1, contiguous=False), constraints=tuple(tied))
    said = np.bincount(device_of, problem.evaluator.params, minlength=3)
    own = graph.param_bytes.copy()
    for one in graph.shared:
        own[graph.index[one.ops[0]]] -= one.param_bytes
    really = np.bincount(device_of, own, minlength=3)
    for one in graph.shared:
        really[list({int(device_of[graph.index[op]]) for op in one.ops})] += one.param_bytes
    assert (said >= really - 1e-9).all()
    if together:  # exact where they cannot be parted
        assert said == pytest.approx(really)


def test_files_and_merged_models_keep_what_is_shared(tmp_path: Path) -> None:
    graph = language_model()
    again = stageboard_json.read(stageboard_json.write(graph, tmp_path / "tied.json"))
    assert (again.shared, again.fingerprint, again.warnings) == (
        graph.shared,
        graph.fingerprint,
        graph.warnings,
    )
    both = merge([graph, language_model(n=3)])
    assert [one.ops for one in both.shared] == [("tied/op0", "tied/op4"), ("tied (2)/op0", "tied (2)/op2")]
    assert [one.ops for one in merge([graph, dataclasses.replace(language_model(()), op_ids=tuple("abcde"))]).shared] == [("op0", "op4")]  # fmt: skip


def test_who_shares_is_part_of_a_model() -> None:
    graph, apart = language_model(), language_model(())
    assert graph.fingerprint != apart.fingerprint and graph.structure != apart.structure
    assert bytes_touched(graph)[-1] == bytes_touched(apart)[-1] + TIED
    little = (Shared(("op0", "op4"), 0.1, 0.4),)
    assert language_model(little).shared == () and language_model(little).fingerprint == apart.fingerprint
    assert not apart.warnings and graph.warnings[0].startswith("op0 and op4 read the same parameters; ")
    many = language_model((Shared(("op0", "op2", "op4"), 100, TIED), Shared(("op1", "op2"), 10, OWN)))
    assert many.warnings[0].startswith(
        "op0 and 2 other ops read the same parameters, and so do further ops; "
    )


def test_certificates_say_so_and_count_the_model_once() -> None:
    problem = Problem(language_model(), DevicePool(accelerators=2))
    found = certificate(problem.plan(np.zeros(5, np.int32), Provenance("test")))
    assert found.notes == problem.graph.warnings and found.sizes["param_bytes"] == 5 * OWN + TIED
    assert "deployed_param_bytes" not in found.sizes


@pytest.mark.parametrize(
    ("shared", "why"),
    [
        (Shared(("op0", "nobody"), 1, 1), "'nobody' shares parameters but is not an op"),
        (Shared(("op0", "op1"), -1, 1), "what op 'op0' shares has params -1; it must be finite and not negative"),
    ],
)  # fmt: skip
def test_what_files_may_not_say(shared: Shared, why: str) -> None:
    with pytest.raises(ModelError, match=why):
        language_model((shared,))
