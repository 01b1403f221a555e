"""``stageboard repair``: a valid plan near one that breaks rules."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from planner.cli import explaining, inputs
from planner.cli.command import DONE, FAILED, Console, UsageError
from planner.cli.report import plan_fields, rules_text, stuck_fields, summary
from planner.plan_files.order_json import OpenedOrder
from planner.plan_files.plan_json import write_plan
from planner.problem.bound import proven
from planner.quantity import amount_text
from planner.runs.planning import explained

if TYPE_CHECKING:
    from planner.machines.two_level_memory.problem import OrderPlan
    from planner.plan_files.order_json import OpenedOrder
    from planner.plan_files.plan_json import OpenedPlan
    from planner.problem.base import PlanningProblem
    from planner.problem.bound import Bound
    from planner.problem.decision import Evaluated
    from planner.problem.problem import Plan
    from planner.repair import Repair, RepairError

SECONDS = 2.0
KEPT_SECONDS = 5.0
"""How long it may take to find out why an op moved that was to be kept."""
_SHOWN_MOVES = 20


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``repair``."""
    inputs.add_models_and_plan(parser)
    parser.add_argument(
        "-o", "--output", required=True, metavar="PLAN", help="write the valid plan to this file (JSON)"
    )
    parser.add_argument(
        "--keep", action="append", default=[], metavar="OP",
        help="an op (id or name) that should stay where it is before all others; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--time-limit", type=inputs.seconds, default=SECONDS, metavar="S",
        help=f"look for nearer plans for at most S seconds (default {SECONDS:g})",
    )  # fmt: skip
    parser.add_argument(
        "--seed", type=inputs.seed, default=0, metavar="N", help="seed of random choices (default 0)"
    )
    parser.epilog = (
        "example: stageboard repair sample_models/resnet50.json edited.plan.json -o resnet50.plan.json\n\n"
        "Pinned ops go to their pins; of all others as few as possible move, and not far. A valid plan is left as it is.\n"
        "An order of a network's connections is repaired at once; --time-limit and --seed play no part there.\n"
        "Exit status 1: no valid plan was found; nothing is written."
    )


def run(args: argparse.Namespace, console: Console) -> int:
    """Read model and plan, repair, write the plan, say what moved."""
    import numpy as np

    from planner.machines.stuck import stuck_plan
    from planner.methods.repair.outcome import TOLD
    from planner.repair import RepairError, kept, repair
    from planner.repair.plans import repaired_plan

    inputs.check_output(args.output, args.models)
    opened = inputs.open_with_plan(args)
    if isinstance(opened, OpenedOrder):
        return _order(args, console, opened)
    problem = opened.plan.problem
    keep = np.array([problem.graph.find(op) for op in args.keep], np.int32)
    warm(opened.plan)
    began = time.perf_counter()
    try:
        found = repair(problem, opened.plan.decision.device_of, keep, args.seed, args.time_limit)
    except RepairError as error:
        return _nothing(args, console, opened.plan, error, time.perf_counter() - began)
    if len(found.kept_moved):
        found = kept.explained(found, KEPT_SECONDS, None, args.seed)
    seconds = time.perf_counter() - began
    plan = repaired_plan(opened.plan, found, args.seed, seconds)
    write_plan(args.output, plan, bounds_of(opened, plan))
    evaluation, unrunnable = plan.evaluation, stuck_plan(plan)
    data: dict[str, Any] = {
        "planner": plan.provenance.planner,
        **plan_fields(problem, evaluation),
        **stuck_fields(unrunnable),
        "status": "feasible",
        "sentence": found.sentence,
        **_moves(found),
        "before": _before(problem, opened.plan.evaluation),
        "seconds": seconds,
        "seed": args.seed,
        "plan_file": args.output,
    }

    def text() -> str:
        name = problem.components[0]
        unit = problem.unit(name)
        before = amount_text(found.before.objective, unit)
        rows = [
            ("before", f"{name} {before}, {rules_text(found.before)}"),
            ("moved", found.sentence),
            *(("not kept", each.sentence) for each in found.reasons),
            ("plan", args.output),
        ]
        # The sentence tells few moves itself.
        lines = [f"  > {line}" for line in found.moves(_SHOWN_MOVES)] if len(found.moved) > TOLD else []
        if len(found.moved) > _SHOWN_MOVES:
            lines.append(f"  > and {len(found.moved) - _SHOWN_MOVES} more")
        return "\n".join([summary(problem, evaluation, rows, simulated=unrunnable), *lines])

    console.result(data, text)
    return DONE


