"""Stageboard beside other programs on the same work in one run: opening a model, exact placement, running a sparse network.

``python -m benchmarks peers [--only SECTION] [--browser PYTHON] [--dp PROGRAM] [--write FILE]``. Of peers that are not at hand it says so:
``--browser`` is an interpreter with Netron and Qt's web engine (``pip install netron PySide6``), ``--dp`` the device-placement paper's
compiled ``throughput-dp/dp.cpp``; MKL is found as an extra, or by MKLROOT. ``--write`` puts the tables into a page, in the place of those before.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchmarks import large as large_files
from benchmarks.inference import rows as inference_rows
from benchmarks.models import layered
from benchmarks.placement import WORKLOADS, plan
from planner.errors import StageboardError
from planner.files import write_atomically
from planner.machines.two_level_memory.execution.compare import MKL, SCIPY
from planner.model.graph import Graph

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "sample_models"
GRAPHS = ("transformer_encoder.onnx", 2112)
"""What is opened: a sample, and graphs of so many ops, written as ONNX."""
PLACED = (
    "OperatorGraphs/bert_l-3_inference",
    "OperatorGraphs/bert_l-6_inference",
    "LayerGraphs/gnmt_inference",
)
WIDTH, DENSITIES, BATCH = 1000, (0.01, 0.1), 128
REPEATS = 1
"""Runs of ours that count; one before, which may have to compile, does not. Peers, which compile nothing, run once."""
PATIENCE = 3000.0
"""Wall seconds after which a program is ended, however busy the machine is."""
BEGIN, END = "<!-- measured: {} -->", "<!-- end of {} -->"
ABSENT = "not at hand"


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print, and write the page where one is named."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks peers", description=__doc__.split("\n")[0])
    parser.add_argument("--only", choices=SECTIONS, action="append", help="may be repeated")
    parser.add_argument(
        "--browser", metavar="PYTHON", help="an interpreter with netron and PySide6's web engine"
    )
    parser.add_argument(
        "--dp", type=Path, metavar="PROGRAM", help="the device-placement paper's dp.cpp, compiled"
    )
    parser.add_argument("--write", type=Path, metavar="FILE", help="the page to put the tables into")
    args = parser.parse_args(argv)
    for name in args.only or SECTIONS:
        print(f"measuring: {name}", file=sys.stderr, flush=True)
        measured = f"{machine()}\n\n{SECTIONS[name](args)}"
        print(measured, end="\n\n", flush=True)
        if args.write is not None:
            write_atomically(args.write, in_page(args.write.read_text("utf-8"), name, measured).encode())
    return 0


def in_page(page: str, section: str, measured: str) -> str:
    """The page with what was measured in the place of what was before. Raises :class:`StageboardError` where it has no place for it."""
    begin, end = BEGIN.format(section), END.format(section)
    if page.count(begin) != 1 or page.count(end) != 1:
        raise StageboardError(f"the page needs the lines {begin} and {end}, once each")
    before, _, rest = page.partition(begin)
    return f"{before}{begin}\n\n{measured}\n\n{end}{rest.partition(end)[2]}"


def machine() -> str:
    """Where and when it was measured."""
    try:
        name = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        name = None
    others = (
        f"{os.getloadavg()[0]:.1f} other processes wanted a core at the start"
        if hasattr(os, "getloadavg")
        else ""
    )
    return (
        f"Measured on {time.strftime('%d %B %Y')} on {name[1] if name else platform.machine()}, {os.cpu_count()} cores,"
        f" {platform.system()}, Python {platform.python_version()}; {others}."
    )


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; all but the first column are figures."""
    return "\n".join(
        f"| {' | '.join(cells)} |" for cells in (head, ["---", *["---:"] * (len(head) - 1)], *rows)
    )


def times(figure: float | None, of: float) -> str:
    """How often ``of`` fits into ``figure``."""
    return "–" if figure is None else f"{figure / of:.1f}"


# ---------------------------------------------------------------------- opening
def opening(args: argparse.Namespace) -> str:
    """From a file to the whole graph on the screen: processor seconds of all processes of each program."""
    rows = []
    with tempfile.TemporaryDirectory(prefix="stageboard-peers-") as folder:
        for name in GRAPHS:
            file = (
                SAMPLES / name
                if isinstance(name, str)
                else onnx_file(layered(name), Path(folder) / f"{name}.onnx")
            )
            ours = best([sys.executable, "-m", "benchmarks.own_window", str(file)], Path(folder))
            page = [str(args.browser), str(ROOT / "benchmarks" / "peer_page.py"), str(file)]
            theirs = told(page, Path(folder)) if args.browser else {}
            rows.append(
                [
                    f"{ours['nodes']:,.0f} ops",
                    f"{ours['cpu']:.1f}",
                    *beside(theirs, ours["cpu"]),
                    f"{ours['mb']:,.0f}",
                ]
            )
            rows[-1].append(f"{theirs['mb']:,.0f}" if "mb" in theirs else "–")
    head = ("graph", "Stageboard, CPU s", "Netron, CPU s", "times ours", "Stageboard, MB", "Netron, MB")
    return table(head, rows)


