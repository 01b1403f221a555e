"""What the readout strip says beside the objective: how fast a plan is, and how full the memory. No widgets."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gui.canvas.graph.consequence import refusal
from gui.document.plan.board import AssignmentBoard
from gui.document.plan.preview import Preview
from gui.look.colours import Theme
from gui.look.numbers import (
    DASH,
    energy_text,
    one_time,
    plural,
    rate_text,
    share_text,
    signed_amount,
    signed_percent,
)
from gui.panels.mcm.state import is_package
from gui.widgets.briefer import ONE_AT_A_TIME
from gui.words.held import cache_used, off_chip
from gui.words.objectives import column_of, plan_times
from gui.words.proofs import wrapped
from planner.evaluation.estimates import counting_words, estimates_words, others_words
from planner.evaluation.memory_words import held_words, limit_words, must_fit
from planner.evaluation.times_source import (
    FILE,
    MEASURED,
    RATES,
    SCALED,
    SCALED_WORDS,
    times_mark,
    times_source,
)
from planner.model.times import measured_words, spread_words
from planner.problem.bound import ComponentStanding
from planner.problem.decision import Evaluation
from planner.problem.problem import Problem
from planner.problem.worst import LATENCY
from planner.quantity import bytes_text, shown_change


class Shown(NamedTuple):
    """One readout: what it is called, its value, a note, and the value's colour (empty for that of text)."""

    label: str
    value: str
    note: str
    colour: str = ""


def figures_tip(problem: Problem, evaluation: Evaluation) -> str:
    """What a target estimates of the whole plan, in lines."""
    figures, unit = evaluation.figures, problem.graph.time_unit
    lines = []
    if "throughput" in figures and math.isfinite(figures["throughput"]):
        every = (
            f", one every {one_time(1 / figures['throughput'], unit)}" if figures["throughput"] > 0 else ""
        )
        lines.append(f"{rate_text(figures['throughput'])} inferences/s{every}")
        if why := problem.target.throughput_note(evaluation):
            lines.append(f"Slower than the slowest stage: {why}")
            # Of which parts the bytes that are streamed consist, as the memory beside says one of them alone.
            if all(off_chip(evaluation)):
                lines.append(_off_chip_words(evaluation))
    if "latency" in figures:
        lines.append(f"{one_time(figures['latency'], unit)} from input to output of one inference alone")
        if more := problem.target.latency_note(evaluation):
            lines.append(f"That is {more}")
    if "energy" in figures:
        lines.append(f"{energy_text(figures['energy'])} per inference")
    return "\n".join(["Estimated, see Target for the constants:", *lines]) if lines else ""


def rules_shown(board: AssignmentBoard, theme: Theme) -> Shown:
    """How many rules and constraints are broken, or that they leave no valid plan."""
    broken, pins = len(board.evaluation.violations), len(board.open_problem.constraints)
    note = plural(broken, "violation") + (f", {plural(pins, 'constraint')}" if pins else "")
    if board.infeasible:
        note = "infeasible, proven"
    elif board.stuck is not None:
        return Shown("Rules", "valid", "but does not run", theme.warning)
    return Shown("Rules", "broken" if broken else "valid", note, theme.bad if broken else theme.good)


def rules_tip(board: AssignmentBoard) -> str:
    """Why no plan can be valid, or why this valid one does not run, in lines; empty where neither is known."""
    why = board.why_none
    if why is None and board.stuck is not None:
        return wrapped([" ".join(f"{words}." for _, words in board.stuck.rows[:1]), board.stuck.advice])
    return "" if why is None else wrapped([f"No plan can be valid: {why.sentence}"])


def times_tip(problem: Problem) -> str:
    """Where op times come from, in lines: how many are measured, by whom, how far runs spread; what gives the others."""
    graph, source = problem.graph, times_source(problem)
    sources = graph.measured.sources if graph.measured else ()
    if not (sources or problem.measured_times) or source == RATES:
        rates = estimates_words(problem)
        lines = [f"Op times come from {source}, not from a measurement: see Target (Ctrl+T)"]
        counted = counting_words(problem)
        return wrapped([*lines, *([rates] if rates else []), *([f"counted in {counted}"] if counted else [])])
    lines = [measured_words(graph), *sources]
    if spread := spread_words(graph):
        lines.append(spread)
    mark = times_mark(problem)
    if mark.endswith(SCALED):
        lines.append(SCALED_WORDS)
    if not mark.startswith("measured"):
        others = FILE if source == MEASURED else source
        verb = "come" if (what := others_words(problem)) == "the others" else "comes"
        lines.append(f"{what} {verb} from {others}: see Target (Ctrl+T)")
        if rates := estimates_words(problem):
            lines.append(rates)
    return wrapped(lines)


