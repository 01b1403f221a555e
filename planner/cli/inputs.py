"""Arguments that several commands share: models, cost model, target, pins, option values, plan files."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.cli.command import UsageError
from planner.errors import StageboardError
from planner.files import behind_links
from planner.formats import read_models
from planner.formats.networks.read import is_network_file, read_network
from planner.formats.times.named import named_times, parted, places
from planner.guard import guarded
from planner.machines.spec import is_for_networks
from planner.model.cost_model import CostModel
from planner.model.named_machines import Machines, NamedMachine, machine
from planner.model.precision import FILE, PRECISIONS, ReadOptions
from planner.model.times import DEVICES, Use
from planner.plan_files.order_json import is_order_plan, open_network_plan
from planner.plan_files.plan_json import open_plan, plan_model_options
from planner.quantity import parse_quantity
from planner.runs.posing import network_problem_on, pin, problem_on
from planner.toml_file import read_toml

if TYPE_CHECKING:
    from planner.machines.two_level_memory.problem import NetworkProblem
    from planner.model.cost_model import CostModel
    from planner.model.graph import Graph
    from planner.model.network import Network
    from planner.plan_files.order_json import OpenedOrder
    from planner.plan_files.plan_json import OpenedPlan
    from planner.problem.problem import Problem


# ---------------------------------------------------------------------- declaring
def add_reading(parser: argparse.ArgumentParser) -> None:
    """``--batch``, ``--precision`` and ``--cost-model``: how a model file is read."""
    group = parser.add_argument_group("reading the model")
    group.add_argument(
        "--batch",
        type=whole,
        metavar="N",
        help="bind symbolic batch dimensions of an ONNX or TFLite model (default 1)",
    )
    add_precision(group)
    group.add_argument(
        "--cost-model", action="append", default=[], metavar="FILE.toml|KEY=VALUE",
        help="rates that estimate the times a model does not give; may be repeated",
    )  # fmt: skip
    add_times(group)
    add_machine(group)
    add_density(group)


def add_precision(parser: argparse._ActionsContainer, default: str = "as in the file") -> None:
    """``--precision``: how many bytes numbers take."""
    parser.add_argument(
        "--precision", choices=PRECISIONS,
        help=f"count parameters and tensors in floating point with one byte a number (int8), two (float16) or those of the file (default: {default})",
    )  # fmt: skip


def add_times(parser: argparse._ActionsContainer) -> None:
    """``--times``: measured times of ops."""
    parser.add_argument(
        "--times", action="append", default=[], metavar="[DEVICE=]FILE",
        help="measured times of ops (stageboard profile, or another program's profile) in place of estimates: of every device, of"
        " accelerator=FILE (stages, chips) and cpu=FILE alone, or of one device by number or name (2=FILE, 'acc 0=FILE'); may be repeated",
    )  # fmt: skip


def add_machine(parser: argparse._ActionsContainer) -> None:
    """``--machine``: named rates."""
    parser.add_argument(
        "--machine", action="append", default=[], metavar="[DEVICE=]NAME",
        help="named rates that estimate the times a model does not give (stageboard machines lists them, calibrate makes them, NAME.json reads"
        " one): of stages, chips and accelerators; a CPU's of every device; or of accelerator=NAME and cpu=NAME alone; may be repeated",
    )  # fmt: skip


def add_density(parser: argparse._ActionsContainer) -> None:
    """``--density``: how far a network is pruned when it is read."""
    parser.add_argument(
        "--density", type=fraction, metavar="D",
        help="of a sparse network: prune it by magnitude to this share of its connections (0.05 or 5%%)",
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
        "--granularity", default="op", choices=("op", "layer", "scope", "class"),
        help="keep whole layers, name scopes or the file's colour classes together (default: op, nothing is)",
    )  # fmt: skip


def add_models_and_plan(parser: argparse.ArgumentParser) -> None:
    """Models, a plan file, and how to read the models."""
    parser.add_argument(
        "models", nargs="+", metavar="MODEL", help="the model file, or all of a plan for several models"
    )
    parser.add_argument("plan", metavar="PLAN", help="the plan file (JSON)")
    add_reading_of_plans(parser)


def add_reading_of_plans(parser: argparse.ArgumentParser) -> None:
    """``--batch``, ``--precision``, ``--times``, ``--machine`` and ``--density``: how the model of a plan is read."""
    add_batch_of_plan(parser, "the plan's model was read")
    add_times(parser)
    add_machine(parser)
    add_density(parser)


def add_batch_of_plan(parser: argparse.ArgumentParser, default: str) -> None:
    """``--batch`` and ``--precision``, which are those of a plan unless they are given."""
    parser.add_argument(
        "--batch", type=whole, metavar="N", help=f"bind symbolic batch dimensions (default: as {default})"
    )
    add_precision(parser, f"as {default}")


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
    return real(text, math.nextafter(0.0, 1.0), math.inf, "a number of seconds above 0")


def fraction(text: str) -> float:
    """An argument from 0 to 1; ``5%`` is 0.05."""
    if text.endswith("%"):
        return real(text[:-1], 0.0, 100.0, "a share from 0 % to 100 %") / 100.0
    return real(text, 0.0, 1.0, "a share from 0 to 1")


def real(text: str, low: float, high: float, what: str) -> float:
    """An argument from ``low`` to ``high``; ``what`` says so."""
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
    numbers: dict[str, Any] = {}
    for text in texts:
        is_pair = "=" in text and not Path(text).is_file()
        with guarded("" if is_pair else Path(text).name, StageboardError, remedy="correct it"):
            values = pairs([text], "--cost-model") if is_pair else _cost_model_file(Path(text))
            for key, value in values.items():
                try:
                    numbers[key] = parse_quantity(value) if isinstance(value, str) else value
                except ValueError as error:
                    raise StageboardError(f"cost model, {key}: {error}") from None
            CostModel.from_dict(numbers)  # here, so that a sentence names the file
    return CostModel.from_dict(numbers)


def named_machines(texts: Sequence[str]) -> Machines:
    """The machines that ``--machine`` names, each with the device whose rates it gives. Raises :class:`StageboardError`."""
    uses: list[tuple[str, NamedMachine]] = []
    for text in texts:
        device, equals, name = text.partition("=")
        chosen = device.strip() if equals and device.strip() in DEVICES else ""
        uses.append((chosen, machine(name.strip() if chosen else text.strip())))
    return Machines(tuple(uses))


def rates(args: argparse.Namespace) -> CostModel | None:
    """The cost model of ``--machine`` and ``--cost-model``, None for the default. Raises :class:`StageboardError`."""
    named, texts = named_machines(args.machine), getattr(args, "cost_model", [])
    given = cost_model(texts)
    if not named.given():
        return given
    model = given or CostModel()
    for side in sorted(named.given()):
        if model.rates(side) != CostModel().rates(side):
            raise UsageError(
                f"--cost-model gives rates of {'CPUs' if side == 'cpu' else 'accelerators'} and --machine names a machine"
                f" ({named.names}) for them; leave one out"
            )
    return named.cost_model(model)


def _cost_model_file(path: Path) -> dict[str, Any]:
    table = read_toml(path)
    inner = table.get("cost_model", table)
    if not isinstance(inner, dict):
        raise StageboardError(f"{path.name}: cost_model is not a table; write [cost_model] above its values")
    stray = [key for key, value in table.items() if inner is not table and not isinstance(value, dict)]
    if stray:  # tables beside it are for others
        raise StageboardError(f"{path.name} has '{stray[0]}' outside [cost_model]; write it below that line")
    return inner


def measured_times(texts: Sequence[str], numbers: bool = True) -> tuple[Use, ...]:
    """The profiles that ``--times`` names, each with the device whose times it gives. Raises :class:`StageboardError`.

    Without ``numbers`` there is no target that would tell which device a number is of.
    """
    for text in texts:
        device, _ = parted(text)
        if device.isdigit() and not numbers:
            raise UsageError(
                f"--times {text}: without a target a number says no device; name it, as 'stage {device}' or 'acc {device}'"
            )
    return named_times(texts)


def problem_of(args: argparse.Namespace) -> Problem | NetworkProblem:
    """The models of ``args``, read, and what is to be planned on them. Raises :class:`StageboardError`."""
    if is_for_networks(args.target):
        return network_problem(args)
    if args.density is not None:
        raise UsageError("--density prunes sparse networks; use it with --target memory:100")
    for path in args.models:
        if is_network_file(path):
            raise StageboardError(
                f"{path} is a sparse network; plan it with --target memory:100 (a two-level memory)"
            )
    return make_problem(args, load_models(args))


def network_problem(args: argparse.Namespace) -> NetworkProblem:
    """The sparse network of ``args`` on its two-level memory. Raises :class:`StageboardError`."""
    for given, option in (
        (args.pin, "--pin"),
        (args.cost_model, "--cost-model"),
        (args.times, "--times"),
        (args.machine, "--machine"),
        (args.batch is not None, "--batch"),
        (args.precision, "--precision"),
    ):
        if given:
            raise UsageError(f"{option} is about graphs of operators; leave it out for a sparse network")
    if args.granularity != "op":
        raise UsageError("--granularity is about graphs of operators; leave it out for a sparse network")
    network = load_network(args.models, args.density)
    return network_problem_on(network, args.target, args.objective)


def load_network(models: Sequence[str], density: float | None) -> Network:
    """The sparse network in one file, or in several that hold a layer each. Raises :class:`StageboardError`."""
    return read_network(models[0] if len(models) == 1 else list(models), density=density)


def load_models(args: argparse.Namespace) -> Graph:
    """The models of ``args`` as one profiled graph."""
    return read_models(
        args.models,
        **read_options(args),
        cost_model=rates(args),
        times=measured_times(args.times),
    )


def read_options(args: argparse.Namespace, plan: str | Path | None = None) -> ReadOptions:
    """How the models of ``args`` are read: as it says there, else as for a ``plan``. Raises :class:`StageboardError`."""
    return options_of(args.batch, args.precision, plan)


def options_of(batch: int | None, precision: str | None, plan: str | Path | None) -> ReadOptions:
    """A batch and a precision, where one is None those of the ``plan``. Raises :class:`StageboardError`."""
    given: ReadOptions = {"batch": 1, "precision": FILE}
    if plan is not None and (batch is None or precision is None):
        given = plan_model_options(plan)
    return {
        "batch": given["batch"] if batch is None else batch,
        "precision": given["precision"] if precision is None else precision,
    }


def open_with_plan(args: argparse.Namespace) -> OpenedPlan | OpenedOrder:
    """The plan of ``args``, evaluated anew, on its models read as they were for it. Raises :class:`StageboardError`."""
    if is_order_plan(args.plan):
        for given, option in (
            (args.batch is not None, "--batch"),
            (args.precision, "--precision"),
            (args.times, "--times"),
            (args.machine, "--machine"),
        ):
            if given:
                raise UsageError(f"{option} is about graphs of operators; leave it out for a sparse network")
        return open_network_plan(args.plan, load_network(args.models, args.density))
    if args.density is not None:
        raise UsageError(f"--density prunes sparse networks, and {args.plan} is not a plan of one")
    return open_graph_plan(args)


def open_graph_plan(args: argparse.Namespace) -> OpenedPlan:
    """As :func:`open_with_plan`, where only plans of graphs will do."""
    graph = read_models(args.models, **read_options(args, args.plan), times=measured_times(args.times))
    return open_plan(args.plan, graph, named=named_machines(args.machine))


def check_output(path: str | None, read: Sequence[str] = ()) -> None:
    """Refuse a place that cannot be written to, or one of the files ``read``, before long work begins.

    Raises :class:`StageboardError`.
    """
    if path is None:
        return
    file = behind_links(path)
    if file.is_dir():
        raise StageboardError(f"{path} is a folder; give the name of a file to write")
    if not file.parent.is_dir():
        raise StageboardError(
            f"{path} cannot be written: there is no folder {file.parent}; make it or choose another place"
        )
    if file.exists() and not file.is_file():
        raise StageboardError(f"{path} is a device or a pipe; give the name of a file to write")
    for other in map(Path, read):
        if file.exists() and other.exists() and file.samefile(other):
            raise StageboardError(f"{path} is a file to be read and would be lost; choose another name")


def make_problem(args: argparse.Namespace, graph: Graph) -> Problem:
    """The problem that ``args`` describe. Raises :class:`StageboardError`."""
    problem = problem_on(
        graph, args.target, args.objective, None, args.granularity, named_machines(args.machine), places(args.times)
    )  # fmt: skip
    # Only now: an example in a sentence names an op and a device of the problem.
    pins = [_pin(problem, text) for text in args.pin]
    return problem.with_constraints(
        (*problem.constraints, *(pin(problem, op, device) for op, device in pins))
    )


def _pin(problem: Problem, text: str) -> tuple[str, str]:
    """(op, device) of ``OP=DEVICE``; the last '=' counts, since names of ops may hold one."""
    op, equals, device = text.rpartition("=")
    if not equals or not op or not device:
        raise UsageError(
            f"--pin '{text}' is not OP=DEVICE; write --pin '{problem.graph.op_names[0]}={problem.devices[0].name}'"
        )
    return op, device