def _order(args: argparse.Namespace, console: Console, opened: OpenedOrder) -> int:
    """Repair an order of connections."""
    from planner.machines.two_level_memory.repair import repair_order
    from planner.repair.plans import repaired_order

    if args.keep:
        raise UsageError("--keep names an op; an order of connections has none")
    problem = opened.plan.problem
    began = time.perf_counter()
    found = repair_order(problem, opened.plan.decision.order)
    seconds = time.perf_counter() - began
    plan = repaired_order(opened.plan, found, seconds)
    write_plan(args.output, plan, bounds_of(opened, plan))
    data: dict[str, Any] = {
        "planner": plan.provenance.planner,
        **plan_fields(problem, plan.evaluation),
        "status": "feasible",
        "sentence": found.sentence,
        "connections": len(found.order),
        "moved": found.moved.tolist(),
        "before": _before(problem, found.before),
        "seconds": seconds,
        "seed": args.seed,
        "plan_file": args.output,
    }
    rows = [
        ("before", f"{found.before.objective:,.0f} I/Os, {rules_text(found.before)}"),
        ("moved", found.sentence),
        ("plan", args.output),
    ]
    console.result(data, lambda: summary(problem, plan.evaluation, rows))
    return DONE


def warm(plan: Plan) -> None:
    """Compile what repair needs on a tiny problem, so that the time limit is spent on the plan."""
    from planner.runs.warm_up import warm_repair

    warm_repair(plan.problem)


def bounds_of(opened: OpenedPlan | OpenedOrder, plan: Plan | OrderPlan) -> Sequence[Bound]:
    """What is written of bounds with ``plan``: what the file claims stays with the plan of the file."""
    from planner.runs.proving import with_known

    return opened.bounds if plan is opened.plan else with_known(plan.problem, proven(opened.bounds))


def _moves(found: Repair) -> dict[str, Any]:
    graph, devices = found.problem.graph, found.problem.devices
    reasons = {each.op: each for each in found.reasons}
    return {
        "ops": graph.n,
        "moved": [
            {
                "op": graph.op_ids[v],
                "name": graph.op_names[v],
                "from": devices[found.given[v]].name,
                "to": devices[found.device_of[v]].name,
            }
            for v in found.moved.tolist()
        ],
        "moved_at_least": found.at_least,
        "fewest": found.proven,
        "kept_moved": [
            {
                "op": graph.op_ids[v],
                "name": graph.op_names[v],
                "from": devices[found.given[v]].name,
                "to": devices[found.device_of[v]].name,
                "proven": v in reasons and reasons[v].proven,
                "reason": reasons[v].sentence if v in reasons else "",
            }
            for v in found.kept_moved.tolist()
        ],
        "moved_at_least_keeping": found.keeping_at_least or None,
    }


def _before(problem: PlanningProblem, evaluation: Evaluated) -> dict[str, Any]:
    fields = plan_fields(problem, evaluation)
    return {name: fields[name] for name in ("objective", "components", "valid", "violations")}


def _nothing(
    args: argparse.Namespace, console: Console, plan: Plan, error: RepairError, seconds: float
) -> int:
    """Say that there is no plan, and why as far as that can be found out."""
    found = explained(plan.problem, lambda: False, "repair" if error.proven else "", args.seed)
    if found.status == "infeasible":
        explaining.say(console, found)
    else:
        console.note(str(error))
    data = {
        "planner": "repair",
        **plan_fields(plan.problem, None),
        "status": "infeasible" if found.status == "infeasible" else "no_plan",
        "sentence": str(error),
        "ops": plan.problem.graph.n,
        "moved": [],
        "moved_at_least": None,
        "fewest": False,
        "kept_moved": [],
        "moved_at_least_keeping": None,
        "before": _before(plan.problem, plan.evaluation),
        "seconds": seconds,
        "seed": args.seed,
        "plan_file": None,
        **explaining.fields(plan.problem, found),
    }
    console.result(data, lambda: summary(plan.problem, plan.evaluation, [("moved", "nothing")]))
    return FAILED
