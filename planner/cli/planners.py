"""``stageboard planners``: the catalogue."""

from __future__ import annotations

import argparse
import textwrap
from typing import Any

from planner.cli.command import DONE, Console
from planner.machines.catalogue import bound_methods, planners
from planner.search.method import Method, Planner


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``planners``."""
    parser.epilog = "example: stageboard planners"


def run(args: argparse.Namespace, console: Console) -> int:
    """List every planner."""
    known = list(planners().values())
    methods = list(bound_methods().values())
    console.result({"planners": [fields(p) for p in known]}, lambda: _text(known, methods))
    return DONE


def fields(planner: Planner) -> dict[str, Any]:
    """The JSON fields of a planner."""
    return {
        "name": planner.name,
        "title": planner.title,
        "targets": sorted(planner.targets),
        "objectives": sorted(planner.objectives),
        "exact": planner.exact,
        "gives_bounds": planner.gives_bounds,
        "bound_method": bound_name(planner),
        "constraints": sorted(planner.honours),
        "options": [
            {
                "name": o.name,
                "type": type(o.default).__name__,
                "default": o.default,
                "low": o.low,
                "high": o.high,
                "choices": list(o.choices),
                "help": o.help,
            }
            for o in planner.options
        ],
        "what": planner.summary,
        "paper": planner.source.paper,
        "section": planner.source.section,
    }


def bound_name(planner: Planner) -> str | None:
    """What ``bound --method`` calls what a planner proves; None where it has no such method."""
    name = planner.proof_name
    return name if planner.gives_bounds and name in bound_methods() else None


def _proving(planner: Planner) -> str:
    if name := bound_name(planner):
        return "gives bounds" if name == planner.name else f"gives bounds (bound --method {name})"
    return f"gives bounds (no bound method: plan --planner {planner.name})"


def _text(known: list[Planner], methods: list[Any]) -> str:
    out = ["Planners (stageboard plan --planner NAME)"]
    for planner in known:
        gives = f"{_proving(planner)}, " if planner.gives_bounds else ""
        honours = (
            f"honours {' and '.join(sorted(planner.honours))}" if planner.honours else "takes no constraints"
        )
        out += ["", *_entry(planner, f"{planner.kind}, {gives}{honours}")]
    out += ["", "Bound methods (stageboard bound --method NAME)"]
    for method in methods:
        out += ["", *_entry(method, "")]
    return "\n".join(out)


def _entry(method: Method, kind: str) -> list[str]:
    indent = " " * 17
    lines = [f"  {method.name.ljust(24)} {method.title}", f"{indent}{method.summary}"]
    lines.append(f"{indent}{' and '.join(sorted(method.targets))}: {', '.join(sorted(method.objectives))}")
    if kind:
        lines.append(indent + kind)
    lines.append(f"{indent}{method.source}")
    for option in method.options:
        limits = f" ({', '.join(option.choices)})" if option.choices else ""
        text = f"--set {option.name}={_default(option.default)}{limits}  {option.help}"
        lines += textwrap.wrap(text, 110, initial_indent=indent, subsequent_indent=indent + "  ")
    return lines


def _default(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
