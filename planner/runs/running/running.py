"""Running a plan: cut, prepare, start all stages, let them work in turn with the unsplit model, and say what was measured.

    from planner.runs.running.order import RunOrder, Split
    from planner.runs.running.running import run_plan
    run = run_plan(RunOrder(Split(plan.problem, plan.decision.device_of), (Path("model.onnx"),)))

Throughput is that between the first and the last sample that leave a line in a round; what stages took is of the samples that they worked on
while all stages had work. Lines take turns, so that all see the same machine, and only ratios within a round are compared. Rounds in which
other programs took the cores do not count where there are better ones.
"""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import numpy as np

from planner.errors import StageboardError
from planner.export.onnx.runtime import CPU
from planner.export.sources import batch_of
from planner.export.stages.child import in_child
from planner.export.stages.difference import difference
from planner.export.stages.folder import read_manifest
from planner.export.stages.process import WRITERS
from planner.export.stages.stages import TOLERANCE, StageExport
from planner.loading import load
from planner.model.graph import Floats, Ints
from planner.problem.problem import Plan
from planner.runs.measuring.measuring import processor
from planner.runs.measuring.timed import RUNNABLE
from planner.runs.running.cores import CAN_PIN, here
from planner.runs.running.line import Line
from planner.runs.running.lines import Chain, chain_of, check_runnable, whole_jobs
from planner.runs.running.order import Progress, RunFailed, RunOrder
from planner.runs.running.prepare import Preparation, Prepared, prepare
from planner.runs.running.result import (
    DISTURBED,
    SHOWN,
    LineRun,
    PlanRun,
    Predicted,
    StageRun,
    Timeline,
    amount,
    counted,
)
from planner.runs.running.stage import load_arrays
from planner.temporary import temporary_folder

FEWEST_ROUNDS, ROUNDS = 3, 10
USUAL_SECONDS = 15.0
"""How long all lines run together, warming up aside, where nobody says how many samples."""
ENOUGH, PATIENCE = 3, 45.0
"""Undisturbed rounds that are waited for where nobody says how many samples, and for how many seconds at most."""
LEAST, MOST = 3, 400
"""Samples of a line in a round, beyond as many as there are stages."""


class _Started(NamedTuple):
    """A line at work, and the plan and the chain that it is of (none of unsplit models)."""

    line: Line
    plan: Plan | None = None
    chain: Chain | None = None


def run_plan(
    order: RunOrder, progress: Progress | None = None, stopped: Callable[[], bool] | None = None
) -> PlanRun:
    """Run a plan. Raises :class:`StageboardError` for what cannot be run, :class:`RunFailed` where a stage's process ends on the way, and
    :class:`planner.export.stages.child.Cancelled` soon after ``stopped`` says so. Nothing is left behind."""
    asked = stopped or (lambda: False)
    plans = [split.plan for split in (order.split, *order.against)]
    for plan in plans:
        check_runnable(plan)
    with ExitStack() as left:
        place = left.enter_context(temporary_folder("run"))
        exports = [_cut(plan, order, place / f"split-{i}") for i, plan in enumerate(plans)]
        prepared = _prepare(order, plans[0], exports, place, asked)
        started = _start(order, plans, exports, prepared, place, left)
        for each in started:
            each.line.ready(asked)
        largest = max(_compared(each.line, prepared, asked) for each in started if each.plan is not None)
        counts = _counts(order, started, asked)
        stamps = _rounds(started, counts, progress or (lambda done, of: None), asked, not order.samples)
    notes = _notes(order, exports[0], started[0])
    return _result(order, started, stamps, largest, notes)


def run_order(order: RunOrder, progress: Progress, stopped: Callable[[], bool]) -> PlanRun:
    """The same as the work of a process (:class:`planner.export.stages.serving.Write`)."""
    return run_plan(order, progress, stopped)


# --------------------------------------------------------------------------------------------------------- before it runs
def _cut(plan: Plan, order: RunOrder, folder: Path) -> StageExport:
    form = dict(zip(RUNNABLE, WRITERS, strict=True))[order.sources[0].suffix.lower()]
    export: StageExport = load(WRITERS[form])(plan, order.sources, folder, check=False)
    return export


def _prepare(
    order: RunOrder, plan: Plan, exports: Sequence[StageExport], place: Path, stopped: Callable[[], bool]
) -> Prepared:
    def crashed(status: int | None) -> StageboardError:
        return RunFailed(
            f"{order.sources[0].name} ended the program that ran it (status {status}); it cannot be run"
        )

    given = Preparation(
        tuple(map(str, order.sources)), tuple(str(export.folder) for export in exports), str(place), batch_of(plan),
        order.seed, order.threads, order.provider, order.inputs,
    )  # fmt: skip
    return in_child(prepare, given, crashed=crashed, stopped=stopped)


