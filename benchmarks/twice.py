"""The scripts that repeat the papers, each run twice, the second time beside programs that take every processor: what stays the same.

``python -m benchmarks twice [--script NAME ...]``. A script runs in a quick form. The table says how many of its cells carry the mark of what
hangs on the machine (:mod:`benchmarks.marks`), how many of these came out otherwise and by how much at most. A cell without the mark that came
out otherwise is printed, and the script ends with 1.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from benchmarks.marks import Difference, Printed, differences, read_tables
from benchmarks.models import ROOT
from planner.text_table import percent, table

SCRIPTS: dict[str, tuple[str, ...]] = {
    "latency": ("benchmarks.latency_table", "--workload", "LayerGraphs/bert24_inference", "--cpu", "5"),
    "gpipe": ("benchmarks.gpipe_table", "--workload", "bert24_training", "--cpu", "5", "--out", "{out}"),
    "curves": ("benchmarks.io_curves", "--quick", "--figure", "2a", "5", "--out", "{out}"),
    "orders": ("benchmarks.orders", "--only", "1 %", "--seeds", "1", "--seconds", "1", "--effort", "0.2", "--out", "{out}"),
    "reordering": ("benchmarks.reordering", "--seconds", "0.1"),
    "inference": ("benchmarks.inference", "--width", "500", "--density", "0.01", "--threads", "1", "--seconds", "0.1",
                  "--order-seconds", "0.3"),
}  # fmt: skip
"""The module of each script and the options of its quick form; ``{out}`` is an empty folder."""
HEAD = ("script", "cells", "marked", "came out otherwise", "by at most", "of those without the mark")


@contextmanager
def load(count: int) -> Iterator[None]:
    """So many programs that do nothing but take a processor."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def output(words: Sequence[str]) -> list[Printed]:
    """The tables that a script prints."""
    with tempfile.TemporaryDirectory(prefix="stageboard-twice-") as folder:
        command = [sys.executable, "-m", *(word.format(out=folder) for word in words)]
        done = subprocess.run(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False
        )
    return read_tables(done.stdout)


def row(name: str, first: Sequence[Printed], found: Sequence[Difference]) -> list[str]:
    """What the table says of a script."""
    places = [t.hangs(i, j) for t in first for i, cells in enumerate(t.rows) for j in range(len(cells))]
    hang = [d for d in found if d.hangs]
    most = max((d.share for d in hang if not math.isnan(d.share)), default=0.0)
    return [
        name,
        str(len(places)),
        str(sum(places)),
        str(len(hang)),
        percent(most),
        str(len(found) - len(hang)),
    ]


def main(arguments: Sequence[str] = ()) -> int:
    """Print the table. Returns 1 where a cell without the mark came out otherwise or a script printed no table, else 0."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks twice", description=__doc__.split("\n")[0])
    parser.add_argument("--script", nargs="+", choices=[*SCRIPTS], default=[*SCRIPTS], metavar="NAME")
    given = parser.parse_args(arguments)
    rows, wrong = [], False
    for name in given.script:
        first = output(SCRIPTS[name])
        with load(os.cpu_count() or 1):
            second = output(SCRIPTS[name])
        found = list(differences(first, second))
        rows.append(row(name, first, found))
        print("  ".join(rows[-1]), file=sys.stderr, flush=True)
        for d in found:
            if not d.hangs:
                print(f"{name}: {d.title}: {d.row}, {d.column}: {d.texts[0]} alone, {d.texts[1]} beside load")
        wrong = wrong or not first or not all(d.hangs for d in found)
    print("Scripts run twice, the second time beside load on every processor")
    print(table(HEAD, rows))
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
