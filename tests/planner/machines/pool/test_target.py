"""Subgraphs, replication and clusters of a pool by hand: what they cost, what they allow, what has no meaning."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import TargetError
from planner.evaluation.contiguity import arc_cycle
from planner.export.device_placement import split_dict
from planner.machines.pool.latency.evaluator import LatencyEvaluator
from planner.machines.pool.target import DevicePool
from planner.machines.spec import parse_target, target_from_dict
from planner.model.graph import Graph, Op, Tensor
from planner.plan_files.plan_json import open_plan, to_dict, write_plan
from planner.problem.bound import Bound
from planner.problem.problem import Pin, Problem, Together
from planner.problem.provenance import Provenance
from tests.planner import reference
from tests.planner.strategies import graphs, placements, pools_with_options, problems

pytestmark = pytest.mark.coverage


def line(n: int = 4, backward: int = 0, **more: object) -> Graph:
    """o0 -> o1 -> ...; works 1, 2, 3, ..., ten times that on a CPU; each tensor takes 0.5. The last may be backward."""
    ops = [
        Op(f"o{i}", f"op_{i}", work=1.0 + i, work_cpu=10.0 * (1 + i), param_bytes=8.0, memory=2.0**20,
           backward=i >= n - backward, **more)  # type: ignore[arg-type]
        for i in range(n)
    ]  # fmt: skip
    return Graph.build("line", ops, [Tensor(f"o{i}", (f"o{i + 1}",), 4.0, 0.5) for i in range(n - 1)])


def sentences(problem: Problem, device_of: list[int]) -> list[str]:
    return [v.sentence for v in problem.evaluate(np.array(device_of)).violations]


# ------------------------------------------------------------------------------------------------------------ latency
def test_slots_are_devices_with_readable_names() -> None:
    problem = Problem(line(), DevicePool(2, 1, subgraphs=2), "latency")
    assert [d.name for d in problem.devices] == ["acc 0.0", "acc 0.1", "acc 1.0", "acc 1.1", "cpu 0"]
    assert problem.devices[3].title == "Accelerator 1.1"
    assert problem.evaluator.owner.tolist() == [0, 0, 2, 2, 4]
    assert [d.name for d in Problem(line(), DevicePool(1, 2), "latency").devices] == [
        "acc 0",
        "cpu 0",
        "cpu 1",
    ]


def test_the_latency_of_a_chain_of_subgraphs() -> None:
    problem = Problem(line(), DevicePool(2, 1), "latency")
    evaluation = problem.evaluate(np.array([0, 0, 2, 1]))
    assert evaluation.objective == (1 + 2 + 0.5) + 30 + (0.5 + 4)
    assert evaluation.cost.tolist() == [3.5, 4.5, 30.0]
    times = problem.evaluator.schedule(np.array([0, 0, 2, 1]))  # type: ignore[attr-defined]
    assert times.start.tolist() == [0.0, 0.0, 3.5, 33.5]
    assert times.finish.tolist() == [3.5, 3.5, 33.5, 38.0]


def test_an_accelerator_runs_its_slots_in_turn_and_two_accelerators_at_once() -> None:
    ops = [Op(i, i, work=4.0, work_cpu=9.0) for i in "ab"]
    graph = Graph.build("two", ops, [])
    problem = Problem(graph, DevicePool(2, 0, subgraphs=2), "latency")
    assert problem.evaluate(np.array([0, 1])).objective == 8.0
    assert problem.evaluate(np.array([0, 2])).objective == 4.0


def test_a_subgraph_may_not_wait_for_itself_nor_slots_for_later_ones() -> None:
    one = Problem(line(), DevicePool(1, 1), "latency")
    assert sentences(one, [0, 1, 0, 0]) == [
        "acc 0 has to wait for itself: op_0 feeds op_1 from acc 0 to cpu 0, op_1 feeds op_2 from cpu 0 to acc 0"
    ]
    assert one.evaluate(np.array([0, 1, 0, 0])).objective == 1.5 + 20 + 7.5
    two = Problem(line(), DevicePool(1, 1, subgraphs=2), "latency")
    assert sentences(two, [0, 2, 1, 1]) == []
    assert sentences(two, [1, 2, 0, 0]) == [
        "acc 0.1 and acc 0.0 wait for each other: op_0 feeds op_1 from acc 0.1 to cpu 0,"
        " op_1 feeds op_2 from cpu 0 to acc 0.0, acc 0.1 comes after acc 0.0"
    ]
    free = Problem(line(), DevicePool(1, 1, contiguous=False), "latency")
    assert sentences(free, [0, 1, 0, 0]) == []


def test_only_what_waits_for_itself_is_cut() -> None:
    problem = Problem(line(5), DevicePool(4, 0, contiguous=False), "latency")
    times = problem.evaluator.schedule(np.array([0, 1, 0, 2, 3]))  # type: ignore[attr-defined]
    assert times.cuts == 1
    assert times.piece_device.tolist() == [0, 1, 0, 2, 3]
    assert times.latency == 1.5 + 3.0 + 4.0 + 5.0 + 5.5


def test_forward_and_backward_ops_are_subgraphs_of_their_own() -> None:
    problem = Problem(line(backward=2), DevicePool(2, 0), "latency")
    assert sentences(problem, [0, 1, 1, 0]) == []
    assert problem.evaluate(np.array([0, 1, 1, 0])).objective == 1.5 + 3.0 + 4.0 + 4.5
    ops = [Op("b", "b", work=1.0, backward=True, work_cpu=1.0), Op("f", "f", work=1.0, work_cpu=1.0)]
    odd = Problem(Graph.build("odd", ops, [Tensor("b", ("f",), 1.0, 1.0)]), DevicePool(1, 0), "latency")
    assert sentences(odd, [0, 0]) == [
        "acc 0 has to wait for itself: b feeds f from acc 0 to acc 0, the backward ops of acc 0 come after its forward ops"
    ]


def test_slots_share_their_accelerators_memory_and_colocation() -> None:
    problem = Problem(
        line(), DevicePool(2, 1, memory=2.5 * 2**20, subgraphs=2), "latency", (Together(("o0", "o3")),)
    )
    evaluation = problem.evaluate(np.array([0, 0, 1, 1]))
    assert [v.sentence for v in evaluation.violations] == [
        "acc 0.0 to acc 0.1 together hold 4.00 MiB, 1.50 MiB more than fits"
    ]
    assert evaluation.violations[0].devices == (0, 1)
    assert evaluation.memory.tolist() == [4 * 2**20, 4 * 2**20, 0, 0, 0]
    live = problem.live([0, 2, 2, 1])
    assert not live.violations
    assert live.check([2]).legal.tolist() == [False, False, True, True, True]
    assert live.check([3]).legal.tolist() == [False, True, False, False, False]
    assert live.delta([2]).memory[1].tolist() == [3 * 2**20, 3 * 2**20, 2**20, 2**20, 0]
    assert sentences(problem, [0, 4, 4, 2]) == [
        "op_0 and op_3 must share a device but are on acc 0.0 and acc 1.0"
    ]


def test_cpus_are_one_machine_for_a_single_sample() -> None:
    problem = Problem(line(), DevicePool(1, 2), "latency", (Together(("o0", "o1")),))
    assert sentences(problem, [1, 2, 0, 0]) == []
    assert sentences(Problem(line(), DevicePool(1, 2), constraints=problem.constraints), [1, 2, 0, 0]) != []


def test_closing_a_subgraph_takes_what_lies_between() -> None:
    live = Problem(line(6), DevicePool(2, 1), "latency").live([0, 0, 2, 2, 1, 1])
    assert not live.check([4]).legal[0]
    assert live.closure([4], 0).tolist() == [2, 3, 4]
    assert live.check(live.closure([4], 0)).legal[0]
    assert live.closure([4], 2).tolist() == [4]
    mates = Problem(line(6), DevicePool(2, 1), "latency", (Together(("o2", "o5")),)).live([0, 0, 2, 2, 1, 2])
    assert mates.closure([3], 0).tolist() == [2, 3, 4, 5]


@given(st.data())
def test_a_cycle_of_arcs_is_one_and_none_is_missed(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 5))
    arcs = data.draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=9))
    arcs = [(a, b) for a, b in arcs if a != b]
    tail, head = (np.array([arc[i] for arc in arcs], np.int64) for i in (0, 1))
    cycle = arc_cycle(tail, head, n)
    assert (not cycle) == reference.orderable(set(arcs), set(range(n)))
    for x, y in zip(cycle, cycle[1:] + cycle[:1], strict=True):
        assert head[x] == tail[y]
    assert len(set(cycle)) == len(cycle)


# -------------------------------------------------------------------------------------------------------- replication
def test_free_devices_join_the_stage_that_costs_most() -> None:
    problem = Problem(line(), DevicePool(4, 2, bandwidth=8.0, replication=True))
    e = problem.evaluate(np.array([0, 0, 0, 1]))
    # Alone 6.5 and 4.5. With 24 bytes of weights two devices take 3.25 + 1.5 and three 13 / 6 + 2.
    assert e.replicas.tolist() == [3, 1, 0, 0, 0, 0]
    assert e.serves.tolist() == [0, 1, 0, 0, -1, -1]
    assert e.cost == pytest.approx([25 / 6, 4.5, 25 / 6, 25 / 6, 0.0, 0.0])
    assert e.streaming == pytest.approx([2.0, 0.0, 2.0, 2.0, 0.0, 0.0])
    assert (e.work[2], e.send[2], e.receive[1]) == pytest.approx((2.0, 0.5 / 3, 0.5))
    assert problem.evaluate(np.array([4, 4, 0, 0])).cost.tolist() == [
        pytest.approx(c) for c in (7.5 / 4 + 1.5, 7.5 / 4 + 1.5, 7.5 / 4 + 1.5, 7.5 / 4 + 1.5, 15.0, 15.0)
    ]


def test_copies_of_a_stage_are_in_its_cluster_and_synchronise_fast() -> None:
    target = DevicePool(4, 0, bandwidth=8.0, replication=True, clusters=2, cluster_speed=4.0)
    e = Problem(line(), target).evaluate(np.array([0, 0, 0, 2]))
    # One free accelerator in each cluster. Three ops and a slow send on two: 6.5 / 2 + 24 / (2 * 32); 4.5 / 2 + 8 / (2 * 32).
    assert e.replicas.tolist() == [2, 0, 2, 0]
    assert e.serves.tolist() == [0, 0, 2, 2]
    assert e.cost == pytest.approx([3.25 + 0.375, 3.25 + 0.375, 2.25 + 0.125, 2.25 + 0.125])
    assert Problem(line(), target).evaluator.sync_rate == 32.0
    alone = Problem(line(), target).evaluate(np.array([0, 0, 0, 0]))
    assert alone.serves.tolist() == [0, 0, -1, -1]


def test_overlapped_synchronisation_counts_where_it_is_the_larger() -> None:
    problem = Problem(line(), DevicePool(3, 0, bandwidth=8.0, communication="overlap", replication=True))
    e = problem.evaluate(np.array([0, 0, 0, 0]))
    assert e.objective == max(10 / 3, (2 / 3) * 4) and e.replicas[0] == 3
    slow = Problem(line(), DevicePool(3, 0, bandwidth=4.0, communication="duplex", replication=True))
    assert slow.evaluate(np.array([0, 0, 0, 0])).objective == max(5.0, 0.5 * 8)


def test_the_rate_of_synchronisation_is_the_bandwidth_or_that_of_the_files_own_times() -> None:
    assert Problem(line(), DevicePool(2, 0, replication=True)).evaluator.sync_rate == 8.0
    assert Problem(line(), DevicePool(2, 0, bandwidth=3.0, replication=True)).evaluator.sync_rate == 3.0
    bare = Graph.build("bare", [Op("a", "a", work=1.0, work_cpu=1.0)], [])
    assert Problem(bare, DevicePool(2, 0, replication=True)).evaluator.sync_rate == 12e9
    assert Problem(bare, DevicePool(2, 0)).evaluator.sync_rate == 0.0
    unitless = Graph.build("bare", [Op("a", "a", work=1.0, work_cpu=1.0)], [], time_unit=None)
    with pytest.raises(TargetError, match="replication needs a bandwidth in bytes per its unit"):
        Problem(unitless, DevicePool(2, 0, replication=True))
    assert Problem(unitless, DevicePool(0, 2, replication=True)).evaluate(np.array([0])).objective == 0.5


# ----------------------------------------------------------------------------------------------------------- clusters
def fan() -> Graph:
    """a feeds b and c with one tensor that takes 4."""
    ops = [Op(i, i, work=1.0, work_cpu=1.0) for i in "abc"]
    return Graph.build("fan", ops, [Tensor("a", ("b", "c"), 4.0, 4.0)])


@pytest.mark.parametrize(
    ("device_of", "send", "receive"),
    [
        ([0, 1, 1], 2.0, [0.0, 2.0, 0.0, 0.0, 0.0]),
        ([0, 1, 2], 4.0, [0.0, 2.0, 4.0, 0.0, 0.0]),
        ([0, 2, 3], 4.0, [0.0, 0.0, 4.0, 4.0, 0.0]),
        ([0, 1, 4], 4.0, [0.0, 2.0, 0.0, 0.0, 0.0]),
        ([4, 0, 1], 0.0, [4.0, 4.0, 0.0, 0.0, 0.0]),
    ],
)
def test_transfers_inside_a_cluster_are_faster(
    device_of: list[int], send: float, receive: list[float]
) -> None:
    problem = Problem(fan(), DevicePool(4, 1, clusters=2, cluster_speed=2.0))
    evaluation = problem.evaluate(np.array(device_of))
    assert evaluation.send[device_of[0]] == send
    assert evaluation.receive.tolist() == receive


def test_clusters_have_to_be_contiguous_as_devices_do() -> None:
    problem = Problem(line(), DevicePool(4, 1, clusters=2))
    assert sentences(problem, [0, 2, 1, 3]) == [
        "cluster 0 and cluster 1 wait for each other: op_0 feeds op_1 from acc 0 to acc 2,"
        " op_1 feeds op_2 from acc 2 to acc 1"
    ]
    assert sentences(problem, [0, 4, 1, 3]) == [
        "cluster 0 and cpu 0 wait for each other: op_0 feeds op_1 from acc 0 to cpu 0,"
        " op_1 feeds op_2 from cpu 0 to acc 1"
    ]
    assert sentences(problem, [1, 0, 4, 3]) == []
    assert sentences(Problem(line(), DevicePool(4, 1, cluster_speed=2.0)), [0, 4, 1, 3]) == []
    live = problem.live([0, 1, 2, 3])
    assert live.check([1]).legal.tolist() == [True, True, True, False, True]
    assert live.check([2]).legal.tolist() == [False, True, True, True, True]
    assert problem.live([0, 0, 0, 2]).check([1]).legal.tolist() == [True, False, False, False, False]


@pytest.mark.parametrize(
    ("device_of", "send", "receive"),
    [
        ([0, 1, 1, 1], 1.0, [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]),
        ([0, 1, 2, 2], 2.0, [0.0, 1.0, 2.0, 0.0, 0.0, 0.0]),
        ([0, 1, 2, 3], 4.0, [0.0, 1.0, 2.0, 4.0, 0.0, 0.0]),
        ([3, 4, 4, 4], 0.5, [0.0, 0.0, 0.0, 0.0, 0.5, 0.0]),
        ([0, 0, 0, 5], 4.0, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
    ],
)
def test_transfers_are_as_fast_as_the_smallest_group_that_holds_both_ends(
    device_of: list[int], send: float, receive: list[float]
) -> None:
    ops = [Op(i, i, work=1.0, work_cpu=1.0) for i in "abcd"]
    graph = Graph.build("fan", ops, [Tensor("a", ("b", "c", "d"), 4.0, 4.0)])
    problem = Problem(graph, DevicePool(5, 1, hierarchy="2@4/1/2@8:3@2/2@8"))
    evaluation = problem.evaluate(np.array(device_of))
    assert evaluation.send[device_of[0]] == send
    assert evaluation.receive.tolist() == receive


def test_groups_have_to_be_contiguous_at_every_level() -> None:
    problem = Problem(line(), DevicePool(5, 0, hierarchy="2@4/1/2@8:3@2/2@2"))
    assert sentences(problem, [0, 2, 1, 3]) == [
        "cluster 0 of level 1 and cluster 1 of level 1 wait for each other: op_0 feeds op_1 from acc 0 to acc 2,"
        " op_1 feeds op_2 from acc 2 to acc 1"
    ]
    assert sentences(problem, [0, 3, 2, 2]) == [
        "cluster 0 of level 2 and cluster 1 of level 2 wait for each other: op_0 feeds op_1 from acc 0 to acc 3,"
        " op_1 feeds op_2 from acc 3 to acc 2"
    ]
    assert sentences(problem, [2, 0, 1, 4]) == []
    assert problem.live([2, 0, 1, 4]).check([1]).legal.tolist() == [True, True, True, False, False]


def test_equal_clusters_are_a_hierarchy_of_one_level() -> None:
    plans = [[0, 1, 2, 3], [2, 3, 4, 4], [0, 0, 4, 2]]
    one = Problem(line(), DevicePool(4, 1, clusters=2, cluster_speed=4.0))
    other = Problem(line(), DevicePool(4, 1, hierarchy="2@4/2@4"))
    for plan in plans:
        a, b = one.evaluate(np.array(plan)), other.evaluate(np.array(plan))
        assert a.cost.tolist() == b.cost.tolist() and len(a.violations) == len(b.violations)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("4@8/3@2", "hold 7 accelerators, and there are 6"),
        ("4/2@3", "'4' does not say how fast"),
        ("x", "'x' is no group"),
        ("0x2@3/6@2", "'0x2@3' is an empty group"),
        ("6@0.5", "0.5 times as fast; it must be 1 or more"),
        ("6@a", "'a' is not a number"),
        ("4@2/2@3:6@4", "2 times as fast inside, less than the 4 of the next level"),
        ("4@2/2@3:3@1/3@1", "is in 2 groups of 2x3@1"),
        ("6@2,clusters=2", "one of the two"),
        ("6@2,replication=true", "at one rate"),
    ],
)
def test_what_is_no_hierarchy(text: str, message: str) -> None:
    with pytest.raises(TargetError, match=message):
        parse_target(f"pool:6+0,hierarchy={text}")


def test_a_hierarchy_is_written_plainly_and_grows_with_the_pool() -> None:
    pool = parse_target("pool:8+1,hierarchy=2@8/2@8/ 4@4:4@2/4@2")
    assert isinstance(pool, DevicePool)
    assert pool.hierarchy == "2x2@8/4@4:2x4@2" and pool == parse_target(pool.spec())
    assert target_from_dict(pool.to_dict()) == pool
    assert "hierarchy" not in DevicePool(8, 1).to_dict()
    assert pool.resized("accelerators", 5).spec() == "pool:5+1,hierarchy=2x2@8/1:4@2/1"
    assert pool.resized("accelerators", 9).spec() == "pool:9+1,hierarchy=2x2@8/5@4:4@2/5@2"
    assert pool.resized("cpus", 2).spec() == "pool:8+2,hierarchy=2x2@8/4@4:2x4@2"
    assert parse_target("pool:3+0,hierarchy=2@8/1").resized("accelerators", 4).spec().endswith("2x2@8")
    assert parse_target("pool:2+0,hierarchy=2x1").spec() == "pool:2+0"
    with pytest.raises(TargetError, match="hierarchy=2@4 has no meaning"):
        Problem(line(), DevicePool(2, 0, hierarchy="2@4"), "latency")


def test_what_is_plain() -> None:
    assert Problem(line(), DevicePool(2, 1)).evaluator.plain
    assert Problem(line(), DevicePool(2, 1), "gpipe").evaluator.plain
    for target, objective in (
        (DevicePool(2, 1), "latency"),
        (DevicePool(2, 1, replication=True), "max-load"),
        (DevicePool(4, 1, clusters=2), "max-load"),
        (DevicePool(2, 1, cluster_speed=2.0), "max-load"),
    ):
        assert not Problem(line(), target, objective).evaluator.plain


# ------------------------------------------------------------------------------------------------------------ refusals
@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("pool:2+1,subgraphs=0", "subgraphs is 0; it must be at least 1"),
        ("pool:600+1,subgraphs=2", "no more than 1024 on all accelerators"),
        ("pool:2+1,subgraphs=two", "subgraphs: 'two' is not a whole number"),
        ("pool:2+1,subgraphs=2,contiguous=false", "leave subgraphs at 1"),
        ("pool:6+1,clusters=4", "6 accelerators do not make 4 equal clusters"),
        ("pool:6+1,clusters=0", "do not make 0 equal clusters"),
        ("pool:6+1,cluster_speed=0.5", "cluster_speed is 0.5; it must be 1 or more"),
        ("pool:6+1,cluster_speed=inf", "cluster_speed is inf"),
    ],
)
def test_what_makes_no_machine_is_refused(spec: str, words: str) -> None:
    with pytest.raises(TargetError, match=words):
        parse_target(spec)


@pytest.mark.parametrize(
    ("spec", "objective", "words"),
    [
        ("pool:2+1,subgraphs=2", "max-load", "subgraphs=2 has no meaning for the objective max-load; set it to 1"),
        ("pool:2+1,subgraphs=2", "gpipe", "choose the objective latency"),
        ("pool:2+1,replication=true", "gpipe", "replication has no meaning for the objective gpipe"),
        ("pool:2+1,replication=true", "latency", "replication has no meaning for the objective latency"),
        ("pool:2+1,clusters=2", "latency", "clusters or cluster_speed has no meaning"),
        ("pool:2+1,communication=overlap", "latency", "communication=overlap has no meaning .* set it to sum"),
    ],
)  # fmt: skip
def test_what_has_no_meaning_for_an_objective_is_refused(spec: str, objective: str, words: str) -> None:
    with pytest.raises(TargetError, match=words):
        Problem(line(), parse_target(spec), objective)


def test_an_objective_that_the_target_serves_is_the_default() -> None:
    assert Problem(line(), DevicePool(2, 1, subgraphs=2)).objective == "latency"
    assert Problem(line(), DevicePool(2, 1)).objective == "max-load"
    assert DevicePool(2, 1, replication=True).served_objectives() == ("max-load",)
    with pytest.raises(TargetError, match="subgraphs=2 has no meaning for the objective max-load"):
        Problem(line(), DevicePool(2, 1, subgraphs=2, communication="overlap"))


def test_devices_that_share_no_link_have_nothing_to_say_of_throughput_and_latency() -> None:
    problem = Problem(line(), DevicePool(2, 1))
    evaluation = problem.evaluate(np.zeros(problem.graph.n, np.int32))
    assert problem.target.throughput_note(evaluation) == problem.target.latency_note(evaluation) == ""


# --------------------------------------------------------------------------------------------------------------- files
def test_specifications_and_dictionaries_carry_the_options(tmp_path: Path) -> None:
    assert parse_target("pool:6+1,subgraphs=2") == DevicePool(6, 1, subgraphs=2)
    assert parse_target("pool:6+1,replication=true") == DevicePool(6, 1, replication=True)
    assert parse_target("pool:6+1,clusters=3,cluster_speed=8") == DevicePool(
        6, 1, clusters=3, cluster_speed=8.0
    )
    path = tmp_path / "machine.toml"
    path.write_text('[target]\nkind = "pool"\ncount = "6+1"\nreplication = true\nsubgraphs = 1\n')
    assert parse_target(str(path)) == DevicePool(6, 1, replication=True)
    old = {"kind": "pool", "accelerators": 2, "cpus": 1, "memory": None, "contiguous": True,
           "communication": "sum", "bandwidth": 0.0}  # fmt: skip
    assert target_from_dict(old) == DevicePool(2, 1)
    assert DevicePool(2, 1).machine() == {k: v for k, v in old.items() if k not in ("memory", "contiguous")}
    assert set(DevicePool(2, 1, clusters=2).machine()) - set(old) == {"clusters"}


def test_plans_come_back_and_so_do_plans_and_bounds_from_before_these_options(tmp_path: Path) -> None:
    graph = line()
    problem = Problem(graph, DevicePool(2, 1))
    plan = problem.plan(np.array([0, 0, 1, 1]), Provenance("hand"))
    bound = Bound("max-load", 1.0, "simple", problem.relaxation, frozenset())
    data = to_dict(plan, [bound])
    for key in ("subgraphs", "replication", "clusters", "cluster_speed"):
        del data["problem"]["target"][key]
    path = tmp_path / "old.json"
    path.write_text(json.dumps(data))
    opened = open_plan(path, graph)
    assert opened.plan.problem == problem and opened.bounds == (replace(bound, claimed_by="old.json"),)
    assert "replicas" not in data["evaluation"]["devices"][0]


@given(st.data())
def test_plans_with_options_survive_a_file(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    pool, objective = data.draw(pools_with_options())
    problem = data.draw(problems(target=st.just(pool), graph=graphs(), objective=objective))
    plan = problem.plan(np.array(data.draw(placements(problem))), Provenance("hand"))
    path = tmp_path_factory.getbasetemp() / "plan.json"
    write_plan(path, plan)
    opened = open_plan(path, problem.graph)
    assert opened.plan.problem == problem and opened.plan.decision == plan.decision
    assert not opened.notes and opened.plan.objective == pytest.approx(plan.objective)
    stages = json.loads(path.read_text())["evaluation"]["devices"]
    if pool.replication:
        assert [stage["replicas"] for stage in stages] == plan.evaluation.replicas.tolist()
        names = [d.name for d in problem.devices]
        assert [stage["serves"] for stage in stages] == [
            None if d < 0 else names[d] for d in plan.evaluation.serves.tolist()
        ]


def test_a_split_file_has_one_entry_per_accelerator() -> None:
    problem = Problem(line(), DevicePool(2, 2, subgraphs=2), "latency", (Pin("o3", "cpu 1"),))
    split = split_dict(problem.plan(np.array([0, 1, 2, 5]), Provenance("hand")))
    assert [entry["nodes"] for entry in split["fpgas"]] == [["o0", "o1"], ["o2"]]
    assert [entry["nodes"] for entry in split["cpus"]] == [[], ["o3"]]
    assert split["fpgas"][0]["load"] == 1.5 + 3.0


def test_live_latency_has_an_evaluator_of_its_own() -> None:
    problem = Problem(line(), DevicePool(1, 1, memory=math.inf), "latency")
    assert isinstance(problem.evaluator, LatencyEvaluator)
    live = problem.live([0, 1, 0, 0])
    assert live.cyclic_devices() == 1
    assert live.objective == 29.0 and live.cyclic_devices() == 1
