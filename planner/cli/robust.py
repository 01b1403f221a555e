"""``stageboard robust``: how sure a plan is when op times are not."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from planner.cli import inputs
from planner.cli.command import DONE, Console, UsageError
from planner.cli.searching import soft_interrupt
from planner.cli.told_apart import models_and_plans
from planner.errors import StageboardError
from planner.problem.worst import being_worst
from planner.quantity import time_text
from planner.text_table import percent, table, times

if TYPE_CHECKING:
    from planner.plan_files.plan_json import OpenedPlan
    from planner.problem.problem import Plan
    from planner.reports.robustness.report import Robustness

SECONDS, SAMPLES = 20.0, 1000
LONGEST_NAME = 44
NONE = "\N{EN DASH}"
STOPPING = "stopping; what is known so far is told (once more to stop at once)"


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``robust``."""
    parser.add_argument(
        "files", nargs="+", metavar="MODEL... PLAN [PLAN...]",
        help="model files, then plans of one problem on them: the first is the one that is asked about, the others are compared with it",
    )  # fmt: skip
    looked = parser.add_argument_group("what is assumed of op times")
    looked.add_argument(
        "--spread", type=_factor, metavar="FACTOR",
        help="of ops whose spread no profile gives: their times lie between time / FACTOR and time x FACTOR (default 2 for estimates, 1.1"
        " for times that a file gives)",
    )  # fmt: skip
    looked.add_argument(
        "--samples",
        type=_count,
        default=SAMPLES,
        metavar="N",
        help=f"draw op times so often (default {SAMPLES})",
    )
    looked.add_argument(
        "--seed", type=inputs.seed, default=0, metavar="N", help="seed of random choices (default 0)"
    )
    parser.add_argument(
        "--time-limit", type=_limit, default=SECONDS, metavar="S",
        help=f"plan under other times and prove, op by op, for S seconds together (default {SECONDS:g}; 0: neither)",
    )  # fmt: skip
    parser.add_argument("-o", "--output", metavar="REPORT", help="write the report as JSON")
    parser.add_argument(
        "--least-regret",
        metavar="PLAN",
        help="write the plan of least mean regret, all ops off independently",
    )
    inputs.add_reading_of_plans(parser)
    parser.epilog = (
        "example: stageboard robust sample_models/resnet50.json resnet50.plan.json --spread 1.5\n\n"
        "What is proven says so, with the method. The plan of least regret is one of the plans compared: those given, and the best that were\n"
        "found under other times; of plans beyond these nothing is said."
    )


def _factor(text: str) -> float:
    return inputs.real(text, 1.0, 100.0, "a factor from 1 to 100")


def _limit(text: str) -> float:
    return 0.0 if text.strip() == "0" else inputs.seconds(text)


def _count(text: str) -> int:
    value = inputs.whole(text)
    if not 1 <= value <= 1_000_000:
        raise argparse.ArgumentTypeError(f"{value} is not from 1 to 1,000,000")
    return value


def run(args: argparse.Namespace, console: Console) -> int:
    """Read, look, tell."""
    from planner.files import to_json, write_atomically
    from planner.problem.bound import proven
    from planner.reports.robustness.as_json import to_dict
    from planner.reports.robustness.investigation import investigate
    from planner.reports.robustness.report import Settings
    from planner.runs.proving import with_known
    from planner.search.stop import Cancel

    models, plans = _files_of(args.files)
    for output in (args.output, args.least_regret):
        inputs.check_output(output, [*map(str, models), *map(str, plans)])
    opened = _read(args, models, plans)
    for path, each in zip(plans, opened, strict=True):
        for note in each.notes:
            console.note(f"{path}: {note}")
    bounds = with_known(opened[0].plan.problem, proven(opened[0].bounds))
    settings = Settings(spread=args.spread, samples=args.samples, seed=args.seed, seconds=args.time_limit)
    found: Robustness | None = None
    with soft_interrupt(console, STOPPING) as cancelled:
        for step in investigate([each.plan for each in opened], bounds, settings, Cancel(cancelled)):
            found = step.known or found
            console.progress(f"{percent(step.done)} {step.words}")
    assert found is not None, "the first step knows what takes no planning"
    data = to_dict(found)
    if args.output is not None:
        write_atomically(args.output, to_json(data))
    if args.least_regret is not None:
        _write_least_regret(args.least_regret, found, [each.plan for each in opened])
    files = {"report": args.output, "plan_file": args.least_regret}
    console.result({**data, **files}, lambda: robust_text(found, files))
    return DONE


