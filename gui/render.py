"""``stageboard render``: a picture of a model or a plan, without a display."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from planner.cli import inputs
from planner.cli.command import DONE, Console
from planner.errors import StageboardError

if TYPE_CHECKING:
    import numpy as np
    from PySide6.QtCore import QtMsgType
    from PySide6.QtWidgets import QApplication

    from planner.bound import Bound
    from planner.problem import Problem

SUFFIXES = (".png", ".svg", ".pdf")
SMALLEST, LARGEST = 64, 16384
"""Limits of a picture's width and height in pixels."""


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
    parser.add_argument(
        "--size", type=size, default=(1600, 1000), metavar="WxH", help="pixels (default 1600x1000)"
    )
    parser.add_argument("--theme", choices=("light", "dark"), default="light", help="colours (default light)")
    parser.add_argument(
        "--view",
        choices=("flow", "lanes", "schedule", "memory", "package"),
        default="flow",
        help="flow, one lane per device, when each device works on which sample, the parameters of each stage"
        " around its cache, or the chips of a multi-chip module (default flow)",
    )
    parser.add_argument(
        "--batch", type=inputs.whole, metavar="N", help="bind symbolic batch dimensions (default 1)"
    )
    parser.epilog = "example: stageboard render sample_models/resnet50.json resnet50.plan.json --view lanes -o resnet50.png"


def size(text: str) -> tuple[int, int]:
    """``1600x1000`` as width and height."""
    match = re.fullmatch(r"(\d{1,6})[xX×](\d{1,6})", text.strip())
    if match is None:
        raise argparse.ArgumentTypeError(f"'{text}' is not WIDTHxHEIGHT, such as 1600x1000")
    width, height = int(match[1]), int(match[2])
    if not (SMALLEST <= width <= LARGEST and SMALLEST <= height <= LARGEST):
        raise argparse.ArgumentTypeError(f"'{text}': width and height must be from {SMALLEST} to {LARGEST}")
    return width, height


def run(args: argparse.Namespace, console: Console) -> int:
    """Read, draw, report."""
    from gui.display import check_qt, offscreen

    output = Path(args.output)
    if output.suffix.lower() not in SUFFIXES:
        raise StageboardError(
            f"{args.output}: pictures are written as {', '.join(SUFFIXES)}; give it one of these endings"
        )
    inputs.check_output(args.output)
    problem, device_of, title, planner, bounds, notes = read(args)
    for note in notes:
        console.note(note)
    check_qt()
    offscreen()
    app = application()
    if args.view == "schedule":
        from gui.panels.schedule_picture import save_schedule

        assert device_of is not None
        save_schedule(problem, device_of, output, size=args.size, theme=args.theme, title=title)
    elif args.view == "memory":
        from gui.panels.memory_picture import save_memory

        assert device_of is not None
        save_memory(
            problem,
            device_of,
            output,
            size=args.size,
            theme=args.theme,
            title=title,
            planner=planner,
            bounds=bounds,
        )
    elif args.view == "package":
        from gui.panels.package_picture import save_package

        assert device_of is not None
        save_package(problem, device_of, output, size=args.size, theme=args.theme, title=title, bounds=bounds)
    else:
        from gui.canvas.picture import save_picture

        save_picture(
            problem,
            device_of,
            output,
            size=args.size,
            theme=args.theme,
            view=args.view,
            title=title,
            bounds=bounds,
        )
    app.processEvents()
    data = {
        "file": args.output,
        "width": args.size[0],
        "height": args.size[1],
        "theme": args.theme,
        "view": args.view,
        "ops": problem.graph.n,
    }
    console.result(
        data, lambda: f"wrote {args.output} ({args.size[0]} x {args.size[1]}, {problem.graph.n} ops)"
    )
    return DONE


def read(
    args: argparse.Namespace,
) -> tuple[Problem, np.ndarray | None, str, str, tuple[Bound, ...], list[str]]:
    """What to draw: problem, device of each op (None without a plan), title, planner, what is proven, notes on the plan."""
    from gui.launch import files_to_open
    from planner.formats import read_models
    from planner.formats.plan_json import open_plan, plan_model_options
    from planner.problem import Problem
    from planner.targets import default_target

    models, plan = files_to_open(args.files)
    batch = 1 if args.batch is None else args.batch
    if plan is None:
        if args.view != "flow":
            raise StageboardError(
                f"--view {args.view} shows the devices of a plan; name a plan file after the model"
            )
        graph = read_models(models, batch=batch)
        return Problem(graph, default_target(graph)), None, graph.name, "", (), []
    if args.batch is None:
        batch = plan_model_options(plan)["batch"]
    opened = open_plan(plan, read_models(models, batch=batch))
    problem = opened.plan.problem
    title = f"{problem.graph.name} on {problem.target.spec()}"
    notes = [f"{plan}: {note}" for note in opened.notes]
    planner = opened.plan.provenance.planner
    return problem, opened.plan.decision.device_of, title, planner, tuple(opened.bounds), notes


def application() -> QApplication:
    """The application object, made where there is none."""
    from PySide6.QtCore import qInstallMessageHandler
    from PySide6.QtWidgets import QApplication

    app = QApplication.instance()
    if app is None:
        app = QApplication(["stageboard"])
        if app.platformName() == "offscreen":
            qInstallMessageHandler(_without_known)
    assert isinstance(app, QApplication)
    return app


def _without_known(kind: QtMsgType, context: object, text: str) -> None:
    """Pass Qt's messages on, except that the offscreen platform cannot do what no picture needs."""
    if not text.startswith("This plugin does not support"):
        print(text, file=sys.stderr)
