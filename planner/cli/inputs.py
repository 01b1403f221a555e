"""Arguments that several commands share: models, cost model, target, pins, option values, plan files."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.cli.command import UsageError
from planner.errors import StageboardError

if TYPE_CHECKING:
    from planner.cost_model import CostModel
    from planner.formats.plan_json import OpenedPlan
    from planner.graph import Graph
    from planner.problem import Pin, Problem


# ---------------------------------------------------------------------- declaring
def add_reading(parser: argparse.ArgumentParser) -> None:
    """``--batch`` and ``--cost-model``: how a model file is read."""
    group = parser.add_argument_group("reading the model")
    group.add_argument(
        "--batch",
        type=whole,
        metavar="N",
        help="bind symbolic batch dimensions of an ONNX or TFLite model (default 1)",
    )
    group.add_argument(
        "--cost-model", action="append", default=[], metavar="FILE.toml|KEY=VALUE",
        help="rates that estimate the times a model does not give; may be repeated",
    )  # fmt: skip


def add_problem(parser: argparse.ArgumentParser) -> None:
    """Models, ``--target``, ``--objective`` and ``--pin``: what is planned."""
    parser.add_argument(
        "models", nargs="+", metavar="MODEL", help="model files; several are deployed together"
    )
    parser.add_argument(
        "--target",
        required=True,
        metavar="SPEC",
        help="kind:count,key=value,... or a TOML file: pipeline:4, pool:2+1",
    )
    parser.add_argument(
        "--objective", default="", metavar="NAME", help="what to minimise (default: the target's first)"
    )
    parser.add_argument(
        "--pin", action="append", default=[], metavar="OP=DEVICE",
        help="keep an op (id or name) on a device (name or number); may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--granularity", default="op", choices=("op", "layer", "scope"),
        help="keep whole layers or name scopes together (default: op, nothing is)",
    )  # fmt: skip


def add_models_and_plan(parser: argparse.ArgumentParser) -> None:
    """Models, a plan file, and how to read the models."""
    parser.add_argument(
        "models", nargs="+", metavar="MODEL", help="the model file, or all of a plan for several models"
    )
    parser.add_argument("plan", metavar="PLAN", help="the plan file (JSON)")
    parser.add_argument(
        "--batch",
        type=whole,
        metavar="N",
        help="bind symbolic batch dimensions (default: as the plan's model was read)",
    )


def add_settings(parser: argparse._ActionsContainer, whose: str) -> None:
    """``--set KEY=VALUE``."""
    parser.add_argument(
        "--set", action="append", default=[], dest="settings", metavar="KEY=VALUE",
        help=f"an option of the {whose}; may be repeated",
    )  # fmt: skip


def whole(text: str) -> int:
    """An argument that is a whole number."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number") from None


def seed(text: str) -> int:
    """An argument that seeds random numbers."""
    value = whole(text)
    if not 0 <= value < 2**63:
        raise argparse.ArgumentTypeError(f"{value} is not from 0 to 2^63 - 1")
    return value


def seconds(text: str) -> float:
    """An argument in seconds, more than zero."""
    return _real(text, math.nextafter(0.0, 1.0), math.inf, "a number of seconds above 0")


def fraction(text: str) -> float:
    """An argument from 0 to 1; ``5%`` is 0.05."""
    if text.endswith("%"):
        return _real(text[:-1], 0.0, 100.0, "a share from 0 % to 100 %") / 100.0
    return _real(text, 0.0, 1.0, "a share from 0 to 1")


def _real(text: str, low: float, high: float, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not low <= value <= high or math.isinf(value):
        raise argparse.ArgumentTypeError(f"'{text}' is not {what}")
    return value


# ---------------------------------------------------------------------- reading
def pairs(texts: Sequence[str], option: str) -> dict[str, str]:
    """``KEY=VALUE`` texts as a dictionary; the last of equal keys counts."""
    out: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"{option} '{text}' is not KEY=VALUE")
        out[key.strip()] = value.strip()
    return out


