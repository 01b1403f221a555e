"""From a large file to a plan and to a picture: processor seconds and memory of each of our commands."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

GRAPHS = (50_000, 100_000, 500_000)
"""Ops."""
NETWORKS = (1_835, 5_780)
"""Neurons of each of four layers, a tenth of all connections between them: 1 and 10 million connections."""


def measured(words: Sequence[str]) -> tuple[float, float]:
    """Processor seconds of a command and of what it started, and the megabytes of the largest of these processes. Raises :class:`OSError`."""
    process = subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={"QT_QPA_PLATFORM": "offscreen", **os.environ},
    )  # fmt: skip
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise OSError(f"{' '.join(map(str, words))} ended with status {process.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def steps(model: Path, target: Sequence[str], opens: bool) -> list[tuple[float, float]]:
    """What ``info``, ``plan`` and ``render`` take of a file, and the window where it ``opens`` such."""
    ours = [sys.executable, "-m", "gui"]
    plan, picture = model.with_suffix(".plan.json"), model.with_suffix(".png")
    commands = [
        [*ours, "info", str(model)],
        [*ours, "plan", str(model), *target, "-o", str(plan)],
        [*ours, "render", str(model), str(plan), "-o", str(picture)],
    ]
    if opens:
        commands.append(
            [sys.executable, "-m", "benchmarks.starting_bench", str(model)]
        )  # ends after its first picture
    return [measured(command) for command in commands]


def rows(graphs: Sequence[int] = GRAPHS, networks: Sequence[int] = NETWORKS) -> list[list[str]]:
    """A row for each file: what it is, and for each step seconds and megabytes."""
    from benchmarks.models import layered
    from planner.formats.graphs import stageboard_json
    from planner.formats.networks.npz import write_network
    from planner.generate.mlp import generate

    found = []
    with tempfile.TemporaryDirectory(prefix="stageboard-bench-") as folder:
        for n in graphs:
            model = Path(folder) / f"{n}.json"
            stageboard_json.write(layered(n), model, "made up")
            found.append([f"{n:,} ops", *cells(steps(model, ["--target", "pipeline:4"], True))])
        for width in networks:
            model = Path(folder) / f"{width}.npz"
            network = generate(0, {"width": width, "depth": 4, "density": 0.1})
            write_network(network, model)
            target = ["--target", "memory:1000", "--planner", "order-portfolio", "--time-limit", "60"]
            found.append([f"{network.connection_count:,} connections", *cells(steps(model, target, False))])
    return found


def cells(taken: Sequence[tuple[float, float]]) -> list[str]:
    """Seconds and megabytes of each of four steps, a dash for one that was not measured."""
    said = [f"{seconds:.1f} s, {megabytes:,.0f} MB" for seconds, megabytes in taken]
    return said + ["–"] * (4 - len(said))