def _start(
    order: RunOrder, plans: Sequence[Plan], exports: Sequence[StageExport], prepared: Prepared, place: Path,
    left: ExitStack,
) -> list[_Started]:  # fmt: skip
    """All lines, loading: the plan's first, then the unsplit model, copies of it, and other plans."""
    cores = order.cores or here()
    started: list[_Started] = []

    def start(each: _Started) -> None:
        left.callback(each.line.close)
        started.append(each)

    manifest = read_manifest(exports[0].folder)
    splits = list(zip((order.split, *order.against), plans, exports, strict=True))
    chains = [chain_of(split, export.folder, order, prepared, cores) for split, _, export in splits]
    lines = [
        (split.name, plan, chain) for (split, plan, _), chain in zip(splits, chains, strict=True)
    ]  # fmt: skip
    for i, (name, plan, chain) in enumerate(lines):
        start(_Started(Line(name, chain.jobs, chain.edges, prepared.forms), plan, chain))
        if i > 0:
            continue
        for title, count in (("unsplit", 1), ("copies", len(cores) // order.threads or 1)):
            if title == "unsplit" or order.copies:
                folder = place / title
                jobs = whole_jobs(order, manifest.models, manifest.kind, prepared, folder, cores, count)
                start(_Started(Line(title, jobs, (), {})))
    return started


def _compared(line: Line, prepared: Prepared, stopped: Callable[[], bool]) -> float:
    """How far the outputs of a line are from the whole model's, for every sample there is."""
    line.run(len(prepared.wanted), stopped, keep=True)
    largest = 0.0
    for i, file in enumerate(prepared.wanted):
        wanted = load_arrays(file)
        for job in line.jobs:
            if job.outputs:
                for name, value in load_arrays(job.kept(i)).items():
                    largest = max(largest, difference(wanted[name], value))
    return largest


# --------------------------------------------------------------------------------------------------------- while it runs
def _counts(order: RunOrder, started: Sequence[_Started], stopped: Callable[[], bool]) -> list[list[int]]:
    """How many samples each line runs in each round; warms all of them up."""
    took = [throughput(each.line, each.line.run(order.warm_up + 1, stopped)) for each in started]
    least = LEAST + max(len(each.line.jobs) for each in started)
    if order.samples:
        rounds = max(1, min(ROUNDS, order.samples // least))
        share = [order.samples // rounds + (r < order.samples % rounds) for r in range(rounds)]
        return [share for _ in started]
    shortest = sum(least / pace for pace in took)
    rounds = int(np.clip(USUAL_SECONDS / shortest, FEWEST_ROUNDS, ROUNDS))
    seconds = USUAL_SECONDS / rounds / len(started)
    return [[int(np.clip(seconds * pace, least, MOST))] * rounds for pace in took]


def _rounds(
    started: Sequence[_Started],
    counts: Sequence[Sequence[int]],
    progress: Progress,
    stopped: Callable[[], bool], more: bool,
) -> list[list[list[Floats]]]:  # fmt: skip
    """Stamps of each line, round by round, stage by stage; rounds go on where ``more`` are wanted, for want of undisturbed ones."""
    stamps: list[list[list[Floats]]] = [[] for _ in started]
    done, of, r = 0, sum(map(sum, counts)), 0
    quiet = [0] * len(started)
    began = time.monotonic()
    while r < len(counts[0]) or (more and min(quiet) < ENOUGH and time.monotonic() - began < PATIENCE):
        for i, (each, count) in enumerate(zip(started, counts, strict=True)):
            progress(done, max(of, done))
            stamps[i].append(each.line.run(count[min(r, len(count) - 1)], stopped))
            done += len(stamps[i][-1][0])
            quiet[i] += disturbance(stamps[i][-1]) <= DISTURBED
        r += 1
    progress(done, max(of, done))
    return stamps


# --------------------------------------------------------------------------------------------------------- what it took
def throughput(line: Line, stamps: Sequence[Floats]) -> float:
    """Samples per second of one round (float64[samples, STAMPS] by stage), from the first that leaves the line to the last; lines side by side
    add up."""
    last = [stamps[i][:, 5] for i in line.sinks]
    # Stages of one plan that nothing follows give a sample together; whole models side by side give one each.
    ends = last if len(line.sinks) == len(line.jobs) else [np.max(last, axis=0)]
    return sum(float((len(end) - 1) / max(end[-1] - end[0], 1e-9)) for end in ends)


def steady(stamps: Sequence[Floats]) -> list[Floats]:
    """Of each stage's stamps (float64[samples, STAMPS]) those of samples that it ran while all stages had work; all where there is none such."""
    first = max(float(each[0, 2]) for each in stamps)
    last = min(float(each[-1, 3]) for each in stamps)
    kept = []
    for each in stamps:
        inside = each[(each[:, 2] >= first) & (each[:, 3] <= last)]
        kept.append(inside if len(inside) else each)
    return kept


def _stages(each: _Started, rounds: Sequence[Sequence[Floats]]) -> tuple[StageRun, ...]:
    """What the stages of a line took; of whole models nothing is predicted."""
    window = [steady(stamps) for stamps in rounds]
    last = [stamps[-SHOWN:] for stamps in rounds[-1]]
    zero = min(float(stamps[0, 0]) for stamps in last)
    shown: Ints = np.arange(len(rounds[-1][0]), dtype=np.int32)[-SHOWN:]
    devices = [-1] * len(each.line.jobs) if each.chain is None else list(each.chain.devices)
    found = []
    for i, (job, d) in enumerate(zip(each.line.jobs, devices, strict=True)):
        s = np.concatenate([kept[i] for kept in window])
        cost, parts = _predicted(each.plan, d)
        found.append(
            StageRun(
                job.name, d, job.cores, amount(s[:, 3] - s[:, 2]), amount(s[:, 6]),
                amount(s[:, 2] - s[:, 1] + s[:, 5] - s[:, 4]), amount(s[:, 1] - s[:, 0] + s[:, 4] - s[:, 3]),
                cost, parts, Timeline(shown, last[i][:, :6] - zero), job.threads == 1 and job.provider in ("", CPU),
            )
        )  # fmt: skip
    return tuple(found)


def _predicted(plan: Plan | None, device: int) -> tuple[float, Predicted | None]:
    """The cost of a device in seconds, and its parts; NaN and None where nobody says."""
    if plan is None or plan.problem.graph.time_unit != "s":
        return float("nan"), None
    e = plan.evaluation
    parts = Predicted(*(float(part[device]) for part in (e.receive, e.work, e.streaming, e.send)))
    return float(e.cost[device]), parts


def _line_run(each: _Started, rounds: Sequence[Sequence[Floats]], threads: int) -> LineRun:
    paces = tuple(throughput(each.line, stamps) for stamps in rounds)
    # Processor time of several threads adds up and says nothing.
    away = tuple(disturbance(stamps) if threads == 1 else 0.0 for stamps in rounds)
    stages = _stages(each, [rounds[r] for r in counted(away)])
    slowest = max(stage.predicted for stage in stages)
    return LineRun(each.line.name, paces, away, 1.0 / slowest if slowest > 0 else float("nan"), stages)


def disturbance(stamps: Sequence[Floats]) -> float:
    """The share of the busy time of stages (stamps float64[samples, STAMPS] each) in which their cores did something else, from 0 to 1."""
    busy = sum(float((each[:, 3] - each[:, 2]).sum()) for each in stamps)
    used = sum(float(each[:, 6].sum()) for each in stamps)
    return max(0.0, 1.0 - used / busy) if busy > 0 else 0.0


def _result(
    order: RunOrder, started: Sequence[_Started], stamps: Sequence[Sequence[Sequence[Floats]]],
    largest: float, notes: tuple[str, ...],
) -> PlanRun:  # fmt: skip
    lines = [_line_run(each, mine, order.threads) for each, mine in zip(started, stamps, strict=True)]
    others = lines[2:]
    samples = sum(len(each[0]) for each in stamps[0])
    copies = others.pop(0) if order.copies else None
    return PlanRun(
        lines[0], lines[1], copies, tuple(others), samples, largest <= TOLERANCE, largest, TOLERANCE, notes,
        {
            "model": order.split.problem.name,
            "target": order.split.problem.target.spec(),
            "machine": processor(),
            "date": datetime.date.today().isoformat(),
            "cores": list(order.cores or here()),
            "threads": order.threads,
            "provider": order.provider,
            "warm_up": order.warm_up,
        },
    )  # fmt: skip


def _notes(order: RunOrder, export: StageExport, started: _Started) -> tuple[str, ...]:
    """What a reader of the figures should know."""
    notes = list(dict.fromkeys(note for split in (order.split, *order.against) for note in split.notes))
    notes += export.notes
    cores, jobs = order.cores or here(), started.line.jobs
    needed = len(jobs) * order.threads
    if not CAN_PIN:
        notes.append("this system does not keep a process on a core, so that stages may have moved")
    elif needed > len(cores):
        notes.append(
            f"{len(jobs)} stages share {len(cores)} core{'' if len(cores) == 1 else 's'}, so that they wait for one another there"
        )
    problem = order.split.problem
    if problem.graph.measured is None:
        notes.append(
            f"the times of {problem.target.in_words} are estimates, and the stages ran on cores of this computer; predict with measured times"
            " (stageboard profile, --times)"
        )
    return tuple(notes)