def speed_shown(problem: Problem, evaluation: Evaluation, brief: bool = False) -> Shown:
    """Throughput, with latency and energy where the target estimates them; ``brief``: without energy."""
    figures = evaluation.figures
    rate = figures.get("throughput", math.inf)
    notes = []
    if "latency" in figures:
        notes.append(f"one alone {plan_times(problem, evaluation).text(figures['latency'])}")
    if why := problem.target.throughput_note(evaluation):
        notes.append(why)
    elif "energy" in figures and not brief:
        notes.append(energy_text(figures["energy"]))
    return Shown("Inferences per second", rate_text(rate) if math.isfinite(rate) else DASH, ", ".join(notes))


def dragged(preview: Preview, theme: Theme) -> tuple[str, str, tuple[str, ...]]:
    """What a drop on the device under the pointer would do to an objective that is one number: a note, its colour, and ever shorter notes."""
    tones, change, further = (theme.muted, theme.bad, theme.good), preview.changes[preview.target], ""
    if not preview.legal[preview.target]:  # what it would cost there is no offer
        if preview.along_change is None:
            return f"→ {refusal(preview, preview.target)}", theme.bad, ()
        change, further = preview.along_change, f", {len(preview.along):,} along"  # but this is
    brief = f"→ {change.brief}"
    shorter = [f"{brief}{further}", brief]
    if further and change.scalar and math.isfinite(change.share):
        shorter.insert(1, f"→ {signed_percent(change.share)}{further}")
    return f"→ {change.text}{further}", tones[change.sign], tuple(shorter)


def dragged_component(
    problem: Problem, preview: Preview | None, i: int, one: ComponentStanding, theme: Theme
) -> tuple[str, str, tuple[str, ...]] | None:
    """What a drag would make of component ``i`` of several, in which colour, and ever shorter notes, which keep the figure; None where
    nothing is dragged or it stays."""
    if preview is None or not 0 <= preview.target < len(preview.changes):
        return None
    if not preview.legal[preview.target]:
        along = preview.along_change
        if i:
            return None
        if along is None:
            return f"→ {refusal(preview, preview.target)}", theme.bad, ()
        brief = f"→ {along.brief}"
        tone = (theme.muted, theme.bad, theme.good)[along.sign]
        shorter = (brief, f"→ {along.brief.removeprefix(along.what).strip()}")
        return f"{brief}, {len(preview.along):,} along", tone, shorter
    after = float(preview.components[i, preview.target])
    if abs(after - one.value) <= 1e-9 * abs(one.value):
        return None
    unit = problem.unit(one.name)
    by = signed_amount(shown_change(one.value, after, unit), max(after, one.value), unit)
    then = column_of(problem, one.name, [one.value or after]).text(after)
    return f"→ {then}  {by}", theme.good if after < one.value else theme.bad, (f"→ {then}",)


def rate_words(problem: Problem, evaluation: Evaluation, objective: float) -> str:
    """How many inferences or training steps a second an objective that is a time makes, one after another where it is the latency of
    one; why it is not known, if it is not."""
    graph = problem.graph
    if is_package(problem):
        return _mcm_rate(problem, evaluation)
    if graph.time_unit is None or not objective > 0 or not math.isfinite(objective):
        return "the file names no time unit" if graph.time_unit is None else ""
    figures = evaluation.figures
    if math.isfinite(figures.get("throughput", math.inf)):
        return f"{rate_text(figures['throughput'])} inferences/s"
    what = "training steps/s" if graph.backward.any() else "inferences/s"
    alone = ONE_AT_A_TIME if problem.objective == LATENCY else ""
    return f"{rate_text(1 / objective)} {what}{alone}"


def _mcm_rate(problem: Problem, evaluation: Evaluation) -> str:
    """Throughput, and the other of the two times of a package: of one sample, or of the slowest chip."""
    unit, times = problem.graph.time_unit, plan_times(problem, evaluation)
    if problem.objective == "latency":
        other = f"slowest chip {times.text(float(evaluation.cost.max(initial=0.0)))}"
    else:
        other = f"one sample {one_time(evaluation.figures['latency'], unit)}"
    rate = evaluation.figures["throughput"]
    return f"{rate_text(rate)} samples/s, {other}" if unit is not None and math.isfinite(rate) else other


