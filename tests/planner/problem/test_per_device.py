"""Numbers of each device in words."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.evaluation.memory_words import limit_words
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.problem.per_device import in_words
from planner.problem.problem import Plan, Problem
from planner.problem.provenance import Provenance
from planner.problem.target import Target
from planner.quantity import bytes_text
from planner.reports.certificate.certificate import certificate
from planner.reports.certificate.text import setting_text
from planner.reports.comparison.rules import differing, made_for, set_apart
from tests.planner.reports.comparison.test_comparison import chain

RAW = re.compile(r"\(\d+\.?\d*, |\d{6,}(?!\d|[KMGT]iB)|\d\.\d{5,}|\binf\b|e\+\d")
"""What Python writes of numbers, and nobody says."""


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([2.0**26], "64.00 MiB"),
        ([2.0**26] * 3, "64.00 MiB each"),
        ([2.0**26, 2.0**26, 2.0**27], "64.00 MiB, 64.00 MiB and 128.00 MiB"),
        ([*[2.0**26] * 6, 2.0**27], "64.00 MiB (6) and 128.00 MiB"),
    ],
)
def test_numbers_of_devices_are_said(values: Sequence[float], words: str) -> None:
    assert in_words(values, bytes_text) == words


@st.composite
def unequal(draw: st.DrawFn) -> Target:
    """A target with memories and speeds of each device."""
    memory = st.lists(st.floats(2.0**20, 2.0**34), min_size=3, max_size=3).map(tuple)
    speed = st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=3, max_size=3).map(tuple)
    kind = draw(st.sampled_from(["pool", "pipeline"]))
    if kind == "pool":
        return DevicePool(2, 1, memory=draw(memory), speed=draw(speed))
    return Pipeline(3, memory=draw(memory), speed=draw(speed))


@given(unequal(), st.sampled_from([(), (2.0**26, 2.0**26, 2.0**40 / 3)]))
def test_no_sentence_on_a_target_has_raw_numbers(target: Target, other: tuple[float, ...]) -> None:
    plain = (
        DevicePool(2, 1, memory=other or 2.0**26)
        if isinstance(target, DevicePool)
        else Pipeline(3, memory=other or 2.0**26)
    )
    made: list[Plan] = [
        Problem(chain(), each).plan(np.zeros(6, np.int32), Provenance("by hand")) for each in (target, plain)
    ]
    certified = certificate(made[0])
    said = [
        differing(made, "AB").sentence,
        made_for(made[0].problem, made[1].problem),
        made_for(made[1].problem, made[0].problem),
        *set_apart([target, plain]),
        target.spec_for_people(),
        limit_words(made[0].problem, made[0].evaluation),
        *(rule.words for rule in certified.rules),
        *(setting_text(setting) for setting in certified.settings),
        *certified.violations,
    ]
    assert [sentence for sentence in said if RAW.search(sentence)] == []
