"""Machines in words."""

from __future__ import annotations

import pytest

from gui.words.machines import (
    apart_words,
    conditions_words,
    counted_devices,
    devices_words,
    fast_memory_words,
    machine_with_settings,
    machine_words,
    machines_by_letter,
    machines_told_apart,
    picture_title,
)
from planner.generate.catalogue import generate_network
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.problem.problem import Problem
from planner.problem.target import Target
from tests.gui.mcm_models import row_graph
from tests.gui.models import tpu_graph


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (Pipeline(4), "4 stages"),
        (DevicePool(3, 1, contiguous=False), "3 accelerators + 1 CPU"),
        (McmPackage(12, precision="int8", copy_sources=11), "12 chips, int8"),
    ],
)
def test_machines_in_words(target: Target, words: str) -> None:
    assert devices_words(Problem(row_graph(12), target)) == words


def test_a_machine_in_a_sentence() -> None:
    assert machine_words(Problem(row_graph(12), Pipeline(1))) == "a pipeline of 1 stage"
    assert machine_words(Problem(tpu_graph(), EdgeTpuPipeline(3))) == "an Edge TPU pipeline of 3 stages"


def test_slots_of_an_accelerator_are_one_machine() -> None:
    slots = Problem(row_graph(12), DevicePool(2, 1, subgraphs=3), "latency")
    assert counted_devices(slots) == "2 accelerators (6 subgraphs) and 1 CPU"
    assert machine_words(slots) == "a device pool of 2 accelerators (6 subgraphs) and 1 CPU"
    assert counted_devices(Problem(row_graph(12), DevicePool(1, 2))) == "1 accelerator and 2 CPUs"


def test_machines_that_are_called_alike_are_told_apart_by_what_differs() -> None:
    graph = row_graph(12)
    file, small = (
        Problem(graph, McmPackage(4)),
        Problem(graph, McmPackage(4, precision="int8", triangle=False)),
    )
    assert machines_told_apart(file, small) == (
        "a multi-chip module of 4 chips, triangle rule on, precision file",
        "a multi-chip module of 4 chips, triangle rule off, precision int8",
    )
    roomy = Problem(graph, McmPackage(4, sram=64.0 * 2**20))
    assert machines_told_apart(file, roomy)[1].endswith("64.00 MiB")
    assert machines_told_apart(file, Problem(graph, McmPackage(8))) == (
        "a multi-chip module of 4 chips", "a multi-chip module of 8 chips",
    )  # fmt: skip


def test_problems_are_told_apart_by_what_differs_alone() -> None:
    graph = row_graph(12)

    def problem(**given: object) -> Problem:
        return Problem(graph, DevicePool(2, 1, **given))  # type: ignore[arg-type]

    row, free = problem(), problem(contiguous=False)
    assert apart_words(row, [row]) == ""
    assert [apart_words(each, [row, free]) for each in (row, free)] == ["contiguous", "non-contiguous"]
    small, faster = problem(memory=2.0**20), problem(communication="overlap", bandwidth=1e9)
    assert apart_words(row, [row, small]) == "memory unlimited"
    assert apart_words(small, [row, small]) == "", "its conditions say so anyway"
    assert apart_words(row, [row, faster]) == "sum, bandwidth automatic"
    assert apart_words(faster, [row, faster]) == "bandwidth 1 GB/s", "and its devices that transfers overlap"
    assert apart_words(row, [row, Problem(graph, DevicePool(3, 1))]) == "", "devices are counted anyway"
    assert apart_words(row, [row, Problem(graph, DevicePool(2, 1), "latency")]) == "", (
        "figures have other names"
    )
    copied = problem(replication=True)
    assert [apart_words(each, [row, copied]) for each in (row, copied)] == ["no replication", "replication"]
    assert apart_words(free, [Problem(row_graph(13), DevicePool(2, 1)), Problem(graph, Pipeline(2))]) == ""


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (Pipeline(4), "pipeline"),
        (
            McmPackage(6, sram=128 * 2.0**20, copy_sources=11, triangle=False, precision="int8"),
            "multi-chip module of 6 chips, memory of a chip 128.00 MiB, triangle rule off, copy sources over 11, int8",
        ),
        (
            DevicePool(2, 1, contiguous=False, replication=True),
            "device pool of 2 accelerators and 1 CPU, non-contiguous, replication",
        ),
    ],
)
def test_settings_are_said_in_words(target: Target, words: str) -> None:
    assert machine_with_settings(Problem(row_graph(12), target)) == words


def test_the_memory_of_a_network_in_words() -> None:
    network = generate_network("mlp", {"width": 8, "depth": 2, "density": 0.5}, seed=1)
    said = [
        fast_memory_words(NetworkProblem(network, TwoLevelMemory(20, policy))) for policy in ("min", "lru")
    ]
    assert said == ["fast memory of 20 values, MIN", "fast memory of 20 values, LRU"]


def test_problems_of_compared_plans_are_told_by_their_letters() -> None:
    graph = row_graph(12)

    def told(*targets: Target) -> str:
        return machines_by_letter([Problem(graph, target) for target in targets], "ABC")

    assert told(Pipeline(2), Pipeline(2)) == ""
    assert told(Pipeline(2), Pipeline(3)) == "A on 2 stages, B on 3 stages"
    row, free = DevicePool(2, 1), DevicePool(2, 1, contiguous=False)
    assert told(row, free) == "A contiguous, B non-contiguous; 2 accelerators + 1 CPU"
    assert told(row, free, row) == "A contiguous, B non-contiguous, C contiguous; 2 accelerators + 1 CPU"
    small = McmPackage(4, sram=2.0**20)
    assert told(small, McmPackage(6)) == (
        "A on 4 chips, memory of a chip 1.00 MiB; B on 6 chips, memory of a chip 32.00 MiB"
    )


def test_memories_of_each_device_are_said_in_words() -> None:
    unlike = Problem(row_graph(12), DevicePool(2, 1, memory=(2.0**26, 2.0**26, 2.0**27)))
    alike = Problem(row_graph(12), DevicePool(2, 1, memory=(104398848.0,) * 3))
    assert machines_by_letter([alike, unlike], "AB") == (
        "A memory 99.56 MiB each; B memory 64.00 MiB, 64.00 MiB and 128.00 MiB; 2 accelerators + 1 CPU"
    )
    assert machine_with_settings(alike).endswith(", memory 99.56 MiB each")


def test_titles_of_pictures_leave_settings_to_the_line_below() -> None:
    problem = Problem(tpu_graph(), McmPackage(count=4, sram=16.0 * 2**20))
    assert "memory" in conditions_words(problem) and "memory" in machine_with_settings(problem)
    assert "memory" not in picture_title(problem)
