"""``stageboard compare``: two to four plans of one model, in figures and as a picture; needs no display."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gui.look.display import application
from gui.look.page import SUFFIXES
from gui.present.render import add_page, page_of
from planner.cli import inputs, proving
from planner.cli.command import DONE, Console, UsageError
from planner.cli.told_apart import models_and_plans
from planner.errors import StageboardError
from planner.model.named_machines import NO_MACHINES, Machines

if TYPE_CHECKING:
    from planner.model.times import Use
    from planner.plan_files.order_json import OpenedOrder
    from planner.plan_files.plan_json import OpenedPlan
    from planner.problem.bound import Bound
    from planner.reports.comparison import Comparison, OrderComparison

VIEWS = ("flow", "lanes", "sankey", "devices", "schedules", "overlay", "overlay-lanes")


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``compare``."""
    parser.add_argument(
        "files",
        nargs="*",
        metavar="MODEL... PLAN PLAN [PLAN...]",
        help="model files, then two to four plans of them, the first of which the others are compared with;"
        " without any, the best contiguous and the best non-contiguous split of a BERT of three layers",
    )
    parser.add_argument("-o", "--output", metavar="PICTURE", help="draw them: .png, .svg or .pdf")
    add_page(parser)
    parser.add_argument(
        "--view", choices=VIEWS,
        help="what the picture shows: the graph as a flow or one lane per device, what goes from device to device, what"
        " each device pays, the schedules on one axis, or the first two plans on one canvas (default flow)",
    )  # fmt: skip
    parser.add_argument(
        "--title", default="", metavar="WORDS", help="the picture's title (default: the model and the plans)"
    )
    parser.add_argument(
        "--window", action="store_true", help="open them in the window, the first on the canvas, instead of printing figures"
    )  # fmt: skip
    parser.add_argument("--all", action="store_true", help="list every op that moved and every flow")
    inputs.add_batch_of_plan(parser, "the first plan's model was read")
    inputs.add_times(parser)
    inputs.add_machine(parser)
    inputs.add_density(parser)
    proving.configure_claimed(parser)
    parser.epilog = (
        "example: stageboard compare\n"
        "         stageboard compare sample_models/resnet50.json a.plan.json b.plan.json -o compared.png\n"
        "         stageboard compare sample_models/resnet50.json a.plan.json b.plan.json --window\n\n"
        "Devices are matched first: stages, TPUs and chips in their order, those of a pool by number, unless others at least\n"
        "halve the ops that move. Plans may be for different targets; a plan that breaks rules is compared like any other. What\n"
        "a plan file says was proven is named beside its plan as its claim and counts only once it is proven."
    )


def run(args: argparse.Namespace, console: Console) -> int:
    """Read, compare, draw, report."""
    from gui.look.display import check_qt, offscreen

    models, plans = files_of(args.files)
    if args.window:
        return _open_window(models, plans, args, console)
    if args.output is not None:
        if Path(args.output).suffix.lower() not in SUFFIXES:
            raise StageboardError(
                f"{args.output}: pictures are written as {', '.join(SUFFIXES)}; give it one of these endings"
            )
        inputs.check_output(args.output, [*map(str, models), *map(str, plans)])
    opened, notes = read(
        models,
        plans,
        args.batch,
        args.density,
        inputs.measured_times(args.times),
        inputs.named_machines(args.machine),
        args.precision,
    )
    comparison, said = compared(opened, plans, args.prove, console)
    notes += said
    for note in (*notes, *comparison.notes):
        console.note(note)
    files = [str(plan) for plan in plans]
    if args.output is not None:
        check_qt()
        offscreen()
        app = application()
        _draw(comparison, args)
        app.processEvents()
    data, text = _told(comparison, files, args)
    console.result({**data, "picture": args.output}, lambda: text)
    return DONE


def _open_window(
    models: Sequence[Path], plans: Sequence[Path], args: argparse.Namespace, console: Console
) -> int:
    """The comparison in the window, where the plans can be compared and there is a display."""
    from gui.look.display import check_display, check_qt

    given = {
        "-o": args.output, "--view": args.view, "--title": args.title, "--all": args.all, "--size": args.size, "--preset": args.preset,
        "--transparent": args.transparent, "--prove": args.prove, "--json": console.as_json,
        "--machine": args.machine,
    }  # fmt: skip
    for option, value in given.items():
        if value:
            raise UsageError(f"{option} is about what is printed or drawn; leave it or --window out")
    times = inputs.measured_times(args.times)
    opened, notes = read(models, plans, args.batch, args.density, times, precision=args.precision)
    compared(opened, plans, proving.OFF, console)
    for note in notes:
        console.note(note)
    check_qt()
    check_display(hint="leave --window out for the figures, or draw a picture with -o")
    from gui.app.app import open_window

    return open_window(
        list(models),
        None,
        density=args.density,
        compared=list(plans),
        batch=args.batch,
        times=args.times,
        precision=args.precision,
    )