def _files_of(arguments: Sequence[str]) -> tuple[list[Path], list[Path]]:
    """(models, plans), told apart by content. Raises :class:`StageboardError`."""
    models, plans = models_and_plans(arguments)
    if not plans:
        raise UsageError("none of the files is a plan; name one or several after the model")
    return models, plans


def _read(args: argparse.Namespace, models: Sequence[Path], plans: Sequence[Path]) -> list[OpenedPlan]:
    from planner.formats import read_models
    from planner.plan_files.order_json import is_order_plan
    from planner.plan_files.plan_json import open_plan
    from planner.reports.robustness.retimed import NO_OPS

    for plan in plans:
        if is_order_plan(plan):
            raise StageboardError(f"{plan}: {NO_OPS}")
    if args.density is not None:
        raise UsageError(f"--density prunes sparse networks, and {plans[0]} is not a plan of one")
    graph = read_models(
        models, **inputs.read_options(args, plans[0]), times=inputs.measured_times(args.times)
    )
    named = inputs.named_machines(args.machine)
    return [open_plan(plan, graph, named=named) for plan in plans]


def _write_least_regret(path: str, found: Robustness, given: Sequence[Plan]) -> None:
    from planner.plan_files.plan_json import write_plan
    from planner.reports.robustness.report import same_plan

    best = found.compared[found.least_regret("independent")]
    mine = next((plan for plan in given if same_plan(plan.decision.device_of, best.device_of)), None)
    made = found.least_regret_provenance("independent")
    write_plan(path, mine or found.problem.plan(best.device_of, made, "least regret"), found.bounds)


# ---------------------------------------------------------------------- text
def robust_text(found: Robustness, files: Mapping[str, str | None]) -> str:
    """The report for a person: what it is about, the outlook, the ops, the plans."""
    parts = [
        _heading(found, files), _outlooks(found), _shares(found), _ops(found), _plans(found), _rivals(found),
    ]  # fmt: skip
    return "\n\n".join(part for part in parts if part)


def _heading(found: Robustness, files: Mapping[str, str | None]) -> str:
    from planner.reports.robustness.words import standing_words, worst_words

    plan, unit = found.candidates[0], found.problem.graph.time_unit
    rows = [
        ("plan", plan.name),
        (found.problem.components[0], f"{time_text(plan.nominal, unit)}, {standing_words(found)}"),
        ("op times", found.spread.words),
        ("at the worst", f"{worst_words(found, plan.highest)}, with every op at its upper limit: exact"),
        *(("note", note) for note in found.notes),
        *((("report", files["report"]),) if files["report"] else ()),
        *((("least regret", files["plan_file"]),) if files["plan_file"] else ()),
    ]
    width = max(len(label) for label, _ in rows)
    lines = [
        f"{found.problem.name} on {found.problem.target.spec_for_people()}",
        *(f"  {label.ljust(width)}  {value}" for label, value in rows),
    ]
    return "\n".join(lines)


