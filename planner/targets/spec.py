"""Target specifications: ``kind:count,key=value,...`` on the command line, TOML files, and dictionaries."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from planner.errors import TargetError
from planner.graph import Graph
from planner.quantity import parse_quantity
from planner.targets.base import Target
from planner.targets.device_pool import DevicePool
from planner.targets.edge_tpu import EdgeTpuPipeline
from planner.targets.mcm import McmPackage
from planner.targets.memory import TwoLevelMemory
from planner.targets.pipeline import Pipeline

KINDS: dict[str, type[Target]] = {
    cls.kind: cls for cls in (Pipeline, DevicePool, EdgeTpuPipeline, McmPackage, TwoLevelMemory)
}
_YES, _NO = {"true", "yes", "on", "1"}, {"false", "no", "off", "0"}


def parse_target(spec: str, graph: Graph | None = None) -> Target:
    """A target from ``pipeline:8,memory=8MiB``, ``pool:6+1,contiguous=false``, ``memory:100`` or the path of a TOML file.

    ``pool`` without counts takes the deployment that a device-placement file describes. Raises :class:`TargetError`.
    """
    spec = spec.strip()
    if spec.endswith(".toml"):
        return _from_toml(Path(spec), graph)
    head, *pairs = [part.strip() for part in spec.split(",")]
    kind, _, count = head.partition(":")
    values: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise TargetError(f"'{pair}' in target '{spec}' is not key=value")
        values[key.strip()] = value.strip()
    return _make(kind, count, values, graph, f"target '{spec}'")


def is_for_networks(spec: str) -> bool:
    """Whether a specification, as :func:`parse_target` takes it, names a target for sparse networks."""
    spec = spec.strip()
    kind = (
        str(_table(Path(spec)).get("kind", ""))
        if spec.endswith(".toml")
        else spec.split(",")[0].split(":")[0]
    )
    return kind in KINDS and KINDS[kind].plans_networks


def _from_toml(path: Path, graph: Graph | None) -> Target:
    table = _table(path)
    kind = str(table.pop("kind", ""))
    count = str(table.pop("count", ""))
    return _make(kind, count, table, graph, f"target file {path}")


def _table(path: Path) -> dict[str, Any]:
    """What a target file says."""
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise TargetError(f"cannot read the target file {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TargetError(f"{path} is not a valid TOML file: {error}") from None
    return dict(table.get("target", table))


def _make(kind: str, count: str, values: Mapping[str, Any], graph: Graph | None, where: str) -> Target:
    if kind not in KINDS:
        raise TargetError(f"{where} has the unknown kind '{kind}'; choose from {', '.join(KINDS)}")
    cls = KINDS[kind]
    arguments: dict[str, Any] = {}
    if kind == "pool":
        arguments.update(_pool_counts(count, graph, where))
    elif count:
        arguments[cls.count_parameter] = _whole(count, where, "values" if cls.plans_networks else "devices")
    known = {f.name: f for f in fields(cls)}  # type: ignore[arg-type]
    for key, value in values.items():
        if key not in known:
            raise TargetError(f"{where} has no parameter '{key}'; it has {', '.join(known)}")
        arguments[key] = _value(known[key].type, key, value, where)
    return cls(**arguments)


def _pool_counts(count: str, graph: Graph | None, where: str) -> dict[str, Any]:
    given = dict(graph.deployment) if graph is not None else {}
    out: dict[str, Any] = {}
    if "memory" in given:
        out["memory"] = float(given["memory"])
    if count:
        accelerators, plus, cpus = count.partition("+")
        out["accelerators"] = _whole(accelerators, where)
        out["cpus"] = _whole(cpus, where) if plus else 0
    else:
        if "accelerators" in given:
            out["accelerators"] = int(given["accelerators"])
        if "cpus" in given:
            out["cpus"] = int(given["cpus"])
    return out


def _whole(text: str, where: str, what: str = "devices") -> int:
    try:
        return int(text)
    except ValueError:
        raise TargetError(f"{where}: '{text}' is not a whole number of {what}") from None


def _value(annotation: Any, key: str, value: Any, where: str) -> Any:
    text = str(value)
    try:
        if annotation in ("bool", bool):
            if text.lower() in _YES | _NO:
                return text.lower() in _YES
            raise ValueError(f"'{text}' is neither true nor false")
        if annotation in ("int", int):
            try:
                return int(text)
            except ValueError:
                raise ValueError(f"'{text}' is not a whole number") from None
        if annotation in ("float", float):
            return parse_quantity(text)
    except ValueError as error:
        raise TargetError(f"{where}, {key}: {error}") from None
    return text


def target_from_dict(data: Mapping[str, Any]) -> Target:
    """The inverse of :meth:`Target.to_dict`. Raises :class:`TargetError`."""
    kind = data.get("kind")
    if kind not in KINDS:
        raise TargetError(f"unknown target kind {kind!r}; this version knows {', '.join(KINDS)}")
    cls = KINDS[kind]
    arguments = {}
    for f in fields(cls):  # type: ignore[arg-type]
        if f.name not in data:
            continue
        value = data[f.name]
        if f.type in ("float", float):
            if value is None:
                value = math.inf
            elif isinstance(value, int) and not isinstance(value, bool):
                try:
                    value = float(value)
                except OverflowError:
                    raise TargetError(
                        f"target parameter '{f.name}' is too large a number; leave it out for unlimited"
                    ) from None
        expected = {"float": float, "int": int, "bool": bool, "str": str}[str(f.type)]
        if not isinstance(value, expected) or (expected is int and isinstance(value, bool)):
            raise TargetError(f"target parameter '{f.name}' is {value!r}; a {f.type} was expected")
        arguments[f.name] = value
    unknown = set(data) - {f.name for f in fields(cls)} - {"kind"}  # type: ignore[arg-type]
    if unknown:
        raise TargetError(f"target '{kind}' has no parameter '{min(unknown)}'")
    return cls(**arguments)


def format_spec(target: Target) -> str:
    """The shortest specification that parses back to ``target``."""
    values = {f.name: (getattr(target, f.name), f.default) for f in fields(target)}  # type: ignore[arg-type]
    if isinstance(target, DevicePool):
        head = f"pool:{target.accelerators}+{target.cpus}"
        del values["accelerators"], values["cpus"]
    else:
        head = f"{target.kind}:{values.pop(target.count_parameter)[0]}"
    shown = []
    for key, (value, default) in values.items():
        if value != default:
            text = (
                str(value).lower()
                if isinstance(value, bool)
                else _number(value)
                if isinstance(value, float)
                else value
            )
            shown.append(f"{key}={text}")
    return ",".join([head, *shown])


def _number(value: float) -> str:
    """A short text that is exactly ``value``: ``12e9``, ``0.5``, ``17185374208``."""
    for exponent in (12, 9, 6):
        text = f"{value / 10**exponent:g}e{exponent}"
        if 1 <= value / 10**exponent < 1000 and float(text) == value:
            return text
    return repr(value).removesuffix(".0")


def default_target(graph: Graph) -> Target:
    """A sensible first target: the file's own pool where it describes one, else a pipeline of four.

    A TFLite model is for Edge TPUs.
    """
    if graph.deployment:
        return parse_target("pool", graph)
    if graph.format == "tflite":
        return EdgeTpuPipeline(count=4)
    return Pipeline(count=4)
