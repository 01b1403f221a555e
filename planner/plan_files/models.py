"""The model of a plan file, found by the name that the plan gives it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from planner.errors import PlanError
from planner.formats import SUFFIXES
from planner.formats.networks.read import NETWORK_SUFFIXES
from planner.guard import guarded
from planner.model.samples import MODELS
from planner.plan_files.order_json import is_order_plan
from planner.plan_files.plan_parts import load
from planner.printable import clean


def model_files(path: str | os.PathLike[str]) -> list[Path]:
    """The files of a plan's models: beside the plan, in the working folder, or among the samples. Raises :class:`PlanError` where one is not there."""
    file = Path(path).name
    of_network = is_order_plan(path)
    with guarded(file, PlanError):
        about = load(path).get("network" if of_network else "graph")
    about = about if isinstance(about, dict) else {}
    given = about.get("models")
    names = [
        clean(str(name)) for name in (given if isinstance(given, list) and given else [about.get("name", "")])
    ]
    suffixes = NETWORK_SUFFIXES if of_network else SUFFIXES
    places = (Path(os.path.abspath(path)).parent, Path.cwd(), MODELS)
    found = []
    for name in names:
        model = _called(name, places, suffixes)
        if model is None:
            raise PlanError(
                f"the model '{name}' of {file} is neither beside it nor in this folder; name its file as well"
            )
        found.append(model)
    return found


def _called(name: str, places: Sequence[Path], suffixes: Sequence[str]) -> Path | None:
    """The file of a model of that name, its case aside: of several suffixes the first."""
    wanted = [f"{name}{suffix}".casefold() for suffix in suffixes]
    for place in places:
        there = {file.name.casefold(): file for file in sorted(place.iterdir())} if place.is_dir() else {}
        for one in wanted:
            if one in there and there[one].is_file():
                return there[one]
    return None
