"""Multi-chip modules against their slow reference: costs, rules, memory in schedule order, links, live evaluation."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import TargetError
from planner.formats import read_graph
from planner.machines.mcm.kernels import longest, triangles
from planner.machines.mcm.rules import indirect_way
from planner.machines.mcm.target import MOST_CHIPS, McmPackage
from planner.machines.pool.target import DevicePool
from planner.machines.spec import parse_target, target_from_dict
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Problem
from tests.planner.machines.mcm import reference
from tests.planner.machines.mcm.strategies import mcm_problems, packages
from tests.planner.strategies import placements

pytestmark = pytest.mark.coverage


def chain(*pairs: str, work: float = 1.0, size: float = 8.0, params: float = 0.0) -> Graph:
    """Ops named by letters; ``ab`` is an edge."""
    names = sorted({letter for pair in pairs for letter in pair})
    consumers: dict[str, list[str]] = {}
    for a, b in pairs:
        consumers.setdefault(a, []).append(b)
    ops = [Op(v, v, work=work, work_cpu=work, param_bytes=params) for v in names]
    tensors = [Tensor(a, tuple(to), size, 0.25) for a, to in consumers.items()]
    return Graph.build("chain", ops, tensors, time_unit="s")


@given(mcm_problems(), st.data())
def test_evaluation_is_the_reference(problem: Problem, data: st.DataObject) -> None:
    device_of = data.draw(placements(problem))
    found = problem.evaluate(np.array(device_of, np.int32))
    assert dict(found.components) == pytest.approx(reference.components(problem, device_of))
    for c in range(problem.target.count):
        for name, value in reference.parts(problem, device_of, c).items():
            assert getattr(found, name)[c] == pytest.approx(value, abs=1e-9)
        assert found.cost[c] == pytest.approx(reference.cost(problem, device_of, c))
        assert found.memory[c] == pytest.approx(reference.memory(problem, device_of, c))
        assert found.details["parameters"][c] == pytest.approx(reference.parameters(problem, device_of, c))
        schedule = problem.evaluator.memory_schedule(np.array(device_of, np.int32), c)
        assert schedule.ops.tolist() == reference.run(problem, device_of, c)
        assert schedule.live.tolist() == pytest.approx(reference.live_bytes(problem, device_of, c))
        assert found.details["activations"][c] == pytest.approx(schedule.live.max(initial=0.0))
        assert found.details["parameters"][c] == pytest.approx(schedule.parameters)
    assert found.details["link"].tolist() == pytest.approx(reference.links(problem, device_of))
    assert found.figures["latency"] == pytest.approx(reference.latency(problem, device_of))
    assert problem.evaluator.objective(np.array(device_of)) == pytest.approx(found.objective)
    starts = problem.evaluator.starts(np.array(device_of, np.int32), found.cost)
    assert (starts + found.cost).max() == pytest.approx(found.figures["latency"])
    assert 1.0 / found.figures["throughput"] == pytest.approx(found.cost.max())
    assert {v.kind for v in found.violations} == reference.violations(problem, device_of)
    assert problem.evaluator.components(np.array(device_of, np.int32)) == pytest.approx(found.values)
    assert problem.evaluator.plain is (problem.objective == "chip-latency")


@given(mcm_problems(), st.data())
@settings(max_examples=60)
def test_live_evaluation_follows_moves(problem: Problem, data: st.DataObject) -> None:
    n, k = problem.graph.n, problem.target.count
    live = problem.live(data.draw(placements(problem)))
    for _ in range(data.draw(st.integers(1, 4))):
        ops = np.array(sorted(data.draw(st.sets(st.integers(0, n - 1), min_size=1, max_size=3))), np.int32)
        delta, check = live.delta(ops), live.check(ops)
        known = {(v.kind, v.ops, v.devices) for v in live.violations}
        before = live.violations
        for d in range(k):
            said = {v.kind for v in check.violations(d)}
            live.apply(ops, d)
            after = live.evaluation
            assert delta.components[:, d] == pytest.approx(after.values)
            assert delta.cost[d] == pytest.approx(after.cost)
            assert delta.memory[d] == pytest.approx(after.memory)
            new = {v.kind for v in after.violations if (v.kind, v.ops, v.devices) not in known}
            if not before:
                assert check.legal[d] == after.valid
            for kind in {"no_skip", "every_chip"} & new - {v.kind for v in before}:
                assert not check.legal[d], kind
            assert said == new
            live.undo()
        live.apply(ops, data.draw(st.integers(0, k - 1)))
        assert live.objective == pytest.approx(problem.evaluate(live.device_of).objective)
        assert live.components == pytest.approx(problem.evaluate(live.device_of).values)


@given(mcm_problems(), st.data())
@settings(max_examples=40)
def test_best_moves_are_improvements(problem: Problem, data: st.DataObject) -> None:
    live = problem.live(data.draw(placements(problem)))
    now = live.objective
    for move in live.best_moves(3, legal_only=False):
        live.apply(np.array(move.ops, np.int32), move.device)
        assert live.objective == pytest.approx(move.objective)
        assert live.objective < now
        live.undo()


@given(packages())
def test_a_package_survives_its_specification_and_its_dictionary(target: McmPackage) -> None:
    assert parse_target(target.spec()) == target
    assert target_from_dict(target.to_dict()) == target


def test_more_chips_are_asked_for_within_what_there_may_be() -> None:
    assert McmPackage(4).with_count(6) == McmPackage(6)
    assert McmPackage(4).with_count(2) == McmPackage(4)
    assert McmPackage(4).with_count(10**6).count == MOST_CHIPS


def test_the_papers_triangle_is_named() -> None:
    graph = chain("ab", "bc", "ac")
    problem = Problem(graph, McmPackage(3))
    (broken,) = problem.evaluate(np.array([0, 1, 2], np.int32)).violations
    assert broken.kind == "triangle"
    assert broken.devices == (0, 1, 2)
    assert [graph.op_names[v] for v in broken.ops] == ["a", "c", "a", "b", "b", "c"]
    assert broken.sentence == "a on chip 0 feeds c on chip 2 directly, while a leads there over chip 1"
    assert problem.evaluate(np.array([0, 1, 1], np.int32)).valid
    live = Problem(graph, McmPackage(3, no_skip=False)).live(np.array([0, 0, 2], np.int32))
    assert live.check([1]).legal.tolist() == [True, False, True]
    assert Problem(graph, McmPackage(3, triangle=False)).evaluate(np.array([0, 1, 2], np.int32)).valid


def test_skipped_and_empty_chips_are_named() -> None:
    graph = chain("ab", "bc")
    device_of = np.array([0, 3, 3], np.int32)
    kinds = {v.kind: v for v in Problem(graph, McmPackage(5, every_chip=True)).evaluate(device_of).violations}
    assert set(kinds) == {"no_skip", "every_chip"}
    assert kinds["no_skip"].devices == (1, 2, 3)
    assert (
        kinds["no_skip"].sentence
        == "chip 1 to chip 2 are skipped: empty, though chip 3 after it holds b and 1 more"
    )
    assert kinds["every_chip"].devices == (4,)
    alone = Problem(graph, McmPackage(2)).evaluate(np.array([1, 1, 1], np.int32)).violations[0]
    assert alone.sentence == "chip 0 is skipped: empty, though chip 1 after it holds a and 2 more"


def test_an_op_reads_and_writes_what_it_works_on() -> None:
    assert Problem(chain("ab", "bc"), McmPackage(2)).evaluator.working_set().tolist() == [8.0, 16.0, 8.0]


def test_memory_names_the_op_at_the_peak() -> None:
    graph = chain("ab", "ac", "bd", "cd", params=4.0)
    problem = Problem(graph, McmPackage(2, sram=30.0))
    device_of = np.zeros(4, np.int32)
    # a's tensor stays for c while b runs; then those of b and c wait for d.
    schedule = problem.evaluator.memory_schedule(device_of, 0)
    assert [graph.op_names[v] for v in schedule.ops] == ["a", "b", "c", "d"]
    assert schedule.live.tolist() == [8.0, 16.0, 24.0, 16.0]
    (broken,) = problem.evaluate(device_of).violations
    assert broken.kind == "memory"
    assert graph.op_names[broken.ops[0]] == "c"
    assert broken.sentence == (
        "chip 0 needs 40 B (16 B parameters, 24 B activations, most while c runs), 10 B more than fits"
    )


def test_the_smallest_id_runs_first_wherever_a_device_placement_file_has_it(tmp_path: Path) -> None:
    def node(id: int) -> dict[str, Any]:
        return {"id": id, "name": f"n{id}", "fpgaLatency": 1, "cpuLatency": 1, "size": 8, "supportedOnFpga": 1,
                "isBackwardNode": 0}  # fmt: skip

    edges = [
        {"sourceId": a, "destId": b, "cost": 1, "size": 8} for a, b in ((1, 9), (1, 4), (9, 12), (4, 12))
    ]
    orders = []
    for ids in ((1, 9, 4, 12), (12, 4, 9, 1)):
        file = tmp_path / "g.json"
        file.write_text(json.dumps({"nodes": [node(i) for i in ids], "edges": edges}))
        graph = read_graph(file)
        schedule = Problem(graph, McmPackage(2)).evaluator.memory_schedule(np.zeros(4, np.int32), 0)
        orders.append([graph.op_ids[v] for v in schedule.ops])
    assert orders == [["1", "4", "9", "12"]] * 2


def test_a_copied_source_binds_nobody() -> None:
    # m feeds both ends of a chain of three: with the triangle rule they cannot be on three chips, copied they can.
    graph = chain("ma", "mc", "ab", "bc", params=2.0)
    spread = np.array([0, 1, 2, 0], np.int32)
    assert not Problem(graph, McmPackage(3)).evaluate(spread).valid
    copied = Problem(graph, McmPackage(3, copy_sources=1)).evaluate(spread)
    assert copied.valid
    assert copied.receive.tolist() == [0.0, 0.25, 0.25]
    assert copied.work.tolist() == [2.0, 1.0, 2.0]
    assert copied.details["parameters"].tolist() == [4.0, 2.0, 4.0]
    assert copied.details["link"].tolist() == [8.0, 8.0, 0.0]
    evaluator = Problem(graph, McmPackage(3, copy_sources=1)).evaluator
    own = evaluator.copied[evaluator.tensor_producer]
    assert own.any() and not evaluator.sent[own].any()
    assert (evaluator.sent[~own] == evaluator.size[~own]).all()
    plain = Problem(graph, DevicePool(2, 0)).evaluator
    assert (plain.sent == plain.size).all(), "without copies all that is read is sent"
    backwards = Problem(graph, McmPackage(3, copy_sources=1)).evaluate(np.array([0, 0, 1, 1], np.int32))
    assert backwards.valid


def test_what_leads_to_a_source_alone_is_copied_with_it() -> None:
    # i and m are one source for a and c; with z reading i as well it is a part of the network.
    pairs = ("im", "ma", "mc", "ab", "bc")
    problem = Problem(chain(*pairs, params=2.0), McmPackage(3, copy_sources=1))
    names = problem.graph.op_names
    assert [names[v] for v in np.flatnonzero(problem.evaluator.copied)] == ["m"]
    device_of = np.array([{"i": 0, "m": 0, "a": 0, "b": 1, "c": 2}[v] for v in names], np.int32)
    found = problem.evaluate(device_of)
    assert found.valid
    assert found.work.tolist() == [3.0, 1.0, 3.0]
    assert found.details["parameters"].tolist() == [6.0, 2.0, 6.0]
    assert problem.target.copied(problem.graph).tolist() == problem.evaluator.copied.tolist()
    assert not Problem(chain(*pairs, "iz"), McmPackage(3, copy_sources=2)).evaluator.copied.any()
    assert not Problem(chain(*pairs, "iz"), McmPackage(3, copy_sources=1)).evaluator.copied[names.index("m")]
    long = [f"{a}{b}" for a, b in pairwise("ABCDEFGHIJKLMNOPQ")]
    whole = Problem(chain(*long[1:], "Qa", "Qb"), McmPackage(2, copy_sources=1))
    assert whole.evaluator.copied[whole.graph.op_names.index("Q")]
    too_long = Problem(chain(*long, "Qa", "Qb"), McmPackage(2, copy_sources=1))
    assert not too_long.evaluator.copied.any()


def test_longest_paths_and_triangles_of_arcs() -> None:
    arcs = np.array([0b1110, 0b0100, 0b1000, 0], np.uint64)
    assert longest(arcs)[0].tolist() == [-1, 1, 2, 3]
    assert triangles(arcs).tolist() == [[0, 1, 2], [0, 1, 3]]
    assert indirect_way(arcs, 0, 3) == [0, 2, 3]
    with pytest.raises(ValueError, match="no indirect way"):
        indirect_way(arcs, 2, 3)


def test_times_without_a_profile_come_from_the_chip() -> None:
    ops = [Op("in", "in", kind="Input"), Op("a", "a", kind="Gemm", macs=2e12), Op("b", "b", kind="Relu")]
    graph = Graph.build("bare", ops, [Tensor("in", ("a",), 256.0), Tensor("a", ("b",), 512e9)])
    from planner.model.cost_model import fill

    problem = Problem(fill(graph), McmPackage(2, sram=1e15))
    assert problem.evaluate(np.array([0, 0, 0], np.int32)).work[0] == pytest.approx(2.0 + 2.0)
    assert problem.evaluate(np.array([0, 0, 1], np.int32)).send[0] == pytest.approx(512e9 / 25e9)


def test_an_unknown_unit_is_refused_where_times_are_missing() -> None:
    graph = Graph.build("half", [Op("a", "a", work_cpu=1.0), Op("b", "b", work=1.0)], [], time_unit=None)
    from planner.model.cost_model import fill

    with pytest.raises(TargetError, match="unknown unit"):
        Problem(fill(graph), McmPackage(2))


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("mcm:0", "at least one chip"),
        ("mcm:65", "from 0 to 64"),
        ("mcm:4,precision=half", "choose from file, int8"),
        ("mcm:4,local=0", "more than zero"),
        ("mcm:4,copy_sources=-1", "copy_sources"),
        ("mcm:4,rules=none", "no parameter 'rules'"),
    ],
)
def test_a_wrong_package_is_refused(spec: str, says: str) -> None:
    with pytest.raises(TargetError, match=says):
        parse_target(spec)


def test_the_public_specification_of_a_package() -> None:
    target = parse_target("mcm:36,sram=32MiB,link=25GB/s,triangle=true,no_skip=true,check_memory=true")
    assert isinstance(target, McmPackage)
    assert (target.count, target.sram, target.link) == (36, 32 * 2**20, 25e9)
    graph = chain("ab")
    assert target.rules(graph) == ("order", "no_skip", "triangle", "memory")
    assert [d.name for d in target.devices(graph)][:2] == ["chip 0", "chip 1"]
