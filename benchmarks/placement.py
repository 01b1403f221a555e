"""Runs of ``stageboard plan`` on the published workloads, each in a process of its own, with its CPU time and memory."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

SHARED = Path(__file__).resolve().parents[2] / "shared"
WORKLOADS = SHARED / "workloads" / "device-placement"


def oracle(name: str) -> list[dict[str, str]]:
    """The rows of a published table; empty, with a word on the terminal, where it is not at hand."""
    path = SHARED / "oracles" / name
    if not path.exists() or not WORKLOADS.exists():
        print(f"  {name}: the published workloads are not beside this checkout; nothing to compare with")
        return []
    with path.open() as stream:
        return list(csv.DictReader((line for line in stream if not line.startswith("#")), delimiter="\t"))


@dataclass(frozen=True)
class Run:
    """What one run gave: its JSON report, the CPU seconds of the process (start and imports included), its peak memory."""

    report: dict[str, object]
    cpu: float
    gigabytes: float

    def number(self, key: str) -> float:
        """A number of the report; NaN where it has none."""
        value = self.report.get(key)
        return float(value) if isinstance(value, (int, float)) else float("nan")


def plan(model: Path, target: str, *arguments: str) -> Run:
    """Plan ``model`` in a fresh process, one thread for compiled kernels."""
    start = "import sys; from planner.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", start, "plan", str(model), "--target", target, "--json", *arguments]
    environment = {**os.environ, "NUMBA_NUM_THREADS": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        text = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    report = json.loads(text) if text.strip() else {}
    return Run(report, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1e6)


def compare(
    title: str, table: str, column: str, folder: str, target: str, arguments: Callable[[str], list[str]]
) -> None:
    """Print one row per workload of a published ``table``: what its ``column`` says, what is found and proven, CPU seconds."""
    print(title)
    print(
        f"  {'workload':36} {'published':>9} {'found':>9} {'differs':>8} {'bound':>9} {'gap':>6} {'CPU s':>7}"
    )
    for row in oracle(table):
        name, published = row["workload"], float(row[column])
        run = plan(WORKLOADS / folder / f"{name}.json", target, *arguments(name))
        found = run.number("objective")
        print(
            f"  {name:36} {published:9.2f} {found:9.2f} {found / published - 1:8.2%} {run.number('lower_bound'):9.2f}"
            f" {run.number('gap'):6.1%} {run.cpu:7.1f}",
            flush=True,
        )
