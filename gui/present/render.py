"""``stageboard render``: a picture of a model or a plan, without a display."""

from __future__ import annotations

import argparse
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.cli import inputs
from planner.cli.command import DONE, Console
from planner.cli.proving import OFF, again, configure_claimed, note_claim, proven_of
from planner.errors import StageboardError

if TYPE_CHECKING:
    import numpy as np

    from gui.look.page import Page
    from planner.problem.bound import Bound
    from planner.problem.problem import Problem

NETWORK_VIEWS = ("network", "ios")
"""The views of a sparse network."""
CERTIFICATE = "certificate"
"""The view of what a plan costs and how good it provably is, of a graph or a network."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``render``."""
    parser.add_argument(
        "files",
        nargs="+",
        metavar="MODEL... [PLAN]",
        help="model files, and a plan to colour the ops by its devices",
    )
    parser.add_argument(
        "-o", "--output", required=True, metavar="FILE", help="the picture: .png, .svg or .pdf"
    )
    add_page(parser)
    parser.add_argument(
        "--view",
        choices=("flow", "lanes", "stages", "schedule", "memory", "package", *NETWORK_VIEWS, CERTIFICATE),
        help="flow; lanes, one per device; stages and what flows between them; schedule: when each device works on which sample; memory: of"
        " pipelines, the parameters of each stage around its cache, of a multi-chip module what each chip holds op by op; package: the chips of a multi-chip module (default flow);"
        " network: a sparse network's connections by time of use; ios: its I/Os by the size of fast memory; certificate: what a plan costs and how that is proven",
    )
    parser.add_argument(
        "--title", metavar="WORDS", help="the picture's title (default: the model and its machine)"
    )
    parser.add_argument(
        "--colour", choices=("stage", "time", "bytes", "ratio"), default="stage",
        help="of a graph: colour ops by their stage, or as a heat map of their times, of the bytes they move, or of measured over estimated"
        " times (needs --times, or a model that brings some)",
    )  # fmt: skip
    parser.add_argument(
        "--at", type=inputs.fraction, default=1.0, metavar="SHARE",
        help="of a network: the moment at which this share of the connections has been used (default 1)",
    )  # fmt: skip
    inputs.add_density(parser)
    parser.add_argument(
        "--batch", type=inputs.whole, metavar="N", help="bind symbolic batch dimensions (default 1)"
    )
    inputs.add_precision(parser, "as the plan's model was read, else as in the file")
    inputs.add_times(parser)
    inputs.add_machine(parser)
    configure_claimed(parser)
    parser.epilog = "example: stageboard render sample_models/resnet50.json resnet50.plan.json --view lanes -o resnet50.png"


def add_page(parser: argparse.ArgumentParser) -> None:
    """The page of a picture: its size or a preset, colours, ground."""
    page = parser.add_mutually_exclusive_group()
    page.add_argument(
        "--size", type=size, metavar="WxH",
        help="pixels (default 1600x1000; a flow, lanes or schedule that needs less height gets less)",
    )  # fmt: skip
    page.add_argument(
        "--preset", choices=("slide", "column", "poster"),
        help="slide: 1920x1080; column: of a paper, 85 mm at 300 dots per inch, as high as needed; poster: A1 across, with type three times as"
        " large; no letters are below 14, 6 and 24 points",
    )  # fmt: skip
    parser.add_argument("--transparent", action="store_true", help="no ground behind the picture")
    parser.add_argument("--theme", choices=("light", "dark"), default="light", help="colours (default light)")


def size(text: str) -> tuple[int, int]:
    """``1600x1000`` as width and height."""
    from gui.look.page import LARGEST, SMALLEST

    match = re.fullmatch(r"(\d{1,6})[xX×](\d{1,6})", text.strip())
    if match is None:
        raise argparse.ArgumentTypeError(f"'{text}' is not WIDTHxHEIGHT, such as 1600x1000")
    width, height = int(match[1]), int(match[2])
    if not (SMALLEST <= width <= LARGEST and SMALLEST <= height <= LARGEST):
        raise argparse.ArgumentTypeError(f"'{text}': width and height must be from {SMALLEST} to {LARGEST}")
    return width, height


