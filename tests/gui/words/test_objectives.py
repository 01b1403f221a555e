"""What objectives are called, how their amounts are written, and what a move changes about them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.look.numbers import byte_column, energy_text, one_amount, signed_amount
from gui.words.objectives import (
    amount,
    change,
    changes,
    component_words,
    components_text,
    objective_help,
    objective_in_words,
    objective_title,
    plan_times,
    units_of,
    worst_device,
)
from gui.words.proofs import (
    LONGEST_LINE,
    assumed,
    bound_sentence,
    component_note,
    component_tip,
    standing_lines,
)
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.machines.spec import kinds
from planner.problem.bound import Bound, better
from planner.problem.problem import Problem
from tests.gui.models import chain_graph, timed_chain, tpu_graph

MIB = 2.0**20
UNEVEN = np.array([0, 0, 1, 2, 2, 2], np.int32)


def tpus(objective: str = "memory-1-2-3") -> Problem:
    return Problem(tpu_graph(), EdgeTpuPipeline(3, cache=2 * MIB), objective)


# ---------------------------------------------------------------------- words and amounts
def test_every_objective_of_every_machine_is_explained() -> None:
    for kind, target in kinds().items():
        for objective in target.objectives:
            assert objective_help(objective).endswith("."), f"{kind}: {objective}"
            assert objective_title(objective)
    for component in ("max-memory", "dram", "max-communication"):
        assert component_words(component).help
    assert objective_title("max-load") == "Max load"
    assert objective_title("gpipe") == component_words("gpipe").title == "GPipe"
    assert objective_in_words("gpipe") == "GPipe"
    assert component_words("max-load").title == "max load"


def test_amounts_have_the_unit_of_their_component() -> None:
    problem = tpus()
    assert amount(problem, "max-memory", 4 * MIB) == "4.00 MiB"
    assert amount(problem, "max-communication", 160 * 1024.0) == "160.0 KiB"
    assert components_text(problem, (4 * MIB, 0.0, 163840.0)) == (
        "max memory 4.00 MiB, off-chip (DRAM) 0 MiB, max communication 160.0 KiB"
    )
    assert components_text(Problem(chain_graph(), Pipeline(3)), (12.5,)) == "12.50"
    assert one_amount(float("nan"), "B") == one_amount(float("nan"), None)


def test_each_component_has_a_unit_that_keeps_its_digits_and_hides_nothing() -> None:
    units = units_of(tpus(), (4 * MIB, 0.0, 163840.0))
    assert units.text("max-memory", 3.5 * MIB) == "3.50 MiB"
    assert units.text("dram", 0.0) == "0 MiB", "exactly nothing"
    assert units.text("dram", 12.0) == "12 B", "what is not nothing never looks like it"
    assert units.text("max-communication", 163840.0) == "160.0 KiB", "not 0.156 MiB beside large ones"
    assert units.text("max-communication", 512.0) == "0.50 KiB", "a bound in the unit of the plan's value"
    assert units.text("max-memory", 0.25 * MIB) == "0.250 MiB"
    assert units.text("max-memory", 2200.0) == "2.1 KiB", "not 0.002 MiB"
    assert units.text("max-communication", float("nan")) == "\N{EN DASH}"
    timed = units_of(Problem(tpu_graph(), Pipeline(3)), (1.2e-3,))
    assert (timed.text("bottleneck", 1.2e-3), timed.text("bottleneck", 950e-6)) == ("1.20 ms", "0.950 ms")


def test_changes_have_a_sign_and_enough_digits() -> None:
    assert signed_amount(0.31 * MIB, 6.72 * MIB, "B") == "+0.31 MiB"
    assert signed_amount(-120 * 1024.0, 700 * 1024.0, "B") == "−120 KiB"
    assert signed_amount(-640.0, 6 * MIB, "B") == "−640 B"
    assert signed_amount(0.0, MIB, "B") == "±0.00 MiB"
    assert signed_amount(0.002, 0.5, "s") == "+2.00 ms"
    assert byte_column([3.0]).text(3.0) == "3 B"
    assert byte_column([]).text(0.0) == "0 B"
    assert (energy_text(0.0284), energy_text(1.5), energy_text(2e-9)) == ("28.4 mJ", "1.5 J", "0.002 µJ")


def test_the_device_that_a_component_is_about() -> None:
    e = tpus().evaluate(UNEVEN)
    assert [worst_device(e, name) for name in e.components] == [2, 2, 1]
    assert worst_device(tpus("stage-time").evaluate(UNEVEN), "stage-time") == 2
    pool = Problem(chain_graph(), DevicePool(2, 1), "gpipe")
    assert worst_device(pool.evaluate(np.zeros(12, np.int32)), "gpipe") == -1
    fits = Problem(tpu_graph(), EdgeTpuPipeline(3, cache=64 * MIB)).evaluate(UNEVEN)
    assert worst_device(fits, "dram") == -1


# ---------------------------------------------------------------------- what a move changes
def test_the_first_component_that_changes_is_told() -> None:
    problem = tpus()
    now = (4 * MIB, 2 * MIB, 160 * 1024.0)
    better_first = change(problem, now, (3 * MIB, 5 * MIB, 0.0))
    assert (better_first.component, better_first.sign) == ("max-memory", -1)
    assert better_first.text == "max memory −1.00 MiB"
    assert better_first.brief == "memory −1.00 MiB"
    last = change(problem, now, (4 * MIB, 2 * MIB, 240 * 1024.0))
    assert (last.component, last.sign) == ("max-communication", 1)
    assert last.text == "max communication +80.0 KiB"
    same = change(problem, now, now)
    assert (same.sign, same.text) == (0, "no change")
    from_nothing = change(problem, (4 * MIB, 0.0, 0.0), (4 * MIB, MIB, 0.0))
    assert (from_nothing.sign, from_nothing.text) == (1, "off-chip (DRAM) +1.00 MiB")


def test_one_number_is_told_with_its_share() -> None:
    problem = Problem(chain_graph(), Pipeline(3))
    told = changes(problem, (50.0,), np.array([[49.0, 50.0, 60.0]]))
    assert [one.text for one in told] == ["49.00  −2.0 %", "50.00  ±0.0 %", "60.00  +20.0 %"]
    assert [one.sign for one in told] == [-1, 0, 1]


AMOUNTS = st.tuples(*[st.integers(0, 2**24).map(float)] * 3)


@given(AMOUNTS, AMOUNTS)
def test_signs_agree_with_the_order_of_plans(now: tuple[float, ...], then: tuple[float, ...]) -> None:
    sign = change(tpus(), now, then).sign
    assert (sign < 0) == better(then, now, 1e-9)
    assert (sign > 0) == better(now, then, 1e-9)


def test_while_ops_are_dragged_units_stay() -> None:
    problem = Problem(tpu_graph(), Pipeline(count=3))
    said = changes(problem, [923e-6], np.array([[0.5e-6, 900e-6, 1.25e-3, 3.0]]))
    assert [one.text.split()[1] for one in said] == ["µs"] * 4
    assert [one.text.split()[0] for one in said] == ["0.50", "900.00", "1,250.00", "3,000,000.00"]


# ---------------------------------------------------------------------- proofs
def test_what_a_proof_assumed() -> None:
    def bound(*tokens: str) -> Bound:
        return Bound("max-memory", MIB, "simple", "", frozenset(tokens))

    assert assumed(bound()) == "no rule"
    assert assumed(bound("rule:order")) == "the order of the stages"
    assert assumed(bound("rule:order", "rule:shared_children", "pin:a=stage 0", "pin:b=stage 1")) == (
        "the order of the stages, shared children and 2 pins"
    )
    assert (
        assumed(bound("rule:memory<=5", "together:a\0b")) == "the memory limit and 1 set of ops kept together"
    )
    assert assumed(bound("rule:something_new")) == "something new"


def test_each_component_says_how_far_it_is_proven() -> None:
    problem = tpus()
    values = problem.evaluate(UNEVEN).values
    first = problem.bound("max-memory", values[0], "simple", frozenset({"rule:order"}))
    given_first = (("max-memory", values[0]),)
    second = problem.bound("dram", values[1] / 2, "simple", frozenset(), given=given_first)

    def notes(*bounds: Bound) -> list[str]:
        standing = problem.standing(values, bounds)
        return [component_note(problem, one, one is standing.first_open) for one in standing.components]

    assert notes() == ["no bound yet", "not proven", "not proven"]
    assert notes(first) == ["✓ proven", "no bound yet", "not proven"]
    assert notes(first, second) == ["✓ proven", "≥ 1.00 MiB, gap ≤ 50.0 %", "not proven"]
    assert notes(second) == ["no bound yet", "≥ 1.00 MiB", "not proven"]
    met = problem.bound("max-communication", values[2], "simple", frozenset())
    nothing = problem.bound("max-communication", 0.0, "simple", frozenset())
    assert notes(nothing) == ["no bound yet", "not proven", "not proven"]
    assert "0 B" not in component_tip(problem, problem.standing(values, [nothing]).components[2], False)
    assert notes(met) == ["no bound yet", "not proven", "bound met"]
    standing = problem.standing(values, [first, second])
    lines = standing_lines(problem, standing)
    assert lines[0] == "max memory 4.00 MiB (✓ proven)"
    tip = component_tip(problem, standing.components[1], True)
    assert "with max memory of at most 4.00 MiB" in tip.replace("\n", " ")
    assert "50.0 %" in tip
    assert "using the order of the stages" in component_tip(problem, standing.components[0], False).replace(
        "\n", " "
    )
    assert max(map(len, tip.splitlines())) <= LONGEST_LINE
    none = problem.bound("max-memory", float("inf"), "simple", frozenset())
    assert bound_sentence(problem, none).startswith("No plan is valid")


def test_a_bound_is_said_in_the_words_of_its_component() -> None:
    def said(problem: Problem, component: str, value: float) -> str:
        return bound_sentence(problem, problem.bound(component, value, "simple", frozenset()))

    memory, fastest = tpus(), tpus("inference-time")
    assert said(memory, "dram", 0.0).startswith("No valid plan has less off-chip (DRAM) than 0 B: proven by")
    assert said(memory, "max-memory", MIB).startswith("No valid plan has a max memory below 1.00 MiB: ")
    assert said(fastest, "inference-time", 0.002).startswith(
        "No valid plan has an inference time below 2.00 ms: "
    )


@pytest.mark.parametrize("objective", EdgeTpuPipeline.objectives)
def test_a_proof_of_all_components_leaves_nothing_open(objective: str) -> None:
    problem = tpus(objective)
    values = problem.evaluate(UNEVEN).values
    bounds, reached = [], ()
    for name, value in zip(problem.components, values, strict=True):
        bounds.append(problem.bound(name, value, "simple", frozenset(), given=reached))
        reached = (*reached, (name, value))
    assert all("✓ proven" in line for line in standing_lines(problem, problem.standing(values, bounds)))


def test_objectives_in_sentences() -> None:
    assert objective_title("ios") == "I/Os"
    assert [objective_in_words(name) for name in ("ios", "inference-time", "max-load")] == [
        "I/Os",
        "inference time",
        "max load",
    ]


def test_times_of_a_plan_have_the_unit_of_its_objective() -> None:
    """Of stages that take 900 µs each, told beside an objective of 1.80 ms; beside bytes, that of the slowest device."""
    problem = Problem(timed_chain(6, 3e-4), Pipeline(2))
    evaluation = problem.evaluate(np.array([0, 0, 0, 1, 1, 1], np.int32))
    assert plan_times(problem, evaluation).suffix == "µs"
    assert plan_times(problem, replace(evaluation, components={problem.components[0]: 1.8e-3})).suffix == "ms"
    assert (
        plan_times(problem, replace(evaluation, components={problem.components[0]: math.inf})).suffix == "µs"
    )
    tpus = Problem(tpu_graph(), EdgeTpuPipeline(2))
    assert tpus.unit(tpus.components[0]) == "B"
    assert plan_times(tpus, tpus.evaluate(np.array([0, 0, 0, 1, 1, 1], np.int32))).suffix == "ms"
