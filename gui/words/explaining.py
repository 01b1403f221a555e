"""Words for what the figures say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from gui.look.numbers import Column, percent, time_column
from gui.words.held import off_chip
from gui.words.idle_devices import idle_words
from gui.words.more_devices import MoreDevices
from gui.words.objectives import in_unit, objective_in_words
from gui.words.proofs import best_words
from gui.words.short_memory import short_elsewhere
from gui.words.what_helps import beyond
from gui.words.without_rules import SMALL
from planner.model.graph import Floats, Ints
from planner.problem.bound import Bound
from planner.problem.decision import Evaluation
from planner.problem.problem import Problem, constraint_words
from planner.problem.worst import LATENCY
from planner.quantity import bytes_text, time_text
from planner.reports.schedule.schedule import PHASES, schedule
from planner.text_table import gap_percent

PARTS = (
    ("work", "work of its ops"),
    ("receive", "tensors it receives"),
    ("send", "tensors it sends"),
    ("streaming", "parameters it streams"),
)
AMOUNTS = ("cache", "dram", "bytes_in", "bytes_out")
"""What a stage's byte counts consist of, as an evaluation's details name them."""


def why_bottleneck(problem: Problem, evaluation: Evaluation) -> tuple[list[tuple[str, float]], str]:
    """The parts of the bottleneck's cost, or of an objective that none alone sets, largest first, and a sentence that says which of them
    matters most.

    Where the objective counts bytes: those of its parameters placed on chip and off, and of what enters and leaves it.
    """
    d = evaluation.bottleneck
    if d < 0 or problem.graph.n == 0:
        return [], "There is nothing to plan yet."
    if problem.unit(problem.components[0]) == "B" and evaluation.details:
        return _fullest(problem, evaluation, d)
    if evaluation.rests is not None:
        return one_after_another(problem, evaluation, evaluation.rests)
    values = [(name, float(getattr(evaluation, name)[d]), phrase) for name, phrase in PARTS]
    values.sort(key=lambda row: -row[1])
    rows = [(name, value) for name, value, _ in values]
    unit = problem.graph.time_unit
    title = problem.devices[d].title
    total = sum(value for _, value, _ in values)
    cost = float(evaluation.cost[d])
    if total <= 0:
        return rows, f"{title} costs nothing: all times are zero."
    _, value, phrase = values[0]
    used = evaluation.cost[evaluation.cost > 0]
    mean = float(used.mean())
    # Devices that have nothing to do say nothing of how well the others share the work.
    of = "device" if len(used) == len(evaluation.cost) else "device in use"
    free = "" if problem.evaluator.pays[d] else f" {problem.target.transfers_note()}."
    above = f", {percent(cost / mean - 1, 0)} above the average {of}" if len(used) > 1 else ""
    return (
        rows,
        f"{title} takes {time_text(cost, unit)}{above}; {percent(value / total, 0)} of it is the {phrase}.{free}",
    )


def one_after_another(
    problem: Problem, evaluation: Evaluation, rests: Floats
) -> tuple[list[tuple[str, float]], str]:
    """The parts of an objective that all devices stream for, one after another: that, and what the largest of the ``rests`` (float64[k])
    consists of, largest first; and who streams how much, and whose rest it is."""
    d, streaming = evaluation.bottleneck, evaluation.streaming
    unit, titles = problem.graph.time_unit, [device.title for device in problem.devices]
    column, streamed = time_column([evaluation.objective], unit), float(streaming.sum())
    rows = [(name, float(getattr(evaluation, name)[d])) for name, _ in PARTS if name != "streaming"]
    rows = sorted([*rows, ("streaming", streamed)], key=lambda row: -row[1])
    by = [e for e in np.argsort(-streaming, kind="stable").tolist() if streaming[e] > 0]
    who = _listed([(titles[e], float(streaming[e])) for e in by], column, unit)
    share = percent(streamed / evaluation.objective, 0)
    return (
        rows,
        f"All {problem.target.words.many} stream over one link, one after another: {in_unit(column, unit, streamed)}, {share} of"
        f" {column.text(evaluation.objective)}; {who}.{_pushed_out(evaluation)} Added to that is the largest rest: {titles[d]} takes"
        f" {in_unit(column, unit, float(rests[d]))} to receive, work and send.",
    )


def _pushed_out(evaluation: Evaluation) -> str:
    """How much of what is streamed would fit were it not for activations, where a target says so."""
    off, pushed = off_chip(evaluation)
    if not pushed:
        return ""
    beyond_it = f"{bytes_text(off)} do not fit the caches, " if off else ""
    return f" {bytes_text(off + pushed)} are streamed: {beyond_it}{bytes_text(pushed)} are pushed out by activations."


def critical_path(problem: Problem, device_of: Ints) -> tuple[list[tuple[str, float]], str]:
    """What the critical path of a single sample consists of, largest part first, and a sentence on the devices that it leads over.

    ``device_of`` int32[n] is the assignment.
    """
    s = schedule(problem, device_of, kind="latency", samples=1)
    on = s.critical[s.piece]
    took, unit = (s.finish - s.start)[on], problem.graph.time_unit
    column = time_column([s.period], unit)  # that of the objective, as the strip has it
    phases = [("receive", "receive"), ("work", "work"), ("streaming", "stream parameters"), ("send", "send")]
    rows = [(name, float(took[s.phase[on] == PHASES.index(phase)].sum())) for name, phase in phases]
    rows.sort(key=lambda row: -row[1])
    if s.period <= 0:
        return rows, "Nothing takes any time."
    by = np.bincount(s.device[on], took, len(problem.devices))
    over = [d for d in np.argsort(-by, kind="stable").tolist() if by[d] > 0]
    led = _listed([(problem.devices[d].title, float(by[d])) for d in over], column, unit)
    name, value = rows[0]
    phrase = dict(PARTS)[name].replace("its ops", "ops").replace(" it ", " devices ")
    share = percent(value / s.period, 0)
    return (
        rows,
        f"A sample takes {column.text(s.period)}. Its critical path leads over {led}; {share} of it is the {phrase}.",
    )


MOST = 4
"""Devices that are named where many take part in the objective."""


def _listed(devices: Sequence[tuple[str, float]], column: Column, unit: str | None) -> str:
    """``Stage 3 (13.35 ms), Stage 2 (10.89 ms) and 2 more``."""
    told = [f"{title} ({in_unit(column, unit, value)})" for title, value in devices[:MOST]]
    if len(devices) > MOST:
        told.append(f"{len(devices) - MOST} more")
    return told[0] if len(told) == 1 else f"{', '.join(told[:-1])} and {told[-1]}"


PROVEN_BEST = 1e-3
"""A gap below which no search is worth while."""


def gap_without_constraints(
    problem: Problem, evaluation: Evaluation, bounds: Iterable[Bound]
) -> float | None:
    """How much better a plan could be at most were no op pinned or kept with another; None where there are no constraints, or nothing is proven of that.

    ``bounds``: those of the problem without its constraints, among others.
    """
    if not problem.constraints or not evaluation.valid:
        return None
    return problem.with_constraints(()).standing(evaluation.values, tuple(bounds)).gap


def constraints_bind(problem: Problem, free_gap: float | None) -> bool:
    """Whether plans that keep no constraint may be better; ``free_gap`` is :func:`gap_without_constraints`."""
    return bool(problem.constraints) and (free_gap is None or free_gap >= PROVEN_BEST)


def next_step(
    problem: Problem, evaluation: Evaluation, device_of: Ints, gap: float | None, infeasible: bool = False,
    free_gap: float | None = None, optimum: str = "", better: str = "", bounds: Iterable[Bound] = (),
    more: MoreDevices | None = None, exhausted: bool = False,
) -> str:  # fmt: skip
    """What to do about the bottleneck of an assignment (int32[n]), in a sentence or two; ``gap`` as :attr:`planner.problem.bound.Standing.gap`.

    ``infeasible``: it is proven that no plan is valid; ``free_gap``: :func:`gap_without_constraints`; ``optimum``: what a plan is
    called that is at hand and proven optimal, while this one is not; ``better``: of the best one at hand that is better than this one; ``bounds``: what is proven, also without
    some rule; ``more``: what is known of more devices; ``exhausted``: proofs that suit the problem are at their end.
    """
    if infeasible:
        return "No plan can be valid: proven. See what would help (Plan, Is There a Valid Plan?)."
    if not evaluation.valid:
        return "Repair the broken rules first (Ctrl+R): a plan that breaks them can cost anything."
    if optimum:
        return f"“{optimum}” in Plans is {best_words(problem)}, and this plan is worse: go back to it."
    if better:
        return (
            f"“{better}” in Plans is better than this plan: go back to it, or let a planner start from there."
        )
    other, why = problem.target.suggested_objective(problem.objective, evaluation)
    if other:
        return f"{why[:1].upper()}{why[1:]}: plan for {objective_in_words(other)} instead (Plan, Plan for the Suggested Objective)."
    if gap is not None and gap < PROVEN_BEST and constraints_bind(problem, free_gap):
        better = "" if gap == 0.0 else f"more than {gap_percent(gap)} "
        head = f"With {constraint_words(problem)} no plan is {better}better: proven."
        if free_gap is None:
            return f"{head} What that costs is not known: remove the constraints, and plan again."
        return f"{head} Without, one could be up to {gap_percent(free_gap)} better: remove what need not be, and plan again."
    if gap == 0.0:
        return f"No plan is better: proven. {_beyond(problem, evaluation, device_of, bounds, more)}"
    if gap is not None and gap < PROVEN_BEST:
        return f"No plan is more than {gap_percent(gap)} better: proven. {_beyond(problem, evaluation, device_of, bounds, more)}"
    left = (
        _unproven(gap)
        if exhausted
        else "How much better a plan could be is not known: prove a bound (Ctrl+Shift+B), or start a planner (Ctrl+Return)."
        if gap is None
        else f"A plan could be up to {gap_percent(gap)} better: start a planner (Ctrl+Return), or prove that less is left (Ctrl+Shift+B)."
    )
    if gap is not None and gap < SMALL and not problem.constraints:
        return f"{left} {_beyond(problem, evaluation, device_of, bounds, more)}"
    short, idle = (
        short_elsewhere(problem, evaluation, device_of, bounds),
        idle_words(problem, evaluation, device_of),
    )
    return " ".join(said for said in (left, short, idle) if said)


def _unproven(gap: float | None) -> str:
    """What is left to do where the methods that are asked without being named have no more to prove."""
    head = (
        "How much better a plan could be is not known"
        if gap is None
        else f"A plan could be up to {gap_percent(gap)} better"
    )
    return f"{head}, and the methods that Prove asks have no more to prove: start a planner (Ctrl+Return), or choose a bound method in Planners."


def _beyond(
    problem: Problem, evaluation: Evaluation, device_of: Ints, bounds: Iterable[Bound], more: MoreDevices | None,
) -> str:  # fmt: skip
    """What is left to change where the plan is the best there is (:func:`gui.words.what_helps.beyond`)."""
    if problem.components[0] == LATENCY:
        rows, _ = critical_path(problem, device_of)
    elif evaluation.rests is not None:
        rows, _ = one_after_another(problem, evaluation, evaluation.rests)
    else:
        rows = [(name, float(getattr(evaluation, name)[evaluation.bottleneck])) for name, _ in PARTS]
    return beyond(problem, evaluation, device_of, rows, bounds, more)


def _fullest(problem: Problem, evaluation: Evaluation, d: int) -> tuple[list[tuple[str, float]], str]:
    """Why a stage holds most: the amounts in :data:`AMOUNTS`, and a sentence on its cache."""
    rows = [(name, float(evaluation.details[name][d])) for name in AMOUNTS]
    held, mean = float(evaluation.memory[d]), float(evaluation.memory.mean())
    off_chip = float(evaluation.details["dram"][d])
    more = (
        f", {percent(held / mean - 1, 0)} above the average stage"
        if len(evaluation.memory) > 1 and mean > 0
        else ""
    )
    said = f"{problem.devices[d].title} holds {bytes_text(held)} of parameters{more}; "
    pushed, needs = (float(evaluation.details[name][d]) for name in ("pushed", "scratch"))
    if off_chip:
        out = f", activations push out {bytes_text(pushed)}" if pushed else ""
        late = float(evaluation.streaming[d]) / float(evaluation.cost[d]) if evaluation.cost[d] > 0 else 0.0
        said += f"{bytes_text(off_chip)} do not fit into its cache{out}, and streaming them is {percent(late, 0)} of its time."
        return rows, said
    if pushed:
        return (
            rows,
            said
            + f"they fit into its cache, but activations need {bytes_text(needs)} of it and push out {bytes_text(pushed)}.",
        )
    room = float(problem.evaluator.budget[d]) - held - needs
    beside = f" beside activations of {bytes_text(needs)}" if needs else ""
    return rows, said + f"they fit into its cache{beside} with {bytes_text(room)} to spare."
