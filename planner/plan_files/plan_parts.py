"""What plan files of graphs and of networks have in common: provenance, bounds, and reading without belief."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from planner import __version__
from planner.errors import PlanError
from planner.files import read_json
from planner.formats.checks import Text, figure, shown, simple_attributes, table, whole
from planner.machines.spec import target_from_dict
from planner.plan_files.bound_json import StoredBound, bound_of, finite
from planner.plan_files.search_json import search_dict, search_of
from planner.printable import clean
from planner.problem.base import PlanningProblem, refuted
from planner.problem.bound import Bound
from planner.problem.decision import Evaluated
from planner.problem.provenance import Provenance
from planner.problem.target import Target

FORMAT = "stageboard-plan"
STORY_FORMAT = "stageboard-story"
VERSION = 1


# ------------------------------------------------------------------------------------------------------------ writing
def components_dict(evaluation: Evaluated) -> dict[str, Any]:
    """The objective's components as JSON."""
    return {name: finite(value) for name, value in evaluation.components.items()}


def provenance_dict(provenance: Provenance) -> dict[str, Any]:
    """Where a plan came from, as JSON."""
    return {
        "planner": provenance.planner,
        "options": simple_attributes(dict(provenance.options)),
        "seed": provenance.seed,
        "version": provenance.version or __version__,
        "seconds": finite(provenance.seconds),
        "stop_reason": provenance.stop_reason,
        "created": provenance.created,
        "note": provenance.note,
        **({} if provenance.time_limit is None else {"time_limit": finite(provenance.time_limit)}),
        **({"search": again} if (again := search_dict(provenance)) else {}),
    }


# ------------------------------------------------------------------------------------------------------------ reading
class StoredProblem(Struct):
    """A problem as a file holds it."""

    target: dict[str, Any]
    objective: Text


class StoredPlan(Struct):
    """What plan files of graphs and of networks have beside their model, problem and decision. Their figures are only compared."""

    provenance: dict[str, Any] = {}
    bounds: list[StoredBound] = []
    name: Any = None

    @property
    def shown_name(self) -> str:
        """The plan's name; empty where the file has none."""
        return clean(self.name) if isinstance(self.name, str) else ""


def load(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The JSON object of a plan file. Raises :class:`PlanError`."""
    file = Path(path).name
    data = read_json(path, error=PlanError)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise PlanError(
            f"{file} is not a Stageboard plan; choose a file that 'Save plan' or 'stageboard plan -o' wrote"
        )
    if data.get("version") != VERSION:
        raise PlanError(
            f"{file}: version {shown(data.get('version'))} of the plan format is not known here, version {VERSION} is;"
            " open it with the Stageboard that wrote it"
        )
    return data


def kind_of(data: Mapping[str, Any], file: str) -> Any:
    """The kind of decision in the JSON object of a plan file. Raises :class:`PlanError`."""
    return table(data.get("decision"), f"{file}: decision", PlanError).get("kind")


def provenance_of(data: dict[str, Any], file: str, claimed_by: str) -> Provenance:
    """Where a plan came from, as its file says; ``claimed_by`` as for :func:`planner.plan_files.bound_json.bound_of`.

    Raises :class:`PlanError`.
    """

    def words(key: str) -> str:
        value = data.get(key)
        return clean(value) if isinstance(value, str) else ""

    seed = data.get("seed")
    seconds, limit = data.get("seconds"), data.get("time_limit")
    return Provenance(
        planner=words("planner") or "unknown",
        options=simple_attributes(data.get("options")),
        seed=None if seed is None else whole(seed, f"{file}: seed", 0, 2**63 - 1, PlanError),
        version=words("version"),
        seconds=0.0 if seconds is None else figure(seconds, f"{file}: seconds", PlanError),
        stop_reason=words("stop_reason"),
        created=words("created"),
        note=words("note"),
        time_limit=None if limit is None else figure(limit, f"{file}: time_limit", PlanError),
        **search_of(data.get("search"), f"{file}: provenance", claimed_by),
    )


def target_of(data: Mapping[str, Any], file: str) -> Target:
    """The target in a plan file. Raises :class:`PlanError` and what :func:`planner.machines.spec.target_from_dict` does."""
    if not isinstance(data.get("kind"), str):
        raise PlanError(f"{file}: the target's kind is {shown(data.get('kind'))}; it must be text")
    return target_from_dict(data)


def bounds_of(
    stored: Iterable[StoredBound], problem: PlanningProblem, evaluation: Evaluated, claimed_by: str
) -> tuple[tuple[Bound, ...], list[str]]:
    """(bounds that a file holds, notes on those that a valid plan refutes).

    ``claimed_by`` as for :func:`planner.plan_files.bound_json.bound_of`.
    """
    bounds: list[Bound] = []
    notes: list[str] = []
    for bound in (bound_of(one, claimed_by) for one in stored):
        if evaluation.valid and refuted(bound, problem, evaluation.components):
            reached = evaluation.components[bound.component]
            notes.append(
                f"the stored bound '{bound.method}' of {bound.value:.10g} was dropped: this valid plan has {reached:.10g}"
            )
            continue
        bounds.append(bound)
    return tuple(bounds), notes


def is_plan(path: str | os.PathLike[str]) -> bool:
    """Whether a file looks like a plan, by its first bytes: the whole file is not read. A story, which holds plans, is none."""
    start = _first_bytes(path)
    return f'"{FORMAT}"'.encode() in start and f'"{STORY_FORMAT}"'.encode() not in start


def is_story(path: str | os.PathLike[str]) -> bool:
    """Whether a file looks like a story, by its first bytes, too."""
    return f'"{STORY_FORMAT}"'.encode() in _first_bytes(path)


def _first_bytes(path: str | os.PathLike[str]) -> bytes:
    """None of a file that cannot be read."""
    try:
        with Path(path).open("rb") as stream:
            return stream.read(4096)
    except (OSError, ValueError):
        return b""
