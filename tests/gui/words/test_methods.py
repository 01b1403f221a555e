"""What planners, and plans that are called after them, are called where they are shown."""

from __future__ import annotations

import pytest

from gui.words.methods import (
    SIMPLE_SUMMARY,
    SIMPLE_TITLE,
    method_told,
    method_words,
    refusal_words,
    shown_name,
)
from planner.machines.catalogue import bound_methods, planners
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.problem.problem import Problem
from tests.gui.models import timed_chain


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("slice", "Slice"),
        ("slice (seed 3)", "Slice (seed 3)"),
        ("edge-tpu-balanced", "Compiler's segmentation"),
        ("edge-tpu-balanced, 4 stages", "Compiler's segmentation, 4 stages"),
        ("slice, edited", "Slice, edited"),
        ("slice 2", "Slice 2"),
        ("second (slice)", "second (slice)"),
        ("second (edge-tpu-balanced)", "second (compiler's segmentation)"),
        ("blocks", "Blocks by price"),
        ("slice of bread", "slice of bread"),
        ("slice and dice (mine)", "slice and dice (mine)"),
        ("my slice", "my slice"),
        ("slices", "slices"),
        ("", ""),
    ],
)
def test_plans_called_after_planners_have_their_titles(name: str, shown: str) -> None:
    assert shown_name(name) == shown


def test_the_bound_of_every_plan_has_a_title_and_is_explained() -> None:
    method = bound_methods()["simple"]
    assert (method.title, method.summary) == (SIMPLE_TITLE, SIMPLE_SUMMARY)
    assert method_words("simple") == "load of all devices" and method_told("simple") == SIMPLE_SUMMARY
    assert method_told("fastest") == bound_methods()["fastest"].summary
    assert method_told("nobody") == ""


def test_why_a_method_does_not_serve_is_said_in_the_words_of_the_window() -> None:
    problem = Problem(timed_chain(8, 1e-3), EdgeTpuPipeline(2, precision="file"), "memory-1-2-3")
    slices = planners()["slice"]
    assert slices.refusal(problem) == "'slice' does not minimise memory-1-2-3", "as commands have it"
    assert refusal_words(slices, problem) == "does not minimise memory 1 → 2 → 3"
    assert refusal_words(planners()["dpl"], problem) == "does not plan for an Edge TPU pipeline"
    assert refusal_words(planners()["edge-tpu-ilp"], problem) == ""
