"""The plans of a story: packed into few words, and evaluated from nothing when the story is opened.

A plan is the object of a plan file, but for its decision and evaluation. ``packed`` is the decision by number: of an assignment, the
devices of the ops in the graph's order, runs as ``device*length`` (``0*12 1*5 2``); of an order, its connections, ascending
runs as ``first-last`` (``0-15 40-43 17``). The evaluation keeps the objective's components and validity, for comparison.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from planner.errors import StoryError
from planner.formats.checks import INT32, items, shown
from planner.formats.networks.read import NETWORK_SUFFIXES
from planner.guard import guarded
from planner.machines.two_level_memory.problem import OrderPlan
from planner.model.graph import Graph, Ints
from planner.plan_files import order_json, plan_json
from planner.plan_files.order_json import order_in
from planner.plan_files.plan_json import plan_in
from planner.printable import clean
from planner.problem.problem import Plan
from planner.story.files.models import read_story_model
from planner.story.folded import missing_op
from planner.story.keyframe import MACHINES_OWN, Keyframe
from planner.story.runs import packed_runs
from planner.story.story import Resolved, Story
from planner.story.subject import StoryModel, StoryPlan

if TYPE_CHECKING:
    from planner.model.network import Network
    from planner.plan_files.order_json import OpenedOrder
    from planner.plan_files.plan_json import OpenedPlan
    from planner.problem.bound import Bound
    from planner.problem.target import Target

_RUN = re.compile(r"(\d{1,10})(?:\*(\d{1,10}))?", re.ASCII)
_RANGE = re.compile(r"(\d{1,10})(?:-(\d{1,10}))?", re.ASCII)


# ---------------------------------------------------------------------- packing
def pack(plan: Plan | OrderPlan, bounds: Iterable[Bound] = (), model: int = 0) -> StoryPlan:
    """A plan as a story holds it; ``model`` is the number of its model in the story."""
    if isinstance(plan, OrderPlan):
        data = order_json.to_dict(plan, bounds)
        data["decision"] = {"kind": "connection-order", "packed": pack_order(plan.decision.order)}
        kept: tuple[str, ...] = ("objective_name", "objective", "components", "reads", "writes", "valid")
    else:
        data = plan_json.to_dict(plan, bounds)
        data["decision"] = {
            "kind": "assignment",
            "devices": data["decision"]["devices"],
            "packed": pack_assignment(plan.decision.device_of),
        }
        kept = ("objective_name", "objective", "components", "valid")
    data["evaluation"] = {key: data["evaluation"][key] for key in kept}
    return StoryPlan(model, data)


def pack_assignment(device_of: Ints) -> str:
    """Devices (int32[n]) as runs: ``0*12 1*5 2``."""
    ends = np.append(np.flatnonzero(np.diff(device_of)), len(device_of) - 1)
    lengths = np.diff(ends, prepend=-1)
    pairs = zip(device_of[ends].tolist(), lengths.tolist(), strict=True)
    return " ".join(f"{d}*{length}" if length > 1 else f"{d}" for d, length in pairs)


def pack_order(order: Ints) -> str:
    """Connections (int32[W]) as ascending runs: ``0-15 40-43 17``."""
    return packed_runs(order)


def unpack_assignment(packed: str, n: int) -> Ints:
    """The inverse of :func:`pack_assignment`: int32[n]. Raises :class:`StoryError` unless it gives ``n`` devices."""
    values, lengths = _runs(packed, _RUN, "a device or device*length")
    lengths[lengths < 0] = 1
    if int(lengths.sum()) != n:
        raise StoryError(
            f"its decision is about {int(lengths.sum()):,} ops and the graph has {n:,}; save the plan again"
        )
    return np.repeat(values, lengths).astype(np.int32)


def unpack_order(packed: str, n: int) -> Ints:
    """The inverse of :func:`pack_order`: int32[W]. Raises :class:`StoryError` unless it gives ``n`` connections."""
    firsts, lasts = _runs(packed, _RANGE, "a connection or first-last")
    lasts = np.where(lasts < 0, firsts, lasts)
    if (lasts < firsts).any():
        raise StoryError(
            "its decision has a run of connections that ends before it begins; save the plan again"
        )
    lengths = lasts - firsts + 1
    if int(lengths.sum()) != n:
        raise StoryError(
            f"its decision is about {int(lengths.sum()):,} connections and the network has {n:,}; save the plan again"
        )
    starts = np.repeat(firsts - np.cumsum(lengths) + lengths, lengths)
    return (starts + np.arange(n)).astype(np.int32)


def _runs(packed: str, pattern: re.Pattern[str], form: str) -> tuple[Any, Any]:
    """(first numbers, second numbers or -1) of a packed decision, int64 each; all fit in 32 bits."""
    first: list[int] = []
    second: list[int] = []
    for word in packed.split():
        match = pattern.fullmatch(word)
        if match is None or int(match[1]) > INT32 or int(match[2] or 0) > INT32:
            raise StoryError(f"its decision has {shown(word)} where {form} was expected; save the plan again")
        first.append(int(match[1]))
        second.append(-1 if match[2] is None else int(match[2]))
    return np.array(first, np.int64), np.array(second, np.int64)


# ---------------------------------------------------------------------- resolving
def resolve(story: Story, folder: str | Path, given: Sequence[str | Path] = ()) -> Resolved:
    """Read a story's models (``folder`` is that of its file) and evaluate its plans from nothing.

    ``given`` are model files that stand in for those that are not found. Where a plan's stored figures differ from
    computed ones, and where a stored bound is refuted, ``notes`` say so. Raises :class:`planner.errors.StoryError`, and what
    reading models and plans raises.
    """
    files = [Path(path) for path in given]
    of_orders = [_is_of_orders(story, i) for i in range(len(story.models))]
    models = [
        read_story_model(model, Path(folder), files, of_orders[i]) for i, model in enumerate(story.models)
    ]
    return resolve_with(story, models)


def resolve_with(story: Story, models: Sequence[Graph | Network]) -> Resolved:
    """Evaluate a story's plans from nothing; ``models`` are those that it is about. Raises like :func:`resolve`."""
    plans: list[Plan | OrderPlan] = []
    bounds: list[tuple[Bound, ...]] = []
    notes: list[str] = []
    problems: dict[str, Any] = {}
    for number, stored in enumerate(story.plans, 1):
        what = f"plan number {number}" + (f" ('{clean(stored.name)[:40]}')" if stored.name else "")
        opened = open_story_plan(stored, models[stored.model], what, story.claimed_by)
        # Plans of one problem share it, and with it what is worked out from it, such as a layout.
        problem: Any = problems.setdefault(opened.plan.problem.fingerprint, opened.plan.problem)
        plans.append(replace(opened.plan, problem=problem))
        bounds.append(opened.bounds)
        notes += [note if note.startswith(what) else f"{what}: {note}" for note in opened.notes]
    for i, keyframe in enumerate(story.keyframes, 1):
        _check_keyframe(i, keyframe, models[story.plans[keyframe.plan].model])
        check_views(i, keyframe, plans[keyframe.plan].problem.target)
    return Resolved(story, tuple(models), tuple(plans), tuple(bounds), tuple(notes))