def run(args: argparse.Namespace, console: Console) -> int:
    """Read, draw, report."""
    from gui.look.display import application, check_qt, offscreen
    from gui.look.page import SUFFIXES

    output = Path(args.output)
    if output.suffix.lower() not in SUFFIXES:
        raise StageboardError(
            f"{args.output}: pictures are written as {', '.join(SUFFIXES)}; give it one of these endings"
        )
    inputs.check_output(args.output)
    if args.view == CERTIFICATE:
        return draw_certificate(args, output, console)
    if shows_network(args):
        return draw_network(args, output, console)
    args.view = args.view or "flow"
    if args.colour != "stage" and args.view not in ("flow", "lanes", "stages"):
        raise StageboardError(
            f"--colour {args.colour} is about ops, which --view {args.view} does not show; leave one out"
        )
    problem, device_of, title, planner, bounds, notes = read(args, console)
    for note in notes:
        console.note(note)
    check_qt()
    offscreen()
    app = application()
    from gui.canvas.graph.heat.heat import colourings_of
    from gui.panels.pictures import Shown, drawing_of

    if args.colour not in colourings_of(problem):
        raise StageboardError(
            f"--colour {args.colour} needs measured times, and estimates beside them; name a profile with --times, and a target whose"
            " times the cost model estimates"
        )
    shown = Shown(problem, device_of, args.title or title, bounds, planner, colouring=args.colour)
    page = drawing_of(shown, args.view, page_of(args)).save(output)
    app.processEvents()
    report(args, page, args.view, {"ops": problem.graph.n}, f"{problem.graph.n} ops", console)
    return DONE


def page_of(args: argparse.Namespace) -> Page:
    """The page asked for; where neither size nor preset is, it is no higher than what is on it."""
    from gui.look.page import PRESETS, SHEET
    from gui.look.theme import THEMES

    page = replace(SHEET, crop=True) if args.preset is None else PRESETS[args.preset]
    if args.size is not None:
        page = replace(SHEET, pixels=args.size)
    return replace(page, theme=THEMES[args.theme], transparent=args.transparent)


def report(
    args: argparse.Namespace, page: Page, view: str, what: dict[str, Any], words: str, console: Console
) -> None:
    """What was written; ``what`` are further entries of the JSON."""
    width, height = page.pixels
    data = {"file": args.output, "width": width, "height": height, "theme": args.theme, "view": view, **what}
    console.result(data, lambda: f"wrote {args.output} ({width} x {height}, {words})")


def draw_certificate(args: argparse.Namespace, output: Path, console: Console) -> int:
    """Read a plan, prove again what its file claims, draw its certificate, report."""
    from gui.look.display import application, check_qt, offscreen
    from gui.shell.kinds import files_to_open
    from planner.reports.certificate.certificate import certificate
    from planner.runs.proving import known_at_once

    if args.title is not None:
        raise StageboardError(
            "--title names a picture of a model or a plan, and a certificate says whose it is; leave it out"
        )
    models, plan = files_to_open(args.files)
    if plan is None:
        raise StageboardError("a certificate is of a plan; name a plan file after the model")
    args.models, args.plan = [str(model) for model in models], str(plan)
    opened = inputs.open_with_plan(args)
    for note in opened.notes:
        console.note(f"{plan}: {note}")
    if args.prove is not None and args.prove <= OFF:
        known = known_at_once(opened.plan.problem)
        certified = certificate(opened.plan, (*known, *opened.bounds), known)
    else:
        proofs = again(opened.plan, opened.bounds, args.prove, console)
        note_claim(opened.plan, proofs.bounds, args.prove, console)
        certified = certificate(opened.plan, proofs.bounds, proofs.new, proofs.notes)
    check_qt()
    offscreen()
    app = application()
    from gui.present.certificate.picture import draw_certificate as draw_page

    page = draw_page(certified, page_of(args)).save(output)
    app.processEvents()
    size = {"status": certified.status}
    report(args, page, CERTIFICATE, size, f"certificate of {certified.model}", console)
    return DONE


