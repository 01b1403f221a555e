"""What a plan's memory counts and what its limit means, in words, on each kind of machine."""

from __future__ import annotations

import numpy as np
import pytest

from planner.evaluation.memory_words import (
    assumed_precision,
    fitting_words,
    held_words,
    limit_words,
    memories_in_words,
    must_fit,
    raised_in_words,
)
from planner.formats import read_model
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.samples import sample
from planner.problem.problem import Problem
from planner.problem.target import Target

pytestmark = pytest.mark.coverage

STREAMED, FITS = "what exceeds it is streamed each time", "which ops must fit"


@pytest.mark.parametrize(
    ("target", "held", "limit", "fits"),
    [
        (Pipeline(4), "parameters", "", False),
        (Pipeline(4, memory=2**26), "parameters", f"64.00 MiB per stage, {STREAMED}", False),
        (EdgeTpuPipeline(4), "parameters", f"8.00 MiB per TPU, {STREAMED}", False),
        (McmPackage(4), "parameters and activations", f"32.00 MiB per chip, {FITS}", True),
        (DevicePool(2, 1), "parameters and outputs", "", False),
        (DevicePool(2, 1, memory=2**26), "parameters and outputs", f"64.00 MiB per accelerator, {FITS}", True),
        (DevicePool(2, 1, memory=(2.0**26,) * 3), "parameters and outputs", f"64.00 MiB per device, {FITS}", True),
        (
            DevicePool(3, 1, memory=(2.0**26, 2.0**26, 2.0**27)),
            "parameters and outputs",
            f"64.00 MiB, 64.00 MiB and 128.00 MiB, each accelerator its own, {FITS}",
            True,
        ),
        (DevicePool(1, 1, memory=(np.inf, 2.0**26)), "parameters and outputs", f"64.00 MiB per CPU, {FITS}", True),
    ],
    ids=str,
)  # fmt: skip
def test_memory_is_told_by_what_counts_and_what_its_limit_does(
    target: Target, held: str, limit: str, fits: bool
) -> None:
    problem = Problem(read_model(sample("resnet50.json")), target)
    evaluation = problem.evaluate(np.zeros(problem.graph.n, np.int64))
    assert held_words(problem, evaluation) == held
    assert limit_words(problem, evaluation) == limit
    assert must_fit(problem) == fits
    if fits:
        assert fitting_words(problem) == held.replace("and activations", "and peak activations")


@pytest.mark.parametrize(
    ("memory", "size", "now", "raised"),
    [
        (2.0**26, 2.0**27, "64.00 MiB", "128.00 MiB"),
        ((2.0**26, 2.0**26, 2.0**27), 1.5 * 2**26, "64.00 MiB, 64.00 MiB and 128.00 MiB", "at least 96.00 MiB"),
        ((2.0**26, 2.0**26, 2.0**27), 2.0**28, "64.00 MiB, 64.00 MiB and 128.00 MiB", "256.00 MiB"),
        ((2.0**26, 2.0**26, np.inf), 2.0**28, "64.00 MiB", "256.00 MiB"),
    ],
)  # fmt: skip
def test_unlike_memories_are_said_one_by_one_and_raised_to_at_least_so_much(
    memory: float | tuple[float, ...], size: float, now: str, raised: str
) -> None:
    assert (memories_in_words(memory), raised_in_words(memory, size)) == (now, raised)


@pytest.mark.parametrize(
    ("model", "target", "precision"),
    [
        ("transformer_encoder.onnx", McmPackage(36, precision="int8"), "int8"),
        ("transformer_encoder.onnx", McmPackage(1), ""),
        ("transformer_encoder.onnx", EdgeTpuPipeline(4), "int8"),
        ("transformer_encoder.onnx", DevicePool(2, 1), ""),
        ("branchy_int8.tflite", EdgeTpuPipeline(4), ""),
    ],
    ids=str,
)
def test_a_precision_that_is_not_the_files_is_named(model: str, target: Target, precision: str) -> None:
    assert assumed_precision(Problem(read_model(sample(model)), target)) == precision