def files_of(arguments: Sequence[str]) -> tuple[list[Path], list[Path]]:
    """(models, plans) among the arguments, told apart by content; the example's where none are named.

    Raises :class:`StageboardError`.
    """
    from planner.reports.comparison.example import example_files

    if not arguments:
        model, examples = example_files()
        return [model], list(examples)
    models, plans = models_and_plans(arguments)
    if not plans and len(models) == 1:
        model, examples = example_files(models[0])
        return [model], list(examples)
    if len(plans) < 2:
        found = f"only {plans[0]} is a plan" if plans else "none of the files is a plan"
        raise UsageError(f"{found}; name two to four plans after the model")
    return models, plans


def read(
    models: Sequence[Path],
    plans: Sequence[Path],
    batch: int | None,
    density: float | None,
    times: Sequence[Use] = (),
    named: Machines = NO_MACHINES,
    precision: str | None = None,
) -> tuple[list[OpenedPlan | OpenedOrder], list[str]]:
    """The plans in some files, of one model, and what should be said about reading them. Raises :class:`StageboardError`."""
    from planner.formats import read_models
    from planner.plan_files.order_json import is_order_plan, open_network_plan
    from planner.plan_files.plan_json import open_plan
    from planner.reports.comparison.comparison import check_count

    check_count(len(plans))
    orders = [is_order_plan(plan) for plan in plans]
    opened: list[OpenedPlan | OpenedOrder] = []
    if all(orders):
        for given, option in (
            (batch is not None, "--batch"), (precision, "--precision"), (times, "--times"), (named.uses, "--machine"),
        ):  # fmt: skip
            if given:
                raise UsageError(f"{option} is about graphs of operators; leave it out for a sparse network")
        network = inputs.load_network([str(model) for model in models], density)
        opened += [open_network_plan(plan, network) for plan in plans]
        return opened, _notes(plans, opened)
    if any(orders):
        order, other = plans[orders.index(True)], plans[orders.index(False)]
        raise StageboardError(
            f"{order} orders a network's connections and {other} places a graph's ops; compare plans of one model"
        )
    if density is not None:
        raise UsageError(f"--density prunes sparse networks, and {plans[0]} is not a plan of one")
    graph = read_models(models, **inputs.options_of(batch, precision, plans[0]), times=times)
    opened += [open_plan(plan, graph, named=named) for plan in plans]
    return opened, _notes(plans, opened)


def compared(
    opened: Sequence[OpenedPlan | OpenedOrder], files: Sequence[Path], seconds: float | None, console: Console
) -> tuple[Comparison | OrderComparison, list[str]]:
    """The comparison of some plans, which are in ``files``, and notes on what was claimed of them.

    Claims are proven again, and bounds beside each plan, for ``seconds`` each, 0 = not; with None as :func:`planner.cli.proving.seconds_for` says.
    """
    from planner.problem.bound import proven
    from planner.problem.problem import Plan
    from planner.reports.comparison import compare, compare_orders
    from planner.reports.comparison.figures import told_by_file
    from planner.runs.proving import with_known

    claims = [each.bounds for each in opened]
    bounds: list[Bound] = [bound for each in opened for bound in proven(each.bounds)]
    notes: list[str] = []
    for i, each in enumerate(opened):
        problem = each.plan.problem
        bounds = list(with_known(problem, bounds))
        if each.plan.evaluation.valid if seconds is None else seconds > proving.OFF:
            # What was proven for the plan before counts for this one, too.
            again = proving.again(each.plan, (*bounds, *claims[i]), seconds, console)
            bounds += [bound for bound in proven(again.bounds) if bound not in bounds]
            claims[i] = again.bounds
            notes += again.notes
    plans = told_by_file([each.plan for each in opened], files)
    graphs = [plan for plan in plans if isinstance(plan, Plan)]
    if graphs:
        return compare(graphs, bounds, claims), notes
    return compare_orders([plan for plan in plans if not isinstance(plan, Plan)], bounds, claims), notes


def _notes(plans: Sequence[Path], opened: Sequence[OpenedPlan | OpenedOrder]) -> list[str]:
    """What was noticed about the files."""
    return [f"{plan}: {note}" for plan, each in zip(plans, opened, strict=True) for note in each.notes]


def _told(
    comparison: Comparison | OrderComparison, files: Sequence[str], args: argparse.Namespace
) -> tuple[dict[str, Any], str]:
    from planner.cli.comparing import comparison_fields, comparison_text
    from planner.cli.comparing_orders import order_fields, order_text
    from planner.reports.comparison import OrderComparison

    if isinstance(comparison, OrderComparison):
        data, text = order_fields(comparison, files), order_text(comparison, files, args.all, args.prove)
    else:
        data = comparison_fields(comparison, files)
        text = comparison_text(comparison, files, args.all, args.prove)
    return data, text if args.output is None else f"{text}\n\nwrote {args.output}"


def _draw(comparison: Comparison | OrderComparison, args: argparse.Namespace) -> None:
    from planner.reports.comparison import OrderComparison

    if isinstance(comparison, OrderComparison):
        from gui.editors.comparison.orders.picture import draw_orders

        if args.view is not None:
            raise UsageError(
                f"--view {args.view} is about graphs of operators; leave it out for a sparse network"
            )
        draw_orders(comparison, page_of(args), args.title).save(args.output)
        return
    from gui.editors.comparison.picture.picture import draw_comparison

    draw_comparison(comparison, page_of(args), args.view or "flow", title=args.title).save(args.output)
