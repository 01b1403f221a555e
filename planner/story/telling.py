"""What is said about plans: the figures of a plan in words, and captions and titles made from them.

Whatever a caption says is one of the :func:`facts`, which are worked out from the plan's evaluation and the bounds that apply to it:
a caption can be made again, and so be checked.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from planner.errors import StageboardError, StoryError
from planner.machines.catalogue import planner_title
from planner.machines.two_level_memory.orders.io_bounds import io_bounds
from planner.machines.two_level_memory.problem import OrderPlan
from planner.problem.bound import Bound, ComponentStanding
from planner.problem.claims import claim_of, claimed_amount
from planner.problem.decision import Evaluation
from planner.problem.problem import Plan
from planner.quantity import amount_text, bytes_text
from planner.reports.comparison import compare, compare_orders
from planner.reports.comparison.figures import own_name
from planner.story.keyframe import LONGEST_TITLE
from planner.story.machines import machine_phrase, other_machine
from planner.story.proof_words import proof_sentences
from planner.text_table import gap_percent, percent, times

if TYPE_CHECKING:
    from planner.problem.problem import Problem
    from planner.reports.comparison.rows import Rows

RATES = {"inference-time": "one inference every {value}"}
"""Components that are the time from one result to the next, which is not what a single one takes: how their amounts are told."""
_PHRASES = {
    "bottleneck": "the slowest stage{device} takes {value}",
    "stage-time": "the slowest stage{device} takes {value}",
    "max-load": "the busiest device{device} takes {value}",
    "gpipe": "forward and backward, the busiest devices take {value}",
    "chip-latency": "the slowest chip{device} takes {value}",
    "latency": "one sample takes {value}",
    **RATES,
    "max-memory": "the fullest stage{device} holds {value}",
    "dram": "{value} of parameters stay off chip",
    "max-communication": "no stage receives more than {value}",
    "ios": "this order makes {value}",
}
"""What a component of an objective says of a plan; ``device`` is the one that it is about."""
_ABOUT = frozenset({"bottleneck", "stage-time", "max-load", "chip-latency", "max-memory"})
"""Components that are about the device with the largest :attr:`planner.problem.decision.Evaluation.pace`."""
_LIMITS = ("cache", "sram", "memory")
"""What targets call the memory of a device."""
TRANSFERS = "receiving and sending take {bottleneck_transfers}"
"""What is said of the tensors of the device that sets the pace."""
SAME = 1e-9
"""Amounts that differ by less (relative) are called equal."""
COST_PARTS = ("receive", "work", "streaming", "send")
"""What a device pays for, as evaluations name it."""
LEAST_TOLD = 0.01
"""A time of less than this share of another says nothing in its unit with two decimals."""
TWO_LINES = 180
"""Characters that two lines of large type hold."""
_PLACE = re.compile(r"\{(\w+)\}")


# ---------------------------------------------------------------------- facts
def facts(
    plan: Plan | OrderPlan, bounds: Sequence[Bound] = (), versus: Plan | OrderPlan | None = None
) -> dict[str, str]:
    """What can be said of a plan, by name, ready to be read: amounts with units, counts, shares.

    ``objective``, one entry per component (``max_memory``), ``bound``, ``method`` and ``gap`` (of the first component that is not
    proven; of the first where all are), ``claimed_bound`` and ``claimed_by`` where a file claims more than that, ``broken`` and ``broken_rule``; with ``versus``, a plan of the same model, ``change`` (share by which the
    first component that differs is less or more), ``factor`` and ``moved``. ``option_orders`` and the like are the planner's options. Of graphs ``ops``, ``devices``, ``used``, ``bottleneck`` (a device),
    ``bottleneck_ops`` and the parts of its cost, ``limit`` (a device's memory); of networks ``reads``, ``writes``, ``fast`` and the sizes.
    """
    problem, evaluation = plan.problem, plan.evaluation
    told: dict[str, str] = {
        "model": problem.name,
        "objective": amount_text(evaluation.objective, problem.unit(problem.components[0])),
        "broken": f"{len(evaluation.violations):,}",
        "broken_rule": evaluation.violations[0].sentence if evaluation.violations else "",
    }
    for name, value in evaluation.components.items():
        told[name.replace("-", "_")] = amount_text(value, problem.unit(name))
    part = weighed(plan, bounds)
    if part.bound is not None and evaluation.valid:
        told["bound"] = amount_text(part.bound.value, problem.unit(part.name))
        told["method"] = part.bound.method
        gap = part.gap
        if gap is not None:
            told["gap"] = gap_percent(gap)
    claim = claim_of(plan, bounds) if evaluation.valid else None
    if claim is not None:
        told["claimed_bound"] = claimed_amount(problem, claim)
        told["claimed_by"] = claim.claimed_by
    for name, value in plan.provenance.options.items():
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            told[f"option_{name}"] = f"{value:,}"
    if isinstance(plan, OrderPlan):
        told |= _order_facts(plan)
    else:
        told |= _graph_facts(plan)
    if versus is not None:
        told |= _difference_facts(plan, versus)
    return told


def _graph_facts(plan: Plan) -> dict[str, str]:
    problem, evaluation = plan.problem, plan.evaluation
    unit = problem.graph.time_unit
    worst = evaluation.bottleneck
    told = {
        "ops": f"{problem.graph.n:,}",
        "params": bytes_text(float((problem.evaluator.params - problem.evaluator.shared_params).sum())),
        "devices": f"{len(problem.devices):,}",
        "used": f"{int(np.count_nonzero(evaluation.ops)):,}",
    }
    if worst >= 0:
        told |= {
            "bottleneck": problem.devices[worst].title,
            "bottleneck_ops": f"{int(evaluation.ops[worst]):,}",
            "bottleneck_memory": bytes_text(float(evaluation.memory[worst])),
        }
        parts = {name: float(getattr(evaluation, name)[worst]) for name in COST_PARTS}
        parts["transfers"] = parts["receive"] + parts["send"]
        for name, amount in zip(parts, in_one_unit(list(parts.values()), unit), strict=True):
            told[f"bottleneck_{name}"] = amount
        told["bottleneck_cost"] = amount_text(float(evaluation.cost[worst]), unit)
        told["total_streaming"] = amount_text(float(evaluation.streaming.sum()), unit)
    for name, amounts in evaluation.details.items():
        if name in ("dram", "pushed", "bytes_in"):
            told[f"total_{name}"] = bytes_text(float(amounts.sum()))
            told[f"most_{name}"] = bytes_text(float(amounts.max()))
    if "pushed" in evaluation.details:
        streamed = evaluation.details["dram"] + evaluation.details["pushed"]
        told["total_streamed"] = bytes_text(float(streamed.sum()))
    limit = next((getattr(problem.target, name) for name in _LIMITS if hasattr(problem.target, name)), None)
    if limit is not None:
        told["limit"] = bytes_text(limit)
    rate = evaluation.figures.get("throughput", 0.0)
    if rate > 0.0:
        told |= {"throughput": f"{rate:.1f}", "interval": amount_text(1.0 / rate, unit)}
    return told


def _order_facts(plan: OrderPlan) -> dict[str, str]:
    network, evaluation = plan.problem.network, plan.evaluation
    least = io_bounds(network)
    extra = evaluation.reads + evaluation.writes - least.least
    return {
        "neurons": f"{network.neuron_count:,}",
        "connections": f"{network.connection_count:,}",
        "inputs": f"{len(network.inputs):,}",
        "outputs": f"{len(network.outputs):,}",
        "fast": f"{plan.problem.target.size:,}",
        "reads": f"{evaluation.reads:,}",
        "writes": f"{evaluation.writes:,}",
        "least": f"{least.least:,}",
        "least_reads": f"{least.least_reads:,}",
        "least_writes": f"{least.least_writes:,}",
        "extra": f"{extra:,}",
    }


def _difference_facts(plan: Plan | OrderPlan, versus: Plan | OrderPlan) -> dict[str, str]:
    told = {f"other_{name}": text for name, text in facts(versus).items()}
    found = changed(plan, versus)
    if found is not None:
        _, share = found
        told["change"] = percent(abs(share))
        if share < 0:
            told["factor"] = f"{1.0 / (1.0 + share):.2f}" if share > -1.0 else "endlessly"
    count = moved(plan, versus)
    if count is not None:
        told["moved"] = f"{count:,}"
    return told


def weighed(plan: Plan | OrderPlan, bounds: Sequence[Bound]) -> ComponentStanding:
    """The component that a gap is about: the first that is not proven, or the first where all are."""
    standing = plan.problem.standing(plan.evaluation.values, tuple(bounds))
    return standing.first_open or standing.components[0]


def changed(plan: Plan | OrderPlan, versus: Plan | OrderPlan) -> tuple[str, float] | None:
    """(the first component that differs, the relative change since ``versus``); None where none does or they cannot be compared."""
    now, then = plan.evaluation.components, versus.evaluation.components
    if plan.problem.objective != versus.problem.objective or list(now) != list(then):
        return None
    for name, value in now.items():
        if abs(value - then[name]) > SAME * max(abs(value), abs(then[name])):
            return name, (value - then[name]) / then[name] if then[name] else math.inf
    return None


def moved(plan: Plan | OrderPlan, versus: Plan | OrderPlan, rows: Rows | None = None) -> int | None:
    """How many ops (neurons of a network) must move to make one plan of the other, devices matched (by ``rows`` if given); None across models."""
    try:
        if isinstance(plan, Plan) and isinstance(versus, Plan):
            return len(compare([versus, plan], rows=rows).moved(1, 0))
        if isinstance(plan, OrderPlan) and isinstance(versus, OrderPlan):
            return len(compare_orders([versus, plan]).displaced(1, 0).neurons)
    except StageboardError:
        return None  # plans of two models
    return None


def moved_title(plan: Plan | OrderPlan, versus: Plan | OrderPlan) -> str:
    """``2 of 424 ops moved`` (or neurons); empty where none did, and across models."""
    return _moved_words(plan, moved(plan, versus))


def _moved_words(plan: Plan | OrderPlan, count: int | None) -> str:
    things = "neurons" if isinstance(plan, OrderPlan) else "ops"
    return f"{count:,} of {plan.problem.size:,} {things} moved" if count else ""


def moved_ops(plan: Plan | OrderPlan, versus: Plan | OrderPlan) -> tuple[str, ...]:
    """The ops (by id) that :func:`moved` counts; none of orders, and across models."""
    if not (isinstance(plan, Plan) and isinstance(versus, Plan)):
        return ()
    try:
        chosen = compare([versus, plan]).moved(1, 0)
    except StageboardError:
        return ()  # plans of two models
    return tuple(plan.problem.graph.op_ids[op] for op in chosen.tolist())


def filled(template: str, told: Mapping[str, str]) -> str:
    """``template`` with its ``{names}`` replaced by facts. Raises :class:`StoryError` where there is none of that name."""
    for name in _PLACE.findall(template):
        if name not in told:
            raise StoryError(
                f"a caption speaks of '{name}', which this plan does not have; it has {', '.join(told)}"
            )
    return _PLACE.sub(lambda match: told[match[1]], template)


# ---------------------------------------------------------------------- sentences
def caption(
    plan: Plan | OrderPlan,
    bounds: Sequence[Bound] = (),
    before: Plan | OrderPlan | None = None,
    rows: Rows | None = None,
) -> str:
    """Two lines on a plan: cost and where, changes since ``before`` (``rows`` as for :func:`moved`), proofs, and what a file only claims."""
    if not plan.evaluation.valid:
        return _broken(plan)
    sentences = [_cost(plan, before)]
    if before is not None and (words := _moved_words(plan, moved(plan, before, rows))):
        sentences.append(f"{words}.")
    return fitting([*sentences, *proof_sentences(plan, bounds, machine=other_machine(plan, before))])


def title(plan: Plan | OrderPlan, before: Plan | OrderPlan | None = None) -> str:
    """A few words on a plan: the name that somebody gave it and whether it is better than ``before``; else what it costs, and what that did."""
    found = None if before is None or not plan.evaluation.valid else changed(plan, before)
    better = found is not None and 0 < -found[1] < 1
    place = other_machine(plan, before)
    name = f"{plan.name}, {place}" if place else plan.name
    if is_named(plan):
        words = f"{name}: {percent(-found[1])} better" if found is not None and better else name
        return words[:120]
    if not plan.evaluation.valid:
        return "A plan that breaks rules"
    component = plan.problem.components[0] if found is None else found[0]
    if before is not None and better and before.evaluation.valid:
        words = change_words(before, plan, component)
    elif isinstance(plan, OrderPlan):  # its unit says what is counted
        words = _amount(plan, component)
    else:
        words = f"{component.replace('-', ' ').capitalize()} {_amount(plan, component)}"
    return (f"{words}, {place}" if place else words)[:120]


def is_named(plan: Plan | OrderPlan) -> bool:
    """Whether a plan has a name that says more than which planner found it, with which seed."""
    planner = plan.provenance.planner
    return bool(plan.name) and re.sub(r" \(.*\)$", "", plan.name) not in (planner, _planner_words(planner))


def change_words(before: Plan | OrderPlan, after: Plan | OrderPlan, component: str) -> str:
    """What a component was and is: ``From 31.2 to 24.8 ms``, in one unit."""
    first, second = before.evaluation.components[component], after.evaluation.components[component]
    return from_to(first, second, before.problem.unit(component))


def _amount(plan: Plan | OrderPlan, component: str) -> str:
    return amount_text(plan.evaluation.components[component], plan.problem.unit(component))


def in_one_unit(amounts: Sequence[float], unit: str | None) -> list[str]:
    """Amounts of one sentence in the unit of the largest, but for those that would be nothing in it."""
    largest = max(amounts, default=0.0)
    if unit != "s" or not math.isfinite(largest):
        return [amount_text(amount, unit) for amount in amounts]
    return [
        amount_text(amount, unit) if amount < LEAST_TOLD * largest or not amount else told
        for amount, told in zip(amounts, times(amounts, unit), strict=True)
    ]


def from_to(before: float, after: float, unit: str | None) -> str:
    """Two amounts in the unit of the larger one, which is told once; each in its own where the smaller one would be nothing."""
    close = unit == "s" and min(before, after) >= LEAST_TOLD * max(before, after)
    first, second = times((before, after), unit) if close else (amount_text(v, unit) for v in (before, after))
    (number, _, one), (_, _, other) = (amount.rpartition(" ") for amount in (first, second))
    return f"From {number if number and one == other else first} to {second}"


def found_by(plan: Plan | OrderPlan, seeded: bool = False) -> str:
    """A sentence on the planner that found a plan, with its seed where it is ``seeded``; empty where the plan has a name of its own."""
    planner, seed = plan.provenance.planner, plan.provenance.seed
    if not planner or is_named(plan):
        return ""
    return f"Found by {_planner_words(planner)}{f', seed {seed}' if seeded and seed is not None else ''}."


def certificate_title(name: str, letter: str = "", model: str = "") -> str:
    """What the certificate of a plan of this ``name`` is called, with its ``letter`` where plans are compared, and its model where there are
    several."""
    words = f"\N{LEFT DOUBLE QUOTATION MARK}{name}\N{RIGHT DOUBLE QUOTATION MARK}"
    words = f"plan {letter}, {words}" if letter else words
    return shortened(f"The certificate of {words}{f', {model}' if model else ''}", LONGEST_TITLE)


def name_in_words(plan: Plan | OrderPlan) -> str:
    """A plan's name, in which the planner that found it has its title: ``Edge TPU, fastest``."""
    name, planner = own_name(plan), plan.provenance.planner
    if planner and not is_named(plan) and name.startswith(planner):
        return _planner_words(planner) + name.removeprefix(planner)
    return name


def phrase(plan: Plan | OrderPlan, component: str) -> str:
    """What one component says of a plan, without capital and full stop: ``the slowest stage, stage 3, takes 1.93 ms``."""
    words = _PHRASES.get(component, component.replace("-", " ") + " is {value}")
    device = ""
    if component in _ABOUT and isinstance(plan.evaluation, Evaluation) and plan.evaluation.bottleneck >= 0:
        problem: Problem = plan.problem  # type: ignore[assignment]
        device = f", {problem.devices[plan.evaluation.bottleneck].title},"
    return words.format(value=_amount(plan, component), device=device)


def _cost(plan: Plan | OrderPlan, before: Plan | OrderPlan | None) -> str:
    found = None if before is None or not before.evaluation.valid else changed(plan, before)
    component = plan.problem.components[0] if found is None else found[0]
    words = phrase(plan, component)
    if found is not None and math.isfinite(found[1]):
        assert before is not None
        then = machine_phrase(before.problem) if other_machine(plan, before) else "before"
        words += f", {percent(abs(found[1]))} {'less' if found[1] < 0 else 'more'} than {then}"
    elif before is not None and found is None and before.problem == plan.problem:
        words += ", as before"
    return words[:1].upper() + words[1:] + "."


def _broken(plan: Plan | OrderPlan) -> str:
    violations = plan.evaluation.violations
    rules = "a rule" if len(violations) == 1 else f"{len(violations):,} rules"
    return shortened(f"This plan breaks {rules}. {violations[0].sentence}")


def fitting(sentences: Sequence[str], longest: int = TWO_LINES) -> str:
    """As many of the sentences as have room, whole ones from the first on; only a first that is too long by itself is cut."""
    kept = [sentence for sentence in sentences if sentence]
    while len(kept) > 1 and len(" ".join(kept)) > longest:
        del kept[-1]
    return shortened(" ".join(kept), longest)


def shortened(text: str, longest: int = TWO_LINES) -> str:
    """``text``, cut at a word with an ellipsis where it is longer than ``longest`` characters."""
    if len(text) <= longest:
        return text
    return text[: longest - 1].rsplit(" ", 1)[0].rstrip(" ,;:.") + "…"


def _planner_words(name: str) -> str:
    return planner_title(name) or name or "A plan"