def memory_tip(problem: Problem, evaluation: Evaluation) -> str:
    """What the memory counts, how much of that all devices hold, and the limit, in lines."""
    held = held_words(problem, evaluation)
    limit, precision = limit_words(problem, evaluation), counting_words(problem)
    counted = f"Counted in {precision}, while the model's file is in floating point."
    _, pushed = off_chip(evaluation)
    return "\n".join(
        [
            f"The {held} of a device's ops: {bytes_text(_held_by_all(problem, evaluation))} on all devices together",
            f"The limit is {limit}." if limit else "No limit is set: see Target (Ctrl+T).",
            *([_counted(problem)] if "scratch" in evaluation.details else []),
            *([f"Streamed: {_off_chip_words(evaluation)}."] if pushed else []),
            *([counted] if precision else []),
        ]
    )


def _counted(problem: Problem) -> str:
    """What the figure of the fullest cache counts, in a sentence."""
    if problem.unit(problem.components[0]) == "B":
        return "Of the fullest, parameters placed on chip by the compiler count, without activations, as for the objective."
    return "Of the fullest, what activations need of the cache counts, too."


def _off_chip_words(evaluation: Evaluation) -> str:
    """Of which parts what is streamed consists."""
    off, pushed = off_chip(evaluation)
    return f"{bytes_text(off)} off chip, {bytes_text(pushed)} pushed out by activations"


def _held_by_all(problem: Problem, evaluation: Evaluation) -> float:
    """Slots of one accelerator say what all of them hold; that counts once."""
    e = problem.evaluator
    return float(evaluation.memory[~e.pays | (e.owner == np.arange(e.k))].sum())


def memory_shown(problem: Problem, evaluation: Evaluation, theme: Theme) -> Shown:
    """How full the fullest device is, or what all hold where nothing limits them; a precision that is not the file's is named."""
    shown = _memory_shown(problem, evaluation, theme)
    # Of whose times they are the tool tip says more.
    precision = counting_words(problem).partition(",")[0]
    return shown._replace(note=f"{precision}, {shown.note}") if precision else shown


def _memory_shown(problem: Problem, evaluation: Evaluation, theme: Theme) -> Shown:
    if "dram" in evaluation.details:
        return _cache_shown(problem, evaluation, theme)
    capacity = problem.evaluator.capacity
    capped = np.isfinite(capacity)
    if not capped.any():
        total = _held_by_all(problem, evaluation)
        return Shown("Memory", bytes_text(total), f"{held_words(problem, evaluation)}, no limit set")
    worst = int(np.argmax(np.where(capped, evaluation.memory / np.maximum(capacity, 1), -1)))
    used, cap = float(evaluation.memory[worst]), float(capacity[worst])
    limits, colour = must_fit(problem), ""
    words = f"{held_words(problem, evaluation)}, {'must fit' if limits else 'else streamed'}"
    if used > cap:
        # Where no rule limits the memory, what does not fit costs time instead.
        colour = theme.bad if limits else theme.warning
        words = words if limits else "the rest is streamed each time"
    return Shown(f"Memory (fullest, {problem.devices[worst].name})", share_text(used, cap), words, colour)


def _cache_shown(problem: Problem, evaluation: Evaluation, theme: Theme) -> Shown:
    """How full the fullest cache is, and what does not stay in any: what does not fit, and what activations push out.

    Full of parameters alone where the objective counts bytes of these, else of what activations need, too.
    """
    used, (beyond, pushed) = cache_used(problem, evaluation), off_chip(evaluation)
    alone = problem.unit(problem.components[0]) == "B"
    worst = int(np.argmax(used))
    off = f"{bytes_text(beyond)} off-chip in all" if beyond else "all parameters on chip"
    if pushed:
        off = f"{bytes_text(beyond + pushed)} streamed in all"
    cache = float(problem.evaluator.budget[worst])
    return Shown(
        f"{'Parameters' if alone else 'Memory'} (fullest, {problem.devices[worst].name})",
        share_text(float(used[worst]), cache),
        off,
        theme.warning if beyond or pushed else "",
    )
