"""What compiling costs: processor seconds per kernel and per task, where nothing is compiled yet.

``python -m benchmarks kernels`` compiles everything into an empty folder, in one process, and prints the dearest kernels, those that are
compiled for several types, and the tasks that compile ahead, with the total. ``--tasks draw edit:pipeline`` only does those,
``--most`` says how many kernels are listed, ``--json FILE`` keeps all of it. What a helper costs is its own: compiled for the kernel
that needs it first, it is not counted for that one. ``python -m benchmarks.kernels_bench TASK ...`` is what is measured.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gui.app.kernels import do, tasks
from planner.compiling.kernel import Kernel
from planner.compiling.store import FOLDER, SUFFIX

KIND = "pipeline"
"""The machine whose tasks come first, as in a fresh window: kernels that several tasks share are counted for the first of them."""
MOST = 30
LIMIT = 3600.0


class Compiled(NamedTuple):
    """A kernel compiled for some types: where it is, the types, its own processor ``seconds``, ``kept`` bytes (0: not kept)."""

    kernel: str
    types: str
    seconds: float
    kept: int


def measured(wanted: Sequence[str]) -> int:
    """Do the tasks in this process, and print each kernel that is compiled, and each task, as a line of JSON."""
    compile_form = Kernel._compile_form
    inner = [0.0]
    folder = Path(os.environ[FOLDER])

    def compiled(kernel: Kernel, sig: Any) -> Any:
        before = set(kernel.overloads)
        began = time.process_time()
        inner.append(0.0)
        result = compile_form(kernel, sig)
        whole = time.process_time() - began
        own = whole - inner.pop()
        inner[-1] += whole
        for types in set(kernel.overloads) - before:
            name = f"{kernel.py_func.__module__}.{kernel.py_func.__name__}"
            print(json.dumps({"kernel": name, "types": str(types), "seconds": own, "kept": _newest(folder)}))
        return result

    Kernel._compile_form = compiled  # type: ignore[method-assign]
    for task in wanted:
        began = time.process_time()
        do(task)
        print(json.dumps({"task": task, "seconds": time.process_time() - began}), flush=True)
    return 0


_seen: set[str] = set()


def _newest(folder: Path) -> int:
    """The bytes of what was kept since this was asked last."""
    new = [one for one in os.scandir(folder) if one.name.endswith(SUFFIX) and one.name not in _seen]
    _seen.update(one.name for one in new)
    return max((one.stat().st_size for one in new), default=0)


def compile_all(wanted: Sequence[str]) -> tuple[list[Compiled], dict[str, float]]:
    """What was compiled for these tasks where nothing was, in their order, and the processor seconds of each task."""
    with tempfile.TemporaryDirectory(prefix="stageboard-bench-") as folder:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.kernels_bench", *wanted],
            stdout=subprocess.PIPE, text=True, check=True, timeout=LIMIT, env={**os.environ, FOLDER: folder},
        )  # fmt: skip
    kernels, per_task = [], {}
    for line in done.stdout.splitlines():
        if line.startswith("{"):
            said = json.loads(line)
            if "task" in said:
                per_task[said["task"]] = said["seconds"]
            else:
                kernels.append(Compiled(**said))
    return kernels, per_task


def by_kernel(kernels: Sequence[Compiled]) -> list[tuple[str, float, list[Compiled]]]:
    """(kernel, seconds of all its types, one per types), the dearest first."""
    found: defaultdict[str, list[Compiled]] = defaultdict(list)
    for one in kernels:
        found[one.kernel].append(one)
    rows = [(name, sum(one.seconds for one in all_types), all_types) for name, all_types in found.items()]
    return sorted(rows, key=lambda row: -row[1])


def table(kernels: Sequence[Compiled], per_task: dict[str, float], most: int = MOST) -> str:
    """All of it as text."""
    rows = by_kernel(kernels)
    total = sum(seconds for _, seconds, _ in rows)
    lines = [f"{'kernel':<78} {'types':>5} {'CPU s':>7} {'MB':>6}"]
    for name, seconds, forms in rows[:most]:
        lines.append(
            f"{name[-78:]:<78} {len(forms):>5} {seconds:>7.2f} {sum(one.kept for one in forms) / 1e6:>6.2f}"
        )
    several = [row for row in rows if len(row[2]) > 1]
    again = sum(seconds - max(one.seconds for one in forms) for _, seconds, forms in several)
    lines += ["", f"compiled for several types: {len(several)} kernels, {again:.1f} s for all types but one"]
    for name, seconds, forms in several[:most]:
        lines.append(f"{name[-78:]:<78} {len(forms):>5} {seconds:>7.2f}")
    lines += ["", f"{'task':<40} {'CPU s':>7}"]
    lines += [
        f"{task:<40} {seconds:>7.2f}"
        for task, seconds in sorted(per_task.items(), key=lambda one: -one[1])[:most]
    ]
    lines += [
        "",
        f"{len(rows)} kernels for {len(kernels)} types: {total:.1f} s of compiling in {sum(per_task.values()):.1f} s of all tasks",
    ]
    return "\n".join(lines)


def main(arguments: Sequence[str] = ()) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks kernels", description=__doc__)
    parser.add_argument("--tasks", nargs="+", metavar="TASK", help="only these (default: all)")
    parser.add_argument("--most", type=int, default=MOST, help="rows of each table")
    parser.add_argument("--json", type=Path, help="keep what was measured in this file")
    options = parser.parse_args(list(arguments))
    known = tasks(KIND)
    wanted = options.tasks or known
    if unknown := [task for task in wanted if task not in known]:
        print(f"there is no task '{unknown[0]}'; choose from {', '.join(known)}")
        return 2
    kernels, per_task = compile_all(wanted)
    print(table(kernels, per_task, options.most))
    if options.json is not None:
        said = {"kernels": [one._asdict() for one in kernels], "tasks": per_task}
        options.json.write_text(json.dumps(said, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(measured(sys.argv[1:]))
