"""Sentences on what is proven about a plan, and what the proofs took for granted."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING

from gui.look.numbers import brief_seconds, gap_text, plural, signed_percent
from gui.words.methods import by_method, method_told, method_words
from gui.words.objectives import SUMS, Units, amount, component_words
from planner.problem.claims import claim_words
from planner.problem.proof_words import optimal_words
from planner.text_table import gap_percent, with_article

if TYPE_CHECKING:
    from planner.problem.base import PlanningProblem
    from planner.problem.bound import Bound, ComponentStanding, Standing

LONGEST_LINE = 72
RULES = {
    "order": "the order of the stages",
    "shared_children": "shared children",
    "contiguous": "contiguity",
    "colocation": "colocation",
    "support": "which ops a device supports",
    "topological": "that a neuron is complete before it is used",
    "no_skip": "that no chip is skipped",
    "triangle": "the triangle rule",
    "path": "that stages send to the next at most",
    "every_chip": "that every chip has ops",
}

GAP_MEANS = "could be better"
GAP_TIP = "(objective − bound) / objective: by how much of its objective a plan could be better than this one at most."
"""What a gap says, below its figure and in full."""
ABOVE_TIP = "(objective − optimum) / optimum: “{name}” is proven optimal, and this plan is so much worse."
"""The same where a plan that reaches the bound is known."""


def above_words(above: float) -> str:
    """``0.7 % above the optimum``: both costs are known, so it is rounded as the change from one to the other is (:func:`signed_percent`)."""
    change = signed_percent(above).removeprefix("+")
    return f"{'< 0.001 %' if change.startswith('±') else change} above the optimum"


def assumed(bound: Bound) -> str:
    """The rules and constraints a proof used: ``the order of the stages, shared children and 2 pins``; or ``no rule``."""
    parts, pins, sets = [], 0, 0
    for token in sorted(bound.assumes):
        kind, _, what = token.partition(":")
        if kind == "rule":
            parts.append(
                RULES.get(what, "the memory limit" if what.startswith("memory") else what.replace("_", " "))
            )
        pins += kind == "pin"
        sets += kind == "together"
    if pins:
        parts.append(plural(pins, "pin"))
    if sets:
        parts.append(plural(sets, "set of ops kept together", "sets of ops kept together"))
    if not parts:
        return "no rule"
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def bound_sentence(problem: PlanningProblem, bound: Bound) -> str:
    """What a bound says, of which plans, who proved it and what the proof used."""
    among = ""
    if bound.given:
        limits = [
            f"{component_words(name).title} of at most {amount(problem, name, most)}"
            for name, most in bound.given
        ]
        among = f" with {' and '.join(limits)}"
    other = f" for {bound.proven_for}, which holds here all the more" if bound.proven_for else ""
    who = f"proven by {by_method(bound.method)}{other}, using {assumed(bound)}."
    if math.isinf(bound.value):
        return f"No plan{among} is valid: {who}"
    return f"No valid plan{among} has {_below(problem, bound)}: {who}"


def prover_lines(problem: PlanningProblem, bound: Bound) -> list[str]:
    """:func:`bound_sentence`, and what the method that proved it looks at."""
    told = method_told(bound.method)
    who = method_words(bound.method)
    return [bound_sentence(problem, bound), *([f"{who[:1].upper()}{who[1:]}: {told}."] if told else [])]


def _below(problem: PlanningProblem, bound: Bound) -> str:
    """``a bottleneck below 923.43 us``, ``an inference time below 5.86 ms``, ``less off-chip (DRAM) than 1.20 MiB``, ``fewer than 3,793 I/Os``."""
    words, least = (
        component_words(bound.component).title,
        amount(problem, bound.component, bound.value),
    )
    if problem.unit(bound.component) == words:
        return f"fewer than {least}"
    if bound.component in SUMS:
        return f"less {words} than {least}"
    return f"{with_article(words)} below {least}"


def prover_words(bound: Bound) -> str:
    """``proven by nested cuts``, ``proven by nested cuts for max load`` where it was for another problem."""
    return f"proven by {by_method(bound.method)}" + (f" for {bound.proven_for}" if bound.proven_for else "")


def best_words(problem: PlanningProblem) -> str:
    """``proven optimal``, and for what where no figure of that stands beside it (:func:`planner.problem.proof_words.of_objective`)."""
    return optimal_words(problem.components, component_title)


def component_title(component: str) -> str:
    """What a component is called in a sentence."""
    return component_words(component).title


def proven_words(bound: Bound | None) -> str:
    """``proven in 0.4 s``, ``proven in 20 ms``: how long the proof took, where that is known."""
    return "proven" if bound is None else f"proven{took_words(bound)}"


def took_words(bound: Bound) -> str:
    """`` in 0.4 s``, `` in 20 ms``: how long the proof took, wherever that is said; empty where it is not known."""
    return "" if bound.seconds <= 0 else f" in {brief_seconds(bound.seconds)}"


def took_tip(bound: Bound | None) -> str:
    """What the time counts that :func:`proven_words` say; empty where they say none."""
    if bound is None or bound.seconds <= 0:
        return ""
    return (
        f"{brief_seconds(bound.seconds)} of search: what is prepared for a planner beforehand is not counted."
    )


def claimed_note(problem: PlanningProblem, claim: Bound) -> str:
    """What a file claims, in a few words beside what is proven: ``lower bound claimed: 923.43 µs, not proven here``."""
    return f"lower bound claimed: {claimed_least(problem, claim, sign='')}, not proven here"


def claimed_shortly(problem: PlanningProblem, claim: Bound) -> str:
    """The same where there is less room: ``claimed ≥ 923.43 µs, not proven``."""
    return f"claimed {claimed_least(problem, claim)}, not proven"


def claimed_least(problem: PlanningProblem, claim: Bound, sign: str = "≥ ") -> str:
    """``≥ 923.43 µs``: what is claimed; of several components with its name."""
    name = f"{component_words(claim.component).short} " if len(problem.components) > 1 else ""
    return f"{name}{sign}{amount(problem, claim.component, claim.value)}"


def claim_sentence(problem: PlanningProblem, claim: Bound) -> str:
    """All there is to say about a claim."""
    return f"{claim_words(problem, claim)}. It counts nowhere until it is proven."


def component_note(
    problem: PlanningProblem, standing: ComponentStanding, is_open: bool, units: Units | None = None
) -> str:
    """A few words below a component's value: ``✓ proven``, ``≥ 1.20 MiB, gap ≤ 21.4 %`` or that nothing is known.

    ``is_open`` says that this is the first component which is not proven: those after it wait. ``units``: how amounts are written beside it.
    """
    if standing.proven:
        return "✓ proven"
    bound = standing.bound
    if bound is None or bound.value <= 0:  # which every plan keeps
        return "no bound yet" if is_open else "not proven"
    if math.isinf(bound.value):
        return "infeasible"
    told = (
        amount(problem, standing.name, bound.value)
        if units is None
        else units.text(standing.name, bound.value)
    )
    least = f"≥ {told}"
    gap = standing.gap
    if gap == 0.0:
        return "bound met"
    return f"{least}, gap {gap_text(gap)}" if is_open else least


def component_tip(problem: PlanningProblem, standing: ComponentStanding, is_open: bool) -> str:
    """All there is to say about one component, in lines."""
    words = component_words(standing.name)
    lines = [words.help] if words.help else []
    told = standing.bound is not None and (standing.proven or standing.bound.value > 0)
    if standing.bound is not None and told:
        lines.append(bound_sentence(problem, standing.bound))
    if standing.proven:
        lines.append("The plan reaches it: proven optimal here.")
    elif is_open:
        lines.append(
            "No bound is proven yet: start a planner that proves."
            if not told or standing.gap is None
            else f"A plan could be up to {gap_percent(standing.gap)} better here."
        )
    else:
        lines.append("It counts as proven once the components before it are.")
    return wrapped(lines)


def wrapped(lines: Iterable[str]) -> str:
    """Lines for a tool tip, none of them too long to read."""
    return "\n".join("\n".join(textwrap.wrap(line, LONGEST_LINE)) for line in lines)


def standing_lines(problem: PlanningProblem, standing: Standing) -> list[str]:
    """One line per component: value, and what is proven about it."""
    return [
        f"{component_words(part.name).title} {amount(problem, part.name, part.value)}"
        f" ({component_note(problem, part, part is standing.first_open)})"
        for part in standing.components
    ]