def onnx_file(graph: Graph, path: Path) -> Path:
    """A graph's shape as ONNX: each op a node that adds up what it is given."""
    from onnx import TensorProto, helper, save

    feeding: list[list[str]] = [[] for _ in range(graph.n)]
    for t in range(graph.tensor_count):
        for v in graph.consumer_idx[graph.consumer_ptr[t] : graph.consumer_ptr[t + 1]].tolist():
            feeding[v].append(f"t{graph.tensor_producer[t]}")
    nodes = [
        helper.make_node("Sum", names or ["x"], [f"t{v}"], graph.op_names[v])
        for v, names in enumerate(feeding)
    ]
    used = {name for names in feeding for name in names}
    ends = [
        helper.make_tensor_value_info(f"t{v}", TensorProto.FLOAT, [1])
        for v in range(graph.n)
        if f"t{v}" not in used
    ]
    begin = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])
    model = helper.make_model(helper.make_graph(nodes, graph.name, [begin], ends))
    save(model, str(path))
    return path


def beside(theirs: Mapping[str, float], ours: float) -> list[str]:
    """The cells of a peer's processor seconds, and how often ours fit into them."""
    if "cpu" in theirs:
        return [f"{theirs['cpu']:.1f}", times(theirs["cpu"], ours)]
    if "gave_up" in theirs:
        return [f"more than {theirs['gave_up']:.0f}", f"more than {times(theirs['gave_up'], ours)}"]
    return [ABSENT, "–"]


def best(command: Sequence[str], home: Path) -> dict[str, float]:
    """The run of least processor time of several of ours; the first, which may have to compile, does not count."""
    return min([told(command, home) for _ in range(REPEATS + 1)][1:], key=lambda run: run["cpu"])


def told(command: Sequence[str], home: Path) -> dict[str, float]:
    """The JSON object that a program prints last. Raises :class:`StageboardError` with its own words where it prints none."""
    environment = {
        **os.environ, "PYTHONPATH": str(ROOT), "XDG_STATE_HOME": str(home), "XDG_CONFIG_HOME": str(home), "QT_QPA_PLATFORM": "offscreen",
    }  # fmt: skip
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    said = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not said:
        raise StageboardError(f"{' '.join(command[:3])} measured nothing: {done.stderr.strip()[-400:]}")
    found: dict[str, float] = json.loads(said[-1])
    return found


# ---------------------------------------------------------------------- placement
def placement(args: argparse.Namespace) -> str:
    """The largest load of contiguous splits of the published workloads, proven least by both: whole programs, files read included."""
    rows = []
    for name in PLACED if WORKLOADS.exists() else ():
        file = WORKLOADS / "throughput" / f"{name}.json"
        runs = [plan(file, "pool:", "--planner", "ideals-dp") for _ in range(REPEATS + 1)]
        ours = min(runs[1:], key=lambda run: run.cpu)
        theirs = cpp(args.dp, file) if args.dp else None
        rows.append(
            [
                f"`{name}`", f"{ours.number('objective'):.2f}", f"{ours.cpu:.1f}",
                f"{theirs[1]:.2f}" if theirs else "–", f"{theirs[0]:.1f}" if theirs else ABSENT,
                times(theirs and theirs[0], ours.cpu), f"{1e3 * ours.gigabytes:,.0f}", f"{theirs[2]:,.0f}" if theirs else "–",
            ]
        )  # fmt: skip
    head = (
        "workload",
        "Stageboard, load",
        "CPU s",
        "C++, load",
        "CPU s",
        "times ours",
        "Stageboard, MB",
        "C++, MB",
    )
    found = table(head, rows) if rows else f"The published workloads were {ABSENT}."
    return found


def cpp(program: Path, file: Path) -> tuple[float, float, float]:
    """Processor seconds, largest load and peak megabytes of the paper's program."""
    with (
        file.open("rb") as given,
        subprocess.Popen(
            [program], stdin=given, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as process,
    ):
        assert process.stdout is not None
        text = process.stdout.read()
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
    found = json.loads(text)
    return (
        usage.ru_utime + usage.ru_stime,
        max(device["load"] for device in (*found["fpgas"], *found["cpus"])),
        usage.ru_maxrss / 1e3,
    )


# ---------------------------------------------------------------------- execution
def execution(_: argparse.Namespace) -> str:
    """A sparse network on a batch, one thread each, the same array in and the outputs checked; the least of many calls in turn."""
    rows, reasons = [], set[str]()
    for _, measured in inference_rows((WIDTH,), DENSITIES, (1,), BATCH, 1.0, 2.0):
        ours = min(
            (w for n, w in measured.ways.items() if n not in (SCIPY, MKL)), key=lambda way: way.timing.cpu
        )
        cells = [f"{1e3 * ours.timing.cpu:.2f}"]
        for name in (SCIPY, MKL):
            way = measured.ways.get(name)
            cells += [
                f"{1e3 * way.timing.cpu:.2f}" if way else ABSENT,
                times(way and way.timing.cpu, ours.timing.cpu),
            ]
        rows.append(cells)
        reasons |= {measured.left_out} if measured.left_out else set()
    named = [
        [f"{WIDTH} wide, {100 * density:g} %", *cells] for density, cells in zip(DENSITIES, rows, strict=True)
    ]
    head = ("network", "Stageboard, ms", "SciPy, ms", "times ours", "MKL, ms", "times ours")
    return "\n\n".join([table(head, named), *sorted(reasons)])


def large(args: argparse.Namespace) -> str:
    """From large files to plans and pictures, for which no peer is at hand."""
    return table(["file", "`info`", "`plan`", "`render`", "the window"], large_files.rows())


SECTIONS: dict[str, Callable[[argparse.Namespace], str]] = {
    "opening": opening,
    "placement": placement,
    "execution": execution,
    "large": large,
}


if __name__ == "__main__":
    sys.exit(main())
