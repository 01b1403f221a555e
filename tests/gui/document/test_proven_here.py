"""What was proven of one problem counts for others for which it holds."""

from __future__ import annotations

from dataclasses import replace

from gui.document.plan.document import Document
from gui.document.proven_here import MOST, ProvenHere
from gui.words.proofs import bound_sentence, prover_words
from planner.machines.mcm.target import McmPackage
from planner.machines.pool.target import DevicePool
from planner.problem.problem import Problem
from tests.gui.models import timed_chain

MIB = 2.0**20


def test_a_tighter_memory_keeps_what_is_proven() -> None:
    graph = timed_chain(6, 1.0)
    document = Document()
    problem = Problem(graph, McmPackage(2))
    document.open_graph(graph, target=problem.target)
    assert isinstance(problem.target, McmPackage)
    document.add_bounds([problem.bound("chip-latency", 5.0, "chain-dp", problem.assumptions)])
    document.set_problem(replace(problem.target, sram=8 * MIB))
    bound = document.bound
    assert bound is not None
    assert bound.value == 5.0
    assert prover_words(bound).endswith(" for memory of a chip 32.00 MiB")
    assert document.problem is not None
    assert "for memory of a chip 32.00 MiB, which holds here all the more" in bound_sentence(
        document.problem, bound
    )
    # With more memory than it was proven for nothing is known of it but what is seen at once.
    document.set_problem(replace(problem.target, sram=64 * MIB))
    assert document.bound is None or document.bound.method != "chain-dp"


def test_an_objective_that_is_never_less_keeps_what_is_proven() -> None:
    graph = timed_chain(6, 1.0)
    document = Document()
    problem = Problem(graph, DevicePool(2, 1))
    document.open_graph(graph, target=problem.target)
    document.add_bounds([problem.bound("max-load", 2.5, "nested-cuts", problem.assumptions)])
    document.set_problem(problem.target, "gpipe")
    assert document.bound is not None
    assert document.bound.value == 2.5
    assert prover_words(document.bound) == "proven by nested cuts for max load"


def test_the_latest_problems_are_remembered() -> None:
    known = ProvenHere()
    problems = [Problem(timed_chain(2, 1.0), McmPackage(1, sram=(i + 1) * MIB)) for i in range(MOST + 2)]
    for problem in problems:
        known.opened(problem)
        known.add([problem.bound("chip-latency", 1.0, "simple", frozenset())])
    assert len(known.of_others(problems[0])) == MOST
    known.forget()
    assert known.of_others(problems[0]) == ()