def cost_model(texts: Sequence[str]) -> CostModel | None:
    """The cost model that ``--cost-model`` describes, None for the default. Raises :class:`StageboardError`."""
    if not texts:
        return None
    from planner.cost_model import CostModel
    from planner.quantity import parse_quantity

    values: dict[str, Any] = {}
    for text in texts:
        if "=" in text:
            values.update(pairs([text], "--cost-model"))
        else:
            values.update(_cost_model_file(Path(text)))
    numbers: dict[str, float] = {}
    for key, value in values.items():
        try:
            numbers[key] = parse_quantity(value) if isinstance(value, str) else value
        except ValueError as error:
            raise StageboardError(f"cost model, {key}: {error}") from None
    return CostModel.from_dict(numbers)


def _cost_model_file(path: Path) -> dict[str, Any]:
    import tomllib

    from planner.files import MEBIBYTE, read_text

    text = read_text(path, MEBIBYTE, error=StageboardError)
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise StageboardError(f"{path} is not a valid TOML file ({error}); correct it") from None
    inner = table.get("cost_model", table)
    if not isinstance(inner, dict):
        raise StageboardError(f"{path}: cost_model is not a table; write [cost_model] above its values")
    return inner


def load_models(args: argparse.Namespace) -> Graph:
    """The models of ``args`` as one profiled graph."""
    from planner.formats import read_models

    return read_models(
        args.models, batch=1 if args.batch is None else args.batch, cost_model=cost_model(args.cost_model)
    )


def open_with_plan(args: argparse.Namespace) -> OpenedPlan:
    """The plan of ``args``, evaluated anew, on its models read as they were for it. Raises :class:`StageboardError`."""
    from planner.formats import read_models
    from planner.formats.plan_json import open_plan, plan_model_options

    batch = plan_model_options(args.plan)["batch"] if args.batch is None else args.batch
    return open_plan(args.plan, read_models(args.models, batch=batch))


def check_output(path: str | None) -> None:
    """Refuse a place that cannot be written to before long work begins. Raises :class:`StageboardError`."""
    if path is None:
        return
    file = Path(path)
    if file.is_dir():
        raise StageboardError(f"{path} is a folder; give the name of a file to write")
    if not file.parent.is_dir():
        raise StageboardError(
            f"{path} cannot be written: there is no folder {file.parent}; make it or choose another place"
        )


def import_readers(paths: Sequence[str]) -> None:
    """Import the libraries that the model files need, so that reading them can be timed without that."""
    suffixes = {Path(path).suffix.lower() for path in paths}
    import planner.cost_model
    import planner.formats.device_placement
    import planner.formats.merge
    import planner.formats.stageboard_json

    if ".onnx" in suffixes:
        import planner.formats.onnx_model
    if ".tflite" in suffixes:
        import tflite  # noqa: F401

        import planner.formats.tflite_model  # noqa: F401
    if suffixes & {".graphml", ".xml", ".dot", ".gv"}:
        import networkx  # noqa: F401


def make_problem(args: argparse.Namespace, graph: Graph) -> Problem:
    """The problem that ``args`` describe. Raises :class:`StageboardError`."""
    from planner.granularity import kept_together
    from planner.problem import Problem
    from planner.targets import parse_target

    target = parse_target(args.target, graph)
    problem = Problem(graph, target, args.objective, kept_together(graph, args.granularity))
    if not args.pin:
        return problem
    # Only now: the pins need the problem's devices to be understood.
    return problem.with_constraints((*problem.constraints, *(pin(problem, text) for text in args.pin)))


def pin(problem: Problem, text: str) -> Pin:
    """``OP=DEVICE`` as a constraint; the last '=' counts, since names of ops may hold one."""
    from planner.problem import Pin

    op, equals, device = text.rpartition("=")
    if not equals or not op or not device:
        raise UsageError(
            f"--pin '{text}' is not OP=DEVICE; write --pin '{problem.graph.op_names[0]}={problem.devices[0].name}'"
        )
    index = problem.device_index(device.strip())
    return Pin(problem.graph.op_ids[problem.graph.find(op)], problem.devices[index].name)
