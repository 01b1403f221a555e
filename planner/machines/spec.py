"""Target specifications: ``kind:count,key=value,...`` on the command line, TOML files, and dictionaries."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from planner.errors import TargetError
from planner.guard import guarded
from planner.machines.catalogue import machines
from planner.model.graph import Graph
from planner.model.named_machines import Machines
from planner.model.named_machines import machines as machines_by_name
from planner.printable import shown
from planner.problem import per_device
from planner.problem.target import Target
from planner.quantity import parse_quantities, parse_quantity
from planner.toml_file import read_toml


def kinds() -> dict[str, type[Target]]:
    """The target of every machine of the catalogue by kind."""
    return {kind: entry.target for kind, entry in machines().items()}


_COST_MODEL = "cost_model"
"""A table that may stand in the same file: what ``--cost-model`` reads."""
_YES, _NO = {"true", "yes", "on", "1"}, {"false", "no", "off", "0"}


def parse_target(spec: str, graph: Graph | None = None, named: Machines | None = None) -> Target:
    """A target from ``pipeline:8,memory=8MiB``, ``pool:6+1,contiguous=false``, ``memory:100`` or the path of a TOML file.

    ``pool`` without counts takes the deployment that a device-placement file describes. What ``named`` machines say of a target that
    has rates of its own counts where the specification says nothing. Raises :class:`TargetError`.
    """
    with _guarded(spec):
        said = _read(spec)
        if named is not None and said.kind in kinds():
            said = replace(said, values={**named_parameters(kinds()[said.kind], named), **said.values})
        return _make(said, graph)


def named_parameters(target: type[Target], named: Machines) -> dict[str, float]:
    """What named machines say of a kind of target that has rates of its own, by parameter; nothing of one that has none.

    Raises :class:`TargetError` where they say nothing of devices of such a target.
    """
    if not named.uses:
        return {}
    mine = {} if target.uses_cost_model else named.parameters(target.kind)
    if mine or (target.uses_cost_model and named.given()):
        return mine
    fit = [
        one.name
        for one in machines_by_name()
        if (target.kind in one.parameters if not target.uses_cost_model else one.rates is not None)
    ]
    raise TargetError(
        f"machine {named.names} says nothing of {target.in_words}; "
        + (f"choose from {', '.join(fit)}" if fit else "leave --machine out")
    )


def with_named(target: Target, named: Machines) -> Target:
    """A target with what named machines say of its rates. Raises :class:`TargetError` as :func:`named_parameters`."""
    return replace(target, **named_parameters(type(target), named))  # type: ignore[type-var]


def is_for_networks(spec: str) -> bool:
    """Whether a specification, as :func:`parse_target` takes it, names a target for sparse networks."""
    with _guarded(spec):
        kind = _read(spec).kind
    return kind in kinds() and kinds()[kind].plans_networks


def _guarded(spec: str) -> AbstractContextManager[None]:
    file = Path(spec).name if _is_file(spec.strip()) else ""
    return guarded(file, TargetError, remedy="correct the target")


@dataclass(frozen=True)
class _Said:
    """What a specification says, as texts and TOML values: nothing is checked against the kind yet."""

    kind: str
    count: str
    values: Mapping[str, Any]
    where: str
    """What sentences call it."""


def _is_file(spec: str) -> bool:
    return spec.lower().endswith(".toml")


def _read(spec: str) -> _Said:
    spec = spec.strip()
    return _in_file(Path(spec)) if _is_file(spec) else _in_text(spec, f"target '{spec}'")


def _in_text(spec: str, where: str) -> _Said:
    """``kind:count,key=value,...``"""
    head, *pairs = [part.strip() for part in spec.split(",")]
    kind, _, count = head.partition(":")
    values: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise TargetError(f"'{pair}' in {where} is not key=value")
        values[key.strip()] = value.strip()
    return _Said(kind, count, values, where)


def _in_file(path: Path) -> _Said:
    """A TOML file: keys under ``[target]`` or without a heading, or ``target = "SPEC"`` with further keys beside it."""
    where = f"target file {path.name}"
    data = read_toml(path, TargetError)
    target = data.get("target", data)
    beside = {key: value for key, value in data.items() if key not in ("target", _COST_MODEL)}
    if isinstance(target, str):
        return _in_text_of_file(target, beside, where)
    if not isinstance(target, dict):
        raise TargetError(
            f'{where}: target is {_toml_kind(target)}; write [target] above its keys, or target = "pipeline:4"'
        )
    stray = [key for key, value in beside.items() if target is not data and not isinstance(value, dict)]
    if stray:
        raise TargetError(f"{where} has '{stray[0]}' outside [target]; write it below that line")
    values = beside if target is data else dict(target)
    kind, count = (values.pop(key, "") for key in ("kind", "count"))
    for key, value in (("kind", kind), ("count", count), *values.items()):
        if isinstance(value, (dict, list)):
            raise TargetError(f"{where}: {key} is {_toml_kind(value)}; it must be a single value")
    return _Said(str(kind), str(count), values, where)


def _in_text_of_file(spec: str, beside: Mapping[str, Any], where: str) -> _Said:
    if _is_file(spec.strip()):
        raise TargetError(f"{where} names another file, '{spec}'; write the target itself into it")
    said = _in_text(spec.strip(), where)
    for key, value in beside.items():
        if key in ("kind", "count") or key in said.values:
            raise TargetError(
                f"{where} gives '{key}' beside target = \"{spec}\", which says it already; keep one"
            )
        if isinstance(value, (dict, list)):
            raise TargetError(f"{where}: {key} is {_toml_kind(value)}; it must be a single value")
    return _Said(said.kind, said.count, {**said.values, **beside}, where)


def _toml_kind(value: Any) -> str:
    if isinstance(value, list):
        tables = bool(value) and all(isinstance(entry, dict) for entry in value)
        return f"a list of {len(value)} tables" if tables else f"a list of {len(value)} values"
    return "a table" if isinstance(value, dict) else str(value)


def _make(said: _Said, graph: Graph | None) -> Target:
    kind, count, values, where = said.kind, said.count, said.values, said.where
    if kind not in kinds():
        raise TargetError(f"{where} has the unknown kind '{kind}'; choose from {', '.join(kinds())}")
    cls = kinds()[kind]
    arguments: dict[str, Any] = cls.counts(count, graph, where)
    known = {f.name: f for f in fields(cls)}  # type: ignore[arg-type]
    for name, value in values.items():
        key = cls.aliases.get(name, name)
        if key not in known:
            raise TargetError(f"{where} has no parameter '{key}'; it has {', '.join(known)}")
        if key != name and key in values:
            raise TargetError(f"{where} gives '{name}' and '{key}', which are the same; keep one")
        arguments[key] = _value(known[key].type, key, value, where)
    return cls(**arguments)


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
        if annotation == per_device.TYPE and "/" in text:
            return parse_quantities(text)
        if annotation in ("float", float, per_device.TYPE):
            return parse_quantity(text)
    except ValueError as error:
        raise TargetError(f"{where}, {key}: {error}") from None
    return text


def target_from_dict(data: Mapping[str, Any]) -> Target:
    """The inverse of :meth:`Target.to_dict`. Raises :class:`TargetError`."""
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in kinds():
        raise TargetError(f"unknown target kind {kind!r}; this version knows {', '.join(kinds())}")
    cls = kinds()[kind]
    arguments: dict[str, Any] = {}
    for f in fields(cls):  # type: ignore[arg-type]
        if f.name not in data:
            continue
        value = data[f.name]
        if f.type == per_device.TYPE and isinstance(value, (list, tuple)):
            numbers = tuple(_number(f.name, one) for one in value)
            wrong = [one for one in numbers if not isinstance(one, float)]
            if wrong:
                raise TargetError(
                    f"target parameter '{f.name}' holds {shown(wrong[0])}; numbers were expected"
                )
            arguments[f.name] = numbers
            continue
        said = f.type if isinstance(f.type, str) else f.type.__name__
        said = "float" if said == per_device.TYPE else said
        if said == "float":
            value = _number(f.name, value)
        expected = {"float": float, "int": int, "bool": bool, "str": str}[said]
        if not isinstance(value, expected) or (expected is int and isinstance(value, bool)):
            raise TargetError(f"target parameter '{f.name}' is {shown(value)}; a {said} was expected")
        arguments[f.name] = value
    unknown = set(data) - {f.name for f in fields(cls)} - {"kind"}  # type: ignore[arg-type]
    if unknown:
        raise TargetError(f"target '{kind}' has no parameter {shown(min(unknown, key=str))}")
    return cls(**arguments)


def _number(name: str, value: Any) -> Any:
    """A number of a file: null stands for infinity, whole numbers become floating ones, what is no number stays as it is."""
    if value is None:
        return math.inf
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            raise TargetError(
                f"target parameter '{name}' is too large a number; leave it out for unlimited"
            ) from None
    return value


def network_target() -> Target:
    """The first machine of the catalogue that is for sparse networks, with its defaults."""
    return next(target for target in kinds().values() if target.plans_networks)()


def default_target(graph: Graph) -> Target:
    """A sensible first target: the first machine that a model's file suggests (:meth:`Target.suggested`), else a row of four stages."""
    for target in kinds().values():
        if (found := target.suggested(graph)) is not None:
            return found
    return parse_target("pipeline:4")
