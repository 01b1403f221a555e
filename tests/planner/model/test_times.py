"""Measured times: how they are joined with a graph, and what of a graph they change."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import ModelError
from planner.formats import read_graph, read_models
from planner.formats.merge import merge
from planner.model.cost_model import CostModel, fill
from planner.model.graph import Graph
from planner.model.ops import Op, Tensor
from planner.model.times import (
    OpTime,
    OpTimes,
    Use,
    compute_ops,
    coverage,
    joined,
    measured_words,
    runs_spread,
    shared_out,
    spread_words,
    uses_of,
    with_times_of,
)

SAMPLES = Path(__file__).resolve().parents[3] / "sample_models"


def chain(name: str = "chain", work: float | None = None, unit: str | None = "s") -> Graph:
    ops = [Op("in", "input", "Input")] + [
        Op(f"op{i}", f"layer/{i}", "Conv", macs=1e9, params=10, param_bytes=40, work=work) for i in range(3)
    ]
    ids = [op.id for op in ops]
    tensors = [Tensor(a, (b,), 1000) for a, b in pairwise(ids)] + [Tensor(ids[-1], (), 1000)]
    return Graph.build(name, ops, tensors, time_unit=unit)


def profile(ops: dict[str, OpTime], **about: object) -> OpTimes:
    return OpTimes(ops, "p.json", "a test", **about)  # type: ignore[arg-type]


def test_times_are_found_by_id_and_by_name() -> None:
    graph = chain()
    times = profile({"op0": OpTime(1e-3, 1e-4), "layer/2": OpTime(2e-3, shared=True), "nobody": OpTime(1.0)})
    found = joined(graph, times)
    np.testing.assert_equal(found.seconds, [np.nan, 1e-3, np.nan, 2e-3])
    np.testing.assert_equal(found.spread, [np.nan, 1e-4, np.nan, np.nan])
    assert found.shared.tolist() == [False, False, False, True]


def test_a_name_that_several_ops_have_is_nobodys() -> None:
    ops = [Op("a", "same", "Conv", macs=1.0), Op("b", "same", "Conv", macs=1.0), Op("c", "other", "Conv")]
    graph = Graph.build("twins", ops, [Tensor("a", ("b",), 1), Tensor("b", ("c",), 1)])
    found = joined(graph, profile({"same": OpTime(1.0), "other": OpTime(2.0)}))
    np.testing.assert_equal(found.seconds, [np.nan, np.nan, 2.0])


def test_a_profile_of_another_model_is_refused() -> None:
    graph = chain()
    with pytest.raises(ModelError, match=r"p\.json has times of 1 op \(x\), and 'chain' has none of them"):
        joined(graph, profile({"x": OpTime(1.0)}))
    with pytest.raises(ModelError, match=r"was measured on another model \('else'\) or with another batch"):
        joined(graph, profile({"op0": OpTime(1.0)}, structure="0" * 64, model="else"))
    joined(graph, profile({"op0": OpTime(1.0)}, structure=graph.structure, model="chain"))


def test_a_profile_given_twice_was_measured_once() -> None:
    again = with_times_of(chain(), [Use(profile({"op0": OpTime(1.0)}))] * 2)
    assert again.measured is not None and again.measured.sources == ("a test",)


def test_what_a_whole_profile_leaves_out_takes_no_time() -> None:
    graph = chain()
    whole = joined(graph, profile({"op0": OpTime(1.0), "op1": OpTime(1.0)}, complete=True))
    assert whole.seconds.tolist() == [0.0, 1.0, 1.0, 0.0]
    assert whole.shared.tolist() == [True, False, False, True]
    # Most of this time is of ops that nobody knows: what they contain is not known either.
    partly = joined(graph, profile({"op0": OpTime(1.0), "else": OpTime(9.0)}, complete=True))
    np.testing.assert_equal(partly.seconds, [np.nan, 1.0, np.nan, np.nan])


def test_measured_times_stand_before_those_of_the_file() -> None:
    graph = chain(work=7.0)
    timed = with_times_of(graph, [Use(profile({"op1": OpTime(1e-3)}))])
    assert timed.given_times[0].tolist()[1:] == [7.0, 1e-3, 7.0]
    np.testing.assert_equal(timed.given_times[1], [np.nan, np.nan, 1e-3, np.nan])
    assert graph.given_times[0].tolist()[1:] == [7.0, 7.0, 7.0], "the graph itself is as it was"


def test_of_one_kind_of_device_alone() -> None:
    graph = chain()
    timed = with_times_of(graph, [Use(profile({"op1": OpTime(1e-3)}), "cpu")])
    assert np.isnan(timed.given_times[0]).all()
    full = fill(timed)
    guess, guess_cpu = CostModel().estimate(graph)
    assert full.work_cpu[2] == 1e-3
    assert full.work[2] == pytest.approx(1e-3 * guess[2] / guess_cpu[2]), (
        "the other follows by the estimates' ratio"
    )


def test_later_profiles_count_before_earlier_ones() -> None:
    uses = [Use(profile({"op0": OpTime(1.0), "op1": OpTime(1.0)})), Use(profile({"op1": OpTime(2.0)}))]
    timed = with_times_of(chain(), uses)
    np.testing.assert_equal(timed.given_times[0], [np.nan, 1.0, 2.0, np.nan])
    assert timed.measured is not None
    assert timed.measured.ops.tolist() == [False, True, True, False]


def test_times_that_a_run_scaled_are_told_from_measured_ones() -> None:
    scaled = replace(profile({op: OpTime(1.0) for op in ("op0", "op1", "op2")}), scaled=True)
    graph = with_times_of(chain(), [Use(scaled)])
    assert measured_words(graph) == "3 of 3 ops scaled from a run"
    mixed = with_times_of(graph, [Use(profile({"op1": OpTime(2.0)}))])
    assert measured_words(mixed) == "1 of 3 ops measured, 2 of 3 ops scaled from a run"
    assert {use.times.scaled: sorted(use.times.ops) for use in uses_of(mixed)} == {
        False: ["op1"],
        True: ["op0", "op2"],
    }
    again = with_times_of(chain(), uses_of(mixed))
    assert measured_words(again) == measured_words(mixed)
    assert measured_words(merge([again, chain("b")])) == (
        "1 of 6 ops measured, 2 of 6 ops scaled from a run, 3 estimated"
    )


def test_times_without_a_unit_are_not_mixed_with_seconds() -> None:
    with pytest.raises(ModelError, match="gives times without a unit, which cannot be mixed"):
        with_times_of(chain(work=7.0, unit=None), [Use(profile({"op0": OpTime(1.0)}))])


def test_structure_is_what_costs_leave_alone() -> None:
    graph = chain()
    timed = fill(with_times_of(fill(graph), [Use(profile({"op0": OpTime(1.0)}))]))
    assert timed.structure == graph.structure == fill(graph, CostModel(cpu_flops=1e9)).structure
    assert timed.fingerprint != graph.fingerprint
    assert chain(work=1.0).structure == graph.structure
    other = Graph.build("chain", [Op("in", "input", "Input")], [])
    assert other.structure != graph.structure


@given(st.lists(st.sampled_from(["op0", "op1", "op2"]), unique=True, min_size=1), st.floats(0.0, 1.0))
def test_words_and_coverage_count_ops_that_compute(ops: list[str], seconds: float) -> None:
    timed = with_times_of(chain(), [Use(profile({op: OpTime(seconds) for op in ops}))])
    assert measured_words(timed).startswith(f"{len(ops)} of 3 ops measured")
    assert coverage(timed) == pytest.approx(len(ops) / 3)
    left = 3 - len(ops)
    assert (f"{left} estimated" in measured_words(timed)) == (left > 0)


def test_nothing_is_said_where_nothing_was_measured() -> None:
    assert measured_words(chain()) == ""
    assert coverage(chain()) == 0.0
    assert with_times_of(chain(), []).measured is None


def test_each_profile_goes_to_its_own_model() -> None:
    files = [SAMPLES / "unet.onnx", SAMPLES / "resnet50.json"]
    unet, resnet = map(read_graph, files)
    op, layer = unet.op_ids[1], resnet.op_ids[2]
    uses = [
        Use(profile({op: OpTime(0.5)}, structure=unet.structure)),
        Use(profile({layer: OpTime(0.25)}, structure=resnet.structure)),
    ]
    merged = read_models(files, times=uses)
    assert merged.measured is not None
    assert merged.measured.ops.sum() == 2
    assert merged.work[merged.index[op]] == 0.5
    assert merged.work[merged.index[layer]] == 0.25
    with pytest.raises(ModelError, match="and 'unet' has none of them"):
        shared_out([unet, resnet], [Use(profile({"x": OpTime(1.0)}))])


@pytest.mark.parametrize(
    ("share", "said"), [(0.08, "runs spread by 8 %"), (0.23, "runs spread by 23 %: the machine was busy")]
)
def test_the_spread_of_runs_is_that_of_the_slowest_ops(share: float, said: str) -> None:
    graph = read_graph(SAMPLES / "unet.onnx")
    assert (runs_spread(graph), spread_words(graph)) == (None, "")
    slow = set(graph.op_ids[5:15])
    # The many fast ops are disturbed far more, which does not matter.
    ops = {op: OpTime(1.0, share) if op in slow else OpTime(1e-6, 1e-6) for op in graph.op_ids}
    timed = with_times_of(graph, [Use(OpTimes(ops, "t.json", "a runtime"))])
    assert runs_spread(timed) == pytest.approx(share)
    assert spread_words(timed).startswith(said)
    assert ("measure again when it is idle" in spread_words(timed)) == (share > 0.1)
    unknown = {op: OpTime(1.0) for op in graph.op_ids}
    assert runs_spread(with_times_of(graph, [Use(OpTimes(unknown, "t.csv", "t.csv"))])) is None


def test_kinds_of_devices_are_counted_apart() -> None:
    every = profile({f"op{i}": OpTime(1.0) for i in range(3)})
    one = profile({"op0": OpTime(0.1)})
    timed = with_times_of(chain(), [Use(every, "cpu"), Use(one, "accelerator")])
    assert measured_words(timed) == (
        "3 of 3 ops measured on CPUs, 1 of 3 on accelerators; accelerators follow by the ratio of t4 to cpu-8-cores"
    )
    mine = fill(timed, CostModel(accelerator_flops=1e9))
    assert measured_words(mine).endswith(
        "accelerators follow by the ratio of rates of your own to cpu-8-cores"
    )
    assert measured_words(fill(with_times_of(chain(), [Use(one, "accelerator")]))) == (
        "1 of 3 ops measured on accelerators, 2 estimated; CPUs follow by the ratio of cpu-8-cores to t4"
    )
    assert (
        measured_words(with_times_of(chain(work=2.0), [Use(every, "cpu")])) == "3 of 3 ops measured on CPUs"
    )


def test_which_ops_compute_is_found_out_once_for_a_graph() -> None:
    graph = chain()
    assert compute_ops(graph) is compute_ops(graph)
    assert not compute_ops(graph).flags.writeable
    assert compute_ops(chain()) is not compute_ops(graph)