def _outlooks(found: Robustness) -> str:
    from planner.reports.robustness.sampling import HIGH, MEDIAN
    from planner.reports.robustness.spread import DEPENDENCE_WORDS
    from planner.reports.robustness.words import regret_sentence

    unit, rows = found.problem.graph.time_unit, []
    cells = []
    for sampled in found.outlooks.values():
        cells += [
            float(values[0]) for values in (sampled.quantile(MEDIAN), sampled.quantile(HIGH), sampled.worst)
        ]
    shown = times(cells, unit)
    for i, (dependence, sampled) in enumerate(found.outlooks.items()):
        alone = len(found.compared) == 1  # a regret is of something
        rows.append([
            DEPENDENCE_WORDS[dependence], *shown[3 * i : 3 * i + 3],
            NONE if alone else percent(float(sampled.expected_regret[0])),
            NONE if alone else found.compared[sampled.least_regret].name,
        ])  # fmt: skip
    count = f"{found.settings.samples:,} samples"
    lines = [f"{found.problem.components[0]} where op times vary, {count}"]
    lines.append(table(["", "median", "90 %", "worst", "regret", "least regret"], rows))
    lines.append(f"  {regret_sentence(found, 'independent')}")
    return "\n".join(lines)


def _shares(found: Robustness) -> str:
    from planner.reports.robustness.spread import DEPENDENCE_WORDS

    shares = {dependence: found.shares(dependence) for dependence in found.outlooks}
    rows = [
        [device.name, *(percent(float(share[d])) for share in shares.values())]
        for d, device in enumerate(found.problem.devices)
        if any(share[d] > 0 for share in shares.values())
    ]
    return "\n".join(
        [
            f"how often each {being_worst(found.worst)}",
            table(["", *(DEPENDENCE_WORDS[d] for d in shares)], rows),
        ]
    )


def _ops(found: Robustness) -> str:
    from planner.reports.robustness.words import (
        another_from,
        at_most,
        changing_words,
        optimal_while,
        proven_by,
    )

    if not found.ops:
        return ""
    graph, devices, most = found.problem.graph, found.problem.devices, found.settings.most
    shown = times([each.seconds for each in found.ops], graph.time_unit)
    rows = [
        [
            _short(graph.op_names[each.op]), devices[each.device].name, shown[i],
            at_most(each.slack) if each.slack < most else f"{most:g}x or more",
            optimal_while(each) or NONE, proven_by(each) or NONE, another_from(each) or NONE,
            NONE if each.turns_to is None else found.candidates[each.turns_to].name,
        ]
        for i, each in enumerate(found.ops)
    ]  # fmt: skip
    head = ["op", "device", "time", "no dearer up to", "proven optimal", "by", "other plan from", "plan"]
    return "\n".join([f"ops whose errors matter most ({changing_words(found)})", table(head, rows, left=2)])


def _plans(found: Robustness) -> str:
    from planner.reports.robustness.sampling import HIGH

    compared = found.compared
    if len(compared) < 2:
        return ""
    sampled, unit = found.outlooks["independent"], found.problem.graph.time_unit
    high = sampled.quantile(HIGH)
    shown = times(
        [value for p, each in enumerate(compared) for value in (each.nominal, float(high[p]), each.highest)],
        unit,
    )
    rows = [
        [
            each.name, *shown[3 * p : 3 * p + 3], percent(float(sampled.expected_regret[p])), percent(float(sampled.most_regret[p])),
        ]
        for p, each in enumerate(compared)
    ]  # fmt: skip
    head = ["", "model's times", "90 %", "at the worst", "mean regret", "largest regret"]
    return "\n".join(
        [f"plans compared, {found.problem.components[0]}, all ops independently", table(head, rows)]
    )


def _rivals(found: Robustness) -> str:
    """The plans that ops' rows name but that regret is not counted among."""
    if not found.rivals:
        return ""
    unit = found.problem.graph.time_unit
    shown = times([value for each in found.rivals for value in (each.nominal, each.highest)], unit)
    rows = [[each.name, *shown[2 * p : 2 * p + 2]] for p, each in enumerate(found.rivals)]
    head = ["", "model's times", "at the worst"]
    return "\n".join([
        f"plans that are better where one op is off, {found.problem.components[0]}: found while proving, not compared for regret",
        table(head, rows),
    ])  # fmt: skip


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"\N{HORIZONTAL ELLIPSIS}{name[1 - LONGEST_NAME :]}"