def open_story_plan(
    stored: StoryPlan, model: Graph | Network, what: str, claimed_by: str
) -> OpenedPlan | OpenedOrder:
    """A story's plan of ``model``, evaluated anew; ``what`` names it in sentences, ``claimed_by`` is who claims its bounds.

    Raises :class:`StageboardError`.
    """
    data = dict(stored.data)
    with guarded(what, StoryError, remedy="save the plan again"):
        data["decision"] = _unpacked(data["decision"], model)
        if isinstance(model, Graph):
            return plan_in(data, model, what, claimed_by)
        return order_in(data, model, what, claimed_by)


def _unpacked(decision: Mapping[str, Any], model: Graph | Network) -> dict[str, Any]:
    """A decision as plan files have it; one that is not packed stays as it is."""
    packed = decision.get("packed")
    if packed is None:
        return dict(decision)
    if not isinstance(packed, str):
        raise StoryError(f"its packed decision is {shown(packed)}; it must be text")
    if not isinstance(model, Graph):
        order = unpack_order(packed, model.connection_count)
        return {"kind": decision.get("kind"), "order": order.tolist()}
    names = items(decision.get("devices"), "its list of devices", StoryError)
    device_of = unpack_assignment(packed, model.n).tolist()
    if device_of and max(device_of) >= len(names):
        raise StoryError(
            f"its decision names device {max(device_of)}, and it lists {len(names)}; save the plan again"
        )
    ops = [
        {"id": op, "name": name, "device": names[d]}
        for op, name, d in zip(model.op_ids, model.op_names, device_of, strict=True)
    ]
    return {"kind": decision.get("kind"), "devices": names, "ops": ops}


def _is_of_orders(story: Story, model: int) -> bool:
    kinds = {plan.is_order for plan in story.plans if plan.model == model}
    if len(kinds) > 1:
        raise StoryError(
            f"the story has plans of graphs and of networks for one model ({story.models[model].name})"
        )
    return kinds == {True} or (not kinds and _names_network(story.models[model]))


def _names_network(model: StoryModel) -> bool:
    return any(path.endswith(NETWORK_SUFFIXES) for path in model.paths)


def _check_keyframe(number: int, keyframe: Keyframe, model: Graph | Network) -> None:
    """Refuse a keyframe that highlights what the model does not have, or is past its end."""
    if isinstance(model, Graph):
        missing = [op for op in keyframe.highlight if op not in model.index]
        if (found := missing_op(keyframe.folded, model.n)) is not None:
            raise StoryError(
                f"keyframe number {number} folds op number {found[1]:,} into {shown(found[0].name)}, and {model.name} has {model.n:,} ops"
                " (from 0); remove that group"
            )
    else:
        missing = [v for v in keyframe.highlight if not (v.isdecimal() and int(v[:12]) < model.neuron_count)]
        if keyframe.at is not None and keyframe.at > model.connection_count:
            raise StoryError(
                f"keyframe number {number} is at connection {keyframe.at:,} of {model.connection_count:,}; lower its 'at'"
            )
    if missing:
        raise StoryError(
            f"keyframe number {number} highlights {shown(missing[0])}, which {model.name} does not have; remove it"
        )


def check_views(number: int, keyframe: Keyframe, target: Target) -> None:
    """Refuse a keyframe that shows a picture of a machine that its plan is not for. Raises :class:`StoryError`."""
    for what in (keyframe.view, keyframe.panel):
        if what in MACHINES_OWN and what not in target.own_views:
            raise StoryError(
                f"keyframe number {number} shows '{what}', and its plan is for {target.in_words}, which has none; choose another"
            )
