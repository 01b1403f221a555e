"""What a figure of the readout strip says: rates, and the time of one inference beside them."""

from __future__ import annotations

import numpy as np
import pytest

from gui.look.numbers import one_time
from gui.panels.readout_figures import figures_tip, rate_words, speed_shown
from gui.widgets.briefer import briefer
from gui.words.objectives import plan_times
from planner.machines.mcm.target import McmPackage
from planner.machines.pool.target import DevicePool
from planner.problem.problem import Problem
from tests.gui.models import timed_chain
from tests.gui.window_parts import opened_on_tpus


def test_the_rate_and_the_time_of_one_inference_are_told_apart() -> None:
    document = opened_on_tpus()
    figures = document.evaluation.figures
    alone, every = (one_time(value, "s") for value in (figures["latency"], 1 / figures["throughput"]))
    assert f"one alone {alone}" in speed_shown(document.problem, document.evaluation).note
    tip = figures_tip(document.problem, document.evaluation)
    assert f"inferences/s, one every {every}" in tip
    assert f"{alone} from input to output of one inference alone" in tip


@pytest.mark.parametrize("objective", McmPackage.objectives)
def test_times_of_a_package_read_as_wherever_they_stand(objective: str) -> None:
    """Those of chips in the unit of the objective, as the Package panel has them; that of a sample as on the command line, never 3,200 µs."""
    problem = Problem(timed_chain(16, 2e-4), McmPackage(4), objective)
    evaluation = problem.evaluate(np.repeat(np.arange(4, dtype=np.int32), 4))
    times, figures = plan_times(problem, evaluation), evaluation.figures
    assert times.suffix == ("ms" if objective == "latency" else "µs")
    slowest, unit = float(evaluation.cost.max()), problem.graph.time_unit
    other = times.text(slowest) if objective == "latency" else one_time(figures["latency"], unit)
    assert other.endswith(" ms")
    assert rate_words(problem, evaluation, evaluation.objective).endswith(other)


def test_a_rate_without_pipelining_is_told_from_that_of_a_stream() -> None:
    graph, device_of = timed_chain(6, 1e-3), np.array([0, 0, 0, 1, 1, 1], np.int32)
    said = {}
    for objective in ("max-load", "latency"):
        problem = Problem(graph, DevicePool(2, 0), objective)
        evaluation = problem.evaluate(device_of)
        said[objective] = rate_words(problem, evaluation, evaluation.objective)
    assert said["max-load"].endswith(" inferences/s") and said["latency"].endswith(
        " inferences/s one at a time"
    )
    number = said["latency"].partition(" ")[0]
    assert briefer(said["latency"]) == (f"{number}/s one at a time",)