def shows_network(args: argparse.Namespace) -> bool:
    """Whether a sparse network is to be drawn: the view says so, or a file can be nothing else."""
    from planner.formats.networks.read import is_network_file

    if args.view in NETWORK_VIEWS or args.density is not None:
        return True
    if not any(is_network_file(file) for file in args.files):
        return False
    if args.view is not None:
        raise StageboardError(
            f"--view {args.view} is about graphs of operators; draw a sparse network with --view network"
        )
    return True


def draw_network(args: argparse.Namespace, output: Path, console: Console) -> int:
    """Read a network, and its order where there is one (else that of Theorem 1), draw it, report."""
    from gui.canvas.network.titles import picture_title
    from gui.look.display import application, check_qt, offscreen
    from gui.shell.kinds import files_to_open
    from planner.machines.spec import network_target
    from planner.machines.two_level_memory.orders.theorem_1 import theorem_1_order
    from planner.machines.two_level_memory.problem import NetworkProblem, check_memory
    from planner.plan_files.order_json import open_network_plan
    from planner.runs.proving import with_known

    for given, option in (
        (args.batch is not None, "--batch"),
        (args.precision, "--precision"),
        (args.times, "--times"),
    ):
        if given:
            raise StageboardError(f"{option} is about graphs of operators; leave it out for a sparse network")
    models, plan = files_to_open(args.files)
    network = inputs.load_network([str(model) for model in models], args.density)
    bounds: tuple[Bound, ...] = ()
    if plan is None:
        problem, order = (
            NetworkProblem(network, check_memory(network, network_target())),
            theorem_1_order(network),
        )
        title = f"{network.name}, connections by the neuron that they lead to"
    else:
        opened = open_network_plan(plan, network)
        for note in opened.notes:
            console.note(f"{plan}: {note}")
        problem, order = opened.plan.problem, opened.plan.decision.order
        bounds = proven_of(opened.plan, with_known(problem, opened.bounds), args.prove, console)
        note_claim(opened.plan, bounds, args.prove, console)
        title = picture_title(problem, opened.plan.name or opened.plan.provenance.planner)
    check_qt()
    offscreen()
    app = application()
    from gui.canvas.network.picture import draw_network as draw_order

    title = args.title or title
    if args.view == "ios":
        from gui.panels.network.plots.picture import draw_curves

        drawing = draw_curves(problem, order, page_of(args), title, bounds)
    else:
        position = round(args.at * network.connection_count)
        drawing = draw_order(problem, order, page_of(args), title, bounds, position)
    page = drawing.save(output)
    app.processEvents()
    size = {"neurons": network.neuron_count, "connections": network.connection_count}
    report(args, page, args.view or "network", size, f"{network.connection_count:,} connections", console)
    return DONE


def read(
    args: argparse.Namespace,
    console: Console,
) -> tuple[Problem, np.ndarray | None, str, str, tuple[Bound, ...], list[str]]:
    """What to draw: problem, device of each op (None without a plan), title, planner, what is proven or claimed, notes on the plan."""
    from gui.shell.kinds import files_to_open
    from planner.formats import read_models
    from planner.machines.spec import default_target
    from planner.plan_files.plan_json import open_plan
    from planner.problem.problem import Problem
    from planner.runs.proving import with_known

    models, plan = files_to_open(args.files)
    options, times = inputs.read_options(args, plan), inputs.measured_times(args.times)
    if plan is None:
        if args.view != "flow":
            raise StageboardError(
                f"--view {args.view} shows the devices of a plan; name a plan file after the model"
            )
        graph = read_models(models, **options, times=times, cost_model=inputs.rates(args))
        return Problem(graph, default_target(graph)), None, graph.name, "", (), []
    graph, named = read_models(models, **options, times=times), inputs.named_machines(args.machine)
    opened = open_plan(plan, graph, named=named)
    problem = opened.plan.problem
    from gui.words.machines import picture_title

    title = picture_title(problem)
    notes = [f"{plan}: {note}" for note in opened.notes]
    planner = opened.plan.provenance.planner
    bounds = proven_of(opened.plan, with_known(problem, opened.bounds), args.prove, console)
    note_claim(opened.plan, bounds, args.prove, console)
    return problem, opened.plan.decision.device_of, title, planner, bounds, notes
