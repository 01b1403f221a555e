"""``stageboard infer``: run a sparse network in the order of a plan, check what comes out, and time it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from planner.cli import inputs
from planner.cli.command import DONE, FAILED, Console, UsageError
from planner.machines.spec import network_target
from planner.machines.two_level_memory.orders.io_bounds import io_bounds
from planner.machines.two_level_memory.problem import NetworkProblem, check_memory
from planner.plan_files.order_json import open_network_plan
from planner.text_table import large, table, times

if TYPE_CHECKING:
    from planner.machines.two_level_memory.execution.compare import Comparison
    from planner.machines.two_level_memory.execution.program import Program
    from planner.machines.two_level_memory.order import OrderEvaluation
    from planner.machines.two_level_memory.problem import NetworkProblem

ORDER = "order"
MOST_SAMPLES, MOST_THREADS = 1 << 20, 1024
MOST_VALUES = 1 << 29
"""Values of all neurons and columns for all samples, at most: a file of a few bytes can claim two billion columns."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``infer``."""
    parser.add_argument("network", metavar="NETWORK", help="the file of a sparse network")
    parser.add_argument(
        "plan", metavar="PLAN", nargs="?", help="a plan of its connections (default: the order of Theorem 1)"
    )
    parser.add_argument("--batch", type=inputs.whole, default=128, metavar="N", help="samples (default 128)")
    parser.add_argument(
        "--threads", type=inputs.whole, default=1, metavar="N", help="threads at most (default 1)"
    )
    parser.add_argument(
        "--seconds", type=inputs.seconds, default=1.0, metavar="S", help="time each way this long (default 1)"
    )
    inputs.add_density(parser)
    parser.add_argument("--seed", type=inputs.seed, default=0, metavar="N", help="of the batch (default 0)")
    parser.epilog = (
        "example: stageboard infer mlp.npz mlp.plan.json --threads 2\n\n"
        "Times a batch of random samples: in the plan's order, layer by layer with scipy, and with MKL where it is installed.\n"
        "Exit status 1: what comes out differs from scipy's result in double precision by more than 32 bits explain."
    )


def run(args: argparse.Namespace, console: Console) -> int:
    """Read, compile, run, check, time."""
    if not 1 <= args.batch <= MOST_SAMPLES:
        raise UsageError(f"--batch must be from 1 to {MOST_SAMPLES}, not {args.batch}")
    if not 1 <= args.threads <= MOST_THREADS:
        raise UsageError(f"--threads must be from 1 to {MOST_THREADS}, not {args.threads}")
    problem, evaluation, order, planner = _ordered(args, console)
    from planner.machines.two_level_memory.execution.compare import compare, random_batch
    from planner.machines.two_level_memory.execution.program import compile_order

    network = problem.network
    most = MOST_VALUES // (network.features + network.neuron_count)
    if args.batch > most:
        raise UsageError(
            f"a batch of {args.batch:,} samples has more values than are computed at once, for {args.network} has"
            f" {network.features:,} columns and {network.neuron_count:,} neurons; "
            + (f"set --batch to at most {most}" if most else "number its columns from 0 on, without gaps")
        )
    least = io_bounds(network).least
    console.progress("compiling ...")
    program = compile_order(network, order)
    console.progress("running ...")
    batch = random_batch(network, args.batch, args.seed)
    found = compare(network, {ORDER: program}, batch, args.threads, args.seconds)
    data = {
        "network": network.name,
        "neurons": network.neuron_count,
        "connections": network.connection_count,
        "planner": planner,
        "plan_file": args.plan,
        "target": problem.target.spec(),
        "objective_name": evaluation.objective_name,
        "objective": evaluation.objective,
        "reads": evaluation.reads,
        "writes": evaluation.writes,
        "lower_bound": least,
        "batch": args.batch,
        "threads": args.threads,
        "runs": program.runs,
        "slots": program.slots,
        "correct": found.ways[ORDER].right,
        "error": found.ways[ORDER].error,
        "error_over_allowed": found.ways[ORDER].excess,
        "ways": [
            {
                "name": name,
                "seconds": way.timing.wall,
                "cpu_seconds": way.timing.cpu,
                "least_seconds": way.timing.least,
                "calls": way.timing.calls,
                "error": way.error,
                "correct": way.right,
            }
            for name, way in found.ways.items()
        ],
        "left_out": found.left_out,
    }
    console.result(data, lambda: _text(args, problem, evaluation, least, planner, program, found))
    for name, way in found.ways.items():
        if not way.right:
            console.note(
                f"{args.network}: the outputs of {name} are wrong by up to {way.error:.3g}, {way.excess:.3g} times what 32-bit"
                " arithmetic explains; the network may overflow 32 bits, else please report it"
            )
    return DONE if found.ways[ORDER].right else FAILED


def _ordered(args: argparse.Namespace, console: Console) -> tuple[NetworkProblem, OrderEvaluation, Any, str]:
    """(problem, I/Os, order, the planner that made it) of the plan, or of the order of Theorem 1."""
    network = inputs.load_network([args.network], args.density)
    if args.plan is not None:
        opened = open_network_plan(args.plan, network)
        for note in opened.notes:
            console.note(f"{args.plan}: {note}; it was edited or written by another version, make it again")
        plan = opened.plan
        return plan.problem, plan.evaluation, plan.decision.order, plan.provenance.planner
    from planner.machines.two_level_memory.orders.theorem_1 import theorem_1_order

    problem = NetworkProblem(network, check_memory(network, network_target()))
    order = theorem_1_order(network)
    return problem, problem.evaluate(order), order, "theorem-1"


def _text(
    args: argparse.Namespace, problem: NetworkProblem, evaluation: OrderEvaluation, least: int, planner: str,
    program: Program, found: Comparison,
) -> str:  # fmt: skip
    network = problem.network
    worst = found.ways[ORDER]
    facts = [
        ("network", f"{large(network.connection_count)} connections, {large(network.neuron_count)} neurons"),
        ("order", planner if args.plan is None else f"{planner}, {args.plan}"),
        (
            "I/Os",
            f"{evaluation.objective:,.0f} on {problem.target.spec()}: {evaluation.reads:,} reads, {evaluation.writes:,} writes;"
            f" at least {least:,}",
        ),
        ("program", f"{large(program.runs)} runs, {large(program.slots)} values kept at most"),
        ("batch", f"{args.batch:,} samples, {args.threads} thread{'s' if args.threads > 1 else ''}"),
        (
            "check",
            f"{'right' if worst.right else 'WRONG'}: within {worst.error:.2g} of double precision,"
            f" {worst.excess:.2g} of what 32 bits allow",
        ),
    ]
    ways = list(found.ways.items())
    wall = times([way.timing.wall for _, way in ways], "s")
    cpu = times([way.timing.cpu for _, way in ways], "s")
    mine = found.ways[ORDER].timing.wall
    rows = [
        [name, wall[i], cpu[i], f"{way.timing.wall / mine:.2f} x", f"{way.error:.2g}"]
        for i, (name, way) in enumerate(ways)
    ]
    width = max(len(name) for name, _ in facts)
    lines = [network.name, *(f"  {name.ljust(width)}  {text}" for name, text in facts), ""]
    lines.append(table(["way", "time", "CPU", "of ours", "error"], rows))
    if found.left_out:
        lines.append(f"  {found.left_out}")
    return "\n".join(lines)
