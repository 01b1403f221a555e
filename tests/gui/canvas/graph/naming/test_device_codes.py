"""What the cards of a picture carry for each device."""

from __future__ import annotations

import numpy as np
import pytest

from gui.canvas.graph.naming.device_codes import device_codes
from gui.canvas.graph.picture.picture import compose
from gui.look.page import Page
from planner.machines.pool.target import DevicePool
from planner.problem.problem import Problem
from tests.gui.models import chain_graph


@pytest.mark.parametrize(
    ("titles", "codes"),
    [
        (["Stage 0", "Stage 1"], ("0", "1")),
        (["Accelerator 0", "Accelerator 1", "CPU 0", "CPU 1"], ("0", "1", "C0", "C1")),
        (["CPU 0", "CPU 1"], ("0", "1")),
        (["Fast", "Slow"], ("0", "1")),
        (["Stage 0", "Card 1", "CPU 1"], ("0", "1", "2")),
        ([], ()),
    ],
)
def test_codes_tell_devices_apart(titles: list[str], codes: tuple[str, ...]) -> None:
    assert device_codes(titles) == codes


def test_a_picture_of_a_pool_has_them(qapp: object) -> None:
    problem = Problem(chain_graph(12), DevicePool(2, 1, contiguous=False))
    picture = compose(problem, np.arange(12, dtype=np.int32) // 4, Page((800, 600)), "flow")
    assert [picture.palette.code(device) for device in range(3)] == ["0", "1", "C0"]
