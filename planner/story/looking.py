"""What is looked at of a plan, in words: some of its ops, what flows between its devices, or the device that is about its cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from planner.machines.two_level_memory.problem import OrderPlan
from planner.problem.problem import Plan
from planner.problem.worst import plain_word, worst_word
from planner.quantity import amount_text
from planner.story.flowing import crossing, flowing
from planner.story.folded import FoldedGroup, ops_of
from planner.story.telling import TRANSFERS, facts, filled, in_one_unit, shortened

if TYPE_CHECKING:
    pass

_PARTS = (("receive", "receiving"), ("work", "work"), ("streaming", "streaming"), ("send", "sending"))
"""The parts of what a device pays, and what they are called."""


def looked_at(plan: Plan | OrderPlan, ops: Sequence[str] = (), view: str = "") -> str:
    """A sentence on what is looked at of a plan that has been introduced: some ops, by id, what flows between its devices where these
    are seen (``view`` is ``stages``: bytes; ``flow``: tensors), or the device that is about its cost.

    Empty where there is nothing to add, as of an order or a plan that breaks rules.
    """
    if isinstance(plan, OrderPlan) or not plan.evaluation.valid:
        return ""
    graph, devices, device_of = plan.problem.graph, plan.problem.devices, plan.decision.device_of
    chosen = sorted({graph.index[op] for op in ops if op in graph.index})
    if chosen:
        on = sorted({int(device_of[op]) for op in chosen})
        work = amount_text(float(plan.problem.evaluator.work_on(device_of)[chosen].sum()), graph.time_unit)
        where = devices[on[0]].title if len(on) == 1 else f"{len(on):,} devices"
        if len(chosen) > 1:
            counted = f"{len(chosen):,} of {graph.n:,} ops"
            whole = len(on) == 1 and len(chosen) == int(plan.evaluation.ops[on[0]])
            if whole and plan.problem.unit(plan.problem.components[0]) != "B":
                return f"{counted} on {where}: {_parts(plan, on[0])}."
            return f"{counted}, {work} of work in all, on {where}."
        return shortened(f"{graph.op_names[chosen[0]]} is {work} of work on {where}.")
    flows = {"stages": flowing, "flow": crossing}.get(view)
    if flows is not None and (words := flows(plan)):
        return words
    told = facts(plan)
    if "bottleneck" not in told:
        return ""
    if plan.problem.unit(plan.problem.components[0]) == "B":
        return filled("{bottleneck} holds {bottleneck_memory} in {bottleneck_ops} ops.", told)
    return filled(f"{{bottleneck}} works for {{bottleneck_work}}; {TRANSFERS}.", told)


def _parts(plan: Plan, device: int) -> str:
    """What a device's time consists of, without the parts that are nothing: ``4.71 ms of work, 5.15 ms of streaming``."""
    evaluation, unit = plan.evaluation, plan.problem.graph.time_unit
    values = [float(getattr(evaluation, attribute)[device]) for attribute, _ in _PARTS]
    told = zip(values, in_one_unit(values, unit), _PARTS, strict=True)
    return ", ".join(f"{amount} of {words}" for value, amount, (_, words) in told if value or words == "work")


def named_ops(plan: Plan | OrderPlan, ops: Sequence[str], folded: Sequence[FoldedGroup] = ()) -> str:
    """What ops (by id, neurons by number) are called as a title: ``The bottleneck, stage 1`` where they are all of a device's, else the
    first and how many more; those of a group that is ``folded`` are one, by its name."""
    if isinstance(plan, Plan):
        graph, device_of = plan.problem.graph, plan.decision.device_of
        chosen = [graph.index[op] for op in ops if op in graph.index]
        on = {int(device_of[op]) for op in chosen}
        if (
            len(on) == 1
            and len(chosen) > 1
            and len(set(chosen)) == int(np.count_nonzero(device_of == min(on)))
        ):
            device = min(on)
            name = plan.problem.devices[device].title
            if device != plan.evaluation.bottleneck or not plan.evaluation.valid:
                return name
            return f"The {plain_word(worst_word(plan.problem, plan.evaluation))}, {name if name[:2].isupper() else name[:1].lower() + name[1:]}"
    cards = list(dict.fromkeys(_card_names(plan, ops, folded)))
    others = len(cards) - 1
    return cards[0] + (f" and {others} more" if others else "")


def _card_names(plan: Plan | OrderPlan, ops: Sequence[str], folded: Sequence[FoldedGroup]) -> Sequence[str]:
    """What the card of each op is called."""
    if not folded or isinstance(plan, OrderPlan):
        return ops
    graph, name_of = plan.problem.graph, {}
    for group in folded:
        name_of.update(dict.fromkeys(ops_of(group).tolist(), group.name))
    return [name_of.get(graph.index[op], op) or op for op in ops]
